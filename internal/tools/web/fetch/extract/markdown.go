package extract

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markdown writes what an extractor has kept of a page as Markdown: headings,
// paragraphs, lists, tables, quotations and code. Text is not escaped, since it
// is read rather than rendered; links keep their text alone.
func markdown(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == 0 { // made by an extractor, by name alone
			d.DataAtom = atom.Lookup([]byte(d.Data))
		}
	}
	w := &writer{}
	w.children(n)
	w.paragraph()
	return unmarked(strings.TrimSpace(w.out.String()))
}

type writer struct {
	out    strings.Builder
	line   strings.Builder // of the paragraph under way
	indent string          // before each line
	marker string          // before the first line of the next paragraph, instead of the indent
	tight  bool            // paragraphs follow without an empty line, as in lists
	apart  bool            // an empty line goes before the next block
	before string          // the indent of the block before
	depth  int             // of lists
}

// paragraph ends the paragraph under way.
func (w *writer) paragraph() {
	text := strings.TrimSpace(w.line.String())
	w.line.Reset()
	if text == "" {
		return
	}
	w.lines(text)
}

// lines writes lines as one block.
func (w *writer) lines(text string) {
	if w.apart { // the empty line belongs to what both blocks are in
		w.out.WriteString(strings.TrimRight(shorter(w.before, w.indent), " ") + "\n")
		w.apart = false
	}
	w.before = w.indent
	first := w.indent
	if w.marker != "" {
		first, w.marker = w.marker, ""
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			first = w.indent
		}
		if line = strings.TrimRightFunc(line, unicode.IsSpace); line == "" {
			first = strings.TrimRight(first, " ")
		}
		w.out.WriteString(first + line + "\n")
	}
	if !w.tight {
		w.gap()
	}
}

// gap leaves an empty line before the next block.
func (w *writer) gap() { w.apart = w.out.Len() > 0 }

func shorter(a, b string) string {
	if len(a) < len(b) {
		return a
	}
	return b
}

func (w *writer) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

func (w *writer) node(n *html.Node) {
	if n.Type == html.TextNode {
		w.text(n.Data)
		return
	}
	if n.Type != html.ElementNode && n.Type != html.DocumentNode {
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Noscript, atom.Template, atom.Svg, atom.Button, atom.Iframe, atom.Object, atom.Select, atom.Textarea, atom.Title:
	case atom.Br:
		w.line.WriteByte('\n')
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.paragraph()
		if title := flat(n); title != "" {
			w.gap()
			w.lines(strings.Repeat("#", int(n.Data[1]-'0')) + " " + title)
		}
	case atom.Ul, atom.Ol:
		w.list(n)
	case atom.Pre:
		w.code(n)
	case atom.Code:
		w.inlineCode(n)
	case atom.Table:
		w.table(n)
	case atom.Blockquote:
		w.nested(n, "> ", "> ", w.tight)
	case atom.Dt:
		w.block(n)
	case atom.Dd:
		w.nested(n, "  ", "", true)
	default:
		if block(n.DataAtom) {
			w.block(n)
			return
		}
		w.children(n)
	}
}

func (w *writer) block(n *html.Node) {
	w.paragraph()
	w.children(n)
	w.paragraph()
}

// text adds running text; white space is one space, and none begins a line.
func (w *writer) text(s string) {
	space := func() {
		if t := w.line.String(); t != "" && !strings.HasSuffix(t, " ") && !strings.HasSuffix(t, "\n") {
			w.line.WriteByte(' ')
		}
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		if s != "" {
			space()
		}
		return
	}
	if first := []rune(s[:min(len(s), 4)]); unicode.IsSpace(first[0]) {
		space()
	}
	w.line.WriteString(strings.Join(words, " "))
	if last := []rune(s[max(0, len(s)-4):]); unicode.IsSpace(last[len(last)-1]) {
		w.line.WriteByte(' ')
	}
}

