package session

import (
	"context"
	"encoding/json"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// Pending is a call of a run that has been written down as a step: Decided waits
// for a person's approval, Wait then runs the tool to its end. Whoever begins a
// call must see it through with Wait, also after its context has ended, unless
// Decided has failed.
type Pending struct {
	r      *Run
	step   store.Step
	req    job.Request
	forget func()
}

// begin writes a call down; with a reason it waits for approval.
func (r *Run) begin(ctx context.Context, tool *contract.Tool, input, limits json.RawMessage, reason string) (*Pending, error) {
	r.flush()
	if reason != "" {
		if faults := tool.Contract.ValidateInput(input); len(faults) > 0 {
			return nil, contract.Faults(faults) // nobody should be asked about a call that cannot be made
		}
	}
	if err := r.s.ready(ctx, r.Session); err != nil {
		return nil, err
	}
	req := job.Request{
		ID: store.NewJobID(), Tool: tool.Contract.Name, Input: input, Limits: limits,
		Context: Context(r.Session), RequestID: r.Turn.RequestID,
	}
	forget := r.s.submitted(req.ID)
	// Once begun the step is seen through, so that it is never left open.
	step, err := r.s.begin(context.WithoutCancel(ctx), r.Session, r.ID, req.Tool, req.ID, input, reason)
	if err != nil {
		forget()
		return nil, noSession(err)
	}
	return &Pending{r, step, req, forget}, nil
}

// Awaits says that the call waits for a person.
func (p *Pending) Awaits() bool { return p.step.State == StepAwaiting }

// Decided returns when the call may run: at once, unless it needs approval. A
// denied call is an error with the code cancelled and the detail decision.
func (p *Pending) Decided(ctx context.Context) error {
	if !p.Awaits() {
		return nil
	}
	st, err := p.r.s.awaitDecision(ctx, p.r.Session, p.step)
	if err == nil {
		st, err = p.r.s.approved(ctx, p.r.Session, p.r.ID, st)
	}
	if err != nil {
		p.forget()
		return err
	}
	p.step = st
	return nil
}

// Wait runs the tool and writes its end down; when ctx ends, the job is cancelled.
func (p *Pending) Wait(ctx context.Context) (*job.Job, error) {
	defer p.forget()
	return p.r.s.performOwn(ctx, p.r.Session, p.step, p.req)
}

// endOf sees a call through that has just been begun.
func endOf(ctx context.Context) func(*Pending, error) (*job.Job, error) {
	return func(p *Pending, err error) (*job.Job, error) {
		if err == nil {
			err = p.Decided(ctx)
		}
		if err != nil {
			return nil, err
		}
		return p.Wait(ctx)
	}
}

// Await waits for the end of a job that an earlier attempt at this run has
// begun, and for its step's; when ctx ends, the job is cancelled.
func (r *Run) Await(ctx context.Context, jobID string) (*job.Job, error) {
	steps, err := r.s.db.OpenSteps(ctx, r.Session, time.Time{})
	if err != nil {
		return nil, err
	}
	for _, st := range steps {
		if st.JobID == jobID {
			r.s.watchJob(r.Session, st.Step) // tells its progress
		}
	}
	j, err := r.s.jobs.Wait(ctx, jobID, longestAwait)
	if err == nil && !j.State.Finished() && ctx.Err() != nil && context.Cause(ctx) != errStopping {
		j, err = r.s.jobs.Cancel(context.WithoutCancel(ctx), jobID)
	}
	if err != nil {
		return nil, err
	}
	return j, r.s.reconcile(context.WithoutCancel(ctx), r.Session, time.Time{})
}

// longestAwait is beyond any job's time limit.
const longestAwait = 24 * time.Hour
