package store

import (
	"context"
	"encoding/json"

	"atelier/internal/contract"
)

const artifactColumns = `job_id, name, mime, bytes, sha256, head`

// InsertArtifacts records the stored files of a job, in order. Their contents
// are touched in the same transaction, so that a sweep cannot free one that is
// just being referred to; a content that is already gone is an error.
func (db *DB) InsertArtifacts(ctx context.Context, tx Tx, jobID string, list []Artifact) error {
	for i, a := range list {
		if err := db.retainContent(ctx, tx, a.SHA256, a.row); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO artifacts (`+artifactColumns+`, position) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			jobID, clean(a.Name), clean(a.MIME), a.Bytes, a.SHA256, clean(a.Head), i)
		if err != nil {
			return err
		}
	}
	return nil
}

// retainContent makes sure that a content is there and stays for the grace time. Without
// the row's name it could take a new row, whose bytes another caller is only
// about to write, for the old one that a sweep has freed.
func (db *DB) retainContent(ctx context.Context, tx Tx, sha, row string) error {
	n, err := tx.Exec(ctx, `UPDATE blobs SET touched_at = `+db.backend.now()+`
WHERE sha256 = $1 AND row_name = $2 AND deleting_at = 0`, sha, row)
	if err == nil && n == 0 {
		return contract.Errorf(contract.CodeStorageUnavailable, "the content %s was freed before it was referred to", sha)
	}
	return err
}

func scanArtifact(r Rows) (a Artifact, err error) {
	err = r.Scan(&a.JobID, &a.Name, &a.MIME, &a.Bytes, &a.SHA256, &a.Head)
	return a, err
}

// Artifacts lists the stored files of a job, in the order of its result.
func (db *DB) Artifacts(ctx context.Context, jobID string) ([]Artifact, error) {
	list, err := collect(ctx, db.Reader(), scanArtifact, `SELECT `+artifactColumns+` FROM artifacts WHERE job_id = $1 ORDER BY position`, jobID)
	return list, unavailable("list artifacts", err)
}

// Artifact returns one stored file of a job by its name, or not_found.
func (db *DB) Artifact(ctx context.Context, jobID, name string) (Artifact, error) {
	a, found, err := one(ctx, db.Reader(), scanArtifact, `SELECT `+artifactColumns+` FROM artifacts WHERE job_id = $1 AND name = $2`, jobID, name)
	if err == nil && !found {
		return a, contract.Errorf(contract.CodeNotFound, "job %s has no artifact %q", jobID, name)
	}
	return a, unavailable("read an artifact", err)
}

// AppendEvents adds events and keeps only the last ones, at most tail.
func (db *DB) AppendEvents(ctx context.Context, tx Tx, jobID string, events []Event, tail int) error {
	for _, e := range events {
		_, err := tx.Exec(ctx, `INSERT INTO events (job_id, seq, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			jobID, e.Seq, string(e.Data))
		if err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `DELETE FROM events WHERE job_id = $1 AND seq <= (
SELECT COALESCE(MAX(seq), 0) FROM (SELECT seq FROM events WHERE job_id = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2) AS older)`, jobID, tail)
	return err
}

// EventsAfter lists the kept events of a job after a sequence number.
func (db *DB) EventsAfter(ctx context.Context, jobID string, after int64) ([]Event, error) {
	list, err := collect(ctx, db.Reader(), func(r Rows) (e Event, err error) {
		var data string
		err = r.Scan(&e.Seq, &data)
		e.Data = json.RawMessage(data)
		return e, err
	}, `SELECT seq, data FROM events WHERE job_id = $1 AND seq > $2 ORDER BY seq`, jobID, after)
	return list, unavailable("list events", err)
}
