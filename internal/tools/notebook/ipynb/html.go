package ipynb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// pageStyle needs nothing from elsewhere.
const pageStyle = `body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.55 system-ui,sans-serif;color:#1c1c1c;background:#fff}
pre{background:#f4f4f2;border-left:3px solid #3b6ea5;padding:.7rem .9rem;overflow-x:auto;font:.87rem/1.45 ui-monospace,monospace}
pre.output{background:none;border-left-color:#8a8a86}pre.failed{border-left-color:#b3362b}img{max-width:100%}
blockquote{margin:1rem 0;padding:.1rem 1rem;border-left:3px solid #b58a2e;background:#fbf6e9}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25rem .6rem;text-align:left}
@media (prefers-color-scheme:dark){body{color:#e4e4e4;background:#191919}pre{background:#262626}blockquote{background:#2b2718}a{color:#8ab4e8}}`

// section is a cell as a page shows it.
type section struct {
	id, kind, source string
	outputs          []json.RawMessage
}

// HTML is the notebook as one web page without scripts. HTML inside markdown is
// left out, so that a notebook cannot run anything in a reader's browser.
func (f *File) HTML() ([]byte, error) {
	sections := make([]section, len(f.Cells))
	for i, c := range f.Cells {
		sections[i] = section{c.ID, c.Type, c.Source, c.Outputs}
	}
	return page(f.Metadata.Title, sections)
}

// HTML is the notebook with its outputs as one web page without scripts: text,
// errors and pictures. Outputs of other kinds are shown as their text.
func (nb *Existing) HTML(title string) ([]byte, error) {
	sections := make([]section, len(nb.Cells))
	for i, c := range nb.Cells {
		s := section{id: fmt.Sprintf("cell-%d", i), kind: c.Type, source: c.Source}
		if id := c.ID(); id != "" {
			s.id = id
		}
		_ = json.Unmarshal(c.Fields["outputs"], &s.outputs) // outputs of another kind are none
		sections[i] = s
	}
	return page(title, sections)
}

func page(title string, sections []section) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
		html.EscapeString(title) + "</title>\n<style>" + pageStyle + "</style>\n</head>\n<body>\n<main>\n")
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, s := range sections {
		if strings.TrimSpace(s.source) == "" {
			continue
		}
		b.WriteString("<section id=\"" + html.EscapeString(s.id) + "\">\n")
		if s.kind == "markdown" {
			if err := markdown.Convert([]byte(s.source), &b); err != nil {
				return nil, err
			}
		} else {
			b.WriteString("<pre><code class=\"language-python\">" + html.EscapeString(s.source) + "</code></pre>\n")
			writeOutputs(&b, s.outputs)
		}
		b.WriteString("</section>\n")
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	return b.Bytes(), nil
}
