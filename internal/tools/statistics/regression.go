package statistics

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

//go:embed statistical_regression_tool.json
var regressionContract []byte

//go:embed statistical_regression_tool.1.1.json
var regressionContract11 []byte

type regressionInput struct {
	source
	Operation       string                  `json:"operation"`
	Target          string                  `json:"target"`
	Features        []string                `json:"features"`
	Alpha           float64                 `json:"alpha"`
	Normalize       bool                    `json:"normalize"`
	Intercept       bool                    `json:"intercept"`
	Weights         string                  `json:"weights"`
	Categorical     []string                `json:"categorical"`
	Contrasts       map[string]contrastSpec `json:"contrasts"`
	Covariance      string                  `json:"covariance"`
	Cluster         string                  `json:"cluster"`
	Lambda          *float64                `json:"lambda"`
	LambdaSelection string                  `json:"lambda_selection"`
	Folds           *int                    `json:"folds"`
	Seed            *int                    `json:"seed"`
	Event           string                  `json:"event"`
	Offset          string                  `json:"offset"`
	Exposure        string                  `json:"exposure"`
	Plots           bool                    `json:"plots"`
}

// The operations.
const (
	linearOperation   = "linear_regression"
	ridgeOperation    = "ridge"
	lassoOperation    = "lasso"
	logisticOperation = "logistic_regression"
	poissonOperation  = "poisson_regression"
)

var regression = contract.Bind(regressionContract, runRegression, regressionContract11)

// fitted is a regression with all that is said of it. Figures of coefficients
// are in the order of names; undefined ones are NaN.
type fitted struct {
	in    regressionInput
	alpha float64
	model *design
	names []string // of the coefficients, the intercept first

	fit      *stat.Fit         // of least squares, or of a likelihood's last step; nil under a penalty
	diag     *stat.Diagnostics // nil under a penalty
	glm      *stat.GLM
	penalty  *penalised
	clusters *stat.Clusters
	moved    *movement // with the last digits of the data; nil where that is not known

	n                      int
	coef, classical, se, p []float64 // se and p are by the covariance asked for
	hc3, hc3P              []float64
	df                     float64 // of the tests; +Inf for the normal distribution
	untestable             bool    // nothing is left to judge the coefficients by
}

func runRegression(ctx context.Context, call *contract.Call, in regressionInput) (*contract.Result, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	r := &fitted{in: in, alpha: in.Alpha}
	if r.model, err = newDesign(ctx, data, in.spec()); err != nil {
		return nil, err
	}
	call.Progress(0.3, "The data are counted.")
	if in.Intercept {
		r.names = append(r.names, "intercept")
	}
	r.names = append(r.names, r.model.names()...)
	switch in.Operation {
	case ridgeOperation, lassoOperation:
		err = r.penalise(ctx, call)
	case logisticOperation, poissonOperation:
		err = r.likelihood(ctx, call)
	default:
		err = r.leastSquares(ctx, call)
	}
	if err != nil {
		return nil, r.explain(err)
	}
	return r.result(ctx, call)
}

// Conditional implements contract.Conditional: a clustered column says which
// covariance is meant, and only penalties have folds and a seed.
func (*regressionInput) Conditional() []string { return []string{"/covariance", "/folds", "/seed"} }

func (in *regressionInput) spec() modelSpec {
	return modelSpec{target: in.Target, features: in.Features, categorical: in.Categorical, contrasts: in.Contrasts, weights: in.Weights,
		cluster: in.Cluster, offset: in.Offset, exposed: in.Exposure, binary: in.Operation == logisticOperation, event: in.Event}
}

