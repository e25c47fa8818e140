package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/store/storetest"
)

// onEach runs a test on SQLite, and on Postgres where a server is given.
func onEach(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "atelier.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, storetest.Postgres(t, "store", 10)) })
}

func openDB(t testing.TB, url string) *DB {
	t.Helper()
	db, err := Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil || contract.AsError(err).Code != code {
		t.Fatalf("the error is %v, want code %s", err, code)
	}
}

func TestPathsOfSQLite(t *testing.T) {
	for url, want := range map[string]string{
		"data/atelier.db": "data/atelier.db", "/var/a.db": "/var/a.db",
		"sqlite:a.db": "a.db", "sqlite:///var/a.db": "/var/a.db", "sqlite://a.db": "a.db",
	} {
		if got := sqlitePath(url); got != want {
			t.Errorf("%s is the file %q, want %q", url, got, want)
		}
	}
	// Characters that mean something in a URL are only characters of a path.
	dir := filepath.Join(t.TempDir(), "a b?c#d%20")
	openDB(t, filepath.Join(dir, "x.db"))
	if _, err := os.Stat(filepath.Join(dir, "x.db")); err != nil {
		t.Error(err)
	}
}

func TestSecondOpenIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "atelier.db")
	db := openDB(t, path)
	_, err := Open(context.Background(), path)
	wantCode(t, err, contract.CodeConflict)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openDB(t, path)
}

// kill -9 cannot show whether commits reach the disk, since the page cache
// survives it; these two settings decide it (2 is FULL).
func TestCommitsReachTheDisk(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "x.db"))
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal"} {
		err := db.Write(context.Background(), func(tx Tx) error {
			got, _, err := one(context.Background(), tx, scanString, "PRAGMA "+pragma)
			if got != want {
				t.Errorf("%s is %q on the writer's connection, want %q", pragma, got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		db, ctx := openDB(t, url), context.Background()
		err := db.Write(ctx, func(tx Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO atelier_schema (version) VALUES (999)`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		_, err = Open(ctx, url)
		wantCode(t, err, contract.CodeConflict)
	})
}

func TestProcessesMigrateOnce(t *testing.T) {
	url := storetest.Postgres(t, "store", 10)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			db, err := Open(context.Background(), url)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			db.Close()
		})
	}
	wg.Wait()
}

func put(ctx context.Context, tx Tx, id string) error {
	_, err := tx.Exec(ctx, `INSERT INTO documents (kind, id, version, body, created_at, updated_at) VALUES ('t', $1, 1, '{}', 1, 1)`, id)
	return err
}

// Callers share a commit, but not each other's faults: of 400 concurrent
// closures every fourth fails half way, and every seventh panics; nothing of
// those stays, everything of the others does.
func TestOneFailureDoesNotSpoilItsNeighbours(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		db, ctx := openDB(t, url), context.Background()
		failure := errors.New("half way")
		var wg sync.WaitGroup
		for i := range 400 {
			wg.Go(func() {
				err := db.Write(ctx, func(tx Tx) error {
					if err := put(ctx, tx, fmt.Sprintf("%d-a", i)); err != nil {
						return err
					}
					if i%4 == 0 {
						return failure
					}
					return put(ctx, tx, fmt.Sprintf("%d-b", i))
				})
				if (err != nil) != (i%4 == 0) || (err != nil && !errors.Is(err, failure)) {
					t.Errorf("write %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		ids, err := collect(ctx, db.Reader(), scanString, `SELECT id FROM documents`)
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) != 600 { // 300 good closures of two rows each
			t.Errorf("%d rows, want 600", len(ids))
		}
		for _, id := range ids {
			var n int
			fmt.Sscanf(id, "%d", &n)
			if n%4 == 0 {
				t.Errorf("row %s of a failed closure stayed", id)
			}
		}
	})
}

func TestPanicInATransaction(t *testing.T) {
	db, ctx := openDB(t, filepath.Join(t.TempDir(), "x.db")), context.Background()
	err := db.Write(ctx, func(tx Tx) error {
		put(ctx, tx, "lost")
		panic("oops")
	})
	wantCode(t, err, contract.CodeInternal)
	if err := db.Write(ctx, func(tx Tx) error { return put(ctx, tx, "kept") }); err != nil {
		t.Fatalf("the writer is dead after a panic: %v", err)
	}
	ids, _ := collect(ctx, db.Reader(), scanString, `SELECT id FROM documents`)
	if strings.Join(ids, " ") != "kept" {
		t.Errorf("rows: %v", ids)
	}
}

func TestWriteAfterClose(t *testing.T) {
	db, ctx := openDB(t, filepath.Join(t.TempDir(), "x.db")), context.Background()
	db.Close()
	wantCode(t, db.Write(ctx, func(Tx) error { return nil }), contract.CodeStorageUnavailable)
}

func TestDocumentVersions(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		db, ctx := openDB(t, url), context.Background()
		_, err := db.Document(ctx, "session", "s1")
		wantCode(t, err, contract.CodeNotFound)
		d, err := db.PutDocument(ctx, "session", "s1", 0, []byte(`{"n":0}`))
		if err != nil || d.Version != 1 {
			t.Fatal(d, err)
		}
		_, err = db.PutDocument(ctx, "session", "s1", 0, []byte(`{}`))
		wantCode(t, err, contract.CodeConflict)
		_, err = db.PutDocument(ctx, "session", "other", 3, []byte(`{}`))
		wantCode(t, err, contract.CodeNotFound)
		// Of 20 writers of version 1 one wins.
		var won atomic.Int64
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if _, err := db.PutDocument(ctx, "session", "s1", 1, fmt.Appendf(nil, `{"n":%d}`, i)); err == nil {
					won.Add(1)
				} else if contract.AsError(err).Code != contract.CodeConflict {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if d, _ = db.Document(ctx, "session", "s1"); won.Load() != 1 || d.Version != 2 {
			t.Errorf("%d writers won, version %d", won.Load(), d.Version)
		}
		for i := range 5 {
			if _, err := db.PutDocument(ctx, "page", fmt.Sprint(i), 0, []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
		}
		first, next, err := db.Documents(ctx, "page", 3, "")
		if err != nil || len(first) != 3 || next == "" {
			t.Fatal(first, next, err)
		}
		second, next, err := db.Documents(ctx, "page", 3, next)
		if err != nil || len(second) != 2 || next != "" {
			t.Fatal(second, next, err)
		}
		if err := db.DeleteDocument(ctx, "session", "s1"); err != nil {
			t.Fatal(err)
		}
	})
}

// Texts from callers may hold what Postgres does not take.
func TestOddTexts(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		db, ctx := openDB(t, url), context.Background()
		j := &Job{ID: NewID("job_"), Tool: "echo", State: Succeeded, Input: []byte(`{"a":"\u0000"}`), Created: Now(),
			RequestID: "a\x00b\xff", Summary: "sum\x00", Result: &contract.Result{Status: contract.StatusOK, Summary: "sum\x00", Output: map[string]string{"x": "\x00"}}}
		err := db.Write(ctx, func(tx Tx) error {
			ok, err := db.InsertJob(ctx, tx, j, 0)
			if err == nil && !ok {
				err = errors.New("not inserted")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.Job(ctx, j.ID)
		if err != nil || got.RequestID != "ab\uFFFD" || got.Summary != "sum" || string(got.Result.OutputJSON()) != `{"x":"\u0000"}` {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
