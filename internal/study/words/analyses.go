package words

import (
	"fmt"
	"slices"

	"atelier/internal/quantity"
)

// analysed says whether the study has an analysis of a type.
func (r *reader) analysed(kind string) bool {
	return len(r.ofType(kind)) > 0
}

func (r *reader) ofType(kind string) []string {
	var out []string
	s := section(r.doc, "analyses")
	for _, name := range names(s) {
		if m, _ := s[name].(map[string]any); text(m["type"]) == kind {
			out = append(out, name)
		}
	}
	return out
}

// option sets a field of the solver for an analysis.
func (r *reader) option(analysis, field string, value any) {
	m, _ := section(r.doc, "analyses")[analysis].(map[string]any)
	if m == nil {
		return
	}
	options, _ := m["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
		m["options"] = options
	}
	options[field] = value
}

// wanted are the types of analyses that the sentence names.
func (r *reader) wanted() []string {
	var out []string
	want := func(kind string, nodes ...[]*node) {
		for _, list := range nodes {
			for _, n := range list {
				n.use()
				if !slices.Contains(out, kind) {
					out = append(out, kind)
				}
			}
		}
	}
	want("modal", r.all("an.modal"), r.all("modes"), r.all("modesupto"))
	want("buckling", r.all("an.buckling"))
	want("harmonic", r.all("an.harmonic"))
	if len(r.scan.hertz) > 0 && len(r.framesOf([]string{"force", "pressure", "moment"})) > 0 && r.has("an.transient", "frequency") == nil {
		want("harmonic", r.all("sweep"))
	}
	want("nonlinear", r.all("an.nonlinear"))
	want("static", r.all("an.static"))
	want("thermalstress", r.all("an.thermalstress"))
	want("flow", r.all("an.flow"), r.all("drivenby"))
	if heatAsked.MatchString(r.text) {
		r.useEach("flowverb") // it is the heat that flows
	} else if len(r.framesOf(heatKinds))+len(r.framesOf(structureKinds)) == 0 || r.frame("inlet") != nil || r.analysed("flow") || r.fluidInside() {
		want("flow", r.all("flowverb"), r.all("q.pressuredrop"), r.all("q.flowrate"))
	}
	want("heat", r.all("an.heat"))
	want("transient", r.all("an.transient"), r.all("ramped"))
	for _, n := range r.list {
		w, is := n.val.(wish)
		if b, bound := n.val.(*bound); bound {
			w, is = wish{quantity: b.quantity}, true
			if b.amount.is(quantity.Frequency) {
				w.quantity = "frequency"
			}
		}
		if n.is("frequency") && n.val == nil {
			w, is = wish{quantity: "frequency"}, true
		}
		switch {
		case !is:
		case w.quantity == "frequency" && !slices.Contains(out, "modal") && !slices.Contains(out, "harmonic"):
			out = append(out, "modal")
		case w.quantity == "loadfactor" && !slices.Contains(out, "buckling"):
			out = append(out, "buckling")
		}
	}
	return out
}

// analyses adds those that the sentence names, or that its loads are of.
func (r *reader) analyses() {
	r.fluids()
	kinds := r.wanted()
	structure, heat, flow := r.framesOf(structureKinds), r.framesOf(heatKinds), r.framesOf(flowKinds)
	if slices.Contains(kinds, "transient") && len(structure) == 0 && (len(heat) > 0 || slices.Contains(kinds, "heat") || r.analysed("heat") && !r.strained()) {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "transient" || k == "heat" })
		kinds = append(kinds, "heat")
	}
	if slices.Contains(kinds, "thermalstress") {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "thermalstress" || k == "static" || k == "heat" })
		kinds = append(kinds, "static")
		if r.coupled(heat) {
			kinds = append(kinds, "heat")
		}
	}
	if r.frame("inlet") != nil && len(flow) > 0 && !slices.Contains(kinds, "flow") && !r.analysed("flow") {
		kinds = append(kinds, "flow")
	}
	if len(kinds) == 0 && r.fresh {
		switch {
		case len(structure) > 0 && (len(structure) > 1 || len(heat) == 0 || r.stressed()):
			kinds = []string{"static"}
			if r.coupled(heat) {
				kinds = append(kinds, "heat")
			}
		case len(heat) > 0:
			kinds = []string{"heat"}
		case r.stressed():
			kinds = []string{"static"}
		}
	}
	if slices.Contains(kinds, "static") && slices.ContainsFunc(kinds, func(k string) bool { return k == "nonlinear" || k == "harmonic" || k == "transient" }) && r.has("static.only") == nil {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "static" })
	}
	for _, kind := range kinds {
		r.analysis(kind)
	}
	r.options()
	if slices.Contains(kinds, "static") && slices.Contains(kinds, "heat") && r.fresh {
		r.couple()
	}
}

