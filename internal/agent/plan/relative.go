package plan

import (
	"regexp"
	"slices"
	"strconv"

	"atelier/internal/quantity"
)

// relative is a change of a size by a factor: half the force, 30 % more.
type relative struct {
	at     int
	factor float64
	of     string // the noun; "" for none
	said   string
}

const scaledNoun = `(forces?|loads?|loading|thrust|weight|pressure|power|heat flux|flux|flow(?: rate)?|speed|velocity)`

var (
	scaleBefore = regexp.MustCompile(`\b(half|halve[sd]?|double[sd]?|doubling|twice|triple[sd]?|(\d+(?:\.\d+)?|two|three|four|five|ten) ?(?:times|fold|x))(?: as (?:much|large|big|high))?(?: of)?(?: (?:the|this|that|its|as|all|both))*(?: ` + scaledNoun + `)?\b`)
	scaleBehind = regexp.MustCompile(`\b(?:the )?` + scaledNoun + `(?: (?:is|are|be|was|were|gets|now))* (halved|doubled|tripled)\b`)
	scaleShare  = regexp.MustCompile(`(\d+(?:\.\d+)?) ?(?:%|percent|per cent) (more|less|higher|lower|larger|smaller|bigger|greater|stronger|weaker)(?: (?:of )?(?:the )?` + scaledNoun + `)?\b`)
	scaleTurned = regexp.MustCompile(`\b` + scaledNoun + ` (?:is |by )?(\d+(?:\.\d+)?) ?(?:%|percent|per cent) (more|less|higher|lower|larger|smaller|bigger|greater|stronger|weaker)\b`)
)

// endsThere is what follows a factor that says nothing of what it is of.
var endsThere = regexp.MustCompile(`^(?: (?:it|that|as much|please|now|then|again))*[\s]*(?:$|[,.;:?!\x1e])`)

var factors = map[string]float64{"ha": 0.5, "do": 2, "tw": 2, "tr": 3}

// relatives reads the changes of sizes by a factor in messages that change a request.
func (r *reader) relatives() {
	if r.plan.Physics == Circuit {
		return
	}
	add := func(m []int, factor float64, noun int) {
		if !r.changing(m[0]) || r.isUsed(m[0], m[1]) {
			return
		}
		if m[2*noun] < 0 && !endsThere.MatchString(r.text[m[1]:]) {
			return // half the thickness
		}
		s := relative{at: m[0], factor: factor, said: r.cased[m[0]:m[1]]}
		if m[2*noun] >= 0 {
			s.of = r.text[m[2*noun]:m[2*noun+1]]
		}
		r.scales = append(r.scales, s)
		r.use(m[0], m[1])
		for i := range r.items {
			if it := &r.items[i]; it.start >= m[0] && it.end <= m[1] {
				it.used = true
			}
		}
	}
	share := func(m []int, number, way, noun int) {
		v, err := strconv.ParseFloat(r.text[m[2*number]:m[2*number+1]], 64)
		if err != nil {
			return
		}
		if slices.Contains([]string{"less", "lower", "smaller", "weaker"}, r.text[m[2*way]:m[2*way+1]]) {
			v = -v
		}
		add(m, 1+v/100, noun)
	}
	for _, m := range scaleTurned.FindAllStringSubmatchIndex(r.text, -1) {
		share(m, 2, 3, 1)
	}
	for _, m := range scaleShare.FindAllStringSubmatchIndex(r.text, -1) {
		share(m, 1, 2, 3)
	}
	for _, m := range scaleBehind.FindAllStringSubmatchIndex(r.text, -1) {
		add(m, factors[r.text[m[4]:m[4]+2]], 1)
	}
	for _, m := range scaleBefore.FindAllStringSubmatchIndex(r.text, -1) {
		factor, known := factors[r.text[m[2]:m[2]+2]], true
		if m[4] >= 0 {
			word := r.text[m[4]:m[5]]
			if n, spelled := numberWords[word]; spelled {
				word = n
			}
			var err error
			factor, err = strconv.ParseFloat(word, 64)
			known = err == nil
		}
		if known {
			add(m, factor, 3)
		}
	}
}

// kindsOf are the kinds of conditions that a noun can mean.
func (r *reader) kindsOf(noun string) []Kind {
	switch {
	case noun == "" && r.plan.Physics == Elasticity, noun == "load", noun == "loads", noun == "loading":
		return []Kind{Force, Pressure, Traction, Displacement, Gravity}
	case noun == "force", noun == "forces", noun == "thrust", noun == "weight":
		return []Kind{Force}
	case noun == "pressure":
		return []Kind{Pressure}
	case noun == "power":
		return []Kind{HeatPower}
	case noun == "flux", noun == "heat flux":
		return []Kind{HeatFlux}
	case noun == "":
		return nil
	}
	return []Kind{Inlet}
}

// everyOne says that a factor is of all that its noun can mean.
var everyOne = regexp.MustCompile(`(?i)\b(?:all|both)\b`)

// namesFactor says whether a message names a factor.
func namesFactor(text string) bool {
	text = asciiLower(text)
	return slices.ContainsFunc([]*regexp.Regexp{scaleBefore, scaleBehind, scaleShare, scaleTurned}, func(e *regexp.Regexp) bool { return e.MatchString(text) })
}

// scaled changes the only condition that is meant by a factor; else it asks.
func (r *reader) scaled(state []Condition, s relative) {
	var of []int
	for i, c := range state {
		if slices.Contains(r.kindsOf(s.of), c.Kind) && !c.fault {
			of = append(of, i)
		}
	}
	if len(of) != 1 && (len(of) == 0 || !everyOne.MatchString(s.said)) || s.factor <= 0 {
		r.plan.ask(max(s.at, r.latest), "change", "It is not clear what \""+s.said+"\" is of: say the new value and where it acts. So far: "+r.inForce()+".", r.changeExample())
		return
	}
	for _, i := range of {
		c := &state[i]
		c.Value, c.Rate = quantity.Significant(c.Value*s.factor), quantity.Significant(c.Rate*s.factor)
		if c.Vector != nil {
			c.Vector = scaled(c.Vector, s.factor)
		}
		c.notes = nil
		c.undirected()
		c.assume("%s: it is %s now.", upper(s.said), c.amount())
	}
}
