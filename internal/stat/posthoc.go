package stat

import "math"

// Contrast is the comparison of the means of two groups within a family. A figure
// is NaN where it is undefined.
type Contrast struct {
	Difference, SE float64
	Q, DF          float64 // the studentized range, and its degrees of freedom
	P              float64 // adjusted for the family by the studentized range
	Low, High      float64 // simultaneous intervals of confidence 1-alpha
}

// Tukey compares every pair of groups, (0,1), (0,2), ..., by the pooled variance
// (Tukey 1953; Kramer 1956 for groups of different size).
func Tukey(groups []*Moments, alpha float64) []Contrast {
	var within DD
	n := 0
	for _, g := range groups {
		within, n = within.Add(g.squares()), n+g.N
	}
	df := float64(n - len(groups))
	quantile := RangeQuantile(alpha, len(groups), df)
	ms := within.Div(F(df))
	return pairs(groups, func(a, b *Moments) Contrast {
		v := ms.Mul(F(1).Div(F(float64(a.N))).Add(F(1).Div(F(float64(b.N)))))
		return contrast(a, b, v, df, len(groups), quantile)
	})
}

// GamesHowell compares every pair of groups by their own variances, with the
// degrees of freedom of Welch (Games and Howell 1976).
func GamesHowell(groups []*Moments, alpha float64) []Contrast {
	return pairs(groups, func(a, b *Moments) Contrast {
		t := Welch(a, b, alpha)
		v := variance(a).Div(F(float64(a.N))).Add(variance(b).Div(F(float64(b.N))))
		quantile := math.NaN()
		if t.DF > 0 {
			quantile = RangeQuantile(alpha, len(groups), t.DF)
		}
		return contrast(a, b, v, t.DF, len(groups), quantile)
	})
}

func pairs(groups []*Moments, compare func(a, b *Moments) Contrast) []Contrast {
	var out []Contrast
	for i, a := range groups {
		for _, b := range groups[i+1:] {
			out = append(out, compare(a, b))
		}
	}
	return out
}

// contrast divides by the deviation of one mean, of which v is twice the square.
func contrast(a, b *Moments, v DD, df float64, k int, quantile float64) Contrast {
	nan := math.NaN()
	d := a.MeanDD().Sub(b.MeanDD())
	c := Contrast{Difference: d.Float(), SE: v.Sqrt().Float(), Q: nan, DF: df, P: nan, Low: nan, High: nan}
	if !(v.Hi > 0) || !(df > 0) {
		return c
	}
	half := v.Ldexp(-1).Sqrt()
	c.Q = math.Abs(d.Div(half).Float())
	c.P = RangeTail(c.Q, k, df)
	reach := quantile * half.Float()
	c.Low, c.High = c.Difference-reach, c.Difference+reach
	return c
}

// Bonferroni multiplies p values by their number; NaN stays and is not counted.
func Bonferroni(p []float64) []float64 {
	out, n := nans(len(p)), 0.0
	for _, v := range p {
		if !math.IsNaN(v) {
			n++
		}
	}
	for i, v := range p {
		if !math.IsNaN(v) {
			out[i] = math.Min(1, v*n)
		}
	}
	return out
}
