package circuit

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"atelier/internal/contract"
)

// leastEigenvalue leaves room for rounding and for windings without leakage, whose
// smallest eigenvalue is 0.
const leastEigenvalue = -1e-9

// windings are inductors that couplings join, directly or by way of others.
type windings struct {
	names  []string
	cards  []card
	plain  bool // every coupling is a number, and every inductance may be above 0
	factor map[[2]string]float64
}

// checkCouplings refuses inductors whose couplings cannot be at once, though each
// of them may: the energy of their field would be negative for some currents. Where
// all inductances are above 0, the matrix of the coupling factors decides.
func (n *netlist) checkCouplings() *contract.Error {
	if slices.ContainsFunc(n.cards, func(c card) bool { return firstWord(c.text) == ".if" }) {
		return nil // which of the cards count is not known
	}
	for _, w := range n.windings() {
		if !w.plain {
			continue
		}
		least := w.leastEigenvalue()
		if least >= leastEigenvalue {
			continue
		}
		last := w.cards[len(w.cards)-1]
		names := strings.ToUpper(strings.Join(w.names, ", "))
		return invalid(last.number, last.text, "the couplings of %s cannot be at once: the matrix of their factors has the eigenvalue %s, so the energy of the field would be negative for some currents", names, format5(least)).
			WithHint("Check their signs (the first node of each inductor has the dot), or multiply all factors by less than %s.", format5(1/(1-least))).
			With("eigenvalue", least)
	}
	return nil
}

// windings are the sets of coupled inductors, each within its own subcircuit.
func (n *netlist) windings() []*windings {
	var all []*windings
	of := map[string]*windings{} // by subcircuit and inductor
	for i := range n.elements {
		e := &n.elements[i]
		if e.kind() != 'k' || len(e.tokens) < 4 {
			continue
		}
		names := e.tokens[1 : len(e.tokens)-1]
		k, number := e.numberAt(len(e.tokens) - 1)
		into := &windings{plain: number, factor: map[[2]string]float64{}}
		all = append(all, into)
		for _, name := range names {
			if w := of[e.sub+" "+name]; w != nil && w != into {
				into.join(w)
				all = slices.DeleteFunc(all, func(other *windings) bool { return other == w })
			} else if w == nil {
				into.names = append(into.names, name)
				into.plain = into.plain && n.mayBePositive(e.sub, name)
			}
			for _, member := range into.names {
				of[e.sub+" "+member] = into
			}
		}
		into.cards = append(into.cards, e.card)
		for j, b := range names {
			for _, a := range names[:j] { // of two couplings of a pair the simulator adds both
				into.factor[pairOf(a, b)] += k
			}
		}
	}
	return all
}

func (w *windings) join(other *windings) {
	w.names, w.cards, w.plain = append(w.names, other.names...), append(w.cards, other.cards...), w.plain && other.plain
	for pair, k := range other.factor {
		w.factor[pair] += k
	}
}

func pairOf(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// mayBePositive says whether an inductor is there whose inductance is not known to
// be 0 or less.
func (n *netlist) mayBePositive(sub, name string) bool {
	return slices.ContainsFunc(n.elements, func(e element) bool {
		v, plain := e.numberAt(3)
		return e.sub == sub && e.name == name && e.kind() == 'l' && (!plain || v > 0)
	})
}

// leastEigenvalue is that of the matrix of the coupling factors.
func (w *windings) leastEigenvalue() float64 {
	m := mat.NewSymDense(len(w.names), nil)
	for i, a := range w.names {
		m.SetSym(i, i, 1)
		for j, b := range w.names[:i] {
			m.SetSym(i, j, w.factor[pairOf(a, b)])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(m, false) {
		return 0 // not decided
	}
	return slices.Min(eigen.Values(nil))
}
