package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// turn is a message behind the first of a conversation: an answer to questions about
// the one before, or a change of a request that was whole.
type turn struct {
	start, end int
	answer     bool
}

// turn finds where the messages begin.
func (r *reader) turn(facts Facts) {
	for i := range r.text {
		if r.text[i:i+1] != turnMark {
			continue
		}
		if n := len(r.turns); n > 0 {
			r.turns[n-1].end = i
		}
		k := len(r.turns) + 1
		answer := slices.Contains(facts.Answers, k) || k == len(facts.Earlier) && len(facts.Asked) > 0
		r.turns = append(r.turns, turn{start: i + 1, end: len(r.text), answer: answer})
		r.latest = i + 1
	}
}

// turnAt is the number of the message at a place; 0 for the first.
func (r *reader) turnAt(at int) int {
	n := 0
	for i, t := range r.turns {
		if at >= t.start {
			n = i + 1
		}
	}
	return n
}

// changing says whether a place is in a message that changes a whole request.
func (r *reader) changing(at int) bool {
	k := r.turnAt(at)
	return k > 0 && !r.turns[k-1].answer
}

// overrule makes the conditions in force, message by message, and drops questions that
// a later message has answered.
func (r *reader) overrule() {
	if len(r.turns) == 0 {
		return
	}
	p := r.plan
	by := make([][]Condition, len(r.turns)+1)
	for _, c := range p.Conditions {
		k := r.turnAt(c.at)
		by[k] = append(by[k], c)
	}
	p.Questions = slices.DeleteFunc(p.Questions, r.answered)
	state, whole := by[0], false
	for k, t := range r.turns {
		whole = whole || !t.answer
		p.Conditions = state // for what is asked about
		if !whole {
			state = r.completed(state, by[k+1])
			continue
		}
		if t.answer && slices.ContainsFunc(by[k+1], func(c Condition) bool { return !c.fault }) {
			state = slices.DeleteFunc(state, func(c Condition) bool { return c.fault })
		}
		if len(by[k+1]) > 0 {
			for _, m := range addingWords.FindAllStringIndex(r.text[t.start:t.end], -1) {
				r.use(t.start+m[0], t.start+m[1])
			}
		}
		for _, m := range insteadAlone.FindAllStringSubmatchIndex(r.text[t.start:t.end], -1) {
			r.use(t.start+m[2], t.start+m[3])
		}
		state = r.changed(state, by[k+1], t)
		for _, s := range r.scales {
			if r.turnAt(s.at) == k+1 {
				r.scaled(state, s)
			}
		}
	}
	if last := r.turns[len(r.turns)-1]; !last.answer {
		r.understood(by[len(r.turns)])
	}
	p.Conditions = state
}

// groups of conditions of which one takes the place of another.
func group(k Kind) string {
	switch k {
	case Force, Pressure, Traction, Displacement:
		return "load"
	case HeatFlux, HeatPower:
		return "heat"
	}
	return string(k)
}

var (
	addingWords  = regexp.MustCompile(`\b(?:also|additional(?:ly)?|in addition|adds?|added|adding|another|extra|plus|besides|on top of (?:that|it)|as well|too)\b`)
	insteadWords = regexp.MustCompile(`\b(?:instead|rather|moved?|replaced?|no longer)\b`)
	insteadAlone = regexp.MustCompile(`\b(instead)\b(?:[^ ]|$| [^o]| o[^f])`) // not "instead of"
	nowWords     = regexp.MustCompile(`\b(?:instead|rather|moved?|replaced?|no longer|now|changed?|make|what if)\b`)
)

// change is what a message makes of the conditions in force.
type change struct {
	*reader
	text  string
	state []Condition
	gone  []bool
	keep  [][]Place // of a condition that is in force at some of its places only
}

// changed puts the conditions of a message in the place of those in force that they
// change: of a kind at the same place, or the only one of the kind. What is not clear
// is asked about.
func (r *reader) changed(state, fresh []Condition, t turn) []Condition {
	ch := &change{reader: r, text: r.text[t.start:t.end], state: state, gone: make([]bool, len(state)), keep: make([][]Place, len(state))}
	var added []Condition
	for _, n := range fresh {
		if n.fault {
			added = append(added, n)
			continue
		}
		more := ch.place(n)
		added = append(added, more...)
	}
	var out []Condition
	for i, c := range state {
		if ch.gone[i] {
			continue
		}
		if ch.keep[i] != nil {
			c.Places = ch.keep[i]
		}
		out = append(out, c)
	}
	return append(out, added...)
}

func (ch *change) like(n Condition) (at []int) {
	for i, c := range ch.state {
		if !c.fault && group(c.Kind) == group(n.Kind) {
			at = append(at, i)
		}
	}
	return at
}

