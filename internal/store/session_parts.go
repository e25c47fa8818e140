package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"atelier/internal/contract"
)

// SessionSnapshot reads a session with its assets and steps in one statement, so
// that they belong to one version; not_found when there is none.
func (db *DB) SessionSnapshot(ctx context.Context, id string) (*Snapshot, error) {
	return db.snapshot(ctx, db.Reader(), id)
}

// SnapshotTx is SessionSnapshot inside a change.
func (db *DB) SnapshotTx(ctx context.Context, tx Tx, id string) (*Snapshot, error) {
	return db.snapshot(ctx, tx, id)
}

func (db *DB) snapshot(ctx context.Context, tx Tx, id string) (*Snapshot, error) {
	rows, err := collect(ctx, tx, scanPart, `SELECT 0 AS part, 0 AS place, id, body, run_id, run_worker, '', '', version, created_at, updated_at, event_seq, bytes
FROM sessions WHERE id = $1
UNION ALL SELECT 1, position, path, mime, sha256, head, job_id, artifact, bytes, created_at, 0, 0, 0 FROM session_assets WHERE session_id = $1
UNION ALL SELECT 2, position, id, tool, job_id, state, CASE WHEN length(input) <= $2 THEN input ELSE '' END, body,
length(input), started_at, finished_at, 0, 0 FROM session_steps WHERE session_id = $1
ORDER BY part, place`, id, SnapshotInput)
	if err != nil {
		return nil, unavailable("read a session", err)
	}
	if len(rows) == 0 || rows[0].part != 0 {
		return nil, notFound("session", id)
	}
	snap := &Snapshot{Session: rows[0].session()}
	for _, p := range rows[1:] {
		if p.part == 1 {
			snap.Assets = append(snap.Assets, p.asset())
		} else {
			snap.Steps = append(snap.Steps, p.step())
		}
	}
	return snap, nil
}

// part is a row of the statement above: texts and numbers by kind.
type part struct {
	part, place int64
	text        [6]string
	number      [5]int64
}

func scanPart(r Rows) (p part, err error) {
	t, n := &p.text, &p.number
	err = r.Scan(&p.part, &p.place, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &n[0], &n[1], &n[2], &n[3], &n[4])
	return p, err
}

func (p part) session() Session {
	return Session{
		ID: p.text[0], Body: json.RawMessage(p.text[1]), Run: p.text[2], RunWorker: p.text[3], Version: p.number[0],
		Created: fromMillis(p.number[1]), Updated: fromMillis(p.number[2]), LastEvent: p.number[3], Bytes: p.number[4],
	}
}

func (p part) asset() Asset {
	return Asset{
		Path: p.text[0], MIME: p.text[1], SHA256: p.text[2], Head: p.text[3], JobID: p.text[4], Artifact: p.text[5],
		Bytes: p.number[0], Created: fromMillis(p.number[1]),
	}
}

func (p part) step() Step {
	return Step{
		ID: p.text[0], Tool: p.text[1], JobID: p.text[2], State: p.text[3], Input: raw(p.text[4]), Body: json.RawMessage(p.text[5]),
		InputBytes: p.number[0], Started: fromMillis(p.number[1]), Finished: fromMillis(p.number[2]),
	}
}

const assetColumns = `path, mime, bytes, sha256, head, job_id, artifact, created_at`

func scanAsset(r Rows) (a Asset, err error) {
	var created int64
	err = r.Scan(&a.Path, &a.MIME, &a.Bytes, &a.SHA256, &a.Head, &a.JobID, &a.Artifact, &created)
	a.Created = fromMillis(created)
	return a, err
}

// SessionAssets lists the assets of a session in the order in which they came,
// or is not_found.
func (db *DB) SessionAssets(ctx context.Context, id string) ([]Asset, error) {
	list, err := collect(ctx, db.Reader(), scanAsset, `SELECT `+assetColumns+` FROM session_assets WHERE session_id = $1 ORDER BY position`, id)
	if err == nil && len(list) == 0 {
		_, err = db.Session(ctx, id)
	}
	return list, unavailable("list a session's assets", err)
}

// SessionAsset returns one asset by its path, or not_found.
func (db *DB) SessionAsset(ctx context.Context, id, path string) (Asset, error) {
	a, found, err := one(ctx, db.Reader(), scanAsset, `SELECT `+assetColumns+` FROM session_assets WHERE session_id = $1 AND path = $2`, id, path)
	if err == nil && !found {
		if _, err := db.Session(ctx, id); err != nil {
			return a, err
		}
		return a, contract.Errorf(contract.CodeNotFound, "session %s has no asset %q", id, path).
			WithHint("GET /v1/sessions/%s lists the assets.", id)
	}
	return a, unavailable("read a session's asset", err)
}

// AddAssets records assets of a session that the caller holds. Their contents,
// just put or still referred to by an artifact, are touched in the same
// transaction, so that no sweep frees them; one that is gone is an error. A path
// that is taken is an error of the database: choose free ones.
func (db *DB) AddAssets(ctx context.Context, tx Tx, id string, list []Asset) error {
	position, _, err := one(ctx, tx, scanInt, `SELECT COALESCE(MAX(position), 0) FROM session_assets WHERE session_id = $1`, id)
	if err != nil {
		return err
	}
	var bytes int64
	for i, a := range list {
		if err := db.lockContent(ctx, tx, a); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO session_assets (session_id, position, `+assetColumns+`)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, id, position+int64(i)+1,
			clean(a.Path), clean(a.MIME), a.Bytes, a.SHA256, clean(a.Head), a.JobID, clean(a.Artifact), millis(Now()))
		if err != nil {
			return err
		}
		bytes += a.Bytes
	}
	_, err = tx.Exec(ctx, `UPDATE sessions SET bytes = bytes + $2 WHERE id = $1`, id, bytes)
	return err
}

