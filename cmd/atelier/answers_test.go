package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"atelier/model/modeltest"
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
	up := modeltest.Start(t, modeltest.Step{Text: "ok"})
	none := t.TempDir()
	s := start(t, func(c *serveCmd) { c.Engines = none; c.ModelURL, c.Model = up.URL+"/v1", "m1" })
	if r := s.post("/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"x"}]}`); r.status != 200 {
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
	if c, err := (modelFlags{}).client(); c != nil || err != nil {
		t.Fatalf("%v %v", c, err)
	}
	if _, err := (modelFlags{ModelURL: "http://127.0.0.1:1/v1"}).client(); err == nil || !strings.Contains(err.Error(), "--model") {
		t.Fatalf("%v", err)
	}
}