// stressed says whether stresses or displacements are asked for.
func (r *reader) stressed() bool {
	for _, n := range r.list {
		w, ok := n.val.(wish)
		if b, bound := n.val.(*bound); bound {
			w, ok = wish{quantity: b.quantity}, true
		}
		if n.is("reaction") && n.val == nil || ok && slices.Contains([]string{"q.stress", "q.displacement", "q.safety", "reaction"}, w.quantity) {
			return true
		}
	}
	return false
}

// coupled says whether the temperatures are to be computed, from what holds at faces.
func (r *reader) coupled(heat []*frame) bool {
	return slices.ContainsFunc(heat, func(f *frame) bool { return len(f.places) > 0 && f.kind != "insulated" })
}

// couple strains the part by the temperatures of the analysis of heat.
func (r *reader) couple() {
	reference := any(roomTemperature)
	if f := r.frame("reference"); f != nil && f.amounts["kelvin"] != nil {
		f.use()
		reference, _ = r.kelvin(f.amounts["kelvin"])
	} else {
		r.assume("The part is free of stress at 20 degC.", "Bei 20 °C ist das Teil spannungsfrei.")
	}
	r.option("static", "temperature", map[string]any{"from": "heat", "reference": reference})
}

func (r *reader) analysis(kind string) {
	if !r.analysed(kind) {
		value := map[string]any{"type": kind}
		if kind == "heat" {
			value["options"] = map[string]any{"steady": true}
		}
		if r.marks.instead && !r.fresh {
			for _, m := range r.members("analyses") {
				r.remove("analyses", m.name)
			}
			r.doc["questions"], r.doc["requirements"] = nil, nil
			delete(r.doc, "questions")
			delete(r.doc, "requirements")
		}
		r.set("analyses", r.unique("analyses", kind), value)
	}
}

// options of the analyses: modes, frequencies, times, damping.
func (r *reader) options() {
	for _, n := range r.all("modes") {
		kind := "modal"
		if !r.analysed(kind) || r.has("an.buckling") != nil {
			kind = "buckling"
		}
		for _, a := range r.ofType(kind) {
			r.option(a, "modes", n.val.(count).modes)
		}
	}
	for _, n := range r.all("order") {
		n.use()
		for _, m := range r.members("analyses") {
			r.option(m.name, "order", 2)
		}
	}
	if n := r.has("steady"); n != nil && (r.analysed("heat") || r.analysed("flow")) {
		n.use()
	}
	if n := r.has("prestress"); n != nil && r.analysed("modal") {
		n.use()
		for _, a := range r.ofType("modal") {
			r.option(a, "prestress", true)
		}
	}
	r.harmonic()
	r.modal()
	r.transient()
	r.heatOverTime()
	r.flowing()
}

func (r *reader) harmonic() {
	fresh := len(r.ofType("harmonic")) > 0 && len(section(r.before, "analyses")) == 0
	for _, a := range r.ofType("harmonic") {
		if list := r.scan.hertz; len(list) > 0 {
			from := list[0].amount()
			list[0].use()
			if len(list) == 2 {
				list[1].use()
				r.option(a, "frequencies", map[string]any{"from": from.value(quantity.Frequency), "to": list[1].amount().value(quantity.Frequency)})
			} else if len(list) == 1 {
				r.option(a, "frequencies", []any{from.si(quantity.Frequency)})
			}
		} else if fresh {
			r.ask("frequency", r.say("At which frequencies does the load vibrate?", "Mit welchen Frequenzen schwingt die Last?"), r.say("from 10 to 200 Hz", "von 10 bis 200 Hz"))
		}
		r.damped(a, fresh)
	}
	if n := r.has("sweep"); n != nil && r.analysed("harmonic") {
		n.use()
	}
	for _, n := range r.all("until") {
		n.use()
	}
	for _, n := range r.all("freq") {
		if r.analysed("harmonic") {
			n.use()
		}
	}
}

func (r *reader) damped(analysis string, asks bool) {
	n := r.has("dampingratio")
	if n == nil {
		if asks || r.has("damping") != nil {
			r.ask("damping", r.say("How large is the damping? Bolted steel has about 2 % of critical damping.", "Wie groß ist die Dämpfung? Verschraubter Stahl hat etwa 2 % der kritischen Dämpfung."), r.say("damping of 2 %", "Dämpfung 2 %"))
			for _, d := range r.all("damping") {
				d.use()
			}
		}
		return
	}
	n.use()
	ratio, _ := n.amount().number.Float64()
	if n.amount().written == "%" {
		ratio = quantity.Significant(ratio / 100)
	}
	if ratio < 0 || ratio >= 1 {
		r.refuse(r.say("A damping ratio of %g is none: it lies between 0 and 1.", "Ein Dämpfungsgrad von %g gibt es nicht: er liegt zwischen 0 und 1.", ratio))
		return
	}
	r.option(analysis, "damping", map[string]any{"ratio": ratio})
}

