package store

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// A byte of a stored file is changed: it is neither used nor served, and making
// the same content again repairs it.
func TestDamagedContentsAreFoundAndHeal(t *testing.T) {
	ctx := context.Background()
	r := testenv.Random(t)
	content := make([]byte, 1000+r.IntN(200_000))
	for i := range content {
		content[i] = byte(r.Uint32())
	}
	dir := t.TempDir()
	b := openStore(t, openDB(t, filepath.Join(dir, "x.db")), dir, BlobOptions{})
	made, err := b.Put(ctx, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	path, err := b.LocalPath(ctx, made.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(content)
	flipped[r.IntN(len(flipped))] ^= 1 << r.IntN(8)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, flipped, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = b.LocalPath(ctx, made.SHA256)
	wantCode(t, err, contract.CodeContentDamaged)
	_, err = b.Open(ctx, made.SHA256)
	wantCode(t, err, contract.CodeContentDamaged)

	if again, err := b.Put(ctx, bytes.NewReader(content)); err != nil || again.SHA256 != made.SHA256 {
		t.Fatal(again, err)
	}
	in, err := b.Open(ctx, made.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the content did not heal: %v", err)
	}
}

// The same of a content that is a row.
func TestDamagedRowsAreFound(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := openDB(t, filepath.Join(dir, "x.db"))
	b := openStore(t, db, dir, BlobOptions{Small: 1000})
	made, err := b.Put(ctx, bytes.NewReader([]byte("a small content")))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(ctx, func(tx Tx) error {
		_, err := tx.Exec(ctx, `UPDATE small_blobs SET content = $1 WHERE sha256 = $2`, []byte("a small comtent"), made.SHA256)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Open(ctx, made.SHA256)
	wantCode(t, err, contract.CodeContentDamaged)
	_, err = b.LocalPath(ctx, made.SHA256)
	wantCode(t, err, contract.CodeContentDamaged)
	if _, err := b.Put(ctx, bytes.NewReader([]byte("a small content"))); err != nil {
		t.Fatal(err)
	}
	if _, err = b.Open(ctx, made.SHA256); err != nil {
		t.Errorf("the row did not heal: %v", err)
	}
}
