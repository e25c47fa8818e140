package job

import (
	"context"
	"slices"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// dispatcher brings queued jobs to a process that runs them, by calling
// Service.work there. The row in the jobs table is the truth: a dispatcher may
// deliver a job twice, or one that was cancelled, and the claim sorts it out.
type dispatcher interface {
	// reserve takes a place in the queue for a job that is about to be made, or
	// is too_many_requests. release is called once the job is made or not.
	reserve(ctx context.Context, queue string) (release func(), err error)
	// enqueue is part of the transaction that makes the job queued; it may be
	// called again when that is repeated.
	enqueue(ctx context.Context, tx store.Tx, q store.QueuedJob) error
	// committed is called when that transaction is durable.
	committed(q store.QueuedJob)
	// forget tells that a waiting job was cancelled.
	forget(q store.QueuedJob)
	// missing picks those queued jobs that the dispatcher does not know.
	missing(ctx context.Context, queued []store.QueuedJob) ([]store.QueuedJob, error)
	// start begins to deliver.
	start(ctx context.Context) error
	// setDelivering(false) stops delivering for good; what runs goes on.
	setDelivering(bool)
	// stop releases what the dispatcher holds, after all runs have ended.
	stop(ctx context.Context) error
}

func fullQueue(queue string, limit int) error {
	return contract.Errorf(contract.CodeTooManyRequests, "%d jobs are waiting for %s already", limit, queue).
		WithHint("Try again when some of them are done.")
}

// local runs jobs on this process's goroutines: at once, first come first
// served in each queue, but that quick jobs pass long ones by.
type local struct {
	s      *Service
	mu     sync.Mutex
	queues map[string]*localQueue
	off    bool
}

// localQueue is what waits and runs of one queue. Beside its limit one quick job may
// run. One that is not done after quickTime was none: it no longer keeps others from
// passing by, until mostLate of them are running.
type localQueue struct {
	waiting  []store.QueuedJob
	known    map[string]bool // waiting or running
	running  int             // within the limit
	quick    int             // beside it, in their first seconds
	late     int             // beside it, after those
	reserved int
	limit    int
}

const (
	quickTime = 2 * time.Second
	mostLate  = 2
)

func newLocal(s *Service) *local {
	return &local{s: s, queues: map[string]*localQueue{}, off: true}
}

// queue is called with the lock held.
func (d *local) queue(name string) *localQueue {
	l := d.queues[name]
	if l == nil {
		limit := d.s.opts.Queues[name]
		if limit <= 0 {
			limit = d.s.opts.DefaultConcurrency
		}
		l = &localQueue{known: map[string]bool{}, limit: limit}
		d.queues[name] = l
	}
	return l
}

func (d *local) reserve(_ context.Context, queue string) (func(), error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.queue(queue)
	if len(l.waiting)+l.reserved >= d.s.opts.QueueLimit {
		return nil, fullQueue(queue, d.s.opts.QueueLimit)
	}
	l.reserved++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		l.reserved--
	}, nil
}

func (d *local) enqueue(context.Context, store.Tx, store.QueuedJob) error { return nil }

func (d *local) committed(q store.QueuedJob) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.queue(q.Queue)
	if l.known[q.ID] {
		return
	}
	l.known[q.ID] = true
	l.waiting = append(l.waiting, q)
	d.pump(l)
}

// pump starts what may start; it is called with the lock held.
func (d *local) pump(l *localQueue) {
	for !d.off {
		at := slices.IndexFunc(l.waiting, func(q store.QueuedJob) bool {
			return l.running < l.limit || q.Quick && l.quick == 0 && l.late < mostLate
		})
		if at < 0 {
			return
		}
		q := l.waiting[at]
		l.waiting = slices.Delete(l.waiting, at, at+1)
		counter := &l.running
		if l.running == l.limit {
			counter = &l.quick
		}
		*counter++
		go d.run(l, q, counter)
	}
}

// run runs a job that counts in one of the queue's numbers.
func (d *local) run(l *localQueue, q store.QueuedJob, counter *int) {
	if counter == &l.quick {
		timer := time.AfterFunc(quickTime, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if counter == &l.quick {
				l.quick--
				l.late++
				counter = &l.late
				d.pump(l)
			}
		})
		defer timer.Stop()
	}
	err := d.s.work(q.ID)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(l.known, q.ID)
	*counter--
	counter = nil // the timer has nothing to move any more
	if err != nil && !d.off {
		// The database did not answer, or the job went back into its queue.
		time.AfterFunc(time.Second, func() { d.committed(q) })
	}
	d.pump(l)
}

func (d *local) forget(q store.QueuedJob) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.queue(q.Queue)
	if at := slices.IndexFunc(l.waiting, func(w store.QueuedJob) bool { return w.ID == q.ID }); at >= 0 {
		l.waiting = slices.Delete(l.waiting, at, at+1)
		delete(l.known, q.ID)
	}
}

func (d *local) missing(_ context.Context, queued []store.QueuedJob) (missing []store.QueuedJob, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range queued {
		if !d.queue(q.Queue).known[q.ID] {
			missing = append(missing, q)
		}
	}
	return missing, nil
}

func (d *local) start(context.Context) error { d.setDelivering(true); return nil }

func (d *local) setDelivering(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = !on
	for _, l := range d.queues {
		d.pump(l)
	}
}

func (d *local) stop(context.Context) error { return nil }
