package jsonvalue

import (
	"encoding/json"
	"testing"

	"atelier/internal/testenv"
)

// The cases of RFC 6901, section 5, and what undoes what.
func TestPointerTokens(t *testing.T) {
	for name, token := range map[string]string{"a/b": "a~1b", "m~n": "m~0n", "~1": "~01", "/~": "~1~0", "": "", "plain": "plain"} {
		if got := Escape(name); got != token {
			t.Errorf("%q is escaped to %q, not %q", name, got, token)
		}
		if got := Unescape(token); got != name {
			t.Errorf("%q stands for %q, not %q", token, got, name)
		}
	}
	r := testenv.Random(t)
	for range 1000 {
		name := make([]byte, r.IntN(8))
		for i := range name {
			name[i] = "~/01a"[r.IntN(5)]
		}
		if got := Unescape(Escape(string(name))); got != string(name) {
			t.Fatalf("%q comes back as %q", name, got)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2,3]}`, ` { "b" : [2, 3], "a" : 1 }`, true},
		{`[1, 10, 0.5]`, `[1.0, 1e1, 5e-1]`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`"1"`, `1`, false},
		{`"\u0061"`, `"a"`, true},
		{`true`, `false`, false},
		{`{"a":`, `{"a":`, true},
		{`{"a":`, `{"a": `, false},
		{`1`, `1 2`, false},
		{``, ``, true},
		{``, `null`, false},
	} {
		if got := Same(json.RawMessage(c.a), json.RawMessage(c.b)); got != c.want {
			t.Errorf("Same(%s, %s) is %v", c.a, c.b, got)
		}
		if got := Same(json.RawMessage(c.b), json.RawMessage(c.a)); got != c.want {
			t.Errorf("Same(%s, %s) is %v", c.b, c.a, got)
		}
	}
}
