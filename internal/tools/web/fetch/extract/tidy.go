package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tidy makes a tree in which text says alone what it says on the screen, before
// extractors that know words only see it: they glue what emphasis, sub- and
// superscripts hold to the text beside it, and lose times, insertions, the numbers
// of lists and text that stands beside blocks.
//
//   - What is not shown goes: hidden and aria-hidden elements, what the page's own
//     styles hide by display, visibility, opacity and font size, and what stands for
//     missing scripts.
//   - Superscripts and subscripts are Unicode's where all of their characters have
//     one (10⁶, H₂O), else ^(…) and _(…). One that is a link within the page, or in
//     brackets, is the mark of a note: [1].
//   - Formulas are the TeX that they were written in, else their text on one line.
//   - Tables are laid out on their grids.
//   - Icons, media and form controls go, and the text behind them stays, which
//     extractors drop with them; a button that is a heading is its text.
//   - Struck text stands between ~~ and ~~, short code between backquotes.
//
// fault says why the page is better outlined; "" where it is not.
func tidy(tree *html.Node) (warnings []string, fault string) {
	unmark(tree)
	formulas(tree)
	if warnings, fault = conceal(tree); fault != "" {
		return nil, fault
	}
	singleForms(tree)
	each(tree, func(n *html.Node) {
		switch n.DataAtom {
		case atom.Sup, atom.Sub:
			raise(n)
		case atom.Figure:
			if has(n, atom.Table, atom.Pre) { // extractors take figures for pictures
				n.DataAtom, n.Data = atom.Div, "div"
			}
		case atom.Ol:
			count(n)
		case atom.Pre:
			wrapCode(n)
		}
	})
	each(tree, func(n *html.Node) {
		switch {
		case n.DataAtom == atom.Wbr:
			n.Parent.RemoveChild(n)
		case control(n.DataAtom):
			withoutControl(n)
		case n.DataAtom == atom.Q:
			n.InsertBefore(textNode("“"), n.FirstChild)
			n.AppendChild(textNode("”"))
			splice(n)
		case inline(n.DataAtom):
			splice(n)
		case struck(n.DataAtom):
			join(n)
			strike(n)
		case n.DataAtom == atom.Code || n.DataAtom == atom.Kbd || n.DataAtom == atom.Samp || n.DataAtom == atom.Tt:
			join(n)
			if t := n.FirstChild; t != nil && t == n.LastChild && t.Type == html.TextNode && !within(n, atom.Pre) && plainCode(t.Data) {
				t.Data = "`" + strings.TrimSpace(t.Data) + "`"
				splice(n)
			}
		}
	})
	layouts(tree)
	each(tree, oneLine)
	each(tree, join)
	each(tree, paragraphs)
	if !tables(tree) {
		return nil, "its tables are too large"
	}
	each(tree, join)
	keepSpaces(tree)
	return warnings, ""
}

// conceal takes away what is not shown.
func conceal(tree *html.Node) (warnings []string, fault string) {
	each(tree, func(n *html.Node) {
		switch {
		case !unseen(n):
		case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
			empty(n)
		default:
			n.Parent.RemoveChild(n)
		}
	})
	styles := stylesOf(tree)
	hidden := styles.unstyle(tree, false, false)
	if !styles.fits() {
		return nil, "it has too many styles"
	}
	if hidden > 1000 && hidden > textOf(tree) {
		warnings = append(warnings, "The page's own styles hide more than half of its text, which is left out.")
	}
	return warnings, ""
}

// singleForms keeps the first of forms with the same words: pages have a second one for
// small screens, which a style sheet of another address hides.
func singleForms(tree *html.Node) {
	seen := map[string]bool{}
	var again []*html.Node
	for d := range tree.Descendants() {
		if d.DataAtom != atom.Form {
			continue
		}
		text := strings.Join(strings.Fields(contents(d)), " ")
		if text != "" && seen[text] {
			again = append(again, d)
		}
		seen[text] = true
	}
	for _, form := range again {
		form.Parent.RemoveChild(form)
	}
}

