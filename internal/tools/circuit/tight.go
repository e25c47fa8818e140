package circuit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

const (
	quick      = 5 * time.Second
	slow       = time.Second
	zoomPoints = 101
	zoomMost   = 250    // windows of an ac sweep that are looked at more closely
	sweepMost  = 20_000 // points of a sweep that is run with more of them
	heavy      = 4e6    // numbers of a plot that is not refined five times over
	tooHeavy   = 2.5e7  // … or not at all
	resonances = 40     // pairs of an inductor and a capacitor that are tried
)

// tolerances are the simulator's own defaults; a second run takes a tenth of them,
// or of what the caller set where that is tighter.
var tolerances = []struct {
	name  string
	value float64
}{{"reltol", 1e-3}, {"abstol", 1e-12}, {"vntol", 1e-6}, {"gmin", 1e-12}, {"chgtol", 1e-14}, {"trtol", 7}}

// second is a run of the same analyses under tighter tolerances, with other time
// steps and more points. A third like it, between the two, follows transients: their
// errors have any sign, so that two runs may agree by accident.
type second struct {
	deck    *deck
	out     *outcome
	of      []int // per analysis of the second run: that of the first
	zoomed  []bool
	reltol  float64 // no figure is known better; 0 of the third, which is held against the first alone
	tighter float64 // what the tolerances are divided by
	factor  float64 // of the time step
	third   *second
	// natural are the poles whose resonances an ac sweep may miss.
	natural []complex128
}

// runSecond runs the analyses again, where that can change something and the
// first run was quick; nil where it was not done, with the reason.
func runSecond(ctx context.Context, host engine.Host, call *contract.Call, d *deck, s *script, out *outcome, signals []signal, took time.Duration) (*second, string) {
	switch {
	case d.net.random():
		return nil, "The circuit has random values, so that two runs cannot be compared."
	case !slices.ContainsFunc(s.analyses(), func(c command) bool { return useful(c.analysis, d.net) }):
		return nil, ""
	case took > quick || took > call.Limits.Timeout()/8:
		return nil, "The run took too long to be repeated under tighter tolerances, so nothing bounds the error of its steps."
	}
	beside := &prober{ctx, host, call, d.net}
	sec := &second{tighter: 10, factor: s.factor(out)}
	sec.reltol = math.Min(s.option(d.net, "reltol", 1e-3), 1e-3) / sec.tighter
	for _, plots := range out.plots {
		for _, p := range plots {
			switch size := float64(p.points() * len(p.vectors)); {
			case size > tooHeavy:
				return nil, "The result is too large to be computed a second time, so nothing bounds the error of its steps."
			case size > heavy:
				sec.factor = 2.3
			}
		}
	}
	if slices.ContainsFunc(s.analyses(), func(c command) bool { return c.analysis == "ac" || c.analysis == "noise" }) && d.net.resonant() && !s.altered {
		sec.natural = beside.resonances()
	}
	sec.build(d, s, out)
	sec.closeUp(d, s, out, signals, took)
	var err error // however much finer it is, it must not cost the call its answer
	if sec.out, err = beside.run(sec.deck, "tight.cir", call.Limits.Timeout()/2); err != nil {
		return nil, "A second run under tighter tolerances did not end, so nothing bounds the error of the steps."
	}
	if slices.ContainsFunc(s.analyses(), func(c command) bool { return c.analysis == "tran" }) {
		sec.runThird(beside, d, s, out)
	}
	return sec, ""
}

// runThird leaves nothing where it does not end: the second run has.
func (sec *second) runThird(beside *prober, d *deck, s *script, out *outcome) {
	third := &second{tighter: math.Sqrt(sec.tighter), factor: math.Sqrt(sec.factor)}
	third.build(d, s, out)
	var err error
	if third.out, err = beside.run(third.deck, "third.cir", beside.call.Limits.Timeout()/4); err == nil {
		sec.third = third
	}
}

const (
	usualFactor = 4.7 // of the time step of the second run, and no whole number
	factorMost  = 50
)

// factor is what the second run divides the time step by: as much more as the first
// one has too few steps, so that it is fine enough by itself.
func (s *script) factor(out *outcome) float64 {
	factor := usualFactor
	for i, c := range s.analyses() {
		if c.analysis == "tran" && len(out.plots[i]) > 0 && out.plots[i][0].points() > 0 {
			factor = math.Max(factor, math.Round(10*usualFactor*fewSteps/float64(out.plots[i][0].points()))/10)
		}
	}
	return math.Min(factor, factorMost)
}

// steps are those of the second run of an analysis.
func (sec *second) steps(analysis int) int {
	k := slices.Index(sec.of, analysis)
	if k < 0 || k >= len(sec.out.plots) || len(sec.out.plots[k]) == 0 {
		return 0
	}
	return sec.out.plots[k][0].points()
}

// useful says whether a second run can tell something of an analysis: a linear
// circuit's operating point comes out of any tolerance the same.
func useful(analysis string, n *netlist) bool {
	switch analysis {
	case "tran", "ac", "noise":
		return true
	case "op", "dc", "tf":
		return !n.linear()
	}
	return false
}

