package contract

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"atelier/internal/jsonvalue"
)

// Names are compared as RFC 8259 has them, code unit by code unit, and every fault
// of a body has its place and what is expected there.
func TestBodiesAreReadByExactNames(t *testing.T) {
	type part struct {
		WaitMS *float64 `json:"wait_ms"`
	}
	var body struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
		Parts []part          `json:"parts"`
	}
	for text, want := range map[string][3]string{
		`{"tool":"t.q","Tool":"t.e"}`:         {`the body has an unknown field "Tool"`, "/Tool", `Did you mean "tool"? It takes input, parts, tool.`},
		`{"INPUT":{}}`:                        {`the body has an unknown field "INPUT"`, "/INPUT", `"input"`},
		`{"parts":[{},{"Wait_ms":1}]}`:        {`/parts/1 has an unknown field "Wait_ms"`, "/parts/1/Wait_ms", `Did you mean "wait_ms"? It takes wait_ms.`},
		`{"parts":[{},{"wait_ms":"1"}]}`:      {"/parts/1/wait_ms is a JSON string, expected number", "/parts/1/wait_ms", ""},
		`{"parts":[5]}`:                       {"/parts/0 is a JSON number, expected object", "/parts/0", ""},
		`{"input":{"a":1,"a":2}}`:             {"/input/a stands twice", "/input/a", "once"},
		"{\"tool\":\"\xff\"}":                 {"/tool is not good JSON", "/tool", "UTF-8"},
		"\xff\xfe{\x00}\x00":                  {"UTF-16", "", "UTF-8"},
		`{"tool":NaN}`:                        {"the body is not valid JSON", "", ""},
		`{"tool":"a"} 5`:                      {"more than one JSON value", "", ""},
		``:                                    {"the body is empty", "", ""},
		`{"input":{"A":1,"a":2},"tool":null}`: {"", "", ""}, // inside of what a tool gets, its schema rules
	} {
		e := Body([]byte(text), &body, false)
		if (e == nil) != (want[0] == "") || e != nil && (e.Code != CodeInvalidRequest || !strings.Contains(e.Message, want[0]) || e.Field != want[1] || !strings.Contains(e.Hint, want[2])) {
			t.Errorf("%s: %+v, want %q", text, e, want)
		}
	}
	if e := Part([]byte(`{"Wait_MS":1}`), &part{}, true, "/x"); e == nil || e.Field != "/x/Wait_MS" || !strings.HasPrefix(e.Message, "/x has an unknown field") {
		t.Errorf("%+v", e)
	}
}

// What programs write is told in the words of TestFaultsOfContractsAreToldInWordsOfJSON,
// with the index of what stands in a list.
func TestFaultsOfProgramsHaveTheirPlace(t *testing.T) {
	var line struct {
		Warnings []Warning `json:"warnings"`
		Value    *float64  `json:"value"`
		Passed   bool      `json:"passed"`
	}
	for text, want := range map[string]string{
		`{"warnings":["careful"]}`:           "/warnings/0 is a string; an object is expected",
		`{"warnings":5}`:                     "/warnings is a number; a list is expected",
		`{"warnings":[{"code":[]}]}`:         "/warnings/0/code is an array; a text is expected",
		`{"value":true}`:                     "/value is true or false; a number of at most 1.8e308 is expected",
		`{"value":1e999}`:                    "/value is a number 1e999; a number of at most 1.8e308 is expected",
		`{"passed":{}}`:                      "/passed is an object; true or false is expected",
		`{"Value":1}`:                        `it has the unknown field "Value". Did you mean "value"? It takes passed, value, warnings`,
		`{"warnings":[{},{"trust":"v"}]}`:    `/warnings/1 has the unknown field "trust". It takes code, message`,
		`{"value":1,"value":2}`:              "/value stands twice in its object",
		`{"value":1,"warnings":[],"passed":`: "it is not valid JSON: unexpected end of JSON input",
		`{"value":1}`:                        "",
	} {
		if got := Unfit([]byte(text), reflect.TypeOf(line), jsonvalue.Rules{}); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// One limit for all protocols: a text of 1000 levels is taken, one of 1001 is not.
func TestNestingHasOneLimit(t *testing.T) {
	for levels, good := range map[int]bool{1000: true, 1001: false, 12_000: false} {
		text := []byte(strings.Repeat("[", levels) + strings.Repeat("]", levels))
		e := StrictJSON(text, CodeInvalidInput)
		if (e == nil) != good || e != nil && !strings.Contains(e.Message, "nested more than 1000 deep") {
			t.Errorf("%d: %v", levels, e)
		}
		faults := (&Contract{}).ValidateInput(text)
		if !good && (len(faults) != 1 || !strings.Contains(faults[0].Message, "nested more than 1000 deep")) {
			t.Errorf("%d: %v", levels, faults)
		}
	}
}
