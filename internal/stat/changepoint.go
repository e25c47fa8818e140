package stat

import (
	"math"
	"slices"
)

// Segment is a run of values with one mean: those from Start up to End, which is
// the next one's start.
type Segment struct {
	Start, End int
	Mean, SD   float64
}

// Changes are the places where the mean of a series changes.
type Changes struct {
	Segments []Segment
	Penalty  float64 // what one more change must save of the sum of squares
	Noise    float64 // the standard deviation that the penalty is made of
	Cost     float64 // sum of squares about the segments' means, and the penalties
}

// MaxChangePoints is the most values that are searched for changes.
const MaxChangePoints = 20_000

// ChangePoints splits a series where that lowers the sum of squares about the
// means of the parts by more than the penalty: factor times the logarithm of the
// number of values times the variance of the noise. Factor 2 is the information
// criterion of Schwarz for a change's place and mean (Yao 1988). The noise is
// that of the differences of neighbours, by their median absolute deviation, so
// that changes do not count as noise; it is at least what rounding to half, half a
// unit of the values' last digit, makes. Steps that are equal but for the rounding
// of sums have no noise, and no changes are looked for. The partition is the best of all, found by
// PELT (Killick et al. 2012); no part is shorter than least values.
func ChangePoints(x []DD, half float64, least int, factor float64) Changes {
	n := len(x)
	least = max(least, 1)
	c := Changes{Noise: stepNoise(x, half)}
	c.Penalty = factor * c.Noise * c.Noise * math.Log(float64(n))
	s := newSums(x)
	ends := []int{n}
	if n >= 2*least && c.Penalty > 0 {
		ends = s.pelt(least, c.Penalty)
	}
	start := 0
	total := DD{}
	for _, end := range ends {
		part := CentralOf(x[start:end])
		c.Segments = append(c.Segments, Segment{start, end, part.Mean(), part.SD()})
		total = total.Add(part.m2)
		start = end
	}
	c.Cost = total.Float() + c.Penalty*float64(len(ends)-1)
	return c
}

// madNormal turns the median absolute deviation into a normal standard deviation.
const madNormal = 1.482602218505602

// stepNoise is the standard deviation of the values about a mean that changes seldom.
func stepNoise(x []DD, half float64) float64 {
	if len(x) < 3 {
		return 0
	}
	steps := make([]DD, len(x)-1)
	for i := range steps {
		steps[i] = x[i+1].Sub(x[i])
	}
	median := medianOf(steps)
	for i, d := range steps {
		if steps[i] = d.Sub(median); steps[i].Hi < 0 {
			steps[i] = steps[i].Neg()
		}
	}
	nothing := 1e-6 * half
	for _, v := range x {
		nothing = math.Max(nothing, 1e-13*math.Abs(v.Hi))
	}
	if mad := medianOf(steps).Float(); mad > nothing {
		return math.Max(madNormal*mad/math.Sqrt2, half/math.Sqrt(3))
	}
	// More than half of the steps are the same: all of them count.
	if sd := CentralOf(steps).SD() / math.Sqrt2; sd > nothing {
		return sd
	}
	return 0
}

const (
	// rampShare is the share of the squares within the parts above which lines through
	// them say that a curve was cut into steps, rampLevel the level of their test.
	rampShare = 0.2
	rampLevel = 1e-3
)

// Ramps says that the values rise or fall within the parts, so that the steps are cuts
// of a curve and no changes of a mean.
func (c Changes) Ramps(x []DD) bool {
	within, lines, n, m := 0.0, 0.0, 0.0, 0.0
	for _, s := range c.Segments {
		at, y := make([]float64, s.End-s.Start), make([]float64, s.End-s.Start)
		if len(y) < 3 {
			continue
		}
		_, rest := Centre(x[s.Start:s.End])
		for i, v := range rest {
			at[i], y[i] = float64(i), v.Float()
			within += y[i] * y[i]
		}
		left, _ := straight(at, y)
		for _, v := range left {
			lines += v * v
		}
		n, m = n+float64(len(y)), m+1
	}
	if n <= 2*m || !(within > 0) {
		return false
	}
	noise := math.Max(lines/(n-2*m), c.Noise*c.Noise)
	saved := within - lines
	return saved-m*noise > rampShare*within && FTail(saved/m/noise, m, n-2*m) < rampLevel
}

// sums are those of the values and their squares up to each place, about the
// mean and in units of the noise's size, so that float64 holds the costs.
type sums struct{ first, second []float64 }

func newSums(x []DD) sums {
	_, rest := Centre(x)
	s := sums{make([]float64, len(x)+1), make([]float64, len(x)+1)}
	var a, b DD
	for i, v := range rest {
		a, b = a.Add(v), b.Add(v.Mul(v))
		s.first[i+1], s.second[i+1] = a.Float(), b.Float()
	}
	return s
}

// cost is the sum of squares of the values from a up to b about their mean.
func (s sums) cost(a, b int) float64 {
	d := s.first[b] - s.first[a]
	return s.second[b] - s.second[a] - d*d/float64(b-a)
}

// pelt returns the ends of the parts. A start is given up once a later one is
// better by the penalty, and only after the shortest part that the later one
// could begin, which keeps the result exact with a least length.
func (s sums) pelt(least int, penalty float64) []int {
	n := len(s.first) - 1
	best, last := make([]float64, n+1), make([]int, n+1)
	for t := 1; t <= n; t++ {
		best[t] = math.Inf(1)
	}
	best[0] = -penalty
	type candidate struct{ start, until int } // until: the last end it may have
	open := []candidate{}
	for t := least; t <= n; t++ {
		if start := t - least; start == 0 || start >= least {
			open = append(open, candidate{start, math.MaxInt})
		}
		for _, c := range open {
			if v := best[c.start] + s.cost(c.start, t) + penalty; v < best[t] {
				best[t], last[t] = v, c.start
			}
		}
		keep := open[:0]
		for _, c := range open {
			if c.until == math.MaxInt && best[c.start]+s.cost(c.start, t) > best[t] {
				c.until = t + least - 1
			}
			if c.until > t {
				keep = append(keep, c)
			}
		}
		open = keep
	}
	var ends []int
	for t := n; t > 0; t = last[t] {
		ends = append(ends, t)
	}
	slices.Reverse(ends)
	return ends
}
