package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// CheckSatisfiable refuses schemas that no value meets where a slip of the pen is seen
// in a place: a required field that cannot be there, a range that is empty, a list of
// no values, and a default, const or example that its own schema refuses. They compile,
// and would turn down every call. The contract has been checked.
func (c *Contract) CheckSatisfiable() error {
	for _, side := range []struct {
		name string
		raw  json.RawMessage
	}{{"input_schema", c.marked.raw}, {"output_schema", c.OutputSchema}} { // a default comes to the tool as it is, a number too
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(side.raw))
		if err != nil {
			return err
		}
		compiler := jsonschema.NewCompiler()
		compiler.DefaultDraft(jsonschema.Draft2020)
		compiler.AssertFormat()
		if err := compiler.AddResource(projectedURL, doc); err != nil {
			return err
		}
		m := meetable{doc, compiler}
		if err := m.part("", doc, true); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	return nil
}

type meetable struct {
	root     any
	compiler *jsonschema.Compiler
}

// part goes through the schemas within a schema; schema is false for a map of names to
// schemas.
func (m meetable) part(at string, part any, schema bool) error {
	if s, ok := part.(map[string]any); ok && schema {
		if err := m.schema(at, s); err != nil {
			return err
		}
	}
	for _, p := range partsOf(at, part, schema) {
		if schema && p.key == "not" { // what stands within it is there to be refused
			continue
		}
		if err := m.part(p.at, p.part, p.schema); err != nil {
			return err
		}
	}
	return nil
}

func (m meetable) schema(at string, s map[string]any) error {
	all := m.together(at, s)
	if err := emptyRanges(all); err != nil {
		return err
	}
	if err := impossibleFields(all); err != nil {
		return err
	}
	if err := noType(all); err != nil {
		return err
	}
	for _, look := range []func(string, map[string]any) error{unknownKeyword, tooFewFields, tooFewValues, noWholeNumber, noMultiple, nothing} {
		if err := look(at, s); err != nil {
			return err
		}
	}
	return m.values(at, s)
}

// placed is a schema with its place.
type placed struct {
	at     string
	schema map[string]any
}

// together are a schema and those that hold wherever it holds.
func (m meetable) together(at string, s map[string]any) []placed {
	all := []placed{{at, s}}
	if ref, ok := s["$ref"].(string); ok {
		pointer := strings.TrimPrefix(ref, "#")
		target, _ := lookup(m.root, pointer)
		if t, ok := target.(map[string]any); ok {
			all = append(all, m.together(pointer, t)...)
		}
	}
	for i, of := range list(s["allOf"]) {
		if t, ok := of.(map[string]any); ok {
			all = append(all, m.together(fmt.Sprintf("%s/allOf/%d", at, i), t)...)
		}
	}
	return all
}

// limitAt is a keyword that limits a size from one side.
type limitAt struct {
	at     string
	value  *big.Rat
	strict bool
}

// emptyRanges refuses a lower bound above the upper one.
func emptyRanges(all []placed) error {
	for _, pair := range [][2][]string{
		{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}}, {{"minLength"}, {"maxLength"}},
		{{"minItems"}, {"maxItems"}}, {{"minProperties"}, {"maxProperties"}}, {{"minContains"}, {"maxContains"}},
	} {
		for _, low := range limitsOf(all, pair[0]) {
			for _, high := range limitsOf(all, pair[1]) {
				by := low.value.Cmp(high.value)
				if by < 0 || by == 0 && !low.strict && !high.strict {
					continue
				}
				return fmt.Errorf("%s is %s and %s is %s: no value is within both; let the lower limit be below the upper one",
					low.at, decimal(low.value), high.at, decimal(high.value))
			}
		}
	}
	return nil
}

func limitsOf(all []placed, keywords []string) []limitAt {
	var found []limitAt
	for _, p := range all {
		for _, key := range keywords {
			number, ok := p.schema[key].(json.Number)
			if !ok || len(hugeNumbers(number, nil, CodeInvalidConfig, nil)) > 0 { // exact arithmetic on 1e999999999 has no end
				continue
			}
			if value, ok := new(big.Rat).SetString(number.String()); ok {
				found = append(found, limitAt{p.at + "/" + key, value, strings.HasPrefix(key, "exclusive")})
			}
		}
	}
	return found
}

// impossibleFields refuses a required field that a closed object has not.
func impossibleFields(all []placed) error {
	for _, closed := range all {
		properties, _ := closed.schema["properties"].(map[string]any)
		for _, p := range all {
			for i, name := range list(p.schema["required"]) {
				property, listed := properties[name.(string)] // the schema has been compiled
				switch {
				case property == false, !listed && closed.schema["additionalProperties"] == false && !matchesAny(closed.schema, name.(string)):
					return fmt.Errorf("%s/required/%d is %q, a field that %s/properties does not allow: no object has it; add it there, or do not require it", p.at, i, name, closed.at)
				}
			}
		}
	}
	return nil
}

func matchesAny(s map[string]any, name string) bool {
	patterns, _ := s["patternProperties"].(map[string]any)
	for pattern := range patterns {
		if expression, err := regexp.Compile(pattern); err != nil || expression.MatchString(name) {
			return true
		}
	}
	return false
}

// values refuses lists of no values, and values that their own schema refuses.
func (m meetable) values(at string, s map[string]any) error {
	if words, ok := s["enum"].([]any); ok && len(words) == 0 {
		return fmt.Errorf("%s/enum is empty: no value is one of it; list what is taken, or leave it out", at)
	}
	for _, key := range []string{"const", "default"} {
		if value, has := s[key]; has {
			if err := m.fits(at, at+"/"+key, value); err != nil {
				return err
			}
		}
	}
	for _, key := range []string{"enum", "examples"} {
		if _, quantity := s["quantity"]; quantity && key == "examples" {
			continue // texts with a unit
		}
		for i, value := range list(s[key]) {
			if err := m.fits(at, fmt.Sprintf("%s/%s/%d", at, key, i), value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m meetable) fits(schemaAt, at string, value any) error {
	compiled, err := m.compiler.Compile(projectedURL + (&url.URL{Fragment: schemaAt}).String())
	if err != nil {
		return fmt.Errorf("%s: %w", schemaAt, err)
	}
	if len(hugeNumbers(value, nil, CodeInvalidConfig, nil)) > 0 {
		return fmt.Errorf("%s is or holds a number that no 64-bit float holds", at)
	}
	faults := violations(compiled, value, CodeInvalidToolOutput)
	if len(faults) == 0 {
		return nil
	}
	f := faults[0]
	what := strings.Replace(f.Message, placeIn(CodeInvalidToolOutput, f.Field), "it", 1)
	if f.Field != "" {
		what = "at " + f.Field + " " + what
	}
	return fmt.Errorf("%s does not fit the schema that it stands in: %s; change the one or the other", at, what)
}
