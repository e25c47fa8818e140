package words

import (
	"strings"

	"atelier/internal/quantity"
)

// place is where something acts, as the sentence says it.
type place struct {
	what        string // side, hole, holes, face, name, rest, all, but, at, end, other, ends or bad
	side        string // of a side, or of holes
	diameter    *amount
	size        string // smallest, largest
	count       int
	name        string  // of a face, "face 7", or the axis of a coordinate
	but         []*node // places that are left out
	bolt        string  // M8
	text        string  // of a place that is none
	edge        bool    // the sentence says edge
	millimetres bool    // Ø12, as on a drawing
	zero        bool    // the sentence says that its coordinate is 0
	pressed     bool    // a pressure is said by its direction
}

// opposite sides.
var opposite = map[string]string{"left": "right", "right": "left", "front": "back", "back": "front", "bottom": "top", "top": "bottom",
	"end_min": "end_max", "end_max": "end_min", "x_min": "x_max", "x_max": "x_min", "y_min": "y_max", "y_max": "y_min", "z_min": "z_max", "z_max": "z_min"}

// outward normals of the sides.
var outward = map[string]direction{"left": {"x", -1}, "right": {"x", 1}, "front": {"y", -1}, "back": {"y", 1}, "bottom": {"z", -1}, "top": {"z", 1}}

var sideOfAxis = map[direction]string{{"x", -1}: "left", {"x", 1}: "right", {"y", -1}: "front", {"y", 1}: "back", {"z", -1}: "bottom", {"z", 1}: "top"}

// json is the place in the document.
func (p *place) json() any {
	holes := func() map[string]any {
		h := map[string]any{}
		if p.diameter != nil {
			h["diameter"] = p.diameter.value(quantity.Length)
		} else if p.size != "" {
			h["size"] = p.size
		}
		if p.side != "" {
			h["side"] = p.side
		}
		return h
	}
	switch p.what {
	case "hole", "holes":
		return map[string]any{p.what: holes()}
	case "but":
		var list []any
		for _, n := range p.but {
			list = append(list, n.val.(*place).json())
		}
		return map[string]any{"all_but": list}
	case "at":
		if p.diameter.number.Sign() == 0 {
			return map[string]any{p.name: 0.0}
		}
		return map[string]any{p.name: p.diameter.value(quantity.Length)}
	case "rest", "all":
		return p.what
	case "side", "end":
		return p.side
	case "feature":
		f := map[string]any{"name": p.name}
		if p.side != "" {
			f["side"] = p.side
		}
		return map[string]any{"feature": f}
	}
	return p.name
}

