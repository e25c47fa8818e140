package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

// JSON Schema 2020-12 says what each keyword takes; its author is told the place
// and that, and nothing of the compiler.
func TestFaultsOfSchemasAreToldInPlainWords(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string","pattern":"["}}}`:      `input_schema: /properties/a/pattern is "[", which is no regular expression: missing closing ]`,
		`{"type":"object","properties":{"a":{"type":"string","pattern":"(?=a)b"}}}`: "no look-around",
		`{"type":"object","properties":{"a":{"type":"strin"}}}`:                     `input_schema: /properties/a/type is "strin"; it must be one of "array", "boolean"`,
		`{"type":"object","properties":{"a":{"minimum":"3"}}}`:                      "/properties/a/minimum is of type string, expected number",
		`{"type":"object","required":"a"}`:                                          "/required is of type string, expected array",
		`{"type":"object","properties":{"a":{"multipleOf":0}}}`:                     "/properties/a/multipleOf is 0; it must be greater than 0",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`:                 "input_schema: a $ref leads to #/$defs/x, and nothing is there",
		`{"type":"object","$schema":"http://x/y"}`:                                  `"http://x/y"`,
		`{"type":"array"}`: "the top level must be of type object",
	} {
		_, err := compileSchema("c.x/input", json.RawMessage(schema))
		if err == nil {
			t.Errorf("%s is taken", schema)
			continue
		}
		said := SchemaFault(err).Error()
		if !strings.Contains(said, want) || strings.Contains(said, "metaschema") || strings.Contains(said, "allOf") || strings.Contains(said, "contract:///") {
			t.Errorf("%s: %s, want %s", schema, said, want)
		}
	}
}
