package jobtest

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// Backend is a combination of database and dispatcher under test.
type Backend struct {
	Name string
	// Fresh makes an empty database and returns its URL.
	Fresh func(t testing.TB) string
	// Shared says that several processes may work on it at once.
	Shared bool
}

// cluster is one database with its data folder, and processes that live in it.
type cluster struct {
	t       *testing.T
	backend Backend
	url     string
	dir     string
}

func newCluster(t *testing.T, b Backend) *cluster {
	return &cluster{t: t, backend: b, url: b.Fresh(t), dir: t.TempDir()}
}

// process is a Service within the test's own process.
type process struct {
	*job.Service
	t     *testing.T
	db    *store.DB
	blobs *store.Blobs
	tools *Tools
	open  bool
}

func serveBoth(o *job.Options) { o.Queues = map[string]int{"engine": 2, "other": 2} }

func (h *cluster) start(change ...func(*job.Options)) *process {
	h.t.Helper()
	p, err := open(h.url, h.dir, change...)
	if err != nil {
		h.t.Fatal(err)
	}
	p.t = h.t
	h.t.Cleanup(func() { p.stop(0) })
	return p
}

func open(url, dir string, change ...func(*job.Options)) (*process, error) {
	ctx := context.Background()
	db, err := store.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	blobs, err := store.OpenBlobs(ctx, db, filepath.Join(dir, "artifacts"), store.BlobOptions{})
	if err != nil {
		return nil, err
	}
	o := job.Options{Logger: slog.New(slog.DiscardHandler), WorkDir: filepath.Join(dir, "work")}
	// Short leases, so that the tests need not wait for the usual ten seconds.
	o.Heartbeat, o.Lease = 200*time.Millisecond, 1500*time.Millisecond
	serveBoth(&o)
	for _, c := range change {
		c(&o)
	}
	p := &process{db: db, blobs: blobs, tools: &Tools{}, open: true}
	p.Service, err = job.New(ctx, db, blobs, p.tools, o)
	return p, err
}

// stop drains with so much patience and closes the database.
func (p *process) stop(patience time.Duration) {
	p.t.Helper()
	if !p.open {
		return
	}
	p.open = false
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.Drain(ctx); err != nil {
		p.t.Errorf("drain: %v", err)
	}
	p.blobs.Close()
	if err := p.db.Close(); err != nil {
		p.t.Errorf("close: %v", err)
	}
}

func (h *cluster) file(name string) string { return filepath.Join(h.dir, name) }

func (h *cluster) touch(name string) {
	h.t.Helper()
	if err := os.WriteFile(h.file(name), nil, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// lines counts the lines of a file that tools append to at each start.
func (h *cluster) lines(name string) int {
	text, _ := os.ReadFile(h.file(name))
	return strings.Count(string(text), "\n")
}

func (h *cluster) eventually(what string, ok func() bool) {
	h.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			h.t.Fatalf("30 s went by without: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func request(tool string, in Input) job.Request {
	raw, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	return job.Request{Tool: tool, Input: raw}
}

func async(r job.Request) job.Request { r.Async = true; return r }

func (p *process) submit(r job.Request) *job.Job {
	p.t.Helper()
	j, err := p.Submit(context.Background(), r)
	if err != nil {
		p.t.Fatalf("submit %s: %v", r.Tool, err)
	}
	return j
}

func (p *process) get(id string) *job.Job {
	p.t.Helper()
	j, err := p.Get(context.Background(), id)
	if err != nil {
		p.t.Fatalf("get %s: %v", id, err)
	}
	return j
}

// finished waits for a job's end and checks its state.
func (p *process) finished(id string, want job.State) *job.Job {
	p.t.Helper()
	j, err := p.Wait(context.Background(), id, 30*time.Second)
	if err != nil {
		p.t.Fatalf("wait for %s: %v", id, err)
	}
	if j.State != want {
		p.t.Fatalf("job %s is %s (%v), want %s", id, j.State, j.Error, want)
	}
	if j.Result == nil || j.Finished.IsZero() || (want != job.Succeeded) == (j.Error == nil) {
		p.t.Fatalf("job %s ended as %+v: a finished job has a time, a result, and an error unless it succeeded", id, j)
	}
	return j
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	if got := contract.AsError(err).Code; got != code {
		t.Fatalf("error %v, want code %s", err, code)
	}
}
