package words

import (
	"math/big"
	"strings"

	"atelier/internal/quantity"
)

// Comparisons of figures, factors of loads, and figures that are not asked for.

// comparedFigure is a figure with a limit behind it: pressure drop under 1 mbar. Under and
// over are limits here, since the amount is of the dimension of the figure; they are none in
// "stress under 500 N".
func comparedFigure(m match) *node {
	q, v := m.one("q"), m.one("v").amount()
	if q.val != nil || v == nil || len(v.units) == 0 {
		return nil
	}
	kind, ok := map[string]quantity.Kind{"q.stress": quantity.Pressure, "q.displacement": quantity.Length, "q.amplitude": quantity.Length, "temp": quantity.Temperature, "frequency": quantity.Frequency,
		"q.mass": quantity.Mass, "q.pressuredrop": quantity.Pressure, "q.maxspeed": quantity.Velocity, "q.flowrate": quantity.FlowRate}[quantityOf(q)]
	if !ok || !v.is(kind) {
		return nil
	}
	l, not := m.one("l"), false
	for _, n := range m.nodes {
		not = not || n.is("not")
	}
	b := &bound{quantity: quantityOf(q), above: above(l) != not, amount: v, under: l.is("filler")}
	if s := m.one("m"); s != nil {
		b.most = s.is("max") || s.is("size.largest")
		if b.quantity == "temp" && !b.most && !b.above {
			return nil // a least value that must lie below
		}
	}
	return phrase("bound", m.nodes, b)
}

// multiplied is a load with a factor: 500 N times 1.35.
func multiplied(m match) *node {
	switch strings.ToLower(m.one("f").text) {
	case "times", "mal", "factor", "faktor":
	default:
		return nil
	}
	factor := m.one("n").amount()
	if factor.number.Sign() <= 0 {
		return nil
	}
	a := *m.one("v").amount()
	a.number = new(big.Rat).Mul(a.number, factor.number)
	n := phrase("amount", m.nodes, &a)
	n.also = append(n.also, "multiplied")
	return n
}

// bareFactor is a factor without the word for what it is of.
func bareFactor(m match) *node {
	n := safetyFactor(m)
	n.also = append(n.also, "barefactor")
	return n
}

// unwanted is a figure that is said not to be meant: not the stress but the displacement.
func unwanted(m match) *node { return phrase("unwanted", m.nodes, m.one("q")) }

// letterConductivity is the letter of a conductivity in front of its unit: k = 0.6 W/mK.
func letterConductivity(m match) *node {
	switch strings.ToLower(m.one("k").text) {
	case "k", "λ", "lambda":
		return phrase("figure", m.nodes, &figure{"conductivity", m.one("v").amount()})
	}
	return nil
}

// leftOut takes the figures that are said not to be meant. The maximum is all that there is
// of most figures, so that one that is not to be it cannot be had.
func (r *reader) leftOut() {
	for _, n := range r.all("unwanted") {
		n.use()
		q := n.val.(*node)
		if w, ok := q.val.(wish); q.kind == "max" || q.kind == "min" || ok && w.quantity == "" {
			r.refuse(r.say("%q: a figure is told as its largest value in the part, and where that lies; values at other places are in the fields of the result.", "%q: genannt wird der größte Wert im Teil und wo er liegt; Werte an anderen Stellen stehen in den Feldern des Ergebnisses.", strings.TrimSpace(r.text[n.start:n.end])))
			continue
		}
		r.assume("Not asked for, as you say: %q.", "Nicht gefragt, wie gesagt: %q.", q.text)
	}
}
