package solve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

const (
	// mostRefined is how many unknowns a second solve may have.
	mostRefined = 60_000
	// mostPeak is how many unknowns a mesh may have that is refined around the stress peak.
	mostPeak = 150_000
	// mostGrowth is how much a peak stress may change on elements of half the size,
	// relative to it.
	mostGrowth = 0.1
	// widening makes an error bar of the change on elements of half the size: beside a
	// corner where conditions change, the error falls by less than half, and was up to
	// 2.4 of it on random walls and plates.
	widening = 3
	// chance is the share of the estimate on one mesh that an error bar keeps where the
	// figure hardly changes on the finer mesh: a change may be small by chance. The dual
	// estimates take the errors of all elements to have one sign, and were several times the
	// true error in the median and up to hundreds of times it; no error beyond the widened
	// change was more than a seventh of them (on the first draws of make verify).
	chance = 0.2
	// rounding of the solutions, relative to the widest error bar of a verified figure.
	rounding = 1e-3
	// unrefined widens the error bars of one mesh. On random plates and walls of 2 by 2
	// to 8 by 8 elements the true error was up to 3.4 of them.
	unrefined = 3.5
	// lockingNu is Poisson's ratio from which elements lock.
	lockingNu = 0.49
)

// refinement asks the driver for a second solve on elements of half the size, and for
// two more on elements that are halved around the stress peak.
type refinement struct {
	MostUnknowns int     `json:"most_unknowns"`
	PeakUnknowns int     `json:"peak_unknowns"` // of a mesh that is refined around the stress peak
	Seconds      float64 `json:"seconds"`       // for all solves
}

// refined is what the driver says of it.
type refined struct {
	Output  json.RawMessage `json:"output"`
	LeftOut string          `json:"left_out"`
}

// refine asks for a second solve of a class that has error bars.
func refine(ctx context.Context, call *contract.Call, class string) *refinement {
	if class == classFlow {
		return nil
	}
	left := call.Limits.Timeout()
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	return &refinement{MostUnknowns: mostRefined, PeakUnknowns: mostPeak, Seconds: 0.8 * left.Seconds()}
}

// hold holds every figure against the second solve. Where there is none, the error
// bars of one mesh are widened, and what they are known to miss is named. least: the least that
// figures may be taken to change by, by pointer.
func (p problem) hold(s *evidence.Statement, second refined, stress *peak, least map[string]float64) {
	if p.Order != nil && *p.Order == 1 && p.locks() {
		s.Check(evidence.Holds("locking", evidence.Model, "", false, locked))
	}
	if stress.known() {
		for i, f := range s.Figures {
			if f.Pointer == peakStress && !isQuiet(f) {
				s.Figures[i] = stress.hold(s, f)
			}
		}
	}
	if second.Output == nil {
		s.Note("The figures were not held against a finer mesh: %s.", second.LeftOut)
		for i, f := range s.Figures {
			if f.Pointer != peakStress {
				s.Figures[i] = p.unrefined(f)
			}
		}
		switch {
		case stress.known(), p.Accuracy != nil && isPeak(s, p.Accuracy.Quantity):
		case stress != nil:
			unsettled(s, stress.LeftOut)
		default:
			unsettled(s, second.LeftOut)
		}
		return
	}
	compared := 0
	for i, f := range s.Figures {
		if f.Pointer == leastSafety && followsPeak(s, f) || unbounded(s, f) {
			continue
		}
		raw, ok := contract.Figure(second.Output, f.Pointer)
		finer, number := raw.(float64)
		if !ok || !number || f.Value == nil || (f.Pointer == peakStress && stress.known()) {
			continue
		}
		s.Figures[i] = compare(s, f, finer, least[f.Pointer])
		compared++
	}
	s.Note("%d %s", compared, heldAgainst)
	if p.locks() {
		for i, f := range s.Figures {
			s.Figures[i] = f.Omitting(locking)
		}
	}
}

const heldAgainst = "figures were held against a second solve on elements of half the size."

