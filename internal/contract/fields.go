package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// mostFieldsTold is how many fields of an object a fault lists.
const mostFieldsTold = 12

// fields are the properties of an object in a schema.
type fields map[string]*jsonschema.Schema

// fieldsOf is nil where the schema has no part at that location.
func fieldsOf(schema *jsonschema.Schema, location string) fields {
	if at := find(schema, location, map[*jsonschema.Schema]bool{}); at != nil {
		return at.Properties
	}
	return nil
}

// unknown says what an object takes that has a field it does not know.
func (f fields) unknown(e *Error, name string) *Error {
	if len(f) == 0 {
		return e
	}
	names := slices.Sorted(maps.Keys(f))
	if near := Nearest(name, names); near != "" {
		return e.WithHint("Did you mean %q? %s", near, takes(names))
	}
	return e.WithHint("%s", takes(names))
}

// missing says what the field is that an object lacks.
func (f fields) missing(e *Error, name string) *Error {
	s := f[name]
	for s != nil && s.Description == "" {
		s = s.Ref
	}
	if s == nil {
		return e
	}
	return e.WithHint("%s: %s", name, s.Description)
}

func takes(names []string) string { return "It takes " + Listed(names, mostFieldsTold) + "." }

// Listed puts the first of some names into a sentence, and how many more there are.
func Listed(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// find is the part of a schema at a location, as violations name it.
func find(s *jsonschema.Schema, location string, seen map[*jsonschema.Schema]bool) *jsonschema.Schema {
	if s == nil || seen[s] {
		return nil
	}
	if s.Location == location {
		return s
	}
	seen[s] = true
	parts := slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else, s.Items2020}, s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		parts = append(parts, s.Properties[name])
	}
	if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		parts = append(parts, more)
	}
	for _, part := range parts {
		if found := find(part, location, seen); found != nil {
			return found
		}
	}
	return nil
}
