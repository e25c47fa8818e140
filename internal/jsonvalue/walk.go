package jsonvalue

import (
	"maps"
	"slices"
	"strconv"
)

// Walk visits a decoded value and all within it, each before its parts and these in the
// order of their names, with their JSON pointers; an error ends it.
func Walk(v any, visit func(pointer string, v any) error) error { return walk("", v, visit) }

func walk(at string, v any, visit func(pointer string, v any) error) error {
	if err := visit(at, v); err != nil {
		return err
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if err := walk(at+"/"+strconv.Itoa(i), item, visit); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := walk(at+"/"+Escape(name), v[name], visit); err != nil {
				return err
			}
		}
	}
	return nil
}
