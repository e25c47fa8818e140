package statistics

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/contract"
	"atelier/stat"
)

//go:embed statistical_regression_tool.json
var regressionContract []byte

//go:embed statistical_regression_tool.1.1.json
var regressionContract11 []byte

type regressionInput struct {
	source
	Operation   string   `json:"operation"`
	Target      string   `json:"target"`
	Features    []string `json:"features"`
	Alpha       *float64 `json:"alpha"`
	Normalize   bool     `json:"normalize"`
	Intercept   *bool    `json:"intercept"`
	Weights     string   `json:"weights"`
	Categorical []string `json:"categorical"`
	Covariance  string   `json:"covariance"`
}

var regression = contract.Bind(regressionContract, runRegression, regressionContract11)

// fitted is a regression with all that is said of it.
type fitted struct {
	in    regressionInput
	alpha float64
	model *design
	fit   *stat.Fit
	diag  *stat.Diagnostics
	names []string // of the coefficients, the intercept first
	se    []float64
	p     []float64
	hc3P  []float64
}

func runRegression(ctx context.Context, call *contract.Call, in regressionInput) (*contract.Result, error) {
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	r := &fitted{in: in, alpha: 0.05}
	if in.Alpha != nil {
		r.alpha = *in.Alpha
	}
	noIntercept := in.Intercept != nil && !*in.Intercept
	if in.Normalize && noIntercept {
		return nil, contract.Errorf(contract.CodeInvalidInput, "normalize centres the features, which needs an intercept").At("/normalize").
			WithHint("Leave one of normalize and intercept out.")
	}
	if r.model, err = newDesign(ctx, data, in.Target, in.Features, in.Categorical, in.Weights); err != nil {
		return nil, err
	}
	call.Progress(0.3, "The data are counted.")
	r.fit, err = stat.LeastSquares(ctx, r.model, stat.Options{NoIntercept: noIntercept, Weighted: in.Weights != ""})
	if err != nil {
		return nil, r.explain(err)
	}
	call.Progress(0.7, "The model is fitted.")
	if r.diag, err = r.fit.Diagnose(ctx, r.model); err != nil {
		return nil, err
	}
	if !noIntercept {
		r.names = append(r.names, "intercept")
	}
	r.names = append(r.names, r.model.names()...)
	r.judge()
	return r.result(call)
}

// explain turns a fault of the data into an error that says what to do.
func (r *fitted) explain(err error) error {
	m := r.model
	switch {
	case errors.Is(err, stat.ErrEmpty):
		return contract.Errorf(contract.CodeInvalidInput, "no row has a positive weight").At("/weights")
	case errors.Is(err, stat.ErrNotFinite):
		return contract.Errorf(contract.CodeInvalidInput, "a value of the target, the features or the weights is infinite, or a power of it is").
			At("/features").WithHint("Select rows with a filter such as abs(x) < 1e300.")
	case errors.Is(err, stat.ErrWeight):
		return contract.Errorf(contract.CodeInvalidInput, "a weight of %q is negative", r.in.Weights).At("/weights")
	case errors.Is(err, stat.ErrTooFew):
		return contract.Errorf(contract.CodeInvalidInput, "%d usable rows cannot determine %d coefficients", m.used, len(m.terms)+1).
			At("/features").WithHint("Use fewer features or select more rows.")
	}
	return err
}

// judge makes the tests of the coefficients, with the covariance asked for and
// with HC3.
func (r *fitted) judge() {
	r.se = r.fit.SE
	for kind, name := range []string{"HC0", "HC1", "HC2", "HC3"} {
		if r.in.Covariance == name {
			r.se = r.diag.HC[kind]
		}
	}
	df := float64(r.fit.DFE)
	for i, b := range r.fit.Coef {
		r.p = append(r.p, r.pValue(b, r.se[i], df))
		r.hc3P = append(r.hc3P, r.pValue(b, r.diag.HC[3][i], df))
	}
}

func (r *fitted) pValue(b, se, df float64) float64 {
	if r.fit.Exact || !(se > 0) {
		return math.NaN()
	}
	return stat.TTail2(b/se, df)
}

// slopes is the place of the first feature among the coefficients.
func (r *fitted) slopes() int { return len(r.names) - len(r.model.terms) }

// changed names the features whose significance HC3 judges otherwise.
func (r *fitted) changed() []string {
	out := []string{}
	for i := r.slopes(); i < len(r.names); i++ {
		classical := r.pValue(r.fit.Coef[i], r.fit.SE[i], float64(r.fit.DFE))
		if number(classical).defined() && number(r.hc3P[i]).defined() && (classical < r.alpha) != (r.hc3P[i] < r.alpha) {
			out = append(out, r.names[i])
		}
	}
	return out
}

