package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

// part is a resistor, capacitor or inductor of a request.
type part struct {
	kind  byte   // r, c or l
	name  string // as said: r1, c; "" without
	role  string // upper, lower, load; "" where nothing was said
	value float64
	state string // short or open; "" for as it is

	start, end int
}

// amount is another value of a request: volts, hertz, seconds.
type amount struct {
	value      float64
	start, end int
	swing      bool // from peak to peak, by its unit
}

// schematic is what a request says of a circuit.
type schematic struct {
	*reader
	parts               []*part
	again               map[int]*part // by place: a value that is said of a part once more
	volts, hertz, times []amount

	title        string
	series       bool     // nothing says yet where the output is
	placed       bool     // it is said at which part the output is
	besides      []string // probes of what is asked for beside the output
	upper, lower *part    // between source and output, and between output and ground
	load         *part
	supply       float64  // V
	amplitude    float64  // V, of sweeps
	charge       *float64 // V, of the capacitor at the start
	swings       bool     // the supply was said from peak to peak
	asked        []asked
	needed       float64 // s, that a transient must last to show them
}

var (
	roles = map[string]string{"upper": "upper", "high": "upper", "low": "lower", "top": "upper", "first": "upper", "high-side": "upper", "series": "upper", "lower": "lower", "bottom": "lower",
		"second": "lower", "low-side": "lower", "shunt": "lower", "load": "load", "loading": "load"}

	loadName   = regexp.MustCompile(`\b[rcl]_?(?:l|load)\s*(?:=|:|is|of)\s*(?:an? )?$`)
	partName   = regexp.MustCompile(`\b([rcl])_?(\d{0,2})\s*(?:=|:|\bis|\bof|\bbeing)?\s*$`)
	partRole   = regexp.MustCompile(`\b(upper|top|first|high-side|series|lower|bottom|second|low-side|shunt|load)(?: one| r| resistor| resistance| capacitor| capacitance| inductor| inductance| coil)?\s*(?:=|:|is|of|being)?\s*(?:an? )?$`)
	loadedWith = regexp.MustCompile(`\b(?:loaded|load(?: resistor| resistance)?)\s+(?:with|by|of|is|being)\s+(?:an? )?$`)
	partNoun   = regexp.MustCompile(`\b(?:an? |the |one )?(resist(?:or|ance)|capacit(?:or|ance)|induct(?:or|ance)|coil)\s*(?:=|:|is|of|being|with)?\s*$`)

	// roleName is a role in the name of a part, R_top, or beside it, R1 (upper).
	roleName = regexp.MustCompile(`\br_?(upper|top|high|lower|bottom|low)\s*(?:=|:|is|of)\s*$`)
	roleSaid = regexp.MustCompile(`\b([rcl])_?(\d{0,2}) ?[(,] ?(?:the )?(upper|top|lower|bottom|load)(?: one| resistor)?[),]? ?(?:=|:|is|of)\s*$`)

	roleBehind = regexp.MustCompile(`^[ -]?((?:upper|top|first|lower|bottom|second|series|shunt|load) (?:resistor|resistance|capacitor|inductor|coil)|(?:upper|top|lower|bottom)(?: one)?|load)\b`)
	asRole     = regexp.MustCompile(`^ (?:as|for|is) (?:the |an? )?(upper|top|first|lower|bottom|second|load)(?: one| resistor)?\b`)
	atPlace    = regexp.MustCompile(`^ (?:at|on) (?:the )?(top|bottom)\b`)
	atOutput   = regexp.MustCompile(`^ (?:load )?(?:across|at|on|over) (?:the |its )?output\b|^ in parallel (?:to|with) (?:the )?(?:output|lower resistor|capacitor)\b`)
	inBrackets = regexp.MustCompile(`^ ?\((upper|top|first|lower|bottom|second|load)\)`)
	toSupply   = regexp.MustCompile(`^ (?:resistor )?(?:connected |going |up )?to (?:the )?(?:supply|source|input|battery|v_?in|vcc|vdd)\b`)
	toGround   = regexp.MustCompile(`^ (?:resistor )?(?:connected |going |down )?to (?:the )?(?:ground|gnd|earth)\b`)
	nounBehind = regexp.MustCompile(`^ (resist(?:or|ance)|capacit(?:or|ance)|induct(?:or|ance)|coil)\b`)
	saidAgain  = regexp.MustCompile(`\b(?:across|over|of|on) (?:the|that) $`)

	// shortValue is a value as it stands in circuit diagrams: 1k, 4k7, 10u, 100R.
	shortValue = regexp.MustCompile(`(\d+(?:\.\d+)?)( ?)(MEG|Meg|meg|[kKMRuµμnpm])(\d{0,2})`)
)

