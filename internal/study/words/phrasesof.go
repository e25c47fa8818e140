package words

import (
	"slices"
	"strings"
)

// Phrases of loads over time, of columns, of modes and limits.

func safetyOnYield(m match) *node {
	b := m.one("b")
	if limit, ok := b.val.(*bound); ok && limit.quantity != "q.safety" {
		return nil
	}
	return phrase(b.kind, m.nodes, b.val)
}

// describedPart is a plate with a hole.
func describedPart(m match) *node {
	if holesOf(m.one("p")) == nil {
		return nil
	}
	return phrase("box", m.nodes, nil)
}

// headed is a number of loads that follow.
func headed(m match) *node {
	n := countOf(m.one("n"))
	if !m.one("h").plural || n < 2 {
		return nil
	}
	return phrase("headed", m.nodes, n)
}

// fromSide is a direction that is told by where it comes from.
func fromSide(m match) *node {
	d := outward[m.one("f").tail("from")]
	return phrase("dir", m.nodes, toward{direction{d.axis, -d.sign}, "axis"})
}

// hotter is a limit of the temperature; whether it holds is asked, or must.
func hotter(m match) *node {
	return phrase("hotterthan", m.nodes, &bound{quantity: "temp", above: m.nodes[0].is("colder"), amount: m.one("v").amount()})
}

// modesUpTo are all natural frequencies up to a limit.
func modesUpTo(m match) *node {
	all := m.one("m").plural || strings.HasSuffix(strings.ToLower(m.one("m").text), "en")
	for _, n := range m.nodes {
		all = all || n.is("all")
	}
	if !all {
		return nil // the frequency must lie below
	}
	return phrase("modesupto", m.nodes, m.one("v").val)
}

// yieldVerbs are the words of a yielding, not of a strength.
var yieldVerbs = []string{"yield", "yields", "yielding", "fließen", "fliessen", "fließt"}

func notYielding(m match) *node {
	if !slices.Contains(yieldVerbs, strings.ToLower(m.one("y").text)) {
		return nil
	}
	return phrase("bound", m.nodes, &bound{formula: "yield"})
}

func eulerCase(m match) *node { return phrase("euler", m.nodes, countOf(m.one("n"))) }

// requiredBehind is a least factor that stands behind the question: how safe is it? 3 is
// required.
func requiredBehind(m match) *node {
	return phrase("bound", m.nodes, &bound{quantity: quantityOf(m.one("q")), above: true, amount: m.one("v").amount()})
}

// effectiveMass is that along an axis.
func effectiveMass(m match) *node {
	return phrase("wish", m.nodes, wish{quantity: "q.effmass", number: 1 + m.one("a").val.(direction).index()})
}

// secondOrder is "2nd order", of elements.
func secondOrder(m match) *node {
	if a := m.one("v").amount(); a != nil && (a.written != "nd" && a.written != "" || countOf(m.one("v")) != 2) {
		return nil
	}
	return phrase("order", m.nodes, nil)
}

// rampedTo is a force that rises evenly from nothing in a time.
func rampedTo(m match) *node {
	if from := m.one("a"); from != nil && from.amount().number.Sign() != 0 {
		return nil
	}
	n := phrase("amount", m.nodes, m.one("v").val)
	n.also = []string{"ramped"}
	return n
}

// heldUntil is how long a load is followed: then hold until 0.5 s.
func heldUntil(m match) *node {
	switch strings.ToLower(m.one("f").text) {
	case "hold", "holds", "held", "holding", "halten", "gehalten", "halte":
		return phrase("amount", m.nodes, m.one("t").val)
	}
	return nil
}

// rampTime is how long a load rises that stands elsewhere.
func rampTime(m match) *node { return phrase("ramped", m.nodes, nil) }

// zeroPressure is an open end: a pressure of 0 needs no unit.
func zeroPressure(m match) *node {
	if m.one("v").amount().number.Sign() != 0 {
		return nil
	}
	return phrase("openend", m.nodes, nil)
}