func (r *fitted) significant() []string {
	var out []string
	for i := r.slopes(); i < len(r.names); i++ {
		if r.p[i] < r.alpha {
			out = append(out, r.names[i])
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		i, k := slices.Index(r.names, a), slices.Index(r.names, b)
		switch {
		case r.p[i] < r.p[k]:
			return -1
		case r.p[i] > r.p[k]:
			return 1
		}
		return 0
	})
	return out
}

func (r *fitted) summary() string {
	s := fmt.Sprintf("Linear regression completed on %s samples.", thousands(r.fit.N))
	found := r.significant()
	switch {
	case r.fit.Exact:
		return s + " The model goes through every sample, so nothing can be tested."
	case len(found) == 0:
		return s + fmt.Sprintf(" No feature is a significant predictor of %s at alpha %v.", r.in.Target, r.alpha)
	case len(found) == 1:
		return s + fmt.Sprintf(" %s is a significant predictor of %s.", found[0], r.in.Target)
	case len(found) > 4:
		return s + fmt.Sprintf(" %d of %d features are significant predictors of %s.", len(found), len(r.model.terms), r.in.Target)
	}
	return s + fmt.Sprintf(" %s and %s are significant predictors of %s.", strings.Join(found[:len(found)-1], ", "), found[len(found)-1], r.in.Target)
}

// droppedShare is the share of the selected rows above which the answer is
// partial.
const droppedShare = 0.2

func (r *fitted) result(call *contract.Call) (*contract.Result, error) {
	out := r.output()
	res := &contract.Result{Summary: r.summary(), Output: out, Evidence: r.evidence(out)}
	warn := func(code, format string, args ...any) {
		res.Warnings = append(res.Warnings, contract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if dropped := r.model.selected - r.model.used; dropped > 0 {
		warn("rows_dropped", "%d of %d selected rows lack a value and were left out.", dropped, r.model.selected)
		if float64(dropped) > droppedShare*float64(r.model.selected) {
			res.Status = contract.StatusPartial
		}
	}
	for _, a := range out.Aliased {
		of := strings.Join(a.Of, ", ")
		if of == "" {
			of = "the intercept, as it is constant"
		}
		warn("aliased", "%s is determined by %s; it has no coefficient of its own.", a.Name, of)
	}
	if r.fit.Exact {
		warn("exact_fit", "The residuals are zero to 26 digits: standard errors, tests and diagnostics are undefined.")
	}
	for _, c := range out.Checks {
		if c.OK != nil && !*c.OK {
			warn("check_"+c.Name, "%s", c.Consequence)
		}
	}
	res.Confidence = r.confidence(out)
	if err := os.WriteFile(filepath.Join(call.Dir, coefficientsFile), r.table(), 0o600); err != nil {
		return nil, err
	}
	res.Artifacts = []contract.Artifact{{Name: coefficientsFile, MIME: "text/csv"}}
	return res, nil
}

const coefficientsFile = "regression_coefficients.csv"

// table is the coefficients as CSV, every figure with all its digits.
func (r *fitted) table() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"term", "coefficient", "standard_error", "t", "p_value", "low", "high", "hc3_standard_error", "hc3_p_value", "vif"})
	low, high := r.intervals()
	for i, name := range r.names {
		vif := math.NaN()
		if k := i - r.slopes(); k >= 0 {
			vif = r.fit.VIF[k]
		}
		row := []string{name}
		for _, v := range []float64{r.fit.Coef[i], r.se[i], r.t(i), r.p[i], low[i], high[i], r.diag.HC[3][i], r.hc3P[i], vif} {
			row = append(row, number(v).text())
		}
		_ = w.Write(row)
	}
	w.Flush() // into memory, which cannot fail
	return b.Bytes()
}

func (r *fitted) t(i int) float64 {
	if r.fit.Exact || !(r.se[i] > 0) {
		return math.NaN()
	}
	return r.fit.Coef[i] / r.se[i]
}

// intervals are those of the coefficients, by Student's t.
func (r *fitted) intervals() (low, high []float64) {
	t := math.NaN()
	if r.fit.DFE > 0 && !r.fit.Exact {
		t = stat.TQuantile(r.alpha, float64(r.fit.DFE))
	}
	for i, b := range r.fit.Coef {
		low, high = append(low, b-t*r.se[i]), append(high, b+t*r.se[i])
	}
	return low, high
}
