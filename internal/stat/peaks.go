package stat

import (
	"cmp"
	"math"
	"slices"
)

// Peak is a local maximum of a spectrum, with the probabilities that the largest
// of noise alone stands higher above its level.
type Peak struct {
	Frequency, Power float64
	Share            float64 // of the variance
	White            float64 // false alarm of white noise; NaN of Welch's averages
	Red              float64 // of noise of the series' first autocorrelation; NaN likewise
}

// Peaks are the largest local maxima, at most most of them. r1 is the first
// autocorrelation of the series, n its number of values.
func (s *Spectrum) Peaks(most, n int, r1 float64) []Peak {
	low, high := s.inner()
	total := 0.0
	for k := low; k < high; k++ {
		total += s.Power[k]
	}
	if !(total > 0) {
		return nil
	}
	var tops []int
	for k := low; k < high; k++ {
		p := s.Power[k]
		if k > low && s.Power[k-1] >= p || k+1 < high && s.Power[k+1] > p || !(p > 0) {
			continue
		}
		tops = append(tops, k)
	}
	slices.SortStableFunc(tops, func(a, b int) int { return cmp.Compare(s.Power[b], s.Power[a]) })
	background, m := s.Background(r1), float64(high-low)
	var list []Peak
	for _, k := range tops[:min(most, len(tops))] {
		p := s.Power[k]
		peak := Peak{Frequency: s.Frequency[k], Power: p, Share: p / total, White: math.NaN(), Red: math.NaN()}
		switch s.Method {
		case "periodogram":
			peak.White = fisher(p/total, m)
			peak.Red = anyOf(math.Exp(-p/background[k]), m)
		case "lomb_scargle":
			// Single probability by Zechmeister and Kürster; independent
			// frequencies are about half the values (Horne and Baliunas 1986).
			peak.Share = p
			peak.White = anyOf(math.Pow(1-math.Min(p, 1), float64(n-3)/2), float64(n)/2)
		}
		list = append(list, peak)
	}
	return list
}

// inner are the frequencies above 0 and below half a cycle per step, whose
// ordinates are those of white noise exponential and independent.
func (s *Spectrum) inner() (low, high int) {
	low, high = 0, len(s.Power)
	if s.Method == "lomb_scargle" {
		return low, high
	}
	low = 1
	if s.Segment%2 == 0 {
		high--
	}
	return low, max(low, high)
}

// Background is the expected power of noise of the first autocorrelation r1 and
// the same mean power (Gilman et al. 1963).
func (s *Spectrum) Background(r1 float64) []float64 {
	low, high := s.inner()
	out := make([]float64, len(s.Power))
	r1 = math.Max(0, math.Min(0.999, r1))
	power, shape := 0.0, 0.0
	for k := range out {
		out[k] = (1 - r1*r1) / (1 + r1*r1 - 2*r1*math.Cos(2*math.Pi*s.Frequency[k]))
		if k >= low && k < high {
			power, shape = power+s.Power[k], shape+out[k]
		}
	}
	for k := range out {
		out[k] *= power / shape
	}
	return out
}

// anyOf is the probability that one of m independent events happens.
func anyOf(p, m float64) float64 { return -math.Expm1(m * math.Log1p(-math.Min(p, 1))) }

// fisher is the probability that the largest share of m ordinates of white noise
// exceeds g (Fisher 1929).
func fisher(g, m float64) float64 {
	sum, largest := 0.0, 0.0
	for j := 1.0; j <= m && j*g < 1; j++ {
		a, _ := math.Lgamma(m + 1)
		b, _ := math.Lgamma(j + 1)
		c, _ := math.Lgamma(m - j + 1)
		term := math.Exp(a - b - c + (m-1)*math.Log1p(-j*g))
		largest = math.Max(largest, term)
		if int(j)%2 == 1 {
			sum += term
		} else {
			sum -= term
		}
		if term < 1e-17*math.Abs(sum) || largest > 10 {
			break
		}
	}
	if largest > 10 { // the terms cancel; the ordinates are then nearly independent
		return anyOf(math.Exp((m-1)*math.Log1p(-g)), m)
	}
	return math.Max(0, math.Min(1, sum))
}
