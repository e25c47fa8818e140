package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

const (
	accuracy    = 0.01 // relative error bar of a verified figure, and limit of a change
	pointChange = 2e-3 // limit of the change of an operating point: twice the default reltol
	phaseDrift  = 0.01 // limit of the change of a period
)

// found is what the second run says of one signal.
type found struct {
	stats
	maxHere, minHere bool      // whether extremes were looked for between the points
	x, y             []float64 // of a transient
	largest          float64   // in place of the peak, where the form has one
	beyond, beyondAt float64   // how far, and to which side, a dc sweep goes beyond two neighbouring points between them
	below            bool
}

// lookUp takes a signal from the second run: its figures over the finer analysis
// and, in ac, over the windows around its extremes.
func (sec *second) lookUp(n *netlist, s *signal) (found, bool) {
	var f found
	ok := false
	for k, of := range sec.of {
		if of != s.analysis || k >= len(sec.out.plots) || s.part >= len(sec.out.plots[k]) {
			continue
		}
		p := sec.out.plots[k][s.part]
		v, has := n.vectorOf(s.probe, p)
		if !has {
			continue
		}
		if p.points() == 0 {
			continue
		}
		if sec.zoomed[k] && s.probe.form == continuous {
			v = onTheSameTurn(p, v, &f)
			if x := p.vectors[0].re; x[0] <= f.x[0]*(1+1e-9) && x[len(x)-1] >= s.lastAt*(1-1e-9) {
				f.final = v.re[len(x)-1] // all of the sweep in finer steps
			}
		}
		st := statsOf(p, v)
		if sec.zoomed[k] && s.single {
			continue // of a window alone
		}
		if !sec.zoomed[k] {
			f.stats, ok = st, true
			f.x, f.y = p.vectors[0].re, v.re
			if p.complex {
				f.final = nearest(p, v, s.lastAt)
			}
			continue
		}
		x := p.vectors[0].re
		if s.probe.form == whole && s.alongX != nil {
			f.beyond, f.beyondAt, f.below = s.excursion(x, v.re)
		}
		lo, hi := bounds(x)
		slack := 1e-6 * math.Max(math.Abs(lo), math.Abs(hi))
		within := func(at float64) bool { return lo-slack <= at && at <= hi+slack }
		f.maxHere, f.minHere = f.maxHere || within(s.maxAt), f.minHere || within(s.minAt)
		if st.max > f.max {
			f.max, f.maxAt = st.max, st.maxAt
		}
		if st.min < f.min {
			f.min, f.minAt = st.min, st.minAt
		}
	}
	return f, ok
}

// onTheSameTurn moves a continuous phase over a part of the sweep by the full turns
// that it has made before.
func onTheSameTurn(p *plot, v vector, f *found) vector {
	k, _ := slices.BinarySearch(f.x, p.vectors[0].re[0])
	k = min(k, len(f.y)-1)
	if k < 0 {
		return v
	}
	turns := 360 * math.Round((f.y[k]-v.re[0])/360)
	v.re = slices.Clone(v.re)
	for i := range v.re {
		v.re[i] += turns
	}
	return v
}

// nearest is the magnitude at a frequency that the plot has; NaN where it has not.
func nearest(p *plot, v vector, at float64) float64 {
	for i, x := range p.vectors[0].re {
		if math.Abs(x-at) <= 1e-9*math.Abs(at) {
			return v.magnitude(i)
		}
	}
	return math.NaN()
}

