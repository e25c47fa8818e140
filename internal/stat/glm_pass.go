package stat

import (
	"context"
	"math"
)

// working is the source of the least squares problem whose solution is a step of
// Newton's method: the response is (y-mean) by the variance, the weight is the
// variance times the frequency.
type working struct {
	src       ExtraSource
	family    Family
	intercept bool
	start     bool // the means are taken from the response, as there are no coefficients yet
	beta      []DD
	sums      []glmSums // by block
}

// glmSums are sums over observations at the present coefficients.
type glmSums struct {
	deviance DD
	margin   float64 // the least signed linear predictor: positive when every observation is told right
}

func (w *working) total() glmSums {
	all := glmSums{margin: math.Inf(1)}
	for _, s := range w.sums {
		all.deviance = all.deviance.Add(s.deviance)
		all.margin = math.Min(all.margin, s.margin)
	}
	return all
}

// Blocks implements Source.
func (w *working) Blocks() int { return w.src.Blocks() }

// Load implements Source.
func (w *working) Load(i int) (Block, error) {
	b, _, err := w.LoadExtra(i)
	return b, err
}

// leastVariance keeps the weight of an observation that the model is sure of
// above 0; the step's right side does not depend on it.
const leastVariance = 1e-30

// LoadExtra implements ExtraSource.
func (w *working) LoadExtra(i int) (Block, Extra, error) {
	b, extra, err := w.src.LoadExtra(i)
	if err != nil {
		return b, extra, err
	}
	s := glmSums{margin: math.Inf(1)}
	weights := make([]DD, len(b.Y))
	eta := w.predictor(b, extra)
	for k := range b.Y {
		y, f := b.Y[k].Hi, 1.0
		if b.W != nil {
			f = b.W[k].Float()
		}
		if f == 0 {
			continue
		}
		m := w.family.at(eta[k], y)
		var ahead DD // at the start the whole predictor is the step
		if w.start {
			var at float64
			m, at = w.family.first(y)
			ahead = F(at)
			if extra.Offset != nil {
				ahead = ahead.Sub(extra.Offset[k])
			}
		}
		s.deviance = s.deviance.Add(F(f * m.deviance))
		s.margin = math.Min(s.margin, m.margin)
		v := math.Max(m.variance, leastVariance)
		weights[k] = F(f).Mul(F(v))
		b.Y[k] = ahead.Add(F(m.residual).Div(F(v)))
	}
	b.W = weights
	w.sums[i] = s
	return b, extra, nil
}

// predictor is the linear predictor of every observation of a block.
func (w *working) predictor(b Block, extra Extra) []DD {
	eta := make([]DD, len(b.Y))
	if w.start {
		return eta
	}
	copy(eta, extra.Offset)
	first := 0
	if w.intercept {
		first = 1
		for k := range eta {
			eta[k] = eta[k].Add(w.beta[0])
		}
	}
	for j, x := range b.X {
		c := w.beta[j+first]
		if c == (DD{}) {
			continue
		}
		for k, v := range x {
			eta[k] = eta[k].Add(c.Mul(v))
		}
	}
	return eta
}

// moment is what a family says of an observation at a linear predictor.
type moment struct {
	mean, variance, residual float64
	deviance, margin         float64
	likelihood               float64 // its logarithm
}

// mostPredictor keeps exp within float64.
const mostPredictor = 700

func (f Family) at(eta DD, y float64) moment {
	if f == Poisson {
		e := math.Max(-mostPredictor, math.Min(mostPredictor, eta.Hi))
		m := math.Exp(e) * (1 + eta.Lo)
		return poissonMoment(m, y)
	}
	e := math.Exp(-math.Abs(eta.Hi))
	if eta.Hi >= 0 {
		e *= 1 - eta.Lo
	} else {
		e *= 1 + eta.Lo
	}
	large, small := 1/(1+e), e/(1+e)
	p, q, margin := large, small, eta.Hi // of 1, of 0
	if eta.Hi < 0 {
		p, q = small, large
	}
	m := moment{mean: p, variance: p * q, residual: q}
	if y == 0 {
		m.residual, margin = -p, -margin
	}
	m.margin = margin
	if margin >= 0 {
		m.likelihood = -math.Log1p(e)
	} else {
		m.likelihood = -(math.Abs(eta.Hi) + math.Log1p(e))
	}
	m.deviance = -2 * m.likelihood
	return m
}

func poissonMoment(m, y float64) moment {
	lgamma, _ := math.Lgamma(y + 1)
	d := moment{mean: m, variance: m, residual: y - m, deviance: 2 * m, likelihood: -m}
	if y > 0 {
		d.deviance = 2 * deviance(y, m)
		d.likelihood = y*math.Log(m) - m - lgamma
	}
	return d
}

