package statistics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// maxCells is the most combinations of levels of a factorial analysis, as its
// arithmetic grows with their cube.
const maxCells = 250

// maxPairedCells is the most cells that are compared pair by pair.
const maxPairedCells = 6

// layout is a factorial table: its cells and how their factors are called.
type layout struct {
	factors []string
	levels  [][]string // of every factor
	cells   []stat.Cell
	terms   []uint
	kind    stat.Sum
}

var sumTypes = map[string]stat.Sum{"": stat.TypeIII, "I": stat.TypeI, "II": stat.TypeII, "III": stat.TypeIII}

// sumQuestions say what each type of sums asks.
var sumQuestions = map[stat.Sum]string{
	stat.TypeI:   "Sums of type I: each term after those listed before it, so that their order matters.",
	stat.TypeII:  "Sums of type II: each term after all that do not contain it, the question of a main effect where there is no interaction.",
	stat.TypeIII: "Sums of type III with sum contrasts: each term after all others, the question of the unweighted means of the cells.",
}

func (in *anovaInput) factorial(ctx context.Context, d *selectedData, response int, res *contract.Result) (*anovaOutput, error) {
	if in.Operation == "two_way" && len(in.Factors) != 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "two_way takes two factors, not %d", len(in.Factors)).At("/factors").
			WithHint("n_way takes one to six.")
	}
	columns := []int{response}
	for i, name := range in.Factors {
		at, err := d.another(name, fmt.Sprintf("/factors/%d", i), columns...)
		if err != nil {
			return nil, err
		}
		columns = append(columns, at)
	}
	t, err := d.gather(ctx, response, "/response", columns[1:], "/factors")
	if err != nil {
		return nil, err
	}
	l, err := in.layout(t)
	if err != nil {
		return nil, err
	}
	alpha := in.Alpha
	var levels []int
	for _, names := range l.levels {
		levels = append(levels, len(names))
	}
	a, err := stat.Analyse(ctx, l.cells, levels, l.terms, l.kind, alpha)
	if err != nil {
		return nil, l.fault(err)
	}
	out := l.output(a, t, alpha)
	out.Model = in.Operation + "_anova"
	out.Rows = t.rows()
	out.Rows.report(res, "lack the response or a factor")
	l.confound(out, a, res)
	l.conclude(out, a, in.Response)
	res.Summary = l.summary(out, a, in.Response)
	return out, nil
}

// layout sorts the groups of a table into cells.
func (in *anovaInput) layout(t *table) (*layout, error) {
	l := &layout{factors: in.Factors, kind: sumTypes[in.SumType]}
	combinations := 1
	l.levels = t.levels(len(in.Factors))
	for i, set := range l.levels {
		if len(set) < 2 {
			return nil, contract.Errorf(contract.CodeInvalidInput, "the factor %q has %s with samples; two are needed", in.Factors[i], plural(len(set), "level")).
				At(fmt.Sprintf("/factors/%d", i))
		}
		if combinations *= len(set); combinations > maxCells {
			return nil, contract.Errorf(contract.CodeInvalidInput, "the factors have more than %d combinations of levels", maxCells).At("/factors").
				WithHint("Leave a factor out, or select some of its levels with a filter.")
		}
	}
	for _, key := range t.keys {
		c := stat.Cell{Moments: &t.groups[key].Moments}
		for i, level := range strings.Split(key, separatorOfLevels) {
			c.At = append(c.At, slices.Index(l.levels[i], level))
		}
		l.cells = append(l.cells, c)
	}
	return l, in.chooseTerms(l)
}

