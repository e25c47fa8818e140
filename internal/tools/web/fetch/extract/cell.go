package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// oneLine takes the blocks out of a cell of a table, whose text is one line in
// Markdown; extractors lose short ones.
func oneLine(n *html.Node) {
	if n.DataAtom != atom.Td && n.DataAtom != atom.Th && n.DataAtom != atom.Caption {
		return
	}
	each(n, func(d *html.Node) {
		if !block(d.DataAtom) {
			return
		}
		if d.DataAtom == atom.Pre {
			unfold(d)
		}
		mark := string(lineBreak)
		if d.DataAtom == atom.Li {
			mark = string(itemBreak)
			if number := numberOf(d); number != "" {
				d.InsertBefore(textNode(number+". "), d.FirstChild)
			}
		}
		d.Parent.InsertBefore(textNode(mark), d)
		if d.DataAtom != atom.Br {
			d.AppendChild(textNode(mark))
		}
		splice(d)
	})
}

// unfold marks the ends of lines of a pre, which are ends of lines in a cell too.
func unfold(pre *html.Node) {
	for t := range pre.Descendants() {
		if t.Type == html.TextNode {
			t.Data = strings.ReplaceAll(t.Data, "\n", string(lineBreak))
		}
	}
	each(pre, func(c *html.Node) {
		if c.DataAtom == atom.Code {
			splice(c)
		}
	})
}

// cellLine is the text of a cell on one line. Where a line ended between two
// numbers, a space would make one of them.
func cellLine(s string) string {
	s = strings.ReplaceAll(s, string(textEnd), "")
	if strings.ContainsRune(s, lineBreak) || strings.ContainsRune(s, itemBreak) {
		s = brokenLine(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

func brokenLine(s string) string {
	var b strings.Builder
	sep := ""
	pieces := strings.FieldsFunc(s, func(r rune) bool { return r == lineBreak || r == itemBreak })
	at := 0
	for _, piece := range pieces {
		begin := at + strings.Index(s[at:], piece)
		if strings.ContainsRune(s[at:begin], itemBreak) {
			sep = "; "
		}
		at = begin + len(piece)
		text := strings.TrimSpace(piece)
		if text == "" {
			continue
		}
		if done := b.String(); done != "" {
			if sep == "" && digit(done[len(done)-1]) && digit(text[0]) {
				sep = "; "
			}
			if sep == "" || strings.HasSuffix(done, ";") {
				sep = " "
			}
			b.WriteString(sep)
		}
		sep = ""
		b.WriteString(text)
	}
	return b.String()
}
