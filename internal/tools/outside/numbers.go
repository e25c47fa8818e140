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
	// numberStart is a place where a number may begin: what follows a letter or a
	// hyphen is a name or a range.
	numberStart = regexp.MustCompile(`(?:^|[\s\x{a0}\x{202f}(\[="'±~≈≃<>≤≥→])([+\-−]?\.?\d)`)
	standard    = regexp.MustCompile(`\b[A-Z]{2,}\s$`)            // ISO 4017
	tableUnit   = regexp.MustCompile(`^(?:deg|rad|turn|dB)\b|^°`) // which have no dimension
	factor      = regexp.MustCompile(`^[ ·*][A-Za-zµΩ°]+(?:\^\(?[-−+]?\d\)?|-\d|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)`)
	barBefore   = regexp.MustCompile(`(?:±|\+/-)\s?$`)
	month       = regexp.MustCompile(`^ (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b`)
	powerOfTen  = regexp.MustCompile(`\s?[×x*·⋅]\s?10\^?\(?([+-]?\d+)\)?$`)
	grouping    = regexp.MustCompile(`[,'\s]`)
	multiplier  = regexp.MustCompile(`^\s?(k|thousand|million|billion|trillion)\b`)
	endOfNumber = regexp.MustCompile(`^(?:$|[\s\x{a0}\x{202f})\]};%±!?"']|[.,:](?:$|[\s)"']))`)
	joins       = regexp.MustCompile(`^\s?(?:±|\+/-|–|to|and|or|,)\s?$`)
	wordAfter   = regexp.MustCompile(`^ [a-z]`)
)

var times = map[string]float64{"k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

// numbersIn are the numbers of a sentence, with the unit behind each.
func numbersIn(text string) []written {
	var found []written
	end := 0
	for _, m := range numberStart.FindAllStringSubmatchIndex(text, -1) {
		at := m[2]
		if at < end || standard.MatchString(text[max(0, at-12):at]) {
			continue
		}
		number, n, err := quantity.NumberAt(text[at:])
		if err != nil || n == 0 {
			continue
		}
		one := written{text: text[at : at+n]}
		one.value, _ = number.Float64()
		one.bar = barBefore.MatchString(text[max(0, at-5):at])
		one.half = quantity.HalfDigit(grouping.ReplaceAllString(powerOfTen.ReplaceAllString(strings.Replace(one.text, "−", "-", 1), "e$1"), ""))
		next := one.behind(text, at+n)
		if next == 0 {
			continue
		}
		if k := len(found) - 1; k >= 0 && strings.TrimSpace(text[end:at]) == "" && found[k].with(one) { // 1 h 30 min
			end = next
			continue
		}
		if k := len(found) - 1; k >= 0 && found[k].unit == "" && one.unit != "" && joins.MatchString(text[end:at]) {
			found[k].unit = one.unit // 3 ± 1 mm
		}
		end = next
		found = append(found, one)
	}
	return found
}

// behind reads the multiplier and the unit behind a number, and gives where they end; 0
// where the number is part of a name, a range or a date.
func (n *written) behind(text string, at int) int {
	begin := at - len(n.text)
	if m := multiplier.FindStringSubmatch(text[at:]); m != nil {
		n.value, n.half = n.value*times[m[1]], n.half*times[m[1]]
		at += len(m[0])
	}
	rest := text[at:]
	if month.MatchString(rest) { // 26 November 2026
		return 0
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
	} else if !endOfNumber.MatchString(rest) {
		return 0
	}
	n.text = text[begin:at]
	return at
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

// ambiguous units are words or marks of a sentence as well.
func (n written) ambiguous() bool {
	switch n.unit {
	case "in", `"`, "bar", "min", "a", "A", "V":
		return true
	}
	return false
}

// of says whether a number is a quantity, an end of its error bar or the bar, and
// whether it is the quantity itself, in words that nobody can misread.
func (n written) of(q evidence.Figure) (stated, same bool) {
	value, ok := inUnit(*q.Value, q.Unit, n.unit)
	if n.unit == "%" && q.Error != nil && n.is(100**q.Error/math.Abs(*q.Value)) {
		return true, false
	}
	if !ok {
		return false, false
	}
	if n.bar {
		upper, _ := inUnit(*q.Value+cmp.Or(deref(q.Error), math.Inf(1)), q.Unit, n.unit)
		return q.Error != nil && n.is(math.Abs(upper-value)), false
	}
	if n.is(value) {
		return true, n.unit != "" || q.Unit == "1"
	}
	if q.Error == nil {
		return false, false
	}
	upper, _ := inUnit(*q.Value+*q.Error, q.Unit, n.unit)
	return n.is(upper) || n.is(2*value-upper) || n.is(math.Abs(upper-value)), false
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

// is says that a value rounds to what is written.
func (n written) is(value float64) bool {
	return math.Abs(n.value-value) <= n.half*(1+1e-6)+1e-12*math.Abs(value)
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
