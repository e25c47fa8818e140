package openai

import (
	"context"

	"atelier/internal/agent"
	"atelier/internal/job"
)

// handler is where the agent's loop works for a request: calls become jobs that go
// on whatever becomes of it, and what happens is told to the sink.
type handler struct {
	s       *Server
	t       *turn
	out     sink
	calls   map[*agent.Call]*call
	results []outcome
}

// Text implements agent.Handler.
func (d *handler) Text(delta string) { d.out.Text(delta) }

// Refusal implements agent.Handler.
func (d *handler) Refusal(delta string) { d.out.Refusal(delta) }

func (d *handler) call(c *agent.Call) *call {
	if d.calls[c] == nil {
		d.calls[c] = &call{id: c.ID, name: c.Name, arguments: c.Input, limits: c.Limits}
	}
	return d.calls[c]
}

// Started implements agent.Handler.
func (d *handler) Started(c *agent.Call) { d.out.ToolStarted(d.call(c)) }

// Done implements agent.Handler.
func (d *handler) Done(o agent.Outcome) {
	shown := outcome{}
	if o.Job != nil {
		shown = newOutcome(o.Job)
	} else {
		shown = refused(o.Call.Name, o.Refusal)
	}
	d.out.ToolDone(d.call(o.Call), shown)
	d.results = append(d.results, shown)
}

// Start implements agent.Handler.
func (d *handler) Start(ctx context.Context, c *agent.Call) (agent.Work, error) {
	made := d.call(c)
	if err := d.s.submit(ctx, d.t, made, derivedKey(d.t.key, made)); err != nil {
		return nil, err
	}
	return working{d, made.job}, nil
}

// Save implements agent.Handler: a request is not resumed.
func (d *handler) Save(context.Context, *agent.Transcript) error { return nil }

// working is a job that a request waits for.
type working struct {
	*handler
	job *job.Job
}

// Decided implements agent.Work: nobody is there to be asked.
func (working) Decided(context.Context) error { return nil }

// Wait implements agent.Work.
func (w working) Wait(ctx context.Context) (*job.Job, error) {
	return w.s.waitFor(ctx, w.job, w.t.waitFor(chosenWait))
}
