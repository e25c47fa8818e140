package sessiontest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"atelier/internal/contract"
)

const contractText = `{"name":%q,"title":"T","version":"1.0.0","stability":"experimental","status":"active","transport":"http",
"endpoint":"/v1/tools/t","family":%q,"tags":["test"],"description":"For tests.","capabilities":["test"],
"input_schema":{"type":"object","additionalProperties":false,"properties":{%s}},
"output_schema":{"type":"object","properties":{%s}},
"evidence": "exact", "errors": [{"code":"invalid_input","http_status":400,"when":"bad"}],"examples":[{"title":"t","input":{},"notes":""}],
"effects":{"read_only":true,"destructive":false,"idempotent":true,"open_world":false,"side_effects":"none"},
"deterministic":true,"limits":{"timeout_ms":60000},"cost_hint":{"unit":"call","estimated_cost":0,"currency":"credits"},"engine":%q}`

type countInput struct {
	Steps  int    `json:"steps"`
	StepMS int    `json:"step_ms"`
	File   string `json:"file"` // an index with one part beside it
	Fail   bool   `json:"fail"`
}

// countSlowly takes steps × step_ms and tells each step; it is of the family
// solve, and queued.
var countSlowly = contract.Bind([]byte(fmt.Sprintf(contractText, "count_slowly", "solve",
	`"steps":{"type":"integer","minimum":0},"step_ms":{"type":"integer","minimum":0},"file":{"type":"string"},"fail":{"type":"boolean"}`,
	`"steps":{"type":"integer"}`, "counter")),
	func(ctx context.Context, call *contract.Call, in countInput) (*contract.Result, error) {
		for i := range in.Steps {
			select {
			case <-time.After(time.Duration(in.StepMS) * time.Millisecond):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			call.Progress(float64(i+1)/float64(in.Steps), fmt.Sprintf("step %d", i+1))
		}
		if in.Fail {
			return nil, contract.Errorf(contract.CodeSolverFailed, "asked to fail")
		}
		result := &contract.Result{Summary: fmt.Sprintf("Counted to %d.", in.Steps), Output: map[string]int{"steps": in.Steps}}
		if in.File == "" {
			return result, nil
		}
		part := in.File + ".part"
		for name, text := range map[string]string{in.File: part, part: strings.Repeat("x", in.Steps)} {
			if err := os.WriteFile(filepath.Join(call.Dir, name), []byte(text), 0o600); err != nil {
				return nil, err
			}
		}
		result.Artifacts = []contract.Artifact{{Name: in.File, MIME: contract.MIMEType(in.File), Files: []string{part}}}
		return result, nil
	})

type describeInput struct {
	Path string `json:"path"`
	Part string `json:"part"` // a file beside it
}

type described struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
	Part   int    `json:"part"`
}

// describeFile says what a tool sees under a file argument.
var describeFile = contract.Bind([]byte(fmt.Sprintf(contractText, "describe_file", "util",
	`"path":{"type":"string"},"part":{"type":"string"}`,
	`"bytes":{"type":"integer"},"sha256":{"type":"string"},"part":{"type":"integer"}`, "atelier")),
	func(ctx context.Context, call *contract.Call, in describeInput) (*contract.Result, error) {
		path, err := call.Files.Path(ctx, in.Path)
		if err != nil {
			return nil, err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		out := described{Bytes: len(content), SHA256: hex.EncodeToString(sum[:])}
		if in.Part != "" {
			beside, err := call.Files.Beside(ctx, path, in.Part)
			if err != nil {
				return nil, err
			}
			part, err := os.ReadFile(beside)
			if err != nil {
				return nil, err
			}
			out.Part = len(part)
		}
		return &contract.Result{Summary: fmt.Sprintf("%d bytes.", out.Bytes), Output: out}, nil
	})
