package words

import (
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// kelvin is the temperature of a frame. One below absolute zero is refused.
func (r *reader) kelvin(n *node) (any, bool) {
	a := n.amount()
	if a == nil {
		return nil, false
	}
	if a.si(quantity.Temperature) < 0 {
		r.refuse(r.say("%s is below absolute zero, -273.15 degC: no temperature is that low.", "%s liegt unter dem absoluten Nullpunkt, -273,15 °C: so kalt ist nichts.", n.text))
		return nil, false
	}
	return a.value(quantity.Temperature), true
}

func (r *reader) temperature(f *frame) *condition {
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	if len(f.amounts) == 0 {
		r.temperatureThere(f)
		return nil // what is asked for, or a word beside a figure
	}
	if f.amounts["number"] != nil {
		a := f.amounts["number"].amount()
		r.ask("unit", r.say("In which unit is the temperature of %s?", "In welcher Einheit ist die Temperatur von %s?", decimal(a.number)), decimal(a.number)+" degC")
		return nil
	}
	if r.strained() && len(places) == 0 || r.change(f) {
		r.heated(f)
		return nil
	}
	v, ok := r.kelvin(f.amounts["kelvin"])
	if !ok {
		return nil
	}
	if len(places) == 0 && r.overTime() {
		for _, a := range r.ofType("heat") {
			r.option(a, "initial_temperature", v)
			r.assume("%s is the temperature of the whole part at the beginning.", "%s ist die Temperatur des ganzen Teils zu Beginn.", f.amounts["kelvin"].text)
		}
		if n := f.amounts["kelvin2"]; n != nil {
			r.assume("When %s is reached shows in the course of the temperatures.", "Wann %s erreicht ist, zeigt der Verlauf der Temperaturen.", n.text)
		}
		return nil
	}
	if len(places) == 0 && r.fresh {
		r.ask("place", r.say("On which face is it %s?", "An welcher Fläche ist es %s?", f.amounts["kelvin"].text), r.placesExample())
		return nil
	}
	return &condition{section: "supports", name: "temperature", kind: "fixed_temp", places: places, fields: map[string]any{"value": v}, like: []string{"fixed_temp"}}
}

// strained says whether the study is of stresses, so that a temperature of the whole part
// strains it.
func (r *reader) strained() bool {
	for _, a := range section(r.doc, "analyses") {
		m, _ := a.(map[string]any)
		switch text(m["type"]) {
		case "heat", "flow", "circuit", "tool":
		default:
			return true
		}
	}
	return false
}

// change says whether a temperature is a difference: heated by 80 K.
func (r *reader) change(f *frame) bool {
	n := f.amounts["kelvin"]
	if n == nil {
		return false
	}
	before := strings.ToLower(strings.TrimRight(r.text[:n.start], " "))
	return (strings.HasSuffix(before, " by") || strings.HasSuffix(before, " um")) && slices.ContainsFunc(f.heads, func(h *node) bool { return h.is("heated") || h.is("cooled") || h.is("temp") })
}

const roomTemperature = "20 degC"

// heated is a change of temperature of the whole part, in the options of the analyses of
// stresses.
func (r *reader) heated(f *frame) {
	first, second := f.amounts["kelvin"], f.amounts["kelvin2"]
	reference, assumed := any(roomTemperature), true
	if ref := r.frame("reference"); ref != nil && ref.amounts["kelvin"] != nil {
		ref.use()
		v, ok := r.kelvin(ref.amounts["kelvin"])
		if !ok {
			return
		}
		reference, assumed = v, false
	}
	var value any
	switch {
	case second != nil:
		a, okA := r.kelvin(first)
		b, okB := r.kelvin(second)
		if !okA || !okB {
			return
		}
		reference, value, assumed = a, b, false
	case r.change(f):
		from, _ := quantity.ParseAs(text(reference), quantity.Temperature)
		by := first.amount().si(quantity.TemperatureDifference)
		if slices.ContainsFunc(f.heads, func(h *node) bool { return h.is("cooled") }) {
			by = -by
		}
		if from+by < 0 {
			r.refuse(r.say("That would be colder than absolute zero.", "Das wäre kälter als der absolute Nullpunkt."))
			return
		}
		value = quantity.Significant(from + by)
	default:
		v, ok := r.kelvin(first)
		if !ok {
			return
		}
		value = v
	}
	if assumed {
		r.assume("The part is free of stress at 20 degC.", "Bei 20 °C ist das Teil spannungsfrei.")
	}
	for name, a := range section(r.doc, "analyses") {
		m, _ := a.(map[string]any)
		if kind := text(m["type"]); kind == "static" || kind == "buckling" || kind == "nonlinear" {
			r.option(name, "temperature", map[string]any{"value": value, "reference": reference})
		}
	}
}

// frame finds the first of a kind.
func (r *reader) frame(kind string) *frame {
	for _, f := range r.scan.frames {
		if f.kind == kind {
			return f
		}
	}
	return nil
}

func (r *reader) convection(f *frame) *condition {
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	c := &condition{section: "supports", name: "convection", kind: "convection", places: places, fields: map[string]any{}, like: []string{"convection"}}
	have := r.present(c, f)
	if r.change(f) && f.amounts["film"] == nil {
		r.heated(f)
		return nil
	}
	if n := f.amounts["film"]; n != nil {
		c.fields["h"] = n.amount().value(quantity.FilmCoefficient)
	} else if have == nil {
		r.ask("h", r.say("How large is the heat transfer coefficient? Free air has 5 to 25, a fan 25 to 250, water 50 to 20 000 W/(m^2 K).", "Wie groß ist der Wärmeübergangskoeffizient? Freie Luft hat 5 bis 25, ein Lüfter 25 bis 250, Wasser 50 bis 20 000 W/(m² K)."), "h = 10 W/(m^2 K)")
	}
	if n := f.amounts["kelvin"]; n != nil {
		v, ok := r.kelvin(n)
		if !ok {
			return nil
		}
		c.fields["ambient"] = v
	} else if have == nil {
		r.ask("ambient", r.say("Which temperature has the fluid?", "Welche Temperatur hat das Fluid?"), r.say("air at 20 degC", "Luft mit 20 °C"))
	}
	if len(places) == 0 && have == nil && r.overTime() && len(r.framesOf(heatKinds)) <= 2 && len(r.members("supports", "fixed_temp")) == 0 {
		c.places = []any{"all"}
		r.assume("There is convection on all faces.", "Konvektion ist auf allen Flächen.")
	} else if len(places) == 0 && have == nil {
		r.ask("place", r.say("On which faces is there convection?", "An welchen Flächen ist Konvektion?"), r.say("on all other faces", "auf allen anderen Flächen"))
	}
	for _, m := range r.all("m") {
		m.use() // the fluid
	}
	for _, m := range append(r.all("material"), r.all("oil")...) {
		if m.kind != "material" || fluid(m) {
			m.use()
		}
	}
	return c
}

func (r *reader) radiation(f *frame) *condition {
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	if f.amounts["number"] == nil || f.amounts["kelvin"] == nil || len(places) == 0 {
		r.ask("radiation", r.say("Which emissivity, which surrounding temperature and which faces has the radiation?", "Welchen Emissionsgrad, welche Umgebungstemperatur und welche Flächen hat die Strahlung?"), r.say("radiation with emissivity 0.8 to 20 degC on the top", "Strahlung mit Emissionsgrad 0,8 zu 20 °C auf der Oberseite"))
		return nil
	}
	v, ok := r.kelvin(f.amounts["kelvin"])
	if !ok {
		return nil
	}
	e, _ := f.amounts["number"].amount().number.Float64()
	if e <= 0 || e > 1 {
		r.refuse(r.say("An emissivity lies above 0 and up to 1, and not at %g.", "Ein Emissionsgrad liegt über 0 und höchstens bei 1, nicht bei %g.", e))
		return nil
	}
	return &condition{section: "supports", name: "radiation", kind: "radiation", places: places, fields: map[string]any{"emissivity": e, "ambient": v}, like: []string{"radiation"}}
}

func (r *reader) flux(f *frame) *condition {
	if len(f.amounts) == 0 && len(f.places) == 0 {
		return nil // what is asked for
	}
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	c := &condition{section: "loads", name: "heat flux", kind: "heat_flux", places: places, fields: map[string]any{}, like: []string{"heat_flux"}}
	switch n := f.amounts["heatflux"]; {
	case n != nil:
		c.fields["value"] = n.amount().value(quantity.HeatFlux)
	case f.amounts["watt"] != nil:
		c.fields["power"] = f.amounts["watt"].amount().value(quantity.Power)
	default:
		r.ask("heat", r.say("How large is the heat flux?", "Wie groß ist die Wärmestromdichte?"), "5 kW/m^2")
		return nil
	}
	if len(places) == 0 && r.present(c, f) == nil {
		r.ask("place", r.say("Through which face does the heat flow?", "Durch welche Fläche fließt die Wärme?"), r.placesExample())
		return nil
	}
	out, ok := r.outgoing(f)
	if !ok {
		return nil
	}
	if have := r.present(c, f); !out && have != nil && len(f.places) == 0 && (numberOf(have.value["power"]) < 0 || numberOf(have.value["value"]) < 0) {
		if out = !inWords.MatchString(r.text); out { // another size of what leaves
			r.assume("The heat leaves the part, as before.", "Die Wärme verlässt das Teil, wie zuvor.")
		}
	}
	if out {
		for field, v := range c.fields {
			c.fields[field] = times(v, -1)
		}
	}
	return c
}

// source is heat that arises in the part: an option of the analysis of heat.
func (r *reader) source(f *frame) *condition {
	n := f.amounts["wm3"]
	if n == nil {
		r.ask("heat", r.say("How much heat arises per volume?", "Wie viel Wärme entsteht je Volumen?"), "1 MW/m^3")
		return nil
	}
	for name, a := range section(r.doc, "analyses") {
		if m, _ := a.(map[string]any); text(m["type"]) == "heat" {
			r.option(name, "source", n.amount().value(quantity.HeatSource))
		}
	}
	return nil
}

// insulated faces need no condition.
func (r *reader) insulated(f *frame) *condition {
	r.assume("Faces without a condition let no heat through.", "Flächen ohne Bedingung lassen keine Wärme durch.")
	return nil
}

func (r *reader) outlet(f *frame) *condition {
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	if len(places) == 0 {
		r.ask("place", r.say("Where does the fluid leave?", "Wo strömt das Fluid aus?"), r.say("outlet on the right", "Auslass rechts"))
		return nil
	}
	c := &condition{section: "supports", name: "outlet", kind: "outlet", places: places, fields: map[string]any{}, like: []string{"outlet"}}
	if n := f.amounts["pascal"]; n != nil {
		c.fields["pressure"] = n.amount().value(quantity.Pressure)
	}
	return c
}

// overTime says whether heat is followed over time.
func (r *reader) overTime() bool {
	for _, m := range r.members("analyses", "heat") {
		if o, _ := m.value["options"].(map[string]any); o["t_final"] != nil {
			return true
		}
	}
	return false
}
