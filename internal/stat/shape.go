package stat

import (
	"math"
	"slices"
)

// SortDD returns the values in ascending order.
func SortDD(values []DD) []DD {
	out := slices.Clone(values)
	slices.SortFunc(out, DD.Cmp)
	return out
}

// Shape returns the skewness and the excess kurtosis of a sample, with the usual
// corrections (G1 and G2 of Joanes and Gill 1998); NaN where they are undefined.
func Shape(values []DD, m *Moments) (skewness, kurtosis float64) {
	skewness, kurtosis = math.NaN(), math.NaN()
	n := float64(m.N)
	if m.N < 3 || len(values) != m.N || !(m.squares().Hi > 0) {
		return skewness, kurtosis
	}
	mean, scale := m.MeanDD(), m.squares().Div(F(n)).Sqrt()
	var s3, s4 float64
	for _, v := range values {
		z := v.Sub(mean).Div(scale).Float()
		s3, s4 = s3+z*z*z, s4+z*z*z*z
	}
	g1, g2 := s3/n, s4/n-3
	skewness = g1 * math.Sqrt(n*(n-1)) / (n - 2)
	if m.N > 3 {
		kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n+1)*g2 + 6)
	}
	return skewness, kurtosis
}

// QuantileDD is Quantile of sorted double-double values.
func QuantileDD(sorted []DD, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := share * float64(len(sorted)-1)
	k := int(at)
	if k+1 >= len(sorted) {
		return sorted[len(sorted)-1].Float()
	}
	return sorted[k].Add(sorted[k+1].Sub(sorted[k]).Mul(F(at - float64(k)))).Float()
}