func (ch *change) place(n Condition) []Condition {
	switch {
	case n.Kind == Gravity:
		for _, i := range ch.like(n) {
			ch.gone[i] = !addingWords.MatchString(ch.text)
		}
		return []Condition{n}
	case len(n.Places) == 0:
		return ch.unplaced(n)
	}
	over, clear := ch.over(n)
	alike := ch.like(n)
	switch {
	case !clear:
		ch.which(n)
		return nil
	case len(over) > 0:
		for _, i := range over {
			ch.takeOver(&n, i)
		}
		return []Condition{n}
	case len(alike) == 0 || addingWords.MatchString(ch.text):
		return []Condition{n}
	case len(alike) == 1 && (insteadWords.MatchString(ch.text) || nowWords.MatchString(ch.text) && ch.plan.Physics != Heat):
		c := ch.state[alike[0]]
		ch.gone[alike[0]] = true
		ch.moved(&n, c)
		ch.plan.assume("%s on %s takes the place of %s on %s; to have both say \"also\".", upper(n.named()), describe(n.Places), c.named(), describe(c.Places))
		return []Condition{n}
	}
	ch.which(n)
	return nil
}

// unplaced is a condition that is said without a place: a change of the only one like it.
func (ch *change) unplaced(n Condition) []Condition {
	alike := ch.like(n)
	if len(alike) > 1 {
		alike = slices.DeleteFunc(alike, func(i int) bool { return ch.state[i].Kind != n.Kind })
	}
	films := slices.ContainsFunc(ch.state, func(c Condition) bool { return c.Kind == Convection })
	switch {
	case addingWords.MatchString(ch.text), len(alike) == 0:
		return []Condition{n}
	case n.Kind == Convection && n.Value == 0 && ch.oneAmbient(alike):
		for _, i := range alike {
			ch.state[i].Ambient, ch.state[i].hasAmbient = n.Ambient, true
		}
		return nil
	case len(alike) > 1, n.Kind == FixedTemp && films:
		ch.which(n)
		return nil
	}
	c := ch.state[alike[0]]
	n.Places, n.Each = c.Places, n.Each || c.Each
	ch.takeOver(&n, alike[0])
	return []Condition{n}
}

// oneAmbient says whether convections have one temperature of their surroundings.
func (ch *change) oneAmbient(films []int) bool {
	for _, i := range films {
		if a, b := ch.state[i], ch.state[films[0]]; a.hasAmbient != b.hasAmbient || a.Ambient != b.Ambient {
			return false
		}
	}
	return true
}

// over are the conditions in force at the places of a new one that cannot be there
// with it; clear is false where the new one covers a part of what acts as a whole.
func (ch *change) over(n Condition) (at []int, clear bool) {
	for i, c := range ch.state {
		if c.fault || !overlap(c.Places, n.Places) {
			continue
		}
		same := group(c.Kind) == group(n.Kind)
		switch {
		case same && addingWords.MatchString(ch.text) && group(n.Kind) == "load":
			continue
		case !same && ch.plan.Physics == Elasticity:
			continue // a load on a support is asked about
		case !same && n.Kind != FixedTemp && c.Kind != FixedTemp && n.Kind != Insulated && ch.plan.Physics == Heat:
			return nil, false // convection and heat can be on one face
		}
		if left := without(c.Places, n.Places); len(left) > 0 && !c.apart() {
			return nil, false
		}
		at = append(at, i)
	}
	return at, true
}

// apart says whether a condition holds for each of its places by itself.
func (c Condition) apart() bool {
	switch c.Kind {
	case FixedTemp, HeatFlux, Convection, Pressure, Traction, Wall, Outlet:
		return true
	}
	return c.Each
}

func without(places, some []Place) (left []Place) {
	for _, p := range places {
		if !overlap([]Place{p}, some) {
			left = append(left, p)
		}
	}
	return left
}

// takeOver puts n in the place of a condition in force, whose values hold where n says
// none.
func (ch *change) takeOver(n *Condition, i int) {
	c := ch.state[i]
	places := c.Places
	if ch.keep[i] != nil {
		places = ch.keep[i]
	}
	if left := without(places, n.Places); len(left) > 0 {
		ch.keep[i] = left
	} else {
		ch.gone[i] = true
	}
	if c.Kind != n.Kind {
		if had := norm3(c.Vector); c.Kind == Traction && n.Kind == Pressure && n.axis == nil && had > 0 {
			n.Kind, n.Vector, n.Value = Traction, scaled(c.Vector, n.Value/had), 0
			return
		}
		both := ""
		if ch.plan.Physics == Elasticity {
			both = "; to have both say \"also\""
		}
		ch.plan.assume("%s on %s takes the place of %s"+both+".", upper(n.named()), describe(n.Places), c.named())
		ch.pointLoad(n)
		ch.pointInlet(n)
		return
	}
	ch.inheritValues(n, c)
}

