package runner

import (
	"context"
	"encoding/json"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/job"
)

// Executor runs the jobs of the job engine through the runner.
type Executor struct {
	Tools *contract.Registry
	Files Resolver
	// Selftest finds the last golden case of an engine on this machine; nil for none.
	Selftest func(engine string) (evidence.Selftest, bool)
	run      Runner
}

// NewExecutor makes one.
func NewExecutor(tools *contract.Registry, files Resolver) *Executor {
	return &Executor{Tools: tools, Files: files, run: New()}
}

// inProcess is the engine's name of tools that are quick enough to run at once
// inside the server; every other engine is a queue.
const inProcess = "atelier"

// Route refuses what can be refused before anything runs or is recorded: an
// unknown or unavailable tool, a payload too large, wrong limits, an input that
// does not validate (all its faults at once).
func (x *Executor) Route(ctx context.Context, req *job.Request) (job.Route, error) {
	tool, input, inner, err := x.Tools.Resolve(req.Tool, req.Input)
	if err != nil {
		return job.Route{}, err
	}
	req.Input = input
	c := tool.Contract
	if limit := c.Limits.MaxPayloadBytes; limit > 0 && int64(len(req.Input)) > limit {
		return job.Route{}, contract.Errorf(contract.CodePayloadTooLarge, "the input has %d bytes; %s takes %d", len(req.Input), c.Name, limit)
	}
	_, _, faults := c.ResolveLimits(req.Limits)
	if req.LimitsAt != "" {
		for _, fault := range faults {
			_ = fault.At(req.LimitsAt + strings.TrimPrefix(fault.Field, "/limits"))
		}
	}
	for _, fault := range c.ValidateInput(req.Input) {
		faults = append(faults, fault.At(inner+fault.Field))
	}
	if tool.NeedsCaller {
		req.Context = contract.CallContext(ctx, req.Context)
	}
	if faults = c.Answered(faults); len(faults) > 0 {
		if tool.Refused != nil {
			tool.Refused(ctx, &contract.Call{Tool: c.Name, Context: req.Context}, req.Input, faults)
		}
		return job.Route{}, contract.Faults(faults)
	}
	if err := tool.Admit(req.Input); err != nil {
		return job.Route{}, contract.Faults(c.Answered(contract.ErrorsOf(err)))
	}
	route := job.Route{Tool: c.Name, Queue: c.Engine, Idempotent: c.Effects.Idempotent, Quick: tool.Quick}
	if c.Engine == inProcess || !x.usable(ctx, tool, req) {
		route.Queue = ""
	}
	return route, nil
}

// usable looks at the files of a call that would wait for an engine. One that refers to
// what no engine can use fails at once: its job runs here, as far as to its failure.
func (x *Executor) usable(ctx context.Context, tool *contract.Tool, req *job.Request) bool {
	if len(tool.Glances) == 0 {
		return true
	}
	input := tool.Contract.Normalise(req.Input)
	files := &jobFiles{Resolver: x.Files, session: sessionOf(req.Context), glancing: true}
	for pointer, look := range tool.Glances {
		value, _ := contract.Figure(input, pointer)
		ref, ok := value.(string)
		if !ok {
			continue
		}
		path, err := files.Path(ctx, ref)
		if err == nil && look != nil {
			err = look(ref, path)
		}
		if err != nil {
			return false
		}
	}
	return true
}

// Execute runs one attempt.
func (x *Executor) Execute(ctx context.Context, run *job.Run) *contract.Result {
	tool, err := x.Tools.Find(run.Job.Tool)
	if err != nil {
		return contract.Failure(inProcess, contract.AsError(err))
	}
	limits, warnings, faults := tool.Contract.ResolveLimits(run.Job.Limits)
	if len(faults) > 0 {
		return contract.Failure(tool.Contract.Engine, faults...)
	}
	input := run.Job.Input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return x.run(ctx, &Request{
		Tool: tool, Input: input, JobID: run.Job.ID, Dir: run.Dir, Limits: limits,
		Files: x.Files.For(run.Dir, sessionOf(run.Job.Context)), Report: run.Report, Context: run.Job.Context, Valid: run.Routed,
		Selftest: x.Selftest,
		Warnings: warnings,
	})
}

// sessionOf is the session that a call's context names, "" for none.
func sessionOf(context json.RawMessage) string {
	if len(context) == 0 {
		return ""
	}
	var c struct {
		SessionID string `json:"session_id"`
	}
	if json.Unmarshal(context, &c) != nil {
		return "" // a context of another kind
	}
	return c.SessionID
}
