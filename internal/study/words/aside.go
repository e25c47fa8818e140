package words

import (
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// setAside takes out a sentence that ends by saying that it does not matter: the left
// picture shows the old part, never mind that one. One with a number is not taken out.
func (r *reader) setAside() {
	begin := 0
	for i := 0; i < len(r.list); i++ {
		if r.list[i].kind == "stop" {
			begin = i + 1
			continue
		}
		if !r.list[i].is("setaside") {
			continue
		}
		end := i + 1
		for end < len(r.list) && r.list[end].kind != "stop" {
			if !r.list[end].is("pron") && !r.list[end].is("n.1") {
				break
			}
			end++
		}
		numbers := slices.ContainsFunc(r.list[begin:end], func(n *node) bool { return n.kind == "amount" || n.kind == "vector" })
		if end < len(r.list) && r.list[end].kind != "stop" || numbers {
			continue
		}
		first, last := r.list[begin], r.list[end-1]
		for _, n := range r.list[begin:end] {
			n.use()
		}
		for _, n := range r.leaves {
			if n.start >= first.start && n.end <= last.end {
				n.use()
			}
		}
		r.assume("Set aside, as you say: %q.", "Beiseite gelassen, wie gesagt: %q.", strings.TrimSpace(r.text[first.start:last.end]))
		r.list = append(slices.Clone(r.list[:begin]), r.list[end:]...)
		i = begin - 1
	}
}

// series are sizes of one load, of which each is looked at: go through 10, 20 and 30 kN. The
// first stands for all in the sentence.
func (r *reader) series() {
	if r.has("series") == nil {
		return
	}
	for i := 0; i < len(r.list); i++ {
		var found []*node
		j := i
		for ; j < len(r.list); j++ {
			n := r.list[j]
			if n.kind == "amount" && n.amount().doubt == "" && n.amount().slip == "" {
				found = append(found, n)
			} else if len(found) == 0 || n.kind != "comma" && !n.is("and") {
				break
			}
		}
		if len(found) < 2 {
			continue
		}
		last := found[len(found)-1].amount()
		if !last.is(quantity.Force) {
			continue
		}
		same := true
		for _, n := range found[:len(found)-1] {
			same = same && (len(n.amount().units) == 0 || n.amount().is(quantity.Force))
		}
		if !same {
			continue
		}
		for _, n := range found {
			if a := n.amount(); len(a.units) == 0 {
				a.units, a.written = last.units, last.written
			}
		}
		r.sizes = found
		stop := slices.Index(r.list, found[len(found)-1]) + 1
		one := phrase("amount", r.list[i:stop], found[0].val)
		one.plural = false
		r.list = append(append(slices.Clone(r.list[:i]), one), r.list[stop:]...)
		for _, n := range r.all("series") {
			n.use()
		}
		return
	}
}

// eachSize makes a requirement of each size of a buckling load: the factor of the first says
// which of them buckle.
func (r *reader) eachSize() {
	if len(r.sizes) == 0 {
		return
	}
	if !r.analysed("buckling") {
		r.ask("load", r.say("A study has one size of a load. Which one is to be computed first? The others are changes of it.", "Eine Studie hat eine Größe der Last. Welche soll zuerst berechnet werden? Die anderen sind Änderungen davon."), r.sizes[0].text)
		return
	}
	first := r.sizes[0].amount().si(quantity.Force)
	for _, n := range r.sizes {
		size := n.amount().si(quantity.Force)
		r.set("requirements", r.unique("requirements", nameOf("holds "+quantity.Force.Format(size))), map[string]any{"quantity": "buckling load factor", "at_least": quantity.Significant(size / first)})
	}
	r.assume("The load of the study is %s; the others are held against its load factor, since buckling is linear in the load.", "Die Last der Studie ist %s; die anderen werden an ihrem Lastfaktor gemessen, denn lineares Knicken ist der Last proportional.", quantity.Force.Format(first))
}

// euler sets the supports and the load of Euler's cases of a column: 1 built in and free, 2
// hinged at both ends, 3 built in and hinged.
func (r *reader) euler() {
	n := r.has("euler")
	if n == nil {
		return
	}
	n.use()
	var load *frame
	for _, f := range r.scan.frames {
		if f.kind == "force" && f.amounts["newton"] != nil {
			if load != nil {
				load = nil
				break
			}
			load = f
		}
	}
	number := n.val.(int)
	switch {
	case number < 1 || number > 4:
		r.refuse(r.say("Euler has four cases of columns, 1 to 4.", "Euler hat vier Fälle von Stäben, 1 bis 4."))
		return
	case number == 4:
		r.ask("support", r.say("An end that slides but does not turn is not known here, as case 4 has it. Which other supports has the column?", "Ein Ende, das gleitet und sich nicht dreht, ist hier nicht bekannt, wie Fall 4 es hat. Welche andere Lagerung hat der Stab?"), r.say("Euler case 2", "Euler-Fall 2"))
		return
	case load == nil:
		r.ask("force", r.say("How large is the force along the column?", "Wie groß ist die Kraft längs des Stabs?"), r.say("compressive force of 15 kN", "Druckkraft 15 kN"))
		return
	case len(load.places) > 0 || r.frame("fix") != nil || r.frame("pinned") != nil:
		r.ask("support", r.say("Case %d says the supports and where the load acts. What of the sentence holds?", "Fall %d sagt die Lagerung und den Ort der Last. Was aus dem Satz gilt?", number), r.say("Euler case 2, compressive force of 15 kN", "Euler-Fall 2, Druckkraft 15 kN"))
		return
	}
	if !r.onlyOne(load) {
		return
	}
	load.use()
	load.kind = "euler"
	push := load.amounts["newton"].amount().value(quantity.Force)
	r.set("loads", "force", map[string]any{"type": "load", "on": "end_max", "push": push})
	switch number {
	case 1:
		r.set("supports", "foot", map[string]any{"type": "fixed", "on": "end_min"})
		r.assume("Case 1: built in at one end of the longest axis, free and pressed at the other.", "Fall 1: an einem Ende der längsten Achse eingespannt, am anderen frei und gedrückt.")
	case 2:
		r.set("supports", "ends", map[string]any{"type": "simply_supported", "on": []any{"end_min", "end_max"}})
		r.set("supports", "soft spring", map[string]any{"type": "elastic", "on": "end_min", "stiffness": "1 MN/m^3"})
		r.set("loads", "counterforce", map[string]any{"type": "load", "on": "end_min", "push": push})
		r.assume("Case 2: hinged at both ends of the longest axis. The support along it is the counterforce, with a soft spring of 1 MN/m³ that keeps the part in place.", "Fall 2: an beiden Enden der längsten Achse gelenkig. Die Stützung in Achsrichtung ist die Gegenkraft, mit einer weichen Bettung von 1 MN/m³, die das Teil am Ort hält.")
	case 3:
		r.set("supports", "foot", map[string]any{"type": "fixed", "on": "end_min"})
		r.set("supports", "head", map[string]any{"type": "simply_supported", "on": "end_max"})
		r.assume("Case 3: built in at one end of the longest axis, hinged and pressed at the other.", "Fall 3: an einem Ende der längsten Achse eingespannt, am anderen gelenkig und gedrückt.")
	}
}

// hingedEnds are hinges at both ends of a part that one force presses along its axis: the
// support along it is the counterforce. Where the axis is not known they are asked about.
func (r *reader) hingedEnds() {
	f := r.hinges
	if f == nil || len(r.out.Questions) > 0 || r.out.Refusal != "" {
		return
	}
	loads := r.members("loads")
	var side string
	var push any
	if len(loads) == 1 && loads[0].kind() == "load" {
		side, _ = loads[0].value["on"].(string)
		force, _ := loads[0].value["force"].([]any)
		normal, is := outward[side]
		for i, x := range force {
			if along := is && i == normal.index(); numberOf(x) != 0 && !along {
				push = nil
				break
			} else if along {
				push = times(x, float64(-normal.sign))
			}
		}
	}
	if push == nil || numberOf(push) == 0 || !r.analysed("buckling") {
		r.unhinged()
		return
	}
	for _, m := range r.members("supports", supportTypes...) {
		r.remove("supports", m.name)
	}
	other := opposite[side]
	r.set("supports", "ends", map[string]any{"type": "simply_supported", "on": []any{other, side}})
	r.set("supports", "soft spring", map[string]any{"type": "elastic", "on": other, "stiffness": "1 MN/m^3"})
	r.set("loads", "counterforce", map[string]any{"type": "load", "on": other, "push": push})
	r.assume("Hinges hold the %s and the %s across the part. Along it the counterforce of the load does, with a soft spring of 1 MN/m³ that keeps the part in place.", "Gelenke halten %s und %s quer zum Teil. In Achsrichtung hält die Gegenkraft der Last, mit einer weichen Bettung von 1 MN/m³, die das Teil am Ort hält.", r.side(other), r.side(side))
}