// placeRules find places. Nouns of features that a part may have, and that no face is
// named by, are places too: bad ones, which are asked about.
var placeRules = []rule{
	{"s:side.left|side.right|side.front|side.back|side.bottom|side.top face? of|at* h:horizontal? f:feat.leg", featured("horizontal_leg")},
	{"s:side.left|side.right|side.front|side.back|side.bottom|side.top face? of|at* h:vertical f:feat.leg", featured("upright")},
	{"s:side.left|side.right|side.front|side.back|side.bottom|side.top face? of|at* f:feat.upright", featured("upright")},
	{"f:feat.upright s:side.left|side.right|side.front|side.back|side.bottom|side.top face?", featured("upright")},
	{"h:horizontal f:feat.leg", featured("horizontal_leg")},
	{"h:vertical f:feat.leg", featured("upright")},
	{"f:feat.upright", featured("upright")},
	{"horizontal|vertical? f:feat.rib", featured("rib")},
	{"all? f:feat.fins face?", featured("fins")},
	{"f:feat.shoulder", featured("shoulder")},
	{"n.2|all* shorter e:edge|face|side.end", featured("short_edges")},
	{"n.2|all* longer e:edge|face", featured("long_edges")},
	{"all? n.4 e:edge", featured("edges")},
	{"all e:edge", featured("edges")},
	{"s:side.left|side.right|side.front|side.back|side.bottom|side.top face? side.end", sided},
	{"s:side.left|side.right|side.front|side.back|side.bottom|side.top face? face side.end?", sided},
	{"oneend face|side.end?", func(m match) *node { return phrase("place", m.nodes, &place{what: "one"}) }},
	{"s:side.left|side.right|side.front|side.back edge", edged},
	{"edge of|at? s:side.left|side.right|side.front|side.back", edged},
	{"s:side of|at* horizontal|vertical? b:partbad|feat+", badPlace},
	{"f:feat", badPlace},
	{"horizontal|vertical b:partbad+", badPlace},
	{"edge+", badPlace},
	{"bothends face?", func(m match) *node { return phrase("place", m.nodes, &place{what: "ends"}) }},
	{"s:side.bottom of|at* side.bottom face?", sided},
	{"s:side.top of|at* side.top face?", sided},
	{"n.2|all side.end", func(m match) *node { return phrase("place", m.nodes, &place{what: "ends"}) }},
	{"b:bolt h:boltholes|hole", holed},
	{"m:all|n|number|size|side|diameter|length|max|otherside* h:boltholes|hole b:bolt?", holed},
	{"face of p:place", ofHole},
	{"p:place with|of? diameter of? d:length", measured},
	{"p:place of|with? d:length diameter?", measured},
	{"p:place diameter d:length", measured},
	{"p:place at s:side face?", holeSide},
	{"p:place s:side face?", holeSide},
	{"face at s:side", func(m match) *node { return sidePhrase(m, m.one("s")) }},
	{"a:axis f:face|side.end", axisFace},
	{"f:face|side.end at? a:axis", axisFace},
	{"face n:number", func(m match) *node { return numbered(m) }},
	{"face q:quoted|name", quotedFace},
	{"q:quoted|name face?", quotedFace},
	{"a:axis equals d:length|number face|side.end?", coordinate},
	{"s:side b:partbad", badPlace},
	{"b:partbad of? s:side", badPlace},
	{"all? otherside f:face", otherFaces},
	{"all? rest face?", func(m match) *node { return phrase("place", m.nodes, &place{what: "rest"}) }},
	{"all face", func(m match) *node { return phrase("place", m.nodes, &place{what: "all"}) }},
	{"otherside face|side.end|otherside", func(m match) *node { return phrase("place", m.nodes, &place{what: "other"}) }},
	{"n.1 side.end|face", func(m match) *node { return phrase("place", m.nodes, &place{what: "one"}) }},
	{"s:side.left|side.right|side.front|side.back|side.bottom|side.top face?", sided},
	{"side.end face?", func(m match) *node { return phrase("place", m.nodes, &place{what: "end"}) }},
	{"b:partbad+", badPlace},
	{"otherside", func(m match) *node { return phrase("place", m.nodes, &place{what: "other"}) }},
	{"p:place except at? q:place", excepted},
	{"e:all except at? q:place", excepted},
	{"p:place comma|and q:place", moreExcepted},
}

func sided(m match) *node { return sidePhrase(m, m.one("s")) }

func sidePhrase(m match, s *node) *node {
	if s.is("side.end") {
		return phrase("place", m.nodes, &place{what: "end"})
	}
	return phrase("place", m.nodes, &place{what: "side", side: sideOf(s), edge: strings.HasSuffix(strings.ToLower(s.text), "kante")})
}

// sideOf is the side that a word names.
func sideOf(n *node) string { return n.tail("side") }

// holed reads holes with what stands before them: the two 12 mm holes.
func holed(m match) *node {
	h, p := m.one("h"), &place{what: "hole"}
	if h.plural || h.is("boltholes") {
		p.what = "holes"
	}
	if h.is("boltholes") {
		p.size = "most_numerous"
	}
	if b := m.one("b"); b != nil {
		p.bolt = b.val.(string)
	}
	sized := false
	for _, n := range m.named["m"] {
		switch {
		case n.is("all"):
			p.what = "holes"
		case n.is("otherside"):
			return phrase("place", m.nodes, &place{what: "bad", text: m.nodes[0].text + " " + h.text})
		case n.is("diameter"):
			sized = true
		case sized && n.kind == "amount" && len(n.amount().units) == 0:
			if p.diameter != nil {
				return nil
			}
			mm, _ := quantity.ParseUnit("mm")
			p.diameter, p.millimetres = &amount{number: n.amount().number, units: mm, written: "mm"}, true
		case n.is("n"), n.kind == "amount" && len(n.amount().units) == 0:
			if p.count != 0 || countOf(n) < 1 {
				return nil
			}
			p.count = countOf(n)
		case n.is("size"):
			if p.size != "" && p.size != "most_numerous" {
				return nil
			}
			p.size = n.tail("size")
		case n.is("side.end"):
			return nil
		case n.is("side"):
			if p.side != "" {
				return nil
			}
			p.side = sideOf(n)
		case n.kind == "amount":
			if p.diameter != nil {
				return nil
			}
			p.diameter = n.amount()
		}
	}
	if p.diameter != nil {
		p.size = ""
	}
	if p.count > 1 {
		p.what = "holes"
	}
	return phrase("place", m.nodes, p)
}

