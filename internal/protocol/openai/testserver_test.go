package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/job"
	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/runner"
	"atelier/internal/store"
)

// probes are the test's own tools: one that doubles, one that takes its time,
// one that needs nothing.
func probeContract(name, required, properties, engine string) []byte {
	return fmt.Appendf(nil, `{
  "name": %q, "title": "Probe", "version": "1.0.0", "stability": "experimental", "status": "active", "transport": "http",
  "endpoint": "/v1/tools/%s", "family": "%s", "tags": ["test"], "description": "A probe.", "capabilities": ["probe"],
  "input_schema": {"type":"object","additionalProperties":false,"required":[%s],"properties":{%s}},
  "output_schema": {"type":"object","additionalProperties":false,"required":["value"],"properties":{"value":{"type":"number"}}},
  "evidence": "exact", "errors": [{"code":"ERR_NOT_CONVERGED","http_status":422,"when":"w"}],
  "examples": [{"title":"t","input":{"value":1},"notes":""}],
  "effects": {"read_only":true,"destructive":false,"idempotent":true,"open_world":false,"side_effects":"none"},
  "deterministic": true, "limits": {}, "cost_hint": {"unit":"call","estimated_cost":0,"currency":"credits"}, "engine": %q}`,
		name, name, strings.SplitN(name, ".", 2)[0], required, properties, engine)
}

type probeInput struct {
	Value float64 `json:"value"`
}

type probeOutput struct {
	Value float64 `json:"value"`
}

// testServer is the protocol in front of the real job service, database and HTTP.
type testServer struct {
	t      *testing.T
	dir    string
	url    string
	server *Server
	ran    atomic.Int64 // how often a probe began
	close  func()
	more   []contract.Tool // beside the probes
}

func newTestServer(t *testing.T, upstream *llmtest.Server) *testServer {
	h := &testServer{t: t, dir: t.TempDir()}
	h.open(upstream)
	t.Cleanup(func() { h.close() })
	return h
}

