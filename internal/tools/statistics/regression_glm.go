package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

func (r *fitted) likelihood(ctx context.Context, call *contract.Call) error {
	family := stat.Binomial
	if r.in.Operation == poissonOperation {
		family = stat.Poisson
	}
	g, err := stat.FitGLM(ctx, r.model, family, stat.GLMOptions{NoIntercept: !r.in.Intercept, Weighted: r.in.Weights != ""})
	if err != nil {
		return err
	}
	call.Progress(0.7, "The model is fitted.")
	if r.diag, err = g.Diagnose(ctx); err != nil {
		return err
	}
	r.glm, r.fit, r.n, r.coef, r.classical, r.se = g, g.Step, g.Step.N, g.Coef, g.SE, g.SE
	r.df, r.untestable = math.Inf(1), g.DFResidual < 1
	if r.in.Weights == "" { // a frequency is not one observation
		r.hc3 = r.diag.HC[3]
	} else if strings.HasPrefix(r.in.Covariance, "HC") {
		return contract.Errorf(contract.CodeInvalidInput, "%s errors are of single observations, and weights are frequencies here", r.in.Covariance).At("/covariance").
			WithHint("Leave weights out, or use the classical errors.")
	}
	if err := r.chooseErrors(func() (*stat.Clusters, error) { return g.Cluster(ctx) }); err != nil {
		return err
	}
	r.test()
	if r.in.Operation == logisticOperation && g.Scores != nil {
		g.Calibration = stat.Calibrate(slices.Clone(g.Scores)) // which sorts them
	}
	r.moved, err = r.move(ctx)
	return err
}

// likelihoodFigures are those of a model fitted by maximum likelihood.
type likelihoodFigures struct {
	Observations    number    `json:"observations"`
	Iterations      int       `json:"iterations"`
	Deviance        number    `json:"deviance"`
	NullDeviance    number    `json:"null_deviance"`
	LikelihoodRatio ratioTest `json:"likelihood_ratio_test"`
	McFadden        number    `json:"mcfadden_r_squared"`
	Pearson         number    `json:"pearson_chi_squared"`
	Dispersion      number    `json:"dispersion"`
}

type ratioTest struct {
	Statistic number `json:"statistic"`
	DF        int    `json:"df"`
	PValue    number `json:"p_value"`
}

type logisticFigures struct {
	Event          string      `json:"event"`
	Reference      string      `json:"reference"`
	Events         number      `json:"events"`
	NonEvents      number      `json:"non_events"`
	OddsRatios     named       `json:"odds_ratios"`
	AUC            number      `json:"auc"`
	Confusion      confusion   `json:"confusion"`
	HosmerLemeshow ratioTest   `json:"hosmer_lemeshow"`
	Calibration    []calibrant `json:"calibration"`
}

// confusion counts predictions of a probability of at least one half.
type confusion struct {
	TruePositive  number `json:"true_positive"`
	FalsePositive number `json:"false_positive"`
	TrueNegative  number `json:"true_negative"`
	FalseNegative number `json:"false_negative"`
	Accuracy      number `json:"accuracy"`
}

type calibrant struct {
	N        number `json:"n"`
	Observed number `json:"observed"`
	Expected number `json:"expected"`
}

type poissonFigures struct {
	RateRatios    named    `json:"rate_ratios"`
	QuasiErrors   named    `json:"quasi_standard_errors"`
	QuasiPValues  named    `json:"quasi_p_values"`
	ChangedByThem []string `json:"conclusions_changed_by_quasi"`
	Zeros         number   `json:"zeros"`
	ExpectedZeros number   `json:"expected_zeros"`
}

// ratioFigure is the exponential of a coefficient with its interval.
type ratioFigure struct {
	Estimate number `json:"estimate"`
	Low      number `json:"low"`
	High     number `json:"high"`
}

