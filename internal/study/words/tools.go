package words

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

// Single tools: a page, a notebook, a CAD import, a mesh, a repaired surface.

func (r *reader) isTool() bool {
	if len(section(r.before, "analyses")) > 0 {
		return false
	}
	for _, n := range r.all("file") {
		if isAudio(n.text) || strings.HasSuffix(strings.ToLower(n.text), ".ipynb") {
			return true
		}
	}
	if r.inspects() && r.frameless() {
		return true
	}
	if r.has("url", "t.search", "t.transcript", "t.notebook") != nil {
		return true
	}
	for _, n := range r.list {
		if n.is("fix") || n.is("force") || n.is("pressure") || n.kind == "bound" || n.kind == "wish" || n.is("an") || n.is("frequency") || n.is("temp") || n.is("convection") || n.is("material") || n.is("m") {
			return false
		}
	}
	return r.has("t.import", "t.repair", "mesh", "meshwish") != nil && r.frameless()
}

// frameless says whether the sentence has no load, support or temperature.
func (r *reader) frameless() bool {
	for _, f := range scan(r.list).frames {
		if f.kind != "bare" {
			return false
		}
	}
	return true
}

func (r *reader) tool() {
	for _, n := range r.list {
		if n.is("t") {
			n.use()
		}
	}
	file := ""
	for _, n := range r.all("file") {
		if !isPart(n.text) {
			file = n.text
		}
	}
	switch {
	case isAudio(file), r.has("t.audio") != nil && r.has("url") != nil:
		for _, n := range append(r.all("file"), r.all("url")...) {
			n.use()
		}
		r.refuse(r.say("Speech is not recognised here. Give the captions or the transcript as text, in a fenced block.", "Sprache wird hier nicht erkannt. Gib Untertitel oder Transkript als Text, in einem Block mit ```."))
	case strings.HasSuffix(strings.ToLower(file), ".ipynb"):
		r.runNotebook(file)
	case r.has("url") != nil:
		n := r.has("url")
		n.use()
		r.set("analyses", "page", map[string]any{"type": "tool", "tool": "web.fetch", "options": map[string]any{"url": n.val}})
	case r.has("t.search") != nil:
		r.search()
	case r.has("t.notebook") != nil:
		n := r.quoted()
		if n == nil {
			r.ask("title", r.say("What is the title of the notebook?", "Wie heißt das Notebook?"), r.say(`a notebook "Beam bending"`, `ein Notebook "Balkenbiegung"`))
			return
		}
		n.use()
		r.set("analyses", "notebook", map[string]any{"type": "tool", "tool": "notebook.begin", "options": map[string]any{"title": n.val}})
	case r.has("t.transcript") != nil:
		if n := r.has("netlist", "quoted"); n != nil {
			n.use()
			r.set("analyses", "transcript", map[string]any{"type": "tool", "tool": "transcript.clean", "options": map[string]any{"text": n.val}})
			return
		}
		for _, n := range r.all("file") {
			n.use()
		}
		r.ask("transcript", r.say("A transcript is taken as text: paste it in a fenced block.", "Ein Transkript wird als Text genommen: füge es in einem Block mit ``` ein."), "```\n00:00 ...\n```")
	default:
		r.meshing()
	}
}

func (r *reader) search() {
	if n := r.quoted(); n != nil {
		n.use()
		r.set("analyses", "search", map[string]any{"type": "tool", "tool": "search.web", "options": map[string]any{"query": n.val}})
		return
	}
	low := strings.ToLower(r.text)
	for _, lead := range []string{" for ", " nach ", "look up "} {
		if i := strings.Index(low, lead); i >= 0 {
			query := strings.Trim(r.text[i+len(lead):], " .?!")
			for _, n := range r.list {
				if n.start >= i {
					n.use()
				}
			}
			r.set("analyses", "search", map[string]any{"type": "tool", "tool": "search.web", "options": map[string]any{"query": query}})
			return
		}
	}
	r.ask("query", r.say("What is to be looked for?", "Wonach soll gesucht werden?"), r.say(`search for "yield strength of S355"`, `suche nach "Streckgrenze S355"`))
}

