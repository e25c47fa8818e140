package stat

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Diagnostics are what a second pass over the data learns of a fit. A figure is
// NaN where it is undefined.
type Diagnostics struct {
	HC        [4][]float64 // standard errors HC0 to HC3 (MacKinnon and White 1985), ordered as Coef
	Quantiles []float64    // of the residuals: minimum, quartiles, maximum; nil beyond 1e6 observations
	Gradient  float64      // largest cosine between the residuals and a column: 0 of a right fit

	DurbinWatson          float64
	BreuschPagan, BPValue float64 // Koenker's form, chi squared with DFM degrees
	JarqueBera, JBValue   float64
	Skewness, Kurtosis    float64
	RESET, RESETValue     float64 // Ramsey's with the second and third power of the fitted values
	MaxLeverage           float64
	Alone                 []Influence // of leverage 1, in the order of the table
	Worst                 []Influence // those, then by Cook's distance, largest first; at most 5
	Without               []float64   // coefficients of the fit without the worst, ordered as Coef
	Sample                []Point     // in the order of the table, for plots; at most MaxSample
}

// Influence is one observation's hold on the fit.
type Influence struct {
	Row                                           int64   // in the table, from 1; 0 where blocks do not say
	Residual, Leverage, Studentized, Cook, DFFITS float64 // the last three NaN at leverage 1
	Decides                                       []int   // coefficients that no other observation determines
	z                                             []float64
	e                                             float64
}

const (
	worstPoints  = 5
	maxQuantiles = 1_000_000
)

// diagnosticSums sums what the diagnostics need, of the whitened residuals e and the
// orthonormal coordinates z of each observation, in units of the scaled response.
type diagnosticSums struct {
	p           int
	n           float64
	first, last float64
	steps       float64
	power       [5]float64   // sums of e^k
	meat        [4][]float64 // sums of z z' e^2/(1-h)^k; HC1 is made of HC0
	ze, zg      []float64    // sums of z e and z e^2
	zf          [2][]float64
	ff          [3]float64 // u^4, u^5, u^6
	ef          [2]float64
	leverage    float64
	worst       []Influence
	alone       []Influence // of leverage 1
	spread      *brackets   // of the residuals; nil where they are too many
	started     bool
	sample      []Point
	every, at   int // of the usable observations every which is sampled; number of the next
}

// Diagnose goes through the data once more. A fit that is exact has no residuals
// to judge, and all of it is undefined.
func (f *Fit) Diagnose(ctx context.Context, src Source) (*Diagnostics, error) {
	d := &Diagnostics{}
	nan := math.NaN()
	total := len(f.Coef)
	d.Gradient, d.DurbinWatson, d.BreuschPagan, d.BPValue = nan, nan, nan, nan
	d.JarqueBera, d.JBValue, d.Skewness, d.Kurtosis = nan, nan, nan, nan
	d.RESET, d.RESETValue, d.MaxLeverage = nan, nan, nan
	for k := range d.HC {
		d.HC[k] = nans(total)
	}
	if f.Exact || f.DFE < 1 {
		return d, nil
	}
	sum := f.newPass()
	var err error
	if sum.spread, err = f.expected(src); err != nil {
		return nil, err
	}
	err = EachBlock(ctx, src.Blocks(), func(i int) (*diagnosticSums, error) {
		b, err := src.Load(i)
		part := f.newPass()
		part.at = f.scan.before(i)
		if sum.spread != nil {
			part.spread = sum.spread.empty()
		}
		if err == nil && len(b.Y) > 0 {
			part.add(f, b)
			b.free()
		}
		return part, err
	}, sum.merge)
	if err != nil {
		return nil, err
	}
	if sum.spread != nil {
		if d.Quantiles, err = f.five(ctx, src, sum.spread); err != nil {
			return nil, err
		}
		for i, q := range d.Quantiles {
			d.Quantiles[i] = math.Ldexp(q, f.scan.cols[len(f.scan.cols)-1].exp)
		}
	}
	f.robust(sum, d)
	f.tests(sum, d)
	f.influence(sum, d)
	d.Sample = sum.sample
	return d, nil
}

func (f *Fit) newPass() *diagnosticSums {
	s := &diagnosticSums{p: f.P, every: sampleEvery(f.N)}
	for k := range s.meat {
		s.meat[k] = make([]float64, f.P*f.P)
	}
	s.ze, s.zg = make([]float64, f.P), make([]float64, f.P)
	s.zf = [2][]float64{make([]float64, f.P), make([]float64, f.P)}
	return s
}

// rank takes an observation among those with the largest Cook's distance.
func (s *diagnosticSums) rank(f *Fit, b Block, i int, row []float64, e, h, cook float64) {
	q := len(f.r) - 1
	rss, dfe := f.r[q][q].Mul(f.r[q][q]).Float(), float64(f.DFE)
	in := Influence{Leverage: h, Cook: cook, e: e, z: slices.Clone(row), Studentized: math.NaN(), DFFITS: math.NaN()}
	if b.Row != nil {
		in.Row = b.Row[i]
	}
	if rest := rss - e*e/(1-h); dfe > 1 && rest > 0 {
		in.Studentized = e / math.Sqrt(rest/(dfe-1)*(1-h))
		in.DFFITS = in.Studentized * math.Sqrt(h/(1-h))
	}
	in.Residual = math.Ldexp(e, f.scan.cols[len(f.scan.cols)-1].exp)
	if b.W != nil {
		in.Residual /= math.Sqrt(b.W[i].Hi)
	}
	s.insert(in)
}

