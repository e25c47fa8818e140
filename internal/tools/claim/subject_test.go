package claim

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
	"atelier/internal/store"
	"atelier/internal/testenv"
)

// of is a finished job of a tool with some figures.
func of(t *testing.T, tool, text string, s evidence.Statement, inputs ...evidence.Input) Jobs {
	t.Helper()
	e, err := evidence.Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	return record(tool, &contract.Result{Status: contract.StatusOK, Output: json.RawMessage(text), Evidence: e.WithInputs(inputs)})
}

func record(tool string, result *contract.Result) Jobs { return recorded{tool, result, nil} }

// recorded stands for the database: one finished job, and what others were made from.
type recorded struct {
	tool   string
	result *contract.Result
	made   map[string][]evidence.Input
}

func (r recorded) Result(_ context.Context, id string) (string, *contract.Result, error) {
	if id == "job_x" {
		return "", nil, contract.Errorf(contract.CodeNotFound, "there is no job %q", id)
	}
	return r.tool, r.result, nil
}

func (r recorded) MadeFrom(_ context.Context, id string) ([]evidence.Input, error) {
	return r.made[id], nil
}

func claimed(number any, unit, path string) string {
	return fmt.Sprintf(`{"number":%v,"unit":%q,"job_id":"job_1","path":%q}`, number, unit, path)
}

// The half unit of the last digit is a difference: 1 degC stands for 0.5 to 1.5 degC,
// 273.65 to 274.65 K. The scales are written out here: K = C + 273.15 = (F + 459.67) 5/9.
func TestRoundingOfScalesWithAZero(t *testing.T) {
	r := testenv.Random(t)
	kelvin := map[string]func(float64) float64{
		"K": func(x float64) float64 { return x }, "mK": func(x float64) float64 { return x / 1000 }, "degC": func(x float64) float64 { return x + 273.15 },
		"degF": func(x float64) float64 { return (x + 459.67) * 5 / 9 }, "degR": func(x float64) float64 { return x * 5 / 9 },
	}
	for range 12 {
		for unit, in := range kelvin {
			number := float64(r.IntN(2000)-200) / 10
			if number == 0 {
				continue
			}
			for _, c := range []struct {
				off  float64 // of the claim's number, in its unit
				want string
			}{{0, supported}, {0.045, supported}, {-0.045, supported}, {0.06, contradicted}, {-0.06, contradicted}, {-40, contradicted}} {
				s := evidence.Statement{}
				s.Figure(evidence.Of("temperature", "/t", in(number+c.off), "K", "given"))
				out, got := ask(t, t.TempDir(), of(t, "heat.solve", `{"t":1}`, s), claimed(fmt.Sprintf("%.1f", number), unit, "/t"))
				if out.Verdict != c.want {
					t.Fatalf("%.1f %s of %g K, %g %s off: %s %v %v, want %s", number, unit, in(number+c.off), c.off, unit, out.Verdict, out.Reasons, got.Errors, c.want)
				}
			}
		}
	}
	s := evidence.Statement{}
	s.Figure(evidence.Of("temperature", "/t", 373.15, "K", "given"))
	out, _ := ask(t, t.TempDir(), of(t, "heat.solve", `{"t":1,"quantities":[{"unit":"K","error":3}]}`, s), claimed(1, "degC", "/t"))
	if out.Verdict != contradicted || math.Abs(out.Claimed-274.15) > 1e-9 {
		t.Errorf("1 degC of 373.15 K: %+v", out)
	}
	// An error bar is a difference: 5.4 degF are 3 K.
	if out, _ = ask(t, t.TempDir(), of(t, "heat.solve", `{"t":1,"quantities":[{"unit":"K","error":3}]}`, s), claimed("5.40", "degF", "/quantities/0/error")); out.Verdict != supported {
		t.Errorf("an error bar of 3 K: %+v", out)
	}
}

