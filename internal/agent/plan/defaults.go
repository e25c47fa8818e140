package plan

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/agent/materials"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

const chosenSize = "The mesher chooses the element size from the part's size, its thinnest wall and its faces."

// applyDefaults takes defaults, asks for what is missing, and lets a later message
// overrule an earlier one.
func (r *reader) applyDefaults(facts Facts) {
	p := r.plan
	if p.Physics == "" {
		p.Questions = p.Questions[:1]
		return
	}
	r.overrule()
	r.notes()
	if p.File == "" {
		p.ask(-1, "geometry", "There is no part yet: upload a STEP file or a surface (STL, OBJ), or name a file.", "use file:abc123")
	}
	switch p.Physics {
	case Elasticity:
		r.completeElastic()
	case Heat:
		r.completeHeat()
	case Flow:
		r.completeFlow()
	}
	r.knownFaces(facts)
	r.leftovers()
	faulty := func(c Condition) bool { return c.fault }
	p.Conditions = slices.DeleteFunc(p.Conditions, faulty)
	for _, c := range p.Conditions {
		for _, pl := range c.Places {
			p.conventions(pl)
		}
	}
	if p.ElementSize == 0 && p.Mesh == "" && !p.exact() { // of an exact mesh its call tells
		p.assume(chosenSize)
	}
}

// leftovers tells the quantities that no part of the plan uses, and asks about
// those that look like a condition: none is dropped silently.
func (r *reader) leftovers() {
	conditions := []quantity.Kind{quantity.Force, quantity.Pressure, quantity.HeatFlux, quantity.Power, quantity.FilmCoefficient, quantity.Velocity, quantity.FlowRate, quantity.Energy, quantity.LineLoad}
	for _, it := range r.items {
		if it.used || it.class != classQuantity && it.class != classVector || it.bare() || it.start < r.latest && r.latest > 0 {
			continue
		}
		written := r.cased[it.start:it.end]
		if slices.ContainsFunc(conditions, it.is) && len(r.plan.Questions) == 0 {
			r.plan.ask(it.start, "number", fmt.Sprintf("What is %q for?", written), "500 N downwards on the top")
			continue
		}
		r.plan.assume("I made no use of %q.", written)
	}
}

// knownFaces asks when a name is none of the faces that an import has told, and
// when a surface without CAD faces is to have some.
func (r *reader) knownFaces(facts Facts) {
	if r.plan.fileKind() == "surface" {
		for _, c := range r.plan.Conditions {
			for _, pl := range c.Places {
				if pl.Kind != "plane" && pl.Kind != "end" && pl.Kind != "coordinate" && pl.Kind != "all" {
					r.plan.ask(c.at, "place", fmt.Sprintf("%s is a surface without CAD faces, so that %s cannot be told apart: name a plane, or upload a STEP file.", r.plan.File, pl.Phrase()), "on the top (z_max)")
				}
			}
		}
		return
	}
	if len(facts.Faces) == 0 {
		return
	}
	for _, c := range r.plan.Conditions {
		for _, pl := range c.Places {
			if pl.Kind == "face" && !slices.ContainsFunc(facts.Faces, func(f string) bool { return shape.Spaced(f) == shape.Spaced(pl.Name) }) {
				r.plan.ask(c.at, "place", fmt.Sprintf("The part has no face %q; its faces are %s.", pl.Name, shape.List(facts.Faces)), "on face "+facts.Faces[0])
			}
		}
	}
}

func (p *Plan) asked(topics ...string) bool {
	return slices.ContainsFunc(p.Questions, func(q Question) bool { return slices.Contains(topics, q.Topic) })
}

var unknownMaterial = []*regexp.Regexp{
	regexp.MustCompile(`made (?:out )?(?:of|from) (?:an? |the )?([\pL\pN-]+(?: [\pL\pN-]+)?)`),
	regexp.MustCompile(`material(?: is| are|:| =|=)? (?:an? |the )?([\pL\pN-]+)`),
}

