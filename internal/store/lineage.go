package store

import (
	"context"
	"encoding/json"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// insertLineage keeps what a finished job was made from.
func (db *DB) insertLineage(ctx context.Context, tx Tx, j *Job) error {
	inputs := madeFrom(j.Result)
	if len(inputs) == 0 {
		return nil
	}
	text, err := encode(true, inputs)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO lineage (job_id, inputs, created_at) VALUES ($1, $2, $3) ON CONFLICT (job_id) DO NOTHING`,
		j.ID, clean(text), millis(j.Created))
	return err
}

func madeFrom(r *contract.Result) []evidence.Input {
	switch {
	case r == nil:
		return nil
	case r.Evidence != nil:
		return r.Evidence.Inputs()
	}
	return r.Inputs
}

// MadeFrom are the files that a finished job was made from, also of one whose record has
// been deleted.
func (db *DB) MadeFrom(ctx context.Context, jobID string) ([]evidence.Input, error) {
	text, found, err := one(ctx, db.Reader(), scanString, `SELECT inputs FROM lineage WHERE job_id = $1`, jobID)
	if err != nil || !found {
		return nil, unavailable("look for what a job was made from", err)
	}
	var inputs []evidence.Input
	return inputs, unavailable("read what a job was made from", json.Unmarshal([]byte(text), &inputs))
}

// fillLineage keeps it of the jobs of an older database.
func (db *DB) fillLineage(ctx context.Context, tx Tx) error {
	for last := ""; ; {
		ids, err := collect(ctx, tx, scanString, `SELECT id FROM jobs WHERE id > $1 ORDER BY id LIMIT $2`, last, chunk)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			j, err := db.JobTx(ctx, tx, id)
			if err != nil {
				continue // a record that nobody can read must not keep the server from starting
			}
			if err := db.insertLineage(ctx, tx, j); err != nil {
				return err
			}
		}
		last = ids[len(ids)-1]
	}
}
