package circuit

import (
	"math"
	"math/cmplx"
	"slices"
	"strings"
)

// kcl is how well Kirchhoff's current law holds at the nodes whose devices we
// can compute ourselves from the netlist's own values and the node voltages: an
// independent check of netlist, units and solution.
type kcl struct {
	nodes    int     // nodes checked
	residual float64 // the worst sum of currents, in A
	scale    float64 // the largest current at that node, in A
	node     string
}

// flow is the current that a device takes out of its first node and gives to its
// second, at one point; ok is false when the device is none of those that are
// computed here. omega is 0 for direct current.
func (e *element) flow(volt func(string) (complex128, bool), current func(string) (complex128, bool), omega float64, ac bool) (complex128, bool) {
	va, okA := volt(e.nodes[0])
	vb, okB := volt(e.nodes[1])
	value, plain := e.value()
	switch e.kind() {
	case 'r':
		return (va - vb) / complex(value, 0), okA && okB && plain && value >= 1e-3
	case 'c':
		if !plain {
			return 0, false
		}
		return (va - vb) * complex(0, omega*value), okA && okB
	case 'v', 'l', 'e', 'h':
		return current(e.name)
	case 'i':
		i, ok := e.source(ac)
		return i, ok
	case 'g':
		gain, ok := e.numberAt(5)
		vc, okC := volt(e.nodes[2])
		vd, okD := volt(e.nodes[3])
		return (vc - vd) * complex(gain, 0), ok && okC && okD && len(e.tokens) == 6
	case 'f':
		gain, ok := e.numberAt(4)
		if !ok || len(e.tokens) != 5 {
			return 0, false
		}
		i, known := current(e.tokens[3])
		return i * complex(gain, 0), known
	}
	return 0, false
}

// value is a device's only parameter, where it is a plain number; a starting
// condition does not matter here.
func (e *element) value() (float64, bool) {
	if len(e.tokens) != 4 && !(len(e.tokens) == 5 && strings.HasPrefix(e.tokens[4], "ic=")) {
		return 0, false
	}
	return e.numberAt(3)
}

func (e *element) numberAt(i int) (float64, bool) {
	if i >= len(e.tokens) {
		return 0, false
	}
	return parseNumber(e.tokens[i])
}

// source is a current source's direct value, or its ac phasor.
func (e *element) source(ac bool) (complex128, bool) {
	dc, mag, phase := 0.0, 0.0, 0.0
	for i := 3; i < len(e.tokens); i++ {
		switch t := e.tokens[i]; {
		case t == "dc" || t == "ac":
			v, ok := e.numberAt(i + 1)
			if !ok {
				return 0, false
			}
			if i++; t == "dc" {
				dc = v
				continue
			}
			mag = v
			if p, ok := e.numberAt(i + 1); ok {
				phase = p
				i++
			}
		default:
			v, ok := parseNumber(t)
			if !ok || i > 3 {
				return 0, false // a waveform: its value at this point is not read here
			}
			dc = v
		}
	}
	if ac {
		return cmplx.Rect(mag, phase*math.Pi/180), true
	}
	return complex(dc, 0), true
}

// checkKCL sums the currents at every node that has only computable devices, at
// every point of an operating point, dc sweep or ac analysis. swept names the
// devices whose values the sweep changes.
func checkKCL(n *netlist, p *plot, swept []string) kcl {
	ac := p.complex
	var best kcl
	covered := n.computable(p, swept, ac)
	best.nodes = len(covered)
	step := max(1, p.points()/50)
	for at := 0; at < p.points() && len(covered) > 0; at += step {
		sum, scale := map[string]complex128{}, map[string]float64{}
		volt, current := lookups(p, at)
		omega := 0.0
		if ac {
			omega = 2 * math.Pi * p.vectors[0].re[at]
		}
		for i := range n.elements {
			e := &n.elements[i]
			if !covered[at0(e, 0)] && !covered[at0(e, 1)] {
				continue
			}
			c, _ := e.flow(volt, current, omega, ac)
			for side, sign := range []complex128{1, -1} {
				sum[e.nodes[side]] += sign * c
				scale[e.nodes[side]] = max(scale[e.nodes[side]], cmplx.Abs(c))
			}
		}
		for node := range covered {
			r := cmplx.Abs(sum[node])
			if best.node == "" || r-1e-6*scale[node] > best.residual-1e-6*best.scale {
				best.residual, best.scale, best.node = r, scale[node], node
			}
		}
	}
	return best
}

// computedCurrent is the current of a device that the simulator does not keep in
// ac, from the netlist's own value and the voltages.
func (n *netlist) computedCurrent(pr probe, p *plot) (vector, bool) {
	device, ok := strings.CutPrefix(pr.name, "i(")
	e := n.device(strings.TrimSuffix(device, ")"))
	if !ok || e == nil || !p.complex || len(e.nodes) < 2 {
		return vector{}, false
	}
	v := vector{name: pr.label, kind: "current"}
	for at := range p.points() {
		volt, current := lookups(p, at)
		i, ok := e.flow(volt, current, 2*math.Pi*p.vectors[0].re[at], true)
		if !ok {
			return vector{}, false
		}
		v.re, v.im = append(v.re, real(i)), append(v.im, imag(i))
	}
	return v, true
}

func at0(e *element, side int) string {
	if side < len(e.nodes) {
		return e.nodes[side]
	}
	return ""
}

// lookups read node voltages and branch currents at one point of a plot.
func lookups(p *plot, at int) (volt, current func(string) (complex128, bool)) {
	value := func(name string) (complex128, bool) {
		v := p.find(name)
		if v == nil {
			return 0, false
		}
		if v.im == nil {
			return complex(v.re[at], 0), true
		}
		return complex(v.re[at], v.im[at]), true
	}
	volt = func(node string) (complex128, bool) {
		if node == "0" || node == "gnd" {
			return 0, true
		}
		return value("v(" + node + ")")
	}
	return volt, func(device string) (complex128, bool) { return value("i(" + device + ")") }
}

// computable are the nodes, ground aside, all of whose devices can be computed.
func (n *netlist) computable(p *plot, swept []string, ac bool) map[string]bool {
	covered := map[string]bool{}
	if p.points() == 0 {
		return covered
	}
	volt, current := lookups(p, 0)
	for i := range n.elements {
		e := &n.elements[i]
		ok := !e.inner && len(e.nodes) >= 2
		if ok {
			_, ok = e.flow(volt, current, 1, ac)
			if slices.Contains(swept, e.name) && (e.kind() == 'i' || e.kind() == 'r') {
				ok = false
			}
		}
		for side, node := range e.nodes {
			if side >= 2 && ok {
				break // control nodes of e and g carry no current
			}
			before, seen := covered[node]
			covered[node] = ok && (before || !seen)
		}
	}
	for node, ok := range covered {
		if !ok || node == "0" || node == "gnd" {
			delete(covered, node)
		}
	}
	return covered
}

// linear says whether every device is linear by its kind, so that a solution is
// exact to rounding and a tighter tolerance would change nothing.
func (n *netlist) linear() bool {
	return !slices.ContainsFunc(n.elements, func(e element) bool { return !strings.ContainsRune("rclkvieghftou", rune(e.kind())) })
}
