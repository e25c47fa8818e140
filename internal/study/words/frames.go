package words

import (
	"atelier/internal/quantity"
)

// frame is one thing that the sentence says of the part: what holds it, a load, a
// temperature. Its places, directions and amounts are found around its head.
type frame struct {
	kind    string
	heads   []*node
	places  []*node
	old     []*node // places that it shall not have any more: instead of the left
	dirs    []*node
	amounts map[string]*node // by the name of their dimension
	without bool             // it is to be taken away
	also    bool             // beside what is there
}

// shape of a kind of frame: the concepts of its heads, and the amounts that it takes.
type frameKind struct {
	name    string
	heads   []string
	amounts []string
	whole   bool // it acts on the whole part and takes no place
}

// frameKinds in the order in which heads and amounts are looked up.
var frameKinds = []frameKind{
	{name: "displace", heads: []string{"displace"}, amounts: []string{"length"}},
	{name: "slide", heads: []string{"slide"}},
	{name: "symmetry", heads: []string{"symmetry"}},
	{name: "spring", heads: []string{"spring"}},
	{name: "pinned", heads: []string{"pinned"}},
	{name: "bearing", heads: []string{"bearing"}, amounts: []string{"newton"}},
	{name: "force", heads: []string{"axialforce", "compression", "push", "pull", "hang", "stand", "force"}, amounts: []string{"newton", "kg", "perlength"}},
	{name: "pressure", heads: []string{"pressure", "suction"}, amounts: []string{"pascal"}},
	{name: "moment", heads: []string{"moment"}, amounts: []string{"torque"}},
	{name: "gravity", heads: []string{"gravity", "acceleration"}, amounts: []string{"mps2", "kg"}, whole: true},
	{name: "rotation", heads: []string{"rotation"}, amounts: []string{"hertz"}, whole: true},
	{name: "reference", heads: []string{"reftemp"}, amounts: []string{"kelvin"}, whole: true},
	{name: "initial", heads: []string{"initial"}, amounts: []string{"kelvin"}, whole: true},
	{name: "convection", heads: []string{"convection", "natural", "ambient", "cooled"}, amounts: []string{"film", "kelvin"}},
	{name: "radiation", heads: []string{"radiation"}, amounts: []string{"number", "kelvin"}},
	{name: "flux", heads: []string{"flux", "heatrate"}, amounts: []string{"heatflux", "watt"}},
	{name: "source", heads: []string{"source"}, amounts: []string{"wm3", "watt"}, whole: true},
	{name: "insulated", heads: []string{"insulated"}},
	{name: "temp", heads: []string{"temp", "heated"}, amounts: []string{"kelvin"}},
	{name: "inlet", heads: []string{"inlet", "speed"}, amounts: []string{"mps", "flowrate", "pascal"}},
	{name: "outlet", heads: []string{"outlet"}, amounts: []string{"pascal"}},
	{name: "wall", heads: []string{"wall"}},
	{name: "fix", heads: []string{"fix"}},
}

func kindOf(name string) frameKind {
	for _, k := range frameKinds {
		if k.name == name {
			return k
		}
	}
	return frameKind{}
}

// headKind is the kind of frame that a word begins.
func headKind(n *node) (string, bool) {
	if n.kind == "amount" || n.kind == "place" || n.kind == "dir" || n.kind == "vector" {
		return "", false
	}
	for _, k := range frameKinds {
		for _, h := range k.heads {
			if n.is(h) {
				return k.name, true
			}
		}
	}
	return "", false
}

// dimensionOf an amount or vector, as frames know it.
func dimensionOf(n *node) string {
	units := []quantity.Unit(nil)
	switch v := n.val.(type) {
	case *amount:
		units = v.units
		if v.written == "%" {
			return "percent"
		}
		if v.written == "deg" {
			return "angle"
		}
	case vector:
		units = v.units
	}
	if len(units) == 0 {
		return "number"
	}
	for _, d := range []struct {
		name string
		kind quantity.Kind
	}{{"newton", quantity.Force}, {"pascal", quantity.Pressure}, {"torque", quantity.Energy}, {"kelvin", quantity.Temperature}, {"length", quantity.Length},
		{"hertz", quantity.Frequency}, {"film", quantity.FilmCoefficient}, {"heatflux", quantity.HeatFlux}, {"watt", quantity.Power}, {"second", quantity.Time},
		{"mps", quantity.Velocity}, {"mps2", quantity.Acceleration}, {"kg", quantity.Mass}, {"wm3", quantity.HeatSource}, {"flowrate", quantity.FlowRate}, {"perlength", quantity.LineLoad}} {
		if _, ok := quantity.Fitting(units, d.kind); ok {
			return d.name
		}
	}
	return "other"
}

// kindOfAmount is the frame that an amount stands for without a head.
func kindOfAmount(dimension string) string {
	switch dimension {
	case "newton", "kg", "perlength":
		return "force"
	case "pascal":
		return "pressure"
	case "torque":
		return "moment"
	case "film":
		return "convection"
	case "heatflux", "watt":
		return "flux"
	case "kelvin":
		return "temp"
	case "mps", "flowrate":
		return "inlet"
	case "mps2":
		return "gravity"
	case "wm3":
		return "source"
	}
	return ""
}

// range2 says whether two temperatures stand before the next break: heated from 20 to 80 degC
// is the whole part.
func (s *scanner) range2(i int) bool {
	found := 0
	for _, m := range s.list[i:] {
		if m.kind == "comma" || m.kind == "stop" {
			break
		}
		if m.kind == "amount" && dimensionOf(m) == "kelvin" {
			found++
		}
	}
	return found == 2
}

// pressed gives a pressure the face that its direction presses on, or lets it say what the
// face says already: 3 kPa from above.
func (s *scanner) pressed() {
	if len(s.dirs) != 1 {
		return
	}
	t, ok := s.dirs[0].val.(toward)
	if !ok || t.how != "axis" || t.sign == 0 {
		return
	}
	side := sideOfAxis[direction{t.axis, -t.sign}]
	for _, f := range s.frames {
		if f.kind != "pressure" || f.amounts["pascal"] == nil {
			continue
		}
		switch {
		case len(f.places) == 0 && len(s.places) == 0:
			f.places = []*node{{kind: "place", kids: s.dirs, start: s.dirs[0].start, end: s.dirs[0].end, text: s.dirs[0].text, val: &place{what: "side", side: side, pressed: true}}}
		case len(f.places) == 1 && f.places[0].val.(*place).what == "side" && f.places[0].val.(*place).side == side:
			f.heads = append(f.heads, s.dirs[0])
		default:
			continue
		}
		s.dirs = nil
		return
	}
}
