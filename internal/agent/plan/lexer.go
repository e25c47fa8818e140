package plan

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/agent/materials"
	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// item is a piece of the prompt with a meaning.
type item struct {
	class      class
	value      string
	start, end int
	place      Place
	numbers    []*big.Rat // of a quantity one, of a vector its components
	units      []quantity.Unit
	material   materials.Material
	err        error // a number that cannot be read
	used       bool
	described  bool // taken for what describes the part, so that no step uses it
}

func (it item) bare() bool { return len(it.units) == 0 }

// si is the value as a kind; ok says whether the unit fits it.
func (it item) si(k quantity.Kind) (float64, bool) {
	u, ok := quantity.Fitting(it.units, k)
	if !ok || len(it.numbers) == 0 {
		return 0, false
	}
	return k.SIOf(it.numbers[0], u), true
}

func (it item) vector(k quantity.Kind) ([]float64, bool) {
	u, ok := quantity.Fitting(it.units, k)
	if !ok {
		return nil, false
	}
	out := make([]float64, len(it.numbers))
	for i, n := range it.numbers {
		out[i] = k.SIOf(n, u)
	}
	return out, true
}

// lexer cuts a prompt into items, the surest first.
type lexer struct {
	cased string // the prompt with typing errors mended
	text  string // the same with ASCII letters in lower case
	taken []bool
	used  []bool // bytes that the plan uses
	items []item
	faces []string
	file  string
	code  string // a fenced block
	fixes []string
}

var (
	fence       = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")
	fileRef     = regexp.MustCompile(`(?i)(?:^|[\s("'])((?:file:|session:|https?://|/v1/jobs/)[^\s"',;)]+|[\w./~-]*\w\.(?:step|stp|iges|igs|brep|brp|stl|obj|ply|off|glb|mesh|msh|vtu|cir|spice|net))(?:$|[\s"',;.)])`)
	attributes  = regexp.MustCompile(`\b(?:faces?|attributes?|attr|surfaces?|boundar(?:y|ies))(?: (?:no\.?|number|ids?|nr\.?))? ?(?:#|:|=)? ?(\d{1,6}(?:(?:,| and| &|, and) ?\d{1,6})*)\b`)
	extremes    = regexp.MustCompile(`\b([xyz])[ _-]?(min|max)(?:imum)?\b|\b(min|max)(?:imum)?[ _-]([xyz])\b`)
	coordinates = regexp.MustCompile(`\b([xyz]) ?= ?`)
	axesText    = regexp.MustCompile(`\b(?:in|along) (?:the )?[xyz](?:-|[- ](?:direction|axis))?(?:(?:, ?and |, ?| and | & | ?/ ?)(?:in |the )*[xyz]\b(?:[- ](?:directions?|axis|axes))?)+`)
	vectors     = regexp.MustCompile(`[(\[<{]\s*([^()\[\]<>{}]{3,60}?)\s*[)\]>}]`)
	decimals    = regexp.MustCompile(`^\.\d`)
	// microseconds is the unit, which among other words is a pronoun.
	microseconds = regexp.MustCompile(`^us\b`)
	integers     = regexp.MustCompile(`\d+`)
	wordsOfText  = regexp.MustCompile(`[\pL_][\pL\pN_'-]*`)
)

func lex(prompt string, faces []string) *lexer {
	l := &lexer{faces: faces}
	if m := fence.FindStringSubmatch(prompt); m != nil {
		l.code = m[1]
		prompt = fence.ReplaceAllString(prompt, " . ")
	}
	original := prompt
	from := 0
	for _, message := range strings.SplitAfter(prompt, turnMark) { // a later one may name another file
		if m := fileRef.FindStringSubmatchIndex(message); m != nil {
			l.file = strings.TrimRight(message[m[2]:m[3]], ".")
			original = original[:from+m[2]] + strings.Repeat(" ", m[3]-m[2]) + original[from+m[3]:]
		}
		from += len(message)
	}
	l.cased = l.correctSpelling(original)
	l.text = asciiLower(l.cased)
	l.taken, l.used = make([]bool, len(l.text)+1), make([]bool, len(l.text)+1)
	l.namedFaces()
	l.each(extremes, l.extreme)
	l.each(attributes, l.attribute)
	l.coordinatePlanes()
	l.axisLists()
	l.materials()
	l.vectors()
	l.scan()
	slices.SortStableFunc(l.items, func(a, b item) int { return a.start - b.start })
	return l
}

// asciiLower keeps every byte where it is.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