// notInTable are materials that the table leaves out: not isotropic, too spread,
// or rare.
var notInTable = regexp.MustCompile(`\b(?:wood(?:en)?|timber|oak|pine|spruce|plywood|bamboo|rubber|silicone|carbon fib(?:re|er)|cfrp|gfrp|fib(?:re|er)glass|composite|foam|ice|stone|granite|marble|gold|silver|nickel|ceramic|petg|tpu|resin|oil|petrol|honey|ethanol|mercury|blood)\b`)

// vague are words that leave open which material of the table is meant.
var vague = regexp.MustCompile(`\b(?:` + strings.Join(slices.Sorted(maps.Keys(materials.Vague)), "|") + `)\b`)

func (r *reader) askMaterial(what, example string) {
	p := r.plan
	if p.asked("material", "youngs_modulus", "poisson_ratio", "density", "conductivity", "specific_heat", "viscosity") {
		return
	}
	unknown := notInTable.FindString(r.text)
	if m := vague.FindString(r.text); m != "" && unknown == "" && p.Material == nil && p.Physics != Flow {
		p.ask(-1, "material", fmt.Sprintf("%q alone names no material of the table: say %s, or give %s.", m, materials.Vague[m], what), materials.Vague[m])
		return
	}
	for _, exp := range unknownMaterial {
		if m := exp.FindStringSubmatch(r.text); m != nil && p.Material == nil {
			p.ask(-1, "material", fmt.Sprintf("The material %q is not in the table: give %s, or name one of the table.", m[1], what), example)
			return
		}
	}
	if unknown != "" && p.Material == nil {
		p.ask(-1, "material", fmt.Sprintf("The material %q is not in the table: give %s, or name one of the table.", unknown, what), example)
		return
	}
	if p.Material != nil && p.Material.Name != "" {
		p.ask(-1, "material", fmt.Sprintf("For %s the table lacks %s.", p.Material.Name, what), example)
		return
	}
	p.ask(-1, "material", "Which material is it? Name it, or give "+what+".", example)
}

func (r *reader) completeElastic() {
	p := r.plan
	switch m := p.Material; {
	case m == nil || m.YoungsModulus == 0:
		r.askMaterial("Young's modulus and Poisson's ratio", "steel, or E = 70 GPa and nu = 0.33")
	case m.PoissonRatio == 0:
		m.PoissonRatio = 0.3
		p.assume("Poisson's ratio was not given and is taken as 0.3.")
	}
	supports, loads, faults := 0, 0, 0
	for i := range p.Conditions {
		c := &p.Conditions[i]
		switch {
		case c.fault:
			faults++
		case c.Kind == Fixed && len(c.Places) > 0:
			supports++
		case c.Kind == Gravity:
			loads++
			if p.Material != nil && p.Material.Density == 0 {
				p.ask(-1, "density", "The weight needs the density of the material.", "density 7850 kg/m^3")
			}
		case c.Kind != Fixed:
			loads++
			if len(c.Places) == 0 && !p.asked("place") {
				p.ask(-1, "load_place", fmt.Sprintf("Where does the load of %s act?", c.amount()), "on the top face")
			}
		}
	}
	for _, c := range p.Conditions {
		if c.Kind == Fixed && len(c.Places) == 0 && !c.given && !c.fault {
			p.ask(c.at, "support", "Symmetry needs a plane: say which.", "symmetry at x_min")
		}
	}
	p.Conditions = slices.DeleteFunc(p.Conditions, func(c Condition) bool { return c.Kind == Fixed && len(c.Places) == 0 })
	if supports == 0 && !p.asked("support") {
		p.ask(-1, "support", "Where is the part held? Without a support it would fly away.", "fixed at the bottom face")
	}
	if loads == 0 && faults == 0 && !p.asked("load", "unit", "number", "analysis") {
		p.ask(-1, "load", "Which load acts, and where?", "500 N downwards on the top face")
	}
	r.clash()
}

