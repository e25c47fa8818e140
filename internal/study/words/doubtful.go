package words

import (
	"regexp"
	"slices"
	"strings"
)

// Places and directions that a sentence names together and that nothing joins: an edge, a
// corner, a second component of a force. They are asked about, never taken as a list.

// doubtful asks about places that stand side by side, and about two directions of one force.
func (r *reader) doubtful() {
	for i, n := range r.list {
		switch {
		case n.kind == "place":
			if j := r.besides(i); j > 0 {
				r.askCorner(n, r.list[j])
			}
		case slices.Contains([]string{"oldplace", "freeplace", "moved", "scale", "meshwish"}, n.kind):
			if i+1 < len(r.list) && r.list[i+1].kind == "place" && endsInSide(n) && strings.Trim(r.text[n.end:r.list[i+1].start], " -") == "" {
				r.askCorner(n, r.list[i+1]) // instead of the lower left
			}
		case n.kind == "dir":
			if m := r.secondDirection(i); m != nil {
				r.askComponents(n, m)
			}
		}
	}
}

// besides is the place that stands beside the one at i with no "and" or comma between; 0 for
// none. Two opposite sides are no edge: left/right.
func (r *reader) besides(i int) int {
	j := i + 1
	for j < len(r.list) && (r.list[j].is("at") || r.list[j].is("of")) && r.list[j].kind != "place" {
		j++
	}
	if j >= len(r.list) || r.list[j].kind != "place" {
		return 0
	}
	a, b := r.list[i].val.(*place), r.list[j].val.(*place)
	between := strings.TrimSpace(r.text[r.list[i].end:r.list[j].start])
	if slices.Contains([]string{"/", "&", "+", "//"}, between) || a.side != "" && a.side == opposite[b.side] && a.what == "side" && b.what == "side" {
		return 0
	}
	return j
}

// endsInSide says whether the last word of a phrase names a side.
func endsInSide(n *node) bool {
	leaves := n.leaves()
	return leaves[len(leaves)-1].is("side")
}

func (r *reader) askCorner(a, b *node) {
	a.use()
	b.use()
	said := a.text + " " + b.text
	p, side := a.val.(*place)
	q := b.val.(*place)
	switch {
	case side && p.what == "other" && len(a.leaves()) == 1:
		r.ask("load", r.say("%q: is the same load to act there the other way round? Give its size and direction.", "%q: soll dort die gleiche Last entgegengesetzt wirken? Gib Größe und Richtung an.", said), r.say("500 N up on the back", "500 N nach oben an der Rückseite"))
		return
	case side && p.what == "side" && q.what == "side":
		r.ask("place", r.say("Which face is %q: the whole %s, the whole %s, or both? An edge or a corner where they meet is no place.", "Welche Fläche ist %q: ganz %s, ganz %s, oder beide? Eine Kante oder Ecke dazwischen ist kein Ort.", said, r.side(p.side), r.side(q.side)),
			r.say("fixed at the left, or at the left and the bottom", "links eingespannt, oder links und unten"))
		return
	}
	r.ask("place", r.say("Which place is %q: one of the two, or both?", "Welcher Ort ist %q: einer von beiden, oder beide?", said), r.say("on the holes at the bottom, or on the bottom and the holes", "an den unteren Bohrungen, oder unten und an den Bohrungen"))
}

// secondDirection is what gives the direction at i a second component: down and to the left,
// down and in +x. Nil where it begins something else: down, and left fixed.
func (r *reader) secondDirection(i int) *node {
	first, ok := r.list[i].val.(toward)
	j, joined := i+1, false
	for j < len(r.list) && (r.list[j].is("and") || r.list[j].is("at") && r.list[j].kind != "place" && r.list[j].kind != "dir" || r.list[j].kind == "comma") {
		joined = joined || r.list[j].is("and")
		j++
	}
	if j >= len(r.list) || !ok {
		return nil
	}
	n := r.list[j]
	comma := r.list[j-1].kind == "comma" || !joined && j > i+1 && r.list[i+1].kind == "comma"
	switch m := n.val.(type) {
	case toward:
		if n.kind != "dir" || comma || first.axis == m.axis || first.sign == 0 && m.sign == 0 || first.how != "axis" || m.how != "axis" || r.headAhead(j+1) {
			return nil
		}
		return n
	case *place:
		to := towardPattern.MatchString(r.text[:n.start])
		one := m.what == "side" && len(n.leaves()) == 1
		if n.kind != "place" || !one || !joined || comma || first.how != "axis" && first.how != "vertical" {
			return nil
		}
		if to || !r.headAhead(j+1) && !r.list[j-1].is("at") {
			return n
		}
	}
	return nil
}

var towardPattern = regexp.MustCompile(`(?i)\b(?:to|towards?|nach)(?: the)?\s+$`)

// headAhead says whether a load, a support or an amount stands before the next break.
func (r *reader) headAhead(i int) bool {
	s := &scanner{list: r.list}
	return i < len(r.list) && s.startsFrame(i)
}

func (r *reader) askComponents(a, b *node) {
	a.use()
	b.use()
	r.ask("direction", r.say("%q and %q: how large is each component of the force, or which of both directions holds?", "%q und %q: wie groß ist jede Komponente der Kraft, oder welche Richtung gilt?", a.text, b.text), "(-300, 0, -400) N")
}

