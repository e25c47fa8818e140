// Package engine runs native programs for tools: as child processes, each in a
// sandbox with limits of time, memory, processor time, file size and process
// count, speaking one protocol of JSON lines. A crash, a hang or a leak of an
// engine costs one job and nothing else.
//
// The protocol: one JSON object on stdin; on stdout one JSON object a line,
//
//	{"type":"progress","fraction":0.4,"message":"assembling"}
//	{"type":"log","level":"info","message":"…"}
//	{"type":"result","output":{…},"artifacts":[{"name","mime_type","files","primary"}],"metrics":{…},"warnings":[{"code","message"}]}
//	{"type":"error","code":"ERR_…","message":"…","hint":"…","field":"/config/…","details":{…}}
//
// with exactly one result or error, the last line, after which the program ends
// with exit status 0. Any other line on stdout and all of stderr is log text. An
// engine of ours that ends in another way after its answer is told in a warning,
// as its libraries may fail while they are taken down; a tool from outside has
// failed then. An engine's working folder is the job's folder; it
// writes nowhere else, and names its files relative to it.
package engine

import (
	"context"
	"encoding/json"

	"atelier/internal/contract"
)

// Host runs engines. Tools hold it; tests may hold their own.
type Host interface {
	// Run starts the engine for one job and waits for its answer. Progress and
	// log lines go to call.Report. The error is a *contract.Error: the engine's
	// own, or timeout, cancelled, engine_crashed, memory_exceeded, output_flood,
	// missing_dependency, each with the tail of the log. When it returns, no
	// process of the job is left.
	Run(ctx context.Context, call *contract.Call, job Job) (*Reply, error)
	// Check is nil when the engine can run here, else a missing_dependency
	// error whose hint is the command that installs it.
	Check(name string) error
}

// Job is one run of an engine.
type Job struct {
	Engine  string // mfem, occt, truck, vtk, notebook, ngspice
	Request any    // encoded as JSON on stdin
	// Inputs are the files that the engine may read beside its own program and
	// libraries: the name it sees, relative to its working folder ("in/part.step"),
	// and the absolute path of the file. The engine cannot write to them.
	Inputs map[string]string
	// Args replaces the protocol for a program that does not speak it (ngspice):
	// the command line's arguments. Request is then its standard input where it is
	// a string and ignored otherwise, stdout and stderr are the log, and the reply
	// has only the log with its exit code.
	Args []string
}

// Reply is what an engine answered.
type Reply struct {
	Output    json.RawMessage     `json:"output"`
	Summary   string              `json:"summary"`   // of a tool from outside, which has no code of ours to make it
	Evidence  json.RawMessage     `json:"evidence"`  // likewise: its checks and quantities, never a trust
	Artifacts []contract.Artifact `json:"artifacts"` // names relative to call.Dir
	Metrics   map[string]any      `json:"metrics"`
	Warnings  []contract.Warning  `json:"warnings"`
	Log       contract.Log        `json:"-"`
	Line      json.RawMessage     `json:"-"` // the whole answer as it was written
	// Ending is how the process ended after its answer; "" for exit status 0. One
	// that did not end is ended, with SIGKILL.
	Ending string `json:"-"`
}

// Said is the cause of an error that an engine itself has answered, in the place of
// one that the host has found.
type Said struct {
	Line          json.RawMessage // the whole answer as it was written
	Code, Message string          // of it; Code may be none of the catalogue
}

func (s *Said) Error() string { return s.Message }
