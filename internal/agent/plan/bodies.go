package plan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"atelier/internal/shape"
)

const (
	bodyWhich = `(?:upper|lower|left|right|inner|outer|front|rear|back|top|bottom|middle|first|second|third|other)(?:most)?`
	bodyNoun  = `(?:body|block|part|layer|piece|plate|sheet|component|half|one)`
)

var (
	// ofBodyBefore and ofBodyBehind say of which body a value is: "conductivity of the
	// lower 0.7 W/mK", "E = 70 GPa for the upper body".
	ofBodyBefore = regexp.MustCompile(`\b(?:of|for|in) (?:the )?` + bodyWhich + `(?: ` + bodyNoun + `)?(?: is| has| of| at|=|:|\s)*$|\b` + bodyWhich + ` ` + bodyNoun + `(?: is| has| of| with|=|:|\s)*$`)
	ofBodyBehind = regexp.MustCompile(`^ (?:for|of|in) (?:the )?` + bodyWhich + `(?: ` + bodyNoun + `)?\b`)
)

// given is a value of a property as it was said.
type given struct {
	it    *item
	value float64
	body  bool // of one body
}

// saysOf remembers a value of a property, by its row of the table.
func (r *reader) saysOf(row int, it *item, v float64) {
	if r.said == nil {
		r.said = map[int][]given{}
	}
	before, after := r.around(it, 40, 40)
	body := propertyTable[row].material && (ofBodyBefore.MatchString(before) || ofBodyBehind.MatchString(after))
	r.said[row] = append(r.said[row], given{it, v, body})
}

// propertyNames are those that are no words of their topic.
var propertyNames = map[string]string{"youngs_modulus": "Young's modulus", "poisson_ratio": "Poisson's ratio", "specific_heat": "specific heat", "source": "heat source"}

// severalValues asks where a property has two values, or one of a single body: a run
// takes one, and which of them is meant only the user knows. A later message overrules
// an earlier one.
func (r *reader) severalValues() {
	for row, p := range propertyTable {
		all := r.said[row]
		if len(all) == 0 {
			continue
		}
		last := all[len(all)-1].it
		all = slices.DeleteFunc(slices.Clone(all), func(g given) bool { return r.turnAt(g.it.start) != r.turnAt(last.start) })
		name := cmp.Or(propertyNames[p.topic], p.topic)
		if p.topic == "time" && p.before != nil {
			name = "time step"
		}
		var written []string
		for _, g := range all {
			written = append(written, fmt.Sprintf("%q", r.cased[g.it.start:g.it.end]))
		}
		example := name + " " + r.cased[last.start:last.end]
		switch {
		case slices.ContainsFunc(all, func(g given) bool { return g.value != all[0].value }):
			whatever := ""
			if p.material {
				whatever = ", whatever its bodies are made of"
			}
			r.plan.ask(last.start, p.topic, fmt.Sprintf("The %s is given as %s; a run takes one value for the whole part%s. Which one holds?", name, shape.List(written), whatever), example)
		case all[0].body:
			r.plan.ask(last.start, p.topic, fmt.Sprintf("The %s %s is said of one body; a run takes one value for the whole part. Does it hold for all bodies?", name, written[0]), example)
		}
	}
}
