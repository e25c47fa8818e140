package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// LineTrend is a straight line through a series by least squares, whose standard
// error allows for errors that are correlated and of unequal variance (Newey and
// West 1987, Bartlett's weights, without a small-sample correction). A figure is
// NaN where it is undefined.
type LineTrend struct {
	Slope, SE, T, P, Low, High float64
	Start                      float64 // the line's value at time 0
	R2                         float64
	Lags                       int

	slope, start DD
}

// Line fits y over t, both of the same length; t need not be regular, but
// ascending for the lags to have a meaning. Tests are by Student's t with n-2
// degrees of freedom.
func Line(t, y []DD, alpha float64) LineTrend {
	nan := math.NaN()
	l := LineTrend{Slope: nan, SE: nan, T: nan, P: nan, Low: nan, High: nan, Start: nan, R2: nan}
	n := len(y)
	ct, cy := CentredOf(t), CentredOf(y)
	tc, yc := ct.Rest, cy.Rest
	p := PairAbout(ct, cy)
	if n < 2 || !(p.xx.Hi > 0) {
		return l
	}
	l.slope = p.xy.Div(p.xx)
	l.start = cy.Mean.Sub(l.slope.Mul(ct.Mean))
	l.Slope, l.Start = l.slope.Float(), l.start.Float()
	e := make([]DD, n)
	for i := range e {
		e[i] = yc[i].Sub(l.slope.Mul(tc[i]))
	}
	if rss := dot(e, e); n < 3 || !(rss.Hi > exactlyLinear*p.yy.Hi) {
		return l // without errors there is nothing to judge by
	}
	l.R2 = p.xy.Mul(p.xy).Div(p.xx).Div(p.yy).Float()
	for i := range e {
		e[i] = e[i].Mul(tc[i])
	}
	l.Lags = min(int(4*math.Pow(float64(n)/100, 2./9)), n-2)
	meat := dot(e, e)
	for k := 1; k <= l.Lags; k++ {
		w := F(float64(2 * (l.Lags + 1 - k))).Div(F(float64(l.Lags + 1)))
		meat = meat.Add(w.Mul(dot(e[:n-k], e[k:])))
	}
	if !(meat.Hi > 0) {
		return l
	}
	se := meat.Sqrt().Div(p.xx)
	df := float64(n - 2)
	l.SE, l.T = se.Float(), l.slope.Div(se).Float()
	l.P = TTail2(l.T, df)
	half := TQuantile(alpha, df) * l.SE
	l.Low, l.High = l.Slope-half, l.Slope+half
	return l
}

// Rest is what the line leaves of a series.
func (l *LineTrend) Rest(t, y []DD) []DD {
	out := make([]DD, len(y))
	for i := range y {
		out[i] = y[i].Sub(l.start).Sub(l.slope.Mul(t[i]))
	}
	return out
}

// Monotone is the test of Mann (1945) and Kendall for a trend of any form, with
// the variance for ties and the correction for continuity, and the slope of Theil
// (1950) and Sen (1968), the median of those between all pairs, with the interval
// that the test gives. It takes independent values for granted.
type Monotone struct {
	S, Variance, Z, P, Tau float64 // Tau is Kendall's tau b
	Slope, Low, High       float64 // NaN beyond MaxSenPoints
}

// MaxSenPoints is the most values whose pairs of slopes are ordered.
const MaxSenPoints = 10_000

