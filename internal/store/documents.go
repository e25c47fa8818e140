package store

import (
	"context"
	"encoding/json"
	"time"

	"atelier/internal/contract"
)

const documentColumns = `kind, id, version, body, created_at, updated_at`

func scanDocument(r Rows) (d Document, err error) {
	var body string
	var created, updated int64
	err = r.Scan(&d.Kind, &d.ID, &d.Version, &body, &created, &updated)
	d.Body, d.Created, d.Updated = json.RawMessage(body), fromMillis(created), fromMillis(updated)
	return d, err
}

// Document returns the newest version, or not_found.
func (db *DB) Document(ctx context.Context, kind, id string) (Document, error) {
	d, found, err := one(ctx, db.Reader(), scanDocument, `SELECT `+documentColumns+` FROM documents WHERE kind = $1 AND id = $2`, kind, id)
	if err == nil && !found {
		return d, notFound(kind, id)
	}
	return d, unavailable("read a "+kind, err)
}

// PutDocument replaces the version that the caller has read, or makes the
// document when that is 0; conflict when another has replaced it since. The
// body must be JSON.
func (db *DB) PutDocument(ctx context.Context, kind, id string, version int64, body json.RawMessage) (Document, error) {
	d := Document{Kind: kind, ID: id, Body: body}
	err := db.Write(ctx, func(tx Tx) error {
		now := millis(Now())
		query, args := `INSERT INTO documents (`+documentColumns+`) VALUES ($1, $2, 1, $3, $4, $4)
ON CONFLICT DO NOTHING RETURNING version, created_at, updated_at`, []any{kind, id, string(body), now}
		if version > 0 {
			query, args = `UPDATE documents SET version = version + 1, body = $3, updated_at = $4
WHERE kind = $1 AND id = $2 AND version = $5 RETURNING version, created_at, updated_at`, append(args, version)
		}
		_, found, err := one(ctx, tx, func(r Rows) (none struct{}, err error) {
			var created, updated int64
			err = r.Scan(&d.Version, &created, &updated)
			d.Created, d.Updated = fromMillis(created), fromMillis(updated)
			return none, err
		}, query, args...)
		if err != nil || found {
			return err
		}
		has, found, err := one(ctx, tx, scanInt, `SELECT version FROM documents WHERE kind = $1 AND id = $2`, kind, id)
		switch {
		case err != nil:
			return err
		case !found:
			return notFound(kind, id)
		}
		return contract.Errorf(contract.CodeConflict, "%s %s is at version %d, not %d", kind, id, has, version).
			With("version", has).WithHint("Read it again and repeat the change.")
	})
	return d, err
}

// Documents lists a kind, last changed first: at most limit, older than the cursor.
func (db *DB) Documents(ctx context.Context, kind string, limit int, after string) (list []Document, next string, err error) {
	at, id := int64(1)<<62, ""
	if after != "" {
		if at, id, err = parseCursor(after); err != nil {
			return nil, "", err
		}
	}
	limit = min(max(limit, 1), 500)
	list, err = collect(ctx, db.Reader(), scanDocument, `SELECT `+documentColumns+` FROM documents
WHERE kind = $1 AND (updated_at, id) < ($2, $3) ORDER BY updated_at DESC, id DESC LIMIT $4`, kind, at, id, limit+1)
	if err == nil && len(list) > limit {
		list = list[:limit]
		next = cursor(millis(list[limit-1].Updated), list[limit-1].ID)
	}
	return list, next, unavailable("list "+kind, err)
}

// DeleteDocument removes a document; it is no error when there is none.
func (db *DB) DeleteDocument(ctx context.Context, kind, id string) error {
	return db.Write(ctx, func(tx Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM documents WHERE kind = $1 AND id = $2`, kind, id)
		return err
	})
}

func (db *DB) removeOldDocuments(ctx context.Context, kind string, age time.Duration) (int, error) {
	var n int64
	err := db.Write(ctx, func(tx Tx) (err error) {
		n, err = tx.Exec(ctx, `DELETE FROM documents WHERE kind = $1 AND updated_at < $2`, kind, millis(Now().Add(-age)))
		return err
	})
	return int(n), err
}
