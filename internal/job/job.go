// Package job is the one way in which a tool is called: every call is a job
// with an unguessable id, a durable record, events, artifacts, and exactly one
// end. No reply goes out before its record is durable.
//
// A quick tool (Route.Queue is "") runs inside the server at once and costs one
// durable record. If it is not done within Options.RecordAfter it gets a record
// `running`, so that it can be seen, followed and cancelled like any other. A
// tool of an engine, or any heavy one, names a queue: its record `queued` is
// durable first, then it is dispatched: to this server's own goroutines when
// the database is SQLite, through River to any worker when it is Postgres.
//
// What the process or machine that runs a job loses, the job does not: after a
// kill -9 a finished job has its result, and a queued or running one is run
// again (when its tool is idempotent, at most Options.MaxReruns times) or ends
// as failed with the code interrupted. None stays running for ever.
//
// The package knows no tool, no engine and no protocol: an Executor does the work.
package job

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Job is the record of a call.
type Job = store.Job

// State of a job.
type State = store.State

// The states of a job.
const (
	Queued    = store.Queued
	Running   = store.Running
	Succeeded = store.Succeeded
	Failed    = store.Failed
	Cancelled = store.Cancelled
)

// Request is a call to be made.
type Request struct {
	// ID, when not "", is the job's id, made by store.NewJobID: for a caller
	// that must write down which job it is about to make.
	ID     string
	Tool   string          // name or alias
	Input  json.RawMessage // nil counts as {}
	Limits json.RawMessage // any subset of the limits, as JSON; nil for the tool's own
	// LimitsAt is where the caller wrote them, as a JSON pointer; "" for /limits.
	LimitsAt string
	Context  json.RawMessage // opaque to this package, kept with the job; nil for none

	RequestID string
	// IdempotencyKey, when not "", makes a repeated Submit return the first
	// one's job; the same key with another tool or input is a conflict.
	IdempotencyKey string
	// Once refuses a repeated key with duplicate_request instead, whatever the
	// call; the error names the first job.
	Once bool

	// Async returns as soon as the record is durable: `queued`, or for a quick
	// tool finished (or `running`, when it takes longer than RecordAfter).
	Async bool
	// Wait bounds how long a Submit that is not Async waits for the end; the job
	// is then returned as it is. 0 waits until the end.
	Wait time.Duration
}

// Route says how a call is to be run.
type Route struct {
	Tool       string // canonical name
	Queue      string // the engine (mfem, occt …) or the name of a heavy kernel; "" for quick in-process tools
	Idempotent bool   // may be run again after an interruption
	Quick      bool   // mostly done in seconds: it does not wait behind long ones of its queue
}

// Run is one attempt at a job, as the Executor sees it.
type Run struct {
	Job    *Job                 // read only; Job.Attempt counts from 1
	Dir    string               // absolute, exists, empty, for this attempt alone; emptied after Execute
	Report func(contract.Event) // progress and log lines; safe from any goroutine; never blocks
	Routed bool                 // Route has just accepted this very call, so its input needs no second check
}

// Executor does the work of jobs. Package runner implements it.
type Executor interface {
	// Route is asked before anything is recorded. An error (unknown_tool,
	// invalid_request, payload_too_large, missing_dependency …) goes to the caller
	// and leaves no record.
	Route(ctx context.Context, req *Request) (Route, error)
	// Execute runs one attempt and never returns nil. It must end soon after ctx
	// does, with no process left. Artifacts are files below run.Dir: their bytes
	// and hashes are filled in, and the files stored, when Execute has returned.
	// A panic becomes internal_error.
	Execute(ctx context.Context, run *Run) *contract.Result
}

// Event is something that happened to a job. Seq grows within a job, also over
// attempts and restarts; it is the SSE event id. Type is `state` (State is set),
// `progress` or `log`. The last event of a job is its final state.
type Event struct {
	Seq      int64     `json:"seq"`
	Type     string    `json:"type"`
	Time     time.Time `json:"time"`
	State    State     `json:"state,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Fraction *float64  `json:"fraction,omitempty"`
	Level    string    `json:"level,omitempty"`
	Message  string    `json:"message,omitempty"`
}

// Options of a Service. The zero value of a field means its default.
type Options struct {
	// WorkDir holds the jobs' folders, in one of its own for each process; required.
	WorkDir string
	// Queues are the queues that this process serves, with the number of jobs at
	// once of each. With SQLite a queue that is missing here runs
	// DefaultConcurrency at once; with Postgres only these are served, and nil
	// makes a server that leaves all queued work to workers.
	Queues             map[string]int
	DefaultConcurrency int           // 2
	InlineLimit        int           // quick jobs at once; 64
	QueueLimit         int           // jobs waiting in one queue; 1024; more is too_many_requests
	MaxReruns          int           // after interruptions, of idempotent tools; 2; negative for none
	RecordAfter        time.Duration // 100 ms
	EventTail          int           // events kept of a job; 256

	// Of Postgres: how often a worker renews the leases of its jobs, and how
	// long after the last renewal another process takes a job over. 2 s, 10 s.
	Heartbeat, Lease time.Duration

	Logger *slog.Logger // slog.Default()
}

func (o Options) withDefaults() Options {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.DefaultConcurrency, 2)
	def(&o.InlineLimit, 64)
	def(&o.QueueLimit, 1024)
	def(&o.MaxReruns, 2)
	def(&o.EventTail, 256)
	wait := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	wait(&o.RecordAfter, 100*time.Millisecond)
	wait(&o.Heartbeat, 2*time.Second)
	wait(&o.Lease, 10*time.Second)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Filter selects jobs for List. Empty fields select all.
type Filter = store.JobFilter

// Page is a part of a list, newest first. Next is "" on the last page.
type Page = store.JobPage
