package words

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/internal/agent/materials"
	"atelier/internal/quantity"
)

// amount is a number with its unit as it was written. Without a unit it has no readings.
type amount struct {
	number  *big.Rat
	units   []quantity.Unit
	written string // the unit: "kN"
	doubt   string // why the number or the unit can be read in two ways
	slip    string // the unit that was probably meant
	sign    bool   // it has a sign of its own
}

// is says whether the amount is of a dimension.
func (a *amount) is(k quantity.Kind) bool {
	if a == nil || len(a.units) == 0 {
		return false
	}
	_, ok := quantity.Fitting(a.units, k)
	return ok
}

// si is the value in SI units of a kind.
func (a *amount) si(k quantity.Kind) float64 {
	if u, ok := quantity.Fitting(a.units, k); ok {
		return k.SIOf(a.number, u)
	}
	v, _ := a.number.Float64()
	return v
}

// value is the amount as the document has it: a text with its unit where that is one of
// the project's symbols, else a number of SI units.
func (a *amount) value(k quantity.Kind) any {
	text := decimal(a.number) + " " + a.written
	if len(a.units) > 1 {
		return a.si(k) // W/m2K has two readings
	}
	if si, err := quantity.ParseAs(text, k); err == nil && si == a.si(k) {
		return text
	}
	return a.si(k)
}

// decimal writes a number in digits.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	v, _ := r.Float64()
	return quantity.Number(v)
}

// lexer turns a sentence into nodes.
type lexer struct {
	text   string
	german bool
	out    []*node
}