// clash asks when a load stands on a face that is fixed: it would do nothing.
func (r *reader) clash() {
	for _, a := range r.plan.Conditions {
		for _, b := range r.plan.Conditions {
			if a.Kind == Fixed && len(a.Components) == 0 && b.Kind != Fixed && !b.fault && overlap(a.Places, b.Places) {
				r.plan.ask(b.at, "load_place", fmt.Sprintf("The load of %s stands on %s, which is fixed, and would do nothing. Where does it act?", b.amount(), describe(b.Places)), "on the top face")
			}
		}
	}
}

// amount is the size of a condition for a person.
func (c Condition) amount() string {
	k, ok := map[Kind]quantity.Kind{Force: quantity.Force, Pressure: quantity.Pressure, Traction: quantity.Pressure, Displacement: quantity.Length,
		Gravity: quantity.Acceleration, FixedTemp: quantity.Temperature, HeatFlux: quantity.HeatFlux, HeatPower: quantity.Power,
		Convection: quantity.FilmCoefficient, Inlet: quantity.Velocity, Wall: quantity.Velocity, Outlet: quantity.Pressure}[c.Kind]
	switch {
	case !ok:
		return string(c.Kind)
	case c.Rate != 0:
		return quantity.FlowRate.Format(c.Rate)
	case len(c.Vector) == 3:
		return k.Format(norm(c.Vector))
	}
	return k.Format(c.Value)
}

func (r *reader) completeHeat() {
	p := r.plan
	if p.Material == nil || p.Material.Conductivity == 0 {
		r.askMaterial("the thermal conductivity", "aluminium, or conductivity 16 W/(m*K)")
	}
	held, faults := 0, 0
	for i := range p.Conditions {
		c := &p.Conditions[i]
		switch {
		case c.fault:
			faults++
			continue
		case c.Kind == Convection:
			r.completeFilm(c)
		}
		if c.Kind == FixedTemp || c.Kind == Convection {
			held++
		}
		if len(c.Places) == 0 && c.Kind != Insulated {
			if c.Kind == FixedTemp && !p.Steady && p.InitialTemperature == 0 && i == 0 && len(p.Conditions) > 1 {
				p.InitialTemperature, c.fault = c.Value, true
				p.assume("%s without a place is taken as the temperature at the start.", quantity.Temperature.Format(c.Value))
				continue
			}
			p.ask(-1, "place", fmt.Sprintf("Where does %s hold?", c.amount()), "at the bottom face")
		}
	}
	p.insulate()
	switch {
	case p.Steady && held == 0 && faults == 0 && !p.asked("temperature", "unit", "number", "place"):
		p.ask(-1, "temperature", "A steady temperature needs a face with a given temperature, or convection.", "20 degC at the top, or convection 10 W/m^2/K to 20 degC")
	case len(p.Conditions) == 0 && faults == 0 && !p.asked("temperature", "unit", "number"):
		p.ask(-1, "temperature", "Which faces have which temperature or heat flux?", "80 degC at the bottom")
	}
	if !p.Steady {
		r.completeTransient()
	}
}

// insulate asks where a face is said to be insulated and to have another condition;
// faces without one are insulated by themselves.
func (p *Plan) insulate() {
	for _, a := range p.Conditions {
		for _, b := range p.Conditions {
			if a.Kind == Insulated && b.Kind != Insulated && !b.fault && slices.ContainsFunc(b.Places, a.closes) {
				p.ask(b.at, "place", fmt.Sprintf("%s is said to be insulated, and to have %s, too. Which of them holds?", describe(b.Places), b.amount()), "80 degC on the left, 20 degC on the right")
			}
		}
	}
	p.Conditions = slices.DeleteFunc(p.Conditions, func(c Condition) bool { return c.Kind == Insulated })
}

// closes says whether a condition names a place, or all but others.
func (c Condition) closes(at Place) bool {
	for _, p := range c.Places {
		except := slices.ContainsFunc(p.Not, func(n Place) bool { return n.String() == at.String() })
		if at.Kind != "rest" && (p.Kind == "all" || p.Kind == "rest" && p.Not != nil) && !except || p.String() == at.String() && p.Near == at.Near && p.Kind != "rest" {
			return true
		}
	}
	return false
}

