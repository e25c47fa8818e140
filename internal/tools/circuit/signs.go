package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

const (
	powersMost = 40   // of one card that are written anew
	signChange = 1e-3 // of a figure's size: more than rounding makes of a step
)

var (
	operandBefore = regexp.MustCompile(`[\w.]+\s*$`)
	operandAfter  = regexp.MustCompile(`^\s*[-+]?[\w.]*`)
)

// signed is an expression with the powers that could lose their sign written so that
// they keep it, as they do for whole exponents: |x|^y cos(pi y) where x is negative.
func signed(text, of string) (string, bool) {
	for range powersMost {
		from, to, base, exponent, found := losing(text, of)
		if !found {
			return text, true
		}
		if base == "" || exponent == "" {
			return text, false
		}
		text = fmt.Sprintf("%s(pow(abs(%s),(%s))*((%s)<0 ? cos(3.14159265358979*(%s)) : 1))%s", text[:from], base, exponent, base, exponent, text[to:])
	}
	return text, false
}

// losing finds the first power that foldsSign tells of.
func losing(text, of string) (from, to int, base, exponent string, found bool) {
	for _, at := range powerSign.FindAllStringIndex(text, -1) {
		if evenExponent.MatchString(text[at[1]:]) || notNegative(text[:at[0]]) {
			continue
		}
		from, to = operandStart(text[:at[0]]), at[1]+operandLength(text[at[1]:])
		return from, to, strings.TrimSpace(text[from:at[0]]), strings.TrimSpace(text[at[1]:to]), true
	}
	for _, at := range powFunction.FindAllStringSubmatchIndex(text, -1) {
		base, exponent := argumentsOf(text[at[1]:])
		if strings.EqualFold(text[at[2]:at[3]], of) && !evenExponent.MatchString(exponent) && !notNegative(base) {
			return at[0], at[1] + len(base) + 1 + len(exponent) + 1, base, exponent, true
		}
	}
	return 0, 0, "", "", false
}

// operandStart is where what a power sign follows begins: a name, a number, a
// parenthesis or a function.
func operandStart(text string) int {
	end := len(strings.TrimRight(text, " \t"))
	start := end
	if strings.HasSuffix(text[:end], ")") {
		for depth := 0; start > 0; {
			start--
			if depth += strings.Count(text[start:start+1], ")") - strings.Count(text[start:start+1], "("); depth == 0 {
				break
			}
		}
	}
	if at := operandBefore.FindStringIndex(text[:start]); at != nil && text[start-1] != ' ' {
		return at[0]
	}
	return start
}

// operandLength is that of what follows a power sign.
func operandLength(text string) int {
	end := len(operandAfter.FindString(text))
	if end < len(text) && text[end] == '(' {
		first, second := argumentsOf(text[end+1:])
		inside := len(first)
		if second != "" {
			inside += 1 + len(second)
		}
		return min(end+inside+2, len(text))
	}
	if brace := strings.IndexByte(text, '}'); end < len(text) && text[end] == '{' && brace > 0 {
		return brace + 1
	}
	return end
}

// withSigns is the netlist with its powers as they are in mathematics; changed is
// false where it has none that could lose their sign, or one that is not read here.
func (n *netlist) withSigns() (lines []string, changed bool) {
	lines = slices.Clone(n.lines)
	rewrite := func(c card, of string) bool {
		text, ok := signed(c.text, of)
		if !ok || text != c.text && !replaceCard(lines, c.number-1+n.shift, text) {
			return false
		}
		changed = changed || text != c.text
		return true
	}
	for i := range n.elements {
		of := "pwr"
		if strings.IndexByte("beg", n.elements[i].kind()) >= 0 {
			of = "pow"
		}
		if !rewrite(n.elements[i].card, of) {
			return nil, false
		}
	}
	for _, c := range n.cards {
		switch firstWord(c.text) {
		case ".param", ".subckt", ".model", ".csparam":
			if !rewrite(c, "pwr") {
				return nil, false
			}
		case ".func":
			if !rewrite(c, "pow") {
				return nil, false
			}
		}
	}
	return lines, changed
}

// powers fails the figures that are others where powers keep the sign of a negative
// base: the simulator takes most of them of its magnitude.
func (j *judgement) powers(p *prober, d *deck) {
	lines, ok := j.net.withSigns()
	if !ok || j.net.random() {
		return
	}
	circuit := *j.net
	circuit.lines = lines
	again := &deck{net: &circuit, commands: d.commands, currents: d.currents, saved: d.saved, extra: d.extra, prefix: "signs_"}
	out, err := p.run(again, "signs.cir", p.call.Limits.Timeout()/4)
	if err != nil {
		return
	}
	const hint = " The simulator takes a power of a negative base as that of its magnitude: write x*x*x for x^3, in a parameter pow(x,3)."
	for i := range j.signals {
		s := &j.signals[i]
		if s.analysis >= len(out.plots) || s.part >= len(out.plots[s.analysis]) {
			continue
		}
		plot := out.plots[s.analysis][s.part]
		v, ok := j.net.vectorOf(s.probe, plot)
		if !ok || plot.points() == 0 {
			continue
		}
		other := signal{single: s.single, stats: statsOf(plot, v)}
		for k, part := range other.parts() {
			one := s.parts()[k]
			if math.Abs(part.value-one.value) > signChange*math.Max(s.peak(), smallest(s.unit)) {
				j.Check(evidence.Holds("power_of_magnitude", evidence.Model, s.at+one.suffix, false,
					fmt.Sprintf("The %s of %s is %s, and %s where powers keep the sign of their base.", one.word, s.name, format5(one.value), format5(part.value))+hint))
			}
		}
	}
	measured := measurements(j.script, out.log.Stdout)
	for i := range j.readings {
		r := &j.readings[i]
		if other := measured[r.key]; r.value != nil && other != nil && math.Abs(*other-*r.value) > signChange*math.Max(math.Abs(*r.value), r.scale) {
			j.Check(evidence.Holds("power_of_magnitude", evidence.Model, r.at, false, fmt.Sprintf("%s is %s, and %s where powers keep the sign of their base.", r.name, format5(*r.value), format5(*other))+hint))
		}
	}
}
