package openai

import (
	"net/http"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/store"
)

// serverLabel is the server's name in mcp_call items.
const serverLabel = "atelier"

// responseOut puts a response together and, when it is streamed, sends the
// events of it as they happen. Streamed or not, the same code makes the items.
type responseOut struct {
	*response
	first   response     // as it was at the start, for the opening events
	stream  *eventStream // nil when it is not streamed
	style   itemStyle
	open    *openMessage
	running map[string]int // output index of the calls that run, by call id
	gap     bool           // a tool ran since the last text
}

// openMessage is the message that is being written.
type openMessage struct {
	index   int
	id      string
	parts   []part
	kind    string // of the part that is being written; "" for none
	content strings.Builder
}

func newResponseOut(r *response, style itemStyle) *responseOut {
	return &responseOut{response: r, first: *r, style: style, running: map[string]int{}}
}

// begin is what goes before anything else.
func (o *responseOut) begin(s *eventStream) {
	s.event(&responseEvent{Type: "response.created", Response: &o.first})
	s.event(&responseEvent{Type: "response.in_progress", Response: &o.first})
}

func (o *responseOut) send(e *responseEvent) {
	if o.stream != nil {
		o.stream.send(e)
	}
}

func (o *responseOut) sendItem(kind string, index int, it item) {
	o.send(&responseEvent{Type: kind, OutputIndex: &index, Item: it})
}

// add appends an item and announces it.
func (o *responseOut) add(it item) int {
	index := len(o.Output)
	o.Output = append(o.Output, it)
	o.sendItem("response.output_item.added", index, it)
	return index
}

// finishItem replaces an item by its final form and announces it.
func (o *responseOut) finishItem(index int, it item) {
	o.Output[index] = it
	o.sendItem("response.output_item.done", index, it)
}

// Text implements sink.
func (o *responseOut) Text(delta string) {
	if o.gap && o.open != nil && o.open.kind == "output_text" {
		delta = "\n\n" + delta
	}
	o.gap = false
	m := o.write("output_text")
	m.content.WriteString(delta)
	at := len(m.parts)
	o.send(&responseEvent{Type: "response.output_text.delta", ItemID: m.id, OutputIndex: &m.index, ContentIndex: &at, Delta: &delta, Logprobs: &[]struct{}{}})
}

// Refusal implements sink.
func (o *responseOut) Refusal(delta string) {
	m := o.write("refusal")
	m.content.WriteString(delta)
	at := len(m.parts)
	o.send(&responseEvent{Type: "response.refusal.delta", ItemID: m.id, OutputIndex: &m.index, ContentIndex: &at, Delta: &delta})
}

// write opens the message and the part that are written to, where they are not.
func (o *responseOut) write(kind string) *openMessage {
	if o.open == nil {
		m := &openMessage{id: store.NewID("msg_")}
		m.index = o.add(messageItem{"message", m.id, statusInProgress, "assistant", []part{}})
		o.open = m
	}
	if m := o.open; m.kind != kind {
		o.closePart()
		m.kind = kind
		at := len(m.parts)
		o.send(&responseEvent{Type: "response.content_part.added", ItemID: m.id, OutputIndex: &m.index, ContentIndex: &at, Part: newPart(kind, "")})
	}
	return o.open
}

func newPart(kind, text string) part {
	if kind == "refusal" {
		return refusalPart{"refusal", text}
	}
	return newTextPart(text)
}

func (o *responseOut) closePart() {
	m := o.open
	if m.kind == "" {
		return
	}
	text, at := m.content.String(), len(m.parts)
	done := &responseEvent{Type: "response.output_text.done", ItemID: m.id, OutputIndex: &m.index, ContentIndex: &at, Text: &text, Logprobs: &[]struct{}{}}
	if m.kind == "refusal" {
		done = &responseEvent{Type: "response.refusal.done", ItemID: m.id, OutputIndex: &m.index, ContentIndex: &at, Refusal: &text}
	}
	o.send(done)
	written := newPart(m.kind, text)
	o.send(&responseEvent{Type: "response.content_part.done", ItemID: m.id, OutputIndex: &m.index, ContentIndex: &at, Part: written})
	m.parts = append(m.parts, written)
	m.kind = ""
	m.content.Reset()
}

// closeMessage ends the open message, with the status of what it came to.
func (o *responseOut) closeMessage(status string) {
	if o.open == nil {
		return
	}
	o.closePart()
	m := o.open
	o.open = nil
	o.finishItem(m.index, messageItem{"message", m.id, status, "assistant", m.parts})
}

