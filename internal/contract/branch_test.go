package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

// Of the forms of a value the one that its type names is told of, however far another one
// got; of a type that no form has, all types are told.
func TestTheFormThatTheTypeNamesIsToldOf(t *testing.T) {
	c, err := Parse(minimal(t, func(m map[string]any) {
		m["input_schema"] = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["item"],"properties":{"item":{"description":"An item.","anyOf":[
			{"type":"object","additionalProperties":false,"required":["type","role"],"properties":{"type":{"const":"message","description":"t"},"role":{"type":"string","description":"r"}}},
			{"type":"object","additionalProperties":false,"required":["type","id"],"properties":{"type":{"const":"call","description":"t"},"id":{"type":"string","description":"i"}}}]}}}`)
		m["examples"] = []any{map[string]any{"title": "t", "input": map[string]any{"item": map[string]any{"type": "call", "id": "a"}}, "notes": ""}}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]string{
		`{"item":{"type":"call"}}`:               `lacks the required field "id"`,
		`{"item":{"type":"message"}}`:            `lacks the required field "role"`,
		`{"item":{"type":"cal","id":"a"}}`:       `/item/type is "cal"; it must be one of "message", "call"`,
		`{"item":{"type":"call","id":5}}`:        "/item/id is of type number",
		`{"item":{"type":"message","role":[1]}}`: "/item/role is of type array",
	} {
		faults := c.ValidateInput(json.RawMessage(input))
		if len(faults) == 0 || !strings.Contains(faults[0].Message, want) {
			t.Errorf("%s: %v, want %q", input, faults, want)
		}
	}
}