// Of a figure in K nobody can tell whether it is a temperature or a difference of two,
// unless its name does: a deviation of 3 K is 5.4 degF, and -270.15 degC is what a
// temperature of 3 K is.
func TestDifferencesOfTemperatures(t *testing.T) {
	s := evidence.Statement{}
	s.Figure(evidence.Of("deviation", "/deviation", 3, "K", "given"), evidence.Of("peak", "/temperature/max", 3, "K", "given"), evidence.Of("probe temperature", "/probes/0/value", 3, "K", "given"))
	results := of(t, "x", `{}`, s)
	for _, c := range [][4]string{{"5.40", "degF", "deviation", undecided}, {"3.0", "degC", "deviation", undecided}, {"3.0", "K", "deviation", supported}, {"4.0", "degC", "deviation", contradicted},
		{"-270.15", "degC", "deviation", supported}, {"3.0", "degC", "peak", contradicted}, {"3.0", "degC", "probe temperature", contradicted}, {"5.40", "degR", "peak", supported}} {
		out, got := ask(t, t.TempDir(), results, claimed(c[0], c[1], c[2]))
		if out.Verdict != c[3] || out.Verdict == undecided && !strings.Contains(out.Reasons[0], "give the number in K") {
			t.Errorf("%v: %s %v %v", c, out.Verdict, out.Reasons, got.Errors)
		}
	}
}

// Decimals of whole numbers are digits: 1.00 stands for 0.995 to 1.005. What rounds to
// zero is not said to be nothing.
func TestDigitsOfWholeNumbersCount(t *testing.T) {
	for number, c := range map[string]struct {
		value float64
		want  string
	}{
		"1": {1.25444, supported}, "1.0": {1.25444, contradicted}, "1.00": {1.25444, contradicted}, "1.0e0": {1.25444, contradicted}, "10.0E-1": {1.25444, contradicted},
		"1.3": {1.25444, supported}, "1500": {1545, supported}, "1500.0": {1545, contradicted}, "1.500e3": {1545, contradicted}, "1.5e3": {1545, supported}, "1500.00": {1500.004, supported},
		"0.0": {0.04, undecided}, "0.00": {0.04, contradicted}, "-2.0": {-2.2, contradicted}, "-2": {-2.2, supported},
	} {
		s := evidence.Statement{}
		s.Check(evidence.Within("refinement", evidence.Refinement, "/mean", 0.001, 0.01, "1", "Twice."))
		s.Figure(evidence.Of("mean", "/mean", c.value, "m", "mean").PlusMinus(1e-6, "bound"))
		if out, got := ask(t, t.TempDir(), of(t, "x", `{"mean":1}`, s), claimed(number, "m", "mean")); out.Verdict != c.want {
			t.Errorf("%s for %g: %s %v %v, want %s", number, c.value, out.Verdict, out.Reasons, got.Errors, c.want)
		}
	}
}

// solve is a solve whose peak stress has no bound: von Mises is suspect.
func solve(t *testing.T, inputs ...evidence.Input) Jobs {
	s := evidence.Statement{}
	s.Check(evidence.Holds("stress_bounded", evidence.Model, "/von_mises", false, "The peak lies at a re-entrant corner and grows without bound."),
		evidence.Within("mesh_refinement", evidence.Refinement, "/max_displacement/value", 0.01, 0.05, "1", "Two meshes agree."))
	s.Figure(evidence.Of("max_displacement", "/max_displacement/value", 0.0016, "m", "nodal").PlusMinus(1e-6, "estimate"),
		evidence.Of("von_mises", "/von_mises/max", 41234567.89, "Pa", "nodal"))
	return of(t, "fea.solve", `{"max_displacement":{"value":0.0016,"unit":"m"},"von_mises":{"max":41234567.89,"p99":3e7,"unit":"Pa"},"peak":41234567.89,"shown":{"stress":41.23456789,"unit":"MPa"},"steps":7,
		"fields":[{"name":"displacement","unit":"m","min":0.0001,"max":0.0016},{"name":"von_mises","unit":"Pa","min":12.5,"max":41234567.89}],
		"quantities":[{"name":"max_displacement","value":0.0016,"unit":"m"},{"name":"von_mises","value":41234567.89,"unit":"Pa","error":1000,"where":[0.25,0,0]}]}`, s, inputs...)
}

