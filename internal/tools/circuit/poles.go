package circuit

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

// poles are the natural frequencies of the circuit, linearised about an operating
// point: in 1/s, growth to the right.
type poles struct {
	at       []complex128
	complete bool // the simulator found all of them
}

// bandwidth is what the probe for poles takes the sources of the netlist for.
// Written without one they act at once, and feedback around them has no dynamics.
type bandwidth int

const (
	written    bandwidth = iota // as it stands
	amplifiers                  // sources of high gain like operational amplifiers, the others like wires
	sluggish                    // every source far slower than an operational amplifier
)

const (
	highGain     = 100   // above it a source is taken for an amplifier
	gainProduct  = 1e7   // Hz, gain times bandwidth of a common amplifier
	sluggishTime = 1e-3  // s
	wireTime     = 1e-12 // s
	stray        = 1e-15 // F, from the nodes of transistors and controlled currents to ground
	fastest      = 1e19  // 1/s: faster poles are no poles, but where the simulator's search for them ends in rounding
	probeNode    = "atelier_pole"
)

// prober runs the simulator for poles.
type prober struct {
	ctx  context.Context
	host engine.Host
	call *contract.Call
	net  *netlist
}

// run runs a deck of the evidence's own: the caller hears and keeps nothing of it.
func (p *prober) run(d *deck, name string, limit time.Duration) (*outcome, error) {
	defer d.discard(p.call.Dir, name)
	quiet := *p.call
	quiet.Report = func(contract.Event) {}
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	return simulate(ctx, p.host, &quiet, d, name)
}

// active says whether a device of the circuit can give more power than it takes
// from its signal, so that an operating point may be unstable.
func (n *netlist) active() bool {
	return slices.ContainsFunc(n.elements, func(e element) bool { return strings.IndexByte("eghfbqmjz", e.kind()) >= 0 || e.negative() })
}

func (e *element) negative() bool {
	v, ok := e.value()
	return e.kind() == 'r' && ok && v < 0
}

// rest is where a circuit stands: the voltages of its nodes at the top level.
type rest map[string]float64

func restOf(p *plot, at int) rest {
	r := rest{}
	for _, v := range p.vectors {
		node, ok := strings.CutPrefix(v.name, "v(")
		if ok && v.kind == "voltage" && v.im == nil && !strings.ContainsAny(node, "#@") && !strings.HasPrefix(node, probeNode) {
			r[strings.TrimSuffix(node, ")")] = v.re[at]
		}
	}
	return r
}

// nodesets lead to where the circuit stands; the copies of voltages that slow
// sources begin there too.
func (r rest) nodesets(n *netlist) []string {
	set := func(node string, v float64) string { return fmt.Sprintf(".nodeset v(%s)=%s", node, spice(v)) }
	var cards []string
	for _, node := range slices.Sorted(maps.Keys(r)) {
		if !strings.Contains(node, ".") {
			cards = append(cards, set(node, r[node]))
		}
	}
	for i := range n.elements {
		if e := &n.elements[i]; !e.inner && e.kind() == 'e' {
			for _, side := range []string{"a", "b"} {
				cards = append(cards, set(probeNode+"_"+e.name+"_"+side, r[e.nodes[0]]-r[e.nodes[1]]))
			}
		}
	}
	return cards
}

// near says whether the circuit stands at the same place there.
func (r rest) near(other rest) bool {
	for node, v := range r {
		if o, ok := other[node]; ok && math.Abs(v-o) > 1e-3+1e-2*math.Abs(v) {
			return false
		}
	}
	return true
}

// find asks the simulator for the poles of the circuit; swept, where it is not
// empty, is a source with another value, and at where the circuit is to stand, nil
// where it finds that by itself. ok is false where the simulator cannot tell.
func (p *prober) find(b bandwidth, swept string, value float64, at rest) (found poles, stands rest, ok bool) {
	lines, ok := p.net.probed(b, swept, value)
	if !ok {
		return poles{}, nil, false
	}
	circuit := *p.net
	circuit.lines = lines
	d := &deck{net: &circuit, prefix: "poles_", extra: []string{
		fmt.Sprintf("R%s1 %s1 %s2 1", probeNode, probeNode, probeNode),
		fmt.Sprintf("R%s2 %s2 0 1", probeNode, probeNode),
		fmt.Sprintf("C%s2 %s2 0 1", probeNode, probeNode)}, // a pole at -1, so that there is one
		commands: []command{{text: "op", analysis: "op"}, {text: fmt.Sprintf("pz %s1 0 %s2 0 cur pol", probeNode, probeNode), analysis: "pz"}}}
	if at != nil {
		d.extra = append(d.extra, at.nodesets(p.net)...)
	}
	out, err := p.run(d, "poles.cir", quick)
	if err != nil || len(out.plots[0]) == 0 || len(out.plots[1]) == 0 {
		return poles{}, nil, false
	}
	stands = restOf(out.plots[0][0], 0)
	found.complete = !strings.Contains(out.log.Stderr+out.log.Stdout, "iteration limit")
	for _, v := range out.plots[1][0].vectors {
		if v.im != nil && len(v.re) > 0 && strings.HasPrefix(plainName(v.name), "pole") && math.Hypot(v.re[0], v.im[0]) < fastest {
			found.at = append(found.at, complex(v.re[0], v.im[0]))
		}
	}
	return found, stands, len(found.at) > 0 && (at == nil || at.near(stands))
}

