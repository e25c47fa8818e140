package outside

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// written is a number as it stands in a sentence.
type written struct {
	text  string
	value float64
	half  float64 // half a unit of its last digit
	unit  string  // "" where none that is known stands behind it
	bar   bool    // it stands behind ±
}

var (
	// numberStart is a place where a number may begin.
	numberStart = regexp.MustCompile(`(?:^|[\s\x{a0}\x{202f}(\[="'±~≈≃<>≤≥→*\x60])([+\-−]?\.?\d)`)
	// rangeStart is a further number of a range or of dimensions: 500-600, 20x30.
	rangeStart   = regexp.MustCompile(`^[-–—x×]\.?\d`)
	tableUnit    = regexp.MustCompile(`^(?:deg|rad|turn|dB)\b|^°`) // which have no dimension
	factor       = regexp.MustCompile(`^[ ·*][A-Za-zµΩ°]+(?:\^\(?[-−+]?\d\)?|-\d|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)`)
	barBefore    = regexp.MustCompile(`(?:±|\+/-)\s?$`)
	powerOfTen   = regexp.MustCompile(`\s?[×x*·⋅]\s?10\^?\(?([+-]?\d+)\)?$`)
	grouping     = regexp.MustCompile(`[,'\s]`)
	multiplier   = regexp.MustCompile(`^\s?(k|thousand|million|billion|trillion)\b`)
	endOfNumber  = regexp.MustCompile(`^(?:$|[\s\x{a0}\x{202f})\]};%±!?"'*\x60]|[.,:](?:$|[\s)"']))`)
	joins        = regexp.MustCompile(`^\s?(?:±|\+/-|–|to|and|or|,)\s?$`)
	pointAndUnit = regexp.MustCompile(`^\.[\s\x{a0}\x{202f}]`)
	wordAfter    = regexp.MustCompile(`^ [a-z]`)
	// calendar is a date, as 2026-11-26 and 26 November 2026.
	calendar = regexp.MustCompile(`\b(?:\d{4}-\d\d-\d\d|\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*(?: \d{4})?)\b`)
	// label is a short word with a number in it, as M8, H2O and v1.2.3, or a standard, as
	// ISO 4017, at the end of what it is said of.
	label      = regexp.MustCompile(`\b(?:v\d+(?:\.\d+)+|[A-Za-wyz]\d{1,3}|[A-Z]{2}\d{1,2}|H2O|(?:AISI|ANSI|API|ASME|ASTM|BS|DIN|EN|IEC|IEEE|ISO|JIS|SAE|UNS)(?: EN)?(?: ISO)? \d[\d-]*)\b`)
	endOfLabel = regexp.MustCompile(`^(?:$|[\s)]|[.,:;](?:$|\s))`)
	unitBehind = regexp.MustCompile(`^[\s\x{a0}\x{202f}]*[(\[]?`)
)