// A suspect figure is not better by another way to it, and what nothing checks is not
// supported in a suspect result without saying so.
func TestSuspectFiguresByOtherPointers(t *testing.T) {
	for path, number := range map[string]string{"/von_mises/max": "41234567.89", "von_mises": "41234567.89", "/quantities/1/value": "41234567.89", "/fields/1/max": "41234567.89",
		"/fields/1/min": "12.5", "/peak": "41234567.89", "/shown/stress": "41.23456789", "/von_mises/p99": "3e7", "/quantities/1/error": "1000", "/quantities/1/where/0": "0.25"} {
		out, got := ask(t, t.TempDir(), solve(t), claimed(number, "", path))
		if out.Verdict != contradicted || out.Trust != evidence.Suspect || !strings.Contains(out.Reasons[0], "re-entrant corner") {
			t.Errorf("%s: %s %s %v %v", path, out.Verdict, out.Trust, out.Reasons, got.Errors)
		}
	}
	for path, number := range map[string]string{"/steps": "7", "/fields/0/min": "0.0001"} {
		if out, _ := ask(t, t.TempDir(), solve(t), claimed(number, "", path)); out.Verdict != undecided || !strings.Contains(out.Reasons[0], "nothing checks that") {
			t.Errorf("%s: %s %v", path, out.Verdict, out.Reasons)
		}
	}
	if out, _ := ask(t, t.TempDir(), solve(t), claimed(1.6, "mm", "/quantities/0/value")); out.Verdict != supported || out.Trust != evidence.Verified || out.Figure != "/max_displacement/value" {
		t.Errorf("a quantity by its place in the list: %+v", out)
	}
	for _, path := range []string{"/quantities/01/value", "/fields/01/max", "/fields/+1/max"} { // RFC 6901: an index has no leading zeros
		if _, got := ask(t, t.TempDir(), solve(t), claimed("41234567.89", "", path)); got.Status != contract.StatusError {
			t.Errorf("%s is no pointer: %s", path, got.OutputJSON())
		}
	}
	bad := evidence.Input{Reference: "session:a.msh", SHA256: "00", Tool: "volume_mesh_quartet", Trust: evidence.Suspect, Reason: "It has lost a face."}
	if out, _ := ask(t, t.TempDir(), solve(t, bad), claimed(7, "", "/steps")); out.Verdict != undecided || !strings.Contains(out.Reasons[0], "lost a face") {
		t.Errorf("of a suspect input: %+v", out)
	}
}

// A claim of a claim is one of the figure that it was about.
func TestAClaimOfAClaimIsOfItsFigure(t *testing.T) {
	for path, want := range map[string]string{"/von_mises/max": contradicted, "/max_displacement/value": supported} {
		first, got := ask(t, t.TempDir(), solve(t), claimed("1", "", path))
		second, _ := ask(t, t.TempDir(), record(ownName, got), claimed(fmt.Sprint(*first.Value), "", "/value"))
		if second.Verdict != want || second.Trust != first.Trust {
			t.Errorf("%s again: %+v, want %s", path, second, want)
		}
		for _, other := range []string{"/claimed", "/difference"} {
			if _, got := ask(t, t.TempDir(), record(ownName, got), claimed(1, "", other)); got.Status != contract.StatusError || got.Errors[0].Field != "/path" {
				t.Errorf("%s of a claim: %s", other, got.OutputJSON())
			}
		}
	}
}

// damaged are files of which the store holds some with other bytes than their hash.
type damaged []string

func (d damaged) Path(_ context.Context, ref string) (string, error) {
	for _, one := range d {
		if one == ref {
			return "", contract.Errorf(contract.CodeContentDamaged, "damaged")
		}
	}
	return "", contract.Errorf(contract.CodeFileOutsideRoots, "not to be seen")
}

func (d damaged) Beside(context.Context, string, string) (string, error) { return "", nil }

// A damaged file of the job or of its inputs is told, whatever the number.
func TestDamagedFilesAreTold(t *testing.T) {
	in := evidence.Input{Reference: "file:mesh", SHA256: "00"}
	_, result, err := solve(t, in).Result(t.Context(), "job_1")
	if err != nil {
		t.Fatal(err)
	}
	result.Artifacts = []contract.Artifact{{Name: "out/solution.vtu"}}
	tool := Tools(record("fea.solve", result))[0]
	for ref, want := range map[string]string{"file:mesh": stale, contract.ArtifactURL("job_1", "out/solution.vtu"): stale, "file:other": supported} {
		got := runner.New()(t.Context(), &runner.Request{Tool: &tool, Input: json.RawMessage(claimed(1.6, "mm", "max_displacement")), JobID: "job_2", Dir: t.TempDir(),
			Limits: contract.DefaultLimits(), Files: damaged{ref}})
		var out output
		if err := json.Unmarshal(got.OutputJSON(), &out); err != nil {
			t.Fatal(err)
		}
		if out.Verdict != want || (want == stale) != strings.Contains(out.Reasons[0], "is damaged") {
			t.Errorf("%s: %s %v", ref, out.Verdict, out.Reasons)
		}
	}
}

