package words

import (
	"math/big"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// Flows: where the fluid comes in and goes out, and what drives it.

// tubes are words, and parts of names of files, of parts with two ends through which
// something flows.
var tubes = []string{"tube", "pipe", "channel", "duct", "hose", "rohr", "kanal", "leitung", "schlauch"}

// tubular says whether the part is called a tube.
func (r *reader) tubular() bool {
	called := func(s string) bool {
		low := strings.ToLower(s)
		return slices.ContainsFunc(tubes, func(t string) bool { return strings.Contains(low, t) })
	}
	for _, n := range r.list {
		if (n.is("part") || n.kind == "file") && called(n.text) {
			return true
		}
	}
	return slices.ContainsFunc(r.members("parts"), func(m member) bool { return called(text(m.value["file"])) })
}

// prepareFlow gives the frames of a flow what only follows from the sentence as a whole: the
// ends of a tube, of which no face is named, and the pressure that drives it.
func (r *reader) prepareFlow() {
	if !r.analysed("flow") || !r.fresh {
		return
	}
	if r.speedsApart() {
		return
	}
	difference := r.has("drivenby")
	placed := slices.ContainsFunc(r.framesOf([]string{"inlet", "outlet"}), func(f *frame) bool { return len(f.places) > 0 })
	if placed || !r.tubular() {
		if difference != nil {
			difference.use()
			r.ask("place", r.say("Where does the fluid enter, and where does it leave?", "Wo strömt das Fluid ein, und wo aus?"), r.say("inlet on the left, outlet on the right", "Einlass links, Auslass rechts"))
		}
		return
	}
	end := func(kind, name string) *frame {
		f := r.frame(kind)
		if f == nil {
			f = &frame{kind: kind, amounts: map[string]*node{}}
			r.scan.frames = append(r.scan.frames, f)
		}
		f.places = []*node{{kind: "place", text: name, val: &place{what: "name", name: name}}}
		return f
	}
	if in := r.frame("inlet"); in != nil && r.flowsAcross(in) {
		return
	}
	in, out := end("inlet", "end_min"), end("outlet", "end_max")
	r.assume("The part is the space of the fluid. It comes in at the end of the longest axis with the smaller coordinate and leaves at the other.", "Das Teil ist der Raum des Fluids. Es strömt am Ende der längsten Achse mit der kleineren Koordinate ein und am anderen aus.")
	if difference != nil {
		difference.use()
		in.amounts["pascal"] = &node{kind: "amount", val: difference.val}
		if out.amounts["pascal"] != nil {
			r.ask("pressure", r.say("A difference of pressures and a pressure at the outlet are given: which of both?", "Ein Druckunterschied und ein Druck am Auslass sind angegeben: was von beidem?"), "2 kPa")
		}
	}
	for _, f := range r.scan.frames {
		if f.kind == "pressure" && len(f.places) == 0 && len(f.amounts) == 0 {
			f.use() // asked for
			f.kind = "asked.pressuredrop"
		}
	}
}

// speedsApart refuses a mean speed at the outlet that is not that of the inlet: what flows in
// flows out.
func (r *reader) speedsApart() bool {
	speeds := r.amountsOf(quantity.Velocity)
	if len(speeds) != 2 || r.has("inlet") == nil || r.has("outlet") == nil {
		return false
	}
	a, b := speeds[0].amount().si(quantity.Velocity), speeds[1].amount().si(quantity.Velocity)
	for _, n := range speeds {
		n.use()
	}
	r.useEach("samebore")
	if quantity.Significant(a) == quantity.Significant(b) {
		first := r.frame("inlet")
		r.scan.frames = slices.DeleteFunc(r.scan.frames, func(f *frame) bool { return f.kind == "inlet" && f != first && f.amounts["mps"] != nil })
		return false
	}
	r.refuse(r.say("An incompressible fluid leaves as much as it enters: with one bore the mean speed at the outlet is that at the inlet, and %s and %s are not the same. Give the speed at the inlet alone; the pressure drop follows.", "Ein inkompressibles Fluid tritt so viel aus wie ein: bei einem Querschnitt ist die mittlere Geschwindigkeit am Auslass die am Einlass, und %s und %s sind nicht gleich. Gib nur die am Einlass an; der Druckverlust ergibt sich.", speeds[0].text, speeds[1].text))
	return true
}

func drivenBy(m match) *node { return phrase("drivenby", m.nodes, m.one("v").val) }

func (r *reader) inlet(f *frame) *condition {
	places, ok := r.on(f)
	if !ok {
		return nil
	}
	c := &condition{section: "supports", name: "inlet", kind: "inlet", places: places, fields: map[string]any{}, like: []string{"inlet"}}
	if n := r.has("parabolic"); n != nil {
		n.use()
		c.fields["profile"] = "parabolic"
	}
	have := r.present(c, f)
	n := f.amounts["mps"]
	switch {
	case n == nil && f.amounts["flowrate"] == nil && f.amounts["pascal"] == nil && have == nil:
		r.ask("velocity", r.say("With which velocity does the fluid enter?", "Mit welcher Geschwindigkeit strömt das Fluid ein?"), "0.2 m/s")
		return nil
	case len(places) == 0 && have == nil:
		r.ask("place", r.say("Where does the fluid enter?", "Wo strömt das Fluid ein?"), r.say("inlet on the left", "Einlass links"))
		return nil
	case f.amounts["pascal"] != nil:
		c.kind = "outlet" // an open end with a pressure
		c.fields["pressure"] = f.amounts["pascal"].amount().value(quantity.Pressure)
		delete(c.fields, "profile")
		r.assume("The fluid is driven by the pressure at the inlet above that at the outlet.", "Das Fluid wird vom Druck am Einlass gegenüber dem am Auslass getrieben.")
		return c
	case f.amounts["flowrate"] != nil:
		c.fields["flow_rate"] = f.amounts["flowrate"].amount().value(quantity.FlowRate)
		return c
	case n == nil:
		return c
	}
	normal := r.normalOf(places)
	switch {
	case len(f.dirs) == 0 && normal != nil:
		v := []any{0.0, 0.0, 0.0}
		a := *n.amount()
		a.number = new(big.Rat).Mul(a.number, big.NewRat(int64(-normal.sign), 1))
		v[normal.index()] = a.value(quantity.Velocity)
		c.fields["velocity"] = v
		r.assume("The fluid enters at right angles to the face.", "Das Fluid strömt senkrecht zur Fläche ein.")
		return c
	case len(f.dirs) == 0 && len(places) > 0 && have == nil:
		c.fields["speed"] = n.amount().value(quantity.Velocity)
		r.assume("The fluid enters at right angles to the face.", "Das Fluid strömt senkrecht zur Fläche ein.")
		return c
	}
	v, _, ok := r.along(f, n.amount(), quantity.Velocity, normal)
	if !ok {
		return nil
	}
	c.fields["velocity"] = v
	return c
}
