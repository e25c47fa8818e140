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

// A line at a fraction of a peak's frequency is one that stands lineAbove times
// above its neighbours and has lineShare of the peak's power; two of them tell that
// the series repeats only after that many periods.
const (
	lineAbove = 20
	lineShare = 0.01
	// mostPeriods is the largest multiple of a period that is tried.
	mostPeriods = 6
	// fewestRepeats is how often a multiple must fit into the series, so that there
	// are neighbours between its lines.
	fewestRepeats = 8
)

// Repeats is after how many periods of the peak at a frequency a series repeats: 1,
// or more where the spectrum has lines at fractions of that frequency, as three
// pulses in 25 s have a peak at 8.3 s. It is for periodograms; others give 1.
func (s *Spectrum) Repeats(frequency float64) int {
	if s.Method != "periodogram" || len(s.Frequency) < 2 {
		return 1
	}
	at := frequency / (s.Frequency[1] - s.Frequency[0])
	peak, repeats := s.around(at), 1
	for m := 2; m <= mostPeriods && at >= float64(fewestRepeats*m); m++ {
		lines, apart := 0, at/float64(m)
		for j := 1; j < 2*m; j++ {
			place := float64(j) * apart
			if line := s.around(place); coprime(j, m) && line > lineShare*peak && line > lineAbove*s.beside(place, int(apart/2)) {
				lines++
			}
		}
		if lines >= 2 {
			repeats = m
		}
	}
	return repeats
}

func coprime(a, b int) bool {
	for b > 0 {
		a, b = b, a%b
	}
	return a == 1
}

// around is the largest power at most one frequency away.
func (s *Spectrum) around(place float64) float64 {
	k, largest := int(math.Round(place)), 0.0
	for i := max(k-1, 1); i <= k+1 && i < len(s.Power); i++ {
		largest = math.Max(largest, s.Power[i])
	}
	return largest
}

// beside is the mean power three to far frequencies away.
func (s *Spectrum) beside(place float64, far int) float64 {
	k, sum, count := int(math.Round(place)), 0.0, 0.0
	for d := 3; d <= far; d++ {
		for _, i := range []int{k - d, k + d} {
			if i > 0 && i < len(s.Power) {
				sum, count = sum+s.Power[i], count+1
			}
		}
	}
	if count == 0 {
		return math.Inf(1)
	}
	return sum / count
}
