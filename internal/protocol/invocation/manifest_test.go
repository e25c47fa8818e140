package invocation

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"atelier/internal/contract"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

func compile(t *testing.T, raw []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("test:///schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("test:///schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Every tool of the program has a manifest with all that api/spec/invocation.md requires.
func TestEveryToolHasAManifest(t *testing.T) {
	shape := compile(t, (&Server{}).Schemas()["ToolManifest"])
	names := map[string]bool{}
	for _, tool := range tools.All(tools.Parts{}) {
		before := string(tool.Contract.InputSchema) + string(tool.Contract.OutputSchema)
		m := tool.Contract.Manifest(1 << 20)
		if before != string(tool.Contract.InputSchema)+string(tool.Contract.OutputSchema) {
			t.Errorf("making the manifest of %s changed its contract", m.Name)
		}
		if err := shape.Validate(decode(t, encode(t, m))); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		for side, raw := range map[string]json.RawMessage{"input": m.InputSchema, "output": m.OutputSchema} {
			compile(t, raw) // adding lists must not have broken it
			var s map[string]json.RawMessage
			if err := json.Unmarshal(raw, &s); err != nil || s["properties"] == nil || s["required"] == nil {
				t.Errorf("%s: the %s schema lacks properties or required: %v", m.Name, side, err)
			}
		}
		if names[m.Name] {
			t.Errorf("two manifests are named %s", m.Name)
		}
		names[m.Name] = true
	}
}

// fieldsOf are the fields that a table of the paper lists, in order: the table
// after the heading whose own head begins with the given words.
func fieldsOf(t *testing.T, heading, head string) []string {
	t.Helper()
	paper, err := os.ReadFile(testenv.Path("api", "spec", "invocation.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(paper), "\n## "+heading+"\n")
	_, table, found := strings.Cut(section, "\n| "+head+" |")
	if !found {
		t.Fatalf("the paper has no table %q below %q", head, heading)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var fields []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		fields = append(fields, row[1])
	}
	slices.Sort(fields)
	return fields
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// The manifest, the invocation and the result have exactly the fields of the paper.
func TestShapesAreThePapers(t *testing.T) {
	tool := tools.All(tools.Parts{})[0]
	var manifest, result, invocation map[string]any
	if json.Unmarshal(encode(t, tool.Contract.Manifest(1)), &manifest) != nil ||
		json.Unmarshal(encode(t, contract.RefusedInvocation(nil, nil, nil)), &result) != nil ||
		json.Unmarshal(contract.InvocationSchema, &invocation) != nil {
		t.Fatal("a projection is no JSON object")
	}
	for _, pair := range []struct {
		heading, table string
		ours           any
	}{
		{"ToolManifest", "field", manifest}, {"ToolResult", "field", result}, {"ToolInvocation", "field", invocation["properties"]},
		{"ToolManifest", "field of `execution_constraints`", manifest["execution_constraints"]},
		{"ToolManifest", "field of `cost_hint`", manifest["cost_hint"]},
	} {
		if want, ours := fieldsOf(t, pair.heading, pair.table), keys(pair.ours.(map[string]any)); !slices.Equal(want, ours) {
			t.Errorf("%s, %s: the paper has %v, we have %v", pair.heading, pair.table, want, ours)
		}
	}
}

// Answers fit the schema that the OpenAPI document describes them with.
func TestAnswersFitTheirDescription(t *testing.T) {
	h := newTestServer(t)
	shape := compile(t, (&Server{}).Schemas()["InvocationResult"])
	for _, arguments := range []string{`{"value":1}`, `{"value":1,"mode":"partial"}`, `{"value":1,"mode":"file"}`, `{"value":1,"mode":"fail"}`, `{}`} {
		r := h.invoke(arguments, nil)
		if err := shape.Validate(decode(t, []byte(r.raw))); err != nil {
			t.Errorf("%s: %v\n%s", arguments, err, r.raw)
		}
	}
	if r := h.post(`[]`); shape.Validate(decode(t, []byte(r.raw))) != nil {
		t.Errorf("%s", r.raw)
	}
}
