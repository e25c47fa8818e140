package job

import (
	"sync"
	"sync/atomic"
	"time"
)

// crew runs quick calls. Of a tool that has always ended within a moment the
// caller itself does the work, since waking another goroutine costs as much as
// the work. All others get a goroutine of their own, so that a caller whose time
// is up need not wait for them; those are kept, because a new goroutine begins
// with a small stack and copies it several times on its way down through
// validation and encoding.
type crew struct {
	work  chan *run
	do    func(*run)
	idle  int64 // most that wait
	size  atomic.Int64
	leave chan struct{}
	swift sync.Map // tool name to *atomic.Int32: its swift runs since the last slow one
}

// A tool is swift when its last swiftRuns runs took less than a moment each.
const (
	moment    = 10 * time.Millisecond
	swiftRuns = 8
)

func newCrew(idle int, do func(*run)) *crew {
	return &crew{work: make(chan *run), do: do, idle: int64(idle), leave: make(chan struct{})}
}

// run hands the call to one that waits, or to a new one; when its tool is swift
// and the caller has time until the end anyway, the caller does it.
func (c *crew) run(r *run, patient bool) {
	if patient && c.record(r.job.Tool).Load() >= swiftRuns {
		c.do(r)
		return
	}
	select {
	case c.work <- r:
	default:
		c.size.Add(1)
		go c.serve(r)
	}
}

func (c *crew) record(tool string) *atomic.Int32 {
	if known, ok := c.swift.Load(tool); ok {
		return known.(*atomic.Int32)
	}
	fresh, _ := c.swift.LoadOrStore(tool, &atomic.Int32{})
	return fresh.(*atomic.Int32)
}

// took remembers how long a run of a tool was.
func (c *crew) took(tool string, d time.Duration) {
	switch runs := c.record(tool); {
	case d > moment:
		runs.Store(0)
	case runs.Load() < swiftRuns:
		runs.Add(1)
	}
}

func (c *crew) serve(r *run) {
	defer c.size.Add(-1)
	for {
		c.do(r)
		if c.size.Load() > c.idle {
			return
		}
		select {
		case r = <-c.work:
		case <-c.leave:
			return
		}
	}
}

// dismiss lets those that wait end; a call that is still running is not cut.
func (c *crew) dismiss() { close(c.leave) }
