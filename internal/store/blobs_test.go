package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gocloud.dev/blob"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// onStores runs a test over a folder, over one whose small contents are rows, and
// over S3 where a server is given.
func onStores(t *testing.T, test func(t *testing.T, open func(*testing.T, BlobOptions) *Blobs)) {
	t.Run("file", func(t *testing.T) {
		dir := t.TempDir()
		db := openDB(t, filepath.Join(dir, "x.db"))
		test(t, func(t *testing.T, o BlobOptions) *Blobs {
			return openStore(t, db, "file://"+filepath.ToSlash(dir)+"/artifacts", o)
		})
	})
	t.Run("rows", func(t *testing.T) {
		dir := t.TempDir()
		db := openDB(t, filepath.Join(dir, "x.db"))
		test(t, func(t *testing.T, o BlobOptions) *Blobs {
			o.Small = 1 << 10
			return openStore(t, db, "file://"+filepath.ToSlash(dir)+"/artifacts", o)
		})
	})
	t.Run("s3", func(t *testing.T) {
		base := os.Getenv("ATELIER_TEST_S3")
		if base == "" {
			testenv.Skip(t, testenv.S3, "ATELIER_TEST_S3 is not set; `make test-s3` starts a server and sets it")
		}
		dir := t.TempDir()
		db := openDB(t, filepath.Join(dir, "x.db"))
		location := withPrefix(t, base, NewID("test-"))
		test(t, func(t *testing.T, o BlobOptions) *Blobs {
			o.CacheDir = filepath.Join(dir, NewID("cache-")) // each like another machine
			return openStore(t, db, location, o)
		})
	})
}

// withPrefix gives each test its own place in the bucket.
func withPrefix(t *testing.T, base, prefix string) string {
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("prefix", prefix+"/")
	u.RawQuery = q.Encode()
	return u.String()
}

