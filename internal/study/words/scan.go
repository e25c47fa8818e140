package words

import (
	"slices"
	"strings"
)

// scanner attaches what stands in a sentence to frames, from left to right.
type scanner struct {
	list    []*node
	frames  []*frame
	cur     *frame
	broken  bool    // a comma, "and" or stop stands behind the last piece of cur
	places  []*node // a group that waits for its frame
	earlier []*node // groups before it, which nothing has taken
	dirs    []*node
	without bool
	also    bool
	rest    []*node        // what no frame takes
	told    []*node        // places of figures that are asked for
	warm    []*node        // temperatures of fluids
	hertz   []*node        // frequencies, of no rotation
	seconds []*node        // times
	asking  map[*node]bool // pieces of sentences that only ask
	now     int            // where in the list it is
}

func scan(list []*node) *scanner {
	s := &scanner{list: list, asking: questions(list)}
	for i := 0; i < len(list); i++ {
		s.now = i
		switch n := list[i]; {
		case n.kind == "comma" || n.kind == "stop" || n.is("and") || n.is("but"):
			s.broken = true
			if n.kind == "stop" {
				s.settle()
				s.without, s.also = false, false
			}
		case n.is("if"), n.is("when"):
			s.broken = true
			s.rest = append(s.rest, n)
		case n.is("not") && s.negates(i):
			s.without, s.broken = true, true
			n.use()
		case n.kind == "freeplace":
			if i+1 < len(list) && list[i+1].is("and") && s.startsFrame(i+2) && !s.placeFollows(i+2) {
				s.places = append(s.places, n.kids[0]) // it is free and loaded
				i++
			}
		case n.kind == "fluidtemp":
			if f := s.cur; f != nil && f.kind == "convection" && f.amounts["kelvin"] == nil && !s.broken {
				f.amounts["kelvin"], f.heads = n.val.(warm).node, append(f.heads, n)
			} else {
				s.warm = append(s.warm, n)
			}
		case n.is("without"):
			s.without, s.broken = true, true
			n.use()
		case n.is("also"):
			s.also, s.broken = true, true
			n.use()
			if s.cur != nil && (i+1 == len(list) || list[i+1].kind == "stop") {
				s.cur.also = true // hold the bottom as well
			}
		case n.kind == "moved":
			m := n.val.(move)
			n.use()
			s.rest = append(s.rest, phrase("oldplace", []*node{m.from}, m.from))
			s.list = slices.Clone(list)
			s.list[i] = m.to
			i = s.place(i)
		case n.kind == "place":
			i = s.place(i)
		case n.kind == "oldplace":
			s.rest = append(s.rest, n)
		case n.kind == "dir":
			s.dir(i)
		case n.kind == "amount" || n.kind == "vector":
			s.amount(n)
		default:
			if kind, ok := headKind(n); ok {
				s.head(n, kind)
			} else {
				s.rest = append(s.rest, n)
			}
		}
	}
	s.settle()
	return s
}

// settle ends a sentence: what is left over goes to the frame that lacks it, when there is
// but one.
func (s *scanner) settle() {
	var lacking []*frame
	for _, f := range s.frames {
		if len(f.places) == 0 && !kindOf(f.kind).whole && !f.without {
			lacking = append(lacking, f)
		}
	}
	if len(s.places) > 0 && len(s.earlier) == 0 && len(lacking) == 1 {
		lacking[0].places, s.places = s.places, nil
	}
	s.pressed()
	if len(s.dirs) > 0 {
		var without []*frame
		for _, f := range s.frames {
			if directed(f.kind) && f.kind != "fix" && len(f.dirs) == 0 {
				without = append(without, f)
			}
		}
		if len(without) == 1 {
			s.ownDirections(without[0])
		}
	}
	s.places, s.earlier = append(s.earlier, s.places...), nil
	if len(s.places)+len(s.dirs) > 0 {
		s.frames = append(s.frames, &frame{kind: "bare", places: s.places, dirs: s.dirs, amounts: map[string]*node{}, also: s.also})
		s.places, s.dirs = nil, nil
	}
}

// directed says whether a kind of frame can have a direction.
func directed(kind string) bool {
	switch kind {
	case "force", "moment", "bearing", "gravity", "rotation", "displace", "inlet", "fix":
		return true
	}
	return false
}

func (s *scanner) begin(kind string) *frame {
	f := &frame{kind: kind, amounts: map[string]*node{}, without: s.without, also: s.also}
	s.without = false
	if !kindOf(kind).whole {
		f.places, s.places = s.places, nil
	}
	if directed(kind) && kind != "fix" {
		s.ownDirections(f)
	}
	s.frames = append(s.frames, f)
	s.cur, s.broken = f, false
	return f
}

