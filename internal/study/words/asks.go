package words

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// contains says whether the sentence has a text, whatever its capitals.
func (r *reader) contains(text string) bool { return strings.Contains(strings.ToLower(r.text), text) }

// asked is a figure, with what the study calls it and the types of analyses that have it.
type asked struct {
	concept  string
	name     string // in the section of questions
	quantity string
	of       []string
}

var askedOf = []asked{
	{"q.stress", "stress", "max von Mises", []string{"static", "nonlinear"}},
	{"q.displacement", "displacement", "max displacement", []string{"static", "nonlinear"}},
	{"q.displacement", "amplitude", "peak amplitude", []string{"harmonic"}},
	{"q.displacement", "displacement", "peak displacement", []string{"transient"}},
	{"q.amplitude", "amplitude", "peak amplitude", []string{"harmonic"}},
	{"q.safety", "safety", "safety factor", []string{"static", "nonlinear"}},
	{"q.energy", "energy", "strain energy", []string{"static", "nonlinear"}},
	{"q.strain", "strain", "plastic strain", []string{"nonlinear"}},
	{"frequency", "frequency", "first natural frequency", []string{"modal"}},
	{"freq", "frequency", "first natural frequency", []string{"modal"}},
	{"loadfactor", "load factor", "buckling load factor", []string{"buckling"}},
	{"temp", "temperature", "max temperature", []string{"heat"}},
	{"q.maxspeed", "speed", "max speed", []string{"flow"}},
	{"speed", "speed", "max speed", []string{"flow"}},
	{"q.pressuredrop", "pressure drop", "pressure drop", []string{"flow"}},
	{"freq", "frequency", "/harmonic/peak/frequency", []string{"harmonic"}},
	{"frequency", "frequency", "/harmonic/peak/frequency", []string{"harmonic"}},
	{"heatrate", "heat", "heat rate of %s", []string{"heat"}},
	{"reaction", "reaction", "/loads/%d/force/%d", []string{"static", "nonlinear"}},
	{"q.effmass", "effective mass", "/modes/0/mass_share/%d", []string{"modal"}},
	{"q.flowrate", "flow rate", "flow rate of %s", []string{"flow"}},
}

// figureOf finds what the study calls a wish; ok is false where no analysis has it.
func (r *reader) figureOf(w wish) (asked, bool) {
	for _, a := range askedOf {
		if a.concept != w.quantity || !slices.ContainsFunc(a.of, r.analysed) {
			continue
		}
		switch {
		case a.concept == "q.effmass" && w.number == 0:
			r.ask("axis", r.say("Along which axis is the effective mass wanted?", "In welcher Richtung wird die effektive Masse gesucht?"), r.say("effective mass in z", "effektive Masse in z"))
		case a.concept == "q.effmass":
			a.quantity = fmt.Sprintf(a.quantity, w.number-1)
			r.assume("The effective mass is that of the first mode over the part's mass; the result has it for every mode.", "Die effektive Masse ist die der ersten Form, bezogen auf die Masse des Teils; das Ergebnis hat sie für jede Form.")
		case strings.Contains(a.quantity, "%"):
			pointer, ok := r.carried(a)
			if !ok {
				return asked{}, false
			}
			a.quantity = pointer
		case w.least && a.concept == "temp":
			a.quantity, a.name = "min temperature", "lowest temperature"
		case w.number > 1 && a.concept == "frequency":
			a.quantity = map[int]string{2: "second natural frequency", 3: "third natural frequency"}[w.number]
			a.name = a.quantity
		}
		return a, true
	}
	return asked{}, false
}

