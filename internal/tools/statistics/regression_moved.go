package statistics

import (
	"fmt"
	"math"

	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// scale is what the error of a coefficient is held against: its size, or its
// standard error where that is larger.
func (r *fitted) scale(k int) float64 {
	if r.penalty != nil {
		return math.Max(math.Abs(r.coef[k]), r.penaltyScale(k))
	}
	return math.Max(math.Abs(r.coef[k]), zeroIfNaN(r.seOf(k)))
}

func (r *fitted) seOf(k int) float64 {
	if r.se == nil {
		return math.NaN()
	}
	return r.se[k]
}

// stateMovement says how far the figures move with the last digits of the data.
func (r *fitted) stateMovement(s *evidence.Statement) {
	m := r.moved
	if m == nil {
		s.Note("How far the figures move with the last digits of the data is not known: that takes fits of too many columns, or the data with other last digits have no fit.")
		return
	}
	how := fmt.Sprintf("The data were fitted again %d times, each number moved at random within half a unit of the last digit that it is written with: ", moves)
	if m.exact {
		how = "Every column holds categories or whole numbers below 10,000, which are taken to be exact: "
	}
	open := r.stateMovedCoefficients(s, how)
	tested := r.penalty == nil && !r.untestable && (r.glm != nil || number(r.fit.Sigma()).defined())
	if tested {
		open = r.stateMovedTests(s, how) || open
	}
	if open {
		s.Check(r.undetermined("last_digits")...)
	}
	if r.penalty != nil && number(m.whole).defined() || r.penalty == nil && r.glm == nil && tested {
		s.Check(evidence.Within("last_digits", evidence.Refinement, "/r_squared", m.whole, movedMost, "1", fmt.Sprintf("%sR squared moves by %.2g at most.", how, m.whole)))
	}
}

// stateMovedCoefficients says so of the coefficients; true where the data leave them open.
func (r *fitted) stateMovedCoefficients(s *evidence.Statement, how string) bool {
	at, worst := "", 0.0
	for k, name := range r.names {
		by := r.moved.coef[k]
		if by == 0 { // as of one that is 0 for all of them
			continue
		}
		if moved := by / r.scale(k); number(r.coef[k]).defined() && !(moved <= worst) {
			at, worst = name, moved
		}
		if math.IsNaN(worst) {
			break
		}
	}
	against := "itself or of its standard error"
	if r.penalty != nil {
		against = "itself or of the standard error that it would have alone"
	}
	sentence := fmt.Sprintf("%sno coefficient moves by more than %.2g of %s.", how, worst, against)
	if !(worst <= movedMost) {
		sentence = fmt.Sprintf("%sthe coefficient of %s moves by %.2g of %s, so these data do not determine it. Leave out features that say the same, or terms that the digits do not support.", how, at, worst, against)
	}
	if math.IsNaN(worst) {
		sentence = fmt.Sprintf("%show far the coefficient of %s moves cannot be told, as its standard error is undefined or the moved data have no fit.", how, at)
	}
	s.Check(evidence.Within("last_digits", evidence.Refinement, "/coefficients", worst, movedMost, "1", sentence))
	return !(worst <= movedMost)
}

// stateMovedTests says so of the standard errors and of the tests; true where the data
// leave the errors open.
func (r *fitted) stateMovedTests(s *evidence.Statement, how string) bool {
	se, p := 0.0, 0.0
	for k := range r.names {
		se = math.Max(se, zeroIfNaN(r.moved.se[k]))
		if k >= r.slopes() {
			p = math.Max(p, zeroIfNaN(r.pError(k)))
		}
	}
	together, joint := "/f_test", r.fError()
	if r.glm != nil {
		together, joint = "/likelihood/likelihood_ratio_test", r.ratioError()
	}
	s.Check(evidence.Within("last_digits", evidence.Refinement, "/standard_errors", se, movedMost, "1", fmt.Sprintf("%sno standard error moves by more than %.2g of itself.", how, se)),
		evidence.Within("last_digits", evidence.Refinement, "/p_values", p, movedMost, "1", fmt.Sprintf("%sno p value moves by more than %.2g.", how, p)))
	if r.glm == nil || number(joint).defined() {
		s.Check(evidence.Within("last_digits", evidence.Refinement, together, joint, movedMost, "1", fmt.Sprintf("%sthe p value of all features together moves by %.2g at most.", how, joint)))
	}
	return !(se <= movedMost)
}

// withBar is a figure with its error bar. What an iteration found has no second way that
// confirms it, so the bar is of the data only.
func (r *fitted) withBar(f evidence.Figure, bar float64) evidence.Figure {
	if f = f.PlusMinus(bar, "estimate"); r.glm != nil || r.penalty != nil {
		f = f.Omitting("The error bar is of the last digits of the data; no second way confirms what the iteration found.")
	}
	return f
}

// rounding is what arithmetic may do to the figures; nothing that counts beside what is
// said of an iteration.
func (r *fitted) rounding() stat.Rounding {
	if r.glm == nil && r.penalty == nil {
		return r.fit.Rounding
	}
	none := make([]float64, len(r.coef))
	return stat.Rounding{Coef: none, SE: none}
}

// wholeError is the error of R squared.
func (r *fitted) wholeError() float64 {
	if r.moved == nil {
		return math.NaN()
	}
	return r.moved.whole + r.rounding().R2
}

// ratioError is that of the p value of the likelihood ratio test.
func (r *fitted) ratioError() float64 {
	df := r.ratioDF()
	if r.moved == nil || df == 0 {
		return math.NaN()
	}
	return tailError(func(v float64) float64 { return stat.ChiTail(v, float64(df)) }, r.glm.NullDeviance-r.glm.Deviance, r.moved.whole)
}

// ratioDF is the degrees of freedom of the likelihood ratio test.
func (r *fitted) ratioDF() int {
	if !r.in.Intercept {
		return r.glm.Step.P
	}
	return r.glm.Step.DFM
}

// coefError is the error bar of a coefficient; NaN where it is not known.
func (r *fitted) coefError(k int) float64 {
	if r.moved == nil {
		return math.NaN()
	}
	return r.moved.coef[k] + r.rounding().Coef[k]
}

// seError is that of a standard error, relative to it. Robust errors move as the
// classical ones do.
func (r *fitted) seError(k int) float64 {
	if r.moved == nil {
		return math.NaN()
	}
	return r.moved.se[k] + r.rounding().SE[k]
}

func (r *fitted) pError(k int) float64 {
	t := math.Abs(r.t(k))
	off := r.coefError(k)/r.seOf(k) + t*r.seError(k)
	return tailError(func(t float64) float64 {
		if math.IsInf(r.df, 1) {
			return stat.ZTail2(t)
		}
		return stat.TTail2(t, r.df)
	}, t, off)
}

// fError is the error of the p value of all features together.
func (r *fitted) fError() float64 {
	f := r.fit
	if r.moved == nil || !number(f.F).defined() {
		return math.NaN()
	}
	// F is R2 by 1-R2, times the degrees of freedom.
	off := f.F * (r.moved.whole + f.Rounding.R2) / math.Max(f.R2*(1-f.R2), math.SmallestNonzeroFloat64)
	return tailError(func(v float64) float64 { return stat.FTail(v, float64(f.DFM), float64(f.DFE)) }, f.F, off)
}

// stateWhole names the figures of the whole model.
func (r *fitted) stateWhole(s *evidence.Statement, out *regressionOutput) {
	if out.RSquared.defined() {
		f := evidence.Of("R squared", "/r_squared", float64(out.RSquared), "1", "sums of squares").Quote()
		f.Scale = r2Scale
		s.Figure(r.withBar(f, r.wholeError()))
	}
	if out.F.PValue.defined() {
		f := evidence.Of("p value of all features together", "/f_test/p_value", float64(out.F.PValue), "1", "F test").PlusMinus(r.fError(), "estimate")
		f.Scale, f.Quoted = pScale(r.alpha), r.onlyTogether()
		s.Figure(f)
	}
	if l := out.Likelihood; l != nil && l.LikelihoodRatio.PValue.defined() {
		f := evidence.Of("p value of all features together", "/likelihood/likelihood_ratio_test/p_value", float64(l.LikelihoodRatio.PValue), "1", "likelihood ratio test")
		f.Scale, f.Quoted = pScale(r.alpha), r.onlyTogether()
		s.Figure(r.withBar(f, r.ratioError()))
	}
}
