package plan

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scan reads what is left from the beginning: numbers, phrases, separators.
func (l *lexer) scan() {
	for i := 0; i < len(l.text); {
		r, size := utf8.DecodeRuneInString(l.text[i:])
		switch {
		case l.taken[i]:
			i++
		case l.separator(i, r):
			i += size
		case l.startsNumber(i):
			it, ok := l.number(i)
			if !ok || !l.free(i, it.end) {
				i += size
				continue
			}
			l.add(it)
			i = it.end
		case l.boundary(i):
			i = l.phrase(i, size)
		default:
			i += size
		}
	}
}

// separator records ends of sentences; a point within a number is none.
func (l *lexer) separator(i int, r rune) bool {
	end := i+1 >= len(l.text) || l.text[i+1] == ' ' || l.text[i+1] == '\n' || l.text[i+1] == '\t'
	if r == '.' && end || strings.ContainsRune(";?!\n", r) {
		l.add(item{class: classStrong, value: string(r), start: i, end: i + 1})
		return true
	}
	return false
}

func (l *lexer) boundary(i int) bool {
	if i == 0 || l.text[i] == ',' || l.text[i] == '&' {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(l.text[:i])
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
}

func (l *lexer) startsNumber(i int) bool {
	if !l.boundary(i) {
		return false
	}
	c, rest := l.text[i], l.text[i+1:]
	digit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	switch {
	case c >= '0' && c <= '9':
		return i == 0 || l.text[i-1] != '.' || i < 2 || !digit(l.text[i-2:])
	case c == '.', c == '+', c == '-':
		return digit(strings.TrimPrefix(rest, "."))
	case strings.HasPrefix(l.text[i:], "−"):
		return digit(l.text[i+len("−"):])
	}
	m := spoken.FindStringSubmatch(l.text[i:])
	if m == nil {
		return false
	}
	it, ok := l.number(i)
	return ok && l.free(i, it.end)
}

// phrase reads the first row of the vocabulary that fits at i.
func (l *lexer) phrase(i, size int) int {
	for v := range vocabulary {
		p := &vocabulary[v]
		if !p.first[l.text[i]] {
			continue
		}
		m := p.exp.FindString(l.text[i:])
		if m == "" || !l.free(i, i+len(m)) {
			continue
		}
		end := i + len(m)
		if r, _ := utf8.DecodeRuneInString(l.text[end:]); unicode.IsLetter(r) && endsInLetter(m) {
			continue // within a longer word
		}
		if p.class == classDirection && len(m) == 1 && !l.behindNumber(i) || p.value == "out" && strings.HasPrefix(l.text[end:], " of") {
			continue
		}
		it := item{class: p.class, value: p.value, start: i, end: end}
		if p.class == classPlace {
			if strings.Contains(m, "left ") && leftVerb(m) {
				return end
			}
			it.place = placeOf(p.value)
			it.place.Text = m
			sizeOrCount(&it.place, m)
		}
		if p.class == classDirection && strings.HasPrefix(m, "to") && placeNoun.MatchString(l.text[end:]) {
			continue // "to the right face" is a place
		}
		if p.class == classDirection && p.value == "up" && strings.HasPrefix(l.text[end:], " to") {
			return end // up to 5 ms
		}
		l.add(it)
		return end
	}
	return i + size
}

// behindNumber says whether a quantity ends one space before i.
func (l *lexer) behindNumber(i int) bool {
	for _, it := range l.items {
		if it.class == classQuantity && it.end == i-1 {
			return true
		}
	}
	return false
}

var placeNoun = regexp.MustCompile(`^[- ]?(?:hand |most )?(?:faces?|sides?|surfaces?|ends?|walls?|holes?|boundary|edge|plane)\b`)

func endsInLetter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

func leftVerb(m string) bool {
	for _, w := range []string{"free", "open", "alone", "as", "out", "unloaded", "over", "insulated"} {
		if strings.HasPrefix(m, "left "+w) {
			return true
		}
	}
	return false
}

var countOfHoles = regexp.MustCompile(`\b(\d{1,3}|two|three|four|five|six|eight)\b`)

// sizeOrCount takes in what is said of holes: the smaller one, the four of them.
func sizeOrCount(p *Place, text string) {
	if !strings.HasPrefix(p.Kind, "hole") {
		return
	}
	switch {
	case strings.Contains(text, "small"):
		p.Many = "small"
	case strings.Contains(text, "larg"), strings.Contains(text, "big"):
		p.Many = "large"
	}
	if m := countOfHoles.FindString(text); m != "" {
		if word, known := numberWords[m]; known {
			m = word
		}
		p.Count, _ = strconv.Atoi(m) // matched digits
	}
}

func placeOf(value string) Place {
	switch value {
	case "left", "right", "top", "bottom", "front", "back":
		return Place{Kind: "plane", Name: planes[value]}
	case "end_one":
		return Place{Kind: "end", Name: "longest_min"}
	case "end_other", "end":
		return Place{Kind: "end", Name: "longest_max"}
	case "ends", "sides":
		return Place{Kind: value}
	case "bolt_holes":
		return Place{Kind: "holes", Many: "bolt"}
	case "side_other":
		return Place{Kind: "opposite"}
	}
	return Place{Kind: value}
}

var planes = map[string]string{"left": "x_min", "right": "x_max", "front": "y_min", "back": "y_max", "bottom": "z_min", "top": "z_max"}
