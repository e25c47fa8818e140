package extract

import (
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the style sheets within a page.
const (
	maxStyleRules = 20_000
	maxMatches    = 5_000_000
)

// property is one of those that can hide or strike text.
type property uint8

const (
	display property = iota
	visibility
	opacity
	fontSize
	decoration // which "hides" where it is a line through the text
	properties
)

// effect is what a declaration does to text.
type effect uint8

const (
	unset effect = iota // nothing, or what the parent has
	shows
	hides
)

type declaration struct {
	property
	effect
	important bool
}

// styleRule is a selector with what it declares.
type styleRule struct {
	selector     cascadia.Sel
	order        int
	layered      bool // in an @layer, which what is in none overrides
	declarations []declaration
}

// styles are the rules of a page's own style sheets that can hide text, by the id,
// class or tag that an element must have.
type styles struct {
	byKey   map[string][]*styleRule
	rules   int
	matches int
}

// fits says whether the sheets stay within bounds.
func (s *styles) fits() bool { return s.rules <= maxStyleRules && s.matches <= maxMatches }

// stylesOf reads the style elements of a page.
func stylesOf(tree *html.Node) *styles {
	s := &styles{}
	for d := range tree.Descendants() {
		if d.DataAtom == atom.Style {
			s.add(contents(d), d)
		}
	}
	return s
}

// add reads the text of a style element.
func (s *styles) add(text string, element *html.Node) {
	if kind := strings.TrimSpace(attribute(element, "type")); kind != "" && !strings.EqualFold(kind, "text/css") {
		return
	}
	shown := onScreen(attribute(element, "media"))
	if shown == never {
		return
	}
	(&sheet{styles: s, media: []condition{shown}}).read(text)
}

// sheet is a style sheet being read.
type sheet struct {
	*styles
	media     []condition // about the rule at hand
	layers    []bool
	selectors []string // of the rules about the declarations at hand
	found     []declaration
}

func (s *sheet) read(text string) {
	p := css.NewParser(parse.NewInputString(text), false)
	for faults := 0; s.fits() && faults < 1000; {
		kind, _, data := p.Next()
		switch kind {
		case css.ErrorGrammar:
			if errors.Is(p.Err(), io.EOF) {
				return
			}
			faults++
		case css.BeginAtRuleGrammar:
			s.media = append(s.media, max(s.media[len(s.media)-1], s.condition(string(data), p.Values())))
			s.layers = append(s.layers, string(data) == "@layer")
		case css.EndAtRuleGrammar:
			if n := len(s.layers); n > 0 {
				s.media, s.layers = s.media[:n], s.layers[:n-1]
			}
		case css.BeginRulesetGrammar:
			s.rule() // what was declared before a rule within
			s.selectors = append(s.selectors, s.within(written(p.Values())))
		case css.DeclarationGrammar:
			if d, ok := declared(string(data), p.Values()); ok {
				s.found = append(s.found, d)
			}
		case css.EndRulesetGrammar:
			s.rule()
			if n := len(s.selectors); n > 0 {
				s.selectors = s.selectors[:n-1]
			}
		}
	}
}

// within is a selector as it stands, or for a rule within a rule with the outer one's.
func (s *sheet) within(selector string) string {
	if len(s.selectors) == 0 {
		return selector
	}
	outer := s.selectors[len(s.selectors)-1]
	if len(outer)+len(selector) > 4096 || strings.Contains(outer, ",") {
		return "" // nobody's
	}
	if strings.Contains(selector, "&") {
		return strings.ReplaceAll(selector, "&", outer)
	}
	return outer + " " + selector
}

// condition says when what is in an at-rule holds.
func (s *sheet) condition(name string, values []css.Token) condition {
	switch name {
	case "@media":
		return onScreen(written(values))
	case "@layer":
		return always
	case "@supports":
		return sometimes
	}
	return never
}

// rule enters the rule that ends. What may hold or not can show text, never hide it.
func (s *sheet) rule() {
	found := s.found
	s.found = nil
	if when := s.media[len(s.media)-1]; when == never || len(found) == 0 || len(s.selectors) == 0 {
		return
	} else if when == sometimes {
		for i := range found {
			if found[i].effect == hides {
				found[i].effect = unset
			}
		}
	}
	layered := false
	for _, l := range s.layers {
		layered = layered || l
	}
	for _, text := range apartAt(s.selectors[len(s.selectors)-1], ',') {
		selector, err := cascadia.Parse(text)
		if err != nil { // a state or pseudo-element: not what is shown at first
			continue
		}
		if s.byKey == nil {
			s.byKey = map[string][]*styleRule{}
		}
		key := keyOf(text)
		s.rules++
		s.byKey[key] = append(s.byKey[key], &styleRule{selector, s.rules, layered, found})
	}
}

func written(tokens []css.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.Write(t.Data)
	}
	return strings.TrimSpace(b.String())
}