// A unit that nobody knows is equal to itself; beside another the sentence faults the
// figure's unit and not the caller's.
func TestUnitsThatDoNotConvert(t *testing.T) {
	s := evidence.Statement{}
	s.Figure(evidence.Of("mean", "/mean", 12, "unit of latency_ms", "mean"), evidence.Of("volume", "/volume", 8, "file_unit^3", "sum"))
	results := of(t, "x", `{"mean":12,"volume":8}`, s)
	for unit, path := range map[string]string{"unit of latency_ms": "/mean", "": "/mean", " file_unit^3": "/volume", "file_unit³": "/volume"} {
		if out, got := ask(t, t.TempDir(), results, claimed(map[string]int{"/mean": 12, "/volume": 8}[path], unit, path)); out.Verdict != supported {
			t.Errorf("%q: %+v %v", unit, out, got.Errors)
		}
	}
	for unit, path := range map[string]string{"ms": "/mean", "mm^3": "/volume", "deg": "/mean"} {
		_, got := ask(t, t.TempDir(), results, claimed(8, unit, path))
		if got.Status != contract.StatusError || !strings.Contains(got.Errors[0].Message, "the figure is in") || !strings.Contains(got.Errors[0].Hint, "Leave unit out") {
			t.Errorf("%s at %s: %v", unit, path, got.Errors)
		}
	}
}

// A tool without evidence passes on what it was given: its figures are no better than
// the weakest of its inputs, which the claim names. Without such an input nothing
// speaks against them.
func TestFiguresOfACopy(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "mesh.stl")
	if err := os.WriteFile(path, []byte("solid"), 0o600); err != nil {
		t.Fatal(err)
	}
	sha, err := store.HashFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mesh := evidence.Input{Reference: path, SHA256: sha, JobID: "job_0", Tool: "mesh_repair", Trust: evidence.Suspect, Reason: "Failed: closed. Two holes are open."}
	for _, c := range []struct {
		inputs  []evidence.Input
		verdict string
		trust   evidence.Trust
	}{{nil, supported, evidence.Computed}, {[]evidence.Input{mesh}, undecided, evidence.Suspect}} {
		results := record("mesh_count", &contract.Result{Status: contract.StatusOK, Output: json.RawMessage(`{"n":7}`), Inputs: c.inputs})
		out, got := ask(t, root, results, claimed("7", "", "/n"))
		if out.Verdict != c.verdict || out.Trust != c.trust || len(out.Inputs) != len(c.inputs) || c.inputs != nil && !strings.Contains(out.Reasons[0], "Two holes") {
			t.Errorf("%+v: %s %s %v %v", c.inputs, out.Verdict, out.Trust, out.Reasons, got.Errors)
		}
	}
}

// In a result that nothing speaks against, a number that nothing checks is supported as
// what it is: computed.
func TestUncheckedFiguresOfASoundResult(t *testing.T) {
	s := evidence.Statement{}
	s.Check(evidence.Within("refinement", evidence.Refinement, "/mean", 0.001, 0.01, "1", "Twice."))
	s.Figure(evidence.Of("mean", "/mean", 1, "m", "mean").PlusMinus(1e-6, "bound"))
	results := of(t, "x", `{"mean":1,"steps":7,"series":[{"x":[0,0.002],"x_unit":"s"}]}`, s)
	for path, number := range map[string]string{"/steps": "7", "/series/0/x/1": "0.002"} {
		if out, got := ask(t, t.TempDir(), results, claimed(number, "", path)); out.Verdict != supported || out.Trust != evidence.Computed {
			t.Errorf("%s: %s %s %v %v", path, out.Verdict, out.Trust, out.Reasons, got.Errors)
		}
	}
}

