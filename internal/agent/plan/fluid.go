package plan

import (
	"fmt"
	"strings"

	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// flow reads inlets, outlets and walls, segment by segment.
func (r *reader) flow() {
	r.fromTo()
	a := &assembler{reader: r, trigger: r.flowTriggers}
	a.run()
	for _, c := range a.conditions {
		if c.Kind == Wall && c.Vector == nil && c.Value == 0 {
			continue // walls at rest are what the solver does by itself
		}
		r.pointInlet(&c)
		r.plan.Conditions = append(r.plan.Conditions, c)
	}
	if r.speed != nil {
		r.giveSpeed()
	}
	for _, it := range r.items {
		if it.class == classUnsure && it.value == "analysis" && !it.used {
			r.unsure(it)
		}
	}
}

// fromTo reads "from left to right": the inlet and the outlet.
func (r *reader) fromTo() {
	for i := range r.items {
		from := &r.items[i]
		if from.class != classFlow || from.value != "from" || i+2 >= len(r.items) {
			continue
		}
		start, end := &r.items[i+1], &r.items[i+2]
		if start.class != classPlace {
			continue
		}
		var out Place
		switch {
		case end.class == classPlace && strings.Contains(r.gap(start.end, end.start), "to"):
			out = end.place
		case end.class == classDirection && strings.HasPrefix(r.text[end.start:], "to"):
			out = facing(directionOf(end, r.text))
		}
		if out.Kind == "" {
			continue
		}
		start.used, end.used, from.used = true, true, true
		r.plan.Conditions = append(r.plan.Conditions,
			Condition{Kind: Inlet, Places: []Place{start.place}, at: from.start},
			Condition{Kind: Outlet, Places: []Place{out}, given: true, at: from.start})
		for j := range r.items { // "flows in from the left" has said it already
			if it := &r.items[j]; it.class == classFlow && (it.value == "inlet" || it.value == "outlet") && it.start < from.start && it.start > from.start-40 {
				it.used = true
			}
		}
	}
}

// facing is the extreme plane that a direction leads to.
func facing(d direction) Place {
	for name, n := range shape.Normals {
		if d.axis >= 0 && shape.Along(d.vector(1), n) == 1 {
			return Place{Kind: "plane", Name: name, Text: d.text}
		}
	}
	return Place{}
}

func (r *reader) flowTriggers(s *segment) []*Condition {
	var out []*Condition
	last := func() *Condition {
		if len(out) > 0 {
			return out[len(out)-1]
		}
		return nil
	}
	for _, it := range s.items {
		switch {
		case it.used:
		case it.class == classFlow && (it.value == "inlet" || it.value == "outlet" || it.value == "out" || it.value == "wall"):
			kind := map[string]Kind{"inlet": Inlet, "outlet": Outlet, "out": Outlet, "wall": Wall}[it.value]
			if c := last(); c == nil || c.Kind != kind {
				out = append(out, &Condition{Kind: kind, given: kind != Inlet, at: it.start})
				if kind == Inlet {
					r.inlet = last()
				}
				if kind == Wall {
					r.wall = last()
				}
			}
		case it.class == classFlow && it.value == "parabolic":
			if r.inlet != nil {
				r.inlet.Profile = "parabolic"
			} else {
				r.profile = "parabolic"
			}
		case it.class == classQuantity || it.class == classVector:
			r.flowNumber(s, it, last())
		}
	}
	return out
}

// flowNumber fills a number into the inlet, outlet or moving wall it belongs to.
func (r *reader) flowNumber(s *segment, it *item, c *Condition) {
	_, after := r.around(it, 0, 20)
	switch {
	case it.err != nil:
		it.used = true
		r.plan.ask(it.start, "number", sentenceOf(it.err), "0.2 m/s")
	case it.is(quantity.Velocity) && !it.bare():
		r.velocity(it, c)
	case it.is(quantity.FlowRate) && !it.bare():
		v, _ := it.si(quantity.FlowRate)
		r.checked(it, quantity.FlowRate, v, "flow_rate", func() {
			if c == nil || c.Kind != Inlet {
				c = r.inletHere(it)
			}
			if c == nil {
				c = &Condition{Kind: Inlet, at: it.start}
				r.speed = c
			}
			c.Rate, c.given = v, true
		})
	case it.is(quantity.Pressure) && !it.bare():
		v, _ := it.si(quantity.Pressure)
		it.used = true
		if c != nil && c.Kind == Outlet {
			c.Value = v
			return
		}
		r.plan.ask(it.start, "inlet", "A pressure can be given at an outlet only; at the inlet the solver takes a velocity.", "inlet left with 0.2 m/s")
	case it.is(quantity.Temperature):
		it.used = true
		r.plan.assume("The fluid's values are those at 20 °C; %s is not taken into account.", r.cased[it.start:it.end])
	case it.bare() && c != nil && !counted.MatchString(after):
		it.used = true
		r.plan.ask(it.start, "unit", fmt.Sprintf("The value %s has no unit.", r.text[it.start:it.end]), r.text[it.start:it.end]+" m/s")
	case c != nil && c.Kind == Inlet && (it.is(quantity.Force) || it.is(quantity.Length)):
		it.used = true
		r.plan.ask(it.start, "velocity", fmt.Sprintf("%q is no velocity.", r.cased[it.start:it.end]), "0.2 m/s")
	}
}

func (r *reader) velocity(it *item, c *Condition) {
	if c == nil && r.wall != nil && r.wall.Value == 0 && (r.inlet == nil || r.inlet.given) {
		c = r.wall // "the lid moves with 1 m/s"
	}
	inlet := r.inletHere(it)
	if c == nil || c.Kind == Outlet && !c.given {
		c = inlet
	}
	if c != nil && c.Kind == Outlet && inlet != nil && !inlet.given {
		c = inlet
	}
	if c == nil || c.Kind == Outlet {
		c = &Condition{Kind: Inlet, at: it.start}
		r.speed = c
	}
	if it.class == classVector {
		c.Vector, _ = it.vector(quantity.Velocity)
		c.given, it.used = true, true
		return
	}
	v, _ := it.si(quantity.Velocity)
	r.checked(it, quantity.Velocity, v, "velocity", func() { c.Value, c.given = v, true })
	if c.Kind == Wall {
		c.given = true
	}
}

// inletHere is the latest inlet, unless a request is changed that was whole with it.
func (r *reader) inletHere(it *item) *Condition {
	if r.inlet != nil && r.changing(it.start) && r.turnAt(it.start) != r.turnAt(r.inlet.at) {
		return nil
	}
	return r.inlet
}

// giveSpeed puts a velocity that stands by itself to the inlet without one.
func (r *reader) giveSpeed() {
	for i := range r.plan.Conditions {
		c := &r.plan.Conditions[i]
		if c.Kind == Inlet && !c.given {
			c.Value, c.Vector, c.Rate, c.given, c.Profile = r.speed.Value, r.speed.Vector, r.speed.Rate, true, r.profile
			c.axis = nil
			r.pointInlet(c)
			return
		}
	}
	r.plan.Conditions = append(r.plan.Conditions, *r.speed)
}

// pointInlet turns a speed into a vector: as said, else straight into the part.
func (r *reader) pointInlet(c *Condition) {
	r.opposite(c)
	if c.Kind != Inlet && c.Kind != Wall || c.Vector != nil || c.Value == 0 {
		return
	}
	if c.axis != nil && c.axis.axis >= 0 {
		c.Vector, c.Value = c.axis.vector(c.Value), 0
		return
	}
	if c.Kind == Wall {
		r.plan.ask(c.at, "direction", "In which direction does the wall move?", "along +x")
		return
	}
	if len(c.Places) == 1 {
		if n, flat := shape.Normals[c.Places[0].Name]; flat {
			c.Vector = []float64{}
			for _, x := range n {
				v := -c.Value * x
				if v == 0 {
					v = 0
				}
				c.Vector = append(c.Vector, v)
			}
			c.Value = 0
		}
	}
}
