package plan

import "atelier/internal/shape"

import "strings"

// assembler gives the triggers of conditions their places and directions.
type assembler struct {
	*reader
	trigger    func(*segment) []*Condition
	conditions []Condition

	open    []*Condition // triggers without a place, in order
	pending []chain      // places without a trigger
	made    []*Condition // all, in order
	last    *Condition   // of the latest segment
	verb    string       // push or pull of a place that waits for its force

	turn     int        // the message that is read
	said     *direction // of a place that waits for its force
	sentence int
}

func (a *assembler) run() {
	for i, s := range a.segments {
		if k := a.turnAt(s.items[0].start); k != a.turn {
			a.turn = k
			a.afresh()
		}
		if s.strong {
			a.drop()
			a.pending, a.said, a.verb, a.sentence = nil, nil, "", a.sentence+1
		}
		triggers := a.trigger(s)
		chains := a.chains(s)
		if len(triggers) == 0 {
			a.loose(s, chains, a.next(i))
		} else {
			a.give(s, triggers, chains)
		}
	}
	a.drop()
	a.share()
	for _, c := range a.made {
		a.conditions = append(a.conditions, *c)
	}
}

// share gives a load without a place that of the load beside it in the sentence:
// "500 N downwards and 200 N in +y on the right face".
func (a *assembler) share() {
	for i, c := range a.made {
		if len(c.Places) > 0 || !loadKinds[c.Kind] || c.fault {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(a.made) {
				continue
			}
			o := a.made[j]
			if loadKinds[o.Kind] && o.sentence == c.sentence && len(o.Places) > 0 && !o.fault {
				c.Places = append([]Place{}, o.Places...)
				c.assume("%s acts where %s does.", c.amount(), o.amount())
				break
			}
		}
	}
}

var loadKinds = map[Kind]bool{Force: true, Pressure: true, Traction: true}

func (a *assembler) next(i int) *segment {
	if i+1 < len(a.segments) && !a.segments[i+1].strong {
		return a.segments[i+1]
	}
	return nil
}

// loose handles a segment without a trigger: places of the one before or the
// next, or a direction said afterwards ("120 N on the front face, pulling").
func (a *assembler) loose(s *segment, chains []chain, next *segment) {
	if a.last != nil && !s.strong || a.last != nil && len(a.open) > 0 {
		a.point(s, a.last)
	}
	if len(chains) == 0 || s.has(classShow) { // "how hot does the top get" is no condition
		return
	}
	if c := a.waiting(); c != nil && !s.has(classLoad, "push", "pull") {
		a.put(c, chains[0])
		return
	}
	switch {
	case a.last != nil && a.last.Kind == Fixed && !s.strong && a.heldOtherwise(s, chains[0]):
	case a.last != nil && s.and && !s.strong && !a.subject(next) && len(a.open) == 0 && !s.has(classLoad):
		a.last.Places = append(a.last.Places, chains[0].places...)
	default:
		a.pending = append(a.pending, chains...)
		for _, it := range s.all(classLoad, "push", "pull", "suction", "traction") {
			a.verb = it.value
		}
		for _, it := range s.all(classDirection) {
			d := directionOf(it, a.text)
			it.used = true
			a.said = &d // "the end gets pushed down with 12 N"
		}
	}
}

// heldOtherwise makes a support of its own of "and the left face in x".
func (a *assembler) heldOtherwise(s *segment, ch chain) bool {
	axes := a.heldAxes(s)
	if len(axes) == 0 {
		return false
	}
	c := &Condition{Kind: Fixed, Places: ch.places, Components: unlessAll(axes), given: true, at: ch.start, sentence: a.sentence}
	a.made, a.last = append(a.made, c), c
	return true
}

// aside says that a place is a direction in truth: the second load of "on the
// top 500 N down, 100 N right".
func (a *assembler) aside(s *segment, c *Condition, ch chain) bool {
	text := ch.places[0].Text
	if c.Kind != Force || len(ch.places) != 1 || text != "left" && text != "right" || c.axis != nil {
		return false
	}
	for _, it := range s.items {
		if it.class != classQuantity || it.start != c.at || ch.start != it.end+1 {
			continue
		}
		for _, o := range a.made {
			if o != c && o.sentence == a.sentence && loadKinds[o.Kind] && len(o.Places) > 0 {
				c.axis = &direction{axis: 0, sign: shape.Normals[ch.places[0].Name][0], text: text}
				return true
			}
		}
	}
	return false
}

// subject says that the next segment goes on with its own place before its verb,
// so that a place before it belongs to it: "the bottom, and the top are fixed".
func (a *assembler) subject(next *segment) bool {
	if next == nil {
		return false
	}
	for _, it := range next.items {
		switch it.class {
		case classPlace:
			return next.and
		case classSupport, classQuantity, classVector:
			return len(a.reader.chains(next)) == 0
		}
	}
	return false
}

func (a *assembler) waiting() *Condition {
	if len(a.open) == 0 {
		return nil
	}
	return a.open[0]
}

