package jobtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
)

func fullQueue(t *testing.T, h *cluster) {
	p := h.start(func(o *job.Options) { o.QueueLimit, o.Queues = 2, map[string]int{"engine": 1} })
	running := p.submit(async(request(Engine, Input{Release: h.file("go")})))
	h.eventually("it runs", func() bool { return p.get(running.ID).State == job.Running })
	waiting := []*job.Job{p.submit(async(request(Engine, Input{}))), p.submit(async(request(Engine, Input{})))}
	_, err := p.Submit(context.Background(), async(request(Engine, Input{})))
	wantCode(t, err, contract.CodeTooManyRequests)
	// A cancelled one makes room again.
	if _, err := p.Cancel(context.Background(), waiting[0].ID); err != nil {
		t.Fatal(err)
	}
	last := p.submit(async(request(Engine, Input{})))
	h.touch("go")
	p.finished(last.ID, job.Succeeded)
	p.finished(waiting[1].ID, job.Succeeded)
}

// briefBesideLong: brief calls pass long ones by, and one that turns out long keeps
// others from it for some seconds at most.
func briefBesideLong(t *testing.T, h *cluster) {
	p := h.start(func(o *job.Options) { o.Queues = map[string]int{"engine": 1} })
	running := p.submit(async(request(Engine, Input{Release: h.file("go")})))
	h.eventually("it runs", func() bool { return p.get(running.ID).State == job.Running })
	waiting := p.submit(async(request(Engine, Input{Release: h.file("go")})))
	if j := p.submit(request(Brief, Input{})); j.State != job.Succeeded {
		t.Fatalf("a brief call beside a long one is %s", j.State)
	}
	late := p.submit(async(request(Brief, Input{Release: h.file("go")})))
	if j := p.submit(request(Brief, Input{})); j.State != job.Succeeded {
		t.Fatalf("a brief call behind one that is not is %s", j.State)
	}
	for _, id := range []string{running.ID, late.ID} {
		if j := p.get(id); j.State != job.Running {
			t.Errorf("%s is %s, it should still run", id, j.State)
		}
	}
	if j := p.get(waiting.ID); j.State != job.Queued {
		t.Errorf("the second long call is %s beside the first", j.State)
	}
	h.touch("go")
	for _, id := range []string{running.ID, waiting.ID, late.ID} {
		p.finished(id, job.Succeeded)
	}
}

func fullInline(t *testing.T, h *cluster) {
	p := h.start(func(o *job.Options) { o.InlineLimit = 2 })
	var held []string
	for range 2 {
		held = append(held, p.submit(async(request(Quick, Input{Release: h.file("go")}))).ID)
	}
	_, err := p.Submit(context.Background(), request(Quick, Input{}))
	wantCode(t, err, contract.CodeTooManyRequests)
	if !contract.AsError(err).Retryable {
		t.Error("too_many_requests is not marked as retryable")
	}
	h.touch("go")
	for _, id := range held {
		p.finished(id, job.Succeeded)
	}
	h.eventually("a place is free", func() bool {
		_, err := p.Submit(context.Background(), request(Quick, Input{}))
		return err == nil
	})
}

func idempotencyKey(t *testing.T, h *cluster) {
	p := h.start()
	for _, tool := range []string{Quick, Engine} {
		r := request(tool, Input{Note: "keyed " + tool})
		r.IdempotencyKey = "key of " + tool
		ids := make([]string, 20)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				j, err := p.Submit(context.Background(), r)
				if err != nil {
					t.Errorf("%s: %v", tool, err)
					return
				}
				if j.State != job.Succeeded {
					t.Errorf("%s returned while %s", tool, j.State)
				}
				ids[i] = j.ID
			})
		}
		wg.Wait()
		for _, id := range ids {
			if id != ids[0] {
				t.Fatalf("%s: the same key made %s and %s", tool, ids[0], id)
			}
		}
		if n := p.tools.Ran("keyed " + tool); n != 1 {
			t.Errorf("%s ran %d times", tool, n)
		}
		other := request(tool, Input{Note: "something else"})
		other.IdempotencyKey = r.IdempotencyKey
		_, err := p.Submit(context.Background(), other)
		wantCode(t, err, contract.CodeConflict)
	}
}

