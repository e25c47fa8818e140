package plan

import (
	"regexp"
	"slices"
	"strings"

	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// moving are verbs that a length makes an enforced displacement of, with the
// direction that some of them say.
var moving = regexp.MustCompile(`\b(?:(lift(?:s|ed|ing)?|rais(?:es?|ed|ing))|(lower(?:s|ed|ing))|push(?:es|ed|ing)?|press(?:es|ed|ing)?|pull(?:s|ed|ing)?|tug(?:s|ged|ging)?|` +
	`compress(?:es|ed|ing)?|squeez(?:es?|ed|ing)|stretch(?:es|ed|ing)?|bent|shift(?:s|ing)?|slid(?:es?|ing)?|driven|dragg?(?:s|ed|ing)?|mov(?:es?|ing)|displac(?:es?|ing))\b`)

// pushedBy says whether a length moves its place, "the end is pushed 0.2 mm upwards",
// and gives c the direction that the verb says. Beside a force or pressure the verb is
// of that.
func (r *reader) pushedBy(s *segment, it *item, c *Condition) bool {
	if slices.ContainsFunc(s.items, func(o *item) bool {
		return (o.class == classQuantity || o.class == classVector) && (o.is(quantity.Force) || o.is(quantity.Pressure))
	}) {
		return false
	}
	before, _ := r.around(it, 60, 0)
	if i := strings.LastIndexByte(before, ','); i >= 0 {
		before = before[i+1:]
	}
	at := it.start - len(before)
	found := moving.FindAllStringSubmatchIndex(before, -1)
	if found == nil {
		return false
	}
	m := found[len(found)-1]
	r.use(at+m[0], at+m[1])
	switch {
	case m[2] >= 0:
		c.axis = &direction{axis: 2, sign: 1, text: before[m[2]:m[3]]}
	case m[4] >= 0:
		c.axis = &direction{axis: 2, sign: -1, text: before[m[4]:m[5]]}
	}
	return true
}

// heldOnly tells of a displacement along some of the axes, with its amount, its place and
// these axes.
const heldOnly = "The displacement of %s holds %s in %s only; in the other directions the face is free."

// alone holds a face that is moved along one direction in that alone: the others are
// free, since nothing was said of them.
func (r *reader) alone(c *Condition) {
	if c.axis != nil && c.axis.axis >= 0 {
		c.Components = []string{string("xyz"[c.axis.axis])}
	} else {
		c.Components = moved(c.Vector)
	}
	if len(c.Components) < 3 && len(c.Components) > 0 {
		c.assume(heldOnly, c.amount(), "its face", shape.List(c.Components))
	}
}

// moved are the axes along which a vector leads.
func moved(v []float64) (axes []string) {
	for i, x := range v {
		if x != 0 {
			axes = append(axes, string("xyz"[i]))
		}
	}
	return axes
}

const thisPart = `(?:part|body|component|model|piece|structure|itself|plate|beam|bracket|block|bar|it)`

var (
	// onPart is how something is on a part that it is no part of.
	onPart   = regexp.MustCompile(`\b(?:stand(?:s|ing)?|rest(?:s|ing)?|sit(?:s|ting)?|l(?:ies|ying|ie)|lay(?:s|ing)?|hang(?:s|ing)?|placed|put|set)\b(?: down)?(?: (?:on|from|upon|at))?`)
	ofPart   = regexp.MustCompile(`\b` + thisPart + ` (?:of|with|weighing|has|is) (?:about )?$`)
	partIs   = regexp.MustCompile(`^[ -]*(?:\w+ ){0,2}?` + thisPart + `\b`)
	thingOf  = regexp.MustCompile(`\b\w+ (?:of|weighing) (?:about )?$`)
	bearing  = regexp.MustCompile(`\b(?:stands?|rests?|sits?|lies|hangs?) (?:an? |the |one )?(?:\w+ ){0,2}(?:of |weighing )?(?:about )?$`)
	onlyNext = regexp.MustCompile(`^[^,.;]*`)
)

// stands says whether the mass is of something that stands, rests or hangs on the
// part: "a 12 kg motor stands on top". The verb then holds nothing. What stands on
// the bottom is the part itself.
func (r *reader) stands(s *segment, it *item) bool {
	if r.before(it.start, bearing) != nil { // "on top stands a motor of 12 kg"
		return true
	}
	behind := onlyNext.FindString(r.text[it.end:])
	m := onPart.FindStringIndex(behind)
	before, _ := r.around(it, 40, 0)
	if m == nil || partIs.MatchString(behind[:m[0]]) || ofPart.MatchString(before) ||
		slices.ContainsFunc(s.items, func(o *item) bool { return o.class == classPlace && o.place.Name == "z_min" }) {
		return false
	}
	r.before(it.start, thingOf)
	r.use(it.end, it.end+m[1])
	for _, o := range s.all(classSupport) {
		o.used = o.used || o.start >= it.end+m[0] && o.start < it.end+m[1]
	}
	return true
}
