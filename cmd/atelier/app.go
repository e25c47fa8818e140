package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"atelier/agent"
	"atelier/contract"
	"atelier/engine"
	"atelier/job"
	"atelier/modelserver"
	"atelier/runner"
	"atelier/session"
	"atelier/store"
	"atelier/tools"
	"atelier/tools/notebook"
	"atelier/web/fetch"
	"atelier/web/search/local"
	"atelier/wire/openai"
)

// app is the program's parts, put together.
type app struct {
	tools *contract.Registry
	host  *engine.LocalHost
	db    *store.DB
	blobs *store.Blobs
	jobs  *job.Service
	log   *slog.Logger
	files runner.Resolver // of file arguments

	agent    *agent.Agent
	sessions *session.Service

	notebooks *shelf
	lanes     *modelserver.Manager
	pages     *fetch.Fetcher
	index     *local.Index // nil where another service searches

	traced func(context.Context) error // ends the tracing

	closers []func(context.Context) error // of the wires; they go before the parts they use
}

// smallContent is the size up to which a content is a row of the database.
const smallContent = 32 << 10

// source is where file arguments find stored contents.
type source struct {
	*store.DB
	blobs *store.Blobs
}

func (s source) LocalPath(ctx context.Context, sha string) (string, error) {
	return s.blobs.LocalPath(ctx, sha)
}

func newHost(s storage, warm map[string]int) (*engine.LocalHost, error) {
	work := filepath.Join(s.workDir(), "engines")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	return engine.NewHost(engine.Options{Root: s.Engines, Work: work, Threads: s.Threads, Warm: warm, Log: logger(s.LogLevel)})
}

// open puts the parts together; queues nil lets SQLite serve every queue.
func open(ctx context.Context, s storage, n narrowing, thinking modelFlags, quota int64, queues map[string]int, warm map[string]int) (*app, error) {
	if err := s.fill(); err != nil {
		return nil, err
	}
	a := &app{log: logger(s.LogLevel)}
	opened := false
	defer func() {
		if !opened {
			_ = a.close(context.Background())
		}
	}()
	var err error
	if a.host, err = newHost(s, warm); err != nil {
		return nil, err
	}
	own, err := filepath.Abs(s.ownFiles())
	if err != nil {
		return nil, err
	}
	a.notebooks = &shelf{folder: own}
	if a.lanes, err = newLanes(s); err != nil {
		return nil, err
	}
	searcher, index, err := s.searcher(s.Data, a.log)
	if err != nil {
		return nil, err
	}
	a.index = index
	editor, err := s.editor(thinking, a.lanes.Find)
	if err != nil {
		return nil, err
	}
	if a.pages, err = s.fetcher(s.Data, a.log, remembered(index)); err != nil {
		return nil, err
	}
	if a.tools, err = contract.NewRegistry(n.all(tools.Parts{Host: a.host, Notebooks: a.notebooks, Hub: notebook.Hub{Pages: a.pages, Base: s.WebModelHub}, Models: a.lanes, Pages: a.pages, Search: searcher, Editor: editor})); err != nil {
		return nil, err
	}
	if a.tools, err = a.tools.Select(n.selection()); err != nil {
		return nil, err
	}
	if a.db, err = store.Open(ctx, s.Database); err != nil {
		return nil, err
	}
	a.notebooks.db = a.db
	a.lanes.Attach(a.db)
	if !a.db.Shared() {
		queues = withLanes(queues)
	}
	a.blobs, err = store.OpenBlobs(ctx, a.db, s.Artifacts, store.BlobOptions{
		CacheDir: filepath.Join(s.Data, "cache"), Quota: quota, Small: smallContent,
	})
	if err != nil {
		return nil, err
	}
	stop, err := traced(ctx)
	if err != nil {
		return nil, err
	}
	a.traced = stop
	a.files = runner.Resolver{Roots: s.Root, Source: source{a.db, a.blobs}}
	executor := runner.NewExecutor(a.tools, a.files)
	a.jobs, err = job.New(ctx, a.db, a.blobs, executor, job.Options{
		WorkDir: filepath.Join(s.workDir(), "jobs"), Queues: queues, DefaultConcurrency: 1, Logger: a.log,
	})
	if err != nil {
		return nil, err
	}
	planner := agent.NewPlanner(a.tools, agent.Artifacts{Jobs: a.jobs, Blobs: a.blobs})
	a.agent = &agent.Agent{Planner: planner, DB: a.db, Budget: thinking.budget()}
	if client, err := thinking.client(a.lanes.Find); err != nil {
		return nil, err
	} else if client != nil {
		a.agent.Loop = &agent.Loop{Model: client, Budget: thinking.budget()}
	}
	if a.sessions, err = session.New(ctx, a.db, a.blobs, a.tools, a.jobs, session.Options{Runner: a.agent, MaxRuns: 256, Logger: a.log}); err != nil {
		return nil, err
	}
	opened = true
	return a, nil
}

// close ends the parts in the order in which they lean on each other.
func (a *app) close(ctx context.Context) error {
	var errs []error
	for _, closer := range a.closers {
		errs = append(errs, closer(ctx))
	}
	if a.sessions != nil {
		a.sessions.Close()
	}
	if a.jobs != nil {
		errs = append(errs, a.jobs.Drain(ctx))
	}
	if a.lanes != nil {
		errs = append(errs, a.lanes.Close())
	}
	if a.host != nil {
		errs = append(errs, a.host.Close())
	}
	if a.pages != nil {
		errs = append(errs, a.pages.Close())
	}
	if a.index != nil {
		errs = append(errs, a.index.Close())
	}
	if a.blobs != nil {
		errs = append(errs, a.blobs.Close())
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
	}
	if a.traced != nil {
		errs = append(errs, a.traced(ctx))
	}
	return errors.Join(errs...)
}

// sweep removes what the policy lets go, now and then, until ctx ends.
func (a *app) sweep(ctx context.Context, k keeping) {
	policy := store.Policy{JobAge: k.KeepJobs, FileAge: k.KeepFiles, SessionAge: k.KeepSessions, DocumentAge: map[string]time.Duration{openai.DocumentKind: k.KeepJobs, store.CaptureKind: k.KeepFiles, notebookKind: k.KeepSessions}, MaxBytes: k.QuotaBytes * 9 / 10}
	tick := time.NewTicker(k.SweepInterval)
	defer tick.Stop()
	for {
		if swept, err := a.blobs.Sweep(ctx, policy); err != nil && ctx.Err() == nil {
			a.log.Warn("the sweep failed", "error", err)
		} else if swept.Jobs+swept.Files+swept.Sessions+swept.Blobs > 0 {
			a.log.Info("swept", "jobs", swept.Jobs, "files", swept.Files, "sessions", swept.Sessions, "contents", swept.Blobs, "bytes", swept.Bytes)
		}
		if n, err := a.notebooks.sweep(k.KeepSessions); err != nil {
			a.log.Warn("the sweep of notebooks failed", "error", err)
		} else if n > 0 {
			a.log.Info("swept", "notebooks", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
