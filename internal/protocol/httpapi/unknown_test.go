package httpapi

import (
	"encoding/json"
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
		`{"tool":"x","context":{"q":1}}`: {`/context has an unknown field "q"`, "/context/q", "It takes limits."},
		`{"tool":"x","Tool":"y"}`:        {`the body has an unknown field "Tool"`, "/Tool", `Did you mean "tool"? It takes`},
		`{"context":{"Limits":{}}}`:      {`/context has an unknown field "Limits"`, "/context/Limits", `Did you mean "limits"?`},
	} {
		err := ReadJSON(httptest.NewRequest("POST", "/", strings.NewReader(text)), &body, true)
		e := contract.AsError(err)
		if err == nil || e.Code != contract.CodeInvalidRequest || !strings.Contains(e.Message, want[0]) || e.Field != want[1] || !strings.Contains(e.Hint, want[2]) {
			t.Errorf("%s: %+v", text, e)
		}
	}
}

// A body that lets unknown fields through takes none for another: which of the two
// counts depends on who reads it.
func TestAnOpenBodyRefusesWhatDiffersInCaseAlone(t *testing.T) {
	var body struct {
		Model string          `json:"model"`
		Input json.RawMessage `json:"input"`
	}
	for text, at := range map[string]string{
		`{"model":"a","mode":"x","input":{"Model":1,"model":2}}`: "", `{"model":"a","Model":"b"}`: "/Model", `{"MODEL":"b"}`: "/MODEL",
		`{"input":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}": "deep", "\ufeff{}": "byte order mark", `{} {}`: "more than one",
	} {
		err := ReadJSON(httptest.NewRequest("POST", "/", strings.NewReader(text)), &body, false)
		if (at == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), at) || strings.HasPrefix(at, "/") && contract.AsError(err).Field != at {
			t.Errorf("%.80s: %v, want %s", text, err, at)
		}
	}
}

// Of two keys a server would follow one, and a repetition by the other would run again.
func TestACallHasOneKey(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	for _, want := range []bool{true, true, false} { // none, one, two
		if e := checkKey(r); (e == nil) != want || e != nil && e.Field != idempotencyHeader {
			t.Errorf("%v: %v", r.Header, e)
		}
		r.Header.Add(idempotencyHeader, "a")
	}
}
