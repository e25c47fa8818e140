package statistics

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/stat"
)

// shape tests that the values are normal about the means of their groups.
func (out *tTestOutput) shape(t *table) assumption {
	a := assumption{name: "shapiro_wilk", sign: "that the values are not normal", none: "It cannot be tested: too few values, too many, or no spread.",
		bad: "The values are not normal; with so few, compare with a test by ranks (mann_whitney, signed_rank) before you quote p."}
	residuals := []float64(nil)
	if t.whole {
		residuals = t.residuals()
	}
	a.statistic, a.p = stat.ShapiroWilk(residuals)
	if len(residuals) > stat.ShapiroWilkMost || !t.whole {
		a.name = "dagostino_pearson"
		a.statistic, a.p = stat.DAgostinoPearson(residuals)
	}
	if len(residuals) >= 2*enoughInGroup {
		a.harmless = "The values are not normal; with so many, the test of the means hardly depends on it."
	}
	return a
}

// conclude holds Student's test against Welch's.
func (out *tTestOutput) conclude() {
	out.Checks = append(out.Checks, out.successive)
	var words []string
	if out.Student != nil && out.PValue.defined() && out.Student.PValue.defined() {
		out.doubts = (out.PValue < out.Alpha) != (out.Student.PValue < out.Alpha)
		out.agreed = !out.doubts
		if out.doubts {
			words = append(words, "Student's test, which needs equal variances, comes to another conclusion: quote Welch's.")
		} else {
			words = append(words, "Student's test comes to the same conclusion as Welch's.")
		}
	}
	switch {
	case !out.PValue.defined() && out.Difference != 0:
		words = append(words, "The values differ and have no spread: t is infinite, and no test is needed or possible.")
	case !out.PValue.defined():
		words = append(words, "There is no spread, so nothing can be tested.")
	}
	for _, c := range out.Checks {
		if c.OK != nil && !*c.OK {
			words = append(words, c.Consequence)
		}
	}
	if len(words) == 0 {
		words = append(words, "No check speaks against the test.")
	}
	out.Consequence = strings.Join(words, " ")
}

// equivalence adds the test that was asked for.
func (in *tTestInput) equivalence(out *tTestOutput) {
	if in.Equivalence == nil {
		return
	}
	e := &equivalence{Low: in.Equivalence.Low, High: in.Equivalence.High, PValue: number(out.test.Equivalence(in.Equivalence.Low, in.Equivalence.High))}
	if e.PValue.defined() {
		shown := e.PValue < out.Alpha
		e.Shown = &shown
	}
	out.Equivalence = e
}

// byRanks puts a test by ranks in the place of the t test, of which the
// difference of the means stays.
func (out *tTestOutput) byRanks(model string, r stat.RankTest) {
	nan := number(math.NaN())
	out.Model, out.PValue = model, number(r.P)
	out.T, out.DF, out.Low, out.High = nan, nan, nan, nan
	out.Student = nil
	out.Checks = append(out.Checks, out.successive)
	out.ranks = r
	out.Ranks = &rankTest{number(r.Statistic), number(r.Z), r.Exact, number(r.Correlation), r.Used}
	switch {
	case !out.PValue.defined():
		out.Consequence = "All values are equal, so nothing can be tested."
	case r.Exact:
		out.Consequence = "p is exact, of all arrangements of the ranks."
	default:
		out.Consequence = "p is by the normal approximation, with the corrections for ties and for continuity."
	}
	if t := number(out.test.P); t.defined() && out.PValue.defined() {
		if (t < out.Alpha) != (out.PValue < out.Alpha) {
			out.Consequence += " The t test, which compares means, comes to another conclusion: say which of the two you ask about."
		} else {
			out.agreed = true
			out.Consequence += " The t test comes to the same conclusion."
		}
	}
	if ok := out.successive.OK; ok != nil && !*ok {
		out.Consequence += " " + out.successive.Consequence
	}
}

func (out *tTestOutput) summary(in tTestInput) string {
	what := map[string]string{"mann_whitney": "Mann-Whitney test", "signed_rank": "Wilcoxon's signed-rank test"}[out.Model]
	if what == "" {
		what = "t test"
	}
	s := fmt.Sprintf("%s on %s samples: ", what, thousands(out.SampleCount))
	switch {
	case !out.PValue.defined():
		return s + "nothing can be tested, as there is no spread."
	case out.PValue < out.Alpha && out.Ranks != nil:
		s += fmt.Sprintf("%s (p = %.3g, rank-biserial correlation %.3g).", out.ranksDiffer(in), float64(out.PValue), float64(out.Ranks.RankBiserial))
	case out.PValue < out.Alpha:
		s += fmt.Sprintf("the mean of %s (p = %.3g).", out.meansDiffer(in), float64(out.PValue))
	case out.Ranks != nil:
		s += fmt.Sprintf("no difference of %s is shown (p = %.3g).", in.Column, float64(out.PValue))
	default:
		s += fmt.Sprintf("no difference of the mean of %s is shown (p = %.3g).", in.Column, float64(out.PValue))
	}
	if e := out.Equivalence; e != nil && e.Shown != nil {
		if *e.Shown {
			return s + fmt.Sprintf(" It lies between %g and %g (p = %.3g).", e.Low, e.High, float64(e.PValue))
		}
		return s + fmt.Sprintf(" That it lies between %g and %g is not shown (p = %.3g).", e.Low, e.High, float64(e.PValue))
	}
	return s
}

// sides are what is compared: the difference is of the first less the second.
func (out *tTestOutput) sides(in tTestInput) (first, second string) {
	switch {
	case in.With != "":
		return in.Column, in.With
	case len(out.Groups) == 2:
		return out.Groups[0].Level, out.Groups[1].Level
	}
	return in.Column, fmt.Sprintf("%g", in.Value)
}

// meansDiffer says which mean is above the other, and by how much.
func (out *tTestOutput) meansDiffer(in tTestInput) string {
	first, second := out.sides(in)
	off := math.Abs(float64(out.Difference))
	switch {
	case len(out.Groups) == 2 && out.Difference > 0:
		return fmt.Sprintf("%s is higher in %s than in %s by %.4g", in.Column, first, second, off)
	case len(out.Groups) == 2:
		return fmt.Sprintf("%s is higher in %s than in %s by %.4g", in.Column, second, first, off)
	case in.With != "" && out.Difference < 0:
		return fmt.Sprintf("%s is above that of %s by %.4g", second, first, off)
	case in.With != "":
		return fmt.Sprintf("%s is above that of %s by %.4g", first, second, off)
	case out.Difference < 0:
		return fmt.Sprintf("%s is below %s by %.4g", first, second, off)
	}
	return fmt.Sprintf("%s is above %s by %.4g", first, second, off)
}

// ranksDiffer says which side has the higher ranks.
func (out *tTestOutput) ranksDiffer(in tTestInput) string {
	first, second := out.sides(in)
	if out.Ranks.RankBiserial < 0 {
		first, second = second, first
	}
	if len(out.Groups) == 2 {
		return fmt.Sprintf("%s is mostly higher in %s than in %s", in.Column, first, second)
	}
	return fmt.Sprintf("%s is mostly above %s", first, second)
}
