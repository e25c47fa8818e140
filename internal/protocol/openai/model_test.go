package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
)

var doubleCall = llmtest.Step{Text: "I double it.", Calls: []llm.FunctionCall{{Name: "math_double", Arguments: `{"value":21}`}}}

const own = `"tools":[{"type":"function","function":{"name":"weather","description":"d","parameters":{"type":"object"}}}]`

// One round: the model calls a tool of the server, reads its result, answers.
func TestTheModelCallsAToolAndAnswers(t *testing.T) {
	for _, route := range []string{"chat", "responses"} {
		t.Run(route, func(t *testing.T) {
			up := llmtest.Start(t, doubleCall, llmtest.Step{Text: "It is 42."})
			h := newTestServer(t, up)
			var r reply
			text := ""
			if route == "chat" {
				r = h.chat(`"temperature":0.25,"max_tokens":99,"user":"u1","response_format":{"type":"json_object"},"parallel_tool_calls":false,"stop":["x"],"reasoning_effort":"low","metadata":{"k":"v"}`)
				text = r.text("choices", 0, "message", "content")
				if r.at("usage", "total_tokens") != 2*18.0 || r.at("usage", "prompt_tokens_details", "cached_tokens") != 4.0 || r.at("choices", 0, "finish_reason") != "stop" {
					t.Errorf("usage is not the sum of both calls: %s", r.raw)
				}
			} else {
				r = h.respond(`"instructions":"be brief","temperature":0.25,"max_output_tokens":99,"user":"u1","text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}},
"parallel_tool_calls":false,"reasoning":{"effort":"low"},"metadata":{"k":"v"}`)
				text = r.text("output", 0, "content", 0, "text")
				if r.at("usage", "input_tokens") != 22.0 || r.at("usage", "output_tokens") != 14.0 || r.at("usage", "output_tokens_details", "reasoning_tokens") != 6.0 {
					t.Errorf("usage is not the sum of both calls: %s", r.raw)
				}
			}
			if text != "I double it.\n\nIt is 42." || r.at("tool_results", 0, "result", "value") != 42.0 || len(r.at("tool_results").([]any)) != 1 {
				t.Fatalf("%s", r.raw)
			}
			asked := up.Requests()
			if len(asked) != 2 || len(asked[0].Tools) != 3 || asked[0].Tools[0].Function.Name != "math_double" || asked[0].ToolChoice != nil {
				t.Fatalf("%s", asked[0].Raw)
			}
			if !json.Valid(asked[0].Tools[0].Function.Parameters) || !strings.Contains(string(asked[0].Tools[0].Function.Parameters), `"maximum":100000`) {
				t.Errorf("the input schema does not go along: %s", asked[0].Raw)
			}
			for _, want := range []string{`"temperature":0.25`, `"user":"u1"`, `"parallel_tool_calls":false`, `"reasoning_effort":"low"`, `"metadata":{"k":"v"}`, `"model":"upstream-1"`,
				map[string]string{"chat": `"max_tokens":99`, "responses": `"max_completion_tokens":99`}[route],
				map[string]string{"chat": `"response_format":{"type":"json_object"}`, "responses": `"json_schema":{"name":"n"`}[route]} {
				if !strings.Contains(string(asked[1].Raw), want) {
					t.Errorf("the model is not told %s: %s", want, asked[1].Raw)
				}
			}
			last := asked[1].Messages
			if tool := last[len(last)-1]; tool.Role != "tool" || tool.ToolCallID != "call_s0" || !strings.Contains(string(tool.Content), `\"value\":42`) {
				t.Errorf("the result does not reach the model: %s", asked[1].Raw)
			}
			if route == "responses" && (last[0].Role != "system" || string(last[0].Content) != `"be brief"`) {
				t.Errorf("%s", asked[1].Raw)
			}
		})
	}
}