// MannKendall tests y at the times t, which are ascending and distinct.
func MannKendall(t, y []DD, alpha float64) Monotone {
	nan := math.NaN()
	m := Monotone{S: nan, Variance: nan, Z: nan, P: nan, Tau: nan, Slope: nan, Low: nan, High: nan}
	n := len(y)
	if n < 3 {
		return m
	}
	sorted := SortDD(y)
	pairs := float64(n) * float64(n-1) / 2
	tied, correction := 0.0, 0.0
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && sorted[hi] == sorted[lo] {
			hi++
		}
		k := float64(hi - lo)
		tied, correction = tied+k*(k-1)/2, correction+k*(k-1)*(2*k+5)
		lo = hi
	}
	// Falling pairs are the inversions of what strictly falls.
	falling := float64(inversions(y, func(a, b DD) bool { return a.Cmp(b) > 0 }))
	m.S = pairs - tied - 2*falling
	f := float64(n)
	m.Variance = (f*(f-1)*(2*f+5) - correction) / 18
	if tied < pairs {
		m.Tau = m.S / math.Sqrt(pairs*(pairs-tied))
	}
	if m.Variance > 0 {
		m.Z = (m.S - sign(m.S)) / math.Sqrt(m.Variance)
		m.P = math.Erfc(math.Abs(m.Z) / math.Sqrt2)
	}
	if n <= MaxSenPoints {
		m.sen(t, y, alpha)
	}
	return m
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// sen finds the median slope and those at the ranks of the interval.
func (m *Monotone) sen(t, y []DD, alpha float64) {
	n := len(y)
	count := n * (n - 1) / 2
	k := kthSlope(t, y)
	m.Slope = k((count + 1) / 2)
	if count%2 == 0 {
		m.Slope = (m.Slope + k(count/2+1)) / 2
	}
	if !(m.Variance > 0) {
		return
	}
	half := mathext.NormalQuantile(1-alpha/2) * math.Sqrt(m.Variance)
	low, high := int(math.Round((float64(count)-half)/2)), int(math.Round((float64(count)+half)/2))+1
	if low >= 1 && high <= count {
		m.Low, m.High = k(low), k(high)
	}
}

// kthSlope returns the function that finds the k-th smallest slope between two
// points, from 1, by bisection: the slopes up to s are as many as the pairs that
// do not rise in y - s t (Matoušek 1991), which a merge sort counts.
func kthSlope(t, y []DD) func(k int) float64 {
	t0, _ := Centre(t)
	span := t[len(t)-1].Sub(t[0]).Hi
	scale := 0.0 // the steepest slope there is
	for i := 1; i < len(y); i++ {
		scale = math.Max(scale, math.Abs(y[i].Sub(y[i-1]).Div(t[i].Sub(t[i-1])).Hi))
	}
	size := math.Max(math.Abs(y[0].Hi), scale*span)
	least := size / span * 1e-27 // what double-double can tell apart
	u := make([]DD, len(y))
	upTo := func(s float64) int {
		for i := range u {
			u[i] = y[i].Sub(F(s).Mul(t[i].Sub(t0)))
		}
		return inversions(u, func(a, b DD) bool { return a.Cmp(b) >= 0 })
	}
	return func(k int) float64 {
		lo, hi := -scale*(1+1e-15)-least, scale*(1+1e-15)
		for hi-lo > least && hi-lo > 4e-16*math.Max(math.Abs(lo), math.Abs(hi)) {
			mid := lo + (hi-lo)/2
			if mid == lo || mid == hi {
				break
			}
			if upTo(mid) >= k {
				hi = mid
			} else {
				lo = mid
			}
		}
		if math.Abs(hi) <= 2*least {
			return 0
		}
		return hi
	}
}

// inversions counts the pairs i < j of which before(x[i], x[j]) holds, where
// before is a > b or a >= b.
func inversions(x []DD, before func(a, b DD) bool) int {
	from, to := slices.Clone(x), make([]DD, len(x))
	count := 0
	for width := 1; width < len(x); width *= 2 {
		for lo := 0; lo < len(x); lo += 2 * width {
			mid, hi := min(lo+width, len(x)), min(lo+2*width, len(x))
			i, j := lo, mid
			for at := lo; at < hi; at++ {
				if i < mid && (j == hi || !before(from[i], from[j])) {
					to[at] = from[i]
					i++
				} else {
					to[at] = from[j]
					j++
					count += mid - i
				}
			}
		}
		from, to = to, from
	}
	return count
}
