package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// maker records a job that made a content, and failed or passed its only check.
func maker(t *testing.T, b *Blobs, text string, passed bool) (*Job, string) {
	t.Helper()
	e, err := evidence.Judge(evidence.Statement{Checks: []evidence.Check{evidence.Holds("closed", evidence.Exact, "", passed, "The surface is closed.")}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	content, err := b.Put(ctx, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{ID: NewJobID(), Tool: "t", State: Succeeded, Created: Now(), Finished: Now(), Bytes: content.Bytes, Result: &contract.Result{
		Status: contract.StatusOK, Evidence: e, Artifacts: []contract.Artifact{{Name: "a.obj", Origin: &evidence.Origin{Source: "a.step"}}}}}
	files := []Artifact{content.Artifact("a.obj")}
	err = b.db.Write(ctx, func(tx Tx) error {
		if _, err := b.db.InsertJob(ctx, tx, j, 0); err != nil {
			return err
		}
		if err := b.db.InsertArtifacts(ctx, tx, j.ID, files); err != nil {
			return err
		}
		return b.db.InsertMakers(ctx, tx, j, files)
	})
	if err != nil {
		t.Fatal(err)
	}
	return j, content.SHA256
}

func change(t *testing.T, db *DB, statements ...string) {
	t.Helper()
	err := db.Write(context.Background(), func(tx Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(context.Background(), s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A database from before makers were kept gets those of the jobs that it has. A
// job that cannot be read any more vouches for nothing, and stops nothing.
func TestMakersOfAnOlderDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		ctx, dir := context.Background(), t.TempDir()
		db := openDB(t, url)
		b := openStore(t, db, dir, BlobOptions{})
		bad, badSHA := maker(t, b, "bad", false)
		good, goodSHA := maker(t, b, "good", true)
		broken, brokenSHA := maker(t, b, "broken", true)
		change(t, db, `DROP TABLE makers`, `DROP TABLE lineage`, `DELETE FROM atelier_schema WHERE version >= 4`,
			fmt.Sprintf(`UPDATE jobs SET result = '{"evidence": 7}' WHERE id = '%s'`, broken.ID))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openDB(t, url)
		for sha, want := range map[string]Maker{
			badSHA:    {JobID: bad.ID, Tool: "t", Trust: evidence.Suspect, Reason: "Failed: closed. The surface is closed. (t, " + bad.ID + ".)"},
			goodSHA:   {JobID: good.ID, Tool: "t", Trust: evidence.Converged, Reason: "The surface is closed. (t, " + good.ID + ".)"},
			brokenSHA: {JobID: broken.ID, Tool: "a job", Trust: evidence.Suspect, Reason: "The record of this job cannot be read."},
		} {
			if m, err := db.MakerOf(ctx, sha, ""); err != nil || m == nil || *m != want {
				t.Errorf("%+v %v, want %+v", m, err, want)
			}
		}
		if origin, err := db.OriginOf(ctx, badSHA, ""); err != nil || origin == nil || origin.Source != "a.step" {
			t.Errorf("%+v %v", origin, err)
		}
	})
}

// Makers are kept beyond their jobs, but not for ever: beyond a number the oldest
// go whose job is deleted and whose content nothing stored refers to.
func TestMakersAreForgottenLate(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openDB(t, url)
		b := openStore(t, db, t.TempDir(), BlobOptions{})
		shas := map[string]string{}
		for i, name := range []string{"alive", "uploaded", "oldest", "old", "young"} {
			j, sha := maker(t, b, name, false)
			shas[name] = sha
			if name != "alive" {
				if err := db.DeleteJob(ctx, j.ID); err != nil {
					t.Fatal(err)
				}
			}
			change(t, db, fmt.Sprintf(`UPDATE makers SET created_at = %d WHERE job_id = '%s'`, i+1, j.ID))
		}
		if _, err := b.SaveFile(ctx, "u.obj", "", strings.NewReader("uploaded")); err != nil {
			t.Fatal(err)
		}
		if err := db.forgetMakers(ctx, 1); err != nil {
			t.Fatal(err)
		}
		for name, sha := range shas {
			m, err := db.MakerOf(ctx, sha, "")
			if kept := name != "oldest" && name != "old"; err != nil || (m != nil) != kept {
				t.Errorf("%s: %+v %v, kept must be %v", name, m, err, kept)
			} else if kept && m.Deleted != (name != "alive") {
				t.Errorf("%s: deleted is %v", name, m.Deleted)
			}
		}
	})
}

// The database orders makers as package evidence does: of any two of the same content
// the one of the weaker word is the maker, whichever came first.
func TestTheWeakestMakerIsFirst(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openDB(t, url)
		all := append(evidence.Words(), "")
		for i, first := range all {
			for k, second := range all {
				sha := fmt.Sprintf("%d-%d", i, k)
				for at, trust := range []evidence.Trust{first, second} {
					change(t, db, fmt.Sprintf(`INSERT INTO makers (sha256, job_id, tool, trust, reason, origin, created_at) VALUES ('%s', 'job_%d', 't', '%s', '', '', 0)`, sha, at, trust))
				}
				want := second // and of equal ones the newer
				if first.Below(second) {
					want = first
				}
				m, err := db.MakerOf(ctx, sha, "")
				if err != nil || m == nil || m.Trust != want || first == second && m.JobID != "job_1" {
					t.Errorf("of %q and %q: %+v %v, want %q", first, second, m, err, want)
				}
			}
		}
	})
}
