package stat

import (
	"context"
	"errors"
	"math"
)

// Faults of data that no model can be fitted to.
var (
	ErrEmpty     = errors.New("no observations")
	ErrNotFinite = errors.New("a value is infinite or not a number")
	ErrWeight    = errors.New("a weight is negative")
	ErrTooFew    = errors.New("fewer observations than coefficients")
)

// Options of a fit.
type Options struct {
	NoIntercept bool
	// Weighted says that the blocks have weights: the inverse of each
	// observation's variance up to a factor. Weight 0 leaves it out.
	Weighted bool
	// Reflections asks for the pass by Householder reflections whatever the size.
	Reflections bool
}

// Fit is a least squares fit. Coefficients are ordered as the columns are, after
// the intercept where there is one; one that is aliased with those before it is
// NaN, as are its figures.
type Fit struct {
	N, P      int   // observations of positive weight; coefficients estimated
	DFE, DFM  int   // degrees of freedom of the residuals and of the model
	Aliased   []int // columns of X that are combinations of those before them
	AliasOf   map[int][]int
	Coef, SE  []float64
	Scaled    []float64 // coefficients of the columns divided by their standard deviation, without the intercept
	RSS, SST  float64   // SST is about the mean where there is an intercept
	R2, F     float64   // NaN where undefined
	Exact     bool      // the model goes through every observation: RSS is 0
	Condition float64   // of the columns scaled to unit length (Belsley, Kuh and Welsch 1980)
	VIF       []float64 // by column of X; NaN without an intercept
	Means, SD []float64 // of the columns of X
	Digits    int       // of the coefficients that arithmetic leaves right at least, at most 15
	Rounding  Rounding  // what arithmetic may have done to the figures
	Method    string    // cross_products or householder

	opts  Options
	scan  scan
	used  []int // columns of X that are estimated
	r     triangle
	beta  []DD   // in units of the scaled columns, intercept first
	inv   [][]DD // inverse of r, without the response
	trans [][]DD // turns orthonormal coordinates into coefficients
}

// smallRows is the size up to which reflections cost nothing that counts.
const smallRows = 100_000

// aliasRatio is the length of what remains of a column, relative to the column,
// below which it is a combination of the others: rounding leaves about 1e-30.
const aliasRatio = 1e-24

// exactRatio is the same for the residuals.
const exactRatio = 1e-26

// LeastSquares fits Y to the columns of X. Columns are centred (where there is an
// intercept) and scaled by powers of two, their products are summed in
// double-double, and where these do not determine every digit, or the data are
// few, the fit is by blocked Householder reflections in double-double.
func LeastSquares(ctx context.Context, src Source, opts Options) (*Fit, error) {
	if f, err := onePass(ctx, src, opts); f != nil || err != nil {
		return f, err
	}
	s, err := scanColumns(ctx, src, opts)
	if err != nil {
		return nil, err
	}
	if s.n == 0 {
		return nil, ErrEmpty
	}
	f := &Fit{opts: opts, scan: s, N: s.n, AliasOf: map[int][]int{}}
	if s.n < len(s.cols)-1+f.first() {
		return nil, ErrTooFew
	}
	for j := range len(s.cols) - 1 {
		f.used = append(f.used, j)
	}
	for {
		if err := f.factor(ctx, src); err != nil {
			return nil, err
		}
		if !f.dropAliased() {
			break
		}
	}
	f.P = len(f.used) + f.first()
	f.solve()
	return f, nil
}

// first is the number of columns before those of X in the factor.
func (f *Fit) first() int {
	if f.opts.NoIntercept {
		return 0
	}
	return 1
}

