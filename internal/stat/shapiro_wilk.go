package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// ShapiroWilkMost is the most values that the test of Shapiro and Wilk takes.
const ShapiroWilkMost = 5000

// ShapiroWilk tests that 3 to 5000 values are of a normal distribution (Shapiro
// and Wilk 1965, by the approximation of Royston 1995, AS R94). It is the one
// figure that is an approximation by definition. NaN for other numbers of values,
// or for equal ones.
func ShapiroWilk(values []float64) (w, p float64) {
	n := len(values)
	if n < 3 || n > ShapiroWilkMost {
		return math.NaN(), math.NaN()
	}
	x := slices.Sorted(slices.Values(values))
	mean, squares := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(n)
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	if !(squares > 0) || x[0] == x[n-1] {
		return math.NaN(), math.NaN()
	}
	sum := 0.0
	for i, a := range shapiroWeights(n) {
		sum += a * (x[n-1-i] - x[i])
	}
	w = math.Min(1, sum*sum/squares)
	return w, shapiroTail(w, n)
}

// shapiroWeights are those of the larger half, the outermost first.
func shapiroWeights(n int) []float64 {
	if n == 3 {
		return []float64{math.Sqrt(0.5)}
	}
	half := n / 2
	m, all := make([]float64, half), 0.0
	for i := range m {
		m[i] = -distuv.UnitNormal.Quantile((float64(i) + 1 - 0.375) / (float64(n) + 0.25))
		all += 2 * m[i] * m[i]
	}
	root, small := math.Sqrt(all), 1/math.Sqrt(float64(n))
	first := polynomial(small, 0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056) + m[0]/root
	ends := []float64{first}
	rest, left := all-2*m[0]*m[0], 1-2*first*first
	if n > 5 {
		second := polynomial(small, 0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633) + m[1]/root
		ends = append(ends, second)
		rest, left = rest-2*m[1]*m[1], left-2*second*second
	}
	scale := math.Sqrt(rest / left)
	for i := range m {
		m[i] /= scale
	}
	copy(m, ends)
	return m
}

func shapiroTail(w float64, n int) float64 {
	if n == 3 {
		return math.Max(0, 6/math.Pi*(math.Asin(math.Sqrt(w))-math.Asin(math.Sqrt(0.75))))
	}
	y, size := math.Log(1-w), float64(n)
	if n > 11 {
		l := math.Log(size)
		return normalTail((y - polynomial(l, -1.5861, -0.31082, -0.083751, 0.0038915)) / math.Exp(polynomial(l, -0.4803, -0.082676, 0.0030302)))
	}
	limit := polynomial(size, -2.273, 0.459)
	if y >= limit {
		return 0
	}
	y = -math.Log(limit - y)
	return normalTail((y - polynomial(size, 0.544, -0.39978, 0.025054, -6.714e-4)) / math.Exp(polynomial(size, 1.3822, -0.77857, 0.062767, -0.0020322)))
}

// polynomial has its coefficients from the constant up.
func polynomial(x float64, c ...float64) float64 {
	s := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		s = s*x + c[i]
	}
	return s
}

// DAgostinoPearson tests that at least 20 values have the skewness and the
// kurtosis of a normal distribution (D'Agostino and Pearson 1973, by the
// transformations of D'Agostino 1970 and of Anscombe and Glynn 1983). The
// statistic is chi squared with two degrees of freedom; NaN for fewer or equal
// values.
func DAgostinoPearson(values []float64) (k2, p float64) {
	n := float64(len(values))
	if n < 20 {
		return math.NaN(), math.NaN()
	}
	mean, m2, m3, m4 := 0.0, 0.0, 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		d := v - mean
		m2, m3, m4 = m2+d*d/n, m3+d*d*d/n, m4+d*d*d*d/n
	}
	if !(m2 > 0) {
		return math.NaN(), math.NaN()
	}
	y := m3 / math.Pow(m2, 1.5) * math.Sqrt((n+1)*(n+3)/(6*(n-2)))
	beta := 3 * (n*n + 27*n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
	w2 := math.Sqrt(2*(beta-1)) - 1
	skew := math.Asinh(y*math.Sqrt((w2-1)/2)) / math.Sqrt(math.Log(w2)/2)
	variance := 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5))
	x := (m4/(m2*m2) - 3*(n-1)/(n+1)) / math.Sqrt(variance)
	root := 6 * (n*n - 5*n + 2) / ((n + 7) * (n + 9)) * math.Sqrt(6*(n+3)*(n+5)/(n*(n-2)*(n-3)))
	a := 6 + 8/root*(2/root+math.Sqrt(1+4/(root*root)))
	kurtosis := (1 - 2/(9*a) - math.Cbrt((1-2/a)/(1+x*math.Sqrt(2/(a-4))))) / math.Sqrt(2/(9*a))
	k2 = skew*skew + kurtosis*kurtosis
	return k2, math.Exp(-k2 / 2)
}
