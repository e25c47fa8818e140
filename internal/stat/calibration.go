package stat

import (
	"cmp"
	"math"
	"slices"
)

// Calibration says how well predicted probabilities of a response of 0 or 1
// agree with what happened. Figures are NaN where they are undefined.
type Calibration struct {
	Events, NonEvents float64 // by frequency
	// AUC is the probability that an event has a higher prediction than a
	// non-event, ties counting half (the area under the ROC curve).
	AUC float64
	// HosmerLemeshow is chi squared over tenths of the predictions; tied
	// predictions stay together, so there may be fewer groups.
	HosmerLemeshow, HosmerLemeshowP float64
	Groups                          []CalibrationGroup
	// Confusion counts predictions of at least one half against the response.
	TruePositive, FalsePositive, TrueNegative, FalseNegative float64
}

// CalibrationGroup is a tenth of the predictions, from the lowest.
type CalibrationGroup struct{ N, Observed, Expected float64 }

// tenths is the number of groups of Hosmer and Lemeshow (1980).
const tenths = 10

// Calibrate judges scores, which it sorts.
func Calibrate(scores []Score) *Calibration {
	c := &Calibration{AUC: math.NaN(), HosmerLemeshow: math.NaN(), HosmerLemeshowP: math.NaN()}
	slices.SortStableFunc(scores, func(a, b Score) int { return cmp.Compare(a.Eta, b.Eta) })
	for _, s := range scores {
		events := s.Weight * s.Y
		c.Events += events
		c.NonEvents += s.Weight - events
		if s.Eta >= 0 {
			c.TruePositive += events
			c.FalsePositive += s.Weight - events
		} else {
			c.FalseNegative += events
			c.TrueNegative += s.Weight - events
		}
	}
	n := c.Events + c.NonEvents
	groups := make([]CalibrationGroup, tenths)
	ranked, below, before := 0.0, 0.0, 0.0 // pairs in order, non-events and observations so far
	for lo := 0; lo < len(scores); {
		var tied CalibrationGroup
		hi := lo
		for ; hi < len(scores) && scores[hi].Eta == scores[lo].Eta; hi++ {
			s := scores[hi]
			tied.N, tied.Observed, tied.Expected = tied.N+s.Weight, tied.Observed+s.Weight*s.Y, tied.Expected+s.Weight*s.Mean
		}
		ranked += tied.Observed * (below + (tied.N-tied.Observed)/2)
		below += tied.N - tied.Observed
		g := &groups[min(int(tenths*(before+tied.N/2)/n), tenths-1)]
		g.N, g.Observed, g.Expected = g.N+tied.N, g.Observed+tied.Observed, g.Expected+tied.Expected
		before += tied.N
		lo = hi
	}
	if c.Events > 0 && c.NonEvents > 0 {
		c.AUC = ranked / (c.Events * c.NonEvents)
	}
	chi := 0.0
	for _, g := range groups {
		if g.N > 0 {
			c.Groups = append(c.Groups, g)
			chi += (g.Observed - g.Expected) * (g.Observed - g.Expected) / (g.Expected * (1 - g.Expected/g.N))
		}
	}
	if len(c.Groups) > 2 && !math.IsNaN(chi) && !math.IsInf(chi, 0) {
		c.HosmerLemeshow, c.HosmerLemeshowP = chi, ChiTail(chi, float64(len(c.Groups)-2))
	}
	return c
}

// Zeros compares the number of counts that are 0 with what a Poisson model
// expects, and gives the standard deviation of their difference.
func Zeros(scores []Score) (observed, expected, sd float64) {
	for _, s := range scores {
		p := math.Exp(-s.Mean)
		expected += s.Weight * p
		sd += s.Weight * p * (1 - p)
		if s.Y == 0 {
			observed += s.Weight
		}
	}
	return observed, expected, math.Sqrt(sd)
}

// ZTail2 is the two-sided probability of the standard normal distribution: that
// |Z| exceeds |z|.
func ZTail2(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
