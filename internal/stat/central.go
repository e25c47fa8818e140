package stat

import "math"

// Central holds the sums of the powers of a series about its mean, in
// double-double. Series are merged by the formulas of Pébay (2008), so that
// nothing cancels however far the values lie from zero or from each other's
// blocks.
type Central struct {
	N          int
	Min, Max   DD
	mean       DD
	m2, m3, m4 DD
}

// CentralOf sums a run of values: once for the mean, once about it.
func CentralOf(values []DD) *Central {
	c := &Central{N: len(values)}
	if c.N == 0 {
		return c
	}
	first := values[0]
	c.Min, c.Max = first, first
	var sum DD
	for _, v := range values {
		sum = sum.Add(v.Sub(first))
		if below(v, c.Min) {
			c.Min = v
		}
		if below(c.Max, v) {
			c.Max = v
		}
	}
	c.mean = first.Add(sum.Div(F(float64(c.N))))
	if c.Min == c.Max {
		c.mean = first
		return c
	}
	for _, v := range values {
		d := v.Sub(c.mean)
		d2 := d.Mul(d)
		c.m2, c.m3, c.m4 = c.m2.Add(d2), c.m3.Add(d2.Mul(d)), c.m4.Add(d2.Mul(d2))
	}
	return c
}

// below orders normalised numbers, whose second part is less than half a unit of
// the first.
func below(a, b DD) bool { return a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo }

// Merge adds the values of another series after these.
func (c *Central) Merge(o *Central) {
	if o.N == 0 {
		return
	}
	if c.N == 0 {
		*c = *o
		return
	}
	a, b := F(float64(c.N)), F(float64(o.N))
	n := a.Add(b)
	d := o.mean.Sub(c.mean)
	dn := d.Div(n)
	ab, d2 := a.Mul(b), d.Mul(dn)
	dn2 := dn.Mul(dn)
	c.m4 = c.m4.Add(o.m4).
		Add(d2.Mul(dn2).Mul(ab).Mul(a.Mul(a).Sub(ab).Add(b.Mul(b)))).
		Add(F(6).Mul(dn2).Mul(a.Mul(a).Mul(o.m2).Add(b.Mul(b).Mul(c.m2)))).
		Add(F(4).Mul(dn).Mul(a.Mul(o.m3).Sub(b.Mul(c.m3))))
	c.m3 = c.m3.Add(o.m3).
		Add(d2.Mul(dn).Mul(ab).Mul(a.Sub(b))).
		Add(F(3).Mul(dn).Mul(a.Mul(o.m2).Sub(b.Mul(c.m2))))
	c.m2 = c.m2.Add(o.m2).Add(d2.Mul(ab))
	c.mean = c.mean.Add(dn.Mul(b))
	c.N += o.N
	if below(o.Min, c.Min) {
		c.Min = o.Min
	}
	if below(c.Max, o.Max) {
		c.Max = o.Max
	}
}

// Mean is the mean; NaN of no values.
func (c *Central) Mean() float64 {
	if c.N == 0 {
		return math.NaN()
	}
	return c.mean.Float()
}

// Variance is that of the sample, by n-1; NaN of fewer than two values.
func (c *Central) Variance() float64 {
	if c.N < 2 {
		return math.NaN()
	}
	return c.m2.Div(F(float64(c.N - 1))).Float()
}

// SD is the standard deviation of the sample; NaN of fewer than two values.
func (c *Central) SD() float64 {
	if c.N < 2 {
		return math.NaN()
	}
	return c.m2.Div(F(float64(c.N - 1))).Sqrt().Float()
}

// Skewness is G1 of Joanes and Gill (1998), the sample's with the usual
// correction; NaN of fewer than three values or without spread.
func (c *Central) Skewness() float64 {
	n := float64(c.N)
	if c.N < 3 || !(c.m2.Hi > 0) {
		return math.NaN()
	}
	m2 := c.m2.Div(F(n))
	g1 := c.m3.Div(F(n)).Div(m2.Mul(m2.Sqrt()))
	return g1.Mul(F(n * (n - 1)).Sqrt()).Div(F(n - 2)).Float()
}

// Kurtosis is G2 of Joanes and Gill (1998), the excess over a normal
// distribution's; NaN of fewer than four values or without spread.
func (c *Central) Kurtosis() float64 {
	n := float64(c.N)
	if c.N < 4 || !(c.m2.Hi > 0) {
		return math.NaN()
	}
	g2 := c.m4.Mul(F(n)).Div(c.m2.Mul(c.m2)).Sub(F(3))
	return g2.Mul(F(n + 1)).Add(F(6)).Mul(F(n - 1)).Div(F(n - 2).Mul(F(n - 3))).Float()
}

// MeanInterval is that of the mean by Student's t at level alpha; NaN of fewer
// than two values.
func (c *Central) MeanInterval(alpha float64) (low, high float64) {
	if c.N < 2 {
		return math.NaN(), math.NaN()
	}
	half := TQuantile(alpha, float64(c.N-1)) * c.SD() / math.Sqrt(float64(c.N))
	return c.Mean() - half, c.Mean() + half
}
