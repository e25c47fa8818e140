package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// window is the part of a sweep that a meas command names. The simulator measures
// what the run has of it, which may be nothing, and says so nowhere.
type window struct {
	from, to   float64 // infinite where they are not given
	delay      float64 // NaN where none is given
	places     []float64
	unreadable bool // a limit is no plain number
}

func windowOf(text string) window {
	w := window{from: math.Inf(-1), to: math.Inf(1), delay: math.NaN()}
	for _, t := range tokens(text) {
		name, value, _ := strings.Cut(t, "=")
		if !slices.Contains([]string{"from", "to", "td", "at"}, name) || value == "" {
			continue
		}
		v, ok := parseNumber(value)
		w.unreadable = w.unreadable || !ok
		switch {
		case !ok:
		case name == "from":
			w.from = v
		case name == "to":
			w.to = v
		case name == "td":
			w.delay = v
		default:
			w.places = append(w.places, v)
		}
	}
	return w
}

// checkWindow refuses a window that ends where it begins, or before.
func (r *request) checkWindow(c command, name string) *contract.Error {
	w := windowOf(c.text)
	if w.from < w.to {
		return nil
	}
	return contract.Errorf(contract.CodeInvalidInput, "%q looks from %s to %s, which is no range: the simulator would answer 0", name, format5(w.from), format5(w.to)).At(r.commandField()).
		WithHint("Write the smaller limit as from and the larger one as to.").With("line", c.number)
}

// commandField is where the commands of the request stand.
func (r *request) commandField() string {
	if r.form != "control" {
		return "/netlist"
	}
	return "/control"
}

// place puts an error about a vector to the command that names it.
func (r *request) place(fault *contract.Error) {
	fault.At(r.commandField())
	for _, c := range r.script.commands {
		if name, ok := fault.Details["vector"].(string); ok && strings.Contains(strings.ToLower(c.text), name) {
			fault.Message += fmt.Sprintf(" for line %d, %q", c.number, clip(c.text))
			fault.With("line", c.number)
			return
		}
	}
}

// measuredPlot is the plot that a meas command is of: the last one of its kind
// before it. nil where there is none.
func (s *script) measuredPlot(command int, analysis string, out *outcome) *plot {
	var last *plot
	index := 0
	for _, c := range s.commands[:command] {
		if c.analysis == "" {
			continue
		}
		if c.analysis == analysis && len(out.plots[index]) > 0 && out.plots[index][0].points() > 0 {
			last = out.plots[index][0]
		}
		index++
	}
	return last
}

// outside says where a window goes beyond the sweep that it is of; "" where it
// does not. nothing says that the sweep has no part of it.
func (r *reading) outside() (why string, nothing bool) {
	if r.over == nil {
		return "", false
	}
	first, last := bounds(r.over.vectors[0].re)
	slack := 1e-6*(last-first) + 1e-9*math.Max(math.Abs(first), math.Abs(last)) // a sweep of one point has rounding too
	w, scale := r.window, r.over.vectors[0]
	said := func(v, instead float64) string {
		if math.IsInf(v, 0) {
			v = instead
		}
		return format5(v)
	}
	in := strings.TrimSuffix(" "+unit(scale.kind, scale.name), " 1")
	run := fmt.Sprintf("the %s analysis goes from %s to %s%s", r.analysis, format5(first), format5(last), in)
	named := fmt.Sprintf("%s looks from %s to %s%s, but %s", r.name, said(w.from, first), said(w.to, last), in, run)
	switch {
	case w.from > last+slack || w.to < first-slack:
		return named + ": it has no value there. Move the window, or lengthen the analysis.", true
	case !math.IsInf(w.from, 0) && w.from < first-slack || !math.IsInf(w.to, 0) && w.to > last+slack:
		return named + ": the value is that of the part within. Move the window, or lengthen the analysis.", false
	}
	for _, at := range w.places {
		if at < first-slack || at > last+slack {
			return fmt.Sprintf("%s looks at %s%s, but %s. Move the place, or lengthen the analysis.", r.name, format5(at), in, run), r.word == "find" || r.word == "deriv"
		}
	}
	return "", false
}

