package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"atelier/internal/agent/answer"
	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/job"
	"atelier/internal/shape"
)

// execution is a plan while its steps run.
type execution struct {
	handler   PlanHandler
	tools     *contract.Registry
	artifacts Artifacts
	budget    Budget
	account   account

	plan  *plan.Plan
	steps []plan.Step
	done  plan.Done
	found answer.Findings
	tried map[string]int // retries of each error code

	spacing float64 // dx that the last step was called with; 0 without
}

// Execute runs the steps of a complete plan one after the other, mends what the
// table of error routes knows how to mend, and returns what they gave. An error
// is one that no route mends; for ERR_NON_MANIFOLD_UNRESOLVABLE a person has to
// decide.
func (p *Planner) execute(ctx context.Context, handler PlanHandler, pl *plan.Plan, budget Budget) (answer.Findings, error) {
	e := &execution{
		handler: handler, tools: p.tools, artifacts: p.artifacts, budget: budget.filled(), plan: pl, steps: pl.Steps(),
		done: plan.Done{Outputs: map[string]json.RawMessage{}}, found: answer.Findings{Plan: pl}, tried: map[string]int{},
	}
	e.account.open()
	for i := 0; i < len(e.steps); {
		s := e.steps[i]
		if err := handler.Progress(ctx, float64(i)/float64(len(e.steps)), fmt.Sprintf("Step %d of %d: %s.", i+1, len(e.steps), s.Tool)); err != nil {
			return e.found, err
		}
		fault, err := e.run(ctx, s)
		switch {
		case err != nil:
			return e.found, err
		case fault == nil:
			i++
			continue
		}
		next, err := e.route(ctx, i, fault)
		if err != nil {
			return e.found, err
		}
		i = next
	}
	return e.found, nil
}

