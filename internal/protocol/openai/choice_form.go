package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// ofOneForm puts in the place of the faults of tool_choice that of the form that the
// caller has plainly meant, with its place as it was written: of a choice among forms
// the schema can only tell that one of them does not fit.
func ofOneForm(raw json.RawMessage, faults []*contract.Error) []*contract.Error {
	isChoice := func(e *contract.Error) bool {
		return e.Field == choiceField || strings.HasPrefix(e.Field, choiceField+"/")
	}
	if !slices.ContainsFunc(faults, isChoice) {
		return faults
	}
	var body map[string]json.RawMessage
	var choice map[string]json.RawMessage
	if json.Unmarshal(raw, &body) != nil || json.Unmarshal(body["tool_choice"], &choice) != nil || choice == nil {
		return faults
	}
	meant := namedToolFault(choice)
	if meant == nil {
		return faults
	}
	return append(slices.DeleteFunc(faults, isChoice), meant)
}

// namedToolFault is what is wrong with an object that names one tool; nil for an
// object of another form.
func namedToolFault(choice map[string]json.RawMessage) *contract.Error {
	function, nested := choice["function"]
	_, named := choice["name"]
	if !nested && !named && string(choice["type"]) != `"function"` {
		return nil
	}
	if kind, given := choice["type"]; given && string(kind) != "null" && string(kind) != `"function"` {
		return contract.Errorf(contract.CodeInvalidRequest, "%s/type is %.40s; beside the name of a tool it must be \"function\"", choiceField, kind).At(choiceField + "/type")
	}
	object, at := choice, choiceField
	if nested {
		at = choiceField + "/function"
		object = nil
		if json.Unmarshal(function, &object) != nil || object == nil {
			return ofKind(at, function, "object")
		}
	}
	var name string
	switch given, has := object["name"]; {
	case !has:
		return contract.Errorf(contract.CodeInvalidRequest, "%s lacks the required field \"name\"", at).At(at + "/name").WithHint("Give the name of the tool: GET /v1/tools lists them.")
	case json.Unmarshal(given, &name) != nil || string(given) == "null":
		return ofKind(at+"/name", given, "string")
	case name == "":
		return contract.Errorf(contract.CodeInvalidRequest, "%s/name is empty", at).At(at + "/name").WithHint("Give the name of the tool: GET /v1/tools lists them.")
	}
	for _, place := range []struct {
		at    string
		given json.RawMessage
	}{{at + "/arguments", object["arguments"]}, {choiceField + "/arguments", choice["arguments"]}, {choiceField + "/input", choice["input"]}} {
		if given := noNull(place.given); len(given) > 0 && given[0] != '{' && given[0] != '"' {
			return ofKind(place.at, given, "object or string").WithHint("Send an object, or a string that holds one.")
		}
	}
	return nil
}

func ofKind(at string, given json.RawMessage, want string) *contract.Error {
	got := jsonvalue.KindOf(given)
	e := contract.Errorf(contract.CodeInvalidRequest, "%s is of type %s, expected %s", at, got, want).At(at)
	e.Expected, e.Actual = want, got
	return e.With("fault", contract.FaultType)
}
