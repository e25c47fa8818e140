package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// modelAnswer is what the models add to least squares.
type modelAnswer struct {
	Output struct {
		Model        string                          `json:"model"`
		R2           *float64                        `json:"r_squared"`
		Coefficients map[string]*float64             `json:"coefficients"`
		SE           map[string]*float64             `json:"standard_errors"`
		PValues      map[string]*float64             `json:"p_values"`
		Factors      []struct{ Name, Coding string } `json:"factors"`
		Aliased      []struct{ Name string }         `json:"aliased"`
		Logistic     *struct {
			Event, Reference string
			Events           float64
		} `json:"logistic"`
		Penalty *struct {
			ChosenBy string `json:"chosen_by"`
			Zero     []string
			Refit    *struct {
				PValues map[string]*float64 `json:"p_values"`
			} `json:"refit"`
		} `json:"penalty"`
		Unavailable []struct{ Figure, Reason string } `json:"unavailable"`
		Checks      []struct {
			Name, Consequence string
			OK                *bool
		} `json:"checks"`
		Evidence struct{ Trust string } `json:"evidence"`
	} `json:"structured_output"`
}

func (s *server) model(capture, arguments string) (statisticsAnswer, modelAnswer) {
	s.t.Helper()
	r := s.regress(capture, `{}`, arguments)
	var a modelAnswer
	if err := json.Unmarshal([]byte(r.raw), &a); err != nil {
		s.t.Fatalf("%v: %s", err, r.raw)
	}
	return r, a
}

// threeLevels has the means 2, 5 and 14 of y by g, in unequal numbers.
const threeLevels = `g,h,x,y,k
a,p,1,1,0
a,q,2,3,1
b,p,3,4,2
b,q,1,6,0
b,p,2,5,3
c,q,3,13,2
c,q,1,15,1
c,q,2,14,1
c,q,5,14,4
`

// Every coding fits the same three means, and says of them what its name says.
func TestContrastsCompareWhatTheySay(t *testing.T) {
	s := start(t, nil)
	s.upload(threeLevels, "capture_id", "levels")
	a, b, c := 2.0, 5.0, 14.0
	for spec, want := range map[string]map[string]float64{
		`{"coding":"treatment"}`:                         {"intercept": a, "g[b]": b - a, "g[c]": c - a},
		`{"coding":"treatment","reference":"b"}`:         {"intercept": b, "g[a]": a - b, "g[c]": c - b},
		`{"coding":"sum"}`:                               {"intercept": 7, "g[S.a]": a - 7, "g[S.b]": b - 7},
		`{"coding":"helmert"}`:                           {"intercept": 7, "g[H.b]": (b - a) / 2, "g[H.c]": (c - (a+b)/2) / 3},
		`{"coding":"polynomial"}`:                        {"intercept": 7, "g[linear]": (c - a) / math.Sqrt2, "g[quadratic]": (a - 2*b + c) / math.Sqrt(6)},
		`{"coding":"polynomial","levels":["c","a","b"]}`: {"intercept": 7, "g[linear]": (b - c) / math.Sqrt2, "g[quadratic]": (c - 2*a + b) / math.Sqrt(6)},
	} {
		r, m := s.model("levels", fmt.Sprintf(`{"operation":"linear_regression","target":"y","features":["g"],"contrasts":{"g":%s}}`, spec))
		for name, v := range want {
			if got := m.Output.Coefficients[name]; got == nil || math.Abs(*got-v) > 1e-14*math.Abs(v)+1e-15 {
				t.Errorf("%s %s is not %v: %s", spec, name, v, r.raw)
			}
		}
	}
	r, m := s.model("levels", `{"operation":"linear_regression","target":"y","features":["g"],"contrasts":{"g":{"coding":"indicator"}},"intercept":false}`)
	for name, v := range map[string]float64{"g[a]": a, "g[b]": b, "g[c]": c} {
		if got := m.Output.Coefficients[name]; got == nil || math.Abs(*got-v) > 1e-14*v {
			t.Errorf("%s is not %v: %s", name, v, r.raw)
		}
	}
}

// a*b stands for a, b and a:b; a cell without rows is marked, not dropped.
func TestFeaturesAreExpressions(t *testing.T) {
	s := start(t, nil)
	s.upload(threeLevels, "capture_id", "levels")
	for features, want := range map[string]string{
		`["x*g"]`:             "intercept x g[b] g[c] x:g[b] x:g[c]",
		`["poly(x, 2)", "g"]`: "intercept x x^2 g[b] g[c]",
		`["x:x", "x^2"]`:      "intercept x^2",
		"[\"`x`:h\", \"x\"]":  "intercept x:h[q] x",
		`["g*h"]`:             "intercept g[b] g[c] h[q] g[b]:h[q] g[c]:h[q]",
	} {
		r, m := s.model("levels", fmt.Sprintf(`{"operation":"linear_regression","target":"y","features":%s}`, features))
		names := strings.Fields(want)
		for _, n := range names {
			if _, ok := m.Output.Coefficients[n]; !ok {
				t.Errorf("%s has no %s: %s", features, n, r.raw)
			}
		}
		if len(m.Output.Coefficients) != len(names) {
			t.Errorf("%s has %d coefficients: %s", features, len(m.Output.Coefficients), r.raw)
		}
		if features == `["g*h"]` && (len(m.Output.Aliased) != 1 || m.Output.Aliased[0].Name != "g[c]:h[q]" || m.Output.Coefficients["g[c]:h[q]"] != nil) {
			t.Errorf("%s", r.raw) // all of c are q
		}
	}
}

