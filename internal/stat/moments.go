package stat

import "math"

// Moments sums a series in double-double about its first value, so that digits
// which all values share cost nothing.
type Moments struct {
	N        int
	First    DD
	sum, sq  DD // of the differences from First
	Min, Max DD
}

// Add takes one more value.
func (m *Moments) Add(v DD) {
	if m.N == 0 {
		m.First, m.Min, m.Max = v, v, v
	}
	d := v.Sub(m.First)
	m.N++
	m.sum, m.sq = m.sum.Add(d), m.sq.Add(d.Mul(d))
	if v.Cmp(m.Min) < 0 {
		m.Min = v
	}
	if v.Cmp(m.Max) > 0 {
		m.Max = v
	}
}

// Merge adds the values of another series after these.
func (m *Moments) Merge(o *Moments) {
	if o.N == 0 {
		return
	}
	if m.N == 0 {
		*m = *o
		return
	}
	d := o.First.Sub(m.First)
	n := F(float64(o.N))
	m.sq = m.sq.Add(o.sq).Add(d.Mul(o.sum).Mul(F(2))).Add(n.Mul(d).Mul(d))
	m.sum = m.sum.Add(o.sum).Add(n.Mul(d))
	m.N += o.N
	if o.Min.Cmp(m.Min) < 0 {
		m.Min = o.Min
	}
	if o.Max.Cmp(m.Max) > 0 {
		m.Max = o.Max
	}
}

// MeanDD is the mean; NaN of no values.
func (m *Moments) MeanDD() DD { return m.First.Add(m.sum.Div(F(float64(m.N)))) }

// Mean is the mean; NaN of no values.
func (m *Moments) Mean() float64 { return m.MeanDD().Float() }

// squares is the sum of squares about the mean.
func (m *Moments) squares() DD {
	if m.N == 0 || m.Min == m.Max {
		return DD{}
	}
	return m.sq.Sub(m.sum.Mul(m.sum).Div(F(float64(m.N))))
}

// Variance is that of the sample, by n-1; NaN of fewer than two values.
func (m *Moments) Variance() float64 {
	if m.N < 2 {
		return math.NaN()
	}
	return m.squares().Div(F(float64(m.N - 1))).Float()
}

// SD is the standard deviation of the sample; NaN of fewer than two values.
func (m *Moments) SD() float64 {
	if m.N < 2 {
		return math.NaN()
	}
	return m.squares().Div(F(float64(m.N - 1))).Sqrt().Float()
}
