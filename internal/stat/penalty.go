package stat

import (
	"context"
	"errors"
	"math"
)

// ErrSingular is the fault of a penalised problem whose penalty is too small to
// determine the coefficients of dependent columns.
var ErrSingular = errors.New("the penalty is too small to determine the coefficients")

// PenaltyOptions are those of ridge and lasso.
type PenaltyOptions struct {
	NoIntercept, Weighted bool
	Folds                 int // of cross-validation; below 2 for none
	Seed                  uint64
}

// Products are the sums of products of the columns and the response, by folds of
// a cross-validation. All that ridge and lasso need is in them.
type Products struct {
	N        int
	Constant []int // columns of X without spread, which get no coefficient

	opts  PenaltyOptions
	cols  []column
	sums  []foldSums // by fold
	all   foldSums
	whole *standard
}

// foldSums are those of some observations; the columns are 1 (where there is an
// intercept), X and the response, centred and scaled.
type foldSums struct {
	n      int
	weight DD
	of     cross
}

func newFoldSums(parts, q int) []foldSums {
	s := make([]foldSums, parts)
	for k := range s {
		s[k].of = newCross(q)
	}
	return s
}

func (s *foldSums) merge(o foldSums) {
	s.n += o.n
	s.weight = s.weight.Add(o.weight)
	s.of.merge(o.of)
}

// at is the sum of products of two columns.
func (s *foldSums) at(i, j int) DD {
	if i > j {
		i, j = j, i
	}
	return s.of[i][j]
}

// Reduce goes through the data twice: for the ranges, and for the products.
func Reduce(ctx context.Context, src Source, opts PenaltyOptions) (*Products, error) {
	ls := Options{NoIntercept: opts.NoIntercept, Weighted: opts.Weighted}
	s, err := scanColumns(ctx, src, ls)
	switch {
	case err != nil:
		return nil, err
	case s.n == 0:
		return nil, ErrEmpty
	case s.n < 3:
		return nil, ErrTooFew
	}
	f := &Fit{opts: ls, scan: s, N: s.n}
	for j := range len(s.cols) - 1 {
		f.used = append(f.used, j)
	}
	q, parts := len(f.used)+f.first()+1, max(opts.Folds, 1)
	p := &Products{N: s.n, opts: opts, cols: s.cols, sums: newFoldSums(parts, q), all: newFoldSums(1, q)[0]}
	err = EachBlock(ctx, src.Blocks(), func(i int) ([]foldSums, error) {
		part := newFoldSums(parts, q)
		b, err := src.Load(i)
		if err == nil && len(b.Y) > 0 {
			absorbFolds(part, f, b, s.before(i), opts)
			b.free()
		}
		return part, err
	}, func(part []foldSums) {
		for k := range part {
			p.sums[k].merge(part[k])
		}
	})
	if err != nil {
		return nil, err
	}
	for _, k := range p.sums {
		p.all.merge(k)
	}
	p.whole = p.standardize(&p.all, nil)
	for j, size := range p.whole.size {
		if size == (DD{}) {
			p.Constant = append(p.Constant, j)
		}
	}
	return p, nil
}

// absorbFolds sums a block's rows into their folds. before is the number of
// observations in the blocks before it.
func absorbFolds(part []foldSums, f *Fit, b Block, before int, opts PenaltyOptions) {
	weights := b.W
	rows := make([][]int, len(part))
	for i := range b.Y {
		if weights != nil && weights[i].Hi == 0 {
			continue
		}
		k := fold(before, len(part), opts.Seed)
		before++
		rows[k] = append(rows[k], i)
		part[k].n++
		if weights != nil {
			part[k].weight = part[k].weight.Add(weights[i])
		} else {
			part[k].weight = part[k].weight.Add(F(1))
		}
	}
	cols := f.scaled(b)
	for k, index := range rows {
		if len(index) == 0 {
			continue
		}
		picked := cols
		if len(part) > 1 {
			picked = make([][]DD, len(cols))
			for j, c := range cols {
				picked[j] = make([]DD, len(index))
				for at, i := range index {
					picked[j][at] = c[i]
				}
			}
		}
		part[k].of.absorb(picked)
	}
}

