package statistics

import (
	"fmt"
	"math"

	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// signLevel is the p value below which a test is a sign, as readers expect of the
// words. The tests of one answer are held together by Holm's method at this
// level, so that data without a fault fail any of them one time in twenty.
const signLevel = 0.05

// assumption is a test of what p values and intervals rest on.
type assumption struct {
	name         string
	statistic, p float64
	sign         string // what it would be a sign of: "that the variances differ"
	bad          string // what follows where it is one
	harmless     string // why it does no harm here although it is one; "" where it does
	none         string // why it cannot be made
}

// together judges tests as one family.
func together(list []assumption) []check {
	p := make([]float64, len(list))
	made := 0
	for i, a := range list {
		if p[i] = a.p; !math.IsNaN(a.p) {
			made++
		}
	}
	held := stat.Holm(p)
	var out []check
	for i, a := range list {
		c := check{Name: a.name, Statistic: number(a.statistic), PValue: number(a.p), Consequence: a.none}
		if c.PValue.defined() {
			ok := held[i] >= signLevel || a.harmless != ""
			c.OK, c.held = &ok, number(held[i])
			switch {
			case a.p >= signLevel:
				c.Consequence = fmt.Sprintf("No sign %s (p = %.2g).", a.sign, a.p)
			case held[i] >= signLevel:
				c.Consequence = fmt.Sprintf("A weak sign %s: p = %.2g by itself, %.2g where the %d tests of this answer are held together (Holm).", a.sign, a.p, held[i], made)
			case a.harmless != "":
				c.Consequence = a.harmless
			default:
				c.Consequence = a.bad
			}
		} else if c.Consequence == "" {
			c.Consequence = "Undefined for this model or sample."
		}
		out = append(out, c)
	}
	return out
}

// evidence is the check as one of the model behind a figure; ok is false where it
// could not be made.
func (c check) evidence(figure string) (out evidence.Check, ok bool) {
	if c.OK == nil {
		return out, false
	}
	out = evidence.Holds(c.Name, evidence.Model, figure, *c.OK, c.Consequence)
	switch {
	case c.held.defined() && c.PValue.defined():
		value, limit := float64(c.held), signLevel
		out.Value, out.Limit = &value, &limit
	case c.Statistic.defined():
		value := float64(c.Statistic)
		out.Value = &value
	}
	return out, true
}

// missingRows says whether so many rows were left out that the rest may stand for
// others than were asked about.
func missingRows(selected, dropped int64) evidence.Check {
	share := float64(dropped) / math.Max(float64(selected), 1)
	sentence := "Few rows or none lack a value."
	if share > droppedShare {
		sentence = fmt.Sprintf("%.0f %% of the rows lack a value and were left out: unless they are missing by chance, the figures do not stand for all.", 100*share)
	}
	return evidence.Within("missing_rows", evidence.Model, "", share, droppedShare, "1", sentence)
}

// tailError is how far a p value moves where its statistic moves by an error.
func tailError(tail func(float64) float64, statistic, off float64) float64 {
	p := tail(statistic)
	most := 0.0
	for _, moved := range []float64{statistic + off, math.Max(0, statistic-off)} {
		most = math.Max(most, math.Abs(tail(moved)-p))
	}
	return most + tailDigits*p
}

// tailDigits is the relative error of the tails of distributions, which are held
// against mpmath to more digits.
const tailDigits = 1e-10

// pScale is what the accuracy of a p value is relative to, where it is small: a
// tenth of the level that it is held against.
func pScale(alpha float64) float64 { return alpha / 10 }