// full says whether a frame has what it needs, so that a further head begins another one.
func (f *frame) full() bool {
	k := kindOf(f.kind)
	return (k.whole || len(f.places) > 0) && (len(k.amounts) == 0 || len(f.amounts) > 0)
}

func (s *scanner) head(n *node, kind string) {
	f := s.cur
	switch {
	case f == nil || s.without:
		f = s.begin(kind)
	case f.kind == kind && !(s.broken && f.full()) && (len(s.places) == 0 || len(f.places) == 0):
		if len(f.places) == 0 && !kindOf(kind).whole {
			f.places, s.places = s.places, nil
		}
	case f.kind == kind && (n.is("push") || n.is("pull")) && len(f.dirs) == 0 && !f.pushes() && !s.amountFollows(n):
	case f.kind == "convection" && kind == f.kind && f.amounts["film"] == nil && !s.placeFollows(slices.Index(s.list, n)+1):
	case f.kind == "convection" && (kind == "temp" || kind == "convection") && !f.full(), f.kind == "convection" && n.is("ambient"):
	case f.kind == "temp" && kind == "convection" && n.is("ambient") && s.lastConvection() != nil:
		f = s.lastConvection()
	case f.kind == "fix" && kind == "temp" && !s.broken && n.is("temp"):
		f.kind = kind // held at a temperature
	case f.kind == "reference" && kind == "temp", f.kind == "initial" && kind == "temp":
	case f.kind == "temp" && kind == "convection" && !s.broken && len(s.warm) == 0 && f.amounts["kelvin"] != nil && !n.is("cooled"):
		f.kind = kind // air of 25 degC with h = 15
	case f.kind == "temp" && (kind == "reference" || kind == "initial") && len(f.places) == 0 && len(f.amounts) == 0:
		f.kind = kind
	case f.kind == "force" && kind == "bearing":
		f.kind = kind
	case f.kind == "force" && kind == "fix" && n.is("force"):
	default:
		before := f
		f = s.begin(kind)
		s.share(f, before, n)
	}
	if len(f.heads) == 0 {
		s.heldBefore(f, n)
	}
	f.heads = append(f.heads, n)
	s.cur, s.broken = f, false
}

func (s *scanner) lastConvection() *frame {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if f := s.frames[i]; f.kind == "convection" && f.amounts["kelvin"] == nil {
			return f
		}
	}
	return nil
}

// startsFrame says whether a frame begins between a piece and the next break, so that a
// place behind a comma belongs to what follows.
func (s *scanner) startsFrame(i int) bool {
	for _, n := range s.list[i:] {
		if n.kind == "comma" || n.kind == "stop" || n.is("and") {
			return false
		}
		if _, ok := headKind(n); ok || n.kind == "amount" && kindOfAmount(dimensionOf(n)) != "" || n.kind == "vector" {
			return true
		}
	}
	return false
}

// place takes a place, and those that "and" or a comma joins to it.
func (s *scanner) place(i int) int {
	if d := s.turnsToward(i); d != nil {
		s.list[i] = d
		s.dir(i)
		return i
	}
	group := []*node{s.list[i]}
	end := i
	joined := false
	for j := i + 1; j < len(s.list); j++ {
		n := s.list[j]
		if n.kind == "comma" || n.is("and") || n.is("at") {
			continue
		}
		if n.kind != "place" {
			break
		}
		// A place that a load or support follows is its own.
		if s.takes(i) && !s.broken && s.startsFrame(j+1) {
			break
		}
		group, end = append(group, n), j
		joined = joined || s.joinedByAnd(j)
	}
	if !joined && len(group) > 1 {
		group, end = group[:1], i // two places with a comma between are no list
	}
	if s.asking[s.list[i]] || s.reported(i, end) {
		s.told = append(s.told, group...)
		return end
	}
	if s.takes(i) && !(s.broken && s.startsFrame(end+1)) {
		s.cur.places, s.broken = group, false
		return end
	}
	s.earlier = append(s.earlier, s.places...)
	s.places = group
	return end
}

// joinedByAnd says whether "and", or nothing at all, stands before a place.
func (s *scanner) joinedByAnd(j int) bool {
	for j--; j >= 0; j-- {
		switch n := s.list[j]; {
		case n.is("at"):
		case n.is("and"):
			return true
		default:
			return n.kind == "place"
		}
	}
	return false
}