var powers = map[string]string{"k": "e3", "K": "e3", "M": "e6", "MEG": "e6", "Meg": "e6", "meg": "e6", "R": "", "u": "e-6", "µ": "e-6", "μ": "e-6", "n": "e-9", "p": "e-12", "m": "e-3"}

// values reads the values of a request with what is said of them.
func (s *schematic) values(coils bool) {
	s.again = map[int]*part{}
	s.shortValues(coils)
	s.sharedUnits()
	for i := range s.items {
		it := &s.items[i]
		if it.class != classQuantity || s.isUsed(it.start, it.end) {
			continue
		}
		if it.err != nil && s.ofFigure(it) {
			continue // from 20 to 80 percent
		}
		if it.err != nil {
			s.plan.ask(it.start, "number", sentenceOf(it.err), "4.7 kOhm")
			continue
		}
		if it.bare() {
			if !s.swing(it) {
				s.bareValue(it)
			}
			continue
		}
		for _, q := range []struct {
			kind quantity.Kind
			part byte
			list *[]amount
		}{{quantity.Resistance, 'r', nil}, {quantity.Capacitance, 'c', nil}, {quantity.Inductance, 'l', nil},
			{quantity.Voltage, 0, &s.volts}, {quantity.Frequency, 0, &s.hertz}, {quantity.Time, 0, &s.times}} {
			v, ok := it.si(q.kind)
			if !ok {
				continue
			}
			s.checked(it, q.kind, v, "value", func() {
				if q.list == nil {
					s.add(q.part, v, it.start, it.end)
				} else {
					*q.list = append(*q.list, amount{value: v, start: it.start, end: it.end})
				}
			})
		}
	}
}

// enumerated stands between the numbers of "100 and 200 ohm".
var enumerated = regexp.MustCompile(`^(?: ?, ?| ?/ ?|,? and |,? & | over )$`)

// sharedUnits gives numbers the unit of the value of a part, or of the frequency,
// that follows in one enumeration. Those that are said to be of a part by name are in its own unit.
func (s *schematic) sharedUnits() {
	var next *item
	for i := len(s.items) - 1; i >= 0; i-- {
		it, after := &s.items[i], next
		if it.class != classQuantity {
			continue
		}
		if next = it; it.err != nil || !it.bare() || after == nil || after.err != nil || after.start < it.end ||
			!enumerated.MatchString(s.text[it.end:after.start]) || labelKind(s.text[:it.start]) != "" {
			continue
		}
		for _, kind := range []quantity.Kind{quantity.Resistance, quantity.Capacitance, quantity.Inductance, quantity.Frequency} {
			if _, ok := after.si(kind); ok {
				it.units = after.units
				s.plan.assume("%s is in the unit of %s.", s.cased[it.start:it.end], s.cased[after.start:after.end])
				break
			}
		}
	}
}

// wordBehind is a word that may be meant as a unit of the number before it.
var wordBehind = regexp.MustCompile(`^[ -]?([a-z][a-z0-9]*)`)

// ordinary says that a word is no unit of its own but goes on with the sentence.
func ordinary(word string) bool {
	return plainWords[word] || circuitWords[word] || changingCircuits[word] || inVocabulary(word)
}

