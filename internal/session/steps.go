package session

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// begin writes a step before its tool runs.
func (s *Service) begin(ctx context.Context, id, run, tool, jobID string, input json.RawMessage, reason string) (store.Step, error) {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	st := store.Step{Tool: tool, JobID: jobID, State: StepRunning, Input: input, InputBytes: int64(len(input)), Started: store.Now()}
	if reason != "" {
		st.State = StepAwaiting
	}
	raw, err := json.Marshal(stepBody{Reason: reason, Run: run})
	if err != nil {
		return st, err
	}
	st.Body = raw
	_, err = s.change(ctx, id, 0, func(tx store.Tx, row *store.Session) error {
		name, err := s.db.AddStep(ctx, tx, id, st)
		if err != nil {
			return err
		}
		st.ID = name
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{started(st, run, reason), stateUpdate(run)})
	})
	return st, err
}

type callEvent struct {
	ToolName   string          `json:"tool_name,omitempty"`
	StepID     string          `json:"step_id,omitempty"`
	JobID      string          `json:"job_id,omitempty"`
	DurationMS *float64        `json:"duration_ms,omitempty"`
	Status     string          `json:"status,omitempty"`
	Summary    string          `json:"summary,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Fraction   *float64        `json:"fraction,omitempty"`
	Message    string          `json:"message,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
}

func started(st store.Step, run, reason string) store.SessionEvent {
	e := callEvent{ToolName: st.Tool, StepID: st.ID, JobID: st.JobID, Reason: reason}
	if len(st.Input) <= store.SnapshotInput {
		e.Input = st.Input
	}
	if reason != "" {
		e.JobID = ""
		return event(ApprovalRequired, run, e)
	}
	return event(ToolCallStart, run, e)
}

// errEnded undoes a change that finds its step ended already.
var errEnded = errors.New("the step has ended")

// finish writes the end of a step whose job has ended: its state, its files, the
// stage that it reaches. It is done once, whoever calls it.
func (s *Service) finish(ctx context.Context, id string, st store.Step, j *job.Job) error {
	files, err := s.jobs.Artifacts(ctx, j.ID)
	if err != nil && !store.IsNotFound(err) {
		return err
	}
	b, err := ended(st, j)
	if err != nil {
		return err
	}
	st.JobID, st.State, st.Finished = j.ID, string(j.State), j.Finished
	if !j.Started.IsZero() {
		st.Started = j.Started
	}
	err = s.finishStep(ctx, id, st, b, files)
	if store.IsNotFound(err) && len(files) > 0 {
		err = s.finishStep(ctx, id, st, b, nil) // the job was deleted just now, with its files
	}
	if store.IsNotFound(err) {
		return nil // the session is gone
	}
	return err
}

// ended says what came of a job.
func ended(st store.Step, j *job.Job) (b stepBody, err error) {
	if err := json.Unmarshal(st.Body, &b); err != nil {
		return b, err
	}
	ms := float64(j.Finished.Sub(j.Started).Milliseconds())
	if j.Started.IsZero() {
		ms = 0 // cancelled before it began
	}
	if j.Result != nil {
		if elapsed, ok := j.Result.Metrics["elapsed_ms"].(float64); ok {
			ms = elapsed // finer than the record's times
		}
	}
	b.DurationMS, b.Summary = &ms, j.Summary
	if j.Error != nil {
		b.Error = newStepError(j.Error)
	}
	return b, nil
}

func newStepError(e *contract.Error) *StepError {
	message := e.Message
	if e.Field != "" {
		message += " (at " + e.Field + ")"
	}
	return &StepError{e.Code, message, e.Hint}
}

