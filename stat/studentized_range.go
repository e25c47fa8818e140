package stat

import "math"

// RangeTail is the probability that the studentized range of k means with df
// degrees of freedom exceeds q, the tail of Tukey's test; df may be infinite.
// NaN where an argument has no meaning.
//
// The range of k normals (Copenhaver and Holland 1988, equation 2) and the
// integral over the estimated deviation are summed by the trapezoidal rule, the
// latter with halved steps until nothing changes, as terms of one sign: the tail
// itself, not 1 less its complement, so that it keeps its digits.
func RangeTail(q float64, k int, df float64) float64 {
	switch {
	case k < 2 || !(df > 0) || math.IsNaN(q):
		return math.NaN()
	case q <= 0:
		return 1
	case math.IsInf(q, 1):
		return 0
	case df > 1e10:
		return rangeTailKnown(q, k)
	}
	f := func(u float64) float64 { return chiDensity(u, df) * rangeTailKnown(q*math.Exp(u), k) }
	start := -0.5 * math.Log1p(q*q/(2*df)) // near the largest term in the tail
	if q < 4 {
		start = 0
	}
	h := math.Min(0.2, 0.8/math.Sqrt(2*df))
	sum := trapezoid(h, start, f)
	for range 6 {
		between := trapezoid(h, start+h/2, f)
		last := sum
		sum, h = (sum+between)/2, h/2
		if math.Abs(sum-last) <= 2e-14*sum {
			break
		}
	}
	return math.Min(1, sum)
}

// rangeTailKnown is the probability that the range of k standard normals exceeds
// w: an integral over the largest.
func rangeTailKnown(w float64, k int) float64 {
	const h, reach = 0.2, 48
	m := float64(k - 1)
	sum := 0.0
	for i := -reach; i <= reach; i++ {
		z := w/2 + float64(i)*h
		below, beyond := normalTail(-z), normalTail(w-z)
		if below == 0 {
			continue
		}
		density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		sum += density * math.Pow(below, m) * -math.Expm1(m*math.Log1p(-math.Min(1, beyond/below)))
	}
	return math.Min(1, float64(k)*sum*h)
}

// RangeQuantile is q such that the studentized range exceeds it with probability
// p.
func RangeQuantile(p float64, k int, df float64) float64 {
	if !(p > 0 && p < 1) || k < 2 || !(df > 0) {
		return math.NaN()
	}
	return rootAbove(func(q float64) float64 { return math.Log(p) - math.Log(RangeTail(q, k, df)) }, 4)
}
