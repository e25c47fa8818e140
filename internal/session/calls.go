package session

import (
	"context"
	"encoding/json"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// contextField is where a call names its session.
const contextField = "/context/session_id"

// Context is the context of a call that belongs to a session.
func Context(session string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"session_id": session}) // a map of texts always encodes
	return raw
}

// Jobs is the job engine for the protocols: a call whose context names a session is
// a step of that session. Every other call passes through untouched.
func (s *Service) Jobs() job.API { return calls{s.jobs, s} }

type calls struct {
	job.API
	sessions *Service
}

// Submit implements job.API. An unknown session is not_found at
// /context/session_id.
func (c calls) Submit(ctx context.Context, req job.Request) (*job.Job, error) {
	if len(req.Context) == 0 {
		return c.API.Submit(ctx, req)
	}
	var named struct {
		SessionID *string `json:"session_id"`
	}
	if err := json.Unmarshal(req.Context, &named); err != nil || named.SessionID == nil {
		return c.API.Submit(ctx, req) // a context of another kind
	}
	return c.sessions.submit(ctx, *named.SessionID, "", req)
}

// submit makes a call as a step of a session and of a run, if there is one.
func (s *Service) submit(ctx context.Context, id, run string, req job.Request) (*job.Job, error) {
	tool, input, inner, err := s.tools.Resolve(req.Tool, req.Input)
	if err != nil {
		return nil, err
	}
	if inner != "" {
		req.Tool, req.Input = tool.Contract.Name, input // the step is of the tool that runs
	}
	if err := s.ready(ctx, id); err != nil {
		return nil, err
	}
	req.ID = store.NewJobID()
	defer s.submitted(req.ID)()
	// Once begun the step is seen through, so that it is never left open.
	st, err := s.begin(context.WithoutCancel(ctx), id, run, tool.Contract.Name, req.ID, req.Input, "")
	if err != nil {
		return nil, noSession(err)
	}
	if run != "" {
		return s.performOwn(ctx, id, st, req)
	}
	return s.perform(ctx, id, st, req)
}

// submitted notes a call of this process that may have no job yet.
func (s *Service) submitted(jobID string) (forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight[jobID] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.inFlight, jobID)
	}
}

// ready makes sure that what has ended is in the session before a next call
// refers to it.
func (s *Service) ready(ctx context.Context, id string) error {
	if err := checkID(id); err != nil {
		return noSession(err)
	}
	if _, err := s.db.Session(ctx, id); err != nil {
		return noSession(err)
	}
	return s.reconcile(ctx, id, time.Time{})
}

func noSession(err error) error {
	if store.IsNotFound(err) {
		return contract.AsError(err).At(contextField).WithHint("POST /v1/sessions makes a session; GET /v1/sessions lists them.")
	}
	return err
}

// relayAfter is when a call begins to tell its progress to the session.
const relayAfter = 150 * time.Millisecond

// perform runs the tool of a step that has been written, and writes its end.
func (s *Service) perform(ctx context.Context, id string, st store.Step, req job.Request) (*job.Job, error) {
	relay := time.AfterFunc(relayAfter, func() { s.watchJob(id, st) })
	j, err := s.jobs.Submit(ctx, req)
	seen := context.WithoutCancel(ctx)
	if err != nil {
		relay.Stop()
		if ending := s.abandon(seen, id, st, StepFailed, contract.ErrorsOf(err)[0]); ending != nil {
			s.opts.Logger.Warn("the end of a step could not be recorded", "session", id, "step", st.ID, "error", ending)
		}
		return nil, err
	}
	if !j.State.Finished() {
		if relay.Stop() || j.ID != st.JobID {
			st.JobID = j.ID
			s.watchJob(id, st)
		}
		return j, nil
	}
	relay.Stop()
	return j, s.finish(seen, id, st, j)
}

// performOwn is perform for a run, whose calls end with it: when ctx ends, the
// job is cancelled and the step's end is written before the run's. When the
// whole process stops, the job engine decides.
func (s *Service) performOwn(ctx context.Context, id string, st store.Step, req job.Request) (*job.Job, error) {
	j, err := s.perform(ctx, id, st, req)
	if err != nil || j.State.Finished() || ctx.Err() == nil || context.Cause(ctx) == errStopping {
		return j, err
	}
	seen := context.WithoutCancel(ctx)
	if ended, err := s.jobs.Cancel(seen, j.ID); err == nil && ended.State.Finished() {
		j = ended
		if err := s.finish(seen, id, st, j); err != nil {
			return j, err
		}
	}
	return j, contract.Errorf(contract.CodeCancelled, "the run was cancelled while %s ran", j.Tool)
}

// watchJob waits for the end of a step's job in the background, telling its
// progress meanwhile, and writes the end. Should it fail, or this process stop,
// the watch over open steps does it.
func (s *Service) watchJob(id string, st store.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || s.watched[st.JobID] {
		return
	}
	s.watched[st.JobID] = true
	s.background.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.watched, st.JobID)
			s.mu.Unlock()
		}()
		s.relay(id, st)
		j, err := s.jobs.Get(s.ctx, st.JobID)
		if err == nil && j.State.Finished() {
			err = s.finish(s.ctx, id, st, j)
		}
		if err != nil && s.ctx.Err() == nil && !store.IsNotFound(err) {
			s.opts.Logger.Warn("the end of a step could not be recorded yet", "session", id, "step", st.ID, "error", err)
		}
	})
}

// progressPeriod is how often a session hears of a tool's progress at most.
const progressPeriod = 500 * time.Millisecond

// relay tells the progress of a job to the session until the job ends.
func (s *Service) relay(id string, st store.Step) {
	events, err := s.jobs.Events(s.ctx, st.JobID, 0)
	if err != nil {
		return
	}
	var b stepBody
	if json.Unmarshal(st.Body, &b) != nil {
		return
	}
	var last time.Time
	for e := range events {
		if e.Type != "progress" || time.Since(last) < progressPeriod {
			continue
		}
		last = time.Now()
		told := callEvent{ToolName: st.Tool, StepID: st.ID, JobID: st.JobID, Fraction: e.Fraction, Message: e.Message}
		if err := s.publishProgress(id, st.ID, event(Progress, b.Run, told)); err != nil {
			return // the step has ended, the session is gone, or the process stops
		}
	}
}

// publishProgress adds an event of a step, unless the step's end is told already.
func (s *Service) publishProgress(id, step string, e store.SessionEvent) error {
	err := s.db.Write(s.ctx, func(tx store.Tx) error {
		if err := s.db.AppendSessionEvents(s.ctx, tx, id, []store.SessionEvent{e}); err != nil {
			return err
		}
		open, err := s.db.StepOpen(s.ctx, tx, id, step)
		if err == nil && !open {
			return errEnded
		}
		return err
	})
	if err == nil {
		s.hub.Signal(id)
	}
	return err
}
