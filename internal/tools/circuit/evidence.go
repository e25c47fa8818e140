package circuit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
)

// judgement gathers what stands behind the figures of a run.
type judgement struct {
	net      *netlist
	script   *script
	out      *outcome
	signals  []signal
	second   *second // nil where there was none
	drifts   []bool  // per signal: its value at the end depends on a phase
	readings []reading
	errors   map[string]float64 // by the pointer of the figure
	named    map[string]bool    // figures
	choices  map[string]string  // by pointer: what else a figure could be
	held     []evidence.Check   // of the operating point
	sizes    map[sized]float64  // of the largest quantities, once they are asked for
	models   map[bool]*nodal    // of direct current and of ac, once they are needed
	warnings []contract.Warning
	*evidence.Statement
}

// assess states what stands behind the numbers.
func assess(ctx context.Context, host engine.Host, call *contract.Call, d *deck, s *script, out *outcome, signals []signal, readings []reading, floating []string) *judgement {
	took := out.took()
	j := &judgement{net: d.net, script: s, out: out, signals: signals, readings: readings, errors: map[string]float64{}, choices: map[string]string{}, named: map[string]bool{}, sizes: map[sized]float64{}, models: map[bool]*nodal{}, drifts: make([]bool, len(signals)),
		Statement: &evidence.Statement{Accuracy: accuracy}}
	if len(floating) > 0 {
		j.Check(evidence.Holds("floating_nodes", evidence.Model, "", false,
			fmt.Sprintf("No direct current reaches %s: the simulator's own conductances set the voltage there. Add a resistor to ground.", strings.Join(floating, ", "))))
	}
	if names := ignoredParameters(out.log.Stderr); len(names) > 0 {
		j.Check(evidence.Holds("model_parameters", evidence.Model, "", false, fmt.Sprintf(
			"The simulator's models have no parameter %s, so it was left out: the devices are not those that the netlist describes. Look for the name that the model of this type and level has (such as vto of a MOSFET of level 1, bf of a BJT), or remove the parameter.", strings.Join(names, ", "))))
	}
	if !s.altered {
		j.solveAgain()
	}
	var why string
	if j.second, why = runSecond(ctx, host, call, d, s, out, slices.Concat(signals, measuredSignals(readings)), took); why != "" {
		j.Note("%s", why)
	}
	j.continuous()
	j.switchesAtRest()
	j.refine()
	j.lines()
	j.withinRun()
	j.unmet()
	j.sweepEnds()
	j.narrowPulses()
	p := &prober{ctx, host, call, d.net}
	if !s.altered {
		j.balance(p, took <= quick)
	}
	if took <= quick {
		j.stability(p)
		j.others(p)
		j.warnings = append(j.warnings, p.railed(s)...)
		j.powers(p, d)
	}
	return j
}

// fewSteps of a transient are too few for its figures to be verified by a second
// run that is only some times finer: it has to have as many times this number.
const fewSteps, finerSteps = 200, 3 * 200

// figures puts the figures with their error bars into the statement.
func (j *judgement) figures() {
	for i := range j.signals {
		s := &j.signals[i]
		what, everything := j.net.hides(j.script.analyses()[s.analysis].analysis)
		hidden := what != "" && !everything // the change of two runs that may both miss something bounds nothing
		for _, f := range s.figures(j.script.analyses()[s.analysis]) {
			analysis := j.script.analyses()[s.analysis].analysis
			if bar, ok := j.errors[f.Pointer]; ok && f.Value != nil && !(hidden && strings.HasSuffix(f.Pointer, "/y")) {
				f = f.PlusMinus(math.Max(bar, j.floor(s, *f.Value)), "estimate")
			}
			if analysis == "op" || analysis == "dc" {
				f.Scale = math.Max(f.Scale, smallShare*j.largest(s))
			}
			if hidden && strings.HasSuffix(f.Pointer, "/y") && !j.net.onlyLines() {
				f = f.Omitting(fmt.Sprintf("What lies between the points because of %s may be missed in both runs.", what))
			}
			if sentence, ok := j.choices[s.at]; ok {
				f = f.Omitting(sentence)
			}
			f.Name = j.unique(f.Name)
			if j.drifts[i] && strings.HasSuffix(f.Pointer, "/final") {
				f.Quoted = false
			}
			j.Figure(f)
		}
	}
	for i, r := range j.readings {
		f := evidence.Of(r.name, r.at, r.number(), r.unit, "ngspice, "+r.command)
		f.Name = j.unique(f.Name)
		f.Quoted = i < quotedReadings && r.value != nil
		f.Scale = r.span
		if bar, ok := j.errors[r.at]; ok && f.Value != nil {
			f = f.PlusMinus(math.Max(bar, printedDigits*math.Abs(*f.Value)), "estimate")
		}
		j.Figure(f)
	}
}

