package openai

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/protocol/httpapi"
)

const (
	forcedWait = 500 * time.Millisecond // by api/spec/agent.md
	chosenWait = 120 * time.Second      // a model that gets no result cannot go on
	allWaits   = 5 * time.Minute        // of a request; the SDKs give up after 600 s
)

// itemsHeader asks for the calls of the server's tools as items of a type, for
// clients that cannot set include.
const itemsHeader = "Atelier-Tool-Items"

// shared is what both routes read alike.
type shared struct {
	Model       string            `json:"model"`
	Tools       []toolParam       `json:"tools"`
	ToolChoice  json.RawMessage   `json:"tool_choice"`
	ServerTools *narrowing        `json:"server_tools"`
	Context     *callContext      `json:"context"`
	WaitMS      *float64          `json:"wait_ms"`
	Include     []string          `json:"include"`
	Stream      bool              `json:"stream"`
	Temperature *float64          `json:"temperature"`
	TopP        *float64          `json:"top_p"`
	Presence    *float64          `json:"presence_penalty"`
	Frequency   *float64          `json:"frequency_penalty"`
	MaxCalls    *whole            `json:"max_tool_calls"`
	Parallel    *bool             `json:"parallel_tool_calls"`
	User        string            `json:"user"`
	Metadata    map[string]string `json:"metadata"`
}

// toolParam is a tool in the form of either route.
type toolParam struct {
	Type string `json:"type"`
	functionParam
	Function *functionParam `json:"function"`
}

type functionParam struct {
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

func (t toolParam) function() functionParam {
	if t.Function != nil {
		return *t.Function
	}
	return t.functionParam
}

type narrowing struct {
	Families []string `json:"families"`
	Tools    []string `json:"tools"`
}

type callContext struct {
	Limits    json.RawMessage `json:"limits"`
	SessionID *string         `json:"session_id"`
}

// itemStyle is how the calls of the server's own tools are shown beside
// tool_results.
type itemStyle string

const (
	noItems       itemStyle = ""
	mcpItems      itemStyle = "mcp_call"
	functionItems itemStyle = "function_call"
)

// turn is one request, whichever route it came by.
type turn struct {
	system   []llm.Message
	history  []llm.Message
	choice   choice
	offered  contract.Offer // the server's tools: those that a model is shown, and those that may run
	callers  []llm.Tool     // those of the caller
	model    *llm.Client    // that speaks; nil for none
	settings llm.Settings
	items    itemStyle
	maxCalls *int

	wait      *float64 // milliseconds; nil for the standard of the kind of call
	limits    json.RawMessage
	context   json.RawMessage
	key       string // Idempotency-Key
	requestID string
	deadline  time.Time // no tool is waited for beyond it; zero in the background
	started   bool      // a tool has begun: the request must not be repeated
}

func (t *turn) waitFor(absent time.Duration) time.Duration {
	d, _ := httpapi.Wait(t.wait, absent, "wait_ms") // checked when it was read
	if t.deadline.IsZero() {
		return d
	}
	return max(min(d, time.Until(t.deadline)), time.Millisecond)
}

// turn reads what both routes share.
func (s *Server) turn(r *http.Request, req *shared) (*turn, error) {
	t := &turn{
		model: s.Model,
		wait:  req.WaitMS, deadline: time.Now().Add(allWaits), maxCalls: req.MaxCalls.int(),
		key: r.Header.Get("Idempotency-Key"), requestID: httpapi.RequestID(r),
		settings: llm.Settings{
			Temperature: req.Temperature, TopP: req.TopP, PresencePenalty: req.Presence, FrequencyPenalty: req.Frequency,
			ParallelToolCalls: req.Parallel, User: req.User, Metadata: req.Metadata,
		},
	}
	if _, err := httpapi.Wait(req.WaitMS, forcedWait, "wait_ms"); err != nil {
		return nil, err
	}
	if s.Loaded != nil {
		loaded, err := s.Loaded.Client(r.Context(), req.Model)
		if err != nil {
			return nil, contract.AsError(err).At("model")
		}
		if loaded != nil {
			t.model = loaded
		}
	}
	if c := req.Context; c != nil {
		t.limits = noNull(c.Limits)
		if c.SessionID != nil {
			t.context, _ = json.Marshal(map[string]string{"session_id": *c.SessionID}) // strings always encode
		}
	}
	var err error
	if t.items, err = style(r, req.Include); err != nil {
		return nil, err
	}
	if t.offered, err = s.offered(r, req.ServerTools); err != nil {
		return nil, err
	}
	if err := t.declare(req.Tools); err != nil {
		return nil, err
	}
	return t, s.choose(t, req.ToolChoice)
}

func style(r *http.Request, include []string) (itemStyle, error) {
	for _, word := range include {
		if st := itemStyle(word); st == mcpItems || st == functionItems {
			return st, nil
		}
	}
	switch st := itemStyle(r.Header.Get(itemsHeader)); st {
	case noItems, mcpItems, functionItems:
		return st, nil
	default:
		return noItems, contract.Errorf(contract.CodeInvalidRequest, "the header %s is %q", itemsHeader, st).At(itemsHeader).
			WithHint("Use %s or %s.", mcpItems, functionItems)
	}
}

// offered narrows the server's tools by the query and by server_tools.
func (s *Server) offered(r *http.Request, n *narrowing) (contract.Offer, error) {
	selection := httpapi.Selection(r)
	if n != nil {
		selection.Families = append(selection.Families, n.Families...)
		selection.Tools = append(selection.Tools, n.Tools...)
	}
	if slices.Equal(selection.Tools, []string{"none"}) && len(selection.Families) == 0 {
		return contract.Nothing(), nil
	}
	return s.Tools.Offer(selection, s.Standard)
}

// declare sorts the tools of the request: a server's name narrows, any other is
// the caller's own.
func (t *turn) declare(tools []toolParam) error {
	var named []string
	seen := map[string]bool{}
	for _, param := range tools {
		f := param.function()
		if seen[f.Name] {
			return contract.Errorf(contract.CodeInvalidRequest, "the tool %q is declared twice", f.Name).At("tools")
		}
		seen[f.Name] = true
		if tool, err := t.offered.Reach.Find(f.Name); err == nil {
			named = append(named, tool.Contract.Name)
			continue
		}
		t.callers = append(t.callers, llm.Tool{Type: "function", Function: llm.Function{
			Name: f.Name, Description: or(f.Description, ""), Parameters: noNull(f.Parameters), Strict: f.Strict,
		}})
	}
	if len(named) == 0 {
		return nil
	}
	var err error
	t.offered, err = t.offered.Narrow(contract.Selection{Tools: named})
	return err
}

func (t *turn) callersTool(name string) bool {
	return slices.ContainsFunc(t.callers, func(tool llm.Tool) bool { return tool.Function.Name == name })
}

func noNull(raw json.RawMessage) json.RawMessage {
	if strings.TrimSpace(string(raw)) == "null" {
		return nil
	}
	return raw
}
