package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"atelier/internal/contract"
)

const file = `{"name":"probe","title":"Probe","version":"1.0.0","stability":"experimental","status":"active","transport":"http",
"endpoint":"/v1/tools/probe", "family": "test","tags":["t"],"description":"d","capabilities":[],
"input_schema":{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"}}},
"output_schema":{"type":"object","additionalProperties":false,"required":["n"],"properties":{"n":{"type":"integer"}}},
"evidence": "exact", "errors": [],"examples":[{"title":"t","input":{},"notes":""}],
"effects":{"read_only":true,"destructive":false,"idempotent":true,"open_world":false,"side_effects":"none"},
"deterministic":true,"limits":{},"cost_hint":{"unit":"call","estimated_cost":0,"currency":"credits"},"engine":"atelier"}`

type input struct {
	N int `json:"n"`
}

func request(t *testing.T, run func(ctx context.Context, call *contract.Call, in input) (*contract.Result, error)) *Request {
	t.Helper()
	tool := contract.Bind([]byte(file), run)
	return &Request{Tool: &tool, Input: json.RawMessage(`{"n":1}`), JobID: "job_1", Dir: t.TempDir(), Limits: contract.DefaultLimits()}
}

func ok(_ context.Context, _ *contract.Call, in input) (*contract.Result, error) {
	return &contract.Result{Output: in, Summary: "done"}, nil
}

func TestFailuresBecomeResultsWithACode(t *testing.T) {
	for name, tc := range map[string]struct {
		run   func(ctx context.Context, call *contract.Call, in input) (*contract.Result, error)
		input string
		code  string
	}{
		"fine":      {ok, `{"n":1}`, ""},
		"bad input": {ok, `{"m":1}`, contract.CodeInvalidRequest},
		"own error": {func(context.Context, *contract.Call, input) (*contract.Result, error) {
			return nil, contract.Errorf("ERR_NO_GROUND", "x")
		}, `{}`, "ERR_NO_GROUND"},
		"other err": {func(context.Context, *contract.Call, input) (*contract.Result, error) { return nil, errors.New("boom") }, `{}`, contract.CodeInternal},
		"panic":     {func(context.Context, *contract.Call, input) (*contract.Result, error) { panic("boom") }, `{}`, contract.CodeInternal},
		"bad output": {func(context.Context, *contract.Call, input) (*contract.Result, error) {
			return &contract.Result{Output: map[string]any{"n": "x"}}, nil
		}, `{}`, contract.CodeInvalidToolOutput},
		"nan output": {func(context.Context, *contract.Call, input) (*contract.Result, error) {
			zero := 0.0
			return &contract.Result{Output: map[string]any{"n": zero / zero}}, nil
		}, `{}`, contract.CodeInvalidToolOutput},
		"no such artifact": {func(context.Context, *contract.Call, input) (*contract.Result, error) {
			return &contract.Result{Output: input{1}, Artifacts: []contract.Artifact{{Name: "gone"}}}, nil
		}, `{}`, contract.CodeInvalidToolOutput},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, tc.run)
			req.Input = json.RawMessage(tc.input)
			got := New()(context.Background(), req)
			if tc.code == "" {
				if got.Status != contract.StatusOK || *got.Confidence != 1 {
					t.Fatalf("%+v", got)
				}
				return
			}
			if got.Status != contract.StatusError || got.Errors[0].Code != tc.code || *got.Confidence != 0 || got.Metrics["job_id"] != "job_1" {
				t.Fatalf("got %+v", got)
			}
		})
	}
}

