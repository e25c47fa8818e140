package circuit

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

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

// ngspice is a host with ngspice, or the test is skipped.
func ngspice(t *testing.T) *engine.LocalHost {
	t.Helper()
	host, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	testenv.NeedEngines(t, host, engineName)
	return host
}

// simulateFor runs the tool as the server does, with ngspice in its sandbox.
func simulateFor(t *testing.T, input string) (*contract.Result, *simulateOutput) {
	t.Helper()
	host := ngspice(t)
	result := runTool(t, Tools(host)[0], input)
	out := &simulateOutput{}
	if result.Status != contract.StatusError {
		if err := json.Unmarshal(result.OutputJSON(), out); err != nil {
			t.Fatal(err)
		}
	}
	return result, out
}

func runTool(t *testing.T, tool contract.Tool, input string) *contract.Result {
	t.Helper()
	return runLimited(t, tool, input, tool.Contract.DefaultLimits())
}

func runLimited(t *testing.T, tool contract.Tool, input string, limits contract.Limits) *contract.Result {
	t.Helper()
	return runIn(t, tool, input, limits, t.TempDir())
}

func runIn(t *testing.T, tool contract.Tool, input string, limits contract.Limits, dir string) *contract.Result {
	t.Helper()
	return runner.New()(context.Background(), &runner.Request{
		Tool: &tool, Input: json.RawMessage(input), JobID: "job", Dir: dir, Limits: limits, Files: folder{},
	})
}

// folder resolves file arguments as plain paths.
type folder struct{ contract.Files }

func (folder) Path(_ context.Context, ref string) (string, error) {
	if _, err := os.Stat(ref); err != nil {
		return "", contract.Errorf(contract.CodeFileNotFound, "there is no file %q", ref)
	}
	return ref, nil
}

// simulated runs and expects success.
func simulated(t *testing.T, input string) (*contract.Result, *simulateOutput) {
	t.Helper()
	result, out := simulateFor(t, input)
	if result.Status != contract.StatusOK {
		t.Fatalf("%v\n%s", result.Errors, result.Log.Stderr)
	}
	return result, out
}

func input(t *testing.T, fields map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// BenchmarkOperatingPoint compares the program run bare with the whole tool call:
// validation, sandbox, the program, reading back, tables and evidence.
func BenchmarkOperatingPoint(b *testing.B) {
	host, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	path, err := host.Path(engineName)
	if err != nil {
		testenv.Skip(b, testenv.Engine, "ngspice is missing; make engines installs it: %v", err)
	}
	const deck = "t\nV1 in 0 DC 1\nR1 in 0 1k\n.control\nop\nwrite a.raw\nquit 0\n.endc\n.end\n"
	b.Run("bare", func(b *testing.B) {
		dir := b.TempDir()
		least := time.Duration(1 << 62)
		for b.Loop() {
			begun := time.Now()
			cmd := exec.Command(path, "-n", "-b")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(deck)
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
			least = min(least, time.Since(begun))
		}
		b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
	})
	b.Run("tool", func(b *testing.B) {
		tool, dir := Tools(host)[0], b.TempDir()
		least := time.Duration(1 << 62)
		for b.Loop() {
			begun := time.Now()
			result := runner.New()(context.Background(), &runner.Request{
				Tool: &tool, Input: json.RawMessage(`{"netlist":"t\nV1 in 0 DC 1\nR1 in 0 1k\n.end","analysis":"op"}`), JobID: "job", Dir: dir, Limits: tool.Contract.DefaultLimits(),
			})
			if result.Status != contract.StatusOK {
				b.Fatal(result.Errors)
			}
			least = min(least, time.Since(begun))
		}
		b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
	})
}

// has says whether a result has a check of a name.
func has(result *contract.Result, name string) bool {
	return slices.ContainsFunc(result.Evidence.Checks(), func(c evidence.Check) bool { return c.Name == name })
}

// show is the evidence of a result as text.
func show(result *contract.Result) string {
	raw, _ := json.MarshalIndent(result.Evidence, "", " ")
	return string(raw)
}

// quantity is the figure at a pointer.
func quantity(t *testing.T, result *contract.Result, pointer string) evidence.Quantity {
	t.Helper()
	for _, q := range result.Evidence.Quantities() {
		if q.Pointer == pointer {
			return q
		}
	}
	t.Fatalf("there is no figure at %s:\n%s", pointer, show(result))
	return evidence.Quantity{}
}
