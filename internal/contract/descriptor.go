package contract

import "encoding/json"

// Descriptor is a tool as GET /v1/tools shows it (document 000).
type Descriptor struct {
	Name        string          `json:"name"`
	Version     string          `json:"version"` // the major, "1"
	Stability   string          `json:"stability"`
	Tags        []string        `json:"tags"`
	Examples    []Example       `json:"examples"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// Descriptor projects the contract to document 000.
func (c *Contract) Descriptor() Descriptor {
	return Descriptor{
		Name: c.Name, Version: c.Major(), Stability: c.Stability, Tags: c.Tags,
		Examples: c.Examples, Description: c.Description, InputSchema: c.InputSchema,
	}
}