// textOf is how many bytes of text a page has.
func textOf(tree *html.Node) (bytes int) {
	for d := range tree.Descendants() {
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script && d.Parent.DataAtom != atom.Style {
			bytes += len(strings.TrimSpace(d.Data))
		}
	}
	return bytes
}

// each visits elements from the innermost out; the visitor may take the element away.
func each(n *html.Node, visit func(*html.Node)) {
	var list []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			list = append(list, d)
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Parent != nil {
			visit(list[i])
		}
	}
}

func textNode(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func has(n *html.Node, atoms ...atom.Atom) bool {
	for d := range n.Descendants() {
		for _, a := range atoms {
			if d.DataAtom == a {
				return true
			}
		}
	}
	return false
}

// unseen says whether a browser shows nothing of an element, whatever its styles. A
// page behind a dialogue is aria-hidden as a whole, and meant to be read.
func unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Noscript, atom.Template, atom.Rt, atom.Rp:
		return true
	case atom.Html, atom.Body, atom.Head, atom.Script, atom.Meta, atom.Link:
		return false
	case atom.Dialog:
		return !given(n, "open")
	}
	return strings.EqualFold(attribute(n, "aria-hidden"), "true") && !has(n, atom.Main, atom.Article, atom.H1)
}

func given(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// inline elements mark text and say nothing themselves.
func inline(a atom.Atom) bool {
	switch a {
	case atom.B, atom.Strong, atom.I, atom.Em, atom.U, atom.Mark, atom.Small, atom.Big, atom.Font, atom.Abbr, atom.Acronym, atom.Cite,
		atom.Data, atom.Dfn, atom.Var, atom.Bdi, atom.Bdo, atom.Time, atom.Ins, atom.Output, atom.Label, atom.Nobr, atom.Ruby, atom.Meter:
		return true
	}
	return false
}

// control says whether an element is an icon, a medium or a form control.
func control(a atom.Atom) bool {
	switch a {
	case atom.Svg, atom.Canvas, atom.Picture, atom.Audio, atom.Video, atom.Iframe, atom.Object, atom.Embed, atom.Map,
		atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Datalist, atom.Progress, atom.Meter, atom.Output, atom.Label:
		return true
	}
	return false
}

// withoutControl leaves a space where a control was, and the words of those that are
// part of the text: a button within a heading, a label, an output.
func withoutControl(n *html.Node) {
	n.Parent.InsertBefore(textNode(" "), n)
	for _, heading := range []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Summary} {
		if n.DataAtom == atom.Button && within(n, heading) {
			splice(n)
			return
		}
	}
	if n.DataAtom == atom.Label || n.DataAtom == atom.Output {
		splice(n)
		return
	}
	n.Parent.RemoveChild(n)
}

func struck(a atom.Atom) bool { return a == atom.Del || a == atom.S || a == atom.Strike }

// strike marks the text of an element as struck, run by run.
func strike(n *html.Node) {
	for d := range n.Descendants() {
		if text := strings.TrimFunc(d.Data, unicode.IsSpace); d.Type == html.TextNode && text != "" && !strings.HasPrefix(text, "~~") {
			d.Data = strings.Replace(d.Data, text, "~~"+text+"~~", 1)
		}
	}
	splice(n)
}

