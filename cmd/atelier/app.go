package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/doctor"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/job"
	"atelier/internal/protocol/openai"
	"atelier/internal/runner"
	"atelier/internal/session"
	"atelier/internal/store"
	"atelier/internal/study"
	"atelier/internal/tools"
	"atelier/internal/tools/mlx/modelserver"
	"atelier/internal/tools/notebook"
	"atelier/internal/tools/toolbox"
	"atelier/internal/tools/web/fetch"
	"atelier/internal/tools/web/search/local"
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

	studies   *study.Service
	notebooks *notebookStore
	backends  *modelserver.Manager
	pages     *fetch.Fetcher
	index     *local.Index // nil where another service searches

	traced     func(context.Context) error // ends the tracing
	watchTools func(context.Context)       // tells MCP clients of tools that come and go

	closers []func(context.Context) error // of the protocols; they go before the parts they use
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

// cold keeps no engine waiting ahead of its job, for programs that end soon.
var cold = map[string]int{"vtk": 0, "notebook": 0}

// newHost makes the host of the engines, which work below a folder.
func newHost(s storage, work string, warm map[string]int) (*engine.LocalHost, error) {
	work = filepath.Join(work, "engines")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	further, err := s.engines()
	if err != nil {
		return nil, err
	}
	return engine.NewHost(engine.Options{Root: s.Engines, Engines: further, Work: work, Threads: s.Threads, Warm: warm, Log: logger(s.LogLevel)})
}

// setup is what a command asks of the parts.
type setup struct {
	storage
	narrowing
	modelFlags
	quota  int64
	queues map[string]int // nil lets SQLite serve every queue
	only   string         // name or alias of the one tool that is needed; "" for all
	warm   map[string]int // engines that are started ahead
}

// open puts the parts together.
func open(ctx context.Context, s setup) (*app, error) {
	if err := s.fill(); err != nil {
		return nil, err
	}
	a := &app{log: logger(s.LogLevel)}
	for _, part := range []func(context.Context, *setup) error{a.openTools, a.openStore, a.openJobs, a.openSessions} {
		if err := part(ctx, &s); err != nil {
			_ = a.close(context.WithoutCancel(ctx))
			return nil, err
		}
	}
	return a, nil
}

// openTools makes the tools with what they need, and chooses those that are served.
func (a *app) openTools(_ context.Context, s *setup) (err error) {
	if a.host, err = newHost(s.storage, s.workDir(), s.warm); err != nil {
		return err
	}
	own, err := filepath.Abs(s.ownFiles())
	if err != nil {
		return err
	}
	a.notebooks, a.studies = &notebookStore{folder: own}, &study.Service{Build: version}
	if a.backends, err = newBackends(s.storage); err != nil {
		return err
	}
	parts := tools.Parts{Host: a.host, Notebooks: a.notebooks, Models: a.backends, Jobs: finishedJobs{a}, Studies: a.studies,
		Program: toolbox.Program{Tools: func() *contract.Registry { return a.tools }, Roots: s.Root, Store: kept{a}}}
	if parts.Search, a.index, err = s.searcher(s.Data, a.log); err != nil {
		return err
	}
	if parts.Editor, err = s.editor(s.modelFlags, a.backends.Find); err != nil {
		return err
	}
	if a.pages, err = s.fetcher(s.Data, a.log, remembered(a.index)); err != nil {
		return err
	}
	parts.Pages, parts.Hub = a.pages, notebook.Hub{Pages: a.pages, Base: s.WebModelHub}
	list, err := s.allTools(parts)
	if err != nil {
		return err
	}
	if a.tools, err = contract.NewRegistry(onlyTool(s.withFixtures(list), s.only)); err != nil {
		return err
	}
	a.tools, err = a.tools.Select(s.selection())
	return err
}

// finishedJobs are what verify_claim asks for; the database is opened after the tools.
type finishedJobs struct{ app *app }

func (f finishedJobs) MadeFrom(ctx context.Context, jobID string) ([]evidence.Input, error) {
	return f.app.db.MadeFrom(ctx, jobID)
}

func (f finishedJobs) Result(ctx context.Context, jobID string) (string, *contract.Result, error) {
	j, err := f.app.db.Job(ctx, jobID)
	switch {
	case err != nil:
		return "", nil, err
	case !j.State.Finished():
		return "", nil, contract.Errorf(contract.CodeConflict, "the job %s is %s: it has no figures yet", jobID, j.State).WithHint("Wait for it with GET /v1/jobs/%s.", jobID)
	case j.Result == nil || j.Result.Status == contract.StatusError:
		return "", nil, contract.Errorf(contract.CodeConflict, "the job %s %s, so it has no figures", jobID, j.State).WithHint("Run it again.")
	}
	return j.Tool, j.Result, nil
}

