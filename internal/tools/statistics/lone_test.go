package statistics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// anscombe4 is the fourth set of Anscombe (1973, The American Statistician 27, 17):
// ten samples at x = 8 and one at 19, through which every line of least squares
// goes. Without it x is constant, so it alone decides the slope.
const anscombe4 = "x,y\n8,6.58\n8,5.76\n8,7.71\n8,8.84\n8,8.47\n8,7.04\n8,5.25\n19,12.50\n8,5.56\n8,7.91\n8,6.89\n"

func sentenceOf(r *contract.Result, name string) string {
	for _, c := range r.Evidence.Checks() {
		if c.Name == name && !c.Passed {
			return c.Sentence
		}
	}
	return ""
}

func TestARowThatDecidesAlone(t *testing.T) {
	r, out := linear(t, anscombe4, `["x"]`)
	s := sentenceOf(r, "influence")
	if !strings.Contains(s, "Row 8 alone decides the coefficients of intercept, x") || r.Evidence.Trust() == evidence.Verified {
		t.Errorf("%v %q", r.Evidence.Trust(), s)
	}
	for _, c := range r.Evidence.Checks() {
		if c.Name == "hc3_agrees" {
			t.Errorf("there are no HC3 errors, yet: %+v", c)
		}
	}
	first := out["influential"].([]any)[0].(map[string]any)
	if first["row"] != 8.0 || first["leverage"].(float64) < 1-1e-12 || first["cook_distance"] != nil {
		t.Errorf("%v", first)
	}
	if in(out, "coefficients_without_influential", "x") != nil {
		t.Errorf("without row 8 there is no slope: %v", out["coefficients_without_influential"])
	}
	if r, _ = linear(t, anscombe4+"19,12.6\n", `["x"]`); strings.Contains(sentenceOf(r, "influence"), "alone") {
		t.Errorf("two rows at 19: %q", sentenceOf(r, "influence"))
	}
	// Asked for HC3, which leverage 1 makes 0 by 0.
	r, _ = onTable(t, regression, anscombe4, `"operation":"linear_regression","target":"y","features":["x"],"covariance":"HC3","plots":false`)
	if s := sentenceOf(r, "errors_defined"); !strings.Contains(s, "leverage 1") {
		t.Errorf("%q", s)
	}
}

// A level of one row has the mean of that row whatever it is; what concerns the
// other levels does not rest on it, and the fit of their rows alone is the same.
func TestALevelOfOneRow(t *testing.T) {
	rng := testenv.Random(t)
	var b strings.Builder
	b.WriteString("g,y,n\n")
	for i := range 41 {
		g := []string{"A", "B"}[i%2]
		if i == 40 {
			g = "C"
		}
		fmt.Fprintf(&b, "%s,%.2f,%d\n", g, 10+rng.NormFloat64(), 3+rng.IntN(5))
	}
	for operation, target := range map[string]string{"linear_regression": "y", "poisson_regression": "n"} {
		r, out := onTable(t, regression, b.String(), fmt.Sprintf(`"operation":%q,"target":%q,"features":["g"],"plots":false`, operation, target))
		if s := sentenceOf(r, "influence"); !strings.Contains(s, "Row 41 alone decides the coefficient of g[C]: ") {
			t.Errorf("%s: %q", operation, s)
		}
		if c := quantity(t, r, "/p_values/g[C]"); c.Trust() == evidence.Verified {
			t.Errorf("%s: %v", operation, c.Trust())
		}
		if c := quantity(t, r, "/p_values/g[B]"); slices.ContainsFunc(c.Reasons(), func(s string) bool { return strings.Contains(s, "alone") }) {
			t.Errorf("%s: %v", operation, c.Reasons())
		}
		if in(out, "coefficients_without_influential", "g[C]") != nil || in(out, "coefficients_without_influential", "g[B]") == nil {
			t.Errorf("%s: %v", operation, out["coefficients_without_influential"])
		}
	}
}

// The mean of a group of one value is that value whatever it is.
func TestAGroupOfOneValue(t *testing.T) {
	rng := testenv.Random(t)
	var b strings.Builder
	b.WriteString("g,h,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%s,%s,%.2f\n", []string{"A", "B"}[i%2], []string{"k", "l"}[i/2%2], 10+rng.NormFloat64())
	}
	for operation, factors := range map[string]string{"one_way": `"factor":"g"`, "two_way": `"factors":["g","h"],"terms":["g","h"]`} {
		arguments := fmt.Sprintf(`"operation":%q,"response":"y",%s`, operation, factors)
		r, _ := onTable(t, anova, b.String()+"C,k,14.2\n", arguments)
		if s := sentenceOf(r, "influence"); !strings.Contains(s, "C") || !strings.Contains(s, "alone decides") || r.Evidence.Trust() == evidence.Verified {
			t.Errorf("%s: %v %q", operation, r.Evidence.Trust(), s)
		}
		if r, _ = onTable(t, anova, b.String()+"C,k,14.2\nC,l,13.1\n", arguments); sentenceOf(r, "influence") != "" {
			t.Errorf("%s of two values: %q", operation, sentenceOf(r, "influence"))
		}
	}
}

// A group of one subject is its subject.
func TestAGroupOfOneSubject(t *testing.T) {
	rng := testenv.Random(t)
	var b strings.Builder
	b.WriteString("s,g,h,y\n")
	for i := range 27 {
		s := i / 3
		fmt.Fprintf(&b, "s%d,%s,h%d,%.2f\n", s, []string{"A", "B", "A", "B", "A", "B", "A", "B", "C"}[s], i%3, 10+rng.NormFloat64())
	}
	r, _ := onTable(t, anova, b.String(), `"operation":"repeated_measures","response":"y","factor":"h","subject":"s","between":"g"`)
	if s := sentenceOf(r, "influence"); !strings.Contains(s, "C alone decides") {
		t.Errorf("%q", s)
	}
}
