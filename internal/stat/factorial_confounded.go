package stat

import (
	"context"
	"slices"
)

// Confounded is a term of a factorial analysis that the cells which were measured do not
// tell from other terms, in whole or in part.
type Confounded struct {
	Term int
	Of   []int // the terms; none of a term that no cells are left for
	Own  int   // degrees beside the terms that it contains
	Left int   // of these, beside all terms that do not contain it
}

// mostSearched is the most terms among which the partners of one are looked for.
const mostSearched = 15

// confounded finds them. Where every combination of levels has a cell, the columns of
// all terms are independent.
func (m *cellModel) confounded(ctx context.Context, terms []uint) (list []Confounded, err error) {
	combinations := 1
	for _, l := range m.levels {
		combinations *= l
	}
	if len(m.cells) == combinations {
		return nil, nil
	}
	for i, t := range terms {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var inner, others, outer []uint
		for _, u := range terms {
			switch {
			case u&t == t: // the term, and those that contain it
			case u&t == u:
				inner, others = append(inner, u), append(others, u)
			default:
				outer, others = append(outer, u), append(others, u)
			}
		}
		rank := func(before []uint) int { return m.project(append(slices.Clone(before), t)).rankOf[t] }
		c := Confounded{Term: i, Own: rank(inner), Left: rank(others)}
		if c.Left == c.Own && c.Own > 0 {
			continue
		}
		var of []uint
		if c.Own > 0 && len(terms) <= mostSearched {
			of = slices.DeleteFunc(slices.Clone(outer), func(u uint) bool { return rank(append(slices.Clone(inner), u)) == c.Own })
		}
		if c.Own > 0 && len(of) == 0 { // together only
			of = outer
		}
		for _, u := range of {
			c.Of = append(c.Of, slices.Index(terms, u))
		}
		list = append(list, c)
	}
	return list, nil
}
