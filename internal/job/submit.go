package job

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
	"atelier/internal/store"
)

// Submit implements API.
func (s *Service) Submit(ctx context.Context, req Request) (*Job, error) {
	if s.stopping() {
		return nil, contract.Errorf(contract.CodeInterrupted, "the server is stopping and takes no new work").
			WithHint("Try again in a moment.")
	}
	if len(bytes.TrimSpace(req.Input)) == 0 {
		req.Input = json.RawMessage("{}")
	}
	route, err := s.executor.Route(ctx, &req)
	if err != nil {
		return nil, err
	}
	j := &Job{
		ID: req.ID, Tool: route.Tool, Queue: route.Queue, Idempotent: route.Idempotent,
		Input: req.Input, Limits: req.Limits, Context: req.Context,
		RequestID: req.RequestID, IdempotencyKey: req.IdempotencyKey,
		Created: store.Now(),
	}
	if j.ID == "" {
		j.ID = store.NewJobID()
	}
	if j.IdempotencyKey != "" {
		first, err := s.db.JobByKey(ctx, j.IdempotencyKey)
		if err == nil {
			return s.repeated(ctx, first, j, req)
		}
		if !store.IsNotFound(err) {
			return nil, err
		}
	}
	if route.Queue == "" {
		return s.submitInline(ctx, j, req)
	}
	return s.submitQueued(ctx, j, req, route.Quick)
}

// submitQueued makes the record and hands the job over, both or neither.
func (s *Service) submitQueued(ctx context.Context, j *Job, req Request, quick bool) (*Job, error) {
	release, err := s.dispatch.reserve(ctx, j.Queue)
	if err != nil {
		return nil, err
	}
	defer release()
	j.State, j.Summary = Queued, describe(j.Input)
	q := store.QueuedJob{ID: j.ID, Queue: j.Queue, Quick: quick}
	inserted := false
	// Once begun it is seen through, so that the caller is told what has become
	// of the record.
	seen := context.WithoutCancel(ctx)
	err = s.db.Write(seen, func(tx store.Tx) error {
		inserted, err = s.db.InsertJob(seen, tx, j, 0)
		if err != nil || !inserted {
			return err
		}
		return s.dispatch.enqueue(seen, tx, q)
	})
	if err != nil {
		return nil, err
	}
	if !inserted {
		return s.repeatedByKey(ctx, j, req)
	}
	s.dispatch.committed(q)
	if req.Async {
		return j, nil
	}
	return s.wait(ctx, j.ID, req.Wait)
}

// submitInline runs a quick tool at once.
func (s *Service) submitInline(ctx context.Context, j *Job, req Request) (*Job, error) {
	select {
	case s.inline <- struct{}{}:
	default:
		return nil, contract.Errorf(contract.CodeTooManyRequests, "%d quick calls are running already", cap(s.inline)).
			WithHint("Try again in a moment.")
	}
	r := s.enter(j.ID)
	if r == nil {
		<-s.inline
		return nil, contract.Errorf(contract.CodeInterrupted, "the server is stopping and takes no new work")
	}
	j.State, j.Attempt, j.Worker, j.Started = Running, 1, s.worker, j.Created
	s.start(r, j, false)
	if j.IdempotencyKey != "" {
		// The key is taken before the work, so that of two equal calls one runs.
		if inserted, err := s.record(r); err != nil || !inserted {
			s.leave(r)
			<-s.inline
			if err != nil {
				return nil, err
			}
			return s.repeatedByKey(ctx, j, req)
		}
	}
	s.pool.run(r, !req.Async && req.Wait == 0)
	return s.awaitInline(ctx, r, req)
}

func (s *Service) awaitInline(ctx context.Context, r *run, req Request) (*Job, error) {
	visible, patience := r.visible, req.Wait
	switch {
	case !req.Async:
		visible = nil
	case req.IdempotencyKey != "": // it has its record already; give it the same time
		visible, patience = nil, s.opts.RecordAfter
	default:
		patience = 0
	}
	var deadline <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		deadline = timer.C
	}
	select {
	case <-r.done:
	case <-visible:
	case <-deadline:
	case <-ctx.Done():
	}
	return r.snapshot()
}

// snapshot is the job as this process knows it.
func (r *run) snapshot() (*Job, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return nil, contract.Errorf(contract.CodeStorageUnavailable, "the job ran, but its record could not be written: %w", r.failure)
	}
	select {
	case <-r.done:
		if r.ended != nil {
			j := *r.ended
			return &j, nil
		}
	default:
	}
	return r.unfinished(), nil
}

