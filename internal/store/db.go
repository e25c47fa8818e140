package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"atelier/internal/contract"
)

// DB is the one database. It is safe for concurrent use.
type DB struct {
	backend   backend
	insertJob string // the statement of InsertJob
}

// backend is what differs between the two databases.
type backend interface {
	// write runs fn in a transaction and returns after it is durable. fn may be
	// run more than once, with all that it changed undone before.
	write(ctx context.Context, fn func(Tx) error) error
	// writeThen is write for a caller that need not wait: done gets what write
	// would return, perhaps before writeThen returns.
	writeThen(fn func(Tx) error, done func(error))
	reader() Tx
	// now is an SQL expression of the database's own clock in milliseconds.
	now() string
	// notify tells every listener of every process, when the transaction commits.
	notify(ctx context.Context, tx Tx, payload string) error
	// listen calls got for each notification until ctx ends; ready is called
	// whenever listening has (again) begun, since some may have been missed.
	listen(ctx context.Context, ready func(), got func(payload string)) error
	// size is what the database occupies, in bytes.
	size(ctx context.Context) (int64, error)
	close() error
}

// Open opens, and when needed creates or migrates, the database of a URL:
// `postgres://…` (or `postgresql://…`), or SQLite as a file path, `sqlite:path`
// or `sqlite:///absolute/path`. A SQLite database is locked for this process:
// a second Open of the same file, here or in another process, is a conflict.
func Open(ctx context.Context, url string) (*DB, error) {
	var b backend
	var err error
	switch kind, _, isURL := strings.Cut(url, "://"); {
	case isURL && (kind == "postgres" || kind == "postgresql"):
		b, err = openPostgres(ctx, url)
	case isURL && kind != "sqlite":
		return nil, contract.Errorf(contract.CodeInvalidConfig, "the database %s://… is of an unknown kind", kind).
			WithHint("Use a file for SQLite, or postgres://….")
	default:
		b, err = openSQLite(ctx, sqlitePath(url))
	}
	if err != nil {
		return nil, unavailable("open the database", err)
	}
	db := &DB{backend: b, insertJob: insertJob(b.now())}
	if err := db.migrate(ctx); err != nil {
		b.close()
		return nil, unavailable("migrate the database", err)
	}
	return db, nil
}

func sqlitePath(url string) string {
	path := strings.TrimPrefix(url, "sqlite:")
	if strings.HasPrefix(path, "///") {
		return path[2:]
	}
	return strings.TrimPrefix(path, "//")
}

// Close waits for writes under way and closes the database.
func (db *DB) Close() error { return db.backend.close() }

// Shared says whether other processes may use the database at the same time.
func (db *DB) Shared() bool { return db.Pool() != nil }

// Pool is the connection pool of Postgres, nil for SQLite.
func (db *DB) Pool() *pgxpool.Pool {
	if p, ok := db.backend.(*postgres); ok {
		return p.pool
	}
	return nil
}

// Write runs fn in one transaction and returns after it is durable. When fn
// returns an error nothing of it stays. fn may be run again after a rollback, so
// it must do nothing that cannot be repeated, and assign its results at its end.
func (db *DB) Write(ctx context.Context, fn func(Tx) error) error {
	return unavailable("write to the database", db.backend.write(ctx, fn))
}

// WriteThen is Write for a caller that has nothing to wait for: done is called
// once, after the write is durable or has failed. On SQLite the one writer calls
// it between two commits, so it must be quick and must not wait for a Write.
func (db *DB) WriteThen(fn func(Tx) error, done func(error)) {
	db.backend.writeThen(fn, func(err error) { done(unavailable("write to the database", err)) })
}

// Reader runs single statements outside any transaction.
func (db *DB) Reader() Tx { return db.backend.reader() }

// Notify sends a short text to the listeners of every process, when tx commits.
// It does nothing on SQLite, which has one process.
func (db *DB) Notify(ctx context.Context, tx Tx, payload string) error {
	return db.backend.notify(ctx, tx, payload)
}

// Listen calls got for every notification until ctx ends. ready is called each
// time that listening begins anew: what was sent before it may have been missed.
func (db *DB) Listen(ctx context.Context, ready func(), got func(payload string)) error {
	return db.backend.listen(ctx, ready, got)
}

// Ping says whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, _, err := one(ctx, db.Reader(), scanInt, `SELECT 1`)
	return unavailable("ping the database", err)
}
