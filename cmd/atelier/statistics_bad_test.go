package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var attempts int

// regress calls the regression tool on a capture.
func (s *server) regress(capture, selectors, arguments string) statisticsAnswer {
	attempts++
	return s.invokeAs("1.2.0", capture, selectors, arguments)
}

func (s *server) invokeAs(version, capture, selectors, arguments string) statisticsAnswer {
	attempts++
	return s.invokeStatistics(fmt.Sprintf(`{"tool_name":"statistical_regression_tool","tool_version":%q,"capture_selection":{"capture_id":%q,"selectors":%s},"arguments":%s,"request_id":"r%d","timeout_ms":20000}`,
		version, capture, selectors, arguments, attempts))
}

// y = 1 + 2a but for errors of +-0.5; b = 2a - 3, c is constant, d is text, e has
// an infinity, f has gaps, g is near the end of what a float64 holds.
const awkward = `a,b,c,d,e,f,g,y
1,-1,7,p,1,1,1e307,3.5
2,1,7,q,2,,-1e308,4.5
3,3,7,p,inf,3,5e307,7.5
4,5,7,q,4,,1e308,8.5
5,7,7,p,5,5,2e307,11.5
6,9,7,q,6,,-3e307,12.5
`

func TestBadStatisticsAreRefused(t *testing.T) {
	s := start(t, nil)
	if r := s.upload(awkward, "capture_id", "awkward"); r.status != 201 {
		t.Fatalf("%s", r.raw)
	}
	linear := func(target, features string) string {
		return fmt.Sprintf(`{"operation":"linear_regression","target":%q,"features":%s}`, target, features)
	}
	for name, c := range map[string]struct{ capture, selectors, arguments, fault string }{
		"text target":      {"awkward", `{}`, linear("d", `["a"]`), "INVALID_VALUE target /arguments/target"},
		"no such feature":  {"awkward", `{}`, linear("y", `["a","zz"]`), "INVALID_VALUE features[1] /arguments/features/1"},
		"infinite":         {"awkward", `{}`, linear("y", `["e"]`), "INVALID_VALUE features /arguments/features"},
		"overflowing":      {"awkward", `{}`, linear("y", `["g^2"]`), "INVALID_VALUE features /arguments/features"},
		"too few":          {"awkward", `{"filters":["a <= 2"]}`, linear("y", `["a","a^2","a^3"]`), "INVALID_VALUE features /arguments/features"},
		"empty selection":  {"awkward", `{"filters":["a > 100"]}`, linear("y", `["a"]`), "INVALID_VALUE capture_selection /capture_selection"},
		"bad filter":       {"awkward", `{"filters":["a > 1","a >"]}`, linear("y", `["a"]`), "INVALID_VALUE capture_selection.selectors.filters[1] /capture_selection/selectors/filters/1"},
		"no time column":   {"awkward", `{"time_range":{"start_ms":0,"end_ms":9}}`, linear("y", `["a"]`), "INVALID_VALUE capture_selection.selectors.time_range /capture_selection/selectors/time_range"},
		"no such channel":  {"awkward", `{"channels":["ch1"]}`, linear("y", `["a"]`), "INVALID_VALUE capture_selection.selectors.channels /capture_selection/selectors/channels"},
		"not selected":     {"awkward", `{"channels":["b","y"]}`, linear("y", `["a"]`), "INVALID_VALUE features[0] /arguments/features/0"},
		"no capture":       {"", `{}`, linear("y", `["a"]`), "MISSING_ARGUMENT capture_selection.capture_id /capture_selection/capture_id"},
		"unknown capture":  {"nope", `{}`, linear("y", `["a"]`), "NOT_FOUND capture_selection.capture_id /capture_selection/capture_id"},
		"target as well":   {"awkward", `{}`, linear("y", `["y"]`), "INVALID_VALUE features[0] /arguments/features/0"},
		"missing argument": {"awkward", `{}`, `{"operation":"linear_regression","features":["a"]}`, "MISSING_ARGUMENT target /arguments/target"},
		"unknown argument": {"awkward", `{}`, `{"operation":"linear_regression","target":"y","features":["a"],"ridge":1}`, "UNKNOWN_ARGUMENT ridge /arguments/ridge"},
		"wrong type":       {"awkward", `{}`, `{"operation":"linear_regression","target":"y","features":"a"}`, "INVALID_TYPE features /arguments/features"},
		"wrong alpha":      {"awkward", `{}`, `{"operation":"linear_regression","target":"y","features":["a"],"alpha":1}`, "INVALID_VALUE alpha /arguments/alpha"},
		"negative weights": {"awkward", `{}`, `{"operation":"linear_regression","target":"y","features":["a"],"weights":"b"}`, "INVALID_VALUE weights /arguments/weights"},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.regress(c.capture, c.selectors, c.arguments)
			if r.Status != "error" || len(r.Errors) != 1 {
				t.Fatalf("%s", r.raw)
			}
			e := r.Errors[0]
			if got := e.Code + " " + e.Field + " " + e.Pointer; got != c.fault {
				t.Errorf("%s, not %s: %s", got, c.fault, e.Message)
			}
		})
	}
}

