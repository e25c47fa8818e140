package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// pointLoad settles the direction of a load once its places are known: what was
// said, else along the normal of a flat face, else a question.
func (r *reader) pointLoad(c *Condition) {
	r.opposite(c)
	switch c.Kind {
	case Fixed:
		r.symmetry(c)
	case Gravity:
		if c.axis != nil && c.axis.axis >= 0 {
			c.Vector = c.axis.vector(math.Abs(c.Vector[2]))
		}
	case Pressure:
		r.pointPressure(c)
	case Force, Displacement, Traction:
		if c.Vector == nil && !c.fault {
			r.pointForce(c)
			if c.Kind == Displacement && c.Vector != nil {
				r.alone(c)
			}
		}
	}
}

// opposite asks for what "the opposite side" is the opposite of, where nothing
// was named.
func (r *reader) opposite(c *Condition) {
	for _, p := range c.Places {
		if p.Kind == "opposite" {
			r.plan.ask(c.at, "place", fmt.Sprintf("%q: opposite of what?", p.Text), "the right face")
		}
	}
}

// others resolves "the other end" and "the opposite side" by the end or side
// that was named before, or for a free end also behind.
func (r *reader) others() {
	for i := range r.items {
		it := &r.items[i]
		if it.class != classPlace || it.value != "end_other" && it.value != "side_other" {
			continue
		}
		order := []*item{}
		for j := i - 1; j >= 0; j-- {
			order = append(order, &r.items[j])
		}
		if strings.Contains(it.place.Text, "free") || strings.Contains(it.place.Text, "tip") {
			for j := i + 1; j < len(r.items); j++ {
				order = append(order, &r.items[j])
			}
		}
		for _, o := range order {
			if o.class == classPlace && (o.place.Kind == "plane" || o.place.Kind == "end") && o.value != "end_other" || o.class == classPlace && o.value == "end_other" && o.place.Kind == "end" && strings.Contains(it.place.Text, "other") {
				it.place.Kind, it.place.Name = o.place.Kind, mirrored(o.place.Name)
				break
			}
		}
	}
}

func mirrored(name string) string {
	if stem, found := strings.CutSuffix(name, "_min"); found {
		return stem + "_max"
	}
	return strings.TrimSuffix(name, "_max") + "_min"
}

// symmetry asks where the planes of a symmetry are not known.
func (r *reader) symmetry(c *Condition) {
	if !slices.Contains(c.Components, alongNormal) {
		return
	}
	for _, p := range c.Places {
		if p.Kind != "plane" && p.Kind != "coordinate" {
			c.Components = nil
			r.plan.ask(c.at, "support", "Symmetry needs a plane: say which.", "symmetry at x_min")
			return
		}
	}
}

// alongNormal stands for the component of a support that is its plane's normal.
const alongNormal = "normal"

// mirrors gives every plane of a symmetry its own normal to be held: planes of
// several axes are supports of their own.
func mirrors(conditions []Condition) []Condition {
	var out []Condition
	for _, c := range conditions {
		if !slices.Contains(c.Components, alongNormal) {
			out = append(out, c)
			continue
		}
		if len(c.Places) == 0 {
			c.Components = nil
			out = append(out, c)
			continue
		}
		for _, axis := range []string{"x", "y", "z"} {
			one := c
			one.Components, one.Places = []string{axis}, nil
			for _, p := range c.Places {
				if p.Name[:1] == axis {
					one.Places = append(one.Places, p)
				}
			}
			if one.Places != nil {
				out = append(out, one)
			}
		}
	}
	return out
}

// pointPressure: a pressure along the normal is one, any other is a traction.
func (r *reader) pointPressure(c *Condition) {
	if c.Toward == Outward && c.Value > 0 {
		c.Value = -c.Value
	}
	c.Toward = ""
	if c.axis == nil || c.axis.axis < 0 {
		if c.axis != nil && c.axis.state == "unclear" {
			r.askDirection(c)
		}
		return
	}
	v := c.axis.vector(1)
	for _, p := range c.Places {
		n, flat := shape.Normals[p.Name]
		switch {
		case flat && shape.Along(v, n) < 0 && len(c.Places) == 1: // into the part
			return
		case flat && shape.Along(v, n) > 0 && len(c.Places) == 1:
			c.Value = -math.Abs(c.Value)
			return
		}
	}
	c.Kind, c.Vector, c.Value = Traction, c.axis.vector(c.Value), 0
	c.assume("%s in a direction of its own is taken as a traction, force per area.", quantity.Pressure.Format(norm(c.Vector)))
}

func norm(v []float64) float64 { return math.Sqrt(shape.Along(v, v)) }

func (r *reader) pointForce(c *Condition) {
	size := c.Value
	switch {
	case c.axis != nil && c.axis.axis >= 0:
		if c.axis.sign == 0 {
			c.assume("%q is taken as the positive direction.", c.axis.text)
		}
		if c.axis.state == "vertical" {
			c.assume("%q is taken as downwards, -z.", c.axis.text)
		}
		c.Vector, c.Value, c.Toward = c.axis.vector(size), 0, ""
	case c.axis != nil && c.axis.state == "unclear":
		r.askDirection(c)
	case size < 0 && c.Toward == "":
		r.askDirection(c) // minus what?
	case len(c.Places) == 0:
		return // asked for elsewhere
	case c.Toward == "" && (c.Kind == Traction || r.directionless(c)):
		r.askDirection(c)
	case c.Toward != "" && hollow(c.Places):
		r.askDirection(c)
	default:
		r.normalForce(c, size)
	}
}

// directionless places have no normal that a load would follow by itself: holes,
// ends, everything.
func (r *reader) directionless(c *Condition) bool {
	for _, p := range c.Places {
		flat := p.Kind == "plane" || p.Kind == "face" || p.Kind == "attribute"
		if !flat || p.Kind == "plane" && strings.HasSuffix(p.Text, "end") || p.Kind == "face" && strings.Contains(p.Name, "hole") {
			return true
		}
	}
	return false
}

func hollow(places []Place) bool {
	for _, p := range places {
		if p.Kind == "hole" || p.Kind == "holes" || p.Kind == "rest" || p.Kind == "all" {
			return true
		}
	}
	return false
}

func (r *reader) askDirection(c *Condition) {
	r.plan.ask(c.at, "direction", fmt.Sprintf("In which direction does the load of %s act?", quantity.Force.Format(c.Value)),
		"downwards, along +x, or pulling")
}

// normalForce takes the direction of a force from its face.
func (r *reader) normalForce(c *Condition, size float64) {
	if c.Toward == "" {
		c.Toward, c.unsaid = Inward, true
		c.undirected()
	}
	sign := -1.0
	if c.Toward == Outward {
		sign = 1
	}
	if n, flat := shape.Normals[c.Places[0].Name]; flat && len(c.Places) == 1 {
		c.Vector, c.Value, c.Toward = []float64{}, 0, ""
		for _, x := range n {
			v := sign * size * x
			if v == 0 {
				v = 0 // no negative zero in the plan
			}
			c.Vector = append(c.Vector, v)
		}
	}
}

// undirected tells that the direction of a force is assumed, where it is.
func (c *Condition) undirected() {
	if c.unsaid {
		c.assume("No direction was said for %s on %s: it pushes straight into the part.", c.amount(), describe(c.Places))
	}
}

// describe names places for a person.
func describe(places []Place) string {
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = p.Phrase()
	}
	return shape.List(names)
}