// check refuses arguments that belong to another operation, or that contradict
// each other.
func (in *regressionInput) check() error {
	for _, a := range []struct {
		given      bool
		name       string
		operations []string
	}{
		{in.Lambda != nil, "lambda", []string{ridgeOperation, lassoOperation}},
		{in.LambdaSelection != "", "lambda_selection", []string{ridgeOperation, lassoOperation}},
		{in.Folds != nil, "folds", []string{ridgeOperation, lassoOperation}},
		{in.Seed != nil, "seed", []string{ridgeOperation, lassoOperation}},
		{in.Covariance != "" && in.Covariance != "classical", "covariance", []string{linearOperation, logisticOperation, poissonOperation}},
		{in.Cluster != "", "cluster", []string{linearOperation, logisticOperation, poissonOperation}},
		{in.Event != "", "event", []string{logisticOperation}},
		{in.Offset != "", "offset", []string{poissonOperation}},
		{in.Exposure != "", "exposure", []string{poissonOperation}},
	} {
		if a.given && !slices.Contains(a.operations, in.Operation) {
			return contract.Errorf(contract.CodeInvalidInput, "%s has no meaning for %s", a.name, in.Operation).At("/"+a.name).
				WithHint("Leave it out, or use the operation %s.", strings.Join(a.operations, " or "))
		}
	}
	fault := func(at, format string, args ...any) error {
		return contract.Errorf(contract.CodeInvalidInput, format, args...).At(at)
	}
	switch {
	case in.Normalize && !in.Intercept:
		return contract.Errorf(contract.CodeInvalidInput, "normalize centres the features, which needs an intercept").At("/normalize").
			WithHint("Leave one of normalize and intercept out.")
	case in.Covariance == "cluster" && in.Cluster == "":
		return contract.Errorf(contract.CodeInvalidInput, "cluster errors need the column that names the clusters").At("/cluster").
			With("fault", contract.FaultMissing).WithHint("Give cluster, a column whose values are the clusters.")
	case in.Cluster != "" && in.Covariance != "" && in.Covariance != "cluster":
		return fault("/covariance", "covariance is %s, though cluster names a column", in.Covariance)
	case in.Offset != "" && in.Exposure != "":
		return fault("/exposure", "an exposure is an offset by its logarithm: give one of them")
	case in.LambdaSelection == "gcv" && in.Operation == lassoOperation:
		return fault("/lambda_selection", "generalised cross-validation belongs to ridge; lasso chooses by leaving out folds")
	case in.Lambda != nil && in.LambdaSelection != "":
		return fault("/lambda_selection", "lambda is given, so there is nothing to select")
	}
	return nil
}

// covariance is which standard errors the tests use.
func (in *regressionInput) covariance() string {
	switch {
	case in.Cluster != "":
		return "cluster"
	case in.Covariance == "":
		return "classical"
	}
	return in.Covariance
}

// explain turns a fault of the data into an error that says what to do.
func (r *fitted) explain(err error) error {
	m := r.model
	fault := func(at, format string, args ...any) *contract.Error {
		return contract.Errorf(contract.CodeInvalidInput, format, args...).At(at)
	}
	var row *stat.RowError
	var separated *stat.Separation
	switch {
	case errors.Is(err, stat.ErrEmpty):
		return fault("/weights", "no row has a positive weight")
	case errors.Is(err, stat.ErrNotFinite):
		if e := m.data.firstBeyond(); e != nil {
			return e.At("/features")
		}
		return fault("/features", "a value of the target, the features, the weights or the offset is infinite, or a power of it is").
			WithHint("Select rows with a filter such as abs(x) < 1e300.")
	case errors.Is(err, stat.ErrWeight):
		return fault("/weights", "a weight of %q is negative", r.in.Weights)
	case errors.Is(err, stat.ErrTooFew):
		return fault("/features", "%d usable rows cannot determine %d coefficients", m.used, len(m.terms)+1).
			WithHint("Use fewer features or select more rows.")
	case errors.As(err, &separated):
		return r.explainSeparation(separated)
	case errors.As(err, &row):
		return r.explainRow(row)
	case errors.Is(err, stat.ErrOneClass):
		return fault("/target", "the target %q has one value only in the usable rows", r.in.Target).WithHint("Select rows of both.")
	case errors.Is(err, stat.ErrAllZero):
		return fault("/target", "all counts of %q are 0", r.in.Target).WithHint("A rate of 0 has no logarithm; select rows with counts.")
	case errors.Is(err, stat.ErrDiverged):
		return fault("/features", "the iteration does not converge").With("iterations", 60).
			WithHint("Look for features of nearly the same meaning, or with values far from all others, and leave them out.")
	case errors.Is(err, stat.ErrSingular):
		return fault("/lambda", "the penalty is too small to determine the coefficients of dependent features, or no feature varies").
			WithHint("Give a larger lambda, or leave out one of the features that depend on each other.")
	case errors.Is(err, stat.ErrFewClusters):
		return fault("/cluster", "%q has one value only: errors by cluster need several", r.in.Cluster)
	case errors.Is(err, stat.ErrManyClusters):
		return fault("/cluster", "%q has too many values to sum by them", r.in.Cluster).WithHint("Use HC3 errors where every row is its own cluster.")
	}
	return err
}

