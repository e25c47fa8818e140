package words

import (
	"math"
	"math/big"
	"slices"

	"atelier/internal/quantity"
)

// standardGravity is the acceleration of free fall, m/s^2 (3rd CGPM, 1901).
var standardGravity = big.NewRat(980665, 100000)

// force reads a force or a bearing load. The direction of one that has an amount is asked
// for where it is not said.
func (r *reader) force(f *frame) *condition {
	c := &condition{section: "loads", name: "force", kind: "load", fields: map[string]any{}, like: []string{"load"}}
	if f.kind == "bearing" {
		c.name, c.kind, c.like = "bearing", "bearing", []string{"bearing"}
	}
	var ok bool
	if c.places, ok = r.on(f); !ok {
		return nil
	}
	switch {
	case f.amounts["perlength"] != nil:
		r.refuse(r.say("A load per length cannot be set up in words yet. Give its total force on a face.", "Eine Streckenlast lässt sich noch nicht in Worten eingeben. Gib die gesamte Kraft auf einer Fläche an."))
		return nil
	case f.amounts["kg"] != nil:
		return r.weightOf(c, f, f.amounts["kg"])
	case f.amounts["number"] != nil:
		a := f.amounts["number"].amount()
		r.ask("unit", r.say("In which unit is the force of %s?", "In welcher Einheit ist die Kraft von %s?", decimal(a.number)), decimal(a.number)+" N")
		return nil
	case f.amounts["newton"] == nil:
		return r.forceWithout(c, f)
	}
	n := f.amounts["newton"]
	if v, isVector := n.val.(vector); isVector {
		var list []any
		for i := range v.parts {
			list = append(list, v.amount(i).value(quantity.Force))
		}
		c.fields["force"] = list
		return c
	}
	a := n.amount()
	if a.number.Sign() == 0 {
		r.ask("force", r.say("A force of 0 loads nothing. How large is it?", "Eine Kraft von 0 belastet nichts. Wie groß ist sie?"), "500 N")
		return nil
	}
	return r.directed(c, f, a)
}

// directed gives a force its direction: the one that the sentence says, that of the load
// which it changes, or none, which is asked for.
func (r *reader) directed(c *condition, f *frame, a *amount) *condition {
	if have := r.present(c, f); have != nil && len(f.dirs) == 0 && !slices.ContainsFunc(f.heads, pushes) {
		if v, ok := scaledTo(have.value["force"], a); ok {
			c.fields["force"] = v
			return c
		}
	}
	v, ok := r.alongVector(f, a)
	if !ok {
		if v, _, ok = r.along(f, a, quantity.Force, r.normalOf(c.places)); !ok {
			return nil
		}
	}
	if len(c.places) == 0 && (r.fresh || r.present(c, f) == nil) {
		r.ask("place", r.say("On which face does the force act?", "An welcher Fläche greift die Kraft an?"), r.placesExample())
		return nil
	}
	c.fields["force"] = v
	return c
}

func pushes(n *node) bool {
	return n.is("push") || n.is("pull") || n.is("compression") || n.is("axialforce") || n.is("hang")
}

// scaledTo puts another size on a force that has one component.
func scaledTo(v any, a *amount) ([]any, bool) {
	list, _ := v.([]any)
	if len(list) != 3 {
		return nil, false
	}
	out, found := []any{0.0, 0.0, 0.0}, false
	for i, x := range list {
		number := numberOf(x)
		if number == 0 {
			continue
		}
		if found {
			return nil, false
		}
		found = true
		b := *a
		b.number = new(big.Rat).Set(a.number)
		if number < 0 {
			b.number.Neg(b.number)
		}
		out[i] = b.value(quantity.Force)
	}
	return out, found
}

// numberOf a value of the document, without its unit.
func numberOf(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		if number, _, err := quantity.NumberAt(v); err == nil && number != nil {
			f, _ := number.Float64()
			return f
		}
	}
	return 0
}

// forceWithout is a force that has no size in the sentence: one that is moved or turned.
func (r *reader) forceWithout(c *condition, f *frame) *condition {
	have := r.present(c, f)
	if have == nil && r.in.LastRun && r.displacedBy() && r.contains("?") && len(f.dirs)+len(f.places) == 0 {
		r.reacts = true // what load would that be?
		return nil
	}
	if have == nil {
		r.ask("force", r.say("How large is the force, and in which direction does it act?", "Wie groß ist die Kraft, und in welcher Richtung wirkt sie?"), r.say("500 N downwards", "500 N nach unten"))
		return nil
	}
	if len(f.dirs) == 1 {
		return r.turned(c, f, have)
	}
	if len(c.places) == 0 {
		return nil
	}
	return c
}

