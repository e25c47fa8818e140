package openai

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
)

const double = `"tool_choice":{"type":"function","function":{"name":"math.double","arguments":{"value":21}}}`

// Every form of a forced call (api/spec/agent.md), by canonical name or alias, on
// both routes, without a model.
func TestForcedCalls(t *testing.T) {
	h := newTestServer(t, nil)
	for name, choice := range map[string]string{
		"object":            `{"type":"function","function":{"name":"math.double","arguments":{"value":21}}}`,
		"alias":             `{"type":"function","function":{"name":"math_double","arguments":{"value":21}}}`,
		"string arguments":  `{"type":"function","function":{"name":"math.double","arguments":"{\"value\":21}"}}`,
		"name and input":    `{"name":"math.double","input":{"value":21}}`,
		"twice the same":    `{"type":"function","name":"math.double","function":{"name":"math_double","arguments":{"value":21}},"arguments":{"value":21.0}}`,
		"responses' form":   `{"type":"function","name":"math.double","arguments":{"value":21}}`,
		"function and args": `{"type":"function","function":{"name":"math.double"},"arguments":"{\"value\":21}"}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []reply{h.chat(`"tool_choice":` + choice), h.respond(`"tool_choice":` + choice)} {
				one := r.at("tool_results", 0)
				if r.status != 200 || at(one, "tool_name") != "math.double" || at(one, "status") != "ok" || at(one, "result", "value") != 42.0 ||
					at(one, "result", "output", "value") != 42.0 || !strings.HasPrefix(at(one, "job_id").(string), "job_") {
					t.Fatalf("%d %s", r.status, r.raw)
				}
			}
		})
	}
	r := h.chat(double)
	if r.text("choices", 0, "message", "content") != "Doubled to 42." || r.at("choices", 0, "finish_reason") != "stop" || r.at("usage", "total_tokens") != 0.0 ||
		r.at("choices", 0, "message", "tool_calls") != nil {
		t.Fatalf("%s", r.raw)
	}
	r = h.respond(double)
	if r.text("output", 0, "content", 0, "text") != "Doubled to 42." || r.at("status") != "completed" || len(r.at("output").([]any)) != 1 {
		t.Fatalf("%s", r.raw)
	}
	// A tool that needs no arguments is forced by its name alone.
	if r := h.chat(`"tool_choice":"plain_probe"`); r.at("tool_results", 0, "result", "value") != 0.0 {
		t.Fatalf("%s", r.raw)
	}
}

// Most clients show the message's text and nothing beside it, so that a suspect
// figure must say so there: 20 kg are above what the scales bear (10 kg), 5 are not.
func TestASuspectFigureSaysSoInTheMessage(t *testing.T) {
	h := &testServer{t: t, dir: t.TempDir(), more: []contract.Tool{heavyProbe()}}
	h.open(nil)
	t.Cleanup(func() { h.close() })
	for value, want := range map[string]string{
		"5":  "It weighs 5 kg.",
		"20": "It weighs 20 kg.\n\nEvidence: suspect. Failed: scales. The scales bear no more. (Value 20 kg, limit 10 kg.)",
	} {
		choice := `"tool_choice":{"type":"function","name":"heavy_probe","arguments":{"value":` + value + `}}`
		if r := h.chat(choice); r.text("choices", 0, "message", "content") != want {
			t.Errorf("chat: %s", r.raw)
		}
		if r := h.respond(choice); r.text("output", 0, "content", 0, "text") != want {
			t.Errorf("responses: %s", r.raw)
		}
		var said strings.Builder
		for _, e := range events(t, h.chat(`"stream":true,`+choice).raw) {
			if s, ok := at(e.data, "choices", 0, "delta", "content").(string); ok {
				said.WriteString(s)
			}
		}
		if said.String() != want {
			t.Errorf("streamed chat: %s", said.String())
		}
		said.Reset()
		for _, e := range events(t, h.respond(`"stream":true,`+choice).raw) {
			if s, ok := at(e.data, "delta").(string); ok && e.name == "response.output_text.delta" {
				said.WriteString(s)
			}
		}
		if said.String() != want {
			t.Errorf("streamed responses: %s", said.String())
		}
	}
}

// The specification of 2026-04-24 lists these as required, each with its
// effective value.
func TestAResponseHasEveryField(t *testing.T) {
	h := newTestServer(t, nil)
	keys := strings.Fields(`id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools
tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature reasoning usage max_output_tokens
max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key`)
	if len(keys) != 31 {
		t.Fatal(len(keys))
	}
	plain := h.respond(double)
	full := h.respond(double + `,"temperature":0,"top_p":0.5,"max_output_tokens":64,"max_tool_calls":3,"metadata":{"k":"v"},"instructions":"be brief",
"parallel_tool_calls":false,"store":false,"truncation":"auto","user":"u1","reasoning":{"effort":"low"},"text":{"format":{"type":"json_object"},"verbosity":"low"},
"safety_identifier":"s","prompt_cache_key":"p","presence_penalty":1,"frequency_penalty":-1,"tools":[{"type":"function","name":"math_double","parameters":{"type":"object"}}]`)
	schema := h.respond(double + `,"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"}}}`)
	if got, _ := json.Marshal(schema.at("text", "format")); string(got) != `{"description":null,"name":"n","schema":{"type":"object"},"strict":false,"type":"json_schema"}` {
		t.Errorf("%s", got)
	}
	for _, r := range []reply{plain, full} {
		for _, key := range keys {
			if _, ok := r.body.(map[string]any)[key]; !ok {
				t.Errorf("no %s in %s", key, r.raw)
			}
		}
	}
	for key, want := range map[string]string{
		"temperature": "1", "top_p": "1", "store": "true", "background": "false", "metadata": "{}", "tools": "[]", "truncation": `"disabled"`, "text": `{"format":{"type":"text"}}`,
		"parallel_tool_calls": "true", "max_output_tokens": "null", "reasoning": "null", "tool_choice": `{"name":"math.double","type":"function"}`, "service_tier": `"default"`,
	} {
		if got, _ := json.Marshal(plain.at(key)); string(got) != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"temperature": "0", "top_p": "0.5", "store": "false", "metadata": `{"k":"v"}`, "truncation": `"auto"`, "text": `{"format":{"type":"json_object"},"verbosity":"low"}`,
		"parallel_tool_calls": "false", "max_output_tokens": "64", "max_tool_calls": "3", "instructions": `"be brief"`, "reasoning": `{"effort":"low","summary":null}`, "user": `"u1"`,
		"presence_penalty": "1", "frequency_penalty": "-1", "tools": `[{"description":null,"name":"math_double","parameters":{"type":"object"},"strict":null,"type":"function"}]`,
	} {
		if got, _ := json.Marshal(full.at(key)); string(got) != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

func TestAToolThatFailsIsAnAnswer(t *testing.T) {
	h := newTestServer(t, nil)
	failing := `"tool_choice":{"type":"function","name":"math.double","arguments":{"value":-3}}`
	for _, r := range []reply{h.chat(failing), h.respond(failing)} {
		if r.status != 200 || r.at("tool_results", 0, "status") != "error" || r.at("tool_results", 0, "error", "code") != "ERR_NOT_CONVERGED" ||
			r.at("tool_results", 0, "result", "status") != "error" || !strings.Contains(string(r.raw), "math.double failed: ERR_NOT_CONVERGED: the residual is 3. Refine.") {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
}

// What is wrong with a request is told before anything runs, as a 4xx in the
// object that SDKs parse, streamed or not.
func TestErrors(t *testing.T) {
	h := newTestServer(t, nil)
	for body, want := range map[string]struct {
		status int
		code   string
		param  any
		says   string
	}{
		`{"messages":[]}`:                                          {400, "invalid_request", "model", "model"},
		`{"model":""}`:                                             {400, "invalid_request", "model", "not empty"},
		`{"model":"m","messages":{}}`:                              {400, "invalid_request", "messages", "array"},
		`{"model":"m","messages":[{}]}`:                            {400, "invalid_request", "messages[0].role", "role"},
		`{"model":"m","messages":[{"role":1}]}`:                    {400, "invalid_request", "messages[0].role", "one of"},
		`{"model":"m","messages":[{"role":"user","content":[1]}]}`: {400, "invalid_request", "messages[0].content[0]", "object"},
		`{"model":"m","temperature":9}`:                            {400, "invalid_request", "temperature", "at most 2"},
		`{"model":"m","n":2}`:                                      {400, "invalid_request", "n", "one of"},
		`{"model":"m","stream":"yes"}`:                             {400, "invalid_request", "stream", "boolean"},
		`{"model":"m","wait_ms":-1}`:                               {400, "invalid_request", "wait_ms", "at least 0"},
		`{"model":"m","tools":[{"type":"web_search"}]}`:            {400, "invalid_request", nil, "tools/0"},
		`{"model":"m","tools":[{"type":"function","name":"a"},{"type":"function","function":{"name":"a"}}]}`: {400, "invalid_request", "tools", "twice"},
		`{"model":"m","tool_choice":{}}`:                                                                                                                        {400, "invalid_request", nil, "tool_choice"},
		`{"model":"m","tool_choice":7}`:                                                                                                                         {400, "invalid_request", "tool_choice", "expected null or object or string"},
		`{"model":"m","tool_choice":"doubel"}`:                                                                                                                  {404, "unknown_tool", "tool_choice", "GET /v1/tools"},
		`{"model":"m","tool_choice":{"name":"math.doubel","arguments":{}}}`:                                                                                     {404, "unknown_tool", "tool_choice", "math.double"},
		`{"model":"m","tool_choice":{"name":"math.double","arguments":"{"}}`:                                                                                    {400, "invalid_request", "tool_choice.arguments", "JSON object"},
		`{"model":"m","tool_choice":{"name":"math.double","arguments":"[]"}}`:                                                                                   {400, "invalid_request", "tool_choice.arguments", "JSON object"},
		`{"model":"m","tool_choice":{"name":"math.double","arguments":{}}}`:                                                                                     {400, "invalid_request", "tool_choice.arguments.value", "value"}, // the body has no function
		`{"model":"m","tool_choice":{"name":"math.double","input":{}}}`:                                                                                         {400, "invalid_request", "tool_choice.input.value", "value"},
		`{"model":"m","tool_choice":{"type":"function","function":{"name":"math.double","arguments":{}}}}`:                                                      {400, "invalid_request", "tool_choice.function.arguments.value", "value"},
		`{"model":"m","tool_choice":{"type":"function","function":{"name":"math.double"},"arguments":{}}}`:                                                      {400, "invalid_request", "tool_choice.arguments.value", "value"},
		`{"model":"m","tool_choice":{"name":"math.double","arguments":{"value":"x"}}}`:                                                                          {400, "invalid_request", "tool_choice.arguments.value", "/tool_choice/arguments/value is of type string"},
		`{"model":"m","tool_choice":"math.double"}`:                                                                                                             {400, "model_missing", "tool_choice.function.arguments", `{"value":1}`},
		`{"model":"m","tool_choice":{"type":"function","name":"math.double","arguments":[]}}`:                                                                   {400, "invalid_request", "tool_choice.arguments", "/tool_choice/arguments is of type array, expected object or string"},
		`{"model":"m","tool_choice":{"type":"function","function":{"name":"math.double","arguments":5}}}`:                                                       {400, "invalid_request", "tool_choice.function.arguments", "of type number"},
		`{"model":"m","tool_choice":{"type":"function","name":"","arguments":{}}}`:                                                                              {400, "invalid_request", "tool_choice.name", "empty"},
		`{"model":"m","tool_choice":{"type":"function","arguments":{}}}`:                                                                                        {400, "invalid_request", "tool_choice.name", "lacks"},
		`{"model":"m","tool_choice":{"type":"functoin","name":"math.double"}}`:                                                                                  {400, "invalid_request", "tool_choice.type", "must be"},
		`{"model":"m","tool_choice":{"type":"function","function":"math.double"}}`:                                                                              {400, "invalid_request", "tool_choice.function", "expected object"},
		`{"model":"m","tool_choice":{"name":"math.double","Name":"echo_json","arguments":{"value":1}}}`:                                                         {400, "invalid_request", "tool_choice.Name", "Did you mean"},
		`{"model":"m","tool_choice":"none","Tool_Choice":"math.double"}`:                                                                                        {400, "invalid_request", "Tool_Choice", "Did you mean"},
		`{"model":"m","tool_choice":{"name":"math.double","arguments":"null"}}`:                                                                                 {400, "invalid_request", "tool_choice.arguments", "of type null, expected object"}, // as Contract.ValidateInput says it
		`{"model":"m","tool_choice":{"name":"slow_wait","function":{"name":"math.double","arguments":{"value":1}}}}`:                                            {400, "invalid_request", "tool_choice.name", "Name one tool"},
		`{"model":"m","tool_choice":{"name":"math.double","arguments":{"value":1},"input":{"value":2}}}`:                                                        {400, "invalid_request", "tool_choice.input", "Give the arguments once"},
		`{"model":"m","tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"slow_wait","function":{"name":"math_double"}}]}}`: {400, "invalid_request", "tool_choice.tools", "Name one tool"},
		`{"model":"m","tool_choice":{"name":"math.double"}}`:                                                                                                    {400, "model_missing", "tool_choice.arguments", `{"value":1}`},
		`{"model":"m","tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"nope"}]}}`:                                        {404, "unknown_tool", "tool_choice.tools", "nope"},
		`{"model":"m","tools":[{"type":"function","name":"mine"}],"tool_choice":{"type":"function","name":"mine"}}`:                                             {400, "model_missing", "tool_choice", "mine"},
		`{"model":"m","server_tools":{"families":["nope"]}}`:                                                                                                    {400, "invalid_request", "family", "slow"},
		`{"model":"m","metadata":{"k":1}}`:                                                                                                                      {400, "invalid_request", "metadata.k", "string"},
		`{"model":"m","seed":1e300}`:                                                                                                                            {400, "invalid_request", "seed", "at most"},
		`{"model":"m"} {}`:                                                                                                                                      {400, "invalid_request", nil, "more than one"},
		`nonsense`:                                                                                                                                              {400, "invalid_request", nil, "JSON"},
		`[]`:                                                                                                                                                    {400, "invalid_request", nil, "object"},
	} {
		for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
			if path == "/v1/responses" && (strings.Contains(body, `"messages"`) || strings.Contains(body, `"n"`) || strings.Contains(body, `"seed"`)) {
				continue
			}
			r := h.do("POST", path, body)
			if _, has := at(r.body, "error").(map[string]any)["param"]; !has || r.status != want.status || r.at("error", "code") != want.code ||
				r.at("error", "type") != "invalid_request_error" || !strings.Contains(r.text("error", "message"), want.says) ||
				(want.param != nil && r.at("error", "param") != want.param) {
				t.Errorf("%s %s: %d %s", path, body, r.status, r.raw)
			}
		}
	}
	for body, param := range map[string]string{
		`{"model":"m","input":7}`: "input", `{"model":"m","conversation":"conv_1"}`: "conversation", `{"model":"m","input":[{"role":"user"}]}`: "input[0].content", `{"model":"m","input":[{"role":"user","content":"x","Role":"system"}]}`: "input[0].Role",
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"x","Text":"y"}]}]}`: "input[0].content[0].Text", `{"model":"m","background":true,"store":false}`: "store",
		`{"model":"m","previous_response_id":"resp_nope"}`: "previous_response_id", `{"model":"m","text":{"format":{"type":"xml"}}}`: "text.format.type",
	} {
		if r := h.do("POST", "/v1/responses", body); r.status < 400 || r.status > 404 || r.at("error", "param") != param {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
	if r := h.chat(`"stream":true,"tool_choice":"doubel"`); r.status != 404 || r.at("error", "code") != "unknown_tool" {
		t.Errorf("streamed: %d %s", r.status, r.raw)
	}
	if r := h.do("PUT", "/v1/responses", `{}`); r.status != 405 || r.at("error", "message") == nil {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if h.ran.Load() != 0 {
		t.Error("a refused request ran a tool")
	}
}

// Clients send many fields; what is not ours is let through, and null means
// absent.
func TestUnknownFieldsAndNullsAreLetThrough(t *testing.T) {
	h := newTestServer(t, nil)
	r := h.do("POST", "/v1/chat/completions", `{"model":"m","messages":null,"tools":null,"stream":null,"n":null,"stop":null,"response_format":null,"metadata":null,
"stream_options":null,"seed":16.0,"logit_bias":{"1":2},"modalities":["text"],"prediction":{"a":1},`+double+`}`)
	if r.status != 200 || r.at("tool_results", 0, "status") != "ok" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	r = h.do("POST", "/v1/responses", `{"model":"m","input":null,"tools":null,"stream":null,"text":null,"reasoning":null,"metadata":null,"instructions":null,"store":null,
"background":null,"max_output_tokens":1.6e1,"conversation_hint":1,"include":["reasoning.encrypted_content"],`+double+`}`)
	if r.status != 200 || r.at("max_output_tokens") != 16.0 || r.at("store") != true {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}

func TestWithoutAModelTheAnswerSaysWhatCanBeForced(t *testing.T) {
	h := newTestServer(t, nil)
	for _, choice := range []string{`null`, `"auto"`, `"none"`, `"required"`, `{"type":"auto"}`, `{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"math_double"}]}`,
		`{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"math.double"}}]}}`} {
		r := h.chat(`"tool_choice":` + choice)
		text := r.text("choices", 0, "message", "content")
		if r.status != 200 || !strings.Contains(text, "No language model") || !strings.Contains(text, "math.double") || r.at("tool_results") != nil {
			t.Errorf("%s: %d %s", choice, r.status, r.raw)
		}
		if strings.Contains(text, "slow_wait") == strings.Contains(choice, "allowed") {
			t.Errorf("%s: allowed_tools does not narrow: %s", choice, text)
		}
		if r := h.respond(`"tool_choice":` + choice); r.status != 200 || !strings.Contains(r.text("output", 0, "content", 0, "text"), "math.double") {
			t.Errorf("%s: %d %s", choice, r.status, r.raw)
		}
	}
	for _, narrowed := range []reply{
		h.do("POST", "/v1/chat/completions?family=math", `{"model":"m"}`), h.do("POST", "/v1/chat/completions?tools=math_*", `{"model":"m"}`),
		h.do("POST", "/v1/chat/completions", `{"model":"m","server_tools":{"tools":["math.*"]}}`), h.do("POST", "/v1/chat/completions", `{"model":"m","tools":[{"type":"function","name":"math_double"}]}`),
	} {
		if text := narrowed.text("choices", 0, "message", "content"); !strings.Contains(text, "math.double") || strings.Contains(text, "slow_wait") {
			t.Errorf("%s", narrowed.raw)
		}
	}
}

func TestAToolThatOutlivesTheWaitBecomesAJobReference(t *testing.T) {
	h := newTestServer(t, nil)
	r := h.chat(`"wait_ms":1,"tool_choice":{"name":"slow_wait","arguments":{"value":300}}`)
	status := r.at("tool_results", 0, "status")
	id := r.text("tool_results", 0, "job_id")
	if r.status != 200 || (status != "queued" && status != "running") || r.at("tool_results", 0, "result") != nil || !strings.Contains(r.text("choices", 0, "message", "content"), "/v1/jobs/"+id) {
		t.Fatalf("%s", r.raw)
	}
	from := time.Now()
	r = h.chat(`"tool_choice":{"name":"slow_wait","arguments":{"value":30000}}`) // the standard wait is 500 ms
	if waited := time.Since(from); waited < 450*time.Millisecond || waited > 15*time.Second || r.at("tool_results", 0, "status") != "running" {
		t.Fatalf("after %v: %s", waited, r.raw)
	}
	if _, err := h.server.Jobs.Cancel(context.Background(), r.text("tool_results", 0, "job_id")); err != nil {
		t.Fatal(err)
	}
}

func TestIdempotencyKey(t *testing.T) {
	h := newTestServer(t, nil)
	first, again := h.chat(double, "Idempotency-Key", "k"), h.respond(double, "Idempotency-Key", "k")
	if first.at("tool_results", 0, "job_id") != again.at("tool_results", 0, "job_id") || again.at("tool_results", 0, "result", "value") != 42.0 || h.ran.Load() != 1 {
		t.Fatalf("ran %d times: %s %s", h.ran.Load(), first.raw, again.raw)
	}
	if other := h.chat(`"tool_choice":{"name":"math.double","arguments":{"value":1}}`, "Idempotency-Key", "k"); other.status != 409 || other.at("error", "code") != "conflict" {
		t.Fatalf("%d %s", other.status, other.raw)
	}
}

func TestItemsByOptIn(t *testing.T) {
	h := newTestServer(t, nil)
	kinds := func(r reply) (list []string) {
		for _, it := range r.at("output").([]any) {
			list = append(list, at(it, "type").(string))
		}
		return list
	}
	r := h.respond(double + `,"include":["mcp_call"]`)
	if strings.Join(kinds(r), " ") != "mcp_call message" || r.at("output", 0, "name") != "math.double" || r.at("output", 0, "error") != nil ||
		!strings.Contains(r.text("output", 0, "output"), "42") || r.at("output", 0, "status") != "completed" || r.at("tool_results", 0, "status") != "ok" {
		t.Fatalf("%s", r.raw)
	}
	r = h.respond(double, "Atelier-Tool-Items", "function_call")
	if strings.Join(kinds(r), " ") != "function_call function_call_output message" || r.at("output", 0, "call_id") != r.at("output", 1, "call_id") {
		t.Fatalf("%s", r.raw)
	}
	r = h.chat(double + `,"include":["function_call"]`)
	if r.at("choices", 0, "finish_reason") != "tool_calls" || r.at("choices", 0, "message", "tool_calls", 0, "function", "name") != "math.double" ||
		r.text("choices", 0, "message", "tool_calls", 0, "function", "arguments") != `{"value":21}` {
		t.Fatalf("%s", r.raw)
	}
	if r := h.chat(double, "Atelier-Tool-Items", "nonsense"); r.status != 400 {
		t.Fatalf("%d", r.status)
	}
	failed := h.respond(`"include":["mcp_call"],"tool_choice":{"name":"math.double","arguments":{"value":-3}}`)
	if failed.at("output", 0, "status") != "failed" || failed.at("output", 0, "output") != nil || !strings.Contains(failed.text("output", 0, "error"), "ERR_NOT_CONVERGED") {
		t.Fatalf("%s", failed.raw)
	}
}
