package statistics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/dataset"
	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
	"atelier/internal/stat"
)

// stateData says whether the columns can tell what is asked of them.
func (r *fitted) stateData(s *evidence.Statement, out *regressionOutput) {
	s.Check(missingRows(out.Rows.Selected, out.Rows.Selected-r.model.used))
	r.stateTerms(s, out)
	if r.fit == nil {
		r.stateScale(s)
		return
	}
	sentence := "There are more samples than coefficients."
	if r.fit.DFE < 1 {
		sentence = "There are as many coefficients as samples: any data are fitted without a residual, so the fit says nothing of how good it is."
	}
	s.Check(evidence.AtLeast("residual_degrees_of_freedom", evidence.Model, "", float64(r.fit.DFE), 1, "1", sentence))
	if at, vif := r.mostInflated(); number(vif).defined() || math.IsInf(vif, 1) {
		sentence := fmt.Sprintf("The features are distinct: the largest variance inflation among them is %.3g.", vif)
		if !(vif <= inflated) {
			sentence = fmt.Sprintf("%s agrees with a combination of the other features to four digits or more (variance inflation %.2g): what belongs to which of them cannot be told. Leave one out, and quote the F test.", at, vif)
		}
		s.Check(evidence.Within("distinct_features", evidence.Model, "", vif, inflated, "1", sentence))
	}
	r.stateScale(s)
	r.stateErrors(s, out)
}

// stateTerms says whether every term has a coefficient of its own.
func (r *fitted) stateTerms(s *evidence.Statement, out *regressionOutput) {
	if len(out.Aliased) == 0 && r.penalty != nil {
		r.stateTies(s)
		return
	}
	var lost []string
	for _, a := range out.Aliased {
		name := a.Name
		if len(a.Of) > 0 {
			name += " (by " + strings.Join(a.Of, ", ") + ")"
		}
		lost = append(lost, name)
	}
	sentence := "No term is a combination of the others: every term has a coefficient of its own."
	if len(lost) > 0 {
		sentence = fmt.Sprintf("%s cannot be told from the other terms in these data and has no coefficient: the figures are those of a smaller model than was asked for.", strings.Join(lost, ", "))
	}
	s.Check(evidence.Holds("every_term", evidence.Model, "", len(lost) == 0, sentence))
}

// plain are the terms that are a column by itself, or a code of one factor.
func (r *fitted) plain() []int {
	var at []int
	for j, t := range r.model.terms {
		if len(t.powers) == 1 && t.powers[0].power == 1 && len(t.codes) == 0 || len(t.powers) == 0 && len(t.codes) == 1 {
			at = append(at, j)
		}
	}
	return at
}

// mostInflated is the plain term that depends on the other plain ones most.
func (r *fitted) mostInflated() (name string, most float64) {
	most = math.NaN()
	for j, v := range r.fit.Inflation(r.plain()) {
		if !math.IsNaN(v) && !(v <= most) {
			name, most = r.model.terms[j].name, v
		}
	}
	return name, most
}

// stateScale judges the size and the spread of the columns of numbers.
func (r *fitted) stateScale(s *evidence.Statement) {
	var huge, constant []string
	seen := map[int]bool{r.model.target: r.model.targetSet != nil}
	for _, column := range append([]int{r.model.target}, r.columns()...) {
		if seen[column] {
			continue
		}
		seen[column] = true
		of := r.model.data.Columns[column]
		if of.Min == nil || of.Max == nil {
			continue
		}
		size, spread := math.Max(math.Abs(*of.Min), math.Abs(*of.Max)), *of.Max-*of.Min
		if size > extreme || size > 0 && size < 1/extreme {
			huge = append(huge, fmt.Sprintf("%s (%.0e)", of.Name, size))
		}
		if of.Type == dataset.Number && column != r.model.target && spread < nearlyConstant*size {
			constant = append(constant, of.Name)
		}
	}
	sentence := "The columns have the sizes of measured quantities."
	if len(huge) > 0 {
		sentence = fmt.Sprintf("No measured quantity has values of the size of %s: look for a wrong unit or a damaged export before any figure is used.", strings.Join(huge, ", "))
	}
	s.Check(evidence.Holds("size", evidence.Bounds, "", len(huge) == 0, sentence))
	sentence = "No feature is nearly constant."
	if len(constant) > 0 {
		sentence = fmt.Sprintf("%s varies by less than %.0e of its size: its coefficient rests on the last digits of the numbers. Take a fixed value off before the table is written, or leave it out.", strings.Join(constant, ", "), nearlyConstant)
	}
	s.Check(evidence.Holds("spread", evidence.Bounds, "", len(constant) == 0, sentence))
}

// columns are those of numbers that terms are made of.
func (r *fitted) columns() (list []int) {
	for _, t := range r.model.terms {
		for _, p := range t.powers {
			list = append(list, p.column)
		}
	}
	return list
}

