package store

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
)

// The questions that a server asks all the time must not read the whole table
// of jobs, which grows for ever. SQLite itself says how it would answer.
func TestPlansUseTheIndex(t *testing.T) {
	db, ctx := openDB(t, filepath.Join(t.TempDir(), "x.db")), context.Background()
	for name, query := range map[string]string{"expired": expired, "waiting": waiting, "queued before": queuedBefore} {
		query = strings.NewReplacer("$1", "''", "$2", "1").Replace(query)
		steps, err := collect(ctx, db.Reader(), func(r Rows) (step string, err error) {
			var id, parent, unused int
			err = r.Scan(&id, &parent, &unused, &step)
			return step, err
		}, `EXPLAIN QUERY PLAN `+query)
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(steps, "; "); !strings.Contains(plan, "jobs_active") || strings.Contains(plan, "SCAN jobs") {
			t.Errorf("%s is answered by: %s", name, plan)
		}
	}
}

// A quick record goes by the short statement, and comes back as the long one
// would have kept it: both are given the same job.
func TestInsertPlain(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		db, ctx := openDB(t, url), context.Background()
		make := func() *Job {
			now := Now()
			return &Job{ID: NewJobID(), Tool: "echo_json", State: Succeeded, Input: []byte(`{"message":"é"}`), RequestID: "req\x00\xff", Idempotent: true,
				Created: now, Started: now, Finished: now.Add(3 * time.Millisecond), Summary: "Echoed.", Attempt: 1, Worker: "w",
				Result: &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: "Echoed.", Metrics: map[string]any{"n": 2.0}}}
		}
		short, long := make(), make()
		if !short.isSimple() {
			t.Fatal("an ordinary quick call is not plain")
		}
		if err := short.EncodeResult(); err != nil {
			t.Fatal(err)
		}
		for _, change := range []func(*Job){
			func(j *Job) { j.Limits = []byte(`{}`) }, func(j *Job) { j.Context = []byte(`{}`) }, func(j *Job) { j.IdempotencyKey = "k" },
			func(j *Job) { j.State = Failed }, func(j *Job) { j.Queue = "mfem" }, func(j *Job) { j.Bytes = 1 }, func(j *Job) { j.Pinned = true },
			func(j *Job) { j.Started = j.Started.Add(time.Second) }, func(j *Job) { j.Attempt = 2 }, func(j *Job) { j.CancelRequested = true },
			func(j *Job) { j.Error = contract.Errorf(contract.CodeInternal, "x") }, func(j *Job) { j.Interruptions = 1 },
		} {
			j := make()
			if change(j); j.isSimple() {
				t.Errorf("the short statement would lose a part of %+v", j)
			}
		}
		long.Limits = []byte(`{}`) // only to take the long way
		for _, j := range []*Job{short, long} {
			for _, want := range []bool{true, false} { // the second time its id is taken
				err := db.Write(ctx, func(tx Tx) error {
					inserted, err := db.InsertJob(ctx, tx, j, 0)
					if err == nil && inserted != want {
						t.Errorf("inserted is %v, not %v", inserted, want)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		a, err := db.Job(ctx, short.ID)
		if err != nil {
			t.Fatal(err)
		}
		b, err := db.Job(ctx, long.ID)
		if err != nil {
			t.Fatal(err)
		}
		if a.Created.Equal(short.Created) == false || !a.Finished.Equal(short.Finished) {
			t.Errorf("times %v %v", a.Created, a.Finished)
		}
		b.ID, b.Limits, b.Created, b.Started, b.Finished = a.ID, nil, a.Created, a.Started, a.Finished
		if got, want := show(t, a), show(t, b); got != want {
			t.Errorf("the short statement kept\n%s\nthe long one\n%s", got, want)
		}
	})
}

// Ids sort by the time of their making, are all different, and keep the length
// that they had.
func TestNewJobID(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for range 50 {
		for range 100 {
			id := NewJobID()
			if seen[id] || len(id) != len("job_")+26 || strings.Trim(id[4:], "234567abcdefghijklmnopqrstuvwxyz") != "" {
				t.Fatalf("the id %q", id)
			}
			seen[id] = true
		}
		id := NewJobID()
		if id <= last {
			t.Fatalf("%s does not come after %s", id, last)
		}
		last = id
		time.Sleep(2 * time.Millisecond)
	}
}

func show(t *testing.T, j *Job) string {
	t.Helper()
	raw, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