func (r *reader) completeFilm(c *Condition) {
	p := r.plan
	if c.Value == 0 {
		p.ask(-1, "film_coefficient", "How large is the heat transfer coefficient of the convection?", "10 W/(m^2*K)")
	}
	switch {
	case c.hasAmbient:
	case r.ambient != 0:
		c.Ambient, c.hasAmbient = r.ambient, true
	default:
		c.Ambient, c.hasAmbient = roomTemperature, true
		p.assume("The surroundings of the convection are taken as 20 °C.")
	}
	if len(c.Places) == 0 {
		c.Places = []Place{{Kind: "rest"}}
		p.assume("The convection acts on all faces without another condition.")
	}
}

const roomTemperature = 293.15 // K

func (r *reader) completeTransient() {
	p := r.plan
	if p.FinalTime == 0 && !p.asked("time") {
		p.ask(-1, "time", "For how long is the part to be followed?", "for 60 s")
	}
	if p.InitialTemperature == 0 {
		p.InitialTemperature = roomTemperature
		p.assume("The part starts at 20 °C.")
	}
	if p.TimeStep == 0 && p.FinalTime > 0 {
		p.TimeStep = p.FinalTime / 100
		p.assume("The time step is a hundredth of the time, %s.", quantity.Time.Format(p.TimeStep))
	}
	if p.TimeStep > p.FinalTime && p.FinalTime > 0 {
		p.ask(-1, "time", "The time step is longer than the time.", "for 60 s with a time step of 1 s")
	}
	if m := p.Material; m != nil && m.Conductivity > 0 && (m.SpecificHeat == 0 || m.Density == 0) {
		r.askMaterial("density and specific heat", "density 7850 kg/m^3, specific heat 440 J/(kg*K)")
	}
}

func (r *reader) completeFlow() {
	p := r.plan
	if m := p.Material; m == nil || m.Density == 0 || m.Viscosity == 0 {
		if m != nil && !m.Fluid && m.Name != "" {
			p.Material = nil
		}
		r.askMaterial("density and dynamic viscosity", "water, or density 900 kg/m^3 and viscosity 50 mPa*s")
	}
	inlets, outlets := 0, 0
	for i := range p.Conditions {
		c := &p.Conditions[i]
		switch c.Kind {
		case Inlet:
			inlets++
			if len(c.Places) == 0 {
				p.ask(-1, "inlet", "Through which face does the fluid come in?", "inlet at the left")
			}
			if !c.given {
				p.ask(-1, "velocity", "How fast does the fluid come in?", "0.2 m/s")
			}
		case Outlet:
			outlets++
			if len(c.Places) == 0 {
				p.ask(-1, "outlet", "Through which face does the fluid go out?", "outlet at the right")
			}
		}
	}
	if inlets == 0 && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Kind == Wall }) && !p.asked("velocity", "unit", "number") {
		p.ask(-1, "inlet", "Where and how fast does the fluid come in?", "inlet left with 0.2 m/s")
	}
	if inlets > 0 && outlets == 0 {
		p.ask(-1, "outlet", "Through which face does the fluid go out?", "outlet at the right")
	}
	if p.TimeStep > 0 && p.FinalTime > 0 && p.TimeStep > p.FinalTime {
		p.ask(-1, "time", "The time step is longer than the time.", "simulate 2 s with a time step of 0.01 s")
	}
	p.assume("Faces that are neither inlet nor outlet are walls at rest.")
}

// conventions tells how a place was understood.
func (p *Plan) conventions(pl Place) {
	switch {
	case pl.Kind == "plane" && pl.Text != "" && !strings.ContainsRune(pl.Text, '_'):
		p.assume("%q is %s of the part, with z up, front at -y and left at -x.", pl.Text, pl.Name)
	case pl.Kind == "end" && pl.Text != "":
		p.assume("%q is %s.", pl.Text, shape.PlaneNames[pl.Name])
	case pl.Kind == "coordinate" && pl.Unitless:
		p.assume("%s=%g is in the file's length unit.", pl.Name, pl.Value)
	}
}
