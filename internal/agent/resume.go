package agent

import (
	"context"
	"encoding/json"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/jsonvalue"
	"atelier/internal/session"
)

// past is what earlier attempts at a run have done: a process died under them.
// Every call that they made is a step of the manifest, so none is made twice.
type past struct {
	run  *session.Run
	jobs job.API
	used map[string]bool // jobs that are accounted for
}

func newPast(r *session.Run, jobs job.API) *past {
	return &past{run: r, jobs: jobs, used: map[string]bool{}}
}

// find returns the first job of such a call that is not accounted for; nil for
// none, or one that is to be made again.
func (p *past) find(ctx context.Context, tool string, input json.RawMessage) *job.Job {
	if p.run.Turn.Attempt < 2 {
		return nil
	}
	m, err := p.run.Manifest(ctx)
	if err != nil {
		return nil
	}
	for _, s := range m.Steps {
		if s.Run != p.run.ID || s.Tool != tool || s.JobID == "" || p.used[s.JobID] || !stands(s) {
			continue
		}
		j, err := p.jobs.Get(ctx, s.JobID)
		if err != nil || !jsonvalue.Same(j.Input, input) {
			continue
		}
		p.used[s.JobID] = true
		return j
	}
	return nil
}

// stands says that a step's end, or the job that still runs, counts.
func stands(s session.Step) bool {
	switch s.Status {
	case session.StepSucceeded, session.StepRunning:
		return true
	case session.StepFailed:
		return s.Error != nil && !contract.Lookup(s.Error.Code).Retryable
	}
	return false
}

// found is a call of an earlier attempt, as Work.
type found struct {
	run *session.Run
	job *job.Job
}

// Decided implements Work: it was decided then.
func (found) Decided(context.Context) error { return nil }

// Wait implements Work.
func (f found) Wait(ctx context.Context) (*job.Job, error) {
	if f.job.State.Finished() {
		return f.job, nil
	}
	return f.run.Await(ctx, f.job.ID)
}

// runHandler is a session's run as a place to work at.
type runHandler struct {
	*session.Run
	past *past
}

func newRunHandler(r *session.Run, jobs job.API) *runHandler { return &runHandler{r, newPast(r, jobs)} }

// Begin implements PlanHandler.
func (b *runHandler) Begin(ctx context.Context, tool string, input, limits json.RawMessage) (Work, error) {
	if j := b.past.find(ctx, tool, input); j != nil {
		return found{b.Run, j}, nil
	}
	made, err := b.Run.Begin(ctx, tool, input, limits)
	if err != nil {
		return nil, err // not a nil *session.Pending in a Work
	}
	return made, nil
}

// account notes the jobs that a transcript has the results of.
func (p *past) account(t *Transcript) {
	for _, id := range t.Jobs {
		p.used[id] = true
	}
}
