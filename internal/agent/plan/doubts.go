package plan

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

var (
	// timesSign stands beside a number that it multiplies by, or by which something is
	// multiplied: 2 x 100 nF, 10 times the corner, 100 nF x2.
	timesSign = regexp.MustCompile(`(\d+(?:\.\d+)?) ?(?:x|×|\*|⋅|·|times\b|[- ]?fold\b)(?:[^a-z]|$)|\d[\d.]* ?[a-zωµμ]* ?\(?(?:x|×|\*|⋅|·) ?\d+(?:[^\w.]|$)`)
	// powerOfTen makes a number in scientific notation of what stands before it.
	powerOfTen = regexp.MustCompile(`^[x×*⋅·]? ?10 ?(?:\^|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])`)
	multiplied = regexp.MustCompile(`^(?: ?(?:the |a |an |its |that )?[a-z][a-z-]*(?: constants?| frequency)?| ?\d[\d.]*)`)
	// shareOf is a frequency or a time that is said by another.
	shareOf = regexp.MustCompile(`\d ?(?:%|percent) of (?:the |its )?(?:corner|cut-?off|time constant)[a-z -]*|\d[\d.]* ?(?:f_?[c0]|f_?3db|ω_?[c0]|τ)(?:[^\w]|$)`)
	counts  = regexp.MustCompile(`\b\d+ (?:[a-z]+ )?(?:capacitors|inductors|coils)\b`)
)

// products asks for the value of what is said as a product: of parts it is not known how
// they are connected, and of other quantities only a number is read.
func (r *reader) products() bool {
	for _, m := range timesSign.FindAllStringSubmatchIndex(r.text, -1) {
		start, end := m[0], m[1]
		if m[2] < 0 {
			if r.text[m[1]-1] < '0' || r.text[m[1]-1] > '9' {
				end--
			}
			r.plan.ask(start, "number", fmt.Sprintf("%q is a product, which is not read: write the request with its value, or of several parts in parallel or in series with the value that they have together.", r.cased[start:end]), wholeExample)
			return true
		}
		after := m[3] + len(timesOnly.FindString(r.text[m[3]:]))
		if powerOfTen.MatchString(r.text[after:]) {
			continue
		}
		r.product(start, m[3], after)
		return true
	}
	if m := counts.FindStringIndex(r.text); m != nil {
		r.plan.ask(m[0], "number", fmt.Sprintf("%q are several parts: are they in parallel or in series? Write the request with the value that they have together.", r.cased[m[0]:m[1]]), wholeExample)
		return true
	}
	if m := shareOf.FindStringIndex(r.text); m != nil && constants.FindStringIndex(r.text) == nil {
		start := m[0]
		for start > 0 && strings.ContainsRune("0123456789.", rune(r.text[start-1])) {
			start--
		}
		r.plan.ask(start, "number", fmt.Sprintf("%q is said by another value, which is not read: write the request with the value itself.", strings.TrimRight(r.cased[start:m[1]], " ,;.:?!)")), wholeExample)
		return true
	}
	return false
}

var timesOnly = regexp.MustCompile(`^ ?(?:x|×|\*|⋅|·|times|[- ]?fold) ?`)

// product asks for the value of a number times what stands behind it.
func (r *reader) product(start, numberEnd, after int) {
	count, _ := strconv.ParseFloat(r.text[start:numberEnd], 64)
	number, n, err := quantity.NumberAt(r.cased[after:])
	if n == 0 || err != nil {
		end := after + len(multiplied.FindString(r.text[after:]))
		r.plan.ask(start, "number", fmt.Sprintf("%q is a product, which is not read: write the request with the value itself.", strings.TrimSpace(r.cased[start:end])), wholeExample)
		return
	}
	it := item{start: after, end: after + n}
	it.numbers = append(it.numbers, number)
	if units, gap, un := r.unitAfter(it.end); un > 0 {
		it.units, it.end = units, it.end+gap+un
	} else if m := shortValue.FindStringSubmatchIndex(r.cased[after:]); m != nil && m[0] == 0 {
		it.end = after + m[1]
		power := r.cased[after+m[6] : after+m[7]]
		if v, err := strconv.ParseFloat(r.cased[after+m[2]:after+m[3]]+powers[power], 64); err == nil {
			it.numbers[0].SetFloat64(v)
			it.units, _ = quantity.ParseUnit(map[bool]string{true: "ohm", false: "F"}[strings.Contains("kKRMEGMegmeg", power)])
		}
	}
	said := r.cased[start:it.end]
	for _, k := range []quantity.Kind{quantity.Resistance, quantity.Inductance, quantity.Capacitance} {
		if v, ok := it.si(k); ok && count >= 2 {
			less, more := k.Format(v/count), k.Format(v*count)
			if k.Dim == quantity.Capacitance.Dim {
				less, more = more, less
			}
			r.plan.ask(start, "number", fmt.Sprintf("%q are several parts: are they in parallel, which together is %s, or in series, which is %s? Write the request with the value that is meant.", said, less, more), r.instead(start, it.end, less))
			return
		}
	}
	for _, k := range []quantity.Kind{quantity.Frequency, quantity.Time, quantity.Voltage} {
		if v, ok := it.si(k); ok {
			r.plan.ask(start, "number", fmt.Sprintf("%q is a product, which is not read: write the request with its value, %s.", said, k.Format(v*count)), r.instead(start, it.end, k.Format(v*count)))
			return
		}
	}
	r.plan.ask(start, "number", fmt.Sprintf("%q is a product, which is not read: write its value in the request.", said), wholeExample)
}

