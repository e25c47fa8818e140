package circuit

import (
	"fmt"
	"maps"
	"math"
	"math/cmplx"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// balance is how well the currents of all devices at a node sum to zero, over the
// nodes at which every device's current is known.
type balance struct {
	nodes, of int             // nodes summed, of the circuit's
	summed    map[string]bool // their names
	remainder                 // the worst
	over      []remainder     // those above what is allowed
	plot      *plot           // of the currents
	shunt     float64         // conductance that the caller's options put from every node to ground
}

// terminals are the currents that the simulator keeps of a device with
// savecurrents, into its nodes in their order; the last one of a device with two
// nodes flows out again.
var terminals = map[byte][]string{
	'r': {"i"}, 'c': {"i"}, 'd': {"id"}, 'i': {"current"}, 'b': {"i"}, 'g': {"i"}, 'f': {"i"}, // not of switches: at an operating point the simulator keeps what one carries when it is open
	'm': {"id", "ig", "is", "ib"}, 'q': {"ic", "ib", "ie"}, 'j': {"id", "ig", "is"}, 'z': {"id", "ig", "is"},
}

// isVDMOS says whether a device is a power MOSFET, which has no bulk.
func (e *element) isVDMOS() bool { return e.kind() == 'm' && len(e.nodes) == 3 }

// terminals are those of a device.
func (e *element) terminals() []string {
	names := terminals[e.kind()]
	if e.isVDMOS() {
		return names[:3]
	}
	return names
}

// lookup reads a vector at a point of a plot.
func lookup(p *plot, name string, at int) (complex128, bool) {
	v := p.find(name)
	if v == nil {
		return 0, false
	}
	if v.im == nil {
		return complex(v.re[at], 0), true
	}
	return complex(v.re[at], v.im[at]), true
}

func isGround(node string) bool { return node == "0" || node == "gnd" }

// savedCurrents are the currents into a device's nodes as the simulator kept them.
// Those of a p-channel device are kept as if it were its n-channel twin.
func (n *netlist) savedCurrents(e *element, p *plot, at int) ([]complex128, bool) {
	currents, ok := e.keptCurrents(p, at)
	if strings.IndexByte("mjz", e.kind()) >= 0 && slices.ContainsFunc(e.tokens[1:], func(t string) bool { return n.pchannel[t] }) {
		for i := range currents {
			currents[i] = -currents[i]
		}
	}
	return currents, ok
}

func (e *element) keptCurrents(p *plot, at int) ([]complex128, bool) {
	if strings.IndexByte("vleh", e.kind()) >= 0 {
		i, ok := lookup(p, "i("+e.name+")", at)
		return []complex128{i, -i}, ok
	}
	names := e.terminals()
	if names == nil || len(e.nodes) < 2 || len(e.nodes) < len(names) {
		return nil, false
	}
	currents := make([]complex128, 0, len(names)+1)
	for _, parameter := range names {
		i, ok := lookup(p, "i(@"+e.name+"["+parameter+"])", at)
		if !ok {
			return nil, false
		}
		currents = append(currents, i)
	}
	if len(names) == 1 {
		currents = append(currents, -currents[0])
	}
	return currents, true
}

var switchProbe = regexp.MustCompile(`@[sw][^\[]*\[[ip]\]`)

// switchesAtRest fails currents and powers of switches at an operating point: the
// simulator computes them as if each stood as it is written to begin.
func (j *judgement) switchesAtRest() {
	for k := range j.signals {
		s := &j.signals[k]
		if j.script.analyses()[s.analysis].analysis == "op" && switchProbe.MatchString(s.probe.name) {
			j.Check(evidence.Holds("switch_at_rest", evidence.Model, s.at, false, s.name+" is not what the switch carries at an operating point: the simulator takes its resistance from before the solution. Put a source of 0 V in series and take its current, or sweep."))
		}
	}
}

// sumCurrents applies Kirchhoff's current law to every node whose devices' currents
// are all known, at up to 50 points of a plot. The devices are those of the flat
// circuit, subcircuits resolved.
func sumCurrents(devices []element, p *plot, shunt float64, currents func(e *element, at int) ([]complex128, bool)) balance {
	known, all := map[string]bool{}, map[string]bool{}
	for i := range devices {
		e := &devices[i]
		_, ok := currents(e, 0)
		for side, node := range e.nodes {
			if side >= 2 && strings.IndexByte("egs", e.kind()) >= 0 {
				break // control nodes carry no current
			}
			before, seen := known[node]
			known[node] = ok && (before || !seen)
			all[node] = true
		}
	}
	maps.DeleteFunc(known, func(node string, ok bool) bool { return !ok || isGround(node) })
	delete(all, "0")
	delete(all, "gnd")
	b := balance{nodes: len(known), of: len(all), summed: known, plot: p, shunt: shunt}
	step := max(1, p.points()/50)
	for at := 0; at < p.points() && len(known) > 0; at += step {
		volt := func(node string) float64 {
			v, _ := lookup(p, "v("+node+")", at)
			return real(v)
		}
		size := func(node string) float64 {
			v, _ := lookup(p, "v("+node+")", at)
			return cmplx.Abs(v)
		}
		b.sum(devices, at, volt, size, func(e *element) ([]complex128, bool) { return currents(e, at) })
	}
	return b
}

func (b *balance) sum(devices []element, at int, volt, size func(node string) float64, currents func(e *element) ([]complex128, bool)) {
	sum, scale, steep, rounded := map[string]complex128{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	for i := range devices {
		e := &devices[i]
		if !slices.ContainsFunc(e.nodes, func(node string) bool { return b.summed[node] }) {
			continue
		}
		into, _ := currents(e)
		by := 1.0
		if strings.IndexByte("dqmjz", e.kind()) >= 0 {
			by += e.steepness(volt)
		}
		lost := e.roundedCurrent(size)
		for side, current := range into {
			node := e.nodes[side]
			rounded[node] += lost
			sum[node] += current
			scale[node] = max(scale[node], cmplx.Abs(current))
			steep[node] = max(steep[node], by*cmplx.Abs(current))
		}
	}
	for _, node := range slices.Sorted(maps.Keys(b.summed)) {
		leak := complex(b.shunt*volt(node), 0)
		r := remainder{node: node, at: at, residual: cmplx.Abs(sum[node] + leak), scale: scale[node],
			allowed: balanceLimit*(scale[node]+steep[node]+cmplx.Abs(leak)) + rounded[node] + noCurrentLimit}
		if b.node == "" || r.excess() > b.excess() {
			b.remainder = r
		}
		if r.excess() > 0 {
			b.over = append(b.over, r)
		}
	}
}

// roundedCurrent is what the last digits of its voltages are in the current of a
// resistor.
func (e *element) roundedCurrent(size func(node string) float64) float64 {
	v, ok := e.value()
	if e.kind() != 'r' || !ok || v == 0 {
		return 0
	}
	return 4 * epsilon * (size(e.nodes[0]) + size(e.nodes[1])) / math.Abs(v)
}

// steepness is how much more the current of a junction changes than its voltage,
// both relative: V over the thermal voltage. The simulator ends its iteration by
// the voltage, so that the current is known only so much worse.
func (e *element) steepness(volt func(node string) float64) float64 {
	across := 0.0
	for _, node := range e.nodes[1:min(len(e.nodes), 3)] {
		a, b := 0.0, 0.0
		if !isGround(e.nodes[0]) {
			a = volt(e.nodes[0])
		}
		if !isGround(node) {
			b = volt(node)
		}
		across = max(across, min(a-b, 1), min(b-a, 1))
	}
	return across / thermalVoltage
}

const thermalVoltage = 0.02586 // at 27 degC, in V

// balanceLimit is the part of a node's largest current that may be left over: the
// relative tolerance of the second run, whose currents are summed.
const balanceLimit = 2e-4

// noCurrentLimit is ten times the simulator's usual abstol, in A: currents below it
// are none.
const noCurrentLimit = 1e-11

func (b *balance) check(figure string) evidence.Check {
	limit := b.allowed
	sentence := fmt.Sprintf("The currents of all devices sum to zero at the %d of %d nodes where all of them are known; the largest remainder is at node %s, %s A.", b.nodes, b.of, b.node, format5(b.residual))
	if b.residual > limit {
		sentence = fmt.Sprintf("The currents at node %s do not sum to zero: %s A are left over, beside a largest current of %s A. The solution does not obey Kirchhoff's current law there; tighten reltol and abstol.", b.node, format5(b.residual), format5(b.scale))
	}
	switch {
	case b.residual > limit:
	case b.moves > 0:
		sentence += fmt.Sprintf(" No voltage is known that well: the remainder moves the node's by %s V, and the iteration ends at %s V, a tenth of the usual vntol.", format5(b.moves), format5(voltageLimit))
	case b.scale <= noCurrentLimit:
		sentence += fmt.Sprintf(" No current there is above %s A, ten times the usual abstol, below which the simulator tells none from zero.", format5(noCurrentLimit))
	}
	return evidence.Within("current_balance", evidence.Balance, figure, b.residual, limit, "A", sentence)
}

// vectorOf takes a probe from a plot, or computes the current that it asks for.
func (n *netlist) vectorOf(pr probe, p *plot) (vector, bool) {
	if v, ok := pr.of(p); ok {
		return v, true
	}
	v, ok := n.computedCurrent(pr, p)
	if ok && pr.form != whole {
		v = pr.form.of(v)
	}
	return v, ok
}

// computedCurrent is the current of a resistor, capacitor or source that the
// simulator does not keep in ac, from the netlist's own value and the voltages.
func (n *netlist) computedCurrent(pr probe, p *plot) (vector, bool) {
	name, ok := strings.CutPrefix(pr.name, "i(")
	e := n.device(strings.TrimSuffix(name, ")"))
	if !ok || e == nil || !p.complex || len(e.nodes) < 2 {
		return vector{}, false
	}
	d, ok := e.part(true)
	if !ok {
		return vector{}, false
	}
	v := vector{name: pr.label, kind: "current"}
	for at := range p.points() {
		i, ok := d.current(p, at)
		if !ok {
			return vector{}, false
		}
		v.re, v.im = append(v.re, real(i)), append(v.im, imag(i))
	}
	return v, true
}

// linear says whether every device is linear by its kind, so that a solution is
// exact to rounding and a tighter tolerance would change nothing.
func (n *netlist) linear() bool {
	return !slices.ContainsFunc(n.elements, func(e element) bool {
		return strings.IndexByte("rclkviefghtou", e.kind()) < 0 && e.kind() != 'x' || expression.MatchString(e.text) && strings.IndexByte("rclegvi", e.kind()) >= 0
	})
}
