package job

import "sync/atomic"

// crew is a set of goroutines that run quick calls. A new goroutine for each
// call would begin with a small stack and copy it several times on its way down
// through validation and encoding; one that has served before has the room.
type crew struct {
	work  chan *run
	do    func(*run)
	idle  int64 // most that wait
	size  atomic.Int64
	leave chan struct{}
}

func newCrew(idle int, do func(*run)) *crew {
	return &crew{work: make(chan *run), do: do, idle: int64(idle), leave: make(chan struct{})}
}

// run hands the call to one that waits, or to a new one.
func (c *crew) run(r *run) {
	select {
	case c.work <- r:
	default:
		c.size.Add(1)
		go c.serve(r)
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