func TestModelsRefuseWhatTheyCannotFit(t *testing.T) {
	s := start(t, nil)
	s.upload(threeLevels+"c,r,1,13.5,\n", "capture_id", "levels")
	s.upload("x,u,one,b,frac,word,k0\n1,2,z,0,1,yes,0\n2,1,z,0,2.5,no,0\n3,5,z,1,0,maybe,0\n4,1,z,1,3,no,0\n5,2,z,1,1,yes,0\n6,2,z,1,1,yes,0\n", "capture_id", "bad")
	for name, c := range map[string]struct{ capture, arguments, fault, says string }{
		"lambda elsewhere":    {"levels", `{"operation":"linear_regression","target":"y","features":["x"],"lambda":1}`, "INVALID_VALUE lambda /arguments/lambda", "no meaning"},
		"no penalty":          {"levels", `{"operation":"ridge","target":"y","features":["x"],"lambda":0}`, "INVALID_VALUE lambda /arguments/lambda", ""},
		"errors of ridge":     {"levels", `{"operation":"ridge","target":"y","features":["x"],"covariance":"HC3"}`, "INVALID_VALUE covariance /arguments/covariance", "no meaning"},
		"too many folds":      {"levels", `{"operation":"lasso","target":"y","features":["x"]}`, "INVALID_VALUE folds /arguments/folds", "too few"},
		"no clusters":         {"levels", `{"operation":"linear_regression","target":"y","features":["x"],"covariance":"cluster"}`, "MISSING_ARGUMENT cluster /arguments/cluster", ""},
		"one cluster":         {"bad", `{"operation":"linear_regression","target":"b","features":["x","u"],"cluster":"one"}`, "INVALID_VALUE cluster /arguments/cluster", "one value only"},
		"no such level":       {"levels", `{"operation":"linear_regression","target":"y","features":["g"],"contrasts":{"g":{"reference":"z"}}}`, "INVALID_VALUE contrasts.g.reference /arguments/contrasts/g/reference", `no level \"z\"`},
		"no such coding":      {"levels", `{"operation":"linear_regression","target":"y","features":["g"],"contrasts":{"g":{"coding":"effect"}}}`, "INVALID_VALUE contrasts.g.coding /arguments/contrasts/g/coding", ""},
		"reference of sum":    {"levels", `{"operation":"linear_regression","target":"y","features":["g"],"contrasts":{"g":{"coding":"sum","reference":"a"}}}`, "INVALID_VALUE contrasts.g.reference /arguments/contrasts/g/reference", ""},
		"not the levels":      {"levels", `{"operation":"linear_regression","target":"y","features":["g"],"contrasts":{"g":{"levels":["a","b"]}}}`, "INVALID_VALUE contrasts.g.levels /arguments/contrasts/g/levels", ""},
		"contrasts of none":   {"levels", `{"operation":"linear_regression","target":"y","features":["x"],"contrasts":{"g":{}}}`, "INVALID_VALUE contrasts.g /arguments/contrasts/g", ""},
		"one level":           {"bad", `{"operation":"linear_regression","target":"u","features":["x","one"]}`, "INVALID_VALUE features[1] /arguments/features/1", "one level"},
		"power of a factor":   {"levels", `{"operation":"linear_regression","target":"y","features":["x","g^2"]}`, "INVALID_VALUE features[1] /arguments/features/1", "no powers"},
		"no power":            {"levels", `{"operation":"linear_regression","target":"y","features":["x:x^0.5"]}`, "INVALID_VALUE features[0] /arguments/features/0", "at character 3"},
		"a part is missing":   {"levels", `{"operation":"linear_regression","target":"y","features":["x*"]}`, "INVALID_VALUE features[0] /arguments/features/0", "at character 3"},
		"no degree":           {"levels", `{"operation":"linear_regression","target":"y","features":["poly(x)"]}`, "INVALID_VALUE features[0] /arguments/features/0", "degree"},
		"target in product":   {"levels", `{"operation":"linear_regression","target":"y","features":["x:y"]}`, "INVALID_VALUE features[0] /arguments/features/0", "cannot be a feature"},
		"three words":         {"bad", `{"operation":"logistic_regression","target":"word","features":["x"]}`, "INVALID_VALUE target /arguments/target", "maybe"},
		"no such event":       {"bad", `{"operation":"logistic_regression","target":"b","features":["u"],"event":"2"}`, "INVALID_VALUE event /arguments/event", ""},
		"not binary":          {"bad", `{"operation":"logistic_regression","target":"u","features":["x"]}`, "INVALID_VALUE target /arguments/target", "row 1"},
		"separated":           {"bad", `{"operation":"logistic_regression","target":"b","features":["u","x"]}`, "INVALID_VALUE features[1] /arguments/features/1", "complete separation"},
		"fraction counted":    {"bad", `{"operation":"poisson_regression","target":"frac","features":["x"]}`, "INVALID_VALUE target /arguments/target", "row 2"},
		"nothing counted":     {"bad", `{"operation":"poisson_regression","target":"k0","features":["x"]}`, "INVALID_VALUE target /arguments/target", "all counts"},
		"exposure of 0":       {"bad", `{"operation":"poisson_regression","target":"u","features":["x"],"exposure":"frac"}`, "INVALID_VALUE exposure /arguments/exposure", "row 3"},
		"offset and exposure": {"bad", `{"operation":"poisson_regression","target":"u","features":["x"],"exposure":"x","offset":"x"}`, "INVALID_VALUE exposure /arguments/exposure", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.regress(c.capture, `{}`, c.arguments)
			if r.Status != "error" || len(r.Errors) != 1 {
				t.Fatalf("%s", r.raw)
			}
			e := r.Errors[0]
			if got := e.Code + " " + e.Field + " " + e.Pointer; got != c.fault || !strings.Contains(r.raw, c.says) {
				t.Errorf("%s, not %s: %s", got, c.fault, r.raw)
			}
		})
	}
	// The minor before knows one operation.
	if r := s.invokeAs("1.1.0", "levels", `{}`, `{"operation":"ridge","target":"y","features":["x"]}`); len(r.Errors) != 1 || r.Errors[0].Code != "INVALID_VALUE" || r.Errors[0].Pointer != "/arguments/operation" {
		t.Errorf("%s", r.raw)
	}
}

