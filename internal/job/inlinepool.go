package job

import (
	"sync"
	"sync/atomic"
	"time"
)

// inlinePool runs the calls of tools that need no engine. Where a tool has been
// fast so far, the caller's own goroutine does the work, since waking another one
// costs as much as the work itself. All other calls get a goroutine of the pool,
// so that a caller whose time is up need not wait for them. The pool keeps its
// goroutines: a new one begins with a small stack and copies it several times on
// its way down through validation and encoding.
type inlinePool struct {
	work     chan *run
	do       func(*run)
	idle     int64 // most goroutines that wait for work
	size     atomic.Int64
	closed   chan struct{}
	fastRuns sync.Map // tool name to *atomic.Int32: its fast runs since the last slow one
}

// A tool is fast when each of its last fastAfter runs took less than
// fastThreshold.
const (
	fastThreshold = 10 * time.Millisecond
	fastAfter     = 8
)

func newInlinePool(idle int, do func(*run)) *inlinePool {
	return &inlinePool{work: make(chan *run), do: do, idle: int64(idle), closed: make(chan struct{})}
}

// run gives the call to a goroutine that waits, or to a new one. The caller does
// it itself when its tool is fast and the caller waits until the end anyway.
func (p *inlinePool) run(r *run, waits bool) {
	if waits && p.isFast(r.job.Tool) {
		p.do(r)
		return
	}
	select {
	case p.work <- r:
	default:
		p.size.Add(1)
		go p.serve(r)
	}
}

func (p *inlinePool) isFast(tool string) bool { return p.fastRunsOf(tool).Load() >= fastAfter }

func (p *inlinePool) fastRunsOf(tool string) *atomic.Int32 {
	if known, ok := p.fastRuns.Load(tool); ok {
		return known.(*atomic.Int32)
	}
	fresh, _ := p.fastRuns.LoadOrStore(tool, &atomic.Int32{})
	return fresh.(*atomic.Int32)
}

// observe records how long a run of a tool took.
func (p *inlinePool) observe(tool string, d time.Duration) {
	switch runs := p.fastRunsOf(tool); {
	case d > fastThreshold:
		runs.Store(0)
	case runs.Load() < fastAfter:
		runs.Add(1)
	}
}

func (p *inlinePool) serve(r *run) {
	defer p.size.Add(-1)
	for {
		p.do(r)
		if p.size.Load() > p.idle {
			return
		}
		select {
		case r = <-p.work:
		case <-p.closed:
			return
		}
	}
}

// close ends the goroutines that wait for work; a call that runs is not cut.
func (p *inlinePool) close() { close(p.closed) }
