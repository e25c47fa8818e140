package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// fewestPoints of a period below which a sampled wave looks like another one.
const fewestPoints = 4

var (
	ofTime = regexp.MustCompile(`(?i)\btime\b`)
	random = regexp.MustCompile(`(?i)\btrnoise\b|\btrrandom\b|\ba?gauss\b|\ba?unif\b|\brandom\b|\bsgauss\b|\bsunif\b`)
)

// random says that two runs of the circuit give different numbers by intent.
func (n *netlist) random() bool {
	draws := func(c card) bool {
		return random.MatchString(c.text) || !n.functions["limit"] && limitCall.MatchString(c.text)
	}
	return slices.ContainsFunc(n.elements, func(e element) bool { return draws(e.card) }) || slices.ContainsFunc(n.cards, draws)
}

// unseen names what may happen between two time steps without the simulator
// noticing: it stops at the corners of PULSE and PWL, but only samples the rest.
// "" where nothing of that kind is in the netlist.
func (n *netlist) unseen() string {
	for _, c := range n.cards {
		if word := firstWord(c.text); (word == ".func" || word == ".param") && ofTime.MatchString(c.text) {
			return fmt.Sprintf("line %d, an expression of time", c.number)
		}
	}
	for i := range n.elements {
		e := &n.elements[i]
		if strings.IndexByte("begvirlc", e.kind()) >= 0 && len(e.tokens) > 2 && ofTime.MatchString(strings.Join(e.tokens[1+len(e.nodes):], " ")) {
			return fmt.Sprintf("%s, an expression of time", strings.ToUpper(e.name))
		}
		if w, ok := e.wave(); ok && !w.readable {
			return fmt.Sprintf("%s, whose %s has parameters that are not read here", strings.ToUpper(e.name), w.form)
		}
	}
	return ""
}

// wave is a waveform that the simulator samples without stopping at its features.
type wave struct {
	form     string
	shortest float64 // period or time constant, in s
	steady   bool    // lasts from start to end
	readable bool
}

// wave reads SIN, SFFM, AM and EXP; ok is false for a source without one.
func (e *element) wave() (wave, bool) {
	if e.kind() != 'v' && e.kind() != 'i' {
		return wave{}, false
	}
	for i, t := range e.tokens {
		if i <= len(e.nodes) {
			continue // the name, and nodes that may be called sin
		}
		form, first, joined := strings.Cut(t, "=")
		var places []int // of the frequencies or time constants
		switch form {
		case "sin", "sine":
			places = []int{2}
		case "sffm":
			places = []int{2, 4}
		case "am":
			places = []int{2, 3}
		case "exp":
			places = []int{3, 5}
		default:
			continue
		}
		w := wave{form: strings.ToUpper(form), steady: form != "exp", readable: !joined && first == ""}
		for _, place := range places {
			if i+1+place >= len(e.tokens) {
				continue // left out: as long as the analysis or its step
			}
			v, ok := e.numberAt(i + 1 + place)
			w.readable = w.readable && ok
			if form != "exp" && v > 0 {
				v = 1 / v
			}
			if v > 0 && (w.shortest == 0 || v < w.shortest) {
				w.shortest = v
			}
		}
		if (form == "sin" || form == "sine") && i+4 < len(e.tokens) {
			w.steady = false // delayed or damped: long steps may lie outside of it
		}
		return w, true
	}
	return wave{}, false
}

// resolution holds the steps of a transient against the waveforms of its sources.
func (n *netlist) resolution(p *plot) []evidence.Check {
	x, longest := p.vectors[0].re, 0.0
	for i := 1; i < len(x); i++ {
		longest = max(longest, x[i]-x[i-1])
	}
	var checks []evidence.Check
	for i := range n.elements {
		e := &n.elements[i]
		w, ok := e.wave()
		if !ok || !w.steady || w.shortest == 0 || longest == 0 {
			continue
		}
		if points := w.shortest / longest; points < fewestPoints {
			checks = append(checks, evidence.AtLeast("source_resolution", evidence.Bounds, "", points, fewestPoints, "1",
				fmt.Sprintf("%s has a period of %s s and the longest step is %s s: what is shown between is not the wave. Give a max_step of at most %s s.",
					strings.ToUpper(e.name), format5(w.shortest), format5(longest), format5(w.shortest/20))))
		}
	}
	return checks
}