// nested writes an element with its own indent; the marker stands before its
// first line.
func (w *writer) nested(n *html.Node, indent, marker string, tight bool) {
	w.paragraph()
	outerIndent, outerTight := w.indent, w.tight
	if marker != "" {
		w.marker = w.indent + marker
	}
	w.indent, w.tight = w.indent+indent, tight
	w.children(n)
	w.paragraph()
	w.indent, w.tight, w.marker = outerIndent, outerTight, ""
	if !w.tight {
		w.gap()
	}
}

func (w *writer) list(n *html.Node) {
	w.paragraph()
	number := 1
	if start, err := strconv.Atoi(attribute(n, "start")); err == nil {
		number = start
	}
	outer := w.tight
	w.tight = true
	w.depth++
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if c.DataAtom != atom.Li {
			w.node(c) // a list right within a list
			continue
		}
		marker := "- "
		if n.DataAtom == atom.Ol {
			if own := numberOf(c); own != "" {
				marker = own + ". "
			} else {
				marker = strconv.Itoa(number) + ". "
			}
			number++
		}
		w.nested(c, strings.Repeat(" ", len(marker)), marker, true)
	}
	w.depth--
	w.tight = outer
	if w.depth == 0 {
		w.gap()
	}
}

// code writes a block as it stands.
func (w *writer) code(n *html.Node) {
	w.paragraph()
	text := strings.Trim(verbatim(n), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	w.lines(fence + codeLanguage(n) + "\n" + text + "\n" + fence)
}

// inlineCode writes code within a line; code of many lines, which is what
// trafilatura makes of pre, is a block.
func (w *writer) inlineCode(n *html.Node) {
	text := verbatim(n)
	if strings.Contains(strings.Trim(text, "\n"), "\n") {
		w.code(n)
		return
	}
	if text = strings.TrimSpace(text); text != "" {
		if t := w.line.String(); t != "" && !strings.HasSuffix(t, " ") && !strings.HasSuffix(t, "\n") && !strings.HasSuffix(t, "(") {
			w.line.WriteByte(' ')
		}
		w.line.WriteString("`" + text + "`")
	}
}

// codeLanguage is what highlighters leave on an element: class="language-go".
func codeLanguage(n *html.Node) string {
	for d := range n.Descendants() {
		for class := range strings.FieldsSeq(attribute(d, "class")) {
			if name, ok := strings.CutPrefix(class, "language-"); ok && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789+#-") == "" {
				return name
			}
		}
	}
	return ""
}

func verbatim(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// flat is the text of an element on one line.
func flat(n *html.Node) string {
	inner := &writer{tight: true}
	inner.children(n)
	inner.paragraph()
	return strings.Join(strings.Fields(inner.out.String()), " ")
}

// table writes rows of cells, each in the column that it is marked with. Headings
// begin a table; one without them has an empty head, which Markdown wants.
func (w *writer) table(n *html.Node) {
	w.paragraph()
	var rows [][]string
	width, head := 0, false
	flush := func() {
		if len(rows) > 0 {
			w.gap()
			w.rows(rows, width, head)
		}
		rows, width, head = nil, 0, false
	}
	for _, r := range rowsOf(n) {
		var texts []string
		heading := false
		for _, c := range r.cells {
			column, of, ok := columnOf(contents(c))
			if !ok {
				column = len(texts)
			}
			heading = heading || of
			for len(texts) <= column {
				texts = append(texts, "")
			}
			texts[column] = strings.ReplaceAll(unmarked(cellLine(withoutColumn(flat(c)))), "|", `\|`)
		}
		if heading {
			flush()
			head = true
		}
		rows, width = append(rows, texts), max(width, len(texts))
	}
	flush()
}

func (w *writer) rows(rows [][]string, width int, head bool) {
	var b strings.Builder
	if !head {
		b.WriteString(strings.Repeat("| ", width) + "|\n" + strings.Repeat("| --- ", width) + "|\n")
	}
	for i, r := range rows {
		for column := range width {
			b.WriteString("| ")
			if column < len(r) && r[column] != "" {
				b.WriteString(r[column] + " ")
			}
		}
		b.WriteString("|\n")
		if i == 0 && head {
			b.WriteString(strings.Repeat("| --- ", width) + "|\n")
		}
	}
	w.lines(strings.TrimSpace(b.String()))
}
