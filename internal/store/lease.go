package store

import (
	"context"
	"time"

	"atelier/internal/contract"
)

// active is the condition of the index of the few jobs that have not ended. SQLite
// uses such an index only where a query repeats its condition word for word, and
// reads the whole table otherwise.
const active = `state IN ('queued', 'running')`

const (
	expired      = `SELECT ` + jobColumns + ` FROM jobs WHERE ` + active + ` AND state = 'running'`
	waiting      = `SELECT 1 FROM jobs WHERE ` + active + ` AND state = 'queued' AND queue = $1 LIMIT $2`
	queuedBefore = `SELECT id, queue FROM jobs WHERE ` + active + ` AND state = 'queued' AND created_at <= $1 ORDER BY created_at, id`
)

// Claim is what a worker holds of a job that it runs. Every later write of the
// worker names it, and changes nothing when the job has meanwhile been taken
// over by another process.
type Claim struct {
	ID, Worker string
	Attempt    int
}

// ClaimJob makes a queued job running, for this worker; nil when it is no longer
// queued, so that of many deliveries only one runs it.
func (db *DB) ClaimJob(ctx context.Context, id, worker string, lease time.Duration) (*Job, error) {
	var j *Job
	err := db.Write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE jobs SET state = 'running', attempt = attempt + 1, worker = $2, started_at = $3,
lease_until = `+db.backend.now()+` + $4 WHERE id = $1 AND state = 'queued'`, id, worker, millis(Now()), lease.Milliseconds())
		if err != nil || n == 0 {
			return err
		}
		if err := db.Notify(ctx, tx, id); err != nil {
			return err
		}
		j, err = db.JobTx(ctx, tx, id)
		return err
	})
	return j, err
}

// Held is a job that a worker still holds, as Heartbeat found it.
type Held struct {
	ID              string
	CancelRequested bool
}

// Heartbeat renews the leases of all jobs that the worker runs and returns them.
// A job that is missing from the answer has been taken over: stop it.
func (db *DB) Heartbeat(ctx context.Context, worker string, lease time.Duration) ([]Held, error) {
	var held []Held
	err := db.Write(ctx, func(tx Tx) (err error) {
		held, err = collect(ctx, tx, func(r Rows) (h Held, err error) {
			var cancel int
			err = r.Scan(&h.ID, &cancel)
			h.CancelRequested = cancel != 0
			return h, err
		}, `UPDATE jobs SET lease_until = `+db.backend.now()+` + $2 WHERE `+active+` AND state = 'running' AND worker = $1
RETURNING id, cancel_requested`, worker, lease.Milliseconds())
		return err
	})
	return held, err
}

// Expired lists running jobs whose worker has not renewed its lease; with all
// it lists every running job (SQLite at start: no other process can hold one).
func (db *DB) Expired(ctx context.Context, all bool) ([]*Job, error) {
	query := expired
	if !all {
		query += ` AND lease_until < ` + db.backend.now()
	}
	jobs, err := collect(ctx, db.Reader(), scanJob, query)
	return jobs, unavailable("list interrupted jobs", err)
}

// Requeue puts a running job back into its queue; false when the claim no longer
// holds. interrupted counts it as one whose process died under it.
func (db *DB) Requeue(ctx context.Context, tx Tx, c Claim, interrupted bool) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE jobs SET state = 'queued', worker = '', interruptions = interruptions + $4
WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'`, c.ID, c.Worker, c.Attempt, bit(interrupted))
	if err != nil || n == 0 {
		return false, err
	}
	return true, db.Notify(ctx, tx, c.ID)
}

// Waiting counts the queued jobs of a queue, at most to limit.
func (db *DB) Waiting(ctx context.Context, queue string, limit int) (int, error) {
	n, _, err := one(ctx, db.Reader(), scanInt, `SELECT COUNT(*) FROM
(`+waiting+`) AS waiting`, queue, limit)
	return int(n), unavailable("count waiting jobs", err)
}

