package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"atelier/internal/jsonvalue"
)

// lazyDocument is a schema as a document, read when it is first needed.
type lazyDocument struct {
	once sync.Once
	doc  any
	says map[string]bool // the keywords of interest that it holds
}

// inputDocument is the input schema; nil where it has none of the keywords.
func (c *Contract) inputDocument(keyword string) any {
	c.inputDoc.once.Do(func() {
		c.inputDoc.says = map[string]bool{}
		for _, word := range []string{"default", "deprecated"} {
			c.inputDoc.says[word] = bytes.Contains(c.InputSchema, []byte(`"`+word+`"`))
		}
		c.inputDoc.doc, _ = jsonschema.UnmarshalJSON(bytes.NewReader(c.InputSchema)) // it has been compiled
	})
	if !c.inputDoc.says[keyword] {
		return nil
	}
	return c.inputDoc.doc
}

// declared visits what a schema declares for the objects of a validated value:
// every property with the object that has it or lacks it. Of a choice (anyOf,
// oneOf) it visits the branches that are of the value's type and whose constants
// the value has.
type declared struct {
	root  any
	visit func(at string, object map[string]any, name string, property map[string]any)
}

func (d declared) walk(at string, schema, value any) {
	s, ok := d.resolved(schema).(map[string]any)
	if !ok {
		return
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := s[key].([]any)
		for _, b := range branches {
			if key == "allOf" || d.suits(b, value) {
				d.walk(at, b, value)
			}
		}
	}
	switch v := value.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for name, property := range properties {
			if p, ok := d.resolved(property).(map[string]any); ok {
				d.visit(at, v, name, p)
			}
		}
		for name, member := range v {
			next, known := properties[name]
			if !known {
				next = s["additionalProperties"]
			}
			d.walk(at+"/"+jsonvalue.Escape(name), next, member)
		}
	case []any:
		for i, item := range v {
			d.walk(at+"/"+strconv.Itoa(i), s["items"], item)
		}
	}
}

// suits says whether a value may be one of a branch.
func (d declared) suits(branch, value any) bool {
	b, _ := d.resolved(branch).(map[string]any)
	if kind, typed := b["type"].(string); typed {
		_, object := value.(map[string]any)
		_, list := value.([]any)
		if (kind == "object") != object || (kind == "array") != list {
			return false
		}
	}
	object, _ := value.(map[string]any)
	for _, name := range list(b["required"]) {
		if _, has := object[name.(string)]; !has { // the schema has been compiled
			return false
		}
	}
	for name, property := range set(b["properties"]) {
		p, _ := d.resolved(property).(map[string]any)
		given, has := object[name]
		if !has {
			continue
		}
		if constant, fixed := p["const"]; fixed && constant != given {
			return false
		}
		if words, fixed := p["enum"].([]any); fixed && !slices.Contains(words, given) {
			return false
		}
	}
	return true
}

// resolved puts what a local reference leads to in its place; keywords beside the
// reference win.
func (d declared) resolved(schema any) any {
	s, _ := schema.(map[string]any)
	ref, ok := s["$ref"].(string)
	if !ok {
		return schema
	}
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return schema
	}
	target, _ := lookup(d.root, pointer)
	t, ok := d.resolved(target).(map[string]any)
	if !ok {
		return schema
	}
	out := maps.Clone(t)
	maps.Copy(out, s)
	delete(out, "$ref")
	return out
}

// Conditional is implemented by inputs with arguments whose default holds for some
// calls only (the folds of a lasso), or that an engine completes itself: JSON
// pointers at which, and below which, what is absent stays absent.
type Conditional interface{ Conditional() []string }

// WithDefaults is a validated input with the defaults of its schema where it says
// nothing, but for conditional places. The schema is where a default stands, and
// no tool has it a second time. An object that is absent stays absent.
func (c *Contract) WithDefaults(input json.RawMessage, conditional ...string) json.RawMessage {
	root := c.inputDocument("default")
	if root == nil {
		return input
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(input))
	if err != nil {
		return input // the decoder says what is wrong
	}
	filled := false
	declared{root, func(at string, object map[string]any, name string, property map[string]any) {
		value, has := property["default"]
		at += "/" + jsonvalue.Escape(name)
		left := slices.ContainsFunc(conditional, func(place string) bool { return at == place || strings.HasPrefix(at, place+"/") })
		if _, given := object[name]; has && !given && !left {
			object[name], filled = value, true
		}
	}}.walk("", root, doc)
	if !filled {
		return input
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return input
	}
	return raw
}

// Deprecations warns of what a call uses and a later major will not have: the
// tool, or arguments whose schema is marked as deprecated.
func (c *Contract) Deprecations(input json.RawMessage) []Warning {
	var out []Warning
	if d := c.Deprecation; d != nil {
		message := c.Name + " is deprecated since " + d.Since + ": use " + d.Replacement + "."
		if d.Removal != "" {
			message += " It will be removed in " + d.Removal + "."
		}
		out = append(out, Warning{"deprecated", message})
	}
	root := c.inputDocument("deprecated")
	if root == nil {
		return out
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(input))
	if err != nil {
		return out
	}
	found := map[string]string{}
	declared{root, func(at string, object map[string]any, name string, property map[string]any) {
		if _, given := object[name]; given && property["deprecated"] == true {
			why, _ := property["description"].(string)
			found[at+"/"+jsonvalue.Escape(name)] = why
		}
	}}.walk("", root, doc)
	for _, at := range slices.Sorted(maps.Keys(found)) {
		out = append(out, Warning{"deprecated_argument", strings.TrimSpace(at + " is deprecated and still works. " + found[at])})
	}
	return out
}