func TestAwkwardDataAreFittedHonestly(t *testing.T) {
	s := start(t, nil)
	s.upload(awkward, "capture_id", "awkward")
	// b and c are determined by a and the intercept: marked, not dropped.
	r := s.regress("awkward", `{}`, `{"operation":"linear_regression","target":"y","features":["a","b","c"]}`)
	if !strings.Contains(r.raw, `"aliased":[{"name":"b","of":["a"]},{"name":"c","of":[]}]`) && !strings.Contains(r.raw, `"aliased":[{"name":"c","of":[]},{"name":"b","of":["a"]}]`) {
		t.Errorf("%s", r.raw)
	}
	// Sums by hand: Sxx = 17.5, Sxy = 33.5, so the slope is 67/35.
	if got, _ := r.Output.Coefficients["a"].Float64(); r.Status != "ok" || math.Abs(got-67.0/35) > 1e-15 || r.Output.Coefficients["b"] != "" {
		t.Errorf("%v %s", got, r.raw)
	}
	// Half of the rows lack f.
	r = s.regress("awkward", `{}`, `{"operation":"linear_regression","target":"y","features":["f"]}`)
	if r.Status != "partial" || r.Output.Count != 3 || len(r.Warnings) == 0 || r.Warnings[0].Code != "ROWS_DROPPED" {
		t.Errorf("%s", r.raw)
	}
	// y on itself less 1 is exact: nothing can be tested, and nothing is 0 for it.
	r = s.regress("awkward", `{}`, `{"operation":"linear_regression","target":"a","features":["b"]}`)
	if r.Status != "ok" || r.Output.F.Statistic != nil || !strings.Contains(r.raw, `"p_values":{"b":null}`) {
		t.Errorf("%s", r.raw)
	}
	// Near the limits of float64 the columns are scaled, and nothing overflows.
	r = s.regress("awkward", `{}`, `{"operation":"linear_regression","target":"y","features":["g"]}`)
	if got, err := r.Output.Coefficients["g"].Float64(); r.Status != "ok" || err != nil || got == 0 || math.IsNaN(got) {
		t.Errorf("%s", r.raw)
	}
}

func TestTheMinorBeforeAnswersAsItDid(t *testing.T) {
	s := start(t, nil)
	s.upload(awkward, "capture_id", "awkward")
	arguments := `{"operation":"linear_regression","target":"y","features":["a"]}`
	old, now := s.invokeAs("1.1.0", "awkward", `{}`, arguments), s.invokeAs("1.2.0", "awkward", `{}`, arguments)
	if old.Status != "ok" || strings.Contains(old.raw, `"hc3_standard_errors":`) || !strings.Contains(now.raw, `"hc3_standard_errors":`) || old.Output.R2 != now.Output.R2 {
		t.Errorf("%s\n%s", old.raw, now.raw)
	}
	if r := s.invokeAs("1.1.0", "awkward", `{}`, strings.Replace(arguments, "}", `,"weights":"a"}`, 1)); r.Errors[0].Code != "UNKNOWN_ARGUMENT" {
		t.Errorf("%s", r.raw)
	}
	if r := s.invokeAs("2.0.0", "awkward", `{}`, arguments); r.Errors[0].Code != "UNSUPPORTED_VERSION" {
		t.Errorf("%s", r.raw)
	}
}

func TestCaptures(t *testing.T) {
	s := start(t, nil)
	for name, c := range map[string]struct {
		table  string
		status int
		want   string
	}{
		"same names":   {"a,a\n1,2\n", 422, `two columns are named \"a\"`},
		"ragged":       {"a,b\n1\n", 422, "line 2 has 1 fields"},
		"empty":        {"", 422, "no header"},
		"Parquet":      {"PAR1....PAR1", 422, "Parquet"},
		"endless line": {"a,b\n1," + strings.Repeat("2", 900_000) + strings.Repeat("\"", 1) + "\n", 422, "not closed"},
	} {
		if r := s.upload(c.table); r.status != c.status || !strings.Contains(string(r.raw), c.want) {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	if left, err := filepath.Glob(filepath.Join(s.data, "work", "capture-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if r := s.get("/v1/captures"); len(r.body["captures"].([]any)) != 0 {
		t.Errorf("%s", r.raw)
	}
	if err := os.WriteFile(filepath.Join(s.root, "run.csv"), []byte("t,x\n2026-03-14T00:00:00Z,1\n2026-03-14T00:00:01Z,2.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := s.do("POST", "/v1/captures", "application/json", strings.NewReader(`{"path":"run.csv","capture_id":"run"}`))
	want := `"columns":[{"name":"t","type":"time","missing":0,"min":1773446400000,"max":1773446401000},{"name":"x","type":"number","missing":0,"min":1,"max":2.5}],"time_column":"t"`
	if made.status != 201 || !strings.Contains(string(made.raw), want) {
		t.Fatalf("%d %s", made.status, made.raw)
	}
	if again := s.do("POST", "/v1/captures", "application/json", strings.NewReader(`{"path":"run.csv","capture_id":"run"}`)); again.status != 409 {
		t.Errorf("%d %s", again.status, again.raw)
	}
	if r := s.do("POST", "/v1/captures", "application/json", strings.NewReader(`{"path":"/etc/passwd"}`)); r.status != 403 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	var listed struct{ Captures []json.RawMessage }
	if r := s.get("/v1/captures?limit=1"); json.Unmarshal(r.raw, &listed) != nil || len(listed.Captures) != 1 {
		t.Errorf("%s", r.raw)
	}
	for _, status := range []int{200, 404} {
		if r := s.do("DELETE", "/v1/captures/run", "", nil); r.status != status {
			t.Errorf("%d %s", r.status, r.raw)
		}
	}
}