// RebindAssets makes assets of a session that the caller holds those of a newer job,
// which has written the same bytes to the same paths; job ids sort by their time.
func (db *DB) RebindAssets(ctx context.Context, tx Tx, id string, list []Asset) error {
	for _, a := range list {
		if err := db.lockContent(ctx, tx, a); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE session_assets SET job_id = $4, artifact = $5
WHERE session_id = $1 AND path = $2 AND sha256 = $3 AND job_id < $4`, id, clean(a.Path), a.SHA256, a.JobID, clean(a.Artifact)); err != nil {
			return err
		}
	}
	return nil
}

// lockContent locks the row of an asset's content. An artifact's row keeps its
// content, so that after it was seen in this transaction the content's row is the
// right one; an upload names its row.
func (db *DB) lockContent(ctx context.Context, tx Tx, a Asset) error {
	if a.row != "" {
		return db.retainContent(ctx, tx, a.SHA256, a.row)
	}
	n, err := tx.Exec(ctx, `UPDATE blobs SET touched_at = `+db.backend.now()+` WHERE sha256 = $1 AND deleting_at = 0
AND EXISTS (SELECT 1 FROM artifacts WHERE job_id = $2 AND name = $3 AND sha256 = $1)`, a.SHA256, a.JobID, a.Artifact)
	if err == nil && n == 0 {
		return contract.Errorf(contract.CodeNotFound, "the artifact %q of job %s is gone", a.Artifact, a.JobID)
	}
	return err
}

// AddStep records a step of a session that the caller holds, and returns its id:
// step_1, step_2 … in the order of the session.
func (db *DB) AddStep(ctx context.Context, tx Tx, id string, s Step) (string, error) {
	last, _, err := one(ctx, tx, scanInt, `SELECT COALESCE(MAX(position), 0) FROM session_steps WHERE session_id = $1`, id)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("step_%d", last+1)
	_, err = tx.Exec(ctx, `INSERT INTO session_steps (session_id, position, id, tool, job_id, state, input, body, started_at, finished_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		id, last+1, name, s.Tool, s.JobID, s.State, clean(string(s.Input)), string(s.Body), millis(s.Started), millis(s.Finished))
	return name, err
}

// ChangeStep replaces the state, job, body and times of a step that is still
// open; false when it has ended, or is gone.
func (db *DB) ChangeStep(ctx context.Context, tx Tx, id string, s Step) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE session_steps SET job_id = $3, state = $4, body = $5, started_at = $6, finished_at = $7
WHERE session_id = $1 AND id = $2 AND finished_at = 0`, id, s.ID, s.JobID, s.State, string(s.Body), millis(s.Started), millis(s.Finished))
	return n == 1, err
}

// StepOpen says whether a step has not ended yet.
func (db *DB) StepOpen(ctx context.Context, tx Tx, id, step string) (bool, error) {
	_, open, err := one(ctx, tx, scanInt, `SELECT 1 FROM session_steps WHERE session_id = $1 AND id = $2 AND finished_at = 0`, id, step)
	return open, err
}

const stepColumns = `id, tool, job_id, state, input, body, started_at, finished_at`

func scanStep(r Rows) (s Step, err error) {
	var input, body string
	var started, finished int64
	err = r.Scan(&s.ID, &s.Tool, &s.JobID, &s.State, &input, &body, &started, &finished)
	s.Input, s.Body, s.InputBytes = raw(input), json.RawMessage(body), int64(len(input))
	s.Started, s.Finished = fromMillis(started), fromMillis(finished)
	return s, err
}

// SessionStep returns one step with its whole input, or not_found.
func (db *DB) SessionStep(ctx context.Context, id, step string) (Step, error) {
	return db.StepTx(ctx, db.Reader(), id, step)
}

// StepTx is SessionStep inside a change.
func (db *DB) StepTx(ctx context.Context, tx Tx, id, step string) (Step, error) {
	s, found, err := one(ctx, tx, scanStep, `SELECT `+stepColumns+` FROM session_steps WHERE session_id = $1 AND id = $2`, id, step)
	if err == nil && !found {
		return s, notFound("step", step)
	}
	return s, unavailable("read a step", err)
}

// OpenSteps lists the steps that have not ended: of one session, or with "" of
// all sessions those that began before a time.
func (db *DB) OpenSteps(ctx context.Context, id string, before time.Time) ([]SessionStep, error) {
	query, args := `SELECT session_id, `+stepColumns+` FROM session_steps WHERE finished_at = 0`, []any{millis(before)}
	if id != "" {
		query, args = query+` AND session_id = $1 ORDER BY position`, []any{id}
	} else {
		query += ` AND started_at <= $1 ORDER BY started_at LIMIT 500`
	}
	list, err := collect(ctx, db.Reader(), func(r Rows) (s SessionStep, err error) {
		var input, body string
		var started, finished int64
		err = r.Scan(&s.SessionID, &s.ID, &s.Tool, &s.JobID, &s.State, &input, &body, &started, &finished)
		s.Input, s.Body, s.InputBytes = raw(input), json.RawMessage(body), int64(len(input))
		s.Started, s.Finished = fromMillis(started), fromMillis(finished)
		return s, err
	}, query, args...)
	return list, unavailable("list open steps", err)
}

// SessionStep is a step with its session.
type SessionStep struct {
	SessionID string
	Step
}
