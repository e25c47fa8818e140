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
	Default              any                `json:"default"`
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

// defaultAt is a property with a default: the pointer that an input has it at,
// and the smallest input that lacks nothing but this property.
type defaultAt struct {
	pointer string
	value   any
	input   any
}

// defaultsOf walks a schema; wrap puts a value where the schema stands into an input.
func defaultsOf(root, s *schema, at string, wrap func(any) any) (found []defaultAt) {
	if s == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return defaultsOf(root, root.Defs[name], at, wrap)
	}
	for name, p := range s.Properties {
		inner := func(v any) any { return wrap(map[string]any{name: v}) }
		if p.Default != nil {
			found = append(found, defaultAt{at + "/" + name, p.Default, wrap(map[string]any{})})
		}
		found = append(found, defaultsOf(root, p, at+"/"+name, inner)...)
	}
	if _, shaped := s.AdditionalProperties.(map[string]any); shaped {
		raw, err := json.Marshal(s.AdditionalProperties)
		further := &schema{}
		if err == nil && json.Unmarshal(raw, further) == nil {
			found = append(found, defaultsOf(root, further, at+"/any", func(v any) any { return wrap(map[string]any{"any": v}) })...)
		}
	}
	found = append(found, defaultsOf(root, s.Items, at+"/0", func(v any) any { return wrap([]any{v}) })...)
	return found
}

// A default stands in the schema alone: an input without the property reaches the
// tool's struct with it, unless the tool names the place as conditional.
func TestDefaultsReachTheStructs(t *testing.T) {
	seen := 0
	for _, tool := range registry(t).All() {
		c := tool.Contract
		root := parse(t, c.InputSchema)
		var conditional []string
		if in, ok := reflect.New(tool.Input).Interface().(contract.Conditional); ok {
			conditional = in.Conditional()
		}
		for _, d := range defaultsOf(root, root, "", func(v any) any { return v }) {
			raw, err := json.Marshal(d.input)
			if err != nil {
				t.Fatal(err)
			}
			filled := c.WithDefaults(raw, conditional...)
			value, has := contract.Figure(filled, d.pointer)
			left := slices.ContainsFunc(conditional, func(place string) bool { return strings.HasPrefix(d.pointer+"/", place+"/") })
			if has == left || has && !reflect.DeepEqual(value, d.value) {
				t.Errorf("%s %s: default %v, conditional %v, and %s becomes %s", c.Name, d.pointer, d.value, left, raw, filled)
			}
			if left || strings.Count(d.pointer, "/") > 1 {
				continue
			}
			seen++
			in := reflect.New(tool.Input)
			if err := json.Unmarshal(filled, in.Interface()); err != nil {
				t.Errorf("%s %s: %v", c.Name, d.pointer, err)
				continue
			}
			got, err := json.Marshal(in.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if empty, ok := d.value.([]any); ok && len(empty) == 0 {
				continue // omitted again
			}
			// A type of its own may keep another form of the default (range: "auto").
			if value, has := contract.Figure(got, d.pointer); !has || !reflect.DeepEqual(value, d.value) && value != nil && d.pointer != "/views" {
				t.Errorf("%s %s: the struct has %v of the default %v", c.Name, d.pointer, value, d.value)
			}
		}
	}
	if seen < 35 {
		t.Errorf("only %d defaults were seen", seen)
	}
}
