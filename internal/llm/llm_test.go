package llm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
)

func client(t *testing.T, url string, change func(*llm.Options)) *llm.Client {
	t.Helper()
	o := llm.Options{URL: url, Model: "m1", Key: "k1", MinWait: time.Millisecond}
	if change != nil {
		change(&o)
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(t *testing.T, c *llm.Client) (*llm.Reply, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var heard strings.Builder
	r, err := c.Stream(ctx, llm.Request{Messages: []llm.Message{llm.Text("user", "hello")}}, func(d llm.Delta) { heard.WriteString(d.Text) })
	return r, heard.String(), err
}

func TestATextArrivesInPiecesAndWhole(t *testing.T) {
	text := "Grüße, 世界: the whole answer."
	s := llmtest.Start(t, llmtest.Step{Text: text})
	r, heard, err := ask(t, client(t, s.URL+"/v1/", nil))
	if err != nil || r.Text != text || heard != text || r.FinishReason != "stop" || r.Usage != llmtest.Usage {
		t.Fatalf("%+v %q %v", r, heard, err)
	}
	asked := s.Requests()[0]
	if asked.Header.Get("Authorization") != "Bearer k1" || asked.Model != "m1" || !asked.Stream || !strings.Contains(string(asked.Raw), `"include_usage":true`) {
		t.Fatalf("%v %s", asked.Header, asked.Raw)
	}
}

func TestFragmentsOfParallelCallsAreMerged(t *testing.T) {
	calls := []llm.FunctionCall{{Name: "a", Arguments: `{"text":"one, two, three"}`}, {Name: "b", Arguments: `{"n":12345678901234567890}`}}
	s := llmtest.Start(t, llmtest.Step{Text: "I call.", Calls: calls})
	r, _, err := ask(t, client(t, s.URL+"/v1", nil))
	if err != nil || len(r.ToolCalls) != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	for i, want := range calls {
		if got := r.ToolCalls[i]; got.Function != want || got.ID == "" || got.Type != "function" {
			t.Errorf("call %d: %+v", i, got)
		}
	}
	if m := r.Message(); string(m.Content) != `"I call."` || len(m.ToolCalls) != 2 {
		t.Errorf("%+v", m)
	}
}

// Endpoints differ: no index, no id, a whole completion, usage in every chunk.
func TestDialectsOfEndpoints(t *testing.T) {
	one := func(calls string) string {
		return `data: {"choices":[{"delta":{"tool_calls":` + calls + `}}]}` + "\n\n"
	}
	done := "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	for name, tc := range map[string]struct{ raw, json, calls, text string }{
		"no index": {raw: one(`[{"id":"x","function":{"name":"a","arguments":"{"}}]`) + one(`[{"function":{"arguments":"}"}}]`) +
			one(`[{"id":"y","function":{"name":"b","arguments":"{}"}}]`) + done, calls: "a{} b{}"},
		"no id":         {raw: one(`[{"index":0,"function":{"name":"a","arguments":"{}"}}]`) + done, calls: "a{}"},
		"index from 1":  {raw: one(`[{"index":1,"id":"x","function":{"name":"a","arguments":"{}"}}]`) + done, calls: "a{}"},
		"comments":      {raw: ": hello\n\n" + `data: {"choices":[{"delta":{"content":"hi"}}]}` + "\r\n\r\n: again\n\n" + done, text: "hi"},
		"no done mark":  {raw: `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n", text: "hi"},
		"last line cut": {raw: `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]", text: "hi"},
		"not streamed": {json: `{"choices":[{"message":{"content":"hi","tool_calls":[{"id":"x","function":{"name":"a","arguments":"{}"}},{"id":"y","function":{"name":"b","arguments":"{}"}}]},
"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, calls: "a{} b{}", text: "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			step := llmtest.Step{Raw: tc.raw}
			if tc.json != "" {
				step = llmtest.Step{Raw: tc.json, Header: map[string]string{"Content-Type": "application/json; charset=utf-8"}}
			}
			r, _, err := ask(t, client(t, llmtest.Start(t, step).URL+"/v1", nil))
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			for _, c := range r.ToolCalls {
				calls = append(calls, c.Function.Name+c.Function.Arguments)
				if c.ID == "" {
					t.Error("a call without an id")
				}
			}
			if strings.Join(calls, " ") != tc.calls || r.Text != tc.text {
				t.Fatalf("%+v", r)
			}
		})
	}
}

func TestRefusalsAreRepeatedWhereThatHelps(t *testing.T) {
	busy := llmtest.Step{Status: 429, Raw: `{"error":{"message":"slow down"}}`, Header: map[string]string{"Retry-After": "0"}}
	broken := llmtest.Step{Status: 503, Raw: "no"}
	for name, tc := range map[string]struct {
		steps []llmtest.Step
		asked int
		code  string
		says  string
	}{
		"busy, then good":   {[]llmtest.Step{busy, broken, {Text: "ok"}}, 3, "", ""},
		"busy for ever":     {[]llmtest.Step{busy, busy, busy, busy}, 4, "too_many_requests", "slow down"},
		"broken for ever":   {[]llmtest.Step{broken, broken, broken, broken}, 4, "model_unavailable", "503"},
		"too long to wait":  {[]llmtest.Step{{Status: 429, Raw: "full", Header: map[string]string{"Retry-After": "3600"}}}, 1, "too_many_requests", "full"},
		"wrong key":         {[]llmtest.Step{{Status: 401, Raw: `{"error":"bad key"}`}}, 1, "model_refused", "bad key"},
		"wrong request":     {[]llmtest.Step{{Status: 400, Raw: `{"error":{"message":"context too long"}}`}}, 1, "model_refused", "context too long"},
		"not implemented":   {[]llmtest.Step{{Status: 501, Raw: "never"}}, 1, "model_unavailable", "501"},
		"redirect":          {[]llmtest.Step{{Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}}, 1, "model_refused", "302"},
		"html":              {[]llmtest.Step{{Raw: "<html>login</html>"}}, 1, "model_reply_invalid", "0 chunks"},
		"malformed chunk":   {[]llmtest.Step{{Raw: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {oops\n\n"}}, 1, "model_reply_invalid", "{oops"},
		"wrong type":        {[]llmtest.Step{{Raw: "data: {\"choices\":{}}\n\n"}}, 1, "model_reply_invalid", "choices"},
		"ends early":        {[]llmtest.Step{{Raw: "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n"}}, 1, "model_reply_invalid", "half"},
		"error within":      {[]llmtest.Step{{Raw: "data: {\"error\":{\"message\":\"out of memory\"}}\n\n"}}, 1, "model_unavailable", "out of memory"},
		"call without name": {[]llmtest.Step{{Raw: "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"x\"}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}}, 1, "model_reply_invalid", "no name"},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.Start(t, tc.steps...)
			r, _, err := ask(t, client(t, s.URL+"/v1", nil))
			if n := len(s.Requests()); n != tc.asked {
				t.Errorf("asked %d times, want %d", n, tc.asked)
			}
			if tc.code == "" {
				if err != nil || r.Text != "ok" {
					t.Fatalf("%+v %v", r, err)
				}
			} else if e := contract.AsError(err); err == nil || e.Code != tc.code || !strings.Contains(e.Message, tc.says) {
				t.Fatalf("%v", err)
			}
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	s := llmtest.Start(t, llmtest.Step{Status: 429, Raw: "later", Header: map[string]string{"Retry-After": "1"}}, llmtest.Step{Text: "ok"})
	from := time.Now()
	if _, _, err := ask(t, client(t, s.URL+"/v1", nil)); err != nil || time.Since(from) < time.Second {
		t.Fatalf("after %v: %v", time.Since(from), err)
	}
}

func TestSilenceDelayAndCancellation(t *testing.T) {
	hold := llmtest.Step{Text: "begun", Hold: true}
	s := llmtest.Start(t, hold)
	if _, _, err := ask(t, client(t, s.URL+"/v1", func(o *llm.Options) { o.Silence = 50 * time.Millisecond })); contract.AsError(err).Code != "model_unavailable" ||
		!strings.Contains(err.Error(), "sent nothing") {
		t.Fatalf("%v", err)
	}
	<-s.Gone()
	s = llmtest.Start(t, llmtest.Step{Text: "slow", Pause: 30 * time.Millisecond}) // each pause is shorter than the limit, all together are not
	if r, _, err := ask(t, client(t, s.URL+"/v1", func(o *llm.Options) { o.Silence = 120 * time.Millisecond })); err != nil || r.Text != "slow" {
		t.Fatalf("%v", err)
	}
	s = llmtest.Start(t, llmtest.Step{Status: 503, Raw: "no"})
	if _, _, err := ask(t, client(t, s.URL+"/v1", func(o *llm.Options) { o.Head, o.MinWait = 50*time.Millisecond, time.Minute; o.MaxWait = time.Minute })); contract.AsError(err).Code != "model_unavailable" ||
		!strings.Contains(err.Error(), "did not begin") {
		t.Fatalf("%v", err)
	}
	s = llmtest.Start(t, hold)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := client(t, s.URL+"/v1", nil).Stream(ctx, llm.Request{Messages: []llm.Message{llm.Text("user", "x")}}, func(llm.Delta) { cancel() })
	if contract.AsError(err).Code != "cancelled" {
		t.Fatalf("%v", err)
	}
	<-s.Gone() // the endpoint is told, and need not go on
}

func TestAnUnreachableEndpointAndWrongOptions(t *testing.T) {
	s := llmtest.Start(t)
	url := s.URL
	s.Close()
	if _, _, err := ask(t, client(t, url+"/v1", nil)); contract.AsError(err).Code != "model_unavailable" || !strings.Contains(err.Error(), "--model-url") {
		t.Fatalf("%v", err)
	}
	secret := strings.Replace(url, "http://", "http://user:hidden@", 1)
	if _, _, err := ask(t, client(t, secret+"/v1", nil)); err == nil || strings.Contains(err.Error(), "hidden") {
		t.Fatalf("a password is told: %v", err)
	}
	for _, o := range []llm.Options{{URL: "", Model: "m"}, {URL: "ftp://x/v1", Model: "m"}, {URL: "http://127.0.0.1/v1"}, {URL: "127.0.0.1:80", Model: "m"}} {
		if _, err := llm.New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestSettingsGoAsTheyAre(t *testing.T) {
	s := llmtest.Start(t, llmtest.Step{Text: "ok"})
	no, zero, most := false, 0.0, 9
	tool := llm.Tool{Type: "function", Function: llm.Function{Name: "a", Parameters: json.RawMessage(`{"type":"object"}`)}}
	_, err := client(t, s.URL+"/v1", nil).Stream(context.Background(), llm.Request{
		Messages: []llm.Message{llm.Text("user", "x")}, Tools: []llm.Tool{tool}, ToolChoice: json.RawMessage(`"required"`),
		Settings: llm.Settings{Temperature: &zero, ParallelToolCalls: &no, MaxCompletionTokens: &most, Metadata: map[string]string{"k": "v"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"temperature":0`, `"parallel_tool_calls":false`, `"max_completion_tokens":9`, `"metadata":{"k":"v"}`, `"tool_choice":"required"`} {
		if raw := string(s.Requests()[0].Raw); !strings.Contains(raw, want) {
			t.Errorf("%s lacks %s", raw, want)
		}
	}
}