// refinement compares the figures of a signal between the two runs. errors are
// the changes by the suffix of each figure's pointer.
func (sec *second) refinement(n *netlist, s *signal, c command, kind, extremes evidence.Kind) (checks []evidence.Check, errors map[string]float64, drifts bool) {
	f, ok := sec.lookUp(n, s)
	peak := s.peak()
	if s.probe.form.span() > 0 { // a level or an angle has no size of its own
		f.largest = peak
	}
	floor := 0.0
	if slices.Contains([]string{"op", "dc", "tran"}, c.analysis) {
		floor = noiseOf(s.unit)
	}
	if !ok || math.Max(peak, f.peak()) <= floor {
		return nil, nil, false // nothing moved: two runs that see nothing prove nothing
	}
	checks, errors = s.bump(&f), map[string]float64{}
	limit, scale := accuracy, math.Max(peak, f.peak())
	if c.analysis == "op" || c.analysis == "dc" {
		scale = math.Max(scale, smallest(s.unit))
	}
	if c.analysis == "op" {
		limit = pointChange
	}
	worst, met := 0.0, []string{}
	for i, p := range s.parts() {
		if c.analysis == "ac" && p.suffix == "/final" && n.linear() && s.probe.form != continuous || (c.analysis == "ac" || c.analysis == "noise") && f.skips(s, p.suffix, limit) {
			continue // the same by construction, or not looked at
		}
		value, where := []float64{f.final, f.min, f.max}[i], []float64{f.lastAt, f.minAt, f.maxAt}[i]
		if math.IsNaN(value) {
			continue
		}
		change := math.Abs(value - p.value)
		if s.probe.form == phase {
			change = phase.difference(value, p.value)
		}
		zoomed := c.analysis != "dc" && (p.suffix == "/max/y" && f.maxHere || p.suffix == "/min/y" && f.minHere)
		errors[p.suffix] = sec.bar(c, value, math.Max(change, s.nearby(&f, p.suffix)), zoomed) + s.between(p.suffix) + sec.reltol*s.size(p.value)
		if relative := change / scale; relative <= limit || change <= s.zero {
			worst, met = math.Max(worst, math.Min(relative, limit)), append(met, p.word)
		} else if drift, ok := sec.period(s, &f, c, kind); ok && p.suffix == "/final" {
			drifts = true
			checks = append(checks, drift)
		} else {
			checks = append(checks, evidence.Within("refinement", kind, s.at+p.suffix, relative, limit, "1", s.changed(p, value, where, c)+n.becauseOfEdges(c)))
		}
	}
	return append(checks, sec.agreed(s, c, met, worst, limit, kind, extremes)...), errors, drifts
}

// agreed is one check for the signal where all of its figures are the same in both
// runs, else one for each that is.
func (sec *second) agreed(s *signal, c command, met []string, worst, limit float64, kind, extremes evidence.Kind) (checks []evidence.Check) {
	figures := make([]string, 0, 3)
	for _, word := range met {
		figures = append(figures, s.at+suffixOf(word))
	}
	if len(met) == len(s.parts()) && kind == extremes {
		figures = []string{s.at}
	}
	for _, figure := range figures {
		of := kind
		if strings.HasSuffix(figure, "/y") {
			of = extremes
		}
		checks = append(checks, evidence.Within("refinement", of, figure, worst, limit, "1",
			fmt.Sprintf("%s: %s within %.2g %% of a second run %s.", s.name, strings.Join(met, ", "), 100*worst, sec.how(c))))
	}
	return checks
}

// skips says whether the second run did not look for an extreme of a spectrum.
func (f *found) skips(s *signal, suffix string, limit float64) bool {
	switch suffix {
	case "/max/y":
		return s.wraps || !f.maxHere && f.max <= s.max+limit*math.Abs(s.max)
	case "/min/y":
		return s.wraps || !f.minHere
	}
	return false
}

// safety is what an error bar is wider than the error that the two runs give for
// the order of the method: they are two samples, and a kink is of a lower order.
const safety = 1.5

// narrowest is what may be left of an extreme that was looked for in finer steps.
const narrowest = 2e-4

// bar is the error that a change between the two runs stands for. An error of
// order one that is divided by f leaves f/(f-1) of the change in the first run.
// Where an extreme was looked for in finer steps, what the second run leaves is small
// beside the change; of peaks much narrower than the steps of the first, up to 7e-5 of
// their height was seen to be left.
func (sec *second) bar(c command, value, change float64, zoomed bool) float64 {
	if zoomed {
		return (1+safety/(zoomPoints/2))*change + narrowest*math.Abs(value)
	}
	f := 10.0 // of the tolerances, for an operating point
	switch c.analysis {
	case "tran":
		f = sec.factor
	case "ac", "dc", "noise":
		f = 2
	}
	return safety * f / (f - 1) * change
}

// peak is the largest magnitude that the second run found.
func (f *found) peak() float64 {
	if f.largest > 0 {
		return f.largest
	}
	return math.Max(math.Abs(f.final), math.Max(math.Abs(f.min), math.Abs(f.max)))
}

func suffixOf(word string) string {
	return map[string]string{"final value": "/final", "minimum": "/min/y", "maximum": "/max/y"}[word]
}

