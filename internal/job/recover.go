package job

import (
	"context"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// watch keeps the promise that no job stays running or queued for ever.
func (s *Service) watch(ctx context.Context) {
	tick := time.NewTicker(s.opts.Heartbeat)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.recoverLost(ctx)
		if err == nil && n%5 == 0 && !s.stopping() {
			// Older than any submission that is just between its record and its
			// dispatch.
			err = s.requeueUnknown(ctx, store.Now().Add(-5*time.Second))
		}
		if err != nil && ctx.Err() == nil {
			s.opts.Logger.Warn("the job watch could not reach the database", "error", err)
		}
	}
}

// recoverLost renews the leases of this process's jobs, ends those that it has lost or
// that were cancelled elsewhere, and takes up the jobs of processes that died.
func (s *Service) recoverLost(ctx context.Context) error {
	if s.db.Shared() {
		if err := s.renew(ctx); err != nil {
			return err
		}
	}
	abandoned, err := s.db.Expired(ctx, !s.db.Shared())
	if err != nil {
		return err
	}
	for _, j := range abandoned {
		if s.running(j.ID) != nil {
			continue // ours; its lease lapsed only because the database was away
		}
		s.opts.Logger.Warn("a job was interrupted", "job", j.ID, "tool", j.Tool, "attempt", j.Attempt, "worker", j.Worker)
		if err := s.giveBack(ctx, j, true); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) renew(ctx context.Context) error {
	begun := time.Now()
	held, err := s.db.Heartbeat(ctx, s.worker, s.opts.Lease)
	if err != nil {
		return err
	}
	byID := map[string]store.Held{}
	for _, h := range held {
		byID[h.ID] = h
	}
	for _, r := range s.runs() {
		h, ok := byID[r.id]
		r.mu.Lock()
		since := r.claimed
		r.mu.Unlock()
		switch {
		case ok && h.CancelRequested:
			r.cancel(errCancelled)
		case !ok && !since.IsZero() && since.Before(begun):
			// Finished a moment ago, or taken over; for the first this does nothing.
			r.cancel(errLost)
		}
		delete(byID, r.id)
	}
	for id := range byID {
		// This process holds it but does not work on it: its end could not be
		// recorded. Without this it would be renewed for ever.
		if j, err := s.db.Job(ctx, id); err == nil && j.State == Running && j.Worker == s.worker && s.running(id) == nil {
			if err := s.giveBack(ctx, j, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// giveBack ends an attempt that was broken off: cancelled if that was asked for,
// back into its queue if it may run again, else failed as interrupted. crashed
// says that its process died, which may be the job's own doing and is therefore
// allowed only Options.MaxReruns times.
func (s *Service) giveBack(ctx context.Context, j *Job, crashed bool) error {
	claim := store.Claim{ID: j.ID, Worker: j.Worker, Attempt: j.Attempt}
	again := j.Queue != "" && j.Idempotent && (!crashed || j.Interruptions < s.opts.MaxReruns)
	if again && !j.CancelRequested {
		return s.requeue(ctx, j, claim, crashed)
	}
	end := *j
	if crashed {
		end.Interruptions++
	}
	fault := s.interruptedError(j, crashed)
	end.State = Failed
	if j.CancelRequested {
		fault, end.State = cancelledError(), Cancelled
	}
	end.Error, end.Result, end.Finished = fault, s.failed(j, fault), store.Now()
	end.Summary = end.Result.Summary
	err := s.db.Write(ctx, func(tx store.Tx) error {
		_, err := s.db.Finish(ctx, tx, claim, &end)
		return err
	})
	s.hub.Signal(j.ID)
	return err
}

func (s *Service) requeue(ctx context.Context, j *Job, claim store.Claim, crashed bool) error {
	q := store.QueuedJob{ID: j.ID, Queue: j.Queue}
	requeued := false
	err := s.db.Write(ctx, func(tx store.Tx) (err error) {
		if requeued, err = s.db.Requeue(ctx, tx, claim, crashed); err != nil || !requeued {
			return err
		}
		return s.dispatch.enqueue(ctx, tx, q)
	})
	if err == nil && requeued {
		s.dispatch.committed(q)
		s.hub.Signal(j.ID)
	}
	return err
}

func (s *Service) interruptedError(j *Job, crashed bool) *contract.Error {
	e := contract.Errorf(contract.CodeInterrupted, "the process that ran the job stopped during attempt %d", j.Attempt)
	switch {
	case !j.Idempotent:
		e.WithHint("The tool is not safe to repeat without asking: check what it has done, then call it again.")
	case crashed && j.Queue != "" && j.Interruptions > 0:
		e.WithHint("It was run %d times and its process died each time; the input may be too much for the machine.", j.Attempt)
	default:
		e.WithHint("Call the tool again.")
	}
	return e.With("attempts", j.Attempt)
}

// requeueUnknown dispatches queued jobs that no dispatcher knows: those that an earlier
// process left, and any whose hand-over was lost.
func (s *Service) requeueUnknown(ctx context.Context, before time.Time) error {
	queued, err := s.db.QueuedBefore(ctx, before)
	if err != nil || len(queued) == 0 {
		return err
	}
	missing, err := s.dispatch.missing(ctx, queued)
	if err != nil {
		return err
	}
	for _, q := range missing {
		err := s.db.Write(ctx, func(tx store.Tx) error { return s.dispatch.enqueue(ctx, tx, q) })
		if err != nil {
			return err
		}
		s.dispatch.committed(q)
	}
	return nil
}
