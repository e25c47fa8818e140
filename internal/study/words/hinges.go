package words

import (
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// Hinges, edges of plates, and what stands on a part.

func (r *reader) pinned(f *frame) *condition {
	if c := r.simply(f); c != nil {
		return c
	}
	if len(f.places) == 1 && f.places[0].val.(*place).what == "ends" && len(f.dirs) == 0 {
		r.hinges = f // when the load is known
		return nil
	}
	return r.unhinged()
}

// unhinged asks what a hinge holds that the study cannot have.
func (r *reader) unhinged() *condition {
	r.ask("support", r.say("A hinge or roller is not known here. In which directions is the face held: all, or some of x, y and z?", "Gelenke und Loslager sind hier nicht bekannt. In welchen Richtungen ist die Fläche gehalten: in allen oder nur in x, y oder z?"),
		r.say("the left is fixed in y and z", "links in y und z festgehalten"))
	return nil
}

// simply is a simple support of the narrow faces of a plate, or of the ends of a part that
// nothing pushes along its axis.
func (r *reader) simply(f *frame) *condition {
	if !r.onEdges(f) || len(f.dirs) > 0 {
		return nil
	}
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	r.assume("Simply supported edges are held across the plate, and free to turn.", "Frei aufliegende Ränder sind quer zur Platte gehalten und frei drehbar.")
	return &condition{section: "supports", name: "support", kind: "simply_supported", places: places, fields: map[string]any{}, like: supportTypes}
}

// standing is what stands on the part, or pulls at its only free end.
func (r *reader) standing() {
	var free *node
	for _, n := range r.all("freeplace") {
		if free != nil {
			return
		}
		free = n.kids[0]
		for _, k := range n.kids {
			if k.kind == "place" {
				free = k
			}
		}
	}
	if n := r.has("ground"); n != nil && r.frame("fix") != nil {
		n.use()
	}
	var load *frame
	for _, f := range r.scan.frames {
		if f.kind == "force" && len(f.places) == 0 && len(f.amounts) > 0 {
			if load != nil {
				return
			}
			load = f
		}
	}
	if load == nil || !r.fresh {
		return
	}
	stands := slices.ContainsFunc(load.heads, func(h *node) bool { return h.is("stand") })
	switch {
	case free != nil && free.kind == "place":
		load.places = []*node{free}
		r.assume("The load acts where nothing holds the part: %s.", "Die Last greift dort an, wo nichts das Teil hält: %s.", free.text)
	case stands:
		load.places = []*node{{kind: "place", text: "top", val: &place{what: "side", side: "top"}}}
		r.assume("What stands on the part stands on its top.", "Was auf dem Teil steht, steht auf seiner Oberseite.")
	}
}

// onEdges says whether a frame is at the narrow faces of a plate and nowhere else.
func (r *reader) onEdges(f *frame) bool {
	return len(f.places) > 0 && !slices.ContainsFunc(f.places, func(n *node) bool {
		p := n.val.(*place)
		return p.what != "feature" || !strings.HasSuffix(p.name, "edges")
	})
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
