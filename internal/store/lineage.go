package store

import (
	"context"
	"encoding/json"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// madeOf is an input as it is kept.
type madeOf struct {
	evidence.Input
	Path string `json:"path,omitempty"`
}

// insertLineage keeps what a finished job was made from.
func (db *DB) insertLineage(ctx context.Context, tx Tx, j *Job) error {
	var inputs []madeOf
	for _, in := range madeFrom(j.Result) {
		inputs = append(inputs, madeOf{in, in.Path})
	}
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
	var kept []madeOf
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, unavailable("read what a job was made from", err)
	}
	inputs := make([]evidence.Input, len(kept))
	for i, in := range kept {
		inputs[i] = in.Input
		inputs[i].Path = in.Path
	}
	return inputs, nil
}

// fillLineage keeps it of the jobs of an older database.
func (db *DB) fillLineage(ctx context.Context, tx Tx) error {
	return eachID(ctx, tx, `SELECT id FROM jobs WHERE id > $1 ORDER BY id LIMIT $2`, func(id string) error {
		j, err := db.JobTx(ctx, tx, id)
		if err != nil {
			return nil // a record that nobody can read must not keep the server from starting
		}
		return db.insertLineage(ctx, tx, j)
	})
}
