package contract

import "encoding/json"

// Descriptor is a tool as GET /v1/tools shows it (api/spec/execute.md).
type Descriptor struct {
	Name        string          `json:"name"`
	Version     string          `json:"version"` // the major, "1"
	Stability   string          `json:"stability"`
	Tags        []string        `json:"tags"`
	Examples    []Example       `json:"examples"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// ToolList is what GET /v1/tools answers. The descriptors have the very shape of
// api/spec/execute.md, so availability stands beside them, by name.
type ToolList struct {
	Tools        []Descriptor            `json:"tools"`
	Availability map[string]Availability `json:"availability"`
}

// Descriptor projects the contract to api/spec/execute.md.
func (c *Contract) Descriptor() Descriptor {
	return Descriptor{
		Name: c.Name, Version: c.Major(), Stability: c.Stability, Tags: c.Tags,
		Examples: c.Examples, Description: c.Description, InputSchema: c.InputSchema,
	}
}