// unique is a name that no figure has yet: several analyses may show a quantity.
func (j *judgement) unique(name string) string {
	for k, first := 2, name; j.named[name]; k++ {
		name = fmt.Sprintf("%s, %d", first, k)
	}
	j.named[name] = true
	return name
}

// addError notes an error bar; of two that cover a figure the wider one holds.
func (j *judgement) addError(pointer string, bar float64) {
	j.errors[pointer] = math.Max(j.errors[pointer], bar)
}

// refine compares the figures with those of the second run.
func (j *judgement) refine() {
	j.noteHidden()
	for i, c := range j.script.analyses() {
		if c.analysis == "tran" && len(j.out.plots[i]) > 0 {
			j.Check(j.net.resolution(j.out.plots[i][0])...)
		}
	}
	if j.second == nil {
		return
	}
	for i := range j.signals {
		s := &j.signals[i]
		c := j.script.analyses()[s.analysis]
		if !useful(c.analysis, j.net) {
			continue
		}
		kind, extremes := j.kinds(s, c)
		switch c.analysis {
		case "op", "dc":
			s.zero = smallShare * j.largest(s)
		case "ac": // a wave that is matched leaves nothing but rounding at the other end
			s.zero = roundedDigits * j.largest(s)
		}
		if s.total() != "" {
			j.refineNoise(s, extremes)
			continue
		}
		checks, errors, drifts := j.second.refinement(j.net, s, c, kind, extremes)
		for suffix, bar := range errors {
			j.addError(s.at+suffix, bar)
		}
		if third := j.second.third; third != nil && c.analysis == "tran" {
			more, errors, drift := third.refinement(j.net, s, c, kind, extremes)
			for suffix, bar := range errors {
				j.addError(s.at+suffix, bar)
			}
			checks, drifts = append(checks, unlike(more, checks)...), drifts || drift
		}
		j.hold(s, checks)
		j.drifts[i] = drifts
	}
	j.release()
	j.refineReadings()
}

// unlike are the checks of a third run that say something else than those of the second.
func unlike(third, second []evidence.Check) (other []evidence.Check) {
	for _, c := range third {
		said := slices.ContainsFunc(second, func(s evidence.Check) bool { return s.Name == c.Name && s.Figure == c.Figure && s.Passed == c.Passed })
		if !said && (!c.Passed || c.Name != "refinement") {
			other = append(other, c)
		}
	}
	return other
}

// hold keeps the checks of an operating point back, until it is known whether one
// can stand for all of them.
func (j *judgement) hold(s *signal, checks []evidence.Check) {
	if strings.HasPrefix(s.at, "/operating_point/") {
		j.held = append(j.held, checks...)
		return
	}
	j.Check(checks...)
}

// release states the checks that were held: one, with the worst value, where every
// figure of the operating point has one and all passed.
func (j *judgement) release() {
	figures := 0
	for i := range j.signals {
		if strings.HasPrefix(j.signals[i].at, "/operating_point/") {
			figures++
		}
	}
	failed := func(c evidence.Check) bool { return !c.Passed }
	if n := len(j.held); n > 1 && n == figures && !slices.ContainsFunc(j.held, failed) {
		worst := slices.MaxFunc(j.held, func(a, b evidence.Check) int { return cmp.Compare(*a.Value, *b.Value) })
		worst.Figure = "/operating_point"
		worst.Sentence = fmt.Sprintf("All %d figures of the operating point; the worst: %s", n, worst.Sentence)
		j.held = []evidence.Check{worst}
	}
	j.Check(j.held...)
	j.held = nil
}

// refineReadings compares what the meas commands found.
func (j *judgement) refineReadings() {
	j.compareReadings(j.second)
	if j.second.third != nil {
		j.compareReadings(j.second.third)
	}
}