func (f *Fit) factor(ctx context.Context, src Source) error {
	if f.N > smallRows && !f.opts.Reflections {
		c := newCross(len(f.used) + f.first() + 1)
		if err := EachBlock(ctx, src.Blocks(), func(i int) (cross, error) {
			part := newCross(len(c))
			b, err := src.Load(i)
			if err == nil && len(b.Y) > 0 {
				part.absorb(f.compact(b))
				b.free()
			}
			return part, err
		}, c.merge); err != nil {
			return err
		}
		if r, ok := c.cholesky(); ok {
			f.r, f.Method = r, "cross_products"
			return nil
		}
	}
	r := newTriangle(len(f.used) + f.first() + 1)
	f.Method = "householder"
	err := EachBlock(ctx, src.Blocks(), func(i int) (triangle, error) {
		part := newTriangle(len(r))
		b, err := src.Load(i)
		if err == nil && len(b.Y) > 0 {
			part.absorb(f.scaled(b))
			b.free()
		}
		return part, err
	}, r.merge)
	f.r = r
	return err
}

// scaled makes the scaled and weighted columns 1, X, y of a block, in its memory.
func (f *Fit) scaled(b Block) [][]DD {
	cols := f.compact(b)
	if cols[0] == nil {
		cols[0] = make([]DD, len(b.Y))
		for i := range cols[0] {
			cols[0][i] = F(1)
		}
	}
	return cols
}

// compact is scaled, with nil for the column of ones where there are no weights.
func (f *Fit) compact(b Block) [][]DD {
	var cols [][]DD
	var root []DD
	if b.W != nil {
		root = make([]DD, len(b.W))
		for i, w := range b.W {
			root[i] = w.Sqrt()
		}
	}
	if !f.opts.NoIntercept {
		cols = append(cols, append([]DD(nil), root...))
	}
	for _, j := range f.used {
		cols = append(cols, f.scan.cols[j].apply(b.X[j], root))
	}
	return append(cols, f.scan.cols[len(f.scan.cols)-1].apply(b.Y, root))
}

// dropAliased finds the first column of X that the ones before determine and
// leaves it out; false when there is none.
func (f *Fit) dropAliased() bool {
	for k := range f.used {
		i := k + f.first()
		length := f.r.norm2(i).Sqrt().Hi
		if math.Abs(f.r[i][i].Hi) > aliasRatio*length {
			continue
		}
		j := f.used[k]
		col := make([]DD, i)
		for row := range i {
			col[row] = f.r[row][i]
		}
		for at, c := range f.r.solve(i, col) {
			if length > 0 && at >= f.first() && math.Abs(c.Hi)*f.r.norm2(at).Sqrt().Hi > 1e-12*length {
				f.AliasOf[j] = append(f.AliasOf[j], f.used[at-f.first()])
			}
		}
		f.Aliased = append(f.Aliased, j)
		f.used = append(append([]int(nil), f.used[:k]...), f.used[k+1:]...)
		return true
	}
	return false
}

func (f *Fit) solve() {
	p, q := f.P, len(f.r)-1
	y := make([]DD, p)
	for i := range y {
		y[i] = f.r[i][q]
	}
	f.beta = f.r.solve(p, y)
	f.sums(y)
	f.transform()
	total := len(f.scan.cols) - 1 + f.first()
	f.Coef, f.SE = nans(total), nans(total)
	for k, at := range f.positions() {
		var b DD
		for m, t := range f.trans[k] {
			b = b.Add(t.Mul(y[m]))
		}
		if k == 0 && !f.opts.NoIntercept {
			b = b.Add(F(f.scan.cols[len(f.scan.cols)-1].shift))
		}
		f.Coef[at] = b.Float()
		if f.DFE > 0 {
			v, e := squares(f.trans[k])
			f.SE[at] = v.Mul(f.scaledVariance()).Sqrt().Ldexp(e).Float()
		}
	}
	if f.DFE > 0 && f.DFM > 0 && !f.Exact {
		model := dot(y[f.first():], y[f.first():])
		f.F = model.Div(F(float64(f.DFM))).Div(f.scaledVariance()).Float()
	} else {
		f.F = math.NaN()
	}
	f.conditioning()
	f.round()
}

