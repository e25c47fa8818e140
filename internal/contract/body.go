package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// BodySchema checks the body of a route against the schema that the API's
// description shows, so that the two cannot drift apart.
type BodySchema struct{ schema *jsonschema.Schema }

// NewBodySchema compiles one of a protocol's named schemas; they refer to each other
// as #/components/schemas/<name>.
func NewBodySchema(name string, schemas map[string]json.RawMessage) (*BodySchema, error) {
	named := map[string]any{}
	for key, raw := range schemas {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", key, err)
		}
		named[key] = doc
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	url := "body:///" + name
	doc := map[string]any{"$ref": "#/components/schemas/" + name, "components": map[string]any{"schemas": named}}
	if err := c.AddResource(url, maps.Clone(doc)); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return &BodySchema{compiled}, nil
}

// Check returns every violation as invalid_request, in a stable order.
func (b *BodySchema) Check(raw json.RawMessage) []*Error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []*Error{notJSON(CodeInvalidRequest, "the body", raw, err)}
	}
	faults := hugeNumbers(doc, nil, CodeInvalidInput, nil)
	if len(faults) == 0 {
		return violations(b.schema, doc, CodeInvalidRequest)
	}
	for _, f := range faults {
		f.Code = CodeInvalidRequest
	}
	return faults
}
