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
	// lineSteps are those of a sweep in 1/TD: resonances of a line are 1/(2 TD) apart,
	// so that each has 20 of them.
	lineSteps = 40
	// linePoints is the most that a sweep is looked at with for the sake of lines.
	linePoints = 20_000
)

var (
	lineKinds  = "touyp"
	lineOption = regexp.MustCompile(`(?i)\b(td|f|nl|len|length|l|c)\s*=\s*([^\s,()]+)`)
)

// delay is the time that waves take through all lines of the circuit, one after the
// other, and what the lines are called; "" where there are none. known is false where
// the netlist does not say a delay in numbers.
func (n *netlist) delay() (total float64, what string, known bool) {
	known = true
	for i := range n.elements {
		e := &n.elements[i]
		if strings.IndexByte(lineKinds, e.kind()) < 0 {
			continue
		}
		if what == "" {
			what = fmt.Sprintf("%s, a transmission line", strings.ToUpper(e.name))
		}
		one, ok := n.delayOf(e)
		total, known = total+one*n.copies(e), known && ok
	}
	return total, what, known
}

// copies is how often a line of a subcircuit stands in the circuit, at most.
func (n *netlist) copies(e *element) float64 {
	if !e.inner {
		return 1
	}
	outer, inner := 0.0, 0.0
	for i := range n.elements {
		if x := &n.elements[i]; x.kind() == 'x' && x.inner {
			inner++
		} else if x.kind() == 'x' {
			outer++
		}
	}
	return math.Max(outer, 1) * (1 + inner*(1+inner))
}

// delayOf is that of one line. A line of resistance and capacitance has none: it damps.
func (n *netlist) delayOf(e *element) (float64, bool) {
	switch e.kind() {
	case 'u':
		return 0, true
	case 't':
		p := lineOptions(e.text)
		if td, ok := p["td"]; ok {
			return td, td > 0
		}
		length, ok := p["nl"]
		if !ok {
			length = 0.25 // the simulator's own
		}
		return length / p["f"], p["f"] > 0
	case 'o', 'y':
		if len(e.tokens) < 6 {
			return 0, false
		}
		for _, c := range n.cards {
			if f := strings.Fields(strings.ToLower(c.text)); len(f) > 2 && f[0] == ".model" && f[1] == e.tokens[5] {
				p := lineOptions(c.text)
				length := math.Max(p["len"], p["length"])
				return length * math.Sqrt(p["l"]*p["c"]), length > 0
			}
		}
	}
	return 0, false
}

// lineOptions are the numbers of a line that its delay follows from.
func lineOptions(text string) map[string]float64 {
	found := map[string]float64{}
	for _, m := range lineOption.FindAllStringSubmatch(text, -1) {
		if v, ok := parseNumber(m[2]); ok {
			found[strings.ToLower(m[1])] = v
		}
	}
	return found
}

// alongLines is a sweep in equal steps that the waves on the circuit's lines demand; ""
// where there are no lines, or it would have too many points.
func (n *netlist) alongLines(before string, p *plot) string {
	total, what, known := n.delay()
	from, to := bounds(p.vectors[0].re)
	points := math.Ceil(math.Max(lineSteps*total*(to-from), 4*float64(p.points()))) + 1
	if what == "" || !known || to <= from || points > linePoints {
		return ""
	}
	return fmt.Sprintf("%s lin %d %s %s", before, int(points), spice(from), spice(to))
}

// lines fails the figures of sweeps over frequency between whose points a line may have
// resonances that no run has looked for, or looked at closely enough.
func (j *judgement) lines() {
	total, what, known := j.net.delay()
	if what == "" {
		return
	}
	swept, unseen := false, map[string]bool{}
	for i := range j.signals {
		s := &j.signals[i]
		c := j.script.analyses()[s.analysis]
		if c.analysis != "ac" && c.analysis != "noise" || s.single || s.total() != "" || j.points(s) < 2 {
			continue
		}
		swept = true
		top, bottom := notSeen, notSeen
		if s.peak() <= 10*s.zero { // all of it is rounding
			continue
		}
		if known {
			top, bottom = j.along(s, total)
		}
		for i, missed := range []string{top, bottom} {
			if missed == "" || s.wraps {
				continue
			}
			unseen[c.analysis] = true
			j.Check(evidence.Holds("between_the_points", evidence.Bounds, s.at+[]string{"/max/y", "/min/y"}[i], false, fmt.Sprintf(
				"%s: because of %s, %s. Sweep a narrower range, with more points.", s.name, what, missed)))
		}
	}
	for _, r := range j.readings {
		if unseen[r.analysis] && r.word != "find" {
			j.Check(evidence.Holds("between_the_points", evidence.Bounds, r.at, false, fmt.Sprintf(
				"%s is read from points between which %s may have resonances that were not looked at closely enough. Sweep a narrower range, with more points.", r.name, what)))
		}
	}
	if swept && len(unseen) == 0 {
		j.Note("The sweep was looked at in steps of at most 1/%d of the reciprocal delay of its lines, %.3g s together, so that no resonance of theirs lies between them.", lineSteps, total)
	}
}

