package main

import (
	"bytes"
	"context"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
)

// Stored responses go with the jobs' retention.
func TestStoredResponsesAreSwept(t *testing.T) {
	s := start(t, nil)
	made := s.post("/v1/responses", `{"model":"m","input":"x","tool_choice":{"name":"echo_json","arguments":{"message":"a"}}}`)
	path := "/v1/responses/" + made.at("id").(string)
	if r := s.get(path); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	sweep := func(keep time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer cancel()
		s.app.sweep(ctx, keeping{KeepJobs: keep, SweepInterval: 50 * time.Millisecond})
	}
	sweep(time.Hour)
	if r := s.get(path); r.status != 200 {
		t.Fatalf("swept too early: %s", r.raw)
	}
	sweep(time.Millisecond)
	if r := s.get(path); r.status != 404 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}

// A tool whose engine is missing is not offered to the model; who forces it is
// told so, and told not to try again.
func TestToolsWithoutTheirEngine(t *testing.T) {
	up := llmtest.Start(t, llmtest.Step{Text: "ok"})
	none := t.TempDir()
	s := start(t, func(c *serveCmd) { c.Engines = none; c.ModelURL, c.Model = up.URL+"/v1", "m1" })
	if r := s.post("/v1/chat/completions?tools=*", `{"model":"m","messages":[{"role":"user","content":"x"}]}`); r.status != 200 {
		t.Fatalf("%s", r.raw)
	}
	var names []string
	for _, tool := range up.Requests()[0].Tools {
		names = append(names, tool.Function.Name)
	}
	if all := strings.Join(names, " "); !strings.Contains(all, "echo_json") || strings.Contains(all, "cad_import_truck") || strings.Contains(all, ".") {
		t.Fatalf("%s", all)
	}
	r := s.post("/v1/chat/completions", `{"model":"m","tool_choice":{"name":"cad_import_truck","arguments":{"file_path":"a.step"}}}`)
	if r.status != 501 || r.at("error", "code") != "missing_dependency" || r.header.Get("x-should-retry") != "false" {
		t.Fatalf("%d %v %s", r.status, r.header, r.raw)
	}
}

func TestModelFlags(t *testing.T) {
	if c, err := (modelFlags{}).client(nil); c != nil || err != nil {
		t.Fatalf("%v %v", c, err)
	}
	if _, err := (modelFlags{ModelURL: "http://127.0.0.1:1/v1"}).client(nil); err == nil || !strings.Contains(err.Error(), "--model") {
		t.Fatalf("%v", err)
	}
}

// Calls belong to the session that context.session_id names, also those that a
// model makes.
func TestAnswersInASession(t *testing.T) {
	up := llmtest.Start(t, llmtest.Step{Calls: []llm.FunctionCall{{Name: "echo_json", Arguments: `{"message":"chosen"}`}}}, llmtest.Step{Text: "ok"})
	s := start(t, func(c *serveCmd) { c.ModelURL, c.Model = up.URL+"/v1", "m1" })
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, _ := w.CreateFormFile("file", "note.txt")
	_, _ = part.Write([]byte("hello"))
	_ = w.Close()
	made := s.do("POST", "/v1/sessions", w.FormDataContentType(), &form)
	id, _ := made.at("session_id").(string)
	inSession := `"context":{"session_id":"` + id + `"}`
	forced := s.post("/v1/chat/completions", `{"model":"m",`+inSession+`,"tool_choice":{"name":"echo_json","arguments":{"message":"forced"}}}`)
	chosen := s.post("/v1/responses", `{"model":"m","input":"x",`+inSession+`}`)
	for _, r := range []reply{forced, chosen} {
		if r.status != 200 || r.at("tool_results", 0, "status") != "ok" {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		j, err := s.app.jobs.Get(context.Background(), r.at("tool_results", 0, "job_id").(string))
		if err != nil || !strings.Contains(string(j.Context), id) {
			t.Fatalf("%+v %v", j, err)
		}
	}
	if r := s.get("/v1/sessions/" + id); !strings.Contains(string(r.raw), forced.at("tool_results", 0, "job_id").(string)) {
		t.Fatalf("the session does not know its step: %s", r.raw)
	}
	r := s.post("/v1/chat/completions", `{"model":"m","context":{"session_id":"session_nope"},"tool_choice":{"name":"echo_json","arguments":{"message":"a"}}}`)
	if r.status != 404 || r.at("error", "param") != "context.session_id" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	r = s.post("/v1/chat/completions", `{"model":"m","context":{"limits":{"timeout_ms":0}},"tool_choice":{"name":"echo_json","arguments":{"message":"a"}}}`)
	if r.status != 400 || r.at("error", "code") != "invalid_request" || r.at("error", "param") != "context.limits.timeout_ms" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}