var times = map[string]float64{"k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

// numbersIn are the numbers of a sentence that are read with certainty, with the unit
// behind each.
func numbersIn(text string) (found []written) {
	rest := []byte(text) // what is read of it is blanked
	for _, m := range calendar.FindAllStringIndex(text, -1) {
		if one := (written{}); one.behind(text, m[1]) > 0 && one.unit == "" {
			blank(rest, m[0], m[1])
		}
	}
	for _, m := range label.FindAllStringIndex(text, -1) {
		if one := (written{}); text[max(0, m[0]-1):m[0]] != "=" && endOfLabel.MatchString(text[m[1]:]) && one.behind(text, m[1]) > 0 && one.unit == "" {
			blank(rest, m[0], m[1])
		}
	}
	sentence, end := string(rest), 0
	for _, m := range numberStart.FindAllStringSubmatchIndex(sentence, -1) {
		if m[2] < end {
			continue
		}
		some, next := numbersAt(sentence, m[2])
		if next == 0 {
			continue
		}
		between := sentence[end:m[2]]
		if k := len(found) - 1; k >= 0 && len(some) == 1 && strings.TrimSpace(between) == "" && found[k].with(some[0]) { // 1 h 30 min
			some = nil
		} else if k >= 0 && found[k].unit == "" && some[0].unit != "" && joins.MatchString(between) {
			found[k].unit = some[0].unit // 3 ± 1 mm
		}
		found, end = append(found, some...), next
	}
	return found
}

func blank(text []byte, from, to int) {
	for i := from; i < to; i++ {
		text[i] = '_'
	}
}

// numbersAt reads the number at a place, or those of a range, which have the unit behind
// the last, and gives where they end; 0 where there is none that is read with certainty.
func numbersAt(text string, at int) (found []written, end int) {
	for {
		number, n, err := quantity.NumberAt(text[at:])
		if err != nil || n == 0 {
			return nil, 0
		}
		one := written{text: text[at : at+n]}
		one.value, _ = number.Float64()
		one.bar = barBefore.MatchString(text[max(0, at-5):at])
		one.half = quantity.HalfDigit(grouping.ReplaceAllString(powerOfTen.ReplaceAllString(strings.Replace(one.text, "−", "-", 1), "e$1"), ""))
		sign := rangeStart.FindString(text[at+n:])
		if one.text == "0" && sign != "" { // 0x1F
			return nil, 0
		}
		if sign == "" {
			if end = one.behind(text, at+n); end == 0 {
				return nil, 0
			}
			found = append(found, one)
			break
		}
		found = append(found, one)
		at += n + len(strings.TrimRight(sign, ".0123456789"))
	}
	last := found[len(found)-1]
	for i := range found[:len(found)-1] {
		if found[i].unit = last.unit; last.unit != "" {
			found[i].text += " " + last.unit
		} else if !last.uncounted() || !found[i].uncounted() { // a version, a telephone number
			return nil, 0
		}
	}
	return found, end
}

// behind reads the multiplier and the unit behind a number, and gives where they end; 0
// where the number is part of something else.
func (n *written) behind(text string, at int) int {
	begin := at - len(n.text)
	if m := multiplier.FindStringSubmatch(text[at:]); m != nil {
		n.value, n.half = n.value*times[m[1]], n.half*times[m[1]]
		at += len(m[0])
	}
	rest := text[at:]
	if m := pointAndUnit.FindString(rest); m != "" { // 5. MPa
		if _, long := quantity.UnitAt(rest[len(m):]); long > 0 {
			return 0
		}
	}
	gap := len(rest) - len(strings.TrimLeft(rest, " \u00a0\u202f"))
	n.unit = tableUnit.FindString(rest[gap:])
	if _, long := quantity.UnitAt(rest[gap:]); long > 0 {
		n.unit = rest[gap : gap+long]
	}
	for n.unit != "" { // kg m^-3
		more := factor.FindString(rest[gap+len(n.unit):])
		if more == "" {
			break
		}
		n.unit += more
	}
	if n.unit == "in" && wordAfter.MatchString(rest[gap+2:]) { // 6 in all
		n.unit = ""
	}
	if n.unit != "" {
		at += gap + len(n.unit)
	} else if !endOfNumber.MatchString(rest) || n.apart(rest) {
		return 0
	}
	n.text = text[begin:at]
	return at
}

// apart says that a unit stands behind a number in another way than right behind it: in
// brackets or on the next line.
func (n *written) apart(rest string) bool {
	gap := unitBehind.FindString(rest)
	unit, long := quantity.UnitAt(rest[len(gap):])
	return len(unit) > 0 && long > 0 && strings.ContainsAny(gap, "\t\n([")
}

// with adds a part in a smaller unit of the same dimension.
func (n *written) with(part written) bool {
	if n.unit == "" || part.unit == "" || n.unit == part.unit {
		return false
	}
	v, err := quantity.Convert(part.value, part.unit, n.unit)
	one, _ := quantity.Convert(1, part.unit, n.unit)
	if err != nil || one >= 1 || math.Abs(v) >= 1 || n.value != math.Trunc(n.value) {
		return false
	}
	n.value, n.half, n.text = n.value+v, part.half*one, n.text+" "+part.text
	return true
}

// uncounted says that a number is small and whole, and no figure.
func (n written) uncounted() bool {
	return n.value == math.Trunc(n.value) && !n.bar && math.Abs(n.value) <= mostUncounted && (n.unit == "" || n.ambiguous())
}

// ambiguous units are words or marks of a sentence as well.
func (n written) ambiguous() bool {
	switch n.unit {
	case "in", `"`, "bar", "min", "a", "A", "V":
		return true
	}
	return false
}

// of says whether a number is a quantity, an end of its error bar or the bar.
func (n written) of(q evidence.Figure) bool {
	value, ok := inUnit(*q.Value, q.Unit, n.unit)
	if n.unit == "%" && q.Error != nil && n.is(100**q.Error/math.Abs(*q.Value)) {
		return true
	}
	if !ok {
		return false
	}
	if n.bar {
		upper, _ := inUnit(*q.Value+cmp.Or(deref(q.Error), math.Inf(1)), q.Unit, n.unit)
		return q.Error != nil && n.is(math.Abs(upper-value))
	}
	if n.is(value) {
		return true
	}
	if q.Error == nil {
		return false
	}
	upper, _ := inUnit(*q.Value+*q.Error, q.Unit, n.unit)
	width := n
	width.bar = true
	return n.is(upper) || n.is(2*value-upper) || width.is(math.Abs(upper-value))
}

// among says that one of some values, which are in order, rounds to what is written.
func (n written) among(values []float64) bool {
	slack := n.half*(1+1e-6) + 1e-12*math.Abs(n.value)
	at, _ := slices.BinarySearch(values, n.value-slack)
	return at < len(values) && values[at] <= n.value+slack
}

func deref(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// mostRounded is how far rounding may take a figure from what it was: 1.4 m are not 1 m.
const mostRounded = evidence.DefaultAccuracy

// is says that a value rounds to what is written; error bars are written with one digit.
func (n written) is(value float64) bool {
	off, slack := math.Abs(n.value-value), 1e-12*math.Abs(value)
	return off <= n.half*(1+1e-6)+slack && (n.bar || off <= mostRounded*math.Abs(value)+slack)
}

// inUnit is a value in another unit, where that is of its dimension; without one it is
// the value itself.
func inUnit(value float64, from, to string) (float64, bool) {
	if to == "" || to == from {
		return value, true
	}
	if v, err := quantity.Convert(value, from, to); err == nil {
		return v, true
	}
	if to == "°" {
		to = "deg"
	}
	if from == "dB" || to == "dB" {
		return 0, false
	}
	v, err := quantity.ParseIn(fmt.Sprintf("%.17g %s", value, from), quantity.Angle, to)
	return v, err == nil
}
