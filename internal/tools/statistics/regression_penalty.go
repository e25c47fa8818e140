package statistics

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// penalised is a fit under a penalty with what it was chosen from.
type penalised struct {
	fit      *stat.Penalised
	products *stat.Products
	tied     []stat.Tie // columns that the penalty alone tells from others
	path     *stat.Path // nil where lambda was given
	chosenBy string
	seed     int
	refit    *stat.Fit // of lasso: least squares of the features that are kept
	kept     []int
}

const (
	defaultFolds = 10
	defaultSeed  = 1
)

func (r *fitted) penalise(ctx context.Context, call *contract.Call) error {
	opts := stat.PenaltyOptions{NoIntercept: !r.in.Intercept, Weighted: r.in.Weights != ""}
	pen := &penalised{seed: defaultSeed, chosenBy: "given"}
	if r.in.Seed != nil {
		pen.seed = *r.in.Seed
	}
	opts.Seed = uint64(pen.seed)
	if r.in.Lambda == nil {
		if pen.chosenBy = r.in.LambdaSelection; pen.chosenBy == "" {
			pen.chosenBy = map[string]string{ridgeOperation: "gcv", lassoOperation: "cv"}[r.in.Operation]
		}
		if pen.chosenBy != "gcv" {
			if opts.Folds = defaultFolds; r.in.Folds != nil {
				opts.Folds = *r.in.Folds
			}
			if int64(opts.Folds)*2 > r.model.used {
				return contract.Errorf(contract.CodeInvalidInput, "%d usable rows are too few to leave out each of %d folds", r.model.used, opts.Folds).At("/folds").
					WithHint("Give fewer folds, or lambda itself.")
			}
		}
	}
	p, err := stat.Reduce(ctx, r.model, opts)
	if err != nil {
		return err
	}
	call.Progress(0.6, "The products are summed.")
	if err := r.choosePenalty(ctx, p, pen); err != nil {
		return err
	}
	f := pen.fit
	pen.products = p
	r.penalty, r.n, r.coef, r.untestable = pen, p.N, f.Coef, true
	for range r.coef {
		r.p, r.hc3P = append(r.p, math.NaN()), append(r.hc3P, math.NaN())
	}
	if r.in.Operation == lassoOperation {
		if err := r.fitKept(ctx, pen); err != nil {
			return err
		}
	}
	r.tie()
	r.moved, err = r.move(ctx)
	return err
}

// choosePenalty fits with the penalty given, or with the best of a path.
func (r *fitted) choosePenalty(ctx context.Context, p *stat.Products, pen *penalised) (err error) {
	lambda := 0.0
	if r.in.Lambda != nil {
		lambda = *r.in.Lambda
	} else {
		if r.in.Operation == ridgeOperation {
			pen.path, err = p.RidgePath(ctx)
		} else {
			pen.path, err = p.LassoPath(ctx)
		}
		if err != nil {
			return err
		}
		at := pen.path.Best
		if pen.chosenBy == "cv_one_se" {
			at = pen.path.OneSE
		}
		lambda = pen.path.Lambda[at]
	}
	if r.in.Operation == ridgeOperation {
		pen.fit, err = p.Ridge(lambda)
	} else {
		pen.fit, err = p.Lasso(ctx, lambda)
	}
	return err
}

// fitKept is least squares of the features whose coefficient is not 0.
func (r *fitted) fitKept(ctx context.Context, pen *penalised) error {
	some := *r.model
	some.terms = nil
	for j := range r.model.terms {
		if c := pen.fit.Scaled[j]; c != 0 && !math.IsNaN(c) {
			some.terms, pen.kept = append(some.terms, r.model.terms[j]), append(pen.kept, j)
		}
	}
	if len(some.terms) == 0 || len(some.terms)+2 > r.n {
		return nil
	}
	var err error
	pen.refit, err = stat.LeastSquares(ctx, &some, stat.Options{NoIntercept: !r.in.Intercept, Weighted: r.in.Weights != ""})
	return err
}

type penaltyFigures struct {
	Lambda       number           `json:"lambda"`
	ChosenBy     string           `json:"chosen_by"`
	Folds        int              `json:"folds,omitempty"`
	Seed         *int             `json:"seed,omitempty"`
	Objective    string           `json:"objective"`
	Scaling      string           `json:"scaling"`
	EffectiveDF  number           `json:"effective_df"`
	GCV          number           `json:"gcv"`
	CVError      number           `json:"cv_error"`
	CVErrorSE    number           `json:"cv_error_se"`
	LambdaOneSE  number           `json:"lambda_one_se"`
	Standardized standardized     `json:"standardized"`
	Zero         []string         `json:"zero"`
	KKT          number           `json:"kkt_breach"`
	Refit        *refittedFigures `json:"refit,omitempty"`
}

// standardized are the figures of features divided by their standard deviation
// by n, as they were penalised.
type standardized struct {
	Coefficients named `json:"coefficients"`
	Means        named `json:"means"`
	SDs          named `json:"standard_deviations"`
}

type refittedFigures struct {
	Coefficients   named  `json:"coefficients"`
	StandardErrors named  `json:"standard_errors"`
	PValues        named  `json:"p_values"`
	RSquared       number `json:"r_squared"`
	Note           string `json:"note"`
}

