package stat

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// pivotSingular is the share of a pivot below which a penalised problem counts
// as singular: the products carry about 30 digits.
const pivotSingular = 1e-20

// Ridge minimises RSS + lambda |g|^2 over the coefficients g of the standardised
// columns, with the intercept free (Hoerl and Kennard 1970; the lambda of MASS's
// lm.ridge and of scikit-learn's Ridge on such columns). Weights are scaled to
// sum to the number of observations. lambda must be positive.
func (p *Products) Ridge(lambda float64) (*Penalised, error) {
	t := p.whole
	var live []int
	for j := range t.size {
		if t.size[j] != (DD{}) {
			live = append(live, j)
		}
	}
	share := F(lambda).Div(F(float64(p.N)))
	a, right := make([][]DD, len(live)), make([]DD, len(live))
	for i, j := range live {
		a[i], right[i] = make([]DD, len(live)), t.right[j]
		for k, m := range live {
			a[i][k] = t.gram[j][m]
		}
		a[i][i] = a[i][i].Add(share)
	}
	l, _, ok := choleskyDD(a, pivotSingular)
	if !ok {
		return nil, ErrSingular
	}
	gamma := make([]DD, len(t.size))
	for i, g := range solveCholesky(l, right) {
		gamma[live[i]] = g
	}
	// The trace of G (G + share)^-1 is p less share times that of the inverse.
	var trace DD
	for i := range live {
		unit := make([]DD, len(live))
		unit[i] = F(1)
		trace = trace.Add(solveCholesky(l, unit)[i])
	}
	out := p.figures(lambda, gamma, F(float64(len(live))).Sub(share.Mul(trace)))
	out.KKT = t.stationary(gamma, share)
	return out, nil
}

// stationary is how far the derivatives are from 0, relative to the largest
// product of a column and the response.
func (t *standard) stationary(gamma []DD, share DD) float64 {
	most, size := 0.0, 0.0
	for j := range gamma {
		g := t.right[j].Sub(dot(t.gram[j], gamma)).Sub(share.Mul(gamma[j]))
		most, size = math.Max(most, math.Abs(g.Hi)), math.Max(size, math.Abs(t.right[j].Hi))
	}
	if size == 0 {
		return 0
	}
	return most / size
}