// unbounded says whether a figure was found to grow with every finer mesh, so that none is an
// error bar or advice for it.
func unbounded(s *evidence.Statement, f evidence.Figure) bool {
	return slices.ContainsFunc(s.Checks, func(c evidence.Check) bool {
		return c.Name == "temperatures_agree" && !c.Passed && c.Figure == f.Pointer
	})
}

// A mesh of order 1 locks altogether: figures were off by a third beside bars of a few percent.
const locked = "The material is nearly incompressible (Poisson's ratio above 0.49), and elements of order 1 are then too stiff by an unknown amount, which refining hardly mends. Use order 2."

const locking = "The material is nearly incompressible: such elements lock, and neither the estimate nor one refinement shows by how much."

// compare holds a figure against its value on the refined mesh. least: the least that it
// may be taken to change by.
func compare(s *evidence.Statement, f evidence.Figure, finer, least float64) evidence.Figure {
	if f.Pointer == peakStress && !isQuiet(f) {
		return comparePeak(s, f, finer)
	}
	value, allowed := *f.Value, f.Allowed(accuracyOf(s))
	change := math.Abs(finer - value)
	said := fmt.Sprintf("On elements of half the size %s is %.6g instead of %.6g %s.", f.Name, finer, value, f.Unit)
	if change > allowed && judgedByAccuracy(f) {
		s.Check(evidence.Within("mesh_refinement", evidence.Refinement, f.Pointer, change, allowed, f.Unit, said+" The mesh is too coarse for it: refine it."))
	}
	bar := widening * math.Max(change, least)
	switch {
	case f.Error == nil:
		return f.PlusMinus(bar, "estimate").Omitting(said + " Nothing else stands behind its error bar.")
	case change > 2**f.Error+rounding*allowed:
		return f.PlusMinus(bar, "estimate").Omitting(fmt.Sprintf("%s The estimate on one mesh, ±%.2g, cannot be believed here.", said, *f.Error))
	case f.Coverage == "bound" && (bar <= *f.Error || change <= rounding*allowed):
		return f
	}
	return f.PlusMinus(math.Max(bar, chance**f.Error), "estimate")
}

// settle looks again at figures whose error bar on one mesh was too wide, and says what it is
// now, and what of it no finer mesh mends.
func settle(s *evidence.Statement, times map[string]float64) {
	for i, c := range s.Checks {
		at := indexOf(s, c.Figure)
		if c.Name != "error_bar" || c.Passed || at < 0 || s.Figures[at].Error == nil || c.Limit == nil {
			continue
		}
		f := s.Figures[at]
		relative := *f.Error / f.Size()
		said := fmt.Sprintf("By its change on elements of half the size, the error of %s is at most about %.*g %%.", f.Name, max(2, int(math.Log10(100*relative)+1)), 100*relative)
		switch {
		case relative <= *c.Limit:
		case times[c.Figure] > *f.Error/2:
			said += " Most of it is of the time: of steps, or of modes that are left out. A finer mesh does not mend it, smaller steps or loads that change less suddenly do."
		default:
			said += " Refine the mesh."
		}
		s.Checks[i] = evidence.Within(c.Name, c.Kind, c.Figure, relative, *c.Limit, c.Unit, said)
	}
}

const (
	peakStress = "/von_mises/max"
	p99Stress  = "/von_mises/p99"
)

// judgedByAccuracy leaves out the percentile of the stress, which says nothing of
// the mesh where elements are few.
func judgedByAccuracy(f evidence.Figure) bool { return f.Pointer != p99Stress }

// unrefined is a figure of one mesh alone.
func (p problem) unrefined(f evidence.Figure) evidence.Figure {
	if f.Error == nil || f.Coverage == "bound" {
		return f
	}
	f = f.PlusMinus(unrefined**f.Error, f.Coverage)
	switch {
	case p.locks():
		f = f.Omitting(locking)
	case p.heated():
		f = f.Omitting("The estimate on one mesh takes the temperatures that strain the part for exact.")
	case p.materials() > 1:
		f = f.Omitting("Where elements of different materials meet, the estimate on one mesh misses part of the error.")
	case p.has("convection"), p.has("radiation"):
		f = f.Omitting("The estimate on one mesh covers conduction, and misses the error of what faces give off.")
	case slices.Contains(extremes, f.Pointer):
		f = f.Omitting("The extreme is that of one mesh, and may lie where this is too coarse to show it.")
	}
	return f
}

