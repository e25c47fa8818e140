package tools

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
)

func registry(t *testing.T) *contract.Registry {
	t.Helper()
	r, err := contract.NewRegistry(All(Parts{}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// schema is the part of JSON Schema that the tests walk through.
type schema struct {
	Ref                  string             `json:"$ref"`
	Defs                 map[string]*schema `json:"$defs"`
	Type                 any                `json:"type"`
	Description          string             `json:"description"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties any                `json:"additionalProperties"`
	Items                *schema            `json:"items"`
	OneOf                []*schema          `json:"oneOf"`
	AnyOf                []*schema          `json:"anyOf"`
}

func parse(t *testing.T, raw json.RawMessage) *schema {
	t.Helper()
	s := &schema{}
	if err := json.Unmarshal(raw, s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *schema) resolve(root *schema) *schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return root.Defs[name]
	}
	return s
}

// The input struct and the input schema must have the same fields: one that
// only the schema has would be ignored in silence, one that only the struct has
// could never be sent.
func TestInputStructsMatchTheirSchemas(t *testing.T) {
	for _, tool := range registry(t).All() {
		t.Run(tool.Contract.Name, func(t *testing.T) {
			root := parse(t, tool.Contract.InputSchema)
			matchFields(t, "", tool.Input, root, root)
		})
	}
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func matchFields(t *testing.T, at string, typ reflect.Type, s, root *schema) {
	s = s.resolve(root)
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if reflect.PointerTo(typ).Implements(unmarshaler) {
		return // reads itself, e.g. a string or a list of strings
	}
	if typ.Kind() == reflect.Slice && s.Items != nil {
		matchFields(t, at+"/*", typ.Elem(), s.Items, root)
		return
	}
	if typ.Kind() != reflect.Struct || s.Properties == nil {
		return
	}
	fields := jsonFields(typ)
	for name, property := range s.Properties {
		f, ok := fields[name]
		if !ok {
			t.Errorf("the schema has %s/%s, the struct %s does not", at, name, typ)
			continue
		}
		matchFields(t, at+"/"+name, f, property, root)
		delete(fields, name)
	}
	for name := range fields {
		t.Errorf("the struct %s has %s/%s, the schema does not", typ, at, name)
	}
}

func jsonFields(typ reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(typ) {
		tag := strings.Split(field.Tag.Get("json"), ",")[0]
		if field.Anonymous && tag == "" || tag == "-" || !field.IsExported() {
			continue
		}
		if tag == "" {
			tag = field.Name
		}
		fields[tag] = field.Type
	}
	return fields
}

// Every schema is closed, and every property of an input says what it means.
func TestSchemasAreClosedAndDescribed(t *testing.T) {
	for _, tool := range registry(t).All() {
		for side, raw := range map[string]json.RawMessage{"input": tool.Contract.InputSchema, "output": tool.Contract.OutputSchema} {
			t.Run(tool.Contract.Name+"/"+side, func(t *testing.T) {
				root := parse(t, raw)
				walk(root, "", func(at string, s *schema) {
					if s.Properties != nil && s.AdditionalProperties != false {
						t.Errorf("the object at %q is not closed", at)
					}
					for name, p := range s.Properties {
						if side == "input" && p.Description == "" && p.resolve(root).Description == "" {
							t.Errorf("%s/%s has no description", at, name)
						}
					}
				})
			})
		}
	}
}

func walk(s *schema, at string, visit func(at string, s *schema)) {
	if s == nil {
		return
	}
	visit(at, s)
	for name, p := range s.Properties {
		walk(p, at+"/"+name, visit)
	}
	for name, d := range s.Defs {
		walk(d, at+"/$defs/"+name, visit)
	}
	walk(s.Items, at+"/*", visit)
	for _, b := range append(slices.Clone(s.OneOf), s.AnyOf...) {
		walk(b, at, visit)
	}
}

func TestExactlyTwoToolsAreStable(t *testing.T) {
	stable, err := registry(t).Filter(contract.Stable, nil)
	if err != nil || len(stable) != 2 || stable[0].Contract.Name != "echo_json" || stable[1].Contract.Name != "write_text_artifact" {
		t.Fatalf("%v %v", stable, err)
	}
}
