package plan

import (
	"cmp"
	"encoding/json"
	"math"

	"atelier/internal/contract"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

type solveInput struct {
	SolverClass string      `json:"solver_class"`
	Mesh        meshInput   `json:"mesh"`
	Config      solveConfig `json:"config"`
}

type meshInput struct {
	Type       string `json:"type"`
	Path       string `json:"path"`
	LengthUnit string `json:"length_unit,omitempty"`
}

type solveConfig struct {
	Materials          []solveMaterial `json:"materials,omitempty"`
	Gravity            []float64       `json:"gravity,omitempty"`
	Density            float64         `json:"density,omitempty"`
	Conductivity       float64         `json:"conductivity,omitempty"`
	SpecificHeat       float64         `json:"specific_heat,omitempty"`
	Viscosity          float64         `json:"viscosity,omitempty"`
	InitialTemperature kelvin          `json:"initial_temperature,omitempty"`
	Source             float64         `json:"source,omitempty"`
	Steady             bool            `json:"steady,omitempty"`
	DT                 float64         `json:"dt,omitempty"`
	TFinal             float64         `json:"t_final,omitempty"`
	Interval           int             `json:"output_interval_steps,omitempty"`
	BCs                []boundary      `json:"bcs"`
}

type solveMaterial struct {
	E       modulus `json:"E"`
	Nu      float64 `json:"nu"`
	Density float64 `json:"density,omitempty"`
}

// boundary is one entry of bcs. Value is a number or a vector.
type boundary struct {
	shape.Selector
	Type       string    `json:"type"`
	Value      any       `json:"value,omitempty"`
	Force      []float64 `json:"force,omitempty"`
	Components []string  `json:"components,omitempty"`
	Pressure   *float64  `json:"pressure,omitempty"`
	Velocity   []float64 `json:"velocity,omitempty"`
	Profile    string    `json:"profile,omitempty"`
	H          float64   `json:"h,omitempty"`
	Ambient    kelvin    `json:"ambient,omitempty"`
}

// kelvin and modulus are numbers that were said with their units, and are written
// with them where the solver doubts a number without one.
type (
	kelvin  float64
	modulus float64
)

// MarshalJSON writes 300 and "4 K".
func (v kelvin) MarshalJSON() ([]byte, error) { return withUnit(float64(v), quantity.Temperature) }

// MarshalJSON writes 210e9 and "500000 Pa".
func (v modulus) MarshalJSON() ([]byte, error) { return withUnit(float64(v), quantity.YoungsModulus) }

func withUnit(v float64, k quantity.Kind) ([]byte, error) {
	number, err := json.Marshal(v)
	if err != nil || k.CheckBare(v) == nil {
		return number, err
	}
	return json.Marshal(string(number) + " " + k.SI)
}

func (p *Plan) solveInput(file string, d Done, call *Call) (solveInput, error) {
	in := solveInput{Mesh: meshInput{Type: "file", Path: file}}
	if p.fileKind() == "volume" {
		in.Mesh.LengthUnit = p.LengthUnit
	}
	r := &resolver{Resolver: shape.Resolver{Geometry: d.Geometry, Spacing: d.spacing(), Taken: p.taken()}, plan: p}
	if r.Geometry == nil { // a volume mesh: planes and attributes are the solver's to find
		unit := cmp.Or(p.LengthUnit, "m")
		if p.exact() {
			unit = shape.ExactUnit
		}
		r.Geometry = shape.Unmeasured(unit)
	}
	c := &in.Config
	for _, condition := range p.Conditions {
		if condition.Kind == Gravity {
			c.Gravity = addVectors(c.Gravity, condition.Vector)
			continue
		}
		bcs, err := r.boundaries(condition)
		if err != nil {
			return in, err
		}
		c.BCs = append(c.BCs, bcs...)
	}
	m := p.Material
	switch p.Physics {
	case Elasticity:
		in.SolverClass = "LinearElasticity"
		c.Materials = []solveMaterial{{E: modulus(m.YoungsModulus), Nu: m.PoissonRatio, Density: m.Density}}
	case Heat:
		in.SolverClass = "HeatTransfer"
		c.Conductivity, c.Source, c.Steady = m.Conductivity, p.Source, p.Steady
		if !p.Steady {
			c.Density, c.SpecificHeat, c.InitialTemperature, c.TFinal, c.DT = m.Density, m.SpecificHeat, kelvin(p.InitialTemperature), p.FinalTime, p.TimeStep
			c.Interval = max(1, int(math.Ceil(p.FinalTime/p.TimeStep/40)))
		}
	case Flow:
		in.SolverClass = "NavierStokes"
		c.Density, c.Viscosity = m.Density, m.Viscosity
		r.times(c)
	}
	call.Assumed, call.Places = r.Assumed, r.places
	return in, nil
}

func addVectors(a, b []float64) []float64 {
	if a == nil {
		return b
	}
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

// times of a flow, where none were said: until the fluid has passed the part
// three times, in a hundred steps, or until nothing changes any more.
func (r *resolver) times(c *solveConfig) {
	p := r.plan
	c.TFinal, c.DT = p.FinalTime, p.TimeStep
	if c.TFinal == 0 {
		speed := 0.0
		for _, bc := range c.BCs {
			if len(bc.Velocity) == 3 {
				speed = max(speed, norm(bc.Velocity))
			}
		}
		c.TFinal, c.Steady = quantity.Significant(3*r.Geometry.Diagonal()*r.Geometry.Metres()/speed), true
		r.Assume("The flow is followed for %s, three times what the fluid needs through the part, or until it is steady.", quantity.Time.Format(c.TFinal))
	}
	if c.DT == 0 {
		c.DT = quantity.Significant(c.TFinal / 100)
		r.Assume("The time step is %s, a hundredth of the time.", quantity.Time.Format(c.DT))
	}
	c.Interval = max(1, int(math.Ceil(c.TFinal/c.DT/20)))
}

// boundaries are the solver's entries for a condition, one for each place; a
// force that several places carry together is shared out by their areas.
func (r *resolver) boundaries(c Condition) ([]boundary, error) {
	sites, err := r.Sites(c.Places)
	if err != nil {
		return nil, err
	}
	if len(sites) == 0 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the %s has no place", c.Kind)
	}
	total := 0.0
	for _, s := range sites {
		total += s.Area
	}
	if (c.Kind == Force && len(sites) > 1 && !c.Each || c.Kind == HeatPower || c.Rate != 0) && !known(sites) {
		return nil, contract.Errorf(contract.CodeSelectionEmpty, "the area of %s is not known, over which %s would have to be spread", describe(c.Places), c.amount())
	}
	var out []boundary
	for _, s := range sites {
		b := boundary{Selector: s.Selector, Components: c.Components, Profile: c.Profile}
		share := 1.0
		if total > 0 && len(sites) > 1 && !c.Each {
			share = s.Area / total
		}
		if err := r.fill(&b, c, s, share, total); err != nil {
			return nil, err
		}
		out = append(out, b)
		r.places = append(r.places, s.Place)
	}
	if c.Kind == Force && len(sites) > 1 {
		if c.Each {
			r.Assume("%s act on each of %d places.", c.amount(), len(sites))
		} else {
			r.Assume("%s are shared by %d places in proportion to their areas.", c.amount(), len(sites))
		}
	}
	return out, nil
}

func known(sites []shape.Site) bool {
	for _, s := range sites {
		if s.Area <= 0 {
			return false
		}
	}
	return true
}

func (r *resolver) fill(b *boundary, c Condition, s shape.Site, share, total float64) error {
	switch c.Kind {
	case Fixed:
		b.Type = "fixed"
	case Displacement:
		b.Type, b.Value = "fixed", c.Vector
		return r.moved(b, c, s)
	case Force:
		return r.force(b, c, s, share)
	case Pressure:
		b.Type, b.Value = "pressure", c.Value
	case Traction:
		b.Type, b.Value = "load", c.Vector
	case FixedTemp:
		b.Type, b.Value = "fixed_temp", kelvin(c.Value)
	case HeatFlux:
		b.Type, b.Value = "heat_flux", c.Value
	case HeatPower:
		b.Type, b.Value = "heat_flux", quantity.Significant(c.Value/total)
		r.Assume("%s over %s m² of %s are a heat flux of %s.", quantity.Power.Format(c.Value), quantity.Number(total), s.Place, quantity.HeatFlux.Format(c.Value/total))
	case Convection:
		b.Type, b.H, b.Ambient = "convection", c.Value, kelvin(c.Ambient)
	case Inlet:
		return r.inflow(b, c, s, total)
	case Outlet:
		b.Type, b.Pressure = "outlet", &c.Value
	case Wall:
		b.Type, b.Velocity = "wall", c.Vector
	}
	return nil
}

// moved: a displacement without a direction follows the normal of its face.
func (r *resolver) moved(b *boundary, c Condition, s shape.Site) error {
	if c.Vector != nil {
		return nil
	}
	if s.Normal == nil {
		return contract.Errorf(contract.CodeInvalidInput, "%s is not flat, so that a displacement on it needs a direction", s.Place)
	}
	v := scaled(s.Normal, signOf(c.Toward)*c.Value)
	b.Value, b.Components = v, moved(v)
	r.Assume(heldOnly, c.amount(), s.Place, shape.List(b.Components))
	return nil
}

func signOf(t Toward) float64 {
	if t == Outward {
		return 1
	}
	return -1
}

func scaled(n []float64, size float64) []float64 {
	out := make([]float64, len(n))
	for i, x := range n {
		if v := quantity.Significant(x * size); v != 0 {
			out[i] = v
		}
	}
	return out
}

// force is a total force; one along the normal of a face that is not flat acts
// as the pressure that has its size over the face's area.
func (r *resolver) force(b *boundary, c Condition, s shape.Site, share float64) error {
	b.Type = "load"
	switch {
	case c.Vector != nil:
		b.Force = scaled(c.Vector, share)
	case s.Normal != nil:
		b.Force = scaled(s.Normal, signOf(c.Toward)*c.Value*share)
	case s.Area > 0:
		v := quantity.Significant(-signOf(c.Toward) * c.Value * share / s.Area)
		b.Type, b.Value = "pressure", v
		r.Assume("%s is not flat: %s on it act as a pressure of %s, the force over its area.", s.Place, quantity.Force.Format(c.Value), quantity.Pressure.Format(math.Abs(v)))
	default:
		return contract.Errorf(contract.CodeInvalidInput, "the normal of %s is not known: the force needs a direction", s.Place).WithHint("Say downwards, or along +x.")
	}
	return nil
}

func (r *resolver) inflow(b *boundary, c Condition, s shape.Site, total float64) error {
	b.Type, b.Velocity = "inlet", c.Vector
	if c.Profile == "" {
		r.Assume("The velocity is the same all over the inlet, with a step at its rim; for a developed flow say \"with a parabolic profile\".")
	}
	if c.Vector != nil {
		return nil
	}
	speed := c.Value
	if c.Rate != 0 {
		speed = c.Rate / total
		r.Assume("%s through %s m² of %s are a mean velocity of %s.", quantity.FlowRate.Format(c.Rate), quantity.Number(total), s.Place, quantity.Velocity.Format(speed))
	}
	if s.Normal == nil {
		return contract.Errorf(contract.CodeInvalidInput, "%s is not flat: the velocity at the inlet needs a direction", s.Place).WithHint("Give it as a vector, such as (0.2, 0, 0) m/s.")
	}
	b.Velocity = scaled(s.Normal, -speed)
	return nil
}
