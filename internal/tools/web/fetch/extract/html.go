package extract

import (
	"bytes"
	"net/url"
	"strings"
	"unicode"
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
	warnings, fault := tidy(tree)
	if fault != "" {
		return simplified(text, fault)
	}
	d := chosen(tree, address)
	d.Warnings = append(d.Warnings, warnings...)
	where := ""
	if address != nil {
		where = address.Path
	}
	settleDate(&d, string(text), where, seen.lang)
	d.Lang = languageOf(seen.lang, d.Lang, d.Text)
	d.Scripted = seen.scripts > 0 && utf8.RuneCountInString(d.Text) < little
	return d
}

// chosen is the text of the best extractor. One that has repeated, glued or moved
// words, as trafilatura does where it finds no article, is not believed as long as
// another has at least half as much, and not at all where it has made itself long by
// repeating: only the data of a page may state more than is visible.
func chosen(tree *html.Node, address *url.URL) Document {
	d := article(tree, address)
	n := utf8.RuneCountInString(d.Text)
	all := whole(tree)
	sound := follows(d.Text, all.Text)
	if sound && n >= doubtful {
		return d
	}
	if other := fallback(tree, address); follows(other.Text, all.Text) {
		if m := utf8.RuneCountInString(other.Text); sound && m > n+n/2 || !sound && m > n/2 {
			other.inherit(d)
			d, n, sound = other, m, true
		}
	}
	if m := utf8.RuneCountInString(all.Text); n < little && m > 2*n || !sound && m > 0 && (m > n/2 || !stated(tree) || twice(all.Text, d.Text)) {
		all.inherit(d)
		d = all
	}
	return d
}

// stated says whether a page holds its article as data for search engines, which
// trafilatura reads.
func stated(tree *html.Node) bool {
	for n := range tree.Descendants() {
		if n.DataAtom == atom.Script && strings.EqualFold(strings.TrimSpace(attribute(n, "type")), "application/ld+json") && strings.Contains(strings.ToLower(contents(n)), `"articlebody"`) {
			return true
		}
	}
	return false
}

// twice says whether a text holds another one twice, however it is divided.
func twice(part, text string) bool {
	part = strings.Join(strings.FieldsFunc(part, divides), "")
	return part != "" && strings.Count(strings.Join(strings.FieldsFunc(text, divides), ""), part) > 1
}

// whole is all visible text of a tree.
func whole(tree *html.Node) Document {
	d := Document{Extractor: "outline"}
	for n := range tree.Descendants() {
		switch n.DataAtom {
		case atom.Title:
			if d.Title == "" {
				d.Title = clean(contents(n))
			}
		case atom.Body:
			d.Text = markdown(copied(n))
		}
	}
	return d
}

// copied is a copy of an element, as writing Markdown takes marks away.
func copied(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Attr: n.Attr}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.AppendChild(copied(child))
	}
	return c
}

// follows says whether the words of a text stand in another one, in that order.
func follows(text, all string) bool {
	have, at := strings.FieldsFunc(all, divides), 0
	for _, word := range strings.FieldsFunc(text, divides) {
		for at < len(have) && have[at] != word {
			at++
		}
		if at == len(have) {
			return false
		}
		at++
	}
	return true
}

// divides says whether a character divides words: white space, and what Markdown is
// made of.
func divides(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("#>-|`", r) }

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
func fallback(tree *html.Node, address *url.URL) Document {
	d := Document{Extractor: "readability"}
	if address == nil {
		address = &url.URL{}
	}
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxNodes
	found, err := parser.ParseDocument(tree, address)
	if err != nil || found.Node == nil {
		return d
	}
	d.Title, d.Byline, d.Lang = clean(found.Title()), clean(found.Byline()), found.Language()
	if t, err := found.PublishedTime(); err == nil && !t.IsZero() {
		d.Published = t.Format("2006-01-02")
	}
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

// clean makes a line of a title or a name.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), 4*maxLine)], "")), " ")
	if runes := []rune(s); len(runes) > maxLine {
		s = string(runes[:maxLine-1]) + "…"
	}
	return s
}

const maxLine = 500 // characters of a title or a name
