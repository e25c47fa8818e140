package store

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// Maker is a job that made a content, and what its result says of it. It is known
// by the content alone, and stays known when the job has been deleted.
type Maker struct {
	JobID, Tool string
	Trust       evidence.Trust // "" where the result claims nothing
	Reason      string         // the first one of that result where it is not verified
	Deleted     bool           // the job's own record is gone
}

// maxReason bounds what is kept of a reason, in bytes.
const maxReason = 600

// madeBy is what a finished job says of its files. A tool that claims nothing of
// its results says nothing about what is made of them either; but what it was
// given passes on, so that a copy stands no higher than what it is a copy of.
func madeBy(j *Job) (m Maker) {
	m.JobID, m.Tool = j.ID, j.Tool
	if j.Result == nil {
		return m
	}
	trust, reasons := j.Result.Trust()
	m.Trust = trust
	switch limiting := j.Result.Limiting(); {
	case limiting != nil: // the cause passes on as it is, through any number of copies
		m.Reason = limiting.Reason
	case trust != evidence.Verified && len(reasons) > 0:
		m.Reason = reasons[0]
		for len(m.Reason) > maxReason {
			_, last := utf8.DecodeLastRuneInString(m.Reason)
			m.Reason = m.Reason[:len(m.Reason)-last]
		}
		m.Reason += fmt.Sprintf(" (%s, %s.)", j.Tool, j.ID)
	}
	return m
}

// InsertMakers records a finished job as the maker of its files, and what it was made
// from, in the transaction that records these.
func (db *DB) InsertMakers(ctx context.Context, tx Tx, j *Job, list []Artifact) error {
	if err := db.insertLineage(ctx, tx, j); err != nil {
		return err
	}
	return db.insertMaker(ctx, tx, madeBy(j), j, list)
}

func (db *DB) insertMaker(ctx context.Context, tx Tx, m Maker, j *Job, list []Artifact) error {
	for _, a := range list {
		origin, err := originOf(j.Result, a)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO makers (sha256, job_id, tool, trust, reason, origin, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (sha256, job_id) DO UPDATE SET origin = excluded.origin WHERE makers.origin = ''`,
			a.SHA256, m.JobID, clean(m.Tool), string(m.Trust), clean(m.Reason), clean(origin), millis(j.Created))
		if err != nil {
			return err
		}
	}
	return nil
}

func originOf(result *contract.Result, a Artifact) (string, error) {
	if result == nil {
		return "", nil
	}
	for _, made := range result.Artifacts {
		if made.Name == a.Name && made.Origin != nil {
			return encode(true, made.Origin)
		}
	}
	return "", nil
}

// weakestFirst orders makers by their trust, as evidence.Trust.Below does: one that
// claims nothing says least.
var weakestFirst = func() string {
	sql, words := "CASE trust", evidence.Words()
	for rank, word := range words {
		sql += fmt.Sprintf(" WHEN '%s' THEN %d", word, rank)
	}
	return sql + fmt.Sprintf(" ELSE %d END", len(words))
}()

// MakerOf is the job that made a content; nil for none. jobID names the one that
// is meant, as far as that claims anything. Else, of all that made the same bytes,
// it is the one that is trusted least: which of them it was nobody can tell. Of
// equal ones it is the newest; job ids sort by their time.
func (db *DB) MakerOf(ctx context.Context, sha, jobID string) (*Maker, error) {
	m, found, err := one(ctx, db.Reader(), func(r Rows) (m Maker, err error) {
		var trust string
		var there int
		err = r.Scan(&m.JobID, &m.Tool, &trust, &m.Reason, &there)
		m.Trust, m.Deleted = evidence.Trust(trust), there == 0
		return m, err
	}, `SELECT job_id, tool, trust, reason, CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE jobs.id = makers.job_id) THEN 1 ELSE 0 END
FROM makers WHERE sha256 = $1 ORDER BY CASE WHEN job_id = $2 AND trust <> '' THEN 0 ELSE 1 END, `+weakestFirst+`,
CASE WHEN job_id = $2 THEN 0 ELSE 1 END, job_id DESC LIMIT 1`, sha, jobID)
	if err != nil || !found {
		return nil, unavailable("look for the maker of a content", err)
	}
	return &m, nil
}

// OriginOf are the facts of origin that were kept with a content, those of jobID
// before others; nil where none are known.
func (db *DB) OriginOf(ctx context.Context, sha, jobID string) (*evidence.Origin, error) {
	text, found, err := one(ctx, db.Reader(), scanString, `SELECT origin FROM makers WHERE sha256 = $1 AND origin <> ''
ORDER BY CASE WHEN job_id = $2 THEN 0 ELSE 1 END, `+weakestFirst+`, job_id DESC LIMIT 1`, sha, jobID)
	if err != nil || !found {
		return nil, unavailable("look for the origin of a content", err)
	}
	origin := &evidence.Origin{}
	return origin, unavailable("read the origin of a content", json.Unmarshal([]byte(text), origin))
}

// maxDeparted is how many makers are kept whose jobs have been deleted and whose
// contents nothing here refers to any more: some hundred bytes each.
const maxDeparted = 200_000

// forgetMakers removes the oldest makers beyond the number that is kept, and what is
// known of jobs beyond it that made nothing that is.
func (db *DB) forgetMakers(ctx context.Context, most int64) error {
	err := db.forget(ctx, "makers", ` FROM makers WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = makers.job_id)
AND NOT EXISTS (SELECT 1 FROM files WHERE files.sha256 = makers.sha256)
AND NOT EXISTS (SELECT 1 FROM session_assets WHERE session_assets.sha256 = makers.sha256)`, most)
	if err != nil {
		return err
	}
	return db.forget(ctx, "lineage", ` FROM lineage WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = lineage.job_id)
