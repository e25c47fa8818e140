package main

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"atelier/internal/contract"
	"atelier/internal/protocol/direct"
	"atelier/internal/protocol/openapi"
)

// Every tool, on every protocol, is what its contract says, no more and no less.
// The golden files show three of them to readers; this holds the rest.
func TestEveryToolIsShownAsItsContractSays(t *testing.T) {
	registry := installed(t)
	shown := projections(t, registry)
	for file, check := range map[string]func(*testing.T, map[string]any, *contract.Contract){
		"tools.json": asDescriptor, "agent_config.json": asFunction, "mcp_tools.json": asMCPTool,
	} {
		var listed struct {
			Tools []map[string]any `json:"tools"`
		}
		read(t, shown[file], &listed)
		if len(listed.Tools) != len(registry.All()) {
			t.Errorf("%s lists %d of %d tools", file, len(listed.Tools), len(registry.All()))
		}
		for _, entry := range listed.Tools {
			name, _ := entry["name"].(string)
			if f, ok := entry["function"].(map[string]any); ok {
				name, _ = f["name"].(string)
			}
			tool, err := registry.Find(name)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			t.Run(file+"/"+name, func(t *testing.T) { check(t, entry, tool.Contract) })
		}
	}
	var document map[string]any
	read(t, shown["openapi.json"], &document)
	for _, tool := range registry.All() {
		t.Run("openapi.json/"+tool.Contract.Name, func(t *testing.T) { asOperation(t, document, tool.Contract) })
		t.Run("harmony.txt/"+tool.Contract.Name, func(t *testing.T) { asNamespace(t, string(shown["harmony.txt"]), tool.Contract) })
	}
	asYAML(t, shown["openapi.json"])
}

func read(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
}

// same holds a shown value against what the contract has.
func same(t *testing.T, what string, shown, own any) {
	t.Helper()
	raw, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	read(t, raw, &want)
	if !reflect.DeepEqual(shown, want) {
		t.Errorf("%s is %v, the contract says %v", what, shown, want)
	}
}

func asDescriptor(t *testing.T, entry map[string]any, c *contract.Contract) {
	major, _, _ := strings.Cut(c.Version, ".")
	for key, own := range map[string]any{
		"name": c.Name, "version": major, "stability": c.Stability, "tags": c.Tags, "examples": c.Examples,
		"description": c.Description, "input_schema": c.InputSchema,
	} {
		same(t, key, entry[key], own)
		delete(entry, key)
	}
	same(t, "what is shown besides", entry, map[string]any{})
}

func asFunction(t *testing.T, entry map[string]any, c *contract.Contract) {
	same(t, "the function", entry, map[string]any{"type": "function", "function": map[string]any{
		"name": strings.ReplaceAll(c.Name, ".", "_"), "description": c.Description, "parameters": c.InputSchema,
	}})
}

func asMCPTool(t *testing.T, entry map[string]any, c *contract.Contract) {
	same(t, "name", entry["name"], strings.ReplaceAll(c.Name, ".", "_"))
	same(t, "title", entry["title"], c.Title)
	same(t, "description", entry["description"], c.Description)
	same(t, "inputSchema", entry["inputSchema"], c.InputSchema)
	same(t, "outputSchema", entry["outputSchema"], c.OutputSchema)
	hints, _ := entry["annotations"].(map[string]any)
	for key, own := range map[string]bool{
		"readOnlyHint": c.Effects.ReadOnly, "destructiveHint": c.Effects.Destructive,
		"idempotentHint": c.Effects.Idempotent, "openWorldHint": c.Effects.OpenWorld,
	} {
		if shown, _ := hints[key].(bool); shown != own {
			t.Errorf("%s is %v, the contract's effects say %v", key, hints[key], own)
		}
	}
}

// asOperation holds the operation of a tool, and its schemas, whose references to
// themselves lead through the document.
func asOperation(t *testing.T, document map[string]any, c *contract.Contract) {
	at := func(path ...string) any {
		var value any = document
		for _, key := range path {
			object, _ := value.(map[string]any)
			value = object[key]
		}
		return value
	}
	alias := strings.ReplaceAll(c.Name, ".", "_")
	post := []string{"paths", direct.Path(c), "post"}
	same(t, "operationId", at(append(post, "operationId")...), alias)
	same(t, "summary", at(append(post, "summary")...), c.Title)
	same(t, "description", at(append(post, "description")...), c.Description)
	for side, own := range map[string]json.RawMessage{"_input": c.InputSchema, "_output": c.OutputSchema} {
		name := alias + side
		raw, err := json.Marshal(at("components", "schemas", name))
		if err != nil {
			t.Fatal(err)
		}
		var shown any
		read(t, []byte(strings.ReplaceAll(string(raw), "#/components/schemas/"+name, "#")), &shown)
		same(t, name, shown, own)
	}
	refers := func(what string, path ...string) {
		body, ok := at(append(post, path...)...).(map[string]any)
		if !ok || body["$ref"] != "#/components/schemas/"+alias+what {
			t.Errorf("%v refers to %v", path, body["$ref"])
		}
	}
	refers("_input", "requestBody", "content", "application/json", "schema")
	refers("_output", "responses", "200", "content", "application/json", "schema")
	examples, _ := at(append(post, "requestBody", "content", "application/json", "examples")...).(map[string]any)
	if len(examples) != len(c.Examples) {
		t.Errorf("%d of %d examples are shown", len(examples), len(c.Examples))
	}
}

// asNamespace holds the TypeScript of a tool: its arguments are those of the
// schema, with a question mark where they may be absent.
func asNamespace(t *testing.T, text string, c *contract.Contract) {
	space, name, dotted := strings.Cut(c.Name, ".")
	if dotted {
		_, text, _ = strings.Cut(text, "\nnamespace "+space+" {")
		text, _, _ = strings.Cut(text, "\n} // namespace")
	} else {
		name = c.Name
	}
	found := regexp.MustCompile(`(?s)type ` + regexp.QuoteMeta(strings.ReplaceAll(name, ".", "_")) + ` = \((.*)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no function %s", name)
	}
	body, _, _ := strings.Cut(found[1], ") => any;")
	if !strings.Contains(text, c.Description) {
		t.Error("its description is missing")
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	read(t, c.InputSchema, &schema)
	var shown []string
	for _, line := range regexp.MustCompile(`(?m)^(\pL\w*)(\??):`).FindAllStringSubmatch(body, -1) {
		shown = append(shown, line[1])
		optional := true
		for _, r := range schema.Required {
			optional = optional && r != line[1]
		}
		if _, known := schema.Properties[line[1]]; !known || optional != (line[2] == "?") {
			t.Errorf("%s is shown with %q; the schema has it: %v, optional: %v", line[1], line[2], known, optional)
		}
	}
	if len(shown) != len(schema.Properties) {
		t.Errorf("%v are shown of %d arguments", shown, len(schema.Properties))
	}
}

// asYAML holds the YAML form of the document against the JSON: netlists, patterns
// and units are strings that YAML could take for something else.
func asYAML(t *testing.T, document []byte) {
	text, err := openapi.YAML(document)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(got) // whole numbers are ints in one and floats in the other
	if err != nil {
		t.Fatal(err)
	}
	read(t, raw, &got)
	read(t, document, &want)
	if !reflect.DeepEqual(got, want) {
		t.Error("the YAML has other values than the JSON")
	}
}