var (
	superscripts = scripts("0123456789+-−=()ni ", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ ")
	subscripts   = scripts("0123456789+-−=()aeoxhklmnpst ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜ ")
)

func scripts(from, to string) map[rune]rune {
	m, other := map[rune]rune{}, []rune(to)
	for i, r := range []rune(from) {
		m[r] = other[i]
	}
	return m
}

// raise makes text of a superscript or subscript.
func raise(n *html.Node) {
	text := strings.Join(strings.Fields(contents(n)), " ")
	if n.Parent != nil && text != "" {
		n.Parent.InsertBefore(textNode(raised(text, n.DataAtom == atom.Sup, noted(n), before(n))), n)
	}
	n.Parent.RemoveChild(n)
}

func contents(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// before is the last character in front of an element, 0 where there is none in
// the same parent.
func before(n *html.Node) rune {
	if p := n.PrevSibling; p != nil && p.Type == html.TextNode {
		if r, size := utf8.DecodeLastRuneInString(p.Data); size > 0 {
			return r
		}
	}
	return 0
}

// noted says whether a superscript is a link within the page, as notes have.
func noted(n *html.Node) bool {
	for _, l := range append(links(n), n.Parent) {
		if l != nil && l.DataAtom == atom.A && strings.Contains(attribute(l, "href"), "#") {
			return true
		}
	}
	return false
}

func links(n *html.Node) (list []*html.Node) {
	for d := range n.Descendants() {
		if d.DataAtom == atom.A {
			list = append(list, d)
		}
	}
	return list
}

// raised is the text of a superscript or subscript behind a character.
func raised(text string, above, note bool, behind rune) string {
	switch {
	case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
		return text
	case note && above:
		return "[" + text + "]"
	case above && (text == "st" || text == "nd" || text == "rd" || text == "th") && unicode.IsDigit(behind), text == "®", text == "™", text == "©", text == "°", text == "*", text == "†", text == "‡":
		return text
	case above && strings.EqualFold(text, "tm"):
		return "™"
	}
	table, sign := subscripts, "_"
	if above {
		table, sign = superscripts, "^"
	}
	var b strings.Builder
	for _, r := range text {
		if table[r] == 0 {
			return sign + "(" + text + ")"
		}
		b.WriteRune(table[r])
	}
	return b.String()
}

// wrapCode puts the content of pre into code, whose lines extractors keep.
func wrapCode(n *html.Node) {
	if has(n, atom.Code) || n.FirstChild == nil {
		return
	}
	code := &html.Node{Type: html.ElementNode, DataAtom: atom.Code, Data: "code"}
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		code.AppendChild(c)
	}
	n.AppendChild(code)
}

// paragraphs puts text that stands beside blocks, or alone in a plain div, into
// paragraphs of its own.
func paragraphs(n *html.Node) {
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Article, atom.Main, atom.Body, atom.Center, atom.Blockquote:
	default:
		return
	}
	blocks := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		blocks = blocks || c.Type == html.ElementNode && c.DataAtom != atom.Br && block(c.DataAtom)
	}
	if !blocks {
		if n.DataAtom == atom.Div && len(n.Attr) == 0 && n.Parent.DataAtom != atom.Li && firstText(n) != nil && 2*linked(n) < len(contents(n)) {
			n.DataAtom, n.Data = atom.P, "p"
		}
		return
	}
	var run []*html.Node
	flush := func(next *html.Node) {
		text := false
		for _, r := range run {
			text = text || strings.TrimSpace(r.Data) != "" && r.Type == html.TextNode || firstText(r) != nil
		}
		if text {
			p := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
			n.InsertBefore(p, next)
			for _, r := range run {
				n.RemoveChild(r)
				p.AppendChild(r)
			}
		}
		run = nil
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.TextNode, c.Type == html.ElementNode && (c.DataAtom == atom.A || c.DataAtom == atom.Span || c.DataAtom == atom.Br || c.DataAtom == atom.Code) && !hasBlock(c):
			run = append(run, c)
		default:
			flush(c)
		}
		c = next
	}
	flush(nil)
}

// linked is how much of an element's text is of links.
func linked(n *html.Node) (bytes int) {
	for _, l := range links(n) {
		bytes += len(contents(l))
	}
	return bytes
}

func hasBlock(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && block(d.DataAtom) {
			return true
		}
	}
	return false
}

func plainCode(s string) bool {
	return strings.TrimSpace(s) != "" && !strings.ContainsAny(s, "`\n")
}

func within(n *html.Node, what atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == what {
			return true
		}
	}
	return false
}

// splice puts an element's children in its place.
func splice(n *html.Node) {
	parent := n.Parent
	if parent == nil {
		return
	}
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		parent.InsertBefore(c, n)
	}
	parent.RemoveChild(n)
}

// join makes one text of texts that stand side by side in an element.
func join(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.TextNode || c.NextSibling == nil || c.NextSibling.Type != html.TextNode {
			continue
		}
		var b strings.Builder
		b.WriteString(c.Data)
		for next := c.NextSibling; next != nil && next.Type == html.TextNode; next = c.NextSibling {
			b.WriteString(next.Data)
			n.RemoveChild(next)
		}
		c.Data = b.String()
	}
}
