package words

import (
	"path"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// understand turns the phrases into a change of the study.
func (r *reader) understand() {
	if r.undo() {
		return
	}
	if family := r.family(); family != nil {
		family()
		return
	}
	r.doubts()
	r.unknown()
	r.attended()
	if r.out.Refusal != "" {
		return
	}
	r.relations()
	r.part()
	r.scan = scan(r.list)
	r.doubtful()
	r.materials()
	r.mesh()
	r.analyses()
	r.scales()
	r.conditions()
	r.reported()
	r.wishes()
	r.modalLoads()
	r.atMoments()
	r.eachSize()
	r.bounds()
	r.complete()
}

// has finds the first node of a kind.
func (r *reader) has(kinds ...string) *node {
	for _, n := range r.list {
		for _, k := range kinds {
			if n.is(k) {
				return n
			}
		}
	}
	return nil
}

func (r *reader) all(kind string) []*node {
	var out []*node
	for _, n := range r.list {
		if n.is(kind) {
			out = append(out, n)
		}
	}
	return out
}

func (r *reader) undo() bool {
	n := r.has("undo", "undoing")
	if n == nil {
		return false
	}
	steps, _ := n.val.(int)
	steps = max(steps, 1)
	n.use()
	for _, p := range r.list {
		if p.is("pron") || p.is("change") || p.is("now") {
			p.use()
		}
	}
	if len(r.in.Document) == 0 {
		r.refuse(r.say("There is no study yet, so there is nothing to undo.", "Es gibt noch keine Studie und daher nichts rückgängig zu machen."))
		return true
	}
	for _, p := range r.list {
		if !p.used && !slices.ContainsFunc(free, p.is) {
			r.ask("undo", r.say("Undo a step, and something else in the same sentence: which of both?", "Einen Schritt zurück und zugleich etwas anderes: was von beidem?"), r.say("undo that", "mach das rückgängig"))
			return true
		}
	}
	r.out.Undo = steps
	return true
}

// family finds what is no problem of a part: circuits, statistics, pages, transcripts.
func (r *reader) family() func() {
	switch {
	case r.isCircuit():
		return r.circuit
	case r.isTable():
		return r.table
	case r.isTool():
		return r.tool
	}
	return nil
}

// doubts are numbers and units that can be read in two ways.
func (r *reader) doubts() {
	for _, n := range r.leaves {
		a := n.amount()
		if a == nil {
			continue
		}
		switch {
		case a.doubt != "":
			n.use()
			r.ask("number", r.say("%q can be read in two ways.", "%q kann auf zwei Arten gelesen werden.", n.text), r.say("1.5 kN, or 1500 N", "1500 N"))
		case a.slip != "":
			n.use()
			r.ask("unit", r.say("Which unit is meant by %q: %s?", "Welche Einheit ist mit %q gemeint: %s?", n.text, a.slip), decimal(a.number)+" "+a.slip)
		case a.written == "deg":
			n.use()
			r.ask("unit", r.say("Is %q a temperature in degC or degF, or an angle?", "Ist %q eine Temperatur in °C oder ein Winkel?", n.text), decimal(a.number)+" degC")
		}
	}
}

// unknown are concepts that no study has, and words that make a reading doubtful.
func (r *reader) unknown() {
	for _, u := range []struct{ kind, en, de string }{
		{"preload", "A preloaded bolt must be a body of the part's file, with its shank between head and nut, and words do not set it up. With such a file put {\"bolts\": [{\"body\": 2, \"preload\": \"18 kN\"}]} into the options of the static analysis by a patch; without it give the force on the faces that the bolt presses.", "Eine vorgespannte Schraube muss ein Körper der Datei sein, mit dem Schaft zwischen Kopf und Mutter; in Worten wird sie nicht eingerichtet. Mit einer solchen Datei setze {\"bolts\": [{\"body\": 2, \"preload\": \"18 kN\"}]} durch einen Patch in die Optionen der statischen Analyse; ohne sie gib die Kraft auf die Flächen, die die Schraube drückt."},
		{"contact", "Contact and friction are not set up in words. Parts that touch must be bodies of one file; put {\"contacts\": [{\"sides\": [{\"face\": \"foot\"}, {\"face\": \"plate_top\"}], \"friction\": 0.15}]} into the options of a nonlinear analysis by a patch. Touching bodies are bonded otherwise.", "Kontakt und Reibung werden nicht in Worten eingerichtet. Teile, die sich berühren, müssen Körper einer Datei sein; setze {\"contacts\": [{\"sides\": [{\"face\": \"fuss\"}, {\"face\": \"platte_oben\"}], \"friction\": 0.15}]} durch einen Patch in die Optionen einer nichtlinearen Analyse. Sonst gelten sich berührende Körper als verbunden."},
		{"fatigue", "Fatigue, creep and cracks are not computed here. The static stresses that such an assessment needs are.", "Ermüdung, Kriechen und Risse werden hier nicht berechnet, wohl aber die statischen Spannungen, die ein solcher Nachweis braucht."},
		{"q.principal", "Principal and shear stresses and reactions cannot be asked for in words yet. Ask for the von Mises stress, the displacement or the safety factor.", "Hauptspannungen, Schubspannungen und Auflagerkräfte lassen sich noch nicht in Worten erfragen. Frage nach Vergleichsspannung, Verschiebung oder Sicherheit."},
		{"linear.load", "A load per length cannot be set up in words yet. Give its total force on a face.", "Eine Streckenlast lässt sich noch nicht in Worten eingeben. Gib die gesamte Kraft auf einer Fläche an."},
	} {
		if n := r.has(u.kind); n != nil {
			n.use()
			r.refuse(r.say(u.en, u.de))
		}
	}
	hole := false
	for _, n := range r.list {
		hole = hole || n.kind == "place" && holesOf(n) != nil
	}
	if r.has("geometry") != nil || r.has("change") != nil && hole && slices.ContainsFunc(r.list, func(n *node) bool { return n.amount().is(quantity.Length) && n.kind == "amount" }) {
		r.refuse(r.say("A study cannot change the shape of its part. Change it in the CAD program, and give the new file.", "Eine Studie kann die Form ihres Teils nicht ändern. Ändere sie im CAD-Programm und gib die neue Datei an."))
	}
}

// relations are the words that say how the sentence relates to the study.
func (r *reader) relations() {
	for i, n := range r.list {
		switch {
		case n.is("if"), n.is("when"):
			if r.has("bound") == nil {
				n.use() // if the back is clamped
			}
		case n.is("instead"), n.is("instead.of"), n.kind == "oldmaterial":
			r.marks.instead = true
			n.use()
		case n.is("now"):
			r.marks.now = true
		case n.is("again"):
			r.marks.again = true
		case n.is("only"):
			r.marks.only = r.marks.only || i+1 == len(r.list) || r.list[i+1].kind != "dir" // only in z takes nothing's place
			n.use()
		case n.is("change"):
			r.marks.change = true
			n.use()
		case n.kind == "oldplace", n.kind == "moved", n.is("raise"), n.is("reduce"):
			r.marks.instead = true
		case n.is("must"):
			n.use()
		}
		if (n.is("raise") || n.is("reduce")) && r.raisedTo() {
			n.use() // to 2 kN
		}
	}
}

// replaces says whether the sentence puts something in the place of what is there.
func (r *reader) replaces() bool {
	m := r.marks
	return m.instead || m.now || m.change || m.only || m.again
}

var partKinds = []string{".step", ".stp", ".iges", ".igs", ".brep", ".brp", ".stl", ".obj", ".ply", ".off", ".glb", ".msh", ".mesh", ".vtu"}

func isPart(name string) bool { return slices.Contains(partKinds, strings.ToLower(path.Ext(name))) }

// part is the file that the study is about: the one that the sentence names, else the only
// one that is there.
func (r *reader) part() {
	var named []string
	for _, n := range r.all("file") {
		if file := n.val.(string); isPart(file) {
			n.use()
			named = append(named, file)
		}
	}
	for _, n := range r.list {
		if n.is("part") {
			if file, ok := n.val.(string); ok && isPart(file) && !slices.Contains(named, file) && len(named) == 0 {
				named = append(named, file)
			}
		}
		if n.kind == "box" {
			n.use()
			r.assume("The size of the part is that of its file; %q in the sentence changes nothing.", "Die Größe des Teils ist die seiner Datei; %q im Satz ändert nichts.", n.text)
		}
	}
	have := section(r.doc, "parts")
	if len(named) == 0 {
		if len(have) > 0 {
			return
		}
		for _, f := range r.in.Files {
			if isPart(f.Name) {
				named = append(named, f.Name)
			}
		}
		if len(named) > 1 {
			r.ask("part", r.say("Which part is it about: %s?", "Um welches Teil geht es: %s?", strings.Join(named, ", ")), named[0])
			return
		}
	}
	for _, file := range named {
		for _, p := range have {
			if m, ok := p.(map[string]any); ok && m["file"] == file {
				return
			}
		}
		if len(have) > 0 && !r.fresh {
			r.ask("part", r.say("The study is about another part. Is %s to take its place, or is that a new study?", "Die Studie handelt von einem anderen Teil. Soll %s an dessen Stelle treten, oder ist das eine neue Studie?", file), r.say("a new study of ", "neue Studie von ")+file)
			return
		}
		r.set("parts", nameOf(stemOf(file)), map[string]any{"file": file})
	}
}

// nameOf makes a name of a section of a text.
func nameOf(text string) string {
	out := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(" _.-", c) {
			return c
		}
		return '_'
	}, text)
	out = strings.TrimLeft(out, " _.-")
	if out == "" {
		return "part"
	}
	return out[:min(len(out), 60)]
}

