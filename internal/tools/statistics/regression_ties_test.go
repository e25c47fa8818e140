package statistics

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// fitOf is a fit that must be made.
func fitOf(t *testing.T, table, operation, features, more string) (*contract.Result, map[string]any) {
	t.Helper()
	r, out := onTable(t, regression, table, fmt.Sprintf(`"operation":%q,"target":"y","features":%s,"plots":false%s`, operation, features, more))
	if r.Status == contract.StatusError {
		t.Fatalf("%s: %+v", operation, r.Errors)
	}
	return r, out
}

// termsSentence is what the check every_term says, and whether it passed everywhere.
func termsSentence(r *contract.Result) (sentence string, passed bool) {
	passed = true
	for _, c := range r.Evidence.Checks() {
		if c.Name == "every_term" {
			if sentence == "" {
				sentence = c.Sentence
			}
			passed = passed && c.Passed
		}
	}
	return sentence, passed
}

// agesOf has a year of birth that is 2020 less the age: fitted values depend on the
// difference of the two coefficients only, so that lasso's minimum is not unique.
func agesOf(rng *rand.Rand, n int) string {
	return rowsOf("age,born,z,y", n, func(int) []string {
		age, z := 20+rng.IntN(50), fixed(rng.NormFloat64(), 2)
		of, _ := strconv.ParseFloat(z, 64)
		return []string{strconv.Itoa(age), strconv.Itoa(2020 - age), z, fixed(0.1*float64(age)+0.8*of+rng.NormFloat64(), 2)}
	})
}

// Where lasso could give a coefficient to either of two columns, it says so of them and
// of no others, whatever their order.
func TestLassoWithoutAMinimumOfItsOwn(t *testing.T) {
	table := agesOf(testenv.Random(t), 80)
	for _, features := range []string{`["age","born","z"]`, `["born","age","z"]`} {
		r, _ := fitOf(t, table, "lasso", features, "")
		sentence, passed := termsSentence(r)
		if passed || !strings.Contains(sentence, "age") || !strings.Contains(sentence, "born") || r.Evidence.Trust() != evidence.Suspect {
			t.Errorf("%s: %v %s", features, passed, sentence)
		}
		for _, at := range []string{"/coefficients/age", "/coefficients/born", "/coefficients/intercept"} {
			if q := quantity(t, r, at); q.Trust() != evidence.Suspect {
				t.Errorf("%s: %v", at, q.Trust())
			}
		}
		for _, at := range []string{"/coefficients/z", "/r_squared"} {
			if q := quantity(t, r, at); q.Trust() == evidence.Suspect && !strings.Contains(failedChecks(r), "penalty_path") {
				t.Errorf("%s: %v", at, q.Reasons())
			}
		}
		if !strings.Contains(fmt.Sprint(r.Warnings), "aliased") {
			t.Errorf("%v", r.Warnings)
		}
	}
	// Ridge has one minimum: it divides, and says so.
	r, out := fitOf(t, table, "ridge", `["age","born","z"]`, "")
	c := out["coefficients"].(map[string]any)
	digits(t, "ridge divides evenly between columns of one length", c["born"], -c["age"].(float64), 1e-9)
	if sentence, passed := termsSentence(r); !passed || !strings.Contains(sentence, "born is a combination of age") {
		t.Errorf("%v %s", passed, sentence)
	}
}

