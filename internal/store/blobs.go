package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"atelier/internal/contract"
)

// Blobs is the content-addressed store, accounted for in the database.
type Blobs struct {
	db     *DB
	bucket bucket
	quota  int64
	grace  time.Duration
	small  int64

	verified  sync.Map     // sha256 to seen
	used      atomic.Int64 // bytes of all contents, as of refreshed
	refreshed atomic.Int64 // milliseconds
}

// BlobOptions of OpenBlobs. The zero value of a field means its default.
type BlobOptions struct {
	CacheDir string        // of S3: the folder of materialised contents; required there
	Quota    int64         // bytes of all contents; 0 for no limit
	Grace    time.Duration // how long a content stays that nothing refers to; 1 h
	Small    int64         // contents up to this size are rows of the database; 0 for none
}

// Blob is a stored content.
type Blob struct {
	SHA256 string // 64 hex digits
	Bytes  int64

	row string // the content's row, which a record that refers to it must still find
}

// deletionLimit bounds how long the removal of a content may take. Another
// process takes an older, unfinished one over.
const deletionLimit = time.Minute

// OpenBlobs opens the store at a folder path, `file:///folder` or `s3://bucket?…`.
func OpenBlobs(ctx context.Context, db *DB, location string, o BlobOptions) (*Blobs, error) {
	if o.Grace == 0 {
		o.Grace = time.Hour
	}
	inner, err := openBucket(ctx, location, o.CacheDir)
	if err != nil {
		return nil, unavailable("open the artifact store", err)
	}
	b := &Blobs{db: db, bucket: inner, quota: o.Quota, grace: o.Grace, small: o.Small}
	removeOldSpools(inner.spoolDir())
	if err := b.refresh(ctx); err != nil {
		inner.close()
		return nil, err
	}
	return b, nil
}

// Close closes the store, not the database.
func (b *Blobs) Close() error { return b.bucket.close() }

// Put stores what r gives, durably, and returns its hash. The content stays for
// the grace time; refer to it (an artifact, a file) before that is over. It is
// quota_exceeded when the content is new and does not fit.
func (b *Blobs) Put(ctx context.Context, r io.Reader) (Blob, error) {
	if b.small > 0 {
		content, rest, err := b.readSmall(contract.Cancellable(ctx, r))
		switch {
		case err != nil:
			return Blob{}, unavailable("read a content", err)
		case rest == nil:
			return b.putSmall(ctx, content)
		}
		r = rest
	}
	s, err := spool(ctx, b.bucket.spoolDir(), r)
	if err != nil {
		return Blob{}, unavailable("write a content", err)
	}
	defer s.discard()
	for {
		begun := time.Now()
		row, err := b.account(ctx, s.sha, s.bytes, nil)
		if err != nil {
			return Blob{}, err
		}
		if err := b.bucket.put(ctx, s.path, s.sha); err != nil {
			return Blob{}, unavailable("store a content", err)
		}
		if time.Since(begun) < b.grace/2 {
			return Blob{SHA256: s.sha, Bytes: s.bytes, row: row}, nil
		}
		// The writing took so long that a sweep may have freed the row: make sure.
		still, err := b.touch(ctx, s.sha)
		if err != nil {
			return Blob{}, err
		}
		if still == row {
			return Blob{SHA256: s.sha, Bytes: s.bytes, row: row}, nil
		}
	}
}