// transient reads the history of the loads, and the time that is followed.
func (r *reader) transient() {
	fresh := len(section(r.before, "analyses")) == 0
	for _, a := range r.ofType("transient") {
		times := r.scan.seconds
		for _, n := range times[:min(len(times), 2)] {
			n.use()
		}
		for _, n := range r.all("duration") {
			n.use()
		}
		half := r.contains("half sine") || r.contains("half-sine") || r.contains("halbsinus")
		step := r.contains("sudden") || r.contains("step") || r.contains("plötzlich") || r.contains("sprung")
		r.useEach("course")
		if rise := r.rise(); rise > 0 {
			end := 0.0
			if len(times) == 1 {
				end = times[0].amount().si(quantity.Time)
			}
			if end <= rise {
				r.ask("time", r.say("For how long is the part to be followed, beyond the %g s of the ramp?", "Wie lange soll das Teil verfolgt werden, über die %g s der Rampe hinaus?", rise), r.say("then hold until 0.5 s", "dann bis 0,5 s halten"))
				continue
			}
			r.option(a, "history", []any{[]any{0.0, 0.0}, []any{rise, 1.0}})
			r.option(a, "time", map[string]any{"end": end})
			r.assume("The load rises evenly for %g s and stays.", "Die Last steigt %g s lang gleichmäßig und bleibt dann.", rise)
			r.damped(a, false)
			continue
		}
		switch {
		case !fresh && len(times) == 0:
		case half && len(times) > 0:
			r.option(a, "history", map[string]any{"shape": "half_sine", "duration": times[0].amount().value(quantity.Time)})
			times = times[1:]
		case half:
			r.ask("history", r.say("How long is the half sine?", "Wie lang ist der Halbsinus?"), "11 ms")
			continue
		case step:
			r.option(a, "history", map[string]any{"shape": "step"})
		case fresh:
			r.ask("history", r.say("How does the load vary over time: as a step, or as a half sine of which duration?", "Wie verläuft die Last über der Zeit: als Sprung oder als Halbsinus von welcher Dauer?"), r.say("half sine of 11 ms", "Halbsinus von 11 ms"))
			continue
		}
		switch {
		case len(times) == 1:
			r.option(a, "time", map[string]any{"end": times[0].amount().value(quantity.Time)})
		case fresh:
			r.ask("time", r.say("For how long is the part to be followed?", "Wie lange soll das Teil verfolgt werden?"), r.say("for 50 ms", "50 ms lang"))
		}
		r.damped(a, false)
	}
}

// wholeTemperature is a temperature of no face: at the beginning of what is followed over
// time.
func (r *reader) wholeTemperature() *frame {
	for _, f := range r.scan.frames {
		if f.kind == "temp" && len(f.places) == 0 && f.amounts["kelvin"] != nil && !r.change(f) {
			return f
		}
	}
	return nil
}

// heatOverTime makes an analysis of heat follow the time where one is said.
func (r *reader) heatOverTime() {
	fresh := len(section(r.before, "analyses")) == 0
	transient := r.has("an.transient") != nil
	times := r.scan.seconds
	for _, a := range r.ofType("heat") {
		if !transient && len(times) == 0 {
			continue
		}
		for _, n := range append(append(r.all("duration"), r.all("until")...), r.all("limit")...) {
			n.use()
		}
		if len(times) == 0 {
			r.ask("time", r.say("For how long is the heat to be followed?", "Wie lange soll die Wärme verfolgt werden?"), "600 s")
			continue
		}
		end := times[0].amount()
		last := times[0]
		for _, n := range times {
			if n.amount().si(quantity.Time) > end.si(quantity.Time) {
				end, last = n.amount(), n
			}
		}
		last.use() // another time is named as not used, unless all stand in a row
		if r.listedTimes(times) {
			for _, n := range times {
				n.use()
			}
		}
		if n := r.has("stepsize"); n != nil {
			n.use()
			defer r.option(a, "dt", n.amount().si(quantity.Time))
		}
		if r.listedTimes(times) {
			r.moments = times
		}
		r.option(a, "steady", false)
		r.option(a, "t_final", end.si(quantity.Time))
		r.option(a, "dt", quantity.Significant(end.si(quantity.Time)/100))
		r.assume("The time is followed in 100 steps.", "Die Zeit wird in 100 Schritten verfolgt.")
		if i := r.frame("initial"); i != nil && i.amounts["kelvin"] != nil {
			i.use()
			if v, ok := r.kelvin(i.amounts["kelvin"]); ok {
				r.option(a, "initial_temperature", v)
			}
		} else if fresh && r.wholeTemperature() == nil {
			r.ask("initial", r.say("Which temperature has the part at the beginning?", "Welche Temperatur hat das Teil zu Beginn?"), r.say("initially at 20 degC", "anfangs 20 °C"))
		}
	}
}

