package words

import (
	"slices"

	"atelier/internal/quantity"
)

// candidates are the members of the study that a condition can take the place of.
func (r *reader) candidates(c *condition) []member {
	kinds := c.like
	if slices.Contains(kinds, "displaced") {
		kinds = []string{"fixed"}
	}
	var out []member
	for _, m := range r.members(c.section, kinds...) {
		_, was := section(r.before, c.section)[m.name]
		if displaced := m.value["value"] != nil && m.kind() == "fixed"; was && displaced == slices.Contains(c.like, "displaced") {
			out = append(out, m)
		}
	}
	return out
}

// present is the member of the study that a frame changes: the one at its old or new place,
// or the only one; nil for none.
func (r *reader) present(c *condition, f *frame) *member {
	if f.also {
		return nil
	}
	list := r.candidates(c)
	if len(f.old) > 0 {
		n := f.old[0]
		p := *n.val.(*place)
		for _, m := range list {
			if r.resolve(&p, n) && samePlace(m.value["on"], p.json()) {
				return &m
			}
		}
		return nil
	}
	if len(c.places) > 0 {
		for _, m := range list {
			if samePlace(m.value["on"], on(c.places)) {
				return &m
			}
		}
		if !r.replaces() && !r.partial(f) {
			return nil
		}
	}
	if len(list) == 1 {
		return &list[0]
	}
	return nil
}

// partial says whether a frame leaves something essential to the load that is there.
func (r *reader) partial(f *frame) bool {
	return len(f.places) == 0 && !kindOf(f.kind).whole || len(kindOf(f.kind).amounts) > 0 && len(f.amounts) == 0
}

// put makes a condition part of the study: a new member, or in the place of one that is
// there. Where both are possible it asks.
func (r *reader) put(c *condition, f *frame) {
	list := r.candidates(c)
	have := r.present(c, f)
	if len(f.old) > 0 && have == nil {
		r.ask("place", r.say("The study has nothing at %s that could be moved.", "An %s hat die Studie nichts, was sich verlegen ließe.", f.old[0].text), r.placesExample())
		return
	}
	if r.onLoad(c) {
		return
	}
	switch {
	case have != nil:
		r.merge(c, *have)
		r.supersede(c, f, *have)
	case !f.also && r.twice(c):
		r.ask("load", r.say("Two loads of one direction act on the same face: do they add, or does one of them hold?", "Zwei Lasten gleicher Richtung wirken auf dieselbe Fläche: gelten beide, oder welche?"), r.say("800 N down on the right", "800 N nach unten rechts"))
	case f.also || len(list) == 0:
		if len(c.places) == 0 && !kindOf(f.kind).whole {
			r.ask("place", r.say("On which face does the %s act?", "An welcher Fläche: %s?", r.noun(f.kind)), r.placesExample())
			return
		}
		r.create(c)
	case len(c.places) == 0 && !kindOf(f.kind).whole:
		r.ask("which", r.say("The study has %d of those; which one is meant, by its place?", "Davon hat die Studie %d; was ist gemeint, nach dem Ort?", len(list)), r.placesExample())
	case c.section == "supports" && r.replaces():
		r.merge(c, list[0])
		r.supersede(c, f, list[0])
	default:
		r.ask("which", r.say("Is the %s beside what is there, or instead of it?", "Kommt das zum Vorhandenen hinzu oder an seine Stelle: %s?", r.noun(f.kind)), r.say("also, or instead", "zusätzlich, oder stattdessen"))
	}
}

// supersede removes the other supports where the sentence says what holds instead.
func (r *reader) supersede(c *condition, f *frame, kept member) {
	if c.section != "supports" || !r.replaces() || len(f.old) > 0 || len(c.places) == 0 || !slices.Contains(supportTypes, c.kind) {
		return
	}
	for _, m := range r.candidates(c) {
		if m.name != kept.name {
			r.remove(m.section, m.name)
		}
	}
}