func TestTimeAndCancelAreToldApart(t *testing.T) {
	wait := func(ctx context.Context, _ *contract.Call, _ input) (*contract.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	req := request(t, wait)
	req.Limits.TimeoutMS = 20
	if got := New()(context.Background(), req); got.Errors[0].Code != contract.CodeTimeout || got.Errors[0].Hint == "" {
		t.Fatalf("%+v", got.Errors)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if got := New()(ctx, request(t, wait)); got.Errors[0].Code != contract.CodeCancelled {
		t.Fatalf("%+v", got.Errors)
	}
}

func TestTextIsCutOnRuneBoundariesAndCounted(t *testing.T) {
	req := request(t, func(context.Context, *contract.Call, input) (*contract.Result, error) {
		return &contract.Result{Output: input{1}, Summary: strings.Repeat("ä", 400),
			Log: contract.Log{Stdout: strings.Repeat("ü", 10), Stderr: "12345"}}, nil
	})
	req.Limits.MaxStdoutBytes, req.Limits.MaxStderrBytes = 5, 5
	got := New()(context.Background(), req)
	if got.Log.Stdout != "üü" || got.Metrics["stdout_truncated_bytes"] != int64(16) {
		t.Fatalf("%q %v", got.Log.Stdout, got.Metrics)
	}
	if _, cut := got.Metrics["stderr_truncated_bytes"]; cut || got.Metrics["summary_truncated"] != true {
		t.Fatalf("%v", got.Metrics)
	}
	if n := utf8.RuneCountInString(got.Summary); n > 280 || !strings.Contains(got.Summary, "[limits: 16 bytes of stdout cut off]") {
		t.Fatalf("%d %q", n, got.Summary)
	}
}

func TestSummaryLimits(t *testing.T) {
	for limit := 16; limit < 60; limit++ {
		r := &contract.Result{Summary: strings.Repeat("x", 70), Metrics: map[string]any{}}
		if s := summarize(r, []string{"5 bytes of stdout cut off"}, limit); utf8.RuneCountInString(s) > limit {
			t.Fatalf("limit %d: %q", limit, s)
		}
	}
}

func artifactTool(files map[string]int, artifacts ...contract.Artifact) func(context.Context, *contract.Call, input) (*contract.Result, error) {
	return func(_ context.Context, call *contract.Call, _ input) (*contract.Result, error) {
		for name, size := range files {
			path := filepath.Join(call.Dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
				return nil, err
			}
		}
		return &contract.Result{Output: input{1}, Artifacts: artifacts}, nil
	}
}

func TestArtifactLimits(t *testing.T) {
	files := map[string]int{"a": 10, "b": 100, "s/s.pvd": 5, "s/0.vtu": 20, "s/1.vtu": 20}
	series := contract.Artifact{Name: "s/s.pvd", Files: []string{"s/0.vtu", "s/1.vtu"}}
	req := request(t, artifactTool(files, contract.Artifact{Name: "a"}, contract.Artifact{Name: "b"}, series))
	req.Limits.MaxArtifactBytes, req.Limits.MaxArtifacts = 50, 2
	got := New()(context.Background(), req)
	var kept []string
	for _, a := range got.Artifacts {
		kept = append(kept, a.Name)
	}
	if strings.Join(kept, ",") != "a,s/s.pvd" || got.Metrics[metricOversize] != 1 || len(got.Warnings) != 1 {
		t.Fatalf("%v %v %v", kept, got.Metrics, got.Warnings)
	}
	if !strings.Contains(got.Summary, "[limits: 1 oversize artifacts removed]") {
		t.Fatalf("%q", got.Summary)
	}
	for _, big := range []contract.Artifact{{Name: "b", Primary: true}, {Name: "c", Primary: true, Content: make([]byte, 51)}} {
		req = request(t, artifactTool(files, big))
		req.Limits.MaxArtifactBytes = 50
		if got := New()(context.Background(), req); got.Status != contract.StatusError || got.Errors[0].Code != contract.CodeArtifactTooLarge {
			t.Fatalf("a primary result must never be dropped: %+v", got)
		}
	}
}

func TestArtifactsInMemory(t *testing.T) {
	req := request(t, artifactTool(nil, contract.Artifact{Name: "a", Content: []byte("abc")}, contract.Artifact{Name: "b", Content: make([]byte, 60)}))
	req.Limits.MaxArtifactBytes = 50
	got := New()(context.Background(), req)
	if len(got.Artifacts) != 1 || got.Artifacts[0].Name != "a" || got.Artifacts[0].Bytes != 3 || got.Metrics[metricOversize] != 1 {
		t.Fatalf("%+v %v", got.Artifacts, got.Metrics)
	}
}

func TestArtifactsCannotLeadOutOfTheJob(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "dir/secret", "../secret"} {
		req := request(t, func(_ context.Context, call *contract.Call, _ input) (*contract.Result, error) {
			_ = os.Symlink(secret, filepath.Join(call.Dir, "link"))
			_ = os.Symlink(filepath.Dir(secret), filepath.Join(call.Dir, "dir"))
			return &contract.Result{Output: input{1}, Artifacts: []contract.Artifact{{Name: name}}}, nil
		})
		if got := New()(context.Background(), req); got.Status != contract.StatusError {
			t.Fatalf("%s was accepted", name)
		}
	}
}