// QueuedJob names a job that waits.
type QueuedJob struct {
	ID, Queue string
	Quick     bool // mostly done in seconds; not kept, so false after a restart
}

// QueuedBefore lists the queued jobs made before a time, oldest first.
func (db *DB) QueuedBefore(ctx context.Context, before time.Time) ([]QueuedJob, error) {
	jobs, err := collect(ctx, db.Reader(), func(r Rows) (q QueuedJob, err error) {
		err = r.Scan(&q.ID, &q.Queue)
		return q, err
	}, queuedBefore, millis(before))
	return jobs, unavailable("list queued jobs", err)
}

// RequestCancel cancels a queued job at once, with this result and its first
// error, and marks a running one. It returns the job as it is afterwards.
func (db *DB) RequestCancel(ctx context.Context, id string, end *contract.Result) (*Job, error) {
	result, err := encode(true, end)
	if err != nil {
		return nil, unavailable("encode a result", err)
	}
	fault, err := encode(true, end.Errors[0])
	if err != nil {
		return nil, unavailable("encode an error", err)
	}
	var j *Job
	err = db.Write(ctx, func(tx Tx) error {
		_, err := tx.Exec(ctx, `UPDATE jobs SET cancel_requested = 1,
finished_at = CASE WHEN state = 'queued' THEN $2 ELSE finished_at END,
error = CASE WHEN state = 'queued' THEN $3 ELSE error END,
result = CASE WHEN state = 'queued' THEN $4 ELSE result END,
summary = CASE WHEN state = 'queued' THEN $5 ELSE summary END,
state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END
WHERE id = $1 AND state IN ('queued', 'running')`, id, millis(Now()), fault, result, end.Summary)
		if err != nil {
			return err
		}
		if err := db.Notify(ctx, tx, id); err != nil {
			return err
		}
		j, err = db.JobTx(ctx, tx, id)
		return err
	})
	return j, err
}

// Finish writes the end of a claimed job: state, finished time, summary, result,
// error and bytes are taken from j. False when the claim no longer holds.
func (db *DB) Finish(ctx context.Context, tx Tx, c Claim, j *Job) (bool, error) {
	result, err := j.resultJSON()
	if err != nil {
		return false, err
	}
	fault, err := encode(j.Error != nil, j.Error)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(ctx, `UPDATE jobs SET state = $4, finished_at = $5, summary = $6, result = $7, error = $8, bytes = $9,
interruptions = $10 WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'`,
		c.ID, c.Worker, c.Attempt, string(j.State), millis(j.Finished), clean(j.Summary), result, fault, j.Bytes, j.Interruptions)
	if err != nil || n == 0 {
		return false, err
	}
	return true, db.Notify(ctx, tx, c.ID)
}

// PinJob sets or clears the pin.
func (db *DB) PinJob(ctx context.Context, id string, pinned bool) error {
	return db.Write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE jobs SET pinned = $2 WHERE id = $1`, id, bit(pinned))
		if err == nil && n == 0 {
			return notFound("job", id)
		}
		return err
	})
}

// DeleteJob removes a finished job with its artifacts and events; conflict while
// it is queued or running.
func (db *DB) DeleteJob(ctx context.Context, id string) error {
	return db.Write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, `DELETE FROM jobs WHERE id = $1 AND state NOT IN ('queued', 'running')`, id)
		if err != nil {
			return err
		}
		if n == 0 {
			j, err := db.JobTx(ctx, tx, id)
			if err != nil {
				return err
			}
			return contract.Errorf(contract.CodeConflict, "job %s is %s", id, j.State).WithHint("Cancel it first.")
		}
		return deleteJobParts(ctx, tx, id)
	})
}

func deleteJobParts(ctx context.Context, tx Tx, id string) error {
	for _, statement := range []string{`DELETE FROM artifacts WHERE job_id = $1`, `DELETE FROM events WHERE job_id = $1`} {
		if _, err := tx.Exec(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}