// bareValue is a number without a unit, which is in ohm, farad or henry where it is
// that of a part. A capacitor of 100 is hardly meant in farad.
func (s *schematic) bareValue(it *item) {
	m := partName.FindStringSubmatch(s.text[max(0, it.start-12):it.start])
	if m == nil || !strings.ContainsAny(m[0], "=:") {
		return
	}
	kind := map[string]quantity.Kind{"r": quantity.Resistance, "c": quantity.Capacitance, "l": quantity.Inductance}[m[1]]
	if word := wordBehind.FindStringSubmatch(s.text[it.end:]); word != nil && !ordinary(word[1]) && !partBehind.MatchString(s.text[it.end:]) {
		s.plan.ask(it.start, "unit", fmt.Sprintf("In which unit is %s? No unit %q is known.", s.text[it.start:it.end], word[1]), "R1 = 4.7 kOhm")
		return
	}
	v, _ := it.numbers[0].Float64()
	if m[1] != "r" && v >= bareMost {
		s.plan.ask(it.start, "unit", fmt.Sprintf("In which unit is %s = %s?", strings.ToUpper(m[1])+m[2], s.text[it.start:it.end]), kind.Example)
		return
	}
	s.checked(it, kind, v, "value", func() {
		s.add(m[1][0], v, it.start, it.end)
		s.plan.assume("%s%s is in %s.", strings.ToUpper(m[1])+m[2]+" = ", s.text[it.start:it.end], unitNamed[m[1]])
	})
}

// bareMost is the capacitance or inductance, in SI, from which a unit must be said.
const bareMost = 0.1

var unitNamed = map[string]string{"r": "ohm", "c": "farad", "l": "henry"}

// shortValues reads 1k, 4k7 and 10u, which the units of a sentence do not hold.
func (s *schematic) shortValues(coils bool) {
	for _, m := range shortValue.FindAllStringSubmatchIndex(s.cased, -1) {
		g := groups(s.cased, m)
		if !s.boundary(m[0]) || m[0] > 0 && strings.ContainsRune(".,-+", rune(s.cased[m[0]-1])) || !endOfValue(s.cased[m[1]:]) ||
			g[2] != "" && !strings.Contains(apartPowers, " "+g[3]+" ") || g[4] != "" && (g[2] != "" || strings.Contains(g[1], ".")) ||
			s.withUnit(m[0], m[1]) || g[3] == "K" && s.inKelvin(m[0]) {
			continue
		}
		number := g[1]
		if g[4] != "" {
			number += "." + g[4]
		}
		v, err := strconv.ParseFloat(number+powers[g[3]], 64)
		if err != nil {
			continue
		}
		kind := byte('r')
		switch {
		case strings.Contains("kKRMEGMegmeg", g[3]) && g[3] != "m":
		case strings.HasSuffix(labelKind(s.text[:m[0]]), "l") || coils && labelKind(s.text[:m[0]]) == "":
			kind = 'l'
		case g[3] != "m" || labelKind(s.text[:m[0]]) == "c":
			kind = 'c'
		default:
			continue // of a thousandth it is not known
		}
		if g[2] != "" && g[3] != "k" {
			s.plan.assume("%s is read as %s.", g[0], quantity.Resistance.Format(v))
		}
		s.use(m[0], m[1])
		s.add(kind, v, m[0], m[1])
	}
}

// apartPowers are those that stand behind a space too.
const apartPowers = " k K M MEG Meg meg "

// atKelvin is what stands before a number of kelvin: at 300 K, at 12 V and 300 K, T = 300 K.
var atKelvin = regexp.MustCompile(`\b(?:at|temp(?:erature)?|t)(?: ?(?:of|is|at|=|:))* ?(?:\d[\d.]* ?m?v(?:olts?)? and )?$`)

// inKelvin says whether K behind a number in a sentence about a circuit is the unit of
// temperature and not a thousand ohm.
func (r *reader) inKelvin(start int) bool {
	return atKelvin.MatchString(r.text[:start]) || labelKind(r.text[:start]) == "" && strings.Contains(r.text, "temperature")
}