// takes says whether the frame lacks a place.
func (s *scanner) takes(int) bool {
	return s.cur != nil && len(s.cur.places) == 0 && !kindOf(s.cur.kind).whole
}

func (s *scanner) dir(i int) {
	if s.cur != nil && s.cur.kind == "slide" && !s.broken && !s.startsFrame(i+1) {
		s.cur.dirs = append(s.cur.dirs, s.list[i])
		return
	}
	if s.cur != nil && directed(s.cur.kind) && (s.cur.kind != "fix" || s.held(i)) && len(s.cur.dirs) == 0 && !(s.broken && (s.cur.kind == "fix" || s.startsFrame(i+1))) {
		s.cur.dirs = append(s.cur.dirs, s.list[i])
		s.broken = false
		return
	}
	if t, ok := s.list[i].val.(toward); ok && s.cur != nil && s.cur.kind == "fix" && t.how != "axis" {
		s.dirs = append(s.dirs, s.list[i])
		return
	}
	if f := s.cur; f != nil && f.kind != "fix" && len(f.dirs) == 1 && !s.startsFrame(i+1) && completes(f.dirs[0], s.list[i]) {
		f.dirs[0] = phrase("dir", []*node{f.dirs[0], s.list[i]}, s.list[i].val) // in z, downwards
		return
	}
	if s.cur != nil && s.cur.kind == "fix" && !s.broken && len(s.cur.dirs) > 0 {
		s.cur.dirs = append(s.cur.dirs, s.list[i]) // in x and y
		return
	}
	if s.cur != nil && s.cur.kind == "fix" && s.broken && len(s.cur.dirs) > 0 && !s.startsFrame(i+1) {
		s.cur.dirs = append(s.cur.dirs, s.list[i])
		return
	}
	s.dirs = append(s.dirs, s.list[i])
}

func (s *scanner) amount(n *node) {
	d := dimensionOf(n)
	if n.kind == "vector" && !(d == "newton" || d == "number" && s.cur != nil && s.cur.kind == "force" && s.cur.amounts["newton"] != nil) {
		s.rest = append(s.rest, n) // only forces have vectors
		return
	}
	if f := s.cur; f != nil && n.kind != "vector" && f.accepts(d) && f.amounts[d] == nil && !(s.broken && f.kind == "temp" && f.full()) {
		f.amounts[d] = n
		s.broken = false
		return
	}
	if f := s.cur; f != nil && f.kind == "fix" && d == "kelvin" && (!s.broken || len(s.frames) == 0) {
		f.kind, f.amounts[d] = "temp", n
		return
	}
	switch {
	case d == "hertz" && n.amount().written == "rpm" && (s.cur == nil || s.cur.kind != "rotation") && !slices.ContainsFunc(s.list, func(m *node) bool { return m.is("sweep") }):
		s.begin("rotation").amounts[d] = n
		return
	case d == "hertz":
		s.hertz = append(s.hertz, n)
		return
	case d == "second":
		s.seconds = append(s.seconds, n)
		return
	case d == "length" && s.cur != nil && s.cur.kind == "force" && len(s.cur.amounts) == 0 && s.cur.moved():
		s.cur.kind, s.cur.amounts[d] = "displace", n
		return
	}
	if f := s.cur; f != nil && f.kind == "temp" && d == "kelvin" && f.amounts["kelvin2"] == nil && !s.broken {
		f.amounts["kelvin2"] = n // from 20 to 100 degC
		return
	}
	if f := s.cur; n.kind == "vector" && d == "number" && f != nil && f.kind == "force" && f.amounts["newton"] != nil && len(f.dirs) == 0 {
		f.dirs = []*node{n}
		return
	}
	if f := s.cur; n.kind == "vector" && d == "newton" && f != nil && f.kind == "force" && len(f.amounts) == 0 {
		f.amounts[d] = n
		s.broken = false
		return
	}
	if kind := kindOfAmount(d); kind != "" && n.kind == "amount" || n.kind == "vector" && d == "newton" {
		if n.kind == "vector" {
			kind = "force"
		}
		for _, f := range s.frames {
			if f.kind == kind && len(f.amounts) == 0 && len(f.places) > 0 && len(s.places) == 0 {
				f.amounts[d], s.cur = n, f // load on the right, left fixed, 500 N
				return
			}
		}
		s.begin(kind).amounts[d] = n
		return
	}
	s.rest = append(s.rest, n)
}

