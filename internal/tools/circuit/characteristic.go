package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

const (
	forcedNodes  = 12   // at which the characteristic is taken, at most
	forcedPoints = 600  // on either side of where the circuit stands
	forcedReach  = 30   // times the voltages of the circuit: a slight curvature has its other zero further away
	forcedLeast  = 1e-4 // of the voltages of the circuit: the first step from where it stands
	forcedStarts = 12   // that are tried
	// beyondThreshold is how far behind the last voltage that an expression names its
	// curve is followed: what begins there crosses the load soon after.
	beyondThreshold = 5
	release         = "1e15" // Ohm between the source and a node that it leaves alone
	hold            = "10u"  // and one that it holds
	// Behind a voltage that is an expression: far more than hold, or the curve would fold,
	// and far less than loads, whose current would move its zeros.
	soft = "0.1"
)

// characteristics are starts near the operating points that the driving-point
// characteristics of the circuit show: a source holds a node that an expression is of
// at a voltage and moves away from where the circuit stands; where it gives no current,
// the circuit stands without it. Transistors latch between their supplies, which the
// starts there find; the curve of an expression may have its zeros anywhere.
func (p *prober) characteristics(base rest, free []string) (starts []rest) {
	nodes := slices.DeleteFunc(p.net.expressionNodes(), func(node string) bool { _, ok := base[node]; return !ok || !slices.Contains(free, node) })
	if len(nodes) == 0 {
		return nil
	}
	size := 1.0
	for _, v := range base {
		size = math.Max(size, math.Abs(v))
	}
	reach := math.Max(forcedReach*size, beyondThreshold*p.net.thresholds())
	first, rate := forcedLeast*size, math.Log(2*reach/(forcedLeast*size))
	circuit := *p.net
	circuit.lines = p.net.softened()
	d := &deck{net: &circuit, prefix: "forced_", extra: []string{fmt.Sprintf("V%s %s 0 0", probeNode, probeNode)}}
	set := func(format string, args ...any) {
		d.commands = append(d.commands, command{text: fmt.Sprintf(format, args...)})
	}
	for k, node := range nodes[:min(forcedNodes, len(nodes))] {
		name := fmt.Sprintf("%s_f%d", probeNode, k)
		d.extra = append(d.extra, fmt.Sprintf("B%s %s 0 V=%s+%s*sinh(%s*v(%s))", name, name, spice(base[node]), spice(first), spice(rate), probeNode),
			fmt.Sprintf("R%s %s %s %s", name, name, node, release))
		set("alter R%s = %s", name, hold)
		for _, end := range []float64{1, -1} { // outwards, so that each begins where the circuit stands
			d.commands = append(d.commands, command{text: fmt.Sprintf("dc V%s %g %g %g", probeNode, end/forcedPoints, end, end/forcedPoints), analysis: "dc"})
		}
		set("alter R%s = %s", name, release)
	}
	out, err := p.run(d, "forced.cir", quick)
	if err != nil {
		return nil
	}
	for i, plots := range out.plots {
		if len(plots) == 0 {
			continue
		}
		for _, start := range noCurrent(plots[0], fmt.Sprintf("i(b%s_f%d)", probeNode, i/2), free) {
			if !start.near(base) && len(starts) < forcedStarts && !slices.ContainsFunc(starts, start.near) {
				starts = append(starts, start)
			}
		}
	}
	return starts
}

// threshold is a voltage that an expression compares a voltage with, or takes from it.
var threshold = regexp.MustCompile(`(?i)\bv\([^()]*\)\s*(?:[-+]|[<>]=?)\s*\(?([0-9.]+(?:e[-+]?[0-9]+)?[a-z]*)`)

// thresholds is the largest of all expressions, V; 0 without any.
func (n *netlist) thresholds() (largest float64) {
	for i := range n.elements {
		if e := &n.elements[i]; e.computed() {
			for _, m := range threshold.FindAllStringSubmatch(e.text, -1) {
				if v, ok := parseNumber(m[1]); ok {
					largest = math.Max(largest, v)
				}
			}
		}
	}
	return largest
}

var ofOutput = regexp.MustCompile(`(?i)^v\s*=`)

// softened is the netlist with a resistance behind every voltage that is an
// expression: a source can hold a node against it, also where it is of its own output.
func (n *netlist) softened() []string {
	lines := slices.Clone(n.lines)
	for i := range n.elements {
		e := &n.elements[i]
		f := strings.Fields(e.text)
		if !e.computed() || len(f) < 3 || f[1] == f[2] || e.kind() != 'e' && !(e.kind() == 'b' && ofOutput.MatchString(afterNodes(e))) {
			continue
		}
		inner := probeNode + "_" + e.name
		replaceCard(lines, e.number-1+n.shift, fmt.Sprintf("%s %s %s\nR%s %s %s %s", f[0], inner, strings.Join(f[2:], " "), inner, inner, f[1], soft))
	}
	return lines
}

// noCurrent is where the circuit stands as a sweep passes a current of zero, or comes
// near to it and turns.
func noCurrent(p *plot, source string, free []string) (starts []rest) {
	current := p.find(source)
	if current == nil {
		return nil
	}
	take := func(at int) {
		all, start := restOf(p, at), rest{}
		for _, node := range free {
			start[node] = all[node]
		}
		starts = append(starts, start)
	}
	for i := 1; i < len(current.re); i++ {
		before, now := current.re[i-1], current.re[i]
		switch {
		case before*now <= 0 && before != 0:
			take(i)
		case i > 1 && math.Abs(before) < math.Abs(current.re[i-2]) && math.Abs(before) < math.Abs(now):
			take(i - 1)
		}
	}
	return starts
}

// expressionNodes are the nodes of devices that are expressions and those that
// expressions are of, as the simulator names them.
func (n *netlist) expressionNodes() (nodes []string) {
	devices, ok := n.flat()
	if !ok {
		devices = n.elements
	}
	for i := range devices {
		e := &devices[i]
		if !e.computed() || e.inner && !ok {
			continue
		}
		for _, node := range append(e.read(), e.nodes...) {
			if !isGround(node) && !slices.Contains(nodes, node) {
				nodes = append(nodes, node)
			}
		}
	}
	return nodes
}

// read are the nodes that the expression of a device is of.
func (e *element) read() (nodes []string) {
	path := ""
	if parts := strings.Split(e.name, "."); len(parts) > 2 {
		path = strings.Join(parts[1:len(parts)-1], ".") + "."
	}
	for _, m := range nodeOf.FindAllStringSubmatch(strings.ToLower(e.text), -1) {
		for _, node := range m[1:] {
			if node != "" && !isGround(node) {
				nodes = append(nodes, path+node)
			}
		}
	}
	return nodes
}
