package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"

	"atelier/internal/stat"
)

type regressionOutput struct {
	Model               string             `json:"model"`
	SampleCount         int                `json:"sample_count"`
	RSquared            number             `json:"r_squared"`
	Coefficients        named              `json:"coefficients"`
	PValues             named              `json:"p_values"`
	AdjustedRSquared    number             `json:"adjusted_r_squared"`
	Alpha               number             `json:"alpha"`
	Covariance          string             `json:"covariance"`
	StandardErrors      named              `json:"standard_errors"`
	TValues             named              `json:"t_values"`
	ConfidenceIntervals named              `json:"confidence_intervals"`
	HC3StandardErrors   named              `json:"hc3_standard_errors"`
	HC3PValues          named              `json:"hc3_p_values"`
	ChangedByHC3        []string           `json:"conclusions_changed_by_hc3"`
	F                   tested             `json:"f_test"`
	ResidualSD          number             `json:"residual_standard_deviation"`
	DFModel             int                `json:"df_model"`
	DFResidual          int                `json:"df_residual"`
	LogLikelihood       number             `json:"log_likelihood"`
	AIC                 number             `json:"aic"`
	BIC                 number             `json:"bic"`
	Residuals           *fiveFigure        `json:"residuals"`
	VIF                 named              `json:"vif"`
	ConditionNumber     number             `json:"condition_number"`
	DigitsToTrust       int                `json:"digits_to_trust"`
	Method              string             `json:"method"`
	Rows                rowCounts          `json:"rows"`
	Aliased             []aliased          `json:"aliased"`
	ReferenceLevels     named              `json:"reference_levels"`
	Factors             []factorFigures    `json:"factors"`
	Normalized          *normalized        `json:"normalized,omitempty"`
	Clusters            *clusterFigures    `json:"clusters,omitempty"`
	Likelihood          *likelihoodFigures `json:"likelihood,omitempty"`
	Logistic            *logisticFigures   `json:"logistic,omitempty"`
	Poisson             *poissonFigures    `json:"poisson,omitempty"`
	Penalty             *penaltyFigures    `json:"penalty,omitempty"`
	Unavailable         []unavailable      `json:"unavailable"`
	Checks              []check            `json:"checks"`
	Influential         []influence        `json:"influential"`
	WithoutInfluential  named              `json:"coefficients_without_influential"`
}

type tested struct {
	Statistic number `json:"statistic"`
	PValue    number `json:"p_value"`
}

type fiveFigure struct {
	Min    number `json:"min"`
	Q1     number `json:"q1"`
	Median number `json:"median"`
	Q3     number `json:"q3"`
	Max    number `json:"max"`
}

type rowCounts struct {
	Selected   int64 `json:"selected"`
	Used       int64 `json:"used"`
	Dropped    int64 `json:"dropped"`
	Missing    named `json:"missing"` // rows that lack a value, by column
	WeightZero int64 `json:"weight_zero"`
}

type aliased struct {
	Name string   `json:"name"`
	Of   []string `json:"of"`
}

// factorFigures say how a categorical feature was coded.
type factorFigures struct {
	Name      string   `json:"name"`
	Coding    string   `json:"coding"`
	Levels    []string `json:"levels"`
	Reference *string  `json:"reference"`
	Compared  string   `json:"compared"`
}

// normalized are the figures of features divided by their standard deviation.
type normalized struct {
	Coefficients named `json:"coefficients"`
	Means        named `json:"means"`
	SDs          named `json:"standard_deviations"`
}

type clusterFigures struct {
	Column   string `json:"column"`
	Count    int    `json:"count"`
	Smallest int    `json:"smallest"`
	Largest  int    `json:"largest"`
	DF       *int   `json:"df"`
}

// unavailable is a figure that is null, with the reason.
type unavailable struct {
	Figure string `json:"figure"`
	Reason string `json:"reason"`
}

// check is a test of what the figures assume. OK is nil where it is undefined.
type check struct {
	Name        string `json:"name"`
	Statistic   number `json:"statistic"`
	PValue      number `json:"p_value"`
	OK          *bool  `json:"ok"`
	Consequence string `json:"consequence"`

	figures []string // that a failure concerns, where these are not all

	held number // p value where the tests of an answer are held together; 0 of none
}

type influence struct {
	Row         int64  `json:"row"`
	Residual    number `json:"residual"`
	Leverage    number `json:"leverage"`
	Studentized number `json:"studentized_residual"`
	Cook        number `json:"cook_distance"`
	DFFITS      number `json:"dffits"`
}

