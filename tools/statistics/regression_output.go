package statistics

import (
	"fmt"
	"math"
	"strings"

	"atelier/contract"
)

type regressionOutput struct {
	Model               string      `json:"model"`
	SampleCount         int         `json:"sample_count"`
	RSquared            number      `json:"r_squared"`
	Coefficients        named       `json:"coefficients"`
	PValues             named       `json:"p_values"`
	AdjustedRSquared    number      `json:"adjusted_r_squared"`
	Alpha               number      `json:"alpha"`
	Covariance          string      `json:"covariance"`
	StandardErrors      named       `json:"standard_errors"`
	TValues             named       `json:"t_values"`
	ConfidenceIntervals named       `json:"confidence_intervals"`
	HC3StandardErrors   named       `json:"hc3_standard_errors"`
	HC3PValues          named       `json:"hc3_p_values"`
	ChangedByHC3        []string    `json:"conclusions_changed_by_hc3"`
	F                   tested      `json:"f_test"`
	ResidualSD          number      `json:"residual_standard_deviation"`
	DFModel             int         `json:"df_model"`
	DFResidual          int         `json:"df_residual"`
	LogLikelihood       number      `json:"log_likelihood"`
	AIC                 number      `json:"aic"`
	BIC                 number      `json:"bic"`
	Residuals           *fiveFigure `json:"residuals"`
	VIF                 named       `json:"vif"`
	ConditionNumber     number      `json:"condition_number"`
	DigitsToTrust       int         `json:"digits_to_trust"`
	Method              string      `json:"method"`
	Rows                rowCounts   `json:"rows"`
	Aliased             []aliased   `json:"aliased"`
	ReferenceLevels     named       `json:"reference_levels"`
	Normalized          *normalized `json:"normalized,omitempty"`
	Checks              []check     `json:"checks"`
	Influential         []influence `json:"influential"`
	WithoutInfluential  named       `json:"coefficients_without_influential"`
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
	Selected int64 `json:"selected"`
	Used     int64 `json:"used"`
	Dropped  int64 `json:"dropped"`
	Missing  named `json:"missing"` // rows that lack a value, by column
}

type aliased struct {
	Name string   `json:"name"`
	Of   []string `json:"of"`
}

// normalized are the figures of features divided by their standard deviation.
type normalized struct {
	Coefficients named `json:"coefficients"`
	Means        named `json:"means"`
	SDs          named `json:"standard_deviations"`
}

// check is a test of what the figures assume. OK is nil where it is undefined.
type check struct {
	Name        string `json:"name"`
	Statistic   number `json:"statistic"`
	PValue      number `json:"p_value"`
	OK          *bool  `json:"ok"`
	Consequence string `json:"consequence"`
}

type influence struct {
	Row         int64  `json:"row"`
	Residual    number `json:"residual"`
	Leverage    number `json:"leverage"`
	Studentized number `json:"studentized_residual"`
	Cook        number `json:"cook_distance"`
	DFFITS      number `json:"dffits"`
}

