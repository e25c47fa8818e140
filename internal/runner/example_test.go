package runner_test

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
)

// The contract of the example; in the project it is a file of its own beside
// the tool, embedded with //go:embed.
const beamContract = `{
  "name": "beam_tip", "title": "Tip deflection of a cantilever", "version": "0.1.0", "stability": "experimental",
  "status": "active", "transport": "http, mcp", "endpoint": "/v1/tools/beam_tip", "family": "test", "tags": ["fea"],
  "description": "Deflection of the tip of a slender cantilever under a load at its end.", "capabilities": ["hand_calculation"],
  "input_schema": {
    "type": "object", "additionalProperties": false, "required": ["force", "length", "E", "I"],
    "properties": {
      "force":  {"type": "number", "description": "Load at the tip in N."},
      "length": {"type": "number", "exclusiveMinimum": 0, "description": "Length in m."},
      "E":      {"type": "number", "exclusiveMinimum": 0, "description": "Young's modulus in Pa."},
      "I":      {"type": "number", "exclusiveMinimum": 0, "description": "Second moment of area in m^4."}
    }
  },
  "output_schema": {
    "type": "object", "additionalProperties": false, "required": ["deflection_m"],
    "properties": {"deflection_m": {"type": "number", "description": "F L^3 / 3 E I, in m."}}
  },
  "evidence": {"quantities": [{"figure": "/deflection_m", "what": "Deflection of the tip."}]},
  "errors": [{"code": "invalid_input", "http_status": 400, "when": "An argument is missing or out of range."}],
  "examples": [{"title": "Steel bar", "input": {"force": 1000, "length": 1, "E": 210e9, "I": 8.3333e-6}, "notes": ""}],
  "effects": {"read_only": true, "destructive": false, "idempotent": true, "open_world": false, "side_effects": "none"},
  "deterministic": true, "limits": {}, "cost_hint": {"unit": "call", "estimated_cost": 0, "currency": "credits"}, "engine": "atelier"
}`

type beamInput struct {
	Force  float64 `json:"force"`
	Length float64 `json:"length"`
	E      float64 `json:"E"`
	I      float64 `json:"I"`
}

type beamOutput struct {
	Deflection float64 `json:"deflection_m"`
}

// A tool is a contract and a function; the runner does the rest.
func Example() {
	tool := contract.Bind([]byte(beamContract), func(_ context.Context, _ *contract.Call, in beamInput) (*contract.Result, error) {
		deflection := in.Force * in.Length * in.Length * in.Length / (3 * in.E * in.I)
		stands := &evidence.Statement{}
		stands.Figure(evidence.Of("deflection", "/deflection_m", deflection, "m", "F L^3 / 3 E I (Euler and Bernoulli)").Quote())
		stands.Check(evidence.Within("small_deflection", evidence.Model, "/deflection_m", deflection/in.Length, 0.1, "1",
			"Deflection over length; linear beam theory holds for small ones only."))
		return &contract.Result{Summary: fmt.Sprintf("The tip moves %.3g m.", deflection), Output: beamOutput{deflection}, Statement: stands}, nil
	})
	run := runner.New()
	for _, input := range []string{
		`{"force": 1000, "length": 1, "E": 210e9, "I": 8.3333e-6}`,
		`{"force": 1e6, "length": 1, "E": 210e9, "I": 8.3333e-6}`,
		`{"force": "1 kN", "length": -1, "E": 210e9, "I": 8.3333e-6}`,
	} {
		result := run(context.Background(), &runner.Request{
			Tool: &tool, Input: json.RawMessage(input), JobID: "job_example", Limits: contract.DefaultLimits(),
		})
		fmt.Println(result.Status, result.Summary)
		if result.Evidence != nil {
			fmt.Println(" ", result.Evidence.Trust())
		}
		for _, e := range result.Errors {
			fmt.Println(" ", e.Field, e.Message)
		}
	}
	// Output:
	// ok The tip moves 0.00019 m.
	//   computed
	// ok The tip moves 0.19 m.
	//   suspect
	// error /force is of type string, expected number
	//   /force /force is of type string, expected number
	//   /length /length is -1; it must be greater than 0
}