// collected are all figures that the sentence asks for, as a phrase or a bare word.
func (r *reader) collected() (list []wish, where, safe bool) {
	for _, n := range r.list {
		w, is := n.val.(wish)
		if n.is("q.flowrate") || w.quantity == "q.flowrate" {
			if len(r.amountsGiven(quantity.FlowRate)) > 0 {
				n.use() // which is given
				continue
			}
		}
		where = where || n.is("where")
		switch {
		case n.is("where"):
			n.use()
		case n.is("issafe"), n.is("yieldof") && n.val == nil && r.contains("yield?"):
			n.use()
			safe = true
			continue
		}
		for _, c := range []string{"q.stress", "q.displacement", "q.amplitude", "q.safety", "q.mass", "q.energy", "q.strain", "reaction", "frequency", "loadfactor", "q.maxspeed", "q.pressuredrop", "q.flowrate", "q.effmass"} {
			if c == "frequency" && n.is("freq") && r.analysed("harmonic") && len(r.before) > 1 {
				n.use()
				w, is = wish{quantity: "freq"}, true
			}
			if !is && n.val == nil && n.is(c) {
				w, is = wish{quantity: c}, true
			}
		}
		if is {
			n.use()
			if w.quantity != "" {
				list = append(list, w)
			}
		}
	}
	for _, f := range r.scan.frames {
		if f.kind == "temp" && len(f.amounts) == 0 && len(f.places) == 0 {
			f.use()
			list = append(list, wish{quantity: "temp", least: coldAsked(f)})
		}
		if f.kind == "asked.pressuredrop" {
			list = append(list, wish{quantity: "q.pressuredrop"})
		}
		if f.kind == "flux" && len(f.amounts) == 0 && len(f.places) == 0 {
			f.use()
			list = append(list, wish{quantity: "heatrate"})
		}
	}
	list = r.heatWished(r.extremes(list))
	for _, m := range append(r.all("max"), r.all("min")...) {
		if m.kind == "max" || m.kind == "min" {
			m.use()
		}
	}
	return list, where, safe
}

// wishes become questions of the study; where the sentence changes nothing, they are asked
// of the last run.
func (r *reader) wishes() {
	if r.shortQuestion() {
		return
	}
	list, where, safe := r.collected()
	if r.reacts {
		list = append(list, wish{quantity: "reaction"})
	}
	if len(list) == 0 && !where && !safe {
		r.accurate(nil)
		return
	}
	last := r.in.LastRun && r.unchanged() && len(r.out.Questions) == 0 && r.has("accurate") == nil && r.has("bound") == nil && r.has("safety") == nil
	if last {
		for _, w := range list {
			if held := r.heldFaces(); w.quantity == "reaction" && len(held) > 0 && r.loadAxis() < 0 {
				for _, name := range held {
					r.asks("reaction force of " + name)
				}
				continue
			}
			if a, ok := r.figureOf(w); ok {
				r.asks(a.quantity)
			} else {
				r.noFigure(w)
			}
		}
		if where {
			r.asks("where")
		}
		if safe {
			r.asks("is it safe")
		}
		return
	}
	if safe {
		list = append(list, wish{quantity: "q.safety"})
	}
	if where && len(list) == 0 {
		list = append(list, r.usual())
	}
	var put []string
	for _, w := range list {
		if w.quantity == "reaction" && r.reactions() {
			continue
		}
		a, ok := r.figureOf(w)
		if !ok {
			r.noFigure(w)
			continue
		}
		r.set("questions", a.name, map[string]any{"quantity": a.quantity})
		put = append(put, a.name)
	}
	r.accurate(put)
}

// unchanged says whether the sentence has changed nothing so far.
func (r *reader) unchanged() bool { return reflect.DeepEqual(r.before, r.doc) }

func (r *reader) asks(what string) {
	if !slices.Contains(r.out.Asks, what) {
		r.out.Asks = append(r.out.Asks, what)
	}
}

// usual is the figure that is looked at first in the study's analysis.
func (r *reader) usual() wish {
	for _, u := range [][2]string{{"static", "q.stress"}, {"nonlinear", "q.stress"}, {"modal", "frequency"}, {"buckling", "loadfactor"}, {"heat", "temp"}, {"harmonic", "q.amplitude"}, {"transient", "q.displacement"}, {"flow", "q.pressuredrop"}} {
		if r.analysed(u[0]) {
			return wish{quantity: u[1]}
		}
	}
	return wish{quantity: "q.stress"}
}

func (r *reader) noFigure(w wish) {
	if len(r.members("analyses")) == 0 {
		return // the analysis is asked for
	}
	if w.quantity == "q.mass" {
		r.ask("quantity", r.say("The mass is no figure of this analysis. Ask for it alone, with the material.", "Die Masse ist keine Größe dieser Analyse. Frage allein danach, mit dem Werkstoff."), r.say("What does the part weigh in steel?", "Was wiegt das Teil aus Stahl?"))
		return
	}
	var can []string
	for _, a := range askedOf {
		if slices.ContainsFunc(a.of, r.analysed) && !strings.Contains(a.quantity, "/") && !slices.Contains(can, a.quantity) {
			can = append(can, strings.ReplaceAll(a.quantity, "%s", r.say("a support", "einer Lagerung")))
		}
	}
	r.ask("quantity", r.say("The analyses of the study have no such figure. They have %s.", "Die Analysen der Studie haben diese Größe nicht. Sie haben %s.", strings.Join(can, ", ")), r.say("the stress of a static analysis", "die Spannung einer statischen Analyse"))
}