func pages(t *testing.T, h *cluster) {
	p := h.start()
	want := map[string]bool{}
	for i := range 25 {
		tool := Quick
		if i%5 == 0 {
			tool = Engine
		}
		want[p.submit(request(tool, Input{Note: fmt.Sprint(i)})).ID] = true
	}
	f := job.Filter{Limit: 4}
	seen := map[string]bool{}
	for {
		page, err := p.List(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range page.Jobs {
			if seen[j.ID] {
				t.Fatalf("%s stands on two pages", j.ID)
			}
			seen[j.ID] = true
			delete(want, j.ID)
		}
		if page.Next == "" {
			break
		}
		f.Cursor = page.Next
		p.submit(request(Quick, Input{Note: "meanwhile"})) // newer: it must not shift the pages
	}
	if len(want) > 0 || len(seen) != 25 {
		t.Errorf("%d jobs are missing from the pages; %d were seen", len(want), len(seen))
	}
	page, err := p.List(context.Background(), job.Filter{Tool: Engine, State: job.Succeeded})
	if err != nil || len(page.Jobs) != 5 {
		t.Errorf("%d engine jobs, %v", len(page.Jobs), err)
	}
	_, err = p.List(context.Background(), job.Filter{Cursor: "nonsense"})
	wantCode(t, err, contract.CodeInvalidRequest)
}

// read collects events until the channel closes.
func read(t *testing.T, c <-chan job.Event) []job.Event {
	t.Helper()
	var all []job.Event
	deadline := time.After(30 * time.Second)
	for {
		select {
		case e, ok := <-c:
			if !ok {
				return all
			}
			if n := len(all); n > 0 && e.Seq <= all[n-1].Seq {
				t.Fatalf("event %d came after %d", e.Seq, all[n-1].Seq)
			}
			all = append(all, e)
		case <-deadline:
			t.Fatalf("the events did not end; so far %+v", all)
		}
	}
}

func events(t *testing.T, h *cluster) {
	p := h.start(func(o *job.Options) { o.EventTail = 50 })
	j := p.submit(async(request(Engine, Input{Events: 10, Release: h.file("go")})))
	live, err := p.Events(context.Background(), j.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var seen []job.Event
	for len(seen) < 12 { // queued, running, ten lines
		seen = append(seen, <-live)
	}
	if seen[0].State != job.Queued || seen[1].State != job.Running || seen[2].Message != "line 0" || seen[11].Message != "line 9" {
		t.Fatalf("the events are %+v", seen)
	}
	h.touch("go")
	rest := read(t, live)
	if len(rest) != 1 || rest[0].State != job.Succeeded {
		t.Fatalf("the last events are %+v", rest)
	}
	// A second reader resumes where the first one was interrupted.
	again, err := p.Events(context.Background(), j.ID, seen[5].Seq)
	if err != nil {
		t.Fatal(err)
	}
	replay := read(t, again)
	if len(replay) != 7 || replay[0].Message != "line 4" || replay[6].State != job.Succeeded {
		t.Fatalf("the replay is %+v", replay)
	}
	// The tail is bounded: the last 50 of 500 lines are kept.
	j = p.submit(request(Quick, Input{Events: 500}))
	all, err := p.Events(context.Background(), j.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, all)
	if len(got) != 52 || got[1].Message != "line 450" || got[50].Message != "line 499" {
		t.Fatalf("%d events are kept, from %+v to %+v", len(got), got[1], got[len(got)-2])
	}
}

func slowReader(t *testing.T, h *cluster) {
	p := h.start()
	j := p.submit(async(request(Engine, Input{Events: 2000, Release: h.file("go")})))
	slow, err := p.Events(context.Background(), j.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	first := <-slow // and then it reads nothing until the job has ended
	h.touch("go")
	p.finished(j.ID, job.Succeeded)
	rest := read(t, slow)
	if first.State != job.Queued || rest[len(rest)-1].State != job.Succeeded {
		t.Errorf("it saw %+v first and %+v last", first, rest[len(rest)-1])
	}
	// One that goes away leaves nothing behind.
	ctx, cancel := context.WithCancel(context.Background())
	gone, err := p.Events(ctx, j.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for range gone {
	}
}

func pinAndDelete(t *testing.T, h *cluster) {
	p := h.start()
	ctx := context.Background()
	j := p.submit(request(Quick, Input{Files: map[string]string{"a.txt": "a"}, Events: 2}))
	if err := p.Pin(ctx, j.ID, true); err != nil || !p.get(j.ID).Pinned {
		t.Fatalf("pin: %v", err)
	}
	running := p.submit(async(request(Engine, Input{Release: h.file("go")})))
	wantCode(t, p.Delete(ctx, running.ID), contract.CodeConflict)
	h.touch("go")
	p.finished(running.ID, job.Succeeded)
	if err := p.Delete(ctx, j.ID); err != nil {
		t.Fatal(err)
	}
	_, err := p.Get(ctx, j.ID)
	wantCode(t, err, contract.CodeNotFound)
	_, err = p.Artifact(ctx, j.ID, "a.txt")
	wantCode(t, err, contract.CodeNotFound)
	wantCode(t, p.Delete(ctx, j.ID), contract.CodeNotFound)
	wantCode(t, p.Pin(ctx, j.ID, true), contract.CodeNotFound)
}
