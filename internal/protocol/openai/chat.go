package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/store"
)

// chatRequest is the body of POST /v1/chat/completions.
type chatRequest struct {
	shared
	Messages            []chatMessage   `json:"messages"`
	StreamOptions       streamOptions   `json:"stream_options"`
	MaxTokens           *whole          `json:"max_tokens"`
	MaxCompletionTokens *whole          `json:"max_completion_tokens"`
	Seed                *whole          `json:"seed"`
	Stop                json.RawMessage `json:"stop"`
	ResponseFormat      json.RawMessage `json:"response_format"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	Verbosity           string          `json:"verbosity"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chatMessage goes to the model as it came, but for what endpoints differ in.
type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCalls  []llm.ToolCall  `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

func (m chatMessage) message() llm.Message {
	out := llm.Message{Role: m.Role, Content: noNull(m.Content), Name: m.Name, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID}
	if m.Role == "developer" { // few endpoints know it
		out.Role = "system"
	}
	for i := range out.ToolCalls {
		out.ToolCalls[i].Type = "function"
	}
	return out
}

// chat serves POST /v1/chat/completions.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	var req chatRequest
	if err := readBody(r, chatSchema(), &req); err != nil {
		return err
	}
	t, err := s.turn(r, &req.shared)
	if err != nil {
		return err
	}
	for _, m := range req.Messages {
		t.history = append(t.history, m.message())
	}
	t.settings.MaxTokens, t.settings.MaxCompletionTokens, t.settings.Seed = req.MaxTokens.int(), req.MaxCompletionTokens.int(), req.Seed.int()
	t.settings.Stop, t.settings.ResponseFormat = noNull(req.Stop), noNull(req.ResponseFormat)
	t.settings.ReasoningEffort, t.settings.Verbosity = req.ReasoningEffort, req.Verbosity
	out := &chatOut{completion: completion{ID: store.NewID("chatcmpl_"), Created: time.Now().Unix(), Model: req.Model}, style: t.items}
	if req.Stream {
		out.stream = newEventStream(w, s.KeepAlive, false, out.begin)
		defer out.stream.close()
	}
	a, err := s.run(r.Context(), t, out)
	if err != nil {
		return out.fail(w, t, err)
	}
	out.finish(w, a, req.StreamOptions.IncludeUsage)
	return nil
}

// completion is a chat completion, or a chunk of one.
type completion struct {
	ID          string     `json:"id"`
	Object      string     `json:"object"`
	Created     int64      `json:"created"`
	Model       string     `json:"model"`
	Choices     []any      `json:"choices"` // chatChoice or chunkChoice
	Usage       *chatUsage `json:"usage,omitempty"`
	ToolResults []outcome  `json:"tool_results,omitempty"`
}

type chatChoice struct {
	Index        int        `json:"index"`
	Message      chatAnswer `json:"message"`
	FinishReason string     `json:"finish_reason"`
	Logprobs     *struct{}  `json:"logprobs"`
}

type chatAnswer struct {
	Role      string         `json:"role"`
	Content   *string        `json:"content"`
	Refusal   *string        `json:"refusal"`
	ToolCalls []llm.ToolCall `json:"tool_calls,omitempty"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	FinishReason *string   `json:"finish_reason"`
	Logprobs     *struct{} `json:"logprobs"`
}

type chatDelta struct {
	Role      string         `json:"role,omitempty"`
	Content   *string        `json:"content,omitempty"`
	Refusal   *string        `json:"refusal,omitempty"`
	ToolCalls []callFragment `json:"tool_calls,omitempty"`
}

type callFragment struct {
	Index    int              `json:"index"`
	ID       string           `json:"id,omitempty"`
	Type     string           `json:"type,omitempty"`
	Function fragmentFunction `json:"function"`
}

type fragmentFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type chatUsage struct {
	Prompt        int            `json:"prompt_tokens"`
	Completion    int            `json:"completion_tokens"`
	Total         int            `json:"total_tokens"`
	PromptDetails map[string]int `json:"prompt_tokens_details"`
	Details       map[string]int `json:"completion_tokens_details"`
}