// positions are the places of the estimated coefficients among all.
func (f *Fit) positions() []int {
	var at []int
	if !f.opts.NoIntercept {
		at = append(at, 0)
	}
	for _, j := range f.used {
		at = append(at, j+f.first())
	}
	return at
}

// sums are those of squares, of the unscaled response.
func (f *Fit) sums(y []DD) {
	q := len(f.r) - 1
	f.DFE, f.DFM = f.N-f.P, f.P-f.first()
	rest := f.r[q][q]
	if math.Abs(rest.Hi) <= math.Max(exactRatio*f.r.norm2(q).Sqrt().Hi, f.resolved()) || f.DFE == 0 {
		f.Exact = true
		f.r[q][q] = DD{}
	}
	// Shares are of the scaled response, whose squares neither overflow nor vanish.
	model, rss := dot(y[f.first():], y[f.first():]), f.r[q][q].Mul(f.r[q][q])
	total := model.Add(rss)
	f.RSS, f.SST = rss.Ldexp(f.yScale()).Float(), total.Ldexp(f.yScale()).Float()
	f.R2 = math.NaN()
	if total.Hi > 0 {
		f.R2 = model.Div(total).Float()
	}
}

// resolved is the length of residuals that rounding alone makes of numbers of this
// size: a column far from 0 is rounded as coarsely as that is far, and times its
// coefficient this stands in the residuals.
func (f *Fit) resolved() float64 {
	_, given := f.lengths()
	return f.unit() * f.reach(given)
}

func (f *Fit) yScale() int { return 2 * f.scan.cols[len(f.scan.cols)-1].exp }

func (f *Fit) residualSquares() DD {
	q := len(f.r) - 1
	return f.r[q][q].Mul(f.r[q][q]).Ldexp(f.yScale())
}

func (f *Fit) sigma2() DD { return f.residualSquares().Div(F(float64(f.DFE))) }

// Sigma is the residual standard deviation; NaN without degrees of freedom.
func (f *Fit) Sigma() float64 {
	if f.DFE <= 0 {
		return math.NaN()
	}
	return f.scaledVariance().Sqrt().Ldexp(f.yScale() / 2).Float()
}

// scaledVariance is that of the residuals of the scaled response.
func (f *Fit) scaledVariance() DD {
	q := len(f.r) - 1
	return f.r[q][q].Mul(f.r[q][q]).Div(F(float64(f.DFE)))
}

// squares is the sum of the squares of a row, v 2^(2e), which neither overflows
// nor vanishes.
func squares(row []DD) (v DD, e int) {
	most := 0.0
	for _, t := range row {
		most = math.Max(most, math.Abs(t.Hi))
	}
	if most > 0 {
		_, e = math.Frexp(most)
	}
	for _, t := range row {
		t = t.Ldexp(-e)
		v = v.Add(t.Mul(t))
	}
	return v, e
}

// transform makes the matrix that turns coordinates in the orthonormal basis of
// the scaled columns, in units of the scaled response, into coefficients of the
// columns as they were: T R^-1, of which T undoes scale and shift.
func (f *Fit) transform() {
	inv := f.r.inverse(f.P)
	f.inv = inv
	ey := f.scan.cols[len(f.scan.cols)-1].exp
	f.trans = make([][]DD, f.P)
	for k, j := range f.used {
		row := make([]DD, f.P)
		for m, x := range inv[k+f.first()] {
			row[m] = x.Ldexp(ey - f.scan.cols[j].exp)
		}
		f.trans[k+f.first()] = row
	}
	if f.opts.NoIntercept {
		return
	}
	row := make([]DD, f.P)
	for m, x := range inv[0] {
		row[m] = x.Ldexp(ey)
		for k, j := range f.used {
			row[m] = row[m].Sub(F(f.scan.cols[j].shift).Mul(f.trans[k+1][m]))
		}
	}
	f.trans[0] = row
}

func nans(n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = math.NaN()
	}
	return s
}
