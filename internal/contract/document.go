package contract

import (
	"bytes"
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is a kind of JSON document with a schema of its own, such as the study.
type Document struct {
	Name   string
	Schema json.RawMessage

	compiled lazySchema
}

// Faults are all violations of the schema, with their JSON pointers; none means that
// the document is good.
func (d *Document) Faults(raw json.RawMessage) []*Error {
	if fault := StrictJSON(raw, CodeInvalidInput); fault != nil {
		return []*Error{fault}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []*Error{notJSON(CodeInvalidInput, "the "+d.Name, raw, err)}
	}
	if faults := hugeNumbers(doc, nil, CodeInvalidInput, nil); len(faults) > 0 {
		return faults
	}
	schema, err := d.compiled.get("document/"+d.Name, d.Schema)
	if err != nil {
		return []*Error{Errorf(CodeInternal, "the schema of the %s: %v", d.Name, err)}
	}
	return violations(schema, doc, CodeInvalidInput)
}
