package contract

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"atelier/internal/jsonvalue"
)

// ProjectOutput turns an output of the present code into one of this, earlier,
// contract: fields that its closed objects do not know are dropped, at every
// depth. The faults are those of the projected output against the schema, such
// as a value that only the present version knows.
func (c *Contract) ProjectOutput(output json.RawMessage) (json.RawMessage, []*Error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(output))
	if err != nil {
		return nil, []*Error{Errorf(CodeInvalidToolOutput, "the output is not valid JSON: %v", err)}
	}
	p, err := newProjector(c.OutputSchema)
	if err != nil {
		return nil, []*Error{Errorf(CodeInternal, "the output schema cannot be read: %w", err)}
	}
	raw, err := json.Marshal(p.project("", p.root, doc))
	if err != nil {
		return nil, []*Error{Errorf(CodeInternal, "the output cannot be encoded: %w", err)}
	}
	return raw, c.ValidateOutput(raw)
}

// projector walks a value along a schema.
type projector struct {
	root     map[string]any
	compiler *jsonschema.Compiler
}

const projectedURL = "contract:///projected"

func newProjector(schema json.RawMessage) (*projector, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	p := &projector{compiler: jsonschema.NewCompiler()}
	p.root, _ = doc.(map[string]any)
	p.compiler.DefaultDraft(jsonschema.Draft2020)
	return p, p.compiler.AddResource(projectedURL, doc)
}

// project returns value without what the schema at the pointer does not know.
func (p *projector) project(at string, schema, value any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return value
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, ok := p.resolve(ref); ok {
			value = p.project(strings.TrimPrefix(ref, "#"), target, value)
		}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if branches, ok := s[key].([]any); ok {
			value = p.branch(at+"/"+key, branches, value)
		}
	}
	if all, ok := s["allOf"].([]any); ok {
		for i, part := range all {
			value = p.project(at+"/allOf/"+strconv.Itoa(i), part, value)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		return p.object(at, s, v)
	case []any:
		return p.list(at, s, v)
	}
	return value
}

func (p *projector) object(at string, s, value map[string]any) map[string]any {
	properties, _ := s["properties"].(map[string]any)
	rest, restricted := s["additionalProperties"]
	out := make(map[string]any, len(value))
	for name, v := range value {
		if property, known := properties[name]; known {
			out[name] = p.project(at+"/properties/"+jsonvalue.Escape(name), property, v)
			continue
		}
		if restricted && rest == false && s["patternProperties"] == nil {
			continue
		}
		out[name] = p.project(at+"/additionalProperties", rest, v)
	}
	return out
}

func (p *projector) list(at string, s map[string]any, value []any) []any {
	prefix, _ := s["prefixItems"].([]any)
	out := make([]any, len(value))
	for i, v := range value {
		if i < len(prefix) {
			out[i] = p.project(at+"/prefixItems/"+strconv.Itoa(i), prefix[i], v)
		} else {
			out[i] = p.project(at+"/items", s["items"], v)
		}
	}
	return out
}

// branch projects along the first branch after which the value fits the choice
// as a whole; one that fits already stays as it is.
func (p *projector) branch(at string, branches []any, value any) any {
	fitting := func(value any) int {
		n := 0
		for i := range branches {
			compiled, err := p.compiler.Compile(projectedURL + (&url.URL{Fragment: at + "/" + strconv.Itoa(i)}).String())
			if err == nil && compiled.Validate(value) == nil { // a part of what compiled as a whole compiles
				n++
			}
		}
		return n
	}
	fits := func(value any) bool {
		n := fitting(value)
		return n == 1 || n > 1 && strings.HasSuffix(at, "/anyOf")
	}
	if fits(value) {
		return value
	}
	for i, b := range branches {
		if candidate := p.project(at+"/"+strconv.Itoa(i), b, value); fits(candidate) {
			return candidate
		}
	}
	return value
}

func (p *projector) resolve(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	return lookup(p.root, pointer)
}

// Figure returns the value that a JSON pointer leads to in a JSON text.
func Figure(text json.RawMessage, pointer string) (any, bool) {
	var doc any
	if json.Unmarshal(text, &doc) != nil || !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	return lookup(doc, pointer)
}

// lookup follows a JSON pointer within a document.
func lookup(doc any, pointer string) (any, bool) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = jsonvalue.Unescape(token)
		switch v := doc.(type) {
		case map[string]any:
			next, ok := v[token]
			if !ok {
				return nil, false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) || token != strconv.Itoa(i) { // 01 is no index (RFC 6901, 4)
				return nil, false
			}
			doc = v[i]
		default:
			return nil, false
		}
	}
	return doc, true
}
