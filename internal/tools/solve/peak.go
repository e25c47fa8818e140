package solve

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/evidence"
)

// peak is the largest stress on meshes whose elements are halved around it, once and
// again; the first value is the answer's, of which Error is the error bar.
type peak struct {
	Values  []float64 `json:"values"` // Pa
	Error   float64   `json:"error"`
	LeftOut string    `json:"left_out"`
}

// known says whether the peak was looked at on finer meshes.
func (p *peak) known() bool { return p != nil && len(p.Values) > 1 }

// hold gives a peak stress its error bar, and doubts one that does not settle.
func (p *peak) hold(s *evidence.Statement, f evidence.Figure) evidence.Figure {
	first, last := p.Values[0], p.Values[len(p.Values)-1]
	if first == 0 {
		return f
	}
	said := fmt.Sprintf("On elements halved twice around it the peak stress is %.4g instead of %.4g Pa.", last, first)
	return holdGrowth(s, f, last/first-1, said).PlusMinus(p.Error, "estimate")
}

// comparePeak looks whether a peak stress settles on elements of half the size everywhere.
func comparePeak(s *evidence.Statement, f evidence.Figure, finer float64) evidence.Figure {
	if *f.Value == 0 {
		return f
	}
	said := fmt.Sprintf("On elements of half the size the peak stress is %.4g instead of %.4g Pa.", finer, *f.Value)
	return holdGrowth(s, f, finer/(*f.Value)-1, said).PlusMinus(widening*math.Abs(finer-*f.Value), "estimate")
}

func holdGrowth(s *evidence.Statement, f evidence.Figure, growth float64, said string) evidence.Figure {
	if math.Abs(growth) > mostGrowth {
		said += " It is not resolved and may grow without limit: refine the mesh there, or ask for accuracy of " + peakStress + ", and do not quote it as a strength figure."
	}
	s.Check(evidence.Within("peak_refinement", evidence.Refinement, f.Pointer, growth, mostGrowth, "1", said))
	return f
}

// unsettled says of a peak stress of one mesh alone that nobody looked whether it
// settles: in the figure, and in the checks that a reader takes its trust from.
func unsettled(s *evidence.Statement, why string) {
	i := slices.IndexFunc(s.Figures, func(f evidence.Figure) bool { return f.Pointer == peakStress && !isQuiet(f) })
	if i < 0 {
		return
	}
	said := fmt.Sprintf("The peak stress was not held against a finer mesh (%s): nothing says that it has settled, and a finer mesh may show a larger one.", why)
	s.Figures[i] = s.Figures[i].Omitting(said)
	for i, c := range s.Checks {
		if c.Passed && (c.Name == "stress_bounded" || c.Name == "stress_error") {
			s.Checks[i].Sentence += " " + said
		}
	}
}

// hold gives the figure that a mesh was refined for its error bar.
func (r *Refinement) hold(s *evidence.Statement) {
	if r == nil {
		return
	}
	i := indexOf(s, r.Quantity)
	finest, answer := r.Steps[len(r.Steps)-1], r.Steps[r.Step]
	value := float64(answer.Value)
	if i < 0 || value == 0 {
		return
	}
	f := s.Figures[i]
	said := fmt.Sprintf("The mesh was refined %d times where the solution errs, to %d unknowns.", len(r.Steps)-1, finest.Unknowns)
	if r.Step < len(r.Steps)-1 {
		said += fmt.Sprintf(" The answer is that of the coarsest mesh that is exact enough, of %d unknowns, beside %.6g %s on the finest.", answer.Unknowns, float64(finest.Value), f.Unit)
	}
	if r.Error != nil {
		relative := float64(*r.Error) / math.Abs(value)
		s.Check(evidence.Within(refinedToAccuracy, evidence.Refinement, f.Pointer, relative, mostSeriesError, "1",
			fmt.Sprintf("%s By its changes and the estimates of its error, %s is off by about %.2g %%.", said, f.Name, 100*relative)))
		f = f.PlusMinus(float64(*r.Error), "estimate")
		if r.Quantity == leastSafety && isPeak(s, r.Quantity) {
			r.holdPeak(s, relative)
		}
	}
	if !r.Reached {
		f = f.Omitting(fmt.Sprintf("The accuracy asked, %.3g %%, was not reached: %s.", 100*r.Target, r.Reason))
	}
	s.Figures[i] = f
}

// holdPeak gives the stress peak, of which the safety factor that the mesh was refined for is the
// inverse, the same relative error.
func (r *Refinement) holdPeak(s *evidence.Statement, relative float64) {
	i := indexOf(s, peakStress)
	peak := s.Figures[i]
	if peak.Value == nil || relative >= mostPeakError {
		return
	}
	s.Figures[i] = peak.PlusMinus(math.Abs(*peak.Value)*relative/(1-relative), "estimate")
	s.Check(evidence.Within(refinedToAccuracy, evidence.Refinement, peakStress, relative, mostSeriesError, "1",
		"The mesh was refined for the least safety factor, of which the peak stress is the inverse."))
}

// settle takes the error bar that the figure has in the end, with what no finer mesh mends: facets
// of a round part, and the tolerance of the solver.
func (r *Refinement) settle(s *evidence.Statement) {
	if r == nil || r.Error == nil {
		return
	}
	i := indexOf(s, r.Quantity)
	if i < 0 || s.Figures[i].Error == nil || s.Figures[i].Value == nil {
		return
	}
	f := s.Figures[i]
	mesh, size := float64(*r.Error), math.Abs(*f.Value)
	bar := Figure(*f.Error)
	r.Error = &bar
	if !r.Reached || *f.Error <= r.Target*size {
		return
	}
	r.Reached = false
	r.Reason = fmt.Sprintf("the error of the mesh is about %.2g %%, and the bar of %.2g %% also holds what no refinement of this mesh mends, as facets in place of round faces: mesh the part finer", 100*mesh/size, 100**f.Error/size)
	s.Figures[i] = f.Omitting(fmt.Sprintf("The accuracy asked, %.3g %%, was not reached: %s.", 100*r.Target, r.Reason))
}

const refinedToAccuracy = "refined_to_accuracy"

// mostSeriesError is the relative error from which a figure is in doubt.
const mostSeriesError = 0.25