// accepts says whether a frame takes an amount of a dimension; a number without a unit is
// taken where one is lacking, and asked about.
func (f *frame) accepts(dimension string) bool {
	for _, d := range kindOf(f.kind).amounts {
		if d == dimension {
			return true
		}
	}
	return dimension == "number" && len(kindOf(f.kind).amounts) > 0 && len(f.amounts) == 0
}

// use marks all that a frame is made of.
func (f *frame) use() {
	for _, list := range [][]*node{f.heads, f.places, f.dirs, f.old} {
		for _, n := range list {
			n.use()
		}
	}
	for _, n := range f.amounts {
		n.use()
	}
}

// moved says whether a frame pushes or pulls, and names no force: pulled by 2 mm.
func (f *frame) moved() bool {
	for _, h := range f.heads {
		if !h.is("push") && !h.is("pull") {
			return false
		}
	}
	return len(f.heads) > 0
}

// held says whether a direction can be that in which a support holds: an axis, not "down".
func (s *scanner) held(i int) bool {
	t, ok := s.list[i].val.(toward)
	said := slices.ContainsFunc(s.list[i].leaves(), func(n *node) bool { return n.kind == "axis" })
	return ok && said && t.how == "axis" && !s.startsFrame(i+1)
}

// negates says whether "no" stands before a load or support: no gravity.
func (s *scanner) negates(i int) bool {
	for _, n := range s.list[i+1:] {
		if n.is("at") || n.is("of") {
			continue
		}
		kind, ok := headKind(n)
		return ok && kind != "fix"
	}
	return false
}

// reported says whether places say where a figure is asked for: the displacement at the
// right end; the tip displacement. Those of a frame that lacks one are its own.
func (s *scanner) reported(first, last int) bool {
	before := first - 1
	for before >= 0 && (s.list[before].is("at") || s.list[before].is("of") || s.list[before].is("with")) {
		before--
	}
	if before >= 0 && asksFigure(s.list[before]) && !s.startsFrame(last+1) {
		return true
	}
	if last+1 < len(s.list) && asksFigure(s.list[last+1]) && s.list[last+1].kind != "accurate" && (s.cur == nil || s.broken || s.cur.full()) {
		_, head := headKind(s.list[last+1])
		return !head
	}
	return false
}

// share gives a frame the places of the one before it: the base is at 90 degC and fixed.
func (s *scanner) share(f, before *frame, head *node) {
	i := slices.Index(s.list, head)
	supports := []string{"fix", "temp", "insulated", "slide", "convection"}
	if len(f.places) > 0 || i < 1 || !s.list[i-1].is("and") || before == nil || !slices.Contains(supports, f.kind) || !slices.Contains(supports, before.kind) {
		return
	}
	if !s.placeFollows(i+1) && !(head.is("heated") && s.range2(i+1)) {
		f.places = before.places
	}
}

// placeFollows says whether a place stands before the next break.
func (s *scanner) placeFollows(i int) bool {
	for _, n := range s.list[i:] {
		if n.kind == "comma" || n.kind == "stop" || n.is("and") {
			return false
		}
		if n.kind == "place" {
			return true
		}
	}
	return false
}

// turnsToward is "to the left" as a direction: of a frame that has a place already.
func (s *scanner) turnsToward(i int) *node {
	n := s.list[i]
	p := n.val.(*place)
	if s.cur == nil || len(s.cur.places) == 0 && !s.placeFollows(i+1) && !s.cur.moved() || !directed(s.cur.kind) || s.cur.kind == "fix" || len(s.cur.dirs) > 0 || s.broken || p.what != "side" || len(n.kids) != 1 || i == 0 || !strings.EqualFold(s.list[i-1].text, "to") {
		return nil
	}
	return &node{kind: "dir", kids: n.kids, start: n.start, end: n.end, text: n.text, val: toward{outward[p.side], "axis"}}
}

// completes says whether a direction gives the sign to an axis that was said without one.
func completes(first, second *node) bool {
	a, okA := first.val.(toward)
	b, okB := second.val.(toward)
	return okA && okB && a.how == "axis" && b.how == "axis" && a.axis == b.axis && a.sign == 0 && b.sign != 0
}

func (f *frame) pushes() bool { return slices.ContainsFunc(f.heads, pushes) }

// amountFollows says whether a force stands between a word and the next break.
func (s *scanner) amountFollows(n *node) bool {
	for _, m := range s.list[slices.Index(s.list, n)+1:] {
		if m.kind == "comma" || m.kind == "stop" || m.is("and") {
			return false
		}
		if m.kind == "amount" || m.kind == "vector" {
			return true
		}
	}
	return false
}
