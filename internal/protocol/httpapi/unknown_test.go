package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// A field of the envelope that is unknown is told as one of a tool's input is: with
// its place and what there is instead.
func TestAnUnknownFieldOfABodyIsToldWithItsPlace(t *testing.T) {
	type context struct {
		Limits map[string]int `json:"limits"`
	}
	var body struct {
		context
		Tool    string   `json:"tool"`
		Context *context `json:"context"`
	}
	for text, want := range map[string][3]string{
		`{"tool":"x","arguments":{}}`:    {`the body has an unknown field "arguments"`, "/arguments", "It takes context, limits, tool."},
		`{"tol":"x"}`:                    {`the body has an unknown field "tol"`, "/tol", `Did you mean "tool"?`},
		`{"a/b":1}`:                      {`unknown field "a/b"`, "/a~1b", "It takes"},
		`{"tool":"x","context":{"q":1}}`: {`an object in the body has an unknown field "q"`, "", ""},
	} {
		err := ReadJSON(httptest.NewRequest("POST", "/", strings.NewReader(text)), &body, true)
		e := contract.AsError(err)
		if err == nil || e.Code != contract.CodeInvalidRequest || !strings.Contains(e.Message, want[0]) || e.Field != want[1] || !strings.Contains(e.Hint, want[2]) {
			t.Errorf("%s: %+v", text, e)
		}
	}
}
