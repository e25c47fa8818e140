package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// wrappedLeast is what a phase jumps at least, in degrees, where it returns from one
// end of -180 to 180 to the other.
const wrappedLeast = 180

var (
	assignment = regexp.MustCompile(`(?i)^\s*let\s+([\w.]+)\s*=\s*(.+)$`)
	phaseTerm  = regexp.MustCompile(`(?i)\b(?:(?:ph|phase)\(\s*([^()]+(?:\([^()]*\)[^()]*)*)\)|(v|i)p\(\s*([^()]+?)\s*\))`)
)

// phasesOf are the complex quantities whose phase a vector of a meas command is, or
// is computed from by the let commands before it. The continuous phase, cph, is none.
func (s *script) phasesOf(name string, command int, from *plot) []vector {
	text := name
	for i := command - 1; i >= 0; i-- {
		if m := assignment.FindStringSubmatch(strings.ToLower(s.commands[i].text)); m != nil {
			word := regexp.MustCompile(`([a-z]*\(\s*)?\b` + regexp.QuoteMeta(m[1]) + `\b`)
			text = word.ReplaceAllStringFunc(text, func(found string) string {
				if found[0] == 'v' || found[0] == 'i' && strings.Contains(found, "(") {
					return found // a node or a device of that name
				}
				return strings.TrimSuffix(found, m[1]) + "(" + m[2] + ")"
			})
		}
	}
	if strings.Contains(text, "unwrap(") {
		return nil
	}
	var all []vector
	for _, m := range phaseTerm.FindAllStringSubmatch(text, -1) {
		inner := m[1]
		if m[2] != "" {
			inner = m[2] + "(" + m[3] + ")"
		}
		if v, ok := quotient(inner, from); ok {
			v.name = inner
			all = append(all, v)
		}
	}
	return all
}

// quotient is a complex quantity of a plot, or one divided by another.
func quotient(text string, from *plot) (vector, bool) {
	above, below, divided := strings.Cut(text, "/")
	p, ok := parseProbe(above)
	v, has := p.of(from)
	if !ok || !has || v.im == nil || !divided {
		return v, ok && has && v.im != nil
	}
	other, ok := quotient(below, from)
	if !ok {
		return v, false
	}
	q := vector{name: text, kind: v.kind, re: make([]float64, len(v.re)), im: make([]float64, len(v.re))}
	for i := range v.re {
		z := complex(v.re[i], v.im[i]) / complex(other.re[i], other.im[i])
		q.re[i], q.im[i] = real(z), imag(z)
	}
	return q, true
}

// unwrapped is a phase in degrees without its jumps.
func unwrapped(y []float64) []float64 {
	smooth, turns := slices.Clone(y), 0.0
	for i := 1; i < len(y); i++ {
		if step := y[i] - y[i-1]; math.Abs(step) > wrappedLeast {
			turns -= math.Copysign(360, step)
		}
		smooth[i] = y[i] + turns
	}
	return smooth
}

// operands are the vectors that a meas command is of, in their order.
func (r *reading) operands() []string {
	var names []string
	f := strings.Fields(strings.ToLower(equals.ReplaceAllString(r.command, "=")))
	for _, word := range f[min(3, len(f)):] {
		name, value, _ := strings.Cut(word, "=")
		if slices.Contains([]string{r.word, "at", "from", "to", "td", "val", "rise", "fall", "cross", "when", "trig", "targ"}, name) {
			continue
		}
		names = append(names, name)
		if _, number := parseNumber(value); value != "" && !number {
			names = append(names, value)
		}
	}
	return names
}

// jump says where a phase wraps within what a meas command looks at; "" where it
// does not. The simulator takes the jump for a change of the phase.
func (r *reading) jump(s *script) string {
	if r.over == nil || !r.over.complex || r.value == nil {
		return ""
	}
	x := r.over.vectors[0].re
	for _, name := range r.operands() {
		for _, v := range s.phasesOf(name, r.index, r.over) {
			y := phase.of(v).re
			for i := 1; i < len(y); i++ {
				if math.Abs(y[i]-y[i-1]) <= wrappedLeast || x[i] <= r.window.from || x[i-1] >= r.window.to || !r.looksAt(x[i-1], x[i]) {
					continue
				}
				_, within := r.window.cut(x, unwrapped(y))
				lo, hi := bounds(within)
				return fmt.Sprintf("%s looks at the phase of %s, which wraps from %s to %s degrees between %s and %s Hz; the continuous phase goes from %s to %s degrees. Measure that: let p = cph(%s)*180/pi, then meas of p.",
					r.name, v.name, format5(y[i-1]), format5(y[i]), format5(x[i-1]), format5(x[i]), format5(lo), format5(hi), v.name)
			}
		}
	}
	return ""
}

// looksAt says whether a meas command uses what lies between two points: everything
// of its window, or what is at a place.
func (r *reading) looksAt(from, to float64) bool {
	var places []float64
	switch r.word {
	case "find", "deriv", "derivative":
		if places = r.window.places; len(places) == 0 {
			return r.crosses(from)
		}
	case "when":
		places = []float64{*r.value}
	default:
		return true
	}
	return slices.ContainsFunc(places, func(at float64) bool { return from < at && at < to })
}

var crossing = regexp.MustCompile(`(?i)\bwhen\s+([^\s=]+)=(\S+)`)

// crosses says whether the condition of a find is met within the step that begins at
// a place.
func (r *reading) crosses(from float64) bool {
	m := crossing.FindStringSubmatch(equals.ReplaceAllString(r.command, "="))
	if m == nil {
		return false
	}
	p, ok := parseProbe(m[1])
	level, number := parseNumber(m[2])
	v, has := p.of(r.over)
	if !ok || !number || !has || v.im != nil {
		return false
	}
	i := slices.Index(r.over.vectors[0].re, from)
	return i >= 0 && i+1 < len(v.re) && (v.re[i]-level)*(v.re[i+1]-level) <= 0
}

// continuous fails the measurements of a phase that wraps.
func (j *judgement) continuous() {
	for i := range j.readings {
		r := &j.readings[i]
		if why := r.jump(j.script); why != "" {
			r.wraps = true
			j.Check(evidence.Holds("continuous_phase", evidence.Model, r.at, false, why))
		}
	}
	for i := range j.signals {
		if s := &j.signals[i]; s.wraps {
			j.Note("%s wraps at 180 degrees, so its minimum and maximum are those within -180 to 180; probe cph(%s) for the continuous phase.", s.name, s.probe.name)
		}
	}
}
