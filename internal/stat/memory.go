package stat

import "math"

// Memory is an autoregression of what a line leaves of a series, and what follows
// from it for the line's slope.
type Memory struct {
	Order       int
	Persistence float64 // sum of the coefficients: 1 of a random walk
	SE, T, P    float64 // of the slope
}

// mostOrder is the highest order that is tried.
const mostOrder = 12

// unitRoot is n (1-s) of a random walk about a line, below which it stays in 19 of
// 20 cases (Fuller 1976, table 8.5.1, for long series).
const unitRoot = 21.7

// Remembered tests a slope with the errors that an autoregression of the residuals
// gives. The errors of Newey and West see as many lags as the length of the series
// asks for; this sees as many as its memory does. The order is by the criterion of
// Schwarz, the coefficients by Durbin and Levinson. Least squares makes memory
// seem too short: the bias of the sum of the coefficients, (2+4s)/n about a line
// (Kendall 1954 for a mean; Orcutt and Winokur 1969), is taken off, and a standard
// error added, so that the test holds up to a random walk.
//
// The residuals are sums of innovations u, e[i] = phi e[i-1] + … + u[i], so the
// slope is off by a weighted sum of them. The weights follow backwards from the
// times, and no limit of long series is needed. rounding is the standard deviation
// of what rounding has done to the values: they have at least as much noise.
func Remembered(t, rest []float64, slope, rounding float64) Memory {
	n := len(rest)
	m := Memory{SE: math.NaN(), T: math.NaN(), P: math.NaN()}
	if n < 8 {
		return m
	}
	phi := autoregression(rest)
	m.Order = len(phi)
	for _, c := range phi {
		m.Persistence += c
	}
	if len(phi) > 0 {
		s := m.Persistence
		if float64(n)*(1-s) < unitRoot {
			s = 1
		}
		s = math.Min(1, s+(2+4*s)/float64(n)+math.Sqrt(math.Max(0, 1-s*s)/float64(n)))
		phi[0], m.Persistence = phi[0]+s-m.Persistence, s
	}
	variance := innovations(rest, phi)
	mean, length := 0.0, 0.0
	for _, v := range t {
		mean += v / float64(n)
	}
	weights, squares := make([]float64, n), 0.0
	for i := n - 1; i >= 0; i-- {
		length += (t[i] - mean) * (t[i] - mean)
		weights[i] = t[i] - mean
		for k, c := range phi {
			if i+k+1 < n {
				weights[i] += c * weights[i+k+1]
			}
		}
		squares += weights[i] * weights[i]
	}
	m.SE = math.Sqrt(squares*math.Max(variance, rounding*rounding)) / length
	if m.T, m.P = slope/m.SE, 0; !math.IsInf(m.T, 0) {
		m.P = TTail2(m.T, float64(n-2))
	}
	return m
}

// innovations is the variance of what the values before do not tell of a value.
func innovations(x, phi []float64) float64 {
	sum := 0.0
	for i := len(phi); i < len(x); i++ {
		e := x[i]
		for k, c := range phi {
			e -= c * x[i-k-1]
		}
		sum += e * e
	}
	return sum / float64(len(x)-2-len(phi))
}

// autoregression returns the coefficients of the best order.
func autoregression(x []float64) (phi []float64) {
	n := len(x)
	covariance := make([]float64, min(mostOrder, n/4)+1)
	for k := range covariance {
		for i := k; i < n; i++ {
			covariance[k] += x[i] * x[i-k] / float64(n)
		}
	}
	left := covariance[0]
	least := float64(n) * math.Log(left)
	var now []float64
	for p := 1; p < len(covariance) && left > 0; p++ {
		c := covariance[p]
		for j, a := range now {
			c -= a * covariance[p-1-j]
		}
		r := c / left
		next := make([]float64, p)
		for j, a := range now {
			next[j] = a - r*now[p-2-j]
		}
		next[p-1] = r
		left *= 1 - r*r
		now = next
		if of := float64(n)*math.Log(left) + float64(p)*math.Log(float64(n)); of < least {
			least, phi = of, append([]float64(nil), now...)
		}
	}
	return phi
}
