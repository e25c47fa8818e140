package words

import (
	"math/big"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// condition is a support or load that a frame has become. What a sentence has left out is
// told apart from what it has said, so that a follow-up changes only the latter.
type condition struct {
	section string
	name    string // for a new member
	kind    string // type of the document
	places  []any
	fields  map[string]any
	like    []string // types of members that it can take the place of
}

// heatKinds and structureKinds are the frames of a family.
var (
	structureKinds = []string{"fix", "slide", "symmetry", "spring", "pinned", "bearing", "force", "pressure", "moment", "gravity", "rotation", "displace"}
	heatKinds      = []string{"temp", "convection", "radiation", "flux", "source", "insulated"}
	flowKinds      = []string{"inlet", "outlet", "wall"}
	supportTypes   = []string{"fixed", "symmetry", "frictionless", "elastic", "simply_supported"}
)

func (r *reader) framesOf(kinds []string) []*frame {
	var out []*frame
	for _, f := range r.scan.frames {
		if slices.Contains(kinds, f.kind) {
			out = append(out, f)
		}
	}
	return out
}

// conditions makes supports and loads of the frames: supports first, since "the other end"
// is that which is not held.
func (r *reader) conditions() {
	r.prepareFlow()
	r.euler()
	r.standing()
	for _, n := range r.scan.rest {
		if n.kind == "oldplace" {
			r.old(n)
		}
	}
	for _, first := range []bool{true, false} {
		for _, f := range r.scan.frames {
			support := slices.Contains([]string{"fix", "slide", "symmetry", "spring", "pinned", "displace"}, f.kind)
			if support == first {
				r.condition(f)
			}
		}
	}
	r.hingedEnds()
	r.insulate()
}

// old gives the frames of a support or load the place that it shall have no more.
func (r *reader) old(n *node) {
	p := n.val.(*node)
	n.use()
	for _, f := range r.scan.frames {
		if len(f.old) == 0 && !kindOf(f.kind).whole {
			f.old = append(f.old, p)
			return
		}
	}
	r.ask("place", r.say("Not at %s: where then?", "Nicht an %s: wo dann?", p.text), r.say("hold it at the back instead", "stattdessen hinten einspannen"))
}

// condition makes one of a frame.
func (r *reader) condition(f *frame) {
	if f.kind == "bare" {
		r.bare(f)
		return
	}
	if f.without {
		r.without(f)
		return
	}
	make := map[string]func(*frame) *condition{
		"fix": r.fix, "slide": r.plainSupport("frictionless"), "symmetry": r.plainSupport("symmetry"), "spring": r.spring, "pinned": r.pinned,
		"force": r.force, "bearing": r.force, "pressure": r.pressure, "moment": r.moment, "gravity": r.gravity, "rotation": r.rotation, "displace": r.displace,
		"temp": r.temperature, "convection": r.convection, "radiation": r.radiation, "flux": r.flux, "source": r.source, "insulated": r.insulated,
		"inlet": r.inlet, "outlet": r.outlet, "wall": r.plainSupport("wall"),
	}[f.kind]
	if make == nil {
		return // of the options of an analysis
	}
	asked := len(r.out.Questions)
	if !r.onlyOne(f) {
		return
	}
	c := make(f)
	f.use()
	if c != nil && slices.Contains([]string{"load", "bearing", "moment", "heat_flux"}, c.kind) && r.each(f, c.places) {
		return
	}
	if c == nil || len(r.out.Questions) > asked || r.out.Refusal != "" {
		return
	}
	r.put(c, f)
}

// on are the places of a frame in the document. Those that name nothing of the part are
// asked about.
func (r *reader) on(f *frame) (list []any, ok bool) {
	for _, n := range f.places {
		p := *n.val.(*place)
		if !r.resolve(&p, n) {
			return nil, false
		}
		if p.what == "ends" {
			list = append(list, "end_min", "end_max")
			continue
		}
		list = append(list, p.json())
	}
	return list, true
}

// resolve turns what depends on the part or on the supports into a place: the other end,
// the hole for an M8. What it cannot is asked.
func (r *reader) resolve(p *place, n *node) bool {
	where := func(why string) bool {
		r.ask("place", why, r.placesExample())
		return false
	}
	if f := r.file(); p.what == "quoted" && (f == nil || len(f.Faces) == 0) {
		p.what = "name"
		r.assume("%q is taken as the name of a face; the import will tell whether there is one.", "%q gilt als Name einer Fläche; ob es sie gibt, zeigt der Import.", p.name)
		return true
	}
	switch p.what {
	case "bad", "quoted":
		known := ""
		if f := r.file(); f != nil && len(f.Faces) > 0 {
			known = r.say(" The faces with names are %s.", " Flächen mit Namen sind %s.", strings.Join(f.Faces, ", "))
		}
		if p.what == "quoted" {
			p.text = p.name
		}
		return where(r.say("Which face is %q? No face of the part is known by that name.", "Welche Fläche ist %q? Unter diesem Namen ist keine Fläche des Teils bekannt.", p.text) + known)
	case "other", "end":
		held := r.heldSides()
		if len(held) == 1 && opposite[held[0]] != "" {
			p.what, p.side = "side", opposite[held[0]]
			if p.side == "end_max" || p.side == "end_min" {
				p.what = "end"
			}
			r.assume("%q is the %s, opposite to what is held.", "%q ist %s, gegenüber der Einspannung.", n.text, r.side(p.side))
			return true
		}
		return where(r.say("Which side is %q?", "Welche Seite ist %q?", n.text))
	case "side":
		if p.zero {
			r.assume("%q is taken as the %s face.", "%q gilt als: %s.", n.text, r.side(p.side))
		}
		if p.pressed {
			r.assume("The pressure of that direction acts on the %s.", "Der Druck in dieser Richtung wirkt auf: %s.", r.side(p.side))
		}
		if p.edge {
			r.assume("%q is the whole face there.", "%q ist die ganze Fläche dort.", n.text)
		}
	case "one":
		p.what, p.side = "end", "end_min"
		r.assume("%q is the end of the longest axis with the smaller coordinate.", "%q ist das Ende der längsten Achse mit der kleineren Koordinate.", n.text)
		return true
	case "feature":
		if p.name == "fins" && strings.HasPrefix(strings.ToLower(n.text), "rippe") && !r.analysed("heat") {
			return where(r.say("Which face is %q? No face of the part is known by that name.", "Welche Fläche ist %q? Unter diesem Namen ist keine Fläche des Teils bekannt.", n.text))
		}
		if p.name == "upright" && p.side == "" {
			return where(r.say("Which side of %q is it?", "Welche Seite von %q ist es?", n.text))
		}
		r.assume("%q is found by the geometry when the study is run; where it is not clear, the candidates are told.", "%q wird beim Lauf aus der Geometrie bestimmt; ist es nicht eindeutig, werden die Kandidaten genannt.", n.text)
		return true
	case "hole", "holes":
		return r.resolveHoles(p, n)
	case "but":
		for _, b := range p.but {
			if q := b.val.(*place); !r.resolve(q, b) {
				return false
			}
		}
	case "at":
		if p.diameter == nil || len(p.diameter.units) == 0 && p.diameter.number.Sign() != 0 {
			return where(r.say("In which unit is the coordinate %q?", "In welcher Einheit ist die Koordinate %q?", n.text))
		}
	}
	return true
}

// resolveHoles holds holes against those of the part, where an import has told them.
func (r *reader) resolveHoles(p *place, n *node) bool {
	file := r.file()
	var known []float64
	if file != nil {
		known = file.Holes
	}
	sizes := func() string {
		var list []string
		for _, d := range known {
			if s := quantity.Length.Format(d); !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
		return strings.Join(list, ", ")
	}
	number := func(low, high float64) (n int, of float64) {
		for _, d := range known {
			if d >= low*0.99 && d <= high*1.01 {
				n, of = n+1, d
			}
		}
		return n, of
	}
	if p.bolt != "" && !r.resolveBolt(p, number) {
		return false
	}
	if p.millimetres {
		r.assume("%q is in mm, as on a drawing.", "%q ist in mm, wie auf einer Zeichnung.", n.text)
	}
	if p.diameter != nil && len(p.diameter.units) == 0 {
		r.ask("diameter", r.say("In which unit is the diameter of %q?", "In welcher Einheit ist der Durchmesser von %q?", n.text), decimal(p.diameter.number)+" mm")
		return false
	}
	if known == nil {
		if p.count > 1 {
			r.assume("%q are all holes like that: the study does not say how many there are.", "%q sind alle solchen Bohrungen: die Studie sagt nicht, wie viele es sind.", n.text)
		}
		return true
	}
	found := len(known)
	if p.diameter != nil {
		d := p.diameter.si(quantity.Length)
		found, _ = number(d, d)
	}
	switch {
	case found == 0:
		r.ask("hole", r.say("The part has no hole like %q.", "Das Teil hat keine Bohrung wie %q.", n.text)+r.say(" Its holes have %s.", " Seine Bohrungen haben %s.", sizes()), sizes())
		return false
	case p.count > 1 && p.diameter != nil && p.side == "" && found != p.count:
		r.ask("hole", r.say("The part has %d such holes, not %d: which are meant?", "Das Teil hat %d solche Bohrungen, nicht %d: welche sind gemeint?", found, p.count), r.placesExample())
		return false
	case p.what == "hole" && p.side == "" && p.size == "" && found > 1:
		r.ask("hole", r.say("Which hole is %q? There are %d.", "Welche Bohrung ist %q? Es gibt %d.", n.text, found), r.say("the hole on the left", "die linke Bohrung"))
		return false
	}
	return true
}

func (r *reader) placesExample() string {
	return r.say("on the top, on the 12 mm hole, or face 7", "auf der Oberseite, an der Bohrung mit 12 mm oder Fläche 7")
}

var sideNames = map[string]string{"left": "linke Seite", "right": "rechte Seite", "front": "Vorderseite", "back": "Rückseite", "bottom": "Unterseite", "top": "Oberseite",
	"end_min": "Anfang der längsten Achse", "end_max": "Ende der längsten Achse"}

func (r *reader) side(name string) string {
	if r.language == German {
		return "die " + sideNames[name]
	}
	return strings.ReplaceAll(name, "_", " ")
}

// heldSides are the sides that a support holds.
func (r *reader) heldSides() []string {
	var out []string
	for _, m := range r.members("supports", "fixed") {
		if side, ok := m.value["on"].(string); ok {
			out = append(out, text(plain(side)))
		}
	}
	return out
}

func (r *reader) fix(f *frame) *condition {
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	c := &condition{section: "supports", name: "support", kind: "fixed", places: places, fields: map[string]any{}, like: supportTypes}
	for _, h := range f.heads {
		if low := strings.ToLower(h.text); (strings.HasPrefix(low, "support") || low == "gelagert" || low == "lagerung") && r.onEdges(f) {
			r.ask("support", r.say("Are the edges clamped or simply supported?", "Sind die Ränder eingespannt oder frei aufliegend?"), r.say("simply supported on the long edges", "an den langen Rändern frei aufliegend"))
			return nil
		}
	}
	var held []any
	for _, d := range f.dirs {
		if t := d.val.(toward); t.how == "axis" {
			held = append(held, t.axis)
		} else {
			r.ask("support", r.say("In which directions does the support hold?", "In welchen Richtungen hält die Lagerung?"), r.say("fixed in z", "in z festgehalten"))
			return nil
		}
	}
	if held != nil {
		c.fields["components"] = held
	}
	if len(places) == 0 && r.fresh {
		r.ask("support", r.say("Where is the part held?", "Wo ist das Teil gehalten?"), r.say("fixed at the bottom", "unten eingespannt"))
		return nil
	}
	return c
}

func (r *reader) plainSupport(kind string) func(*frame) *condition {
	return func(f *frame) *condition {
		places, ok := r.on(f)
		if !ok {
			return nil
		}
		if r.guided(f) {
			return nil
		}
		if len(places) == 0 {
			if kind == "wall" {
				return nil
			}
			r.ask("support", r.say("On which face is the condition %q?", "An welcher Fläche gilt %q?", kind), r.placesExample())
			return nil
		}
		like := supportTypes
		if kind == "wall" {
			like = []string{kind}
		}
		return &condition{section: "supports", name: kind, kind: kind, places: places, fields: map[string]any{}, like: like}
	}
}

func (r *reader) spring(*frame) *condition {
	r.ask("support", r.say("How stiff is the elastic support, as force per area and displacement?", "Wie steif ist die elastische Bettung, als Kraft je Fläche und Verschiebung?"), `{"type": "elastic", "stiffness": "50 MN/m^3"}`)
	return nil
}

func (r *reader) displace(f *frame) *condition {
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	a := f.amounts["length"].amount()
	if a == nil || len(places) == 0 {
		r.ask("displacement", r.say("By how much, and which face, is displaced?", "Um wie viel wird welche Fläche verschoben?"), r.say("the right is displaced by 0.1 mm in +x", "rechts um 0,1 mm in +x verschoben"))
		return nil
	}
	v, axis, ok := r.along(f, a, quantity.Length, nil)
	if !ok {
		return nil
	}
	return &condition{section: "supports", name: "displacement", kind: "fixed", places: places, fields: map[string]any{"value": v, "components": []any{axis}}, like: []string{"displaced"}}
}

// along puts an amount on the axis of the frame's direction.
func (r *reader) along(f *frame, a *amount, k quantity.Kind, normal *direction) (value []any, axis string, ok bool) {
	d, ok := r.direction(f, normal)
	if !ok {
		return nil, "", false
	}
	if a.sign && a.number.Sign() < 0 && d.sign < 0 && r.explicit(f) {
		r.ask("direction", r.say("%s %s in a negative direction: which sign is meant?", "%s %s in negativer Richtung: welches Vorzeichen ist gemeint?", decimal(a.number), a.written), r.say("500 N in -z", "500 N in -z"))
		return nil, "", false
	}
	b := *a
	b.number = new(big.Rat).Mul(a.number, big.NewRat(int64(d.sign), 1))
	value = []any{0.0, 0.0, 0.0}
	value[d.index()] = b.value(k)
	return value, d.axis, true
}

func (r *reader) explicit(f *frame) bool { return len(f.dirs) > 0 }

// direction of a frame; one without is asked for. normal is that of the face, where pushing
// and pulling say the direction.
func (r *reader) direction(f *frame, normal *direction) (direction, bool) {
	if len(f.dirs) > 1 {
		r.ask("direction", r.say("Two directions are given for the %s. Which one, or which vector?", "Für %s sind zwei Richtungen angegeben. Welche gilt, oder welcher Vektor?", r.noun(f.kind)), "(300, 0, -500) N")
		return direction{}, false
	}
	if len(f.dirs) == 1 {
		t, _ := f.dirs[0].val.(toward)
		switch {
		case t.how == "axis" && t.sign != 0:
			return t.direction, true
		case t.how == "axis" && normal != nil && normal.axis == t.axis && slices.ContainsFunc(f.heads, pushes):
			// its sign is that of the push or pull, below
		case t.how == "axis":
			return direction{t.axis, 1}, true
		case t.how == "vertical":
			r.assume("Vertical is taken as downwards, -z.", "Senkrecht heißt hier nach unten, -z.")
			return direction{"z", -1}, true
		case t.how == "axial":
		case t.how == "inward" && normal != nil:
			return direction{normal.axis, -normal.sign}, true
		case t.how == "outward" && normal != nil:
			return *normal, true
		}
	}
	for _, h := range f.heads {
		switch {
		case h.is("hang"):
			return direction{"z", -1}, true
		case (h.is("push") || h.is("compression")) && normal != nil:
			r.assume("The force pushes into the face, along %s.", "Die Kraft drückt in die Fläche, in Richtung %s.", signed(direction{normal.axis, -normal.sign}))
			return direction{normal.axis, -normal.sign}, true
		case (h.is("pull") || h.is("axialforce")) && normal != nil:
			r.assume("The force pulls out of the face, along %s.", "Die Kraft zieht aus der Fläche, in Richtung %s.", signed(*normal))
			return *normal, true
		}
	}
	r.ask("direction", r.say("In which direction does the %s act?", "In welcher Richtung wirkt %s?", r.noun(f.kind)), r.say("downwards, in +x, or (0, 0, -500) N", "nach unten, in +x oder (0, 0, -500) N"))
	return direction{}, false
}

func signed(d direction) string {
	if d.sign < 0 {
		return "-" + d.axis
	}
	return "+" + d.axis
}

var nouns = map[string][2]string{"force": {"force", "die Kraft"}, "bearing": {"bearing load", "die Lagerlast"}, "moment": {"moment", "das Moment"}, "pressure": {"pressure", "der Druck"},
	"gravity": {"acceleration", "die Beschleunigung"}, "rotation": {"rotation", "die Drehung"}, "displace": {"displacement", "die Verschiebung"}, "inlet": {"flow", "die Strömung"},
	"temp": {"temperature", "die Temperatur"}, "convection": {"convection", "die Konvektion"}, "flux": {"heat", "die Wärme"}, "fix": {"support", "die Einspannung"}, "outlet": {"outlet", "der Auslass"}}

func (r *reader) noun(kind string) string {
	n, ok := nouns[kind]
	switch {
	case !ok:
		return kind
	case r.language == German:
		return n[1]
	}
	return n[0]
}

// normalOf is the outward normal of the places of a frame, where they have one.
func (r *reader) normalOf(places []any) *direction {
	var found *direction
	for _, p := range places {
		side, _ := p.(string)
		if m, is := p.(map[string]any); is {
			f, _ := m["feature"].(map[string]any)
			side = text(f["side"])
		}
		n, ok := outward[side]
		if !ok || found != nil && *found != n {
			return nil
		}
		found = &n
	}
	return found
}

// onlyOne asks which of two sizes of one load is meant. A number beside an amount belongs to
// something else, and is named as not used.
func (r *reader) onlyOne(f *frame) bool {
	if n := f.amounts["number"]; n != nil && len(f.amounts) > 1 && f.kind != "radiation" {
		delete(f.amounts, "number")
	}
	most := 1
	switch f.kind {
	case "convection", "radiation":
		most = 2
	case "temp":
		if f.amounts["kelvin2"] == nil || (r.strained() && len(f.places) == 0) || r.overTime() {
			most = 2
		}
	}
	if len(f.amounts) <= most {
		return true
	}
	f.use()
	r.ask("amount", r.say("Two sizes are given for the %s. Which one holds?", "Zwei Größen sind angegeben für %s. Welche gilt?", r.noun(f.kind)), "500 N")
	return false
}

// resolveBolt finds the holes for an M8 among those of the part.
func (r *reader) resolveBolt(p *place, number func(low, high float64) (int, float64)) bool {
	nominal, _ := new(big.Rat).SetString(p.bolt)
	d, _ := nominal.Float64()
	found, of := number(d/1000*0.8, d/1000*1.2)
	if found == 0 {
		r.ask("diameter", r.say("What is the diameter of the holes for M%s?", "Welchen Durchmesser haben die Bohrungen für M%s?", p.bolt), r.say("9 mm holes", "Bohrungen mit 9 mm"))
		return false
	}
	mm, _ := quantity.ParseUnit("mm")
	p.diameter = &amount{number: new(big.Rat).SetFloat64(1000 * of), units: mm, written: "mm"}
	p.size = ""
	r.assume("The holes for M%s are those of %s.", "Die Bohrungen für M%s sind die mit %s.", p.bolt, quantity.Length.Format(of))
	return true
}