func (ch *change) inheritValues(n *Condition, c Condition) {
	switch n.Kind {
	case Convection:
		if n.Value == 0 {
			n.Value = c.Value
		}
		if !n.hasAmbient {
			n.Ambient, n.hasAmbient = c.Ambient, c.hasAmbient
		}
	case HeatPower, HeatFlux:
		if c.Value < 0 && n.Value > 0 && !entering.MatchString(ch.text) {
			n.Value = -n.Value
			n.assume("%s leave the part, as before.", Condition{Kind: n.Kind, Value: -n.Value}.amount())
		}
	case Inlet, Wall:
		ch.flows(n, c)
	case Force, Displacement, Traction:
		ch.inherit(n, c)
	case Pressure:
		if c.Value < 0 && n.Value > 0 && n.axis == nil && !strings.Contains(ch.text, "pressure") {
			n.Value = -n.Value
		}
	}
}

var entering = regexp.MustCompile(`\b(?:in|into|enters?|heats?|heated|heating|suppl(?:y|ied)|gains?)\b`)

// flows gives an inlet or a moving wall what it had and is not said anew.
func (ch *change) flows(n *Condition, c Condition) {
	if n.Profile == "" {
		n.Profile = c.Profile
	}
	if !n.given && c.given {
		n.Value, n.Vector, n.Rate, n.given = c.Value, c.Vector, c.Rate, true
		return
	}
	if size := norm3(c.Vector); size > 0 && n.Vector == nil && n.Value != 0 && n.axis == nil {
		n.Vector, n.Value = scaled(c.Vector, n.Value/size), 0
		return
	}
	ch.pointInlet(n)
}

// moved gives an inlet at another face the speed it had.
func (ch *change) moved(n *Condition, c Condition) {
	if n.Kind != Inlet || n.given {
		return
	}
	n.Value, n.Rate, n.Profile, n.given = c.Value, c.Rate, c.Profile, c.given
	if c.Vector != nil {
		n.Value = norm3(c.Vector)
	}
	ch.pointInlet(n)
}

// which asks what a change is meant of.
func (r *reader) which(n Condition) {
	text := fmt.Sprintf("It is not clear what %s changes", n.named())
	if len(n.Places) > 0 {
		text = fmt.Sprintf("It is not clear whether %s on %s comes in addition or takes the place of something", n.named(), describe(n.Places))
	}
	r.plan.ask(max(n.at, r.latest), "change", text+". Name the place whose condition changes, say \"also\" for one more, or repeat the whole request. So far: "+r.inForce()+".", r.changeExample())
}

// inForce lists the conditions for a person.
func (r *reader) inForce() string {
	var said []string
	for _, c := range r.plan.Conditions {
		if c.at < r.latest && !c.fault && len(c.Places) > 0 {
			said = append(said, c.named()+" on "+describe(c.Places))
		}
	}
	return strings.Join(said, "; ")
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// notes tells what was assumed to read the conditions in force.
func (r *reader) notes() {
	for _, c := range r.plan.Conditions {
		for _, n := range c.notes {
			r.plan.assume("%s", n)
		}
	}
}

// comparing words say that something is otherwise, and not how.
var comparing = regexp.MustCompile(`\b(?:more|less|larger|smaller|bigger|higher|lower|greater|stronger|weaker|thicker|thinner|longer|shorter|hotter|colder|warmer|cooler|faster|slower|stiffer|softer|lighter|heavier|different|only|alone)\b`)

// understood asks about what the latest message says and no condition has taken: the
// answer would be that of the request before.
func (r *reader) understood(fresh []Condition) {
	var left []string
	for _, ch := range r.lost {
		left = append(left, r.cased[ch.start:ch.end])
	}
	for _, it := range r.items {
		if it.start < r.latest || it.used || r.isUsed(it.start, it.end) {
			continue
		}
		if it.class == classDirection && r.plan.Physics == Elasticity || r.plan.Physics == Elasticity && len(fresh) == 0 &&
			(it.class == classSupport || it.class == classLoad && (verbs[it.value] || it.value == "weight")) {
			left = append(left, r.cased[it.start:it.end])
		}
	}
	for _, m := range comparing.FindAllStringIndex(r.text[r.latest:], -1) {
		if from, to := r.latest+m[0], r.latest+m[1]; r.free(from, to) && !r.isUsed(from, to) && !strings.HasSuffix(r.text[:from], "once ") {
			left = append(left, r.cased[from:to])
		}
	}
	if len(left) > 0 {
		r.plan.ask(r.latest, "change", "I do not know what \""+strings.Join(left, "\", \"")+"\" changes. Say the new value with its place, or repeat the whole request. So far: "+r.inForce()+".", r.changeExample())
	}
}

// changeExample is a change as it is understood.
func (r *reader) changeExample() string {
	switch r.plan.Physics {
	case Heat:
		return "now 60 °C at the bottom"
	case Flow:
		return "now 0.5 m/s at the inlet"
	}
	return "now 700 N on the left face"
}

// named is a condition for a person.
func (c Condition) named() string {
	switch c.Kind {
	case Fixed:
		return "the support"
	case Insulated, Outlet:
		return map[Kind]string{Insulated: "the insulation", Outlet: "the outlet"}[c.Kind]
	case Convection, Inlet:
		return map[Kind]string{Convection: "the convection of ", Inlet: "the inlet of "}[c.Kind] + c.amount()
	}
	return c.amount()
}
