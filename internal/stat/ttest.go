package stat

import "math"

// TTest is a comparison of means. A figure is NaN where it is undefined.
type TTest struct {
	Difference, SE float64 // of the means, and its standard error
	T, DF, P       float64 // two-sided
	Low, High      float64 // of the difference
	HedgesG        float64 // difference by the standard deviation, without its bias: pooled of two samples, their own of one
	GLow, GHigh    float64 // of HedgesG
}

// Welch compares two means without assuming equal variances (Welch 1947), with
// v_i = s_i^2/n_i:
//
//	t = (mean_a - mean_b) / sqrt(v_a + v_b)
//	df = (v_a + v_b)^2 / (v_a^2/(n_a-1) + v_b^2/(n_b-1))
func Welch(a, b *Moments, alpha float64) TTest {
	va, vb := variance(a).Div(F(float64(a.N))), variance(b).Div(F(float64(b.N)))
	v := va.Add(vb).Float()
	df := math.NaN()
	if a.N > 1 && b.N > 1 && v > 0 {
		// As shares of the sum, neither overflows nor underflows.
		sa, sb := va.Float()/v, vb.Float()/v
		df = 1 / (sa*sa/float64(a.N-1) + sb*sb/float64(b.N-1))
	}
	t := compare(a.MeanDD().Sub(b.MeanDD()), va.Add(vb).Sqrt(), df, alpha)
	t.HedgesG, t.GLow, t.GHigh = hedges(a, b, alpha)
	return t
}

// Student compares two means of equal variance, with n_a + n_b - 2 degrees of
// freedom:
//
//	s^2 = (SS_a + SS_b) / (n_a + n_b - 2)
//	t = (mean_a - mean_b) / sqrt(s^2 (1/n_a + 1/n_b))
func Student(a, b *Moments, alpha float64) TTest {
	df := float64(a.N + b.N - 2)
	pooled := a.squares().Add(b.squares()).Div(F(df))
	size := F(1).Div(F(float64(a.N))).Add(F(1).Div(F(float64(b.N))))
	t := compare(a.MeanDD().Sub(b.MeanDD()), pooled.Mul(size).Sqrt(), df, alpha)
	t.HedgesG, t.GLow, t.GHigh = hedges(a, b, alpha)
	return t
}

// OneSample compares a mean with a value, t = (mean - value) / (s/sqrt(n)) with n-1
// degrees of freedom; of differences, it is the paired test, with their own
// deviation in Hedges' g.
func OneSample(a *Moments, value float64, alpha float64) TTest {
	t := compare(a.MeanDD().Sub(F(value)), variance(a).Div(F(float64(a.N))).Sqrt(), float64(a.N-1), alpha)
	if !math.IsNaN(t.T) {
		t.HedgesG, t.GLow, t.GHigh = standardized(t.T, t.DF, 1/math.Sqrt(float64(a.N)), alpha)
	}
	return t
}

// Equivalence is Schuirmann's test (1987) that a difference lies between two
// bounds: the larger of two one-sided p values, those of (d - low)/se and
// (high - d)/se; NaN where t is.
func (t TTest) Equivalence(low, high float64) (p float64) {
	if math.IsNaN(t.T) {
		return math.NaN()
	}
	return math.Max(oneSided((t.Difference-low)/t.SE, t.DF), oneSided((high-t.Difference)/t.SE, t.DF))
}

// oneSided is the probability that Student's t exceeds t.
func oneSided(t, df float64) float64 {
	if t >= 0 {
		return TTail2(t, df) / 2
	}
	return 1 - TTail2(t, df)/2
}

func variance(m *Moments) DD { return m.squares().Div(F(float64(m.N - 1))) }

func compare(difference, se DD, df, alpha float64) TTest {
	nan := math.NaN()
	r := TTest{Difference: difference.Float(), SE: se.Float(), T: nan, DF: df, P: nan, Low: nan, High: nan, HedgesG: nan, GLow: nan, GHigh: nan}
	if se.Hi > 0 && df > 0 {
		r.T = difference.Div(se).Float()
		r.P = TTail2(r.T, df)
		half := TQuantile(alpha, df) * r.SE
		r.Low, r.High = r.Difference-half, r.Difference+half
	}
	return r
}

// hedges is Hedges' g, and its interval where the variances are equal, by
// Student's t.
func hedges(a, b *Moments, alpha float64) (g, low, high float64) {
	nan := math.NaN()
	df := float64(a.N + b.N - 2)
	pooled := a.squares().Add(b.squares()).Div(F(df)).Sqrt()
	if df < 2 || !(pooled.Hi > 0) {
		return nan, nan, nan
	}
	d := a.MeanDD().Sub(b.MeanDD()).Div(pooled)
	size := F(1).Div(F(float64(a.N))).Add(F(1).Div(F(float64(b.N)))).Sqrt()
	_, low, high = standardized(d.Div(size).Float(), df, size.Float(), alpha)
	return d.Float() * hedgesFactor(df), low, high
}

// Holm adjusts p values for their number (Holm 1979); NaN stays and is not
// counted.
func Holm(p []float64) []float64 {
	out := nans(len(p))
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	for i := range order { // insertion sort: families are small
		for k := i; k > 0 && p[order[k]] < p[order[k-1]]; k-- {
			order[k], order[k-1] = order[k-1], order[k]
		}
	}
	most := 0.0
	for rank, i := range order {
		most = math.Max(most, math.Min(1, p[i]*float64(len(order)-rank)))
		out[i] = most
	}
	return out
}

// Levene tests equal variances by the distances from the medians (Brown and
// Forsythe 1974), which the caller gives as groups: the one-way analysis of variance
// of z_ij = |y_ij - median_i|.
func Levene(groups [][]DD) (f, p float64) { return spreadTest(groups, medianOf) }

// LeveneMean tests equal variances by the distances from the means (Levene 1960).
func LeveneMean(groups [][]DD) (f, p float64) { return spreadTest(groups, meanOf) }

func spreadTest(groups [][]DD, centre func([]DD) DD) (f, p float64) {
	var distances []*Moments
	for _, values := range groups {
		if len(values) == 0 {
			return math.NaN(), math.NaN()
		}
		middle := centre(values)
		m := &Moments{}
		for _, v := range values {
			d := v.Sub(middle)
			if d.Hi < 0 {
				d = d.Neg()
			}
			m.Add(d)
		}
		distances = append(distances, m)
	}
	a, err := OneWay(distances)
	if err != nil {
		return math.NaN(), math.NaN()
	}
	return a.F, a.P
}

func medianOf(values []DD) DD {
	sorted := SortDD(values)
	n := len(sorted)
	if n == 0 {
		return DD{}
	}
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1].Add(sorted[n/2]).Ldexp(-1)
}
