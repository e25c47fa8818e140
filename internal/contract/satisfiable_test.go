package contract

import (
	"fmt"
	"strings"
	"testing"
)

// No value meets these schemas, by the plain meaning of their keywords; those without
// a sentence have values that do.
func TestSchemasThatNothingMeetsAreRefused(t *testing.T) {
	object := func(rest string) string { return `{"type":"object","additionalProperties":false,` + rest + `}` }
	for x, want := range map[string]string{
		object(`"required":["a"],"properties":{"a":{}}`):                                            "",
		`{"type":"object","required":["a"],"properties":{"b":{}}}`:                                  "",
		object(`"required":["a1"],"patternProperties":{"^a":{}}`):                                   "",
		object(`"required":["b1"],"patternProperties":{"^a":{}}`):                                   `/properties/x/required/0 is "b1"`,
		object(`"required":["a","zzz"],"properties":{"a":{}}`):                                      `/properties/x/required/1 is "zzz", a field that /properties/x/properties`,
		object(`"required":["a"],"properties":{"a":false}`):                                         `/properties/x/required/0 is "a"`,
		object(`"properties":{"a":{}},"allOf":[{"required":["b"]}]`):                                `/properties/x/allOf/0/required/0 is "b"`,
		object(`"properties":{"a":{}},"anyOf":[{"required":["a"]},{"not":{"required":["a","b"]}}]`): "",
		`{"minimum":1,"maximum":1}`:                                                                 "",
		`{"minimum":5,"maximum":1}`:                                                                 "/properties/x/minimum is 5 and /properties/x/maximum is 1",
		`{"minimum":1,"exclusiveMaximum":1}`:                                                        "no value is within both",
		`{"minimum":5,"allOf":[{"maximum":1}]}`:                                                     "/properties/x/allOf/0/maximum is 1",
		`{"type":"integer","minimun":5}`:                                                            `/properties/x has "minimun", which is no keyword of JSON Schema and does nothing: write minimum`,
		`{"type":"string","not":{}}`:                                                                "/properties/x/not excludes every value",
		`{"type":"string","not":{"const":"a"}}`:                                                     "",
		`{"allOf":[{"type":"string"},{"type":"integer"}]}`:                                          "/properties/x/allOf/0/type and /properties/x/allOf/1/type exclude each other",
		`{"type":"number","allOf":[{"type":"integer"}]}`:                                            "",
		`{"type":"integer","minimum":1,"maximum":4,"multipleOf":5}`:                                 "/properties/x/multipleOf is 5",
		`{"type":"number","minimum":0.1,"maximum":0.4,"multipleOf":0.25}`:                           "",
		`{"type":"integer","x-order":5}`:                                                            "",
		`{"type":"integer","minimum":0.2,"maximum":0.8}`:                                            "/properties/x is an integer, and between its limits there is none",
		`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`:                              "there is none",
		`{"type":"integer","minimum":-1.5,"maximum":-0.5}`:                                          "", // -1
		`{"type":"integer","exclusiveMinimum":0,"maximum":1}`:                                       "",
		object(`"minProperties":2,"properties":{"a":{}}`):                                           "/properties/x/minProperties is 2, and the object may have 1 fields",
		`{"type":"array","uniqueItems":true,"minItems":3,"items":{"enum":[1,2]}}`:                   "/properties/x/minItems is 3",
		`{"type":"array","minItems":3,"items":{"enum":[1,2]}}`:                                      "",
		`{"minLength":2,"maxLength":1}`:                                                             "/properties/x/minLength is 2",
		`{"type":"array","items":{"enum":[]}}`:                                                      "/properties/x/items/enum is empty",
		`{"type":"number","enum":["a"]}`:                                                            "/properties/x/enum/0 does not fit",
		`{"type":"number","default":"five"}`:                                                        "/properties/x/default does not fit the schema that it stands in: it is of type string, expected number",
		`{"type":"number","quantity":"length","default":"2 mm"}`:                                    "/properties/x/default does not fit", // tools get numbers
		`{"type":"number","quantity":"length","default":0.002,"examples":["2 mm"]}`:                 "",
		`{"type":"object","properties":{"a":{"type":"integer"}},"default":{"a":"b"}}`:               "/properties/x/default does not fit the schema that it stands in: at /a it is of type string",
		`{"$ref":"#/$defs/n","default":11}`:                                                         "it is 11; it must be at most 9",
		`{"$ref":"#/$defs/n","examples":[1]}`:                                                       "",
	} {
		c, err := Parse(minimal(t, func(m map[string]any) {
			m["input_schema"] = whatever(t, fmt.Sprintf(`{"type":"object","additionalProperties":false,"properties":{"size":{"type":"number"},"x":%s},"$defs":{"n":{"type":"integer","maximum":9}}}`, x))
		}))
		if err != nil {
			t.Fatalf("%s: %v", x, err)
		}
		err = c.CheckSatisfiable()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "input_schema: ") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", x, err, want)
		}
	}
}
