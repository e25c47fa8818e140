package words

import "strings"

// scaling multiplies what is there.
type scaling struct {
	factor float64
	target string // a concept; "" for the loads
	place  *node  // of the load; nil for all
}

var factors = map[string]float64{"half": 0.5, "twice": 2, "triple": 3, "third": 1. / 3, "quarter": 0.25, "tenfold": 10}

func scaled(m match) *node {
	h := m.one("h")
	for name, f := range factors {
		if h.is(name) {
			return phrase("scale", m.nodes, scaling{factor: f, target: targetOf(m.one("t"))})
		}
	}
	return nil
}

func targetOf(n *node) string {
	switch {
	case n.is("flowverb"):
		return "speed"
	case n.is("heatrate"):
		return "flux"
	}
	for _, t := range []string{"pressure", "moment", "mesh", "gravity", "rotation", "acceleration", "displace", "flux", "speed", "convection"} {
		if n.is(t) {
			return t
		}
	}
	if n.is("pron") {
		return ""
	}
	return "force"
}

func scaledBy(m match) *node {
	n := m.one("n")
	f := float64(countOf(n))
	if a := n.amount(); a != nil {
		f, _ = a.number.Float64()
	}
	return phrase("scale", m.nodes, scaling{factor: f, target: targetOf(m.one("t"))})
}

// raised is "increase the load by 20 %", or by a factor.
func raised(m match) *node {
	a := m.one("v").amount()
	v, _ := a.number.Float64()
	less := m.one("r").is("reduce") || m.one("r").is("less") || m.one("r").is("size.smallest")
	if m.one("t") == nil {
		m.named["t"] = []*node{m.one("r")}
	}
	f := v
	switch {
	case a.written == "%" && less:
		f = 1 - v/100
	case a.written == "%":
		f = 1 + v/100
	case less && v != 0:
		f = 1 / v
	}
	if f <= 0 {
		return nil
	}
	return phrase("scale", m.nodes, scaling{factor: f, target: targetOf(m.one("t"))})
}

// scaledAt is the scaling of a load at a place: double the force on the right.
func scaledAt(m match) *node {
	s := m.one("s").val.(scaling)
	s.place = m.one("p")
	n := phrase("scale", m.nodes, s)
	n.plural = false
	return n
}

// move is from one place to another.
type move struct{ from, to *node }

func movedFrom(m match) *node {
	from, to := strings.ToLower(m.one("f").text), strings.ToLower(m.one("t").text)
	if from != "from" && from != "von" && from != "vom" || to != "to" && to != "auf" && to != "nach" && to != "an" && to != "onto" {
		return nil
	}
	return phrase("moved", m.nodes, move{m.one("p"), m.one("q")})
}

// movedFromSide is "from the left to the right": what is moved, or what flows.
func movedFromSide(m match) *node {
	if to := strings.ToLower(m.one("t").text); to != "to" && to != "auf" && to != "nach" && to != "onto" {
		return nil
	}
	f := m.one("f")
	return phrase("moved", m.nodes, move{phrase("place", []*node{f}, &place{what: "side", side: f.tail("from")}), m.one("q")})
}

// firstBound is a limit of the first frequency.
func firstBound(m match) *node {
	b := m.one("b").val.(*bound)
	if b.quantity != "freq" && b.quantity != "frequency" {
		return nil
	}
	return phrase("bound", m.nodes, b)
}

// allowed is a limit that is called allowable.
func allowed(m match) *node {
	return phrase("bound", m.nodes, &bound{quantity: quantityOf(m.one("q")), amount: m.one("v").amount()})
}

// firstModes is "natural frequencies, the first 6".
func firstModes(m match) *node {
	if w, ok := m.one("w").val.(wish); ok && w.quantity != "frequency" {
		return nil
	}
	return modes(m)
}

// bothPlaces is "both the left and the right".
func bothPlaces(m match) *node {
	if low := strings.ToLower(m.nodes[0].text); low != "both" && low != "beide" && low != "beiden" {
		return nil
	}
	return phrase("place", m.nodes, m.one("p").val)
}
