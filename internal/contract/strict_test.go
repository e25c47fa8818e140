package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

// RFC 8259 leaves open what a second key or a lone surrogate means; a call that
// has one is refused, with its place.
func TestDuplicateKeysAndLoneSurrogatesAreRefused(t *testing.T) {
	for text, at := range map[string]string{
		`{"a":1,"a":2}`:                 "/a",
		`{"a":[{"b":1},{"b":1,"b":1}]}`: "/a/1/b",
		`{"a~/b":{"\u0063":1,"c":2}}`:   "/a~0~1b/c", // the same key, once as an escape
		`{"a":"\ud800"}`:                "/a",
		`{"a":["x","\udc00\ud800"]}`:    "/a/1",
		"{\"a\":\"\xff\"}":              "/a",
	} {
		e := StrictJSON([]byte(text), CodeInvalidRequest)
		if e == nil || e.Field != at || e.Code != CodeInvalidRequest || e.Hint == "" || strings.Contains(e.Message, "jsontext") || strings.ContainsAny(e.Message, "`}") {
			t.Errorf("%s: %+v, want a fault at %s", text, e, at)
		}
	}
	for _, text := range []string{`{"a":"\ud83d\ude00","b":{"a":1}}`, `[1,1]`, `"ü"`} {
		if e := StrictJSON([]byte(text), CodeInvalidRequest); e != nil {
			t.Errorf("%s: %v", text, e)
		}
	}
}

// Limits that are no whole numbers are told by their names, in JSON's words.
func TestWrongLimitsAreNamed(t *testing.T) {
	c := &Contract{}
	for wish, at := range map[string]string{
		`{"timeout_ms":"abc"}`: "/limits/timeout_ms", `{"max_stdout_bytes":[]}`: "/limits/max_stdout_bytes",
		`{"timeout_ms":1.5}`: "/limits/timeout_ms", `[]`: "/limits", `"x"`: "/limits",
	} {
		_, _, faults := c.ResolveLimits(json.RawMessage(wish))
		if len(faults) != 1 || faults[0].Field != at || strings.Contains(faults[0].Message, "json:") || strings.Contains(faults[0].Message, "unmarshal") {
			t.Errorf("%s: %+v", wish, faults)
		}
	}
}
