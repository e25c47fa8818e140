package statistics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// rowsOf writes a table; row gives its cells.
func rowsOf(header string, n int, row func(i int) []string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(strings.Join(row(i), ",") + "\n")
	}
	return b.String()
}

// full writes a number with all its digits, as programs do.
func full(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// fixed writes a number with so many decimals, as people do.
func fixed(v float64, places int) string { return strconv.FormatFloat(v, 'f', places, 64) }

func linear(t *testing.T, table, features string) (*contract.Result, map[string]any) {
	t.Helper()
	r, out := onTable(t, regression, table, `"operation":"linear_regression","target":"y","features":`+features+`,"plots":false`)
	if r.Status == contract.StatusError {
		t.Fatalf("%+v", r.Errors)
	}
	return r, out
}

func quantity(t *testing.T, r *contract.Result, pointer string) evidence.Quantity {
	t.Helper()
	for _, q := range r.Evidence.Quantities() {
		if q.Pointer == pointer {
			return q
		}
	}
	t.Fatalf("there is no figure %s", pointer)
	return evidence.Quantity{}
}

// failedChecks are the names of the checks that failed.
func failedChecks(r *contract.Result) string {
	var names []string
	for _, c := range r.Evidence.Checks() {
		if !c.Passed && !strings.Contains(strings.Join(names, " "), c.Name) {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, " ")
}

// Good data are verified, figure by figure, with error bars that say what their
// last digits leave open.
func TestOrdinaryRegressionIsVerified(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	r, out := linear(t, rowsOf("a,b,y", 300, func(int) []string {
		a, b := 20+10*rng.Float64(), 3*rng.NormFloat64()
		return []string{fixed(a, 2), fixed(b, 2), fixed(4+2*a-b+rng.NormFloat64(), 2)}
	}), `["a","b"]`)
	if r.Evidence.Trust() != evidence.Verified || *r.Confidence != 0.95 {
		t.Errorf("%v %v", r.Evidence.Trust(), r.Evidence.Reasons())
	}
	if !strings.HasPrefix(r.Summary, "Linear regression completed on 300 samples. a and b are significant predictors of y.") {
		t.Error(r.Summary)
	}
	for _, at := range []string{"/coefficients/a", "/coefficients/intercept", "/standard_errors/b", "/p_values/a", "/r_squared", "/f_test/p_value"} {
		if q := quantity(t, r, at); q.Trust() != evidence.Verified || q.Error == nil || q.Coverage != "estimate" {
			t.Errorf("%s: %v %v", at, q.Trust(), q.Reasons())
		}
	}
	if out["digits_to_trust"] != 15.0 {
		t.Errorf("%v digits", out["digits_to_trust"])
	}
}

// What the data do not determine is never verified, and the check that fails says
// why.
func TestWhatDataCannotSayIsNotVerified(t *testing.T) {
	rng := testenv.Random(t)
	noise := func() float64 { return 4 * rng.NormFloat64() }
	pair := func(n int, second func(x float64) string) string {
		return rowsOf("a,b,y", n, func(int) []string {
			x := 5 + 30*rng.Float64()
			return []string{full(x), second(x), full(3*x + noise())}
		})
	}
	beside := func(relative float64) func(float64) string {
		return func(x float64) string { return full(x * (1 + relative*rng.NormFloat64())) }
	}
	for name, c := range map[string]struct{ table, features, check string }{
		"the same in Fahrenheit": {pair(300, func(x float64) string { return full(x*9/5 + 32) }), `["a","b"]`, "distinct_features"},
		"three times less one":   {pair(60, func(x float64) string { return full(3*x - 1) }), `["a","b"]`, "distinct_features"},
		"a copy":                 {pair(60, full), `["a","b"]`, "every_term"},
		"a copy to 1e-8":         {pair(60, beside(1e-8)), `["a","b"]`, "distinct_features"},
		"a copy to 1e-14":        {pair(60, beside(1e-14)), `["a","b"]`, "distinct_features"},
		"a sum": {rowsOf("a,b,c,y", 80, func(int) []string {
			a, b := rng.Float64(), rng.Float64()
			return []string{full(a), full(b), full(a + b), full(a - b + noise())}
		}), `["a","b","c"]`, "distinct_features"},
		"nearly constant":                 {pair(60, func(float64) string { return full(5 + 1e-10*rng.NormFloat64()) }), `["a","b"]`, "spread"},
		"constant but for the last digit": {pair(60, func(float64) string { return fixed(5+4e-7*rng.Float64(), 6) }), `["a","b"]`, "last_digits"},
		"fifteen powers":                  {rowsOf("x,y", 40, func(int) []string { return []string{full(3 + rng.Float64()), full(rng.Float64())} }), `["poly(x, 15)"]`, "arithmetic"},
		"more powers than digits": {rowsOf("x,y", 30, func(int) []string {
			x := 10 * rng.Float64()
			return []string{fixed(x, 1), fixed(math.Sin(x), 2)}
		}), `["poly(x, 9)"]`, "last_digits"},
		"scales": {rowsOf("a,b,y", 60, func(int) []string {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			return []string{full(a * 1e-200), full(b * 1e200), full(a + b + noise())}
		}), `["a","b"]`, "size"},
		"powers of a time":                {rowsOf("x,y", 60, func(i int) []string { return []string{strconv.Itoa(1_700_000_000 + 7*i), full(noise())} }), `["poly(x, 4)"]`, "arithmetic"},
		"a constant":                      {pair(60, func(float64) string { return "2.5" }), `["a","b"]`, "every_term"},
		"as many coefficients as samples": {"a,b,y\n1.5,2.5,3.1\n2.5,1.5,4.2\n3.5,7.25,1.9\n", `["a","b"]`, "residual_degrees_of_freedom"},
		"half missing": {pair(90, func(x float64) string {
			if rng.IntN(2) == 0 {
				return ""
			}
			return full(rng.NormFloat64())
		}), `["a","b"]`, "missing_rows"},
	} {
		t.Run(name, func(t *testing.T) {
			r, out := linear(t, c.table, c.features)
			if r.Evidence.Trust() != evidence.Suspect || *r.Confidence > 0.2 || !strings.Contains(failedChecks(r), c.check) {
				t.Errorf("%v; failed: %s\n%v", r.Evidence.Trust(), failedChecks(r), out["coefficients"])
			}
			for _, q := range r.Evidence.Quantities() {
				if q.Quoted && q.Trust() == evidence.Verified && strings.HasPrefix(q.Pointer, "/coefficients/") {
					t.Errorf("%s is verified", q.Pointer)
				}
			}
		})
	}
}

// Features that predict together and not beside each other are not called
// insignificant.
func TestSummarySpeaksOfTheFeaturesTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	r, _ := linear(t, rowsOf("c,f,y", 300, func(int) []string {
		c := 5 + 30*rng.Float64()
		return []string{full(c), full(c*9/5 + 32), full(3*c + 4*rng.NormFloat64())}
	}), `["c","f"]`)
	if !strings.Contains(r.Summary, "Together the features predict y") || !strings.Contains(r.Summary, "variance inflation") {
		t.Error(r.Summary)
	}
	if q := quantity(t, r, "/f_test/p_value"); !q.Quoted {
		t.Error("the F test is not quoted")
	}
}

// The error bars are held against data that are known exactly: of a table and the
// same table rounded, the coefficients differ by no more than the bar of the
// rounded one says, in nearly all tables. Two in three would be one deviation.
func TestErrorBarsCoverTheRounding(t *testing.T) {
	rng := testenv.Random(t)
	inside, all := 0, 0
	for range 60 {
		places, n := rng.IntN(2)+1, 15+rng.IntN(60)
		var exact, rounded strings.Builder
		exact.WriteString("a,b,y\n")
		rounded.WriteString("a,b,y\n")
		for range n {
			a, b := 3*rng.Float64(), rng.NormFloat64()
			y := 2*a - b + 0.3*rng.NormFloat64()
			fmt.Fprintf(&exact, "%.15f,%.15f,%.15f\n", a, b, y)
			fmt.Fprintf(&rounded, "%.*f,%.*f,%.*f\n", places, a, places, b, places, y)
		}
		_, want := linear(t, exact.String(), `["a","b"]`)
		r, got := linear(t, rounded.String(), `["a","b"]`)
		for _, name := range []string{"intercept", "a", "b"} {
			off := math.Abs(in(got, "coefficients", name).(float64) - in(want, "coefficients", name).(float64))
			if all++; off <= *quantity(t, r, "/coefficients/"+name).Error {
				inside++
			}
		}
	}
	t.Logf("%d of %d inside", inside, all)
	if float64(inside) < 0.85*float64(all) {
		t.Errorf("%d of %d lie within their error bars", inside, all)
	}
}

// A test at p between 0.01 and 0.05 is a weak sign, never none.
func TestWeakSignsAreSaid(t *testing.T) {
	list := together([]assumption{{name: "one", statistic: 4, p: 0.0377, sign: "that the variance differs", bad: "It differs."},
		{name: "two", statistic: 3, p: 0.042, sign: "of powers", bad: "Powers."}, {name: "three", statistic: 1, p: 0.3, sign: "of anything", bad: "Anything."}})
	for i, want := range []string{"A weak sign that the variance differs: p = 0.038", "A weak sign of powers", "No sign of anything (p = 0.3)."} {
		if !*list[i].OK || !strings.HasPrefix(list[i].Consequence, want) {
			t.Errorf("%+v", list[i])
		}
	}
	// By itself, the same is a sign: 0.0377 is below 0.05.
	if one := together([]assumption{{name: "one", statistic: 4, p: 0.0377, sign: "x", bad: "It differs."}}); *one[0].OK || one[0].Consequence != "It differs." {
		t.Errorf("%+v", one)
	}
}

// Of data that meet the assumptions, the tests of an answer held together fail
// one time in twenty at most.
func TestGoodDataFailSeldom(t *testing.T) {
	rng := testenv.Random(t)
	failed := 0
	const tables = 300
	for range tables {
		r, _ := linear(t, rowsOf("a,y", 60, func(int) []string {
			a := rng.NormFloat64()
			return []string{fixed(a, 3), fixed(1+a+rng.NormFloat64(), 3)}
		}), `["a"]`)
		for _, name := range []string{"breusch_pagan", "jarque_bera", "reset"} {
			if strings.Contains(failedChecks(r), name) {
				failed++
				break
			}
		}
	}
	t.Logf("%d of %d fail", failed, tables)
	if failed > tables/20+18 { // more than four deviations above the binomial mean of rate 1/20
		t.Errorf("%d of %d fail", failed, tables)
	}
}

// Assumptions of the tests are about the tests: where they fail, the coefficients
// stay verified; and errors that do not need them are not judged by them.
func TestAssumptionsAreAboutTheTests(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	table := rowsOf("a,y", 400, func(int) []string {
		a := 1 + 9*rng.Float64()
		return []string{fixed(a, 3), fixed(2*a+a*rng.NormFloat64(), 3)}
	})
	r, _ := linear(t, table, `["a"]`)
	if q := quantity(t, r, "/coefficients/a"); q.Trust() != evidence.Verified {
		t.Errorf("%v %v", q.Trust(), q.Reasons())
	}
	if q := quantity(t, r, "/p_values/a"); q.Trust() != evidence.Suspect || r.Evidence.Trust() != evidence.Suspect || !strings.Contains(failedChecks(r), "breusch_pagan") {
		t.Errorf("%v %v", q.Trust(), r.Evidence.Reasons())
	}
	robust, _ := onTable(t, regression, table, `"operation":"linear_regression","target":"y","features":["a"],"covariance":"HC3","plots":false`)
	if q := quantity(t, robust, "/p_values/a"); q.Trust() != evidence.Verified {
		t.Errorf("%v %v", q.Trust(), q.Reasons())
	}
}

// Likelihoods and penalties are converged: nothing but their own conditions
// stands behind them.
func TestIteratedFitsAreConverged(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 5))
	table := rowsOf("a,b,y,z", 800, func(int) []string {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		y := 0
		if rng.Float64() < 1/(1+math.Exp(-a+b/2)) {
			y = 1
		}
		return []string{fixed(a, 3), fixed(b, 3), strconv.Itoa(y), fixed(a+rng.NormFloat64(), 3)}
	})
	for operation, target := range map[string]string{"logistic_regression": "y", "ridge": "z", "lasso": "z"} {
		r, out := onTable(t, regression, table, fmt.Sprintf(`"operation":%q,"target":%q,"features":["a","b"],"plots":false`, operation, target))
		if r.Status == contract.StatusError {
			t.Fatalf("%s: %+v", operation, r.Errors)
		}
		if r.Evidence.Trust() != evidence.Converged || *r.Confidence != 0.8 {
			raw, _ := json.Marshal(out["evidence"])
			t.Errorf("%s: %v %s", operation, r.Evidence.Trust(), raw)
		}
	}
	// Two columns that say the same are no less a fault of a likelihood.
	same := rowsOf("a,b,y", 400, func(int) []string {
		a := rng.NormFloat64()
		y := 0
		if rng.Float64() < 1/(1+math.Exp(-a)) {
			y = 1
		}
		return []string{full(a), full(a * (1 + 1e-9*rng.NormFloat64())), strconv.Itoa(y)}
	})
	r, _ := onTable(t, regression, same, `"operation":"logistic_regression","target":"y","features":["a","b"],"plots":false`)
	if r.Status != contract.StatusError && r.Evidence.Trust() != evidence.Suspect {
		t.Errorf("%v %s", r.Evidence.Trust(), r.Summary)
	}
}