// chooseTerms takes the terms that the call names, or all.
func (in *anovaInput) chooseTerms(l *layout) error {
	l.terms = stat.AllTerms(len(l.factors))
	if in.Terms == nil {
		return nil
	}
	wanted := map[uint]bool{}
	for i, name := range in.Terms {
		at := slices.IndexFunc(l.terms, func(t uint) bool { return l.named(t, name) })
		if at < 0 {
			return contract.Errorf(contract.CodeInvalidInput, "%q is no term of these factors", name).At(fmt.Sprintf("/terms/%d", i)).
				WithHint("A term is a factor, or factors joined by colons: %s.", l.name(l.terms[len(l.terms)-1]))
		}
		wanted[l.terms[at]] = true
	}
	for i, name := range l.factors {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(wanted)), func(t uint) bool { return t&(1<<i) != 0 }) {
			return contract.Errorf(contract.CodeInvalidInput, "no term holds the factor %q", name).At("/terms")
		}
	}
	l.terms = slices.DeleteFunc(l.terms, func(t uint) bool { return !wanted[t] })
	return nil
}

func (l *layout) name(term uint) string {
	var parts []string
	for i, f := range l.factors {
		if term&(1<<i) != 0 {
			parts = append(parts, f)
		}
	}
	return strings.Join(parts, ":")
}

