package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

const (
	negativeNodes = 16   // at which the resistance is looked at, at most
	negativeLeast = 1e-3 // Ohm: less is rounding
	nearlyDirect  = 1e-6 // Hz
)

// negative looks for a node whose resistance to small signals is negative at direct
// current: a current into it moves its voltage the other way, so that any
// capacitance there drives the circuit away. It needs the slopes at the operating
// point alone, which the simulator has for expressions too. "" where there is none.
func (p *prober) negative(swept string, value float64, at rest) (node string, ohms float64) {
	nodes := p.net.drivenNodes()
	slopes := p.slopes(nodes, swept, value, at)
	for _, name := range nodes {
		z, ok := slopes[name]
		if ok && real(z) < math.Min(ohms, -negativeLeast) && math.Abs(imag(z)) <= 1e-3*math.Abs(real(z)) {
			node, ohms = name, real(z)
		}
	}
	return node, ohms
}

// slopes are the voltages that small currents of 1 A into nodes make there, at direct
// current: their impedances, in Ohm. Nil where the simulator does not come to rest there.
func (p *prober) slopes(nodes []string, swept string, value float64, at rest) map[string]complex128 {
	lines, ok := p.net.silenced(swept, value)
	if !ok || len(nodes) == 0 {
		return nil
	}
	circuit := *p.net
	circuit.lines = lines
	d := &deck{net: &circuit, prefix: "slopes_", commands: []command{{text: "op", analysis: "op"}}}
	if at != nil {
		d.extra = at.nodesets(p.net)
	}
	for k, name := range nodes {
		source := fmt.Sprintf("i%s%d", probeNode, k)
		d.extra = append(d.extra, fmt.Sprintf("%s 0 %s DC 0 AC 0", source, name))
		d.commands = append(d.commands, command{text: "alter @" + source + "[acmag] = 1"},
			command{text: fmt.Sprintf("ac lin 1 %g %g", nearlyDirect, nearlyDirect), analysis: "ac"}, command{text: "alter @" + source + "[acmag] = 0"})
	}
	out, err := p.run(d, "slopes.cir", quick)
	if err != nil || len(out.plots[0]) == 0 || at != nil && !at.near(restOf(out.plots[0][0], 0)) {
		return nil
	}
	found := map[string]complex128{}
	for k, name := range nodes {
		if len(out.plots[k+1]) == 0 || out.plots[k+1][0].points() == 0 {
			continue
		}
		if z, ok := lookup(out.plots[k+1][0], "v("+name+")", 0); ok {
			found[name] = z
		}
	}
	return found
}

var nodeOf = regexp.MustCompile(`\bv\s*\(\s*([^(),\s]+)\s*(?:,\s*([^(),\s]+)\s*)?\)`)

// drivenNodes are the nodes of the top level at devices that may give power, and
// those that expressions are of.
func (n *netlist) drivenNodes() []string {
	var nodes []string
	for i := range n.elements {
		e := &n.elements[i]
		if e.inner || strings.IndexByte("beghfqmjzx", e.kind()) < 0 && !e.computed() {
			continue
		}
		driven := slices.Clone(e.nodes)
		for _, m := range nodeOf.FindAllStringSubmatch(strings.ToLower(e.text), -1) {
			driven = append(driven, m[1], m[2])
		}
		for _, node := range driven {
			if node != "" && !isGround(node) && !slices.Contains(nodes, node) && len(nodes) < negativeNodes {
				nodes = append(nodes, node)
			}
		}
	}
	return nodes
}

// silenced is the netlist without the AC parts of its sources, and with another
// value of a swept one.
func (n *netlist) silenced(swept string, value float64) (lines []string, ok bool) {
	lines = slices.Clone(n.lines)
	for i := range n.elements {
		e := &n.elements[i]
		f := strings.Fields(e.text)
		if strings.IndexByte("vi", e.kind()) < 0 {
			continue
		}
		if len(f) < 3 {
			return nil, false
		}
		card := strings.Join(f[:3], " ") + " " + acDrive.ReplaceAllString(strings.Join(f[3:], " "), "$1")
		if e.name == swept {
			card = fmt.Sprintf("%s DC %s", strings.Join(f[:3], " "), spice(value))
		}
		if card != e.text && !replaceCard(lines, e.number-1+n.shift, card) {
			return nil, false
		}
	}
	return lines, true
}
