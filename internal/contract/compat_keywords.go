package contract

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
)

// comparable are the keywords whose order of strictness is known; any other one
// must be the same on both sides, or absent from the wide one.
var comparable = []string{"type", "enum", "const", "allOf", "anyOf", "oneOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "items", "prefixItems",
	"properties", "required", "additionalProperties", "minProperties", "maxProperties"}

// together are keywords that mean something only beside each other.
var together = [][]string{{"if", "then", "else"}, {"contains", "minContains", "maxContains"}}

func (m *cover) opaque(at string, w, n map[string]any) {
	differs := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return !m.identical(w[k], n[k]) })
	}
	for _, group := range together {
		if w[group[0]] != nil && differs(group...) {
			m.gap(at+"/"+group[0], group[0], w[group[0]], n[group[0]])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(w)) {
		if slices.Contains(comparable, k) || slices.ContainsFunc(together, func(g []string) bool { return slices.Contains(g, k) }) {
			continue
		}
		whole := k == "unevaluatedProperties" || k == "unevaluatedItems"
		if differs(k) || whole && canonical(w) != canonical(n) {
			m.gap(at+"/"+k, k, w[k], n[k])
		}
	}
	if n["patternProperties"] != nil && w["patternProperties"] == nil && w["additionalProperties"] != nil && w["additionalProperties"] != true {
		m.gap(at+"/patternProperties", "patternProperties", "absent", canonical(n["patternProperties"]))
	}
}

// identical: the same text, and where it refers to definitions, the same ones.
func (m *cover) identical(a, b any) bool {
	text := canonical(a)
	if text != canonical(b) {
		return false
	}
	if !regexp.MustCompile(`"\$ref":`).MatchString(text) {
		return true
	}
	return canonical(set(m.wideRoot)["$defs"]) == canonical(set(m.narrowRoot)["$defs"])
}

var allTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func typeSet(s map[string]any) map[string]bool {
	out := map[string]bool{}
	switch t := s["type"].(type) {
	case string:
		out[t] = true
	case []any:
		for _, name := range t {
			if text, ok := name.(string); ok {
				out[text] = true
			}
		}
	default:
		for _, v := range values(s) {
			out[typeOf(v)] = true
		}
		if len(out) == 0 {
			for _, name := range allTypes {
				out[name] = true
			}
		}
	}
	return out
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// types compares type and returns the types that both have.
func (m *cover) types(at string, w, n map[string]any) map[string]bool {
	wide, narrow := typeSet(w), typeSet(n)
	shared, lost := map[string]bool{}, false
	for name := range narrow {
		if wide[name] || name == "integer" && wide["number"] {
			shared[name] = true
			continue
		}
		lost = true
		if name == "number" && wide["integer"] {
			shared["integer"] = true
		}
	}
	if lost {
		was, is := w["type"], n["type"]
		if was == nil {
			was = "any"
		}
		if is == nil {
			is = "any"
		}
		m.gap(at+"/type", "type", was, is)
	}
	return shared
}

// bound is a limit of numbers, lower ones with sign 1, upper ones with -1.
type bound struct {
	value     float64
	exclusive bool
}

func boundOf(s map[string]any, inclusive, exclusive string, sign float64) bound {
	b := bound{value: math.Inf(-1)}
	if v, ok := s[inclusive].(float64); ok {
		b.value = sign * v
	}
	if v, ok := s[exclusive].(float64); ok && sign*v >= b.value {
		b = bound{sign * v, true}
	}
	return b
}

func (m *cover) numbers(at string, w, n map[string]any, integers bool) {
	for _, side := range []struct {
		inclusive, exclusive string
		sign                 float64
	}{{"minimum", "exclusiveMinimum", 1}, {"maximum", "exclusiveMaximum", -1}} {
		wide, narrow := boundOf(w, side.inclusive, side.exclusive, side.sign), boundOf(n, side.inclusive, side.exclusive, side.sign)
		if integers {
			narrow = narrow.whole()
		}
		if wide.value > narrow.value || wide.value == narrow.value && wide.exclusive && !narrow.exclusive && !math.IsInf(wide.value, 0) {
			m.gap(at+"/"+side.inclusive, side.inclusive, wide.text(side.sign), narrow.text(side.sign))
		}
	}
	step, ok := w["multipleOf"].(float64)
	if !ok || step == 1 && integers {
		return
	}
	if own, has := n["multipleOf"].(float64); !has || math.Mod(own, step) != 0 {
		m.gap(at+"/multipleOf", "multipleOf", w["multipleOf"], n["multipleOf"])
	}
}

// whole is the same bound for whole numbers: above 0 is at least 1.
func (b bound) whole() bound {
	if math.IsInf(b.value, 0) {
		return b
	}
	if b.exclusive && math.Floor(b.value) == b.value {
		return bound{b.value + 1, false}
	}
	return bound{math.Ceil(b.value), false}
}

func (b bound) text(sign float64) string {
	if math.IsInf(b.value, 0) {
		return "absent"
	}
	text := canonical(sign * b.value)
	if b.exclusive {
		text += " (exclusive)"
	}
	return text
}

// least and most compare counts; an absent least counts as 0.
func (m *cover) least(at, key string, w, n map[string]any) {
	wide, _ := w[key].(float64)
	narrow, _ := n[key].(float64)
	if wide > narrow {
		m.gap(at+"/"+key, key, w[key], n[key])
	}
}

func (m *cover) most(at, key string, w, n map[string]any) {
	wide, limited := w[key].(float64)
	narrow, has := n[key].(float64)
	if limited && (!has || narrow > wide) {
		m.gap(at+"/"+key, key, w[key], n[key])
	}
}

func (m *cover) strings(at string, w, n map[string]any) {
	m.least(at, "minLength", w, n)
	m.most(at, "maxLength", w, n)
}

func (m *cover) arrays(at string, w, n map[string]any) {
	m.least(at, "minItems", w, n)
	m.most(at, "maxItems", w, n)
	if w["uniqueItems"] == true && n["uniqueItems"] != true {
		m.gap(at+"/uniqueItems", "uniqueItems", true, n["uniqueItems"])
	}
	longest, limited := n["maxItems"].(float64)
	first := max(len(list(w["prefixItems"])), len(list(n["prefixItems"])))
	for i := range first {
		if limited && float64(i) >= longest {
			return
		}
		m.schema(fmt.Sprintf("%s/prefixItems/%d", at, i), item(w, i), item(n, i))
	}
	if !limited || longest > float64(first) {
		m.schema(at+"/items", item(w, first), item(n, first))
	}
}

// item is the schema of the i-th item.
func item(s map[string]any, i int) any {
	if prefix := list(s["prefixItems"]); i < len(prefix) {
		return prefix[i]
	}
	if items, ok := s["items"]; ok {
		return items
	}
	return true
}