const wholeExample = "RC low-pass with R = 1 kOhm and C = 200 nF, gain at 10 kHz"

// instead is the request with other words at a place, as an example of what to write.
func (r *reader) instead(start, end int, words string) string {
	whole := strings.TrimSpace(r.cased[:start] + words + r.cased[end:])
	if len(whole) > 150 || strings.ContainsAny(whole, "\"\n") {
		return wholeExample
	}
	return whole
}

var (
	bothSigns = regexp.MustCompile(`[±∓]|\+ ?/ ?[-−–] ?|\+ ?[-−–] ?|[-−–] ?/ ?\+ ?|\bplus ?(?:/|-|or|and)? ?minus `)
	signPairs = regexp.MustCompile(`[-+−–]? ?(\d+(?:\.\d+)?)(?: ?v(?:olts?)?)? ?(?:/|,|&|and|or) ?[-+−–] ?(\d+(?:\.\d+)?) ?v`)
	spreadHas = regexp.MustCompile(`\d ?(meg|[kmunpµμr])?(v|volts?|ohms?|Ω|ω|f|h|hz)? ?\(?$`)
)

// polarity asks which supply a voltage of both signs is. Behind a value of its own kind
// it is how far that spreads, which no step uses.
func (r *reader) polarity() bool {
	for _, m := range bothSigns.FindAllStringIndex(r.text, -1) {
		at := m[1] + len(r.text[m[1]:]) - len(strings.TrimLeft(r.text[m[1]:], " "))
		number, n, err := quantity.NumberAt(r.cased[at:])
		if n == 0 || err != nil {
			continue
		}
		units, gap, un := r.unitAfter(at + n)
		it := item{numbers: []*big.Rat{number}, units: units, start: m[0], end: at + n + gap + un}
		before := spreadHas.FindStringSubmatch(r.text[:m[0]])
		volts := un > 0 && it.is(quantity.Voltage) || swingUnit.MatchString(r.text[at+n:])
		switch {
		case volts && (before == nil || !strings.HasPrefix(before[2], "v")):
			return r.askPolarity(it.start, max(it.end, at+n+len(voltsOf.FindString(r.text[at+n:]))), r.cased[at:at+n])
		case volts, before != nil && (it.is(quantity.Resistance) || it.is(quantity.Capacitance) || it.is(quantity.Inductance)):
			r.use(it.start, it.end)
			r.plan.leave(r.cased[it.start:it.end])
		case before != nil && strings.HasSuffix(r.text[:it.end], "%"):
			r.use(it.start, it.end)
			r.plan.leave(r.cased[at:it.end])
		}
	}
	for _, m := range signPairs.FindAllStringSubmatchIndex(r.text, -1) {
		if r.text[m[2]:m[3]] == r.text[m[4]:m[5]] && strings.ContainsAny(r.text[m[0]:m[1]], "-−–") && !r.isUsed(m[0], m[1]) {
			return r.askPolarity(m[1]-len(strings.TrimLeft(r.text[m[0]:m[1]], " ")), m[1], r.text[m[2]:m[3]])
		}
	}
	return false
}

func (r *reader) askPolarity(start, end int, number string) bool {
	r.plan.ask(start, "value", fmt.Sprintf("%q can be one supply of %s V, or two that reach from -%s V to +%s V: which is meant? Write the request with one voltage, or give the circuit as a SPICE netlist in a fenced block.",
		strings.TrimSpace(r.cased[start:end]), number, number, number), r.instead(start, end, number+" V"))
	return true
}