func (j *judgement) compareReadings(sec *second) {
	again := measurements(j.script, sec.out.log.Stdout)
	for _, r := range j.readings {
		other := again[r.key]
		if other == nil {
			other = j.script.onlyPoint(&r, sec.out)
		}
		if r.value == nil || other == nil || r.wraps || r.command == "" || !useful(r.analysis, j.net) || sec != j.second && r.analysis != "tran" {
			continue
		}
		scale := math.Max(math.Abs(*r.value), r.scale)
		if r.span > 0 {
			scale = r.span
		}
		if scale <= noiseOf(r.unit) {
			continue
		}
		change, between := math.Abs(*other-*r.value), 0.0
		kind := evidence.Refinement
		if sec == j.second {
			var missed *evidence.Check
			if kind, missed, between = j.readingKind(&r); missed != nil {
				j.Check(*missed)
			}
		}
		if sec == j.second || change > accuracy*scale && !j.failed(r.at) {
			sentence := fmt.Sprintf("%s is %s %s, and %s %s in a second run %s.", r.name, format5(*r.value), r.unit, format5(*other), r.unit, sec.how(command{analysis: r.analysis}))
			if change > accuracy*scale {
				sentence += " Shorten the step or raise the points."
			}
			j.Check(evidence.Within("refinement", kind, r.at, change/scale, accuracy, "1", sentence))
		}
		j.addError(r.at, sec.bar(command{analysis: r.analysis}, 0, change, false)+between+sec.reltol*scale)
	}
}

// failed says whether a check of a figure has failed already.
func (j *judgement) failed(figure string) bool {
	return slices.ContainsFunc(j.Checks, func(c evidence.Check) bool { return !c.Passed && c.Figure == figure })
}

// balance states how the currents sum up at the nodes of operating points, sweeps
// and ac analyses.
func (j *judgement) balance(p *prober, ask bool) {
	for i, c := range j.script.analyses() {
		if !slices.Contains([]string{"op", "dc", "ac"}, c.analysis) || len(j.out.plots[i]) == 0 {
			continue
		}
		b, ok := j.currentsOf(i, c)
		if !ok || b.nodes == 0 {
			continue
		}
		if ask {
			b.resolve(p, c)
		}
		if b.residual > b.allowed || b.nodes == b.of && len(j.script.analyses()) == 1 {
			j.Check(b.check(""))
			continue
		}
		for k := range j.signals { // only what was summed is covered
			if s := &j.signals[k]; s.analysis == i && (b.nodes == b.of || b.covers(s.probe.name)) {
				j.Check(b.check(s.at))
			}
		}
	}
}

// covers says whether a node voltage, or the difference of two, was summed at.
func (b *balance) covers(name string) bool {
	inner, ok := strings.CutPrefix(name, "v(")
	if !ok {
		return false
	}
	for _, node := range strings.Split(strings.TrimSuffix(inner, ")"), ",") {
		if !b.summed[node] {
			return false
		}
	}
	return true
}

// currentsOf sums the currents of an analysis: those that the simulator kept in
// the second run, else those of linear devices from the netlist's own values.
func (j *judgement) currentsOf(i int, c command) (balance, bool) {
	if j.second != nil && j.second.deck.currents && c.analysis != "ac" {
		devices, ok := j.net.flat()
		k := slices.Index(j.second.of, i)
		if !ok || k < 0 || k >= len(j.second.out.plots) || len(j.second.out.plots[k]) == 0 || j.second.out.plots[k][0].points() == 0 {
			return balance{}, false
		}
		p := j.second.out.plots[k][0]
		return sumCurrents(devices, p, j.script.shunt(j.net), func(e *element, at int) ([]complex128, bool) { return j.net.savedCurrents(e, p, at) }), true
	}
	p := j.out.plots[i][0]
	if p.points() == 0 || slices.ContainsFunc(j.net.cards, func(c card) bool { return firstWord(c.text) == ".if" }) {
		return balance{}, false
	}
	swept := []string{}
	if c.analysis == "dc" {
		swept = tokens(c.text)[1:]
	}
	parts := map[*element]device{}
	for k := range j.net.elements {
		e := &j.net.elements[k]
		d, ok := e.part(c.analysis == "ac")
		if strings.IndexByte("vleh", e.kind()) >= 0 && len(e.nodes) >= 2 {
			d, ok = device{kind: 'v', name: e.name, nodes: e.nodes}, true // its current is kept
		}
		if ok && !e.inner && (!slices.Contains(swept, e.name) || d.kind == 'v') {
			parts[e] = d
		}
	}
	return sumCurrents(j.net.elements, p, j.script.shunt(j.net), func(e *element, at int) ([]complex128, bool) {
		d, ok := parts[e]
		if !ok {
			return nil, false
		}
		if d.kind == 'c' && !p.complex {
			return []complex128{0, 0}, true
		}
		current, ok := d.current(p, at)
		return []complex128{current, -current}, ok
	}), true
}

func format5(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
