package stat

import "math"

// NoncentralF returns the probabilities that noncentral F with d1 and d2 degrees
// of freedom and noncentrality lambda is at most f, and that it exceeds f. Each
// is a Poisson mixture of incomplete beta functions, summed from the largest
// weight both ways (Ding 1997; Benton and Krishnamoorthy 2003), so that both
// keep their relative digits. NaN where an argument has no meaning.
func NoncentralF(f, d1, d2, lambda float64) (below, above float64) {
	switch {
	case !(d1 > 0) || !(d2 > 0) || !(lambda >= 0) || math.IsNaN(f) || math.IsInf(lambda, 1):
		return math.NaN(), math.NaN()
	case f <= 0:
		return 0, 1
	case math.IsInf(f, 1):
		return 1, 0
	}
	r := d1 * f / d2
	x, y := r/(1+r), 1/(1+r)
	if lambda > 2e4 {
		return noncentralFByStrides(d1/2, d2/2, x, y, lambda/2)
	}
	mode := math.Floor(lambda / 2)
	a, b := d1/2+mode, d2/2
	m := mixture{a: a, b: b, x: x, mean: lambda / 2, mode: mode, weight: poisson(mode, lambda/2),
		below: incompleteBeta(a, b, x, y), above: incompleteBeta(b, a, y, x), step: betaFactor(a, b, x, y) / a}
	return m.sum()
}

// mixture is the sum over j of Poisson weights times I_x(a+j, b), begun at the
// mode. step is I_x(a, b) less I_x(a+1, b).
type mixture struct {
	a, b, x, mean, mode        float64
	weight, below, above, step float64
}

// sum goes up and down from the mode. A difference that cancels belongs to a
// term that is smaller than the one at the mode, so it costs no digits.
func (m mixture) sum() (below, above float64) {
	below, above = m.weight*m.below, m.weight*m.above
	w, lower, upper, step := m.weight, m.below, m.above, m.step
	last := above
	for j := m.mode; ; j++ {
		w *= m.mean / (j + 1)
		lower, upper = math.Max(0, lower-step), upper+step
		step *= m.x * (m.a + j - m.mode + m.b) / (m.a + j - m.mode + 1)
		below, above = below+w*lower, above+w*upper
		if w*lower <= 1e-18*below && w*upper <= 1e-18*above && w*upper <= last {
			break
		}
		last = w * upper
	}
	w, lower, upper, step = m.weight, m.below, m.above, m.step
	last = m.weight * m.below
	for j := m.mode; j > 0; j-- {
		w *= j / m.mean
		step *= (m.a + j - m.mode) / (m.x * (m.a + j - m.mode - 1 + m.b))
		lower, upper = lower+step, math.Max(0, upper-step)
		below, above = below+w*lower, above+w*upper
		if w*lower <= 1e-18*below && w*upper <= 1e-18*above && w*lower <= last {
			break
		}
		last = w * lower
	}
	return math.Min(1, below), math.Min(1, above)
}

// noncentralFByStrides takes one term in many of the mixture: for large means
// its terms are a smooth function of their number, of which such a sum is the
// whole to far beyond float64 (the trapezoidal rule).
func noncentralFByStrides(a, b, x, y, mean float64) (below, above float64) {
	stride := math.Floor(math.Sqrt(mean) / 8)
	mode := math.Floor(mean)
	for _, way := range []float64{stride, -stride} {
		last := 0.0
		for i := 0.0; mode+i*way >= 0; i++ {
			if i == 0 && way < 0 {
				continue // counted on the way up
			}
			j := mode + i*way
			w := stride * poisson(j, mean)
			lower, upper := w*incompleteBeta(a+j, b, x, y), w*incompleteBeta(b, a+j, y, x)
			below, above = below+lower, above+upper
			larger := math.Max(lower/below, upper/above)
			if i > 8 && !(larger > 1e-18) && !(larger > last) {
				break
			}
			last = larger
		}
	}
	return math.Min(1, below), math.Min(1, above)
}

