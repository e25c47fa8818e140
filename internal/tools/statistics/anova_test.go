package statistics

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
)

// plainFiles resolves file arguments as plain paths.
type plainFiles struct{ contract.Files }

func (plainFiles) Path(_ context.Context, ref string) (string, error) {
	if _, err := os.Stat(ref); err != nil {
		return "", contract.Errorf(contract.CodeFileNotFound, "there is no file %q", ref)
	}
	return ref, nil
}

// onTable runs a tool as the server does, on a table; arguments are the rest of
// its input.
func onTable(t *testing.T, tool contract.Tool, table, arguments string) (*contract.Result, map[string]any) {
	t.Helper()
	if tool.Contract.Name == anova.Contract.Name {
		arguments += `,"plots":false` // drawing takes longer than the rest
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runner.New()(context.Background(), &runner.Request{Tool: &tool, JobID: "job", Dir: dir, Limits: tool.Contract.DefaultLimits(), Files: plainFiles{},
		Input: json.RawMessage(fmt.Sprintf(`{"path":%q,%s}`, file, arguments))})
	out := map[string]any{}
	if r.Status != contract.StatusError {
		if err := json.Unmarshal(r.OutputJSON(), &out); err != nil {
			t.Fatal(err)
		}
	}
	return r, out
}

func digits(t *testing.T, what string, got any, want, limit float64) {
	t.Helper()
	v, ok := got.(float64)
	if !ok || !(math.Abs(v-want) <= limit*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s: %v is not %v", what, got, want)
	}
}

func in(out map[string]any, path ...string) any {
	var v any = out
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}

// The tensile strength by cotton percentage of Montgomery, Design and Analysis of
// Experiments, table 3.1: his analysis of variance has F = 14.76 with 4 and 20
// degrees, sums of 475.76 and 161.20.
const cotton = "cotton,strength\n15,7\n15,7\n15,15\n15,11\n15,9\n20,12\n20,17\n20,12\n20,18\n20,18\n25,14\n25,18\n25,18\n25,19\n25,19\n" +
	"30,19\n30,25\n30,22\n30,19\n30,23\n35,7\n35,10\n35,11\n35,15\n35,11\n"

func TestOneWayOfATextbook(t *testing.T) {
	r, out := onTable(t, anova, cotton, `"operation":"one_way","response":"strength","factor":"cotton"`)
	digits(t, "F", out["f_statistic"], 14.76, 5e-4)
	digits(t, "between", in(out, "between", "sum_of_squares"), 475.76, 1e-14)
	digits(t, "within", in(out, "within", "sum_of_squares"), 161.20, 1e-14)
	if in(out, "between", "df") != 4.0 || in(out, "within", "df") != 20.0 || r.Evidence.Trust() != evidence.Verified {
		t.Errorf("%v %+v", out, r.Evidence)
	}
	// His Tukey test at 5%: pairs differ by more than q(0.05; 5, 20) sqrt(8.06/5) = 5.37.
	tukey := out["post_hoc"].([]any)[0].(map[string]any)
	if tukey["method"] != "tukey_hsd" || tukey["family_size"] != 10.0 {
		t.Fatalf("%v", tukey)
	}
	for _, p := range tukey["pairs"].([]any) {
		pair := p.(map[string]any)
		d, low, high := pair["difference"].(float64), pair["low"].(float64), pair["high"].(float64)
		if half := (high - low) / 2; math.Abs(half-5.37) > 0.01 || (math.Abs(d) > 5.37) != (pair["p_value_adjusted"].(float64) < 0.05) {
			t.Errorf("%v", pair)
		}
	}
	// The same data as one factor of a factorial analysis.
	_, n := onTable(t, anova, cotton, `"operation":"n_way","response":"strength","factors":["cotton"]`)
	digits(t, "n-way", n["f_statistic"], out["f_statistic"].(float64), 1e-14)
	// The order of the rows does not matter, a shift and a scale only to the sums.
	lines := strings.Split(strings.TrimSpace(cotton), "\n")
	var b strings.Builder
	b.WriteString(lines[0] + "\n")
	for i := len(lines) - 1; i > 0; i-- {
		g, v, _ := strings.Cut(lines[i], ",")
		fmt.Fprintf(&b, "%s,1000%02s.5\n", g, v)
	}
	_, moved := onTable(t, anova, b.String(), `"operation":"one_way","response":"strength","factor":"cotton"`)
	for _, figure := range []string{"f_statistic", "p_value", "eta_squared", "omega_squared"} {
		digits(t, figure, moved[figure], out[figure].(float64), 1e-13)
	}
}

// What cannot be tested is null, in words, and never 0 or an error.
func TestUndefinedFiguresAreNull(t *testing.T) {
	for name, c := range map[string]struct{ table, operation, consequence string }{
		"all equal":        {"g,y\na,1\na,1\nb,1\nb,1\n", "one_way", "nothing can be tested"},
		"constant groups":  {"g,y\na,1\na,1\nb,2\nb,2\n", "one_way", "F is infinite"},
		"all equal, ranks": {"g,y\na,1\na,1\nb,1\nb,1\n", "kruskal_wallis", "nothing can be tested"},
		"welch":            {"g,y\na,1\na,1\nb,2\nb,3\n", "welch", "needs two values and some spread in every group"},
		"a group of one":   {"g,y\na,1\na,2\nb,7\n", "one_way", "Welch's test cannot be made"},
	} {
		t.Run(name, func(t *testing.T) {
			r, out := onTable(t, anova, c.table, fmt.Sprintf(`"operation":%q,"response":"y","factor":"g"`, c.operation))
			if r.Status == contract.StatusError || !strings.Contains(fmt.Sprint(out["consequence"]), c.consequence) {
				t.Fatalf("%v %+v %v", r.Status, r.Errors, out["consequence"])
			}
			if name != "a group of one" && in(out, "quoted", "p_value") != nil {
				t.Errorf("%v", out["quoted"])
			}
			if in(out, "welch", "p_value") != nil && name != "welch" {
				t.Errorf("%v", out["welch"])
			}
		})
	}
	_, out := onTable(t, tTest, "x\n4\n4\n4\n", `"operation":"one_sample","column":"x","value":3`)
	if out["t"] != nil || out["p_value"] != nil || out["hedges_g"] != nil || out["difference"] != 1.0 {
		t.Errorf("%v", out)
	}
}

// Where the test that needs equal variances disagrees with the one that does not,
// the answer is suspect and says which to quote.
func TestDisagreementIsSuspect(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,y\n")
	for i := range 40 { // many close values, and few that are wide apart
		fmt.Fprintf(&b, "a,%d\n", 100+i%3)
	}
	for _, v := range []int{90, 97, 104, 121} {
		fmt.Fprintf(&b, "b,%d\n", v)
	}
	r, out := onTable(t, anova, b.String(), `"operation":"one_way","response":"y","factor":"g","alpha":0.3`)
	classical, welch := in(out, "classical", "p_value").(float64), in(out, "welch", "p_value").(float64)
	if (classical < 0.3) == (welch < 0.3) {
		t.Fatalf("the example does not disagree: %v %v", classical, welch)
	}
	if r.Evidence.Trust() != evidence.Suspect || in(out, "quoted", "test") != "welch" || !strings.Contains(out["consequence"].(string), "quote Welch's") {
		t.Errorf("%+v %v", r.Evidence, out["quoted"])
	}
}

// Wrong calls are refused with the place and what to do.
func TestRefusedANOVA(t *testing.T) {
	square := "a,b,s,y\nx,p,1,1\nx,p,1,2\nx,q,2,3\nx,q,2,5\nz,p,3,4\nz,p,3,9\n"
	for name, c := range map[string]struct{ arguments, pointer, says string }{
		"empty cell":    {`"operation":"two_way","response":"y","factors":["a","b"]`, "/sum_type", "z:q"},
		"no factor":     {`"operation":"one_way","response":"y"`, "/factor", "needs factor"},
		"not its own":   {`"operation":"one_way","response":"y","factor":"a","subject":"s"`, "/subject", "takes no subject"},
		"three of two":  {`"operation":"two_way","response":"y","factors":["a","b","s"]`, "/factors", "two factors"},
		"no such term":  {`"operation":"n_way","response":"y","factors":["a","b"],"terms":["a:c"]`, "/terms/0", "no term"},
		"unused factor": {`"operation":"n_way","response":"y","factors":["a","b"],"terms":["a"]`, "/terms", "no term holds"},
		"the response":  {`"operation":"two_way","response":"y","factors":["a","y"]`, "/factors/1", "already the response"},
		"two groups":    {`"operation":"repeated_measures","response":"y","factor":"b","subject":"a","between":"s"`, "/between", "is in the groups"},
		"incomplete":    {`"operation":"repeated_measures","response":"y","factor":"b","subject":"s"`, "/subject", "every one of the 2 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := onTable(t, anova, square, c.arguments)
			if r.Status != contract.StatusError || len(r.Errors) == 0 || r.Errors[0].Field != c.pointer || !strings.Contains(r.Errors[0].Message, c.says) {
				t.Errorf("%v %+v", r.Status, r.Errors)
			}
		})
	}
	// Without the interaction the margins suffice; with type II the cell may be empty.
	for _, arguments := range []string{`"terms":["a","b"]`, `"sum_type":"II"`} {
		if r, out := onTable(t, anova, square, `"operation":"two_way","response":"y","factors":["a","b"],`+arguments); r.Status == contract.StatusError ||
			fmt.Sprint(out["empty_cells"]) != "[z:q]" {
			t.Errorf("%s: %+v %v", arguments, r.Errors, out["empty_cells"])
		}
	}
}

