package notebook

import (
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// pageStyle needs nothing from elsewhere.
const pageStyle = `body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.55 system-ui,sans-serif;color:#1c1c1c;background:#fff}
pre{background:#f4f4f2;border-left:3px solid #3b6ea5;padding:.7rem .9rem;overflow-x:auto;font:.87rem/1.45 ui-monospace,monospace}
blockquote{margin:1rem 0;padding:.1rem 1rem;border-left:3px solid #b58a2e;background:#fbf6e9}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25rem .6rem;text-align:left}
@media (prefers-color-scheme:dark){body{color:#e4e4e4;background:#191919}pre{background:#262626}blockquote{background:#2b2718}a{color:#8ab4e8}}`

// HTML is the notebook as one web page without scripts. HTML inside markdown is
// left out, so that a notebook cannot run anything in a reader's browser.
func (f *File) HTML() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
		html.EscapeString(f.Metadata.Title) + "</title>\n<style>" + pageStyle + "</style>\n</head>\n<body>\n<main>\n")
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, c := range f.Cells {
		if strings.TrimSpace(c.Source) == "" {
			continue
		}
		b.WriteString("<section id=\"" + html.EscapeString(c.ID) + "\">\n")
		if c.Type == "code" {
			b.WriteString("<pre><code class=\"language-python\">" + html.EscapeString(c.Source) + "</code></pre>\n")
		} else if err := markdown.Convert([]byte(c.Source), &b); err != nil {
			return nil, err
		}
		b.WriteString("</section>\n")
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	return b.Bytes(), nil
}
