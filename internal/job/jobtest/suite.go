package jobtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
)

type promise struct {
	name string
	test func(*testing.T, *cluster)
}

// Run holds a backend to everything that package job promises.
func Run(t *testing.T, b Backend) {
	promises := []promise{
		{"a quick call has one durable record", quickCall},
		{"a slow quick call becomes visible and can be cancelled", slowQuickCall},
		{"an engine call is queued, run and recorded", engineCall},
		{"artifacts are stored with their series and the folder is removed", artifacts},
		{"a link out of the folder is no artifact", linkOut},
		{"failures, panics and broken results end as failed", failures},
		{"refused calls leave no record", refused},
		{"waiting ends with its time", waiting},
		{"a queued job is cancelled and never runs", cancelQueued},
		{"a running job is cancelled", cancelRunning},
		{"a full queue refuses", fullQueue},
		{"too many quick calls are refused", fullInline},
		{"200 concurrent submits run exactly once each", manySubmits},
		{"a key gives one job", idempotencyKey},
		{"pages are stable while jobs come", pages},
		{"events are live, resumable and bounded", events},
		{"a slow reader of events delays nobody", slowReader},
		{"finished jobs can be pinned and deleted", pinAndDelete},
		{"an orderly stop lets finish, gives back or interrupts", drain},
		{"an orderly stop ends quick calls as interrupted", drainUnrecorded},
		{"a finished job is there after kill -9 right after the reply", killAfterReply},
		{"kill -9 in the middle: rerun or interrupted", killMidJob},
		{"a job that kills its process ends", poison},
		{"a worker dies and another takes over", workerDies},
	}
	if b.Shared {
		promises = append(promises,
			promise{"a worker dies between delivery and claim", diesBeforeTheClaim},
			promise{"cancelling and events reach another process", acrossProcesses})
	} else { // River gives each queue a number of workers, whatever they do
		promises = append(promises, promise{"brief calls pass long ones by", briefBesideLong})
	}
	for _, c := range promises {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, newCluster(t, b))
		})
	}
}

func quickCall(t *testing.T, h *cluster) {
	p := h.start()
	r := request(Quick, Input{Note: "hello"})
	r.RequestID, r.Context = "req-1", []byte(`{"session_id":"session_1"}`)
	j := p.submit(r)
	if j.State != job.Succeeded || j.Queue != "" || j.Attempt != 1 || j.Summary != "Done: hello" {
		t.Fatalf("the reply is %+v", j)
	}
	kept, err := p.db.Job(context.Background(), j.ID)
	if err != nil {
		t.Fatalf("the reply came before its record: %v", err)
	}
	if kept.RequestID != "req-1" || string(kept.Context) != `{"session_id":"session_1"}` || string(kept.Input) != `{"note":"hello"}` {
		t.Errorf("the record is %+v", kept)
	}
	if got := string(kept.Result.OutputJSON()); got != `{"attempt":1,"note":"hello"}` {
		t.Errorf("the recorded output is %s", got)
	}
	if len(j.ID) != len("job_")+26 {
		t.Errorf("the id %q does not hold 128 bits in base 32", j.ID)
	}
}

