// Package answer tells a finished plan in sentences: the figures with their
// units and places, what stands behind them, what was assumed, and what was not
// looked at. It computes nothing but ratios of what the tools have answered.
package answer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/agent/materials"
	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// Findings are what a plan's steps gave.
type Findings struct {
	Plan     *plan.Plan
	Assumed  []string        // beyond the plan's own assumptions
	Places   []string        // where each boundary condition acts, in the solver's order
	Solution json.RawMessage // the output of the solver
	Summary  string          // what the solver says of its result in a sentence
	Warnings []string        // of all steps
	Faces    []string        // names of the part's CAD faces
	Pictures []string        // where they can be fetched
	Missing  []string        // what could not be made, in sentences
}

// solution is the part of a solver's output that is told.
type solution struct {
	Displacement *struct {
		Value  float64   `json:"value"`
		Vector []float64 `json:"vector"`
		At     []float64 `json:"at"`
	} `json:"max_displacement"`
	VonMises *struct {
		Max         float64   `json:"max"`
		P99         float64   `json:"p99"`
		At          []float64 `json:"at"`
		AtSupport   bool      `json:"at_support"`
		Singularity string    `json:"singularity"`
	} `json:"von_mises"`
	Temperature *struct {
		Min   float64   `json:"min"`
		Max   float64   `json:"max"`
		MinAt []float64 `json:"min_at"`
		MaxAt []float64 `json:"max_at"`
		Mean  float64   `json:"mean"`
	} `json:"temperature"`
	Speed *struct {
		Value float64   `json:"value"`
		At    []float64 `json:"at"`
	} `json:"max_speed"`
	PressureDrop *float64 `json:"pressure_drop"`
	Reynolds     *struct {
		Value float64 `json:"value"`
		Note  string  `json:"note"`
	} `json:"reynolds"`
	Steady    *bool    `json:"steady"`
	Time      *float64 `json:"time"`
	Imbalance float64  `json:"imbalance"`
	Unknowns  int      `json:"unknowns"`
	Estimate  *struct {
		EnergyNorm *float64 `json:"relative_energy_norm"`
		Gradient   *float64 `json:"relative_gradient"`
	} `json:"error_estimate"`
	Loads []struct {
		BC       int       `json:"bc"`
		Type     string    `json:"type"`
		Place    string    `json:"place"`
		Area     float64   `json:"area"`
		Centroid []float64 `json:"centroid"`
		Force    []float64 `json:"force"`
		Moment   []float64 `json:"moment"`
		HeatRate *float64  `json:"heat_rate"`
		FlowRate *float64  `json:"flow_rate"`
	} `json:"loads"`
	Evidence *struct {
		Trust   string   `json:"trust"`
		Reasons []string `json:"reasons"`
	} `json:"evidence"`
	Summary string `json:"summary"`
}

// Write is the answer: paragraphs of sentences.
func Write(f Findings) (string, error) {
	var s solution
	if err := json.Unmarshal(f.Solution, &s); err != nil {
		return "", contract.Errorf(contract.CodeInvalidToolOutput, "the solver's output cannot be read: %w", err)
	}
	for i := range s.Loads {
		if bc := s.Loads[i].BC; bc >= 0 && bc < len(f.Places) {
			s.Loads[i].Place = f.Places[bc]
		}
	}
	if missed := unmeasured(f.Plan, f.Solution); len(missed) > 0 {
		p := *f.Plan
		p.Unread = slices.Concat(p.Unread, missed)
		f.Plan = &p
	}
	var paragraphs []string
	if len(f.Plan.Unread) > 0 {
		paragraphs = append(paragraphs, "Not answered: "+quoted(f.Plan.Unread)+". No step of the plan gives that; what follows is the rest.")
	}
	if len(f.Plan.Unused) > 0 {
		paragraphs = append(paragraphs, "Not used: "+quoted(f.Plan.Unused)+". No step of the plan takes that from the request.")
	}
	add := func(sentences []string) {
		if len(sentences) > 0 {
			paragraphs = append(paragraphs, strings.Join(sentences, " "))
		}
	}
	switch f.Plan.Physics {
	case plan.Elasticity:
		add(elastic(f.Plan, &s))
	case plan.Heat:
		add(thermal(f.Plan, &s))
	case plan.Flow:
		add(fluid(&s))
	default:
		add(circuit(f.Plan, f.Solution, f.Summary))
	}
	add(standing(f.Plan, &s))
	add(assumptions(f))
	add(append(f.Missing, unchecked(f.Plan.Physics)))
	if len(f.Pictures) > 0 {
		add([]string{"Pictures: " + strings.Join(f.Pictures, ", ") + "."})
	}
	return strings.Join(paragraphs, "\n\n"), nil
}

// quoted writes what was said, as it was said.
func quoted(said []string) string { return "\"" + strings.Join(said, "\", \"") + "\"" }

// point writes a place of the mesh, which the solver gives in metres.
func point(at []float64) string {
	parts := make([]string, len(at))
	for i, x := range at {
		parts[i] = quantity.Number(x * 1000)
	}
	return "(" + strings.Join(parts, ", ") + ") mm"
}

