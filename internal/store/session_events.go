package store

import (
	"context"
	"encoding/json"
	"time"
)

// SessionEvent is something that happened in a session. Seq grows by 1 within
// the session; Run is the run that it belongs to, "" for none.
type SessionEvent struct {
	Seq       int64
	Type, Run string
	Data      json.RawMessage
	Time      time.Time
}

// AppendSessionEvents numbers events and adds them. The numbers become visible
// in order, since the session's row is held until the transaction ends.
func (db *DB) AppendSessionEvents(ctx context.Context, tx Tx, id string, events []SessionEvent) error {
	last, found, err := one(ctx, tx, scanInt, `UPDATE sessions SET event_seq = event_seq + $2 WHERE id = $1 RETURNING event_seq`, id, len(events))
	if err != nil {
		return err
	}
	if !found {
		return notFound("session", id)
	}
	for i, e := range events {
		_, err := tx.Exec(ctx, `INSERT INTO session_events (session_id, seq, type, run_id, data, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			id, last-int64(len(events)-1-i), e.Type, e.Run, string(e.Data), millis(Now()))
		if err != nil {
			return err
		}
	}
	return db.Notify(ctx, tx, id)
}

func scanSessionEvent(r Rows) (e SessionEvent, err error) {
	var data string
	var at int64
	err = r.Scan(&e.Seq, &e.Type, &e.Run, &data, &at)
	e.Data, e.Time = json.RawMessage(data), fromMillis(at)
	return e, err
}

// SessionEventsAfter lists events after a sequence number, at most limit.
func (db *DB) SessionEventsAfter(ctx context.Context, id string, after int64, limit int) ([]SessionEvent, error) {
	list, err := collect(ctx, db.Reader(), scanSessionEvent, `SELECT seq, type, run_id, data, created_at FROM session_events
WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, id, after, limit)
	return list, unavailable("list a session's events", err)
}

// RunEvents lists the events of one type of a run, in a change of its session.
func (db *DB) RunEvents(ctx context.Context, tx Tx, id, run, kind string) ([]SessionEvent, error) {
	return collect(ctx, tx, scanSessionEvent, `SELECT seq, type, run_id, data, created_at FROM session_events
WHERE session_id = $1 AND run_id = $2 AND type = $3 ORDER BY seq`, id, run, kind)
}

// ReplaceSessionEvents puts data in the place of the event `last` and removes
// the events of its type and run from `first` up to it.
func (db *DB) ReplaceSessionEvents(ctx context.Context, tx Tx, id string, first, last int64, data json.RawMessage) error {
	_, err := tx.Exec(ctx, `DELETE FROM session_events WHERE session_id = $1 AND seq >= $2 AND seq < $3`, id, first, last)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE session_events SET data = $3 WHERE session_id = $1 AND seq = $2`, id, last, string(data))
	return err
}

// RemoveRunEvents removes the events of one type of a run.
func (db *DB) RemoveRunEvents(ctx context.Context, tx Tx, id, run, kind string) error {
	_, err := tx.Exec(ctx, `DELETE FROM session_events WHERE session_id = $1 AND run_id = $2 AND type = $3`, id, run, kind)
	return err
}
