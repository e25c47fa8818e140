package store

import (
	"context"
	"time"
)

// Policy says what a sweep removes. The zero value of an age keeps that kind for
// ever. Queued, running and pinned jobs and pinned files always stay.
type Policy struct {
	JobAge      time.Duration            // of finished jobs, since their end
	FileAge     time.Duration            // of uploaded files
	DocumentAge map[string]time.Duration // by kind, since the last Put
	SessionAge  time.Duration            // of sessions that no run works on, since their last change
	// MaxBytes, when not 0, removes the oldest finished jobs, files and sessions until the
	// contents that are still referred to fit.
	MaxBytes int64
}

// Swept counts what a sweep has removed.
type Swept struct {
	Jobs, Files, Documents, Sessions, Blobs int
	Bytes                                   int64 // of the contents
}

const chunk = 200

// Sweep removes what the policy lets go, then frees the contents that nothing
// refers to any more and that were not touched within the grace time. It is
// safe beside any other work, and in several processes at once.
func (b *Blobs) Sweep(ctx context.Context, p Policy) (Swept, error) {
	var s Swept
	var err error
	if p.JobAge > 0 {
		s.Jobs, err = b.db.removeOld(ctx, `SELECT id FROM jobs WHERE state NOT IN ('queued', 'running') AND pinned = 0
AND created_at < $1 AND finished_at < $1 ORDER BY created_at LIMIT $2`, p.JobAge, removeJob)
	}
	if err == nil && p.FileAge > 0 {
		s.Files, err = b.db.removeOld(ctx, `SELECT id FROM files WHERE pinned = 0 AND created_at < $1
ORDER BY created_at LIMIT $2`, p.FileAge, removeFile)
	}
	if err == nil && p.SessionAge > 0 {
		s.Sessions, err = b.db.removeOld(ctx, `SELECT id FROM sessions WHERE run_id = '' AND updated_at < $1
ORDER BY updated_at LIMIT $2`, p.SessionAge, removeSession)
	}
	for kind, age := range p.DocumentAge {
		if err == nil && age > 0 {
			var n int
			n, err = b.db.removeOldDocuments(ctx, kind, age)
			s.Documents += n
		}
	}
	if err == nil && p.MaxBytes > 0 {
		err = b.shrink(ctx, p.MaxBytes, &s)
	}
	if err == nil {
		err = b.freeUnreferenced(ctx, &s)
	}
	if err == nil {
		err = b.db.forgetMakers(ctx, maxDeparted)
	}
	return s, unavailable("sweep", err)
}

// remover deletes one record with its parts; false when it must stay after all.
type remover func(ctx context.Context, tx Tx, id string) (bool, error)

func removeJob(ctx context.Context, tx Tx, id string) (bool, error) {
	n, err := tx.Exec(ctx, `DELETE FROM jobs WHERE id = $1 AND state NOT IN ('queued', 'running') AND pinned = 0`, id)
	if err != nil || n == 0 {
		return false, err
	}
	return true, deleteJobParts(ctx, tx, id)
}

func removeFile(ctx context.Context, tx Tx, id string) (bool, error) {
	n, err := tx.Exec(ctx, `DELETE FROM files WHERE id = $1 AND pinned = 0`, id)
	return n == 1, err
}

func (db *DB) removeOld(ctx context.Context, query string, age time.Duration, remove remover) (int, error) {
	total := 0
	for {
		ids, err := collect(ctx, db.Reader(), scanString, query, millis(Now().Add(-age)), chunk)
		if err != nil || len(ids) == 0 {
			return total, err
		}
		n, err := db.removeAll(ctx, ids, remove)
		total += n
		if err != nil || n == 0 || len(ids) < chunk {
			return total, err
		}
	}
}

func (db *DB) removeAll(ctx context.Context, ids []string, remove remover) (int, error) {
	n := 0
	err := db.Write(ctx, func(tx Tx) error {
		n = 0
		for _, id := range ids {
			gone, err := remove(ctx, tx, id)
			if err != nil {
				return err
			}
			n += bit(gone)
		}
		return nil
	})
	return n, err
}

const referred = `(EXISTS (SELECT 1 FROM artifacts WHERE artifacts.sha256 = blobs.sha256)
OR EXISTS (SELECT 1 FROM files WHERE files.sha256 = blobs.sha256)
OR EXISTS (SELECT 1 FROM session_assets WHERE session_assets.sha256 = blobs.sha256))`

