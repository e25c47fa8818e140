package stat

import "context"

// Near is a generalised linear model on data that differ little from those of a fit.
// Coefficients are ordered as those of the fit; an aliased one is NaN.
type Near struct {
	N        int
	Coef, SE []float64
	Deviance float64
}

// Near takes one step of Newton's method from the maximum on other data of the same
// columns, such as those whose last digits are others: a weighted least squares fit of
// the working response, which is their own maximum up to the square of how far the
// linear predictors move.
func (g *GLM) Near(ctx context.Context, src ExtraSource) (*Near, error) {
	opts := Options{NoIntercept: g.opts.NoIntercept, Weighted: true}
	s, err := scanColumns(ctx, src, Options{NoIntercept: opts.NoIntercept, Weighted: g.opts.Weighted})
	switch {
	case err != nil:
		return nil, err
	case s.n < g.Step.P:
		return nil, ErrTooFew
	}
	s.cols[len(s.cols)-1] = column{} // the step's response is neither centred nor scaled
	w := &working{src: src, family: g.Family, intercept: !opts.NoIntercept, beta: g.beta, sums: make([]glmSums, src.Blocks())}
	fit := &Fit{opts: opts, scan: s, N: s.n, used: append([]int(nil), g.Step.used...), AliasOf: map[int][]int{}}
	if err := fit.factor(ctx, w); err != nil {
		return nil, err
	}
	if fit.dropAliased() {
		return nil, ErrSingular
	}
	fit.P = len(fit.used) + fit.first()
	fit.transform()
	out := &Near{N: s.n, Coef: nans(len(g.Coef)), SE: nans(len(g.Coef))}
	y, there := fit.projections(), append([]DD(nil), g.beta...)
	for k, at := range fit.positions() {
		there[at] = there[at].Add(dot(fit.trans[k], y))
		out.Coef[at] = there[at].Float()
		v, e := squares(fit.trans[k])
		out.SE[at] = v.Sqrt().Ldexp(e).Float()
	}
	w.beta = there
	err = EachBlock(ctx, w.Blocks(), func(i int) (struct{}, error) {
		b, err := w.Load(i)
		b.free()
		return struct{}{}, err
	}, func(struct{}) {})
	out.Deviance = w.total().deviance.Float()
	return out, err
}