var (
	fencePattern  = regexp.MustCompile("(?s)```[a-zA-Z]*\n?(.*?)```")
	urlPattern    = regexp.MustCompile(`^(?:https?://|www\.)[^\s,;)"']+[^\s,;)"'.?!]`)
	filePattern   = regexp.MustCompile(`(?i)^/?[\w][\w./-]*\.(step|stp|iges|igs|brep|brp|stl|obj|ply|off|glb|msh|mesh|vtu|cir|net|sp|spice|csv|tsv|parquet|jsonl|vtt|srt|txt|ipynb|py|json|xlsx|wav|mp3|mp4|m4a|ogg|flac)\b`)
	quotePattern  = regexp.MustCompile(`^(?:"([^"]{1,80})"|“([^”]{1,80})”|„([^“”]{1,80})[“”]|'([^']{1,80})'|‘([^’]{1,80})’)`)
	vectorPattern = regexp.MustCompile(`^[(\[]\s*([-+−]?[\d.]+)\s*[,;| ]\s*([-+−]?[\d.]+)\s*[,;| ]\s*([-+−]?[\d.]+)\s*[)\]]`)
	boxPattern    = regexp.MustCompile(`^(\d+(?:[.,]\d+)?)\s?(?:mm|cm|m|in)?\s?[x×*]\s?(\d+(?:[.,]\d+)?)\s?(?:mm|cm|m|in)?(?:\s?[x×*]\s?(\d+(?:[.,]\d+)?))?\s?(?:mm|cm|m|in)\b`)
	axisPattern   = regexp.MustCompile(`^([+\-−]?)([xyzXYZ])\b(?:[- ](?:[Rr]ichtung|direction|[Aa]chse|axis))?`)
	boltPattern   = regexp.MustCompile(`^M(\d{1,2}(?:\.5)?)\b`)
	commaDecimal  = regexp.MustCompile(`^[+\-−]?\d+,\d+`)
	pointGroup    = regexp.MustCompile(`^[+\-−]?\d{1,3}(?:\.\d{3})+(?:,\d+)?`)
	wordPattern   = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*(?:['’](?:s|m|t|re|ll|ve|d)\b)?`)
	planePattern  = regexp.MustCompile(`(?i)^([xyz])_?(min|max)\b`)
	probePattern  = regexp.MustCompile(`(?i)^(?:v(?:db|p|m)?|i)\([\w,]+\)`)
	proofPattern  = regexp.MustCompile(`^Rp\s?0[.,]2\b`)
	spacedScale   = regexp.MustCompile(`^ [kM]\b`)
	scalePattern  = regexp.MustCompile(`^(?:meg|Meg|MEG|[kKMunpGRµ])(\d*)(?:\b|$)`)
)

// lex reads a sentence. Names of materials and of faces are single nodes.
func lex(text string, german bool, names map[string]called) []*node {
	l := &lexer{text: text, german: german}
	spans := materialsIn(text)
	for at := 0; at < len(text); {
		if m, ok := spans[at]; ok {
			l.add(&node{kind: "material", start: at, end: m.End, val: m.Material})
			at = m.End
			continue
		}
		at += l.next(at, names)
	}
	return l.out
}

// materialsIn are the materials that a text names in English or by their symbols, by where
// they begin. German names are terms of the lexicon.
func materialsIn(text string) map[int]materials.Mention {
	out := map[int]materials.Mention{}
	for _, m := range materials.Mentions(text) {
		if !numberNamed(text, m) {
			out[m.Start] = m
		}
	}
	return out
}

// numberNamed says whether what could be the number of a grade is a number with a unit, or
// that of a range: 316 N, from 304 to 420 Hz.
func numberNamed(text string, m materials.Mention) bool {
	if strings.Trim(text[m.Start:m.End], "0123456789.") != "" {
		return false
	}
	if _, _, n := unitAt(text[m.End:]); n > 0 {
		return true
	}
	before := strings.Fields(strings.ToLower(text[:m.Start]))
	return len(before) > 0 && slices.Contains([]string{"from", "between", "von", "zwischen", "=", "to", "bis"}, before[len(before)-1])
}

func (l *lexer) add(n *node) {
	n.text = l.text[n.start:n.end]
	l.out = append(l.out, n)
}

// next reads what stands at a place and returns its length.
func (l *lexer) next(at int, names map[string]called) int {
	rest := l.text[at:]
	r, size := utf8.DecodeRuneInString(rest)
	if unicode.IsSpace(r) {
		return size
	}
	take := func(kind string, length int, val any) int {
		l.add(&node{kind: kind, start: at, end: at + length, val: val})
		return length
	}
	if n := l.special(at, rest, names, take); n > 0 {
		return n
	}
	switch {
	case r == 'Ø' || r == '⌀' || r == 'ø' && startsNumber(rest[size:]):
		return take("diameter", size, nil)
	case startsNumber(rest):
		if n := l.number(at); n > 0 {
			return n
		}
	}
	if m := wordPattern.FindString(rest); m != "" {
		if strings.Contains(strings.Trim(m, "_"), "_") {
			return take("quoted", len(m), m) // a name such as load_hole
		}
		return take("word", len(m), nil) + l.shown(at, m)
	}
	switch r {
	case ':':
		return take("colon", size, nil)
	case '.', ';', '?', '!', '\n':
		return take("stop", size, nil)
	case ',':
		return take("comma", size, nil)
	case '=':
		return take("equals", size, nil)
	case '<', '≤':
		return take("limit.below", size, nil)
	case '>', '≥':
		return take("limit.above", size, nil)
	}
	return size // brackets, dashes
}

// special reads what is no word and no number: blocks, addresses, files, names, vectors, axes,
// planes. 0 for none.
func (l *lexer) special(at int, rest string, names map[string]called, take func(kind string, length int, val any) int) int {
	if m := fencePattern.FindStringSubmatchIndex(rest); m != nil && m[0] == 0 {
		return take("netlist", m[1], rest[m[2]:m[3]])
	}
	if m := urlPattern.FindString(rest); m != "" {
		return take("url", len(m), m)
	}
	if m := filePattern.FindString(rest); m != "" {
		return take("file", len(m), m)
	}
	if name, length := nameAt(rest, names); length > 0 && !l.inWord(at) {
		return take(name.kind, length, name.name)
	}
	if m := quotePattern.FindStringSubmatch(rest); m != nil && !l.inWord(at) {
		return take("quoted", len(m[0]), strings.Join(m[1:], ""))
	}
	if m := vectorPattern.FindStringSubmatch(rest); m != nil {
		return l.vector(at, m)
	}
	if m := boxPattern.FindString(rest); m != "" && !l.inWord(at) {
		return take("box", len(m), m)
	}
	if m := axisPattern.FindStringSubmatch(rest); m != nil && !l.inWord(at) {
		return take("axis", len(m[0]), direction{strings.ToLower(m[2]), sign(m[1])})
	}
	if m := planePattern.FindStringSubmatch(rest); m != nil && !l.inWord(at) {
		d := direction{strings.ToLower(m[1]), 1}
		if strings.EqualFold(m[2], "min") {
			d.sign = -1
		}
		return take("side."+sideOfAxis[d], len(m[0]), nil)
	}
	if m := probePattern.FindString(rest); m != "" && !l.inWord(at) {
		return take("probe", len(m), m)
	}
	if m := proofPattern.FindString(rest); m != "" {
		return take("yieldof", len(m), nil)
	}
	if m := boltPattern.FindStringSubmatch(rest); m != nil {
		return take("bolt", len(m[0]), m[1])
	}
	return 0
}

func (l *lexer) inWord(at int) bool {
	r, _ := utf8.DecodeLastRuneInString(l.text[:at])
	return at > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func startsNumber(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-"), "−")
	s = strings.TrimLeft(s, ".")
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

// called is a name of a face, or of a column, that the files of the study have.
type called struct{ kind, name string }

// nameAt finds the longest name of a face or column that the text begins with.
func nameAt(text string, names map[string]called) (name called, length int) {
	low := strings.ToLower(text[:min(len(text), 100)])
	for said, of := range names {
		if len(said) > length && strings.HasPrefix(low, said) && (len(low) == len(said) || !letter(low[len(said):])) {
			name, length = of, len(said)
		}
	}
	return name, length
}

func letter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

func sign(s string) int {
	switch s {
	case "-", "−":
		return -1
	case "+":
		return 1
	}
	return 0
}

// vector reads "(0, 0, -500) N".
func (l *lexer) vector(at int, m []string) int {
	v := vector{}
	for i, text := range m[1:] {
		n, ok := new(big.Rat).SetString(strings.TrimPrefix(strings.ReplaceAll(text, "−", "-"), "+"))
		if !ok {
			return 1
		}
		v.parts[i] = n
	}
	length := len(m[0])
	units, written, n := unitAt(l.text[at+length:])
	v.units, v.written = units, written
	l.add(&node{kind: "vector", start: at, end: at + length + n, val: v})
	return length + n
}

// number reads a number with the unit behind it.
func (l *lexer) number(at int) int {
	rest := l.text[at:]
	if l.inWord(at) && (rest[0] == '-' || rest[0] == '+') {
		return 1 // a hyphen
	}
	a := &amount{sign: rest[0] == '-' || rest[0] == '+' || strings.HasPrefix(rest, "−")}
	length := l.digits(rest, a)
	if length == 0 || a.number == nil {
		return length
	}
	units, written, n := unitAt(rest[length:])
	a.units, a.written = units, written
	if n == 0 {
		n = l.odd(rest[length:], a)
	}
	l.add(&node{kind: "amount", start: at, end: at + length + n, val: a})
	return length + n
}

// digits reads the number; in German the comma is the decimal sign.
func (l *lexer) digits(rest string, a *amount) int {
	plain := strings.ReplaceAll(rest, "−", "-")
	skew := len(rest) - len(plain)
	if !strings.HasPrefix(rest, "−") {
		plain, skew = rest, 0
	}
	if m := pointGroup.FindString(plain); l.german && m != "" {
		a.number, _ = new(big.Rat).SetString(strings.ReplaceAll(strings.ReplaceAll(m, ".", ""), ",", "."))
		if !strings.Contains(m, ",") && strings.Count(m, ".") == 1 {
			a.doubt = m
		}
		return len(m) + skew
	}
	if m := commaDecimal.FindString(plain); m != "" && !startsNumber(strings.TrimPrefix(plain[len(m):], ",")) {
		whole, decimals, _ := strings.Cut(m, ",")
		leading := strings.Trim(whole, "+-") == "0"
		if l.german || leading || len(decimals) != 3 {
			a.number, _ = new(big.Rat).SetString(strings.TrimPrefix(whole, "+") + "." + decimals)
			if !l.german && !leading || l.german && len(decimals) == 3 && !leading {
				a.doubt = m
			}
			return len(m) + skew
		}
	}
	number, n, err := quantity.NumberAt(rest)
	if err != nil {
		a.doubt, a.number = rest[:max(n, 1)], new(big.Rat)
		return max(n, 1)
	}
	a.number = number
	return n
}

// odd reads what is glued to a number and is no unit: "12q", the scale letters of circuits,
// "2nd".
func (l *lexer) odd(rest string, a *amount) int {
	if m := scalePattern.FindString(rest); m != "" {
		a.slip = m
		return len(m)
	}
	if m := wordPattern.FindString(rest); m != "" {
		switch strings.ToLower(m) {
		case "st", "nd", "rd", "th", "x", "d":
			a.written = m
			return len(m)
		}
		a.doubt = m
		return len(m)
	}
	trimmed := strings.TrimLeft(rest, " ")
	if m := spacedScale.FindString(rest); m != "" {
		a.slip = m[1:]
		return len(m)
	}
	if m := wordPattern.FindString(trimmed); m != "" && len(rest) > len(trimmed) {
		if better := slipOf(m); better != "" {
			a.slip = better
			return len(rest) - len(trimmed) + len(m)
		}
	}
	return 0
}

// unitNames are units as words that quantity has no symbol for, with their symbols.
var unitNames = map[string]string{
	"newton": "N", "newtons": "N", "kilonewton": "kN", "kilonewtons": "kN", "meganewton": "MN", "newtonmeter": "N m", "newtonmetern": "N m", "kilonewtonmeter": "kN m",
	"newton-metres": "N m", "newton-meters": "N m", "pascal": "Pa", "kilopascal": "kPa", "megapascal": "MPa", "gigapascal": "GPa",
	"millimeter": "mm", "millimetern": "mm", "zentimeter": "cm", "zentimetern": "cm", "metern": "m", "zoll": "in",
	"grad celsius": "degC", "grad c": "degC", "°celsius": "degC", "grad kelvin": "K", "grad": "deg", "grad fahrenheit": "degF", "deg": "deg", "degree": "deg", "degrees": "deg", "°": "deg", "º": "deg",
	"degrees celsius": "degC", "deg celsius": "degC", "deg c": "degC", "degrees c": "degC", "deg f": "degF", "degrees f": "degF", "degrees fahrenheit": "degF",
	"u/min": "rpm", "umdrehungen pro minute": "rpm", "1/min": "rpm", "revolutions per minute": "rpm", "rev/min": "rpm", "umin": "rpm",
	"prozent": "%", "percent": "%", "per cent": "%", "pct": "%", "tonnen": "t", "kilogramm": "kg", "gramm": "g", "pfund": "lb",
	"sekunden": "s", "sekunde": "s", "millisekunden": "ms", "minuten": "min", "minute": "min", "stunden": "h", "stunde": "h", "meter pro sekunde": "m/s", "metres per second": "m/s", "meters per second": "m/s", "liter pro minute": "l/min",
	"pounds-force": "lbf", "pound-force": "lbf", "kips": "kip", "square": "", "watt": "W", "watts": "W", "kilowatt": "kW", "volt": "V", "ampere": "A", "hertz": "Hz", "kilohertz": "kHz", "in-lbf": "in*lbf", "in-lb": "in*lbf", "ft-lbf": "ft*lbf", "ft-lb": "ft*lbf", "n-m": "N m", "nm": "N m", "nmm": "N*mm",
	"g's": "gn", "gs": "gn",
}

// unitAt reads the unit behind a number, with the space before it.
func unitAt(text string) (units []quantity.Unit, written string, length int) {
	trimmed := strings.TrimLeft(text, " \u00a0\u202f-")
	space := len(text) - len(trimmed)
	if space > 2 || strings.HasPrefix(trimmed, "in ") && !quantityInches(trimmed) {
		return nil, "", 0
	}
	low := strings.ToLower(trimmed[:min(len(trimmed), 40)])
	best := ""
	for name := range unitNames {
		if len(name) > len(best) && strings.HasPrefix(low, name) && !letter(low[len(name):]) && !strings.HasPrefix(low[len(name):], "/") {
			best = name
		}
	}
	found, n := quantity.UnitAt(trimmed)
	exact := best == "nm" && n == 2 || best == "deg" && n > 3 // Nm and nm differ, deg C is more than deg
	if best != "" && len(best) >= n && !exact {
		symbol := unitNames[best]
		units, _ := quantity.ParseUnit(symbol)
		return units, symbol, space + len(best)
	}
	if n == 0 {
		return nil, "", 0
	}
	if space > 0 && text[0] == '-' && n < 2 && trimmed[0] != '%' {
		return nil, "", 0
	}
	return found, trimmed[:n], space + n
}

// quantityInches says whether "in" behind a number is a unit: before the end, a stop or a
// noun of a mesh or hole, not before an axis, an article or a sign.
func quantityInches(text string) bool {
	units, n := quantity.UnitAt(text)
	if len(units) == 0 || n < 2 {
		return false
	}
	next := strings.TrimLeft(text[2:], " ")
	return !axisPattern.MatchString(next) && !strings.HasPrefix(strings.ToLower(next), "richtung") && !strings.HasPrefix(next, "der") && !strings.HasPrefix(next, "den")
}

// slipOf is the unit that differs in its capital letters only.
func slipOf(word string) string {
	for _, right := range []string{"MPa", "kPa", "GPa", "kN", "Pa", "N", "Hz", "kHz"} {
		if strings.EqualFold(word, right) && word != right {
			return right
		}
	}
	return ""
}

// shown reads the unit behind "in", in which a figure is to be told: in psi, in BTU/h.
func (l *lexer) shown(at int, word string) int {
	if low := strings.ToLower(word); low != "in" && low != "as" {
		return 0
	}
	start := at + len(word)
	rest := strings.TrimLeft(l.text[start:], " ")
	space := len(l.text) - start - len(rest)
	units, n := quantity.UnitAt(rest)
	if len(units) == 0 || space == 0 || n < len(rest) && letter(rest[n:]) || strings.HasPrefix(rest[n:], "-") {
		return 0
	}
	if w := strings.ToLower(rest[:n]); len(lexicon()[English].exact[w])+len(lexicon()[German].exact[w]) > 0 {
		return 0
	}
	l.add(&node{kind: "unit", start: start + space, end: start + space + n})
	return space + n
}