// accurate puts the accuracy that is asked for on the figures, or on the usual one.
func (r *reader) accurate(put []string) {
	n := r.has("accurate")
	if n == nil {
		return
	}
	n.use()
	share, _ := n.val.(accuracy).amount.number.Float64()
	share = quantity.Significant(share / 100)
	if share <= 0 || share > 1 {
		r.refuse(r.say("An accuracy lies above 0 and up to 100 %%; %s is none.", "Eine Genauigkeit liegt über 0 und höchstens bei 100 %%; %s ist keine.", n.text))
		return
	}
	if len(put) == 0 {
		put = names(section(r.doc, "questions"))
	}
	if len(put) == 0 {
		a, ok := r.figureOf(r.usual())
		if !ok {
			return
		}
		r.set("questions", a.name, map[string]any{"quantity": a.quantity})
		put = []string{a.name}
	}
	if u, ok := r.figureOf(r.usual()); ok && slices.Contains(put, u.name) {
		put[0], put[slices.Index(put, u.name)] = u.name, put[0]
	}
	if len(put) > 1 {
		r.assume("The accuracy is that of the %s: one figure of an analysis can have one.", "Die Genauigkeit gilt für %s: nur eine Größe einer Analyse kann eine haben.", put[0])
	}
	q, _ := section(r.doc, "questions")[put[0]].(map[string]any)
	q["accuracy"] = share
}

// bounds become requirements.
func (r *reader) bounds() {
	if n := r.has("when"); n != nil && r.has("bound") != nil && r.contains("?") {
		n.use()
		for _, b := range r.all("bound") {
			b.use()
		}
		r.ask("time", r.say("A time at which a limit is reached cannot be asked for in words yet. The course of the temperatures is in the result.", "Nach der Zeit, zu der eine Grenze erreicht ist, lässt sich noch nicht in Worten fragen. Der Verlauf steht im Ergebnis."), r.say("the max temperature", "die höchste Temperatur"))
		return
	}
	r.hotterThan()
	r.buckles()
	for _, n := range r.all("bound") {
		n.use()
		r.requirement(n, n.val.(*bound))
	}
	for _, n := range r.all("safety") {
		n.use()
		value, _ := n.val.(*amount).number.Float64()
		if value <= 0 {
			r.refuse(r.say("A safety factor is above 0.", "Eine Sicherheit ist größer als 0."))
			return
		}
		r.require("safety", map[string]any{"quantity": "safety factor", "at_least": value})
	}
	if n := r.has("yieldof", "tensile"); n != nil && !n.used {
		if r.has("not") != nil && (r.contains("must not") || r.contains("darf nicht") || r.contains("may not")) {
			n.use()
			r.has("not").use()
			r.require("stress", map[string]any{"quantity": "max von Mises", "at_most": "yield"})
		}
	}
}