// unfinished is the running job with the summary that it has until it ends; the
// caller holds r.mu.
func (r *run) unfinished() *Job {
	j := *r.job
	if j.Summary == "" {
		j.Summary = describe(j.Input)
	}
	return &j
}

// runInline does the work and hands its record to the store; the call ends when
// that is durable.
func (s *Service) runInline(r *run) {
	late := time.AfterFunc(s.opts.RecordAfter, func() {
		if _, err := s.record(r); err != nil {
			s.opts.Logger.Warn("a running job could not be recorded yet", "job", r.id, "error", err)
		}
	})
	begun := time.Now()
	result, files := s.perform(r)
	late.Stop()
	s.pool.observe(r.job.Tool, time.Since(begun))
	r.mu.Lock()
	recorded := r.recorded
	r.recorded = true // no record of a running job from here on
	r.mu.Unlock()
	if recorded {
		s.finish(r, result, files)
		s.endInline(r)
		return
	}
	if context.Cause(r.ctx) == errDraining && result.Status == contract.StatusError {
		result = s.failed(r.job, s.interruptedError(r.job, false))
	}
	end := s.end(r, result, files)
	insert := func(tx store.Tx) error {
		ctx := context.Background()
		inserted, err := s.db.InsertJob(ctx, tx, end, 0)
		if err != nil || !inserted {
			return err
		}
		return s.attach(ctx, tx, r, end, files)
	}
	s.db.WriteThen(insert, func(err error) {
		if err == nil {
			s.endInline(r)
			return
		}
		go func() { // not in the writer's time
			s.persist(r, func(ctx context.Context) error { return s.db.Write(ctx, insert) })
			s.endInline(r)
		}()
	})
}

func (s *Service) endInline(r *run) {
	s.leave(r)
	<-s.inline
}

// record makes a running inline job visible to everyone.
func (s *Service) record(r *run) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock() // the end waits for this, and then knows that there is a record
	if r.recorded {
		return true, nil
	}
	inserted := false
	ctx := context.Background()
	err := s.db.Write(ctx, func(tx store.Tx) (err error) {
		inserted, err = s.db.InsertJob(ctx, tx, r.unfinished(), s.opts.Lease)
		return err
	})
	if err == nil && inserted {
		r.recorded, r.claimed = true, time.Now()
		close(r.visible)
		time.AfterFunc(flushPeriod, r.stream.flush) // what was reported before now
	}
	return inserted, err
}

func (s *Service) repeatedByKey(ctx context.Context, j *Job, req Request) (*Job, error) {
	first, err := s.db.JobByKey(ctx, j.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	return s.repeated(ctx, first, j, req)
}

// repeated answers a second call with the key of a first one.
func (s *Service) repeated(ctx context.Context, first, j *Job, req Request) (*Job, error) {
	other := first.Tool != j.Tool || !jsonvalue.Same(first.Input, j.Input)
	switch {
	case req.Once && (other || !jsonvalue.Same(first.Context, j.Context)):
		return nil, duplicate(first, "the request_id %q belongs to another call already: job %s of %s with its own arguments, which is %s. This call was not made", first.RequestID, first.ID, first.Tool, first.State).
			WithHint("Send this call under a request_id of its own. GET /v1/jobs/%s has the input and the result of the first one.", first.ID)
	case req.Once:
		return nil, duplicate(first, "the request %q was made already: it is job %s, which is %s", first.RequestID, first.ID, first.State).
			WithHint("GET /v1/jobs/%s has its result; use a new request_id for a new attempt.", first.ID)
	case other:
		return nil, contract.Errorf(contract.CodeConflict, "the idempotency key was used for another call (job %s)", first.ID).
			With("job_id", first.ID).WithHint("Use a new key for a new call.")
	}
	if req.Async {
		return first, nil
	}
	return s.wait(ctx, first.ID, req.Wait)
}

func duplicate(first *Job, format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeDuplicateRequest, format, args...).With("job_id", first.ID).With("uri", "/v1/jobs/"+first.ID)
}

// describe is the summary of a job that has not ended: the keys of its input.
func describe(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil || len(fields) == 0 {
		return "No input."
	}
	return "Input: " + strings.Join(slices.Sorted(maps.Keys(fields)), ", ") + "."
}
