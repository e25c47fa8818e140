package openai

import (
	"strings"
	"testing"
	"time"

	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
)

// Chunks come in the order that the SDKs' accumulators need: role, content,
// tool calls by index, finish reason, usage.
func TestChunksOfAChat(t *testing.T) {
	h := newTestServer(t, nil)
	list := events(t, h.chat(`"stream":true,"stream_options":{"include_usage":true},`+double).raw)
	if len(list) != 4 || at(list[0].data, "choices", 0, "delta", "role") != "assistant" || at(list[1].data, "choices", 0, "delta", "content") != "Doubled to 42." ||
		at(list[2].data, "choices", 0, "finish_reason") != "stop" || at(list[2].data, "tool_results", 0, "result", "value") != 42.0 ||
		len(at(list[3].data, "choices").([]any)) != 0 || at(list[3].data, "usage", "total_tokens") != 0.0 {
		t.Fatalf("%+v", list)
	}
	for _, e := range list {
		if at(e.data, "object") != "chat.completion.chunk" || at(e.data, "id") != at(list[0].data, "id") || e.name != "" {
			t.Errorf("%s", e.raw)
		}
	}
	up := llmtest.Start(t, doubleCall, llmtest.Step{Text: "So, 42. And now yours.", Calls: []llm.FunctionCall{{Name: "weather", Arguments: `{"a":1}`}, {Name: "weather", Arguments: `{"a":2}`}}})
	list = events(t, newTestServer(t, up).chat(`"stream":true,`+own).raw)
	var text, order strings.Builder
	arguments := map[float64]string{}
	for _, e := range list {
		delta := at(e.data, "choices", 0, "delta")
		if s, ok := at(delta, "content").(string); ok {
			text.WriteString(s)
			order.WriteString("t")
		}
		if call := at(delta, "tool_calls", 0); call != nil {
			args, _ := at(call, "function", "arguments").(string)
			arguments[at(call, "index").(float64)] += args
			order.WriteString("c")
		}
		if at(e.data, "choices", 0, "finish_reason") != nil {
			order.WriteString("f")
		}
	}
	if text.String() != "I double it.\n\nSo, 42. And now yours." || arguments[0] != `{"a":1}` || arguments[1] != `{"a":2}` || !strings.HasSuffix(order.String(), "tccccf") ||
		at(list[len(list)-1].data, "choices", 0, "finish_reason") != "tool_calls" || at(list[len(list)-1].data, "usage") != nil {
		t.Fatalf("%s %v %s", text.String(), arguments, order.String())
	}
	if n := strings.Count(order.String(), "t"); n < 6 {
		t.Errorf("the text came in %d pieces only", n)
	}
}

