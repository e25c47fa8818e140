package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/stat"
)

// finish makes the figures of every group and numeric column.
func (s *summarizer) finish(ctx context.Context) error {
	for _, level := range s.levels {
		var list []columnSummary
		for k, t := range s.cells[level].numbers {
			list = append(list, s.describe(s.data.Columns[s.numeric[k]].Name, t))
		}
		s.figures = append(s.figures, list)
	}
	if s.exact || len(s.numeric) == 0 {
		return nil
	}
	return s.recount(ctx)
}

var quartiles = []float64{0.25, 0.5, 0.75}

func (s *summarizer) describe(name string, t *tally) columnSummary {
	nan := number(math.NaN())
	c := columnSummary{Name: name, N: t.N, Missing: t.missing, Mean: nan, MeanLow: nan, MeanHigh: nan, SD: nan, Variance: nan,
		Skewness: nan, Kurtosis: nan, Min: nan, Q1: nan, Median: nan, Q3: nan, Max: nan, Quantiles: []quantile{}, Method: "exact", RankError: nan,
		Consequence: "There is no value."}
	if t.N == 0 {
		return c
	}
	low, high := t.MeanInterval(s.alpha)
	c.Mean, c.MeanLow, c.MeanHigh = number(t.Mean()), number(low), number(high)
	c.SD, c.Variance = number(t.SD()), number(t.Variance())
	c.Skewness, c.Kurtosis = number(t.Skewness()), number(t.Kurtosis())
	c.Min, c.Max = number(t.Min.Float()), number(t.Max.Float())
	shares := append(slices.Clone(quartiles), s.quantiles...)
	var values []float64
	var sorted []stat.DD
	if s.exact {
		sorted = stat.SortDD(t.there())
		c.RankError = 0
		for _, q := range shares {
			values = append(values, stat.QuantileDD(sorted, q))
		}
	} else {
		c.Method = "t_digest"
		for _, q := range shares {
			values = append(values, t.digest.Quantile(q))
		}
	}
	c.Q1, c.Median, c.Q3 = number(values[0]), number(values[1]), number(values[2])
	for i, q := range s.quantiles {
		c.Quantiles = append(c.Quantiles, quantile{number(q), number(values[3+i]), c.RankError})
	}
	c.bins = stat.NewHistogram(t.N, t.Min, t.Max, values[0], values[2])
	for _, v := range sorted {
		c.bins.Add(v.Float())
	}
	c.Mode = t.mode(sorted)
	c.Consequence = c.consequence()
	return c
}

// mode counts equal values: of sorted ones, or of those that a digest's tally
// counted. It is nil where every value is different, or where too many are.
func (t *tally) mode(sorted []stat.DD) *mode {
	var best mode
	take := func(v float64, n int64) {
		switch {
		case n > best.Count:
			best = mode{number(v), n, 1}
		case n == best.Count:
			best.Ties++
		}
	}
	for _, c := range t.common {
		take(c.value, c.n)
	}
	for lo := 0; lo < len(sorted); {
		hi := lo + 1
		for hi < len(sorted) && sorted[hi] == sorted[lo] {
			hi++
		}
		take(sorted[lo].Float(), int64(hi-lo))
		lo = hi
	}
	if best.Count < 2 && t.N > 1 || best.Count == 0 {
		return nil
	}
	return &best
}

// consequence says what the shape means for the figures. The limit is three
// standard errors of a normal sample's skewness and kurtosis, and a size that
// matters.
func (c *columnSummary) consequence() string {
	n := float64(c.N)
	var say []string
	switch {
	case c.N == 1:
		return "There is one value: spread, shape and intervals are undefined."
	case c.Min == c.Max:
		return "All values are equal: shape and correlations are undefined."
	case c.N < 10:
		say = append(say, "There are few values: intervals of the mean take normal values for granted.")
	}
	if g := float64(c.Skewness); math.Abs(g) > 3*math.Sqrt(6/n) && math.Abs(g) > 0.5 {
		side := "high"
		if g < 0 {
			side = "low"
		}
		say = append(say, fmt.Sprintf("The values have a long tail of %s ones: the median and the quartiles describe them better than the mean and the standard deviation.", side))
	}
	if k := float64(c.Kurtosis); k > 3*math.Sqrt(24/n) && k > 1 {
		say = append(say, "There are more extreme values than normal ones have: look at the histogram for outliers.")
	}
	if len(say) == 0 {
		return "Nothing in the shape speaks against the mean and the standard deviation."
	}
	return strings.Join(say, " ")
}

