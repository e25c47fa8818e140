package solve

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/evidence"
)

const leastSafety = "/safety_factor/min"

// mostPeakError is the relative error of the peak from which its inverse, the safety factor, is
// known to less than itself.
const mostPeakError = 0.5

// followPeak gives the safety factor the error bar of the stress peak, of which it is the
// inverse, and what speaks against that; one that the mesh was refined for has its own.
func followPeak(s *evidence.Statement) {
	i, k := indexOf(s, peakStress), indexOf(s, leastSafety)
	if i < 0 || k < 0 {
		return
	}
	peak, safety := s.Figures[i], s.Figures[k]
	own := !followsPeak(s, safety) || slices.ContainsFunc(s.Checks, func(c evidence.Check) bool {
		return c.Figure == leastSafety && c.Name == refinedToAccuracy
	})
	if !own {
		safety = likePeak(safety, peak)
	}
	s.Figures[k] = safety
	for _, c := range slices.Clone(s.Checks) {
		if (c.Figure == peakStress || c.Figure == "/von_mises") && (!c.Passed || c.Kind.Covers() && !own) {
			c.Figure = leastSafety
			s.Check(c)
		}
	}
}

// indexOf is the place of a figure among those stated, -1 where it is none of them.
func indexOf(s *evidence.Statement, pointer string) int {
	return slices.IndexFunc(s.Figures, func(f evidence.Figure) bool { return f.Pointer == pointer })
}

// followsPeak says whether the least safety factor is that of the largest stress: a weaker
// material may be nearer to its yield strength elsewhere.
func followsPeak(s *evidence.Statement, safety evidence.Figure) bool {
	i := indexOf(s, peakStress)
	return i >= 0 && slices.Equal(s.Figures[i].Where, safety.Where)
}

// isPeak says whether a figure is the stress peak, or follows it.
func isPeak(s *evidence.Statement, pointer string) bool {
	if pointer != leastSafety {
		return pointer == peakStress
	}
	i := indexOf(s, leastSafety)
	return i >= 0 && followsPeak(s, s.Figures[i])
}

func likePeak(safety, peak evidence.Figure) evidence.Figure {
	safety.Error, safety.Coverage = nil, ""
	if peak.Error != nil && peak.Value != nil && *peak.Value != 0 && safety.Value != nil {
		share := *peak.Error / math.Abs(*peak.Value)
		if share < mostPeakError {
			safety = safety.PlusMinus(*safety.Value*share/(1-share), peak.Coverage)
		} else {
			safety = safety.Omitting(fmt.Sprintf("The error bar of the stress peak, %.2g %% of it, leaves the safety factor anywhere from %.3g up: no error bar of its own is stated.", 100*share, *safety.Value/(1+share)))
		}
	}
	for _, said := range peak.Omits {
		safety = safety.Omitting(said)
	}
	return safety
}
