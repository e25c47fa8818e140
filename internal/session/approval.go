package session

import (
	"context"
	"encoding/json"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// CallApproved is Call for a call that a person must approve first: the step
// waits, the readers are told approval_required with the reason, and the tool
// runs after the approval. A denied call is an error with the code cancelled and
// the detail decision.
func (r *Run) CallApproved(ctx context.Context, tool string, input, limits json.RawMessage, reason string) (*job.Job, error) {
	found, err := r.s.tools.Find(tool)
	if err != nil {
		return nil, err
	}
	if reason == "" {
		reason = "The call needs approval."
	}
	return endOf(ctx)(r.begin(ctx, found, input, limits, reason))
}

func (s *Service) awaitDecision(ctx context.Context, id string, st store.Step) (store.Step, error) {
	wake, release := s.hub.Subscribe(id)
	defer release()
	tick := time.NewTicker(eventCheck)
	defer tick.Stop()
	for {
		now, err := s.db.SessionStep(ctx, id, st.ID)
		switch {
		case ctx.Err() != nil:
			return st, contract.Errorf(contract.CodeCancelled, "the run ended before %s was approved", st.Tool)
		case err == nil && now.State == StepApproved:
			return now, nil
		case err == nil && !now.Finished.IsZero():
			return st, contract.Errorf(contract.CodeCancelled, "the call of %s was %s", st.Tool, now.State).With("decision", now.State)
		case store.IsNotFound(err):
			return st, err
		}
		select {
		case <-wake:
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// approved makes an approved step a running one.
func (s *Service) approved(ctx context.Context, id, run string, st store.Step) (store.Step, error) {
	st.State, st.Started = StepRunning, store.Now()
	_, err := s.change(ctx, id, 0, func(tx store.Tx, _ *store.Session) error {
		open, err := s.db.ChangeStep(ctx, tx, id, st)
		if err != nil {
			return err
		}
		if !open {
			return contract.Errorf(contract.CodeCancelled, "the call of %s was given up", st.Tool)
		}
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{started(st, run, ""), stateUpdate(run)})
	})
	return st, err
}

// Decide approves or denies a step that waits for it; conflict for any other.
func (s *Service) Decide(ctx context.Context, id, step string, approve bool) (*Manifest, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	if _, err := s.db.Session(ctx, id); err != nil {
		return nil, err
	}
	_, err := s.change(ctx, id, 0, func(tx store.Tx, row *store.Session) error {
		st, err := s.db.StepTx(ctx, tx, id, step)
		if err != nil {
			return err
		}
		if st.State != StepAwaiting {
			return contract.Errorf(contract.CodeConflict, "%s is %s and waits for no approval", step, st.State).With("status", st.State)
		}
		st.State = StepApproved
		if !approve {
			st.State, st.Finished = StepDenied, store.Now()
		}
		if _, err := s.db.ChangeStep(ctx, tx, id, st); err != nil {
			return err
		}
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{stateUpdate(row.Run)})
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}
