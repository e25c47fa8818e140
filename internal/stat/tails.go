package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The tails are by the continued fraction of the incomplete beta function with
// Loader's saddle-point form of its factor (Loader 2000), which keeps 13 digits
// where the probability is 1e-300 and where the parameters are in the millions.

// FTail is the probability that F with d1 and d2 degrees of freedom exceeds f;
// NaN where an argument is NaN or a degree is not positive.
func FTail(f, d1, d2 float64) float64 {
	switch {
	case !(d1 > 0) || !(d2 > 0) || math.IsNaN(f):
		return math.NaN()
	case f <= 0:
		return 1
	case math.IsInf(f, 1):
		return 0
	}
	r := d1 * f / d2
	return incompleteBeta(d2/2, d1/2, 1/(1+r), r/(1+r))
}

// TTail2 is the two-sided probability of Student's t with df degrees of freedom:
// that |T| exceeds |t|.
func TTail2(t, df float64) float64 {
	switch {
	case !(df > 0) || math.IsNaN(t):
		return math.NaN()
	case math.IsInf(t, 0):
		return 0
	}
	if math.Abs(t) > 1e150 { // the square would overflow
		r := math.Sqrt(df) / math.Abs(t)
		return incompleteBeta(df/2, 0.5, r*r, 1)
	}
	r := t * t / df
	return incompleteBeta(df/2, 0.5, 1/(1+r), r/(1+r))
}

// TQuantile is t such that |T| exceeds it with probability p.
func TQuantile(p, df float64) float64 {
	if !(p > 0 && p < 1) || !(df > 0) {
		return math.NaN()
	}
	lo, hi := 0.0, 1.0
	for TTail2(hi, df) > p {
		lo, hi = hi, hi*2
		if hi > 1e300 {
			return math.NaN()
		}
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if TTail2(mid, df) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

// ChiTail is the probability that chi squared with df degrees exceeds x.
func ChiTail(x, df float64) float64 {
	switch {
	case !(df > 0) || math.IsNaN(x):
		return math.NaN()
	case x <= 0:
		return 1
	case df == 2:
		return math.Exp(-x / 2)
	}
	return mathext.GammaIncRegComp(df/2, x/2)
}

// chiBelow is the probability that chi squared with df degrees is at most x.
func chiBelow(x, df float64) float64 {
	switch {
	case !(df > 0) || math.IsNaN(x):
		return math.NaN()
	case x <= 0:
		return 0
	}
	return mathext.GammaIncReg(df/2, x/2)
}

// incompleteBeta is the regularised incomplete beta function I_x(a, b), where
// y = 1-x is given so that neither loses digits.
func incompleteBeta(a, b, x, y float64) float64 {
	if x <= 0 {
		return 0
	}
	if y <= 0 {
		return 1
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBetaLower(b, a, y, x)
	}
	return incompleteBetaLower(a, b, x, y)
}

func incompleteBetaLower(a, b, x, y float64) float64 {
	return betaFactor(a, b, x, y) * betaFraction(a, b, x, y)
}

// betaFraction is the continued fraction of Didonato and Morris (1992, equation
// 9), whose terms depend on (a+b)y - b, here as ay - bx, which keeps its digits
// near either end.
func betaFraction(a, b, x, y float64) float64 {
	c := 1 + a*y - b*x
	ratio, first := b/a, 1+1/a
	p, s := 1.0, a+1
	before, beforeBelow := 0.0, 1.0
	above, below := 1.0, c/first
	r := first / c
	for n := 1.0; n < 100000; n++ {
		t := n / a
		w := n * (b - n) * x
		e := a / s
		alpha := p * (p + ratio) * e * e * (w * x)
		e = (t + 1) / (first + t + t)
		beta := n + w/s + e*(c+n*(1+y))
		p = t + 1
		s += 2
		above, before = alpha*before+beta*above, above
		below, beforeBelow = alpha*beforeBelow+beta*below, below
		last := r
		if r = above / below; math.Abs(r-last) <= 1e-16*math.Abs(r) {
			break
		}
		before /= below
		beforeBelow /= below
		above, below = r, 1
	}
	return r
}

// betaFactor is x^a y^b / B(a, b).
func betaFactor(a, b, x, y float64) float64 {
	n := a + b
	log := stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n*x) - deviance(b, n*y)
	return math.Sqrt(a*b/(2*math.Pi*n)) * math.Exp(log)
}

// stirlingError is log(Gamma(n+1)) less Stirling's formula for it.
func stirlingError(n float64) float64 {
	if n < 16 {
		g, _ := math.Lgamma(n + 1)
		return g - (n+0.5)*math.Log(n) + n - 0.5*math.Log(2*math.Pi)
	}
	q := 1 / (n * n)
	return (1./12 - q*(1./360-q*(1./1260-q*(1./1680-q*(1./1188-q*691./360360))))) / n
}

// deviance is x log(x/m) + m - x without cancellation.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) < 0.1*(x+m) {
		v := (x - m) / (x + m)
		s := (x - m) * v
		e := 2 * x * v
		for j := 1.0; j < 1000; j++ {
			e *= v * v
			next := s + e/(2*j+1)
			if next == s {
				break
			}
			s = next
		}
		return s
	}
	return x*math.Log(x/m) + m - x
}