// heldBefore gives a support the axes that stand before its word: at the bottom only in z
// held. Behind a comma they are of something else.
func (s *scanner) heldBefore(f *frame, n *node) {
	if f.kind != "fix" && f.kind != "slide" || len(s.dirs) == 0 {
		return
	}
	last := slices.Index(s.list, n)
	for _, d := range s.dirs {
		t, ok := d.val.(toward)
		first := slices.Index(s.list, d)
		if !ok || t.how != "axis" || first < 0 || f.kind == "fix" && !axisSaid(d) {
			return
		}
		if slices.ContainsFunc(s.list[first:last], func(m *node) bool { return m.kind == "comma" || m.kind == "stop" || m.kind == "amount" }) {
			return
		}
	}
	f.dirs, s.dirs = s.dirs, nil
}

func axisSaid(d *node) bool {
	return slices.ContainsFunc(d.leaves(), func(n *node) bool { return n.kind == "axis" })
}

// foreign are directions that belong to something else than a frame which begins now: they
// stand in another part of the sentence, with a word that takes no direction.
func (s *scanner) foreign(d *node) bool {
	at := slices.Index(s.list, d)
	if at < 0 {
		return false
	}
	first, last := at, at
	stops := func(n *node) bool { return n.kind == "comma" || n.kind == "stop" || n.is("and") }
	for first > 0 && !stops(s.list[first-1]) {
		first--
	}
	for last+1 < len(s.list) && !stops(s.list[last+1]) {
		last++
	}
	if s.now <= last {
		return false
	}
	return slices.ContainsFunc(s.list[first:last+1], func(n *node) bool {
		kind, ok := headKind(n)
		return ok && !directed(kind) || ok && kind == "fix"
	})
}

// ownDirections gives a frame the waiting directions that are no other's.
func (s *scanner) ownDirections(f *frame) {
	var kept []*node
	for _, d := range s.dirs {
		if s.foreign(d) {
			kept = append(kept, d)
		} else {
			f.dirs = append(f.dirs, d)
		}
	}
	s.dirs = kept
}

// guided asks what a guide holds: whether the axis is that of its motion, or the one that it
// blocks, the words do not tell.
func (r *reader) guided(f *frame) bool {
	if len(f.dirs) == 0 {
		return false
	}
	f.use()
	said := f.heads[0].text + " " + f.dirs[0].text
	r.ask("support", r.say("%q: in which of x, y and z is the face held?", "%q: in welchen von x, y und z ist die Fläche gehalten?", said), r.say("the bottom is held in x and y", "unten in x und y gehalten"))
	return true
}

// eachWords say that an amount may be that of one place, not of all together.
var eachPattern = regexp.MustCompile(`(?i)\b(?:every|each|apiece|any|per|jede[rmns]?|jeweils|je|pro)\b`)

// each asks whether a load on several places is that of one or of all, where the sentence
// says each or every. True when it asked.
func (r *reader) each(f *frame, places []any) bool {
	several := len(places) > 1
	for _, p := range places {
		m, _ := p.(map[string]any)
		several = several || m["holes"] != nil || m["hole"] != nil
	}
	if !several || len(f.amounts) == 0 && len(f.heads) == 0 {
		return false
	}
	said := eachPattern.FindString(r.clause(f))
	if said == "" {
		return false
	}
	f.use()
	r.ask("load", r.say("%q: is the load that of each place, or of all together? The study has the total.", "%q: gilt die Last für jede Stelle, oder für alle zusammen? Die Studie hat die Summe.", said), r.say("2000 N in total on the holes", "insgesamt 2000 N auf die Bohrungen"))
	return true
}

// clause is the text between the breaks around what a frame is made of.
func (r *reader) clause(f *frame) string {
	first, last := len(r.text), 0
	take := func(n *node) {
		if n != nil && n.end > n.start {
			first, last = min(first, n.start), max(last, n.end)
		}
	}
	for _, list := range [][]*node{f.heads, f.places, f.dirs} {
		for _, n := range list {
			take(n)
		}
	}
	for _, n := range f.amounts {
		take(n)
	}
	if last == 0 {
		return ""
	}
	begin, end := 0, len(r.text)
	for _, n := range r.list {
		stops := n.kind == "comma" || n.kind == "stop" || n.is("and") || n.is("but")
		switch {
		case stops && n.end <= first:
			begin = max(begin, n.end)
		case stops && n.start >= last:
			end = min(end, n.start)
		}
	}
	return r.text[begin:end]
}

// moving are the verbs that change the place of a load.
var moving = regexp.MustCompile(`(?i)\b(?:move[ds]?|shift(?:ed)?|relocate[ds]?|verschieben?|verschoben|verlegen?|verlegt|versetzen?|versetzt)\b`)

// movedToward asks whether a load that is moved in a direction is to act elsewhere, or to
// turn.
func (r *reader) movedToward(f *frame) bool {
	verb := moving.FindString(r.text)
	if verb == "" || !r.marks.change {
		return false
	}
	f.use()
	r.ask("load", r.say("%q: is the load to act on another face, or to point in that direction?", "%q: soll die Last auf eine andere Fläche, oder in diese Richtung zeigen?", verb), r.say("the load on the left face instead, or: now to the left", "die Last stattdessen auf die linke Seite, oder: jetzt nach links"))
	return true
}

// meant are the members at a place; "the hole" is the only one of which a load says more.
func meant(list []member, places []any) []member {
	exact := slices.DeleteFunc(slices.Clone(list), func(m member) bool { return !samePlace(m.value["on"], on(places)) })
	if len(exact) > 0 || len(places) != 1 {
		return exact
	}
	bare, ok := places[0].(map[string]any)
	if h, is := bare["hole"].(map[string]any); !ok || !is || len(h) > 0 {
		return exact
	}
	found := slices.DeleteFunc(slices.Clone(list), func(m member) bool {
		p, _ := m.value["on"].(map[string]any)
		return p["hole"] == nil
	})
	if len(found) != 1 {
		return nil
	}
	return found
}
