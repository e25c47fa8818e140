package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob" // s3://
	"gocloud.dev/gcerrors"
	"golang.org/x/sync/singleflight"
)

const (
	// cacheBytes is what the folder of materialised contents may hold; what was
	// used within cacheGrace stays even above it, since a job may be reading it.
	cacheBytes = 10 << 30
	cacheGrace = time.Hour
)

// remote keeps contents in an S3 bucket, through a local folder of those that
// were lately written or read: tools need real files.
type remote struct {
	bucket  *blob.Bucket
	cache   *local
	fetches singleflight.Group
	trimmed atomic.Int64 // when, in seconds
}

// openS3 takes the URL options of gocloud.dev/blob/s3blob (endpoint, region,
// use_path_style …); the credentials come from the AWS environment.
func openS3(ctx context.Context, location, cacheDir string) (*remote, error) {
	b, err := blob.OpenBucket(ctx, location)
	if err != nil {
		return nil, err
	}
	cache, err := openLocal(cacheDir)
	if err != nil {
		b.Close()
		return nil, err
	}
	return &remote{bucket: b, cache: cache}, nil
}

func (r *remote) put(ctx context.Context, spooled, sha string) error {
	there, err := r.exists(ctx, sha)
	if err != nil || there {
		return err
	}
	if err := r.upload(ctx, spooled, sha); err != nil {
		return err
	}
	// It will often be the next tool's input. Losing it costs a download.
	if r.cache.put(ctx, spooled, sha) == nil {
		r.trim()
	}
	return nil
}

func (r *remote) upload(ctx context.Context, spooled, sha string) error {
	f, err := os.Open(spooled)
	if err != nil {
		return err
	}
	defer f.Close()
	// A cancelled context makes the writer drop the upload instead of ending it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := r.bucket.NewWriter(ctx, key(sha), &blob.WriterOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, f); err != nil {
		cancel()
		return errors.Join(err, w.Close())
	}
	return w.Close()
}

func (r *remote) exists(ctx context.Context, sha string) (bool, error) {
	return r.bucket.Exists(ctx, key(sha))
}

func (r *remote) remove(ctx context.Context, sha string) error {
	err := r.bucket.Delete(ctx, key(sha))
	if gcerrors.Code(err) == gcerrors.NotFound {
		err = nil
	}
	return errors.Join(err, r.cache.remove(ctx, sha))
}

// localPath materialises a content once, however many ask for it at a time.
func (r *remote) localPath(ctx context.Context, sha string) (string, error) {
	path := r.cache.path(sha)
	if there, _ := r.cache.exists(ctx, sha); !there {
		_, err, _ := r.fetches.Do(sha, func() (any, error) { return nil, r.fetch(ctx, sha) })
		if err != nil {
			return "", err
		}
	}
	now := time.Now()
	return path, os.Chtimes(path, now, now) // its time of last use, for trim
}

func (r *remote) fetch(ctx context.Context, sha string) error {
	from, err := r.bucket.NewReader(ctx, key(sha), nil)
	if err != nil {
		return err
	}
	defer from.Close()
	s, err := spool(ctx, r.cache.spoolDir(), from)
	if err != nil {
		return err
	}
	defer s.discard()
	if s.sha != sha {
		return errors.New("the bucket holds something else under " + sha + ": it has " + s.sha)
	}
	if err := r.cache.put(ctx, s.path, sha); err != nil {
		return err
	}
	r.trim()
	return nil
}

func (r *remote) dropCopy(ctx context.Context, sha string) bool {
	return r.cache.remove(ctx, sha) == nil
}

// trim removes the contents that were used least lately until the rest fits.
func (r *remote) trim() {
	now, last := time.Now().Unix(), r.trimmed.Load()
	if now-last < 60 || !r.trimmed.CompareAndSwap(last, now) {
		return // it reads the whole folder: once a minute is enough
	}
	type entry struct {
		path string
		info fs.FileInfo
	}
	var entries []entry
	var total int64
	filepath.WalkDir(filepath.Join(r.cache.root, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			entries, total = append(entries, entry{path, info}), total+info.Size()
		}
		return nil
	})
	sort.Slice(entries, func(i, j int) bool { return entries[i].info.ModTime().Before(entries[j].info.ModTime()) })
	for _, e := range entries {
		if total <= cacheBytes || time.Since(e.info.ModTime()) < cacheGrace {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.info.Size()
		}
	}
}

func (r *remote) spoolDir() string { return r.cache.spoolDir() }

func (r *remote) close() error { return r.bucket.Close() }
