package invocation

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/runner"
	"atelier/internal/store"
)

// probe is a tool of the test's own in two minors. 1.2 came to know the
// argument unit, larger values, and the outputs note and parts[].note.
func probeContract(version string) []byte {
	unit, most, note := "", 100, ""
	if version != "1.1.0" {
		unit, most, note = `,"unit":{"type":"string","description":"u"}`, 1000, `,"note":{"type":"string"}`
	}
	return []byte(fmt.Sprintf(`{
  "name": "probe.echo", "title": "Probe", "version": %q, "stability": "experimental", "status": "active", "transport": "http",
  "endpoint": "/v1/tools/probe.echo", "family": "test", "tags": ["test"], "description": "Echoes a value.", "capabilities": ["echo"],
  "input_schema": {"type":"object","additionalProperties":false,"required":["value"],"properties":{
    "value":{"type":"number","minimum":0,"maximum":%d,"description":"v"},
    "mode":{"enum":["ok","partial","fail","port","file","capture"],"description":"m"},
    "bcs":{"type":"array","description":"b","items":{"type":"object","additionalProperties":false,"required":["attribute"],"properties":{"attribute":{"type":"integer","description":"a"}}}},
    "port":{"type":"integer","description":"p"}%s}},
  "output_schema": {"type":"object","additionalProperties":false,"required":["value"],"properties":{
    "value":{"type":"number"},
    "parts":{"type":"array","items":{"oneOf":[
      {"type":"object","additionalProperties":false,"required":["kind"],"properties":{"kind":{"const":"a"}%s}},
      {"type":"object","additionalProperties":false,"required":["kind","size"],"properties":{"kind":{"const":"b"},"size":{"type":"integer"}}}]}},
    "capture":{"type":"string"}%s}},
  "evidence": "exact", "errors": [{"code":"ERR_NOT_CONVERGED","http_status":422,"when":"w"},{"code":"invalid_configuration","http_status":400,"when":"w","fields":["/port"]}],
  "examples": [{"title":"t","input":{"value":1},"notes":""}],
  "effects": {"read_only":true,"destructive":false,"idempotent":true,"open_world":false,"side_effects":"none"},
  "deterministic": true, "limits": {"timeout_ms":5000,"min_timeout_ms":20,"max_timeout_ms":60000,"max_payload_bytes":2000},
  "cost_hint": {"unit":"call","estimated_cost":0,"currency":"credits"}, "engine": "atelier"}`, version, most, unit, note, note))
}

type probeInput struct {
	Value float64 `json:"value"`
	Mode  string  `json:"mode"`
	BCs   []struct {
		Attribute int `json:"attribute"`
	} `json:"bcs"`
	Port int    `json:"port"`
	Unit string `json:"unit"`
}

type part struct {
	Kind string `json:"kind"`
	Size *int   `json:"size,omitempty"`
	Note string `json:"note,omitempty"`
}

type probeOutput struct {
	Value   float64 `json:"value"`
	Parts   []part  `json:"parts"`
	Capture string  `json:"capture,omitempty"`
	Note    string  `json:"note,omitempty"`
}

var runs atomic.Int64 // how often the probe really ran

func probe(_ context.Context, call *contract.Call, in probeInput) (*contract.Result, error) {
	runs.Add(1)
	size := 7
	out := probeOutput{Value: in.Value, Note: "new in 1.2", Parts: []part{{Kind: "a", Note: "new"}, {Kind: "b", Size: &size}}}
	result := &contract.Result{Summary: "Echoed.", Output: &out}
	switch in.Mode {
	case "partial":
		result.Status = contract.StatusPartial
		result.Warnings = []contract.Warning{{Code: "half_done", Message: "Half of it."}}
	case "fail":
		return nil, contract.Errorf("ERR_NOT_CONVERGED", "residual 1 after 10 iterations").At("/bcs/0/attribute").WithHint("Refine.").With("suggested_dx", 0.5)
	case "port":
		return nil, contract.Errorf("invalid_configuration", "port 8000 is taken").At("/port")
	case "file":
		if err := os.WriteFile(filepath.Join(call.Dir, "note one.txt"), []byte("hello"), 0o600); err != nil {
			return nil, err
		}
		result.Artifacts = []contract.Artifact{{Name: "note one.txt", MIME: "text/plain"}}
	case "capture":
		capture, ok := call.Capture()
		if !ok || capture.Selectors.TimeRange == nil {
			return nil, contract.Errorf(contract.CodeInvalidInput, "no capture came with the call")
		}
		out.Capture = fmt.Sprintf("%s %d %v %v", capture.CaptureID, capture.Selectors.TimeRange.EndMS, capture.Selectors.Channels, capture.Selectors.Filters)
	}
	return result, nil
}

