package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// solveAgain solves small linear circuits by nodal analysis from the netlist's
// values, and holds the figures of operating points, sweeps and ac against that.
func (j *judgement) solveAgain() {
	for i := range j.signals {
		s := &j.signals[i]
		c := j.script.analyses()[s.analysis]
		if s.part >= len(j.out.plots[s.analysis]) || !slices.Contains([]string{"op", "dc", "ac"}, c.analysis) {
			continue
		}
		m := j.nodal(c.analysis == "ac")
		if m == nil {
			continue
		}
		p := j.out.plots[s.analysis][s.part]
		f := tokens(c.text)
		if c.analysis == "dc" && len(f) > 5 {
			continue // the plot does not say where a second source stands
		}
		worst, passed := 0.0, 0
		for k, index := range []int{len(p.vectors[0].re) - 1, s.minIndex, s.maxIndex}[:len(s.parts())] {
			value := s.parts()[k]
			omega, swept, at := 0.0, "", 0.0
			switch c.analysis {
			case "ac":
				omega = 2 * math.Pi * p.vectors[0].re[index]
			case "dc":
				swept, at = f[1], p.vectors[0].re[index]
			}
			other, ok := m.shown(s.probe, omega, swept, at, c.analysis == "ac")
			if !ok {
				break
			}
			change := s.probe.form.difference(other, value.value)
			scale := math.Max(s.peak(), math.Max(noiseOf(s.unit), 1e-9*m.largest))
			if change > nodalLimit*scale {
				scale += m.rounding(s.probe, omega, swept, at, c.analysis == "ac") / nodalLimit
			}
			worst = math.Max(worst, change/scale)
			// In ac this error is that of one frequency; the extremes get theirs from the sweep.
			if c.analysis != "ac" || value.suffix == "/final" {
				j.addError(s.at+value.suffix, safety*change)
			}
			passed++
		}
		if passed < len(s.parts()) {
			continue
		}
		figure, what := s.at, "at the figures shown"
		if c.analysis == "ac" {
			figure, what = s.at+"/final", "at the frequencies of the figures shown"
		}
		sentence := fmt.Sprintf("%s: nodal analysis from the netlist's values gives the same within %.2g, %s.", s.name, worst, what)
		if worst > nodalLimit {
			sentence = fmt.Sprintf("%s: nodal analysis from the netlist's values gives another result; they differ by %.2g of it. Check the values of the netlist for units and suffixes that the simulator reads otherwise.", s.name, worst)
		}
		j.hold(s, []evidence.Check{evidence.Within("nodal_analysis", evidence.Independent, figure, worst, nodalLimit, "1", sentence)})
	}
	j.release()
}

// nodal is the circuit for nodal analysis; nil where it is not plain and linear.
func (j *judgement) nodal(ac bool) *nodal {
	m, tried := j.models[ac]
	if !tried {
		var ok bool
		if m, ok = j.net.nodal(ac); !ok {
			m = nil
		}
		j.models[ac] = m
	}
	return m
}

// nodalLimit is far above rounding, and below what any misread value changes.
const nodalLimit = 1e-6

// magnitude is a quantity by nodal analysis: real in dc, its magnitude in ac.
func (m *nodal) magnitude(name string, omega float64, swept string, value float64, ac bool) (float64, bool) {
	return m.shown(probe{name: name}, omega, swept, value, ac)
}

// shown is a probe by nodal analysis: real in dc, in its form in ac.
func (m *nodal) shown(p probe, omega float64, swept string, value float64, ac bool) (float64, bool) {
	key := fmt.Sprintf("%g %s %g", omega, swept, value)
	x, ok := m.solved[key]
	if !ok {
		var err error
		if x, err = m.solve(omega, swept, value, 0); err != nil {
			x = nil
		}
		m.solved[key] = x
		for _, v := range x {
			m.largest = math.Max(m.largest, v.size())
		}
	}
	return m.read(p, x, omega, ac)
}

func (m *nodal) read(p probe, x map[string]wide, omega float64, ac bool) (float64, bool) {
	v, ok := m.quantity(x, p.name, omega)
	if ac {
		return p.form.value(v.narrowed()), ok
	}
	return v.re.hi, ok
}

const (
	roundingTrials = 3
	roundingSteps  = 64 // digits of rounding that elimination adds up to, at most
)

// rounding is how far the rounding of float64 in the simulator may carry a figure:
// what a digit of the matrix does to it, many times over, and the digit that the
// operands of a difference lose.
func (m *nodal) rounding(p probe, omega float64, swept string, value float64, ac bool) float64 {
	exact, _ := m.shown(p, omega, swept, value, ac)
	worst := 0.0
	for trial := range roundingTrials {
		x, err := m.solve(omega, swept, value, trial+1)
		if err != nil {
			return 0
		}
		if other, ok := m.read(p, x, omega, ac); ok {
			worst = math.Max(worst, math.Abs(other-exact))
		}
	}
	if p.form == whole && strings.HasPrefix(p.name, "v(") {
		worst += epsilon * m.largest / roundingSteps
	}
	return roundingSteps * worst
}

// quantity reads v(a), v(a,b) or i(device) from a solution.
func (m *nodal) quantity(x map[string]wide, name string, omega float64) (wide, bool) {
	if x == nil {
		return wide{}, false
	}
	if v, ok := x[name]; ok {
		return v, true
	}
	if inner, ok := strings.CutPrefix(name, "v("); ok {
		a, b, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		var sides [2]wide
		for k, node := range []string{a, b} {
			v, known := x["v("+node+")"]
			if !known && node != "" && !isGround(node) {
				return wide{}, false
			}
			sides[k] = v
		}
		return sides[0].minus(sides[1]), true
	}
	for _, d := range m.devices {
		if name == "i("+d.name+")" && (d.kind == 'r' || d.kind == 'c') {
			v, _ := m.quantity(x, "v("+d.nodes[0]+","+d.nodes[1]+")", omega)
			if d.kind == 'r' {
				return v.over(widened(complex(d.value, 0))), true
			}
			return v.times(widened(complex(0, omega*d.value))), true
		}
	}
	return wide{}, false
}
