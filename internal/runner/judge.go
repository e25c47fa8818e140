package runner

import (
	"cmp"
	"context"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// provenance is what a resolver of file arguments knows of the files that a call
// was given.
type provenance interface {
	Inputs(ctx context.Context, input []byte) ([]evidence.Input, error)
}

// suspectInput is the code of the warning that a result without evidence, such as a
// copy, was made from a suspect one.
const suspectInput = "suspect_input"

// judged computes the evidence of a result from what its tool states and from
// the files that it was made of. A tool cannot set a trust, and a result whose
// input turns out to be damaged is an error. A tool whose contract promises
// evidence and that states nothing has failed.
func judged(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		result := next(ctx, req)
		result.Evidence = nil
		if result.Status == contract.StatusError {
			return result
		}
		var inputs []evidence.Input
		if p, ok := req.Files.(provenance); ok {
			var err error
			if inputs, err = p.Inputs(ctx, req.Input); err != nil {
				return contract.Failure(solver(req), contract.AsError(err))
			}
		}
		for _, a := range result.Artifacts {
			if o := a.Origin; o != nil && o.SHA256 == "" {
				if i := slices.IndexFunc(inputs, func(in evidence.Input) bool { return in.Reference == o.Source }); i >= 0 {
					o.SHA256 = inputs[i].SHA256
				}
			}
		}
		name := req.Tool.Contract.Name
		switch checked := req.Tool.Contract.Evidence.Checked(); {
		case !checked && result.Statement != nil:
			return contract.Failure(solver(req), contract.Errorf(contract.CodeInvalidToolOutput, "%s states evidence that its contract does not announce", name))
		case !checked:
			result.Inputs = append(result.Inputs, inputs...)
			if trust, reasons := result.Trust(); trust == evidence.Suspect {
				result.Warnings = append(result.Warnings, contract.Warning{Code: suspectInput, Message: reasons[0]})
			}
			return result
		case result.Statement == nil:
			return contract.Failure(solver(req), contract.Errorf(contract.CodeInvalidToolOutput, "%s states nothing that stands behind its figures", name))
		}
		result.Statement.Check(req.Tool.Contract.Implausible(req.Input)...)
		result.Statement.Check(beyond(result.Statement)...)
		e, err := evidence.Judge(*result.Statement)
		if err != nil {
			return contract.Failure(solver(req), contract.Errorf(contract.CodeInvalidToolOutput, "%s: %w", name, err))
		}
		result.Evidence = e.WithInputs(inputs)
		if req.Selftest != nil {
			if s, ok := req.Selftest(cmp.Or(result.Solver, solver(req))); ok {
				result.Evidence = result.Evidence.WithSelftest(s)
			}
		}
		return result
	}
}