// ranked counts, for one group and column, the values in the histogram's bins and
// those below and up to each quantile.
type ranked struct {
	bins         *stat.Histogram
	below, up    []int64
	value, share []float64
}

// recount goes through the data once more: for the histograms, whose bins need
// the range, and for the true ranks of the digests' quantiles.
func (s *summarizer) recount(ctx context.Context) error {
	all := s.newRanked()
	err := stat.EachBlock(ctx, s.data.Blocks(), func(i int) (map[string][]*ranked, error) {
		return s.recountBlock(i, all)
	}, func(part map[string][]*ranked) {
		for level, list := range part {
			for k, r := range list {
				all[level][k].merge(r)
			}
		}
	})
	if err != nil {
		return err
	}
	for g, level := range s.levels {
		for k, r := range all[level] {
			if c := &s.figures[g][k]; c.N > 0 {
				c.bins = r.bins
				c.rankErrors(r)
			}
		}
	}
	return nil
}

func (s *summarizer) newRanked() map[string][]*ranked {
	all := map[string][]*ranked{}
	for g, level := range s.levels {
		for k := range s.numeric {
			c := &s.figures[g][k]
			r := &ranked{bins: c.bins, share: append(slices.Clone(quartiles), s.quantiles...), value: []float64{float64(c.Q1), float64(c.Median), float64(c.Q3)}}
			for _, q := range c.Quantiles {
				r.value = append(r.value, float64(q.Value))
			}
			r.below, r.up = make([]int64, len(r.value)), make([]int64, len(r.value))
			all[level] = append(all[level], r)
		}
	}
	return all
}

func (s *summarizer) recountBlock(i int, all map[string][]*ranked) (map[string][]*ranked, error) {
	part := &blockSummary{}
	out := map[string][]*ranked{}
	rows, index, err := s.split(i, part)
	if err != nil || rows == nil {
		return out, err
	}
	for k, column := range s.numeric {
		values, gone, err := rows.Numbers(column)
		if err != nil {
			return nil, err
		}
		for _, level := range part.levels {
			r := all[level][k].empty()
			for _, at := range index[level] {
				if !gone[at] {
					r.add(values[at].Float())
				}
			}
			out[level] = append(out[level], r)
		}
	}
	return out, nil
}

func (r *ranked) empty() *ranked {
	o := &ranked{value: r.value, below: make([]int64, len(r.below)), up: make([]int64, len(r.up))}
	if r.bins != nil {
		o.bins = r.bins.Empty()
	}
	return o
}

func (r *ranked) add(v float64) {
	r.bins.Add(v)
	for i, q := range r.value {
		if v <= q {
			r.up[i]++
			if v < q {
				r.below[i]++
			}
		}
	}
}

func (r *ranked) merge(o *ranked) {
	if r.bins != nil {
		r.bins.Merge(o.bins)
	}
	for i := range r.up {
		r.up[i] += o.up[i]
		r.below[i] += o.below[i]
	}
}

// rankErrors says how far each estimate is from the rank that was asked for. An
// estimate between two values of neighbouring ranks stands for both.
func (c *columnSummary) rankErrors(r *ranked) {
	n := float64(c.N)
	worst := 0.0
	for i, share := range r.share {
		low, high := float64(r.below[i]), float64(r.up[i]-1)
		if r.below[i] == r.up[i] {
			low, high = low-1, high+1
		}
		rank := share * (n - 1)
		off := math.Max(0, math.Max(low-rank, rank-high)) / n
		worst = math.Max(worst, off)
		if k := i - len(quartiles); k >= 0 {
			c.Quantiles[k].RankError = number(off)
		}
	}
	c.RankError = number(worst)
}
