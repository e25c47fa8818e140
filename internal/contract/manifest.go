package contract

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Manifest is a tool as api/spec/invocation.md describes it.
type Manifest struct {
	Name          string          `json:"name"` // lowercase snake_case: the alias
	Version       string          `json:"version"`
	Description   string          `json:"description"`
	Capabilities  []string        `json:"capabilities"`
	InputSchema   json.RawMessage `json:"input_schema"`
	OutputSchema  json.RawMessage `json:"output_schema"`
	Constraints   Constraints     `json:"execution_constraints"`
	CostHint      CostHint        `json:"cost_hint"`
	Deterministic bool            `json:"deterministic"`
}

// Constraints are a manifest's execution_constraints.
type Constraints struct {
	MaxTimeoutMS    int64 `json:"max_timeout_ms"`
	MaxPayloadBytes int64 `json:"max_payload_bytes"` // of the whole serialized request
	// SupportsStreaming says whether output comes in parts. It is false of every
	// tool: a job's progress can be followed while it runs, but its output is
	// validated as a whole before any of it is shown.
	SupportsStreaming bool   `json:"supports_streaming"`
	SideEffects       string `json:"side_effects"`
}

// Manifest projects the contract to the form of api/spec/invocation.md. maxBody is the server's own
// limit of a body, in bytes.
func (c *Contract) Manifest(maxBody int64) Manifest {
	m := Manifest{
		Name: c.Alias(), Version: c.Version, Description: c.Description, Capabilities: c.Capabilities,
		InputSchema: withLists(c.InputSchema), OutputSchema: withLists(c.OutputSchema),
		Constraints: Constraints{
			MaxTimeoutMS: c.MaxTimeoutMS(), MaxPayloadBytes: c.MaxPayloadBytes(maxBody), SideEffects: c.Effects.SideEffects,
		},
		CostHint: c.CostHint, Deterministic: c.Deterministic,
	}
	if m.Capabilities == nil {
		m.Capabilities = []string{}
	}
	return m
}

// MaxTimeoutMS is the longest time limit that a call of the tool may have.
func (c *Contract) MaxTimeoutMS() int64 {
	if c.Limits.MaxTimeoutMS > 0 {
		return c.Limits.MaxTimeoutMS
	}
	return Ceilings().TimeoutMS
}

// MinTimeoutMS is the shortest time limit that the tool can work within.
func (c *Contract) MinTimeoutMS() int64 { return max(c.Limits.MinTimeoutMS, 1) }

// MaxPayloadBytes is the largest request: the tool's own limit, or maxBody.
func (c *Contract) MaxPayloadBytes(maxBody int64) int64 {
	if own := c.Limits.MaxPayloadBytes; own > 0 {
		return min(own, maxBody)
	}
	return maxBody
}

// withLists adds properties and required, which a manifest's schemas always
// have, where a schema leaves them out because they would be empty.
func withLists(schema json.RawMessage) json.RawMessage {
	var has struct {
		Properties, Required json.RawMessage
	}
	if json.Unmarshal(schema, &has) != nil {
		return schema
	}
	body := bytes.TrimSuffix(bytes.TrimSpace(schema), []byte("}"))
	body = slices.Clip(bytes.TrimSpace(body)) // what is added must not land in the contract's own bytes
	add := func(member string, absent bool) {
		if !absent {
			return
		}
		if body[len(body)-1] != '{' {
			body = append(body, ',')
		}
		body = append(body, member...)
	}
	add(`"properties":{}`, has.Properties == nil)
	add(`"required":[]`, has.Required == nil)
	return append(body, '}')
}