// A combination of columns is no fault where it leaves the minimum alone: of a sum of two
// lasso takes the sum, as each part costs more for the same; what it leaves out, it leaves
// out of copies too; and columns that are only alike are told apart.
func TestLassoWithAMinimumOfItsOwn(t *testing.T) {
	rng := testenv.Random(t)
	whole := func(v float64) string { return strconv.Itoa(int(math.Round(10 * v))) }
	sum := rowsOf("a,b,c,y", 100, func(int) []string {
		a, b := rng.IntN(100), rng.IntN(100)
		return []string{strconv.Itoa(a), strconv.Itoa(b), strconv.Itoa(a + b), fixed(float64(a+b)+rng.NormFloat64(), 3)}
	})
	copies := rowsOf("a,b,c,y", 100, func(int) []string {
		a, c := whole(10*rng.NormFloat64()), rng.NormFloat64()
		return []string{a, a, fixed(c, 4), fixed(5*c+rng.NormFloat64(), 4)}
	})
	alike := rowsOf("a,b,c,y", 200, func(int) []string {
		a := rng.NormFloat64()
		b := a + 0.1*rng.NormFloat64()
		return []string{fixed(a, 4), fixed(b, 4), fixed(rng.NormFloat64(), 4), fixed(2*a+b+rng.NormFloat64(), 4)}
	})
	for name, c := range map[string]struct{ table, lambda string }{"a sum": {sum, "2"}, "copies that are left out": {copies, "2"}, "all left out": {copies, "1000"}, "alike": {alike, "0.2"}} {
		r, _ := fitOf(t, c.table, "lasso", `["a","b","c"]`, `,"lambda":`+c.lambda)
		if sentence, passed := termsSentence(r); !passed || r.Evidence.Trust() != evidence.Converged {
			t.Errorf("%s: %v %s", name, r.Evidence.Reasons(), sentence)
		}
	}
}

// inches has a length in millimetres and in inches, rounded: they differ by their
// rounding only, so that the part of each in the coefficients rests on it.
func inches(rng *rand.Rand, n int, response func(mm float64) string) string {
	return rowsOf("mm,inch,y", n, func(int) []string {
		mm := 10 + 90*rng.Float64()
		return []string{fixed(mm, 1), fixed(mm/25.4, 2), response(mm)}
	})
}

// Every fit with coefficients says when the last digits of the data decide them, with
// what follows from them; what the columns say together stands.
func TestLastDigitsDecideNoCoefficients(t *testing.T) {
	rng := testenv.Random(t)
	coin := func(p float64) string { return map[bool]string{true: "1", false: "0"}[rng.Float64() < p] }
	responses := map[string]func(mm float64) string{
		"logistic_regression": func(mm float64) string { return coin(1 / (1 + math.Exp((50-mm)/15))) },
		"poisson_regression": func(mm float64) string { // a sum of as many chances of a fortieth
			n := 0
			for range 200 {
				if rng.Float64() < 0.025*math.Exp((mm-50)/60) {
					n++
				}
			}
			return strconv.Itoa(n)
		},
		"linear_regression": func(mm float64) string { return fixed(0.1*mm+rng.NormFloat64(), 2) },
		"ridge":             func(mm float64) string { return fixed(0.1*mm+rng.NormFloat64(), 2) },
		"lasso":             func(mm float64) string { return fixed(0.1*mm+rng.NormFloat64(), 2) },
	}
	for _, operation := range slices.Sorted(maps.Keys(responses)) {
		response := responses[operation]
		more := map[string]string{"ridge": `,"lambda":1e-6`, "lasso": `,"lambda":0.05`}[operation]
		table := inches(rng, 150, response)
		r, _ := fitOf(t, table, operation, `["mm","inch"]`, more)
		failed := failedChecks(r)
		if !strings.Contains(failed, "last_digits") && !strings.Contains(failed, "every_term") || quantity(t, r, "/coefficients/mm").Trust() != evidence.Suspect {
			t.Errorf("%s: %s %v", operation, failed, r.Evidence.Trust())
		}
		whole, follows := "/r_squared", []string{"/p_values/mm", "/confidence_intervals/mm"}
		switch operation {
		case "logistic_regression":
			whole, follows = "/likelihood/likelihood_ratio_test/p_value", append(follows, "/logistic/odds_ratios/mm/estimate")
		case "poisson_regression":
			whole, follows = "/likelihood/likelihood_ratio_test/p_value", append(follows, "/poisson/rate_ratios/mm/low")
		case "ridge", "lasso":
			follows = []string{"/penalty/standardized/coefficients/mm"}
		}
		for _, at := range follows {
			if trust, _ := r.Evidence.At(at); trust != evidence.Suspect {
				t.Errorf("%s %s: %v", operation, at, trust)
			}
		}
		if q := quantity(t, r, whole); strings.Contains(strings.Join(q.Reasons(), " "), "last_digits") {
			t.Errorf("%s: %v", operation, q.Reasons())
		}
		if one, _ := fitOf(t, table, operation, `["mm"]`, more); strings.Contains(failedChecks(one), "last_digits") || strings.Contains(failedChecks(one), "every_term") {
			t.Errorf("%s of one column: %s", operation, failedChecks(one))
		}
	}
}