// smallest is what a change of an operating point or a sweep is relative to at least: below
// it lie the conductances that the simulator adds itself.
func smallest(unit string) float64 {
	switch unit {
	case "V":
		return 1e-4
	case "A":
		return 2e-8 // gmin lets 1e-11 A through a junction at 10 V
	}
	return 0
}

func (sec *second) how(c command) string {
	switch c.analysis {
	case "tran":
		return fmt.Sprintf("with the step divided by %.2g and all tolerances by %.2g", sec.factor, sec.tighter)
	case "ac":
		return "with twice the points and the surroundings of the extremes in finer steps"
	case "dc":
		return "with half the step and a tenth of the tolerances"
	case "noise":
		return "with twice the points"
	}
	return "with a tenth of all tolerances"
}

// changed is the sentence of a figure that the second run does not confirm.
func (s *signal) changed(p part, value, where float64, c command) string {
	what := fmt.Sprintf("The %s of %s is %s %s here and %s %s", p.word, s.name, format5(p.value), s.unit, format5(value), s.unit)
	switch c.analysis {
	case "ac":
		return fmt.Sprintf("%s near %s Hz with finer points: the sweep is too coarse. Raise the points, or sweep a narrower range.", what, format5(where))
	case "tran":
		return what + " with shorter steps and tighter tolerances: shorten max_step or tighten reltol."
	case "dc":
		return what + " at " + format5(where) + " of the sweep with half the step and tighter tolerances: shorten the step or tighten reltol."
	case "noise":
		return what + " with twice the points: raise the points of the noise analysis."
	}
	return what + " under tighter tolerances: tighten reltol, or gmin where nothing but the leakage of a junction sets the value."
}

// becauseOfEdges names the cause of a change where the step is part of the circuit.
func (n *netlist) becauseOfEdges(c command) string {
	if names := n.edgeless(); c.analysis == "tran" && len(names) > 0 {
		return fmt.Sprintf(" The PULSE of %s takes the step for its edges: give a rise and a fall time.", strings.Join(names, ", "))
	}
	return ""
}

// period compares the periods of an oscillation, whose value at the end depends on
// its phase; ok is false for what does not oscillate.
func (sec *second) period(s *signal, f *found, c command, kind evidence.Kind) (evidence.Check, bool) {
	if c.analysis != "tran" {
		return evidence.Check{}, false
	}
	first, ok1 := period(s.x, s.y)
	other, ok2 := period(f.x, f.y)
	if !ok1 || !ok2 {
		return evidence.Check{}, false
	}
	change := math.Abs(first-other) / other
	sentence := fmt.Sprintf("%s oscillates with a period of %s s, %s s in a second run %s; its value at the end depends on the phase.",
		s.name, format5(first), format5(other), sec.how(c))
	if change > phaseDrift {
		sentence += " Shorten max_step."
	}
	return evidence.Within("period", kind, s.at+"/final", change, phaseDrift, "1", sentence), true
}

// period is that of an oscillation, over the second half of a waveform, where it
// has settled more, or over all of it.
func period(x, y []float64) (float64, bool) {
	if len(x) < 4 {
		return 0, false
	}
	half, _ := slices.BinarySearch(x, (x[0]+x[len(x)-1])/2)
	if t, ok := periodFrom(x[half:], y[half:]); ok {
		return t, true
	}
	return periodFrom(x, y)
}

// periodFrom is the mean time between rising passages of the middle, where there
// are at least three and they last to the end.
func periodFrom(x, y []float64) (float64, bool) {
	lo, hi := bounds(y)
	middle, low := (lo+hi)/2, false
	var passages []float64
	for i := 1; i < len(x); i++ {
		low = low || y[i-1] < middle-0.1*(hi-lo)
		if low && y[i] >= middle {
			low = false
			at := x[i]
			if y[i] > y[i-1] {
				at = x[i-1] + (x[i]-x[i-1])*math.Max(0, (middle-y[i-1])/(y[i]-y[i-1]))
			}
			passages = append(passages, at)
		}
	}
	n := len(passages)
	if n < 3 {
		return 0, false
	}
	t := (passages[n-1] - passages[0]) / float64(n-1)
	return t, t > 0 && x[len(x)-1]-passages[n-1] < 1.5*t
}

func bounds(v []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return lo, hi
}
