package job

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// run is one attempt at a job, while this process works on it.
type run struct {
	id     string
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the end is durable, or could not be made so

	mu       sync.Mutex
	job      *Job          // as it was when the attempt began
	claimed  time.Time     // since when its row says running; zero before
	stream   *stream       // nil before the attempt has begun
	visible  chan struct{} // closed with the first record
	recorded bool
	ended    *Job  // the job as it ended
	failure  error // why its end could not be recorded
}

// enter registers a run; nil when the job is being worked on here already, or
// the process is stopping.
func (s *Service) enter(id string) *run {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &run{id: id, ctx: ctx, cancel: cancel, done: make(chan struct{}), visible: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining || s.active[id] != nil {
		cancel(nil)
		return nil
	}
	s.active[id] = r
	return r
}

func (s *Service) leave(r *run) {
	s.mu.Lock()
	delete(s.active, r.id)
	s.mu.Unlock()
	r.cancel(nil)
	close(r.done)
	s.hub.Signal(r.id)
}

// start gives the run its job and its events.
func (s *Service) start(r *run, j *Job, recorded bool) {
	st := newStream(j.Attempt, s.opts.EventTail)
	r.mu.Lock()
	r.job, r.stream, r.recorded = j, st, recorded
	if recorded {
		r.claimed = time.Now()
		close(r.visible)
	}
	r.mu.Unlock()
	st.flush = func() { s.flush(r) }
	s.hub.Signal(r.id)
}

func (r *run) claim() store.Claim {
	return store.Claim{ID: r.id, Worker: r.job.Worker, Attempt: r.job.Attempt}
}

// work runs a queued job, if it is still queued. The dispatchers call it; an
// error means that it could not be found out and should be tried again.
func (s *Service) work(id string) error {
	r := s.enter(id)
	if r == nil {
		if s.stopping() {
			return errDraining
		}
		return nil
	}
	defer s.leave(r)
	j, err := s.db.ClaimJob(r.ctx, id, s.worker, s.opts.Lease)
	if err != nil || j == nil {
		return err
	}
	s.start(r, j, true)
	result, files := s.perform(r)
	return s.finish(r, result, files)
}

// perform executes the attempt in its own folder and stores its artifacts.
func (s *Service) perform(r *run) (*contract.Result, []store.Artifact) {
	folder, err := s.folders.make(r.job)
	if err != nil {
		return s.failed(r.job, contract.Errorf(contract.CodeStorageUnavailable, "make the job's folder: %w", err)), nil
	}
	defer s.folders.remove(r.job, folder)
	result := s.execute(r, folder.dir)
	if context.Cause(r.ctx) == errLost {
		return result, nil
	}
	if len(result.Artifacts) == 0 {
		return result, nil
	}
	files, err := s.storeArtifacts(context.WithoutCancel(r.ctx), folder.dir, r.id, result)
	if err != nil {
		fault := s.failed(r.job, contract.AsError(err))
		fault.Log = result.Log
		return fault, nil
	}
	return result, files
}

func (s *Service) execute(r *run, dir string) (result *contract.Result) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.Error("panic in a tool", "job", r.id, "tool", r.job.Tool, "panic", p, "stack", string(debug.Stack()))
			result = s.failed(r.job, contract.Errorf(contract.CodeInternal, "the tool panicked: %v", p))
		}
	}()
	result = s.executor.Execute(r.ctx, &Run{Job: r.job, Dir: dir, Report: r.stream.report, Routed: r.job.Queue == ""})
	if result == nil {
		result = s.failed(r.job, contract.Errorf(contract.CodeInternal, "the executor gave no result"))
	}
	if result.Status == contract.StatusError && len(result.Errors) == 0 {
		result.Errors = []*contract.Error{contract.Errorf(contract.CodeInternal, "the tool failed without saying why")}
	}
	return result
}

func (s *Service) failed(j *Job, err *contract.Error) *contract.Result {
	solver := j.Queue
	if solver == "" {
		solver = "atelier"
	}
	return contract.Failure(solver, err)
}

// finish makes the end of a claimed attempt durable.
func (s *Service) finish(r *run, result *contract.Result, files []store.Artifact) error {
	cause := context.Cause(r.ctx)
	if cause == errLost {
		return nil
	}
	// A run that was ended by a stop goes back; one that was done just before
	// keeps its result.
	if cause == errDraining && result.Status == contract.StatusError {
		return s.persist(r, func(ctx context.Context) error { return s.giveBack(ctx, r.job, false) })
	}
	end := s.end(r, result, files)
	return s.persist(r, func(ctx context.Context) error {
		return s.db.Write(ctx, func(tx store.Tx) error {
			held, err := s.db.Finish(ctx, tx, r.claim(), end)
			if err != nil || !held {
				return err
			}
			return s.attach(ctx, tx, r, end, files)
		})
	})
}

func (s *Service) attach(ctx context.Context, tx store.Tx, r *run, end *Job, files []store.Artifact) error {
	if err := s.db.InsertArtifacts(ctx, tx, r.id, files); err != nil {
		return err
	}
	if err := s.db.InsertMakers(ctx, tx, end, files); err != nil {
		return err
	}
	return s.db.AppendEvents(ctx, tx, r.id, r.stream.unflushed(), s.opts.EventTail)
}

// end is the record of a finished attempt.
func (s *Service) end(r *run, result *contract.Result, files []store.Artifact) *Job {
	j := *r.job
	j.Result = result
	if err := j.EncodeResult(); err != nil { // a NaN among the metrics, say
		result = s.failed(r.job, contract.Errorf(contract.CodeInvalidToolOutput, "the tool's result cannot be encoded: %w", err))
	}
	j.State, j.Finished, j.Result, j.Summary = Succeeded, store.Now(), result, result.Headline()
	if result.Status == contract.StatusError {
		j.State, j.Error = Failed, result.Errors[0]
		if cause := context.Cause(r.ctx); cause == errCancelled {
			fault := cancelledError()
			if j.Error.Code != contract.CodeCancelled {
				fault.With("ended_with", j.Error.Code)
			}
			j.State, j.Error = Cancelled, fault
			log := result.Log
			j.Result = s.failed(&j, fault)
			j.Result.Log, j.Summary = log, j.Result.Summary
		}
	}
	j.CancelRequested = j.State == Cancelled
	for _, f := range files {
		j.Bytes += f.Bytes
	}
	r.mu.Lock()
	r.ended = &j
	r.mu.Unlock()
	return &j
}

// persist tries for a while: a database that restarts must not cost a result
// that took an hour. What cannot be recorded is found by the reaper later.
func (s *Service) persist(r *run, write func(context.Context) error) error {
	wait := 50 * time.Millisecond
	for attempt := 0; ; attempt++ {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		err := write(ctx)
		cancel()
		if err == nil {
			return nil
		}
		if attempt == 6 {
			s.opts.Logger.Error("the end of a job could not be recorded", "job", r.id, "error", err)
			r.mu.Lock()
			r.failure = fmt.Errorf("record the end of %s: %w", r.id, err)
			r.mu.Unlock()
			return r.failure
		}
		time.Sleep(wait)
		wait *= 2
	}
}

func cancelledError() *contract.Error {
	return contract.Errorf(contract.CodeCancelled, "the job was cancelled")
}
