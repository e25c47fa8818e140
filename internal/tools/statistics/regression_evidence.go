package statistics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
)

const (
	// gradientLimit is how far the residuals may be from being orthogonal to the
	// columns; rounding to float64 alone leaves about 1e-15.
	gradientLimit = 1e-10
	// arithmeticLimit is the relative error of arithmetic that leaves six digits.
	arithmeticLimit = 1e-6
	// movedMost is how far a coefficient may move with the last digits of the data,
	// relative to itself or its standard error: beyond, they do not determine it.
	movedMost = 0.5
	// inflated is the variance inflation of a column that agrees with a combination
	// of others to four digits.
	inflated = 1e8
	// extreme is the size, or its inverse, that no measured quantity has: squares of
	// such values leave the range of float64.
	extreme = 1e100
	// nearlyConstant is the spread of a column, relative to its size, below which
	// its coefficient rests on the last digits of float64.
	nearlyConstant = 1e-7
	// lastStep is how far the last step of Newton's method may go, in standard
	// errors.
	lastStep = 1e-7
	// optimalityLimit is the breach of the conditions of a penalised optimum,
	// relative to the penalty.
	optimalityLimit = 1e-9
)

// statement is what stands behind the figures of a regression.
func (r *fitted) statement(out *regressionOutput) *evidence.Statement {
	s := &evidence.Statement{}
	switch {
	case r.penalty != nil:
		r.statePenalty(s)
	case r.glm != nil:
		r.stateLikelihood(s)
	default:
		r.stateArithmetic(s)
	}
	r.stateMovement(s)
	r.stateData(s, out)
	r.stateModel(s, out)
	r.stateFigures(s, out)
	if r.in.Normalize {
		s.Note("Coefficients are in the units of the data; normalized has them for features divided by their standard deviation.")
	}
	return s
}

// stateArithmetic says what the arithmetic of least squares leaves right.
func (r *fitted) stateArithmetic(s *evidence.Statement) {
	f, q := r.fit, r.fit.Rounding
	s.Note("Sums and factors are in double-double arithmetic (%s).", strings.ReplaceAll(f.Method, "_", " "))
	worst := math.Pow10(-f.Digits)
	sentence := fmt.Sprintf("Rounding in double-double arithmetic leaves at least %d digits of the coefficients right for the data as they are written (to first order, section 20.1 of Higham 2002).", f.Digits)
	if worst > arithmeticLimit {
		sentence = fmt.Sprintf("The columns depend on each other so nearly that only %d digits of the coefficients are sure even in double-double arithmetic: centre the features before powers are formed, or leave terms out.", f.Digits)
	}
	s.Check(evidence.Within("arithmetic", evidence.Exact, "/coefficients", worst, arithmeticLimit, "1", sentence))
	se := 0.0
	for _, e := range q.SE {
		se = math.Max(se, zeroIfNaN(e))
	}
	if !f.Exact && f.DFE > 0 {
		s.Check(evidence.Within("arithmetic", evidence.Exact, "/standard_errors", se, arithmeticLimit, "1",
			fmt.Sprintf("Rounding changes the standard errors by %.1g of themselves at most.", se)))
	}
	if g := r.diag.Gradient; number(g).defined() {
		sentence := "A second pass over the data finds the residuals orthogonal to every column."
		limit := gradientLimit
		if by := zeroIfNaN(q.Sigma); by > limit {
			limit = math.Min(by, 1) // what rounding makes of residuals so small stands in no right angle
			sentence = fmt.Sprintf("A second pass over the data finds the residuals orthogonal to every column, as far as rounding leaves residuals so small (%.1g of themselves).", limit)
		}
		if g > limit {
			sentence = "A second pass over the data finds residuals that are not orthogonal to the columns: the coefficients do not solve the problem."
		}
		s.Check(evidence.Within("normal_equations", evidence.Residual, "/coefficients", g, limit, "1", sentence))
	}
}

func zeroIfNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// stateLikelihood says that a maximum was found. No other way covers its figures.
func (r *fitted) stateLikelihood(s *evidence.Statement) {
	g := r.glm
	step := math.Sqrt(g.Decrement)
	sentence := fmt.Sprintf("Newton's method ended after %d passes; its last step was %.1e standard errors.", g.Iterations, step)
	s.Check(evidence.Within("last_step", evidence.Residual, "", step, lastStep, "1", sentence))
	if d := r.diag.Gradient; number(d).defined() {
		sentence := "A further pass over the data finds the derivatives of the likelihood to vanish."
		if d > gradientLimit {
			sentence = "A further pass over the data finds derivatives of the likelihood that do not vanish: this is not its maximum."
		}
		s.Check(evidence.Within("score", evidence.Residual, "", d, gradientLimit, "1", sentence))
	}
	digits := min(g.Step.Digits, likelihoodDigits)
	sentence = fmt.Sprintf("Arithmetic leaves about %d digits of the steps right.", digits)
	if digits < 6 {
		sentence = fmt.Sprintf("The features depend on each other so nearly that about %d digits of the steps are right: leave one of them out.", digits)
	}
	s.Check(evidence.AtLeast("digits", evidence.Bounds, "/coefficients", float64(digits), 6, "1", sentence))
}

// statePenalty says that an optimum was found.
func (r *fitted) statePenalty(s *evidence.Statement) {
	f := r.penalty.fit
	s.Note("Products are summed and systems solved in double-double arithmetic.")
	if number(f.KKT).defined() {
		sentence := fmt.Sprintf("The conditions of optimality hold to %.0e.", f.KKT)
		if f.KKT > optimalityLimit {
			sentence = fmt.Sprintf("The conditions of optimality are missed by %.0e of the penalty: the coefficients are not those of the optimum.", f.KKT)
		}
		s.Check(evidence.Within("optimality", evidence.Residual, "", f.KKT, optimalityLimit, "1", sentence))
	}
	if r.penalty.path != nil {
		s.Note("The penalty was chosen by %s", map[string]string{"gcv": "generalised cross-validation.", "cv": "the least error of rows left out.",
			"cv_one_se": "the error of rows left out, within one standard error of the least."}[r.penalty.chosenBy])
	}
}

// stateFigures names the figures. Those of the summary are quoted.
func (r *fitted) stateFigures(s *evidence.Statement, out *regressionOutput) {
	quoted := r.quotedTerms()
	method := map[string]string{ridgeOperation: "ridge", lassoOperation: "lasso", logisticOperation: "maximum likelihood", poissonOperation: "maximum likelihood"}[r.in.Operation]
	if method == "" {
		method = "least squares"
	}
	for k, name := range r.names {
		at := jsonvalue.Escape(name)
		unit := "unit of " + r.in.Target
		if r.glm != nil {
			unit = map[string]string{logisticOperation: "log odds", poissonOperation: "log rate"}[r.in.Operation]
		}
		if k >= r.slopes() {
			unit += " per unit of " + name
		}
		b := evidence.Of("coefficient of "+name, "/coefficients/"+at, r.coef[k], unit, method)
		if b.Value != nil {
			b = r.withBar(b, r.coefError(k))
			b.Scale = zeroIfNaN(r.seOf(k))
		}
		b.Quoted = slices.Contains(quoted, name)
		s.Figure(b)
		if r.penalty != nil {
			continue
		}
		e := evidence.Of("standard error of "+name, "/standard_errors/"+at, r.seOf(k), unit, out.Covariance+" covariance")
		if e.Value != nil {
			e = r.withBar(e, r.seError(k)*r.seOf(k))
		}
		if s.Figure(e); k < r.slopes() {
			continue
		}
		p := evidence.Of("p value of "+name, "/p_values/"+at, r.p[k], "1", testName(r.df))
		if p.Scale = pScale(r.alpha); p.Value != nil {
			p = r.withBar(p, r.pError(k))
		}
		p.Quoted = !r.untestable && number(r.coef[k]).defined()
		s.Figure(p)
	}
	r.stateWhole(s, out)
}

func testName(df float64) string {
	if math.IsInf(df, 1) {
		return "normal distribution of the ratio to the standard error"
	}
	return fmt.Sprintf("Student's t with %g degrees of freedom", df)
}

// r2Scale is what the accuracy of a small R squared is relative to.
const r2Scale = 0.1