// flowing sets what every flow needs: a time to settle in.
func (r *reader) flowing() {
	for _, a := range r.ofType("flow") {
		if _, was := section(r.before, "analyses")[a]; was {
			continue
		}
		speed := 0.1
		if f := r.frame("inlet"); f != nil && f.amounts["mps"] != nil {
			speed = abs(f.amounts["mps"].amount().si(quantity.Velocity))
		}
		if speed == 0 {
			speed = 0.1
		}
		end := quantity.Significant(1 / speed)
		r.option(a, "steady", true)
		if list := r.scan.seconds; len(list) == 1 {
			list[0].use()
			end = list[0].amount().si(quantity.Time)
		}
		r.option(a, "t_final", end)
		r.option(a, "dt", quantity.Significant(end/200))
		if n := r.has("stepsize"); n != nil {
			n.use()
			r.option(a, "dt", n.amount().si(quantity.Time))
		}
		r.assume("The flow is followed for %s s at most, until it does not change any more.", "Die Strömung wird höchstens %s s verfolgt, bis sie sich nicht mehr ändert.", fmt.Sprint(end))
	}
}

// fluidInside says whether a fluid is named that nothing else is about.
func (r *reader) fluidInside() bool {
	return slices.ContainsFunc(r.namedMaterials(), func(f found) bool { return f.of.Fluid }) && r.frame("convection") == nil
}

// fluids gives the temperature of a fluid to the convection that lacks one.
func (r *reader) fluids() {
	for _, n := range r.scan.warm {
		w := n.val.(warm)
		for _, f := range r.scan.frames {
			if f.kind == "convection" && f.amounts["kelvin"] == nil {
				f.amounts["kelvin"] = w.node
				n.use()
				break
			}
		}
		if list := r.members("supports", "convection"); !n.used && len(list) == 1 && !r.fresh {
			if v, ok := r.kelvin(w.node); ok {
				n.use()
				list[0].value["ambient"] = v
			}
		}
		if r.has("flowverb", "an.flow", "inlet", "q.pressuredrop") != nil && !n.used {
			n.use()
			r.assume("The properties of the fluid are those of the table, for about 20 degC.", "Die Stoffwerte des Fluids sind die der Tabelle, für etwa 20 °C.")
		}
	}
}

// modal takes frequencies that a modal analysis is asked about. One cannot ask it for all up
// to a frequency, but for a number of modes.
func (r *reader) modal() {
	if n := r.has("modesupto"); n != nil && r.analysed("modal") {
		n.use()
		for _, a := range r.ofType("modal") {
			r.option(a, "up_to", n.amount().value(quantity.Frequency))
		}
		return
	}
	if !r.analysed("modal") || r.analysed("harmonic") || len(r.scan.hertz) == 0 {
		return
	}
	if r.has("sweep") != nil {
		for _, n := range append(r.scan.hertz, r.all("sweep")...) {
			n.use()
		}
		if r.in.LastRun && r.unchanged() {
			r.asks("first natural frequency")
		}
		r.assume("The lowest natural frequencies are computed; whether one lies in that range shows among them.", "Berechnet werden die tiefsten Eigenfrequenzen; ob eine in diesem Bereich liegt, zeigt sich daran.")
		return
	}
	if list := r.scan.hertz; len(list) == 1 && r.has("until") != nil {
		list[0].use()
		r.useEach("until")
		for _, a := range r.ofType("modal") {
			r.option(a, "up_to", list[0].amount().value(quantity.Frequency))
		}
		return
	}
	r.ask("modes", r.say("How many natural frequencies are wanted? Their number is asked for, not the highest frequency.", "Wie viele Eigenfrequenzen werden gebraucht? Gefragt ist ihre Anzahl, nicht die höchste Frequenz."), r.say("the first 10 natural frequencies", "die ersten 10 Eigenfrequenzen"))
	for _, n := range r.scan.hertz {
		n.use()
	}
}
