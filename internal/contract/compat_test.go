package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

// version is a contract whose schemas hold one property p each, or whole
// schemas, and what else the change sets.
func version(t *testing.T, number, in, out string, change func(m map[string]any)) *Contract {
	t.Helper()
	raw := minimal(t, func(m map[string]any) {
		m["version"] = number
		m["input_schema"], m["output_schema"] = whatever(t, in), whatever(t, out)
		m["examples"].([]any)[0].(map[string]any)["input"] = whatever(t, `{}`)
		if change != nil {
			change(m)
		}
	})
	var c Contract
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

func whatever(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// property wraps a schema as the optional property p of a closed object.
func property(schema string) string {
	return `{"type":"object","additionalProperties":false,"properties":{"p":` + schema + `}}`
}

const empty = `{"type":"object","properties":{},"additionalProperties":false}`

const recursive = `{"type":"object","additionalProperties":false,"properties":{"t":{"$ref":"#/$defs/tree"}},"$defs":{"tree":{"type":"object","additionalProperties":false,"properties":{"v":{"type":"integer","maximum":%MAX},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`

// inputChanges: each row is one change of an input schema and what the
// compatibility policy of api/spec/invocation.md calls it; breaking is what refuses a payload that was valid.
var inputChanges = []struct{ name, old, new, want string }{
	{"same", property(`{"type":"string"}`), property(`{"type":"string"}`), "none"},
	{"description", property(`{"type":"string","description":"a"}`), property(`{"type":"string","description":"b"}`), "patch"},
	{"key order and examples", property(`{"type":"string","examples":["x"]}`), property(`{"examples":["y"],"type":"string"}`), "patch"},
	{"$ref to an equal definition", property(`{"type":"integer"}`), `{"type":"object","additionalProperties":false,"properties":{"p":{"$ref":"#/$defs/i"}},"$defs":{"i":{"type":"integer"}}}`, "patch"},
	{"whole numbers from 1 said otherwise", property(`{"type":"integer","exclusiveMinimum":0}`), property(`{"type":"integer","minimum":1}`), "patch"},
	{"new optional field", empty, property(`{"type":"string"}`), "minor"},
	{"removed field", property(`{"type":"string"}`), empty, "major"},
	{"renamed field", property(`{"type":"string"}`), strings.Replace(property(`{"type":"string"}`), `"p"`, `"q"`, 1), "major"},
	{"new required field", empty, `{"type":"object","additionalProperties":false,"required":["p"],"properties":{"p":{"type":"string"}}}`, "major"},
	{"optional becomes required", property(`{"type":"string"}`), `{"type":"object","additionalProperties":false,"required":["p"],"properties":{"p":{"type":"string"}}}`, "major"},
	{"required becomes optional", `{"type":"object","additionalProperties":false,"required":["p"],"properties":{"p":{"type":"string"}}}`, property(`{"type":"string"}`), "minor"},
	{"number to integer", property(`{"type":"number"}`), property(`{"type":"integer"}`), "major"},
	{"integer to number", property(`{"type":"integer"}`), property(`{"type":"number"}`), "minor"},
	{"string to list of types", property(`{"type":"string"}`), property(`{"type":["string","null"]}`), "minor"},
	{"list of types to string", property(`{"type":["string","null"]}`), property(`{"type":"string"}`), "major"},
	{"type to another", property(`{"type":"string"}`), property(`{"type":"boolean"}`), "major"},
	{"any to string", property(`{}`), property(`{"type":"string"}`), "major"},
	{"enum value removed", property(`{"enum":["a","b"]}`), property(`{"enum":["a"]}`), "major"},
	{"enum value added", property(`{"enum":["a"]}`), property(`{"enum":["a","b"]}`), "minor"},
	{"string becomes enum", property(`{"type":"string"}`), property(`{"enum":["a"]}`), "major"},
	{"enum becomes string", property(`{"enum":["a"]}`), property(`{"type":"string"}`), "minor"},
	{"const to enum with it", property(`{"const":1}`), property(`{"enum":[1,2]}`), "minor"},
	{"minimum raised", property(`{"type":"number","minimum":0}`), property(`{"type":"number","minimum":1}`), "major"},
	{"minimum lowered", property(`{"type":"number","minimum":0}`), property(`{"type":"number","minimum":-1}`), "minor"},
	{"minimum becomes exclusive", property(`{"type":"number","minimum":0}`), property(`{"type":"number","exclusiveMinimum":0}`), "major"},
	{"maximum added", property(`{"type":"number"}`), property(`{"type":"number","maximum":9}`), "major"},
	{"maximum removed", property(`{"type":"number","maximum":9}`), property(`{"type":"number"}`), "minor"},
	{"multipleOf added", property(`{"type":"number"}`), property(`{"type":"number","multipleOf":2}`), "major"},
	{"multipleOf to a divisor", property(`{"type":"number","multipleOf":4}`), property(`{"type":"number","multipleOf":2}`), "minor"},
	{"pattern added", property(`{"type":"string"}`), property(`{"type":"string","pattern":"^a"}`), "major"},
	{"pattern changed", property(`{"type":"string","pattern":"^a"}`), property(`{"type":"string","pattern":"^b"}`), "major"},
	{"pattern removed", property(`{"type":"string","pattern":"^a"}`), property(`{"type":"string"}`), "minor"},
	{"format added", property(`{"type":"string"}`), property(`{"type":"string","format":"uri"}`), "major"},
	{"minLength raised", property(`{"type":"string"}`), property(`{"type":"string","minLength":1}`), "major"},
	{"maxLength raised", property(`{"type":"string","maxLength":5}`), property(`{"type":"string","maxLength":6}`), "minor"},
	{"minItems raised", property(`{"type":"array","minItems":1}`), property(`{"type":"array","minItems":2}`), "major"},
	{"maxItems lowered", property(`{"type":"array","maxItems":3}`), property(`{"type":"array","maxItems":2}`), "major"},
	{"uniqueItems added", property(`{"type":"array"}`), property(`{"type":"array","uniqueItems":true}`), "major"},
	{"items narrower", property(`{"type":"array","items":{"type":"number"}}`), property(`{"type":"array","items":{"type":"integer"}}`), "major"},
	{"items wider", property(`{"type":"array","items":{"type":"integer"}}`), property(`{"type":"array","items":{"type":"number"}}`), "minor"},
	{"prefix item narrower", property(`{"type":"array","prefixItems":[{"type":"number"}]}`), property(`{"type":"array","prefixItems":[{"type":"integer"}]}`), "major"},
	{"closed to open", empty, `{"type":"object","properties":{}}`, "minor"},
	{"open to closed", `{"type":"object","properties":{}}`, empty, "major"},
	{"a field of an open object gets a type", `{"type":"object","properties":{}}`, `{"type":"object","properties":{"p":{"type":"string"}}}`, "major"},
	{"a declared field of an open object goes", `{"type":"object","properties":{"p":{"type":"string"}}}`, `{"type":"object","properties":{}}`, "major"},
	{"nested minimum raised", property(property(`{"type":"integer","minimum":0}`)), property(property(`{"type":"integer","minimum":2}`)), "major"},
	{"nested field added", property(empty), property(property(`{"type":"integer"}`)), "minor"},
	{"additionalProperties narrower", property(`{"type":"object","additionalProperties":{"type":"number"}}`), property(`{"type":"object","additionalProperties":{"type":"integer"}}`), "major"},
	{"default changed", property(`{"type":"number","default":1}`), property(`{"type":"number","default":2}`), "minor"},
	{"a definition narrower, the reference the same", `{"type":"object","additionalProperties":false,"properties":{"p":{"$ref":"#/$defs/i"}},"$defs":{"i":{"type":"number"}}}`,
		`{"type":"object","additionalProperties":false,"properties":{"p":{"$ref":"#/$defs/i"}},"$defs":{"i":{"type":"integer"}}}`, "major"},
	{"recursive definition wider", strings.Replace(recursive, "%MAX", "5", 1), strings.Replace(recursive, "%MAX", "6", 1), "minor"},
	{"recursive definition narrower", strings.Replace(recursive, "%MAX", "5", 1), strings.Replace(recursive, "%MAX", "4", 1), "major"},
	{"one becomes a choice with it", property(`{"type":"string"}`), property(`{"oneOf":[{"type":"string"},{"type":"array"}]}`), "minor"},
	{"a choice becomes one of it", property(`{"oneOf":[{"type":"string"},{"type":"array"}]}`), property(`{"type":"string"}`), "major"},
	{"a choice that excludes the others is added", property(`{"oneOf":[{"type":"string"},{"type":"array"}]}`), property(`{"oneOf":[{"type":"array"},{"type":"string"},{"type":"number"}]}`), "minor"},
	{"an overlapping oneOf branch is added", property(`{"oneOf":[{"type":"string","maxLength":3}]}`), property(`{"oneOf":[{"type":"string","maxLength":3},{"type":"string","minLength":2}]}`), "major"},
	{"an overlapping anyOf branch is added", property(`{"anyOf":[{"type":"string","maxLength":3}]}`), property(`{"anyOf":[{"type":"string","maxLength":3},{"type":"string","minLength":2}]}`), "minor"},
	{"a oneOf branch is removed", property(`{"oneOf":[{"type":"string"},{"type":"array"}]}`), property(`{"oneOf":[{"type":"string"}]}`), "major"},
	{"wording inside an overlapping oneOf", property(`{"oneOf":[{"type":"number","title":"a"},{"type":"integer"}]}`), property(`{"oneOf":[{"type":"number","title":"b"},{"type":"integer"}]}`), "patch"},
	{"branches told apart by a constant, one wider",
		property(`{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"},"n":{"type":"integer"}}},{"type":"object","required":["k"],"properties":{"k":{"const":"b"}}}]}`),
		property(`{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"},"n":{"type":"number"}}},{"type":"object","required":["k"],"properties":{"k":{"const":"b"}}}]}`), "minor"},
	{"a not is added", property(`{"type":"string"}`), property(`{"type":"string","not":{"const":"x"}}`), "major"},
	{"a condition is added", property(`{"type":"object"}`), property(`{"type":"object","if":{"required":["a"]},"then":{"required":["b"]}}`), "major"},
	{"a condition is removed", property(`{"type":"object","if":{"required":["a"]},"then":{"required":["b"]}}`), property(`{"type":"object"}`), "minor"},
	{"allOf part added", property(`{"type":"string"}`), property(`{"type":"string","allOf":[{"minLength":2}]}`), "major"},
	{"allOf said flat", property(`{"allOf":[{"type":"string"},{"minLength":2}]}`), property(`{"type":"string","minLength":2}`), "patch"},
	{"an unknown keyword changes", property(`{"type":"string","x-unit":"m"}`), property(`{"type":"string","x-unit":"mm"}`), "major"},
}

func TestChangesOfInputs(t *testing.T) {
	for _, r := range inputChanges {
		t.Run(r.name, func(t *testing.T) {
			d := Compare(version(t, "1.0.0", r.old, empty, nil), version(t, "1.0.0", r.new, empty, nil))
			if d.Level().String() != r.want {
				t.Errorf("got %s, want %s: %v", d.Level(), r.want, d.Changes)
			}
		})
	}
}

// Of outputs the direction is the other one: a client reads what the tool
// promises, and ignores fields and enum values that it does not know.
func TestChangesOfOutputs(t *testing.T) {
	p := property
	for _, r := range []struct{ name, old, new, want string }{
		{"new optional field", empty, p(`{"type":"string"}`), "minor"},
		{"new required field", empty, `{"type":"object","additionalProperties":false,"required":["p"],"properties":{"p":{"type":"string"}}}`, "minor"},
		{"removed field", p(`{"type":"string"}`), empty, "major"},
		{"required becomes optional", `{"type":"object","additionalProperties":false,"required":["p"],"properties":{"p":{"type":"string"}}}`, p(`{"type":"string"}`), "major"},
		{"optional becomes required", p(`{"type":"string"}`), `{"type":"object","additionalProperties":false,"required":["p"],"properties":{"p":{"type":"string"}}}`, "minor"},
		{"type wider", p(`{"type":"integer"}`), p(`{"type":"number"}`), "major"},
		{"type narrower", p(`{"type":"number"}`), p(`{"type":"integer"}`), "minor"},
		{"null is possible now", p(`{"type":"number"}`), p(`{"type":["number","null"]}`), "major"},
		{"enum value added", p(`{"enum":["a"]}`), p(`{"enum":["a","b"]}`), "minor"},
		{"enum value removed", p(`{"enum":["a","b"]}`), p(`{"enum":["a"]}`), "minor"},
		{"enum gets a value of another type", p(`{"enum":["a"]}`), p(`{"enum":["a",1]}`), "major"},
		{"nested field removed", p(p(`{"type":"string"}`)), p(empty), "major"},
		{"nested field added in a list", p(`{"type":"array","items":` + empty + `}`), p(`{"type":"array","items":` + p(`{"type":"string"}`) + `}`), "minor"},
		{"a branch that clients do not know", p(`{"oneOf":[{"type":"string"}]}`), p(`{"oneOf":[{"type":"string"},{"type":"number"}]}`), "major"},
		{"a branch is never given again", p(`{"oneOf":[{"type":"string"},{"type":"number"}]}`), p(`{"oneOf":[{"type":"string"}]}`), "minor"},
		{"opened to unknown fields", empty, `{"type":"object","properties":{}}`, "minor"},
		{"wording", p(`{"type":"string","title":"a"}`), p(`{"type":"string","title":"b"}`), "patch"},
	} {
		t.Run(r.name, func(t *testing.T) {
			d := Compare(version(t, "1.0.0", empty, r.old, nil), version(t, "1.0.0", empty, r.new, nil))
			if d.Level().String() != r.want {
				t.Errorf("got %s, want %s: %v", d.Level(), r.want, d.Changes)
			}
		})
	}
}

func TestChangesBesideTheSchemas(t *testing.T) {
	set := func(path string, value any) func(m map[string]any) {
		return func(m map[string]any) {
			keys := strings.Split(path, "/")
			for _, k := range keys[:len(keys)-1] {
				m = m[k].(map[string]any)
			}
			m[keys[len(keys)-1]] = value
		}
	}
	code := func(name string, status int) map[string]any {
		return map[string]any{"code": name, "http_status": status, "when": "bad"}
	}
	for _, r := range []struct {
		name   string
		change func(m map[string]any)
		want   string
	}{
		{"description", set("description", "other"), "patch"},
		{"error code added", set("errors", []any{code("invalid_input", 400), code("timeout", 504)}), "minor"},
		{"error code removed", set("errors", []any{}), "major"},
		{"http status changed", set("errors", []any{code("invalid_input", 422)}), "major"},
		{"max timeout lowered", set("limits/max_timeout_ms", 1000), "major"},
		{"max timeout raised", set("limits/max_timeout_ms", 90000), "minor"},
		{"min timeout raised", set("limits/min_timeout_ms", 50), "major"},
		{"payload limit set", set("limits/max_payload_bytes", 1000), "major"},
		{"no longer read only", set("effects/read_only", false), "major"},
		{"writes outside now", set("effects/side_effects", "external_write"), "major"},
		{"no longer deterministic", set("deterministic", false), "major"},
		{"capability added", set("capabilities", []any{"c", "d"}), "minor"},
		{"capability removed", set("capabilities", []any{}), "major"},
		{"endpoint moved", set("endpoint", "/elsewhere"), "major"},
		{"earned stable", set("stability", "stable"), "minor"},
		{"cost", set("cost_hint/estimated_cost", 2), "minor"},
	} {
		t.Run(r.name, func(t *testing.T) {
			d := Compare(version(t, "1.0.0", empty, empty, nil), version(t, "1.0.0", empty, empty, r.change))
			if d.Level().String() != r.want {
				t.Errorf("got %s, want %s: %v", d.Level(), r.want, d.Changes)
			}
		})
	}
}

func TestAVersionMustRiseWithItsChanges(t *testing.T) {
	optional := property(`{"type":"string"}`)
	for _, r := range []struct {
		name, old, new, from, to string
		want                     string // what the fault says; "" for none
	}{
		{"breaking without a major", optional, empty, "1.2.3", "1.3.0", "raise the version from 1.2.3 to 2.0.0"},
		{"breaking with a major", optional, empty, "1.2.3", "2.0.0", ""},
		{"addition without a minor", empty, optional, "1.2.3", "1.2.4", "raise the version from 1.2.3 to 1.3.0"},
		{"addition with a minor", empty, optional, "1.2.3", "1.3.0", ""},
		{"before 1.0 too", optional, empty, "0.2.0", "0.3.0", "to 1.0.0"},
		{"a version that falls", empty, empty, "1.2.3", "1.2.2", "went back"},
		{"wording alone", property(`{"title":"a"}`), property(`{"title":"b"}`), "1.0.0", "1.0.0", ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			d := Compare(version(t, r.from, r.old, empty, nil), version(t, r.to, r.new, empty, nil))
			faults := strings.Join(d.Faults(), "\n")
			if (faults == "") != (r.want == "") || !strings.Contains(faults, r.want) {
				t.Errorf("got %q, want %q", faults, r.want)
			}
			if r.want != "" && strings.HasPrefix(r.want, "raise") && !strings.Contains(faults, "/input_schema/properties/p") {
				t.Errorf("the fault does not name its place: %q", faults)
			}
		})
	}
}

func TestAToolThatGoesMustHaveBeenDeprecated(t *testing.T) {
	kept := version(t, "1.0.0", empty, empty, func(m map[string]any) { m["name"] = "kept_tool" })
	gone := version(t, "1.0.0", empty, empty, nil)
	if _, faults := CompareAll([]*Contract{kept, gone}, []*Contract{kept}); len(faults) != 1 || !strings.Contains(faults[0], "demo_tool") {
		t.Errorf("%v", faults)
	}
	announced := version(t, "1.0.0", empty, empty, func(m map[string]any) {
		m["stability"], m["deprecation"] = "deprecated", map[string]any{"since": "1.0.0", "replacement": "kept_tool"}
	})
	if compared, faults := CompareAll([]*Contract{kept, announced}, []*Contract{kept, version(t, "1.0.0", empty, empty, func(m map[string]any) { m["name"] = "new_tool" })}); len(faults) != 0 || len(compared) != 1 {
		t.Errorf("%v", faults)
	}
}
