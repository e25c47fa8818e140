package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// direction is how a load was said to point.
type direction struct {
	axis   int     // 0 x, 1 y, 2 z; -1 for none
	sign   float64 // 0 where none was said: "in x"
	toward Toward
	state  string // unclear, axial
	text   string
}

func directionOf(it *item, text string) direction {
	d := direction{axis: -1, text: text[it.start:it.end]}
	switch it.value {
	case "down":
		d.axis, d.sign = 2, -1
	case "up":
		d.axis, d.sign = 2, 1
	case "vertical":
		d.axis, d.sign, d.state = 2, -1, "vertical"
	case "in":
		d.toward = Inward
	case "out":
		d.toward = Outward
	case "unclear", "axial":
		d.state = it.value
	case severalAxes:
		d.state = "unclear"
	default:
		d.axis = strings.IndexByte("xyz", it.value[len(it.value)-1])
		switch it.value[0] {
		case '+':
			d.sign = 1
		case '-':
			d.sign = -1
		}
	}
	return d
}

func (d direction) vector(size float64) []float64 {
	v := []float64{0, 0, 0}
	sign := d.sign
	if sign == 0 {
		sign = 1
	}
	v[d.axis] = sign * size
	return v
}

// elasticity reads supports and loads, segment by segment.
func (r *reader) elasticity() {
	a := &assembler{reader: r, trigger: r.elasticTriggers}
	a.run()
	r.plan.Conditions = a.conditions
	for i := range r.plan.Conditions {
		r.pointLoad(&r.plan.Conditions[i])
	}
	r.plan.Conditions = mirrors(r.plan.Conditions)
	for _, it := range r.items {
		if it.class == classUnsure && !it.used {
			r.unsure(it)
		}
	}
}

func (r *reader) unsure(it item) {
	word := r.text[it.start:it.end]
	switch it.value {
	case "analysis":
		r.plan.ask(it.start, "analysis", fmt.Sprintf("%q is not what the planner can compute: it does linear statics, heat conduction, laminar flow and circuits.", word), "the static stress under 500 N downwards on the top")
	case "place":
		r.plan.ask(it.start, "place", fmt.Sprintf("%q is no face: conditions can act on faces only.", word), "on the top face, or on face 3")
	case "support":
		r.plan.ask(it.start, "support", fmt.Sprintf("%q cannot be put on a face as it stands: say which faces are fixed, or in which direction they are held.", word), "fixed at the left end, the right end held in z")
	case "moment":
		if it.value == "moment" && r.momentAsked(it) {
			r.plan.ask(it.start, "load", "A moment or torque cannot be applied to a face: give forces instead.", "500 N downwards on the top")
		}
	}
}

// momentAsked says whether "moment" is a load and no wish to see something.
func (r *reader) momentAsked(it item) bool {
	for _, other := range r.items {
		if other.class == classQuantity && other.is(quantity.Energy) {
			return true
		}
	}
	return false
}

var (
	pointing        = regexp.MustCompile(`(?:direction|along|pointing|towards?|vector|axis)(?: of| is|:)?\s*$`)
	displacing      = regexp.MustCompile(`^ (?:displacement|movement|shift)`)
	several         = regexp.MustCompile(`(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:people|persons|men|workers|bags|masses|weights)(?: of| with| weighing| at)?(?: about)?\s*$`)
	wrongLoadBefore = regexp.MustCompile(`(?:force|load|weight|thrust|pressure|push|pull|press|apply|applied|traction)(?:s|es|ed|ing)?(?: of| is| with| by|=|:)*\s*$`)
	counted         = regexp.MustCompile(`^ ?(?:holes?|bolts?|screws?|faces?|supports?|loads?|parts?|bod(?:y|ies)|elements?|pictures?|views?|images?|times?|steps?|nodes?|iterations?|sides?|ends?|points?|legs?|d\b|st\b|nd\b|rd\b|th\b|%|forces?|people|persons?|men|workers|bags|mass(?:es)?|weights|decimals?|digits?|materials?)`)
)

