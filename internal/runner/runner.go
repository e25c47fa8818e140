// Package runner runs tools: it validates the input, applies limits, calls the
// tool, validates the output and collects artifacts. Each concern is a Runner
// around the next, in a short file of its own. Executor connects them to the job
// engine: it implements job.Executor. The package imports no protocol and no tool.
package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// Request is one call, resolved: its limits are effective and its folder exists.
type Request struct {
	Tool   *contract.Tool
	Input  json.RawMessage
	JobID  string
	Dir    string // absolute; made by the caller, who also removes it
	Limits contract.Limits
	Files  contract.Files
	Report func(contract.Event)
	// Selftest finds the last golden case of an engine; nil for none.
	Selftest func(engine string) (evidence.Selftest, bool)
	// Warnings of the call that the caller has found, told before the tool's own.
	Warnings []contract.Warning
	Valid    bool // the input has been held against the schema already
	// Context goes to the tool as it is (contract.Call.Context).
	Context json.RawMessage

	ifDoubted []func(doubts []string) error // what the tool does then
}

// Runner runs a request. It never returns nil, and never panics.
type Runner func(ctx context.Context, req *Request) *contract.Result

// New composes the runner that the program uses.
func New() Runner {
	return timed(recovered(validated(limited(attributed(collected(checked(doubted(judged(run)))))))))
}

// run calls the tool itself and turns its error into a result.
func run(ctx context.Context, req *Request) *contract.Result {
	call := &contract.Call{
		Tool: req.Tool.Contract.Name, JobID: req.JobID, Dir: req.Dir, Limits: req.Limits, Files: req.Files, Report: req.Report,
		Context: req.Context,
		Doubted: func(then func([]string) error) { req.ifDoubted = append(req.ifDoubted, then) },
	}
	if call.Report == nil {
		call.Report = func(contract.Event) {}
	}
	result, err := req.Tool.Run(ctx, call, req.Input)
	if err != nil {
		return failure(ctx, req, err)
	}
	if result.Status == "" {
		result.Status = contract.StatusOK
	}
	return result
}

// doubted tells the tool what speaks against its result, where it has asked: the
// pages that it wrote are read without the evidence.
func doubted(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		req.ifDoubted = nil
		result := next(ctx, req)
		if result.Status == contract.StatusError || len(req.ifDoubted) == 0 {
			return result
		}
		if doubts := doubtsOf(result); len(doubts) > 0 {
			for _, then := range req.ifDoubted {
				if err := then(doubts); err != nil {
					return failure(ctx, req, err)
				}
			}
		}
		return result
	}
}

// doubtsOf are the reasons for which a result is suspect, each once: its checks that
// failed, and what it was made from. A failed check does not hide an input that is
// suspect too.
func doubtsOf(result *contract.Result) []string {
	inputs := result.Inputs
	var reasons []string
	if e := result.Evidence; e != nil {
		inputs = e.Inputs()
		if trust, failed := e.At(""); trust == evidence.Suspect {
			reasons = failed
		}
	}
	_, weak := evidence.Capped(evidence.Computed, nil, inputs)
	var doubts []string
	for _, why := range slices.Concat(reasons, weak) {
		if !slices.Contains(doubts, why) { // a check may be made of several figures
			doubts = append(doubts, why)
		}
	}
	return doubts
}

// failure prefers the reason that the context gives: a tool that was stopped
// reports whatever it was doing at that moment.
func failure(ctx context.Context, req *Request, err error) *contract.Result {
	e := contract.AsError(err)
	if ctxErr := ctx.Err(); ctxErr != nil && e.Code != contract.CodeTimeout && e.Code != contract.CodeCancelled {
		stopped := stopReason(ctx, req)
		stopped.Log = e.Log
		e = stopped
	}
	return contract.Failure(solver(req), e)
}

func stopReason(ctx context.Context, req *Request) *contract.Error {
	if cause, ok := context.Cause(ctx).(*contract.Error); ok {
		return cause
	}
	if ctx.Err() == context.DeadlineExceeded {
		return contract.Errorf(contract.CodeTimeout, "%s did not finish within %d ms", req.Tool.Contract.Name, req.Limits.TimeoutMS).
			WithHint("Ask for more time with limits.timeout_ms, or make the problem smaller.")
	}
	return contract.Errorf(contract.CodeCancelled, "the job was cancelled")
}

func solver(req *Request) string { return req.Tool.Contract.Engine }

// timed sets metrics.elapsed_ms and metrics.job_id, and completes the result.
func timed(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		start := time.Now()
		result := next(ctx, req)
		if result.Metrics == nil {
			result.Metrics = map[string]any{}
		}
		result.Metrics["elapsed_ms"] = float64(time.Since(start).Microseconds()) / 1000
		result.Metrics["job_id"] = req.JobID
		result.Warnings = slices.Concat(req.Warnings, req.Tool.Contract.Deprecations(req.Input), result.Warnings)
		req.Tool.Contract.NotebookMessages(result)
		result.Errors = req.Tool.Contract.Answered(result.Errors)
		if result.Solver == "" {
			result.Solver = solver(req)
		}
		result.Confidence = req.Tool.Contract.Evidence.Confidence(result.Status, result.Evidence, result.Inputs)
		return result
	}
}

// recovered turns a panic of a tool into internal_error with its place in the log.
func recovered(next Runner) Runner {
	return func(ctx context.Context, req *Request) (result *contract.Result) {
		defer func() {
			if p := recover(); p != nil {
				e := contract.Errorf(contract.CodeInternal, "%s failed inside the server: %v", req.Tool.Contract.Name, p)
				e.Log = &contract.Log{Stderr: fmt.Sprintf("%v\n%s", p, debug.Stack()), ExitCode: 1}
				result = contract.Failure(solver(req), e)
			}
		}()
		return next(ctx, req)
	}
}

// validated holds the input against the schema; nothing runs after a fault.
func validated(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		if req.Valid {
			return next(ctx, req)
		}
		if faults := req.Tool.Contract.ValidateInput(req.Input); len(faults) > 0 {
			return contract.Failure(solver(req), faults...)
		}
		if len(req.Input) == 0 {
			req.Input = json.RawMessage("{}")
		}
		return next(ctx, req)
	}
}
