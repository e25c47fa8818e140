package stat

import (
	"context"
	"errors"
	"math"
)

const (
	lassoPath   = 100  // penalties of a path
	lassoSweeps = 5000 // of coordinate descent for one penalty
	lassoTries  = 6    // of coordinate descent, each ten times closer, before sets are searched
	// lassoStill is the change of a coefficient, in standard deviations of the
	// response, at which coordinate descent stops. What it finds are the
	// coefficients that are not 0; their values are then solved for exactly.
	lassoStill = 1e-10
	// kktLimit is the breach of optimality, relative to lambda, that ties leave.
	kktLimit = 1e-9
)

// Lasso minimises |y - b0 - Z g|^2 / (2n) + lambda |g|_1 over the coefficients g
// of the standardised columns, with the intercept free (Tibshirani 1996; the
// objective of glmnet and scikit-learn). Coordinate descent finds which are not
// 0; these solve a linear system in double-double, and the conditions of
// optimality of Karush, Kuhn and Tucker are verified for all.
func (p *Products) Lasso(ctx context.Context, lambda float64) (*Penalised, error) {
	t, unit := p.whole, p.cols[len(p.cols)-1].exp
	d := newDescent(t)
	scaled := F(lambda).Ldexp(-unit)
	still := lassoStill
	for range lassoTries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d.run(scaled.Float(), still*math.Sqrt(t.square.Hi))
		gamma, active, bad := t.polish(d.gamma, scaled)
		if bad >= 0 { // as good as a combination of the others: it stays at 0
			d.off[bad] = true
			d.set(bad, 0)
			continue
		}
		breach := t.breach(gamma, active, scaled)
		if breach <= kktLimit {
			return p.lassoFigures(lambda, gamma, active, breach)
		}
		still /= 10
	}
	gamma, active := newSignSearch(t, d.gamma, scaled).run(ctx)
	if gamma == nil {
		return nil, errors.Join(ctx.Err(), ErrDiverged)
	}
	return p.lassoFigures(lambda, gamma, active, t.breach(gamma, active, scaled))
}

// lassoFigures are those of coefficients that meet the conditions of optimality.
func (p *Products) lassoFigures(lambda float64, gamma []DD, active []int, breach float64) (*Penalised, error) {
	if !(breach <= kktLimit) {
		return nil, ErrDiverged
	}
	out := p.figures(lambda, gamma, F(float64(len(active))))
	out.KKT = breach
	return out, nil
}

// polish solves for the coefficients that are not 0, with their signs; bad is a
// column that the others determine, -1 for none.
func (t *standard) polish(near []float64, lambda DD) (gamma []DD, active []int, bad int) {
	for j, g := range near {
		if g != 0 {
			active = append(active, j)
		}
	}
	gamma = make([]DD, len(near))
	a, right := make([][]DD, len(active)), make([]DD, len(active))
	for i, j := range active {
		a[i] = make([]DD, len(active))
		for k, m := range active {
			a[i][k] = t.gram[j][m]
		}
		right[i] = t.right[j].Sub(lambda)
		if near[j] < 0 {
			right[i] = t.right[j].Add(lambda)
		}
	}
	l, at, ok := choleskyDD(a, pivotSingular)
	if !ok {
		return nil, nil, active[at]
	}
	for i, g := range solveCholesky(l, right) {
		gamma[active[i]] = g
		if g.Hi > 0 != (near[active[i]] > 0) {
			gamma[active[i]] = F(math.NaN()) // its sign is not settled yet
		}
	}
	return gamma, active, -1
}

// breach is how far the gradient is from what is optimal, relative to lambda:
// of size lambda and the sign of a coefficient that is not 0, else of size at
// most lambda. Infinite where a sign is not settled.
func (t *standard) breach(gamma []DD, active []int, lambda DD) float64 {
	on := make([]bool, len(gamma))
	for _, j := range active {
		on[j] = true
		if !gamma[j].Finite() {
			return math.Inf(1)
		}
	}
	most := 0.0
	for j := range gamma {
		if t.size[j] == (DD{}) {
			continue
		}
		g := t.right[j].Sub(dot(t.gram[j], gamma))
		off := math.Abs(g.Hi) - lambda.Hi
		if on[j] {
			want := lambda
			if gamma[j].Hi < 0 {
				want = lambda.Neg()
			}
			off = math.Abs(g.Sub(want).Hi)
		}
		most = math.Max(most, off/lambda.Hi)
	}
	return most
}

