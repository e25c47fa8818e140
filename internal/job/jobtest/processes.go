package jobtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
)

func drain(t *testing.T, h *cluster) {
	p := h.start(func(o *job.Options) { o.Queues = map[string]int{"engine": 3} })
	short := p.submit(async(request(Engine, Input{Note: "short", Release: h.file("short")})))
	long := p.submit(async(request(Engine, Input{Note: "long", Started: h.file("long"), Release: h.file("go")})))
	once := p.submit(async(request(Once, Input{Release: h.file("go")})))
	for _, j := range []*job.Job{short, long, once} {
		h.eventually("they run", func() bool { return p.get(j.ID).State == job.Running })
	}
	waiting := p.submit(async(request(Engine, Input{Note: "waiting"})))
	quick := p.submit(async(request(Quick, Input{Release: h.file("go")})))
	time.AfterFunc(100*time.Millisecond, func() { h.touch("short") })
	stopped := make(chan struct{})
	go func() { defer close(stopped); p.stop(time.Second) }()
	h.eventually("new jobs are refused", func() bool {
		_, err := p.Submit(context.Background(), request(Quick, Input{}))
		return err != nil && contract.AsError(err).Code == contract.CodeInterrupted
	})
	<-stopped
	if left, _ := filepath.Glob(filepath.Join(h.dir, "work", "*")); len(left) != 0 {
		t.Errorf("work folders are left: %v", left)
	}
	h.touch("go")
	next := h.start()
	if j := next.finished(short.ID, job.Succeeded); j.Attempt != 1 {
		t.Errorf("the short job took %d attempts", j.Attempt)
	}
	if j := next.finished(long.ID, job.Succeeded); j.Attempt != 2 || j.Interruptions != 0 {
		t.Errorf("the long job: attempt %d, %d interruptions; an orderly stop is none", j.Attempt, j.Interruptions)
	}
	for _, id := range []string{once.ID, quick.ID} { // not to be repeated; nobody waits for it
		if j := next.finished(id, job.Failed); j.Error.Code != contract.CodeInterrupted || j.Error.Hint == "" {
			t.Errorf("%s ended with %v", id, j.Error)
		}
	}
	next.finished(waiting.ID, job.Succeeded)
}

// drainUnrecorded: a quick call without a record is told of the stop, durably.
func drainUnrecorded(t *testing.T, h *cluster) {
	p := h.start(func(o *job.Options) { o.RecordAfter = time.Hour })
	ended := make(chan *job.Job)
	go func() {
		j, err := p.Submit(context.Background(), request(Quick, Input{Started: h.file("starts"), Release: h.file("never")}))
		if err != nil {
			t.Error(err)
		}
		ended <- j
	}()
	h.eventually("it runs", func() bool { return h.lines("starts") == 1 })
	p.stop(0)
	j := <-ended
	next := h.start()
	if kept := next.finished(j.ID, job.Failed); j.State != job.Failed || kept.Error.Code != contract.CodeInterrupted {
		t.Errorf("the caller was told %s, the record says %v", j.State, kept.Error)
	}
}

func workerDies(t *testing.T, h *cluster) {
	if !h.backend.Shared {
		leftFolders(t, h)
		return
	}
	server := h.start(func(o *job.Options) { o.Queues = nil })
	first := h.child(map[string]int{"engine": 1})
	j := server.submit(async(request(Engine, Input{Started: h.file("starts"), Release: h.file("go")})))
	h.eventually("a worker runs it", func() bool { return h.lines("starts") == 1 })
	second := h.child(map[string]int{"engine": 1})
	first.kill()
	begun := time.Now()
	h.eventually("the other worker runs it again", func() bool { return h.lines("starts") == 2 })
	// The lease is 1.5 s in these tests and looked at five times a second.
	if d := time.Since(begun); d > 10*time.Second {
		t.Errorf("it took %v", d)
	} else {
		t.Logf("taken over after %v", d.Round(time.Millisecond))
	}
	h.touch("go")
	if j := server.finished(j.ID, job.Succeeded); j.Attempt != 2 || j.Interruptions != 1 {
		t.Errorf("attempt %d, %d interruptions", j.Attempt, j.Interruptions)
	}
	second.kill()
}

// diesBeforeTheClaim: a worker that has taken a delivery and dies with the row
// still queued costs the job a lease. River would deliver again after a minute,
// which is more than finished waits.
func diesBeforeTheClaim(t *testing.T, h *cluster) {
	server := h.start(func(o *job.Options) { o.Queues = nil })
	id := server.submit(async(request(Engine, Input{}))).ID
	ctx := t.Context()
	tx, err := server.db.Pool().Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id); err != nil { // no worker can claim it
		t.Fatal(err)
	}
	doomed := h.child(map[string]int{"engine": 1})
	h.eventually("the delivery is taken", func() (taken bool) {
		err := server.db.Pool().QueryRow(ctx, `SELECT state = 'running' FROM river_job WHERE args ->> 'job_id' = $1`, id).Scan(&taken)
		if err != nil {
			t.Fatal(err)
		}
		return taken
	})
	doomed.kill()
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	h.child(map[string]int{"engine": 1})
	if j := server.finished(id, job.Succeeded); j.Attempt != 1 || j.Interruptions != 0 {
		t.Errorf("attempt %d, %d interruptions of a job that had not begun", j.Attempt, j.Interruptions)
	}
}

// leftFolders: with one process at a time, the next removes what the last left.
func leftFolders(t *testing.T, h *cluster) {
	c := h.child(both)
	id := c.submit(async(request(Engine, Input{Started: h.file("starts"), Release: h.file("never")})))
	h.eventually("it runs", func() bool { return h.lines("starts") == 1 })
	left, _ := filepath.Glob(filepath.Join(h.dir, "work", "*", id))
	if len(left) != 1 {
		t.Fatalf("the folder of the job: %v", left)
	}
	// A folder that the tool has closed must go as well.
	if err := os.Chmod(left[0], 0o500); err != nil {
		t.Fatal(err)
	}
	c.kill()
	h.start()
	if _, err := os.Stat(left[0]); !os.IsNotExist(err) {
		t.Errorf("%s is left, %v", left[0], err)
	}
}

func acrossProcesses(t *testing.T, h *cluster) {
	server := h.start(func(o *job.Options) { o.Queues = nil })
	h.child(map[string]int{"engine": 2})
	j := server.submit(async(request(Engine, Input{Events: 5, Release: h.file("go")})))
	live, err := server.Events(context.Background(), j.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var seen []job.Event
	for len(seen) < 7 { // queued, running, five lines, while the worker still runs it
		seen = append(seen, <-live)
	}
	if seen[6].Message != "line 4" {
		t.Errorf("the events are %+v", seen)
	}
	h.touch("go")
	if rest := read(t, live); len(rest) != 1 || rest[0].State != job.Succeeded {
		t.Errorf("the end is %+v", rest)
	}
	doomed := server.submit(async(request(Engine, Input{Started: h.file("doomed"), Release: h.file("never")})))
	h.eventually("the worker runs it", func() bool { return h.lines("doomed") == 1 })
	begun := time.Now()
	got, err := server.Cancel(context.Background(), doomed.ID)
	if err != nil || got.State != job.Cancelled {
		t.Fatalf("cancel: %+v, %v", got, err)
	}
	t.Logf("cancelled in another process after %v", time.Since(begun).Round(time.Millisecond))
}
