package contract

import (
	"fmt"
	"strings"
	"testing"
)

// References that lead back to themselves have no end, whatever keyword stands
// between (JSON Schema Core 2020-12, 9.4.1, forbids those that gain no depth).
func TestReferencesWithoutAnEndAreRefused(t *testing.T) {
	bomb := `"n0":{"type":"string"}` // unfolds to 2^40 parts
	for i := 1; i <= 40; i++ {
		bomb += fmt.Sprintf(`,"n%d":{"allOf":[{"$ref":"#/$defs/n%d"},{"$ref":"#/$defs/n%d"}]}`, i, i-1, i-1)
	}
	const schema = `{"type":"object","additionalProperties":false,"properties":{"size":{"type":"number"},"x":%s},"$defs":{"a":%s}}`
	for name, c := range map[string]struct{ x, a, want string }{
		"none":                  {`{"$ref":"#/$defs/a"}`, `{"type":"string"}`, ""},
		"twice the same":        {`{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}`, `{"type":"string"}`, ""},
		"a part of a part":      {`{"$ref":"#/$defs/a/properties/b"}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, ""},
		"properties with names": {`{"type":"object","properties":{"$ref":{"type":"string"},"$id":{"type":"string"},"const":{"$ref":"#/$defs/a"}}}`, `{"type":"string"}`, ""},
		"a value is no schema":  {`{"const":{"$ref":"#/properties/x"}}`, `{}`, ""},
		"itself":                {`{"$ref":"#/properties/x"}`, `{}`, "/properties/x/$ref leads back"},
		"by way of another":     {`{"$ref":"#/$defs/a","description":"d"}`, `{"$ref":"#/properties/x"}`, "#/$defs/a -> #/properties/x -> #/$defs/a"},
		"an unused definition":  {`{}`, `{"$ref":"#/$defs/a"}`, "/$defs/a/$ref leads back"},
		"in allOf":              {`{"$ref":"#/$defs/a"}`, `{"allOf":[{"$ref":"#/$defs/a"}]}`, "/$defs/a/allOf/0/$ref leads back"},
		"in not":                {`{"$ref":"#/$defs/a"}`, `{"not":{"$ref":"#/$defs/a"}}`, "leads back"},
		"in dependentSchemas":   {`{"$ref":"#/$defs/a"}`, `{"dependentSchemas":{"k":{"$ref":"#/$defs/a"}}}`, "leads back"},
		"a tree":                {`{"$ref":"#/$defs/a"}`, `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`, "write out as many levels"},
		"the whole":             {`{"$ref":"#"}`, `{}`, "/properties/x/$ref leads back"},
		"through a value":       {`{"$ref":"#/properties/x/default","default":{"$ref":"#/properties/x/default"}}`, `{}`, "leads back"},
		"an anchor":             {`{"$ref":"#n"}`, `{"$anchor":"n"}`, "refers to its own parts by their place"},
		"a dynamic one":         {`{"$dynamicRef":"#/$defs/a"}`, `{}`, "/properties/x/$dynamicRef"},
		"too many":              {`{"$ref":"#/$defs/n40"}`, `{},` + bomb, "has more than 20000 parts"},
	} {
		for _, side := range []string{"input_schema", "output_schema"} {
			text := strings.Replace(fmt.Sprintf(schema, c.x, c.a), `{"type":"number"}`, `{"type":"integer"}`, 1)
			_, err := Parse(minimal(t, func(m map[string]any) { m[side] = whatever(t, text) }))
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), side)) {
				t.Errorf("%s in the %s: %v, want %q", name, side, err, c.want)
			}
		}
	}
}
