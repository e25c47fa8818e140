package jsonvalue

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	Limit *float64 `json:"limit"`
}

type embedded struct {
	Shared string `json:"shared"`
}

type outer struct {
	embedded
	Kind  string          `json:"kind"`
	Count int             `json:"count"`
	List  []inner         `json:"list"`
	Map   map[string]bool `json:"map"`
	Raw   json.RawMessage `json:"raw"`
	Any   any             `json:"any"`
	Flat  *inner          `json:"flat"`
}

// Names of JSON are compared exactly (RFC 8259 section 8.3: code unit by code
// unit), a key that stands twice has no meaning (section 4), and every fault has
// the place that RFC 6901 gives it, with indices.
func TestATextIsComparedByExactNames(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"a","count":3,"list":[{"limit":1},{"limit":null}],"map":{"A":true,"a":false},"raw":{"B":1,"b":2},"any":[{"x":1}],"flat":null,"shared":"s"}`: "",
		`{"kind":"a","Kind":"b"}`:       "unknown /Kind near kind",
		`{"list":[{},{"Limit":5}]}`:     "unknown /list/1/Limit near limit",
		`{"SHARED":"s"}`:                "unknown /SHARED near shared",
		`{"\u212aind":"s"}`:             "unknown /\u212aind near kind", // the Kelvin sign, which folds to k
		`{"flat":{"a/b":1}}`:            "unknown /flat/a~1b near ",
		`{"list":[{"limit":1},5]}`:      "/list/1 is number",
		`{"list":{}}`:                   "/list is object",
		`{"list":[{"limit":"5"}]}`:      "/list/0/limit is string",
		`{"count":1.5}`:                 "/count is number 1.5",
		`{"count":1e3}`:                 "/count is number 1e3", // which encoding/json refuses too
		`{"flat":{"limit":1e999}}`:      "/flat/limit is number 1e999",
		`{"map":{"a":1}}`:               "/map/a is number",
		`[]`:                            " is array",
		`{"list":[{"limit":1,"l`:        "text",
		`{"kind":"a"} {}`:               "text",
		`{"kind":"a","kind":"b"}`:       "text",
		`{"raw":{"b":1,"b":2}}`:         "text",
		"{\"any\":\"\xff\"}":            "text",
		`{"flat":{"limit":1,"limit":2}`: "text",
	} {
		if got := said(Fit([]byte(text), reflect.TypeFor[*outer](), Rules{})); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"other":1,"flat":{"other":2}}`:        "",
		`{"flat":{"other":2,"LIMIT":3}}`:        "unknown /flat/LIMIT near limit",
		`{"kind":"a","kind":"b"}`:               "twice /kind",
		`{"map":{"a":true,"a":false}}`:          "twice /map/a",
		`{"raw":{"b":1,"b":2},"any":"` + "\xff": "text",
		"{\"raw\":{\"b\":1,\"b\":\"\xff\"}}":    "",
	} {
		if got := said(Fit([]byte(text), reflect.TypeFor[outer](), Rules{Open: true, Loose: true})); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func said(m *Misfit) string {
	switch {
	case m == nil:
		return ""
	case m.Text != nil:
		return "text"
	case m.Twice:
		return "twice " + m.At
	case m.Unknown:
		return "unknown " + m.At + " near " + m.Near()
	}
	return m.At + " is " + m.Got
}

// Whatever fits is read by encoding/json without an error, and into the fields
// that it names alone.
func TestWhatFitsIsRead(t *testing.T) {
	text := []byte(`{"kind":"a","count":3,"list":[{"limit":1}],"map":{"A":true},"raw":{"KIND":1},"shared":"s"}`)
	var o outer
	if m := Fit(text, reflect.TypeFor[outer](), Rules{}); m != nil || json.Unmarshal(text, &o) != nil || o.Kind != "a" || o.Shared != "s" || *o.List[0].Limit != 1 {
		t.Errorf("%+v %+v", m, o)
	}
}

func TestNestingIsCounted(t *testing.T) {
	for depth, want := range map[int]bool{Deepest: false, Deepest + 1: true} {
		if got := TooDeep([]byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))); got != want {
			t.Errorf("%d: %v", depth, got)
		}
	}
	if TooDeep([]byte(`["` + strings.Repeat("[", 2000) + `\"` + strings.Repeat("{", 2000) + `"]`)) {
		t.Error("brackets in a text count")
	}
	if TooDeep([]byte("[" + strings.Repeat("[],{},", 2000) + "1]")) {
		t.Error("neighbours count")
	}
}