// stateErrors says whether the standard errors are numbers.
func (r *fitted) stateErrors(s *evidence.Statement, out *regressionOutput) {
	if r.untestable || r.se == nil {
		return
	}
	var bad []string
	for k, name := range r.names {
		aliased := k >= r.slopes() && slices.Contains(r.fit.Aliased, k-r.slopes())
		if !aliased && (!number(r.coef[k]).defined() || !(r.se[k] > 0) || math.IsInf(r.se[k], 0)) {
			bad = append(bad, name)
		}
	}
	sentence := "Every coefficient has a standard error above 0."
	if len(bad) > 0 {
		sentence = fmt.Sprintf("%s has no standard error that a float64 holds, so nothing is known of its uncertainty: give the columns in units of ordinary size.", strings.Join(bad, ", "))
		if len(r.lone()) > 0 && (out.Covariance == "HC2" || out.Covariance == "HC3") {
			sentence = fmt.Sprintf("%s errors cannot be computed where a row has leverage 1: ask for the classical ones, and see the check influence.", out.Covariance)
		}
	}
	s.Check(evidence.Holds("errors_defined", evidence.Bounds, "/standard_errors", len(bad) == 0, sentence))
}

// notAbout are the assumptions that the errors which were asked for do not make.
var notAbout = map[string][]string{"classical": nil, "HC0": {"breusch_pagan", "overdispersion"}, "HC1": {"breusch_pagan", "overdispersion"},
	"HC2": {"breusch_pagan", "overdispersion"}, "HC3": {"breusch_pagan", "overdispersion"}, "cluster": {"breusch_pagan", "durbin_watson", successiveName, "overdispersion"}}

// stateModel holds the p values against what they assume. The coefficients of
// least squares are what they are whether or not that holds.
func (r *fitted) stateModel(s *evidence.Statement, out *regressionOutput) {
	figures := []string{"/p_values"}
	if r.penalty != nil {
		figures = []string{"/coefficients"}
	}
	for _, c := range out.Checks {
		if c.Name == "condition" || slices.Contains(notAbout[out.Covariance], c.Name) {
			continue // of the arithmetic of others, or not assumed
		}
		where := figures
		if c.OK != nil && !*c.OK && r.penalty == nil {
			where = []string{"/p_values", "/standard_errors", "/f_test", "/likelihood/likelihood_ratio_test"}
			if c.figures != nil {
				where = append(slices.Clone(c.figures), where[2:]...)
			}
		}
		for _, figure := range where {
			if one, made := c.evidence(figure); made && r.has(figure) {
				s.Check(one)
			}
		}
	}
	if r.penalty != nil || r.untestable {
		return
	}
	r.stateOtherErrors(s, "hc3_agrees", "the errors that allow for unequal variances (HC3)", out.ChangedByHC3, out.Covariance == "classical" && r.hc3 != nil && len(r.lone()) == 0)
	if out.Poisson != nil {
		r.stateOtherErrors(s, "quasi_poisson_agrees", "errors that allow for the dispersion", out.Poisson.ChangedByThem, out.Covariance == "classical")
	}
}

// has says whether the model has such figures.
func (r *fitted) has(figure string) bool {
	switch figure {
	case "/f_test":
		return r.glm == nil
	case "/likelihood/likelihood_ratio_test":
		return r.glm != nil
	}
	return true
}

// stateOtherErrors says whether other errors come to the same conclusions.
func (r *fitted) stateOtherErrors(s *evidence.Statement, name, which string, changed []string, asked bool) {
	if !asked {
		return
	}
	if len(changed) == 0 {
		s.Check(evidence.Holds(name, evidence.Model, "/p_values", true, fmt.Sprintf("With %s every feature is judged alike.", which)))
	}
	for _, feature := range changed {
		s.Check(evidence.Holds(name, evidence.Model, "/p_values/"+jsonvalue.Escape(feature), false,
			fmt.Sprintf("With %s the significance of %s at alpha %v is another: do not quote the classical p value.", which, feature, r.alpha)))
	}
}

// onlyTogether says that the features predict the target together, while none of
// them does beside the others.
func (r *fitted) onlyTogether() bool {
	if r.untestable || r.penalty != nil || len(r.significant()) > 0 {
		return false
	}
	return r.jointP() < r.alpha && len(r.names)-r.slopes() > 1
}

// jointP is the p value of all features together.
func (r *fitted) jointP() float64 {
	if r.glm == nil {
		return fTail(r.fit.F, r.fit.DFM, r.fit.DFE)
	}
	df := r.ratioDF()
	if df == 0 {
		return math.NaN()
	}
	return stat.ChiTail(r.glm.NullDeviance-r.glm.Deviance, float64(df))
}
