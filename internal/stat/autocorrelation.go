package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Autocorrelations are those of a series at the lags 1, 2, …, each with the half
// width of the band that white noise leaves with the chosen probability.
type Autocorrelations struct {
	N           int
	R, Band     []float64 // Bartlett's band (1946): it grows with the correlations at shorter lags
	Partial     []float64 // NaN from the lag at which the recursion breaks down
	PartialBand float64
	LjungBox    float64
	DF          int
	P           float64
}

// Autocorrelate correlates a series with itself at up to lags lags: products
// about the mean, divided by the sum of squares (the biased form, which keeps
// the sequence positive definite). absent marks the places of a regular grid
// that have no value (nil for none); products with them are left out. Partial
// correlations are by the recursion of Levinson and Durbin.
func Autocorrelate(x []DD, absent []bool, lags int, alpha float64) Autocorrelations {
	rest, n := withoutMean(x, absent)
	a := Autocorrelations{N: n, LjungBox: math.NaN(), P: math.NaN(), PartialBand: math.NaN()}
	total := dot(rest, rest)
	lags = min(lags, len(x)-1)
	if n < 3 || !(total.Hi > 0) || lags < 1 {
		return a
	}
	z := mathext.NormalQuantile(1 - alpha/2)
	r := make([]DD, lags+1)
	r[0] = F(1)
	sum, q := DD{}, DD{}
	for k := 1; k <= lags; k++ {
		r[k] = dot(rest[:len(rest)-k], rest[k:]).Div(total)
		a.R = append(a.R, r[k].Float())
		a.Band = append(a.Band, z*F(1).Add(sum.Ldexp(1)).Div(F(float64(n))).Sqrt().Float())
		square := r[k].Mul(r[k])
		sum = sum.Add(square)
		if k < n {
			q = q.Add(square.Div(F(float64(n - k))))
		}
	}
	a.DF = min(lags, n-1)
	a.LjungBox = q.Mul(F(float64(n)).Mul(F(float64(n + 2)))).Float()
	a.P = ChiTail(a.LjungBox, float64(a.DF))
	a.Partial, a.PartialBand = durbin(r), z/math.Sqrt(float64(n))
	return a
}

// withoutMean takes the mean of the values that are there off them; the others
// are 0.
func withoutMean(x []DD, absent []bool) ([]DD, int) {
	var there []DD
	for i, v := range x {
		if absent == nil || !absent[i] {
			there = append(there, v)
		}
	}
	rest := make([]DD, len(x))
	if len(there) == 0 {
		return rest, 0
	}
	mean := meanOf(there)
	for i, v := range x {
		if absent == nil || !absent[i] {
			rest[i] = v.Sub(mean)
		}
	}
	return rest, len(there)
}

// durbin returns the partial correlations of the correlations r[1:].
func durbin(r []DD) []float64 {
	out := nans(len(r) - 1)
	phi := make([]DD, len(r))
	left := F(1)
	for k := 1; k < len(r); k++ {
		c := r[k]
		for j := 1; j < k; j++ {
			c = c.Sub(phi[j].Mul(r[k-j]))
		}
		if !(left.Hi > 1e-20) {
			break
		}
		p := c.Div(left)
		if math.Abs(p.Hi) > 1 {
			break // the gaps took positive definiteness away
		}
		next := make([]DD, len(r))
		for j := 1; j < k; j++ {
			next[j] = phi[j].Sub(p.Mul(phi[k-j]))
		}
		next[k] = p
		phi, out[k-1] = next, p.Float()
		left = left.Mul(F(1).Sub(p.Mul(p)))
	}
	return out
}
