package store

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
)

// record makes a job of this state and age with one artifact.
func record(t *testing.T, b *Blobs, state State, age time.Duration, text string) *Job {
	t.Helper()
	ctx := context.Background()
	content, err := b.Put(ctx, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	at := Now().Add(-age)
	j := &Job{ID: NewID("job_"), Tool: "t", State: state, Input: []byte(`{}`), Created: at, Bytes: content.Bytes}
	if state.Finished() {
		j.Finished, j.Result = at, &contract.Result{Status: contract.StatusOK}
	}
	artifact := content.Artifact("a.txt")
	err = b.db.Write(ctx, func(tx Tx) error {
		if _, err := b.db.InsertJob(ctx, tx, j, 0); err != nil {
			return err
		}
		if err := b.db.AppendEvents(ctx, tx, j.ID, []Event{{Seq: 1, Data: []byte(`{}`)}}, 10); err != nil {
			return err
		}
		return b.db.InsertArtifacts(ctx, tx, j.ID, []Artifact{artifact})
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func (b *Blobs) there(t *testing.T, j *Job) bool {
	t.Helper()
	_, err := b.db.Job(context.Background(), j.ID)
	if err != nil && !IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func TestRetentionByAge(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		ctx := context.Background()
		b := openStore(t, openDB(t, url), t.TempDir(), BlobOptions{Grace: time.Millisecond})
		const day = 24 * time.Hour
		old, young := record(t, b, Succeeded, 10*day, "old"), record(t, b, Failed, day, "young")
		queued, running := record(t, b, Queued, 10*day, "queued"), record(t, b, Running, 10*day, "running")
		pinned := record(t, b, Succeeded, 10*day, "pinned")
		shared := record(t, b, Cancelled, 10*day, "young") // the same content as a job that stays
		if err := b.db.PinJob(ctx, pinned.ID, true); err != nil {
			t.Fatal(err)
		}
		if _, err := b.db.PutDocument(ctx, "session", "s", 0, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		s, err := b.Sweep(ctx, Policy{JobAge: 7 * day, DocumentAge: map[string]time.Duration{"session": day}})
		if err != nil || s.Jobs != 2 || s.Blobs != 1 || s.Bytes != int64(len("old")) || s.Documents != 0 {
			t.Errorf("swept %+v, %v; want the jobs old and shared, and the content of old", s, err)
		}
		for name, c := range map[string]struct {
			job  *Job
			want bool
		}{"old": {old, false}, "shared": {shared, false}, "young": {young, true}, "queued": {queued, true}, "running": {running, true}, "pinned": {pinned, true}} {
			if got := b.there(t, c.job); got != c.want {
				t.Errorf("%s is there: %v", name, got)
			}
		}
		if ok, _ := b.Exists(ctx, sha("young")); !ok {
			t.Error("a content that another job refers to was freed")
		}
		if kept, err := b.db.EventsAfter(ctx, old.ID, 0); err != nil || len(kept) != 0 {
			t.Errorf("events of a removed job: %v, %v", kept, err)
		}
	})
}

func TestRetentionBySize(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		ctx := context.Background()
		b := openStore(t, openDB(t, url), t.TempDir(), BlobOptions{Grace: time.Millisecond})
		var jobs []*Job
		for i := range 10 { // 100 bytes each, the first the oldest
			jobs = append(jobs, record(t, b, Succeeded, time.Duration(10-i)*time.Hour, fmt.Sprintf("%0100d", i)))
		}
		time.Sleep(5 * time.Millisecond)
		s, err := b.Sweep(ctx, Policy{MaxBytes: 450})
		if err != nil || s.Jobs != 6 || s.Bytes != 600 {
			t.Errorf("swept %+v, %v; four jobs of 100 bytes fit into 450", s, err)
		}
		for i, j := range jobs {
			if got := b.there(t, j); got != (i >= 6) {
				t.Errorf("job %d is there: %v", i, got)
			}
		}
		if u, err := b.Usage(ctx); err != nil || u.Jobs[Succeeded] != 4 || u.BlobBytes != 400 || u.DatabaseBytes == 0 {
			t.Errorf("usage %+v, %v", u, err)
		}
	})
}

// What only a moment ago was put is not swept before anything could refer to it.
func TestGrace(t *testing.T) {
	dir := t.TempDir()
	b := openStore(t, openDB(t, filepath.Join(dir, "x.db")), dir, BlobOptions{Grace: time.Hour})
	ctx := context.Background()
	if _, err := b.Put(ctx, strings.NewReader("fresh")); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Sweep(ctx, Policy{}); err != nil || s.Blobs != 0 {
		t.Errorf("swept %+v, %v", s, err)
	}
}

// A sweep that died between its mark and the removal is finished by a later one,
// and a Put of the same content meanwhile takes it back.
func TestAnUnfinishedRemoval(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		ctx := context.Background()
		b := openStore(t, openDB(t, url), t.TempDir(), BlobOptions{Grace: time.Millisecond})
		for _, text := range []string{"taken back", "finished"} {
			if _, err := b.Put(ctx, strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		err := b.db.Write(ctx, func(tx Tx) error {
			_, err := tx.Exec(ctx, `UPDATE blobs SET deleting_at = `+b.db.backend.now()+` - $1`, 2*deletionLimit.Milliseconds())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := b.SaveFile(ctx, "x", "text/plain", strings.NewReader("taken back"))
		if err != nil {
			t.Fatal(err)
		}
		if s, err := b.Sweep(ctx, Policy{}); err != nil || s.Blobs != 1 {
			t.Errorf("swept %+v, %v", s, err)
		}
		if ok, _ := b.Exists(ctx, f.SHA256); !ok {
			t.Error("the content that was put again is gone")
		}
		if ok, _ := b.Exists(ctx, sha("finished")); ok {
			t.Error("the other is left")
		}
	})
}
