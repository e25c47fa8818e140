package job

import (
	"context"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Get implements API.
func (s *Service) Get(ctx context.Context, id string) (*Job, error) {
	j, err := s.db.Job(ctx, id)
	if !store.IsNotFound(err) {
		return j, err
	}
	// A quick call that has no record yet.
	if r := s.running(id); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.job != nil {
			return r.unfinished(), nil
		}
	}
	return s.db.Job(ctx, id) // it may just have got its record
}

// List implements API.
func (s *Service) List(ctx context.Context, f Filter) (Page, error) { return s.db.Jobs(ctx, f) }

// Wait implements API.
func (s *Service) Wait(ctx context.Context, id string, d time.Duration) (*Job, error) {
	if d <= 0 {
		return s.Get(ctx, id)
	}
	return s.wait(ctx, id, d)
}

// wait waits for the end of a job, without limit when d is 0.
func (s *Service) wait(ctx context.Context, id string, d time.Duration) (*Job, error) {
	wake, release := s.hub.Subscribe(id)
	defer release()
	var deadline <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		deadline = timer.C
	}
	// Wake-ups come at once; the ticker covers one that was lost with a connection.
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		j, err := s.Get(context.WithoutCancel(ctx), id)
		if err != nil || j.State.Finished() {
			return j, err
		}
		select {
		case <-wake:
		case <-tick.C:
		case <-deadline:
			return j, nil
		case <-ctx.Done():
			return j, nil
		}
	}
}

// Cancel implements API.
func (s *Service) Cancel(ctx context.Context, id string) (*Job, error) {
	before, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if before.State.Finished() {
		return finishedAs(before)
	}
	end := s.failed(before, cancelledError())
	j, err := s.db.RequestCancel(context.WithoutCancel(ctx), id, end)
	if r := s.running(id); r != nil && store.IsNotFound(err) {
		// A quick call without a record yet: its only record will tell the end.
		r.cancel(errCancelled)
		return s.cancelled(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	if j.State == Cancelled {
		s.dispatch.forget(store.QueuedJob{ID: id, Queue: j.Queue})
		s.hub.Signal(id)
		return j, nil
	}
	if r := s.running(id); r != nil {
		r.cancel(errCancelled)
	}
	return s.cancelled(ctx, id)
}

// cancelled waits for a cancelled run to end.
func (s *Service) cancelled(ctx context.Context, id string) (*Job, error) {
	j, err := s.wait(ctx, id, 3*time.Second)
	if err != nil || !j.State.Finished() {
		return j, err
	}
	return finishedAs(j)
}

func finishedAs(j *Job) (*Job, error) {
	if j.State == Cancelled {
		return j, nil
	}
	return j, contract.Errorf(contract.CodeConflict, "job %s has already %s", j.ID, j.State).With("status", string(j.State))
}

// Delete implements API.
func (s *Service) Delete(ctx context.Context, id string) error { return s.db.DeleteJob(ctx, id) }

// Pin implements API.
func (s *Service) Pin(ctx context.Context, id string, pinned bool) error {
	return s.db.PinJob(ctx, id, pinned)
}

// Artifacts implements API.
func (s *Service) Artifacts(ctx context.Context, id string) ([]store.Artifact, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	return s.db.Artifacts(ctx, id)
}

// Artifact implements API.
func (s *Service) Artifact(ctx context.Context, id, name string) (store.Artifact, error) {
	return s.db.Artifact(ctx, id, name)
}
