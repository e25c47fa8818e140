package solve

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

const (
	// noiseSafety is how many tolerances of the residual are noise, relative to the size
	// of a field. Blocks under hydrostatic pressure, whose von Mises stress is 0, had up
	// to 5 of them.
	noiseSafety = 100
	// mostNoise bounds it where the caller allows a large residual.
	mostNoise = 1e-3
)

// noise is what the linear solver's tolerance leaves of a figure that is 0, relative to
// the size of its field.
func (p problem) noise() float64 { return min(noiseSafety*p.tolerance(), mostNoise) }

// quiet finds the figures that are noise beside their fields. The checks that are
// relative to such a figure compare noise with noise and are left out; its error bar is
// the level of the noise, and its accuracy that of the field. It says whether the peak
// stress is one of them.
func (p problem) quiet(out *driverOutput) (peak bool) {
	s := &out.Evidence
	if level := p.noise() * out.stressSize(); out.silent(level) {
		peak = true
		out.VonMises.Singularity = "not_seen"
		drop(s, peakStress)
		for i, f := range s.Figures {
			if f.Pointer == peakStress || f.Pointer == p99Stress {
				s.Figures[i] = quieted(f, level, out.stressSize())
			}
		}
		s.Check(evidence.Within("stress_noise", evidence.Bounds, peakStress, float64(out.VonMises.Max), level, "Pa", fmt.Sprintf(
			"The stresses reach %.3g Pa and are the same in all directions: of the von Mises stress only what the tolerance of the linear solver leaves of 0 is seen, at most %.2g Pa.",
			out.stressSize(), level)))
	}
	if out.MaxDisplacement == nil {
		return peak
	}
	size := float64(out.MaxDisplacement.Value)
	level := p.noise() * size
	for i, f := range s.Figures {
		if !displacementOfProbe(f) || f.Value == nil || f.Error == nil || math.Abs(*f.Value) > level || *f.Error > accuracyOf(s)*size {
			continue
		}
		drop(s, f.Pointer)
		s.Figures[i] = quieted(f, max(*f.Error, level), size)
		s.Check(evidence.Within("error_bar", evidence.Refinement, f.Pointer, *f.Error/size, accuracyOf(s), "1", fmt.Sprintf(
			"The %s is no more than the solver's tolerance leaves of 0; its estimated error is %.2g %% of the largest displacement.", f.Name, 100**f.Error/size)))
	}
	return peak
}

// mostSettled is how much a peak stress that elements hold exactly may change on elements
// of half the size.
const mostSettled = 1e-4

// exact finds stresses that differ between neighbouring elements by noise alone, on
// elements of half the size as well: the elements hold them as they are, and no edge
// or corner concentrates them, such as the one where two materials meet that a load
// strains alike. It says whether a peak was taken for unbounded by its place alone.
func (p problem) exact(out *driverOutput) bool {
	s, e := &out.Evidence, out.ErrorEstimate
	if out.VonMises == nil || e == nil || e.EnergyNorm == nil || float64(*e.EnergyNorm) > p.noise() || !out.settled() {
		return false
	}
	found := false
	for i, c := range s.Checks {
		if !c.Passed && (c.Name == "stress_bounded" || c.Name == "stress_bounded_elsewhere") {
			found = true
			s.Checks[i] = evidence.Within(c.Name, evidence.Model, c.Figure, float64(*e.EnergyNorm), p.noise(), "1", fmt.Sprintf(
				"The stresses of neighbouring elements agree to %.2g of their size throughout each material: no edge or corner of the part concentrates them under this load.", float64(*e.EnergyNorm)))
		}
	}
	if !found || slices.ContainsFunc(s.Checks, func(c evidence.Check) bool { return !c.Passed && c.Figure == peakStress }) {
		return false
	}
	out.VonMises.Singularity = "not_seen"
	return true
}

// settled says whether the peak stress is the same on the refined mesh, where there is
// one.
func (out *driverOutput) settled() bool {
	finer, known := out.finerPeak()
	return !known || math.Abs(finer-float64(out.VonMises.Max)) <= mostSettled*float64(out.VonMises.Max)
}

// finerPeak is the peak stress of the refined mesh.
func (out *driverOutput) finerPeak() (value float64, known bool) {
	if out.Refined == nil || out.Refined.Output == nil {
		return 0, false
	}
	finer, _ := contract.Figure(out.Refined.Output, peakStress)
	value, ok := finer.(float64)
	if !ok {
		value = math.Inf(1)
	}
	return value, true
}

func displacementOfProbe(f evidence.Figure) bool {
	return strings.HasPrefix(f.Pointer, "/probes/") && strings.Contains(f.Pointer, "/displacement/")
}

// quieted is a figure with the level of the noise, beside the size of its field.
func quieted(f evidence.Figure, level, size float64) evidence.Figure {
	f.Scale = size
	return f.PlusMinus(level, "estimate")
}

// drop leaves out the failed checks of one figure alone.
func drop(s *evidence.Statement, pointer string) {
	s.Checks = slices.DeleteFunc(s.Checks, func(c evidence.Check) bool { return !c.Passed && c.Figure == pointer })
}

// stressSize is the largest magnitude of the stress tensor; 0 where there is none.
func (out *driverOutput) stressSize() float64 {
	for _, f := range out.Fields {
		if f.Name == "stress" {
			return float64(f.Max)
		}
	}
	return 0
}

// silent says whether no von Mises stress rises above a level, on the refined mesh
// neither.
func (out *driverOutput) silent(level float64) bool {
	if out.VonMises == nil || level == 0 || float64(out.VonMises.Max) > level {
		return false
	}
	finer, known := out.finerPeak()
	return !known || finer <= level
}

// isQuiet says whether a peak stress was found to be noise.
func isQuiet(f evidence.Figure) bool { return f.Pointer == peakStress && f.Scale > 0 }
