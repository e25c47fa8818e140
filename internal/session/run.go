package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// Runner works the turns of a conversation: it plans, calls tools through the
// Run and says what it found.
type Runner interface {
	// Run works one turn to its end, and must end soon after ctx does. reply is
	// what the assistant says in the end; with "" it is the text that Run.Text was
	// given. An error ends the run as failed; its code and message are told.
	Run(ctx context.Context, r *Run) (reply string, err error)
}

// Resumer is a Runner that can go on where a process died: Run is then called
// again, with Run.Attempt counted up, and finds the steps that were made in the
// manifest. Runs of other runners end as interrupted.
type Resumer interface {
	Runner
	Resumes()
}

// Checker is a Runner that knows before a turn begins what is wrong with it.
type Checker interface {
	Runner
	Check(t Turn) error
}

// maxAttempts is how often a run is taken up; after that it may be what kills
// the process.
const maxAttempts = 3

// When a turn's calls need a person's approval.
const (
	ApproveNothing     = "never"       // the default
	ApproveDestructive = "destructive" // calls of tools whose contract says so
	ApproveEverything  = "always"
)

// Turn is what the user asked for.
type Turn struct {
	Prompt    string          `json:"prompt"`
	Approve   string          `json:"approve,omitempty"`
	Model     string          `json:"model,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	Options   json.RawMessage `json:"options,omitempty"` // of the runner

	Attempt int `json:"attempt"`
}

// Why a run's context was ended.
var (
	errCancelled = errors.New("the run was cancelled")
	errLost      = errors.New("another process has taken the run over")
)

// Run is one turn while this process works on it. Its methods are safe from any
// goroutine.
type Run struct {
	ID, Session string
	Turn        Turn
	After       int64 // the number of the last event before the run

	s      *Service
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}

	mu     sync.Mutex // what follows
	held   time.Time  // since when its row names this process; zero before
	reply  string
	status string
	err    *contract.Error

	sending sync.Mutex // keeps events in their order; taken before mu
	text    strings.Builder
	said    strings.Builder
	pending bool
}

// Done is closed when the end of the run is durable.
func (r *Run) Done() <-chan struct{} { return r.done }

// End says how the run ended: completed, failed, cancelled or interrupted, with
// what was said, and why it failed.
func (r *Run) End() (status, reply string, err *contract.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status, r.reply, r.err
}

// Start begins a turn; conflict while another run works on the session.
func (s *Service) Start(ctx context.Context, id string, turn Turn) (*Run, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	if c, ok := s.opts.Runner.(Checker); ok {
		if err := c.Check(turn); err != nil {
			return nil, err
		}
	}
	turn.Attempt = 1
	r := s.newRun(id, store.NewID("run_"), turn)
	if err := s.enter(r); err != nil {
		return nil, err
	}
	row, err := s.change(ctx, id, 0, func(tx store.Tx, row *store.Session) error {
		if row.Run != "" {
			return contract.Errorf(contract.CodeConflict, "session %s is being worked on", id).With("run_id", row.Run).
				WithHint("Follow it at /v1/sessions/%s/events, wait for its end, or POST /v1/sessions/%s/cancel.", id, id)
		}
		b, err := decodeBody(row.Body)
		if err != nil {
			return err
		}
		b.Turn = &turn
		b.Messages = append(b.Messages, Message{Role: "user", Content: turn.Prompt})
		row.Run, row.RunWorker, row.RunCancel = r.ID, s.worker, false
		if err := b.into(row); err != nil {
			return err
		}
		if err := s.db.LeaseRun(ctx, tx, id, s.opts.Lease); err != nil {
			return err
		}
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{stateUpdate(r.ID)})
	})
	if err != nil {
		s.leave(r)
		return nil, err
	}
	r.noteLease(row.LastEvent)
	go s.work(r)
	return r, nil
}

func (s *Service) newRun(id, run string, turn Turn) *Run {
	r := &Run{ID: run, Session: id, Turn: turn, s: s, done: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancelCause(s.ctx)
	return r
}

// enter takes a place for a run.
func (s *Service) enter(r *Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return contract.Errorf(contract.CodeInterrupted, "the server is stopping and takes no new work").WithHint("Try again in a moment.")
	case s.runs[r.Session] != nil:
		return contract.Errorf(contract.CodeConflict, "session %s is being worked on", r.Session).With("run_id", s.runs[r.Session].ID).
			WithHint("Follow it at /v1/sessions/%s/events, or wait for its end.", r.Session)
	case len(s.runs) >= s.opts.MaxRuns:
		return contract.Errorf(contract.CodeTooManyRequests, "%d conversations are being worked on already", len(s.runs)).WithHint("Try again in a moment.")
	}
	s.runs[r.Session] = r
	s.background.Add(1)
	return nil
}

func (s *Service) leave(r *Run) {
	s.mu.Lock()
	delete(s.runs, r.Session)
	s.mu.Unlock()
	r.cancel(nil)
	close(r.done)
	s.background.Done()
}

func (s *Service) work(r *Run) {
	defer s.leave(r)
	reply, err := s.converse(r)
	r.flush()
	cause := context.Cause(r.ctx)
	if cause == errLost || cause == errStopping {
		r.setEnd("interrupted", "", contract.Errorf(contract.CodeInterrupted, "the server stopped during the run"))
		return // its row still names it: another process, or the next, goes on from here
	}
	r.mu.Lock()
	if reply == "" {
		reply = r.said.String()
	}
	r.mu.Unlock()
	status, fault := "completed", (*contract.Error)(nil)
	switch {
	case cause == errCancelled:
		status = "cancelled"
	case err != nil:
		status, fault = "failed", contract.AsError(err)
	}
	s.endRun(r, status, reply, fault)
}

// converse calls the runner; a panic is a failure of the run alone.
func (s *Service) converse(r *Run) (reply string, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.Error("panic in a run", "session", r.Session, "run", r.ID, "panic", p, "stack", string(debug.Stack()))
			err = contract.Errorf(contract.CodeInternal, "the run failed inside the server: %v", p)
		}
	}()
	return s.opts.Runner.Run(r.ctx, r)
}

// noteLease notes that the run's row names this process.
func (r *Run) noteLease(after int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.After, r.held = after, time.Now()
}

func (r *Run) heldBefore(t time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.held.IsZero() && r.held.Before(t)
}

func (r *Run) setEnd(status, reply string, err *contract.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.reply, r.err = status, reply, err
}

// endRun tries for a while: a database that restarts must not cost a session
// its end. What cannot be recorded is taken up as an interrupted run later.
func (s *Service) endRun(r *Run, status, reply string, fault *contract.Error) {
	wait := 50 * time.Millisecond
	for attempt := 0; ; attempt++ {
		err := s.recordEnd(r, status, reply, fault)
		if err == nil || store.IsNotFound(err) || errors.Is(err, errLost) {
			break
		}
		if attempt == 6 {
			s.opts.Logger.Error("the end of a run could not be recorded", "session", r.Session, "run", r.ID, "error", err)
			status, fault = "failed", contract.AsError(err)
			break
		}
		time.Sleep(wait)
		wait *= 2
	}
	r.setEnd(status, reply, fault)
}

func (s *Service) recordEnd(r *Run, status, reply string, fault *contract.Error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, err := s.change(ctx, r.Session, 0, func(tx store.Tx, row *store.Session) error {
		if row.Run != r.ID || row.RunWorker != s.worker {
			return fmt.Errorf("run %s: %w", r.ID, errLost)
		}
		return s.close(ctx, tx, row, status, reply, fault)
	})
	return err
}

// close ends the run in a row that is held: the reply joins the conversation,
// calls that wait for approval are given up, the log is made small.
func (s *Service) close(ctx context.Context, tx store.Tx, row *store.Session, status, reply string, fault *contract.Error) error {
	b, err := decodeBody(row.Body)
	if err != nil {
		return err
	}
	run := row.Run
	b.Turn = nil
	if reply != "" {
		b.Messages = append(b.Messages, Message{Role: "assistant", Content: reply})
	}
	row.Run, row.RunWorker, row.RunCancel = "", "", false
	if err := b.into(row); err != nil {
		return err
	}
	if err := s.giveUp(ctx, tx, row.ID, run); err != nil {
		return err
	}
	if err := s.compact(ctx, tx, row.ID, run); err != nil {
		return err
	}
	var events []store.SessionEvent
	if fault != nil {
		events = append(events, event(Failure, run, fault))
	}
	done := map[string]string{"status": status, "run_id": run}
	if reply != "" {
		done["reply"] = reply
	}
	return s.db.AppendSessionEvents(ctx, tx, row.ID, append(events, stateUpdate(run), event(AgentDone, run, done)))
}

// giveUp cancels the calls of a run that were not begun.
func (s *Service) giveUp(ctx context.Context, tx store.Tx, id, run string) error {
	snap, err := s.db.SnapshotTx(ctx, tx, id)
	if err != nil {
		return err
	}
	for _, st := range snap.Steps {
		var b stepBody
		if !st.Finished.IsZero() || st.State == StepRunning || json.Unmarshal(st.Body, &b) != nil || b.Run != run {
			continue
		}
		st.State, st.Finished = StepCancelled, store.Now()
		if _, err := s.db.ChangeStep(ctx, tx, id, st); err != nil {
			return err
		}
	}
	return nil
}

// Manifest is the session as it is now.
func (r *Run) Manifest(ctx context.Context) (*Manifest, error) { return r.s.Get(ctx, r.Session) }

// Update changes the manifest and tells it.
func (r *Run) Update(ctx context.Context, fn func(*Draft) error) (*Manifest, error) {
	r.flush()
	return r.s.Update(ctx, r.Session, 0, fn)
}

// Call runs a tool as a step: it is in the manifest, and told, before it runs,
// and its end and files are when Call returns. Limits is as in job.Request. When
// ctx ends, the job is cancelled. A tool's failure is no error: it is Job.Error.
// A call that by Turn.Approve a person must approve waits as in CallApproved.
func (r *Run) Call(ctx context.Context, tool string, input, limits json.RawMessage) (*job.Job, error) {
	return endOf(ctx)(r.Begin(ctx, tool, input, limits))
}

// Begin is the first half of Call: the step is in the manifest, running, or
// awaiting the approval that Turn.Approve asks for.
func (r *Run) Begin(ctx context.Context, tool string, input, limits json.RawMessage) (*Pending, error) {
	found, input, _, err := r.s.tools.Resolve(tool, input)
	if err != nil {
		return nil, err
	}
	reason := ""
	switch {
	case r.Turn.Approve == ApproveEverything:
		reason = "Every call is to be approved."
	case r.Turn.Approve == ApproveDestructive && found.Contract.Effects.Destructive:
		reason = found.Contract.Name + " may destroy what was there."
	}
	return r.begin(ctx, found, input, limits, reason)
}
