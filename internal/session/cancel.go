package session

import (
	"context"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// longestCancel is how long a caller waits to see the work end.
const longestCancel = 3 * time.Second

// Cancel ends what works on a session, wherever it runs: its run and the jobs of
// its steps. It returns the manifest, normally already idle; conflict when
// nothing works on the session.
func (s *Service) Cancel(ctx context.Context, id string) (*Manifest, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	row, err := s.db.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	wake, release := s.hub.Subscribe(id)
	defer release()
	asked, err := s.cancelRun(context.WithoutCancel(ctx), row)
	if err != nil {
		return nil, err
	}
	jobs, err := s.cancelSteps(context.WithoutCancel(ctx), id)
	if err != nil {
		return nil, err
	}
	if !asked && jobs == 0 {
		return nil, contract.Errorf(contract.CodeConflict, "nothing works on session %s", id)
	}
	deadline := time.NewTimer(longestCancel)
	defer deadline.Stop()
	for {
		busy, err := s.busy(ctx, id)
		if err != nil {
			return nil, err
		}
		if !busy {
			return s.Get(ctx, id)
		}
		select {
		case <-wake:
		case <-deadline.C:
			return s.Get(ctx, id)
		case <-ctx.Done():
			return nil, contract.Errorf(contract.CodeCancelled, "the caller went away: %w", ctx.Err())
		}
	}
}

// cancelRun asks the run of a session to end. One that no process can be working
// on is ended at once.
func (s *Service) cancelRun(ctx context.Context, row store.Session) (bool, error) {
	asked, err := s.db.CancelRun(ctx, row.ID)
	if err != nil || !asked {
		return false, err
	}
	if r := s.runOf(row.ID); r != nil {
		r.cancel(errCancelled)
		return true, nil
	}
	orphans, err := s.db.ExpiredRuns(ctx, !s.db.Shared())
	for _, orphan := range orphans {
		if err == nil && orphan.ID == row.ID && s.runOf(row.ID) == nil {
			err = s.interrupt(ctx, orphan)
		}
	}
	return true, err
}

// cancelSteps cancels the jobs of the steps that no run looks after, and counts
// them; a run does so for its own.
func (s *Service) cancelSteps(ctx context.Context, id string) (int, error) {
	open, err := s.db.OpenSteps(ctx, id, time.Time{})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, st := range open {
		if st.State != StepRunning {
			continue
		}
		n++
		j, err := s.jobs.Cancel(ctx, st.JobID)
		if err != nil { // it has ended otherwise, or has no record yet: the watch sees to it
			continue
		}
		if j.State.Finished() {
			if err := s.finish(ctx, id, st.Step, j); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (s *Service) runOf(id string) *Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}