func (r *fitted) output() *regressionOutput {
	f, s := r.fit, r.slopes()
	low, high := r.intervals()
	var t []float64
	intervals := named{}
	for i, n := range r.names {
		t = append(t, r.t(i))
		intervals = append(intervals, entry{n, [2]number{number(low[i]), number(high[i])}})
	}
	out := &regressionOutput{
		Model: "linear_regression", SampleCount: f.N, RSquared: number(f.R2), AdjustedRSquared: number(math.NaN()),
		Coefficients: name(r.names, f.Coef), PValues: name(r.names[s:], r.p[s:]), Alpha: number(r.alpha), Covariance: "classical",
		StandardErrors: name(r.names, r.se), TValues: name(r.names, t), ConfidenceIntervals: intervals,
		HC3StandardErrors: name(r.names, r.diag.HC[3]), HC3PValues: name(r.names[s:], r.hc3P[s:]), ChangedByHC3: r.changed(),
		F: tested{number(f.F), number(fTail(f.F, f.DFM, f.DFE))}, ResidualSD: number(f.Sigma()), DFModel: f.DFM, DFResidual: f.DFE,
		VIF: name(r.names[s:], f.VIF), ConditionNumber: number(f.Condition), DigitsToTrust: f.Digits, Method: f.Method,
		Rows: r.rows(), Aliased: r.aliases(), ReferenceLevels: r.model.references, Checks: r.checks(), Influential: []influence{},
		WithoutInfluential: named{},
	}
	if r.in.Covariance != "" {
		out.Covariance = r.in.Covariance
	}
	if f.DFE > 0 {
		out.AdjustedRSquared = number(1 - f.RSS/f.SST*float64(f.N-s)/float64(f.DFE))
	}
	r.likelihood(out)
	if q := r.diag.Quantiles; q != nil {
		out.Residuals = &fiveFigure{number(q[0]), number(q[1]), number(q[2]), number(q[3]), number(q[4])}
	}
	for _, w := range r.diag.Worst {
		out.Influential = append(out.Influential, influence{w.Row, number(w.Residual), number(w.Leverage), number(w.Studentized), number(w.Cook), number(w.DFFITS)})
	}
	if r.diag.Without != nil {
		out.WithoutInfluential = name(r.names, r.diag.Without)
	}
	if r.in.Normalize {
		out.Normalized = &normalized{name(r.names[s:], f.Scaled), name(r.names[s:], f.Means), name(r.names[s:], f.SD)}
	}
	return out
}

// likelihood is that of normal errors; AIC and BIC count the coefficients.
func (r *fitted) likelihood(out *regressionOutput) {
	nan := number(math.NaN())
	out.LogLikelihood, out.AIC, out.BIC = nan, nan, nan
	if r.fit.Exact || r.in.Weights != "" {
		return
	}
	n := float64(r.fit.N)
	l := -n / 2 * (math.Log(2*math.Pi) + math.Log(r.fit.RSS/n) + 1)
	out.LogLikelihood, out.AIC, out.BIC = number(l), number(2*float64(r.fit.P)-2*l), number(math.Log(n)*float64(r.fit.P)-2*l)
}

func (r *fitted) rows() rowCounts {
	c := rowCounts{Selected: r.model.selected, Used: int64(r.fit.N), Dropped: r.model.selected - int64(r.fit.N), Missing: named{}}
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
	for _, j := range r.fit.Aliased {
		a := aliased{Name: names[j], Of: []string{}}
		for _, k := range r.fit.AliasOf[j] {
			a.Of = append(a.Of, names[k])
		}
		out = append(out, a)
	}
	return out
}

// normalEnough is the size from which the t distribution of the coefficients
// hardly depends on that of the errors.
const normalEnough = 200

// checks are the tests of what the classical errors assume, each with what its
// failure means. They are judged at 0.01, as several are made.
func (r *fitted) checks() []check {
	d := r.diag
	judged := func(name string, statistic, p float64, ok bool, good, bad string) check {
		c := check{Name: name, Statistic: number(statistic), PValue: number(p), Consequence: "Undefined for this model or sample."}
		if number(statistic).defined() {
			c.OK, c.Consequence = &ok, good
			if !ok {
				c.Consequence = bad
			}
		}
		return c
	}
	const level = 0.01
	normal := d.JBValue >= level || r.fit.N >= normalEnough
	list := []check{
		judged("breusch_pagan", d.BreuschPagan, d.BPValue, d.BPValue >= level, "No sign that the variance of the errors depends on the features.",
			"The variance of the errors depends on the features: classical standard errors are wrong; use the HC3 ones."),
		judged("jarque_bera", d.JarqueBera, d.JBValue, normal, "Normal errors, or enough samples for p values not to depend on it.",
			"The errors are not normal and the sample is small: p values and intervals are approximate."),
		judged("durbin_watson", d.DurbinWatson, math.NaN(), r.uncorrelated(), "No sign of correlation between successive errors.",
			"Successive errors are correlated in the order of the rows: standard errors are wrong, or the model lacks a term."),
		judged("reset", d.RESET, d.RESETValue, d.RESETValue >= level, "No sign that powers of the fitted values are missing.",
			"Powers of the fitted values explain more: the relation is not linear; try squares or products of features."),
	}
	condition := math.Inf(1)
	if number(r.fit.Condition).defined() {
		condition = r.fit.Condition
	}
	list = append(list, judged("condition", r.fit.Condition, math.NaN(), condition < 1e6, "The features are distinct enough.",
		fmt.Sprintf("The features are nearly dependent (condition number %.2g): coefficients change much with small changes of the data; about %d digits are right for these decimals.", r.fit.Condition, r.fit.Digits)))
	if len(d.Worst) > 0 {
		list = append(list, judged("influence", float64(d.Worst[0].Cook), math.NaN(), d.Worst[0].Cook < 1, "No single sample decides the fit.",
			fmt.Sprintf("Row %d decides much of the fit (Cook's distance %.2g): compare coefficients_without_influential.", d.Worst[0].Row, d.Worst[0].Cook)))
	}
	return list
}

