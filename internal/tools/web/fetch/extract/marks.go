package extract

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The characters of a private area carry through an extractor what it would lose;
// the writer of Markdown takes them back.
const (
	itemStart, itemEnd = '\uE0F0', '\uE0F1' // about the number of an item
	firstSpace         = '\uE0F2'           // of spaceMarks

	textEnd              = '\uE0ED'           // in a cell: extractors leave out texts that end like "Share on Facebook"
	lineBreak, itemBreak = '\uE0EE', '\uE0EF' // in a cell: where a line or an item ended
	firstColumn          = '\uE100'           // + maxColumns: that a cell of the body stands in
	firstHeading         = firstColumn + maxColumns
	firstMark, lastMark  = textEnd, firstHeading + maxColumns
)

// columnMark is before the text of a cell.
func columnMark(column int, heading bool) string {
	if heading {
		return string(rune(firstHeading + column))
	}
	return string(rune(firstColumn + column))
}

// columnOf reads the mark of a cell; ok is false where it has none.
func columnOf(s string) (column int, heading, ok bool) {
	for _, r := range s {
		switch {
		case r >= firstHeading && r < lastMark:
			return int(r - firstHeading), true, true
		case r >= firstColumn && r < firstHeading:
			return int(r - firstColumn), false, true
		}
	}
	return 0, false, false
}

// withoutColumn takes the mark of a cell off its text.
func withoutColumn(s string) string {
	return strings.TrimLeftFunc(s, func(r rune) bool { return r >= firstColumn && r < lastMark })
}

// unmark takes what looks like a mark out of the page's own text.
func unmark(tree *html.Node) {
	for d := range tree.Descendants() {
		if d.Type == html.TextNode && strings.IndexFunc(d.Data, isMark) >= 0 {
			d.Data = strings.Map(func(r rune) rune {
				if isMark(r) {
					return -1
				}
				return r
			}, d.Data)
		}
	}
}

func isMark(r rune) bool { return r >= firstMark && r < lastMark }

// spaceMarks are the spaces that may stand within a number.
var spaceMarks = []rune{'\u00a0', '\u2007', '\u2008', '\u2009', '\u200a', '\u202f', '\u205f', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006'}

// keepSpaces marks special spaces between digits, and takes away characters that
// nobody sees.
func keepSpaces(tree *html.Node) {
	for d := range tree.Descendants() {
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script && d.Parent.DataAtom != atom.Style {
			d.Data = markedSpaces(d.Data)
		}
	}
}

func markedSpaces(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0xa0 }) < 0 {
		return s
	}
	runes := []rune(strings.NewReplacer("\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "").Replace(s))
	for i := 1; i+1 < len(runes); i++ {
		for k, space := range spaceMarks {
			if runes[i] == space && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]) {
				runes[i] = firstSpace + rune(k)
			}
		}
	}
	return string(runes)
}

// unmarked takes the marks of a text back.
func unmarked(s string) string {
	return strings.Map(func(r rune) rune {
		switch k := int(r - firstSpace); {
		case k >= 0 && k < len(spaceMarks):
			return spaceMarks[k]
		case r == lineBreak || r == itemBreak:
			return ' '
		case isMark(r):
			return -1
		}
		return r
	}, s)
}

// count writes the number of each item of an ordered list before its text.
func count(list *html.Node) {
	number, step := 1, 1
	var items []*html.Node
	for c := list.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Li {
			items = append(items, c)
		}
	}
	if given(list, "reversed") {
		number, step = len(items), -1
	}
	if start, err := strconv.Atoi(attribute(list, "start")); err == nil {
		number = start
	}
	for _, c := range items {
		if value, err := strconv.Atoi(attribute(c, "value")); err == nil {
			number = value
		}
		if first := firstText(c); first != nil {
			first.Data = string(itemStart) + strconv.Itoa(number) + string(itemEnd) + first.Data
		}
		number += step
	}
}

// firstText is the first text of an element that is not blank.
func firstText(n *html.Node) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.TextNode && strings.TrimSpace(d.Data) != "" {
			return d
		}
	}
	return nil
}

// numberOf takes the number that count has written off an item.
func numberOf(item *html.Node) (number string) {
	if first := firstText(item); first != nil {
		if _, rest, ok := strings.Cut(first.Data, string(itemStart)); ok {
			if number, rest, ok = strings.Cut(rest, string(itemEnd)); ok {
				first.Data = rest
			}
		}
	}
	return number
}