func (r *reader) requirement(n *node, b *bound) {
	w := wish{quantity: b.quantity}
	for _, k := range []struct {
		kind quantity.Kind
		of   string
	}{{quantity.Pressure, "q.stress"}, {quantity.Length, "q.displacement"}, {quantity.Temperature, "temp"}, {quantity.Frequency, "frequency"}, {quantity.Mass, "q.mass"}} {
		if w.quantity == "" && b.amount.is(k.kind) {
			w.quantity = k.of
		}
	}
	if b.formula != "" {
		w.quantity = "q.stress"
	}
	w.least = b.above && !b.most
	a, ok := r.figureOf(w)
	if !ok {
		if w.quantity == "" {
			r.ask("requirement", r.say("Of which figure is %q the limit?", "Für welche Größe ist %q die Grenze?", n.text), r.say("the stress must stay below 160 MPa", "die Spannung muss unter 160 MPa bleiben"))
			return
		}
		r.noFigure(w)
		return
	}
	if a.concept == "temp" && b.above && !b.most {
		a.quantity = "min temperature"
	}
	var limit any
	switch {
	case b.formula != "" && b.share != 0 && b.share != 1:
		limit = b.formula + " * " + quantity.Number(b.share)
		if inverse := 1 / b.share; ratio(inverse) != nil && b.share < 1 && quantity.Significant(inverse) == quantity.Significant(float64(int(inverse*100+0.5))/100) {
			limit = b.formula + " / " + quantity.Number(quantity.Significant(inverse))
		}
	case b.formula != "":
		limit = b.formula
	case len(b.amount.units) == 0 && a.concept != "q.safety" && a.concept != "loadfactor":
		r.ask("unit", r.say("In which unit is the limit %s?", "In welcher Einheit ist die Grenze %s?", decimal(b.amount.number)), decimal(b.amount.number)+" MPa")
		return
	case len(b.amount.units) == 0:
		limit, _ = b.amount.number.Float64()
	default:
		limit = r.limit(a, b.amount)
	}
	if limit == nil {
		r.ask("requirement", r.say("The limit %q is of another dimension than the %s.", "Die Grenze %q hat eine andere Dimension als %s.", n.text, a.quantity), "160 MPa")
		return
	}
	if b.under && len(r.members("loads", "pressure")) > 0 && a.concept == "q.stress" || b.above && b.most && a.concept == "temp" {
		r.ask("requirement", r.say("Is %q a limit of the %s, and must it stay above or below?", "Ist %q eine Grenze für %s, und muss sie darüber oder darunter bleiben?", n.text, a.quantity), r.say("the stress must stay below 160 MPa", "die Spannung muss unter 160 MPa bleiben"))
		return
	}
	side := "at_most"
	if b.above {
		side = "at_least"
	}
	if b.above && slices.Contains([]string{"q.stress", "q.displacement", "q.amplitude", "q.pressuredrop"}, a.concept) {
		r.ask("requirement", r.say("Must the %s stay above that, or below?", "Muss %s darüber oder darunter bleiben?", a.quantity), r.say("below 160 MPa", "unter 160 MPa"))
		return
	}
	r.require(a.name, map[string]any{"quantity": a.quantity, side: limit})
}

// limit is an amount in the unit of a figure; nil for one of another dimension.
func (r *reader) limit(a asked, v *amount) any {
	kind, ok := map[string]quantity.Kind{"q.stress": quantity.Pressure, "q.displacement": quantity.Length, "q.amplitude": quantity.Length, "temp": quantity.Temperature, "frequency": quantity.Frequency,
		"freq": quantity.Frequency, "q.mass": quantity.Mass, "q.pressuredrop": quantity.Pressure, "q.maxspeed": quantity.Velocity, "speed": quantity.Velocity}[a.concept]
	if !ok || !v.is(kind) {
		return nil
	}
	return v.value(kind)
}

// require puts a requirement in, in the place of one for the same figure.
func (r *reader) require(name string, value map[string]any) {
	for _, m := range r.members("requirements") {
		if m.value["quantity"] == value["quantity"] {
			r.set("requirements", m.name, value)
			return
		}
	}
	r.set("requirements", r.unique("requirements", name), value)
}

