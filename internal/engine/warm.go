package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"atelier/internal/contract"
)

// pool keeps processes of one engine waiting. Each is confined to a fresh folder
// of its own, serves one job, and is replaced in the background.
type pool struct {
	host *LocalHost
	spec *Spec
	prog program

	mu      sync.Mutex
	ready   []*warmProcess
	filling bool
	closed  bool
	delay   time.Duration // before the next start, after processes that died waiting
	filler  sync.WaitGroup
	quit    chan struct{}
}

// warmProcess is a process without a job yet.
type warmProcess struct {
	*process
	dir  string
	born time.Time
}

const (
	// An idle process has the same limits as one with the default limits.
	firstBackOff = time.Second
	lastBackOff  = time.Minute
	settled      = 5 * time.Second // one that died later than this did not die of its start
)

// Prepare starts the processes that wait ahead of their job, so that the first
// job finds one. It returns at once.
func (h *LocalHost) Prepare() {
	for _, name := range h.names {
		if spec, prog, err := h.find(name); err == nil && spec.Warm > 0 {
			h.pool(spec, prog).fill()
		}
	}
}

func (h *LocalHost) pool(spec *Spec, prog program) *pool {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.warm[spec.Name]
	if !ok {
		p = &pool{host: h, spec: spec, prog: prog, quit: make(chan struct{}), closed: h.closed}
		h.warm[spec.Name] = p
	}
	return p
}

// take gives a waiting process that lives; nil when none is ready. A successor
// is started in the background.
func (p *pool) take() *warmProcess {
	p.mu.Lock()
	var w *warmProcess
	var dead []*warmProcess
	for len(p.ready) > 0 && w == nil {
		w, p.ready = p.ready[0], p.ready[1:]
		select {
		case <-w.child.done:
			p.died(w)
			dead, w = append(dead, w), nil
		default:
		}
	}
	p.mu.Unlock()
	for _, d := range dead {
		d.discard()
	}
	p.fill()
	return w
}

// died lengthens the delay before the next start; the caller holds mu.
func (p *pool) died(w *warmProcess) {
	if time.Since(w.born) > settled {
		p.delay = 0
		return
	}
	p.delay = min(max(2*p.delay, firstBackOff), lastBackOff)
}

// fill brings the pool to its size in the background.
func (p *pool) fill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.filling || len(p.ready) >= p.spec.Warm {
		return
	}
	p.filling = true
	delay := p.delay
	p.filler.Go(func() {
		if delay > 0 {
			select {
			case <-time.After(delay):
			case <-p.quit:
			}
		}
		for p.addOne() {
		}
	})
}

// addOne starts a process; false ends the filling.
func (p *pool) addOne() bool {
	p.mu.Lock()
	if p.closed || len(p.ready) >= p.spec.Warm {
		p.filling = false
		p.mu.Unlock()
		return false
	}
	p.mu.Unlock()
	w, err := p.start()
	p.mu.Lock()
	switch {
	case err != nil:
		p.host.log.Warn("a waiting engine could not be started", "engine", p.spec.Name, "error", err)
		p.delay = min(max(2*p.delay, firstBackOff), lastBackOff)
		p.filling = false
	case p.closed:
		p.filling = false
		p.mu.Unlock()
		w.discard()
		return false
	default:
		p.ready = append(p.ready, w)
	}
	p.mu.Unlock()
	return err == nil
}

func (p *pool) start() (*warmProcess, error) {
	parent, err := p.host.makeWarmDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, p.spec.Name+"-")
	if err != nil {
		return nil, err
	}
	idle := boundsOf(&contract.Call{Limits: contract.DefaultLimits()}, p.spec, p.host.threads)
	idle.cpu = time.Hour
	s, err := p.host.start(p.spec, p.prog, slices.Concat(p.spec.Args, p.spec.WarmArgs), dir, nil, idle)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &warmProcess{process: s, dir: dir, born: time.Now()}, nil
}

// discard ends a process that will get no job.
func (w *warmProcess) discard() {
	w.abandon()
	_ = os.RemoveAll(w.dir)
}

// serve runs one job in the waiting process's folder and moves what it made to
// the job's folder.
func (w *warmProcess) serve(ctx context.Context, call *contract.Call, job Job, request []byte) (*Reply, error) {
	defer os.RemoveAll(w.dir)
	in, err := place(w.dir, job.Inputs, true)
	if err != nil {
		w.abandon()
		return nil, fmt.Errorf("engine %s: %w", w.name, err)
	}
	// Files that the tool itself put into the job's folder are the engine's too.
	w.bounds = boundsOf(call, &Spec{Processes: w.bounds.processes}, 1)
	w.bounds.cpu += time.Since(w.born) + w.bounds.time*time.Duration(w.bounds.processes)
	w.child.limit(w.bounds)
	reply, err := w.process.serve(ctx, call, w.dir, true, request)
	in.remove()
	if moveErr := moveAll(w.dir, call.Dir); moveErr != nil && err == nil {
		return nil, fmt.Errorf("engine %s: what it made could not be moved to the job's folder: %w", w.name, moveErr)
	}
	return reply, err
}

// moveAll moves the content of one folder into another. Both lie in the data
// folder; where they do not share a file system, files are copied.
func moveAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if os.Rename(source, target) == nil {
			continue
		}
		switch {
		case e.IsDir():
			if err := os.MkdirAll(target, 0o700); err != nil {
				return err
			}
			if err := moveAll(source, target); err != nil {
				return err
			}
		case e.Type().IsRegular():
			_ = os.Remove(target)
			if err := copyFile(source, target); err != nil {
				return err
			}
		}
	}
	return nil
}

// close ends all that waits, and waits until it is gone.
func (p *pool) close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.quit)
	}
	ready := p.ready
	p.ready = nil
	p.mu.Unlock()
	for _, w := range ready {
		w.discard()
	}
	p.filler.Wait()
}