// madeUpOutcomes has 400 rows whose outcome, count and value depend on x alone.
func madeUpOutcomes() string {
	var b strings.Builder
	b.WriteString("x,noise,word,count,y\n")
	seed := uint64(99)
	next := func() float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>11) / (1 << 53)
	}
	for range 400 {
		x := 2*next() - 1
		word := "bad"
		if next() < 1/(1+math.Exp(-1-2*x)) {
			word = "good"
		}
		count, p := 0, next()
		for limit := math.Exp(-math.Exp(1 + x)); p > limit; count++ {
			p *= next()
		}
		fmt.Fprintf(&b, "%.6f,%.6f,%s,%d,%.6f\n", x, next(), word, count, 3*x+next()-0.5)
	}
	return b.String()
}

func TestTheModelsSayWhatTheyFind(t *testing.T) {
	s := start(t, nil)
	s.upload(madeUpOutcomes(), "capture_id", "made")
	within := func(r statisticsAnswer, m modelAnswer, name string, want float64) {
		t.Helper()
		b, se := m.Output.Coefficients[name], m.Output.SE[name]
		if b == nil || se == nil || math.Abs(*b-want) > 4**se || *se > 0.3 { // four standard errors of how it was made
			t.Errorf("%s is not %v: %s", name, want, r.raw)
		}
	}
	r, m := s.model("made", `{"operation":"logistic_regression","target":"word","features":["x","noise"],"normalize":true}`)
	within(r, m, "x", 2)
	if l := m.Output.Logistic; l == nil || l.Event != "good" || l.Reference != "bad" || m.Output.R2 != nil || m.Output.Evidence.Trust != "converged" || !strings.HasPrefix(r.Summary, "Logistic regression completed on 400 samples. x is a significant predictor of word") {
		t.Errorf("%s", r.raw)
	}
	r, other := s.model("made", `{"operation":"logistic_regression","target":"word","features":["x","noise"],"event":"bad"}`)
	if other.Output.Logistic.Event != "bad" || *other.Output.Coefficients["x"] != -*m.Output.Coefficients["x"] {
		t.Errorf("the other event turns the sign only: %s", r.raw)
	}
	r, m = s.model("made", `{"operation":"poisson_regression","target":"count","features":["x","noise"]}`)
	within(r, m, "x", 1)
	within(r, m, "intercept", 1)
	for _, c := range m.Output.Checks {
		if c.Consequence == "" {
			t.Errorf("%s says nothing: %s", c.Name, r.raw)
		}
	}
	r, m = s.model("made", `{"operation":"lasso","target":"y","features":["x","noise"],"lambda_selection":"cv_one_se"}`)
	if p := m.Output.Penalty; p == nil || p.ChosenBy != "cv_one_se" || len(p.Zero) != 1 || p.Zero[0] != "noise" || p.Refit == nil || p.Refit.PValues["x"] == nil ||
		m.Output.PValues["x"] != nil || len(m.Output.Unavailable) == 0 || len(r.Artifacts) < 2 {
		t.Errorf("%s", r.raw)
	}
	r, m = s.model("made", `{"operation":"ridge","target":"y","features":["x","noise"]}`)
	if p := m.Output.Penalty; p == nil || p.ChosenBy != "gcv" || m.Output.Coefficients["x"] == nil || math.Abs(*m.Output.Coefficients["x"]-3) > 0.2 || r.Conf > 0.8 {
		t.Errorf("%s", r.raw)
	}
}
