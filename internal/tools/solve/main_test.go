package solve

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
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/runner"
	"atelier/internal/testenv"
)

func TestMain(m *testing.M) {
	engine.SandboxMain()
	os.Exit(m.Run())
}

// host is a host with the MFEM driver, or the test is skipped.
func host(t *testing.T) *engine.LocalHost {
	t.Helper()
	h, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	testenv.NeedEngines(t, h, engineName)
	return h
}

// folder resolves file arguments as plain paths.
type folder struct{ contract.Files }

func (folder) Path(_ context.Context, ref string) (string, error) {
	if _, err := os.Stat(ref); err != nil {
		return "", contract.Errorf(contract.CodeFileNotFound, "there is no file %q", ref)
	}
	return ref, nil
}

// call runs a tool of the family as the server does: schema, sandbox, output schema.
func call(t *testing.T, name, input string) *contract.Result {
	t.Helper()
	return callIn(t, t.TempDir(), name, input)
}

// callIn does so in a folder, where the artifacts stay.
func callIn(t *testing.T, dir, name, input string) *contract.Result {
	t.Helper()
	for _, tool := range Tools(host(t)) {
		if tool.Contract.Name == name {
			return runner.New()(context.Background(), &runner.Request{
				Tool: &tool, Input: json.RawMessage(input), JobID: "job", Dir: dir,
				Limits: tool.Contract.DefaultLimits(), Files: folder{},
			})
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// answer is an output with the evidence that the runner puts in.
type answer struct {
	Output
	Quantities []judged          `json:"quantities"`
	Evidence   evidence.Document `json:"evidence"`
}

// judged is a quantity of an output.
type judged struct {
	evidence.Figure
	Trust   evidence.Trust `json:"trust"`
	Reasons []string       `json:"reasons"`
}

// quantity is the one at a pointer.
func (a *answer) quantity(t *testing.T, pointer string) judged {
	t.Helper()
	for _, q := range a.Quantities {
		if q.Pointer == pointer {
			return q
		}
	}
	t.Fatalf("there is no quantity %s", pointer)
	return judged{}
}

// failed says whether a check of this name failed, and its sentence.
func (a *answer) failed(name string) (string, bool) {
	for _, c := range a.Evidence.Checks {
		if c.Name == name && !c.Passed {
			return c.Sentence, true
		}
	}
	return "", false
}

// fails expects a check to have failed, and with it the result.
func fails(t *testing.T, a *answer, name string) {
	t.Helper()
	sentence, ok := a.failed(name)
	if !ok {
		t.Errorf("%s passed: %+v", name, a.Evidence.Checks)
	}
	t.Log(sentence)
	trusted(t, a, evidence.Suspect)
}

// covers expects a figure whose error bar reaches the true value.
func covers(t *testing.T, a *answer, pointer string, value Figure, want float64) {
	t.Helper()
	q := a.quantity(t, pointer)
	if q.Error == nil || math.Abs(float64(value)-want) > *q.Error+1e-9*math.Abs(want) {
		t.Errorf("%s is %g, the true value %g, the error bar %v", pointer, float64(value), want, deref(q.Error))
	}
}

func deref(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// solved runs on a mesh that lies in a file, and expects success.
func solved(t *testing.T, name string, mesh fmt.Stringer, class, config string) *answer {
	t.Helper()
	return solvedIn(t, t.TempDir(), name, mesh, class, config)
}

// solvedIn does so in a folder, where the artifacts stay.
func solvedIn(t *testing.T, dir, name string, mesh fmt.Stringer, class, config string) *answer {
	t.Helper()
	r := callIn(t, dir, name, requestFor(t, mesh, class, config))
	if r.Status != contract.StatusOK {
		t.Fatalf("%v\n%s", r.Errors, r.Log.Stderr)
	}
	raw := r.OutputJSON()
	a := &answer{}
	if err := json.Unmarshal(raw, a); err != nil {
		t.Fatal(err)
	}
	// The figures with their trust and the checks take about as much as the output; a
	// failed check of the whole result is told at every one of them.
	most := 5500
	if n := len(a.Cases) + len(a.Combinations); n > 0 { // of each up to ten figures with their trust
		most = 2500 + 2000*n
	}
	if tokens := len(raw) / 4; tokens > most {
		t.Errorf("the output has about %d tokens", tokens)
	}
	return a
}

// refused runs and expects an error with this code at this pointer.
func refused(t *testing.T, name string, mesh fmt.Stringer, class, config, code, pointer string) *contract.Error {
	t.Helper()
	r := call(t, name, requestFor(t, mesh, class, config))
	if r.Status != contract.StatusError {
		t.Fatalf("expected %s, got %s", code, r.Summary)
	}
	e := r.Errors[0]
	if e.Code != code || !strings.HasPrefix(e.Field, pointer) {
		t.Fatalf("expected %s at %s, got %v %v", code, pointer, e, e.Details)
	}
	return e
}

func requestFor(t *testing.T, mesh fmt.Stringer, class, config string) string {
	t.Helper()
	unit := `, "length_unit": "m"`
	if strings.Contains(mesh.String(), "# atelier") {
		unit = "" // the mesh says its own
	}
	path := filepath.Join(t.TempDir(), "part.mesh")
	if err := os.WriteFile(path, []byte(mesh.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if class != "" {
		class = fmt.Sprintf(`"solver_class": %q, `, class)
	}
	return fmt.Sprintf(`{%s"mesh": {"type": "file", "path": %q%s}, "config": %s}`, class, path, unit, config)
}

// text is a mesh given as it stands.
type text string

func (s text) String() string { return string(s) }

func near(t *testing.T, what string, got Figure, want, relative float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > relative*math.Abs(want) {
		t.Errorf("%s = %.10g, expected %.10g within %g", what, float64(got), want, relative)
	}
}

func trusted(t *testing.T, a *answer, want evidence.Trust) {
	t.Helper()
	if a.Evidence.Trust != want {
		t.Errorf("trust is %s, expected %s: %v", a.Evidence.Trust, want, a.Evidence.Reasons)
	}
}