func openStore(t *testing.T, db *DB, location string, o BlobOptions) *Blobs {
	t.Helper()
	b, err := OpenBlobs(context.Background(), db, location, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestContents(t *testing.T) {
	onStores(t, func(t *testing.T, open func(*testing.T, BlobOptions) *Blobs) {
		b, ctx := open(t, BlobOptions{}), context.Background()
		for _, text := range []string{"", "hello", strings.Repeat("long ", 2_000_000)} {
			for range 2 { // the second time it is there already
				got, err := b.Put(ctx, strings.NewReader(text))
				if err != nil || got.SHA256 != sha(text) || got.Bytes != int64(len(text)) {
					t.Fatalf("put %d bytes: %+v, %v", len(text), got, err)
				}
			}
		}
		other := open(t, BlobOptions{}) // with an empty cache
		for _, store := range []*Blobs{b, other} {
			r, err := store.Open(ctx, sha("hello"))
			if err != nil {
				t.Fatal(err)
			}
			r.Seek(2, io.SeekStart)
			text, err := io.ReadAll(r)
			r.Close()
			if string(text) != "llo" || err != nil {
				t.Errorf("from the third letter on: %q, %v", text, err)
			}
			path, err := store.LocalPath(ctx, sha("hello"))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(path); string(text) != "hello" || err != nil {
				t.Errorf("the file holds %q, %v", text, err)
			}
		}
		if err := b.Delete(ctx, sha("hello")); err != nil {
			t.Fatal(err)
		}
		if ok, err := b.Exists(ctx, sha("hello")); ok || err != nil {
			t.Errorf("after Delete: %v, %v", ok, err)
		}
		if err := b.Delete(ctx, sha("hello")); err != nil {
			t.Errorf("a second Delete: %v", err)
		}
		_, err := b.Open(ctx, sha("nothing"))
		wantCode(t, err, contract.CodeNotFound)
		for _, bad := range []string{"", "../../etc/passwd", strings.Repeat("A", 64)} {
			_, err := b.Open(ctx, bad)
			wantCode(t, err, contract.CodeNotFound)
		}
	})
}

type brokenReader struct{ n int }

func (r *brokenReader) Read(p []byte) (int, error) {
	if r.n--; r.n < 0 {
		return 0, errors.New("the connection broke")
	}
	return copy(p, "part"), nil
}

func TestABrokenUploadLeavesNothing(t *testing.T) {
	onStores(t, func(t *testing.T, open func(*testing.T, BlobOptions) *Blobs) {
		b, ctx := open(t, BlobOptions{}), context.Background()
		_, err := b.SaveFile(ctx, "x.stl", "model/stl", &brokenReader{3})
		wantCode(t, err, contract.CodeStorageUnavailable)
		if left, _ := os.ReadDir(b.bucket.spoolDir()); len(left) != 0 {
			t.Errorf("%d files are left", len(left))
		}
		if u, err := b.Usage(ctx); err != nil || u.Blobs != 0 || u.Files != 0 {
			t.Errorf("usage %+v, %v", u, err)
		}
	})
}

func TestFiles(t *testing.T) {
	onStores(t, func(t *testing.T, open func(*testing.T, BlobOptions) *Blobs) {
		b, ctx := open(t, BlobOptions{Grace: time.Millisecond}), context.Background()
		for name, want := range map[string]string{
			"part.step": "part.step", `C:\parts\a b.stl`: "a b.stl", "../../etc/passwd": "passwd", "": "upload.dat", "..": "upload.dat",
		} {
			f, err := b.SaveFile(ctx, name, "application/octet-stream", strings.NewReader("data of "+name))
			if err != nil || f.Name != want || !strings.HasPrefix(f.ID, "file_") {
				t.Errorf("%q became %+v, %v", name, f, err)
			}
			got, err := b.db.File(ctx, f.ID)
			if err != nil || got != f {
				t.Errorf("the record is %+v, %v", got, err)
			}
			wantCode(t, b.Delete(ctx, f.SHA256), contract.CodeConflict)
		}
		files, next, err := b.db.Files(ctx, 3, "")
		if err != nil || len(files) != 3 || next == "" {
			t.Fatal(files, next, err)
		}
		if rest, next, err := b.db.Files(ctx, 3, next); err != nil || len(rest) != 2 || next != "" {
			t.Fatal(rest, next, err)
		}
		if err := b.db.DeleteFile(ctx, files[0].ID); err != nil {
			t.Fatal(err)
		}
		wantCode(t, b.db.DeleteFile(ctx, files[0].ID), contract.CodeNotFound)
		time.Sleep(5 * time.Millisecond) // the grace time of this test is 1 ms
		if s, err := b.Sweep(ctx, Policy{}); err != nil || s.Blobs != 1 {
			t.Errorf("swept %+v, %v; one content has lost its only record", s, err)
		}
	})
}

func TestQuota(t *testing.T) {
	onStores(t, func(t *testing.T, open func(*testing.T, BlobOptions) *Blobs) {
		ctx := context.Background()
		b := open(t, BlobOptions{Quota: 1000, Grace: time.Millisecond})
		text := func(i int) string { return fmt.Sprintf("%0100d", i) }
		// 30 callers put 100 bytes each: exactly ten fit.
		var wg sync.WaitGroup
		var mu sync.Mutex
		good := 0
		for i := range 30 {
			wg.Go(func() {
				_, err := b.Put(ctx, strings.NewReader(text(i)))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					good++
				} else if contract.AsError(err).Code != contract.CodeQuotaExceeded {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if good != 10 {
			t.Fatalf("%d contents of 100 bytes fit into 1000", good)
		}
		again := open(t, BlobOptions{Quota: 1000}) // the sum survives a restart
		_, err := again.Put(ctx, strings.NewReader("one more"))
		wantCode(t, err, contract.CodeQuotaExceeded)
		time.Sleep(5 * time.Millisecond)
		if s, err := b.Sweep(ctx, Policy{}); err != nil || s.Bytes != 1000 {
			t.Fatalf("swept %+v, %v", s, err)
		}
		if _, err := b.Put(ctx, strings.NewReader("one more")); err != nil {
			t.Errorf("after the sweep: %v", err)
		}
	})
}

// Writers put few contents again and again, refer to them and let go of them,
// while two sweeps with no grace to speak of run all the time. What a record
// refers to must be readable at every moment.
func TestSweepBesideConcurrentPuts(t *testing.T) {
	onStores(t, func(t *testing.T, open func(*testing.T, BlobOptions) *Blobs) {
		b := open(t, BlobOptions{Grace: time.Millisecond})
		keepFolders(t, b)
		ctx, stop := context.WithCancel(context.Background())
		var sweepers, writers sync.WaitGroup
		freed := 0
		for i := range 2 {
			sweepers.Go(func() {
				for ctx.Err() == nil {
					s, err := b.Sweep(ctx, Policy{})
					if err != nil && ctx.Err() == nil {
						t.Errorf("sweep: %v", err)
						return
					}
					if i == 0 {
						freed += s.Blobs
					}
				}
			})
		}
		rounds := 25
		if strings.HasSuffix(t.Name(), "s3") {
			rounds = 10 // a round trip each
		}
		for w := range 4 {
			writers.Go(func() { churn(t, b, rounds, rand.New(rand.NewPCG(1, uint64(w)))) })
		}
		writers.Wait()
		stop()
		sweepers.Wait()
		if freed == 0 {
			t.Error("the sweeps freed nothing; this tested nothing")
		}
		checkAccounts(t, b)
	})
}

// keepFolders puts an object beside each content. S3 has no folders, but the
// server of the tests keeps some, and may fail a write below one that it is just
// removing because its last object went.
func keepFolders(t *testing.T, b *Blobs) {
	r, ok := b.bucket.(*remote)
	for i := range 4 {
		if ok {
			name := path.Dir(key(sha(fmt.Sprintf("content %d", i)))) + "/keep"
			if err := r.bucket.WriteAll(context.Background(), name, []byte("x"), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func churn(t *testing.T, b *Blobs, rounds int, r *rand.Rand) {
	ctx := context.Background()
	for range rounds {
		text := fmt.Sprintf("content %d", r.IntN(4))
		f, err := b.SaveFile(ctx, "x", "text/plain", strings.NewReader(text))
		if err != nil {
			// The grace of 1 ms may pass between the bytes and the record; that is
			// then said, and nothing refers to a lost content.
			if contract.AsError(err).Code != contract.CodeStorageUnavailable || !strings.Contains(err.Error(), "freed") {
				t.Errorf("save: %v", err)
			}
			continue
		}
		content, err := b.Open(ctx, f.SHA256)
		if err != nil {
			t.Errorf("a record refers to %s, which is gone: %v", f.SHA256, err)
			return
		}
		got, err := io.ReadAll(content)
		content.Close()
		if string(got) != text || err != nil {
			t.Errorf("read %q, %v", got, err)
		}
		if err := b.db.DeleteFile(ctx, f.ID); err != nil {
			t.Error(err)
		}
	}
}

// checkAccounts: after a last sweep nothing is left, neither rows nor bytes.
func checkAccounts(t *testing.T, b *Blobs) {
	t.Helper()
	ctx := context.Background()
	time.Sleep(5 * time.Millisecond)
	if _, err := b.Sweep(ctx, Policy{}); err != nil {
		t.Fatal(err)
	}
	if u, err := b.Usage(ctx); err != nil || u.Blobs != 0 || u.BlobBytes != 0 || b.used.Load() != 0 {
		t.Errorf("usage %+v, counted %d, %v", u, b.used.Load(), err)
	}
	for i := range 4 {
		if ok, _ := b.Exists(ctx, sha(fmt.Sprintf("content %d", i))); ok {
			t.Errorf("content %d is left without a record", i)
		}
	}
}

// A content is put a second time when a sweep freed it while it was being written:
// also then when the first put replaced a damaged one, or found it just going.
func TestASpooledFileCanBePutAgain(t *testing.T) {
	ctx := context.Background()
	l, err := openLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := spool(ctx, l.spoolDir(), strings.NewReader("a content"))
	if err != nil {
		t.Fatal(err)
	}
	sweep := func() {
		if err := l.remove(ctx, s.sha); err != nil {
			t.Fatal(err)
		}
	}
	damage := func() {
		sweep()
		if err := os.MkdirAll(filepath.Dir(l.path(s.sha)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(l.path(s.sha), []byte("another"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, before := range []func(){sweep, damage, sweep, damage, func() {}} {
		before()
		if err := l.put(ctx, s.path, s.sha); err != nil {
			t.Fatalf("put %d: %v", i, err)
		}
		if got, err := hashFile(ctx, l.path(s.sha)); err != nil || got != s.sha {
			t.Fatalf("put %d left %s, %v", i, got, err)
		}
	}
	s.discard()
	if left, _ := os.ReadDir(l.spoolDir()); len(left) != 0 {
		t.Errorf("left in the spool: %v", left)
	}
}

// A bucket that returns something else than what was put is found out.
func TestATamperedContentIsRefused(t *testing.T) {
	base := os.Getenv("ATELIER_TEST_S3")
	if base == "" {
		testenv.Skip(t, testenv.S3, "ATELIER_TEST_S3 is not set; `make test-s3` starts a server and sets it")
	}
	ctx := context.Background()
	dir := t.TempDir()
	db := openDB(t, filepath.Join(dir, "x.db"))
	location := withPrefix(t, base, NewID("test-"))
	raw, err := blob.OpenBucket(ctx, location)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.WriteAll(ctx, key(sha("good")), []byte("evil"), nil); err != nil {
		t.Fatal(err)
	}
	b := openStore(t, db, location, BlobOptions{CacheDir: filepath.Join(dir, "cache")})
	if _, _, err := b.retain(ctx, sha("good"), 4, nil, true); err != nil {
		t.Fatal(err)
	}
	_, err = b.LocalPath(ctx, sha("good"))
	wantCode(t, err, contract.CodeStorageUnavailable)
}

func TestUnknownStore(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "x.db"))
	_, err := OpenBlobs(context.Background(), db, "ftp://somewhere", BlobOptions{})
	wantCode(t, err, contract.CodeInvalidConfig)
}

func TestLocalContentsAreReadOnly(t *testing.T) {
	dir := t.TempDir()
	b := openStore(t, openDB(t, filepath.Join(dir, "x.db")), dir, BlobOptions{})
	got, err := b.Put(context.Background(), bytes.NewReader([]byte("x")))
	if err != nil {
		t.Fatal(err)
	}
	path, _ := b.LocalPath(context.Background(), got.SHA256)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o444 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