// undefined are figures of n coefficients that nothing determines.
func undefined(values []float64, n int) []float64 {
	if values != nil {
		return values
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// output is what every model says; what only some say is filled in after it.
func (r *fitted) output(ctx context.Context) (*regressionOutput, error) {
	s, k := r.slopes(), len(r.names)
	nan := number(math.NaN())
	low, high := r.intervals()
	t := make([]float64, k)
	intervals := named{}
	for i, n := range r.names {
		t[i] = r.t(i)
		intervals = append(intervals, entry{n, [2]number{number(low[i]), number(high[i])}})
	}
	out := &regressionOutput{
		Model: r.in.Operation, SampleCount: r.n, RSquared: nan, AdjustedRSquared: nan,
		Coefficients: name(r.names, r.coef), PValues: name(r.names[s:], r.p[s:]), Alpha: number(r.alpha), Covariance: r.in.covariance(),
		StandardErrors: name(r.names, undefined(r.se, k)), TValues: name(r.names, t), ConfidenceIntervals: intervals,
		HC3StandardErrors: name(r.names, undefined(r.hc3, k)), HC3PValues: name(r.names[s:], r.hc3P[s:]), ChangedByHC3: r.changed(r.hc3P),
		F: tested{nan, nan}, ResidualSD: nan, LogLikelihood: nan, AIC: nan, BIC: nan, VIF: name(r.names[s:], undefined(nil, k-s)),
		ConditionNumber: nan, Rows: r.rows(), Aliased: r.aliases(), ReferenceLevels: r.model.references, Factors: r.factors(),
		Unavailable: []unavailable{}, Influential: []influence{}, WithoutInfluential: named{},
	}
	if r.fit != nil {
		r.describeFit(out)
	}
	switch {
	case r.penalty != nil:
		out.StandardErrors, out.TValues, out.ConfidenceIntervals, out.HC3StandardErrors, out.HC3PValues, out.VIF = named{}, named{}, named{}, named{}, named{}, named{}
		r.describePenalty(out)
		out.Checks = r.penaltyChecks()
	case r.glm != nil:
		r.describeLikelihood(out)
		out.Checks = r.likelihoodChecks()
		r.explainNulls(out)
	default:
		r.describeLeastSquares(out)
		out.Checks = r.linearChecks()
	}
	if len(r.lone()) > 0 {
		out.Unavailable = append(out.Unavailable, unavailable{"hc3_standard_errors, hc3_p_values", "A row that alone decides a coefficient has no residual to weigh: see the check influence."})
	}
	if c := r.clusters; c != nil {
		out.Clusters = &clusterFigures{Column: r.in.Cluster, Count: c.Count, Smallest: c.Smallest, Largest: c.Largest}
		if df := c.Count - 1; r.glm == nil {
			out.Clusters.DF = &df
		}
	}
	return out, r.normalize(ctx, out)
}

// describeFit is what least squares and likelihoods have in common.
func (r *fitted) describeFit(out *regressionOutput) {
	f, s := r.fit, r.slopes()
	out.DFModel, out.DFResidual = f.DFM, f.DFE
	out.VIF, out.ConditionNumber, out.DigitsToTrust, out.Method = name(r.names[s:], f.VIF), number(f.Condition), f.Digits, f.Method
	for _, w := range r.diag.Worst {
		out.Influential = append(out.Influential, influence{w.Row, number(w.Residual), number(w.Leverage), number(w.Studentized), number(w.Cook), number(w.DFFITS)})
	}
	if r.diag.Without != nil {
		out.WithoutInfluential = name(r.names, r.diag.Without)
	}
}

func (r *fitted) describeLeastSquares(out *regressionOutput) {
	f := r.fit
	out.RSquared, out.ResidualSD = number(f.R2), number(f.Sigma())
	out.F = tested{number(f.F), number(fTail(f.F, f.DFM, f.DFE))}
	if f.DFE > 0 {
		out.AdjustedRSquared = number(1 - f.RSS/f.SST*float64(f.N-r.slopes())/float64(f.DFE))
	}
	if q := r.diag.Quantiles; q != nil {
		out.Residuals = &fiveFigure{number(q[0]), number(q[1]), number(q[2]), number(q[3]), number(q[4])}
	}
	if f.Exact || r.in.Weights != "" {
		return
	}
	// The likelihood is that of normal errors; AIC and BIC count the coefficients.
	n, p := float64(f.N), float64(f.P)
	l := -n / 2 * (math.Log(2*math.Pi) + math.Log(f.RSS/n) + 1)
	out.LogLikelihood, out.AIC, out.BIC = number(l), number(2*p-2*l), number(math.Log(n)*p-2*l)
}

// likelihoodDigits is how many digits the means, which are float64, leave right.
const likelihoodDigits = 12

// explainNulls says which figures likelihoods do not have.
func (r *fitted) explainNulls(out *regressionOutput) {
	out.Method, out.DigitsToTrust = "irls", min(out.DigitsToTrust, likelihoodDigits)
	out.Unavailable = append(out.Unavailable,
		unavailable{"r_squared, adjusted_r_squared", "There are no sums of squares; likelihood has the deviances and McFadden's R squared."},
		unavailable{"f_test", "The likelihood ratio test takes its place."},
		unavailable{"residual_standard_deviation, residuals", "The variance follows from the mean; likelihood has the dispersion."})
	if r.in.Weights != "" {
		out.Unavailable = append(out.Unavailable, unavailable{"hc3_standard_errors", "Weights are frequencies: a row is not one observation."})
	}
	if r.glm.Scores == nil {
		out.Unavailable = append(out.Unavailable, unavailable{"auc, calibration, confusion, zeros", "They need every prediction at once, and are of up to a million rows."})
	}
}

func (r *fitted) rows() rowCounts {
	c := rowCounts{Selected: r.model.selected, Used: int64(r.n), Dropped: r.model.selected - int64(r.n), Missing: named{}, WeightZero: r.model.used - int64(r.n)}
	for _, column := range r.model.data.Columns {
		if n := r.model.missing[column.Name]; n > 0 {
			c.Missing = append(c.Missing, entry{column.Name, n})
		}
	}
	return c
}

func (r *fitted) aliases() []aliased {
	out := []aliased{}
	names := r.model.names()
	if r.fit == nil {
		for j, c := range r.penalty.fit.Scaled {
			if math.IsNaN(c) {
				out = append(out, aliased{names[j], []string{}})
			}
		}
		return out
	}
	for _, j := range r.fit.Aliased {
		a := aliased{Name: names[j], Of: []string{}}
		for _, k := range r.fit.AliasOf[j] {
			a.Of = append(a.Of, names[k])
		}
		out = append(out, a)
	}
	return out
}

func (r *fitted) factors() []factorFigures {
	out := []factorFigures{}
	for _, f := range r.model.factors {
		fig := factorFigures{Name: f.name, Coding: f.coding, Levels: f.levels, Compared: r.compared(f)}
		if f.reference != "" {
			fig.Reference = &f.reference
		}
		out = append(out, fig)
	}
	return out
}

// compared is what the coefficients of a factor compare. What the coding says of it
// holds beside an intercept, and where the factor is a term by itself.
func (r *fitted) compared(f *factor) string {
	alone := slices.ContainsFunc(r.model.terms, func(t term) bool {
		return len(t.codes) == 1 && len(t.powers) == 0 && t.codes[0].factor == f
	})
	switch {
	case !alone:
		return fmt.Sprintf("no levels: %s is in products only, whose coefficients are of the other factor of the product, for each coded level", f.name)
	case r.in.Intercept || f.coding == "indicator":
		return f.compared
	case f.coding == "treatment":
		return fmt.Sprintf("each level with 0, which the model without an intercept has at the reference %q: no difference from that level", f.reference)
	}
	return fmt.Sprintf("nothing by itself: the coding %s needs an intercept", f.coding)
}

// normalize gives the coefficients in standard deviations of the features too.
func (r *fitted) normalize(ctx context.Context, out *regressionOutput) error {
	if !r.in.Normalize {
		return nil
	}
	s := r.slopes()
	if r.glm == nil && r.penalty == nil {
		out.Normalized = &normalized{name(r.names[s:], r.fit.Scaled), name(r.names[s:], r.fit.Means), name(r.names[s:], r.fit.SD)}
		return nil
	}
	list := make([]*stat.Moments, len(r.model.terms))
	for j := range list {
		list[j] = &stat.Moments{}
	}
	err := stat.EachBlock(ctx, r.model.Blocks(), func(i int) ([]*stat.Moments, error) {
		b, err := r.model.Load(i)
		part := make([]*stat.Moments, len(list))
		for j := range part {
			part[j] = &stat.Moments{}
			for k := range b.Y {
				if b.W == nil || b.W[k].Hi > 0 {
					part[j].Add(b.X[j][k])
				}
			}
		}
		return part, err
	}, func(part []*stat.Moments) {
		for j, m := range part {
			list[j].Merge(m)
		}
	})
	var coef, mean, sd []float64
	for j, m := range list {
		coef, mean, sd = append(coef, r.coef[s+j]*m.SD()), append(mean, m.Mean()), append(sd, m.SD())
	}
	out.Normalized = &normalized{name(r.names[s:], coef), name(r.names[s:], mean), name(r.names[s:], sd)}
	return err
}