const (
	ridgeObjective = "RSS + lambda * sum of squares of the standardized coefficients"
	lassoObjective = "RSS / (2n) + lambda * sum of absolute values of the standardized coefficients"
	penaltyScaling = "Features are centred and divided by their standard deviation by n; the intercept is not penalized."
	originScaling  = "Features are divided by their root mean square; there is no intercept."
	refitNote      = "Least squares of the features that lasso kept, chosen by the same data: errors and p values are too small, as if the choice had not been made."
)

func (r *fitted) describePenalty(out *regressionOutput) {
	p, f := r.penalty, r.penalty.fit
	names := r.names[r.slopes():]
	nan := number(math.NaN())
	fig := &penaltyFigures{Lambda: number(f.Lambda), ChosenBy: p.chosenBy, Objective: ridgeObjective, Scaling: penaltyScaling,
		EffectiveDF: number(f.EffectiveDF), GCV: number(f.GCV), CVError: nan, CVErrorSE: nan, LambdaOneSE: nan, Zero: []string{}, KKT: number(f.KKT),
		Standardized: standardized{name(names, f.Scaled), name(names, f.Means), name(names, f.Sizes)}}
	if r.in.Operation == lassoOperation {
		fig.Objective = lassoObjective
	}
	if !r.in.Intercept {
		fig.Scaling = originScaling
	}
	for _, j := range f.Zero {
		fig.Zero = append(fig.Zero, names[j])
	}
	if path := p.path; path != nil && path.SE != nil {
		at := path.Best
		if p.chosenBy == "cv_one_se" {
			at = path.OneSE
		}
		fig.Folds, fig.Seed = path.Folds, &p.seed
		fig.CVError, fig.CVErrorSE, fig.LambdaOneSE = number(path.Error[at]), number(path.SE[at]), number(path.Lambda[path.OneSE])
	}
	fig.Refit = r.describeRefit(names)
	out.Penalty = fig
	out.RSquared = number(f.R2)
	out.ConditionNumber = number(f.Condition)
	out.DFModel, out.DFResidual = len(names)-len(f.Zero), max(r.n-len(r.names)+len(f.Zero), 0)
	out.DigitsToTrust, out.Method = penaltyDigits(f.Condition), "cross_products"
	if r.in.Operation == lassoOperation {
		out.Method = "coordinate_descent"
	}
	out.Unavailable = append(out.Unavailable,
		unavailable{"p_values, standard_errors, t_values, confidence_intervals", "A penalty draws the coefficients to 0 on purpose: what tests assume of unbiased estimates does not hold."},
		unavailable{"residuals, influential, vif", "They judge a fit by least squares; run linear_regression of the features for them."})
}

// penaltyDigits is what products in double-double leave right.
func penaltyDigits(condition float64) int {
	if !number(condition).defined() {
		return 6
	}
	return int(math.Max(0, math.Min(15, 30-2*math.Log10(condition))))
}

func (r *fitted) describeRefit(names []string) *refittedFigures {
	p := r.penalty
	if p.refit == nil {
		return nil
	}
	var kept []string
	for _, j := range p.kept {
		kept = append(kept, names[j])
	}
	all := append(r.names[:r.slopes():r.slopes()], kept...)
	f := p.refit
	values := make([]float64, len(f.Coef))
	for i := range values {
		if values[i] = math.NaN(); !f.Exact && f.SE[i] > 0 {
			values[i] = stat.TTail2(f.Coef[i]/f.SE[i], float64(f.DFE))
		}
	}
	s := r.slopes()
	return &refittedFigures{name(all, f.Coef), name(all, f.SE), name(kept, values[s:]), number(f.R2), refitNote}
}

func (r *fitted) penaltyChecks() []check {
	list := []check{r.conditionCheck(r.penalty.fit.Condition)}
	if path := r.penalty.path; path != nil {
		list = append(list, judged("penalty_path", path.Lambda[path.Best], math.NaN(), !path.AtEdge(), "The best penalty lies inside the path that was tried.",
			"The best penalty lies at the end of the path that was tried: the data ask for hardly any penalty, or for none of the features."))
	}
	return list
}

// pathTable is the path of penalties as CSV.
func (r *fitted) pathTable() [][]string {
	p := r.penalty.path
	rows := [][]string{{"lambda", "effective_df", p.Method + "_error", "standard_error"}}
	for i, l := range p.Lambda {
		se := math.NaN()
		if p.SE != nil {
			se = p.SE[i]
		}
		rows = append(rows, texts(number(l), number(p.DF[i]), number(p.Error[i]), number(se)))
	}
	return rows
}

func (r *fitted) penaltySummary() string {
	f := r.penalty.fit
	title := map[string]string{ridgeOperation: "Ridge regression", lassoOperation: "Lasso regression"}[r.in.Operation]
	s := fmt.Sprintf("%s completed on %s samples with lambda %s", title, thousands(r.n), strconv.FormatFloat(f.Lambda, 'g', 4, 64))
	if r.penalty.path != nil {
		s += fmt.Sprintf(" (chosen by %s)", strings.ReplaceAll(r.penalty.chosenBy, "_", " "))
	}
	if number(f.R2).defined() {
		s += fmt.Sprintf(", R squared %.3g.", f.R2)
	} else {
		s += "."
	}
	if r.in.Operation == lassoOperation {
		s += fmt.Sprintf(" %d of %d features are kept.", len(r.penalty.kept), len(r.model.terms))
	}
	return s
}
