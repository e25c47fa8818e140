package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// keywords are those of JSON Schema 2020-12 (its meta-schemas list them), and quantity,
// which is ours. A validator passes over any other one.
var keywords = []string{
	"$schema", "$ref", "$comment", "$defs", "definitions", "$vocabulary",
	"prefixItems", "items", "contains", "additionalProperties", "properties", "patternProperties", "dependentSchemas", "propertyNames",
	"if", "then", "else", "allOf", "anyOf", "oneOf", "not", "unevaluatedItems", "unevaluatedProperties",
	"type", "const", "enum", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
	"maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains",
	"maxProperties", "minProperties", "required", "dependentRequired",
	"title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples",
	"format", "contentEncoding", "contentMediaType", "contentSchema", "quantity",
}

// unknownKeyword refuses one that would be passed over: minimun limits nothing.
func unknownKeyword(at string, s map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if slices.Contains(keywords, key) || slices.Contains(strayRefs, key) || strings.HasPrefix(key, "x-") {
			continue
		}
		instead := "leave it out, or begin its name with x- where it is a remark"
		if near := Nearest(key, keywords); near != "" {
			instead = "write " + near
		}
		return fmt.Errorf("%s has %q, which is no keyword of JSON Schema and does nothing: %s", cmp.Or(at, "the schema"), key, instead)
	}
	return nil
}

// tooFewFields refuses a closed object that must have more fields than it may.
func tooFewFields(at string, s map[string]any) error {
	least, ok := countOf(s["minProperties"])
	properties, _ := s["properties"].(map[string]any)
	if ok && s["additionalProperties"] == false && s["patternProperties"] == nil && least > len(properties) {
		return fmt.Errorf("%s/minProperties is %d, and the object may have %d fields: no object has as many", at, least, len(properties))
	}
	return nil
}

// tooFewValues refuses a list that needs more different items than there are.
func tooFewValues(at string, s map[string]any) error {
	least, ok := countOf(s["minItems"])
	items, _ := s["items"].(map[string]any)
	words, listed := items["enum"].([]any)
	if ok && listed && s["uniqueItems"] == true && least > len(words) {
		return fmt.Errorf("%s/minItems is %d, and its items are %d different values: no list has as many", at, least, len(words))
	}
	return nil
}

// noWholeNumber refuses a range between two whole numbers of an integer.
func noWholeNumber(at string, s map[string]any) error {
	if s["type"] == "integer" && !holdsMultiple(at, s, big.NewRat(1, 1)) {
		return fmt.Errorf("%s is an integer, and between its limits there is none: let them hold a whole number", cmp.Or(at, "the schema"))
	}
	return nil
}

// noMultiple refuses a range without a multiple of what its numbers are multiples of.
func noMultiple(at string, s map[string]any) error {
	of := limitsOf([]placed{{at, s}}, []string{"multipleOf"})
	if len(of) > 0 && of[0].value.Sign() > 0 && !holdsMultiple(at, s, of[0].value) {
		return fmt.Errorf("%s/multipleOf is %s, and between its limits there is no multiple of that", at, decimal(of[0].value))
	}
	return nil
}

// holdsMultiple says whether the range of a schema's numbers holds a multiple of a
// positive one.
func holdsMultiple(at string, s map[string]any, of *big.Rat) bool {
	var low, high *big.Int
	for _, l := range limitsOf([]placed{{at, s}}, []string{"minimum", "exclusiveMinimum"}) {
		times := new(big.Rat).Quo(l.value, of)
		first := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(times.Num()), times.Denom())) // rounded up
		if l.strict && times.IsInt() {
			first.Add(first, big.NewInt(1))
		}
		if low == nil || first.Cmp(low) > 0 {
			low = first
		}
	}
	for _, l := range limitsOf([]placed{{at, s}}, []string{"maximum", "exclusiveMaximum"}) {
		times := new(big.Rat).Quo(l.value, of)
		last := new(big.Int).Div(times.Num(), times.Denom()) // rounded down
		if l.strict && times.IsInt() {
			last.Sub(last, big.NewInt(1))
		}
		if high == nil || last.Cmp(high) < 0 {
			high = last
		}
	}
	return low == nil || high == nil || low.Cmp(high) <= 0
}

// noType refuses types that exclude each other.
func noType(all []placed) error {
	var left []string
	first := ""
	for _, p := range all {
		var types []string
		switch t := p.schema["type"].(type) {
		case string:
			types = []string{t}
		case []any:
			for _, one := range t {
				types = append(types, fmt.Sprint(one))
			}
		default:
			continue
		}
		if slices.Contains(types, "number") {
			types = append(types, "integer")
		}
		if first == "" {
			left, first = types, p.at
			continue
		}
		if left = slices.DeleteFunc(slices.Clone(left), func(one string) bool { return !slices.Contains(types, one) }); len(left) == 0 {
			return fmt.Errorf("%s/type and %s/type exclude each other: no value is of both", first, p.at)
		}
	}
	return nil
}

// nothing refuses a schema that excludes everything.
func nothing(at string, s map[string]any) error {
	excluded, has := s["not"]
	if all, ok := excluded.(map[string]any); has && (excluded == true || ok && len(all) == 0) {
		return fmt.Errorf("%s/not excludes every value: leave it out, or say what is not taken", at)
	}
	return nil
}

// countOf is a limit of a count.
func countOf(v any) (int, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := number.Int64()
	return int(n), err == nil
}
