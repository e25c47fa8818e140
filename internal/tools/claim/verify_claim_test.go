package claim

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
)

// stressed is a result of 41.2 MPa ± 0.5, and of a deflection that a check
// contradicts; it was made from the file at path.
func stressed(t *testing.T, path string) Results {
	t.Helper()
	s := evidence.Statement{}
	s.Check(evidence.Within("refinement", evidence.Refinement, "/stress", 0.01, 0.02, "1", "Two meshes agree."),
		evidence.Within("thickness", evidence.Model, "/tip", 2, 1, "1", "The deflection is twice the thickness."))
	s.Figure(evidence.Of("peak_stress", "/stress", 41.2e6, "Pa", "largest nodal value").PlusMinus(0.5e6, "estimate"),
		evidence.Of("value at the end", "/end", 0.4997, "V", "transient").PlusMinus(0.448, "estimate"), evidence.Of("pole", "/pole", -1000, "rad/s", "pole-zero analysis"),
		evidence.Of("deflection", "/tip", 0.0016, "m", "largest"), evidence.Of("gone", "/none", nan(), "m", "none"))
	e, err := evidence.Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := hash(path)
	if err != nil {
		t.Fatal(err)
	}
	result := &contract.Result{Status: contract.StatusOK, Output: json.RawMessage(`{"stress":41.2e6,"tip":0.0016,"none":null,"end":0.4997,"pole":-1000,"steps":{"n":7}}`),
		Evidence: e.WithInputs([]evidence.Input{{Reference: path, SHA256: sum}})}
	return func(_ context.Context, id string) (string, *contract.Result, error) {
		if id != "job_1" {
			return "", nil, contract.Errorf(contract.CodeNotFound, "there is no job %q", id)
		}
		return "fea.solve", result, nil
	}
}

func nan() float64 { z := 0.0; return z / z }

func ask(t *testing.T, root string, results Results, claim string) (output, *contract.Result) {
	t.Helper()
	tool := Tools(results)[0]
	if err := tool.Check(); err != nil {
		t.Fatal(err)
	}
	got := runner.New()(t.Context(), &runner.Request{Tool: &tool, Input: json.RawMessage(claim), JobID: "job_2", Dir: t.TempDir(),
		Limits: contract.DefaultLimits(), Files: runner.Resolver{Roots: []string{root}}.For("", "")})
	var out output
	if got.Status != contract.StatusError {
		if err := json.Unmarshal(got.OutputJSON(), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out, got
}

func TestClaims(t *testing.T) {
	root := t.TempDir()
	part := filepath.Join(root, "part.msh")
	if err := os.WriteFile(part, []byte("mesh"), 0o600); err != nil {
		t.Fatal(err)
	}
	results := stressed(t, part)
	for _, c := range []struct{ number, unit, path, want string }{
		{"41.2", "MPa", "/stress", supported},
		{"41.6", "MPa", "peak_stress", supported}, // within the error bar
		{"41200000", "", "/stress", supported},
		{"41", "MPa", "/stress", supported},     // 0.2 of rounding or bar
		{"43", "MPa", "/stress", contradicted},  // 1.8 off
		{"40", "MPa", "/stress", contradicted},  // rounding explains no 3 %
		{"41.2", "Pa", "/stress", contradicted}, // a factor of a million
		{"1.6", "mm", "/tip", contradicted},     // the figure itself is suspect
		{"5.976", "ksi", "/stress", supported},  // 1 ksi = 6.894757 MPa
		{"1", "m", "/none", contradicted},       // undefined
		{"0.06", "V", "/end", undecided},        // a bar as wide as the figure supports nothing
		{"0.9", "V", "/end", undecided},
		{"500", "mV", "/end", undecided}, // not even what repeats it
		{"1.5", "V", "/end", contradicted},
		{"-159.155", "Hz", "/pole", supported}, // 1000 rad/s over 2 pi
		{"-1000", "Hz", "/pole", contradicted},
		{"-1", "krad/s", "/pole", supported},
		{"7", "", "/steps/n", supported}, // in the output, without evidence
		{"8", "", "/steps/n", contradicted},
	} {
		out, got := ask(t, root, results, fmt.Sprintf(`{"number":%s,"unit":%q,"job_id":"job_1","path":%q}`, c.number, c.unit, c.path))
		if out.Verdict != c.want || len(out.Reasons) == 0 {
			t.Errorf("%s %s at %s: %s %v %v, want %s", c.number, c.unit, c.path, out.Verdict, out.Reasons, got.Errors, c.want)
		}
	}
	if out, _ := ask(t, root, results, `{"number":7,"job_id":"job_1","path":"/steps/n"}`); out.Trust != evidence.Computed || !strings.Contains(strings.Join(out.Reasons, " "), "Nothing checks") {
		t.Errorf("a figure without evidence: %+v", out)
	}
	for claim, at := range map[string]string{
		`{"number":1,"job_id":"job_9","path":"/stress"}`:             "/job_id",
		`{"number":1,"job_id":"job_1","path":"/stres"}`:              "/path",
		`{"number":1,"unit":"kg","job_id":"job_1","path":"/stress"}`: "/unit",
		`{"number":1,"unit":"m","job_id":"job_1","path":"/steps/n"}`: "/unit",
		`{"number":"many","job_id":"job_1","path":"/stress"}`:        "/number",
	} {
		if _, got := ask(t, root, results, claim); got.Status != contract.StatusError || got.Errors[0].Field != at {
			t.Errorf("%s: %s %v", claim, got.Status, got.Errors)
		}
	}
}

// A figure whose mesh has changed since is stale, whatever the number.
func TestClaimsGoStale(t *testing.T) {
	root := t.TempDir()
	part := filepath.Join(root, "part.msh")
	if err := os.WriteFile(part, []byte("mesh"), 0o600); err != nil {
		t.Fatal(err)
	}
	results := stressed(t, part)
	if err := os.WriteFile(part, []byte("mush"), 0o600); err != nil {
		t.Fatal(err)
	}
	const claim = `{"number":41.2,"unit":"MPa","job_id":"job_1","path":"/stress"}`
	if out, _ := ask(t, root, results, claim); out.Verdict != stale || !strings.Contains(out.Reasons[0], "has changed") {
		t.Errorf("%+v", out)
	}
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	if out, _ := ask(t, root, results, claim); out.Verdict != stale || !strings.Contains(out.Reasons[0], "no longer there") {
		t.Errorf("%+v", out)
	}
}