// checkResponse holds a stream against the rules of the specification: numbers
// without gaps, event equal to type, an item's added first and done last, deltas
// that add up, and a final object that equals the items that were done.
func checkResponse(t *testing.T, raw []byte) (list []event, types string) {
	t.Helper()
	list = events(t, raw)
	texts, open, ended := map[string]string{}, map[string]bool{}, 0
	var names []string
	for i, e := range list {
		kind := at(e.data, "type").(string)
		names = append(names, strings.TrimPrefix(kind, "response."))
		if at(e.data, "sequence_number") != float64(i) || e.name != kind {
			t.Errorf("event %d: %s %s", i, e.name, e.raw)
		}
		id, _ := at(e.data, "item_id").(string)
		if id != "" && !open[id] {
			t.Errorf("event %d is of no open item: %s", i, e.raw)
		}
		switch kind {
		case "response.output_item.added":
			open[at(e.data, "item", "id").(string)] = true
		case "response.output_item.done":
			id = at(e.data, "item", "id").(string)
			if !open[id] || at(e.data, "output_index") == nil {
				t.Errorf("event %d: %s", i, e.raw)
			}
			delete(open, id)
			ended++
		case "response.output_text.delta", "response.function_call_arguments.delta", "response.refusal.delta":
			texts[id] += at(e.data, "delta").(string)
		case "response.output_text.done":
			if texts[id] != at(e.data, "text") {
				t.Errorf("deltas add up to %q, not %q", texts[id], at(e.data, "text"))
			}
		case "response.function_call_arguments.done":
			if texts[id] != "" && texts[id] != at(e.data, "arguments") {
				t.Errorf("deltas add up to %q", texts[id])
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("items never done: %v", open)
	}
	if names[0] != "created" || names[1] != "in_progress" {
		t.Errorf("%v", names)
	}
	last := list[len(list)-1]
	if at(last.data, "type") == "response.completed" && len(at(last.data, "response", "output").([]any)) != ended {
		t.Errorf("%d items done: %s", ended, last.raw)
	}
	return list, strings.Join(names, " ")
}

func TestEventsOfAResponse(t *testing.T) {
	h := newTestServer(t, nil)
	list, types := checkResponse(t, h.respond(`"stream":true,`+double).raw)
	if types != "created in_progress output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done completed" {
		t.Errorf("%s", types)
	}
	final := at(list[len(list)-1].data, "response")
	if at(final, "tool_results", 0, "result", "value") != 42.0 || at(final, "usage", "total_tokens") != 0.0 {
		t.Errorf("%v", final)
	}
	if stored := h.get("/v1/responses/" + at(final, "id").(string)); stored.at("status") != "completed" || stored.at("output", 0, "id") != at(final, "output", 0, "id") {
		t.Errorf("%s", stored.raw)
	}
	_, types = checkResponse(t, h.respond(`"stream":true,"include":["mcp_call"],`+double).raw)
	if !strings.Contains(types, "output_item.added mcp_call.in_progress mcp_call_arguments.done mcp_call.completed output_item.done") {
		t.Errorf("%s", types)
	}
	_, types = checkResponse(t, h.respond(`"stream":true,"include":["function_call"],`+double).raw)
	if !strings.Contains(types, "output_item.added function_call_arguments.delta function_call_arguments.done output_item.done output_item.added output_item.done") {
		t.Errorf("%s", types)
	}
	up := llmtest.Start(t, doubleCall, llmtest.Step{Text: "So.", Calls: []llm.FunctionCall{{Name: "weather", Arguments: `{"a":1}`}}}, doubleCall, llmtest.Step{Text: "So."})
	h = newTestServer(t, up)
	list, _ = checkResponse(t, h.respond(`"stream":true,`+own).raw)
	final = at(list[len(list)-1].data, "response")
	if at(final, "output", 0, "content", 0, "text") != "I double it.\n\nSo." || at(final, "output", 1, "type") != "function_call" || at(final, "usage", "total_tokens") != 36.0 {
		t.Errorf("%v", final)
	}
	list, _ = checkResponse(t, h.respond(`"stream":true,"include":["mcp_call"]`).raw)
	if final = at(list[len(list)-1].data, "response"); at(final, "output", 0, "content", 0, "text") != "I double it." || at(final, "output", 1, "type") != "mcp_call" || at(final, "output", 2, "content", 0, "text") != "So." {
		t.Errorf("%v", final)
	}
}

// A fault within a stream: the error in the form that makes the SDKs raise.
func TestAFaultWithinAStream(t *testing.T) {
	broken := llmtest.Step{Raw: "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\ndata: {oops\n\n"}
	h := newTestServer(t, llmtest.Start(t, broken, broken))
	list, types := checkResponse(t, h.respond(`"stream":true`).raw)
	last := list[len(list)-1].data
	if !strings.HasSuffix(types, "output_item.done failed error") || at(last, "error", "code") != "model_reply_invalid" || at(last, "error", "type") != "server_error" || at(last, "code") != "model_reply_invalid" {
		t.Fatalf("%s %v", types, last)
	}
	failed := at(list[len(list)-2].data, "response")
	if at(failed, "status") != "failed" || at(failed, "error", "code") != "model_reply_invalid" || at(failed, "output", 0, "status") != "incomplete" {
		t.Fatalf("%v", failed)
	}
	if stored := h.get("/v1/responses/" + at(failed, "id").(string)); stored.at("status") != "failed" {
		t.Fatalf("%s", stored.raw)
	}
	chunks := events(t, h.chat(`"stream":true`).raw)
	if fault := at(chunks[len(chunks)-1].data, "error"); at(fault, "code") != "model_reply_invalid" || at(fault, "message") == "" {
		t.Fatalf("%v", chunks)
	}
}

func TestQuietStreamsAreKeptAlive(t *testing.T) {
	h := newTestServer(t, nil)
	r := h.respond(`"stream":true,"wait_ms":60000,"tool_choice":{"name":"slow_wait","arguments":{"value":300}}`)
	list, _ := checkResponse(t, r.raw)
	if n := strings.Count(string(r.raw), ": keep-alive\n\n"); n < 3 || at(list[len(list)-1].data, "response", "tool_results", 0, "status") != "ok" {
		t.Fatalf("%d comments: %s", n, r.raw)
	}
	// Comments and events of a busy stream do not mix.
	up := llmtest.Start(t, llmtest.Step{Text: strings.Repeat("words and ", 20), Pause: 2 * time.Millisecond})
	h = newTestServer(t, up)
	h.server.KeepAlive = time.Millisecond
	checkResponse(t, h.respond(`"stream":true`).raw)
}