// apartAt divides a text at a character outside of brackets and quotes.
func apartAt(s string, at byte) (parts []string) {
	depth, from := 0, 0
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == at && depth == 0:
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	return append(parts, s[from:])
}

// keyOf is the id, class or tag that a selector's last element must have, which
// saves trying every rule on every element; "" where none is plain.
func keyOf(selector string) string {
	l := css.NewLexer(parse.NewInputString(selector))
	key, depth, dot := "", 0, false
	for {
		kind, data := l.Next()
		switch {
		case kind == css.ErrorToken:
			return key
		case kind == css.FunctionToken || kind == css.LeftBracketToken || kind == css.LeftParenthesisToken:
			depth++
		case kind == css.RightParenthesisToken || kind == css.RightBracketToken:
			depth--
		case depth > 0:
		case kind == css.WhitespaceToken || kind == css.DelimToken && strings.Contains(">+~", string(data)):
			key = ""
		case kind == css.ColonToken:
			l.Next() // a state's name
		case strings.Contains(string(data), `\`): // written with an escape
		case kind == css.HashToken:
			key = string(data)
		case kind == css.IdentToken && dot:
			key = "." + string(data)
		case kind == css.IdentToken && key == "":
			key = strings.ToLower(string(data))
		}
		dot = kind == css.DelimToken && string(data) == "."
	}
}

// declared is what a declaration does to text; ok is false where a browser knows
// no such value, or it has nothing to do with hiding.
func declared(name string, values []css.Token) (d declaration, ok bool) {
	value := strings.ToLower(written(values))
	value, d.important = strings.CutSuffix(value, "important")
	value = strings.TrimSpace(strings.TrimRight(value, "! "))
	switch name {
	case "display":
		d.property, d.effect = display, shows
		if value == "none" {
			d.effect = hides
		}
		return d, value == "none" || displays[value] || strings.HasPrefix(value, "var(") || strings.HasPrefix(value, "-webkit-") || len(strings.Fields(value)) == 2
	case "visibility":
		d.property = visibility
		d.effect, ok = map[string]effect{"hidden": hides, "collapse": hides, "visible": shows, "initial": shows, "inherit": unset, "unset": unset}[value]
		return d, ok
	case "text-decoration", "text-decoration-line":
		d.property, d.effect = decoration, shows
		if strings.Contains(" "+value+" ", " line-through ") {
			d.effect = hides
		}
		return d, true
	case "opacity":
		d.property = opacity
	case "font-size":
		d.property = fontSize
	case "font":
		d.property = fontSize
		for size := range strings.FieldsSeq(strings.ReplaceAll(value, "/", " / ")) {
			if n, is := amountOf(size); is && n == 0 {
				value = size
			} else if size == "/" {
				break
			}
		}
	default:
		return d, false
	}
	d.effect = shows
	n, number := amountOf(value)
	switch {
	case number && n == 0:
		d.effect = hides
	case strings.HasSuffix(value, "em") && !strings.HasSuffix(value, "rem"), strings.HasSuffix(value, "%"), value == "inherit", value == "smaller", value == "larger":
		d.effect = unset // of the parent's
	}
	return d, number || name != "opacity"
}

var displays = func() map[string]bool {
	known := map[string]bool{}
	for v := range strings.FieldsSeq(`block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell table-caption table-column
		table-column-group table-row-group table-header-group table-footer-group list-item contents flow-root run-in ruby initial unset revert revert-layer inherit`) {
		known[v] = true
	}
	return known
}()

func amountOf(value string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%"), 64)
	return n, err == nil
}

// weight orders declarations by which one wins.
type weight struct {
	important, own, layered bool
	specificity             cascadia.Specificity
	order                   int
}

func (w weight) beats(o weight) bool {
	number := map[bool]int{true: 1}
	if c := cmp.Or(cmp.Compare(number[w.important], number[o.important]), cmp.Compare(number[w.own], number[o.own]), cmp.Compare(number[o.layered], number[w.layered])); c != 0 {
		return c > 0
	}
	if w.specificity != o.specificity {
		return o.specificity.Less(w.specificity)
	}
	return w.order >= o.order
}

// look is what an element's styles do to its text.
type look [properties]effect

// of finds it: the browser's own style for hidden, the page's sheets, the
// element's style.
func (s *styles) of(n *html.Node) (l look) {
	if given(n, "hidden") && !strings.EqualFold(attribute(n, "hidden"), "until-found") {
		l[display] = hides
	}
	var won [properties]weight
	take := func(w weight, list []declaration) {
		for _, d := range list {
			w.important = d.important
			if w.beats(won[d.property]) {
				won[d.property], l[d.property] = w, d.effect
			}
		}
	}
	if len(s.byKey) > 0 {
		try := func(key string) {
			for _, r := range s.byKey[key] {
				if s.matches++; s.matches <= maxMatches && r.selector.Match(n) {
					take(weight{specificity: r.selector.Specificity(), order: r.order, layered: r.layered}, r.declarations)
				}
			}
		}
		try("")
		try(n.Data)
		if id := attribute(n, "id"); id != "" {
			try("#" + id)
		}
		tried := map[string]bool{}
		for class := range strings.FieldsSeq(attribute(n, "class")) {
			if !tried[class] {
				tried[class] = true
				try("." + class)
			}
		}
	}
	if style := attribute(n, "style"); style != "" {
		p := css.NewParser(parse.NewInputString(style), true)
		for faults := 0; faults < 100; {
			kind, _, data := p.Next()
			if kind == css.DeclarationGrammar {
				if d, ok := declared(string(data), p.Values()); ok {
					take(weight{own: true}, []declaration{d})
				}
			} else if kind == css.ErrorGrammar {
				if errors.Is(p.Err(), io.EOF) {
					break
				}
				faults++
			}
		}
	}
	return l
}

// gone says that nothing of an element is shown.
func (l look) gone() bool { return l[display] == hides || l[opacity] == hides }

// unstyle takes away what styles hide, and says how many bytes of text that was.
// Visibility and the size of letters pass to what is within, which may show itself;
// a cell that is only not seen keeps its place.
func (s *styles) unstyle(n *html.Node, unseen, tiny bool) (bytes int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.TextNode:
			if unseen || tiny {
				bytes += len(strings.TrimSpace(c.Data))
				c.Data = strings.Repeat(" ", min(len(c.Data), 1))
			}
		case c.Type == html.ElementNode && !unstyled(c):
			l := s.of(c)
			switch {
			case l.gone():
				bytes += len(contents(c))
				if cell := c.DataAtom == atom.Td || c.DataAtom == atom.Th; cell && l[display] != hides {
					empty(c)
				} else {
					n.RemoveChild(c)
				}
			default:
				if l[decoration] == hides {
					lineThrough(c)
				}
				taken := s.unstyle(c, passed(l[visibility], unseen), passed(l[fontSize], tiny))
				bytes += taken
				if taken > 0 && firstText(c) == nil && c.DataAtom != atom.Td && c.DataAtom != atom.Th && c.DataAtom != atom.Tr {
					n.RemoveChild(c)
				}
			}
		case c.Type == html.ElementNode && (c.DataAtom == atom.Html || c.DataAtom == atom.Body):
			bytes += s.unstyle(c, false, false)
		}
		c = next
	}
	return bytes
}

// lineThrough puts the text of an element that a style strikes into elements that strike
// it: all that is within, whatever their own style says. A line through what stands alone
// is one; an element with blocks within has one for each text.
func lineThrough(n *html.Node) {
	wrap := func(parent, first *html.Node, count int) {
		s := &html.Node{Type: html.ElementNode, DataAtom: atom.S, Data: "s"}
		parent.InsertBefore(s, first)
		for ; count > 0; count-- {
			c := s.NextSibling
			parent.RemoveChild(c)
			s.AppendChild(c)
		}
	}
	if !hasBlock(n) && n.DataAtom != atom.Tr && n.FirstChild != nil {
		count := 0
		for range n.ChildNodes() {
			count++
		}
		wrap(n, n.FirstChild, count)
		return
	}
	var texts []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.TextNode && strings.TrimSpace(d.Data) != "" && d.Parent.DataAtom != atom.Style && d.Parent.DataAtom != atom.Script {
			texts = append(texts, d)
		}
	}
	for _, t := range texts {
		wrap(t.Parent, t, 1)
	}
}

func passed(own effect, parents bool) bool { return own == hides || own == unset && parents }

func empty(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
	}
}

// unstyled elements are not asked for their styles: the page as a whole, which
// scripts show, and what holds no text of it.
func unstyled(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Head, atom.Script, atom.Style, atom.Meta, atom.Link, atom.Title:
		return true
	}
	return false
}
