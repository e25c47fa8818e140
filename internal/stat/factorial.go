package stat

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"
)

// Cell holds the observations of one combination of the factors' levels: At has
// the number of the level of each factor.
type Cell struct {
	At []int
	*Moments
}

// Sum is the kind of sums of squares of an analysis of variance.
type Sum int

// The kinds: of each term after those before it, after all terms that do not
// contain it, and after all others, with sum contrasts.
const (
	TypeI   Sum = 1
	TypeII  Sum = 2
	TypeIII Sum = 3
)

// Errors of a factorial analysis.
var (
	ErrResidual   = errors.New("every observation is fitted exactly: no degree of freedom is left for the error")
	ErrEmptyCells = errors.New("sums of type III need an observation in every combination of the levels of a term")
)

// Term is one effect of a factorial analysis: the set of its factors, bit i for
// factor i. F and P are NaN without spread in the error.
type Term struct {
	Factors uint
	DF      int
	SS, MS  float64
	F, P    float64
	Share
}

// Factorial is a fixed-effects analysis of variance of several factors.
type Factorial struct {
	Terms            []Term
	N, DFE           int
	SSE, MSE, SST    float64
	ModelDF          int
	ModelSS, ModelMS float64
	F, P             float64 // of the whole model
	Model            Share
	Sigma            float64
	Balanced         bool  // every combination has as many observations
	Aliased          []int // terms of fewer degrees than their levels give, for want of observations
	Confounded       []Confounded
	Alone            []int // cells of one observation that the model goes through whatever its value
}

// AllTerms lists the main effects and interactions of n factors, those of fewer
// factors first, as Factorial takes them.
func AllTerms(n int) []uint {
	var terms []uint
	for t := uint(1); t < 1<<n; t++ {
		terms = append(terms, t)
	}
	slices.SortStableFunc(terms, func(a, b uint) int {
		if d := bits.OnesCount(a) - bits.OnesCount(b); d != 0 {
			return d
		}
		return int(bits.Reverse(b)>>1) - int(bits.Reverse(a)>>1)
	})
	return terms
}

// Analyse makes the analysis of variance of cells, with levels[i] levels of
// factor i, by the terms. The sums are differences between nested models, which
// the cells' means determine exactly: the model's columns are put in order, each
// is made orthogonal to those before it in double-double arithmetic, and the
// squares of the means along a term's columns are its sum (Searle 1987).
func Analyse(ctx context.Context, cells []Cell, levels []int, terms []uint, kind Sum, alpha float64) (*Factorial, error) {
	m := newCellModel(cells, levels, terms)
	a := &Factorial{N: m.n, Balanced: m.balanced}
	if kind == TypeIII && !m.covered(terms) {
		return nil, ErrEmptyCells
	}
	whole := m.project(m.order(terms, nil))
	a.ModelDF = whole.rank
	a.DFE = m.n - 1 - whole.rank
	if a.ModelDF < 1 || a.DFE < 1 {
		return a, ErrResidual
	}
	for i, c := range cells {
		if c.N == 1 && whole.leverage[i] >= wholeLeverage {
			a.Alone = append(a.Alone, i)
		}
	}
	var err error
	if a.Confounded, err = m.confounded(ctx, terms); err != nil {
		return nil, err
	}
	residual := m.within.Add(whole.left)
	if m.within.Hi == 0 && whole.left.Hi < 1e-26*m.total.Hi {
		residual = DD{} // what is left of exact sums is rounding
	}
	mse, model := residual.Div(F(float64(a.DFE))), m.total.Sub(residual)
	a.SSE, a.MSE, a.SST, a.Sigma = residual.Float(), mse.Float(), m.total.Float(), mse.Sqrt().Float()
	t := a.term(0, a.ModelDF, model, residual, mse, m.total, alpha)
	a.ModelSS, a.ModelMS, a.F, a.P, a.Model = t.SS, t.MS, t.F, t.P, t.Share
	for i, factors := range terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := whole
		if kind != TypeI {
			p = m.project(m.order(terms, func(other uint) bool {
				return kind == TypeII && other&factors == factors || other == factors
			}))
		}
		if p.rankOf[factors] < m.fullRank(factors) {
			a.Aliased = append(a.Aliased, i)
		}
		a.Terms = append(a.Terms, a.term(factors, p.rankOf[factors], p.squares[factors], residual, mse, m.total, alpha))
	}
	return a, nil
}

func (a *Factorial) term(factors uint, df int, ss, residual, mse, total DD, alpha float64) Term {
	nan := math.NaN()
	t := Term{Factors: factors, DF: df, SS: ss.Float(), MS: nan, F: nan, P: nan}
	t.Share = share(ss, residual, total, float64(df), float64(a.DFE), a.N, alpha)
	if df == 0 {
		return t
	}
	ms := ss.Div(F(float64(df)))
	t.MS = ms.Float()
	if mse.Hi > 0 {
		t.F = ms.Div(mse).Float()
		t.P = FTail(t.F, float64(df), float64(a.DFE))
	}
	return t
}