// testServer is the protocol in front of the real job service and database; reopening it is a
// restart of the program.
type testServer struct {
	t       *testing.T
	dir     string
	handler *httptest.Server
	close   func()
}

func newTestServer(t *testing.T) *testServer {
	h := &testServer{t: t, dir: t.TempDir()}
	h.open()
	t.Cleanup(func() { h.close() })
	return h
}

func (h *testServer) open() {
	h.t.Helper()
	ctx := context.Background()
	missing := contract.Bind([]byte(strings.Replace(string(probeContract("1.2.0")), "probe.echo\"", "absent_tool\"", 1)), probe)
	missing.Available = func() error {
		return contract.Errorf(contract.CodeMissingDependency, "the engine is not installed").WithHint("Run make engines.")
	}
	probing := contract.Bind(probeContract("1.2.0"), probe, probeContract("1.1.0"))
	probing.TakesCapture = true
	tools, err := contract.NewRegistry([]contract.Tool{probing, missing})
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
	jobs, err := job.New(ctx, db, blobs, runner.NewExecutor(tools, runner.Resolver{}), job.Options{
		WorkDir: filepath.Join(h.dir, "work"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		h.t.Fatal(err)
	}
	s := &Server{Tools: tools, Jobs: jobs, MaxBodyBytes: 1 << 20}
	h.handler = httptest.NewServer(httpapi.Mux(&httpapi.Gate{MaxBodyBytes: s.MaxBodyBytes}, s.Routes()...))
	h.close = func() {
		h.handler.Close()
		_ = jobs.Drain(ctx)
		_ = blobs.Close()
		_ = db.Close()
	}
}

// reply is the result of an invocation.
type reply struct {
	HTTP             int            `json:"-"`
	Status           string         `json:"status"`
	Summary          string         `json:"summary"`
	StructuredOutput map[string]any `json:"structured_output"`
	Artifacts        []struct {
		Name, URI, SHA256 string
		MIMEType          string `json:"mime_type"`
	} `json:"artifacts"`
	Warnings []struct{ Code, Message string } `json:"warnings"`
	Errors   []struct {
		Code, Message, Field, Pointer string
		Details                       map[string]any
	} `json:"errors"`
	Confidence float64 `json:"confidence"`
	raw        string
	job        string
	header     http.Header
}

func (h *testServer) post(body string) reply {
	h.t.Helper()
	resp, err := h.handler.Client().Post(h.handler.URL+"/v1/invocations", "application/json", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	var raw json.RawMessage
	if err := json.NewDecoder(resp.Body).Decode(&raw); err != nil {
		h.t.Fatal(err)
	}
	r := reply{HTTP: resp.StatusCode, raw: string(raw), job: resp.Header.Get("X-Atelier-Job-Id"), header: resp.Header}
	if err := json.Unmarshal(raw, &r); err != nil {
		h.t.Fatalf("%v: %s", err, raw)
	}
	return r
}

var attempt atomic.Int64

// invocation is a good one of version 1.2.0 with some fields set otherwise; a
// nil value leaves the field out.
func invocation(t *testing.T, arguments string, change map[string]any) string {
	t.Helper()
	m := map[string]any{
		"tool_name": "probe_echo", "tool_version": "1.2.0", "arguments": json.RawMessage(arguments), "timeout_ms": 5000,
		"capture_selection": map[string]any{"capture_id": "", "selectors": map[string]any{}},
		"request_id":        fmt.Sprintf("req-%d", attempt.Add(1)),
	}
	for k, v := range change {
		if m[k] = v; v == nil {
			delete(m, k)
		}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func (h *testServer) invoke(arguments string, change map[string]any) reply {
	h.t.Helper()
	return h.post(invocation(h.t, arguments, change))
}

// faults are the codes and fields of a reply, in order.
func (r reply) faults() string {
	var out []string
	for _, e := range r.Errors {
		out = append(out, e.Code+" "+e.Field)
	}
	return strings.Join(out, ", ")
}
