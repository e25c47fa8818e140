package invocation

import (
	"encoding/json"
	"os"
	"reflect"
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

// Every tool of the program has a manifest with all that document 003 requires.
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

// documentBlocks are the JSON examples of document 003.
func documentBlocks(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(testenv.Shared(t, "contracts", "003_*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []map[string]any
	for _, m := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1) {
		var block map[string]any
		if err := json.Unmarshal(m[1], &block); err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	return blocks
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// The shapes are held against the document itself: its manifest and result have
// exactly our fields, and its example is a good invocation of ours.
func TestShapesAreTheDocuments(t *testing.T) {
	blocks := documentBlocks(t)
	if len(blocks) < 5 {
		t.Fatalf("the document has %d JSON blocks", len(blocks))
	}
	tool := tools.All(tools.Parts{})[0]
	var manifest, result map[string]any
	if json.Unmarshal(encode(t, tool.Contract.Manifest(1)), &manifest) != nil ||
		json.Unmarshal(encode(t, contract.Refused003(nil, nil, nil)), &result) != nil {
		t.Fatal("a projection is no JSON object")
	}
	for _, pair := range []struct {
		what         string
		theirs, ours map[string]any
	}{
		{"manifest", blocks[0], manifest}, {"result", blocks[2], result},
		{"execution_constraints", blocks[0]["execution_constraints"].(map[string]any), manifest["execution_constraints"].(map[string]any)},
		{"cost_hint", blocks[0]["cost_hint"].(map[string]any), manifest["cost_hint"].(map[string]any)},
	} {
		if !reflect.DeepEqual(keys(pair.theirs), keys(pair.ours)) {
			t.Errorf("%s: the document has %v, we have %v", pair.what, keys(pair.theirs), keys(pair.ours))
		}
	}
	inv, faults := contract.ParseInvocation(encode(t, blocks[3]))
	if len(faults) > 0 || inv.ToolName != "statistical_regression_tool" || inv.TimeoutMS != 45000 || inv.Capture.Selectors.TimeRange.EndMS != 120000 {
		t.Errorf("the document's example: %+v %v", inv, faults)
	}
	if err := compile(t, (&Server{}).Schemas()["ToolInvocation"]).Validate(decode(t, encode(t, blocks[3]))); err != nil {
		t.Error(err)
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