func (s *diagnosticSums) insert(in Influence) {
	at := len(s.worst)
	for at > 0 && s.worst[at-1].Cook < in.Cook {
		at--
	}
	s.worst = slices.Insert(s.worst, at, in)
	s.worst = s.worst[:min(len(s.worst), worstPoints)]
}

func (s *diagnosticSums) merge(o *diagnosticSums) {
	if !o.started {
		return
	}
	if s.started {
		s.steps += (o.first - s.last) * (o.first - s.last)
	} else {
		s.first, s.started = o.first, true
	}
	s.last = o.last
	s.n, s.steps, s.leverage = s.n+o.n, s.steps+o.steps, math.Max(s.leverage, o.leverage)
	for k := range s.power {
		s.power[k] += o.power[k]
	}
	plus := func(a, b []float64) {
		for i := range a {
			a[i] += b[i]
		}
	}
	for k := range s.meat {
		plus(s.meat[k], o.meat[k])
	}
	plus(s.ze, o.ze)
	plus(s.zg, o.zg)
	plus(s.zf[0], o.zf[0])
	plus(s.zf[1], o.zf[1])
	plus(s.ff[:], o.ff[:])
	plus(s.ef[:], o.ef[:])
	for _, in := range o.worst {
		s.insert(in)
	}
	s.alone = append(s.alone, o.alone...)
	s.sample = append(s.sample, o.sample...)
	if s.spread != nil {
		s.spread.merge(o.spread)
	}
}

// robust makes the standard errors that hold without equal variances.
func (f *Fit) robust(s *diagnosticSums, d *Diagnostics) {
	p := f.P
	for kind := range d.HC {
		from, factor := s.meat[kind], 1.0
		if kind == 1 {
			from, factor = s.meat[0], float64(f.N)/float64(f.DFE)
		}
		m := mat.NewSymDense(p, slices.Clone(from))
		for k, at := range f.positions() {
			t := make([]float64, p)
			_, e := squares(f.trans[k])
			for i, x := range f.trans[k] {
				t[i] = x.Ldexp(-e).Float()
			}
			v := mat.NewVecDense(p, t)
			se := math.Ldexp(math.Sqrt(factor*mat.Inner(v, m, v)), e)
			if kind < 2 || s.leverage < wholeLeverage {
				d.HC[kind][at] = se
			}
		}
	}
	d.MaxLeverage = s.leverage
	for _, c := range s.ze {
		d.Gradient = math.Max(zero(d.Gradient), math.Abs(c)/math.Sqrt(s.power[2]))
	}
}

func zero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// tests of what the classical errors assume. Those on the residuals of a weighted
// fit, or one without an intercept, have other distributions and are left out.
func (f *Fit) tests(s *diagnosticSums, d *Diagnostics) {
	n := s.n
	d.DurbinWatson = s.steps / s.power[2]
	mean := s.power[1] / n
	m2 := s.power[2]/n - mean*mean
	m3 := s.power[3]/n - 3*mean*s.power[2]/n + 2*mean*mean*mean
	m4 := s.power[4]/n - 4*mean*s.power[3]/n + 6*mean*mean*s.power[2]/n - 3*mean*mean*mean*mean
	d.Skewness, d.Kurtosis = m3/math.Pow(m2, 1.5), m4/(m2*m2)
	d.JarqueBera = n / 6 * (d.Skewness*d.Skewness + (d.Kurtosis-3)*(d.Kurtosis-3)/4)
	d.JBValue = ChiTail(d.JarqueBera, 2)
	if f.opts.Weighted || f.opts.NoIntercept || f.DFM < 1 {
		return
	}
	explained := 0.0
	for k := 1; k < f.P; k++ {
		explained += s.zg[k] * s.zg[k]
	}
	if total := s.power[4] - s.power[2]*s.power[2]/n; total > 1e-14*s.power[4] {
		d.BreuschPagan = n * explained / total
		d.BPValue = ChiTail(d.BreuschPagan, float64(f.DFM))
	}
	f.reset(s, d)
}

func (f *Fit) reset(s *diagnosticSums, d *Diagnostics) {
	df := float64(f.DFE - 2)
	if df < 1 {
		return
	}
	var g [3]float64 // of the powers, less what the columns explain of them
	copy(g[:], s.ff[:])
	for k := range s.p {
		g[0] -= s.zf[0][k] * s.zf[0][k]
		g[1] -= s.zf[0][k] * s.zf[1][k]
		g[2] -= s.zf[1][k] * s.zf[1][k]
	}
	det := g[0]*g[2] - g[1]*g[1]
	if !(g[0] > 1e-9*s.ff[0]) || !(g[2] > 1e-9*s.ff[2]) || !(det > 1e-9*g[0]*g[2]) {
		return // the columns take too few values for powers to add anything
	}
	a, b := s.ef[0], s.ef[1]
	gain := (a*a*g[2] - 2*a*b*g[1] + b*b*g[0]) / det
	if rest := s.power[2] - gain; rest > 0 {
		d.RESET = gain / 2 / (rest / df)
		d.RESETValue = FTail(d.RESET, 2, df)
	}
}