// Subjects without a value at some level are left out, named and counted.
func TestIncompleteSubjects(t *testing.T) {
	table := "s,t,y\n"
	for i, row := range [][3]string{{"1", "4", "6"}, {"2", "2", "7"}, {"3", "5", ""}, {"4", "5", "9"}, {"3", "6", "8"}} {
		for j, v := range row {
			table += fmt.Sprintf("s%d,t%d,%s\n", i, j, v)
		}
	}
	r, out := onTable(t, anova, table, `"operation":"repeated_measures","response":"y","factor":"t","subject":"s"`)
	if in(out, "subjects", "used") != 4.0 || in(out, "subjects", "dropped") != 1.0 || fmt.Sprint(in(out, "subjects", "incomplete")) != "[s2]" {
		t.Errorf("%v", out["subjects"])
	}
	if out["sample_count"] != 12.0 || in(out, "rows", "dropped") != 3.0 || in(out, "rows", "missing", "y") != 1.0 {
		t.Errorf("%v", out["rows"])
	}
	codes := ""
	for _, w := range r.Warnings {
		codes += w.Code + " "
	}
	if codes != "rows_dropped subjects_dropped " {
		t.Errorf("%s", codes)
	}
}

// Sleep of ten patients under two drugs (Student 1908; the paired t of the
// differences is 4.06 with 9 degrees, p = 0.0028), and the same by ranks: nine
// differences of one sign and one zero, so that the exact p would be 2/2^9, but
// two sizes are tied.
func TestStudentsSleep(t *testing.T) {
	table := "one,two\n0.7,1.9\n-1.6,0.8\n-0.2,1.1\n-1.2,0.1\n-0.1,-0.1\n3.4,4.4\n3.7,5.5\n0.8,1.6\n0.0,4.6\n2.0,3.4\n"
	_, out := onTable(t, tTest, table, `"operation":"paired","column":"two","with":"one","equivalence":{"low":-5,"high":5}`)
	digits(t, "t", out["t"], 4.0621, 1e-4)
	digits(t, "p", out["p_value"], 0.002833, 1e-3)
	digits(t, "difference", out["difference"], 1.58, 1e-14)
	if in(out, "equivalence", "shown") != true {
		t.Errorf("%v", out["equivalence"])
	}
	_, out = onTable(t, tTest, table, `"operation":"signed_rank","column":"two","with":"one"`)
	if in(out, "ranks", "used") != 9.0 || in(out, "ranks", "exact") != false || in(out, "ranks", "statistic") != 45.0 || in(out, "ranks", "rank_biserial") != 1.0 {
		t.Errorf("%v", out["ranks"])
	}
}

