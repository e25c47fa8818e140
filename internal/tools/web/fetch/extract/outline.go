package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// outlined takes all visible text of a page, in the order in which it stands
// there, with its headings and lists. One pass, without a tree: however a page
// is nested, time and memory grow with its length alone.
func outlined(text []byte) Document {
	o := outliner{styles: &styles{}}
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
			n := html.Node{Type: html.ElementNode, DataAtom: atom.Lookup(name), Data: string(name)}
			for i := 0; more && i < maxAttributes; i++ {
				var key, value []byte
				key, value, more = z.TagAttr()
				n.Attr = append(n.Attr, html.Attribute{Key: string(key), Val: string(value[:min(len(value), 4096)])})
			}
			if n.DataAtom == atom.Html {
				o.lang = attribute(&n, "lang")
			}
			o.open(&n)
		case html.EndTagToken:
			name, _ := z.TagName()
			o.close(atom.Lookup(name))
		}
	}
}

const (
	// maxOutline is how much text is taken.
	maxOutline = 4 << 20
	// maxAttributes is how many attributes of an element are looked at.
	maxAttributes = 100
)

func (o *outliner) document() Document {
	o.end()
	return Document{Extractor: "outline", Title: clean(o.title.String()), Lang: languageOf(o.lang, "", ""), Text: strings.TrimSpace(o.out.String())}
}

// outliner gathers lines.
type outliner struct {
	out, title   strings.Builder
	line         bytes.Buffer
	lang, prefix string
	inTitle      bool
	silent       atom.Atom // the element whose text is not shown
	depth        int       // of elements of that name within it
	pre          bool
	script       atom.Atom        // sub or sup under way, 0 for none
	from         int              // where its text begins in the line
	note         bool             // it holds a link within the page
	tables       []*outlinedTable // being read, the innermost last
	styles       *styles          // of the sheets so far
	sheet        *html.Node
}

func (o *outliner) text(b []byte) {
	switch {
	case o.silent == atom.Style && o.sheet != nil:
		o.styles.add(string(b), o.sheet)
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
	if s := o.line.Bytes(); len(s) > 0 && s[len(s)-1] != ' ' {
		o.line.WriteByte(' ')
	}
}

func (o *outliner) open(n *html.Node) {
	tag := n.DataAtom
	if o.silent != 0 && block(tag) && unclosed(o.silent) {
		o.silent = 0 // its end tag was left out
	}
	if o.silent != 0 {
		if tag == o.silent {
			o.depth++
		}
		return
	}
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Select, atom.Textarea, atom.Button:
		o.silent, o.depth = tag, 1
		if o.sheet = nil; tag == atom.Style {
			o.sheet = n
		}
		return
	case atom.Title:
		o.inTitle = true
		return
	case atom.Pre:
		o.end()
		o.pre = true
		return
	}
	if o.cellBlock(tag) {
		o.space()
	} else if block(tag) {
		o.end()
		o.prefix = ""
	}
	if tag != 0 && !void(tag) && (unseen(n) || !unstyled(n) && o.hides(n)) {
		o.silent, o.depth = tag, 1
		return
	}
	switch tag {
	case atom.Sup, atom.Sub:
		o.raise()
		o.script, o.from, o.note = tag, o.line.Len(), false
	case atom.A:
		o.note = o.note || strings.Contains(attribute(n, "href"), "#")
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		o.prefix = strings.Repeat("#", int(tag.String()[1]-'0')) + " "
	case atom.Li:
		o.prefix = "- "
	case atom.Img:
		o.space()
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		o.tabled(n)
	}
}

// tabled begins a table, a row or a cell.
func (o *outliner) tabled(n *html.Node) {
	t := o.table()
	switch {
	case n.DataAtom == atom.Table:
		if len(o.tables) < maxNested {
			o.tables = append(o.tables, &outlinedTable{})
		}
	case t == nil:
		o.space()
	case n.DataAtom == atom.Tr:
		t.column, t.wide = 0, 0
	default:
		t.cell(o, n)
	}
}

// outlinedTable is a table in an outline: its cells are divided by |, an empty one
// keeps its place, and one that spans others leaves theirs empty.
type outlinedTable struct {
	column int
	wide   int         // columns that the cell at hand goes on over
	down   map[int]int // rows that a cell above still reaches, by column
}

const maxNested = 100

func (o *outliner) table() *outlinedTable {
	if len(o.tables) == 0 {
		return nil
	}
	return o.tables[len(o.tables)-1]
}

// cellBlock says whether an element is a block within a row of cells, which stays
// on its line.
func (o *outliner) cellBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Table, atom.Caption, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Pre:
		return false
	}
	t := o.table()
	return t != nil && t.column > 0 && block(tag)
}

// cell begins a cell.
func (t *outlinedTable) cell(o *outliner, n *html.Node) {
	step := func() {
		if t.column++; t.column > 1 {
			o.space()
			o.line.WriteString("| ")
		}
	}
	for ; t.wide > 0; t.wide-- {
		step()
	}
	for t.down[t.column] > 0 {
		t.down[t.column]--
		step()
	}
	step()
	w, h := max(span(n, "colspan", maxColspan), 1), span(n, "rowspan", maxRowspan)
	t.wide = w - 1
	if h > 1 {
		if t.down == nil {
			t.down = map[int]int{}
		}
		for k := range w {
			t.down[t.column-1+k] = h - 1
		}
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
	case tag == o.script && tag != 0:
		o.raise()
	case tag == atom.Pre:
		o.end()
		o.pre = false
	case o.cellBlock(tag):
		o.space()
	case block(tag):
		o.end()
		o.prefix = ""
		if n := len(o.tables); tag == atom.Table && n > 0 {
			o.tables = o.tables[:n-1]
		} else if tag == atom.Tr && n > 0 {
			o.tables[n-1].column = 0
		}
	}
}

// hides says whether styles show nothing of an element. Without a tree only
// selectors of one element can be tried.
func (o *outliner) hides(n *html.Node) bool {
	l := o.styles.of(n)
	return l.gone() || l[visibility] == hides || l[fontSize] == hides
}

// raise writes the sub- or superscript under way as text, if there is one.
func (o *outliner) raise() {
	all := o.line.Bytes()
	if o.script != 0 && o.from <= len(all) {
		if text := strings.Join(strings.Fields(string(all[o.from:])), " "); text != "" {
			behind, _ := utf8.DecodeLastRune(all[:o.from])
			o.line.Truncate(o.from)
			o.line.WriteString(raised(text, o.script == atom.Sup, o.note, behind))
		}
	}
	o.script = 0
}

// void elements have no end tag.
func void(tag atom.Atom) bool {
	switch tag {
	case atom.Br, atom.Img, atom.Input, atom.Hr, atom.Meta, atom.Link, atom.Source, atom.Area, atom.Base, atom.Col, atom.Embed, atom.Param, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// unclosed elements may do without their end tag.
func unclosed(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th, atom.Tbody, atom.Thead, atom.Tfoot, atom.Option:
		return true
	}
	return false
}

// end closes a line.
func (o *outliner) end() {
	o.raise()
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