// merge puts what the sentence says over a member, and leaves the rest.
func (r *reader) merge(c *condition, m member) {
	value := map[string]any{}
	for k, v := range m.value {
		value[k] = v
	}
	if len(c.places) > 0 {
		value["on"] = on(c.places)
	}
	if value["type"] != c.kind {
		delete(value, "components")
	}
	value["type"] = c.kind
	for k, v := range c.fields {
		value[k] = v
	}
	r.set(m.section, m.name, value)
}

func (r *reader) create(c *condition) {
	value := map[string]any{"type": c.kind}
	if len(c.places) > 0 {
		value["on"] = on(c.places)
	}
	for k, v := range c.fields {
		value[k] = v
	}
	if r.contradicts(c) {
		return
	}
	r.set(c.section, r.unique(c.section, c.name), value)
}

// contradicts refuses what cannot be at the same time: a load on a face that is held, two
// temperatures on one face.
func (r *reader) contradicts(c *condition) bool {
	if len(c.places) == 0 {
		return false
	}
	held := c.fields["value"] != nil && c.kind == "fixed"
	switch {
	case held, slices.Contains([]string{"load", "pressure", "moment", "bearing"}, c.kind):
		for _, m := range r.members("supports", "fixed") {
			if m.value["components"] == nil && m.value["value"] == nil && overlap(m.value["on"], on(c.places)) {
				r.refuse(r.say("The same face is held and loaded: the load would go straight into the support and change nothing. Load another face.", "Dieselbe Fläche ist eingespannt und belastet: die Last ginge unmittelbar in die Einspannung und bewirkte nichts. Belaste eine andere Fläche."))
				return true
			}
		}
	case c.kind == "fixed_temp", c.kind == "convection":
		for _, m := range r.members("supports", "fixed_temp", "convection") {
			if samePlace(m.value["on"], on(c.places)) && (m.kind() == "fixed_temp" || c.kind == "fixed_temp") {
				r.refuse(r.say("Two temperatures are given for the same face. Which one holds there?", "Für dieselbe Fläche sind zwei Temperaturen angegeben. Welche gilt dort?"))
				return true
			}
		}
	}
	return false
}

// bare is a place, direction or amount without a noun: "on the front instead".
func (r *reader) bare(f *frame) {
	f.use()
	if len(f.places) == 0 && len(f.dirs) == 1 && r.turn(f) {
		return
	}
	for _, n := range f.places {
		if n.is("taken") {
			return
		}
	}
	where := f.dirs
	if len(f.places) > 0 {
		where = f.places
	}
	if len(f.places) == 1 && r.replaces() && len(r.members("loads")) == 1 && len(r.members("supports")) == 0 {
		c := &condition{section: "loads", kind: r.members("loads")[0].kind(), fields: map[string]any{}}
		var ok bool
		if c.places, ok = r.on(f); ok {
			r.merge(c, r.members("loads")[0])
		}
		return
	}
	r.ask("place", r.say("What is to be at %q: a support or a load?", "Was soll an %q sein: eine Einspannung oder eine Last?", where[0].text), r.say("fixed at the left", "links eingespannt"))
}

// turn gives the only force another direction: "now upwards".
func (r *reader) turn(f *frame) bool {
	c := &condition{section: "loads", kind: "load", like: []string{"load", "bearing"}, fields: map[string]any{}}
	list := r.candidates(c)
	if len(list) != 1 {
		return false
	}
	c.kind = list[0].kind()
	if c = r.turned(c, f, &list[0]); c == nil {
		return false
	}
	r.merge(c, list[0])
	return true
}