// run calls the tool of a step. fault is the tool's own failure.
func (e *execution) run(ctx context.Context, s plan.Step) (fault *contract.Error, err error) {
	call, err := e.plan.Call(s, e.done)
	if err != nil {
		return nil, err
	}
	tool, err := e.tools.Find(s.Tool)
	if err != nil {
		return nil, err
	}
	if faults := tool.Contract.ValidateInput(call.Input); len(faults) > 0 {
		return nil, contract.Faults(faults)
	}
	e.spacing = call.Spacing
	j, err := e.call(ctx, tool, call.Input)
	if err != nil {
		return nil, err
	}
	if j.Error != nil || j.Result == nil {
		if j.Error == nil {
			return contract.Errorf(contract.CodeInternal, "%s ended without a result", s.Tool), nil
		}
		return j.Error, nil
	}
	for _, a := range call.Assumed {
		e.found.Assumed = appendNew(e.found.Assumed, a)
	}
	for _, w := range j.Result.Warnings {
		e.found.Warnings = appendNew(e.found.Warnings, s.Tool+": "+w.Message)
	}
	if call.Places != nil {
		e.found.Places = call.Places
	}
	if err := e.storeResult(ctx, s, j); err != nil || s.Tool != plan.ToolCAD {
		return nil, err
	}
	return e.onExactFaces(ctx)
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// call makes a call within the budget and waits for its end.
func (e *execution) call(ctx context.Context, tool *contract.Tool, input json.RawMessage) (*job.Job, error) {
	if over := e.account.exhausted(e.budget); over != nil {
		return nil, over
	}
	e.account.Calls++
	if e.budget.Calls > 0 && e.account.Calls > e.budget.Calls {
		return nil, contract.Errorf(contract.CodeBudgetExhausted, "the budget of %d calls of tools is used up", e.budget.Calls)
	}
	work, err := e.handler.Begin(ctx, tool.Contract.Name, input, e.account.limits(e.budget, tool.Contract, nil))
	if err != nil {
		return nil, err
	}
	since := time.Now()
	if err := work.Decided(ctx); err != nil {
		return nil, err
	}
	e.account.Waited += time.Since(since)
	o := Outcome{Call: &Call{Name: tool.Contract.Name, Tool: tool, Input: input}}
	within, cancel := e.account.within(ctx, e.budget)
	defer cancel()
	if err := await(ctx, within, work, &o); err != nil {
		return nil, err
	}
	return o.Job, o.Refusal
}

// storeResult takes what later steps and the answer need of a result.
func (e *execution) storeResult(ctx context.Context, s plan.Step, j *job.Job) error {
	output := j.Result.OutputJSON()
	e.done.Outputs[s.Name] = output
	switch s.Name {
	case plan.StepImport, plan.StepRepair:
		return e.measure(ctx, s.Name)
	case plan.StepVolume:
		return unitOf(output)
	case plan.StepSolve:
		e.found.Solution, e.found.Summary = output, j.Result.Summary
	case plan.StepRender:
		for _, a := range j.Result.Artifacts {
			if path.Ext(a.Name) == ".png" {
				e.found.Pictures = append(e.found.Pictures, contract.ArtifactURL(j.ID, a.Name))
			}
		}
	}
	return nil
}

// unitOf fails where a file that goes to the solver has no unit.
func unitOf(output json.RawMessage) error {
	var made struct {
		Unit string `json:"length_unit"`
	}
	if err := json.Unmarshal(output, &made); err != nil {
		return contract.Errorf(contract.CodeInvalidToolOutput, "the answer of the mesher cannot be read: %w", err)
	}
	if made.Unit == geometry.FileUnit {
		return &shape.UnknownUnit{}
	}
	return nil
}

// measure learns the part's geometry from the surface of a step and the import's
// list of faces.
func (e *execution) measure(ctx context.Context, step string) error {
	var made struct {
		URL    string          `json:"artifact_url"`
		Format geometry.Format `json:"format"`
		Unit   string          `json:"length_unit"`
	}
	if err := json.Unmarshal(e.done.Outputs[step], &made); err != nil {
		return contract.Errorf(contract.CodeInvalidToolOutput, "the answer of the %s cannot be read: %w", step, err)
	}
	data, err := e.artifacts.Read(ctx, made.URL)
	if err != nil {
		return err
	}
	surface, err := geometry.Decode(data, made.Format)
	if err != nil {
		return err
	}
	surface.Meta.LengthUnit = made.Unit
	var faces []byte
	if raw, ok := e.done.Outputs[plan.StepImport]; ok {
		var imported struct {
			URL string `json:"faces_url"`
		}
		if err := json.Unmarshal(raw, &imported); err != nil {
			return contract.Errorf(contract.CodeInvalidToolOutput, "the answer of the import cannot be read: %w", err)
		}
		if faces, err = e.artifacts.Read(ctx, imported.URL); err != nil {
			return err
		}
	}
	if e.done.Geometry, err = shape.NewGeometry(surface, faces); err != nil {
		return err
	}
	for _, f := range e.done.Geometry.Faces {
		if f.Name != "" {
			e.found.Faces = appendNew(e.found.Faces, f.Name)
		}
	}
	return nil
}

// onExactFaces goes over to the unit of a mesh of the CAD model. Conditions name faces
// by the import's numbers, so both must count them alike; if not, that is a fault.
func (e *execution) onExactFaces(ctx context.Context) (fault *contract.Error, err error) {
	if e.done.Geometry == nil {
		return nil, nil
	}
	var made struct {
		URL string `json:"faces_url"`
	}
	if err := json.Unmarshal(e.done.Outputs[plan.StepVolume], &made); err != nil {
		return nil, contract.Errorf(contract.CodeInvalidToolOutput, "the answer of %s cannot be read: %w", plan.ToolCAD, err)
	}
	faces, err := e.artifacts.Read(ctx, made.URL)
	if err != nil {
		return nil, err
	}
	exact := e.done.Geometry.Exact()
	if err := exact.SameFaces(faces); err != nil {
		return contract.AsError(err), nil
	}
	e.done.Geometry = exact
	return nil, nil
}

// route finds what to do about a tool's failure and returns the step to go on
// with. What no route mends is returned; a picture that fails is left out.
func (e *execution) route(ctx context.Context, i int, fault *contract.Error) (int, error) {
	s := e.steps[i]
	if s.Tool == plan.ToolCAD {
		return e.routeExact(ctx, i, fault)
	}
	r, known := RouteOf(fault.Code)
	if known && r.Escalates() {
		return i, fault
	}
	if known && e.tried[fault.Code] < r.RetryLimit {
		if next, ok := e.changeOptions(i, fault); ok {
			e.tried[fault.Code]++
			if err := e.handler.ReportError(ctx, fault); err != nil {
				return i, err
			}
			e.found.Assumed = appendNew(e.found.Assumed, fmt.Sprintf("%s failed with %s (%s); it was corrected by the error rule %s.", s.Tool, fault.Code, fault.Message, r.Action))
			return next, nil
		}
	}
	if s.Name == plan.StepRender {
		e.found.Missing = append(e.found.Missing, fmt.Sprintf("The picture of %s could not be made (%s: %s); its field is among the files.", s.Show, fault.Code, fault.Message))
		return i + 1, e.handler.ReportError(ctx, fault)
	}
	return i, fault
}

// routeExact goes on after volume_mesh_cad has failed: once with the size that fits
// into its limit, then with the CAD model's triangulation. The answer says so.
func (e *execution) routeExact(ctx context.Context, i int, fault *contract.Error) (int, error) {
	if slices.Contains([]string{contract.CodeCancelled, contract.CodeBudgetExhausted, contract.CodeFileNotFound, contract.CodeFileEmpty}, fault.Code) {
		return i, fault
	}
	size := detail(fault, "smallest_max_size")
	if e.spacing > 0 && size > farthest*e.spacing {
		return i, fault
	}
	if size > 0 && e.tried[fault.Code] == 0 {
		e.tried[fault.Code]++
		e.done.Options.DX = size
		e.found.Assumed = appendNew(e.found.Assumed, fmt.Sprintf("%s failed with %s (%s); it was called again with the smallest max_size that fits, %.3g mm.", plan.ToolCAD, fault.Code, fault.Message, size))
		return i, e.handler.ReportError(ctx, fault)
	}
	steps, ok := plan.Surfaced(e.steps, i)
	if !ok {
		return i, fault
	}
	e.steps, e.done.Options.DX = steps, 0
	e.found.Assumed = appendNew(e.found.Assumed, fmt.Sprintf("The CAD model could not be meshed on its exact faces: %s failed with %s (%s). Its triangulation was repaired and filled with straight elements instead, which follow its faces to a part of their size only; stresses at curves are less exact.", plan.ToolCAD, fault.Code, fault.Message))
	return i, e.handler.ReportError(ctx, fault)
}

// changeOptions changes the options as a route says and returns the step to go back to.
func (e *execution) changeOptions(i int, fault *contract.Error) (int, bool) {
	switch fault.Code {
	case contract.CodeNotWatertight, contract.CodeHoleTooLarge:
		at, repaired := e.index(plan.StepRepair)
		if !repaired && e.steps[i].Name == plan.StepVolume {
			e.steps = plan.Repaired(e.steps, i)
			return i, true
		}
		e.done.Options.ResolveIntersections = true
		return at, repaired
	case contract.CodeInvalidDx, contract.CodeDxTooCoarse:
		e.done.Options.DX = mendedDX(fault, e.spacing)
		return i, e.done.Options.DX > 0
	case contract.CodeHeadlessContextFailed, contract.CodeBufferExtractionFailed:
		e.done.Options.ColorOnly = true
		return i, true
	}
	return i, false
}

func (e *execution) index(name string) (int, bool) {
	for i, s := range e.steps {
		if s.Name == name {
			return i, true
		}
	}
	return 0, false
}

// detail is a number among an error's details, which may have been through JSON.
func detail(fault *contract.Error, key string) float64 {
	raw, err := json.Marshal(fault.Details[key])
	var v float64
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return 0
	}
	return v
}
