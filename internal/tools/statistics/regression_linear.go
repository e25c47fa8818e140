package statistics

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// normalQuantile is z such that a standard normal number is beyond it, on either
// side, with probability p.
func normalQuantile(p float64) float64 { return -mathext.NormalQuantile(p / 2) }

func (r *fitted) leastSquares(ctx context.Context, call *contract.Call) error {
	f, err := stat.LeastSquares(ctx, r.model, stat.Options{NoIntercept: !r.in.Intercept, Weighted: r.in.Weights != ""})
	if err != nil {
		return err
	}
	call.Progress(0.7, "The model is fitted.")
	if r.diag, err = f.Diagnose(ctx, r.model); err != nil {
		return err
	}
	r.fit, r.n, r.coef, r.classical, r.se, r.hc3 = f, f.N, f.Coef, f.SE, f.SE, r.diag.HC[3]
	r.df, r.untestable = float64(f.DFE), f.Exact || f.DFE < 1
	if err := r.chooseErrors(func() (*stat.Clusters, error) { return f.Cluster(ctx, r.model) }); err != nil {
		return err
	}
	r.test()
	r.moved, err = r.move(ctx)
	return err
}

// chooseErrors takes the standard errors that were asked for.
func (r *fitted) chooseErrors(clusters func() (*stat.Clusters, error)) error {
	for kind, name := range []string{"HC0", "HC1", "HC2", "HC3"} {
		if r.in.Covariance == name {
			r.se = r.diag.HC[kind]
		}
	}
	if r.in.Cluster == "" || r.untestable {
		return nil
	}
	var err error
	if r.clusters, err = clusters(); err != nil {
		return err
	}
	if r.se = r.clusters.SE; r.glm == nil {
		r.df = float64(r.clusters.Count - 1)
	}
	return nil
}

// judged is a check whose consequence depends on its outcome.
func judged(name string, statistic, p float64, ok bool, good, bad string) check {
	c := check{Name: name, Statistic: number(statistic), PValue: number(p), Consequence: "Undefined for this model or sample."}
	if number(statistic).defined() {
		c.OK, c.Consequence = &ok, good
		if !ok {
			c.Consequence = bad
		}
	}
	return c
}

// normalEnough is the size from which the t distribution of the coefficients
// hardly depends on that of the errors.
const normalEnough = 200

// linearChecks are the tests of what the classical errors assume, each with what
// its failure means.
func (r *fitted) linearChecks() []check {
	d := r.diag
	harmless := ""
	if r.fit.N >= normalEnough {
		harmless = "The errors are not normal, but the samples are enough for p values not to depend on it."
	}
	list := together([]assumption{
		{name: "breusch_pagan", statistic: d.BreuschPagan, p: d.BPValue, sign: "that the variance of the errors depends on the features",
			bad: "The variance of the errors depends on the features: classical standard errors are wrong; use the HC3 ones."},
		{name: "jarque_bera", statistic: d.JarqueBera, p: d.JBValue, sign: "that the errors are not normal", harmless: harmless,
			bad: "The errors are not normal and the sample is small: p values and intervals are approximate."},
		{name: "reset", statistic: d.RESET, p: d.RESETValue, sign: "that powers of the fitted values are missing",
			bad: "Powers of the fitted values explain more: the relation is not linear; try squares or products of features."},
	})
	list = append(list, judged("durbin_watson", d.DurbinWatson, math.NaN(), r.uncorrelated(), "No sign of correlation between successive errors.",
		"Successive errors are correlated in the order of the rows: standard errors are wrong, or the model lacks a term."),
		r.conditionCheck(r.fit.Condition))
	return append(append(list, r.influenceCheck()...), r.clusterCheck()...)
}

func (r *fitted) conditionCheck(condition float64) check {
	limit := condition
	if !number(condition).defined() {
		limit = math.Inf(1)
	}
	return judged("condition", condition, math.NaN(), limit < 1e6, "The features are distinct enough, and not far from 0 for their spread.",
		fmt.Sprintf("The features are nearly dependent, or far from 0 for their spread (condition number %.2g): programs in float64 lose about %.0f digits of the coefficients.", condition, math.Log10(condition)))
}

func (r *fitted) influenceCheck() []check {
	if lone := r.lone(); len(lone) > 0 {
		return []check{r.loneCheck(lone)}
	}
	if len(r.diag.Worst) == 0 {
		return nil
	}
	w := r.diag.Worst[0]
	return []check{judged("influence", w.Cook, math.NaN(), w.Cook < 1, "No single sample decides the fit.",
		fmt.Sprintf("Row %d decides much of the fit (Cook's distance %.2g): compare coefficients_without_influential.", w.Row, w.Cook))}
}

// enoughClusters is where errors by cluster become trustworthy (Cameron and
// Miller 2015 put it between 20 and 50).
const enoughClusters = 30

func (r *fitted) clusterCheck() []check {
	if r.clusters == nil {
		return nil
	}
	g := r.clusters.Count
	return []check{judged("clusters", float64(g), math.NaN(), g >= enoughClusters, "Enough clusters for errors by cluster.",
		fmt.Sprintf("%d clusters are few: errors by cluster are too small, and tests reject too often.", g))}
}

// uncorrelated judges Durbin-Watson, which is 2 less twice the correlation of
// successive errors: that must be above 0.25, and beyond what chance gives in one
// of a hundred samples of this size.
func (r *fitted) uncorrelated() bool {
	off := math.Abs(r.diag.DurbinWatson - 2)
	return off <= 0.5 || off <= 2*2.5758/math.Sqrt(float64(r.fit.N))
}
