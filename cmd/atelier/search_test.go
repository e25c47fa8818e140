package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/llm/llmtest"
)

// Through every way in: the program, its flags, and a service behind it.
func TestSearchThroughTheProgram(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query().Get("q"); {
		case strings.HasPrefix(q, "fails"):
			w.WriteHeader(500)
		case r.URL.Query().Get("pageno") != "":
			_, _ = io.WriteString(w, `{"results":[]}`)
		case strings.HasPrefix(q, "slow"):
			<-r.Context().Done()
		default:
			_, _ = io.WriteString(w, `{"results":[{"title":"<b>One</b>","url":"https://example.org/1","content":"a &amp; b","publishedDate":"2026-01-02T03:04:05"},{"title":"Two","url":"https://other.example/","content":""}]}`)
		}
	}))
	t.Cleanup(func() {
		service.CloseClientConnections()
		service.Close()
	})
	s := start(t, func(c *serveCmd) {
		c.SearchBackend, c.SearchURL, c.SearchDomain = "searxng", service.URL, []string{"example.org"}
	})
	r := s.post("/v1/tools/search.web", `{"query":"x","max_results":1}`)
	if want := `{"results":[{"title":"One","url":"https://example.org/1","snippet":"a & b","date":"2026-01-02T03:04:05"}]}`; r.status != 200 || strings.TrimSpace(string(r.raw)) != want {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	for input, want := range map[string]string{
		`{"query":""}`: "400 invalid_query", `{"query":"  "}`: "400 invalid_query", `{}`: "400 invalid_query", `{"query":"x","max_results":26}`: "400 invalid_query",
		`{"query":"x","max_results":"3"}`: "400 invalid_query", `{"query":"x","colour":1}`: "400 invalid_request", `{"query":"fails"}`: "502 upstream_failure",
	} {
		if r := s.post("/v1/tools/search_web", input); fmt.Sprint(r.status, " ", r.at("error", "code")) != want {
			t.Errorf("%s: %d %s", input, r.status, r.raw)
		}
	}
	if r := s.post("/v1/tools/search.web?timeout_ms=300", `{"query":"slow"}`); r.status != 504 || r.at("error", "code") != "timeout" {
		t.Errorf("%d %s", r.status, r.raw)
	}
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	reply, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "search_web", Arguments: map[string]any{"query": "x"}})
	if err != nil || reply.IsError {
		t.Fatalf("%v %+v", err, reply)
	}
	if metrics, _ := reply.Meta["metrics"].(map[string]any); metrics["backend"] != "searxng" || metrics["left_out"] != 1.0 {
		t.Errorf("%v", reply.Meta)
	}
}

// With nothing configured, what web.fetch has read is found, and the operator's folders.
func TestSearchWithNothingConfigured(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html lang=en><title>Tide tables</title><body><article><h1>Tide tables</h1><p>"+strings.Repeat("The tide at the harbour turns twice a day, and the pilots read it from a table. ", 12)+"</p></article></body></html>")
	}))
	t.Cleanup(page.Close)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "crane.md"), []byte("# Crane\nThe crane lifts 40 tonnes."), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *serveCmd) {
		c.WebAllow, c.SearchFolder = []string{"127.0.0.0/8"}, []string{folder}
	})
	r := s.post("/v1/tools/search.web", `{"query":"harbour pilots"}`)
	if r.status != 200 || string(r.raw) == "" || r.header.Get("X-Atelier-Warnings") != "local_index_only" {
		t.Fatalf("%d %s %v", r.status, r.raw, r.header)
	}
	if r := s.post("/v1/tools/web.fetch", fmt.Sprintf(`{"url":%q}`, page.URL+"/tides")); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := s.post("/v1/tools/search.web", `{"query":"harbour pilots"}`); r.at("results", 0, "url") != page.URL+"/tides" || !strings.Contains(fmt.Sprint(r.at("results", 0, "snippet")), "pilots") {
		t.Errorf("%s", r.raw)
	}
	if r := s.post("/v1/tools/search.web", `{"query":"crane"}`); !strings.HasSuffix(fmt.Sprint(r.at("results", 0, "url")), "/crane.md") {
		t.Errorf("%s", r.raw)
	}
}

func TestTranscriptsThroughTheProgram(t *testing.T) {
	upstream := llmtest.Start(t, llmtest.Step{Text: "The bridge is 42 meters long; it stands."}, llmtest.Step{Status: 500, Raw: "{}"},
		llmtest.Step{Status: 500, Raw: "{}"}, llmtest.Step{Status: 500, Raw: "{}"}, llmtest.Step{Status: 500, Raw: "{}"})
	input := func(text string) string {
		raw, _ := json.Marshal(map[string]string{"text": text}) // a string always encodes
		return string(raw)
	}
	said := input("1\n00:00:01,000 --> 00:00:03,000\num the the bridge is 42 meters long. it stands.")
	plain := start(t, nil)
	if r := plain.post("/v1/tools/transcript.clean", said); r.status != 200 || r.at("clean_text") != "The bridge is 42 meters long. It stands." {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := plain.post("/v1/tools/transcript_clean", input("[Music]")); r.status != 422 || r.at("error", "code") != "empty_transcript" {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if r := plain.post("/v1/tools/transcript.clean", `{"text":""}`); r.status != 400 || r.at("error", "code") != "invalid_request" {
		t.Errorf("%d %s", r.status, r.raw)
	}
	s := start(t, func(c *serveCmd) { c.TranscriptModel, c.TranscriptModelURL = "m", upstream.URL+"/v1" })
	if r := s.post("/v1/tools/transcript.clean", said); r.status != 200 || r.at("clean_text") != "The bridge is 42 meters long; it stands." {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if r := s.post("/v1/tools/transcript.clean", said); r.status != 502 || r.at("error", "code") != "model_error" {
		t.Errorf("%d %s", r.status, r.raw)
	}
}