// turned gives a load that is there another direction.
func (r *reader) turned(c *condition, f *frame, have *member) *condition {
	list, _ := have.value["force"].([]any)
	if r.movedToward(f) {
		return nil
	}
	if f.dirs[0].val.(toward).how == "reverse" {
		c.fields["force"] = times(list, -1)
		return c
	}
	d, ok := r.direction(f, r.normalOf(c.places))
	if !ok {
		return nil
	}
	var size any
	for _, x := range list {
		if numberOf(x) == 0 {
			continue
		}
		if size != nil {
			r.ask("force", r.say("The load has several components. How large is it in the new direction?", "Die Last hat mehrere Komponenten. Wie groß ist sie in der neuen Richtung?"), "500 N")
			return nil
		}
		if size = x; numberOf(x) < 0 {
			size = times(x, -1)
		}
	}
	if size == nil {
		return nil
	}
	v := []any{0.0, 0.0, 0.0}
	v[d.index()] = times(size, float64(d.sign))
	c.fields["force"] = v
	return c
}

// weightOf is a mass as a load: its weight, where the sentence says that it hangs or weighs;
// else nobody can tell a mass from a force.
func (r *reader) weightOf(c *condition, f *frame, n *node) *condition {
	a := n.amount()
	newton, _ := quantity.ParseUnit("N")
	weight := &amount{number: new(big.Rat).Mul(standardGravity, new(big.Rat).SetFloat64(a.si(quantity.Mass))), units: newton, written: "N"}
	said := decimal(a.number) + " " + a.written
	if kg := a.written == "kg" || a.written == "g"; kg && n.is("weighed") || kg && slices.ContainsFunc(f.heads, func(h *node) bool { return h.is("hang") || h.is("stand") }) {
		r.assume("%s pull by their weight, %s.", "%s ziehen mit ihrem Gewicht, %s.", said, quantity.Force.Format(weight.si(quantity.Force)))
		if len(f.dirs) == 0 {
			f.dirs = []*node{{kind: "dir", val: toward{direction{"z", -1}, "axis"}}}
		}
		return r.directed(c, f, weight)
	}
	r.ask("unit", r.say("Is %q a mass, or a force? The weight of that mass is %s.", "Ist %q eine Masse oder eine Kraft? Das Gewicht dieser Masse ist %s.", said, quantity.Force.Format(weight.si(quantity.Force))),
		quantity.Force.Format(weight.si(quantity.Force)))
	return nil
}

func (r *reader) pressure(f *frame) *condition {
	c := &condition{section: "loads", name: "pressure", kind: "pressure", fields: map[string]any{}, like: []string{"pressure"}}
	var ok bool
	if c.places, ok = r.on(f); !ok {
		return nil
	}
	have := r.present(c, f)
	switch {
	case f.amounts["number"] != nil:
		a := f.amounts["number"].amount()
		r.ask("unit", r.say("In which unit is the pressure of %s?", "In welcher Einheit ist der Druck von %s?", decimal(a.number)), decimal(a.number)+" MPa")
		return nil
	case f.amounts["pascal"] != nil:
		c.fields["value"] = f.amounts["pascal"].amount().value(quantity.Pressure)
		if slices.ContainsFunc(f.heads, func(n *node) bool { return n.is("suction") }) {
			c.fields["value"] = times(c.fields["value"], -1)
			r.assume("Suction pulls at the face: it is a negative pressure.", "Unterdruck zieht an der Fläche: er ist ein negativer Druck.")
		}
	case have == nil || len(c.places) == 0:
		r.ask("pressure", r.say("How large is the pressure?", "Wie groß ist der Druck?"), "2 MPa")
		return nil
	}
	if len(c.places) == 0 && have == nil {
		r.ask("place", r.say("On which face does the pressure act?", "Auf welche Fläche wirkt der Druck?"), r.placesExample())
		return nil
	}
	return c
}

func (r *reader) moment(f *frame) *condition {
	c := &condition{section: "loads", name: "moment", kind: "moment", fields: map[string]any{}, like: []string{"moment"}}
	var ok bool
	if c.places, ok = r.on(f); !ok {
		return nil
	}
	n := f.amounts["torque"]
	have := r.present(c, f)
	switch {
	case n == nil && f.amounts["number"] != nil:
		r.ask("unit", r.say("In which unit is the moment?", "In welcher Einheit ist das Moment?"), "10 N m")
		return nil
	case n == nil && (have == nil || len(c.places) == 0):
		r.ask("moment", r.say("How large is the moment, and about which axis?", "Wie groß ist das Moment, und um welche Achse?"), r.say("10 N m about z", "10 N m um z"))
		return nil
	case len(c.places) == 0 && have == nil:
		r.ask("place", r.say("On which face does the moment act?", "An welcher Fläche greift das Moment an?"), r.placesExample())
		return nil
	case n == nil:
		return c
	}
	if have != nil && len(f.dirs) == 0 {
		if v, ok := scaledTo(have.value["moment"], n.amount()); ok {
			c.fields["moment"] = v
			return c
		}
	}
	if len(f.dirs) != 1 || f.dirs[0].val.(toward).axis == "" {
		r.ask("axis", r.say("About which axis does the moment turn?", "Um welche Achse dreht das Moment?"), r.say("about z", "um z"))
		return nil
	}
	v, _, ok := r.along(f, n.amount(), quantity.Energy, nil)
	if !ok {
		return nil
	}
	c.fields["moment"] = v
	return c
}