// resonant says whether the circuit may have resonances: an inductor, or gain with
// capacitors.
func (n *netlist) resonant() bool {
	has := func(kinds string) bool {
		return slices.ContainsFunc(n.elements, func(e element) bool { return strings.IndexByte(kinds, e.kind()) >= 0 })
	}
	return has("l") || has("c") && n.active()
}

// resonances are the poles of the circuit as it is written that oscillate.
func (p *prober) resonances() []complex128 {
	found, _, ok := p.find(written, "", 0, nil)
	p.net.polesKnown = ok && found.complete
	return slices.DeleteFunc(found.at, func(s complex128) bool { return imag(s) <= math.Abs(real(s)) })
}

// least is the part of a pole's size that its growth has to be: less is rounding.
const least = 1e-6

// growing is the pole that grows fastest; steady asks for one without oscillation.
// known is false where none was found and the simulator did not find all.
func (p poles) growing(steady bool) (worst complex128, known bool) {
	for _, s := range p.at {
		size := math.Hypot(real(s), imag(s))
		if real(s) > least*size && (!steady || math.Abs(imag(s)) <= least*size) && real(s) > real(worst) {
			worst = s
		}
	}
	return worst, worst != 0 || p.complete
}

// computed says whether a device is an expression and no number.
func (e *element) computed() bool {
	return e.kind() == 'b' || strings.IndexByte("eg", e.kind()) >= 0 && len(e.nodes) < 4 || strings.IndexByte("rclegfh", e.kind()) >= 0 && ofVoltage.MatchString(afterNodes(e))
}

var acDrive = regexp.MustCompile(`(?i)(^|[\s)])ac(?:\s*=\s*|\s+|$)(?:(?:[-+.\d][^\s()]*|\{[^}]*\}|'[^']*')\s*){0,2}`)

// probed is the netlist for the probe. A voltage source with an AC part is the
// input for the simulator, which then leaves it open: none may have one.
func (n *netlist) probed(b bandwidth, swept string, value float64) (lines []string, ok bool) {
	lines = slices.Clone(n.lines)
	for i := range n.elements {
		e := &n.elements[i]
		f := strings.Fields(e.text)
		if e.computed() {
			return nil, false // the simulator takes its slope at 0 V for that at the operating point
		}
		if strings.IndexByte("vegfqmjzrh", e.kind()) < 0 && e.name != swept {
			continue
		}
		if len(f) < 3 || len(e.nodes) < 2 || !strings.EqualFold(f[1], e.nodes[0]) || !strings.EqualFold(f[2], e.nodes[1]) {
			return nil, false // written in a way that is not known here
		}
		card := e.text
		switch {
		case e.name == swept:
			card = fmt.Sprintf("%s %s %s DC %s", f[0], f[1], f[2], spice(value))
		case e.kind() == 'v':
			card = strings.Join(f[:3], " ") + " " + acDrive.ReplaceAllString(strings.Join(f[3:], " "), "$1")
		case b == written:
			continue
		case e.kind() == 'e':
			card = e.slowed(f, b)
		case strings.IndexByte("gfqmjz", e.kind()) >= 0 || e.negative():
			for k, node := range e.nodes {
				if !isGround(node) {
					card += fmt.Sprintf("\nC%s_%s_%d %s 0 %s", probeNode, e.name, k, node, spice(stray))
				}
			}
		}
		if card != e.text && !replaceCard(lines, e.number-1+n.shift, card) {
			return nil, false
		}
	}
	return lines, true
}

// slowed is a source of voltage with a bandwidth: its value charges a capacitor,
// and a copy of that voltage stands in its place, under its name.
func (e *element) slowed(f []string, b bandwidth) string {
	tau := sluggishTime
	if b == amplifiers {
		tau = wireTime
		if gain, ok := e.numberAt(5); ok && len(e.tokens) == 6 && math.Abs(gain) > highGain {
			tau = math.Abs(gain) / (2 * math.Pi * gainProduct)
		}
	}
	inner, held := probeNode+"_"+e.name+"_a", probeNode+"_"+e.name+"_b"
	return fmt.Sprintf("E%s %s 0 %s\nR%s %s %s 1\nC%s %s 0 %s\n%s %s %s %s 0 1", inner, inner, strings.Join(f[3:], " "),
		inner, inner, held, held, held, spice(tau), f[0], f[1], f[2], held)
}

// replaceCard puts a card in place of the one that begins at a line, with its
// continuations.
func replaceCard(lines []string, at int, card string) bool {
	if at < 0 || at >= len(lines) {
		return false
	}
	lines[at] = card
	for i := at + 1; i < len(lines); i++ {
		switch text := strings.TrimSpace(lines[i]); {
		case strings.HasPrefix(text, "+"):
			lines[i] = "*"
		case text != "" && !strings.HasPrefix(text, "*"):
			return true
		}
	}
	return true
}