// ToolStarted implements sink.
func (o *responseOut) ToolStarted(c *call) {
	o.gap = true
	if o.style != mcpItems {
		return
	}
	o.closeMessage(statusCompleted)
	id := store.NewID("mcp_")
	index := o.add(mcpCallItem{Type: "mcp_call", ID: id, Status: statusInProgress, ServerLabel: serverLabel, Name: c.name})
	o.running[c.id] = index
	text := string(c.arguments)
	o.send(&responseEvent{Type: "response.mcp_call.in_progress", ItemID: id, OutputIndex: &index})
	o.send(&responseEvent{Type: "response.mcp_call_arguments.done", ItemID: id, OutputIndex: &index, Arguments: &text})
}

// ToolDone implements sink.
func (o *responseOut) ToolDone(c *call, out outcome) {
	o.gap = true
	switch o.style {
	case mcpItems:
		index := o.running[c.id]
		id, text := o.Output[index].itemID(), out.of.JSON(nil, 0)
		done := mcpCallItem{Type: "mcp_call", ID: id, Status: statusCompleted, ServerLabel: serverLabel, Name: c.name, Arguments: string(c.arguments), Output: &text}
		event := "response.mcp_call.completed"
		if out.failed {
			done.Status, done.Output, done.Error, event = statusFailed, nil, &text, "response.mcp_call.failed"
		}
		o.send(&responseEvent{Type: event, ItemID: id, OutputIndex: &index})
		o.finishItem(index, done)
	case functionItems:
		o.closeMessage(statusCompleted)
		o.functionCall(llm.ToolCall{ID: c.id, Function: llm.FunctionCall{Name: c.name, Arguments: string(c.arguments)}})
		output := functionOutputItem{"function_call_output", store.NewID("fco_"), statusCompleted, c.id, out.of.JSON(nil, 0)}
		o.finishItem(o.add(output), output)
	}
}

// functionCall adds a call as an item, with all its events.
func (o *responseOut) functionCall(tc llm.ToolCall) {
	it := functionCallItem{"function_call", store.NewID("fc_"), statusInProgress, tc.ID, tc.Function.Name, ""}
	index := o.add(it)
	text := tc.Function.Arguments
	o.send(&responseEvent{Type: "response.function_call_arguments.delta", ItemID: it.ID, OutputIndex: &index, Delta: &text})
	o.send(&responseEvent{Type: "response.function_call_arguments.done", ItemID: it.ID, OutputIndex: &index, Arguments: &text})
	it.Status, it.Arguments = statusCompleted, text
	o.finishItem(index, it)
}

// finish brings the response to its end; the last event is sent by conclude,
// when the record is durable.
func (o *responseOut) finish(a *answer) {
	o.Status = statusCompleted
	switch a.finish {
	case "length":
		o.Status, o.IncompleteDetails = statusIncomplete, &incomplete{"max_output_tokens"}
	case "content_filter":
		o.Status, o.IncompleteDetails = statusIncomplete, &incomplete{"content_filter"}
	}
	o.closeMessage(o.Status)
	for _, tc := range a.calls {
		o.functionCall(tc)
	}
	now := time.Now().Unix()
	o.CompletedAt, o.Usage, o.ToolResults = &now, newResponseUsage(a.usage), a.results
}

// end marks the response as failed or cancelled.
func (o *responseOut) end(status string, errs []*contract.Error) {
	o.closeMessage(statusIncomplete)
	for _, index := range o.running {
		if it, ok := o.Output[index].(mcpCallItem); ok && it.Status == statusInProgress {
			said := "the response ended first"
			it.Status, it.Error = statusFailed, &said
			o.finishItem(index, it)
		}
	}
	o.Status, o.Usage = status, newResponseUsage(llm.Usage{})
	if status == statusFailed {
		object := newErrorObject(errs)
		o.Error = &responseError{object.Code, object.Message}
	}
}

// conclude sends the last events of a stream.
func (o *responseOut) conclude(errs []*contract.Error) {
	kind := "response." + o.Status
	if o.Status == statusCancelled { // has no event of its own
		kind = "response.failed"
	}
	o.send(&responseEvent{Type: kind, Response: o.response})
	if len(errs) > 0 {
		object := newErrorObject(errs)
		o.send(&responseEvent{Type: "error", Error: &object, Code: &object.Code, Message: &object.Message})
	}
	o.stream.done()
}

// noRetry tells the SDKs not to repeat a request whose tools have begun.
func noRetry(w http.ResponseWriter, t *turn) {
	if t.started {
		w.Header().Set(shouldRetry, "false")
	}
}
