package stat

import (
	"context"
	"math"
)

// signSearch solves lasso by steps between sets of coefficients that are not 0
// (the feature-sign search of Lee et al. 2007), where coordinate descent is too
// slow to find the set: columns that nearly depend on each other. Every step
// lowers the objective, so no set comes twice.
type signSearch struct {
	t      *standard
	lambda DD
	gamma  []DD
	sign   []float64 // of the coefficients that may differ from 0; 0 of the others
}

// signSteps is the most steps of a search.
const signSteps = 5000

// newSignSearch starts from what coordinate descent has found.
func newSignSearch(t *standard, near []float64, lambda DD) *signSearch {
	s := &signSearch{t: t, lambda: lambda, gamma: make([]DD, len(near)), sign: make([]float64, len(near))}
	for j, g := range near {
		s.gamma[j], s.sign[j] = F(g), sign(g)
	}
	return s
}

// run ends with coefficients that meet the conditions of optimality; nil where
// it does not find them.
func (s *signSearch) run(ctx context.Context) (gamma []DD, active []int) {
	for range signSteps {
		if ctx.Err() != nil {
			return nil, nil
		}
		if s.move() {
			continue // a coefficient went to 0 on the way
		}
		if !s.activate() {
			return s.gamma, s.active()
		}
	}
	return nil, nil
}

func (s *signSearch) active() (active []int) {
	for j, v := range s.sign {
		if v != 0 {
			active = append(active, j)
		}
	}
	return active
}

// activate takes in the coefficient that gains most; false where none does.
func (s *signSearch) activate() bool {
	best, most := -1, s.lambda.Hi*(1+kktLimit/10)
	way := 0.0
	for j := range s.gamma {
		if s.sign[j] != 0 || s.t.size[j] == (DD{}) {
			continue
		}
		g := s.t.right[j].Sub(dot(s.t.gram[j], s.gamma))
		if math.Abs(g.Hi) > most {
			best, most, way = j, math.Abs(g.Hi), sign(g.Hi)
		}
	}
	if best < 0 {
		return false
	}
	s.sign[best] = way
	return true
}

// move goes to the best coefficients of these signs, or as far as the first of
// them reaches 0, which then leaves; true in that case.
func (s *signSearch) move() bool {
	active := s.active()
	a, right := make([][]DD, len(active)), make([]DD, len(active))
	for i, j := range active {
		a[i] = make([]DD, len(active))
		for k, m := range active {
			a[i][k] = s.t.gram[j][m]
		}
		right[i] = s.t.right[j].Sub(s.lambda.Mul(F(s.sign[j])))
	}
	step := make([]DD, len(active))
	l, bad, ok := choleskyDD(a, pivotSingular)
	limit := 1.0
	if ok {
		for i, v := range solveCholesky(l, right) {
			step[i] = v.Sub(s.gamma[active[i]])
		}
	} else {
		s.along(a, active, bad, step)
		limit = math.Inf(1)
	}
	first := -1
	for i, j := range active {
		if against := step[i].Hi * s.sign[j]; against < 0 {
			if at := -s.gamma[j].Hi * s.sign[j] / against; at < limit {
				first, limit = i, at
			}
		}
	}
	if math.IsInf(limit, 1) {
		return false
	}
	for i, j := range active {
		s.gamma[j] = s.gamma[j].Add(step[i].Mul(F(limit)))
	}
	if first < 0 {
		return false
	}
	s.gamma[active[first]], s.sign[active[first]] = DD{}, 0
	return true
}

// along makes the step in which one column is replaced by the combination of
// those before it that it is: fitted values stay, and the sum of sizes falls.
func (s *signSearch) along(a [][]DD, active []int, bad int, step []DD) {
	before := make([][]DD, bad)
	for i := range before {
		before[i] = a[i][:bad]
	}
	step[bad] = F(1)
	if l, _, ok := choleskyDD(before, pivotSingular); ok {
		for i, c := range solveCholesky(l, a[bad][:bad]) {
			step[i] = c.Neg()
		}
	}
	sizes := 0.0
	for i, j := range active {
		sizes += s.sign[j] * step[i].Hi
	}
	if sizes > 0 {
		for i := range step {
			step[i] = step[i].Neg()
		}
	}
}