// countOf is the number that a word or digits say; 0 for none.
func countOf(n *node) int {
	if a := n.amount(); a != nil {
		if a.number.IsInt() && a.number.Num().IsInt64() {
			return int(a.number.Num().Int64())
		}
		return 0
	}
	count := 0
	for _, c := range n.tail("n") {
		count = 10*count + int(c-'0')
	}
	return count
}

// hole of a node; nil for another place.
func holesOf(n *node) *place {
	if p, ok := n.val.(*place); ok && (p.what == "hole" || p.what == "holes") {
		return p
	}
	return nil
}

func measured(m match) *node {
	p := holesOf(m.one("p"))
	if p == nil || p.diameter != nil {
		return nil
	}
	q := *p
	q.diameter, q.size = m.one("d").amount(), ""
	return phrase("place", m.nodes, &q)
}

// holeSide is the side behind holes: the holes on the left.
func holeSide(m match) *node {
	p := holesOf(m.one("p"))
	if p == nil || p.side != "" || m.one("s").is("side.end") {
		return nil
	}
	q := *p
	q.side = sideOf(m.one("s"))
	return phrase("place", m.nodes, &q)
}

// edged is the narrow face at an edge of a plate.
func edged(m match) *node {
	return phrase("place", m.nodes, &place{what: "side", side: sideOf(m.one("s")), edge: true})
}

func ofHole(m match) *node {
	if holesOf(m.one("p")) == nil {
		return nil
	}
	return phrase("place", m.nodes, m.one("p").val)
}

func axisFace(m match) *node {
	d := m.one("a").val.(direction)
	if d.sign == 0 {
		return nil
	}
	return phrase("place", m.nodes, &place{what: "side", side: sideOfAxis[d]})
}

func numbered(m match) *node {
	return phrase("place", m.nodes, &place{what: "name", name: "face " + decimal(m.one("n").amount().number)})
}

func quotedFace(m match) *node {
	q := m.one("q")
	return phrase("place", m.nodes, &place{what: q.kind, name: q.val.(string)})
}

func coordinate(m match) *node {
	if d := m.one("d").amount(); d.number.Sign() == 0 && (m.nodes[len(m.nodes)-1].is("face") || m.nodes[len(m.nodes)-1].is("side.end")) {
		return phrase("place", m.nodes, &place{what: "side", side: sideOfAxis[direction{m.one("a").val.(direction).axis, -1}], zero: true})
	}
	return phrase("place", m.nodes, &place{what: "at", name: m.one("a").val.(direction).axis, diameter: m.one("d").amount()})
}

func badPlace(m match) *node {
	var words []string
	for _, n := range m.nodes {
		words = append(words, n.text)
	}
	return phrase("place", m.nodes, &place{what: "bad", text: strings.Join(words, " ")})
}

// otherFaces are "the other faces", the rest; "the other face" is the one opposite.
func otherFaces(m match) *node {
	f := m.one("f")
	if f.plural || len(m.nodes) > 2 {
		return phrase("place", m.nodes, &place{what: "rest"})
	}
	return phrase("place", m.nodes, &place{what: "other"})
}

// excepted are all faces but some.
func excepted(m match) *node {
	if p := m.one("p"); p != nil {
		if have := p.val.(*place); have.what != "all" && have.what != "rest" {
			return nil
		}
	}
	return phrase("place", m.nodes, &place{what: "but", but: []*node{m.one("q")}})
}

// moreExcepted takes further places into those that are left out: all but the left and the
// right.
func moreExcepted(m match) *node {
	p, q := m.one("p").val.(*place), m.one("q").val.(*place)
	if p.what != "but" || q.what == "but" {
		return nil
	}
	return phrase("place", m.nodes, &place{what: "but", but: append(append([]*node{}, p.but...), m.one("q"))})
}

// featured is a feature that the geometry decides, and which side of it.
func featured(name string) func(match) *node {
	return func(m match) *node {
		p := &place{what: "feature", name: name}
		if s := m.one("s"); s != nil {
			p.side = sideOf(s)
		}
		if name == "horizontal_leg" && p.side == "" {
			p.side = "top"
		}
		if name == "horizontal_leg" && m.one("h") == nil && p.side != "top" && p.side != "bottom" {
			return nil // which leg is it?
		}
		if (name == "short_edges" || name == "long_edges" || name == "edges") && !m.one("e").plural && !strings.HasSuffix(strings.ToLower(m.one("e").text), "n") {
			return nil
		}
		return phrase("place", m.nodes, p)
	}
}
