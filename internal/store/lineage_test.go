package store

import (
	"context"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// ended records a job of some inputs and no files.
func ended(t *testing.T, db *DB, inputs ...evidence.Input) *Job {
	t.Helper()
	ctx := context.Background()
	j := &Job{ID: NewJobID(), Tool: "t", State: Succeeded, Created: Now(), Finished: Now(), Result: &contract.Result{Status: contract.StatusOK, Inputs: inputs}}
	err := db.Write(ctx, func(tx Tx) error {
		if _, err := db.InsertJob(ctx, tx, j, 0); err != nil {
			return err
		}
		return db.InsertMakers(ctx, tx, j, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// What a job was made from is known when its record is gone, and of the jobs of an older
// database; beyond a number the oldest are forgotten.
func TestLineageOutlivesTheJob(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openDB(t, url)
		in := evidence.Input{Reference: "a.csv", SHA256: strings.Repeat("0", 64), Path: "/data/a.csv"}
		atHome := in
		atHome.Path = "" // a result does not tell it
		j, none := ended(t, db, in), ended(t, db)
		change(t, db, `DROP TABLE lineage`, `DELETE FROM atelier_schema WHERE version >= 5`)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openDB(t, url)
		if err := db.DeleteJob(ctx, j.ID); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]int{j.ID: 1, none.ID: 0, "job_x": 0} {
			got, err := db.MadeFrom(ctx, id)
			if err != nil || len(got) != want || want > 0 && got[0] != atHome {
				t.Errorf("%s: %+v %v", id, got, err)
			}
		}
		young := ended(t, db, in)
		if err := db.DeleteJob(ctx, young.ID); err != nil {
			t.Fatal(err)
		}
		change(t, db, `UPDATE lineage SET created_at = 1 WHERE job_id = '`+j.ID+`'`)
		if err := db.forgetMakers(ctx, 1); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]int{j.ID: 0, young.ID: 1} {
			if got, err := db.MadeFrom(ctx, id); err != nil || len(got) != want || want > 0 && got[0] != in {
				t.Errorf("%s: %+v %v", id, got, err)
			}
		}
	})
}