func slowQuickCall(t *testing.T, h *cluster) {
	p := h.start()
	j := p.submit(async(request(Quick, Input{Release: h.file("never")})))
	if j.State != job.Running {
		t.Fatalf("it is %s, want running", j.State)
	}
	if kept, err := p.db.Job(context.Background(), j.ID); err != nil || kept.State != job.Running {
		t.Fatalf("a call that takes long has no record: %v %v", kept, err)
	}
	j, err := p.Cancel(context.Background(), j.ID)
	if err != nil || j.State != job.Cancelled {
		t.Fatalf("cancel: %v %v", j, err)
	}
	p.finished(j.ID, job.Cancelled)

	// Before it has a record it can be found and cancelled as well.
	p2 := make(chan *job.Job)
	go func() {
		j, _ := p.Submit(context.Background(), request(Quick, Input{Note: "early", Started: h.file("early"), Release: h.file("never")}))
		p2 <- j
	}()
	h.eventually("the second call runs", func() bool { return h.lines("early") == 1 })
	text, _ := os.ReadFile(h.file("early"))
	var id string
	fmt.Sscan(string(text), &id)
	if _, err := p.Cancel(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	if j := <-p2; j.State != job.Cancelled || j.Error.Code != contract.CodeCancelled {
		t.Fatalf("it ended as %+v", j)
	}
	p.finished(id, job.Cancelled)
}

func engineCall(t *testing.T, h *cluster) {
	p := h.start()
	j := p.submit(async(request(Engine, Input{Note: "a", Release: h.file("go")})))
	if j.State != job.Queued {
		t.Fatalf("it is %s", j.State)
	}
	if _, err := p.db.Job(context.Background(), j.ID); err != nil {
		t.Fatalf("the reply came before the record: %v", err)
	}
	h.eventually("the job runs", func() bool { return p.get(j.ID).State == job.Running })
	h.touch("go")
	j = p.finished(j.ID, job.Succeeded)
	if j.Started.Before(j.Created) || j.Finished.Before(j.Started) || j.Attempt != 1 {
		t.Errorf("created %v, started %v, finished %v, attempt %d", j.Created, j.Started, j.Finished, j.Attempt)
	}
	// Without Async the reply is the finished job.
	if j := p.submit(request(Engine, Input{Note: "b"})); j.State != job.Succeeded {
		t.Errorf("a call that waits returned %s", j.State)
	}
}

func artifacts(t *testing.T, h *cluster) {
	p := h.start()
	for _, tool := range []string{Quick, Engine} {
		j := p.submit(request(tool, Input{
			Files:  map[string]string{"solution/head.pvd": "head", "solution/a.vtu": "aaa", "solution/b.vtu": "bb"},
			Series: []string{"solution/a.vtu", "solution/b.vtu"},
		}))
		if j.State != job.Succeeded || j.Bytes != 9 { // 4 + 3 + 2 letters
			t.Fatalf("%s: state %s, %d bytes, error %v", tool, j.State, j.Bytes, j.Error)
		}
		if a := j.Result.Artifacts; len(a) != 3 || a[0].Bytes != 4 || len(a[0].SHA256) != 64 ||
			a[1].Name != "solution/a.vtu" || a[1].Bytes != 3 || len(a[2].SHA256) != 64 { // the head, then its series
			t.Errorf("%s: the result's artifacts are %+v", tool, a)
		}
		list, err := p.Artifacts(context.Background(), j.ID)
		if err != nil || len(list) != 3 {
			t.Fatalf("%s: stored are %+v, %v", tool, list, err)
		}
		a, err := p.Artifact(context.Background(), j.ID, "solution/a.vtu")
		if err != nil || a.Head != "solution/head.pvd" {
			t.Fatalf("%s: %+v, %v", tool, a, err)
		}
		content, err := p.blobs.Open(context.Background(), a.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(content)
		content.Close()
		if string(text) != "aaa" {
			t.Errorf("%s: the artifact holds %q", tool, text)
		}
		h.eventually("the folder is gone", func() bool {
			left, _ := filepath.Glob(filepath.Join(h.dir, "work", "*", "*", "*"))
			return len(left) == 0
		})
	}
}

func linkOut(t *testing.T, h *cluster) {
	p := h.start()
	h.touch("secret")
	j := p.submit(request(Quick, Input{Link: h.file("secret")}))
	if j.State != job.Failed || j.Error.Code != contract.CodeInvalidToolOutput {
		t.Fatalf("it ended as %s, %v", j.State, j.Error)
	}
}

func failures(t *testing.T, h *cluster) {
	p := h.start()
	for mode, code := range map[string]string{
		"fail": contract.CodeSolverFailed, "panic": contract.CodeInternal,
		"nan": contract.CodeInvalidToolOutput, "nil": contract.CodeInternal,
	} {
		for _, tool := range []string{Quick, Engine} {
			j := p.submit(request(tool, Input{Mode: mode}))
			if j.State != job.Failed || j.Error.Code != code {
				t.Errorf("%s %s ended as %s, %v; want failed, %s", tool, mode, j.State, j.Error, code)
			}
			p.finished(j.ID, job.Failed)
		}
	}
}

func refused(t *testing.T, h *cluster) {
	p := h.start()
	_, err := p.Submit(context.Background(), request("nothing", Input{}))
	wantCode(t, err, contract.CodeUnknownTool)
	page, err := p.List(context.Background(), job.Filter{})
	if err != nil || len(page.Jobs) != 0 {
		t.Errorf("%d records, %v", len(page.Jobs), err)
	}
	_, err = p.Get(context.Background(), "job_none")
	wantCode(t, err, contract.CodeNotFound)
	_, err = p.Cancel(context.Background(), "job_none")
	wantCode(t, err, contract.CodeNotFound)
	_, err = p.Events(context.Background(), "job_none", 0)
	wantCode(t, err, contract.CodeNotFound)
}

func waiting(t *testing.T, h *cluster) {
	p := h.start()
	for _, tool := range []string{Quick, Engine} {
		r := request(tool, Input{Release: h.file("go " + tool)})
		r.Wait = 150 * time.Millisecond
		begun := time.Now()
		j := p.submit(r)
		if j.State.Finished() {
			t.Fatalf("%s is %s", tool, j.State)
		}
		if d := time.Since(begun); d < r.Wait || d > 20*r.Wait {
			t.Errorf("%s: waited %v instead of %v", tool, d, r.Wait)
		}
		h.touch("go " + tool)
		p.finished(j.ID, job.Succeeded)
	}
}

func cancelQueued(t *testing.T, h *cluster) {
	p := h.start(func(o *job.Options) { o.Queues = map[string]int{"engine": 1} })
	first := p.submit(async(request(Engine, Input{Note: "first", Release: h.file("go")})))
	h.eventually("the first runs", func() bool { return p.get(first.ID).State == job.Running })
	second := p.submit(async(request(Engine, Input{Note: "second"})))
	third := p.submit(async(request(Engine, Input{Note: "third"})))
	j, err := p.Cancel(context.Background(), second.ID)
	if err != nil || j.State != job.Cancelled || j.Attempt != 0 || j.Error.Code != contract.CodeCancelled {
		t.Fatalf("cancel: %+v, %v", j, err)
	}
	if again, err := p.Cancel(context.Background(), second.ID); err != nil || again.State != job.Cancelled {
		t.Errorf("cancelling twice: %v, %v", again, err)
	}
	h.touch("go")
	p.finished(third.ID, job.Succeeded)
	p.finished(second.ID, job.Cancelled)
	if p.tools.Ran("second") != 0 {
		t.Error("a job that was cancelled in the queue was run")
	}
	_, err = p.Cancel(context.Background(), first.ID)
	wantCode(t, err, contract.CodeConflict)
}

func cancelRunning(t *testing.T, h *cluster) {
	p := h.start()
	j := p.submit(async(request(Engine, Input{Release: h.file("never")})))
	h.eventually("it runs", func() bool { return p.get(j.ID).State == job.Running })
	begun := time.Now()
	j, err := p.Cancel(context.Background(), j.ID)
	if err != nil || j.State != job.Cancelled {
		t.Fatalf("cancel: %+v, %v", j, err)
	}
	if d := time.Since(begun); d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
	if kept, err := p.db.Job(context.Background(), j.ID); err != nil || kept.State != job.Cancelled || kept.Error.Code != contract.CodeCancelled {
		t.Errorf("the record is %+v, %v", kept, err)
	}
}

func manySubmits(t *testing.T, h *cluster) {
	p := h.start()
	const n = 200
	ids := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			tool := []string{Quick, Engine, Once, Other}[i%4]
			r := request(tool, Input{Note: fmt.Sprint("n", i)})
			r.Async = i%8 >= 4
			for {
				j, err := p.Submit(context.Background(), r)
				if err != nil && contract.AsError(err).Code == contract.CodeTooManyRequests {
					time.Sleep(time.Millisecond) // as Retry-After asks
					continue
				}
				if err != nil {
					t.Errorf("submit %d: %v", i, err)
					return
				}
				ids[i] = j.ID
				return
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for i, id := range ids {
		if id == "" || seen[id] {
			t.Fatalf("job %d has the id %q", i, id)
		}
		seen[id] = true
		p.finished(id, job.Succeeded)
		if ran := p.tools.Ran(fmt.Sprint("n", i)); ran != 1 {
			t.Errorf("job %d ran %d times", i, ran)
		}
	}
}
