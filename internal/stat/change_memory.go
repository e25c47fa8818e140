package stat

import (
	"math"
	"math/rand/v2"
)

// mostTested is the most values that changes are held against memory with; more
// are averaged.
const mostTested = 3000

// memorySeries is how many series without changes are made at most.
const memorySeries = 199

// drawnShare is the share of the level that is left for the series that are drawn:
// the rest is spent on estimates that have less memory than the process.
const drawnShare = 0.6

// ChangesBeyondMemory is the probability of changes that describe a series so much
// better than memory does, where there are none: NaN where ChangePoints finds none.
// The changes and a line with an autoregression are compared by the criterion of
// Schwarz, and so are series that are drawn from that autoregression (a parametric
// bootstrap of models that do not contain each other: Cox 1962, Williams 1970). Its
// coefficients are corrected for their bias, and what may be a random walk is one,
// as in Remembered. Changes that describe the series no better have the probability
// 1. Drawing ends as soon as alpha cannot be kept. Shares of 400
// series each without changes that have some at the level of 5 %, and of series with
// steps up and down by 3 deviations at their thirds
// (TestMemoryMakesNoChanges with -series 1200):
//
//	n    walk   AR .9  AR .5  noise  steps+noise  steps+AR .3
//	60   0.037  0.010  0.010  0.007  0.780        0.435
//	120  0.033  0.005  0.025  0.000  0.932        0.645
//	240  0.040  0.000  0.000  0.013  1.000        0.953
func ChangesBeyondMemory(x []DD, half float64, least int, factor, alpha float64) float64 {
	if run := (len(x) + mostTested - 1) / mostTested; run > 1 {
		x, half, least = Averaged(x, run), half/math.Sqrt(float64(run)), max(1, least/run)
	}
	n := len(x)
	if n < 8 {
		return math.NaN()
	}
	better, l, rest := changesOrMemory(x, half, least, factor)
	switch {
	case math.IsNaN(better):
		return better
	case better <= 0:
		return 1
	}
	phi := unbiased(autoregression(rest), n)
	sd := math.Sqrt(innovations(rest, phi))
	rng := rand.New(rand.NewPCG(uint64(n), 1)) // the same series have the same answer
	as := 1.0
	for k := 1.0; k <= memorySeries; k++ {
		if other, _, _ := changesOrMemory(drawn(rng, n, l.Slope, phi, sd), half, least, factor); other >= better {
			if as++; as/(memorySeries+1) > alpha*drawnShare && as/(k+1) > alpha*drawnShare {
				return math.Min(1, as/(k+1)/drawnShare)
			}
		}
	}
	return math.Min(1, as/(memorySeries+1)/drawnShare)
}

// Averaged are the means of runs of values; what is left at the end belongs to
// none.
func Averaged(x []DD, run int) []DD {
	var out []DD
	for lo := 0; lo+run <= len(x); lo += run {
		var sum DD
		for _, v := range x[lo : lo+run] {
			sum = sum.Add(v)
		}
		out = append(out, sum.Div(F(float64(run))))
	}
	return out
}

// settling is how many values an autoregression is let run before it is used.
const settling = 100

// drawn are values of an autoregression with normal innovations about a line.
func drawn(rng *rand.Rand, n int, slope float64, phi []float64, sd float64) []DD {
	e := make([]float64, n+settling)
	for i := range e {
		e[i] = sd * rng.NormFloat64()
		for k, c := range phi {
			if i > k {
				e[i] += c * e[i-k-1]
			}
		}
	}
	out := make([]DD, n)
	for i := range out {
		out[i] = F(slope*float64(i) + e[settling+i])
	}
	return out
}

// changesOrMemory is how much better changes of the mean describe a series than a
// line with an autoregression, by the criterion of Schwarz, NaN where there are no
// changes; and the line, with what it leaves.
func changesOrMemory(x []DD, half float64, least int, factor float64) (better float64, l LineTrend, rest []float64) {
	n := float64(len(x))
	c := ChangePoints(x, half, least, factor)
	count := float64(len(c.Segments) - 1)
	if count == 0 {
		return math.NaN(), l, nil
	}
	at := make([]DD, len(x))
	for i := range at {
		at[i] = F(float64(i))
	}
	l = Line(at, x, 0.05)
	left := 0.0
	for _, v := range l.Rest(at, x) {
		rest = append(rest, v.Float())
		left += v.Float() * v.Float() / n
	}
	memory := n*math.Log(left) + 2*math.Log(n)
	for p, r := range partials(rest) {
		left *= 1 - r*r
		memory = math.Min(memory, n*math.Log(left)+float64(p+3)*math.Log(n))
	}
	steps := n*math.Log((c.Cost-c.Penalty*count)/n) + (2*count+1)*math.Log(n)
	return memory - steps, l, rest
}