// account makes or touches the content's row before its bytes are written, so
// that no sweep frees it from here on. Small bytes are written with it.
func (b *Blobs) account(ctx context.Context, sha string, size int64, small []byte) (string, error) {
	for {
		full := b.reserve(ctx, size)
		row, made, err := b.retain(ctx, sha, size, small, full == nil)
		if full == nil && !made {
			b.used.Add(-size)
		}
		switch {
		case err != nil || row != "":
			return row, err
		case full != nil:
			return "", full
		}
		// Another has just put it, or a sweep is just removing it: look again.
		select {
		case <-ctx.Done():
			return "", unavailable("store a content", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// retain touches a content's row or, where it may, makes one: in one transaction,
// as each commit is a wait for the disk.
func (b *Blobs) retain(ctx context.Context, sha string, size int64, small []byte, may bool) (row string, made bool, err error) {
	err = b.db.Write(ctx, func(tx Tx) (err error) {
		made = false
		if row, err = b.touchIn(ctx, tx, sha); err != nil {
			return err
		}
		if row == "" && may {
			row, made, err = one(ctx, tx, scanString, `INSERT INTO blobs (sha256, row_name, bytes, touched_at, deleting_at)
VALUES ($1, $2, $3, `+b.db.backend.now()+`, 0) ON CONFLICT DO NOTHING RETURNING row_name`, sha, NewID(""), size)
		}
		if err != nil || row == "" || small == nil {
			return err
		}
		return insertSmall(ctx, tx, sha, small)
	})
	return row, made && err == nil, err
}

// touch holds a content that has a row, also one whose removal was left undone,
// and returns the row's name.
func (b *Blobs) touch(ctx context.Context, sha string) (row string, err error) {
	err = b.db.Write(ctx, func(tx Tx) (err error) {
		row, err = b.touchIn(ctx, tx, sha)
		return err
	})
	return row, err
}

func (b *Blobs) touchIn(ctx context.Context, tx Tx, sha string) (row string, err error) {
	row, _, err = one(ctx, tx, scanString, `UPDATE blobs SET touched_at = `+b.db.backend.now()+`, deleting_at = 0
WHERE sha256 = $1 AND (deleting_at = 0 OR deleting_at < `+b.db.backend.now()+` - $2) RETURNING row_name`, sha, deletionLimit.Milliseconds())
	return row, err
}

// reserve counts size as used, or is quota_exceeded. The quota is exact within
// one process; several may together pass it by what they store in two seconds.
func (b *Blobs) reserve(ctx context.Context, size int64) error {
	if b.quota > 0 && b.db.Shared() && Now().UnixMilli()-b.refreshed.Load() > 2000 {
		if err := b.refresh(ctx); err != nil {
			return err
		}
	}
	used := b.used.Add(size) - size
	if b.quota <= 0 || used+size <= b.quota {
		return nil
	}
	b.used.Add(-size)
	return contract.Errorf(contract.CodeQuotaExceeded, "%d bytes do not fit: %d of the quota of %d bytes are used", size, used, b.quota).
		With("quota_bytes", b.quota).With("used_bytes", used).
		WithHint("Delete jobs or files that are no longer needed, or have the quota raised.")
}

func (b *Blobs) refresh(ctx context.Context) error {
	n, _, err := one(ctx, b.db.Reader(), scanInt, `SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM blobs`)
	if err != nil {
		return unavailable("sum up the contents", err)
	}
	b.used.Store(n)
	b.refreshed.Store(Now().UnixMilli())
	return nil
}

// Exists says whether the content is there.
func (b *Blobs) Exists(ctx context.Context, sha string) (bool, error) {
	if err := checkSHA(sha); err != nil {
		return false, nil
	}
	if _, found, err := b.readSmallRow(ctx, sha); err != nil || found {
		return found, err
	}
	ok, err := b.bucket.exists(ctx, sha)
	return ok, unavailable("look for a content", err)
}

// Open reads a content, which has been held against its hash; it can seek, for
// HTTP ranges. A damaged content is content_damaged.
func (b *Blobs) Open(ctx context.Context, sha string) (io.ReadSeekCloser, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	if content, found, err := b.readSmallRow(ctx, sha); err != nil {
		return nil, err
	} else if found {
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != sha {
			return nil, damaged(sha)
		}
		return smallReader{bytes.NewReader(content)}, nil
	}
	if ok, err := b.bucket.exists(ctx, sha); err != nil {
		return nil, unavailable("look for a content", err)
	} else if !ok {
		return nil, notFound("content", sha)
	}
	path, err := b.localFile(ctx, sha, freshFor)
	if err != nil {
		return nil, err
	}
	r, err := os.Open(path)
	if err != nil {
		return nil, unavailable("open a content", err)
	}
	return r, nil
}

// LocalPath is an absolute path of the content, for tools that need a file: the
// stored file itself, or for S3 a copy in the cache folder. It stays readable
// for the grace time, whatever is deleted meanwhile. Never write to it. Its bytes
// have just been held against the hash; a damaged one is content_damaged.
func (b *Blobs) LocalPath(ctx context.Context, sha string) (string, error) {
	if err := checkSHA(sha); err != nil {
		return "", err
	}
	if row, err := b.touch(ctx, sha); err != nil {
		return "", err
	} else if row == "" {
		return "", notFound("content", sha)
	}
	if err := b.must(ctx, sha); err != nil {
		return "", err
	}
	if err := b.materialise(ctx, sha); err != nil {
		return "", err
	}
	return b.localFile(ctx, sha, 0)
}

func (b *Blobs) must(ctx context.Context, sha string) error {
	ok, err := b.Exists(ctx, sha)
	if err == nil && !ok {
		return notFound("content", sha)
	}
	return err
}

// Delete removes a content that nothing refers to; conflict when something does.
func (b *Blobs) Delete(ctx context.Context, sha string) error {
	freed, err := b.free(ctx, []Blob{{SHA256: sha}}, 0)
	if err != nil || freed.Blobs == 1 {
		return err
	}
	if ok, err := b.Exists(ctx, sha); err != nil || !ok {
		return err
	}
	return contract.Errorf(contract.CodeConflict, "an artifact or a file refers to the content %s", sha)
}

// spooled is a complete, hashed file that waits to be put.
type spooled struct {
	path, sha string
	bytes     int64
}

func (s spooled) discard() { os.Remove(s.path) }

func spool(ctx context.Context, dir string, r io.Reader) (spooled, error) {
	f, err := os.CreateTemp(dir, "put-")
	if err != nil {
		return spooled{}, err
	}
	s := spooled{path: f.Name()}
	hash := sha256.New()
	s.bytes, err = io.Copy(io.MultiWriter(f, hash), contract.Cancellable(ctx, r))
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		s.discard()
		return spooled{}, err
	}
	s.sha = hex.EncodeToString(hash.Sum(nil))
	return s, nil
}

// removeOldSpools clears what a killed process left half written. A day is
// longer than any upload may take.
func removeOldSpools(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "put-*"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.Remove(name)
		}
	}
}
