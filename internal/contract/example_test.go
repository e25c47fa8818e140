package contract_test

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/internal/contract"
)

// A contract and a typed handler make a tool. The schema says what is valid and
// what is taken where nothing is said; the handler sees neither.
func ExampleBind() {
	type input struct {
		Name  string `json:"name"`
		Times int    `json:"times"`
	}
	type output struct {
		Greeting string `json:"greeting"`
	}
	tool := contract.Bind([]byte(`{
		"name": "greet", "title": "Greet", "version": "1.0.0", "stability": "experimental", "status": "active",
		"transport": "http, mcp", "endpoint": "/v1/tools/greet", "family": "examples", "tags": ["example"], "description": "Greets.", "capabilities": [],
		"input_schema": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
			"name": {"type": "string", "minLength": 1}, "times": {"type": "integer", "minimum": 1, "default": 2}}},
		"output_schema": {"type": "object", "required": ["greeting"], "additionalProperties": false, "properties": {"greeting": {"type": "string"}}},
		"evidence": "none", "errors": [], "examples": [{"title": "Ada", "input": {"name": "Ada"}, "notes": ""}],
		"effects": {"read_only": true, "destructive": false, "idempotent": true, "open_world": false, "side_effects": "none"},
		"deterministic": true, "limits": {}, "cost_hint": {"unit": "call", "estimated_cost": 0, "currency": "credits"}, "engine": "atelier"}`),
		func(_ context.Context, _ *contract.Call, in input) (*contract.Result, error) {
			return &contract.Result{Output: output{fmt.Sprintf("%d times hello, %s", in.Times, in.Name)}}, nil
		})
	if err := tool.Check(); err != nil {
		fmt.Println(err)
		return
	}
	for _, fault := range tool.Contract.ValidateInput(json.RawMessage(`{"times": 0}`)) {
		fmt.Println(fault.Code, fault.Field)
	}
	result, err := tool.Run(context.Background(), &contract.Call{}, json.RawMessage(`{"name": "Ada"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Output.(output).Greeting)
	// Output:
	// invalid_request /name
	// invalid_request /times
	// 2 times hello, Ada
}
