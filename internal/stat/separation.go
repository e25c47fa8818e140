package stat

import (
	"context"
	"math"
)

// classRange is the range of a column where the response is 0 and where it is
// above.
type classRange struct {
	lo, hi [2]float64
	seen   [2]bool
}

func (c *classRange) add(class int, v float64) {
	if !c.seen[class] {
		c.lo[class], c.hi[class], c.seen[class] = v, v, true
	}
	c.lo[class], c.hi[class] = math.Min(c.lo[class], v), math.Max(c.hi[class], v)
}

func (c *classRange) merge(o classRange) {
	for class, seen := range o.seen {
		if seen {
			c.add(class, o.lo[class])
			c.add(class, o.hi[class])
		}
	}
}

// separates says that the column alone tells the classes apart, as far as the
// family needs: two sides of a point; for counts, all counts above 0 are at the
// end of the range.
func (c *classRange) separates(f Family) bool {
	if !c.seen[0] || !c.seen[1] || c.lo == c.hi && c.lo[0] == c.lo[1] {
		return false
	}
	apart := c.hi[0] <= c.lo[1] || c.hi[1] <= c.lo[0]
	return apart && (f == Binomial || c.lo[1] == c.hi[1])
}

// directionNoise is how far an observation may be on the wrong side of a
// direction that separates: the part of the step that still converges.
const directionNoise = 1e-5

// side is what a direction of the coefficients does to the linear predictors.
type side struct {
	worst, most float64
	ranges      []classRange
}

// separation says whether the likelihood only rises along a direction: the
// coefficients themselves when they tell every observation right, else a step.
// It returns a *Separation, or nil.
func (g *GLM) separation(ctx context.Context, direction []DD, complete bool) error {
	along := &working{src: g.work.src, family: g.Family, intercept: g.work.intercept, beta: direction}
	var all side
	err := EachBlock(ctx, along.Blocks(), func(i int) (side, error) {
		return along.side(i)
	}, func(s side) {
		all.worst, all.most = math.Max(all.worst, s.worst), math.Max(all.most, s.most)
		for j, r := range s.ranges {
			if all.ranges == nil {
				all.ranges = make([]classRange, len(s.ranges))
			}
			all.ranges[j].merge(r)
		}
	})
	if err != nil {
		return err
	}
	if !complete && (!(all.most > 0) || all.worst > directionNoise*all.most) {
		return nil
	}
	return g.blame(all, direction, complete)
}

func (w *working) side(i int) (side, error) {
	b, _, err := w.src.LoadExtra(i)
	s := side{ranges: make([]classRange, len(b.X))}
	if err != nil || len(b.Y) == 0 {
		s.ranges = nil
		return s, err
	}
	defer b.free()
	for k, t := range w.predictor(b, Extra{}) {
		if b.W != nil && b.W[k].Hi == 0 {
			continue
		}
		class, wrong := 0, t.Hi // of a response of 0, the predictor must not rise
		if b.Y[k].Hi > 0 {
			class, wrong = 1, -t.Hi
			if w.family == Poisson {
				wrong = math.Abs(t.Hi)
			}
		}
		s.worst, s.most = math.Max(s.worst, wrong), math.Max(s.most, math.Abs(t.Hi))
		for j := range b.X {
			s.ranges[j].add(class, b.X[j][k].Hi)
		}
	}
	return s, nil
}

// blame names the columns: one that separates alone, else those that the
// direction moves.
func (g *GLM) blame(all side, direction []DD, complete bool) error {
	out := &Separation{Complete: complete}
	first := 0
	if g.work.intercept {
		first = 1
	}
	most := 0.0
	share := make([]float64, len(all.ranges))
	for j, r := range all.ranges {
		if r.separates(g.Family) {
			out.Columns, out.Alone = append(out.Columns, j), true
		}
		width := math.Max(r.hi[0], r.hi[1]) - math.Min(r.lo[0], r.lo[1])
		share[j] = width * math.Abs(direction[j+first].Hi)
		most = math.Max(most, share[j])
	}
	for j, s := range share {
		if !out.Alone && s > 1e-3*most {
			out.Columns = append(out.Columns, j)
		}
	}
	return out
}