func (a *assembler) put(c *Condition, ch chain) {
	c.Places, c.Each = append(c.Places, ch.places...), c.Each || ch.each
	for i, o := range a.open {
		if o == c {
			a.open = append(a.open[:i:i], a.open[i+1:]...)
			break
		}
	}
}

// give pairs the triggers of a segment with its places, in their order.
func (a *assembler) give(s *segment, triggers []*Condition, chains []chain) {
	needy, verb := triggers[:0:0], a.verb
	for _, c := range triggers {
		c.sentence = a.sentence
		a.made = append(a.made, c)
		a.point(s, c)
		if c.Kind != Gravity {
			needy = append(needy, c)
		}
	}
	if len(needy) > 0 {
		a.last = needy[len(needy)-1]
	}
	forward := len(a.pending) > 0 && len(needy) > 0
	if len(chains) == 0 && forward {
		chains, forward = a.pending, false
		a.verb = verb
		a.verbed(needy[0])
		if c := needy[0]; a.said != nil && c.axis == nil && loadKinds[c.Kind] {
			c.axis = a.said
			if a.said.toward != "" {
				c.Toward = a.said.toward
			}
		}
		a.pending, a.verb = nil, ""
	}
	for i, c := range needy {
		switch {
		case i < len(chains) && a.aside(s, c, chains[i]):
		case i < len(chains):
			c.Places, c.Each = chains[i].places, chains[i].each
		case len(chains) == 1 && a.shares(s, needy[0], c):
			c.Places = chains[0].places
		default:
			a.open = append(a.open, c)
		}
	}
	if forward && s.and && len(needy) > 0 {
		needy[0].Places = append(append([]Place{}, a.pending[0].places...), needy[0].Places...)
	}
	for _, c := range needy {
		if n := len(chains); n > 0 && c.at < chains[n-1].end && eachWord.MatchString(a.text[c.at:chains[n-1].end]) {
			c.Each = true
		}
	}
	if len(chains) > 0 {
		if forward && !s.and {
			a.drop()
		}
		a.pending, a.said = nil, nil
	}
}

// drop remembers the places of the latest message that no condition has got.
func (a *assembler) drop() {
	for _, ch := range a.pending {
		if ch.start >= a.latest {
			a.lost = append(a.lost, ch)
		}
	}
	a.pending = nil
}

// afresh begins a message. One that changes a whole request leaves nothing of it open.
func (a *assembler) afresh() {
	if a.turn == 0 || a.turns[a.turn-1].answer {
		return
	}
	a.open, a.last = nil, nil
	if a.filmOpen != nil && a.filmOpen.Value != 0 {
		a.filmOpen = nil
	}
}

// shares says whether two numbers of one segment act on the same place: a force
// and a pressure "on the top" do, a support and a load do not.
func (a *assembler) shares(s *segment, first, c *Condition) bool {
	return first.Kind != Fixed && c.Kind != Fixed && c.at > first.at && len(s.all(classAnd)) == 0
}

func (a *assembler) verbed(c *Condition) {
	switch a.verb {
	case "push":
		c.Toward = Inward
	case "pull":
		c.Toward = Outward
	case "suction":
		if c.Kind == Pressure && c.Value > 0 {
			c.Value = -c.Value
		}
	case "traction":
		if c.Kind == Pressure {
			c.Kind = Traction
		}
	}
}

// point gives a load the direction that its segment says.
func (a *assembler) point(s *segment, c *Condition) {
	switch c.Kind {
	case Force, Pressure, Traction, Displacement, Inlet, Wall, Gravity:
	default:
		return
	}
	for _, it := range s.all(classLoad) {
		if before := a.nearest(s, it, c); before {
			a.verb = it.value
			a.verbed(c)
		}
	}
	a.verb = ""
	for _, it := range s.all(classDirection) {
		if !a.nearest(s, it, c) {
			continue
		}
		it.used = true
		d := directionOf(it, a.text)
		switch {
		case d.toward != "" && (c.axis == nil || c.axis.axis < 0):
			c.Toward = d.toward
		case c.axis == nil || c.axis.axis < 0 && c.axis.state == "":
			c.axis = &d
		case d.axis == c.axis.axis && (c.axis.sign == 0 || c.axis.state != ""):
			c.axis = &d
		case d.axis == c.axis.axis && (d.sign == 0 || d.sign == c.axis.sign):
		case d.state != "" && d.axis < 0:
		default:
			a.plan.ask(it.start, "direction", "The load is said to point both "+c.axis.text+" and "+d.text+".", "500 N downwards")
		}
	}
}

// nearest says whether of the loads of a segment c is the one that a word
// belongs to: the only one, or the last that begins before it, or the next.
func (a *assembler) nearest(s *segment, it *item, c *Condition) bool {
	var loads []*item
	for _, other := range s.items {
		if other.class == classQuantity || other.class == classVector {
			loads = append(loads, other)
		}
	}
	if len(loads) < 2 {
		return true
	}
	owner := loads[0]
	for _, l := range loads {
		if l.start < it.start && strings.IndexByte(a.text[l.end:it.start], ',') < 0 {
			owner = l
		}
	}
	return owner.start == c.at
}
