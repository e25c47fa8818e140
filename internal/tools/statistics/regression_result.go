package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
)

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
	if r.penalty != nil {
		return r.penaltySummary()
	}
	title := map[string]string{linearOperation: "Linear", logisticOperation: "Logistic", poissonOperation: "Poisson"}[r.in.Operation]
	s := fmt.Sprintf("%s regression completed on %s samples.", title, thousands(r.n))
	found := r.significant()
	switch {
	case r.untestable:
		s += " The model goes through every sample, so nothing can be tested."
	case r.onlyTogether():
		s += fmt.Sprintf(" Together the features predict %s (p = %.3g), but none does beside the others: %s.", r.in.Target, r.jointP(), r.overlap())
	case len(found) == 0:
		s += fmt.Sprintf(" No feature is a significant predictor of %s at alpha %v.", r.in.Target, r.alpha)
	case len(found) == 1:
		s += fmt.Sprintf(" %s is a significant predictor of %s.", found[0], r.in.Target)
	case len(found) > shownTerms:
		s += fmt.Sprintf(" %d of %d features are significant predictors of %s.", len(found), len(r.model.terms), r.in.Target)
	default:
		s += fmt.Sprintf(" %s and %s are significant predictors of %s.", strings.Join(found[:len(found)-1], ", "), found[len(found)-1], r.in.Target)
	}
	return s + r.eventSays() + r.quotes()
}

// overlap says why the features cannot be told apart.
func (r *fitted) overlap() string {
	if at, vif := r.mostInflated(); vif > 10 {
		return fmt.Sprintf("%s says nearly the same as others (variance inflation %.3g)", at, vif)
	}
	return "what they say overlaps"
}

// shownTerms is the most terms whose coefficients the summary quotes.
const shownTerms = 4

// quotedTerms are those: the significant ones, else all, where they are few.
func (r *fitted) quotedTerms() []string {
	if r.penalty != nil {
		return nil
	}
	names := r.significant()
	if len(names) == 0 {
		for k := r.slopes(); k < len(r.names); k++ {
			if number(r.coef[k]).defined() {
				names = append(names, r.names[k])
			}
		}
	}
	return names[:min(len(names), shownTerms)]
}

// quotes are the figures of the summary.
func (r *fitted) quotes() string {
	var parts []string
	for _, name := range r.quotedTerms() {
		parts = append(parts, fmt.Sprintf("%s %.4g", name, r.coef[slices.Index(r.names, name)]))
	}
	text := ""
	if len(parts) > 0 {
		text = " Coefficients: " + strings.Join(parts, ", ") + "."
	}
	if r.glm == nil && number(r.fit.R2).defined() {
		text += fmt.Sprintf(" R squared %.3g.", r.fit.R2)
	}
	return text
}

// droppedShare is the share of the selected rows above which the answer is
// partial.
const droppedShare = 0.2

const (
	coefficientsName = "regression_coefficients" // api/spec/invocation.md calls the table so
	coefficientsFile = coefficientsName + ".csv"
	pathFile         = "regularization_path.csv"
)

func (r *fitted) result(ctx context.Context, call *contract.Call) (*contract.Result, error) {
	out, err := r.output(ctx)
	if err != nil {
		return nil, err
	}
	res := &contract.Result{Summary: r.summary(), Output: out, Statement: r.statement(out)}
	if err := r.model.data.stateRows(ctx, res, r.model.target); err != nil {
		return nil, err
	}
	if len(r.in.Features) == 1 && r.model.targetSet == nil && r.in.Cluster == "" { // other features may be what makes rows alike
		if factor := r.model.data.Find(r.in.Features[0]); factor >= 0 {
			if err := r.model.data.stateReplicates(ctx, res.Statement, r.model.target, factor); err != nil {
				return nil, err
			}
		}
	}
	r.warn(res, out)
	coefficients := csvFile(coefficientsFile, r.table())
	coefficients.Label = coefficientsName
	res.Artifacts = []contract.Artifact{coefficients}
	if r.penalty != nil && r.penalty.path != nil {
		res.Artifacts = append(res.Artifacts, csvFile(pathFile, r.pathTable()))
	}
	if r.in.Plots {
		drawn, err := r.picture(call, res, out)
		if err != nil {
			return nil, err
		}
		res.Artifacts = append(res.Artifacts, drawn...)
	}
	return res, nil
}

// warn says what was left out, and which checks fail.
func (r *fitted) warn(res *contract.Result, out *regressionOutput) {
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
	if r.penalty != nil {
		for _, tie := range r.ties() {
			warn("aliased", "%s: the penalty alone tells their coefficients apart.", tie)
		}
	}
	switch {
	case r.glm != nil && r.untestable:
		warn("exact_fit", "There are as many coefficients as samples: tests and diagnostics are undefined.")
	case r.penalty == nil && r.untestable:
		warn("exact_fit", "The residuals are zero to 26 digits: standard errors, tests and diagnostics are undefined.")
	}
	if r.glm != nil && r.glm.N != math.Trunc(r.glm.N) {
		warn("fractional_frequencies", "The weights count samples here, and are not whole: errors and tests take them as if they were.")
	}
	for _, f := range out.Factors {
		if f.Coding != "indicator" && !r.in.Intercept {
			warn("no_intercept", "Without an intercept the coding %s of %s draws the line through 0 at its reference; the coding indicator gives each level its own.", f.Coding, f.Name)
		}
	}
	for _, c := range out.Checks {
		if c.OK != nil && !*c.OK {
			warn("check_"+c.Name, "%s", c.Consequence)
		}
	}
}

// table is the coefficients as CSV, every figure with all its digits.
func (r *fitted) table() [][]string {
	rows := [][]string{{"term", "coefficient", "standard_error", "t", "p_value", "low", "high", "hc3_standard_error", "hc3_p_value", "vif"}}
	low, high := r.intervals()
	se, hc3 := undefined(r.se, len(r.names)), undefined(r.hc3, len(r.names))
	for i, name := range r.names {
		vif := math.NaN()
		if k := i - r.slopes(); k >= 0 && r.fit != nil {
			vif = r.fit.VIF[k]
		}
		row := []string{name}
		for _, v := range []float64{r.coef[i], se[i], r.t(i), r.p[i], low[i], high[i], hc3[i], r.hc3P[i], vif} {
			row = append(row, number(v).text())
		}
		rows = append(rows, row)
	}
	return rows
}
