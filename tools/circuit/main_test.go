package circuit

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"atelier/contract"
	"atelier/engine"
	"atelier/runner"
)

func TestMain(m *testing.M) {
	engine.SandboxMain()
	os.Exit(m.Run())
}

// simulateFor runs the tool as the server does, with ngspice in its sandbox.
func simulateFor(t *testing.T, input string) (*contract.Result, *simulateOutput) {
	t.Helper()
	root := os.Getenv("ATELIER_ENGINES")
	if root == "" {
		root = "../../.engines"
	}
	host, err := engine.NewHost(engine.Options{Root: root, Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if err := host.Check(engineName); err != nil {
		t.Skipf("ngspice is missing; make engines installs it: %v", err)
	}
	tool := Tools(host)[0]
	result := runner.New()(context.Background(), &runner.Request{
		Tool: &tool, Input: json.RawMessage(input), JobID: "job", Dir: t.TempDir(), Limits: tool.Contract.DefaultLimits(),
	})
	out := &simulateOutput{}
	if result.Status != contract.StatusError {
		if err := json.Unmarshal(result.OutputJSON(), out); err != nil {
			t.Fatal(err)
		}
	}
	return result, out
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
