package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Tx runs statements inside one transaction. Placeholders are $1, $2 … on both
// databases.
type Tx interface {
	// Exec returns the number of rows that it changed.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// Query's rows must be closed before the next statement.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
}

// Rows is the part of *sql.Rows and pgx.Rows that is used here.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// PgxTx returns the Postgres transaction under tx, for a library that joins it.
func PgxTx(tx Tx) (pgx.Tx, bool) {
	p, ok := tx.(pgTx)
	if !ok {
		return nil, false
	}
	inner, ok := p.q.(pgx.Tx)
	return inner, ok
}

type pgQuerier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

type pgTx struct{ q pgQuerier }

func (t pgTx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := t.q.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

func (t pgTx) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	rows, err := t.q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgRows{rows}, nil
}

type pgRows struct{ pgx.Rows }

func (r pgRows) Close() error { r.Rows.Close(); return r.Rows.Err() }

// sqlTx is the SQLite side. Its statements are prepared once a connection,
// since preparing costs more than running a small insert.
type sqlTx struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	wrote bool // a statement of the present closure has changed something
}

func (t *sqlTx) prepared(query string) (*sql.Stmt, error) {
	if s, ok := t.stmts[query]; ok {
		return s, nil
	}
	s, err := t.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	t.stmts[query] = s
	return s, nil
}

// Exec ignores the context on purpose: an interrupted statement would spoil the
// transaction that other callers share.
func (t *sqlTx) Exec(_ context.Context, query string, args ...any) (int64, error) {
	s, err := t.prepared(query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	t.wrote = t.wrote || n > 0
	return n, err
}

func (t *sqlTx) Query(_ context.Context, query string, args ...any) (Rows, error) {
	s, err := t.prepared(query)
	if err != nil {
		return nil, err
	}
	t.wrote = t.wrote || !strings.HasPrefix(query, "SELECT") // one with RETURNING changes rows
	return s.QueryContext(context.Background(), args...)
}

// sqlReader reads outside transactions. Its statements are prepared once a
// connection too; the texts of queries are few, and those beyond the limit are
// prepared each time.
type sqlReader struct {
	db    *sql.DB
	mu    sync.RWMutex
	stmts map[string]*sql.Stmt
}

const maxPrepared = 256

func newSQLReader(db *sql.DB) *sqlReader { return &sqlReader{db: db, stmts: map[string]*sql.Stmt{}} }

func (r *sqlReader) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.RLock()
	stmt, full := r.stmts[query], len(r.stmts) >= maxPrepared
	r.mu.RUnlock()
	if stmt != nil || full {
		return stmt, nil
	}
	stmt, err := r.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.stmts[query]; other != nil {
		_ = stmt.Close() // prepared twice at once
		return other, nil
	}
	r.stmts[query] = stmt
	return stmt, nil
}

// Exec implements Tx.
func (r *sqlReader) Exec(context.Context, string, ...any) (int64, error) {
	return 0, fmt.Errorf("a reader does not write")
}

// Query implements Tx.
func (r *sqlReader) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	stmt, err := r.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return r.db.QueryContext(ctx, query, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// collect runs a query and scans every row.
func collect[T any](ctx context.Context, tx Tx, scan func(Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// one runs a query for at most one row; found is false when there is none.
func one[T any](ctx context.Context, tx Tx, scan func(Rows) (T, error), query string, args ...any) (v T, found bool, err error) {
	all, err := collect(ctx, tx, scan, query, args...)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

func scanString(r Rows) (s string, err error) { err = r.Scan(&s); return s, err }

func scanInt(r Rows) (n int64, err error) { err = r.Scan(&n); return n, err }