// file is what is known of the part.
func (r *reader) file() *File {
	for _, p := range section(r.doc, "parts") {
		m, _ := p.(map[string]any)
		for i, f := range r.in.Files {
			if m["file"] == f.Name {
				return &r.in.Files[i]
			}
		}
	}
	for i, f := range r.in.Files {
		if isPart(f.Name) {
			return &r.in.Files[i]
		}
	}
	return nil
}

// mesh reads sizes and fineness.
func (r *reader) mesh() {
	mesh := map[string]any{}
	for k, v := range section(r.doc, "mesh") {
		mesh[k] = v
	}
	wishes := r.all("meshwish")
	for _, n := range wishes {
		n.use()
		w := n.val.(*meshWish)
		if p := r.placeBehind(n); p != nil && w.size != nil {
			local, _ := mesh["local"].(map[string]any)
			if local == nil {
				local = map[string]any{}
			}
			if r.localSize(local, p, n, w.size); len(local) > 0 {
				mesh["local"] = local
			}
			continue
		}
		switch {
		case w.size != nil && w.size.number.Sign() <= 0:
			r.refuse(r.say("An element cannot have a size of %s. Give one above 0, such as 2 mm.", "Ein Element kann nicht %s groß sein. Gib eine Größe über 0 an, etwa 2 mm.", decimal(w.size.number)+" "+w.size.written))
			return
		case w.size != nil:
			mesh["size"] = w.size.value(quantity.Length)
			delete(mesh, "fineness")
		case w.fineness != "":
			mesh["fineness"] = w.fineness
			delete(mesh, "size")
		default:
			r.remesh(mesh, w.change)
		}
	}
	if len(wishes) > 0 {
		r.doc["mesh"] = mesh
		r.local()
	}
}

