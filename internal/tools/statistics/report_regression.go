package statistics

import (
	"fmt"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat/plot"
)

// picture draws what a regression is judged by (the residuals of least squares,
// the calibration of a logistic model) and writes its report.
func (r *fitted) picture(call *contract.Call, res *contract.Result, out *regressionOutput) ([]contract.Artifact, error) {
	title := strings.ReplaceAll(out.Model, "_", " ")
	p := &report{Title: strings.ToUpper(title[:1]) + title[1:] + " of " + r.in.Target, Summary: res.Summary, Warnings: res.Warnings,
		Method: res.Statement.Notes, Call: callText(call, r.in), Facts: r.facts(out)}
	coefficients := r.table()
	t := reportTable{Caption: fmt.Sprintf("Coefficients with %.4g %% intervals", 100*(1-r.alpha)), Header: coefficients[0]}
	for i, name := range t.Header {
		t.Header[i] = strings.ReplaceAll(name, "_", " ")
	}
	for _, row := range coefficients[1:] {
		for i := 1; i < len(row); i++ {
			row[i] = shorter(row[i])
		}
		t.Rows = append(t.Rows, row)
	}
	p.table(t)
	w := reportTable{Caption: "Observations with the largest Cook's distance", Header: []string{"row", "residual", "leverage", "studentized", "Cook's distance", "DFFITS"}}
	for _, o := range out.Influential {
		w.Rows = append(w.Rows, []string{strconv.FormatInt(o.Row, 10), o.Residual.sixDigits(), o.Leverage.sixDigits(), o.Studentized.sixDigits(), o.Cook.sixDigits(), o.DFFITS.sixDigits()})
	}
	p.table(w)
	for _, c := range out.Checks {
		p.Checks = append(p.Checks, shownCheck(c))
	}
	return p.publish(call, res, r.figures())
}

func (r *fitted) figures() []*plot.Figure {
	switch {
	case r.glm != nil && r.glm.Calibration != nil:
		if f := plot.Calibration(r.glm.Calibration.Groups, r.in.Target); f != nil {
			return []*plot.Figure{f}
		}
	case r.glm == nil && r.diag != nil && r.fit != nil:
		return plot.Residuals(r.diag.Sample, r.fit.N, r.fit.P, r.in.Target)
	}
	return nil
}

// facts are the figures of the whole model that it has.
func (r *fitted) facts(out *regressionOutput) []reportFact {
	missing := ""
	for _, m := range out.Rows.Missing {
		missing += fmt.Sprintf(", %s: %v", m.name, m.value)
	}
	list := []reportFact{rowFacts(out.Rows.Selected, out.Rows.Used, missing)}
	add := func(name string, defined bool, format string, args ...any) {
		if defined {
			list = append(list, reportFact{name, fmt.Sprintf(format, args...)})
		}
	}
	add("R squared", out.RSquared.defined(), "%s, adjusted %s", out.RSquared.sixDigits(), out.AdjustedRSquared.sixDigits())
	add("F", out.F.Statistic.defined(), "%s on %d and %d degrees of freedom, p %s", out.F.Statistic.sixDigits(), out.DFModel, out.DFResidual, out.F.PValue.sixDigits())
	add("Residual standard deviation", out.ResidualSD.defined(), "%s", out.ResidualSD.sixDigits())
	add("Log likelihood", out.LogLikelihood.defined(), "%s (AIC %s, BIC %s)", out.LogLikelihood.sixDigits(), out.AIC.sixDigits(), out.BIC.sixDigits())
	add("Standard errors", r.se != nil, "%s", out.Covariance)
	add("Digits to trust", true, "%d (condition number %s)", out.DigitsToTrust, out.ConditionNumber.sixDigits())
	for _, u := range out.Unavailable {
		add("No "+strings.ReplaceAll(u.Figure, "_", " "), true, "%s", u.Reason)
	}
	return list
}
