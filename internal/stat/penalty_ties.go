package stat

import (
	"cmp"
	"math"
	"slices"
)

// Tie is a column that is a combination of others: all but Apart of its length.
type Tie struct {
	Column int
	Of     []int
	Apart  float64
}

const (
	// limitNear is how near to its limit, relative to lambda, the product of a column
	// and the residuals counts as at it.
	limitNear = 1e-6
	// limitRounding is what rounding leaves of that product, relative to the largest
	// product of a column and the response.
	limitRounding = 1e-13
	// partOf is the share of a column from which another is a part of it, where nothing
	// sets the column apart; chance gives others a share of up to what does.
	partOf = 1e-6
	// roundingAlone is how many deviations of rounding columns may be apart that differ
	// by nothing else; it makes 1 on average.
	roundingAlone = 1.5
)

// Alike says when a column counts as a combination of others, by column, as shares of
// its standardised length: what is left of it is less than Same, or no more than
// deviations of Round in it and in the others make.
type Alike struct{ Same, Round []float64 }

// Dependent are the columns that are combinations of those before them.
func (p *Products) Dependent(a Alike) []Tie {
	var order []int
	for j := range p.whole.size {
		order = append(order, j)
	}
	return p.whole.ties(order, a)
}

// Tied are the columns whose coefficients lasso's conditions of optimality leave open.
// The minimum is unique where the columns whose product with the residuals is lambda in
// size are linearly independent (Tibshirani 2013, section 2.2). Where one of them is a
// combination of others, the coefficient moves from it to them while the fitted values
// and the sum of the sizes stay; one coefficient of the combination differs from 0 then,
// as those at 0 can only grow.
func (p *Products) Tied(f *Penalised, a Alike) []Tie {
	t, unit := p.whole, p.cols[len(p.cols)-1].exp
	gamma, plain := make([]DD, len(f.Scaled)), make([]float64, len(f.Scaled))
	for j, g := range f.Scaled {
		if !math.IsNaN(g) {
			plain[j] = math.Ldexp(g, -unit)
			gamma[j] = F(plain[j])
		}
	}
	lambda, left := math.Ldexp(f.Lambda, -unit), math.Sqrt(math.Max(0, t.meanSquare(plain)))
	gradient, most := make([]float64, len(gamma)), 0.0
	for j := range gamma {
		gradient[j] = math.Abs(t.right[j].Sub(dot(t.gram[j], gamma)).Hi)
		most = math.Max(most, math.Abs(t.right[j].Hi))
	}
	// What sets a column apart takes its product that far from the limit at most.
	reaches := func(j int, apart float64) bool {
		return plain[j] != 0 || gradient[j] >= lambda*(1-limitNear)-limitRounding*most-apart*left
	}
	var order []int
	for j := range gamma {
		if reaches(j, a.most()) {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Or(cmp.Compare(math.Abs(plain[k]), math.Abs(plain[i])), cmp.Compare(gradient[k], gradient[i]))
	})
	var out []Tie
	for _, tie := range t.ties(order, a) {
		moves := plain[tie.Column] != 0
		for _, k := range tie.Of {
			moves = moves || plain[k] != 0
		}
		if moves && reaches(tie.Column, tie.Apart) {
			out = append(out, tie)
		}
	}
	return out
}

// most is the largest distance at which columns may count as dependent.
func (a Alike) most() float64 {
	return math.Max(slices.Max(a.Same), 2*roundingAlone*slices.Max(a.Round))
}

// ties finds the columns that are combinations of those before them in an order.
func (t *standard) ties(order []int, a Alike) (out []Tie) {
	var kept []int
	var l [][]DD // the factor of their products
	for _, j := range order {
		if t.size[j] == (DD{}) {
			continue
		}
		row := make([]DD, len(kept), len(kept)+1)
		for i, k := range kept {
			row[i] = t.gram[j][k].Sub(dot(row[:i], l[i][:i])).Div(l[i][i])
		}
		left := t.gram[j][j].Sub(dot(row, row))
		tie := Tie{Column: j, Apart: math.Sqrt(math.Max(0, left.Hi))}
		same, round := a.Same[j], a.Round[j]
		for i, c := range solveUpper(l, row) {
			if math.Abs(c.Hi) > math.Max(partOf, tie.Apart) {
				tie.Of = append(tie.Of, kept[i])
				same, round = math.Min(same, a.Same[kept[i]]), math.Hypot(round, c.Hi*a.Round[kept[i]])
			}
		}
		if len(tie.Of) > 0 && tie.Apart <= math.Max(same, roundingAlone*round) {
			out = append(out, tie)
			continue
		}
		kept, l = append(kept, j), append(l, append(row, left.Sqrt()))
	}
	return out
}

// solveUpper returns x of L' x = b.
func solveUpper(l [][]DD, b []DD) []DD {
	x := slices.Clone(b)
	for i := len(b) - 1; i >= 0; i-- {
		for k := i + 1; k < len(b); k++ {
			x[i] = x[i].Sub(l[k][i].Mul(x[k]))
		}
		x[i] = x[i].Div(l[i][i])
	}
	return x
}
