package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

// Whoever writes a contract or a program knows JSON and not Go: each fault is told
// with its place and what is expected there, in words of JSON.
func TestFaultsOfContractsAreToldInWordsOfJSON(t *testing.T) {
	const good = `{"name":"a.b","version":"1.0.0","input_schema":{"type":"object"},"output_schema":{"type":"object"},"limits":{"timeout_ms":5}}`
	for change, want := range map[string]string{
		`"timeout_ms":5|"timeout_ms":1e12`:                 "/limits/timeout_ms is a number 1e12; a whole number is expected",
		`"timeout_ms":5|"timeout_ms":"5"`:                  "/limits/timeout_ms is a string; a whole number is expected",
		`,"output_schema":{"type":"object"}|`:              "it has no output_schema",
		`"name":"a.b"|"name":"a.b","speed":1`:              `it has the unknown field "speed"`,
		`"version":"1.0.0"|"version":"1.0.0","name":"c"`:   "/name stands twice",
		`{"timeout_ms":5}|{"timeout_ms":5,"timeout_ms":6}`: "/limits/timeout_ms stands twice",
	} {
		from, to, _ := strings.Cut(change, "|")
		_, err := Parse([]byte(strings.Replace(good, from, to, 1)))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "json:") {
			t.Errorf("%s: %v, want %q", to, err, want)
		}
	}
	if got := Misfit(json.Unmarshal([]byte(`1e999`), new(float64))); got != "it is a number 1e999; a number of at most 1.8e308 is expected" {
		t.Error(got)
	}
}

// A pointer into the output is no pointer into the arguments: no protocol may take
// it for a fault of the call.
func TestFaultsOfAnOutputAreNotThoseOfACall(t *testing.T) {
	c, err := Parse([]byte(`{"name":"a.b","title":"t","version":"1.0.0","stability":"experimental","status":"active","transport":"http","endpoint":"/v1/tools/a.b",
"family":"a","tags":["a"],"description":"d","capabilities":[],"input_schema":{"type":"object"},
"output_schema":{"type":"object","additionalProperties":false,"required":["value"],"properties":{"value":{"type":"number","description":"A value."}}},
"evidence":"exact","errors":[],"examples":[{"title":"t","input":{},"notes":""}],
"effects":{"read_only":true,"destructive":false,"idempotent":true,"open_world":false,"side_effects":"none"},"deterministic":true,"limits":{},
"cost_hint":{"unit":"call","estimated_cost":0,"currency":"credits"},"engine":"atelier"}`))
	if err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string][2]string{
		`{"value":1,"zz":1}`: {"the output has an unknown field", "/zz"},
		`{}`:                 {"the output lacks the required field", "/value"},
		`{"value":"5"}`:      {"the output's /value is of type string", "/value"},
		`{"value":1e999}`:    {"the output's /value is a number that no 64-bit float holds", "/value"},
	} {
		faults := c.Answered(c.OutputFaults(c.ValidateOutput(json.RawMessage(output))))
		if len(faults) != 1 {
			t.Fatalf("%s: %v", output, faults)
		}
		f := faults[0]
		shown := Failure("s", f).InvocationResult(c, nil).Errors[0]
		if f.Code != CodeInvalidToolOutput || !strings.Contains(f.Message, want[0]) || f.Field != "" || f.Details["output"] != want[1] ||
			RanStatus(faults) != 200 || shown.Code != "INVALID_TOOL_OUTPUT" || shown.Pointer != "" || shown.Details["output"] != want[1] {
			t.Errorf("%s: %+v, shown %+v", output, f, shown)
		}
	}
}

// Whatever a call can be answered with is listed, by the contract or among the
// general errors, and none in both.
func TestEveryGeneralCodeIsListedOnce(t *testing.T) {
	c := &Contract{Errors: []ErrorSpec{{Code: CodeFileEmpty, HTTPStatus: 400, When: "own"}, {Code: CodeSolverFailed, HTTPStatus: 422, When: "own"}}}
	seen := map[string]int{}
	for _, e := range append(c.GeneralErrors(), c.Errors...) {
		if seen[e.Code]++; e.When == "" || e.HTTPStatus != c.ErrorStatus(e.Code) {
			t.Errorf("%+v", e)
		}
	}
	for _, code := range append(GeneralCodes(), CodeFileNotFound, CodeFileOutsideRoots, CodeFileEmpty, CodeFileUnreadable, CodeSolverFailed, CodeTimeout) {
		if seen[code] != 1 {
			t.Errorf("%s is listed %d times", code, seen[code])
		}
	}
}

// http.md: invalid UTF-8 is refused with its place, on every protocol.
func TestInvalidUTF8IsRefusedWithItsPlace(t *testing.T) {
	for text, at := range map[string]string{"{\"a\":{\"b\":\"x\xff\"}}": "/a/b", "{\"a\":[1,\"\xc3\"]}": "/a/1"} {
		faults := (&Contract{}).ValidateInput(json.RawMessage(text))
		if len(faults) != 1 || faults[0].Field != at || !strings.Contains(faults[0].Message, "UTF-8") || faults[0].Hint == "" {
			t.Errorf("%q: %v", text, faults)
		}
	}
}