func (r *fitted) explainRow(e *stat.RowError) error {
	out := contract.Errorf(contract.CodeInvalidInput, "the target %q is %v in row %d, which is %v", r.in.Target, e.Value, e.Row, e.Err).At("/target").
		With("row", e.Row).With("actual", e.Value)
	if errors.Is(e.Err, stat.ErrNotCount) {
		return out.With("expected", "a whole number from 0").
			WithHint("Poisson regression counts events; for rates, give the counts as target and the exposure as exposure, or use linear_regression.")
	}
	return out.With("expected", "0 or 1").WithHint("Name the value that counts as 1 with event.")
}

func (r *fitted) explainSeparation(s *stat.Separation) error {
	names := r.model.names()
	var of []string
	for _, j := range s.Columns {
		of = append(of, names[j])
	}
	who, how := strings.Join(of, ", "), "a combination of "
	if s.Alone {
		how = ""
	}
	what := "tells some rows' " + r.in.Target + " without doubt (quasi-complete separation)"
	switch {
	case r.in.Operation == poissonOperation:
		what = "has no count above 0 on one side"
	case s.Complete:
		what = "tells " + r.in.Target + " without a mistake (complete separation)"
	}
	return contract.Errorf(contract.CodeInvalidInput, "%s%s %s: the likelihood has no maximum and the coefficients would be infinite", how, who, what).
		At(r.pointerOf(s.Columns)).With("columns", of).
		WithHint("Leave the feature out, merge levels, or select rows where the outcome varies; ridge on 0 and 1 is no substitute for the tests.")
}

// pointerOf is the feature that the first of some columns belongs to.
func (r *fitted) pointerOf(columns []int) string {
	if len(columns) > 0 {
		name := r.model.terms[columns[0]].name
		for i, f := range r.in.Features {
			if name == f || strings.HasPrefix(name, f+"[") {
				return fmt.Sprintf("/features/%d", i)
			}
		}
	}
	return "/features"
}

// test makes the p values of the coefficients, with the errors asked for and
// with HC3.
func (r *fitted) test() {
	for i := range r.coef {
		r.p = append(r.p, r.pValue(i, r.se, r.df))
		r.hc3P = append(r.hc3P, r.pValue(i, r.hc3, r.classicalDF()))
	}
}

// classicalDF is the degrees of freedom of tests without clusters.
func (r *fitted) classicalDF() float64 {
	if r.glm != nil || r.fit == nil {
		return math.Inf(1)
	}
	return float64(r.fit.DFE)
}

func (r *fitted) pValue(i int, se []float64, df float64) float64 {
	switch {
	case r.untestable || se == nil || !(se[i] > 0):
		return math.NaN()
	case math.IsInf(df, 1):
		return stat.ZTail2(r.coef[i] / se[i])
	}
	return stat.TTail2(r.coef[i]/se[i], df)
}

// slopes is the place of the first feature among the coefficients.
func (r *fitted) slopes() int { return len(r.names) - len(r.model.terms) }

// changed names the features whose significance other p values judge otherwise
// than the classical errors.
func (r *fitted) changed(other []float64) []string {
	out := []string{}
	for i := r.slopes(); i < len(r.names); i++ {
		classical := r.pValue(i, r.classical, r.classicalDF())
		if other != nil && number(classical).defined() && number(other[i]).defined() && (classical < r.alpha) != (other[i] < r.alpha) {
			out = append(out, r.names[i])
		}
	}
	return out
}

func (r *fitted) t(i int) float64 {
	if r.untestable || r.se == nil || !(r.se[i] > 0) {
		return math.NaN()
	}
	return r.coef[i] / r.se[i]
}

// intervals are those of the coefficients, by the distribution of the tests.
func (r *fitted) intervals() (low, high []float64) {
	t := math.NaN()
	switch {
	case r.untestable:
	case math.IsInf(r.df, 1):
		t = normalQuantile(r.alpha)
	case r.df > 0:
		t = stat.TQuantile(r.alpha, r.df)
	}
	for i, b := range r.coef {
		se := math.NaN()
		if r.se != nil {
			se = r.se[i]
		}
		low, high = append(low, b-t*se), append(high, b+t*se)
	}
	return low, high
}