// fold is the fold of an observation: every run of as many observations as there
// are folds is dealt out in an order of its own (Fisher and Yates), which comes
// from the seed by SplitMix64 (Steele, Lea and Flood 2014).
func fold(i, folds int, seed uint64) int {
	if folds < 2 {
		return 0
	}
	state := seed + uint64(i/folds)*0xda942042e4dd58b5
	order := make([]int, folds)
	for k := range order {
		order[k] = k
	}
	for k := folds - 1; k > 0; k-- {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		j := int((z ^ z>>31) % uint64(k+1))
		order[k], order[j] = order[j], order[k]
	}
	return order[i%folds]
}

// standard is a least squares problem in columns of mean 0 (where there is an
// intercept) and mean square 1: z = (x-mean)/size, weights summing to 1.
type standard struct {
	weight     DD
	mean, size []DD
	yMean      DD
	gram       [][]DD // mean of z z'
	right      []DD   // mean of z y
	square     DD     // mean of y^2, about its mean
}

// spreadLeast is the share of a column's mean square that must remain about its
// mean: below, rounding is all that is left.
const spreadLeast = 1e-24

// standardize makes the problem of some observations; like says by whose means
// and sizes, nil for their own.
func (p *Products) standardize(s *foldSums, like *standard) *standard {
	first := 1
	if p.opts.NoIntercept {
		first = 0
	}
	many := len(p.cols) - 1
	y := many + first
	t := &standard{weight: s.weight, mean: make([]DD, many), size: make([]DD, many)}
	if like != nil {
		t.mean, t.size, t.yMean = like.mean, like.size, like.yMean
	} else if first == 1 {
		t.yMean = s.at(0, y).Div(s.weight)
	}
	// about is the mean product of two columns about means.
	about := func(i, j int, mi, mj DD) DD {
		v := s.at(i, j).Div(s.weight)
		if first == 0 {
			return v
		}
		ai, aj := s.at(0, i).Div(s.weight), s.at(0, j).Div(s.weight)
		return v.Sub(mi.Mul(aj)).Sub(mj.Mul(ai)).Add(mi.Mul(mj))
	}
	for j := range many {
		if like != nil {
			break
		}
		if first == 1 {
			t.mean[j] = s.at(0, j+1).Div(s.weight)
		}
		v := about(j+first, j+first, t.mean[j], t.mean[j])
		if v.Hi > spreadLeast*s.at(j+first, j+first).Div(s.weight).Hi {
			t.size[j] = v.Sqrt()
		}
	}
	t.square = about(y, y, t.yMean, t.yMean)
	t.right = make([]DD, many)
	t.gram = newTriangle(many)
	for j := range many {
		if t.size[j] == (DD{}) {
			continue
		}
		t.right[j] = about(j+first, y, t.mean[j], t.yMean).Div(t.size[j])
		for k := j; k < many; k++ {
			if t.size[k] != (DD{}) {
				v := about(j+first, k+first, t.mean[j], t.mean[k]).Div(t.size[j].Mul(t.size[k]))
				t.gram[j][k], t.gram[k][j] = v, v
			}
		}
	}
	return t
}

// Penalised is a fit under a penalty. Coefficients are ordered as the columns
// are, after the intercept where there is one, and are NaN of constant columns.
type Penalised struct {
	Lambda      float64
	Coef        []float64
	Scaled      []float64 // coefficients of the columns divided by Sizes, without the intercept
	Means       []float64
	Sizes       []float64 // standard deviations of the columns, by n
	Zero        []int     // columns of X whose coefficient is 0
	RSS, SST    float64
	R2          float64
	EffectiveDF float64 // with the intercept: the trace of what makes fitted values of observations; for lasso, the number of coefficients not 0
	GCV         float64 // generalised cross-validation (Golub, Heath and Wahba 1979)
	KKT         float64 // of lasso: the largest breach of the conditions of optimality, relative to lambda
	Condition   float64 // of the columns, scaled as they were penalised
}