// withUnit says whether a value goes on with its unit: 4.7K Ohm.
func (s *schematic) withUnit(start, end int) bool {
	return slices.ContainsFunc(s.items, func(it item) bool { return it.class == classQuantity && it.start == start && it.end > end })
}

// labelKind is the letter of the part whose name stands at the end of a text.
func labelKind(text string) string {
	if m := partName.FindStringSubmatch(text[max(0, len(text)-12):]); m != nil {
		return m[1]
	}
	return ""
}

// partValues counts the values that can only be those of parts: 1k, 4k7, 100n.
func (r *reader) partValues() (count int) {
	for _, m := range shortValue.FindAllStringSubmatchIndex(r.cased, -1) {
		if g := groups(r.cased, m); r.boundary(m[0]) && endOfValue(r.cased[m[1]:]) && g[2] == "" && strings.Contains("kRuµμnp", g[3]) {
			count++
		}
	}
	return count
}

// spreadOrRating stands right behind a value: 1k±5%, 100n(63V).
var spreadOrRating = regexp.MustCompile(`^(?:±|\+/?-|\() ?\d`)

func endOfValue(rest string) bool {
	return rest == "" || spreadOrRating.MatchString(rest) || strings.ContainsRune(" ,;:)?!\n/&", rune(rest[0])) || rest[0] == '.' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n')
}

// add takes in a part with its name and its role.
func (s *schematic) add(kind byte, value float64, start, end int) {
	s.use(start, end)
	if saidAgain.MatchString(s.text[:start]) {
		for _, p := range s.parts {
			if p.kind == kind && p.value == value {
				s.again[start] = p
				return
			}
		}
	}
	p := &part{kind: kind, value: value, start: start, end: end}
	s.parts = append(s.parts, p)
	at := start
	if s.before(at, loadName) != nil || s.before(at, loadedWith) != nil {
		p.role = "load"
	} else if m := s.before(at, roleName); m != nil && kind == 'r' {
		p.role = roles[m[1]]
	} else if m := roleSaid.FindStringSubmatch(s.text[:at]); m != nil && m[1] == string(kind) {
		s.before(at, roleSaid)
		p.name, p.role = m[1]+m[2], roles[m[3]]
	} else if m := partName.FindStringSubmatchIndex(s.text[:at]); m != nil && s.text[m[2]:m[3]] == string(kind) {
		p.name = string(kind) + s.text[m[4]:m[5]]
		s.use(m[0], at)
		at = m[0]
	}
	if p.role == "" {
		if m := s.before(at, partRole); m != nil {
			p.role = roles[m[1]]
		}
	}
	if m := partNoun.FindStringSubmatch(s.text[:at]); m != nil && kindOf(m[1]) == kind {
		s.before(at, partNoun)
	}
	s.roleOf(p, end)
}

// kindOf is the kind of part that a noun names.
func kindOf(noun string) byte {
	if noun == "coil" || strings.HasPrefix(noun, "induct") {
		return 'l'
	}
	return noun[0]
}

func (s *schematic) roleOf(p *part, end int) {
	if m := nounBehind.FindStringSubmatch(s.text[end:]); m != nil && kindOf(m[1]) == p.kind {
		s.use(end, end+len(m[0]))
		end += len(m[0])
	}
	for _, exp := range []*regexp.Regexp{roleBehind, asRole, atPlace, inBrackets} {
		if m := exp.FindStringSubmatch(s.text[end:]); m != nil && (p.role == "" || p.role == roles[strings.Fields(m[1])[0]]) {
			s.use(end, end+len(m[0]))
			p.role = roles[strings.Fields(m[1])[0]]
			return
		}
	}
	switch {
	case toSupply.MatchString(s.text[end:]) && (p.role == "" || p.role == "load"): // a load there is none at the output
		s.behind(end, toSupply)
		p.role = "upper"
	case p.role != "" && p.role != "load":
	case p.kind == 'r' && s.behind(end, atOutput) != nil:
		p.role = "load"
	case p.role == "" && s.behind(end, toGround) != nil:
		p.role = "lower"
	}
}
