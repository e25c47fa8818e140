package llm

import (
	"encoding/json"

	"atelier/internal/contract"
)

// Message is one turn of a conversation as the chat completions API has it.
type Message struct {
	Role       string          `json:"role"` // system, user, assistant, tool
	Content    json.RawMessage `json:"content,omitempty"`
	Name       string          `json:"name,omitempty"`
	ToolCalls  []ToolCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
}

// Text is a message whose content is a string.
func Text(role, text string) Message {
	raw, _ := json.Marshal(text) // a string always encodes
	return Message{Role: role, Content: raw}
}

// ToolOutput answers a tool call.
func ToolOutput(callID, text string) Message {
	m := Text("tool", text)
	m.ToolCallID = callID
	return m
}

// ToolCall is a call that a model asks for. Arguments are JSON as the model
// wrote it, which need not be valid.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // "function"
	Function FunctionCall `json:"function"`
}

// FunctionCall names the function and carries its arguments.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is a function that the model may call.
type Tool struct {
	Type     string   `json:"type"` // "function"
	Function Function `json:"function"`
}

// Function describes a Tool. Parameters is a JSON Schema; nil for none.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// ToolOf offers a tool of this server under its alias, which every model's
// endpoint accepts as a function's name.
func ToolOf(c *contract.Contract) Tool {
	f := c.FunctionTool(false).Function
	return Tool{Type: "function", Function: Function{Name: f.Name, Description: f.Description, Parameters: f.Parameters}}
}

// Settings go to the endpoint as they are; what is nil is left to its defaults.
type Settings struct {
	Temperature         *float64          `json:"temperature,omitempty"`
	TopP                *float64          `json:"top_p,omitempty"`
	PresencePenalty     *float64          `json:"presence_penalty,omitempty"`
	FrequencyPenalty    *float64          `json:"frequency_penalty,omitempty"`
	MaxTokens           *int              `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int              `json:"max_completion_tokens,omitempty"`
	Seed                *int              `json:"seed,omitempty"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls,omitempty"`
	Stop                json.RawMessage   `json:"stop,omitempty"`
	ResponseFormat      json.RawMessage   `json:"response_format,omitempty"`
	ReasoningEffort     string            `json:"reasoning_effort,omitempty"`
	Verbosity           string            `json:"verbosity,omitempty"`
	User                string            `json:"user,omitempty"`
	Metadata            map[string]string `json:"metadata,omitempty"`
}

// Request is one call of the model.
type Request struct {
	Messages   []Message
	Tools      []Tool
	ToolChoice json.RawMessage // as the chat completions API has it; nil for its default
	Settings   Settings
}

// body is what goes over the wire.
type body struct {
	Model         string          `json:"model"`
	Messages      []Message       `json:"messages"`
	Tools         []Tool          `json:"tools,omitempty"`
	ToolChoice    json.RawMessage `json:"tool_choice,omitempty"`
	Stream        bool            `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Settings
}

// Delta is a piece of a reply, as it arrives.
type Delta struct {
	Text, Refusal, Reasoning string
}

// Reply is a whole answer of the model.
type Reply struct {
	Text      string
	Refusal   string
	Reasoning string // where the endpoint shows it
	ToolCalls []ToolCall
	// FinishReason is the endpoint's: stop, length, tool_calls, content_filter.
	FinishReason string
	Usage        Usage
}

// Message is the reply as the next request's history holds it.
func (r *Reply) Message() Message {
	m := Message{Role: "assistant", ToolCalls: r.ToolCalls}
	if text := r.Text + r.Refusal; text != "" || len(r.ToolCalls) == 0 {
		m.Content = Text("", text).Content
	}
	return m
}

// Usage counts tokens; 0 where the endpoint does not say.
type Usage struct {
	Input     int
	Cached    int // of Input
	Output    int
	Reasoning int // of Output
}

// Add sums two calls.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Cached + v.Cached, u.Output + v.Output, u.Reasoning + v.Reasoning}
}
