package statistics

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// confounded are terms of a factorial analysis that the cells do not tell apart, as the
// levels of one follow from those of others.
type confounded struct {
	terms    []int
	sentence string // for the summary
	meaning  string // what follows
}

// confound says which terms share what they say. By sums of type I the first of them
// takes it, by those of type II none does: neither is its own.
func (l *layout) confound(out *anovaOutput, a *stat.Factorial, res *contract.Result) {
	whole := func(c stat.Confounded) int { return min(c.Left, 1) }
	list := slices.SortedStableFunc(slices.Values(a.Confounded), func(a, b stat.Confounded) int { return whole(a) - whole(b) })
	for _, c := range list { // those without anything of their own first
		one := confounded{terms: append([]int{c.Term}, c.Of...)}
		slices.Sort(one.terms)
		if slices.ContainsFunc(out.confounded, func(other confounded) bool { return slices.Equal(other.terms, one.terms) }) {
			continue // said already of the other term
		}
		name := out.Terms[c.Term].Name
		var of []string
		for _, k := range c.Of {
			of = append(of, out.Terms[k].Name)
		}
		switch with := strings.Join(of, ", "); {
		case len(of) == 0:
			one.sentence = fmt.Sprintf("The effect of %s cannot be told: no cells are left for it.", name)
			one.meaning = "The cells that were measured hold nothing of it beside the terms that it contains, so the analysis is of a smaller model than was asked for. Leave the term out, or measure the empty cells."
		case c.Left == 0:
			one.sentence = fmt.Sprintf("The effect of %s cannot be told from that of %s.", name, with)
		default:
			one.sentence = fmt.Sprintf("The effect of %s cannot be told from that of %s in %d of its %s of freedom.", name, with, c.Own-c.Left, plural(c.Own, "degree"))
		}
		if len(of) > 0 {
			one.meaning = "In the cells that were measured the levels of one follow from those of the other: sums of type I give what they share to the term that is listed first, those of type II to none, and neither is an effect of its own. Leave one of them out, or measure cells that tell them apart."
		}
		out.confounded = append(out.confounded, one)
		out.againstDesign = append(out.againstDesign, one.sentence)
		res.Warnings = append(res.Warnings, contract.Warning{Code: "aliased", Message: one.sentence + " " + one.meaning})
	}
	for i, t := range out.Terms {
		if t.Aliased && t.DF > 0 && !slices.ContainsFunc(out.confounded, func(c confounded) bool { return slices.Contains(c.terms, i) }) {
			out.partly = append(out.partly, fmt.Sprintf("%s (%s of freedom)", t.Name, plural(t.DF, "degree")))
		}
	}
}

// stateTerms says whether the effects are told apart.
func (out *anovaOutput) stateTerms(s *evidence.Statement) {
	for _, c := range out.confounded {
		for _, i := range c.terms {
			s.Check(evidence.Holds("every_term", evidence.Model, fmt.Sprintf("/terms/%d", i), false, c.sentence+" "+c.meaning))
		}
	}
	if len(out.confounded) > 0 || out.SumType == "" {
		return
	}
	sentence := "The cells tell every effect from the others."
	if len(out.partly) > 0 {
		sentence += fmt.Sprintf(" Empty cells leave less of %s than the levels would give.", strings.Join(out.partly, ", "))
	}
	s.Check(evidence.Holds("every_term", evidence.Model, "", true, sentence))
}
