package stat

import "math"

// Bend is what a curve adds to the line through a series: polynomials of the second
// and the third degree in the time, orthogonal to the line and to each other.
type Bend struct {
	P     float64 // of both together (Bonferroni), with errors that allow for memory; NaN: not tested
	Share float64 // root mean square of the curve, by that of the line about its mean
	// Start and End are the slopes of the curved trend at the ends of the series.
	Start, End float64
}

// fewestBent is how many values a curve is looked for in: the errors of fewer are too rough.
const fewestBent = 20

// BendOf tests what the line l leaves of a series, as Line and Remembered test slopes:
// the larger of their p values counts. rounding is as in Remembered.
func BendOf(t, rest []float64, l LineTrend, rounding float64) Bend {
	b := Bend{P: math.NaN(), Share: math.NaN(), Start: l.Slope, End: l.Slope}
	n := len(rest)
	if n < fewestBent || l.Slope == 0 {
		return b
	}
	middle, half := (t[0]+t[n-1])/2, (t[n-1]-t[0])/2
	basis := make([][]float64, 4)
	for k := range basis {
		basis[k] = make([]float64, n)
		for i, v := range t {
			basis[k][i] = math.Pow((v-middle)/half, float64(k))
		}
	}
	// Of one, t, t², t³, each less its projections on those before (twice, for rounding).
	across := make([][]float64, len(basis))
	for k := range basis {
		across[k] = make([]float64, k)
		for range 2 {
			for j := range k {
				c := dot64(basis[k], basis[j]) / dot64(basis[j], basis[j])
				across[k][j] += c
				for i := range basis[k] {
					basis[k][i] -= c * basis[j][i]
				}
			}
		}
		if !(dot64(basis[k], basis[k]) > 1e-12) {
			return b // too few different times
		}
	}
	left, curve, coef := append([]float64(nil), rest...), make([]float64, n), [2]float64{}
	for k := range coef {
		q := basis[k+2]
		coef[k] = dot64(q, rest) / dot64(q, q)
		for i := range q {
			left[i] -= coef[k] * q[i]
			curve[i] += coef[k] * q[i]
		}
	}
	b.P = 1
	for k, c := range coef {
		q := basis[k+2]
		robust := Line(doubled(q), doubled(sum64(left, c, q)), 0.05)
		b.P = math.Min(b.P, math.Max(2*robust.P, 2*Remembered(q, left, c, rounding).P))
	}
	line := dot64(basis[1], basis[1])
	b.Share = math.Sqrt(dot64(curve, curve)/line) / math.Abs(l.Slope*half)
	for _, end := range []struct {
		at    float64
		slope *float64
	}{{-1, &b.Start}, {1, &b.End}} {
		second := 2*end.at - across[2][1]
		third := 3*end.at*end.at - across[3][1] - across[3][2]*second
		*end.slope += (coef[0]*second + coef[1]*third) / half
	}
	return b
}

func dot64(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// sum64 is a + c b.
func sum64(a []float64, c float64, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + c*b[i]
	}
	return out
}

func doubled(values []float64) []DD {
	out := make([]DD, len(values))
	for i, v := range values {
		out[i] = F(v)
	}
	return out
}