// scales multiply loads, or the size of the mesh.
func (r *reader) scales() {
	fields := map[string][]string{"force": {"load", "bearing"}, "pressure": {"pressure"}, "moment": {"moment"}, "gravity": {"gravity"}, "acceleration": {"gravity"}, "rotation": {"rotation"},
		"flux": {"heat_flux"}, "speed": {"inlet"}, "convection": {"convection"}, "displace": {"fixed"}}
	r.scaleAll()
	for _, n := range r.all("scale") {
		n.use()
		s := n.val.(scaling)
		if s.target == "mesh" {
			mesh := section(r.doc, "mesh")
			if mesh["size"] == nil {
				r.ask("mesh", r.say("The mesh has no size that could be multiplied. Which size are its elements to have?", "Das Netz hat keine Größe, die sich ändern ließe. Wie groß sollen die Elemente sein?"), r.say("2 mm mesh", "2 mm Netz"))
				continue
			}
			mesh["size"] = times(mesh["size"], s.factor)
			continue
		}
		list := r.members("loads", fields[s.target]...)
		if s.target == "" || s.target == "force" && len(list) == 0 {
			list = r.members("loads")
		}
		if s.target == "speed" || s.target == "convection" {
			list = r.members("supports", fields[s.target]...)
		}
		if s.place != nil {
			list = r.placed(list, s.place)
		}
		switch {
		case len(list) == 0:
			r.ask("load", r.say("There is no such load yet that could be multiplied. How large is it?", "Es gibt noch keine solche Last, die sich vervielfachen ließe. Wie groß ist sie?"), "500 N")
			continue
		case len(list) > 1 && s.target != "" && !n.plural:
			r.assume("All %d loads are multiplied by %s.", "Alle %d Lasten werden mit %s multipliziert.", len(list), quantity.Number(s.factor))
		}
		for _, m := range list {
			for _, field := range []string{"force", "value", "moment", "acceleration", "rpm", "speed", "velocity", "flow_rate", "power", "pressure", "h"} {
				if v, ok := m.value[field]; ok {
					m.value[field] = times(v, s.factor)
				}
			}
		}
	}
}

// onLoad asks where a load is to act when its face is to be held.
func (r *reader) onLoad(c *condition) bool {
	if r.fresh || c.kind != "fixed" || c.fields["components"] != nil || len(c.places) == 0 {
		return false
	}
	for _, m := range r.members("loads", "load", "pressure", "moment", "bearing") {
		if _, was := section(r.before, "loads")[m.name]; was && samePlace(m.value["on"], on(c.places)) {
			r.ask("load", r.say("The load acts on the face that is to be held. Where is it to act now?", "Die Last greift an der Fläche an, die gehalten werden soll. Wo soll sie nun angreifen?"), r.placesExample())
			return true
		}
	}
	return false
}

// scaleAll is "double it": a factor alone multiplies all loads.
func (r *reader) scaleAll() {
	var factor *node
	for _, n := range r.list {
		switch {
		case n.is("half"), n.is("twice"), n.is("triple"), n.is("third"), n.is("quarter"), n.is("tenfold"):
			if factor != nil {
				return
			}
			factor = n
		case n.is("pron"), n.used, slices.ContainsFunc(free, n.is):
		default:
			return
		}
	}
	if factor == nil || len(r.members("loads")) == 0 {
		return
	}
	for _, n := range r.list {
		n.use()
	}
	for name, f := range factors {
		if factor.is(name) {
			factor.kind, factor.val = "scale", scaling{factor: f}
			r.assume("All loads are multiplied.", "Alle Lasten werden multipliziert.")
			return
		}
	}
}

// twice says whether the sentence has a load of the same kind, place and direction already.
func (r *reader) twice(c *condition) bool {
	axes := func(v any) (out []bool) {
		list, _ := v.([]any)
		for _, x := range list {
			out = append(out, numberOf(x) != 0)
		}
		return out
	}
	if c.section != "loads" || len(c.places) == 0 {
		return false
	}
	for _, m := range r.members("loads", c.kind) {
		if _, was := section(r.before, "loads")[m.name]; !was && samePlace(m.value["on"], on(c.places)) && slices.Equal(axes(m.value["force"]), axes(c.fields["force"])) {
			return true
		}
	}
	return false
}

// placed are the members at a place.
func (r *reader) placed(list []member, n *node) []member {
	p := *n.val.(*place)
	if !r.resolve(&p, n) {
		return nil
	}
	return meant(list, []any{p.json()})
}
