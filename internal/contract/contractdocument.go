package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ContractDocument is a tool in the form of api/spec/tool-contracts.md.
type ContractDocument struct {
	Name         string          `json:"name"`
	Status       string          `json:"status"`
	Transport    string          `json:"transport"`
	Endpoint     string          `json:"endpoint"`
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema"`
	Errors       []ErrorEntry    `json:"errors"`
	Availability
}

// ErrorEntry is an error in that form.
type ErrorEntry struct {
	Code       string `json:"code"`
	HTTPStatus int    `json:"http_status"`
}

// Document projects the contract to that form.
func (c *Contract) Document() ContractDocument {
	d := ContractDocument{c.Name, c.Status, c.Transport, c.Endpoint, c.InputSchema, c.OutputSchema, []ErrorEntry{}, Availability{Available: true}}
	for _, e := range c.Errors {
		d.Errors = append(d.Errors, ErrorEntry{e.Code, e.HTTPStatus})
	}
	return d
}

// document tells of the status what holds on this machine.
func (t *Tool) document() ContractDocument {
	d := t.Contract.Document()
	if d.Availability = t.Availability(); !d.Available {
		d.Status = d.Availability.String()
	}
	return d
}

// Documents projects all tools of the registry.
func (r *Registry) Documents() []ContractDocument {
	documents := make([]ContractDocument, len(r.sorted))
	for i, t := range r.sorted {
		documents[i] = t.document()
	}
	return documents
}

// Markdown writes the tools down as Markdown.
func (r *Registry) Markdown() []byte {
	var b bytes.Buffer
	b.WriteString("# Tool Contracts\n\nGenerated from the contracts that the server honours.\n")
	for _, d := range r.Documents() {
		fmt.Fprintf(&b, "\n## %s\n- status: %s\n- transport: %s\n- endpoint: `%s`\n", d.Name, d.Status, d.Transport, d.Endpoint)
		block(&b, "input_schema", d.InputSchema)
		block(&b, "output_schema", d.OutputSchema)
		b.WriteString("- errors:\n```json\n[\n")
		for i, e := range d.Errors {
			comma := ","
			if i == len(d.Errors)-1 {
				comma = ""
			}
			fmt.Fprintf(&b, "  { \"code\": %q, \"http_status\": %d }%s\n", e.Code, e.HTTPStatus, comma)
		}
		b.WriteString("]\n```\n")
	}
	return b.Bytes()
}

func block(b *bytes.Buffer, name string, schema json.RawMessage) {
	fmt.Fprintf(b, "- %s:\n```json\n", name)
	if json.Indent(b, schema, "", "  ") != nil {
		b.Write(schema) // a registered contract's schema is valid JSON; never lose it
	}
	b.WriteString("\n```\n")
}
