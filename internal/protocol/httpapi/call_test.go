package httpapi

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// What is wrong within the arguments is the tool's contract to tell, with a place in the
// arguments; what is wrong around them is told here, with a place in the body.
func TestFaultsOfArgumentsAreLeftToTheTool(t *testing.T) {
	for text, want := range map[string]string{ // the field of the fault; "" where there is none
		`{"tool":"t","input":{"a":1,"a":2}}`:                              "",
		`{"input":{"a":{"b":"\ud800"}},"tool":"t"}`:                       "",
		"{\"tool\":\"t\",\"input\":{\"a\":\"\xff\"}}":                     "",
		`{"tool":"t","input":{"a":1,"a":2},"limits":{"x":1,"x":2}}`:       "/limits/x",
		`{"tool":"t","input":{"a":1,"a":2},"Tool":"u"}`:                   "/Tool",
		`{"tool":"t","input":{"a":1,"a":2},"limits":{"y":"\ud800"}}`:      "/limits/y",
		`{"tool":"t","input":{},"input":{}}`:                              "/input",
		`{"tool":5,"input":{"a":1,"a":2}}`:                                "/tool",
		`{"tool":"t","limits":{"input":{"a":1,"a":2}},"input":{"a":"b"}}`: "/limits/input/a",
	} {
		var body struct {
			Tool   string          `json:"tool"`
			Input  json.RawMessage `json:"input"`
			Limits json.RawMessage `json:"limits"`
		}
		err := ReadCall(httptest.NewRequest("POST", "/", strings.NewReader(text)), &body, true, "input")
		if got := fieldOf(err); got != want {
			t.Errorf("%s: %v at %q, want %q", text, err, got, want)
		}
		if err == nil && (body.Tool != "t" || len(body.Input) < 5) {
			t.Errorf("%s: read as %+v", text, body)
		}
	}
}

func fieldOf(err error) string {
	if err == nil {
		return ""
	}
	return contract.AsError(err).Field
}