// correctSpelling reads a mistyped key word as the nearest one, and remembers it.
func (l *lexer) correctSpelling(text string) string {
	known := set(strings.Join(keyWords, " "))
	for _, f := range l.faces {
		known[asciiLower(f)] = true
		for _, w := range strings.FieldsFunc(asciiLower(f), func(r rune) bool { return r == '_' || r == '-' || r == ' ' }) {
			known[w] = true
		}
	}
	return wordsOfText.ReplaceAllStringFunc(text, func(spelled string) string {
		w := asciiLower(spelled)
		if stem := strings.TrimSuffix(w, "s"); known[w] || known[stem] || plainWords[w] || plainWords[stem] || len(w) < 3 ||
			inVocabulary(w) || isUnit(spelled) {
			return spelled
		}
		best := ""
		for _, k := range keyWords {
			if nearWords(w, k) && (best == "" || contract.Distance(w, k) < contract.Distance(w, best)) {
				best = k
			}
		}
		if best == "" {
			return spelled
		}
		l.fixes = append(l.fixes, w+" as "+best)
		return best
	})
}

func inVocabulary(w string) bool {
	for i := range vocabulary {
		p := &vocabulary[i]
		if !p.first[w[0]] {
			continue
		}
		if m := p.exp.FindString(w); m == w {
			return true
		}
	}
	_, known := materials.Find(w)
	return known
}

func isUnit(w string) bool {
	_, ok := quantity.ParseUnit(w)
	return ok
}

