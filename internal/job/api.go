package job

import (
	"context"
	"time"

	"atelier/internal/store"
)

// API is what the protocols use of a Service.
type API interface {
	// Submit makes a job of the request. See Request for when it returns. When
	// ctx ends first the job goes on and is returned as it is then; only of a
	// tool whose last runs all took less than 10 ms the end is awaited, where the
	// request is neither Async nor has a Wait.
	// Errors: those of Executor.Route, too_many_requests, conflict (the key was
	// used for another call), interrupted (the server is stopping),
	// storage_unavailable. A tool's failure is no error: it is Job.Error.
	Submit(ctx context.Context, req Request) (*Job, error)
	// Get returns the job as it is now, or not_found.
	Get(ctx context.Context, id string) (*Job, error)
	// List is newest first; the cursor stays right while jobs come and go.
	List(ctx context.Context, f Filter) (Page, error)
	// Wait returns the job when it has finished, or as it is after d or ctx's end.
	Wait(ctx context.Context, id string, d time.Duration) (*Job, error)
	// Cancel ends a queued or running job and returns it, normally already
	// cancelled (it waits up to 3 s for the end). A job that finished otherwise is
	// a conflict; a cancelled one is returned.
	Cancel(ctx context.Context, id string) (*Job, error)
	// Events yields the kept events after seq, then those that happen, and closes
	// after the final state, or with ctx. A slow reader delays nobody and may miss
	// events that have left the tail; never the final one.
	Events(ctx context.Context, id string, after int64) (<-chan Event, error)
	// Delete removes a finished job with its artifacts; conflict for others.
	Delete(ctx context.Context, id string) error
	// Pin keeps a job from retention, or lets it go again.
	Pin(ctx context.Context, id string, pinned bool) error
	// Artifacts lists the stored files of a job, in the order of its result.
	Artifacts(ctx context.Context, id string) ([]store.Artifact, error)
	// Artifact is one of them by name, or not_found.
	Artifact(ctx context.Context, id, name string) (store.Artifact, error)
}