func newChatUsage(u llm.Usage) *chatUsage {
	return &chatUsage{u.Input, u.Output, u.Input + u.Output, map[string]int{"cached_tokens": u.Cached}, map[string]int{"reasoning_tokens": u.Reasoning}}
}

// chatOut puts a completion together and, when it is streamed, sends its pieces
// as they come.
type chatOut struct {
	completion
	stream        *eventStream // nil when it is not streamed
	style         itemStyle
	text, refusal strings.Builder
	calls         []llm.ToolCall
	gap           bool // a tool ran since the last text
}

// begin is the first chunk: the role.
func (o *chatOut) begin(s *eventStream) {
	empty := ""
	s.event(o.chunk(chatDelta{Role: "assistant", Content: &empty}, ""))
}

func (o *chatOut) chunk(d chatDelta, finish string) completion {
	c := o.completion
	c.Object = "chat.completion.chunk"
	choice := chunkChoice{Delta: d}
	if finish != "" {
		choice.FinishReason = &finish
	}
	c.Choices = []any{choice}
	return c
}

func (o *chatOut) send(d chatDelta) {
	if o.stream != nil {
		o.stream.send(o.chunk(d, ""))
	}
}

// Text implements sink.
func (o *chatOut) Text(delta string) {
	if o.gap && o.text.Len() > 0 {
		delta = "\n\n" + delta
	}
	o.gap = false
	o.text.WriteString(delta)
	o.send(chatDelta{Content: &delta})
}

// Refusal implements sink.
func (o *chatOut) Refusal(delta string) {
	o.refusal.WriteString(delta)
	o.send(chatDelta{Refusal: &delta})
}

// ToolStarted implements sink.
func (o *chatOut) ToolStarted(c *call) {
	o.gap = true
	if o.style == functionItems {
		o.call(llm.ToolCall{ID: c.id, Type: "function", Function: llm.FunctionCall{Name: c.name, Arguments: string(c.arguments)}})
	}
}

// ToolDone implements sink.
func (o *chatOut) ToolDone(*call, outcome) { o.gap = true }

// call adds a tool call: its head, then its arguments.
func (o *chatOut) call(tc llm.ToolCall) {
	n := len(o.calls)
	o.calls = append(o.calls, tc)
	o.send(chatDelta{ToolCalls: []callFragment{{Index: n, ID: tc.ID, Type: "function", Function: fragmentFunction{Name: tc.Function.Name}}}})
	o.send(chatDelta{ToolCalls: []callFragment{{Index: n, Function: fragmentFunction{Arguments: tc.Function.Arguments}}}})
}

func (o *chatOut) finish(w http.ResponseWriter, a *answer, includeUsage bool) {
	for _, tc := range a.calls {
		o.call(tc)
	}
	finish := a.finish
	if len(o.calls) > 0 && finish == "stop" { // asked for by the item style
		finish = "tool_calls"
	}
	usage := newChatUsage(a.usage)
	if o.stream != nil {
		last := o.chunk(chatDelta{}, finish)
		last.ToolResults = a.results
		o.stream.send(last)
		if includeUsage {
			tail := o.completion
			tail.Object, tail.Choices, tail.Usage = "chat.completion.chunk", []any{}, usage
			o.stream.send(tail)
		}
		o.stream.done()
		return
	}
	message := chatAnswer{Role: "assistant", ToolCalls: o.calls}
	if text := o.text.String(); text != "" || len(o.calls) == 0 && o.refusal.Len() == 0 {
		message.Content = &text
	}
	if refusal := o.refusal.String(); refusal != "" {
		message.Refusal = &refusal
	}
	body := o.completion
	body.Object, body.Usage, body.ToolResults = "chat.completion", usage, a.results
	body.Choices = []any{chatChoice{Message: message, FinishReason: finish}}
	httpapi.JSON(w, http.StatusOK, body)
}

// fail tells an error: as an HTTP error, or within a stream that has begun.
func (o *chatOut) fail(w http.ResponseWriter, t *turn, err error) error {
	if o.stream == nil || o.stream.abandon() {
		noRetry(w, t)
		return err
	}
	o.stream.send(map[string]errorObject{"error": newErrorObject(contract.ErrorsOf(err))})
	o.stream.done()
	return nil
}