// named says that a text names a term, its factors in any order.
func (l *layout) named(term uint, text string) bool {
	if l.name(term) == text {
		return true
	}
	a, b := strings.Split(l.name(term), ":"), strings.Split(text, ":")
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// empty lists the combinations of levels without an observation.
func (l *layout) empty() []string {
	seen := map[string]bool{}
	for _, c := range l.cells {
		seen[l.cellName(c.At)] = true
	}
	var out []string
	at := make([]int, len(l.levels))
	for {
		if name := l.cellName(at); !seen[name] {
			out = append(out, name)
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(l.levels[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return out
		}
	}
}

func (l *layout) cellName(at []int) string {
	var parts []string
	for i, level := range at {
		parts = append(parts, l.levels[i][level])
	}
	return strings.Join(parts, ":")
}

// fault turns an error of the kernel into one that teaches.
func (l *layout) fault(err error) error {
	switch {
	case errors.Is(err, stat.ErrEmptyCells):
		empty := l.empty()
		return contract.Errorf(contract.CodeInvalidInput, "sums of type III are not defined, as %s of %s no observation: %s",
			plural(len(empty), "cell"), map[bool]string{true: "the factors has", false: "the factors have"}[len(empty) == 1], contract.Listed(empty, 10)).At("/sum_type").
			With("empty_cells", empty).WithHint("Ask for sum_type II, leave the interaction out of terms, or select levels whose cells are all filled.")
	case errors.Is(err, stat.ErrResidual):
		return contract.Errorf(contract.CodeInvalidInput, "the model fits every one of the observations exactly, so that nothing is left for the error").At("/terms").
			WithHint("Leave the highest interaction out of terms, or measure cells more than once.")
	}
	return err
}

func (l *layout) output(a *stat.Factorial, t *table, alpha float64) *anovaOutput {
	out := &anovaOutput{SampleCount: a.N, F: number(a.F), PValue: number(a.P), Alpha: number(alpha),
		Between:    squares{a.ModelDF, number(a.ModelSS), number(a.ModelMS)},
		Within:     squares{a.DFE, number(a.SSE), number(a.MSE)},
		ResidualSD: number(a.Sigma), EtaSquared: number(a.Model.EtaSquared), OmegaSquared: number(a.Model.OmegaSquared),
		SumType: [...]string{"", "I", "II", "III"}[l.kind], Balanced: &a.Balanced, EmptyCells: l.empty(),
		Checks: []check{}, Pairwise: []pair{}, Groups: []groupFigures{},
		reasons: []string{"The sums are of the cells' means along orthonormal columns of sum contrasts, in double-double arithmetic."},
	}
	effect := effectOf(a.Model)
	out.Effect = &effect
	out.Classical = &welchTest{number(a.F), number(float64(a.ModelDF)), number(float64(a.DFE)), number(a.P)}
	nan := number(math.NaN())
	out.Welch = welchTest{nan, nan, nan, nan}
	if one, err := stat.OneWay(t.moments()); err == nil {
		out.Welch = welchTest{number(one.WelchF), number(float64(one.DFBetween)), number(one.WelchDF), number(one.WelchP)}
	}
	for i, term := range a.Terms {
		out.Terms = append(out.Terms, anovaTerm{Name: l.name(term.Factors), DF: term.DF, SS: number(term.SS), MS: number(term.MS), F: number(term.F),
			PValue: number(term.P), effectFigures: effectOf(term.Share), Aliased: slices.Contains(a.Aliased, i)})
	}
	for _, key := range t.keys {
		out.Groups = append(out.Groups, describe(cellName(key), &t.groups[key].Moments, alpha))
	}
	out.assumptions(t)
	var alone []string
	for _, i := range a.Alone {
		alone = append(alone, cellName(t.keys[i]))
	}
	out.alone(alone)
	if len(l.cells) <= maxPairedCells {
		out.compare(t, alpha)
	}
	return out
}

// conclude says which question the sums answer and what the checks mean for it.
func (l *layout) conclude(out *anovaOutput, a *stat.Factorial, response string) {
	out.Quoted = quotedTest{"classical", out.PValue}
	words := []string{sumQuestions[l.kind]}
	if a.Balanced {
		words = []string{"Every cell has as many observations, so that sums of the types I, II and III agree."}
	} else if l.kind == stat.TypeIII {
		words = append(words, "Where no interaction is to be expected, type II finds main effects more readily.")
	}
	for _, t := range out.Terms {
		if strings.Contains(t.Name, ":") && t.PValue.defined() && t.PValue < out.Alpha {
			words = append(words, fmt.Sprintf("The interaction %s counts: quote effects of its factors per level, not main effects alone.", t.Name))
			break
		}
	}
	switch {
	case !out.PValue.defined():
		words = append(words, "The cells have no spread, so nothing can be tested.")
	case out.differ(out.PValue, out.Welch.PValue) && len(l.cells) == out.Between.DF+1:
		words = append(words, "Welch's test of the cells, which does not need equal variances, comes to another conclusion on the whole model: do not quote the terms.")
		out.doubts = append(out.doubts, "Two tests of the whole model disagree at alpha.")
	case out.unequal():
		words = append(words, "The variances of the cells differ, and the tests of the terms rest on equal ones; Welch's test of the cells does not.")
	case out.Welch.PValue.defined() && !out.differ(out.PValue, out.Welch.PValue):
		words = append(words, "Welch's test of the cells comes to the same conclusion on the whole model.")
		out.agreed = "Two tests with different assumptions agree on the whole model."
	}
	out.Consequence = strings.Join(append(words, out.againstDesign...), " ")
}

func (l *layout) summary(out *anovaOutput, a *stat.Factorial, response string) string {
	s := fmt.Sprintf("Analysis of variance of %s samples in %s of %s, sums of type %s.", thousands(a.N), plural(len(l.cells), "cell"),
		plural(len(l.factors), "factor"), out.SumType)
	var shown, not []string
	for i, t := range out.Terms {
		if t.PValue.defined() {
			out.quotes = append(out.quotes, fmt.Sprintf("/terms/%d/p_value", i))
		}
		switch {
		case !t.PValue.defined():
		case t.PValue < out.Alpha:
			shown = append(shown, fmt.Sprintf("%s (p = %.3g)", t.Name, float64(t.PValue)))
		default:
			not = append(not, fmt.Sprintf("%s (p = %.3g)", t.Name, float64(t.PValue)))
		}
	}
	if len(shown) > 0 {
		s += fmt.Sprintf(" Effects on %s: %s.", response, contract.Listed(shown, 8))
	}
	if len(not) > 0 {
		s += " Not shown: " + contract.Listed(not, 8) + "."
	}
	if len(shown)+len(not) == 0 {
		s += " Nothing can be tested."
	}
	for _, c := range out.confounded {
		s += " " + c.sentence
	}
	return s
}
