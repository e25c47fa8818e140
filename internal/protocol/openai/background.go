package openai

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/store"
)

const (
	everyBeat      = 10 * time.Second
	presumedDead   = 45 * time.Second // without a heartbeat
	longestRun     = time.Hour        // of a response without its caller
	waitForTheStop = 5 * time.Second
)

// backgroundRuns are the responses that this process runs without their callers.
// A forced call needs none: its job goes on by itself, on any worker, and the
// response follows it.
type backgroundRuns struct {
	mu     sync.Mutex
	runs   map[string]*backgroundRun
	closed bool
	group  sync.WaitGroup
}

type backgroundRun struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

var errClosing = errors.New("the server is stopping")

func (b *backgroundRuns) enter(id string, cancel context.CancelCauseFunc) (*backgroundRun, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, false
	}
	if b.runs == nil {
		b.runs = map[string]*backgroundRun{}
	}
	run := &backgroundRun{cancel, make(chan struct{})}
	b.runs[id] = run
	b.group.Add(1)
	return run, true
}

func (b *backgroundRuns) leave(id string, run *backgroundRun) {
	b.mu.Lock()
	delete(b.runs, id)
	b.mu.Unlock()
	close(run.done)
	b.group.Done()
}

func (b *backgroundRuns) get(id string) *backgroundRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.runs[id]
}

func (b *backgroundRuns) close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	for _, run := range b.runs {
		run.cancel(errClosing)
	}
	b.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		b.group.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// inBackground answers while the work goes on.
func (s *Server) inBackground(w http.ResponseWriter, r *http.Request, t *turn, rec *record, out *responseOut) error {
	if t.choice.tool != nil && t.choice.arguments != nil {
		return s.follow(w, r, t, rec, out)
	}
	t.deadline = time.Time{}
	if err := s.save(r.Context(), rec, out.response); err != nil {
		return err
	}
	shown := *out.response
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(r.Context()), longestRun, context.DeadlineExceeded)
	ctx, stop := context.WithCancelCause(ctx)
	run, ok := s.background.enter(rec.id, stop)
	if !ok {
		cancel()
		return contract.Errorf(contract.CodeInterrupted, "the server is stopping and takes no new work")
	}
	go func() {
		defer cancel()
		defer s.background.leave(rec.id, run)
		s.runAlone(ctx, t, rec, out)
	}()
	if out.stream == nil {
		httpapi.JSON(w, http.StatusOK, &shown)
		return nil
	}
	select {
	case <-run.done:
	case <-r.Context().Done():
		out.stream.leave()
	}
	return nil
}

// runAlone runs a turn to its end and keeps what it came to.
func (s *Server) runAlone(ctx context.Context, t *turn, rec *record, out *responseOut) {
	beat := s.beat(ctx, rec.id, rec.version)
	a, err := s.run(ctx, t, out)
	rec.version = beat()
	errs := []*contract.Error(nil)
	switch cause := context.Cause(ctx); {
	case err == nil:
		out.finish(a)
		rec.add(a)
	case errors.Is(cause, errStopped):
		out.end(statusCancelled, nil)
	case errors.Is(cause, errClosing):
		errs = []*contract.Error{contract.Errorf(contract.CodeInterrupted, "the server stopped while the response was being made")}
		out.end(statusFailed, errs)
	default:
		errs = contract.ErrorsOf(err)
		out.end(statusFailed, errs)
	}
	if err := s.save(ctx, rec, out.response); err != nil {
		s.Log.Warn("a background response could not be stored", "response", rec.id, "error", err)
	}
	if out.stream != nil {
		out.conclude(errs)
	}
}

// beat renews the record now and then, so that other processes know that it is
// being worked on; a record that another has changed was cancelled there. The
// function that it returns ends it and tells the record's version.
func (s *Server) beat(ctx context.Context, id string, version int64) (stop func() int64) {
	ended, stopped := make(chan struct{}), make(chan struct{})
	run := s.background.get(id)
	go func() {
		defer close(stopped)
		tick := time.NewTicker(s.heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			next, err := s.renew(context.WithoutCancel(ctx), id, version) // a write half heard of would cost the version
			if err == nil {
				version = next
				continue
			}
			if code := contract.AsError(err).Code; code == contract.CodeConflict || code == contract.CodeNotFound {
				run.cancel(errStopped)
				return
			}
		}
	}()
	return func() int64 {
		close(ended)
		<-stopped
		return version
	}
}

// renew writes the record again as it is; conflict when it is at another version.
func (s *Server) renew(ctx context.Context, id string, version int64) (int64, error) {
	d, err := s.DB.Document(ctx, DocumentKind, id)
	if err != nil {
		return 0, err
	}
	d, err = s.DB.PutDocument(ctx, DocumentKind, id, version, d.Body)
	return d.Version, err
}

