package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"atelier/internal/contract"
	"atelier/internal/engine/nsinit"
)

// Options of a host.
type Options struct {
	Root string // folder of the installed engines (.engines)
	Work string // folder for the folders of processes that wait ahead of their job
	// SelfExe is this program, which serves as first process of an engine's
	// process namespace; empty is the running binary. A test binary works too,
	// as soon as it imports this package.
	SelfExe string
	Threads int // of one engine; 0: as many as the machine has processors
	// Warm replaces the number of waiting processes per engine; a nil map keeps
	// each engine's own, 0 turns it off.
	Warm    map[string]int
	Engines []Spec // further engines; one of the same name replaces a builtin
	Level   *Level // nil: what the machine can do; less of it for tests
	Log     *slog.Logger
}

// LocalHost runs engines as child processes of this one.
type LocalHost struct {
	root, work, self string
	threads          int
	level            Level
	log              *slog.Logger
	specs            map[string]*Spec
	names            []string

	mu      sync.Mutex
	warm    map[string]*pool
	warmDir *warmDir
	closed  bool
}

// NewHost makes a host. It starts no process: what waits ahead of its job is
// started by Prepare or by the first job of its engine.
func NewHost(o Options) (*LocalHost, error) {
	h := &LocalHost{threads: o.Threads, log: o.Log, self: o.SelfExe, specs: map[string]*Spec{}, warm: map[string]*pool{}}
	var err error
	if h.root, err = filepath.Abs(o.Root); err != nil {
		return nil, fmt.Errorf("engines' folder: %w", err)
	}
	work := o.Work
	if work == "" {
		work = os.TempDir()
	}
	if h.work, err = filepath.Abs(work); err != nil {
		return nil, fmt.Errorf("work folder: %w", err)
	}
	if h.self == "" {
		if h.self, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("path of this program: %w", err)
		}
	}
	if h.threads <= 0 {
		h.threads = runtime.NumCPU()
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	for _, s := range slices.Concat(Builtin(), o.Engines) {
		if n, ok := o.Warm[s.Name]; ok {
			s.Warm = n
		}
		if _, twice := h.specs[s.Name]; !twice {
			h.names = append(h.names, s.Name)
		}
		h.specs[s.Name] = &s
	}
	if h.level = DetectLevel(); o.Level != nil {
		h.level = *o.Level
	}
	if !h.level.ProcessNamespace {
		becomeSubreaper()
	}
	return h, nil
}

// Root is the folder of the native engines.
func (h *LocalHost) Root() string { return h.root }

// SandboxMain must be the first call of a program that makes a host: it does not
// return in a process that was started to hold a process namespace.
func SandboxMain() {
	if nsinit.Wanted() {
		nsinit.Wait()
	}
}

// Level says how engines are confined on this machine.
func (h *LocalHost) Level() Level { return h.level }

// Engines lists the registered engines.
func (h *LocalHost) Engines() []Spec {
	all := make([]Spec, len(h.names))
	for i, name := range h.names {
		all[i] = *h.specs[name]
	}
	return all
}

// Path is where the engine's program lies on this machine.
func (h *LocalHost) Path(name string) (string, error) {
	_, prog, err := h.find(name)
	return prog.path, err
}

// Check implements Host.
func (h *LocalHost) Check(name string) error {
	_, _, err := h.find(name)
	return err
}

func (h *LocalHost) find(name string) (*Spec, program, error) {
	spec, ok := h.specs[name]
	if !ok {
		return nil, program{}, contract.Errorf(contract.CodeMissingDependency, "no engine is called %q", name)
	}
	prog, err := spec.locate(h.root)
	return spec, prog, err
}

// Run implements Host.
func (h *LocalHost) Run(ctx context.Context, call *contract.Call, job Job) (*Reply, error) {
	spec, prog, err := h.find(job.Engine)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, stopped(ctx, call)
	}
	if h.isClosed() {
		return nil, contract.Errorf(contract.CodeInterrupted, "the server is stopping")
	}
	var request []byte
	if text, ok := job.Request.(string); ok && job.Args != nil {
		request = []byte(text)
	}
	if job.Args == nil {
		if request, err = json.Marshal(job.Request); err != nil {
			return nil, fmt.Errorf("engine %s: request: %w", spec.Name, err)
		}
		request = append(request, '\n')
		if spec.Warm > 0 {
			if w := h.pool(spec, prog).take(); w != nil {
				return w.serve(ctx, call, job, request)
			}
		}
	}
	return h.runCold(ctx, call, spec, prog, job, request)
}

func (h *LocalHost) runCold(ctx context.Context, call *contract.Call, spec *Spec, prog program, job Job, request []byte) (*Reply, error) {
	in, err := place(call.Dir, job.Inputs, false)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", spec.Name, err)
	}
	defer in.remove()
	args := spec.Args
	if job.Args != nil {
		args = slices.Concat(spec.Args, job.Args)
	}
	s, err := h.start(spec, prog, args, call.Dir, in.real, boundsOf(call, spec, h.threads))
	if err != nil {
		return nil, contract.Errorf(contract.CodeEngineCrashed, "the engine %s could not be started: %w", spec.Name, err)
	}
	return s.serve(ctx, call, call.Dir, job.Args == nil, request)
}

func (h *LocalHost) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// Close ends what waits ahead of its job. Running jobs end by their contexts.
func (h *LocalHost) Close() error {
	h.mu.Lock()
	h.closed = true
	pools := h.warm
	h.warm = map[string]*pool{}
	h.mu.Unlock()
	for _, p := range pools {
		p.close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.warmDir.remove()
}

func newToken() string { return rand.Text() }
