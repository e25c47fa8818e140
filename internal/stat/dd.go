// Package stat computes least squares, analysis of variance and summaries with
// every digit that the data determine: decimals are read into double-double
// numbers (two float64, about 31 digits), columns are centred, scaled and
// reduced in that arithmetic, and only results are rounded to float64.
//
// Data come in blocks of a fixed order and size, and partial results are merged
// in that order, so the figures do not depend on the number of processors.
package stat

import "math"

// DD is a double-double number, the unevaluated sum Hi+Lo with |Lo| at most
// half a unit in the last place of Hi (Dekker 1971). Operations have a relative
// error of a few 2^-104.
type DD struct{ Hi, Lo float64 }

// F is a float64 as a double-double.
func F(x float64) DD { return DD{Hi: x} }

func twoSum(a, b float64) (s, e float64) {
	s = a + b
	bb := s - a
	return s, (a - (s - bb)) + (b - bb)
}

func quickTwoSum(a, b float64) DD {
	s := a + b
	return DD{s, b - (s - a)}
}

// Add returns a+b.
func (a DD) Add(b DD) DD {
	s, e := twoSum(a.Hi, b.Hi)
	t, f := twoSum(a.Lo, b.Lo)
	r := quickTwoSum(s, e+t)
	return quickTwoSum(r.Hi, r.Lo+f)
}

// Sub returns a-b.
func (a DD) Sub(b DD) DD { return a.Add(DD{-b.Hi, -b.Lo}) }

// Neg returns -a.
func (a DD) Neg() DD { return DD{-a.Hi, -a.Lo} }

// Mul returns a*b.
func (a DD) Mul(b DD) DD {
	p := a.Hi * b.Hi
	e := math.FMA(a.Hi, b.Hi, -p)
	e += float64(a.Hi*b.Lo) + float64(a.Lo*b.Hi)
	return quickTwoSum(p, e)
}

// Div returns a/b.
func (a DD) Div(b DD) DD {
	q1 := a.Hi / b.Hi
	r := a.Sub(b.Mul(F(q1)))
	q2 := r.Hi / b.Hi
	r = r.Sub(b.Mul(F(q2)))
	q3 := r.Hi / b.Hi
	q := quickTwoSum(q1, q2)
	return q.Add(F(q3))
}

// Sqrt returns the square root; NaN of a negative number.
func (a DD) Sqrt() DD {
	if a.Hi == 0 {
		return DD{}
	}
	x := math.Sqrt(a.Hi)
	if math.IsInf(x, 1) || math.IsNaN(x) {
		return F(x)
	}
	// One step of Newton on the float64 root doubles its digits.
	r := a.Sub(F(x).Mul(F(x)))
	return quickTwoSum(x, r.Hi/(2*x))
}

// Ldexp returns a * 2^e.
func (a DD) Ldexp(e int) DD { return DD{math.Ldexp(a.Hi, e), math.Ldexp(a.Lo, e)} }

// Float rounds to float64.
func (a DD) Float() float64 { return a.Hi + a.Lo }

// Cmp is -1, 0 or 1 as a is below, equal to or above b.
func (a DD) Cmp(b DD) int {
	d := a.Sub(b)
	switch {
	case d.Hi < 0:
		return -1
	case d.Hi > 0:
		return 1
	}
	return 0
}

// Finite says that a is neither infinite nor NaN.
func (a DD) Finite() bool { return !math.IsInf(a.Hi, 0) && !math.IsNaN(a.Hi) }

// dot returns the sum of a[i]*b[i].
func dot(a, b []DD) DD {
	var s DD
	for i, x := range a {
		s = s.Add(x.Mul(b[i]))
	}
	return s
}

// sweep is how many products are summed by one float64 with one for its
// rounding: its error grows as their number times 2^-106.
const sweep = 256

// product is dot with the chain of additions broken up (algorithm Dot2 of Ogita,
// Rump and Oishi 2005, on sweeps), for long series: many times as fast, and
// with a digit less.
func product(a, b []DD) DD {
	var total DD
	for len(a) > 0 {
		n := min(sweep, len(a))
		x, y := a[:n], b[:n]
		var s, low float64
		for i, v := range x {
			w := y[i]
			p := v.Hi * w.Hi
			e := math.FMA(v.Hi, w.Lo, math.FMA(v.Lo, w.Hi, math.FMA(v.Hi, w.Hi, -p)))
			t, d := twoSum(s, p)
			s, low = t, low+(d+e)
		}
		s, low = twoSum(s, low)
		total = total.Add(DD{s, low})
		a, b = a[n:], b[n:]
	}
	return total
}

// sum is product with ones.
func sum(a []DD) DD {
	var total DD
	for len(a) > 0 {
		n := min(sweep, len(a))
		var s, low float64
		for _, v := range a[:n] {
			t, d := twoSum(s, v.Hi)
			s, low = t, low+(d+v.Lo)
		}
		s, low = twoSum(s, low)
		total = total.Add(DD{s, low})
		a = a[n:]
	}
	return total
}