// kept are the files and jobs that the tool files shows.
type kept struct{ app *app }

func (k kept) Uploads(ctx context.Context, limit int) ([]toolbox.Entry, error) {
	files, _, err := k.app.db.FilesAfter(ctx, limit, "")
	var list []toolbox.Entry
	for _, f := range files {
		list = append(list, toolbox.Entry{Reference: "file:" + f.ID, Name: f.Name, Bytes: f.Bytes})
	}
	return list, err
}

func (k kept) Artifacts(ctx context.Context, jobID string) ([]toolbox.Entry, error) {
	files, err := k.app.jobs.Artifacts(ctx, jobID)
	var list []toolbox.Entry
	for _, f := range files {
		list = append(list, toolbox.Entry{Reference: contract.ArtifactURL(jobID, f.Name), Name: f.Name, Bytes: f.Bytes})
	}
	return list, err
}

func (k kept) Output(ctx context.Context, jobID string) (json.RawMessage, error) {
	_, result, err := finishedJobs(k).Result(ctx, jobID)
	if err != nil {
		return nil, err
	}
	return result.OutputJSON(), nil
}

// onlyTool is the one tool of a name; all where there is none, so that its
// caller hears which names there are.
func onlyTool(list []contract.Tool, name string) []contract.Tool {
	for i := range list {
		if c := list[i].Contract; name != "" && (c.Name == name || c.Alias() == name) {
			if c.Family == "study" || c.Family == toolbox.Family { // it needs others
				return list
			}
			return list[i : i+1]
		}
	}
	return list
}

// openStore opens the rows and the contents.
func (a *app) openStore(ctx context.Context, s *setup) (err error) {
	if a.db, err = store.Open(ctx, s.Database); err != nil {
		return err
	}
	a.notebooks.db, a.studies.DB = a.db, a.db
	a.backends.Attach(a.db)
	a.blobs, err = store.OpenBlobs(ctx, a.db, s.Artifacts, store.BlobOptions{
		CacheDir: filepath.Join(s.Data, "cache"), Quota: s.quota, Small: smallContent,
	})
	return err
}

func (a *app) openJobs(ctx context.Context, s *setup) (err error) {
	if a.traced, err = traced(ctx); err != nil {
		return err
	}
	queues := s.queues
	if !a.db.Shared() {
		queues = withWaiting(queues)
	}
	a.files = runner.Resolver{Roots: s.Root, Source: source{a.db, a.blobs}}
	executor := runner.NewExecutor(a.tools, a.files)
	executor.Selftest = doctor.Stamps(s.Data, a.host)
	a.studies.Tools = a.tools
	a.jobs, err = job.New(ctx, a.db, a.blobs, executor, job.Options{
		WorkDir: filepath.Join(s.workDir(), "jobs"), Queues: queues, DefaultConcurrency: 1, Logger: a.log,
	})
	a.studies.Jobs = a.jobs
	return err
}

// openSessions puts the agent over the jobs, with a model or without.
func (a *app) openSessions(ctx context.Context, s *setup) error {
	planner := agent.NewPlanner(a.tools, agent.Artifacts{Jobs: a.jobs, Blobs: a.blobs})
	a.agent = &agent.Agent{Planner: planner, DB: a.db, Budget: s.budget(), Standard: s.standard(s.outsideFlags)}
	client, err := s.client(a.backends.Find)
	if err != nil {
		return err
	}
	if client != nil {
		a.agent.Loop = &agent.Loop{Model: client, Budget: s.budget(), Window: s.ModelWindow}
	}
	a.sessions, err = session.New(ctx, a.db, a.blobs, a.tools, a.jobs, session.Options{Runner: a.agent, MaxRuns: 256, Logger: a.log})
	return err
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
	if a.backends != nil {
		errs = append(errs, a.backends.Close())
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
	ages := map[string]time.Duration{
		openai.DocumentKind: k.KeepJobs, study.RunKind: k.KeepJobs, study.StepKind: k.KeepJobs,
		store.CaptureKind: k.KeepFiles, notebookKind: k.KeepSessions, study.Kind: k.KeepSessions,
	}
	policy := store.Policy{JobAge: k.KeepJobs, FileAge: k.KeepFiles, SessionAge: k.KeepSessions, DocumentAge: ages, MaxBytes: k.QuotaBytes * 9 / 10}
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