// first is the family's start: the response, drawn a little to the middle.
func (f Family) first(y float64) (m moment, eta float64) {
	if f == Poisson {
		return poissonMoment(y+0.5, y), math.Log(y + 0.5)
	}
	p := (y + 0.5) / 2
	eta = math.Log(p / (1 - p))
	return f.at(F(eta), y), eta
}

// maxScores is the most observations whose scores are kept.
const maxScores = 1_000_000

// glmTotals are the sums of the last pass.
type glmTotals struct {
	n, y, exposure, deviance, likelihood, pearson DD
	scores                                        []Score
}

// assess goes through the data at the maximum, and once more for the model
// without columns.
func (g *GLM) assess(ctx context.Context) error {
	keep := g.Step.N <= maxScores
	all, err := g.sweep(ctx, keep, func(eta, _ DD) DD { return eta })
	if err != nil {
		return err
	}
	g.N, g.Events, g.Scores = all.n.Float(), all.y.Float(), all.scores
	g.Deviance, g.LogLikelihood, g.Pearson = all.deviance.Float(), all.likelihood.Float(), all.pearson.Float()
	g.DFResidual = g.N - float64(g.Step.P)
	level := DD{}
	if !g.opts.NoIntercept { // the intercept alone gives the mean rate
		rate := all.y.Div(all.exposure).Float()
		if level = F(math.Log(rate)); g.Family == Binomial {
			level = F(math.Log(rate / (1 - rate)))
		}
	}
	null, err := g.sweep(ctx, false, func(_, offset DD) DD { return offset.Add(level) })
	g.NullDeviance, g.NullLikelihood = null.deviance.Float(), null.likelihood.Float()
	return err
}

func (g *GLM) sweep(ctx context.Context, keep bool, predictor func(eta, offset DD) DD) (glmTotals, error) {
	var all glmTotals
	if keep {
		all.scores = make([]Score, 0, g.Step.N)
	}
	w := g.work
	err := EachBlock(ctx, w.Blocks(), func(i int) (glmTotals, error) {
		var t glmTotals
		b, extra, err := w.src.LoadExtra(i)
		if err != nil || len(b.Y) == 0 {
			return t, err
		}
		defer b.free()
		for k, eta := range w.predictor(b, extra) {
			f, offset := F(1), DD{}
			if b.W != nil {
				f = b.W[k]
			}
			if extra.Offset != nil {
				offset = extra.Offset[k]
			}
			if f.Hi == 0 {
				continue
			}
			e := predictor(eta, offset)
			m := g.Family.at(e, b.Y[k].Hi)
			t.n, t.y = t.n.Add(f), t.y.Add(f.Mul(b.Y[k]))
			t.exposure = t.exposure.Add(f.Mul(F(math.Exp(offset.Float()))))
			t.deviance = t.deviance.Add(f.Mul(F(m.deviance)))
			t.likelihood = t.likelihood.Add(f.Mul(F(m.likelihood)))
			t.pearson = t.pearson.Add(f.Mul(F(m.residual).Mul(F(m.residual)).Div(F(m.variance))))
			if keep {
				t.scores = append(t.scores, Score{e.Float(), m.mean, b.Y[k].Hi, f.Float()})
			}
		}
		return t, nil
	}, func(t glmTotals) {
		all.n, all.y, all.exposure = all.n.Add(t.n), all.y.Add(t.y), all.exposure.Add(t.exposure)
		all.deviance, all.likelihood, all.pearson = all.deviance.Add(t.deviance), all.likelihood.Add(t.likelihood), all.pearson.Add(t.pearson)
		all.scores = append(all.scores, t.scores...)
	})
	return all, err
}

// Diagnose makes the robust standard errors and the influence of observations at
// the maximum: those of the last step's least squares problem (Pregibon 1981).
// They are of observations, so frequencies other than 1 have none.
func (g *GLM) Diagnose(ctx context.Context) (*Diagnostics, error) {
	d, err := g.Step.Diagnose(ctx, g.work)
	if err != nil || d == nil {
		return d, err
	}
	dispersion := g.Step.sigma2().Float()
	for i := min(len(d.Alone), len(d.Worst)); i < len(d.Worst); i++ {
		in := &d.Worst[i]
		in.Cook *= dispersion // the family's dispersion is 1
		in.Residual = in.e    // Pearson's
		in.Studentized = in.e / math.Sqrt(1-in.Leverage)
		in.DFFITS = in.Studentized * math.Sqrt(in.Leverage/(1-in.Leverage))
	}
	for at := range d.Without {
		d.Without[at] += g.Coef[at] - g.Step.Coef[at]
	}
	return d, nil
}