// follow makes the job of a forced call and lets the response follow it.
func (s *Server) follow(w http.ResponseWriter, r *http.Request, t *turn, rec *record, out *responseOut) error {
	c := &call{id: store.NewID("call_"), name: t.choice.tool.Contract.Name, arguments: t.choice.arguments, limits: t.limits}
	if err := s.submit(r.Context(), t, c, t.key); err != nil {
		return atArguments(err, t.choice.at)
	}
	rec.Job = &followed{c.id, c.name, c.arguments, c.job.ID}
	o, err := s.await(r.Context(), c, t.waitFor(forcedWait))
	if err == nil {
		err = s.advance(r.Context(), rec, out, c, o)
	}
	if err == nil && out.stream != nil && pending(out.Status) {
		if o, err = s.await(r.Context(), c, longestRun); err == nil && r.Context().Err() == nil {
			err = s.advance(r.Context(), rec, out, c, o)
		}
	}
	return s.reply(w, r, t, rec, out, err)
}

// advance brings the record to where the job of its call is.
func (s *Server) advance(ctx context.Context, rec *record, out *responseOut, c *call, o outcome) error {
	switch o.Status {
	case string(job.Queued):
		out.Status, out.ToolResults = statusQueued, []outcome{o}
	case string(job.Running):
		out.Status, out.ToolResults = statusInProgress, []outcome{o}
	default:
		out.ToolStarted(c)
		a := s.finishForced(c, o, out)
		out.finish(a)
		rec.add(a)
		rec.Job = nil
		if o.Error != nil && o.Error.Code == contract.CodeCancelled {
			out.Status, out.CompletedAt = statusCancelled, nil
		}
	}
	return s.save(ctx, rec, out.response)
}

// current brings a stored response up to date: it follows its job, and one whose
// process has died has failed.
func (s *Server) current(ctx context.Context, rec *record) (*record, error) {
	status := rec.status()
	if !pending(status) {
		return rec, nil
	}
	r, err := rec.response()
	if err != nil {
		return nil, err
	}
	r.ToolResults = nil
	out := newResponseOut(r, rec.Style)
	switch {
	case rec.Job != nil:
		err = s.followJob(ctx, rec, out, status)
	case s.background.get(rec.id) == nil && time.Since(rec.updated) > presumedDead:
		out.end(statusFailed, []*contract.Error{contract.Errorf(contract.CodeInterrupted, "the server stopped while the response was being made")})
		err = s.save(ctx, rec, r)
	}
	if err != nil && contract.AsError(err).Code == contract.CodeConflict { // another request was quicker
		return s.load(ctx, rec.id)
	}
	return rec, err
}

func (s *Server) followJob(ctx context.Context, rec *record, out *responseOut, status string) error {
	f := rec.Job
	j, err := s.Jobs.Get(ctx, f.JobID)
	c := &call{id: f.CallID, name: f.Tool, arguments: f.Arguments, job: j}
	if store.IsNotFound(err) {
		out.end(statusFailed, []*contract.Error{contract.Errorf(contract.CodeNotFound, "the job %s of the response was deleted", f.JobID)})
		rec.Job = nil
		return s.save(ctx, rec, out.response)
	}
	if err != nil {
		return err
	}
	if same := map[job.State]string{job.Queued: statusQueued, job.Running: statusInProgress}[j.State]; same == status {
		return nil // nothing has changed, so nothing is written
	}
	return s.advance(ctx, rec, out, c, newOutcome(j))
}

// cancelResponse serves POST /v1/responses/{id}/cancel.
func (s *Server) cancelResponse(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	rec, err := s.load(r.Context(), id)
	if err == nil {
		rec, err = s.current(r.Context(), rec)
	}
	if err != nil {
		return err
	}
	head := rec.head()
	switch {
	case !head.Background:
		return contract.Errorf(contract.CodeInvalidRequest, "the response %s was not made with background: true, so there is nothing to cancel", id)
	case pending(head.Status):
		if rec, err = s.cancel(r.Context(), rec); err != nil {
			return err
		}
	case head.Status != statusCancelled:
		return contract.Errorf(contract.CodeInvalidRequest, "the response %s is %s already", id, head.Status)
	}
	httpapi.JSON(w, http.StatusOK, rec.Response)
	return nil
}

// cancel ends a pending response, with its job, and returns it as it is then.
func (s *Server) cancel(ctx context.Context, rec *record) (*record, error) {
	if f := rec.Job; f != nil {
		_, err := s.Jobs.Cancel(ctx, f.JobID)
		if err != nil && contract.AsError(err).Code != contract.CodeConflict && !store.IsNotFound(err) {
			return nil, err
		}
		return s.current(ctx, rec)
	}
	if run := s.background.get(rec.id); run != nil {
		run.cancel(errStopped)
		select {
		case <-run.done:
		case <-time.After(waitForTheStop):
		case <-ctx.Done():
		}
		return s.load(ctx, rec.id)
	}
	return s.cancelElsewhere(ctx, rec)
}

// cancelElsewhere marks a response that another process runs, which sees it at
// its next heartbeat. A heartbeat meanwhile is no reason to give up.
func (s *Server) cancelElsewhere(ctx context.Context, rec *record) (*record, error) {
	for {
		r, err := rec.response()
		if err != nil {
			return nil, err
		}
		newResponseOut(r, rec.Style).end(statusCancelled, nil)
		err = s.save(ctx, rec, r)
		if err == nil || contract.AsError(err).Code != contract.CodeConflict {
			return rec, err
		}
		if rec, err = s.load(ctx, rec.id); err != nil || !pending(rec.status()) {
			return rec, err // it has ended by itself
		}
	}
}