// The caller's own tool ends the turn as an ordinary call, and its output is
// taken in the next.
func TestTheCallersOwnTools(t *testing.T) {
	mine := llmtest.Step{Calls: []llm.FunctionCall{{Name: "weather", Arguments: `{"city":"Bonn"}`}}}
	up := llmtest.Start(t, mine, llmtest.Step{Text: "Rain."}, mine, llmtest.Step{Text: "Rain."}, llmtest.Step{Text: "Still rain."})
	h := newTestServer(t, up)
	r := h.chat(own)
	tc := r.at("choices", 0, "message", "tool_calls", 0)
	if r.at("choices", 0, "finish_reason") != "tool_calls" || at(tc, "function", "name") != "weather" || at(tc, "function", "arguments") != `{"city":"Bonn"}` ||
		r.at("choices", 0, "message", "content") != nil || r.at("tool_results") != nil {
		t.Fatalf("%s", r.raw)
	}
	r = h.do("POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"developer","content":"d"},{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"url":"data:,x"}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"call_s0","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_s0","content":"rain"}],`+own+`}`)
	asked := up.Requests()[1]
	if r.text("choices", 0, "message", "content") != "Rain." || asked.Messages[0].Role != "system" || !strings.Contains(string(asked.Messages[1].Content), "image_url") ||
		asked.Messages[2].ToolCalls[0].ID != "call_s0" || asked.Messages[3].ToolCallID != "call_s0" {
		t.Fatalf("%s", asked.Raw)
	}
	r = h.respond(own)
	if r.at("output", 0, "type") != "function_call" || r.at("output", 0, "call_id") != "call_s0" || r.at("status") != "completed" {
		t.Fatalf("%s", r.raw)
	}
	id := r.text("id")
	r = h.do("POST", "/v1/responses", `{"model":"m","previous_response_id":"`+id+`","input":[{"type":"function_call_output","call_id":"call_s0","output":"rain"}],`+own+`}`)
	if r.text("output", 0, "content", 0, "text") != "Rain." || r.at("previous_response_id") != id {
		t.Fatalf("%s", r.raw)
	}
	if m := up.Requests()[3].Messages; len(m) != 3 || m[0].Role != "user" || m[1].ToolCalls[0].Function.Name != "weather" || string(m[2].Content) != `"rain"` {
		t.Fatalf("%s", up.Requests()[3].Raw)
	}
	// The same without the server's memory, as agent frameworks send it.
	r = h.do("POST", "/v1/responses", `{"model":"m","store":false,"input":[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},{"type":"reasoning","summary":[]},
{"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"weather","arguments":"{}"},
{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"rain"}]},{"type":"function_call_output","call_id":"c2","output":"sun"},
{"type":"mcp_call","id":"mcp_1","name":"math.double","arguments":"{}","output":"42"}]}`)
	m := up.Requests()[4].Messages
	if r.status != 200 || len(m) != 6 || string(m[0].Content) != `"a\nb"` || len(m[1].ToolCalls) != 2 || m[4].ToolCalls[0].Function.Name != "math_double" || m[5].ToolCallID != "mcp_1" {
		t.Fatalf("%s: %s", r.raw, up.Requests()[4].Raw)
	}
	if r := h.get("/v1/responses/" + r.text("id")); r.status != 404 {
		t.Fatalf("store: false was stored: %s", r.raw)
	}
}

// Calls side by side, with mistakes that the model is told of.
func TestParallelCallsAndMistakes(t *testing.T) {
	up := llmtest.Start(t, llmtest.Step{Calls: []llm.FunctionCall{
		{Name: "slow_wait", Arguments: `{"value":300}`}, {Name: "slow_wait", Arguments: `{"value":301}`}, {Name: "math_double", Arguments: `{"value":1}`},
		{Name: "math_double", Arguments: `{"value":"x"}`}, {Name: "math_double", Arguments: `{oops`}, {Name: "no_such_tool", Arguments: `{}`}, {Name: "weather", Arguments: ``},
	}})
	h := newTestServer(t, up)
	r := h.chat(own)
	first, err := h.server.Jobs.Get(context.Background(), r.text("tool_results", 0, "job_id"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.server.Jobs.Get(context.Background(), r.text("tool_results", 1, "job_id"))
	if err != nil || !second.Started.Before(first.Finished) || !first.Started.Before(second.Finished) {
		t.Errorf("the calls did not run side by side: %v %v, %v %v, %v", first.Started, first.Finished, second.Started, second.Finished, err)
	}
	var got []string
	for _, one := range r.at("tool_results").([]any) {
		code, _ := at(one, "error", "code").(string)
		got = append(got, at(one, "tool_name").(string)+" "+at(one, "status").(string)+" "+code)
	}
	if want := "slow_wait ok ,slow_wait ok ,math.double ok ,math.double error invalid_request,math_double error invalid_request,no_such_tool error unknown_tool"; strings.Join(got, ",") != want {
		t.Errorf("%v", got)
	}
	if r.at("choices", 0, "message", "tool_calls", 0, "function", "name") != "weather" || !strings.Contains(r.text("choices", 0, "message", "content"), "Doubled to 2.") {
		t.Errorf("%s", r.raw)
	}
}

func TestToolChoiceAndNarrowingReachTheModel(t *testing.T) {
	for name, tc := range map[string]struct{ path, fields, choice, tools string }{
		"none":                                  {"", `"tool_choice":"none",` + own, `"none"`, "weather"},
		"required":                              {"", `"tool_choice":"required"`, `"required"`, "math_double plain_probe slow_wait"},
		"forced, the model fills the arguments": {"", `"tool_choice":{"type":"function","function":{"name":"math.double"}}`, `{"function":{"name":"math_double"},"type":"function"}`, "math_double plain_probe slow_wait"},
		"the caller's forced":                   {"?tools=none", own + `,"tool_choice":{"type":"function","function":{"name":"weather"}}`, `{"function":{"name":"weather"},"type":"function"}`, "weather"},
		"allowed":                               {"", own + `,"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"slow_wait"}]}`, `"required"`, "slow_wait"},
		"narrowed by tools":                     {"", `"tools":[{"type":"function","name":"math_double"}]`, "", "math_double"},
		"narrowed by family":                    {"?family=math", `"x":1`, "", "math_double"},
		"none of the server's":                  {"", own + `,"server_tools":{"tools":["none"]}`, "", "weather"},
	} {
		t.Run(name, func(t *testing.T) {
			up := llmtest.Start(t, llmtest.Step{Text: "ok"})
			h := newTestServer(t, up)
			if r := h.do("POST", "/v1/chat/completions"+tc.path, `{"model":"m","messages":[{"role":"user","content":"x"}],`+tc.fields+`}`); r.status != 200 {
				t.Fatalf("%s", r.raw)
			}
			asked := up.Requests()[0]
			var names []string
			for _, tool := range asked.Tools {
				names = append(names, tool.Function.Name)
			}
			if string(asked.ToolChoice) != tc.choice || strings.Join(names, " ") != tc.tools {
				t.Fatalf("%s %v", asked.ToolChoice, names)
			}
		})
	}
}

// Who runs the server's tools by other means declares them as their own.
func TestACallerMayTakeOverTheServersNames(t *testing.T) {
	up := llmtest.Start(t, doubleCall)
	h := newTestServer(t, up)
	r := h.chat(`"server_tools":{"tools":["none"]},"tools":[{"type":"function","function":{"name":"math_double"}}]`)
	if r.at("choices", 0, "finish_reason") != "tool_calls" || r.at("choices", 0, "message", "tool_calls", 0, "function", "name") != "math_double" ||
		r.at("tool_results") != nil || h.ran.Load() != 0 {
		t.Fatalf("%s", r.raw)
	}
}

// A forbidden tool is not run, however the model insists; the demand of
// tool_choice holds for the first round only, and the rounds end.
func TestHardLimits(t *testing.T) {
	again := llmtest.Step{Calls: []llm.FunctionCall{{Name: "math_double", Arguments: `{"value":1}`}}}
	up := llmtest.Start(t, again, llmtest.Step{Text: "ok"})
	h := newTestServer(t, up)
	r := h.chat(`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"slow_wait"}]}`)
	if r.at("tool_results", 0, "error", "code") != "unknown_tool" || h.ran.Load() != 0 {
		t.Fatalf("%s", r.raw)
	}
	up = llmtest.Start(t, llmtest.Step{Calls: []llm.FunctionCall{again.Calls[0], {Name: "math_double", Arguments: `{"value":2}`}}}, llmtest.Step{Text: "ok"})
	h = newTestServer(t, up)
	r = h.respond(`"max_tool_calls":1,"tool_choice":"required"`)
	if h.ran.Load() != 1 || r.at("tool_results", 1, "status") != "error" || string(up.Requests()[1].ToolChoice) != `"none"` || r.at("max_tool_calls") != 1.0 {
		t.Fatalf("%s", r.raw)
	}
	const turns = 5
	steps := make([]llmtest.Step, turns)
	for i := range steps { // the same call again and again would be stopped for another reason
		steps[i] = llmtest.Step{Calls: []llm.FunctionCall{{Name: "math_double", Arguments: fmt.Sprintf(`{"value":%d}`, i)}}}
	}
	up = llmtest.Start(t, steps...)
	h = newTestServer(t, up)
	h.server.Budget.Turns = turns
	r = h.chat(`"tool_choice":"required"`)
	if n := len(up.Requests()); r.status != 200 || n != turns || !strings.Contains(r.text("choices", 0, "message", "content"), "still asks for tools") ||
		up.Requests()[1].ToolChoice != nil || string(up.Requests()[n-1].ToolChoice) != `"none"` {
		t.Fatalf("%d %s", n, r.raw)
	}
}

func TestFaultsOfTheModel(t *testing.T) {
	h := newTestServer(t, llmtest.Start(t, llmtest.Step{Status: 400, Raw: `{"error":{"message":"context too long"}}`}, llmtest.Step{Raw: "data: {oops\n\n"},
		llmtest.Step{Status: 429, Raw: "full", Header: map[string]string{"Retry-After": "77"}}, doubleCall,
		llmtest.Step{Raw: "data: {oops\n\n"}, llmtest.Step{Raw: "data: {oops\n\n"}, llmtest.Step{Raw: "data: {oops\n\n"}))
	h.server.KeepAlive = time.Hour // a comment on the stream would send the status before the fault is known
	if r := h.chat(`"x":1`); r.status != 400 || r.at("error", "code") != "model_refused" || !strings.Contains(r.text("error", "message"), "context too long") {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := h.respond(`"stream":true`); r.status != 502 || r.at("error", "type") != "server_error" || r.header.Get("x-should-retry") != "" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := h.chat(`"x":1`); r.status != 429 || r.header.Get("Retry-After") != "77" || r.at("error", "type") != "rate_limit_error" {
		t.Fatalf("%d %v %s", r.status, r.header, r.raw)
	}
	r := h.chat(`"x":1`) // after a tool has run, the SDKs must not repeat the request
	if r.status != 502 || r.header.Get("x-should-retry") != "false" || !strings.Contains(r.text("error", "message"), "kept as jobs: job_") {
		t.Fatalf("%d %v %s", r.status, r.header, r.raw)
	}
	if r := h.do("POST", "/v1/chat/completions", `{"model":"m","messages":[]}`); r.status != 400 || r.at("error", "param") != "messages" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}

func TestLengthAndRefusal(t *testing.T) {
	h := newTestServer(t, llmtest.Start(t, llmtest.Step{Text: "half", Finish: "length"}, llmtest.Step{Text: "half", Finish: "length"},
		llmtest.Step{Raw: "data: {\"choices\":[{\"delta\":{\"refusal\":\"I will not.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"},
		llmtest.Step{Raw: "data: {\"choices\":[{\"delta\":{\"refusal\":\"I will not.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}))
	if r := h.respond(`"x":1`); r.at("status") != "incomplete" || r.at("incomplete_details", "reason") != "max_output_tokens" || r.at("output", 0, "status") != "incomplete" {
		t.Fatalf("%s", r.raw)
	}
	if r := h.chat(`"x":1`); r.at("choices", 0, "finish_reason") != "length" {
		t.Fatalf("%s", r.raw)
	}
	if r := h.respond(`"x":1`); r.at("output", 0, "content", 0, "type") != "refusal" || r.at("output", 0, "content", 0, "refusal") != "I will not." {
		t.Fatalf("%s", r.raw)
	}
	if r := h.chat(`"x":1`); r.at("choices", 0, "message", "refusal") != "I will not." || r.at("choices", 0, "message", "content") != nil {
		t.Fatalf("%s", r.raw)
	}
}

// A caller that leaves ends the call of the model, not the tool: its job stays.
func TestADisconnectEndsTheModelButNotTheJob(t *testing.T) {
	up := llmtest.Start(t, llmtest.Step{Text: "begun", Hold: true})
	h := newTestServer(t, up)
	leave := func(body string, when func()) {
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, "POST", h.url+"/v1/chat/completions", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		go func() { when(); cancel() }()
		if resp, err := http.DefaultClient.Do(req); err == nil {
			buf := make([]byte, 1<<16)
			for _, err = resp.Body.Read(buf); err == nil; _, err = resp.Body.Read(buf) {
			}
			resp.Body.Close()
		}
	}
	leave(`{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`, func() { time.Sleep(100 * time.Millisecond) })
	select {
	case <-up.Gone():
	case <-time.After(5 * time.Second):
		t.Fatal("the call of the model goes on without its caller")
	}
	leave(`{"model":"m","wait_ms":60000,"tool_choice":{"name":"slow_wait","arguments":{"value":400}}}`, func() {
		for h.ran.Load() == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	})
	page, err := h.server.Jobs.List(context.Background(), jobFilter())
	if err != nil || len(page.Jobs) != 1 {
		t.Fatalf("%v %+v", err, page)
	}
	if j, err := h.server.Jobs.Wait(context.Background(), page.Jobs[0].ID, 5*time.Second); err != nil || j.State != "succeeded" {
		t.Fatalf("%+v %v", j, err)
	}
}