// elasticTriggers finds what asks for a condition in a segment.
func (r *reader) elasticTriggers(s *segment) []*Condition {
	var out []*Condition
	for _, it := range s.items {
		if it.used {
			continue
		}
		switch it.class {
		case classSupport:
			if before, _ := r.around(it, 20, 0); !r.weighs(s, it) && !negated.MatchString(before) {
				out = r.support(s, it, out)
			}
		case classGravity:
			it.used = true
			out = append(out, &Condition{Kind: Gravity, Vector: []float64{0, 0, -standardGravity}, given: true, at: it.start})
		case classQuantity, classVector:
			if c := r.load(s, it); c != nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// standardGravity is the CODATA value, m/s^2.
const standardGravity = 9.80665

// weighs says that what hangs is a mass, which is a load: "5 kg hang from the tip".
func (r *reader) weighs(s *segment, it *item) bool {
	word := r.text[it.start:it.end]
	if !strings.HasPrefix(word, "hang") && !strings.HasPrefix(word, "suspended") {
		return false
	}
	for _, other := range s.items {
		if other.class == classQuantity && other.is(quantity.Mass) {
			it.class, it.value = classLoad, "weight"
			return true
		}
	}
	return false
}

func (r *reader) support(s *segment, it *item, have []*Condition) []*Condition {
	if n := len(have); n > 0 && have[n-1].Kind == Fixed && !r.placeBetween(s, have[n-1].at, it.start) {
		return have // "held fixed" is one support
	}
	c := &Condition{Kind: Fixed, at: it.start, given: it.value != "symmetry"}
	if it.value == "symmetry" {
		c.Components = []string{alongNormal} // settled once the place is known
	}
	_, after := r.around(it, 0, 50)
	if m := heldIn.FindStringSubmatch(after); m != nil {
		if axes := axesOf(m[1]); len(axes) < 3 {
			c.Components = append(remove(c.Components, alongNormal), axes...)
		}
		for _, d := range s.all(classDirection) {
			d.used = d.used || d.start > it.start && d.start < it.end+len(m[0])
		}
		return append(have, c)
	}
	if s.has(classQuantity) {
		return append(have, c)
	}
	if axes := r.heldAxes(s); len(axes) > 0 {
		c.Components = unlessAll(axes)
	}
	return append(have, c)
}

// severalAxes is the value of a direction that names more than one axis.
const severalAxes = "several"

// heldAxes are the axes that the directions of a segment name.
func (r *reader) heldAxes(s *segment) []string {
	named := ""
	for _, it := range s.all(classDirection) {
		word := r.text[it.start:it.end]
		if it.value == severalAxes || directionOf(it, r.text).axis >= 0 && axisWord.MatchString(word) {
			named += strings.Join(axisWord.FindAllString(word, -1), "")
			it.used = true
		}
	}
	return axesOf(named)
}

// unlessAll are the components of a support that holds along axes: none are named where
// it holds along all.
func unlessAll(axes []string) []string {
	if len(axes) == 3 {
		return nil
	}
	return axes
}

var (
	axisWord = regexp.MustCompile(`\b[xyz]\b`)
	negated  = regexp.MustCompile(`\b(?:not|n't|never|no longer|isn't|aren't) (?:be |being )?$`)
)

// heldIn is the list of directions in which a support holds.
var heldIn = regexp.MustCompile(`^ in (?:the )?([xyz](?:(?:, ?| and | & |, and |[- ]direction,? (?:and )?|/)?[xyz]){1,2})\b`)

func axesOf(list string) []string {
	var out []string
	for _, r := range strings.ReplaceAll(list, "direction", "") {
		if axis := string(r); strings.ContainsRune("xyz", r) && !slices.Contains(out, axis) {
			out = append(out, axis)
		}
	}
	return out
}

func remove(list []string, v string) []string {
	var out []string
	for _, s := range list {
		if s != v {
			out = append(out, s)
		}
	}
	return out
}

func (r *reader) placeBetween(s *segment, from, to int) bool {
	for _, it := range s.items {
		if it.class == classPlace && it.start > from && it.start < to {
			return true
		}
	}
	return false
}

// load makes a condition of a number, or nil when it is none.
func (r *reader) load(s *segment, it *item) *Condition {
	before, after := r.around(it, 40, 25)
	loading := s.has(classLoad) || wrongLoadBefore.MatchString(before)
	standing := s.has(classPlace) && !s.has(classSupport)
	c := &Condition{at: it.start, given: true}
	switch {
	case it.err != nil:
		r.plan.ask(it.start, "number", sentenceOf(it.err), "1.5 kN")
		c.fault, c.Kind = true, Force
		it.used = true
		return c
	case it.bare() && it.class == classVector && pointing.MatchString(before) && r.force != nil:
		r.pointAlong(it)
		return nil
	case it.bare() && strings.HasPrefix(strings.TrimLeft(after, " "), "deg"):
		it.used = true
		r.plan.ask(it.start, "direction", "A direction by an angle is not understood: give the force as a vector.", "(0, 300, -400) N")
		return nil
	case it.bare():
		if counted.MatchString(after) || !loading && !standing || it.numbers == nil {
			return nil
		}
		r.plan.ask(it.start, "unit", fmt.Sprintf("The load of %s has no unit.", r.cased[it.start:it.end]), r.cased[it.start:it.end]+" N")
		c.fault, c.Kind = true, Force
		it.used = true
		return c
	case it.is(quantity.Force):
		return r.sized(c, it, Force, quantity.Force)
	case it.is(quantity.Pressure):
		return r.sized(c, it, Pressure, quantity.Pressure)
	case it.is(quantity.Length) && (s.has(classLoad, "displacement") || displacing.MatchString(after) || r.pushedBy(s, it, c)):
		for _, word := range s.all(classShow, "displacement") {
			word.used = true
		}
		return r.sized(c, it, Displacement, quantity.Length)
	case it.is(quantity.Acceleration):
		return r.sized(c, it, Gravity, quantity.Acceleration)
	case it.is(quantity.Mass) && (s.has(classLoad, "weight") || r.stands(s, it)):
		return r.weight(c, it)
	case loading || standing || it.is(quantity.Mass) || it.is(quantity.LineLoad) || it.is(quantity.Energy):
		return r.wrongLoad(c, it)
	}
	return nil
}

func (r *reader) wrongLoad(c *Condition, it *item) *Condition {
	written := r.cased[it.start:it.end]
	text, example := fmt.Sprintf("%q is no load: a load is a force or a pressure.", written), "500 N"
	switch {
	case it.is(quantity.Mass):
		v, _ := it.si(quantity.Mass)
		example = quantity.Force.Format(v * standardGravity)
		text = fmt.Sprintf("%q is a mass, not a force. If its weight is meant, that is %s.", written, example)
	case it.is(quantity.LineLoad):
		text, example = fmt.Sprintf("%q is a force per length, which cannot be put on a face: give the total force or a pressure.", written), "2 kN"
	case it.is(quantity.Energy):
		text = fmt.Sprintf("%q is a moment, which cannot be put on a face: give forces.", written)
	}
	r.plan.ask(it.start, "load", text, example)
	it.used, c.fault, c.Kind = true, true, Force
	return c
}

func (r *reader) sized(c *Condition, it *item, kind Kind, k quantity.Kind) *Condition {
	c.Kind, it.used = kind, true
	if kind == Force {
		r.force = c
	}
	if it.class == classVector {
		c.Vector, _ = it.vector(k)
		if len(c.Vector) == 2 {
			c.Vector = append(c.Vector, 0)
		}
		if kind == Pressure {
			c.Kind = Traction
		}
		for _, v := range c.Vector {
			if err := k.Check(v); err != nil {
				r.plan.ask(it.start, "load", sentenceOf(err), k.Example)
				c.fault = true
			}
		}
		return c
	}
	c.Value, _ = it.si(k)
	if err := k.Check(c.Value); err != nil {
		r.plan.ask(it.start, "load", sentenceOf(err), k.Example)
		c.fault = true
	}
	if kind == Gravity {
		c.assume("The acceleration of %s acts on the part as its weight would, in the direction said.", k.Format(c.Value))
		c.Vector, c.Value = []float64{0, 0, -c.Value}, 0
	}
	return c
}

// pointAlong gives the latest force the direction of a vector without a unit.
func (r *reader) pointAlong(it *item) {
	it.used = true
	v := []float64{0, 0, 0}
	for i, n := range it.numbers {
		v[i], _ = n.Float64()
	}
	size := norm(v)
	if size == 0 || r.force.Vector != nil {
		r.plan.ask(it.start, "direction", "The direction of the force is not clear.", "500 N along +x")
		return
	}
	r.force.Vector = scaled(v, r.force.Value/size)
	r.force.Value = 0
}

func (r *reader) weight(c *Condition, it *item) *Condition {
	v, _ := it.si(quantity.Mass)
	before, _ := r.around(it, 40, 0)
	if m := several.FindStringSubmatch(before); m != nil {
		n, known := numberWords[m[1]]
		if !known {
			n = m[1]
		}
		if count, err := strconv.ParseFloat(n, 64); err == nil && count > 0 {
			c.assume("%s times %s are added up.", m[1], quantity.Mass.Format(v))
			v *= count
		}
	}
	c.Kind, c.Vector, it.used = Force, []float64{0, 0, -v * standardGravity}, true
	c.assume("The mass of %s pushes down by its weight, %s; it adds no stiffness.", quantity.Mass.Format(v), quantity.Force.Format(v*standardGravity))
	if err := quantity.Force.Check(v * standardGravity); err != nil {
		r.plan.ask(it.start, "load", sentenceOf(err), "500 N")
	}
	return c
}

// sentenceOf is the sentence of an error for a person.
func sentenceOf(err error) string {
	e := contract.AsError(err)
	text := strings.ToUpper(e.Message[:1]) + e.Message[1:] + "."
	if e.Hint != "" {
		text += " " + e.Hint
	}
	return text
}
