package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Service is the job engine of one process.
type Service struct {
	db       *store.DB
	blobs    *store.Blobs
	executor Executor
	opts     Options
	worker   string // names this process in the rows that it runs
	folders  *folders
	dispatch dispatcher
	hub      store.Hub
	inline   chan struct{} // one place a quick job
	pool     *inlinePool   // runs them

	mu       sync.Mutex
	active   map[string]*run
	draining bool

	background sync.WaitGroup
	stop       context.CancelFunc
}

var _ API = (*Service)(nil)

// Why a run's context was ended; the cause decides how its job ends.
var (
	errCancelled = errors.New("the job was cancelled")
	errDraining  = errors.New("the process is stopping")
	errLost      = errors.New("another process has taken the job over")
)

// New starts a Service: it takes up what an earlier process left, and begins to
// serve its queues. Jobs of SQLite are run by this process, those of Postgres
// through River. Drain ends it.
func New(ctx context.Context, db *store.DB, blobs *store.Blobs, executor Executor, opts Options) (*Service, error) {
	opts = opts.withDefaults()
	host, _ := os.Hostname()
	s := &Service{
		db: db, blobs: blobs, executor: executor, opts: opts,
		worker: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), store.NewID("")[:8]),
		active: map[string]*run{}, inline: make(chan struct{}, opts.InlineLimit),
	}
	s.pool = newInlinePool(opts.InlineLimit, s.runInline)
	var err error
	if s.folders, err = openFolders(opts.WorkDir, s.worker); err != nil {
		return nil, contract.Errorf(contract.CodeStorageUnavailable, "make the work folder: %w", err)
	}
	if db.Shared() {
		s.dispatch, err = newRiver(ctx, s)
	} else {
		s.dispatch = newLocal(s)
	}
	if err != nil {
		return nil, errors.Join(err, s.folders.close())
	}
	if err := s.begin(ctx); err != nil {
		s.dispatch.setDelivering(false)
		return nil, errors.Join(err, s.dispatch.stop(ctx), s.folders.close())
	}
	return s, nil
}

func (s *Service) begin(ctx context.Context) error {
	// Before anything new can start: what is running now belongs to the dead.
	if err := s.recoverLost(ctx); err != nil {
		return err
	}
	if err := s.dispatch.start(ctx); err != nil {
		return contract.Errorf(contract.CodeStorageUnavailable, "start the dispatcher: %w", err)
	}
	if err := s.requeueUnknown(ctx, store.Now()); err != nil {
		return err
	}
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.background.Go(func() { s.watch(background) })
	s.background.Go(func() { s.db.Listen(background, s.hub.SignalAll, s.onChange) })
	return nil
}

// onChange is called with the id of a job that another process (or this one) has
// changed: it may have been cancelled, or have new events.
func (s *Service) onChange(id string) {
	s.hub.Signal(id)
	if r := s.running(id); r != nil {
		// Only a cancellation matters to a run; ask without holding the listener up.
		s.background.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			if j, err := s.db.Job(ctx, id); err == nil && j.CancelRequested {
				r.cancel(errCancelled)
			}
		})
	}
}

// Drain stops the service in order: no new jobs, those that run may end until
// ctx does, then they are ended: back into their queue, or failed as
// interrupted. Afterwards the database may be closed. A tool that ignores the
// end of its context makes Drain give up, with an error, after 15 s more; its
// job is then taken up as an interrupted one by the next process.
func (s *Service) Drain(ctx context.Context) error {
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		return nil
	}
	s.draining = true
	s.mu.Unlock()
	s.dispatch.setDelivering(false)
	err := s.finishRuns(ctx, errDraining, 15*time.Second)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = errors.Join(err, s.dispatch.stop(stopping))
	s.stop()
	s.background.Wait()
	s.pool.close()
	return errors.Join(err, s.folders.close())
}

// finishRuns waits for the runs of this process, ending them when ctx ends.
func (s *Service) finishRuns(ctx context.Context, cause error, patience time.Duration) error {
	var giveUp <-chan time.Time
	ended := ctx.Done()
	for {
		runs := s.runs()
		if len(runs) == 0 {
			return nil
		}
		select {
		case <-runs[0].done:
		case <-ended:
			ended = nil
			giveUp = time.After(patience)
			for _, r := range runs {
				r.cancel(cause)
			}
		case <-giveUp:
			return contract.Errorf(contract.CodeInterrupted, "%d jobs did not end when asked to, among them %s", len(runs), runs[0].id)
		}
	}
}

func (s *Service) stopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

func (s *Service) running(id string) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active[id]
}

func (s *Service) runs() []*run {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*run, 0, len(s.active))
	for _, r := range s.active {
		all = append(all, r)
	}
	return all
}