func (r *fitted) ratios() named {
	low, high := r.intervals()
	out := named{}
	for i := r.slopes(); i < len(r.names); i++ {
		out = append(out, entry{r.names[i], ratioFigure{number(math.Exp(r.coef[i])), number(math.Exp(low[i])), number(math.Exp(high[i]))}})
	}
	return out
}

// describeLikelihood fills what only these models have.
func (r *fitted) describeLikelihood(out *regressionOutput) {
	g := r.glm
	chi, df := g.NullDeviance-g.Deviance, r.ratioDF()
	l := &likelihoodFigures{Observations: number(g.N), Iterations: g.Iterations, Deviance: number(g.Deviance), NullDeviance: number(g.NullDeviance),
		LikelihoodRatio: ratioTest{number(chi), df, number(stat.ChiTail(chi, float64(df)))}, McFadden: number(1 - g.LogLikelihood/g.NullLikelihood),
		Pearson: number(g.Pearson), Dispersion: number(r.dispersion())}
	if df == 0 {
		l.LikelihoodRatio.PValue = number(math.NaN())
	}
	out.Likelihood = l
	p := float64(g.Step.P)
	out.LogLikelihood, out.AIC, out.BIC = number(g.LogLikelihood), number(2*p-2*g.LogLikelihood), number(p*math.Log(g.N)-2*g.LogLikelihood)
	if r.in.Operation == poissonOperation {
		out.Poisson = r.describePoisson()
	} else {
		out.Logistic = r.describeLogistic()
	}
}

func (r *fitted) dispersion() float64 {
	if r.glm.DFResidual < 1 {
		return math.NaN()
	}
	return r.glm.Pearson / r.glm.DFResidual
}

func (r *fitted) describeLogistic() *logisticFigures {
	nan := number(math.NaN())
	l := &logisticFigures{Event: r.model.event, Reference: r.model.other, OddsRatios: r.ratios(), AUC: nan, Calibration: []calibrant{},
		Confusion: confusion{nan, nan, nan, nan, nan}, HosmerLemeshow: ratioTest{nan, 0, nan}}
	if l.Event == "" {
		l.Event, l.Reference = "1", "0"
	}
	l.Events, l.NonEvents = number(r.glm.Events), number(r.glm.N-r.glm.Events)
	c := r.glm.Calibration
	if c == nil {
		return l
	}
	l.AUC = number(c.AUC)
	l.Confusion = confusion{number(c.TruePositive), number(c.FalsePositive), number(c.TrueNegative), number(c.FalseNegative),
		number((c.TruePositive + c.TrueNegative) / (c.Events + c.NonEvents))}
	l.HosmerLemeshow = ratioTest{number(c.HosmerLemeshow), max(len(c.Groups)-2, 0), number(c.HosmerLemeshowP)}
	for _, g := range c.Groups {
		l.Calibration = append(l.Calibration, calibrant{number(g.N), number(g.Observed), number(g.Expected)})
	}
	return l
}

func (r *fitted) describePoisson() *poissonFigures {
	g := r.glm
	se, p := r.quasi()
	s := r.slopes()
	out := &poissonFigures{RateRatios: r.ratios(), QuasiErrors: name(r.names, se), QuasiPValues: name(r.names[s:], p[s:]), ChangedByThem: r.changed(p),
		Zeros: number(math.NaN()), ExpectedZeros: number(math.NaN())}
	if g.Scores != nil {
		observed, expected, _ := stat.Zeros(g.Scores)
		out.Zeros, out.ExpectedZeros = number(observed), number(expected)
	}
	return out
}

// quasi are the errors of quasi-likelihood (Wedderburn 1974), which lets the
// variance be a multiple of the mean, and their p values by Student's t.
func (r *fitted) quasi() (se, p []float64) {
	factor := math.Sqrt(r.dispersion())
	for i, e := range r.classical {
		se, p = append(se, e*factor), append(p, math.NaN())
		if se[i] > 0 {
			p[i] = stat.TTail2(r.coef[i]/se[i], r.glm.DFResidual)
		}
	}
	return se, p
}