// cellModel holds the columns of every term at the cells, times the root of the
// cells' numbers, so that plain products are sums over the observations.
type cellModel struct {
	n             int
	levels        []int
	cells         []Cell
	root          []DD
	y             []DD // the means of the cells about the mean of all
	within, total DD
	columns       map[uint][][]DD
	balanced      bool
}

func newCellModel(cells []Cell, levels []int, terms []uint) *cellModel {
	m := &cellModel{levels: levels, cells: cells, columns: map[uint][][]DD{}, balanced: true}
	all, combinations := &Moments{}, 1
	for _, l := range levels {
		combinations *= l
	}
	m.balanced = len(cells) == combinations
	for _, c := range cells {
		all.Merge(c.Moments)
		m.within = m.within.Add(c.squares())
		m.balanced = m.balanced && c.N == cells[0].N
		m.root = append(m.root, F(float64(c.N)).Sqrt())
	}
	m.n = all.N
	mean := all.MeanDD()
	between := DD{}
	for i, c := range cells {
		d := c.MeanDD().Sub(mean)
		m.y = append(m.y, d.Mul(m.root[i]))
		between = between.Add(d.Mul(d).Mul(F(float64(c.N))))
	}
	m.total = m.within.Add(between)
	for _, t := range terms {
		m.columns[t] = m.contrasts(t)
	}
	return m
}

// contrasts are the columns of a term: the products of its factors' sum contrasts,
// +1 at a level, -1 at the last.
func (m *cellModel) contrasts(term uint) [][]DD {
	columns := [][]DD{m.root}
	for f, levels := range m.levels {
		if term&(1<<f) == 0 {
			continue
		}
		var next [][]DD
		for _, base := range columns {
			for level := range levels - 1 {
				column := make([]DD, len(base))
				for i, c := range m.cells {
					switch c.At[f] {
					case level:
						column[i] = base[i]
					case levels - 1:
						column[i] = base[i].Neg()
					}
				}
				next = append(next, column)
			}
		}
		columns = next
	}
	return columns
}

// order puts the terms that late takes at the end; nil keeps the order. The term
// itself comes before those that contain it, as lists of terms are given so.
func (m *cellModel) order(terms []uint, late func(uint) bool) []uint {
	if late == nil {
		return terms
	}
	var first, last []uint
	for _, t := range terms {
		if late(t) {
			last = append(last, t)
		} else {
			first = append(first, t)
		}
	}
	return append(first, last...)
}

// projection is what the means have along the columns in an order.
type projection struct {
	rank    int
	rankOf  map[uint]int
	squares map[uint]DD
	left    DD // squares of the means that no column takes
	// leverage is that of each cell's mean.
	leverage []float64
}

// aliasedShare is the share of a column's square below which nothing of it is
// left after the columns before it: double-double products carry 30 digits.
const aliasedShare = 1e-22

// project makes the columns orthonormal one after the other, twice each against
// those before (Gram and Schmidt, with Kahan's second pass), and takes the means
// apart along them.
func (m *cellModel) project(order []uint) projection {
	p := projection{rankOf: map[uint]int{}, squares: map[uint]DD{}}
	basis := [][]DD{unit(slices.Clone(m.root))}
	y := slices.Clone(m.y)
	for _, term := range order {
		for _, column := range m.columns[term] {
			q := slices.Clone(column)
			before := dot(q, q)
			for range 2 {
				for _, b := range basis {
					removeAlong(q, b)
				}
			}
			if left := dot(q, q); !(left.Hi > aliasedShare*before.Hi) {
				continue
			}
			q = unit(q)
			basis = append(basis, q)
			c := removeAlong(y, q)
			p.rank++
			p.rankOf[term]++
			p.squares[term] = p.squares[term].Add(c.Mul(c))
		}
	}
	p.left, p.leverage = dot(y, y), make([]float64, len(y))
	for _, b := range basis {
		for i, v := range b {
			p.leverage[i] += v.Mul(v).Float()
		}
	}
	return p
}

// removeAlong removes from x its part along a unit vector, and returns that.
func removeAlong(x, along []DD) DD {
	c := dot(x, along)
	minus := c.Neg()
	for i, b := range along {
		x[i] = x[i].Add(minus.Mul(b))
	}
	return c
}

func unit(x []DD) []DD {
	scale := F(1).Div(dot(x, x).Sqrt())
	for i := range x {
		x[i] = x[i].Mul(scale)
	}
	return x
}

func (m *cellModel) fullRank(term uint) int {
	rank := 1
	for f, levels := range m.levels {
		if term&(1<<f) != 0 {
			rank *= levels - 1
		}
	}
	return rank
}

// covered says that every combination of the levels of each term has a cell.
func (m *cellModel) covered(terms []uint) bool {
	for _, t := range terms {
		seen, wanted := map[string]bool{}, 1
		for f, levels := range m.levels {
			if t&(1<<f) != 0 {
				wanted *= levels
			}
		}
		for _, c := range m.cells {
			key := make([]byte, 0, 2*len(c.At))
			for f, level := range c.At {
				if t&(1<<f) != 0 {
					key = append(key, byte(level), byte(level>>8))
				}
			}
			seen[string(key)] = true
		}
		if len(seen) < wanted {
			return false
		}
	}
	return true
}
