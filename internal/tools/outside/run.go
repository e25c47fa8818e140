package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
)

// request is the line that a program reads.
type request struct {
	Tool    string                     `json:"tool"`
	Version string                     `json:"version"`
	Input   map[string]json.RawMessage `json:"input"`
}

// runOn is what a call of the tool does: the files that the input names are laid
// into the sandbox, the program runs, and its answer becomes a result.
func (t *Tool) runOn(host engine.Host) func(context.Context, *contract.Call, map[string]json.RawMessage) (*contract.Result, error) {
	return func(ctx context.Context, call *contract.Call, input map[string]json.RawMessage) (*contract.Result, error) {
		files := map[string]string{}
		for _, name := range t.files {
			var ref string
			if raw, given := input[name]; !given || json.Unmarshal(raw, &ref) != nil {
				continue
			}
			path, err := call.File(ctx, ref, "/"+name)
			if err != nil {
				return nil, err
			}
			inside := "in/" + name + filepath.Ext(path)
			files[inside] = path
			input[name], _ = json.Marshal(inside) // a string can always be encoded
		}
		c := t.contract
		reply, err := host.Run(ctx, call, engine.Job{Engine: c.Engine, Request: request{c.Name, c.Version, input}, Inputs: files})
		if err != nil {
			return nil, err
		}
		return t.result(reply)
	}
}

func (t *Tool) result(reply *engine.Reply) (*contract.Result, error) {
	fault := func(format string, args ...any) error {
		return contract.Errorf(contract.CodeInvalidToolOutput, "the program of %s %s", t.contract.Name, fmt.Sprintf(format, args...))
	}
	var output map[string]json.RawMessage
	if err := json.Unmarshal(reply.Output, &output); err != nil || output == nil {
		return nil, fault("answered an output that is no JSON object")
	}
	for _, own := range []string{"evidence", "quantities"} {
		if _, has := output[own]; has {
			return nil, fault("put %s into its output; it belongs beside it, as checks and quantities, from which the trust is computed", own)
		}
	}
	if reply.Summary == "" {
		return nil, fault("sent no summary: one sentence with the figures that matter")
	}
	var statement *evidence.Statement
	if t.contract.Evidence.Checked() {
		statement = &evidence.Statement{}
		if len(reply.Evidence) > 0 {
			dec := json.NewDecoder(bytes.NewReader(reply.Evidence))
			dec.DisallowUnknownFields()
			if err := dec.Decode(statement); err != nil {
				return nil, fault("sent evidence that cannot be used: %v", err)
			}
		}
	} else if len(reply.Evidence) > 0 {
		return nil, fault("sent evidence that its contract does not announce")
	}
	return &contract.Result{
		Summary: reply.Summary, Output: output, Artifacts: reply.Artifacts, Metrics: reply.Metrics, Warnings: reply.Warnings,
		Log: reply.Log, Statement: statement,
	}, nil
}