// uncorrelated judges Durbin-Watson, which is 2 less twice the correlation of
// successive errors: that must be above 0.25, and beyond what chance gives in one
// of a hundred samples of this size.
func (r *fitted) uncorrelated() bool {
	off := math.Abs(r.diag.DurbinWatson - 2)
	return off <= 0.5 || off <= 2*2.5758/math.Sqrt(float64(r.fit.N))
}

func (r *fitted) failed(out *regressionOutput) (names []string) {
	for _, c := range out.Checks {
		if c.OK != nil && !*c.OK {
			names = append(names, c.Name)
		}
	}
	return names
}

// gradientLimit is how far the residuals may be from being orthogonal to the
// columns; rounding to float64 alone leaves about 1e-15.
const gradientLimit = 1e-10

func (r *fitted) evidence(out *regressionOutput) *contract.Evidence {
	ev := &contract.Evidence{Trust: contract.Computed, Checks: []contract.Check{}, Reasons: []string{
		fmt.Sprintf("Sums and factors are in double-double arithmetic (%s); about %d digits of the coefficients are right.", strings.ReplaceAll(r.fit.Method, "_", " "), r.fit.Digits)}}
	digits, limit := float64(r.fit.Digits), gradientLimit
	ev.Checks = append(ev.Checks, contract.Check{Name: "digits", Value: &digits, Unit: "1", OK: r.fit.Digits >= 6})
	if g := r.diag.Gradient; number(g).defined() {
		ok := g <= gradientLimit
		ev.Checks = append(ev.Checks, contract.Check{Name: "normal_equations", Value: &g, Unit: "1", Tolerance: &limit, OK: ok})
		if ok {
			ev.Trust = contract.Verified
			ev.Reasons = append(ev.Reasons, "A second pass over the data finds the residuals orthogonal to every column.")
		} else {
			ev.Trust = contract.Suspect
			ev.Reasons = append(ev.Reasons, "A second pass over the data finds the residuals not orthogonal to the columns.")
		}
	}
	if changed := out.ChangedByHC3; len(changed) > 0 {
		ev.Trust = contract.Suspect
		ev.Reasons = append(ev.Reasons, "With errors of unequal variance (HC3) the significance changes of "+strings.Join(changed, ", ")+".")
	}
	if r.fit.Digits < 6 {
		ev.Trust = contract.Suspect
		ev.Reasons = append(ev.Reasons, "The features are so nearly dependent that few digits are right.")
	}
	if failed := r.failed(out); len(failed) > 0 {
		ev.Reasons = append(ev.Reasons, "Checks of the assumptions that fail: "+strings.Join(failed, ", ")+".")
	}
	return ev
}

// confidence starts from 0.95 and takes off: 0.15 below ten samples for each
// coefficient, 0.2 below ten right digits, 0.1 where HC3 changes a conclusion or
// more than a fifth of the rows was dropped, 0.05 for each check that fails; at
// least 0.2, and 0.5 for a fit that leaves nothing to judge it by.
func (r *fitted) confidence(out *regressionOutput) float64 {
	if r.fit.Exact || r.fit.DFE < 1 {
		return 0.5
	}
	off := 5 * len(r.failed(out)) // in hundredths
	if r.fit.N < 10*r.fit.P {
		off += 15
	}
	if r.fit.Digits < 10 {
		off += 20
	}
	if len(out.ChangedByHC3) > 0 {
		off += 10
	}
	if float64(out.Rows.Dropped) > droppedShare*float64(out.Rows.Selected) {
		off += 10
	}
	return float64(max(95-off, 20)) / 100
}
