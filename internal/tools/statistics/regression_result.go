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

const (
	coefficientsFile = "regression_coefficients.csv"
	pathFile         = "regularization_path.csv"
)

func (r *fitted) result(ctx context.Context, call *contract.Call) (*contract.Result, error) {
	out, err := r.output(ctx)
	if err != nil {
		return nil, err
	}
	res := &contract.Result{Summary: r.summary(), Output: out, Evidence: r.evidence(out)}
	r.warn(res, out)
	res.Confidence = r.confidence(out)
	res.Artifacts = []contract.Artifact{csvFile(coefficientsFile, r.table())}
	if r.penalty != nil && r.penalty.path != nil {
		res.Artifacts = append(res.Artifacts, csvFile(pathFile, r.pathTable()))
	}
	if r.in.Plots == nil || *r.in.Plots {
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
		if f.Coding != "indicator" && !r.in.intercept() {
			warn("no_intercept", "Without an intercept the coding %s of %s draws the line through 0 at its reference; the coding indicator gives each level its own.", f.Coding, f.Name)
		}
	}
	for _, c := range out.Checks {
		if c.OK != nil && !*c.OK {
			warn("check_"+c.Name, "%s", c.Consequence)
		}
	}
}

func (r *fitted) failed(out *regressionOutput) (names []string) {
	for _, c := range out.Checks {
		if c.OK != nil && !*c.OK {
			names = append(names, c.Name)
		}
	}
	return names
}

func (r *fitted) evidence(out *regressionOutput) *contract.Evidence {
	var ev *contract.Evidence
	switch {
	case r.penalty != nil:
		ev = r.penaltyEvidence()
	case r.glm != nil:
		ev = r.likelihoodEvidence()
	default:
		ev = r.linearEvidence()
	}
	if r.in.Normalize {
		ev.Reasons = append(ev.Reasons, "coefficients are in the units of the data; normalized has them for features divided by their standard deviation.")
	}
	if changed := out.ChangedByHC3; len(changed) > 0 {
		ev.Trust = contract.Suspect
		ev.Reasons = append(ev.Reasons, "With errors of unequal variance (HC3) the significance changes of "+strings.Join(changed, ", ")+".")
	}
	if out.DigitsToTrust < fewDigits {
		ev.Trust = contract.Suspect
		ev.Reasons = append(ev.Reasons, "The features are so nearly dependent that few digits are right.")
	}
	if failed := r.failed(out); len(failed) > 0 {
		ev.Reasons = append(ev.Reasons, "Checks of the assumptions that fail: "+strings.Join(failed, ", ")+".")
	}
	return ev
}

// confidence starts from 0.95, or 0.8 under a penalty, and takes off: 0.15 below
// ten samples for each coefficient, 0.2 below ten right digits, 0.1 where HC3 or
// the dispersion changes a conclusion or more than a fifth of the rows was
// dropped, 0.05 for each check that fails; at least 0.2, and 0.5 for a fit that
// leaves nothing to judge it by.
func (r *fitted) confidence(out *regressionOutput) float64 {
	start := 95
	if r.penalty != nil {
		start = 80
	} else if r.untestable {
		return 0.5
	}
	off := 5 * len(r.failed(out)) // in hundredths
	if r.n < 10*(out.DFModel+r.slopes()) {
		off += 15
	}
	if out.DigitsToTrust < 10 {
		off += 20
	}
	if len(out.ChangedByHC3) > 0 || out.Poisson != nil && len(out.Poisson.ChangedByThem) > 0 {
		off += 10
	}
	if float64(out.Rows.Dropped) > droppedShare*float64(out.Rows.Selected) {
		off += 10
	}
	return float64(max(start-off, 20)) / 100
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
