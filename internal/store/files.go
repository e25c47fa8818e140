package store

import (
	"context"
	"io"
	"path"
	"strings"
)

const fileColumns = `id, name, mime, bytes, sha256, created_at, pinned`

func scanFile(r Rows) (f File, err error) {
	var created int64
	var pinned int
	err = r.Scan(&f.ID, &f.Name, &f.MIME, &f.Bytes, &f.SHA256, &created, &pinned)
	f.Created, f.Pinned = fromMillis(created), pinned != 0
	return f, err
}

// SaveFile stores an uploaded file and its record. The name is cut to its last
// component.
func (b *Blobs) SaveFile(ctx context.Context, name, mime string, r io.Reader) (File, error) {
	blob, err := b.Put(ctx, r)
	if err != nil {
		return File{}, err
	}
	f := File{ID: NewID("file_"), Name: baseName(name), MIME: clean(mime), Bytes: blob.Bytes, SHA256: blob.SHA256, Created: Now()}
	err = b.db.Write(ctx, func(tx Tx) error {
		if err := b.db.retainContent(ctx, tx, f.SHA256, blob.row); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO files (`+fileColumns+`) VALUES ($1, $2, $3, $4, $5, $6, 0)`,
			f.ID, f.Name, f.MIME, f.Bytes, f.SHA256, millis(f.Created))
		return err
	})
	return f, err
}

func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(clean(name), `\`, "/"))
	if name == "." || name == "/" || name == ".." {
		return "upload.dat"
	}
	return name
}

// File returns the record of an upload, or not_found.
func (db *DB) File(ctx context.Context, id string) (File, error) {
	f, found, err := one(ctx, db.Reader(), scanFile, `SELECT `+fileColumns+` FROM files WHERE id = $1`, id)
	if err == nil && !found {
		return f, notFound("file", id)
	}
	return f, unavailable("read a file's record", err)
}

// Files lists uploads, newest first: at most limit, older than the cursor.
func (db *DB) Files(ctx context.Context, limit int, after string) (files []File, next string, err error) {
	at, id := int64(1)<<62, ""
	if after != "" {
		if at, id, err = parseCursor(after); err != nil {
			return nil, "", err
		}
	}
	limit = min(max(limit, 1), 500)
	files, err = collect(ctx, db.Reader(), scanFile, `SELECT `+fileColumns+` FROM files WHERE (created_at, id) < ($1, $2)
ORDER BY created_at DESC, id DESC LIMIT $3`, at, id, limit+1)
	if err == nil && len(files) > limit {
		files = files[:limit]
		next = cursor(millis(files[limit-1].Created), files[limit-1].ID)
	}
	return files, next, unavailable("list files", err)
}

// FilesAfter lists uploads, newest first, that are older than the one with the
// id after, "" for the newest; more says that there are others.
func (db *DB) FilesAfter(ctx context.Context, limit int, after string) (files []File, more bool, err error) {
	start := ""
	if after != "" {
		last, err := db.File(ctx, after)
		if err != nil {
			return nil, false, err
		}
		start = cursor(millis(last.Created), last.ID)
	}
	files, next, err := db.Files(ctx, limit, start)
	return files, next != "", err
}

// DeleteFile removes an upload's record; its content goes with the next sweep
// unless something else refers to it.
func (db *DB) DeleteFile(ctx context.Context, id string) error {
	return db.Write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, `DELETE FROM files WHERE id = $1`, id)
		if err == nil && n == 0 {
			return notFound("file", id)
		}
		return err
	})
}

// Usage is what the store holds.
type Usage struct {
	Jobs          map[State]int64 `json:"jobs"`
	Files         int64           `json:"files"`
	Documents     int64           `json:"documents"`
	Sessions      int64           `json:"sessions"`
	Blobs         int64           `json:"blobs"`
	BlobBytes     int64           `json:"blob_bytes"`
	DatabaseBytes int64           `json:"database_bytes"`
	QuotaBytes    int64           `json:"quota_bytes"` // 0 for none
}

// Usage counts what the store holds.
func (b *Blobs) Usage(ctx context.Context) (Usage, error) {
	u := Usage{Jobs: map[State]int64{}, QuotaBytes: b.quota}
	_, err := collect(ctx, b.db.Reader(), func(r Rows) (struct{}, error) {
		var state string
		var n int64
		err := r.Scan(&state, &n)
		u.Jobs[State(state)] = n
		return struct{}{}, err
	}, `SELECT state, COUNT(*) FROM jobs GROUP BY state`)
	for query, into := range map[string]*int64{
		`SELECT COUNT(*) FROM files`:                                &u.Files,
		`SELECT COUNT(*) FROM documents`:                            &u.Documents,
		`SELECT COUNT(*) FROM sessions`:                             &u.Sessions,
		`SELECT COUNT(*) FROM blobs`:                                &u.Blobs,
		`SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM blobs`: &u.BlobBytes,
	} {
		if err == nil {
			*into, _, err = one(ctx, b.db.Reader(), scanInt, query)
		}
	}
	if err == nil {
		u.DatabaseBytes, err = b.db.backend.size(ctx)
	}
	return u, unavailable("count what is stored", err)
}
