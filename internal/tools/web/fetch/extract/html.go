package extract

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/markusmobius/go-htmldate"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/language"
)

// Bounds of what is read as a tree; a page beyond them is outlined. The parser
// itself gives a page up that is nested more than 512 deep.
const (
	maxBytes = 4 << 20
	maxTags  = 100_000 // opening and closing ones
	maxNodes = 120_000
	// Characters: a shorter text may not be the article yet, and is held against
	// the fallback's.
	doubtful = 400
	little   = 250 // less may be only what is there before scripts run
)

// readHTML finds the article of a page: trafilatura first, readability where its
// text is short, and all visible text where there is no article.
func readHTML(text []byte, address *url.URL) Document {
	if len(text) > maxBytes {
		return simplified(text, "it is too large")
	}
	if bytes.Count(text, []byte("<")) > maxTags {
		return simplified(text, "it has too many tags")
	}
	tree, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return simplified(text, "it is nested too deep")
	}
	seen := survey(tree)
	if seen.nodes > maxNodes {
		return simplified(text, "it has too many elements")
	}
	tidy(tree)
	d := article(tree, address)
	if n := utf8.RuneCountInString(d.Text); n < doubtful {
		if other := fallback(text, address); utf8.RuneCountInString(other.Text) > n+n/2 {
			other.inherit(d)
			d = other
		}
		if n := utf8.RuneCountInString(d.Text); n < little {
			if other := outlined(text); utf8.RuneCountInString(other.Text) > 2*n {
				other.inherit(d)
				d = other
			}
		}
	}
	d.Lang = languageOf(seen.lang, d.Lang, d.Text)
	d.Scripted = seen.scripts > 0 && utf8.RuneCountInString(d.Text) < little
	return d
}

// simplified outlines a page that is not read as a tree.
func simplified(text []byte, why string) Document {
	d := outlined(text)
	d.Warnings = append(d.Warnings, "The page is not read as an article, since "+why+": this is all of its visible text.")
	return d
}

// inherit takes what the better extractor has not found from another one; of
// dates the other one's is the better.
func (d *Document) inherit(from Document) {
	if d.Title == "" {
		d.Title = from.Title
	}
	if d.Byline == "" {
		d.Byline = from.Byline
	}
	if d.Lang == "" {
		d.Lang = from.Lang
	}
	if from.Published != "" {
		d.Published = from.Published
	}
}

// article is what trafilatura finds.
func article(tree *html.Node, address *url.URL) Document {
	dating := htmldate.Options{UseOriginalDate: true, SkipExtensiveSearch: true, ExtractTime: true}
	if address != nil {
		dating.URL = address.String()
	}
	date, err := htmldate.FromDocument(tree, dating)
	if err != nil {
		date = htmldate.Result{}
	}
	d := Document{Extractor: "trafilatura", Published: isoDate(date)}
	found, err := trafilatura.ExtractDocument(tree, trafilatura.Options{OriginalURL: address, ExcludeComments: true, HtmlDateOverride: &date})
	if err != nil || found == nil {
		return d
	}
	d.Title, d.Byline, d.Lang = clean(found.Metadata.Title), clean(found.Metadata.Author), found.Metadata.Language
	if found.ContentNode != nil {
		d.Text = markdown(found.ContentNode)
	}
	return d
}

// fallback is what readability finds.
func fallback(text []byte, address *url.URL) Document {
	d := Document{Extractor: "readability"}
	if address == nil {
		address = &url.URL{}
	}
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxNodes
	found, err := parser.Parse(bytes.NewReader(text), address)
	if err != nil || found.Node == nil {
		return d
	}
	d.Title, d.Byline, d.Lang = clean(found.Title()), clean(found.Byline()), found.Language()
	if t, err := found.PublishedTime(); err == nil && !t.IsZero() {
		d.Published = t.Format("2006-01-02")
	}
	tidy(found.Node)
	d.Text = markdown(found.Node)
	return d
}

// isoDate writes a date with as much of the time as is known.
func isoDate(r htmldate.Result) string {
	switch {
	case r.DateTime.IsZero():
		return ""
	case r.HasTime && r.HasTimezone:
		return r.DateTime.Format("2006-01-02T15:04:05Z07:00")
	case r.HasTime:
		return r.DateTime.Format("2006-01-02T15:04:05")
	}
	return r.DateTime.Format("2006-01-02")
}

// languageOf chooses between what the page declares and what its text looks
// like: a long text speaks for itself, and a declaration that agrees is finer.
func languageOf(declared, detected, text string) string {
	declared = strings.ReplaceAll(strings.TrimSpace(declared), "_", "-")
	tag, err := language.Parse(declared[:min(len(declared), 64)])
	if err != nil || tag == language.Und {
		declared = ""
	} else {
		declared = tag.String()
	}
	seen, err := language.Parse(detected)
	if err != nil || seen == language.Und {
		return declared
	}
	a, _ := tag.Base()
	b, _ := seen.Base()
	if declared == "" || a != b && utf8.RuneCountInString(text) >= 1000 {
		return seen.String()
	}
	return declared
}

// surveyed is what a look at a tree tells.
type surveyed struct {
	nodes, scripts int
	lang           string
}

func survey(tree *html.Node) surveyed {
	var s surveyed
	for n := range tree.Descendants() {
		if s.nodes++; n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Script:
			s.scripts++
		case atom.Html:
			s.lang = attribute(n, "lang")
		}
	}
	return s
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// tidy puts the text of bold, italic and other plain emphasis into the text
// around it: the extractors lose the spaces at such elements' ends. Short code
// becomes text in backquotes, which they leave alone. What stands for missing
// scripts goes.
func tidy(tree *html.Node) {
	var unwrap, drop []*html.Node
	for n := range tree.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Noscript: // what is shown where there are no scripts
			drop = append(drop, n)
		case atom.B, atom.Strong, atom.I, atom.Em, atom.U, atom.Mark:
			unwrap = append(unwrap, n)
		case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
			if t := n.FirstChild; t != nil && t == n.LastChild && t.Type == html.TextNode && !within(n, atom.Pre) && plainCode(t.Data) {
				t.Data = "`" + strings.TrimSpace(t.Data) + "`"
				unwrap = append(unwrap, n)
			}
		}
	}
	for _, n := range drop {
		n.Parent.RemoveChild(n)
	}
	for _, n := range unwrap {
		splice(n)
	}
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

// splice puts an element's children in its place, and joins text that meets.
func splice(n *html.Node) {
	parent := n.Parent
	if parent == nil {
		return
	}
	before, after := n.PrevSibling, n.NextSibling
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		parent.InsertBefore(c, n)
	}
	parent.RemoveChild(n)
	first := parent.FirstChild
	if before != nil {
		first = before
	}
	for c := first; c != nil && c != after; {
		next := c.NextSibling
		if next != nil && c.Type == html.TextNode && next.Type == html.TextNode {
			c.Data += next.Data
			parent.RemoveChild(next)
			if next == after {
				return
			}
			continue
		}
		c = next
	}
}

// clean makes a line of a title or a name.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), 4*maxLine)], "")), " ")
	if runes := []rune(s); len(runes) > maxLine {
		s = string(runes[:maxLine-1]) + "…"
	}
	return s
}

const maxLine = 500 // characters of a title or a name