func nearWords(w, k string) bool {
	d := contract.Distance(w, k)
	switch {
	case w[0] != k[0] && !(len(w) == len(k) && w[0] == k[1] && w[1] == k[0]):
		return false
	case len(k) <= 3:
		return d == 1 && len(w) == len(k) && sorted(w) == sorted(k)
	case len(k) <= 6:
		return d == 1 && (len(w) != len(k) || len(k) > 4 || sorted(w) == sorted(k))
	}
	return d <= 2
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

func (l *lexer) free(start, end int) bool {
	return !slices.Contains(l.taken[start:end], true)
}

func (l *lexer) add(it item) {
	for i := it.start; i < it.end; i++ {
		l.taken[i] = true
	}
	l.items = append(l.items, it)
}

func (l *lexer) each(exp *regexp.Regexp, do func(m []int)) {
	for _, m := range exp.FindAllStringSubmatchIndex(l.text, -1) {
		if l.free(m[0], m[1]) {
			do(m)
		}
	}
}

func (l *lexer) sub(m []int, i int) string {
	if m[2*i] < 0 {
		return ""
	}
	return l.text[m[2*i]:m[2*i+1]]
}

func (l *lexer) addPlaces(start, end int, places ...Place) {
	for i, p := range places {
		p.Text = l.text[start:end]
		at := item{class: classPlace, value: p.Kind, start: start, end: end, place: p}
		if i > 0 { // lists of faces count as joined
			at.value = "joined"
		}
		l.add(at)
	}
}

func (l *lexer) extreme(m []int) {
	axis, sense := l.sub(m, 1), l.sub(m, 2)
	if axis == "" {
		axis, sense = l.sub(m, 4), l.sub(m, 3)
	}
	l.addPlaces(m[0], m[1], Place{Kind: "plane", Name: axis + "_" + sense})
}

func (l *lexer) attribute(m []int) {
	var places []Place
	end := m[2]
	for _, at := range integers.FindAllStringIndex(l.sub(m, 1), -1) {
		from, to := m[2]+at[0], m[2]+at[1]
		if _, _, n := l.unitAfter(to); n > 0 || decimals.MatchString(l.text[to:]) {
			break // a quantity, as in "face 3, 0.5 m/s"
		}
		if id, err := strconv.Atoi(l.text[from:to]); err == nil && id > 0 {
			places, end = append(places, Place{Kind: "attribute", ID: id}), to
		}
	}
	l.addPlaces(m[0], end, places...)
}

// coordinatePlanes reads z = 0 and x = 10 mm.
func (l *lexer) coordinatePlanes() {
	l.each(coordinates, func(m []int) {
		number, n, err := quantity.NumberAt(l.text[m[1]:])
		if n == 0 || err != nil {
			return
		}
		end := m[1] + n
		p := Place{Kind: "coordinate", Name: l.sub(m, 1)}
		gap := len(l.text[end:]) - len(strings.TrimLeft(l.text[end:], " "))
		units, un := quantity.UnitAt(l.cased[end+gap:])
		if u, ok := quantity.Fitting(units, quantity.Length); ok {
			p.Value, end = u.SI(number, false), end+gap+un
		} else {
			p.Value, _ = number.Float64()
			p.Unitless = p.Value != 0
		}
		l.addPlaces(m[0], end, p)
	})
}

// axisLists reads "in x and z", which is one direction of a support.
func (l *lexer) axisLists() {
	l.each(axesText, func(m []int) {
		l.add(item{class: classDirection, value: severalAxes, start: m[0], end: m[1]})
	})
}

func (l *lexer) materials() {
	for _, m := range materials.Mentions(l.text) {
		word := l.text[m.Start:m.End]
		if strings.Trim(word, "0123456789./") == "" { // 304 may be a number
			units, n := quantity.UnitAt(strings.TrimLeft(l.cased[m.End:], " "))
			if n > 0 && len(units) > 0 {
				continue
			}
		}
		if l.free(m.Start, m.End) {
			l.add(item{class: classMaterial, value: m.Material.Name, start: m.Start, end: m.End, material: m.Material})
		}
	}
}

// vectors reads (100, -200, 50) N and [0,0,-500] N.
func (l *lexer) vectors() {
	l.each(vectors, func(m []int) {
		parts := strings.FieldsFunc(l.sub(m, 1), func(r rune) bool { return r == ',' || r == ';' })
		if len(parts) != 2 && len(parts) != 3 {
			return
		}
		it := item{class: classVector, start: m[0], end: m[1]}
		for _, part := range parts {
			part = strings.TrimSpace(part)
			number, n, err := quantity.NumberAt(part)
			if err != nil || n == 0 || n != len(part) {
				return
			}
			it.numbers = append(it.numbers, number)
		}
		units, gap, n := l.unitAfter(m[1])
		if n > 0 {
			it.units, it.end = units, m[1]+gap+n
		}
		l.add(it)
	})
}

// unitAfter reads the unit at a place, with the capitals that the prompt has.
func (l *lexer) unitAfter(at int) (units []quantity.Unit, gap, n int) {
	rest := l.cased[at:]
	gap = len(rest) - len(strings.TrimLeft(rest, " -"))
	if gap > 1 {
		return nil, 0, 0
	}
	if microseconds.MatchString(rest[gap:]) { // behind a number it is no pronoun
		units, _ = quantity.ParseUnit("us")
		return units, gap, len("us")
	}
	units, n = quantity.UnitAt(rest[gap:])
	return units, gap, n
}

var numberWords = map[string]string{"half": "1/2", "quarter": "1/4", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60",
	"seventy": "70", "eighty": "80", "ninety": "90", "a": "1", "one and a half": "3/2"}

var (
	spoken = regexp.MustCompile(`^(one and a half|half|quarter|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|a)(?: an?| of an?)?(?: (hundred|thousand|million))? `)
	ratio  = regexp.MustCompile(`^(\d{1,3})/(\d{1,3})`)
	scale  = regexp.MustCompile(`^ ?(thousand|million|hundred)\b`)
	// Parts of a circuit with their values, without anything between them.
	partBefore = regexp.MustCompile(`\b[rcl]\d{0,2} ?= ?$`)
	partBehind = regexp.MustCompile(`^ [rcl]\d{0,2} ?= ?[\d.]`)

	ranging = regexp.MustCompile(`^ ?(?:-|–|to|\.\.\.?) ?\d`)
)

var scales = map[string]int64{"hundred": 100, "thousand": 1000, "million": 1000000}

// number reads a number at i, in digits or words; words only before a unit.
func (l *lexer) number(i int) (it item, ok bool) {
	rest := l.text[i:]
	it = item{class: classQuantity, start: i}
	if m := ratio.FindStringSubmatch(rest); m != nil && !strings.HasPrefix(rest[len(m[0]):], "/") {
		if units, gap, n := l.unitAfter(i + len(m[0])); n > 0 && m[2] != "0" {
			r, _ := new(big.Rat).SetString(m[0])
			it.numbers, it.units, it.end = []*big.Rat{r}, units, i+len(m[0])+gap+n
			return it, r != nil
		}
	}
	number, n, err := quantity.NumberAt(rest)
	if n > 0 {
		it.end, it.err = i+n, err
		if err != nil {
			if _, gap, un := l.unitAfter(it.end); un > 0 {
				it.end += gap + un
			}
			return it, true
		}
		if m := scale.FindStringSubmatch(l.text[it.end:]); m != nil {
			number.Mul(number, new(big.Rat).SetInt64(scales[m[1]]))
			it.end += len(m[0])
		}
		if ranging.MatchString(l.text[it.end:]) {
			it.err = contract.Errorf(contract.CodeInvalidInput, "%q begins a range", l.text[i:it.end])
		}
		it.numbers = []*big.Rat{number}
		if partBefore.MatchString(l.text[:i]) && partBehind.MatchString(l.text[it.end:]) {
			return it, true // R = 1e3 C = 1e-6: the name of the next part is no unit
		}
		if units, gap, un := l.unitAfter(it.end); un > 0 {
			it.units, it.end = units, it.end+gap+un
		}
		return it, true
	}
	return l.spokenNumber(it, rest)
}

func (l *lexer) spokenNumber(it item, rest string) (item, bool) {
	m := spoken.FindStringSubmatch(rest)
	if m == nil {
		return it, false
	}
	units, gap, n := l.unitAfter(it.start + len(m[0]))
	if n < 2 || gap > 0 || m[1] == "a" && n < 4 {
		return it, false // "a m…" is no metre
	}
	r, ok := new(big.Rat).SetString(numberWords[m[1]])
	if m[2] != "" {
		r.Mul(r, new(big.Rat).SetInt64(scales[m[2]]))
	}
	it.numbers, it.units, it.end = []*big.Rat{r}, units, it.start+len(m[0])+n
	return it, ok
}
