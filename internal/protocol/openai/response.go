package openai

import (
	"encoding/json"
	"time"

	"atelier/internal/llm"
)

// response is the object of the Open Responses specification (2026-04-24):
// every field is there, with its effective value.
type response struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	CreatedAt          int64             `json:"created_at"`
	CompletedAt        *int64            `json:"completed_at"`
	Status             string            `json:"status"`
	IncompleteDetails  *incomplete       `json:"incomplete_details"`
	Model              string            `json:"model"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Instructions       *string           `json:"instructions"`
	Output             []item            `json:"output"`
	Error              *responseError    `json:"error"`
	Tools              []toolEcho        `json:"tools"`
	ToolChoice         any               `json:"tool_choice"` // a mode, or an object that names tools
	Truncation         string            `json:"truncation"`
	ParallelToolCalls  bool              `json:"parallel_tool_calls"`
	Text               textEcho          `json:"text"`
	TopP               float64           `json:"top_p"`
	PresencePenalty    float64           `json:"presence_penalty"`
	FrequencyPenalty   float64           `json:"frequency_penalty"`
	TopLogprobs        int               `json:"top_logprobs"`
	Temperature        float64           `json:"temperature"`
	Reasoning          *reasoning        `json:"reasoning"`
	Usage              *responseUsage    `json:"usage"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	MaxToolCalls       *int              `json:"max_tool_calls"`
	Store              bool              `json:"store"`
	Background         bool              `json:"background"`
	ServiceTier        string            `json:"service_tier"`
	Metadata           map[string]string `json:"metadata"`
	SafetyIdentifier   *string           `json:"safety_identifier"`
	PromptCacheKey     *string           `json:"prompt_cache_key"`
	User               *string           `json:"user,omitempty"`
	ToolResults        []outcome         `json:"tool_results,omitempty"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type toolEcho struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

type textEcho struct {
	Format    json.RawMessage `json:"format"`
	Verbosity string          `json:"verbosity,omitempty"`
}

type reasoning struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

type responseUsage struct {
	Input         int            `json:"input_tokens"`
	InputDetails  map[string]int `json:"input_tokens_details"`
	Output        int            `json:"output_tokens"`
	OutputDetails map[string]int `json:"output_tokens_details"`
	Total         int            `json:"total_tokens"`
}

func newResponseUsage(u llm.Usage) *responseUsage {
	return &responseUsage{u.Input, map[string]int{"cached_tokens": u.Cached}, u.Output, map[string]int{"reasoning_tokens": u.Reasoning}, u.Input + u.Output}
}

// newResponse is the response before anything has happened.
func newResponse(id string, req *responseRequest, t *turn, created time.Time) *response {
	r := &response{
		ID: id, Object: "response", CreatedAt: created.Unix(), Status: statusInProgress, Model: req.Model,
		PreviousResponseID: req.Previous, Instructions: req.Instructions, Output: []item{}, Tools: []toolEcho{}, ToolChoice: t.choice.echo(),
		Truncation: or(req.Truncation, "disabled"), ParallelToolCalls: or(req.Parallel, true),
		Text: textEcho{Format: json.RawMessage(`{"type":"text"}`)},
		TopP: or(req.TopP, 1), Temperature: or(req.Temperature, 1), PresencePenalty: or(req.Presence, 0), FrequencyPenalty: or(req.Frequency, 0),
		Reasoning: req.Reasoning, MaxOutputTokens: req.MaxOutputTokens.int(), MaxToolCalls: req.MaxCalls.int(),
		Store: or(req.Store, true), Background: req.Background, ServiceTier: "default", Metadata: map[string]string{},
		SafetyIdentifier: req.SafetyIdentifier, PromptCacheKey: req.PromptCacheKey,
	}
	if req.Metadata != nil {
		r.Metadata = req.Metadata
	}
	if req.User != "" {
		r.User = &req.User
	}
	if f := req.Text; f != nil {
		r.Text = textEcho{echoFormat(f.Format), f.Verbosity}
	}
	for _, param := range req.Tools {
		f := param.function()
		r.Tools = append(r.Tools, toolEcho{"function", f.Name, f.Description, noNull(f.Parameters), f.Strict})
	}
	return r
}

// echoFormat fills in what the caller has left out of text.format.
func echoFormat(raw json.RawMessage) json.RawMessage {
	if len(noNull(raw)) == 0 {
		return json.RawMessage(`{"type":"text"}`)
	}
	var format struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description *string         `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Strict      bool            `json:"strict"`
	}
	if json.Unmarshal(raw, &format) != nil || format.Type != "json_schema" {
		return raw
	}
	full, err := json.Marshal(format)
	if err != nil {
		return raw
	}
	return full
}

// The states of a response.
const (
	statusQueued     = "queued"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

func pending(status string) bool { return status == statusQueued || status == statusInProgress }
