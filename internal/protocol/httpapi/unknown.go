package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// unknownField names a field that a route does not know as the schemas of tools do:
// with its place, and what is taken there. nil for another fault.
func unknownField(err error, raw []byte, into any) *contract.Error {
	quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field ")
	if !ok {
		return nil
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return nil
	}
	names := fieldNames(reflect.TypeOf(into))
	var body map[string]json.RawMessage
	_ = json.Unmarshal(raw, &body) // it is an object, which the decoder has seen
	if _, here := body[name]; !here || len(names) == 0 || slices.Contains(names, name) {
		return contract.Errorf(contract.CodeInvalidRequest, "an object in the body has an unknown field %q", name)
	}
	e := contract.Errorf(contract.CodeInvalidRequest, "the body has an unknown field %q", name).At("/" + jsonvalue.Escape(name))
	takes := "It takes " + strings.Join(names, ", ") + "."
	if near := contract.Nearest(name, names); near != "" {
		return e.WithHint("Did you mean %q? %s", near, takes)
	}
	return e.WithHint("%s", takes)
}

// fieldNames are the keys of the object that a struct is read from, sorted.
func fieldNames(t reflect.Type) []string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