const (
	// solverTolerance is that of the linear solver where the call names none.
	solverTolerance = 1e-8
	// solverSafety is how many tolerances of the residual an error of the solution may
	// be, relative to its size.
	solverSafety = 3
)

// widen adds to the error bars what neither the estimate nor a finer mesh sees: the
// tolerance of the linear solver, and the time step. A figure of a transient whose
// error in time is not known has no error bar.
func (p problem) widen(s *evidence.Statement, times map[string]float64) {
	tolerance := p.tolerance()
	for i, f := range s.Figures {
		if f.Error == nil || f.Coverage == "bound" {
			continue
		}
		bar, known := times[f.Pointer]
		if times != nil && !known {
			s.Figures[i].Error, s.Figures[i].Coverage = nil, ""
			continue
		}
		s.Figures[i] = f.PlusMinus(*f.Error+bar+solverSafety*tolerance*f.Size(), f.Coverage)
	}
}

// tolerance is that of the linear solver's residual.
func (p problem) tolerance() float64 {
	if p.Options != nil && p.Options.RelTol != nil {
		return *p.Options.RelTol
	}
	return solverTolerance
}

var extremes = []string{"/temperature/min", "/temperature/max", "/solution/min", "/solution/max"}

func accuracyOf(s *evidence.Statement) float64 {
	if s.Accuracy > 0 {
		return s.Accuracy
	}
	return evidence.DefaultAccuracy
}

// bodyMaterial is what of the material of a body decides how far an estimate may be believed.
type bodyMaterial struct {
	E            *float64        `json:"E"`
	Nu           *float64        `json:"nu"`
	Conductivity json.RawMessage `json:"conductivity"`
}

// problem is what the evidence needs to know of a configuration.
type problem struct {
	Materials []bodyMaterial `json:"materials"`
	Plane     string         `json:"plane"`
	Order     *int           `json:"order"`
	Accuracy  *Accuracy      `json:"accuracy"`
	Options   *AnalysisOpts  `json:"analysis_opts"`
	BCs       []struct {
		Type string `json:"type"`
	} `json:"bcs"`
	Temperature struct {
		Heat json.RawMessage `json:"heat"`
	} `json:"temperature"`
}

// axisymmetric says whether the mesh is half the section of a body of revolution.
func (p problem) axisymmetric() bool { return strings.EqualFold(p.Plane, "axisymmetric") }

// heated says whether temperatures of a heat problem strain the part.
func (p problem) heated() bool { return p.Temperature.Heat != nil }

// followHeat makes what failed in the heat problem a fault of every figure that follows from it.
func (p problem) followHeat(s *evidence.Statement) {
	if !p.heated() {
		return
	}
	for i, c := range s.Checks {
		if !c.Passed && (strings.HasPrefix(c.Figure, "/temperature") || strings.HasPrefix(c.Figure, "/heat")) {
			s.Checks[i].Figure = ""
		}
	}
}

// locks says whether elements are too stiff; in plane stress the thickness gives way.
func (p problem) locks() bool {
	for _, m := range p.Materials {
		if p.Plane != "stress" && m.Nu != nil && *m.Nu > lockingNu {
			return true
		}
	}
	return false
}

// materials counts those that differ.
func (p problem) materials() int {
	seen := map[string]bool{}
	for _, m := range p.Materials {
		said, _ := json.Marshal(m) // it was read from JSON
		seen[string(said)] = true
	}
	return len(seen)
}

func (p problem) has(condition string) bool {
	for _, bc := range p.BCs {
		if bc.Type == condition {
			return true
		}
	}
	return false
}
