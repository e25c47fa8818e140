// Package jobtest is the one test suite of the job engine, which every
// combination of database and dispatcher must pass. Its tools do real work on
// real files and processes, only small: what is tested is what the engine makes
// of them, not what they compute.
package jobtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
)

// Input of all test tools.
type Input struct {
	Note    string            `json:"note,omitempty"`
	Files   map[string]string `json:"files,omitempty"`   // written to the job's folder
	Series  []string          `json:"series,omitempty"`  // of the first artifact
	Link    string            `json:"link,omitempty"`    // a symbolic link, declared as an artifact
	Events  int               `json:"events,omitempty"`  // log lines to report
	Mode    string            `json:"mode,omitempty"`    // fail, panic, nan, nil
	Started string            `json:"started,omitempty"` // a file that gets a line with each start
	Release string            `json:"release,omitempty"` // the tool waits until this file exists
	Exit    bool              `json:"exit,omitempty"`    // the whole process dies at once
}

// The tools: quick ones run inline; engine ones in the queue "engine".
const (
	Quick  = "quick"
	Engine = "engine"      // idempotent
	Once   = "engine_once" // not idempotent
	Brief  = "brief"       // idempotent, said to be done in seconds
	Other  = "other"       // idempotent, in the queue "other"
)

// Tools is the executor of the suite.
type Tools struct {
	mu   sync.Mutex
	ran  map[string]int // by note
	peak int
	now  int
}

// Route implements job.Executor.
func (x *Tools) Route(_ context.Context, req *job.Request) (job.Route, error) {
	switch req.Tool {
	case Quick:
		return job.Route{Tool: Quick, Idempotent: true}, nil
	case Engine:
		return job.Route{Tool: Engine, Queue: "engine", Idempotent: true}, nil
	case Once:
		return job.Route{Tool: Once, Queue: "engine"}, nil
	case Brief:
		return job.Route{Tool: Brief, Queue: "engine", Idempotent: true, Quick: true}, nil
	case Other:
		return job.Route{Tool: Other, Queue: "other", Idempotent: true}, nil
	}
	return job.Route{}, contract.Errorf(contract.CodeUnknownTool, "no tool is named %q", req.Tool)
}

// Execute implements job.Executor.
func (x *Tools) Execute(ctx context.Context, run *job.Run) *contract.Result {
	var in Input
	if err := json.Unmarshal(run.Job.Input, &in); err != nil {
		return contract.Failure("test", contract.Errorf(contract.CodeInvalidInput, "%v", err))
	}
	defer x.enter(in.Note)()
	if in.Started != "" {
		appendLine(in.Started, fmt.Sprintf("%s %d", run.Job.ID, run.Job.Attempt))
	}
	if in.Exit {
		os.Exit(9)
	}
	for i := range in.Events {
		run.Report(contract.Event{Type: "log", Level: "info", Message: fmt.Sprintf("line %d", i)})
	}
	if err := hold(ctx, in.Release); err != nil {
		return contract.Failure("test", contract.Errorf(contract.CodeCancelled, "ended early: %w", err))
	}
	return finish(run, in)
}

func finish(run *job.Run, in Input) *contract.Result {
	result := &contract.Result{Status: contract.StatusOK, Solver: "test", Summary: "Done: " + in.Note,
		Output: map[string]any{"note": in.Note, "attempt": run.Job.Attempt}, Metrics: map[string]any{}}
	switch in.Mode {
	case "fail":
		return contract.Failure("test", contract.Errorf(contract.CodeSolverFailed, "it did not work").WithHint("Try another."))
	case "panic":
		panic("as asked")
	case "nan":
		result.Metrics["undefined"] = math.NaN()
	case "nil":
		return nil
	}
	for name, text := range in.Files {
		path := filepath.Join(run.Dir, filepath.FromSlash(name))
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return contract.Failure("test", contract.Errorf(contract.CodeInternal, "%v", err))
		}
	}
	inSeries := map[string]bool{}
	for _, name := range in.Series {
		inSeries[name] = true
	}
	for name := range in.Files {
		if !inSeries[name] {
			result.Artifacts = append(result.Artifacts, contract.Artifact{Name: name, MIME: "text/plain", Files: in.Series})
		}
	}
	if in.Link != "" {
		os.Symlink(in.Link, filepath.Join(run.Dir, "link"))
		result.Artifacts = append(result.Artifacts, contract.Artifact{Name: "link", MIME: "text/plain"})
	}
	return result
}

// hold waits for a file, as a tool that runs for long.
func hold(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func appendLine(path, line string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, line)
		f.Close()
	}
}

func (x *Tools) enter(note string) (leave func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ran == nil {
		x.ran = map[string]int{}
	}
	x.ran[note]++
	x.now++
	x.peak = max(x.peak, x.now)
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.now--
	}
}

// Ran says how often a tool was executed with this note in this process.
func (x *Tools) Ran(note string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ran[note]
}

// Peak is the largest number of executions at once.
func (x *Tools) Peak() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.peak
}
