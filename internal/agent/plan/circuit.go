package plan

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"atelier/internal/quantity"
)

var (
	probeText = regexp.MustCompile(`(?i)\b(v(?:db)?|i)\(([\w,]+)\)`)
	lowPass   = regexp.MustCompile(`low[- ]?pass`)
	highPass  = regexp.MustCompile(`high[- ]?pass`)
	dividing  = regexp.MustCompile(`voltage divider|divider`)
	acWords   = regexp.MustCompile(`\bac\b|frequency response|bode|corner frequency|cut-?off|filter|(?:low|high)[- ]?pass`)
	tranWords = regexp.MustCompile(`\btran(?:sient)?\b|step response|time response|over time`)
	opWords   = regexp.MustCompile(`operating point|\bop\b|dc (?:voltage|value)s?`)
	finalTime = regexp.MustCompile(`(?:up to|until|for|over|to|tstop ?=?)\s*$`)
	// A card of a two-terminal element (name, two nodes, value or source), or the
	// end of a deck.
	netlistCard = regexp.MustCompile(`(?im)^\s*(?:\.end\b|[rclvi]\w*\s+\S+\s+\S+\s+(?:dc\b|ac\b|sin\b|pulse\b|pwl\b|[-+.\d]))`)
	ownAnalyse  = regexp.MustCompile(`(?im)^\s*\.(?:op|ac|dc|tran|tf|pz|noise|sens)\b`)
)

// isNetlist says whether a fenced block is a circuit.
func isNetlist(code string) bool { return netlistCard.MatchString(code) }

// circuit reads a netlist, or one of the small networks that words can say.
func (r *reader) circuit() {
	n := &Network{Netlist: strings.TrimRight(r.code, "\n")}
	r.plan.Network = n
	for _, m := range probeText.FindAllString(r.text, -1) {
		n.Probes = append(n.Probes, strings.ToLower(m))
	}
	var resistors, capacitors, inductors, volts, hertz []float64
	for i := range r.items {
		it := &r.items[i]
		if it.class != classQuantity || it.err != nil || it.bare() {
			continue
		}
		before, _ := r.around(it, 25, 0)
		for _, q := range []struct {
			kind quantity.Kind
			list *[]float64
		}{{quantity.Resistance, &resistors}, {quantity.Capacitance, &capacitors}, {quantity.Inductance, &inductors}, {quantity.Voltage, &volts}, {quantity.Frequency, &hertz}} {
			if v, ok := it.si(q.kind); ok {
				r.checked(it, q.kind, v, "value", func() { *q.list = append(*q.list, v) })
			}
		}
		if v, ok := it.si(quantity.Time); ok && finalTime.MatchString(before) {
			n.TStop = v
		}
	}
	if n.Netlist == "" && r.file == "" {
		r.network(n, resistors, capacitors, volts)
	}
	r.analysis(n, hertz)
	r.unread(n, hertz)
	if n.Netlist == "" && r.plan.File != "" && r.file == r.plan.File {
		return
	}
	if n.Netlist == "" {
		r.plan.ask(-1, "netlist", "Which circuit is it? Give a SPICE netlist in a fenced block, or a low-pass, high-pass or divider with its values.",
			"RC low-pass with R = 1 kOhm and C = 1 uF")
	}
}

func (r *reader) network(n *Network, ohms, farads, volts []float64) {
	supply := 1.0
	if len(volts) > 0 {
		supply = volts[0]
	}
	switch {
	case (lowPass.MatchString(r.text) || highPass.MatchString(r.text)) && len(ohms) == 1 && len(farads) == 1:
		n.Elements = map[string]float64{"R1": ohms[0], "C1": farads[0]}
		first, second := fmt.Sprintf("R1 in out %g", ohms[0]), fmt.Sprintf("C1 out 0 %g", farads[0])
		name := "RC low-pass"
		if highPass.MatchString(r.text) {
			name, first, second = "RC high-pass", fmt.Sprintf("C1 in out %g", farads[0]), fmt.Sprintf("R1 out 0 %g", ohms[0])
		}
		tau := ohms[0] * farads[0]
		n.Netlist = fmt.Sprintf("%s\nV1 in 0 DC 0 AC %g PULSE(0 %g 0 %g %g %g %g)\n%s\n%s\n.end", name, supply, supply, tau/1e6, tau/1e6, 1e3*tau, 2e3*tau, first, second)
		r.plan.assume("The source V1 drives node in with %g V, and the output is node out without a load.", supply)
	case dividing.MatchString(r.text) && len(ohms) == 2:
		n.Elements = map[string]float64{"R1": ohms[0], "R2": ohms[1]}
		n.Netlist = fmt.Sprintf("voltage divider\nV1 in 0 DC %g AC 1\nR1 in out %g\nR2 out 0 %g\n.end", supply, ohms[0], ohms[1])
		r.plan.assume("The source V1 drives node in with %g V; the first resistor is the upper one.", supply)
		n.Analysis = "op"
	}
	if n.Elements != nil && len(n.Probes) == 0 {
		n.Probes = []string{"v(out)"}
	}
}

func (r *reader) analysis(n *Network, hertz []float64) {
	switch {
	case n.Analysis != "":
	case tranWords.MatchString(r.text):
		n.Analysis = "tran"
	case acWords.MatchString(r.text) || len(hertz) > 0:
		n.Analysis = "ac"
	case opWords.MatchString(r.text):
		n.Analysis = "op"
	case n.Netlist != "" && !ownAnalyse.MatchString(n.Netlist):
		n.Analysis = "op"
		r.plan.assume("No analysis was named: the operating point is computed.")
	}
	tau := n.Elements["R1"] * n.Elements["C1"]
	switch n.Analysis {
	case "tran":
		if n.TStop == 0 && tau > 0 {
			n.TStop = 5 * tau
			r.plan.assume("The transient runs for five time constants.")
		}
		if n.TStop == 0 && n.Netlist != "" {
			r.plan.ask(-1, "time", "How long is the transient?", "up to 5 ms")
		}
	case "ac":
		r.sweep(n, hertz, tau)
	}
}

func (r *reader) sweep(n *Network, hertz []float64, tau float64) {
	switch {
	case len(hertz) >= 2:
		n.Start, n.Stop = min(hertz[0], hertz[1]), max(hertz[0], hertz[1])
	case tau > 0:
		corner := 1 / (2 * math.Pi * tau)
		n.Start, n.Stop = corner/100, corner*100
		r.plan.assume("The sweep reaches two decades to both sides of the corner frequency, %s.", quantity.Frequency.Format(corner))
	case n.Netlist != "":
		r.plan.ask(-1, "frequency", "From which to which frequency?", "from 10 Hz to 10 kHz")
	}
}
