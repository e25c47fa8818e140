package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

var partOfSweep = regexp.MustCompile(`(?i)\b(?:from|to|td)\s*=`)

// measuredProbe is the quantity that the simulator takes a name in a meas command for:
// of a complex v(a) it measures the real part.
func measuredProbe(name, analysis string) (probe, bool) {
	p, ok := parseProbe(name)
	if ok && analysis == "ac" && p.form == whole && !strings.HasPrefix(name, "vm(") && !strings.HasPrefix(name, "im(") {
		p.form = realPart
	}
	return p, ok
}

// onlyPoint is what a meas command finds at the one point of its sweep: the simulator
// finds nothing there, since it looks between two points. nil where it is of more.
func (s *script) onlyPoint(r *reading, out *outcome) *float64 {
	p, names := s.measuredPlot(r.index, r.analysis, out), r.operands()
	if r.word != "find" || p == nil || p.points() != 1 || len(r.window.places) != 1 || len(names) != 1 {
		return nil
	}
	if x := p.vectors[0].re[0]; math.Abs(r.window.places[0]-x) > endSlack*math.Abs(x) {
		return nil
	}
	pr, ok := measuredProbe(names[0], r.analysis)
	v, has := pr.of(p)
	if !ok || !has {
		return nil
	}
	value := v.re[0]
	if v.im != nil {
		value = v.magnitude(0)
	}
	if r.unit == "rad" {
		value *= math.Pi / 180
	}
	return &value
}

// measuredSignal is the quantity that a meas command is of, over the whole sweep;
// nil where several sweeps or none could be meant.
func (s *script) measuredSignal(names []string, analysis string, out *outcome) *signal {
	if len(names) == 0 || analysis != "ac" && analysis != "dc" {
		return nil
	}
	var found *signal
	for i, c := range s.analyses() {
		if c.analysis != analysis {
			continue
		}
		if found != nil || len(out.plots[i]) == 0 {
			return nil
		}
		p, ok := measuredProbe(names[0], analysis)
		v, has := p.of(out.plots[i][0])
		if !ok || !has {
			return nil
		}
		found = &signal{name: p.title(), unit: unit(v.kind, v.name), analysis: i, probe: p, wraps: p.form.wraps(v.re), stats: statsOf(out.plots[i][0], v)}
		if analysis == "dc" {
			found.along(out.plots[i][0], v, c.text)
		}
	}
	return found
}

// measuredSignals are those whose extremes the second run looks for.
func measuredSignals(readings []reading) []signal {
	var all []signal
	for _, r := range readings {
		if r.of != nil {
			all = append(all, *r.of)
		}
	}
	return all
}

// readingKind is how far the second run carries for a measurement, which sees only
// the points of its sweep: a failed check where the quantity goes further between
// them, and for an extreme what the finer steps around it add to the error bar.
func (j *judgement) readingKind(r *reading) (kind evidence.Kind, missed *evidence.Check, between float64) {
	what, everything := j.net.hides(r.analysis)
	extreme := slices.Contains([]string{"max", "min", "pp", "min_at", "max_at"}, r.word)
	kind = evidence.Refinement
	if what != "" && (everything || r.word != "find") || r.analysis != "tran" && r.of == nil && r.word != "find" || r.part && extreme && r.analysis != "tran" {
		kind = evidence.Residual
	}
	if r.of == nil || r.of.wraps {
		return kind, nil, 0
	}
	f, ok := j.second.lookUp(j.net, r.of)
	if !ok {
		return evidence.Residual, nil, 0
	}
	everywhere := slices.Contains([]string{"avg", "rms", "integ", "integral", "when", "trig"}, r.word)
	if everywhere && f.beyond > accuracy*r.of.peak() && r.window.from < f.beyondAt && f.beyondAt < r.window.to {
		c := evidence.Within("between_the_points", kind, r.at, f.beyond/r.of.peak(), accuracy, "1", r.of.passedOver(&f)+" Shorten the step.")
		return kind, &c, 0
	}
	between = math.Max(f.max-r.of.max, r.of.min-f.min)
	if between <= 0 {
		return kind, nil, 0
	}
	scale := r.of.peak()
	if r.of.probe.form == whole && r.word == "min" {
		scale = math.Max(math.Abs(r.of.min), 1e-9*scale)
	}
	share := math.Max(0, f.max-r.of.max) / scale
	if r.word != "max" {
		share = between / scale
	}
	if share > accuracy && !r.part {
		c := evidence.Within("between_the_points", kind, r.at, share, accuracy, "1", fmt.Sprintf(
			"%s is measured at the points of the sweep, but between them %s goes from %s to %s: raise the points, or sweep a narrower range.", r.name, r.of.name, format5(f.min), format5(f.max)))
		missed = &c
	}
	if !extreme {
		between = 0
	}
	return kind, missed, (1 + safety) * between
}

// passedOver says what a sweep does not show.
func (s *signal) passedOver(f *found) string {
	return fmt.Sprintf("Between two points of the sweep, at %s, %s lies %s %s beyond both.", format5(f.beyondAt), s.name, format5(f.beyond), s.unit)
}