// build makes the deck of the same analyses, each finer.
func (sec *second) build(d *deck, s *script, out *outcome) {
	sec.deck = &deck{net: d.net, currents: d.currents, saved: d.saved, prefix: "tight_"}
	analyses := s.analyses()
	for _, c := range analyses {
		if c.analysis == "tran" && len(sec.deck.extra) == 0 {
			sec.deck.extra = d.net.breakpoints(c.text)
		}
	}
	// The currents of all devices are for the balance; ac cannot keep them.
	sec.deck.currents = d.currents || !slices.ContainsFunc(analyses, func(c command) bool { return c.analysis != "op" && c.analysis != "dc" })
	index := 0
	for _, c := range s.commands {
		if c.analysis != "" { // here, so that it comes after an option of the script
			for _, t := range tolerances {
				v := math.Min(s.option(d.net, t.name, t.value), t.value) / sec.tighter
				if t.name == "trtol" {
					v = 1
				}
				sec.deck.commands = append(sec.deck.commands, command{text: "option " + t.name + "=" + spice(v)})
			}
			c.text = sec.finer(c, out.plots[index])
			sec.of, sec.zoomed = append(sec.of, index), append(sec.zoomed, false)
			index++
		}
		sec.deck.commands = append(sec.deck.commands, c)
	}
}

// closeUp adds what looks closer at parts of the sweeps.
func (sec *second) closeUp(d *deck, s *script, out *outcome, signals []signal, took time.Duration) {
	if s.altered {
		return // the circuit is no longer the one of the earlier analyses
	}
	for i, c := range s.analyses() {
		if len(out.plots[i]) == 0 {
			continue
		}
		for _, text := range sec.closer(d.net, c, out.plots[i], i, signals, took) {
			sec.deck.commands = append(sec.deck.commands, command{text: text, analysis: c.analysis})
			sec.of, sec.zoomed = append(sec.of, i), append(sec.zoomed, true)
		}
	}
}

// finer is an analysis with a shorter step or more points.
func (sec *second) finer(c command, plots []*plot) string {
	points := 0
	if len(plots) > 0 {
		points = plots[0].points()
	}
	f := strings.Fields(c.text)
	switch c.analysis {
	case "tran":
		return shorterStep(c.text, sec.factor)
	case "dc":
		if v, ok := at(f, 4); ok && points < sweepMost {
			f[4] = spice(v / 2)
		}
	case "ac":
		if v, ok := at(f, 2); ok && points < sweepMost {
			f[2] = spice(math.Round(2 * v))
			if strings.EqualFold(f[1], "lin") {
				f[2] = spice(math.Round(2*v - 1))
			}
		}
	case "noise":
		for i := range f {
			if slices.Contains([]string{"dec", "oct", "lin"}, strings.ToLower(f[i])) {
				if v, ok := at(f, i+1); ok && points < sweepMost {
					f[i+1] = spice(math.Round(2 * v))
				}
			}
		}
	}
	return strings.Join(f, " ")
}

func at(f []string, i int) (float64, bool) {
	if i >= len(f) {
		return 0, false
	}
	return parseNumber(f[i])
}

// longestStep is the largest step that the words of a tran command allow: where none
// is given, the smaller of the step and a fiftieth of the time.
func longestStep(f []string) (float64, bool) {
	if longest, given := at(f, 4); given && longest > 0 {
		return longest, true
	}
	step, ok1 := at(f, 1)
	stop, ok2 := at(f, 2)
	start, _ := at(f, 3)
	return math.Min(step, (stop-start)/50), ok1 && ok2
}

// shorterStep divides the steps of a tran command: that of the output, which
// sources take for a rise or fall time of 0, and the largest.
func shorterStep(text string, by float64) string {
	f := strings.Fields(text)
	flags := ""
	for len(f) > 0 && strings.EqualFold(f[len(f)-1], "uic") {
		flags, f = " uic", f[:len(f)-1]
	}
	if len(f) < 3 || len(f) > 5 {
		return text
	}
	step, ok1 := parseNumber(f[1])
	stop, ok2 := parseNumber(f[2])
	start, _ := at(f, 3)
	largest, ok := longestStep(f)
	if !ok1 || !ok2 || !ok {
		return text
	}
	// The step too: sources take it for a rise, fall or time constant of 0.
	return fmt.Sprintf("tran %s %s %s %s%s", spice(step/by), spice(stop), spice(start), spice(largest/by), flags)
}

// option is a tolerance that the script or the netlist sets, or the default.
func (s *script) option(n *netlist, name string, value float64) float64 {
	read := func(text string) {
		for _, t := range tokens(text) {
			if text, ok := strings.CutPrefix(t, name+"="); ok {
				if v, ok := parseNumber(text); ok && v > 0 {
					value = v
				}
			}
		}
	}
	for _, c := range n.cards {
		if strings.HasPrefix(firstWord(c.text), ".opt") {
			read(c.text)
		}
	}
	for _, c := range s.commands {
		if firstWord(c.text) == "option" {
			read(c.text)
		}
	}
	return value
}

// shunt is the conductance from every node to ground that an option sets.
func (s *script) shunt(n *netlist) float64 {
	return 1/s.option(n, "rshunt", math.Inf(1)) + s.option(n, "gshunt", 0)
}
