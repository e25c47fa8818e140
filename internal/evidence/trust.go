// Package evidence says how far a figure may be believed, and why.
//
// A tool hands in checks and the figures that a reader would quote; the trust of
// each figure, and of the result, is computed here and nowhere else. There is no
// way to set it: a failed check is never outvoted, a figure is verified only when
// an error bar covers that very figure, and nothing stands above the weakest
// result that it was made from. Evidence that is read back from JSON is judged
// anew; the word that was stored is not believed.
//
// The package imports nothing else of this module and performs no I/O.
package evidence

import "slices"

// Trust says how far a figure may be believed.
type Trust string

// The words of trust, from weakest to strongest. A failed call is an error and
// has no trust.
const (
	// Suspect: a check failed, or a known limit of the model is passed.
	Suspect Trust = "suspect"
	// Computed: it ran, and nothing was checked.
	Computed Trust = "computed"
	// Converged: the tolerances of the method are met.
	Converged Trust = "converged"
	// Verified: an error bar from refinement, an independent method or an exact
	// identity covers the figure and is within the accuracy that was asked.
	Verified Trust = "verified"
)

// order is the one place that ranks them.
var order = []Trust{Suspect, Computed, Converged, Verified}

// Words are the words of trust, from weakest to strongest.
func Words() []Trust { return slices.Clone(order) }

// Known says whether the word is one of the four.
func (t Trust) Known() bool { return slices.Contains(order, t) }

// rank is the place of a word among the four; any other comes last.
func (t Trust) rank() int {
	if at := slices.Index(order, t); at >= 0 {
		return at
	}
	return len(order)
}

// Below says whether t is weaker than other. A word that is none of the four, as of a
// result that claims nothing, says least: it is below none, and all four are below it.
func (t Trust) Below(other Trust) bool { return t.rank() < other.rank() }

// Weakest is the weakest of some words; Verified of none.
func Weakest(words ...Trust) Trust {
	weakest := Verified
	for _, w := range words {
		if w.Below(weakest) {
			weakest = w
		}
	}
	return weakest
}

// Confidence is the number that stands for a trust where a protocol asks for
// one: suspect 0.2, computed 0.5, converged 0.8, verified 0.95.
func (t Trust) Confidence() float64 {
	switch t {
	case Suspect:
		return 0.2
	case Converged:
		return 0.8
	case Verified:
		return 0.95
	}
	return 0.5
}

// Kind says what a check does. It decides how far a passed check carries.
type Kind string

// The kinds of checks.
const (
	// Residual: the equations that were solved are met to a tolerance.
	Residual Kind = "residual"
	// Balance: what goes in comes out (forces, heat, mass, current).
	Balance Kind = "balance"
	// Refinement: the figure under a finer mesh, step, order or tolerance, or the
	// error that an estimator proves for this figure.
	Refinement Kind = "refinement"
	// Independent: another method, program or measurement gives the figure.
	Independent Kind = "independent"
	// Exact: an identity that holds to rounding, or a computation whose rounding
	// error is bounded.
	Exact Kind = "exact"
	// Bounds: the figure lies where it must (a temperature above absolute zero, a
	// probability within 0 and 1, a plausible size).
	Bounds Kind = "bounds"
	// Model: the assumptions of the model hold (small deflections, independent
	// errors, attached flow).
	Model Kind = "model"
)

// Tolerances says whether a passed check shows that the method did what it
// promises; bounds and model checks can only take trust away.
func (k Kind) Tolerances() bool { return k.Covers() || k == Residual || k == Balance }

// Covers says whether a passed check can stand behind an error bar.
func (k Kind) Covers() bool { return k == Refinement || k == Independent || k == Exact }

func (k Kind) known() bool { return k.Tolerances() || k == Bounds || k == Model }