// poisson is the probability of n events where mean ones are expected.
func poisson(n, mean float64) float64 {
	if n == 0 {
		return math.Exp(-mean)
	}
	return math.Exp(-stirlingError(n)-deviance(n, mean)) / math.Sqrt(2*math.Pi*n)
}

// NoncentralT returns the probabilities that noncentral t with df degrees of
// freedom and noncentrality delta is at most t, and that it exceeds t. Both are
// integrals of positive terms by the trapezoidal rule, whose error falls
// exponentially with the step for such integrands (Trefethen and Weideman 2014).
func NoncentralT(t, df, delta float64) (below, above float64) {
	switch {
	case !(df > 0) || math.IsNaN(t) || math.IsNaN(delta) || math.IsInf(delta, 0):
		return math.NaN(), math.NaN()
	case t < 0:
		above, below = NoncentralT(-t, df, -delta)
		return below, above
	case math.IsInf(t, 1):
		return 1, 0
	case t == 0:
		return normalTail(delta), normalTail(-delta)
	}
	if t*t > 2*df && delta > 12 {
		return noncentralTByNormal(t, df, delta)
	}
	// Over u, the logarithm of chi/sqrt(df), given which t is normal.
	steepest := math.Min(t*math.Exp(8/math.Sqrt(2*df)), math.Max(delta, 0)+9) // of the normal's argument
	h := math.Min(math.Min(0.5/math.Sqrt(2*df), 0.1), 0.4/steepest)
	largest := func(sign float64) float64 {
		return highest(-350/math.Min(df, 300), 3, func(u float64) float64 {
			return df*u - df/2*math.Expm1(2*u) + logNormalTail(sign*(t*math.Exp(u)-delta))
		})
	}
	below = trapezoid(h, largest(-1), func(u float64) float64 { return chiDensity(u, df) * normalTail(delta-t*math.Exp(u)) })
	above = trapezoid(h, largest(1), func(u float64) float64 { return chiDensity(u, df) * normalTail(t*math.Exp(u)-delta) })
	return math.Min(1, below), math.Min(1, above)
}

// noncentralTByNormal integrates over the normal numerator, which is wide beside
// the chi of the denominator where t is large.
func noncentralTByNormal(t, df, delta float64) (below, above float64) {
	const h = 0.15
	density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	square := func(z float64) float64 { s := math.Max(0, z+delta) / t; return df * s * s }
	below = trapezoid(h, 0, func(z float64) float64 { return density(z) * ChiTail(square(z), df) })
	above = trapezoid(h, 0, func(z float64) float64 { return density(z) * chiBelow(square(z), df) })
	return math.Min(1, below), math.Min(1, above)
}

// chiDensity is the density of the logarithm u of chi/sqrt(df).
func chiDensity(u, df float64) float64 {
	n := df / 2
	return 2 * math.Sqrt(n/(2*math.Pi)) * math.Exp(-stirlingError(n)-n*exponentialBeyondLine(2*u))
}

// exponentialBeyondLine is exp(x) - 1 - x without cancellation.
func exponentialBeyondLine(x float64) float64 {
	if math.Abs(x) > 0.3 {
		return math.Expm1(x) - x
	}
	s, term := 0.0, x
	for k := 2.0; k < 20; k++ {
		term *= x / k
		s += term
	}
	return s
}

// trapezoid sums h f at the points start + i h, both ways until the terms vanish
// beside the sum.
func trapezoid(h, start float64, f func(float64) float64) float64 {
	sum := f(start)
	for _, way := range []float64{h, -h} {
		last := 0.0
		for i := 1.0; i < 1e7; i++ {
			term := f(start + i*way)
			sum += term
			if term <= last && term <= 1e-18*sum || term == 0 && i*h > 40 {
				break
			}
			last = term
		}
	}
	return sum * h
}

// highest is roughly where a function of one hump is largest.
func highest(lo, hi float64, f func(float64) float64) float64 {
	for range 40 {
		a, b := lo+(hi-lo)*0.4, lo+(hi-lo)*0.6
		if f(a) < f(b) {
			lo = a
		} else {
			hi = b
		}
	}
	return (lo + hi) / 2
}