// meshing imports, repairs or meshes a part.
func (r *reader) meshing() {
	if r.unknown(); r.out.Refusal != "" {
		return
	}
	r.part()
	parts := r.members("parts")
	if len(parts) != 1 {
		if len(r.out.Questions) == 0 {
			r.ask("part", r.say("Which file is it about?", "Um welche Datei geht es?"), "bracket.step")
		}
		return
	}
	ref := map[string]any{"$study": "/parts/" + parts[0].name + "/file"}
	add := func(name, tool string, options map[string]any) {
		r.set("analyses", name, map[string]any{"type": "tool", "tool": tool, "options": options})
	}
	surface := false
	switch strings.ToLower(path.Ext(text(parts[0].value["file"]))) {
	case ".stl", ".obj", ".ply", ".off", ".glb":
		surface = true
	}
	for _, n := range r.all("mesh") {
		n.use()
	}
	switch {
	case r.inspects() && r.has("mesh", "meshwish", "t.repair") == nil:
		for _, n := range r.list {
			if n.kind == "place" || n.is("diameter") || n.is("face") || n.is("all") {
				n.use()
			}
		}
		add("import", "cad_import_truck", map[string]any{"file_path": ref})
		r.weigh()
	case r.has("t.repair") != nil:
		add("repair", "mesh_repair_pmp", map[string]any{"input_path": ref})
	case r.has("mesh", "meshwish") != nil:
		r.meshOnly(surface, ref, add)
	default:
		add("import", "cad_import_truck", map[string]any{"file_path": ref})
	}
}

func isAudio(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".wav", ".mp3", ".mp4", ".m4a", ".ogg", ".flac":
		return true
	}
	return false
}

// inspects says whether the sentence asks what the part is like: its holes, its volume.
func (r *reader) inspects() bool {
	if r.has("t.inspect") != nil || r.weighs() {
		return true
	}
	holes := false
	for _, n := range r.list {
		holes = holes || n.kind == "place" && holesOf(n) != nil
	}
	return holes && r.fresh && (r.contains("which hole") || r.contains("what hole") || r.contains("welche bohrung") || r.contains("welche löcher") || r.contains("how many hole"))
}

// runNotebook runs one from top to bottom.
func (r *reader) runNotebook(file string) {
	for _, n := range r.list {
		if n.is("file") || (n.kind == "place" || n.kind == "moved" || n.kind == "dir") && strings.Contains(strings.ToLower(r.text), "top to bottom") {
			n.use()
		}
	}
	options := map[string]any{"notebook_path": file}
	for _, n := range r.list {
		if a := n.amount(); a != nil && a.is(quantity.Time) && r.has("t.cell") != nil {
			n.use()
			options["cell_timeout_s"] = a.si(quantity.Time)
			for _, m := range append(r.all("geometry.more"), r.all("than")...) {
				m.use() // longer than
			}
		}
	}
	if r.has("t.stop") != nil {
		options["stop_on_error"] = true
	}
	r.set("analyses", "notebook", map[string]any{"type": "tool", "tool": "validator.run_execution", "options": options})
}

// quoted is the first text in quotation marks.
func (r *reader) quoted() *node {
	for _, n := range r.leaves {
		if n.kind == "quoted" {
			return n
		}
	}
	return nil
}

// meshOnly meshes a CAD part, or fills a surface.
func (r *reader) meshOnly(surface bool, ref any, add func(name, tool string, options map[string]any)) {
	if surface {
		options := map[string]any{"input_path": ref}
		for _, n := range r.all("meshwish") {
			n.use()
			if w := n.val.(*meshWish); w.size != nil {
				options["dx"] = w.size.value(quantity.Length)
				r.ask("unit", r.say("The file of a surface may not say its unit: in which one is it drawn?", "Die Datei einer Oberfläche nennt ihre Einheit nicht immer: in welcher ist sie gezeichnet?"), "mm")
			}
		}
		add("mesh", "volume_mesh_quartet", options)
		return
	}
	r.partMesh()
}