// length is that of the part of the sweep that is measured; 0 where it is not known.
func (r *reading) length() float64 {
	if r.over == nil {
		return 0
	}
	first, last := bounds(r.over.vectors[0].re)
	return math.Max(0, math.Min(last, r.window.to)-math.Max(first, r.window.from))
}

// withinRun fails the measurements whose window is not within the run.
func (j *judgement) withinRun() {
	for i := range j.readings {
		r := &j.readings[i]
		if why, _ := r.outside(); why != "" {
			j.Check(evidence.Holds("measured_window", evidence.Bounds, r.at, false, why))
			continue
		}
		j.measuredAgain(r)
	}
}

// measuredLimit is far above what the edges of a window and the way of summing
// change.
const measuredLimit = 0.02

// measuredAgain computes a measurement from the waveform itself: the simulator
// ignores a delay where none is known to the command, and a window that lies
// between two points.
func (j *judgement) measuredAgain(r *reading) {
	if r.over == nil || r.over.complex || r.value == nil || r.window.unreadable {
		return
	}
	f := strings.Fields(r.command)
	if len(f) < 5 {
		return
	}
	pr, ok := parseProbe(f[4])
	v, has := pr.of(r.over)
	if !ok || !has || v.im != nil {
		return
	}
	w := r.window
	delayed := !math.IsNaN(w.delay)
	if delayed {
		w.from = math.Max(w.from, w.delay)
	}
	x, y := w.cut(r.over.vectors[0].re, v.re)
	want, ok := measure(r.word, x, y)
	if !ok {
		return
	}
	lo, hi := bounds(v.re)
	scale := math.Max(math.Abs(lo), math.Abs(hi))
	if strings.HasPrefix(r.word, "integ") {
		scale *= x[len(x)-1] - x[0]
	}
	if scale == 0 {
		return
	}
	j.addError(r.at, math.Abs(want-*r.value)) // its sums miss up to a step at either end
	off := math.Abs(want-*r.value) / scale
	if off <= measuredLimit {
		return
	}
	sentence := fmt.Sprintf("%s is %s, but %s of the waveform between %s and %s is %s.", r.name, format5(*r.value), r.word, format5(x[0]), format5(x[len(x)-1]), format5(want))
	if delayed {
		sentence += fmt.Sprintf(" The simulator does not read td with %s: write from= instead.", r.word)
	} else {
		sentence += " Shorten the step, so that the window has several points."
	}
	j.Check(evidence.Within("measured_window", evidence.Independent, r.at, off, measuredLimit, "1", sentence))
}

// cut is the waveform within the window, with its limits as points, in rising
// order.
func (w window) cut(x, y []float64) (cx, cy []float64) {
	if len(x) > 1 && x[0] > x[len(x)-1] {
		x, y = slices.Clone(x), slices.Clone(y)
		slices.Reverse(x)
		slices.Reverse(y)
	}
	add := func(at, value float64) { cx, cy = append(cx, at), append(cy, value) }
	if v, ok := interpolate(x, y, w.from); ok {
		add(w.from, v)
	}
	for i, at := range x {
		if at >= w.from && at <= w.to {
			add(at, y[i])
		}
	}
	if v, ok := interpolate(x, y, w.to); ok {
		add(w.to, v)
	}
	return cx, cy
}

// measure is what a meas command computes of a waveform; ok is false for what is
// not known here.
func measure(word string, x, y []float64) (float64, bool) {
	if len(x) < 2 || x[len(x)-1] <= x[0] {
		return 0, false
	}
	lo, hi := bounds(y)
	area, square := 0.0, 0.0
	for i := 1; i < len(x); i++ {
		area += (x[i] - x[i-1]) * (y[i] + y[i-1]) / 2
		square += (x[i] - x[i-1]) * (y[i]*y[i] + y[i]*y[i-1] + y[i-1]*y[i-1]) / 3
	}
	length := x[len(x)-1] - x[0]
	known := map[string]float64{"max": hi, "min": lo, "pp": hi - lo, "avg": area / length, "rms": math.Sqrt(square / length), "integ": area, "integral": area}
	v, ok := known[word]
	return v, ok
}
