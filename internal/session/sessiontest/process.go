// Package sessiontest puts the parts that sessions need together for tests:
// database, contents, job engine, sessions, and two tools that take their time
// and read files, run by the real runner.
package sessiontest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/runner"
	"atelier/internal/session"
	"atelier/internal/store"
	"atelier/internal/store/storetest"
	"atelier/internal/tools/basics"
	"atelier/internal/tools/mesh"
)

// Process is one process's parts. Several may share a Postgres database and a
// folder of contents.
type Process struct {
	DB       *store.DB
	Blobs    *store.Blobs
	Jobs     *job.Service
	Sessions *session.Service
	Tools    *contract.Registry
	closed   atomic.Bool
}

// Open opens a process at a database URL with its files under dir.
func Open(url, dir string, runs session.Runner) (*Process, error) {
	ctx := context.Background()
	h := &Process{}
	var err error
	if h.Tools, err = contract.NewRegistry(append(append(basics.Tools(), mesh.Tools(nil)...), countSlowly, describeFile)); err != nil {
		return nil, err
	}
	if h.DB, err = store.Open(ctx, url); err != nil {
		return nil, err
	}
	h.Blobs, err = store.OpenBlobs(ctx, h.DB, filepath.Join(dir, "blobs"), store.BlobOptions{Grace: 50 * time.Millisecond})
	if err != nil {
		return nil, errors.Join(err, h.DB.Close())
	}
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	executor := runner.NewExecutor(h.Tools, runner.Resolver{Roots: []string{dir}, Source: source{h.DB, h.Blobs}})
	h.Jobs, err = job.New(ctx, h.DB, h.Blobs, executor, job.Options{
		WorkDir: filepath.Join(dir, "work"), Queues: map[string]int{"counter": 8}, DefaultConcurrency: 8,
		Heartbeat: 200 * time.Millisecond, Lease: time.Second, Logger: quiet,
	})
	if err != nil {
		return nil, errors.Join(err, h.Blobs.Close(), h.DB.Close())
	}
	h.Sessions, err = session.New(ctx, h.DB, h.Blobs, h.Tools, h.Jobs, session.Options{
		Runner: runs, Heartbeat: 200 * time.Millisecond, Lease: time.Second, MaxRuns: 200, Logger: quiet,
	})
	if err != nil {
		return nil, errors.Join(err, h.Jobs.Drain(ctx), h.Blobs.Close(), h.DB.Close())
	}
	return h, nil
}

type source struct {
	*store.DB
	blobs *store.Blobs
}

func (s source) LocalPath(ctx context.Context, sha string) (string, error) {
	return s.blobs.LocalPath(ctx, sha)
}

// Close stops the process in order; a second time does nothing.
func (h *Process) Close() error {
	if h.closed.Swap(true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	h.Sessions.Close()
	return errors.Join(h.Jobs.Drain(ctx), h.Blobs.Close(), h.DB.Close())
}

// Start is Open for a test, which closes the process at its end.
func Start(t testing.TB, url, dir string, runs session.Runner) *Process {
	t.Helper()
	h, err := Open(url, dir, runs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h
}

// Runs makes a Runner of a function.
type Runs func(ctx context.Context, r *session.Run) (string, error)

// Run implements session.Runner.
func (f Runs) Run(ctx context.Context, r *session.Run) (string, error) { return f(ctx, r) }

// OnEach runs a test on SQLite, and on Postgres where a server is given.
func OnEach(t *testing.T, test func(t *testing.T, url, dir string)) {
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		test(t, filepath.Join(dir, "atelier.db"), dir)
	})
	t.Run("postgres", func(t *testing.T) { test(t, storetest.Postgres(t, "session", 20), t.TempDir()) })
}
