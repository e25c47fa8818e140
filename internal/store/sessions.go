package store

import (
	"context"
	"encoding/json"
	"time"

	"atelier/internal/contract"
)

// Session is a workspace of one caller: a body that its callers write, assets,
// steps and events. Version grows with every change of it, events aside.
type Session struct {
	ID               string // session_ and a lower-case UUID
	Version          int64
	Body             json.RawMessage
	Run              string // the run that works on it, "" when none does
	RunWorker        string // the process of the run
	RunCancel        bool   // the run was asked to end
	LastEvent        int64  // sequence number
	Bytes            int64  // of its assets
	Created, Updated time.Time
}

// Asset is a file of a session. Path is unique in the session, relative, with
// forward slashes, and its content never changes. Head is the path of the asset
// that names this one as a file of its series, "" for others.
type Asset struct {
	Path, MIME      string
	Bytes           int64
	SHA256          string
	Head            string
	JobID, Artifact string // the artifact that it is, "" for an upload
	Created         time.Time

	row string
}

// Asset names a stored content, for a record of it to be made.
func (b Blob) Asset(path, mime string) Asset {
	return Asset{Path: path, MIME: mime, Bytes: b.Bytes, SHA256: b.SHA256, row: b.row}
}

// Step is one call of a tool in a session. Body is opaque here.
type Step struct {
	ID, Tool, JobID   string
	State             string
	Input             json.RawMessage // nil in a snapshot when longer than SnapshotInput
	InputBytes        int64
	Body              json.RawMessage
	Started, Finished time.Time // Finished is zero while it is open
}

// SnapshotInput is the longest input of a step, in characters, that a snapshot holds.
const SnapshotInput = 16 << 10

// Snapshot is a session with its parts as they were at one moment.
type Snapshot struct {
	Session
	Assets []Asset
	Steps  []Step
}

const sessionColumns = `id, version, body, run_id, run_worker, run_cancel, event_seq, bytes, created_at, updated_at`

func scanSession(r Rows) (s Session, err error) {
	var body string
	var cancel int
	var created, updated int64
	err = r.Scan(&s.ID, &s.Version, &body, &s.Run, &s.RunWorker, &cancel, &s.LastEvent, &s.Bytes, &created, &updated)
	s.Body, s.RunCancel, s.Created, s.Updated = json.RawMessage(body), cancel != 0, fromMillis(created), fromMillis(updated)
	return s, err
}

// InsertSession makes a session at version 1.
func (db *DB) InsertSession(ctx context.Context, tx Tx, id string, body json.RawMessage) error {
	_, err := tx.Exec(ctx, `INSERT INTO sessions (`+sessionColumns+`, run_lease) VALUES ($1, 1, $2, '', '', 0, 0, 0, $3, $3, 0)`,
		id, string(body), millis(Now()))
	return err
}

