package session

import (
	"context"
	"errors"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// openFor is how long a step is left to who began it before the watch looks
// after it.
const openFor = 5 * time.Second

// watch keeps the promise that no run and no step stays open for ever.
func (s *Service) watch(ctx context.Context) {
	tick := time.NewTicker(s.opts.Heartbeat)
	defer tick.Stop()
	for {
		err := s.tend(ctx)
		if err != nil && ctx.Err() == nil {
			s.opts.Logger.Warn("the session watch could not reach the database", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Service) tend(ctx context.Context) error {
	if s.db.Shared() {
		if err := s.renew(ctx); err != nil {
			return err
		}
		if err := s.recover(ctx, false); err != nil {
			return err
		}
	}
	return s.reconcile(ctx, "", store.Now().Add(-openFor))
}

// renew keeps this process's runs, ends those that it has lost and those that
// another process was asked to cancel.
func (s *Service) renew(ctx context.Context) error {
	s.mu.Lock()
	mine := make(map[string]*Run, len(s.runs))
	for id, r := range s.runs {
		mine[id] = r
	}
	s.mu.Unlock()
	asked := time.Now()
	held, err := s.db.RenewRuns(ctx, s.worker, s.opts.Lease)
	if err != nil {
		return err
	}
	byID := map[string]store.Session{}
	for _, row := range held {
		byID[row.ID] = row
	}
	for id, r := range mine {
		switch row, ok := byID[id]; {
		case ok && row.Run == r.ID && row.RunCancel:
			r.cancel(errCancelled)
		case !ok && r.heldBefore(asked):
			r.cancel(errLost)
		}
	}
	return nil
}

// onChange is called with the id of a session that another process, or this one,
// has changed: its run may have been cancelled.
func (s *Service) onChange(id string) {
	s.hub.Signal(id)
	r := s.runOf(id)
	if r == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	s.background.Go(func() {
		if row, err := s.db.Session(s.ctx, id); err == nil && row.Run == r.ID && row.RunCancel {
			r.cancel(errCancelled)
		}
	})
}

// recover takes up the runs of processes that died: a runner that can resume
// goes on, others leave a session that says that it was interrupted. A process
// without a runner leaves them to one that has it.
func (s *Service) recover(ctx context.Context, all bool) error {
	if s.opts.Runner == nil {
		return nil
	}
	rows, err := s.db.ExpiredRuns(ctx, all)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if s.runOf(row.ID) != nil {
			continue // ours; its lease lapsed only because the database was away
		}
		s.opts.Logger.Warn("a run was interrupted", "session", row.ID, "run", row.Run, "worker", row.RunWorker)
		if err := s.resume(ctx, row); err != nil && !store.IsNotFound(err) {
			return err
		}
	}
	return nil
}

func (s *Service) resume(ctx context.Context, found store.Session) error {
	b, err := decodeBody(found.Body)
	if err != nil {
		return err
	}
	turn := Turn{}
	if b.Turn != nil {
		turn = *b.Turn
	}
	_, resumes := s.opts.Runner.(Resumer)
	if !resumes || turn.Attempt >= maxAttempts || found.RunCancel {
		return s.interrupt(ctx, found)
	}
	turn.Attempt++
	r := s.newRun(found.ID, found.Run, turn)
	if err := s.enter(r); err != nil {
		return nil // stopping, or full: the next look takes it up
	}
	row, err := s.change(ctx, found.ID, 0, func(tx store.Tx, row *store.Session) error {
		if row.Run != found.Run || row.RunWorker != found.RunWorker {
			return errLost // another process was quicker
		}
		b, err := decodeBody(row.Body)
		if err != nil {
			return err
		}
		b.Turn = &turn
		row.RunWorker = s.worker
		if err := s.giveUp(ctx, tx, found.ID, found.Run); err != nil {
			return err
		}
		if err := s.db.LeaseRun(ctx, tx, found.ID, s.opts.Lease); err != nil {
			return err
		}
		return b.into(row)
	})
	if err != nil {
		s.leave(r)
		return s.quicker(err)
	}
	r.noteLease(row.LastEvent)
	go s.work(r)
	return nil
}

func (s *Service) interrupt(ctx context.Context, found store.Session) error {
	fault := contract.Errorf(contract.CodeInterrupted, "the process that worked on the session stopped").
		WithHint("What was done is in the manifest; ask again to go on.")
	status := "interrupted"
	if found.RunCancel {
		status, fault = "cancelled", nil
	}
	_, err := s.change(ctx, found.ID, 0, func(tx store.Tx, row *store.Session) error {
		if row.Run != found.Run || row.RunWorker != found.RunWorker {
			return errLost
		}
		return s.close(ctx, tx, row, status, "", fault)
	})
	return s.quicker(err)
}

// quicker: that another process has taken a run up is no fault of ours.
func (s *Service) quicker(err error) error {
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}
