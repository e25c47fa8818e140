package main

import (
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

func completion(text string) string {
	body, _ := json.Marshal(map[string]string{"completion": text})
	return string(body)
}

func TestHarmonyPromptRoute(t *testing.T) {
	s := start(t, nil)
	r := s.get("/v1/harmony?family=util&reasoning=high&date=2026-11-21")
	if r.status != 200 || r.at("names", "util.echo_json") != "echo_json" || r.at("stop_tokens", 1, "id") != 200012.0 ||
		r.at("namespaces", 0, "tools", 0, "name") != "echo_json" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	system, developer := r.at("system").(string), r.at("developer").(string)
	for _, part := range []string{"Reasoning: high", "Current date: 2026-11-21", "namespace util {", "// Optional repeat count. Integer, 1 to 64\nn?: number,"} {
		if !strings.Contains(system, part) {
			t.Errorf("the system message lacks %q", part)
		}
	}
	plain := s.do("GET", "/v1/harmony?family=util&reasoning=high&date=2026-11-21", "", nil, "Accept", "text/plain")
	if plain.header.Get("Content-Type") != "text/plain; charset=utf-8" || string(plain.raw) != system+developer {
		t.Errorf("as text: %q", plain.raw)
	}
	if r := s.get("/v1/harmony?tools=echo_*&role=developer"); !strings.Contains(r.at("developer").(string), "namespace util {") ||
		strings.Contains(r.at("system").(string), "# Tools") {
		t.Errorf("in the developer message: %s", r.raw)
	}
	for query, field := range map[string]string{
		"role=user": "role", "role=": "role", "reasoning=max": "reasoning", "date=today": "date", "colour=red": "colour",
		"family=nothing": "family", "tools=nothing": "tools", "role=system&role=developer": "role",
	} {
		if r := s.get("/v1/harmony?" + query); r.status != 400 || r.at("error", "details", "field") != field {
			t.Errorf("%s: %d %s", query, r.status, r.raw)
		}
	}
}

// Two calls in one completion, of which the endpoint kept the last end token.
func TestHarmonyCallsRun(t *testing.T) {
	s := start(t, nil)
	text := "<|channel|>analysis<|message|>Two echoes.<|end|>" +
		"<|start|>assistant to=util.echo_json<|channel|>commentary <|constrain|>json<|message|>{\"message\":\"a\",\"n\":2}<|call|>" +
		"<|start|>assistant<|channel|>commentary to=functions.echo_json json<|message|>{\"message\":\"\\u003c|end|>\"}"
	r := s.post("/v1/harmony/calls", completion(text), "Idempotency-Key", "turn-1")
	if r.status != 200 || r.at("calls", 0, "status") != "ok" || r.at("calls", 0, "output", "repeat", 1) != "a" ||
		r.at("calls", 1, "output", "message") != "<|end|>" || r.at("messages", 0, "text") != "Two echoes." || r.at("final") != nil {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	first, second := r.at("calls", 0, "text").(string), r.at("calls", 1, "text").(string)
	if r.at("append") != "<|call|>"+first+second+"<|start|>assistant" || strings.Count(first+second, "<|") != 2*4 ||
		!strings.HasPrefix(second, "<|start|>functions.echo_json to=assistant<|channel|>commentary<|message|>{") {
		t.Errorf("to append: %q", r.at("append"))
	}
	id := r.at("calls", 0, "job_id").(string)
	if job := s.get("/v1/jobs/" + id); job.at("status") != "succeeded" {
		t.Errorf("the job: %s", job.raw)
	}
	again := s.post("/v1/harmony/calls", completion(text), "Idempotency-Key", "turn-1")
	if again.at("calls", 0, "job_id") != id {
		t.Errorf("the same key ran anew: %s", again.raw)
	}
	other := s.post("/v1/harmony/calls", completion(strings.Replace(text, `"a"`, `"b"`, 1)), "Idempotency-Key", "turn-1")
	if other.status != 409 {
		t.Errorf("the same key for another call: %d %s", other.status, other.raw)
	}
}

// What is wrong with a call is told to the model; what is wrong with the
// request, to the caller.
func TestHarmonyCallsThatFail(t *testing.T) {
	s := start(t, nil)
	for name, tc := range map[string]struct{ text, code, hint string }{
		"unknown tool":   {"<|channel|>commentary to=util.echo_jsn<|message|>{}<|call|>", "unknown_tool", "util.echo_json"},
		"invalid input":  {"<|channel|>commentary to=util.echo_json<|message|>{\"n\":0}<|call|>", "invalid_request", "/n"},
		"no JSON":        {"<|channel|>commentary to=util.echo_json<|message|>echo(1)<|call|>", "invalid_request", "one JSON object"},
		"cut off":        {"<|channel|>commentary to=util.echo_json<|message|>{\"message\":\"hel", "invalid_request", "cut off"},
		"no object":      {"<|channel|>commentary to=util.echo_json<|message|>\"hello\"<|call|>", "invalid_request", "JSON object"},
		"tool of others": {"<|channel|>analysis to=python code<|message|>print(1)<|call|>", "unknown_tool", "python"},
	} {
		r := s.post("/v1/harmony/calls", completion(tc.text))
		if r.status != 200 || r.at("calls", 0, "status") != "error" || r.at("calls", 0, "output", "error_code") != tc.code ||
			!strings.Contains(string(r.raw), tc.hint) || !strings.HasSuffix(r.at("append").(string), "<|end|><|start|>assistant") {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	r := s.post("/v1/harmony/calls", completion("<|channel|>commentary to=a.b<|call|>"))
	if r.status != 200 || len(r.at("calls").([]any)) != 0 || r.at("malformed", 0, "reason") == nil || r.at("append") != "" {
		t.Errorf("a header without a message: %d %s", r.status, r.raw)
	}
	if r := s.post("/v1/harmony/calls", completion("<|channel|>final<|message|>Done.<|return|>")); r.at("final") != "Done." || r.at("append") != "" {
		t.Errorf("a final answer: %s", r.raw)
	}
	for name, body := range map[string]string{
		"nothing": `{}`, "wrong type": `{"completion":1}`, "negative": `{"completion":"","wait_ms":-1}`, "unknown": `{"completion":"","max":1}`,
	} {
		if r := s.post("/v1/harmony/calls", body); r.status != 400 || r.at("error", "code") != "invalid_request" {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
}

// A session that does not exist is no fault of the model.
func TestHarmonyCallsOfASession(t *testing.T) {
	s := start(t, nil)
	call := `<|channel|>commentary to=util.echo_json<|message|>{"message":"a"}<|call|>`
	body, _ := json.Marshal(map[string]any{"completion": call, "context": map[string]string{"session_id": "session_nobody"}})
	if r := s.post("/v1/harmony/calls", string(body)); r.status != 404 || r.at("error", "details", "field") != "/context/session_id" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}

// A call that outlasts wait_ms is answered with its job.
func TestHarmonyCallsThatTakeLonger(t *testing.T) {
	s := start(t, nil)
	netlist := `divider\nV1 in 0 DC 12\nR1 in out 1k\nR2 out 0 2k\n.end`
	call := `<|channel|>commentary to=circuits.simulate json<|message|>{"netlist":"` + netlist + `","analysis":"op"}<|call|>`
	body, _ := json.Marshal(map[string]any{"completion": call, "wait_ms": 1})
	r := s.post("/v1/harmony/calls", string(body))
	if r.at("calls", 0, "output", "error_code") == "missing_dependency" {
		testenv.Skip(t, testenv.Engine, "ngspice is not installed")
	}
	id, _ := r.at("calls", 0, "job_id").(string)
	state := r.at("calls", 0, "output", "state")
	if r.status != 200 || id == "" || state != "queued" && state != "running" || r.at("calls", 0, "status") != "ok" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	// 12 V * 2k / 3k
	if job := s.get("/v1/jobs/" + id + "?wait_ms=60000"); job.at("status") != "succeeded" || !strings.Contains(string(job.raw), `"v(out)"`) {
		t.Fatalf("%s", job.raw)
	}
}
