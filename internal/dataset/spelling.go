package dataset

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"atelier/internal/stat"
)

// Levels are texts as they are given: 007 is not 7, and version 1.10 not 1.1. Beside
// the numbers of a column stand their texts where one number is written in several
// ways, or with leading zeros as codes are; and the texts of a column keep the
// spaces around them where these alone tell two of them apart. The first reading
// sees whether that may be, and a second keeps the texts, which costs time where it
// is needed only.

// maxSpellings is the most texts of a column that are levels rather than values.
const maxSpellings = 1000

// style is how the values of a column are written.
type style struct {
	there, varied bool // some numbers; written in more than one way, or as codes
	places        int  // of all numbers, where they are not varied
	many          bool // too many to be levels
	padded, bare  bool // texts with spaces around them, and without
	points
}

// join takes over the style of a further block.
func (s *style) join(b style) {
	s.varied = s.varied || b.varied || s.there && b.there && s.places != b.places
	if !s.there {
		s.there, s.places = b.there, b.places
	}
	s.many, s.padded, s.bare = s.many || b.many, s.padded || b.padded, s.bare || b.bare
	s.points.join(b.points)
}

// ambiguous says that texts may have to be kept.
func (s style) ambiguous() bool { return s.varied && !s.many || s.padded && s.bare }

// isCode says that a number is written with zeros before it.
func isCode(text []byte) bool {
	text = bytes.TrimLeft(text, "+-")
	return len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9'
}

// unusualNumber says that a number is written otherwise than as digits with a point
// between them.
func unusualNumber(text []byte) bool {
	return isCode(text) || text[0] == '+' || text[0] == '.' || len(text) > 1 && text[0] == '-' && text[1] == '.' || bytes.ContainsAny(text, "eE")
}

// exactWhole is the size below which float64 tells whole numbers apart.
const exactWhole = 1 << 53

// style is that of the block's numbers.
func (c *numbers) style() style {
	s := style{there: len(c.mantissa) > c.missing || c.double != nil, places: c.common, points: c.points(),
		varied: c.unusualText || c.places != nil || c.double != nil}
	if !s.varied && len(c.mantissa) > 0 {
		s.varied = max(slices.Max(c.mantissa), -slices.Min(c.mantissa)) >= exactWhole
	}
	s.many = s.varied && c.distinct() > maxSpellings
	return s
}

// distinct counts the different values, up to one more than maxSpellings.
func (c *numbers) distinct() int {
	if c.double != nil {
		seen := map[stat.DD]bool{}
		for i := 0; i < len(c.double) && len(seen) <= maxSpellings; i++ {
			seen[c.double[i]] = true
		}
		return len(seen)
	}
	type written struct {
		mantissa int64
		places   int8
	}
	seen := map[written]bool{}
	for i := 0; i < len(c.mantissa) && len(seen) <= maxSpellings; i++ {
		w := written{mantissa: c.mantissa[i]}
		if c.places != nil {
			w.places = c.places[i]
		}
		seen[w] = true
	}
	return len(seen)
}

// readAgain says, after the first reading, whether texts have to be kept.
func (w *writer) readAgain() bool {
	if w.spelled != nil {
		return false
	}
	w.spelled = make([]bool, len(w.kinds))
	for i := range w.kinds {
		w.spelled[i] = i < len(w.styles) && w.styles[i].ambiguous()
	}
	return slices.Contains(w.spelled, true)
}

// spell collects the texts of a block's columns that keep them.
func (w *writer) spell(b *builder) {
	for i, words := range b.spellings {
		if w.spellings[i] == nil {
			if w.spellings == nil {
				w.spellings = map[int]map[string]bool{}
			}
			w.spellings[i] = map[string]bool{}
		}
		for k := 0; k < len(words) && len(w.spellings[i]) <= maxSpellings; k++ {
			w.spellings[i][words[k]] = true
		}
	}
}

// settle decides which columns have levels that only their texts tell apart.
func (w *writer) settle() {
	if w.foot.Separator == ";" {
		w.foot.Grouped = grouped(w.styles, w.kinds)
	}
	for _, i := range slices.Sorted(maps.Keys(w.spellings)) {
		apart := len(w.spellings[i]) <= maxSpellings && w.toldByText(i)
		switch {
		case w.kinds[i] == String && !apart:
			w.foot.Trimmed = append(w.foot.Trimmed, i)
		case w.kinds[i] != String && apart:
			w.foot.Spelled = append(w.foot.Spelled, i)
		}
	}
}

func (w *writer) toldByText(column int) bool {
	if w.kinds[column] == String {
		trimmed := map[string]bool{}
		for text := range w.spellings[column] {
			trimmed[strings.Trim(text, " ")] = true
		}
		return len(trimmed) < len(w.spellings[column])
	}
	values := map[float64]bool{}
	for text := range w.spellings[column] {
		v, err := stat.Parse(text)
		if err != nil || isCode([]byte(text)) {
			return true
		}
		values[v.Hi] = true
	}
	return len(values) < len(w.spellings[column])
}

// Spelled says that the levels of a column are texts: those it holds, or those that
// its numbers were written as.
func (c *Capture) Spelled(column int) bool {
	return c.Columns[column].Type == String || slices.Contains(c.spelled, column)
}
