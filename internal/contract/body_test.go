package contract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/contract"
)

func TestBodySchemaSaysWhatIsWrong(t *testing.T) {
	schema, err := contract.NewBodySchema("Request", map[string]json.RawMessage{
		"Request": json.RawMessage(`{"type":"object","required":["model"],"properties":{"model":{"type":"string"},"n":{"type":["integer","null"]},
"input":{"anyOf":[{"type":"null"},{"type":"string"},{"type":"array","items":{"$ref":"#/components/schemas/Item"}}]}}}`),
		"Item": json.RawMessage(`{"anyOf":[{"type":"object","required":["role"],"properties":{"role":{"enum":["user","tool"]}}},{"type":"object","required":["type"],"properties":{"type":{"const":"x"}}}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	for body, says := range map[string]string{
		`{"model":"m","input":[{"role":"user"},{"type":"x"}],"other":1}`: "",
		`{}`:                            "lacks the required field \"model\"",
		`{"model":"m","input":7}`:       "/input is of type number, expected array or null or string",
		`{"model":"m","input":[7]}`:     "/input/0 is of type number, expected object",
		`{"model":"m","input":[{}]}`:    "/input/0 lacks the required field",
		`{"model":"m","n":1e999999999}`: "/n is a number that no 64-bit float holds",
		`{"model":"m","n":1.5}`:         "/n is of type number, expected null or integer",
		`[]`:                            "expected object",
		`{"model":"m","input":[{"role":"boss"}]}`: `/input/0/role is "boss"; it must be one of "user", "tool"`,
	} {
		faults := schema.Check(json.RawMessage(body))
		switch {
		case says == "" && len(faults) > 0:
			t.Errorf("%s: %v", body, contract.Faults(faults))
		case says != "" && (len(faults) == 0 || faults[0].Code != contract.CodeInvalidRequest || !strings.Contains(contract.Faults(faults).Error(), says)):
			t.Errorf("%s: %v, want %q", body, contract.Faults(faults), says)
		}
	}
	if _, err := contract.NewBodySchema("Request", map[string]json.RawMessage{"Request": json.RawMessage(`{"$ref":"#/components/schemas/None"}`)}); err == nil {
		t.Error("a reference to nothing was accepted")
	}
}
