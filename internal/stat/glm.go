package stat

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Family is the distribution of the response of a generalised linear model, with
// its canonical link.
type Family int

// The families: y in {0, 1} with the logit link, and counts with the log link.
const (
	Binomial Family = iota
	Poisson
)

// Extra is what some models read of an observation beside a Block: a known part
// of the linear predictor, and the cluster that it belongs to. nil for none.
type Extra struct {
	Offset []DD
	Group  []string
}

// ExtraSource is a source whose blocks have extras.
type ExtraSource interface {
	Source
	LoadExtra(i int) (Block, Extra, error)
}

// GLMOptions are those of a generalised linear model. Weights are frequencies:
// an observation of weight 3 stands for three.
type GLMOptions struct {
	NoIntercept, Weighted bool
	MaxIterations         int // 0: 60
}

// RowError is the fault of one observation.
type RowError struct {
	Row   int64 // in the table, from 1; 0 where blocks do not say
	Value float64
	Err   error
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v is %v", e.Row, e.Value, e.Err) }

// Unwrap returns what is wrong with the observation.
func (e *RowError) Unwrap() error { return e.Err }

// Faults of generalised linear models.
var (
	ErrNotBinary = errors.New("neither 0 nor 1")
	ErrNotCount  = errors.New("no whole number from 0")
	ErrOneClass  = errors.New("the response takes one value only")
	ErrAllZero   = errors.New("all counts are 0")
	ErrDiverged  = errors.New("the iteration does not converge")
)

// Separation is the fault of data whose likelihood has no maximum: along a
// direction of the coefficients it only rises (Albert and Anderson 1984; for
// counts, Correia, Guimaraes and Zylkin 2019).
type Separation struct {
	Complete bool  // every observation is told right, rather than some undecided
	Columns  []int // of X, those that separate: one alone, or the parts of a sum
	Alone    bool  // the first column does it without the others
}

func (s *Separation) Error() string { return "the data are separated: the likelihood has no maximum" }

// GLM is a generalised linear model fitted by maximum likelihood. Coefficients
// are ordered as the columns are, after the intercept where there is one; an
// aliased one is NaN.
type GLM struct {
	// Step is the weighted least squares problem of the last step of Newton's
	// method. Its counts, aliases, conditioning and leverages are the model's;
	// its coefficients are those of the step.
	Step *Fit

	Family                        Family
	N                             float64 // observations, by their frequencies
	Coef, SE                      []float64
	Deviance, NullDeviance        float64
	LogLikelihood, NullLikelihood float64
	Pearson                       float64 // the sum of squared Pearson residuals
	DFResidual                    float64
	Iterations                    int
	Decrement                     float64      // Newton's, of the last step: how far the maximum is, in squared standard errors
	Events                        float64      // the sum of the response
	Scores                        []Score      // by observation, up to a million; nil beyond
	Calibration                   *Calibration // of a binary response, where it was asked for

	beta []DD
	work *working
	opts GLMOptions
}

// Working is the source of Step's least squares problem.
func (g *GLM) Working() ExtraSource { return g.work }

// Score is what a model says of an observation: the linear predictor, and the
// response with its frequency.
type Score struct{ Eta, Mean, Y, Weight float64 }

const (
	defaultIterations = 60
	// A step of 1e-12 standard errors leaves a distance of about its square.
	decrementLeast = 1e-24
	// Rounding of the means may keep the steps above that; they then stop falling.
	decrementStuck = 1e-14
	slowFrom       = 8 // iterations after which separation is suspected of slow convergence
)

// FitGLM fits a generalised linear model by Newton's method with the expected
// information, which is iteratively reweighted least squares: each step is a
// least squares fit in double-double of one pass over the data. With the mean mu of
// the link's inverse at eta = X b + offset and its derivative mu',
//
//	b <- (X'WX)^-1 X'Wz,  W = w mu'^2 / var(mu),  z = eta - offset + (y - mu)/mu'
func FitGLM(ctx context.Context, src ExtraSource, family Family, opts GLMOptions) (*GLM, error) {
	if opts.MaxIterations == 0 {
		opts.MaxIterations = defaultIterations
	}
	g := &GLM{Family: family, opts: opts}
	s, err := g.scan(ctx, src)
	if err != nil {
		return nil, err
	}
	g.work = &working{src: src, family: family, intercept: !opts.NoIntercept, sums: make([]glmSums, src.Blocks()), start: true}
	if err := g.iterate(ctx, s); err != nil {
		return nil, err
	}
	return g, g.finish(ctx)
}

// scan checks the response and finds the ranges of the columns. The step's
// response, which takes the last place, is neither centred nor scaled.
func (g *GLM) scan(ctx context.Context, src ExtraSource) (scan, error) {
	s, err := scanColumns(ctx, checked{src, g.Family}, Options{NoIntercept: g.opts.NoIntercept, Weighted: g.opts.Weighted})
	switch {
	case err != nil:
		return s, err
	case s.n == 0:
		return s, ErrEmpty
	}
	y := s.cols[len(s.cols)-1]
	switch {
	case g.Family == Poisson && y.max.Hi == 0:
		return s, ErrAllZero
	case g.Family == Binomial && y.min == y.max:
		return s, ErrOneClass
	}
	total := len(s.cols) - 1
	if !g.opts.NoIntercept {
		total++
	}
	if s.n < total {
		return s, ErrTooFew
	}
	s.cols[len(s.cols)-1] = column{}
	g.Coef, g.SE = nans(total), nans(total)
	return s, nil
}

// checked refuses responses that the family does not have.
type checked struct {
	ExtraSource
	family Family
}

func (c checked) Load(i int) (Block, error) {
	b, extra, err := c.LoadExtra(i)
	if err != nil {
		return b, err
	}
	for k, y := range b.Y {
		fault := error(nil)
		switch {
		case extra.Offset != nil && !extra.Offset[k].Finite() || !y.Finite():
			return b, ErrNotFinite
		case c.family == Binomial && y != F(0) && y != F(1):
			fault = ErrNotBinary
		case c.family == Poisson && (y.Lo != 0 || y.Hi < 0 || y.Hi != math.Trunc(y.Hi)):
			fault = ErrNotCount
		}
		if fault != nil {
			e := &RowError{Value: y.Float(), Err: fault}
			if b.Row != nil {
				e.Row = b.Row[k]
			}
			return b, e
		}
	}
	return b, nil
}

// iterate takes Newton's steps. A step that raises the deviance is halved.
func (g *GLM) iterate(ctx context.Context, s scan) error {
	var delta []DD
	var before glmSums
	last := math.Inf(1)
	for g.Iterations = 1; g.Iterations <= g.opts.MaxIterations; g.Iterations++ {
		fit, err := g.step(ctx, s)
		if err != nil {
			return err
		}
		now := g.work.total()
		if !g.work.start {
			if g.Family == Binomial && now.margin > 0 {
				return g.separation(ctx, g.beta, true)
			}
			if now.deviance.Sub(before.deviance).Hi > 1e-11*before.deviance.Hi+1e-13*float64(s.n) && g.Iterations > 2 {
				for j := range delta { // too far: half of the way back
					delta[j] = delta[j].Ldexp(-1)
					g.beta[j] = g.beta[j].Sub(delta[j])
				}
				g.work.beta = g.beta
				continue
			}
		}
		before = now
		y := fit.projections()
		g.Decrement = dot(y, y).Float()
		if g.Step = fit; g.work.start {
			g.beta = make([]DD, len(g.Coef))
		}
		delta = g.advance(y)
		if g.work.start {
			g.work.start, g.work.beta = false, g.beta
			continue
		}
		slow := g.Iterations > slowFrom && g.Decrement > 0.05*last
		if slow {
			if err := g.separation(ctx, delta, false); err != nil {
				return err
			}
		}
		if g.Decrement <= decrementLeast || g.Decrement < decrementStuck && slow {
			return nil
		}
		last = g.Decrement
		g.work.beta = g.beta
	}
	return ErrDiverged
}

// advance adds the step, given in orthonormal coordinates, to the coefficients.
// What was used for the pass before stays untouched.
func (g *GLM) advance(y []DD) (delta []DD) {
	delta = make([]DD, len(g.beta))
	next := append([]DD(nil), g.beta...)
	for k, at := range g.Step.positions() {
		delta[at] = dot(g.Step.trans[k], y)
		next[at] = next[at].Add(delta[at])
	}
	g.beta = next
	return delta
}

// step makes the least squares problem at the present coefficients. The columns
// that are aliased are found with the first weights.
func (g *GLM) step(ctx context.Context, s scan) (*Fit, error) {
	fit := &Fit{opts: Options{NoIntercept: g.opts.NoIntercept, Weighted: true}, scan: s, N: s.n, AliasOf: map[int][]int{}}
	if g.Step != nil {
		fit.used, fit.Aliased, fit.AliasOf = g.Step.used, g.Step.Aliased, g.Step.AliasOf
	} else {
		for j := range len(s.cols) - 1 {
			fit.used = append(fit.used, j)
		}
	}
	for {
		if err := fit.factor(ctx, g.work); err != nil {
			return nil, err
		}
		if !fit.dropAliased() {
			break
		}
		if !g.work.start { // only vanishing weights make columns dependent later
			return nil, ErrDiverged
		}
	}
	fit.P = len(fit.used) + fit.first()
	fit.transform()
	return fit, nil
}

// projections are the coordinates of the response in the orthonormal basis of
// the columns.
func (f *Fit) projections() []DD {
	y := make([]DD, f.P)
	for i := range y {
		y[i] = f.r[i][len(f.r)-1]
	}
	return y
}

// finish makes the figures at the maximum.
func (g *GLM) finish(ctx context.Context) error {
	f := g.Step
	f.solve()
	f.Digits = f.digitsOfColumns()
	for k, at := range f.positions() {
		g.Coef[at] = g.beta[at].Float()
		v, e := squares(f.trans[k])
		g.SE[at] = v.Sqrt().Ldexp(e).Float()
	}
	g.work.beta = g.beta
	return g.assess(ctx)
}