// ChangeSession is the one way to change a session: in a transaction that holds
// its row, fn changes s.Body and s.Run, s.RunWorker, s.RunCancel and, through tx,
// its parts. Version grows by 1, and listeners hear the id. version, when not 0,
// is the one that the caller has read: precondition_failed when it has passed.
// fn may be run again after a rollback. It must not use the database but by tx.
func (db *DB) ChangeSession(ctx context.Context, id string, version int64, fn func(tx Tx, s *Session) error) (Session, error) {
	var s Session
	err := db.Write(ctx, func(tx Tx) error {
		held, err := db.lockSession(ctx, tx, id)
		if err != nil {
			return err
		}
		if version != 0 && held.Version != version+1 {
			return contract.Errorf(contract.CodePreconditionFailed, "session %s is at version %d, not %d", id, held.Version-1, version).
				With("version", held.Version-1).WithHint("Read the manifest again and repeat the change on what it holds now.")
		}
		if err := fn(tx, &held); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE sessions SET body = $2, run_id = $3, run_worker = $4, run_cancel = $5 WHERE id = $1`,
			id, string(held.Body), held.Run, held.RunWorker, bit(held.RunCancel))
		if err != nil {
			return err
		}
		s = held
		return db.Notify(ctx, tx, id)
	})
	return s, err
}

// lockSession takes the row's lock by raising its version, and then reads it: a
// read before the lock could be out of date on Postgres.
func (db *DB) lockSession(ctx context.Context, tx Tx, id string) (Session, error) {
	n, err := tx.Exec(ctx, `UPDATE sessions SET version = version + 1, updated_at = $2 WHERE id = $1`, id, millis(Now()))
	if err != nil {
		return Session{}, err
	}
	if n == 0 {
		return Session{}, notFound("session", id)
	}
	s, _, err := one(ctx, tx, scanSession, `SELECT `+sessionColumns+` FROM sessions WHERE id = $1`, id)
	return s, err
}

// Session returns the row, or not_found.
func (db *DB) Session(ctx context.Context, id string) (Session, error) {
	s, found, err := one(ctx, db.Reader(), scanSession, `SELECT `+sessionColumns+` FROM sessions WHERE id = $1`, id)
	if err == nil && !found {
		return s, notFound("session", id)
	}
	return s, unavailable("read a session", err)
}

// Sessions lists sessions, newest first: at most limit, older than the cursor.
func (db *DB) Sessions(ctx context.Context, limit int, after string) (list []Session, next string, err error) {
	at, id := int64(1)<<62, ""
	if after != "" {
		if at, id, err = parseCursor(after); err != nil {
			return nil, "", err
		}
	}
	limit = min(max(limit, 1), 500)
	list, err = collect(ctx, db.Reader(), scanSession, `SELECT `+sessionColumns+` FROM sessions
WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`, at, id, limit+1)
	if err == nil && len(list) > limit {
		list = list[:limit]
		next = cursor(millis(list[limit-1].Created), list[limit-1].ID)
	}
	return list, next, unavailable("list sessions", err)
}

// DeleteSession removes an idle session with its parts; conflict while a run
// works on it. The contents go with the next sweep unless something else refers
// to them.
func (db *DB) DeleteSession(ctx context.Context, id string) error {
	return db.Write(ctx, func(tx Tx) error {
		s, err := db.lockSession(ctx, tx, id)
		if err != nil {
			return err
		}
		if s.Run != "" {
			return contract.Errorf(contract.CodeConflict, "session %s is being worked on", id).
				WithHint("POST /v1/sessions/%s/cancel first.", id)
		}
		_, err = removeSession(ctx, tx, id)
		if err != nil {
			return err
		}
		return db.Notify(ctx, tx, id)
	})
}

func removeSession(ctx context.Context, tx Tx, id string) (bool, error) {
	n, err := tx.Exec(ctx, `DELETE FROM sessions WHERE id = $1 AND run_id = ''`, id)
	if err != nil || n == 0 {
		return false, err
	}
	for _, statement := range []string{
		`DELETE FROM session_assets WHERE session_id = $1`, `DELETE FROM session_steps WHERE session_id = $1`,
		`DELETE FROM session_events WHERE session_id = $1`,
	} {
		if _, err := tx.Exec(ctx, statement, id); err != nil {
			return false, err
		}
	}
	return true, nil
}

// LeaseRun makes the lease of a session's run last from now on; part of the
// change that begins the run or takes it over.
func (db *DB) LeaseRun(ctx context.Context, tx Tx, id string, lease time.Duration) error {
	_, err := tx.Exec(ctx, `UPDATE sessions SET run_lease = `+db.backend.now()+` + $2 WHERE id = $1`, id, lease.Milliseconds())
	return err
}

// RenewRuns renews the leases of the runs of a worker and returns their sessions:
// one that is missing has been taken over.
func (db *DB) RenewRuns(ctx context.Context, worker string, lease time.Duration) ([]Session, error) {
	var held []Session
	err := db.Write(ctx, func(tx Tx) (err error) {
		held, err = collect(ctx, tx, scanSession, `UPDATE sessions SET run_lease = `+db.backend.now()+` + $2
WHERE run_worker = $1 AND run_id <> '' RETURNING `+sessionColumns, worker, lease.Milliseconds())
		return err
	})
	return held, err
}

// ExpiredRuns lists sessions whose run has not been renewed; with all it lists
// every session with a run (SQLite at start: no other process can hold one).
func (db *DB) ExpiredRuns(ctx context.Context, all bool) ([]Session, error) {
	query := `SELECT ` + sessionColumns + ` FROM sessions WHERE run_id <> ''`
	if !all {
		query += ` AND run_lease < ` + db.backend.now()
	}
	list, err := collect(ctx, db.Reader(), scanSession, query)
	return list, unavailable("list interrupted runs", err)
}

// CancelRun asks the run of a session to end; false when there is none.
func (db *DB) CancelRun(ctx context.Context, id string) (bool, error) {
	asked := false
	err := db.Write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE sessions SET run_cancel = 1 WHERE id = $1 AND run_id <> ''`, id)
		if err != nil {
			return err
		}
		asked = n > 0
		return db.Notify(ctx, tx, id)
	})
	return asked, err
}
