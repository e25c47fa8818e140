// Package doctor examines this machine: which engines are there and in which
// version, how strong the sandbox is, whether there is room for the data, and,
// when asked, whether each engine gives the right answer to a case whose answer
// is known.
package doctor

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

// Options say what is examined.
type Options struct {
	Host     *engine.LocalHost
	Data     string // the data folder
	Selftest bool   // run a golden case per engine
	// Backends are the ways to serve a language model, as they were found.
	Backends []Backend
	// Version of the program, and what else its build knows of itself.
	Version string
}

// Report is all that was found. OK is false when something is broken; a missing
// engine is not, since its tools are only left out.
type Report struct {
	Version string   `json:"version"`
	Go      string   `json:"go"`
	OK      bool     `json:"ok"`
	Sandbox Sandbox  `json:"sandbox"`
	Data    Folder   `json:"data"`
	Engines []Engine `json:"engines"`
	// EnginesFolder is where those of this project are looked for.
	EnginesFolder string    `json:"engines_folder"`
	Backends      []Backend `json:"backends,omitempty"`
}

// Backend is a way to serve a language model, with its program.
type Backend struct {
	Name      string `json:"name"`
	Installed bool   `json:"installed"`
	Path      string `json:"path,omitempty"`
	Hint      string `json:"hint,omitempty"` // how to install it
}

// Sandbox says how engines are confined here.
type Sandbox struct {
	Name    string   `json:"level"` // full, partial or none
	Missing []string `json:"missing"`
	engine.Level
}

// Folder is the data folder's state.
type Folder struct {
	Path      string `json:"path"`
	Writable  bool   `json:"writable"`
	FreeBytes int64  `json:"free_bytes"` // -1 where it is unknown
	Fault     string `json:"fault,omitempty"`
}

// Engine is one engine's state.
type Engine struct {
	Name      string            `json:"name"`
	Title     string            `json:"title"`
	Licence   string            `json:"licence"`
	Installed bool              `json:"installed"`
	Path      string            `json:"path,omitempty"`
	Version   string            `json:"version,omitempty"`
	Libraries map[string]string `json:"libraries,omitempty"`
	Fault     string            `json:"fault,omitempty"` // installed, and yet it does not start
	Hint      string            `json:"hint,omitempty"`  // how to install it
	Selftest  *Selftest         `json:"selftest,omitempty"`
}

// Selftest is the outcome of an engine's golden cases.
type Selftest struct {
	Status  string  `json:"status"` // passed, failed, or none when the engine has no case
	Cases   []Case  `json:"cases"`
	Seconds float64 `json:"seconds"`
	Fault   string  `json:"fault,omitempty"`
}

// Case is one golden case: what came out, and what is known to be right.
type Case struct {
	Name     string  `json:"case"`
	OK       bool    `json:"ok"`
	Actual   float64 `json:"actual"`
	Expected float64 `json:"expected"`
}

// lowSpace is the free room below which a warning is due.
const lowSpace = 2 << 30

// Examine looks at everything. It takes as long as the engines take to start,
// and with Selftest as long as their cases take.
func Examine(ctx context.Context, o Options) Report {
	r := Report{Version: o.Version, Go: runtime.Version(), OK: true, Data: examineFolder(o.Data), Backends: o.Backends, EnginesFolder: o.Host.Root()}
	level := o.Host.Level()
	r.Sandbox = Sandbox{level.Name(), append([]string{}, level.Missing()...), level}
	specs := o.Host.Engines()
	r.Engines = make([]Engine, len(specs))
	var wait sync.WaitGroup
	for i, s := range specs {
		wait.Go(func() { r.Engines[i] = examineEngine(ctx, o, s) })
	}
	wait.Wait()
	r.OK = r.Data.Writable
	for _, e := range r.Engines {
		if e.Fault != "" || (e.Selftest != nil && e.Selftest.Status == "failed") {
			r.OK = false
		}
	}
	return r
}

func examineEngine(ctx context.Context, o Options, s engine.Spec) Engine {
	e := Engine{Name: s.Name, Title: s.Title, Licence: s.Licence}
	path, err := o.Host.Path(s.Name)
	if err != nil {
		fault := contract.AsError(err)
		e.Hint = fault.Hint
		return e
	}
	e.Installed, e.Path = true, path
	reply, err := runEngine(ctx, o.Host, s.Name, 20*time.Second, "", "--version")
	if err != nil {
		e.Fault = contract.AsError(err).Message
		e.Hint = s.Hint
		return e
	}
	e.Version, e.Libraries = readVersion(reply.Log.Stdout)
	if e.Version == "" {
		e.Fault = "it does not tell its version: " + firstLine(reply.Log.Stderr+reply.Log.Stdout)
		e.Hint = s.Hint
		return e
	}
	if o.Selftest {
		e.Selftest = selftest(ctx, o.Host, s.Name)
	}
	return e
}

// runEngine runs a program in a fresh folder of its own.
func runEngine(ctx context.Context, host *engine.LocalHost, name string, limit time.Duration, stdin string, args ...string) (*engine.Reply, error) {
	dir, err := os.MkdirTemp("", "atelier-doctor-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	limits := contract.DefaultLimits()
	limits.TimeoutMS = limit.Milliseconds()
	call := &contract.Call{Tool: "doctor", JobID: "doctor", Dir: dir, Limits: limits, Report: func(contract.Event) {}}
	return host.Run(ctx, call, engine.Job{Engine: name, Args: args, Request: stdin})
}

var ngspiceVersion = regexp.MustCompile(`ngspice-([0-9][0-9.+]*)`)

// readVersion reads the JSON line of a driver, or the banner of ngspice.
func readVersion(text string) (version string, libraries map[string]string) {
	for line := range strings.Lines(text) {
		var told struct {
			Version   string            `json:"version"`
			Libraries map[string]string `json:"libraries"`
		}
		if json.Unmarshal([]byte(line), &told) == nil && told.Version != "" {
			return told.Version, told.Libraries
		}
	}
	if m := ngspiceVersion.FindStringSubmatch(text); m != nil {
		return m[1], nil
	}
	return "", nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// examineFolder tries to write into the data folder, which must exist or be
// makeable.
func examineFolder(path string) Folder {
	f := Folder{Path: path, FreeBytes: -1}
	if abs, err := filepath.Abs(path); err == nil {
		f.Path = abs
	}
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		f.Fault = err.Error()
		return f
	}
	probe, err := os.CreateTemp(f.Path, ".doctor-")
	if err != nil {
		f.Fault = err.Error()
		return f
	}
	_, err = probe.WriteString("x")
	if err == nil {
		err = probe.Sync()
	}
	probe.Close()
	os.Remove(probe.Name())
	if err != nil {
		f.Fault = err.Error()
		return f
	}
	f.Writable, f.FreeBytes = true, freeBytes(f.Path)
	return f
}