// spectrum is the eigenvalues of the columns' products, in units of their mean
// square, the vectors, and the ratio of the singular values.
func (p *Products) spectrum(t *standard) (values []float64, vectors *mat.Dense, condition float64) {
	many := len(t.size)
	m := mat.NewSymDense(many, nil)
	for i := range many {
		for j := i; j < many; j++ {
			m.SetSym(i, j, t.gram[i][j].Float())
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(m, true) {
		return nil, nil, math.NaN()
	}
	values, vectors = eigen.Values(nil), new(mat.Dense)
	eigen.VectorsTo(vectors)
	least, most := math.Inf(1), 0.0
	for _, v := range values[min(len(p.Constant), many-1):] { // constant columns have the value 0
		least, most = math.Min(least, v), math.Max(most, v)
	}
	for i := range values {
		values[i] = math.Max(values[i], 0)
	}
	if !(least > 1e-15*most) {
		return values, vectors, math.Inf(1)
	}
	return values, vectors, math.Sqrt(most / least)
}

// Path is what a penalty was chosen from.
type Path struct {
	Method  string    // gcv or cv
	Lambda  []float64 // falling
	Error   []float64 // generalised cross-validation, or the mean squared error of observations left out
	SE      []float64 // of Error, of cv; nil of gcv
	DF      []float64 // effective, with the intercept
	Best    int       // of the least Error
	OneSE   int       // of cv: the largest lambda whose error is within one SE of the least (Breiman et al. 1984)
	Folds   int
	Largest float64 // of lasso: the least lambda at which all coefficients are 0
}

// choose finds the best of the errors, which are in units of the scaled response
// until then: unit is that of the response, squared, and may overflow.
func (p *Path) choose(unit float64) {
	for k, e := range p.Error {
		if e < p.Error[p.Best] {
			p.Best = k
		}
	}
	p.OneSE = p.Best
	for k := p.Best; p.SE != nil && k >= 0; k-- {
		if p.Error[k] <= p.Error[p.Best]+p.SE[p.Best] {
			p.OneSE = k
		}
	}
	for k := range p.Error {
		p.Error[k] *= unit
		if p.SE != nil {
			p.SE[k] *= unit
		}
	}
}

// AtEdge says that the least error is at an end of the path, where it may be
// less beyond.
func (p *Path) AtEdge() bool { return p.Best == 0 || p.Best == len(p.Lambda)-1 }

// RidgePath tries the penalties n 10^3 to n 10^-6, ten in each power of ten: by
// generalised cross-validation, or with folds by leaving each out.
func (p *Products) RidgePath(ctx context.Context) (*Path, error) {
	n := float64(p.N)
	path := &Path{Method: "gcv"}
	for k := range 91 {
		path.Lambda = append(path.Lambda, n*math.Pow(10, 3-float64(k)/10))
	}
	values, vectors, _ := p.spectrum(p.whole)
	if values == nil {
		return nil, ErrSingular
	}
	u := rotate(vectors, p.whole.right)
	first := 1.0
	if p.opts.NoIntercept {
		first = 0
	}
	for _, lambda := range path.Lambda {
		share, rest, df := lambda/n, p.whole.square.Float(), first
		for i, d := range values {
			rest -= u[i] * u[i] * (d + 2*share) / ((d + share) * (d + share))
			df += d / (d + share)
		}
		path.DF = append(path.DF, df)
		path.Error = append(path.Error, rest*n*n/((n-df)*(n-df)))
	}
	if len(p.sums) > 1 {
		return path, p.validate(ctx, path, p.ridgeSolver)
	}
	path.choose(p.unit())
	return path, nil
}

func rotate(vectors *mat.Dense, right []DD) []float64 {
	u := make([]float64, len(right))
	for i := range u {
		for j, c := range right {
			u[i] += vectors.At(j, i) * c.Float()
		}
	}
	return u
}

// ridgeSolver returns what solves a training problem for each penalty in turn.
func (p *Products) ridgeSolver(t *standard) func(lambda float64) []float64 {
	values, vectors, _ := p.spectrum(t)
	u := rotate(vectors, t.right)
	n := float64(p.N) // lambda is by observation the same in every fold
	return func(lambda float64) []float64 {
		gamma := make([]float64, len(u))
		for i, d := range values {
			c := u[i] / (d + lambda/n)
			for j := range gamma {
				gamma[j] += c * vectors.At(j, i)
			}
		}
		return gamma
	}
}

// validate fits without each fold in turn and judges by it. Columns are
// standardised anew on every training part.
func (p *Products) validate(ctx context.Context, path *Path, solver func(*standard) func(float64) []float64) error {
	path.Method, path.Folds = "cv", len(p.sums)
	errs := make([][]float64, len(p.sums))
	err := EachBlock(ctx, len(p.sums), func(k int) ([]float64, error) {
		train := newFoldSums(1, len(p.all.of))[0]
		for i, s := range p.sums {
			if i != k {
				train.merge(s)
			}
		}
		t := p.standardize(&train, nil)
		out := p.standardize(&p.sums[k], t)
		solve, list := solver(t), make([]float64, 0, len(path.Lambda))
		for _, lambda := range path.Lambda {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			list = append(list, out.meanSquare(solve(lambda)))
		}
		errs[k] = list
		return nil, nil
	}, func([]float64) {})
	if err != nil {
		return err
	}
	path.Error, path.SE = make([]float64, len(path.Lambda)), make([]float64, len(path.Lambda))
	total := p.all.weight.Float()
	for i := range path.Lambda {
		for k, s := range p.sums {
			path.Error[i] += errs[k][i] * s.weight.Float() / total
		}
		for k, s := range p.sums {
			d := errs[k][i] - path.Error[i]
			path.SE[i] += d * d * s.weight.Float() / total
		}
		path.SE[i] = math.Sqrt(path.SE[i] / float64(len(p.sums)-1))
	}
	path.choose(p.unit())
	return nil
}

// unit is the square of what the response was divided by.
func (p *Products) unit() float64 { return math.Ldexp(1, 2*p.cols[len(p.cols)-1].exp) }

// meanSquare is that of the residuals of standardised coefficients.
func (t *standard) meanSquare(gamma []float64) float64 {
	s := t.square.Float()
	for j, g := range gamma {
		if g == 0 {
			continue
		}
		inner := 0.0
		for k, h := range gamma {
			inner += t.gram[j][k].Hi * h
		}
		s += g * (inner - 2*t.right[j].Hi)
	}
	return s
}
