package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"time"

	"atelier/internal/contract"
)

// A content is held against its hash whenever a tool is given it, and before it
// is served: disks and people change files, and a wrong result that was made
// from one would look like any other.

// freshFor is how long a file that has been verified may be served again without
// another look, provided that neither its size nor its time has changed. Ranges
// of a large content would otherwise each cost a reading of the whole.
const freshFor = time.Minute

// seen is the state in which a file was verified.
type seen struct {
	bytes    int64
	modified time.Time
	at       time.Time
}

// verify reads the file at path and compares it with the hash it is stored under.
func (b *Blobs) verify(ctx context.Context, sha, path string, maxAge time.Duration) error {
	info, err := os.Stat(path)
	if err != nil {
		return unavailable("read a content", err)
	}
	if v, ok := b.verified.Load(sha); ok {
		s := v.(seen)
		if time.Since(s.at) < maxAge && s.bytes == info.Size() && s.modified.Equal(info.ModTime()) {
			return nil
		}
	}
	got, err := hashFile(ctx, path)
	if err != nil {
		return unavailable("read a content", err)
	}
	if got != sha {
		b.verified.Delete(sha)
		return damaged(sha)
	}
	b.verified.Store(sha, seen{info.Size(), info.ModTime(), time.Now()})
	return nil
}

func damaged(sha string) *contract.Error {
	return contract.Errorf(contract.CodeContentDamaged, "the stored content %s is damaged: its bytes no longer have the hash under which it was stored", sha).
		With("sha256", sha).WithHint("Upload the file again, or run the call that made it again: that replaces the damaged copy. Check the disk.")
}

// HashFile is the SHA-256 of a file in hex digits.
func HashFile(path string) (string, error) { return hashFile(context.Background(), path) }

func hashFile(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, contract.Cancellable(ctx, f)); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// localFile is the verified file with a content. A copy of a remote content that
// turns out to be damaged is fetched again.
func (b *Blobs) localFile(ctx context.Context, sha string, maxAge time.Duration) (string, error) {
	for again := false; ; again = true {
		path, err := b.bucket.localPath(ctx, sha)
		if err != nil {
			return "", unavailable("fetch a content", err)
		}
		err = b.verify(ctx, sha, path, maxAge)
		if err == nil || again || contract.AsError(err).Code != contract.CodeContentDamaged || !b.bucket.dropCopy(ctx, sha) {
			return path, err
		}
	}
}
