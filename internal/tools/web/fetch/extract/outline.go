package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// outlined takes all visible text of a page, in the order in which it stands
// there, with its headings and lists. One pass, without a tree: however a page
// is nested, time and memory grow with its length alone.
func outlined(text []byte) Document {
	o := outliner{}
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(4 << 20) // of one token
	for {
		if o.out.Len()+o.line.Len() > maxOutline {
			d := o.document()
			d.Warnings = append(d.Warnings, "The page is very long: its text after the first 4 MiB is left out.")
			return d
		}
		switch z.Next() {
		case html.ErrorToken:
			return o.document()
		case html.TextToken:
			o.text(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			for tag == atom.Html && more {
				var key, value []byte
				if key, value, more = z.TagAttr(); string(key) == "lang" {
					o.lang = string(value)
				}
			}
			o.open(tag)
		case html.EndTagToken:
			name, _ := z.TagName()
			o.close(atom.Lookup(name))
		}
	}
}

// maxOutline is how much text is taken.
const maxOutline = 4 << 20

func (o *outliner) document() Document {
	o.end()
	return Document{Extractor: "outline", Title: clean(o.title.String()), Lang: languageOf(o.lang, "", ""), Text: strings.TrimSpace(o.out.String())}
}

// outliner gathers lines.
type outliner struct {
	out, line, title strings.Builder
	lang, prefix     string
	inTitle          bool
	silent           atom.Atom // the element whose text is not shown
	depth            int       // of elements of that name within it
	pre              bool
}

func (o *outliner) text(b []byte) {
	switch {
	case o.silent != 0:
	case o.inTitle:
		o.title.Write(b[:min(len(b), 4096)])
	case o.pre:
		o.line.Write(b)
	default:
		s := string(b)
		words := strings.Fields(s)
		if len(words) == 0 {
			o.space()
			return
		}
		if strings.TrimLeft(s[:1], " \t\r\n\f") == "" {
			o.space()
		}
		o.line.WriteString(strings.Join(words, " "))
		if strings.TrimRight(s[len(s)-1:], " \t\r\n\f") == "" {
			o.space()
		}
	}
}

func (o *outliner) space() {
	if s := o.line.String(); s != "" && !strings.HasSuffix(s, " ") {
		o.line.WriteByte(' ')
	}
}

func (o *outliner) open(tag atom.Atom) {
	if o.silent != 0 {
		if tag == o.silent {
			o.depth++
		}
		return
	}
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Select, atom.Textarea, atom.Button:
		o.silent, o.depth = tag, 1
		return
	case atom.Title:
		o.inTitle = true
		return
	case atom.Pre:
		o.end()
		o.pre = true
		return
	}
	if block(tag) {
		o.end()
		o.prefix = ""
	}
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		o.prefix = strings.Repeat("#", int(tag.String()[1]-'0')) + " "
	case atom.Li:
		o.prefix = "- "
	case atom.Td, atom.Th, atom.Img:
		o.space()
	}
}

func (o *outliner) close(tag atom.Atom) {
	switch {
	case o.silent != 0:
		if tag == o.silent {
			if o.depth--; o.depth == 0 {
				o.silent = 0
			}
		}
	case tag == atom.Title:
		o.inTitle = false
	case tag == atom.Pre:
		o.end()
		o.pre = false
	case block(tag):
		o.end()
		o.prefix = ""
	}
}

// end closes a line.
func (o *outliner) end() {
	line := o.line.String()
	o.line.Reset()
	if o.pre && strings.TrimSpace(line) != "" {
		o.out.WriteString("```\n" + strings.Trim(line, "\n") + "\n```\n\n")
		return
	}
	if line = strings.TrimSpace(line); line == "" {
		return
	}
	o.out.WriteString(o.prefix + line + "\n")
	if o.prefix != "- " {
		o.out.WriteByte('\n')
	}
}

// block says whether an element begins a new line.
func block(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center, atom.Dd, atom.Details,
		atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2,
		atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hr, atom.Html, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.P,
		atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}
