package join

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func parts(t *testing.T, file string) *Parts {
	t.Helper()
	p, err := New(map[string][]byte{"common.json": []byte(file)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const common = `{
  "$defs": {
    "length": {"type": "number", "exclusiveMinimum": 0, "description": "A length."},
    "box": {"type": "object", "properties": {"a": {"$ref": "atelier:defs/length", "description": "First edge."}}}
  },
  "properties": {
    "place": {"face": {"type": "string"}, "depth": {"$ref": "atelier:defs/length"}},
    "size": {"height": {"$ref": "atelier:defs/length"}}
  },
  "errors": {"files": [{"code": "a"}, {"code": "b"}]}
}`

func TestPartsTakeThePlaceOfTheirReferences(t *testing.T) {
	for what, c := range map[string][2]string{
		"a schema, inside another part": {
			`{"input_schema": {"$ref": "atelier:defs/box"}}`,
			`{"input_schema": {"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": 0, "description": "First edge."}}}}`},
		"an annotation and a new keyword beside it": {
			`{"output_schema": {"$ref": "atelier:defs/length", "description": "Height.", "maximum": 3, "default": 1}}`,
			`{"output_schema": {"type": "number", "exclusiveMinimum": 0, "description": "Height.", "maximum": 3, "default": 1}}`},
		"two groups of properties among others": {
			`{"input_schema": {"properties": {"$ref": ["atelier:properties/place", "atelier:properties/size"], "own": {"type": "null"}}}}`,
			`{"input_schema": {"properties": {"face": {"type": "string"},
			  "depth": {"type": "number", "exclusiveMinimum": 0, "description": "A length."},
			  "height": {"type": "number", "exclusiveMinimum": 0, "description": "A length."}, "own": {"type": "null"}}}}`},
		"rows of errors": {
			`{"errors": [{"code": "x"}, {"$ref": "atelier:errors/files"}, {"code": "y"}]}`,
			`{"errors": [{"code": "x"}, {"code": "a"}, {"code": "b"}, {"code": "y"}]}`},
		"nothing outside schemas and errors": {
			`{"examples": [{"input": {"$ref": "atelier:defs/box"}}]}`,
			`{"examples": [{"input": {"$ref": "atelier:defs/box"}}]}`},
		"a contract's own definitions": {
			`{"input_schema": {"$ref": "#/$defs/x", "title": "atelier:"}}`,
			`{"input_schema": {"$ref": "#/$defs/x", "title": "atelier:"}}`},
	} {
		got, err := parts(t, common).Contract([]byte(c[0]))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		var have, want any
		if err := json.Unmarshal(got, &have); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(c[1]), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(have, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", what, got, c[1])
		}
	}
}

// Readers meet members in the order in which the contract and the part have them.
func TestTheOrderOfMembersIsKept(t *testing.T) {
	got, err := parts(t, common).Contract([]byte(`{"z": 1.50, "input_schema": {"properties": {"w": {}, "$ref": "atelier:properties/place", "b": {"const": "<&>"}}}, "a": []}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"z":1.50,"input_schema":{"properties":{"w":{},"face":{"type":"string"},` +
		`"depth":{"type":"number","exclusiveMinimum":0,"description":"A length."},"b":{"const":"<&>"}}},"a":[]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWrongReferencesAreRefusedWithTheirPlace(t *testing.T) {
	for file, wants := range map[string][]string{
		`{"input_schema": {"properties": {"m": {"$ref": "atelier:defs/lenght"}}}}`:                  {"/input_schema/properties/m/$ref", `"defs/lenght"`, "box, length"},
		`{"input_schema": {"properties": {"$ref": "atelier:defs/length"}}}`:                         {"/input_schema/properties/$ref", "atelier:properties/NAME"},
		`{"input_schema": {"$ref": "atelier:properties/place"}}`:                                    {"/input_schema/$ref", "atelier:defs/NAME"},
		`{"output_schema": {"$ref": "atelier:defs/length", "type": "string"}}`:                      {"/output_schema/type", "stands in the shared part already"},
		`{"output_schema": {"properties": {"$ref": "atelier:properties/place", "face": {}}}}`:       {"/output_schema/properties/face", "already"},
		`{"errors": [{"$ref": "atelier:errors/files", "when": "always"}]}`:                          {"/errors/0", "nothing can stand beside"},
		`{"errors": [{"$ref": "atelier:errors/gone"}]}`:                                             {"/errors/0/$ref", "files"},
		`{"input_schema": {"properties": {"x": {}, "x": {"$ref": "atelier:defs/box"}}}}`:            {"/input_schema/properties/x", "twice"},
		`{"input_schema": {"items": [{"properties": {"a": {"$ref": "atelier:defs"}}}, {}]}, "b":1}`: {"/input_schema/items/0/properties/a/$ref"},
	} {
		_, err := parts(t, common).Contract([]byte(file))
		if err == nil {
			t.Errorf("%s was taken", file)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v lacks %q", file, err, want)
			}
		}
	}
}

func TestWrongPartsAreRefused(t *testing.T) {
	for file, want := range map[string]string{
		`{"$defs": {"a": {"items": {"$ref": "atelier:defs/b"}}, "b": {"not": {"$ref": "atelier:defs/a"}}}}`: "defs/a -> defs/b -> defs/a",
		`{"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {}}}`:                                       "/items/$ref",
		`{"$defs": {"a": {"$ref": "atelier:defs/c"}}}`:                                                      `"defs/c"`,
		`{"$defs": {"A b": {}}}`:       "must match",
		`{"parts": {}}`:                "/parts",
		`{"$defs": {"a": {}}} {}`:      "goes on",
		`{"$defs": {"a": {"type": "nu`: "EOF",
	} {
		_, err := New(map[string][]byte{"common.json": []byte(file)})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "common.json") {
			t.Errorf("%s: %v lacks %q or the file", file, err, want)
		}
	}
	_, err := New(map[string][]byte{"a.json": []byte(`{"$defs": {"x": {}}}`), "b.json": []byte(`{"$defs": {"x": {}}}`)})
	if err == nil || !strings.Contains(err.Error(), "a.json") || !strings.Contains(err.Error(), "b.json") {
		t.Errorf("a name in two files: %v", err)
	}
}