// remesh makes a mesh finer or coarser than it is.
func (r *reader) remesh(mesh map[string]any, change string) {
	factor := 0.5
	if change == "coarser" {
		factor = 2
	}
	if size, ok := mesh["size"]; ok {
		mesh["size"] = times(size, factor)
		return
	}
	ladder := []string{"coarse", "medium", "fine"}
	at := max(slices.Index(ladder, text(mesh["fineness"])), 0)
	if mesh["fineness"] == nil {
		at = 1
	}
	next := at + 1
	if change == "coarser" {
		next = at - 1
	}
	if next < 0 || next > 2 {
		r.ask("mesh", r.say("The mesh is %s already. Give the size of its elements.", "Das Netz ist schon %s. Gib die Größe seiner Elemente an.", ladder[at]), r.say("2 mm mesh", "2 mm Netz"))
		return
	}
	mesh["fineness"] = ladder[next]
}

// local is a wish for one place, which the study cannot say of a mesh.
func (r *reader) local() {
	for i, n := range r.list {
		if w, ok := n.val.(*meshWish); ok && w.size != nil && r.placeBehind(n) != nil {
			continue // which has its size there
		}
		if n.is("localmesh") {
			r.assume("The study has no size of elements of a single place: the whole mesh is changed.", "Die Studie kennt keine Elementgröße für eine einzelne Stelle: das ganze Netz wird geändert.")
			continue
		}
		if n.kind != "meshwish" || i+1 >= len(r.list) {
			continue
		}
		for _, p := range r.list[i+1:] {
			if p.is("at") {
				continue
			}
			if p.kind == "place" {
				p.use()
				r.assume("The study has no size of elements of a single place: the whole mesh is changed, not only at %s.", "Die Studie kennt keine Elementgröße für eine einzelne Stelle: das ganze Netz wird geändert, nicht nur an %s.", p.text)
				p.also = append(p.also, "taken")
			}
			break
		}
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// reported are places of figures. A study has a figure of the whole part, which is said.
func (r *reader) reported() {
	for _, n := range r.scan.told {
		n.use()
		r.assume("The figure is that of the whole part, not only of %q; where it lies is told with it.", "Die Größe ist die des ganzen Teils, nicht nur von %q; wo sie liegt, wird mit genannt.", n.text)
	}
	if n := r.has("freefree"); n != nil {
		n.use()
		if r.holds() && r.analysed("modal") {
			for _, m := range r.members("supports", supportTypes...) {
				r.remove("supports", m.name)
			}
		}
	}
	if n := r.has("static.only"); n != nil && len(r.scan.hertz) > 0 {
		n.use()
		r.scan.hertz[0].use()
		r.refuse(r.say("A static analysis has no frequency: leave it out, or ask for a harmonic response.", "Eine statische Analyse hat keine Frequenz: lass sie weg, oder verlange eine harmonische Antwort."))
	}
	if r.analysed("flow") {
		for _, m := range r.members("materials") {
			for _, n := range r.all("oil") {
				if m.value["density"] != nil && (m.value["viscosity"] != nil || m.value["kinematic_viscosity"] != nil) {
					n.use() // a liquid with figures of its own
				}
			}
		}
	}
	for _, k := range []string{"laminar", "fan"} {
		for _, n := range r.all(k) {
			if k == "fan" || r.analysed("flow") {
				n.use()
			}
		}
	}
	for _, n := range r.all("headed") {
		n.use()
		if want, have := n.val.(int), len(section(r.doc, "loads"))-len(section(r.before, "loads")); want != have && len(r.out.Questions) == 0 {
			r.ask("load", r.say("%d loads are announced and %d were found: which is the other?", "%d Lasten sind angekündigt, %d wurden gefunden: welche fehlt?", want, have), "500 N")
		}
	}
	for i, n := range r.list {
		if n.is("o.1") && (i+1 == len(r.list) || r.list[i+1].kind == "comma" || r.list[i+1].kind == "stop") {
			n.use() // first this, then that
		}
	}
	for i, n := range r.list {
		if n.is("purpose") && (i == 0 || r.list[i-1].kind == "stop") && i+1 < len(r.list) && (r.list[i+1].kind == "colon" || r.list[i+1].kind == "comma") || n.is("origin") && (r.frame("initial") != nil || r.wholeTemperature() != nil) {
			n.use()
		}
	}
	for _, k := range []string{"openend", "samebore", "flowverb", "s.summary", "parabolic"} {
		for _, n := range r.all(k) {
			if r.analysed("flow") && (k != "s.summary" || strings.EqualFold(n.text, "mean")) || k == "flowverb" && r.analysed("heat") {
				n.use()
			}
		}
	}
	if n := r.has("leaves"); n != nil && (r.overTime() || r.analysed("flow")) {
		n.use()
	}
}

// raisedTo says whether the only amount is what something is raised or lowered to, and not
// by how much.
func (r *reader) raisedTo() bool {
	var only *node
	for _, n := range r.list {
		if n.kind == "amount" {
			if only != nil {
				return false
			}
			only = n
		}
	}
	if only == nil {
		return false
	}
	before := strings.Fields(strings.ToLower(r.text[:only.start]))
	return len(before) > 0 && slices.Contains([]string{"to", "auf"}, before[len(before)-1])
}