// Small and awkward tables of every operation (constant, huge, tiny, with gaps, with
// groups of one) end in an answer that the contract allows, or in a refusal of the
// input: never in a fault of the program.
func TestAwkwardTables(t *testing.T) {
	seed := uint64(7)
	draw := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	values := [][]string{{"1"}, {"1", "2"}, {"0"}, {"1e300", "-1e300", "2"}, {"1e-300", "2e-300"}, {"5", ""}, {"0.1", "0.2", "0.3", "7"}}
	operations := []string{`"operation":"one_way","factor":"a"`, `"operation":"welch","factor":"a"`, `"operation":"kruskal_wallis","factor":"a"`,
		`"operation":"two_way","factors":["a","b"],"sum_type":"II"`, `"operation":"n_way","factors":["b","a"]`,
		`"operation":"repeated_measures","factor":"b","subject":"s"`, `"operation":"repeated_measures","factor":"b","subject":"s","between":"a"`}
	tests := []string{`"operation":"two_sample","factor":"a","equivalence":{"low":-1,"high":1}`, `"operation":"one_sample"`, `"operation":"mann_whitney","factor":"a"`,
		`"operation":"paired","with":"z"`, `"operation":"signed_rank","with":"z"`}
	answered := 0
	for i := range 140 {
		pool := values[draw(len(values))]
		var b strings.Builder
		b.WriteString("a,b,s,y,z\n")
		groups, levels := 1+draw(3), 1+draw(3)
		for row := range 2 + draw(14) {
			s := row / levels
			fmt.Fprintf(&b, "g%d,l%d,s%d,%s,%s\n", s%groups, row%levels, s, pool[draw(len(pool))], pool[draw(len(pool))])
		}
		tool, arguments := anova, operations[i%len(operations)]+`,"response":"y"`
		if i%3 == 0 {
			tool, arguments = tTest, tests[i/3%len(tests)]+`,"column":"y"`
		}
		r, _ := onTable(t, tool, b.String(), arguments)
		if r.Status != contract.StatusError {
			answered++
		} else if code := r.Errors[0].Code; code != contract.CodeInvalidRequest {
			t.Errorf("%s on\n%s: %+v", arguments, b.String(), r.Errors[0])
		}
	}
	if answered < 45 {
		t.Errorf("only %d tables were answered", answered)
	}
}