func elastic(p *plan.Plan, s *solution) []string {
	var out []string
	if v := s.VonMises; v != nil {
		out = append(out, fmt.Sprintf("The largest von Mises stress is %s at %s.", quantity.Stress.Format(v.Max), point(v.At)))
		switch {
		case v.Singularity == "likely":
			out = append(out, fmt.Sprintf("It sits on a spot where the stress grows with every refinement of the mesh and should not be quoted; 99 %% of the volume stays below %s.", quantity.Stress.Format(v.P99)))
		case v.AtSupport:
			out = append(out, fmt.Sprintf("It sits at a support, which is stiffer here than any real one; 99 %% of the volume stays below %s.", quantity.Stress.Format(v.P99)))
		}
		out = append(out, safety(p, v.Max, v.Singularity == "likely")...)
	}
	if d := s.Displacement; d != nil {
		out = append(out, fmt.Sprintf("The largest displacement is %s at %s.", quantity.Length.Format(d.Value), point(d.At)))
	}
	moments := false
	for _, l := range s.Loads {
		if l.Type != "fixed" || len(l.Force) != 3 {
			continue
		}
		out = append(out, fmt.Sprintf("The support at %s reacts with (%s, %s, %s) N.", l.Place, force(l.Force[0]), force(l.Force[1]), force(l.Force[2])))
		if p.Moments && len(l.Moment) == 3 {
			moments = true
			out = append(out, fmt.Sprintf("The moment of this reaction about the centroid of the support, %s, is (%s) N·m.", point(l.Centroid), moment(l.Moment)))
		}
	}
	switch {
	case moments:
		out = append(out, "No error bar covers a moment.")
	case p.Moments:
		out = append(out, "The solver gives no moment of a reaction here.")
	}
	return out
}

// moment writes the components of a moment; what is noise beside the largest is 0.
func moment(m []float64) string {
	largest := max(math.Abs(m[0]), math.Abs(m[1]), math.Abs(m[2]))
	parts := make([]string, len(m))
	for i, v := range m {
		parts[i] = "0"
		if math.Abs(v) > 1e-6*largest {
			parts[i] = force(v)
		}
	}
	return strings.Join(parts, ", ")
}

// force writes a component of a reaction; what is noise beside a newton is 0.
func force(v float64) string {
	if v < 1e-6 && v > -1e-6 {
		return "0"
	}
	return quantity.Number(v)
}

func safety(p *plan.Plan, peak float64, singular bool) []string {
	m := p.Material
	if m == nil || peak <= 0 {
		return nil
	}
	if m.Yield == 0 {
		return []string{fmt.Sprintf("%s has no yield strength in the table, so that no safety factor is given.", name(m.Name))}
	}
	if singular {
		return []string{"From such a peak no safety factor follows, nor from the rest of the volume: model the fillet or the real support there."}
	}
	verdict := "it does not yield"
	if m.Yield < peak {
		verdict = "it yields, and the linear figures no longer hold there"
	}
	return []string{fmt.Sprintf("Against the yield strength of %s, %s, the safety factor of the peak is %s: %s.", name(m.Name), quantity.Stress.Format(m.Yield), quantity.Number(m.Yield/peak), verdict)}
}

func name(material string) string {
	if material == "" {
		return "the material"
	}
	return material
}

func thermal(p *plan.Plan, s *solution) []string {
	t := s.Temperature
	if t == nil {
		return []string{s.Summary}
	}
	when := "In the steady state the"
	if !p.Steady && s.Time != nil {
		when = fmt.Sprintf("After %s the", quantity.Time.Format(*s.Time))
	}
	out := []string{fmt.Sprintf("%s temperature reaches from %s at %s to %s at %s; its mean is %s.", when,
		quantity.Temperature.Format(t.Min), point(t.MinAt), quantity.Temperature.Format(t.Max), point(t.MaxAt), quantity.Temperature.Format(t.Mean))}
	for _, l := range s.Loads {
		if l.HeatRate == nil {
			continue
		}
		verb, rate := "enters", *l.HeatRate
		if rate < 0 {
			verb, rate = "leaves", -rate
		}
		out = append(out, fmt.Sprintf("Through %s %s %s.", l.Place, quantity.Power.Format(rate), verb))
	}
	return out
}

func fluid(s *solution) []string {
	var out []string
	if s.Speed != nil {
		out = append(out, fmt.Sprintf("The largest speed is %s at %s.", quantity.Velocity.Format(s.Speed.Value), point(s.Speed.At)))
	}
	if s.PressureDrop != nil {
		out = append(out, fmt.Sprintf("The pressure drops by %s from inlet to outlet.", quantity.Pressure.Format(*s.PressureDrop)))
	}
	for _, l := range s.Loads {
		if l.FlowRate != nil && (l.Type == "inlet" || l.Type == "outlet") {
			verb, rate := "out", *l.FlowRate
			if rate < 0 {
				verb, rate = "in", -rate
			}
			out = append(out, fmt.Sprintf("Through %s flow %s m³/s %s.", l.Place, quantity.Number(rate), verb))
		}
	}
	if s.Reynolds != nil {
		out = append(out, fmt.Sprintf("The Reynolds number is %s.", quantity.Number(s.Reynolds.Value)))
		if s.Reynolds.Value > 2000 {
			out = append(out, "That is beyond laminar pipe flow: without a turbulence model the figures are no more than a hint.")
		}
	}
	if s.Steady != nil && !*s.Steady {
		out = append(out, "The flow still changes at the end.")
	}
	return out
}