// partMesh is the mesh of a CAD part alone: an analysis of that type, with the sizes in the
// study's mesh.
func (r *reader) partMesh() {
	mesh := map[string]any{}
	local := map[string]any{}
	size := func(n *node, a *amount) {
		switch {
		case len(a.units) == 0:
			r.ask("unit", r.say("In which unit is the size %s?", "In welcher Einheit ist die Größe %s?", decimal(a.number)), decimal(a.number)+" mm")
		case a.number.Sign() <= 0:
			r.refuse(r.say("An element cannot have a size of %s.", "Ein Element kann nicht %s groß sein.", n.text))
		case mesh["size"] != nil:
			r.ask("size", r.say("Two sizes of elements are given. Which one is that of the whole mesh?", "Zwei Elementgrößen sind angegeben. Welche gilt für das ganze Netz?"), r.say("2 mm mesh", "2 mm Netz"))
		default:
			mesh["size"] = a.value(quantity.Length)
		}
	}
	for _, n := range r.all("meshwish") {
		n.use()
		switch w := n.val.(*meshWish); {
		case w.size != nil:
			if p := r.placeBehind(n); p != nil {
				r.localSize(local, p, n, w.size)
			} else {
				size(n, w.size)
			}
		case w.fineness != "":
			mesh["fineness"] = w.fineness
		default:
			r.ask("size", r.say("How large are the elements to be?", "Wie groß sollen die Elemente sein?"), r.say("2 mm mesh", "2 mm Netz"))
		}
	}
	for i, n := range r.list {
		if a := n.amount(); i > 0 && n.kind == "amount" && !n.used && len(a.units) == 0 && a.written == "" && a.doubt == "" && r.list[i-1].is("mesh") {
			n.use()
			size(n, a)
		}
	}
	for _, n := range r.amountsOf(quantity.Length) {
		n.use()
		p := r.placeBehind(n)
		if p == nil {
			p = r.placeBefore(n)
		}
		if p != nil {
			r.localSize(local, p, n, n.amount())
		} else {
			size(n, n.amount())
		}
	}
	r.useEach("elementtype", "order")
	for i, n := range r.list {
		if n.is("not") && i+1 < len(r.list) && r.list[i+1].is("solve") {
			n.use()
			r.list[i+1].use()
		}
	}
	if len(local) > 0 {
		mesh["local"] = local
	}
	if len(mesh) > 0 {
		r.doc["mesh"] = mesh
	}
	r.set("analyses", "mesh", map[string]any{"type": "mesh"})
	r.assume("The elements are curved tetrahedra of second order.", "Die Elemente sind gekrümmte Tetraeder zweiter Ordnung.")
}

// placeBehind is the place behind a size: 1 mm at the hole; nil for none.
func (r *reader) placeBehind(n *node) *node {
	for _, k := range n.kids {
		if k.kind == "place" {
			return k
		}
	}
	i := slices.Index(r.list, n)
	for _, p := range r.list[i+1:] {
		if p.is("at") || p.is("of") {
			continue
		}
		if p.kind == "place" {
			return p
		}
		break
	}
	return nil
}

// localSize puts a size of elements at a place.
func (r *reader) localSize(local map[string]any, p, n *node, a *amount) {
	p.use()
	p.also = append(p.also, "taken")
	where := *p.val.(*place)
	switch {
	case len(a.units) == 0:
		r.ask("unit", r.say("In which unit is the size %s?", "In welcher Einheit ist die Größe %s?", decimal(a.number)), decimal(a.number)+" mm")
		return
	case a.number.Sign() <= 0:
		r.refuse(r.say("An element cannot have a size of %s.", "Ein Element kann nicht %s groß sein.", n.text))
		return
	case !r.resolve(&where, p):
		return
	}
	on := where.json()
	for name, have := range local {
		if m, _ := have.(map[string]any); samePlace(m["on"], on) {
			local[name] = map[string]any{"on": on, "size": a.value(quantity.Length)}
			return
		}
	}
	name := nameOf(p.text)
	for i := 2; local[name] != nil; i++ {
		name = nameOf(p.text) + " " + strconv.Itoa(i)
	}
	local[name] = map[string]any{"on": on, "size": a.value(quantity.Length)}
}

// weighs says whether nothing but the mass of the part is asked for, and what it is like.
func (r *reader) weighs() bool {
	return r.fresh && len(r.massAsked()) > 0 && r.has("an", "bound", "safety", "frequency", "mode") == nil && len(r.amountsOf(quantity.Mass)) == 0
}

// weigh asks for the mass of the imported part, which needs what it is made of.
func (r *reader) weigh() {
	list := r.massAsked()
	if len(list) == 0 {
		return
	}
	for _, n := range list {
		n.use()
	}
	r.scan = scan(r.list)
	if r.materials(); len(r.members("materials")) == 0 && len(r.out.Questions) == 0 {
		r.ask("material", r.say("What is the part made of?", "Woraus ist das Teil?"), r.say("steel S235", "Stahl S235"))
		return
	}
	r.set("questions", "mass", map[string]any{"analysis": "import", "quantity": "mass"})
}

// massAsked are the pieces that ask for the mass.
func (r *reader) massAsked() []*node {
	list := r.all("q.mass")
	for _, n := range r.all("wish") {
		if w, ok := n.val.(wish); ok && w.quantity == "q.mass" {
			list = append(list, n)
		}
	}
	return list
}

// placeBefore is the place right before a size: at the hole 1 mm; nil for none, or one that
// has a size already.
func (r *reader) placeBefore(n *node) *node {
	i := slices.Index(r.list, n)
	for j := i - 1; j >= 0; j-- {
		p := r.list[j]
		if p.is("at") || p.is("of") || p.is("with") {
			continue
		}
		if p.kind == "place" && !p.is("taken") {
			return p
		}
		break
	}
	return nil
}
