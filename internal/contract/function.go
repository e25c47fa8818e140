package contract

import "encoding/json"

// FunctionTool is a tool as OpenAI's chat routes describe a function.
type FunctionTool struct {
	Type     string   `json:"type"` // "function"
	Function Function `json:"function"`
}

// Function is the name, the purpose and the arguments of a FunctionTool.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // the input schema
}

// ShownName is the alias, or the canonical name where a caller asks for it.
func (c *Contract) ShownName(canonical bool) string {
	if canonical {
		return c.Name
	}
	return c.Alias()
}

// FunctionTool projects the contract to an OpenAI function.
func (c *Contract) FunctionTool(canonical bool) FunctionTool {
	return FunctionTool{"function", Function{c.ShownName(canonical), c.Description, c.InputSchema}}
}
