package harmony

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/schema"
	"atelier/internal/tools"
)

// What Harmony drops of a schema stands in the words afterwards. The expected
// texts are the schema's own numbers and names, put as the rendering has them.
func TestWordsForWhatIsDropped(t *testing.T) {
	for name, c := range map[string]struct{ property, want string }{
		"integer":            {`{"type":"integer","minimum":1,"maximum":64,"description":"Count."}`, "// Count. Integer, 1 to 64\np?: number,\n"},
		"open range":         {`{"type":"number","exclusiveMinimum":0,"maximum":180}`, "// Greater than 0 and at most 180\np?: number,\n"},
		"multiple":           {`{"type":"number","multipleOf":0.5}`, "// A multiple of 0.5\np?: number,\n"},
		"text":               {`{"type":"string","minLength":300,"description":"Body"}`, "// Body. At least 300 characters\np?: string,\n"},
		"pattern":            {`{"type":"string","pattern":"^Step [0-9]+: .+","minLength":1}`, "// Not empty, pattern `^Step [0-9]+: .+`\np?: string,\n"},
		"format":             {`{"type":"string","format":"date"}`, "// Format date\np?: string,\n"},
		"items":              {`{"type":"array","minItems":3,"items":{"type":"string","minLength":10,"description":"An option."}}`, "// At least 3 items, each: an option. At least 10 characters\np?: string[],\n"},
		"one item":           {`{"type":"array","minItems":1,"maxItems":1,"uniqueItems":true}`, "// Exactly 1 item, no item twice\np?: Array<any>,\n"},
		"constant":           {`{"const":"file"}`, "p?: \"file\",\n"},
		"constant number":    {`{"const":3}`, "// One of 3\np?: any,\n"},
		"numbers listed":     {`{"type":"integer","enum":[1,2]}`, "// Integer, one of 1, 2\np?: number,\n"},
		"texts without type": {`{"enum":["a","b"],"default":"a"}`, "p?: \"a\" | \"b\", // default: a\n"},
		"lines":              {`{"type":"string","description":"One\n  two."}`, "// One two.\np?: string,\n"},
		"reference":          {`{"$ref":"#/$defs/point","description":"Where."}`, "// Where. Exactly 3 items\np?: number[],\n"},
		"anyOf":              {`{"anyOf":[{"type":"string"},{"type":"null"}],"description":"Either."}`, "// Either.\np?: string | null,\n"},
		"null beside forms":  {`{"oneOf":[{"type":"null"},{"type":"string"},{"type":"number","maximum":9}]}`, "p?:\n | string\n | number | null // At most 9\n,\n"},
		"first form":         {`{"oneOf":[{"type":"integer","minimum":0},{"type":"string"}],"description":"Either."}`, "// Either.\n//\np?:\n | number // Integer, at least 0\n | string\n,\n"},
		"object form":        {`{"oneOf":[{"type":"string"},{"type":"object","description":"A range.","properties":{"a":{"type":"number"}}}]}`, "// As an object: a range\np?:\n | string\n | {\n   a?: number,\n   }\n,\n"},
		"types":              {`{"type":["array","integer"],"items":{"type":"integer"},"minimum":2}`, "// Integer, at least 2\n"},
		"object once":        {`{"type":"object","description":"Said once.","properties":{"a":{"type":"number"}}}`, "// Said once.\n//\np?: {\n    a?: number,\n    },\n"},
		"needs":              {`{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, "// Needs at least one of a, b\n"},
		"needs exactly":      {`{"type":"object","properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, "// Needs exactly one of a, b\n"},
		"free keys":          {`{"type":"object","additionalProperties":{"type":"number","minimum":1}}`, "// Any keys, each with a value of type number (at least 1)\n"},
		"keyed objects":      {`{"type":"object","additionalProperties":{"type":"object","required":["a"],"properties":{"a":{"enum":["x","y"],"description":"Which."},"b":{"type":"number","maximum":3}}}}`, "// Any keys, each with an object of a: \"x\" | \"y\" (which); b?: number (at most 3)\n"},
		"any keys":           {`{"type":"object","additionalProperties":true}`, "// Any further keys\n"},
		"mixed items":        {`{"type":"array","items":{"oneOf":[{"type":"string"},{"type":"number","minimum":0}]}}`, "// One array may mix these forms\np?:\n | string[]\n | number[] // At least 0\n,\n"},
		"parts":              {`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"number"}}}]}`, "p?: {\n    a: string,\n    b?: number,\n    },\n"},
		"forms of an object": {`{"type":"object","properties":{"k":{"type":"string"}},"oneOf":[{"properties":{"a":{"type":"number"}},"required":["a"]},{"properties":{"b":{"type":"number"}}}]}`, " | {\n   k?: string,\n   a: number,\n   }\n | {\n   k?: string,\n   b?: number,\n   }\n"},
		"itself":             {`{"$ref":"#/$defs/tree"}`, "// Again a tree, as the one around it\n    child?: any,\n"},
	} {
		whole := `{"type":"object","properties":{"p":` + c.property + `},"$defs":{
			"point":{"type":"array","items":{"type":"number"},"minItems":3,"maxItems":3,"description":"A point."},
			"tree":{"type":"object","properties":{"child":{"$ref":"#/$defs/tree"}}}}}`
		n, words, err := schema.Plain(json.RawMessage(whole), true)
		if err != nil || words != "" {
			t.Fatalf("%s: %q, %v", name, words, err)
		}
		if got := typeOf(n, ""); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s\nshould hold\n%s", name, got, c.want)
		}
	}
}

func TestWordsForTheWhole(t *testing.T) {
	_, words, err := schema.Plain(json.RawMessage(`{"type":"object","description":"Two ways.","properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`), true)
	if err != nil || words != "Two ways. Needs exactly one of a, b" {
		t.Errorf("%q, %v", words, err)
	}
}

func registry(t *testing.T) *contract.Registry {
	t.Helper()
	all, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every property and every limit of every contract reaches the model, every
// line of the rendering is code or a whole comment, and nothing in it reads as
// a special token.
func TestNothingOfTheCatalogueIsLost(t *testing.T) {
	code := regexp.MustCompile(`^ *(//.*|.*[{,] *(// .*)?|\S[^/]*|\|.*|\}.*|[\w.]+\??:)$`)
	all := registry(t)
	for _, tool := range all.All() {
		one, err := all.Select(contract.Selection{Tools: []string{tool.Contract.Name}})
		if err != nil {
			t.Fatal(err)
		}
		namespaces, err := Namespaces(one)
		if err != nil {
			t.Fatal(err)
		}
		text, err := toolsSection(namespaces)
		if err != nil {
			t.Fatal(err)
		}
		input, err := schema.Parse(tool.Contract.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		walk(input, func(key string, value *schema.Node) {
			switch key {
			case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems":
				if !strings.Contains(text, value.Text) && !(key == "minLength" && strings.Contains(strings.ToLower(text), "not empty")) {
					t.Errorf("%s: %s %s is not told", tool.Contract.Name, key, value.Text)
				}
			case "pattern":
				if !strings.Contains(text, value.Text) {
					t.Errorf("%s: the pattern %s is not told", tool.Contract.Name, value.Text)
				}
			case "properties":
				for _, name := range value.Keys {
					if !regexp.MustCompile(`(?m)^ *(//.* )?` + regexp.QuoteMeta(name) + `\??:`).MatchString(text) {
						t.Errorf("%s: the property %s is not shown", tool.Contract.Name, name)
					}
				}
			}
		})
		for _, line := range strings.Split(text, "\n") {
			if line != "" && !code.MatchString(line) {
				t.Errorf("%s: the line %q is neither code nor comment", tool.Contract.Name, line)
			}
		}
		if strings.Contains(text, "<|") {
			t.Errorf("%s: its texts hold what reads as a special token", tool.Contract.Name)
		}
	}
}

func walk(n *schema.Node, visit func(key string, value *schema.Node)) {
	for _, key := range n.Keys {
		visit(key, n.Fields[key])
		if key != "default" && key != "examples" && key != "enum" {
			walk(n.Fields[key], visit)
		}
	}
	for _, item := range n.Items {
		walk(item, visit)
	}
}
