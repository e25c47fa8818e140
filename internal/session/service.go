package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/google/uuid"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// Options of a Service. The zero value of a field means its default.
type Options struct {
	// Runner works the turns of conversations; nil when there is none.
	Runner Runner
	// How often a process renews the leases of its runs, and how long after the
	// last renewal another takes a run over (Postgres). 2 s, 10 s.
	Heartbeat, Lease time.Duration
	// MaxRuns is how many runs one process works on at once; 64.
	MaxRuns int
	Logger  *slog.Logger // slog.Default()
}

func (o Options) withDefaults() Options {
	if o.Heartbeat == 0 {
		o.Heartbeat = 2 * time.Second
	}
	if o.Lease == 0 {
		o.Lease = 10 * time.Second
	}
	if o.MaxRuns == 0 {
		o.MaxRuns = 64
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Service is the sessions of one process.
type Service struct {
	db     *store.DB
	blobs  *store.Blobs
	tools  *contract.Registry
	jobs   job.API // the job engine itself
	opts   Options
	worker string
	hub    store.Hub

	mu       sync.Mutex
	runs     map[string]*Run // by session, those of this process
	watched  map[string]bool // jobs whose end this process waits for
	inFlight map[string]bool // jobs that this process is about to make
	closing  bool

	ctx        context.Context
	stop       context.CancelCauseFunc
	background sync.WaitGroup
}

// New starts a Service: it takes up what an earlier process left open. Close
// ends it, before the job engine is drained.
func New(ctx context.Context, db *store.DB, blobs *store.Blobs, tools *contract.Registry, jobs job.API, opts Options) (*Service, error) {
	host, _ := os.Hostname() // only names the process in a row
	s := &Service{
		db: db, blobs: blobs, tools: tools, jobs: jobs, opts: opts.withDefaults(),
		worker: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), store.NewID("")[:8]),
		runs:   map[string]*Run{}, watched: map[string]bool{}, inFlight: map[string]bool{},
	}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	if err := s.recover(ctx, !db.Shared()); err != nil {
		s.Close()
		return nil, err
	}
	s.background.Go(func() { s.watch(s.ctx) })
	s.background.Go(func() { _ = db.Listen(s.ctx, s.hub.SignalAll, s.onChange) }) // ends with ctx only
	return s, nil
}

// Close stops the runs of this process, which another one, or the next, ends or
// resumes. Jobs go on. A runner that ignores the end of its context is left
// behind after a while.
func (s *Service) Close() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.stop(errStopping)
	ended := make(chan struct{})
	go func() { s.background.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		s.opts.Logger.Warn("a run did not end when asked to")
	}
}

var errStopping = errors.New("the process is stopping")

// HasRunner says whether conversations are possible.
func (s *Service) HasRunner() bool { return s.opts.Runner != nil }

var idForm = regexp.MustCompile(`^session_[A-Za-z0-9_-]{1,100}$`)

func checkID(id string) error {
	if !idForm.MatchString(id) {
		return contract.Errorf(contract.CodeNotFound, "%.120q is not the id of a session", id).
			WithHint("An id is session_ and a UUID, as POST /v1/sessions answers it.")
	}
	return nil
}

// Create makes a session of files that Put has stored.
func (s *Service) Create(ctx context.Context, files []Upload, metadata map[string]json.RawMessage) (*Manifest, error) {
	id := "session_" + uuid.NewString()
	first, err := json.Marshal(body{Draft: Draft{Stage: StageCreated, Metadata: metadata}})
	if err != nil {
		return nil, err
	}
	if len(first) > largestBody {
		return nil, tooLargeBody(len(first))
	}
	assets := placed(files, taken{ManifestName: ""})
	err = s.db.Write(ctx, func(tx store.Tx) error {
		if err := s.db.InsertSession(ctx, tx, id, first); err != nil {
			return err
		}
		if err := s.db.AddAssets(ctx, tx, id, assets); err != nil {
			return err
		}
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{stateUpdate("")})
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// AddFiles adds files that Put has stored to the input folder.
func (s *Service) AddFiles(ctx context.Context, id string, files []Upload) (*Manifest, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	_, err := s.change(ctx, id, 0, func(tx store.Tx, _ *store.Session) error {
		snap, err := s.db.SnapshotTx(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := s.db.AddAssets(ctx, tx, id, placed(files, takenBy(snap.Assets))); err != nil {
			return err
		}
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{stateUpdate("")})
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// Get returns the manifest as it is now: what has ended meanwhile, here or on
// another machine, is in it.
func (s *Service) Get(ctx context.Context, id string) (*Manifest, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	if err := s.reconcile(ctx, id, time.Time{}); err != nil {
		return nil, err
	}
	snap, err := s.db.SessionSnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	return newManifest(snap)
}

// Listed is a session in a list.
type Listed struct {
	SessionID string `json:"session_id"`
	Version   int64  `json:"version"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
	Status    string `json:"status"` // of its runs
	Stage     string `json:"stage"`
	Bytes     int64  `json:"bytes"` // of its assets
}

// List is newest first: at most limit, older than the cursor.
func (s *Service) List(ctx context.Context, limit int, cursor string) (list []Listed, next string, err error) {
	rows, next, err := s.db.Sessions(ctx, limit, cursor)
	list = make([]Listed, len(rows))
	for i, r := range rows {
		b, err := decodeBody(r.Body)
		if err != nil {
			return nil, "", err
		}
		list[i] = Listed{r.ID, r.Version, stamp(r.Created), stamp(r.Updated), Idle, b.Stage, r.Bytes}
		if r.Run != "" {
			list[i].Status = Processing
		}
	}
	return list, next, err
}

// Delete removes an idle session with its jobs, pinned ones aside; conflict
// while something works on it. Contents go with the next sweep.
func (s *Service) Delete(ctx context.Context, id string) error {
	m, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	for _, step := range m.Steps {
		if step.FinishedAt == "" {
			return contract.Errorf(contract.CodeConflict, "%s is still %s in session %s", step.Tool, step.Status, id).
				With("job_id", step.JobID).WithHint("Cancel it or wait for its end.")
		}
	}
	if err := s.db.DeleteSession(ctx, id); err != nil {
		return err
	}
	s.hub.Signal(id)
	for _, step := range m.Steps {
		if step.JobID != "" {
			s.deleteJob(ctx, step.JobID)
		}
	}
	return nil
}

// deleteJob leaves a job that it cannot delete to the job's own retention.
func (s *Service) deleteJob(ctx context.Context, id string) {
	if j, err := s.jobs.Get(ctx, id); err != nil || j.Pinned {
		return
	}
	if err := s.jobs.Delete(ctx, id); err != nil && !store.IsNotFound(err) {
		s.opts.Logger.Warn("a job of a deleted session stays", "job", id, "error", err)
	}
}

// Asset returns one file's record by its path, or not_found.
func (s *Service) Asset(ctx context.Context, id, path string) (store.Asset, error) {
	if err := checkID(id); err != nil {
		return store.Asset{}, err
	}
	a, err := s.db.SessionAsset(ctx, id, path)
	if !store.IsNotFound(err) {
		return a, err
	}
	if err := s.reconcile(ctx, id, time.Time{}); err != nil { // the tool that makes it may just have ended
		return a, err
	}
	return s.db.SessionAsset(ctx, id, path)
}