// standing says how far the figures may be believed, and whether the accuracy
// that was wished for is reached.
func standing(p *plan.Plan, s *solution) []string {
	var out []string
	if e := s.Evidence; e != nil {
		line := fmt.Sprintf("Evidence: %s", e.Trust)
		if left := append(slices.Clone(p.Unread), p.Unused...); len(left) > 0 {
			line = fmt.Sprintf("The request is not answered in full: without %s. Evidence of the figures above alone: %s", quoted(left), e.Trust)
		}
		if len(e.Reasons) > 0 {
			line += ". " + strings.TrimSuffix(strings.Join(e.Reasons, " "), ".")
		}
		out = append(out, line+".")
	}
	estimate := (*float64)(nil)
	if s.Estimate != nil {
		if estimate = s.Estimate.EnergyNorm; estimate == nil {
			estimate = s.Estimate.Gradient
		}
	}
	switch {
	case p.Accuracy > 0 && estimate == nil:
		out = append(out, fmt.Sprintf("An accuracy of %s %% was wished for; the solver estimates no error here, so that it is not known whether it is met.", quantity.Number(100*p.Accuracy)))
	case p.Accuracy > 0 && *estimate > p.Accuracy:
		out = append(out, fmt.Sprintf("The accuracy of %s %% is not met: the estimated error of the stresses is %s %%. Ask for smaller elements.", quantity.Number(100*p.Accuracy), quantity.Number(100**estimate)))
	case p.Accuracy > 0:
		out = append(out, fmt.Sprintf("The accuracy of %s %% is met on the average of the part, where the estimated error is %s %%; a peak may be off by more.", quantity.Number(100*p.Accuracy), quantity.Number(100**estimate)))
	}
	return out
}

func assumptions(f Findings) []string {
	var out []string
	if m := f.Plan.Material; m != nil && m.Name != "" {
		values, sources := figures(f.Plan)
		s := fmt.Sprintf("%s is taken from the table: %s", strings.ToUpper(m.Name[:1])+m.Name[1:], values)
		if m.Note != "" {
			s += " (" + m.Note + ")"
		}
		out = append(out, s+". Source of "+strings.TrimSuffix(sources, ".")+".")
	}
	out = append(out, f.Plan.Assumptions...)
	out = append(out, f.Assumed...)
	if len(out) > 0 {
		out[0] = "Assumptions: " + out[0]
	}
	for _, w := range f.Warnings {
		out = append(out, "Warning: "+strings.TrimSuffix(w, ".")+".")
	}
	return out
}

// figures are the values of the material that the physics uses, and where they are from.
func figures(p *plan.Plan) (values, sources string) {
	m := p.Material
	var parts, from []string
	of := map[string][]string{}
	add := func(symbol string, k quantity.Kind, property materials.Property) {
		v, source := m.Value(property), m.Sources[property]
		if v == 0 {
			return
		}
		parts = append(parts, symbol+" = "+k.Format(v))
		source = cmp.Or(source, "an assumption")
		if of[source] == nil {
			from = append(from, source)
		}
		of[source] = append(of[source], symbol)
	}
	switch p.Physics {
	case plan.Elasticity:
		add("E", quantity.YoungsModulus, materials.YoungsModulus)
		add("ν", quantity.PoissonRatio, materials.PoissonRatio)
		add("yield strength", quantity.Stress, materials.Yield)
		if slices.ContainsFunc(p.Conditions, func(c plan.Condition) bool { return c.Kind == plan.Gravity }) {
			add("ρ", quantity.Density, materials.Density)
		}
	case plan.Heat:
		add("k", quantity.Conductivity, materials.Conductivity)
		if !p.Steady {
			add("c", quantity.SpecificHeat, materials.SpecificHeat)
			add("ρ", quantity.Density, materials.Density)
		}
	case plan.Flow:
		add("ρ", quantity.Density, materials.Density)
		add("μ", quantity.Viscosity, materials.Viscosity)
	}
	for i, source := range from {
		from[i] = strings.Join(of[source], ", ") + ": " + source
	}
	return strings.Join(parts, ", "), strings.Join(from, "; ")
}

func unchecked(p plan.Physics) string {
	switch p {
	case plan.Elasticity:
		return "Not looked at: buckling, fatigue, contact, plastic and large deformation."
	case plan.Heat:
		return "Not looked at: radiation, and values that change with temperature."
	case plan.Flow:
		return "Not looked at: turbulence, heat, and compressibility."
	}
	return "Not looked at: tolerances of the parts, and temperature."
}