// figures turns standardised coefficients into the answer. inside is the
// effective number of coefficients without the intercept.
func (p *Products) figures(lambda float64, gamma []DD, inside DD) *Penalised {
	t := p.whole
	last := p.cols[len(p.cols)-1]
	out := &Penalised{Lambda: lambda, R2: math.NaN(), KKT: math.NaN()}
	level := t.yMean.Ldexp(last.exp).Add(F(last.shift))
	slopes := make([]float64, len(gamma))
	rss := t.square
	for j, g := range gamma {
		c := p.cols[j]
		mean := t.mean[j].Ldexp(c.exp).Add(F(c.shift))
		out.Means = append(out.Means, mean.Float())
		out.Sizes = append(out.Sizes, t.size[j].Ldexp(c.exp).Float())
		if t.size[j] == (DD{}) {
			slopes[j] = math.NaN()
			out.Scaled = append(out.Scaled, math.NaN())
			continue
		}
		b := g.Div(t.size[j]).Ldexp(last.exp - c.exp)
		slopes[j] = b.Float()
		out.Scaled = append(out.Scaled, g.Ldexp(last.exp).Float())
		level = level.Sub(b.Mul(mean))
		rss = rss.Sub(g.Mul(t.right[j]).Ldexp(1)).Add(g.Mul(dot(t.gram[j], gamma)))
		if g == (DD{}) {
			out.Zero = append(out.Zero, j)
		}
	}
	df := inside
	if !p.opts.NoIntercept {
		out.Coef = append(out.Coef, level.Float())
		df = df.Add(F(1))
	}
	out.Coef = append(out.Coef, slopes...)
	out.EffectiveDF = df.Float()
	out.RSS, out.SST = rss.Mul(t.weight).Ldexp(2*last.exp).Float(), t.square.Mul(t.weight).Ldexp(2*last.exp).Float()
	if t.square.Hi > 0 {
		out.R2 = F(1).Sub(rss.Div(t.square)).Float()
	}
	n := F(float64(p.N))
	rest := n.Sub(df)
	out.GCV = rss.Ldexp(2 * last.exp).Mul(n).Mul(n).Div(rest.Mul(rest)).Float()
	_, _, out.Condition = p.spectrum(t)
	return out
}

// choleskyDD factors a symmetric matrix as L L'; ok is false, with the first row
// that is too small, where the share of a pivot that remains is below least.
func choleskyDD(a [][]DD, least float64) (l [][]DD, bad int, ok bool) {
	l = make([][]DD, len(a))
	for i := range a {
		l[i] = make([]DD, i+1)
		for j := 0; j <= i; j++ {
			s := a[i][j].Sub(dot(l[i][:j], l[j][:j]))
			if i != j {
				l[i][j] = s.Div(l[j][j])
				continue
			}
			if !(s.Hi > least*a[i][i].Hi) {
				return nil, i, false
			}
			l[i][i] = s.Sqrt()
		}
	}
	return l, 0, true
}

// solveCholesky returns x of L L' x = b.
func solveCholesky(l [][]DD, b []DD) []DD {
	x := make([]DD, len(b))
	for i := range b {
		x[i] = b[i].Sub(dot(l[i][:i], x[:i])).Div(l[i][i])
	}
	for i := len(b) - 1; i >= 0; i-- {
		s := x[i]
		for k := i + 1; k < len(b); k++ {
			s = s.Sub(l[k][i].Mul(x[k]))
		}
		x[i] = s.Div(l[i][i])
	}
	return x
}