// complete asks for what a first sentence lacks.
func (r *reader) complete() {
	if !r.fresh || r.out.Refusal != "" {
		return
	}
	about := func(kinds ...string) bool {
		return slices.ContainsFunc(r.out.Questions, func(q Question) bool { return slices.Contains(kinds, q.About) })
	}
	if len(section(r.doc, "analyses")) == 0 {
		if !about("number", "unit", "place") {
			r.ask("analysis", r.say("What is to be computed: stresses, natural frequencies, temperatures, a flow, a circuit?", "Was soll berechnet werden: Spannungen, Eigenfrequenzen, Temperaturen, eine Strömung, eine Schaltung?"), r.example())
		}
		return
	}
	if len(section(r.doc, "parts")) == 0 && !about("part") {
		r.ask("part", r.say("Which file is the part? A part is a CAD file, a surface or a mesh; it cannot be drawn from words.", "Welche Datei ist das Teil? Ein Teil ist eine CAD-Datei, eine Oberfläche oder ein Netz; aus Worten lässt es sich nicht zeichnen."), "bracket.step")
	}
	if len(section(r.doc, "materials")) == 0 && !about("material", "unit", "figure") {
		r.ask("material", r.say("What is the part made of?", "Woraus ist das Teil?"), r.say("steel S235", "Stahl S235"))
	}
	for _, m := range r.members("analyses") {
		kind := m.kind()
		structure := !slices.Contains([]string{"heat", "flow", "circuit", "tool"}, kind)
		options, _ := m.value["options"].(map[string]any)
		switch {
		case structure && kind != "modal" && !r.holds() && !about("support", "place", "hole", "diameter", "unit"):
			r.ask("support", r.say("Where is the part held?", "Wo ist das Teil gehalten?"), r.say("fixed at the bottom", "unten eingespannt"))
		case structure && kind == "modal" && !r.holds() && !about("support", "place", "hole", "diameter") && !r.contains("free-free") && !r.contains("free free"):
			r.assume("Nothing holds the part: its first six modes are those of a free body, with 0 Hz.", "Nichts hält das Teil: seine ersten sechs Moden sind die eines freien Körpers, mit 0 Hz.")
		}
		if structure && kind != "modal" && len(section(r.doc, "loads")) == 0 && options["temperature"] == nil && !r.displacedBy() && !about("force", "load", "direction", "place", "unit", "pressure", "moment", "axis", "hole", "diameter", "acceleration", "rotation", "number", "which") {
			r.ask("load", r.say("What loads the part?", "Was belastet das Teil?"), r.say("500 N down on the top", "500 N nach unten auf die Oberseite"))
		}
		if kind == "heat" && !r.keeps() && !about("place", "unit", "h", "ambient", "heat", "radiation") {
			r.ask("temperature", r.say("Nothing sets a temperature: where is it how warm, or which fluid cools the part?", "Nichts legt eine Temperatur fest: wo ist es wie warm, oder welches Fluid kühlt das Teil?"), r.say("the left is at 80 degC", "links 80 °C"))
		}
		if kind == "flow" && len(r.members("supports", "inlet")) == 0 && len(r.members("supports", "outlet")) < 2 && !about("velocity", "place") {
			r.ask("velocity", r.say("Where does the fluid enter, and with which velocity?", "Wo strömt das Fluid ein, und mit welcher Geschwindigkeit?"), r.say("inlet on the left with 0.2 m/s", "Einlass links mit 0,2 m/s"))
		}
		if kind == "flow" && len(r.members("supports", "outlet")) == 0 && !about("velocity", "place") {
			r.ask("place", r.say("Where does the fluid leave?", "Wo strömt das Fluid aus?"), r.say("outlet on the right", "Auslass rechts"))
		}
	}
}

func (r *reader) holds() bool { return len(r.members("supports", supportTypes...)) > 0 }

func (r *reader) displacedBy() bool {
	return slices.ContainsFunc(r.members("supports", "fixed"), func(m member) bool { return m.value["value"] != nil })
}

// keeps says whether something of the heat problem sets a temperature.
func (r *reader) keeps() bool {
	return len(r.members("supports", "fixed_temp", "convection", "radiation")) > 0
}

// shortQuestion passes a question of a few words that names no figure of the lexicon on to
// the last run, which knows more names: Reynolds number?
func (r *reader) shortQuestion() bool {
	if !r.in.LastRun || !strings.HasSuffix(strings.TrimSpace(r.text), "?") && r.has("where") == nil && !r.contains("what") || !r.unchanged() || len(r.out.Questions) > 0 {
		return false
	}
	var words []string
	unknown := false
	for _, n := range r.list {
		switch {
		case slices.ContainsFunc(free, n.is) && n.kind != "part", n.is("max"), n.is("min"):
		case n.kind == "word" || n.is("c") || n.is("s") && n.kind != "amount", n.is("an"):
			unknown = true
			words = append(words, n.text)
		default:
			return false
		}
	}
	if !unknown || len(words) > 3 {
		return false
	}
	for _, n := range r.list {
		n.use()
	}
	r.asks(strings.Join(words, " "))
	return true
}

// asksFigure says whether a piece asks for a figure.
func asksFigure(n *node) bool {
	return n.kind == "wish" || n.kind == "accurate" || n.is("q") && n.val == nil || n.is("where") || n.is("reaction") || n.is("heatrate") && n.val == nil || n.is("max") || n.is("min")
}

// questions are the pieces of sentences that end with a question mark, ask for a figure and
// give none: their places say where a figure is asked for.
func questions(list []*node) map[*node]bool {
	out := map[*node]bool{}
	begin := 0
	for i, n := range list {
		if n.kind != "stop" && i+1 < len(list) {
			continue
		}
		asks := n.text == "?"
		figure := false
		for _, m := range list[begin:i] {
			figure = figure || asksFigure(m) || m.is("temp") || m.is("heated")
			if _, head := headKind(m); m.kind == "amount" || m.kind == "vector" || m.is("free") || head && !m.is("temp") && !m.is("heated") && !m.is("flux") && !m.is("heatrate") && !m.is("speed") {
				asks = false
			}
		}
		for _, m := range list[begin:i] {
			if asks && figure {
				out[m] = true
			}
		}
		begin = i + 1
	}
	return out
}
