package job

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// riverDispatcher delivers through River on Postgres: a job's row and its River
// job are one transaction, and any process that serves the queue may get it.
// River only delivers. That a worker lives is told by the lease in the job's
// own row, which is renewed every two seconds, where River would find a dead
// worker's job after an hour.
type riverDispatcher struct {
	s      *Service
	client *river.Client[pgx.Tx]
	serves bool
}

type delivery struct {
	JobID string `json:"job_id"`
}

// Kind implements river.JobArgs.
func (delivery) Kind() string { return "atelier_job" }

type worker struct {
	river.WorkerDefaults[delivery]
	s *Service
}

// Work implements river.Worker.
func (w *worker) Work(_ context.Context, d *river.Job[delivery]) error {
	// Not River's context: how a run is ended by a stop is for Drain to decide.
	err := w.s.work(d.Args.JobID)
	if errors.Is(err, errDraining) {
		return river.JobSnooze(0) // fetched a moment too late: for another process
	}
	return err
}

func newRiver(ctx context.Context, s *Service) (*riverDispatcher, error) {
	driver := riverpgxv5.New(s.db.Pool())
	logger := slog.New(quiet{s.opts.Logger.Handler()})
	err := s.db.Exclusive(ctx, "river", func() error {
		migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: logger})
		if err == nil {
			_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		}
		return err
	})
	if err != nil {
		return nil, contract.Errorf(contract.CodeStorageUnavailable, "migrate River's tables: %w", err)
	}
	config := &river.Config{
		Logger:        logger,
		JobTimeout:    -1, // the runner limits time, by the limits of the call
		FetchCooldown: 50 * time.Millisecond,
		// Only so that what dead workers leave of deliveries goes: one of a row that
		// runs or has ended does nothing, and missing finds the others sooner.
		RescueStuckJobsAfter:        time.Minute,
		CompletedJobRetentionPeriod: time.Hour,
	}
	if len(s.opts.Queues) > 0 {
		config.Workers = river.NewWorkers()
		river.AddWorker(config.Workers, &worker{s: s})
		config.Queues = map[string]river.QueueConfig{}
		for name, limit := range s.opts.Queues {
			config.Queues[name] = river.QueueConfig{MaxWorkers: max(1, limit)}
		}
	}
	client, err := river.NewClient(driver, config)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidConfig, "set up River: %w", err)
	}
	return &riverDispatcher{s: s, client: client, serves: len(s.opts.Queues) > 0}, nil
}

func (d *riverDispatcher) reserve(ctx context.Context, queue string) (func(), error) {
	n, err := d.s.db.Waiting(ctx, queue, d.s.opts.QueueLimit)
	if err == nil && n >= d.s.opts.QueueLimit {
		err = fullQueue(queue, d.s.opts.QueueLimit)
	}
	return func() {}, err
}

func (d *riverDispatcher) enqueue(ctx context.Context, tx store.Tx, q store.QueuedJob) error {
	inner, ok := store.PgxTx(tx)
	if !ok {
		return contract.Errorf(contract.CodeInternal, "River was given a transaction that is not of Postgres")
	}
	_, err := d.client.InsertTx(ctx, inner, delivery{q.ID}, &river.InsertOpts{Queue: q.Queue})
	return err
}

func (d *riverDispatcher) committed(store.QueuedJob) {}

func (d *riverDispatcher) forget(store.QueuedJob) {}

// missing counts a delivery as lost that a worker took a lease ago and has not
// claimed: it died in between. River itself looks only once a minute, and not
// before it has replaced a leader that died as well.
func (d *riverDispatcher) missing(ctx context.Context, queued []store.QueuedJob) ([]store.QueuedJob, error) {
	ids := make([]string, len(queued))
	for i, q := range queued {
		ids[i] = q.ID
	}
	rows, err := d.s.db.Reader().Query(ctx, `SELECT args ->> 'job_id' FROM river_job WHERE kind = 'atelier_job'
AND state NOT IN ('completed', 'cancelled', 'discarded') AND args ->> 'job_id' = ANY($1)
AND NOT (state = 'running' AND attempted_at < now() - $2 * interval '1 millisecond')`, ids, d.s.opts.Lease.Milliseconds())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	known := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		known[id] = true
	}
	var missing []store.QueuedJob
	for _, q := range queued {
		if !known[q.ID] {
			missing = append(missing, q)
		}
	}
	return missing, rows.Err()
}

func (d *riverDispatcher) start(context.Context) error {
	if !d.serves {
		return nil
	}
	return d.client.Start(context.Background())
}

func (d *riverDispatcher) setDelivering(on bool) {
	if !on && d.serves {
		go d.client.Stop(context.Background())
	}
}

func (d *riverDispatcher) stop(ctx context.Context) error {
	if !d.serves {
		return nil
	}
	return d.client.StopAndCancel(ctx)
}

// quiet passes on River's warnings and errors only.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}
