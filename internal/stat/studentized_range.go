package stat

import (
	"math"
	"sync"
)

// knownDF is where the deviation is as good as known.
const knownDF = 1e10

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
	case k == 2 && df <= knownDF: // two means: Student's t
		return TTail2(q/math.Sqrt2, df)
	}
	return rangeTail(q, k, df)
}

func rangeTail(q float64, k int, df float64) float64 {
	if df > knownDF {
		return rangeTailKnown(q, k)
	}
	f := func(u float64) float64 { return chiDensity(u, df) * rangeTailKnown(q*math.Exp(u), k) }
	start := -0.5 * math.Log1p(q*q/(2*df)) // near the largest term in the tail
	if q < 4 {
		start = 0
	}
	h := math.Min(0.08, 0.5/math.Sqrt(2*df))
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

// rangeNodes are the points at which the range of k normals is summed: the largest
// normal, and what does not depend on the range there.
type rangeNodes struct{ z, below, weight []float64 }

const (
	rangeStep  = 0.125
	rangeReach = 40 // beyond it the density is 0 in float64
)

// nodesOf makes the points once for each k.
var nodesOf = func() func(k int) rangeNodes {
	var made sync.Map
	return func(k int) rangeNodes {
		if n, ok := made.Load(k); ok {
			return n.(rangeNodes)
		}
		var n rangeNodes
		for z := -float64(rangeReach); z <= rangeReach; z += rangeStep {
			below := normalTail(-z)
			weight := float64(k) * rangeStep * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Pow(below, float64(k-1))
			if weight > 0 {
				n.z, n.below, n.weight = append(n.z, z), append(n.below, below), append(n.weight, weight)
			}
		}
		made.Store(k, n)
		return n
	}
}()

// rangeTailKnown is the probability that the range of k standard normals exceeds
// w: an integral over the largest, summed from the middle of the range both ways
// until the terms vanish beside the sum.
func rangeTailKnown(w float64, k int) float64 {
	m, n := float64(k-1), nodesOf(k)
	sum := 0.0
	term := func(i int) float64 {
		beyond := normalTail(w - n.z[i])
		return n.weight[i] * -math.Expm1(m*math.Log1p(-math.Min(1, beyond/n.below[i])))
	}
	middle := min(max(0, int((w/2-n.z[0])/rangeStep)), len(n.z)-1)
	for i, last := middle, 0.0; i < len(n.z); i++ {
		t := term(i)
		if sum += t; t <= last && t <= 1e-19*sum {
			break
		}
		last = t
	}
	for i, last := middle-1, 0.0; i >= 0; i-- {
		t := term(i)
		if sum += t; t <= last && t <= 1e-19*sum {
			break
		}
		last = t
	}
	return math.Min(1, sum)
}

// RangeQuantile is q such that the studentized range exceeds it with probability
// p.
func RangeQuantile(p float64, k int, df float64) float64 {
	if !(p > 0 && p < 1) || k < 2 || !(df > 0) {
		return math.NaN()
	}
	if k == 2 && df <= knownDF {
		return math.Sqrt2 * TQuantile(p, df)
	}
	return rootAbove(func(q float64) float64 { return math.Log(p) - math.Log(RangeTail(q, k, df)) }, 4)
}