// eventsEnough is how many of the rarer outcome each coefficient needs (Peduzzi
// et al. 1996).
const eventsEnough = 10

func (r *fitted) likelihoodChecks() []check {
	g := r.glm
	var list []check
	if r.in.Operation == logisticOperation {
		per := math.Min(g.Events, g.N-g.Events) / float64(max(g.Step.DFM, 1))
		list = append(list, judged("events_per_coefficient", per, math.NaN(), per >= eventsEnough, "Enough of the rarer outcome for the number of features.",
			fmt.Sprintf("%.3g of the rarer outcome for each feature are few: coefficients are too large in size, and intervals approximate.", per)))
		if c := g.Calibration; c != nil {
			list = append(list, together([]assumption{{name: "hosmer_lemeshow", statistic: c.HosmerLemeshow, p: c.HosmerLemeshowP,
				sign: "that predicted probabilities do not agree with what happened",
				bad:  "Predicted probabilities do not agree with what happened: the log odds are not linear in the features; try squares or products."}})...)
		}
	} else {
		list = append(list, r.countChecks()...)
	}
	if r.in.Weights == "" && g.Scores != nil {
		list = append(list, r.successiveScores())
	}
	list = append(list, r.conditionCheck(r.fit.Condition))
	return append(append(list, r.influenceCheck()...), r.clusterCheck()...)
}

// successiveScores looks whether residuals (Pearson's) of rows that follow each other
// are alike, as those of a series in time are.
func (r *fitted) successiveScores() check {
	rest := make([]float64, len(r.glm.Scores))
	for i, s := range r.glm.Scores {
		variance := s.Mean
		if r.in.Operation == logisticOperation {
			variance *= 1 - s.Mean
		}
		if variance > 0 {
			rest[i] = (s.Y - s.Mean) / math.Sqrt(variance)
		}
	}
	s := stat.Successives([][]float64{rest}, nil)
	if s.Sorted {
		s.R = math.NaN()
	}
	return judged(successiveName, s.R, s.P, !(s.P < successiveLevel && s.R > successiveLeast), "Successive rows are no more alike than others.", fmt.Sprintf(
		"Residuals of successive rows are alike (lag-1 correlation %.2f, p = %.1g): if the rows are in the order of measurement, they are no independent samples and p is far too small; give cluster, a column of the stretches that depend on each other.", s.R, s.P))
}

// dispersionNoticed is where the errors are too small by a twentieth; many rows
// make less than that significant.
const dispersionNoticed = 1.1

func (r *fitted) countChecks() []check {
	g, phi := r.glm, r.dispersion()
	p, harmless := math.NaN(), ""
	if g.DFResidual >= 1 {
		p = stat.ChiTail(g.Pearson, g.DFResidual)
	}
	if phi < dispersionNoticed {
		harmless = fmt.Sprintf("The counts vary %.3g times as much as Poisson counts: more than by chance, but hardly enough to matter.", phi)
	}
	list := []assumption{{name: "overdispersion", statistic: phi, p: p, sign: "that the counts vary more than Poisson counts do", harmless: harmless,
		bad: fmt.Sprintf("The counts vary %.3g times as much as Poisson counts: the classical errors are too small by a factor of %.3g; use quasi_standard_errors or HC3.", phi, math.Sqrt(phi))}}
	if g.Scores == nil {
		return together(list)
	}
	observed, expected, sd := stat.Zeros(g.Scores)
	z := (observed - expected) / sd
	return together(append(list, assumption{name: "zeros", statistic: z, p: stat.ZTail2(math.Max(z, 0)), sign: "of more zeros than Poisson counts of these means have",
		bad: fmt.Sprintf("%.0f counts are 0 where %.4g are expected: some rows may have no chance of an event; the means of the others are too low.", observed, expected)}))
}
