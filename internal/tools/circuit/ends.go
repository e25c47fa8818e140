package circuit

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// endSlack is the share of a sweep that rounding may leave out at its end.
const endSlack = 1e-6

// twoPoints takes three for a linear ac sweep of two: the simulator computes the
// first one alone.
func (r *request) twoPoints(c *command, f []string, k int, points, from, to float64) {
	if c.analysis != "ac" || math.Floor(points) != 2 || to <= from {
		return
	}
	r.net.warn("sweep_points", fmt.Sprintf("Of a linear sweep of 2 points the simulator computes the first alone, so %q has 3 points, with the middle.", clip(c.text)))
	f[k+1] = "3"
	c.text = strings.Join(f, " ")
}

// endOf is where an analysis was told to end, and the points that it was told to
// have; 0 where that is not said.
func (c command) endOf() (end, points float64, ok bool) {
	f, k, isGrid := c.grid()
	switch {
	case isGrid:
		if strings.EqualFold(f[k], "lin") {
			points, _ = at(f, k+1)
		}
		end, ok = at(f, k+3)
	case c.analysis == "tran":
		end, ok = at(f, 2)
	}
	return end, math.Floor(points), ok
}

// scaleOf is the sweep of an analysis; the totals of a noise have none.
func scaleOf(plots []*plot) []float64 {
	for _, p := range plots {
		if p.points() > 0 && (p.vectors[0].name == "frequency" || p.vectors[0].name == "time") {
			return p.vectors[0].re
		}
	}
	return nil
}

// sweepEnds holds every sweep against its own command: one that the simulator cut
// short shows another end than was asked for.
func (j *judgement) sweepEnds() {
	for i, c := range j.script.analyses() {
		end, points, ok := c.endOf()
		x := scaleOf(j.out.plots[i])
		if !ok || len(x) == 0 {
			continue
		}
		last := x[len(x)-1]
		short := end-last > endSlack*math.Abs(end)
		if !short && float64(len(x)) >= points {
			continue
		}
		sentence := fmt.Sprintf("%q ends at %s: its points do not meet %s.", clip(c.text), format5(last), format5(end))
		if short {
			j.warnings = append(j.warnings, contract.Warning{Code: "sweep_ends_before", Message: sentence + " The value at the end is the one there."})
		}
		if _, k, isGrid := c.grid(); isGrid && points == 0 && k > 0 {
			continue // a grid of decades or octaves ends at its last step
		}
		sentence = fmt.Sprintf("%s It has %d points. Ask for more points, or for the one frequency alone.", sentence, len(x))
		for k := range j.signals {
			if s := &j.signals[k]; s.analysis == i && !s.single {
				j.Check(evidence.Holds("sweep_complete", evidence.Bounds, s.at+"/final", false, sentence))
			}
		}
	}
}