// shrink removes the oldest records with contents until the rest fits. A content
// that several refer to makes it look again after each round.
func (b *Blobs) shrink(ctx context.Context, most int64, s *Swept) error {
	for {
		total, _, err := one(ctx, b.db.Reader(), scanInt, `SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM blobs WHERE `+referred)
		if err != nil || total <= most {
			return err
		}
		old, err := b.oldest(ctx, total-most)
		if err != nil {
			return err
		}
		removed := 0
		for _, kind := range []struct {
			name   string
			remove remover
			count  *int
		}{{"job", removeJob, &s.Jobs}, {"file", removeFile, &s.Files}, {"session", removeSession, &s.Sessions}} {
			n, err := b.db.removeAll(ctx, old[kind.name], kind.remove)
			if err != nil {
				return err
			}
			*kind.count += n
			removed += n
		}
		if removed == 0 {
			return nil
		}
	}
}

// oldest lists the oldest removable records whose contents add up to the excess.
// The ids are by kind: job, file, session.
func (b *Blobs) oldest(ctx context.Context, excess int64) (map[string][]string, error) {
	type record struct {
		kind, id string
		bytes    int64
	}
	list, err := collect(ctx, b.db.Reader(), func(r Rows) (v record, err error) {
		err = r.Scan(&v.kind, &v.id, &v.bytes)
		return v, err
	}, `SELECT kind, id, bytes FROM (
SELECT 'job' AS kind, id, bytes, created_at FROM jobs WHERE bytes > 0 AND pinned = 0 AND state NOT IN ('queued', 'running')
UNION ALL SELECT 'file' AS kind, id, bytes, created_at FROM files WHERE bytes > 0 AND pinned = 0
UNION ALL SELECT 'session' AS kind, id, bytes, updated_at AS created_at FROM sessions WHERE bytes > 0 AND run_id = ''
) AS records ORDER BY created_at, id LIMIT $1`, chunk)
	old := map[string][]string{}
	for _, v := range list {
		if excess <= 0 {
			break
		}
		excess -= v.bytes
		old[v.kind] = append(old[v.kind], v.id)
	}
	return old, err
}

func (b *Blobs) freeUnreferenced(ctx context.Context, s *Swept) error {
	for {
		list, err := collect(ctx, b.db.Reader(), func(r Rows) (v Blob, err error) {
			err = r.Scan(&v.SHA256, &v.Bytes)
			return v, err
		}, `SELECT sha256, bytes FROM blobs WHERE (deleting_at = 0 AND touched_at < `+b.db.backend.now()+` - $1 AND NOT `+referred+`)
OR (deleting_at > 0 AND deleting_at < `+b.db.backend.now()+` - $2) LIMIT $3`,
			b.grace.Milliseconds(), deletionLimit.Milliseconds(), chunk)
		if err != nil {
			return err
		}
		freed, err := b.free(ctx, list, b.grace)
		s.Blobs, s.Bytes = s.Blobs+freed.Blobs, s.Bytes+freed.Bytes
		if err != nil || freed.Blobs == 0 || len(list) < chunk {
			return err
		}
	}
}

// free removes contents in three steps, each safe to die after: mark the row
// (if still nothing refers to it, decided inside the transaction), remove the
// bytes, remove the row. A concurrent Put either touches the row before it is
// marked, and the content stays, or waits until the row is gone.
func (b *Blobs) free(ctx context.Context, list []Blob, grace time.Duration) (Swept, error) {
	var freed Swept
	for _, v := range list {
		marked := false
		err := b.db.Write(ctx, func(tx Tx) error {
			n, err := tx.Exec(ctx, `UPDATE blobs SET deleting_at = `+b.db.backend.now()+` WHERE sha256 = $1
AND ((deleting_at = 0 AND touched_at <= `+b.db.backend.now()+` - $2 AND NOT `+referred+`)
OR (deleting_at > 0 AND deleting_at < `+b.db.backend.now()+` - $3))`,
				v.SHA256, grace.Milliseconds(), deletionLimit.Milliseconds())
			marked = n == 1
			return err
		})
		if err != nil {
			return freed, err
		}
		if !marked {
			continue
		}
		n, err := b.removeMarked(ctx, v.SHA256)
		if err != nil {
			return freed, err // the mark stays; a later sweep takes it up
		}
		b.used.Add(-n)
		freed.Blobs, freed.Bytes = freed.Blobs+1, freed.Bytes+n
	}
	return freed, nil
}

// removeMarked is seen through even when ctx ends meanwhile: a Put of the same
// content waits for it. It ends well before another may take the removal over.
func (b *Blobs) removeMarked(ctx context.Context, sha string) (bytes int64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deletionLimit/2)
	defer cancel()
	if err := b.bucket.remove(ctx, sha); err != nil {
		return 0, err
	}
	err = b.db.Write(ctx, func(tx Tx) (err error) {
		var gone bool
		bytes, gone, err = one(ctx, tx, scanInt, `DELETE FROM blobs WHERE sha256 = $1 AND deleting_at > 0 RETURNING bytes`, sha)
		if err == nil && gone {
			_, err = tx.Exec(ctx, `DELETE FROM small_blobs WHERE sha256 = $1`, sha)
		}
		return err
	})
	return bytes, err
}