// finishStep ends a step in one change with all that belongs to it.
func (s *Service) finishStep(ctx context.Context, id string, st store.Step, b stepBody, files []store.Artifact) error {
	at := s.placeOf(st.Tool)
	_, err := s.change(ctx, id, 0, func(tx store.Tx, row *store.Session) error {
		b := b
		assets, again, paths, err := s.newAssets(ctx, tx, id, at.folder, st.JobID, files)
		if err != nil {
			return err
		}
		b.Outputs = paths
		if st.Body, err = json.Marshal(b); err != nil {
			return err
		}
		open, err := s.db.ChangeStep(ctx, tx, id, st)
		if err != nil {
			return err
		}
		if !open {
			return errEnded
		}
		if err := s.db.AddAssets(ctx, tx, id, assets); err != nil {
			return err
		}
		if err := s.db.RebindAssets(ctx, tx, id, again); err != nil {
			return err
		}
		if st.State == StepSucceeded && at.stage != "" {
			if err := redraft(row, func(d *Draft) error { d.Stage = at.stage; return nil }); err != nil {
				return err
			}
		}
		if b.Run == "" {
			if err := s.db.RemoveRunEvents(ctx, tx, id, "", Progress); err != nil {
				return err
			}
		}
		done := callEvent{ToolName: st.Tool, StepID: st.ID, JobID: st.JobID, DurationMS: b.DurationMS, Status: st.State, Summary: b.Summary}
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{event(ToolCallComplete, b.Run, done), stateUpdate(b.Run)})
	})
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

func (s *Service) placeOf(tool string) place {
	t, err := s.tools.Find(tool)
	if err != nil { // a tool of an earlier program
		return place{folder: "logs"}
	}
	return placeOf(t.Contract)
}

// newAssets places a job's files in the folder of its tool. What is there with
// the same content already is named again, not stored again, and is of this job from
// now on: one that mends what an earlier one lacked may write the same bytes.
func (s *Service) newAssets(ctx context.Context, tx store.Tx, id, folder, jobID string, files []store.Artifact) (assets, again []store.Asset, paths []string, err error) {
	if len(files) == 0 {
		return nil, nil, nil, nil
	}
	snap, err := s.db.SnapshotTx(ctx, tx, id)
	if err != nil {
		return nil, nil, nil, err
	}
	t := takenBy(snap.Assets)
	at := t.freeFolder(folder, files)
	for _, f := range files {
		p := at + "/" + f.Name
		paths = append(paths, p)
		a := store.Asset{Path: p, MIME: f.MIME, Bytes: f.Bytes, SHA256: f.SHA256, JobID: jobID, Artifact: f.Name}
		if t.has(p) {
			again = append(again, a)
			continue
		}
		if f.Head != "" {
			a.Head = at + "/" + f.Head
		}
		assets = append(assets, a)
	}
	return assets, again, paths, nil
}

// abandon ends a step that has no job to tell its end.
func (s *Service) abandon(ctx context.Context, id string, st store.Step, state string, why *contract.Error) error {
	var b stepBody
	if err := json.Unmarshal(st.Body, &b); err != nil {
		return err
	}
	ms := 0.0
	b.DurationMS, b.Error, b.Summary = &ms, newStepError(why), why.Message
	st.State, st.Finished = state, store.Now()
	err := s.finishStep(ctx, id, st, b, nil)
	if store.IsNotFound(err) {
		return nil
	}
	return err
}

// reconcile ends the steps of a session, or for "" those of all that began before
// a time, whose jobs have ended without telling: their process died, or they
// run on another machine.
func (s *Service) reconcile(ctx context.Context, id string, before time.Time) error {
	open, err := s.db.OpenSteps(ctx, id, before)
	if err != nil {
		return err
	}
	for _, st := range open {
		if err := s.reconcileStep(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) reconcileStep(ctx context.Context, st store.SessionStep) error {
	if st.State != StepRunning {
		return nil // its run decides
	}
	j, err := s.jobs.Get(ctx, st.JobID)
	switch {
	case err == nil && j.State.Finished():
		return s.finish(ctx, st.SessionID, st.Step, j)
	case store.IsNotFound(err) && s.lost(st):
		return s.abandon(ctx, st.SessionID, st.Step, StepFailed, lostStep())
	case store.IsNotFound(err):
		return nil
	}
	return err
}

// lost says that nobody will make the job of an open step any more: its process
// died. The job of a call has its record long before a lease is over.
func (s *Service) lost(st store.SessionStep) bool {
	s.mu.Lock()
	ours := s.inFlight[st.JobID]
	s.mu.Unlock()
	if ours {
		return false
	}
	return !s.db.Shared() || time.Since(st.Started) > s.opts.Lease
}

func lostStep() *contract.Error {
	return contract.Errorf(contract.CodeInterrupted, "the process stopped before the call had begun, or its job was deleted").WithHint("Make the call again.")
}
