package materials

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"atelier/internal/material"
)

// Mention is a place in a text that names a material.
type Mention struct {
	Material   Material
	Start, End int
}

// spelling is a name without its spaces and hyphens.
type spelling struct {
	letters string
	gaps    uint64 // before which letters it has a space or a hyphen
}

// entry is a name that is looked for in prose.
type entry struct {
	gaps uint64 // where a space or hyphen may stand
	bare bool   // counts without a word before it that says what it is
	of   Material
}

// names are made when a text is first read: most programs read none.
var names = sync.OnceValue(makeNames)

func makeNames() map[string]*entry {
	out := map[string]*entry{}
	add := func(name string, e entry) {
		for _, n := range []string{name, strings.ReplaceAll(name, "aluminium", "aluminum"), strings.ReplaceAll(name, "grey", "gray")} {
			s := spell(n)
			spelled := e
			spelled.gaps = s.gaps
			if have := out[s.letters]; have != nil {
				spelled.gaps |= have.gaps
			}
			out[s.letters] = &spelled
		}
	}
	rows := map[string]*material.Material{}
	for i := range material.All {
		row := &material.All[i]
		rows[row.Name] = row
		of := taken(row, "", "")
		for _, n := range append([]string{row.Name}, row.Aliases...) {
			if !slices.Contains(others, n) && len(n) > 2 && !partName.MatchString(n) {
				add(n, entry{bare: !number.MatchString(n), of: of})
			}
		}
	}
	for _, w := range prose {
		of := taken(rows[w.row], w.family, w.note)
		for _, n := range w.said {
			add(n, entry{bare: true, of: of})
		}
	}
	return out
}

var (
	partName = regexp.MustCompile(`^[CLR]\d{1,3}$`) // of a circuit
	number   = regexp.MustCompile(`^[\d./]+$`)
	// asMaterial stands before a number that is the name of a material.
	asMaterial = regexp.MustCompile(`(?i)(?:steel|stainless|iron|alumini?um|titanium|copper|brass|bronze|alloy|material|grade|aisi|sae|din|no\.?)[\s:=-]*$`)
	// behindPoint and decimal stand around a piece of another number.
	behindPoint = regexp.MustCompile(`\d[.,]$`)
	decimal     = regexp.MustCompile(`^[.,]\d`)
)

func spell(name string) spelling {
	var s spelling
	letters := make([]byte, 0, len(name))
	for i := range len(name) {
		letters = s.next(letters, name[i])
	}
	s.letters = string(letters)
	return s
}

// next takes a byte of a name in.
func (s *spelling) next(letters []byte, b byte) []byte {
	switch {
	case b == ' ' || b == '-' || b >= '\t' && b <= '\r':
		s.gaps |= 1 << len(letters)
		return letters
	case b >= 'A' && b <= 'Z':
		b += 'a' - 'A'
	}
	return append(letters, b)
}

// Find returns the material that these words name; the case does not matter, and spaces
// and hyphens may be left out.
func Find(name string) (Material, bool) {
	s := spell(name)
	if e := names()[s.letters]; e != nil && s.gaps&^e.gaps == 0 {
		return e.of, true
	}
	return Material{}, false
}

// longest is beyond every name, in letters.
const longest = 60

// Mentions finds the materials that a text names, the longest name at each
// place, in order: "stainless steel 304" is one mention, not two.
func Mentions(text string) []Mention {
	var out []Mention
	within := false // a word
	for at, after := 0, 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		starts := inWord(r) && !within && at >= after
		within = inWord(r)
		if starts {
			if of, end := mentionAt(text, at); end > 0 {
				out = append(out, Mention{of, at, end})
				after = end
			}
		}
		at += n
	}
	return out
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// mentionAt is the longest name that begins at a place and ends with a word.
func mentionAt(text string, start int) (of Material, end int) {
	var s spelling
	letters := make([]byte, 0, longest)
	for i := start; i < len(text) && len(letters) < longest; i++ {
		letters = s.next(letters, text[i])
		last, _ := utf8.DecodeLastRuneInString(text[:i+1])
		if following, n := utf8.DecodeRuneInString(text[i+1:]); !inWord(last) || n > 0 && inWord(following) {
			continue
		}
		e := names()[string(letters)]
		if e == nil || s.gaps&^e.gaps != 0 {
			continue
		}
		if !number.MatchString(text[start:i+1]) || counts(text, start, i+1, e.bare) {
			of, end = e.of, i+1
		}
	}
	return of, end
}

// counts says whether a number is the name of a material, and no piece of another.
func counts(text string, start, end int, bare bool) bool {
	return (bare || asMaterial.MatchString(text[max(0, start-20):start])) && !behindPoint.MatchString(text[max(0, start-2):start]) && !decimal.MatchString(text[end:])
}
