package words

import (
	"regexp"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// Words that turn what is asked or loaded into something else than the words beside them
// say: an order in time, a load that goes away, a blow, the kind of a stress. None of them may
// be passed over: what they mean is refused or asked for before anything is read.

// turn is such a group of words.
type turn struct {
	said   *regexp.Regexp
	unless func(r *reader) bool // has a meaning here that is read elsewhere
	en, de string
}

// words makes an expression that finds whole words, whatever their capitals.
func wholeWords(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}])(` + alternatives + `)(?:$|[^\p{L}\p{N}])`)
}

const (
	stressKinds = `compressive|compression|tensile|tension|bending|flexural|axial|normal|hoop|membrane|circumferential|radial|longitudinal|nominal|mean|average|residual|remaining|minimum|minimal|min\.?|smallest|lowest|least`
	moved       = `deflections?|displacements?|deformations?|elongations?|sag|stretch|movements?`
	bewegt      = `verschiebung(?:en)?|verformung(?:en)?|durchbiegung(?:en)?|auslenkung|absenkung|verlängerung|dehnung|längenänderung`
	kleinste    = `kleinste[nrs]?|niedrigste[nrs]?|minimale?[nrs]?|geringste[nrs]?|tiefste[nrs]?|mittlere[nrs]?|durchschnittliche[nrs]?|bleibende[nrs]?|verbleibende[nrs]?|mindest`
)

var turns = []turn{
	{wholeWords(`(?:drop|drops|dropped|falls?|falling|fell|thrown|lands?|landing|crash(?:es|ed)?)(?: \w+)? (?:on|onto|upon|against)(?: [\w ]*)?|dropped|hits|hit by|is hit|strikes|struck|fällt (?:\w+ ){0,3}(?:auf|darauf)|(?:drauf|darauf|her)?(?:gefallen|fallengelassen)|fallen gelassen|fallen lassen|aufprallt|prallt|schlägt (?:\w+ ){0,3}auf|aufschlag`),
		func(r *reader) bool { return r.has("an.transient") != nil || r.heatOnly() },
		"A blow is not set up from a mass or a height: give the force over time, as a half sine with its duration, for a transient analysis, or the static force that stands for it.",
		"Ein Stoß wird nicht aus Masse oder Fallhöhe bestimmt: gib die Kraft über der Zeit an, als Halbsinus mit seiner Dauer für eine transiente Analyse, oder die statische Ersatzkraft."},
	{wholeWords(`(?:` + stressKinds + `)(?: (?:von|mises|equivalent|principal|max|maximum|value of the|of the|and (?:` + stressKinds + `))){0,3} (?:stress|stresses)|stress(?:es)? (?:in )?(?:compression|tension|bending)|stress(?:es)?,? (?:minimum|min)|(?:druck|zug|biege?|normal|axial|umfangs|tangential|radial|längs|nenn|eigen|rest|membran|mindest|minimal)-?spannung(?:en)?|(?:` + kleinste + `) (?:\w+-?)?spannung(?:en)?|spannung(?:en)? (?:minimal|minimum)`),
		(*reader).heldAndHeated,
		"The stress that a static analysis gives in words is the largest von Mises stress, which has no sign and no part for bending, tension or compression, and no least value. Ask for the stress; the fields of the result hold the rest.",
		"Die Spannung, die eine statische Analyse in Worten nennt, ist die größte Vergleichsspannung nach von Mises; sie hat kein Vorzeichen, keinen Anteil aus Biegung, Zug oder Druck und keinen kleinsten Wert. Frage nach der Spannung; das Übrige steht in den Feldern des Ergebnisses."},
	{wholeWords(`(?:minimum|minimal|min|smallest|lowest|least|average|mean) (?:` + moved + `)|(?:` + moved + `),? (?:minimum|min)|(?:` + kleinste + `) (?:` + bewegt + `)`),
		func(r *reader) bool { return false },
		"The displacement that is told is the largest one; the least and the mean are not. Ask for the displacement.",
		"Genannt wird die größte Verschiebung, nicht die kleinste oder mittlere. Frage nach der Verschiebung."},
	{wholeWords(`(?:remaining|permanent|residual|lasting) (?:\w+ )?(?:` + moved + `|set|strain|shape|bend)|(?:bleibende|verbleibende|dauerhafte|permanente)[nrs]? (?:` + bewegt + `)|(?:removed|unloaded|released|lifted|taken (?:off|away)|relieved)(?: \w+)? (?:again|afterwards|after)|(?:wieder|dann|danach|anschließend) (?:\w+ )?(?:entfernt|entlastet|weggenommen|abgenommen|losgelassen|abgehoben)|after (?:unloading|removing|the load is (?:gone|removed))|nach (?:der |dem )?(?:entlastung|entlasten|wegnehmen)`),
		func(r *reader) bool { return false },
		"A load that goes away again, and what remains after it, cannot be said in words. A linear analysis goes back to nothing; the largest plastic strain of a nonlinear analysis says whether something would remain.",
		"Eine Last, die wieder weggeht, und was danach bleibt, lässt sich nicht in Worten sagen. Linear geht alles auf null zurück; die größte plastische Dehnung einer nichtlinearen Analyse sagt, ob etwas bliebe."},
	{wholeWords(`(?:switched|turned|shut|goes|is|are|fan|heater|heating|power|pump|cooling) off(?: again)? (?:after|at|when)|off after|(?:stops|stopped|fails|ends|removed|released) after|(?:on|only) for the first|for the first \d+|until it is (?:switched|turned)|nach \d[\d.,]* ?\w+ (?:\w+ ){0,3}(?:aus|ab|abgeschaltet|ausgeschaltet|abgestellt|entfernt|aus fällt|ausfällt)|(?:abgeschaltet|ausgeschaltet|abgestellt) nach|aus nach \d|in den ersten \d`),
		func(r *reader) bool { return false },
		"Conditions that are switched in time cannot be said in words: each holds from the beginning to the end. Compute the stages one after the other, each with its conditions.",
		"Bedingungen, die im Lauf der Zeit wechseln, lassen sich nicht in Worten sagen: jede gilt von Anfang bis Ende. Berechne die Abschnitte nacheinander, jeden mit seinen Bedingungen."},
	{wholeWords(`(?:how (?:much|many|heavy a)|what|which|maximum|max|highest|largest|greatest)(?: (?:more|load|loads|weight|force|mass|kg|kilos?|newtons?))*(?: (?:that|which))?(?: (?:it|can|could|may|might|will|would|does|do|the|this|that|part|bracket|beam|plate|i))+(?: (?:be|still|safely|at most))* (?:carry|carried|take|bear|hold|support|withstand|stand|hang)|(?:load|carrying|weight) capacity|load-bearing capacity|wie ?viel(?:e)?(?: (?:kg|kilo|gewicht|last|kraft|newton|mehr))?(?: (?:kann|könnte|darf|würde|hält|trägt))(?: [\p{L}]+){0,5}|(?:tragfähigkeit|traglast|höchstlast|maximallast)|(?:maximale|größte|höchste) (?:last|kraft|traglast|belastung) ?\?`),
		func(r *reader) bool { return r.heatOnly() || r.has("an.buckling", "loadfactor") != nil },
		"The largest load is not computed in words. Stresses grow with the load: ask for the safety factor of a load that you give; that load times the factor reaches the yield strength.",
		"Die größte Last wird in Worten nicht berechnet. Spannungen wachsen mit der Last: frage nach der Sicherheit bei einer Last, die du angibst; diese Last mal der Sicherheit erreicht die Streckgrenze."},
}

// attended refuses what a group of words turns about.
func (r *reader) attended() {
	text := strings.Join(strings.Fields(r.text), " ")
	for _, t := range turns {
		found := t.said.FindStringSubmatch(text)
		if found == nil || t.unless(r) {
			continue
		}
		r.refuse(r.say("%q: ", "%q: ", strings.TrimSpace(found[1])) + r.say(t.en, t.de))
	}
	r.sequences()
	r.vibratingMass()
	r.factors()
	r.leftOut()
}

// heatOnly says whether the sentence is of heat: dropped into oil, so much heat.
func (r *reader) heatOnly() bool {
	return r.has("an.heat", "convection", "cooled", "origin") != nil && !slices.ContainsFunc(r.list, func(n *node) bool { return n.kind == "amount" && n.amount().is(quantity.Force) })
}

// heldAndHeated says whether a part is only held and heated, so that its stress is the
// compression or tension that the heat makes; the figure without a sign is told.
func (r *reader) heldAndHeated() bool {
	heated := r.has("heated", "an.thermalstress") != nil && r.has("min", "size.smallest") == nil
	for _, n := range r.list {
		if n.is("force") && n.val == nil || n.kind == "amount" && (n.amount().is(quantity.Force) || n.amount().is(quantity.Pressure)) {
			return false
		}
	}
	said := strings.ToLower(r.text)
	for _, kind := range []string{"bending", "hoop", "residual", "remaining", "mean", "average", "biege", "eigen", "rest", "kleinste", "minim"} {
		heated = heated && !strings.Contains(said, kind)
	}
	if heated {
		r.assume("The stress is that of von Mises, which has no sign.", "Die Spannung ist die nach von Mises, die kein Vorzeichen hat.")
	}
	return heated
}

var later = wholeWords(`then|afterwards|after that|thereafter|subsequently|later|dann|danach|anschließend|hinterher|daraufhin|später`)

// sequences asks where the same kind of condition stands before and behind a word of time:
// 100 degC, then 20 degC.
func (r *reader) sequences() {
	if r.has("ramp", "ramped") != nil || r.marks.change {
		return
	}
	for _, n := range r.leaves {
		if !later.MatchString(n.text) {
			continue
		}
		before, behind := map[string]bool{}, map[string]bool{}
		times := false
		for _, m := range r.list {
			kind := ""
			switch {
			case m.kind == "amount" || m.kind == "vector":
				kind = dimensionOf(m)
			case m.kind == "dir":
				kind = "dir"
			case m.kind == "fluidtemp":
				kind = "kelvin"
			}
			if kind == "" {
				continue
			}
			times = times || kind == "second"
			if m.start < n.start {
				before[kind] = true
			} else {
				behind[kind] = true
			}
		}
		for kind := range behind {
			if before[kind] || times && kind != "second" {
				n.use()
				r.refuse(r.say("%q: conditions that follow one another cannot be said in words; each holds all the time. Say one of them, and change the study for the next.", "%q: Bedingungen, die aufeinander folgen, lassen sich nicht in Worten sagen; jede gilt die ganze Zeit. Nenne eine davon, und ändere die Studie für die nächste.", n.text))
				return
			}
		}
	}
}

// vibratingMass refuses a mass on a part whose frequencies alone are asked for: as a load it
// would only be its weight, which the frequencies do not know.
func (r *reader) vibratingMass() {
	asked := slices.ContainsFunc(r.list, func(n *node) bool {
		w, ok := n.val.(wish)
		return ok && w.quantity == "frequency"
	})
	if !asked && r.has("frequency", "an.modal", "mode", "modes", "modesupto") == nil && (!r.analysed("modal") || r.analysed("static")) || r.has("an.harmonic", "an.transient", "an.static", "an.buckling", "loadfactor") != nil || r.has("prestress") != nil {
		return
	}
	for _, n := range r.list {
		if n.kind == "amount" && (n.is("weighed") || n.amount().is(quantity.Mass)) && len(n.amount().units) > 0 && r.has("bound") == nil {
			n.use()
			r.refuse(r.say("%q: a mass that vibrates along with the part is not set up in words; its weight as a load would change no natural frequency. Model it as a body of the part's file.", "%q: eine Masse, die mitschwingt, wird nicht in Worten eingerichtet; ihr Gewicht als Last änderte keine Eigenfrequenz. Modelliere sie als Körper in der Datei des Teils.", n.text))
		}
	}
}

// factors tells the loads that are multiplied, and asks what a bare factor is of.
func (r *reader) factors() {
	for _, n := range r.list {
		if n.is("multiplied") {
			r.assume("%q is taken as %s.", "%q wird als %s genommen.", strings.TrimSpace(r.text[n.start:n.end]), decimal(n.amount().number)+" "+n.amount().written)
		}
		if n.is("safety") && n.is("barefactor") && r.has("bound") == nil {
			if low := strings.ToLower(r.text); r.has("q.safety", "yieldof", "issafe") == nil && !strings.Contains(low, "safe") && !strings.Contains(low, "sicher") {
				n.use()
				r.ask("factor", r.say("Of what is %q the factor: does it multiply a load, or is it a safety?", "Wovon ist %q der Faktor: vervielfacht er eine Last, oder ist er eine Sicherheit?", n.text), r.say("675 N, or a safety factor of 1.35", "675 N, oder Sicherheit 1,35"))
			}
		}
	}
}
