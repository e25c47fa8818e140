package schema

import (
	"encoding/json"
	"testing"
)

// Numbers are printed as serde_json prints them: the expected texts are its
// documented form (shortest digits, a point, an exponent outside 1e-5 to 1e16).
func TestJSONKeepsOrderAndForm(t *testing.T) {
	for in, want := range map[string]string{
		`{"z":1,"a":{"y":null,"b":[true,false]},"z":2}`: `{"z":2,"a":{"y":null,"b":[true,false]}}`,
		`[1.0,1e3,-0,1e-5,1e-6,1e15,1e16,2.5e-300]`:     `[1.0,1000.0,-0.0,0.00001,1e-6,1000000000000000.0,1e16,2.5e-300]`,
		`[18446744073709551615,18446744073709551616]`:   `[18446744073709551615,1.8446744073709552e19]`,
		"\"\\u0001\\u001f\\t\\u2028<é\\\"\\\\\"":        "\"\\u0001\\u001f\\t\u2028<é\\\"\\\\\"",
	} {
		n, err := Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.JSON(); got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
		if raw, err := json.Marshal(map[string]*Node{"n": n}); err != nil || !json.Valid(raw) {
			t.Errorf("%s: %s, %v", in, raw, err)
		}
	}
	for _, in := range []string{``, `{`, `[1`, `{} {}`, `{"a"}`, `nul`} {
		if n, err := Parse([]byte(in)); err == nil {
			t.Errorf("%q was read as %s", in, n.JSON())
		}
	}
}

// Plain leaves the schema alone that it was given a part of: two references to
// one definition get their own words.
func TestDefinitionsAreNotShared(t *testing.T) {
	n, _, err := Plain(json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/p","description":"A."},"b":{"$ref":"#/$defs/p"}},
		"$defs":{"p":{"type":"number","minimum":0,"description":"P."}}}`), true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "A. At least 0", "b": "P. At least 0"} {
		if got, _ := n.Get("properties").Get(name).Str("description"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestTypeNames(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"integer"}`: "integer",
		`{"type":"array","items":{"type":"string","enum":["a","b"]}}`: `("a" | "b")[]`,
		`{"type":"array"}`:           "any[]",
		`{}`:                         "any",
		`{"type":["string","null"]}`: "string | null",
		`{"anyOf":[{"type":"number"},{"type":"null"}]}`:                 "number | null",
		`{"oneOf":[{"type":"object"},{"type":"object"}]}`:               "object",
		`{"type":"array","items":{"type":"array","items":{"const":1}}}`: "any[][]",
	} {
		n, _, err := Plain(json.RawMessage(in), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := TypeName(n); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