// Digits are what they are: a claim of eleven digits is one of all of them, and the bar
// of a figure is a number that nothing checks.
func TestEveryDigitCounts(t *testing.T) {
	s := evidence.Statement{}
	s.Check(evidence.Holds("count", evidence.Exact, "/n", true, "Counted twice."))
	s.Figure(evidence.Of("n", "/n", 98765432101, "1", "counted").PlusMinus(0, "bound"), evidence.Of("x", "/x", 12345.678, "m", "sum").PlusMinus(0, "bound"))
	results := of(t, "x", `{"n":98765432101,"x":12345.678}`, s)
	for _, c := range []struct{ number, path, want string }{
		{"98765432101", "/n", supported}, {"98765432102", "/n", contradicted}, {"98765432110", "/n", contradicted},
		{"12345.678", "/x", supported}, {"12345.67801", "/x", contradicted},
	} {
		if out, got := ask(t, t.TempDir(), results, claimed(c.number, "", c.path)); out.Verdict != c.want || strings.Contains(out.Reasons[0], "1 1") {
			t.Errorf("%s: %s %v %v", c.number, out.Verdict, out.Reasons, got.Errors)
		}
	}
}

// What an input was made from counts as well: a table of a table is stale when the first
// one's source has changed.
func TestStalenessTravels(t *testing.T) {
	root := t.TempDir()
	source := filepath.Join(root, "src.csv")
	if err := os.WriteFile(source, []byte("x\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sha, err := store.HashFile(source)
	if err != nil {
		t.Fatal(err)
	}
	s := evidence.Statement{}
	s.Check(evidence.Within("sum", evidence.Exact, "/n", 0, 1e-9, "1", "Summed."))
	s.Figure(evidence.Of("n", "/n", 7, "1", "sum").PlusMinus(1e-9, "bound"))
	_, second, err := of(t, "b", `{"n":7}`, s, evidence.Input{Reference: "/v1/jobs/job_0/artifacts/a.csv", SHA256: "00", JobID: "job_0", Tool: "a"}).Result(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	results := recorded{"b", second, map[string][]evidence.Input{"job_0": {{Reference: source, SHA256: sha}}}}
	if out, got := ask(t, root, results, claimed(7, "", "/n")); out.Verdict != supported {
		t.Errorf("unchanged: %+v %v", out, got.Errors)
	}
	if err := os.WriteFile(source, []byte("x\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := ask(t, root, results, claimed(7, "", "/n")); out.Verdict != stale || !strings.Contains(out.Reasons[0], "src.csv has changed") || !strings.Contains(out.Reasons[0], "job_0") {
		t.Errorf("changed: %+v", out)
	}
}

// A relative path is that of the folder in which the figure was made: a file of its name
// elsewhere is another one, whichever of the two has changed.
func TestAPathIsOfItsOwnFolder(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	write := func(folder, text string) {
		if err := os.WriteFile(filepath.Join(folder, "t.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(here, "x\n1\n")
	sha, err := store.HashFile(filepath.Join(here, "t.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s := evidence.Statement{}
	s.Check(evidence.Within("sum", evidence.Exact, "/n", 0, 1e-9, "1", "Summed."))
	s.Figure(evidence.Of("n", "/n", 7, "1", "sum").PlusMinus(1e-9, "bound"))
	in := evidence.Input{Reference: "t.csv", SHA256: sha}
	jobs := of(t, "a", `{"n":7}`, s, in).(recorded)
	in.Path = filepath.Join(here, "t.csv")
	jobs.made = map[string][]evidence.Input{"job_1": {in}}
	verdict := func(root, want string) {
		t.Helper()
		if out, got := ask(t, root, jobs, claimed(7, "", "/n")); out.Verdict != want {
			t.Errorf("%s %v %v, want %s", out.Verdict, out.Reasons, got.Errors, want)
		}
	}
	verdict(here, supported)
	verdict(there, supported) // there is none
	write(there, "x\n2\n")
	verdict(there, supported) // another one
	write(here, "x\n3\n")
	write(there, "x\n1\n")
	verdict(here, stale)
	verdict(there, stale) // the old copy says nothing
}
