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
			return contract.Failure(solver(req), req.Tool.Contract.OutputFaults(faults)...)
		}
		if result.Evidence != nil {
			if fault := req.Tool.Contract.CheckQuantities(result.Evidence, raw); fault != nil {
				return contract.Failure(solver(req), fault)
			}
		}
		result.Output = raw
		if result.Status == contract.StatusPartial && len(result.Warnings) == 0 {
			result.Warnings = []contract.Warning{{Code: "partial", Message: "The result is incomplete."}}
		}
		return result
	}
}

func encode(result *contract.Result) (json.RawMessage, error) {
	if result.Output == nil {
		result.Output = struct{}{}
	}
	raw, err := plainJSON(result.Output)
	if err != nil || result.Evidence == nil {
		return raw, err
	}
	// The output is an object by contract, so the quantities and the evidence
	// become its last keys.
	body := bytes.TrimSuffix(raw, []byte("}"))
	for _, add := range []struct {
		key   string
		value any
	}{{"quantities", result.Evidence.Quantities()}, {"evidence", result.Evidence.Document()}} {
		value, err := plainJSON(add.value)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(body, []byte("{")) {
			body = append(body, ',')
		}
		body = append(append(append(body, '"'), add.key...), `":`...)
		body = append(body, value...)
	}
	return append(body, '}'), nil
}

func plainJSON(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}