// Error bars of likelihoods and penalties cover what writing the data with fewer digits
// does, and the figures stay converged.
func TestBarsOfIteratedFitsCoverTheRounding(t *testing.T) {
	rng := testenv.Random(t)
	inside, all := 0, 0
	for range 8 {
		var rows [][4]float64
		for range 120 {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			rows = append(rows, [4]float64{a, b, a - b/2 + 1.5*rng.NormFloat64()})
		}
		write := func(places int, binary bool) string {
			return rowsOf("a,b,y", len(rows), func(i int) []string {
				y := fixed(rows[i][2], places)
				if binary {
					y = map[bool]string{true: "1", false: "0"}[rows[i][2] > 0]
				}
				return []string{fixed(rows[i][0], places), fixed(rows[i][1], places), y}
			})
		}
		for operation, more := range map[string]string{"logistic_regression": "", "ridge": `,"lambda":5`, "lasso": `,"lambda":0.05`} {
			binary := operation == "logistic_regression"
			want, _ := fitOf(t, write(14, binary), operation, `["a","b"]`, more)
			got, _ := fitOf(t, write(1, binary), operation, `["a","b"]`, more)
			for _, at := range []string{"/coefficients/a", "/coefficients/b", "/coefficients/intercept"} {
				w, g := quantity(t, want, at), quantity(t, got, at)
				if all++; math.Abs(*w.Value-*g.Value) <= *g.Error {
					inside++
				}
				if g.Trust() != evidence.Converged && failedChecks(got) == "" {
					t.Errorf("%s %s: %v", operation, at, g.Trust())
				}
			}
		}
	}
	t.Logf("%d of %d inside", inside, all)
	if float64(inside) < 0.85*float64(all) {
		t.Errorf("%d of %d lie within their error bars", inside, all)
	}
}

// Columns and correlations of which the last digits are all that varies are suspect
// whatever is computed of them: under a penalty too.
func TestLastDigitsThatAreAllThatVaries(t *testing.T) {
	rng := testenv.Random(t)
	table := rowsOf("a,b,c,y", 60, func(int) []string {
		return []string{fixed(5+0.03*rng.NormFloat64(), 1), fixed(5+0.03*rng.NormFloat64(), 1), full(5 + 1e-10*rng.NormFloat64()), fixed(rng.NormFloat64(), 3)}
	})
	for _, operation := range []string{"ridge", "lasso"} {
		if r, _ := fitOf(t, table, operation, `["c"]`, `,"lambda":0.01`); !strings.Contains(failedChecks(r), "spread") {
			t.Errorf("%s: %s", operation, failedChecks(r))
		}
	}
	r, _ := onTable(t, summaryStats, table, `"columns":["a","b"],"plots":false`)
	if q := quantity(t, r, "/groups/0/correlations/0/pearson"); q.Value != nil && q.Trust() != evidence.Suspect {
		t.Errorf("%v %v", q.Trust(), q.Reasons())
	}
	// Of values with digits enough the same check is silent.
	fine := rowsOf("a,b", 60, func(int) []string { return []string{fixed(rng.NormFloat64(), 2), fixed(rng.NormFloat64(), 2)} })
	if r, _ := onTable(t, summaryStats, fine, `"columns":["a","b"],"plots":false`); failedChecks(r) != "" {
		t.Error(failedChecks(r))
	}
}