// descent is coordinate descent on the products (Friedman, Hastie and Tibshirani
// 2010, covariance updates).
type descent struct {
	gram     [][]float64
	gamma    []float64
	gradient []float64 // mean of z times the residual
	off      []bool
}

func newDescent(t *standard) *descent {
	many := len(t.size)
	d := &descent{gamma: make([]float64, many), gradient: make([]float64, many), off: make([]bool, many)}
	for j := range many {
		row := make([]float64, many)
		for k := range row {
			row[k] = t.gram[j][k].Float()
		}
		d.gram = append(d.gram, row)
		d.gradient[j] = t.right[j].Float()
		d.off[j] = t.size[j] == (DD{})
	}
	return d
}

func (d *descent) set(j int, value float64) float64 {
	change := value - d.gamma[j]
	if change == 0 {
		return 0
	}
	d.gamma[j] = value
	for k, c := range d.gram[j] {
		d.gradient[k] -= change * c
	}
	return math.Abs(change)
}

// update moves one coefficient to its optimum given the others.
func (d *descent) update(j int, lambda float64) float64 {
	if d.off[j] {
		return 0
	}
	c := d.gradient[j] + d.gamma[j]*d.gram[j][j]
	switch {
	case c > lambda:
		return d.set(j, (c-lambda)/d.gram[j][j])
	case c < -lambda:
		return d.set(j, (c+lambda)/d.gram[j][j])
	}
	return d.set(j, 0)
}

// run sweeps until nothing moves by more than still: over all coefficients, then
// over those that are not 0.
func (d *descent) run(lambda, still float64) {
	for sweep := 0; sweep < lassoSweeps; {
		most := 0.0
		for j := range d.gamma {
			most = math.Max(most, d.update(j, lambda))
		}
		sweep++
		if most <= still {
			return
		}
		for ; sweep < lassoSweeps; sweep++ {
			most = 0
			for j, g := range d.gamma {
				if g != 0 {
					most = math.Max(most, d.update(j, lambda))
				}
			}
			if most <= still {
				break
			}
		}
	}
}

// LassoPath tries a hundred penalties, equal ratios apart, from the one at which
// all coefficients are 0 down to its 10^-4 (10^-2 where there are no more
// observations than columns), by leaving out each fold.
func (p *Products) LassoPath(ctx context.Context) (*Path, error) {
	largest := 0.0
	for _, c := range p.whole.right {
		largest = math.Max(largest, math.Abs(c.Ldexp(p.cols[len(p.cols)-1].exp).Float()))
	}
	path := &Path{Method: "cv", Largest: largest}
	if largest == 0 {
		return nil, ErrSingular
	}
	powers := 4.0
	if p.N <= len(p.cols)-1 {
		powers = 2
	}
	d := newDescent(p.whole)
	still := 1e-7 * math.Sqrt(p.whole.square.Hi)
	for k := range lassoPath {
		lambda := largest * math.Pow(10, -powers*float64(k)/(lassoPath-1))
		d.run(math.Ldexp(lambda, -p.cols[len(p.cols)-1].exp), still)
		df := 1.0
		if p.opts.NoIntercept {
			df = 0
		}
		for _, g := range d.gamma {
			if g != 0 {
				df++
			}
		}
		path.Lambda, path.DF = append(path.Lambda, lambda), append(path.DF, df)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return path, p.validate(ctx, path, p.lassoSolver)
}

func (p *Products) lassoSolver(t *standard) func(lambda float64) []float64 {
	d := newDescent(t)
	still := 1e-7 * math.Sqrt(t.square.Hi)
	unit := p.cols[len(p.cols)-1].exp
	return func(lambda float64) []float64 {
		d.run(math.Ldexp(lambda, -unit), still)
		return d.gamma
	}
}