AND NOT EXISTS (SELECT 1 FROM makers WHERE makers.job_id = lineage.job_id)`, most)
}

// forget removes the oldest rows of a table that some condition takes, but the newest.
func (db *DB) forget(ctx context.Context, table, departed string, most int64) error {
	total, _, err := one(ctx, db.Reader(), scanInt, `SELECT COUNT(*) FROM `+table)
	if err != nil || total <= most {
		return err
	}
	last, found, err := one(ctx, db.Reader(), scanInt, `SELECT created_at`+departed+` ORDER BY created_at DESC LIMIT 1 OFFSET $1`, most)
	if err != nil || !found {
		return err
	}
	return db.Write(ctx, func(tx Tx) error {
		_, err := tx.Exec(ctx, `DELETE`+departed+` AND created_at <= $1`, last)
		return err
	})
}

// fillMakers makes the makers of the jobs of an older database.
func (db *DB) fillMakers(ctx context.Context, tx Tx) error {
	return eachID(ctx, tx, `SELECT DISTINCT job_id FROM artifacts WHERE job_id > $1 ORDER BY job_id LIMIT $2`,
		func(id string) error { return db.fillMaker(ctx, tx, id) })
}

// eachID visits the ids that a query gives, which takes the last one seen and how many to
// give: an older database may have more than memory holds.
func eachID(ctx context.Context, tx Tx, query string, visit func(id string) error) error {
	for last := ""; ; {
		ids, err := collect(ctx, tx, scanString, query, last, chunk)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := visit(id); err != nil {
				return err
			}
		}
		last = ids[len(ids)-1]
	}
}

func (db *DB) fillMaker(ctx context.Context, tx Tx, id string) error {
	list, err := collect(ctx, tx, scanArtifact, `SELECT `+artifactColumns+` FROM artifacts WHERE job_id = $1 ORDER BY position`, id)
	if err != nil {
		return err
	}
	j, err := db.JobTx(ctx, tx, id)
	switch {
	case IsNotFound(err):
		return nil
	case err != nil: // what nobody can read vouches for nothing, and must not keep the server from starting
		m := Maker{JobID: id, Tool: "a job", Trust: evidence.Suspect, Reason: "The record of this job cannot be read."}
		return db.insertMaker(ctx, tx, m, &Job{Created: Now()}, list)
	}
	return db.insertMaker(ctx, tx, madeBy(j), j, list)
}
