package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver

	"atelier/internal/contract"
)

// maxBatch bounds how many closures share one commit, and so how long the first
// of them waits for the last.
const maxBatch = 512

type sqlite struct {
	path    string
	lock    *os.File
	writeDB *sql.DB // one connection, the writer's
	read    *sql.DB
	reads   *sqlReader
	tx      *sqlTx

	requests chan *writeRequest
	mu       sync.RWMutex // held for reading while a request is handed over
	closed   bool
	done     chan struct{}
}

type writeRequest struct {
	ctx  context.Context
	fn   func(Tx) error
	done func(error) // called by the writer after the commit; quick, and waits for nothing
}

var errClosed = errors.New("the database is closed")

func openSQLite(ctx context.Context, path string) (*sqlite, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	s := &sqlite{path: path, lock: lock, requests: make(chan *writeRequest, maxBatch), done: make(chan struct{})}
	if err := s.connect(ctx); err != nil {
		s.release()
		return nil, err
	}
	go s.writer()
	return s, nil
}

// lockFile takes the lock that keeps a second server away: SQLite itself would
// let it in, and both would run the same jobs. The system drops it with the
// process, however that ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, contract.Errorf(contract.CodeConflict, "another process uses this data folder (%s is locked)", filepath.Base(path)).
				WithHint("Stop it, choose another --data folder, or share one Postgres with --database postgres://….")
		}
		return nil, err
	}
	return f, nil
}

func (s *sqlite) connect(ctx context.Context) error {
	dsn := func(more ...string) string {
		q := url.Values{"_pragma": append([]string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-16000)"}, more...)}
		return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: s.path}).EscapedPath(), RawQuery: q.Encode()}).String()
	}
	var err error
	if s.writeDB, err = sql.Open("sqlite", dsn()); err != nil {
		return err
	}
	s.writeDB.SetMaxOpenConns(1)
	conn, err := s.writeDB.Conn(ctx)
	if err != nil {
		return err
	}
	s.tx = &sqlTx{conn: conn, stmts: map[string]*sql.Stmt{}}
	if s.read, err = sql.Open("sqlite", dsn("query_only(1)")); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(8)
	s.read.SetMaxIdleConns(8)
	s.reads = newSQLReader(s.read)
	return nil
}

func (s *sqlite) write(ctx context.Context, fn func(Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	result := make(chan error, 1)
	s.submit(&writeRequest{ctx: ctx, fn: fn, done: func(err error) { result <- err }})
	// Not cut short by ctx: the caller must know whether the write was made.
	return <-result
}

func (s *sqlite) writeThen(fn func(Tx) error, done func(error)) {
	s.submit(&writeRequest{ctx: context.Background(), fn: fn, done: done})
}

func (s *sqlite) submit(r *writeRequest) {
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		r.done(errClosed)
		return
	}
	s.requests <- r
	s.mu.RUnlock()
}

// writer is the only goroutine that changes the database. While one commit
// waits for the disk the next requests gather; they share the next commit.
func (s *sqlite) writer() {
	defer close(s.done)
	for first := range s.requests {
		begun := time.Now()
		batch := s.gather([]*writeRequest{first})
		s.commit(batch)
		if len(batch) >= crowd {
			time.Sleep(min(2*time.Since(begun), longestPause))
		}
	}
}

// After a commit for a crowd the writer pauses for a moment, so that the next
// commit, which costs the processor as much as twenty rows, serves more of them.
// One or two callers never wait for this.
const (
	crowd        = 4
	longestPause = 500 * time.Microsecond
)

// gather adds what waits already. Before it decides that nothing more does, it
// lets whoever can run go first: of many callers at once those are just about to
// ask, and a commit costs as much as the rows of ten. An idle program loses
// nothing by it.
func (s *sqlite) gather(batch []*writeRequest) []*writeRequest {
	for before := 0; before < len(batch) && len(batch) < maxBatch; {
		before = len(batch)
		runtime.Gosched()
		for len(batch) < maxBatch && len(s.requests) > 0 {
			r, ok := <-s.requests
			if !ok {
				return batch
			}
			batch = append(batch, r)
		}
	}
	return batch
}

func (s *sqlite) commit(batch []*writeRequest) {
	results, err := s.attempt(batch, false)
	if errors.Is(err, errNeedsSavepoints) {
		results, err = s.attempt(batch, true)
	}
	for i, r := range batch {
		if err != nil {
			r.done(err)
		} else {
			r.done(results[i])
		}
	}
}

// errNeedsSavepoints: one closure failed after it had changed something, so that
// its changes must be undone without those of its neighbours.
var errNeedsSavepoints = errors.New("a closure failed half way")

// attempt runs a batch in one transaction. The first attempt goes without
// savepoints, which would cost more than the statements of a small insert.
func (s *sqlite) attempt(batch []*writeRequest, savepoints bool) (results []error, err error) {
	ctx := context.Background()
	if _, err := s.tx.Exec(ctx, `BEGIN IMMEDIATE`); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_, rollback := s.tx.Exec(ctx, `ROLLBACK`)
			err = errors.Join(err, rollback)
		}
	}()
	results = make([]error, len(batch))
	for i, r := range batch {
		if results[i] = r.ctx.Err(); results[i] != nil {
			continue // the caller has gone before its turn; nothing of it is written
		}
		if results[i], err = s.run(r, savepoints); err != nil {
			return nil, err
		}
	}
	_, err = s.tx.Exec(ctx, `COMMIT`)
	return results, err
}

// run runs one closure; err is a fault of the whole batch.
func (s *sqlite) run(r *writeRequest, savepoint bool) (result, err error) {
	ctx := context.Background()
	if savepoint {
		if _, err := s.tx.Exec(ctx, `SAVEPOINT one`); err != nil {
			return nil, err
		}
	}
	s.tx.wrote = false
	result = safely(r.fn, s.tx)
	switch {
	case savepoint && result != nil:
		if _, err := s.tx.Exec(ctx, `ROLLBACK TO one`); err != nil {
			return nil, err
		}
		fallthrough
	case savepoint:
		_, err = s.tx.Exec(ctx, `RELEASE one`)
		return result, err
	case result != nil && s.tx.wrote:
		return nil, errNeedsSavepoints
	}
	return result, nil
}

// safely turns a panic of a closure into its error: the writer serves everyone.
func safely(fn func(Tx) error, tx Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = contract.Errorf(contract.CodeInternal, "panic in a transaction: %v", p)
		}
	}()
	return fn(tx)
}

func (s *sqlite) reader() Tx { return s.reads }

func (s *sqlite) now() string { return `CAST(unixepoch('subsec') * 1000 AS INTEGER)` }

func (s *sqlite) notify(context.Context, Tx, string) error { return nil }

func (s *sqlite) listen(ctx context.Context, ready func(), _ func(string)) error {
	ready()
	<-ctx.Done()
	return ctx.Err()
}

func (s *sqlite) size(context.Context) (int64, error) {
	var total int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path + suffix); err == nil {
			total += info.Size()
		}
	}
	return total, nil
}

func (s *sqlite) close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.requests)
	s.mu.Unlock()
	<-s.done
	return s.release()
}

func (s *sqlite) release() error {
	var errs []error
	if s.tx != nil {
		for _, stmt := range s.tx.stmts {
			errs = append(errs, stmt.Close())
		}
		errs = append(errs, s.tx.conn.Close())
	}
	for _, db := range []*sql.DB{s.read, s.writeDB} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	errs = append(errs, s.lock.Close())
	return errors.Join(errs...)
}
