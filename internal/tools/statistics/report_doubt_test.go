package statistics

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
	"atelier/internal/testenv"
)

// madeBy are files that a job made, whose result is as good as trust says.
type madeBy struct {
	plainFiles
	trust evidence.Trust
}

func (m madeBy) Inputs(context.Context, []byte) ([]evidence.Input, error) {
	return []evidence.Input{{Reference: "table.csv", JobID: "job_1", Tool: "some_solver", Trust: m.trust, Reason: "Failed: balance. Forces <do> not balance."}}, nil
}

// A report is passed on without its result: what makes the result suspect stands at
// its top, be it a check of the result itself or the file that it was made from, and
// nothing of the kind stands in the report of a result that is not suspect.
func TestAReportSaysWhatSpeaksAgainstIt(t *testing.T) {
	rng := testenv.Random(t)
	rows := func(odd func(i int) bool) string {
		return rowsOf("g,x,y", 60, func(i int) []string {
			x := rng.NormFloat64()
			y := fmt.Sprintf("%.6f", 3*x+rng.NormFloat64())
			if odd(i) {
				y = "-9999"
			}
			return []string{string(rune('a' + i%2)), fmt.Sprintf("%.6f", x), y}
		})
	}
	sound := rows(func(int) bool { return false })
	odd := rows(func(i int) bool { return i%20 == 7 }) // stands for a missing value
	for _, c := range []struct {
		tool  contract.Tool
		input string
	}{
		{summaryStats, `"columns":["y"]`}, {regression, `"operation":"linear_regression","target":"y","features":["x"]`},
		{anova, `"operation":"one_way","response":"y","factor":"g"`}, {timeSeries, `"column":"y"`},
	} {
		for _, of := range []struct {
			what, table string
			trust       evidence.Trust
		}{{"a sound", sound, evidence.Computed}, {"a sound", sound, evidence.Suspect}, {"an odd", odd, ""}, {"an odd", odd, evidence.Suspect}} {
			what, table, trust := of.what, of.table, of.trust
			res, page := reported(t, c.tool, table, c.input, trust)
			name := fmt.Sprintf("%s of %s table, made by a job that is %q", c.tool.Contract.Name, what, trust)
			_, top, _ := strings.Cut(page, `<p class="lead">`)
			top, _, _ = strings.Cut(top, "<dl>") // the facts come after what speaks against them
			if said, want := strings.Contains(top, "Evidence: suspect."), failedChecks(res) != "" || trust == evidence.Suspect; said != want || what == "an odd" && !said {
				t.Errorf("%s: said %v, want %v: %s", name, said, want, top)
			}
			if n, want := strings.Count(page, inputDoubt), count(trust == evidence.Suspect); n != want {
				t.Errorf("%s: the doubt of the input stands %d times, want %d: %s", name, n, want, top)
			}
			for _, check := range res.Evidence.Checks() {
				if !check.Passed && strings.Count(top, "Failed: "+check.Name+". "+check.Sentence+"<") != 1 {
					t.Errorf("%s: %s is not said once: %s", name, check.Name, top)
				}
			}
		}
	}
}

const inputDoubt = "The input table.csv, made by some_solver, is only suspect. Failed: balance. Forces <do> not balance."

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// reported runs a tool on a table that a job made, and returns the text of its report.
func reported(t *testing.T, tool contract.Tool, table, arguments string, trust evidence.Trust) (*contract.Result, string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	res := runner.New()(t.Context(), &runner.Request{Tool: &tool, JobID: "job", Dir: dir, Limits: tool.Contract.DefaultLimits(), Files: madeBy{trust: trust},
		Input: json.RawMessage(fmt.Sprintf(`{"path":%q,%s}`, file, arguments))})
	if res.Status == contract.StatusError {
		t.Fatal(res.Errors)
	}
	return res, html.UnescapeString(string(contentOf(t, res, reportName)))
}