func (h *testServer) probes() []contract.Tool {
	value := `"value":{"type":"number","maximum":100000,"description":"v"}`
	double := func(_ context.Context, _ *contract.Call, in probeInput) (*contract.Result, error) {
		h.ran.Add(1)
		if in.Value < 0 {
			return nil, contract.Errorf("ERR_NOT_CONVERGED", "the residual is %g", -in.Value).WithHint("Refine.")
		}
		return &contract.Result{Summary: fmt.Sprintf("Doubled to %g.", 2*in.Value), Output: probeOutput{2 * in.Value}}, nil
	}
	slow := func(ctx context.Context, _ *contract.Call, in probeInput) (*contract.Result, error) {
		h.ran.Add(1)
		select {
		case <-time.After(time.Duration(in.Value) * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return &contract.Result{Summary: "Waited.", Output: probeOutput(in)}, nil
	}
	return []contract.Tool{
		contract.Bind(probeContract("math.double", `"value"`, value, "atelier"), double),
		contract.Bind(probeContract("slow_wait", `"value"`, value, "probe"), slow),
		contract.Bind(probeContract("plain_probe", "", value, "atelier"), double),
	}
}

// heavyProbe states a figure that is suspect above 10 kg.
func heavyProbe() contract.Tool {
	weighed := func(_ context.Context, _ *contract.Call, in probeInput) (*contract.Result, error) {
		return &contract.Result{Summary: fmt.Sprintf("It weighs %g kg.", in.Value), Output: probeOutput(in), Statement: &evidence.Statement{
			Checks:  []evidence.Check{evidence.Within("scales", evidence.Independent, "/value", in.Value, 10, "kg", "The scales bear no more.")},
			Figures: []evidence.Figure{evidence.Of("mass", "/value", in.Value, "kg", "weighed").PlusMinus(0.01, "bound").Quote()}}}, nil
	}
	file := probeContract("heavy_probe", `"value"`, `"value":{"type":"number","description":"v"}`, "atelier")
	return contract.Bind(bytes.Replace(file, []byte(`"exact"`), []byte(`{"quantities":[{"figure":"/value","what":"w"}]}`), 1), weighed)
}

func (h *testServer) open(upstream *llmtest.Server) {
	h.t.Helper()
	ctx := context.Background()
	tools, err := contract.NewRegistry(append(h.probes(), h.more...))
	if err != nil {
		h.t.Fatal(err)
	}
	db, err := store.Open(ctx, filepath.Join(h.dir, "atelier.db"))
	if err != nil {
		h.t.Fatal(err)
	}
	blobs, err := store.OpenBlobs(ctx, db, "file://"+filepath.ToSlash(h.dir), store.BlobOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	jobs, err := job.New(ctx, db, blobs, runner.NewExecutor(tools, runner.Resolver{}), job.Options{WorkDir: filepath.Join(h.dir, "work"), Logger: quiet})
	if err != nil {
		h.t.Fatal(err)
	}
	h.server = &Server{Tools: tools, Jobs: jobs, DB: db, KeepAlive: 20 * time.Millisecond, heartbeat: 20 * time.Millisecond, Log: quiet}
	if upstream != nil {
		if h.server.Model, err = llm.New(llm.Options{URL: upstream.URL + "/v1", Model: "upstream-1", MinWait: time.Millisecond}); err != nil {
			h.t.Fatal(err)
		}
	}
	front := httptest.NewServer(httpapi.Mux(&httpapi.Gate{MaxBodyBytes: 1 << 20}, h.server.Routes()...))
	h.url = front.URL
	h.close = func() {
		front.CloseClientConnections()
		front.Close()
		stop, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := h.server.Close(stop); err != nil {
			h.t.Errorf("close: %v", err)
		}
		_ = jobs.Drain(stop)
		_ = blobs.Close()
		_ = db.Close()
	}
}

type reply struct {
	status int
	header http.Header
	raw    []byte
	body   any
}

func (h *testServer) do(method, path, body string, headers ...string) reply {
	h.t.Helper()
	req, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	r := reply{status: resp.StatusCode, header: resp.Header}
	if r.raw, err = io.ReadAll(resp.Body); err != nil {
		h.t.Fatal(err)
	}
	_ = json.Unmarshal(r.raw, &r.body) // a stream is not JSON
	return r
}

func (h *testServer) chat(fields string, headers ...string) reply {
	h.t.Helper()
	return h.do("POST", "/v1/chat/completions", `{"model":"autosage-0.1","messages":[{"role":"user","content":"go"}],`+fields+`}`, headers...)
}

func (h *testServer) respond(fields string, headers ...string) reply {
	h.t.Helper()
	return h.do("POST", "/v1/responses", `{"model":"autosage-0.1","input":"go",`+fields+`}`, headers...)
}

func (h *testServer) get(path string) reply { h.t.Helper(); return h.do("GET", path, "") }

// at walks a decoded JSON value: at("choices", 0, "message").
func at(v any, path ...any) any {
	for _, p := range path {
		switch key := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			l, _ := v.([]any)
			if key >= len(l) {
				return nil
			}
			v = l[key]
		}
	}
	return v
}

func (r reply) at(path ...any) any { return at(r.body, path...) }

func (r reply) text(path ...any) string {
	s, _ := r.at(path...).(string)
	return s
}

// event is one of a stream.
type event struct {
	name string
	data any
	raw  string
}

// events reads a stream and checks what holds for all: every event has data, no
// id, and [DONE] is the last.
func events(t *testing.T, raw []byte) []event {
	t.Helper()
	var list []event
	var name string
	done := false
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "" || strings.HasPrefix(line, ":"):
		case done:
			t.Fatalf("after [DONE]: %s", line)
		case line == "data: [DONE]":
			done = true
		case strings.HasPrefix(line, "event: "):
			name = line[7:]
		case strings.HasPrefix(line, "data: "):
			e := event{name: name, raw: line[6:]}
			if err := json.Unmarshal([]byte(e.raw), &e.data); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			list = append(list, e)
			name = ""
		default:
			t.Fatalf("an unknown line: %s", line)
		}
	}
	if !done {
		t.Fatalf("no [DONE] in %s", raw)
	}
	return list
}

func jobFilter() job.Filter { return job.Filter{Limit: 10} }
