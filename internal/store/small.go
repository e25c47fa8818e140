package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Small contents are rows: a row of a group commit costs a fraction of a file
// that is made durable on its own (SQLite's own measurements put the limit at
// about 100 kB: sqlite.org/intern-v-extern-blob.html).

// readSmall reads what r gives as long as it is small. rest is nil when that was
// all, else everything.
func (b *Blobs) readSmall(r io.Reader) (content []byte, rest io.Reader, err error) {
	content, err = io.ReadAll(io.LimitReader(r, b.small+1))
	if err == nil && int64(len(content)) > b.small {
		rest = io.MultiReader(bytes.NewReader(content), r)
	}
	return content, rest, err
}

func (b *Blobs) putSmall(ctx context.Context, content []byte) (Blob, error) {
	sum := sha256.Sum256(content)
	blob := Blob{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(content))}
	var err error
	blob.row, err = b.account(ctx, blob.SHA256, blob.Bytes, content)
	if err != nil {
		return Blob{}, err
	}
	return blob, nil
}

// insertSmall writes a content's row, over one that is damaged.
func insertSmall(ctx context.Context, tx Tx, sha string, content []byte) error {
	_, err := tx.Exec(ctx, `INSERT INTO small_blobs (sha256, content) VALUES ($1, $2) ON CONFLICT (sha256) DO UPDATE
SET content = excluded.content WHERE small_blobs.content <> excluded.content`, sha, content)
	return err
}

// readSmallRow is the content, if it is kept as a row.
func (b *Blobs) readSmallRow(ctx context.Context, sha string) (content []byte, found bool, err error) {
	content, found, err = one(ctx, b.db.Reader(), func(r Rows) (c []byte, err error) {
		err = r.Scan(&c)
		return c, err
	}, `SELECT content FROM small_blobs WHERE sha256 = $1`, sha)
	return content, found, unavailable("read a content", err)
}

// smallReader reads a content that was a row.
type smallReader struct{ *bytes.Reader }

func (smallReader) Close() error { return nil }

// materialise puts a content that is kept as a row into the bucket too, for
// whoever needs a file.
func (b *Blobs) materialise(ctx context.Context, sha string) error {
	content, found, err := b.readSmallRow(ctx, sha)
	if err != nil || !found {
		return err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != sha {
		return damaged(sha)
	}
	if there, err := b.bucket.exists(ctx, sha); err != nil {
		return unavailable("look for a content", err)
	} else if there {
		if _, err := b.localFile(ctx, sha, 0); err == nil {
			return nil
		}
	}
	s, err := spool(ctx, b.bucket.spoolDir(), bytes.NewReader(content))
	if err != nil {
		return unavailable("write a content", err)
	}
	defer s.discard()
	return unavailable("store a content", b.bucket.put(ctx, s.path, s.sha))
}