// logNormalTail is the logarithm of normalTail, roughly beyond 30 deviations.
func logNormalTail(z float64) float64 {
	if z > 30 {
		return -z*z/2 - math.Log(z) - 0.5*math.Log(2*math.Pi)
	}
	return math.Log(normalTail(z))
}

// normalTail is the probability that a standard normal exceeds z.
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// rootAbove is where an increasing function crosses zero at or above 0; 0 where it
// does so below, NaN where it never does.
func rootAbove(f func(float64) float64, first float64) float64 {
	lo, hi := 0.0, first
	flo, fhi := f(lo), f(hi)
	if flo >= 0 {
		return 0
	}
	for !(fhi >= 0) {
		if lo, flo, hi = hi, fhi, 2*hi; hi > 1e300 {
			return math.NaN()
		}
		fhi = f(hi)
	}
	return rootBetween(f, lo, hi, flo, fhi)
}

// rootBetween closes in on the zero of an increasing function by regula falsi with
// the rule of Anderson and Bjorck (1973), and by halves where that is slow.
func rootBetween(f func(float64) float64, lo, hi, flo, fhi float64) float64 {
	for i := range 200 {
		mid := hi - fhi*(hi-lo)/(fhi-flo)
		if !(mid > lo && mid < hi) || math.IsInf(flo, 0) || i%8 == 7 {
			mid = lo + (hi-lo)/2
		}
		if mid == lo || mid == hi || hi-lo < 1e-15*math.Max(math.Abs(lo), math.Abs(hi)) {
			return mid
		}
		fm := f(mid)
		if math.Abs(fm) < 1e-14 {
			return mid
		}
		if fm > 0 {
			flo *= shrink(fm / fhi)
			hi, fhi = mid, fm
		} else {
			fhi *= shrink(fm / flo)
			lo, flo = mid, fm
		}
	}
	return lo + (hi-lo)/2
}

// shrink is the factor of the value at the end that stays.
func shrink(ratio float64) float64 {
	if r := 1 - ratio; r > 0 {
		return r
	}
	return 0.5
}

// NoncentralityF is the interval of confidence 1-alpha of the noncentrality that
// an observed F has (Steiger 2004; Smithson 2003): an end is 0 where even the
// central distribution lies beyond. NaN for an F that is no number.
func NoncentralityF(f, d1, d2, alpha float64) (low, high float64) {
	if !(f >= 0) || math.IsInf(f, 0) || !(d1 > 0) || !(d2 > 0) {
		return math.NaN(), math.NaN()
	}
	first := math.Max(1, d1*f)
	low = rootAbove(func(lambda float64) float64 {
		_, above := NoncentralF(f, d1, d2, lambda)
		return math.Log(above / (alpha / 2))
	}, first)
	high = rootAbove(func(lambda float64) float64 {
		below, _ := NoncentralF(f, d1, d2, lambda)
		return math.Log(alpha / 2 / below)
	}, first)
	return low, high
}

// NoncentralityT is the interval of confidence 1-alpha of the noncentrality that
// an observed t has (Steiger and Fouladi 1997).
func NoncentralityT(t, df, alpha float64) (low, high float64) {
	if math.IsNaN(t) || math.IsInf(t, 0) || !(df > 0) {
		return math.NaN(), math.NaN()
	}
	// By symmetry the lower end of t is the upper one of -t with another sign.
	upper := func(t float64) float64 {
		f := func(delta float64) float64 {
			below, _ := NoncentralT(t, df, delta)
			return math.Log(alpha / 2 / below)
		}
		step := 1 + math.Abs(t)/math.Sqrt(2*df)
		lo, hi := t, t+2*step
		flo, fhi := f(lo), f(hi)
		for flo > 0 {
			lo, hi, fhi = lo-2*step, lo, flo
			flo = f(lo)
		}
		for fhi < 0 {
			lo, flo, hi = hi, fhi, hi+2*step
			fhi = f(hi)
		}
		return rootBetween(f, lo, hi, flo, fhi)
	}
	return -upper(-t), upper(t)
}