func (j *judgement) points(s *signal) int {
	if plots := j.out.plots[s.analysis]; s.part < len(plots) {
		return plots[s.part].points()
	}
	return 0
}

// notSeen is why an extreme is not believed that no run has looked for closely enough.
const notSeen = "resonances may lie between the points of the sweep that were not looked at closely enough, so that the extreme may be elsewhere and another"

// along says of either extreme of a signal why the lines may have another one: "" where a
// run has looked at all of the sweep in steps that are short beside their delay.
func (j *judgement) along(s *signal, total float64) (top, bottom string) {
	runs := []*plot{j.out.plots[s.analysis][s.part]}
	found := found{stats: s.stats}
	if j.second != nil {
		for k, of := range j.second.of {
			if of == s.analysis && k < len(j.second.out.plots) && s.part < len(j.second.out.plots[k]) {
				runs = append(runs, j.second.out.plots[k][s.part])
			}
		}
		if f, ok := j.second.lookUp(j.net, s); ok {
			found = f
		}
	}
	from, to := bounds(runs[0].vectors[0].re)
	var finest *plot
	for _, p := range runs {
		if p.points() < 2 {
			continue
		}
		low, high := bounds(p.vectors[0].re)
		covers := low <= from*(1+1e-9) && high >= to*(1-1e-9) && widest(p.vectors[0].re)*total*lineSteps <= 1+1e-6
		if covers && (finest == nil || p.points() > finest.points()) {
			finest = p
		}
	}
	if finest == nil {
		return notSeen, notSeen
	}
	v, ok := j.net.vectorOf(s.probe, finest)
	if !ok {
		return notSeen, notSeen
	}
	highest, lowest := s.probe.sharp(finest.vectors[0].re, v)
	top = s.beyondIt("maximum", found.max-s.max, s.max, found.max, found.maxAt)
	if highest > found.max+accuracy*s.size(found.max)+s.zero {
		top = notSeen
	}
	bottom = s.beyondIt("minimum", s.min-found.min, s.min, found.min, found.minAt)
	if lowest < found.min-accuracy*s.size(found.min)-s.zero {
		bottom = notSeen
	}
	return top, bottom
}

// beyondIt says how far the finer steps go beyond an extreme, relative to itself: small
// ones have to be right too.
func (s *signal) beyondIt(word string, by, value, finer, at float64) string {
	if by <= accuracy*s.size(value)+s.zero {
		return ""
	}
	return fmt.Sprintf("the %s is %s %s near %s Hz in finer steps, and %s %s here", word, format5(finer), s.unit, format5(at), format5(value), s.unit)
}

func widest(x []float64) float64 {
	most := 0.0
	for i := 1; i < len(x); i++ {
		most = math.Max(most, math.Abs(x[i]-x[i-1]))
	}
	return most
}

// sharp is how far the extremes of a magnitude reach between its points, where each is a
// single resonance: beside a pole 1/y^2 is a parabola of the frequency, and beside a zero
// y^2 is one. In the form of the probe; of an angle or a part there is no such shape.
func (p probe) sharp(x []float64, v vector) (highest, lowest float64) {
	highest, lowest = math.Inf(-1), math.Inf(1)
	if p.form != whole && p.form != decibel {
		return highest, lowest
	}
	shown := func(square float64) float64 {
		if p.form == decibel {
			return 10 * math.Log10(square)
		}
		return math.Sqrt(square)
	}
	square := make([]float64, len(x))
	for i := range x {
		square[i] = v.magnitude(i) * v.magnitude(i)
		if p.form == decibel {
			square[i] = math.Pow(10, v.re[i]/10)
		}
	}
	for i := 1; i+1 < len(x); i++ {
		a, b, c := square[i-1], square[i], square[i+1]
		switch {
		case b > math.Max(a, c):
			highest = math.Max(highest, shown(1/math.Max(vertex(1/a, 1/b, 1/c), math.SmallestNonzeroFloat64)))
		case b < math.Min(a, c):
			lowest = math.Min(lowest, shown(math.Max(vertex(a, b, c), 0)))
		}
	}
	return highest, lowest
}

// vertex is the least value of the parabola through three values in equal steps, the
// middle one of which is the least.
func vertex(a, b, c float64) float64 { return b - (a-c)*(a-c)/(8*(a-2*b+c)) }

// onlyLines says whether nothing but lines has resonances that are not known.
func (n *netlist) onlyLines() bool {
	_, what, _ := n.delay()
	return what != "" && !slices.ContainsFunc(n.elements, func(e element) bool {
		return strings.IndexByte(lineKinds, e.kind()) < 0 && n.spreads(&e) != ""
	})
}