// gravity is the weight of the part, or an acceleration of which it is said where to.
func (r *reader) gravity(f *frame) *condition {
	c := &condition{section: "loads", name: "gravity", kind: "gravity", fields: map[string]any{}, like: []string{"gravity"}}
	mps2, _ := quantity.ParseUnit("m/s^2")
	a := &amount{number: standardGravity, units: mps2, written: "m/s^2"}
	if n := f.amounts["mps2"]; n != nil {
		a = n.amount()
	} else if n := f.amounts["kg"]; n != nil {
		if n.amount().written != "g" {
			r.ask("acceleration", r.say("%q is no acceleration. How large is it?", "%q ist keine Beschleunigung. Wie groß ist sie?", n.text), "29.4 m/s^2")
			return nil
		}
		a = &amount{number: new(big.Rat).Mul(n.amount().number, standardGravity), units: mps2, written: "m/s^2"}
	} else if f.amounts["number"] != nil || !slices.ContainsFunc(f.heads, func(n *node) bool { return n.is("gravity") }) {
		r.ask("acceleration", r.say("How large is the acceleration, and in which direction?", "Wie groß ist die Beschleunigung, und in welcher Richtung?"), "9.81 m/s^2")
		return nil
	}
	if len(f.dirs) == 0 && slices.ContainsFunc(f.heads, func(n *node) bool { return n.is("gravity") }) {
		f.dirs = []*node{{kind: "dir", val: toward{direction{"z", -1}, "axis"}}}
		r.assume("Gravity acts downwards, along -z.", "Die Schwerkraft wirkt nach unten, in -z.")
	}
	against, ok := r.inertia(f)
	if !ok {
		return nil
	}
	v, _, ok := r.along(f, a, quantity.Acceleration, nil)
	if !ok {
		return nil
	}
	if against {
		v = negated(v)
		r.assume("The part is accelerated: its inertia acts in the opposite direction.", "Das Teil wird beschleunigt: seine Trägheit wirkt in der Gegenrichtung.")
	} else if !slices.ContainsFunc(f.heads, func(n *node) bool { return n.is("gravity") }) {
		r.assume("The acceleration acts as gravity does: the part is pulled in that direction.", "Die Beschleunigung wirkt wie die Schwerkraft: das Teil wird in diese Richtung gezogen.")
	}
	c.fields["acceleration"] = v
	return c
}

func (r *reader) rotation(f *frame) *condition {
	c := &condition{section: "loads", name: "rotation", kind: "rotation", fields: map[string]any{}, like: []string{"rotation"}}
	n := f.amounts["hertz"]
	if n == nil {
		r.ask("rotation", r.say("How fast does the part turn?", "Wie schnell dreht sich das Teil?"), "3000 rpm")
		return nil
	}
	turns := n.amount().si(quantity.Frequency)
	c.fields["rpm"] = quantity.Significant(60 * turns)
	if have := r.present(c, f); have != nil && len(f.dirs) == 0 {
		return c
	}
	if len(f.dirs) != 1 || f.dirs[0].val.(toward).axis == "" {
		r.ask("axis", r.say("About which axis does the part turn?", "Um welche Achse dreht sich das Teil?"), r.say("about z", "um z"))
		return nil
	}
	d, _ := r.direction(f, nil)
	axis := []any{0.0, 0.0, 0.0}
	axis[d.index()] = float64(d.sign)
	c.fields["axis"] = axis
	return c
}

// alongVector is a force along (1, 0, -1).
func (r *reader) alongVector(f *frame, a *amount) ([]any, bool) {
	if len(f.dirs) != 1 {
		return nil, false
	}
	v, ok := f.dirs[0].val.(vector)
	if !ok {
		return nil, false
	}
	var parts [3]float64
	length := 0.0
	for i, p := range v.parts {
		parts[i], _ = p.Float64()
		length += parts[i] * parts[i]
	}
	if length == 0 {
		return nil, false
	}
	var out []any
	for _, p := range parts {
		out = append(out, quantity.Significant(p/math.Sqrt(length)*a.si(quantity.Force)))
	}
	return out, true
}
