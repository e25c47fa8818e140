package runner

import (
	"bytes"
	"context"
	"encoding/json"

	"atelier/internal/contract"
)

// checked encodes the output, puts the evidence into it, and holds it against
// the output schema: a tool that answers what its contract does not describe
// has failed. Output is never validated on an error.
func checked(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		result := next(ctx, req)
		if result.Status == contract.StatusError {
			return result
		}
		raw, err := encode(result)
		if err != nil {
			return contract.Failure(solver(req), contract.Errorf(contract.CodeInvalidToolOutput, "%s: %w", req.Tool.Contract.Name, err))
		}
		raw = req.Tool.Contract.NotebookOutput(raw)
		if faults := req.Tool.Contract.ValidateOutput(raw); len(faults) > 0 {
			return contract.Failure(solver(req), faults...)
		}
		result.Output = raw
		if result.Status == contract.StatusPartial && len(result.Warnings) == 0 {
			result.Warnings = []contract.Warning{{Code: "partial", Message: "The result is incomplete."}}
		}
		return result
	}
}

func encode(result *contract.Result) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if result.Output == nil {
		result.Output = struct{}{}
	}
	if err := enc.Encode(result.Output); err != nil {
		return nil, err
	}
	raw := bytes.TrimSpace(buf.Bytes())
	if result.Evidence == nil {
		return raw, nil
	}
	evidence, err := json.Marshal(result.Evidence)
	if err != nil {
		return nil, err
	}
	// The output is an object by contract, so the evidence becomes its last key.
	body := bytes.TrimSuffix(raw, []byte("}"))
	if !bytes.Equal(body, []byte("{")) {
		body = append(body, ',')
	}
	body = append(body, `"evidence":`...)
	return append(append(body, evidence...), '}'), nil
}
