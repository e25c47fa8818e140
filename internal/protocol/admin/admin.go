// Package admin is what an operator needs to see and to do over HTTP: the state
// of engines, queues and storage, the last lines of the log, and removing what
// finished jobs left.
package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/doctor"
	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/store"
)

// Server holds what the handlers need.
type Server struct {
	Tools *contract.Registry
	Jobs  job.API
	Blobs *store.Blobs
	Log   *Tail
	// Examine looks at the machine, which takes some seconds; its report is kept
	// for a while.
	Examine func(context.Context) doctor.Report
	// Models lists the language models that are loaded; nil for none.
	Models  func(context.Context) ([]LoadedModel, error)
	Version string

	mu       sync.Mutex
	report   *doctor.Report
	examined time.Time
	started  time.Time
}

// reportAge is how long a report on the machine is shown before a new one is made.
const reportAge = time.Minute

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	s.started = time.Now()
	return []httpapi.Route{
		{Path: "/v1/admin/status", Methods: httpapi.Methods{"GET": {Serve: s.status, Doc: docStatus()}}},
		{Path: "/v1/admin/logs", Methods: httpapi.Methods{"GET": {Serve: s.logs, Doc: docLogs()}}},
		{Path: "/v1/admin/clear-jobs", Methods: httpapi.Methods{"POST": {Serve: s.clearJobs, Doc: docClear()}}},
	}
}

type queueStatus struct {
	Name    string   `json:"name"`
	Tools   []string `json:"tools"`
	Queued  int      `json:"queued"`
	Running int      `json:"running"`
}

// LoadedModel is a language model on a port, with its server's state.
type LoadedModel struct {
	ID       string `json:"id"`
	Model    string `json:"model"`
	Backend  string `json:"backend"`
	Host     string `json:"host"`
	URL      string `json:"url"`
	State    string `json:"state"`
	Restarts int    `json:"restarts"`
	Fault    string `json:"fault,omitempty"` // how the server ended last
}

type storageStatus struct {
	Bytes         int64 `json:"bytes"` // of contents
	DatabaseBytes int64 `json:"database_bytes"`
	Files         int64 `json:"files"`
	QuotaBytes    int64 `json:"quota_bytes"` // 0: none
	FreeBytes     int64 `json:"free_bytes"`  // -1: unknown
}

type statusAnswer struct {
	Version     string              `json:"version"`
	StartedAt   string              `json:"started_at"`
	GeneratedAt string              `json:"generated_at"`
	Doctor      doctor.Report       `json:"doctor"`
	Queues      []queueStatus       `json:"queues"`
	Jobs        map[job.State]int64 `json:"jobs"`
	Storage     storageStatus       `json:"storage"`
	Models      []LoadedModel       `json:"models"`
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *Server) status(w http.ResponseWriter, r *http.Request) error {
	usage, err := s.Blobs.Usage(r.Context())
	if err != nil {
		return err
	}
	queues, err := s.queues(r.Context())
	if err != nil {
		return err
	}
	models := []LoadedModel{}
	if s.Models != nil {
		if models, err = s.Models(r.Context()); err != nil {
			return err
		}
	}
	report := s.machine()
	answer := statusAnswer{
		Version: s.Version, StartedAt: stamp(s.started), GeneratedAt: stamp(time.Now()), Doctor: report, Queues: queues, Jobs: map[job.State]int64{},
		Storage: storageStatus{usage.BlobBytes, usage.DatabaseBytes, usage.Files, usage.QuotaBytes, report.Data.FreeBytes},
		Models:  models,
	}
	for _, state := range []job.State{job.Queued, job.Running, job.Succeeded, job.Failed, job.Cancelled} {
		answer.Jobs[state] = usage.Jobs[state]
	}
	httpapi.JSON(w, http.StatusOK, answer)
	return nil
}

// machine is the last report, or a new one; callers that come meanwhile wait for
// the same.
func (s *Server) machine() doctor.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.report == nil || time.Since(s.examined) > reportAge {
		// Not with a request's context: the report is for those that follow too.
		report := s.Examine(context.Background())
		s.report, s.examined = &report, time.Now()
	}
	return *s.report
}

// queues counts the jobs that have not ended by queue; the quick tools, which
// never wait, have none.
func (s *Server) queues(ctx context.Context) ([]queueStatus, error) {
	byName := map[string]*queueStatus{}
	for _, tool := range s.Tools.All() {
		name := tool.Contract.Engine
		if name == "" {
			continue
		}
		if byName[name] == nil {
			byName[name] = &queueStatus{Name: name}
		}
		byName[name].Tools = append(byName[name].Tools, tool.Contract.Name)
	}
	for _, state := range []job.State{job.Queued, job.Running} {
		page, err := s.Jobs.List(ctx, job.Filter{State: state, Limit: 500})
		if err != nil {
			return nil, err
		}
		for _, j := range page.Jobs {
			q := byName[j.Queue]
			switch {
			case q == nil:
			case state == job.Queued:
				q.Queued++
			default:
				q.Running++
			}
		}
	}
	list := []queueStatus{}
	for _, q := range byName {
		list = append(list, *q)
	}
	slices.SortFunc(list, func(a, b queueStatus) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list, nil
}

const (
	fewestLines  = 1
	defaultLines = 200
)

// logs answers with the last lines of the log, the newest last. A limit outside
// 1 … 1000 is brought into it.
func (s *Server) logs(w http.ResponseWriter, r *http.Request) error {
	limit := defaultLines
	if query := r.URL.Query(); query.Has("limit") {
		n, err := strconv.Atoi(query.Get("limit"))
		if err != nil && !errors.Is(err, strconv.ErrRange) { // which gives the nearest number there is
			return contract.Errorf(contract.CodeInvalidRequest, "limit is %q, which is not a whole number", query.Get("limit")).At("limit")
		}
		limit = min(max(n, fewestLines), mostLines)
	}
	lines := s.Log.Last(limit)
	httpapi.JSON(w, http.StatusOK, map[string]any{"lines": lines, "count": len(lines), "generated_at": stamp(time.Now())})
	return nil
}

type cleared struct {
	Status         string `json:"status"`
	DeletedJobs    int    `json:"deleted_jobs"`
	ReclaimedBytes int64  `json:"reclaimed_bytes"`
	ReclaimedHuman string `json:"reclaimed_human"`
	Message        string `json:"message"`
	Timestamp      string `json:"timestamp"`
}

// clearJobs removes the finished jobs that are not pinned, and the contents that
// nothing refers to then.
func (s *Server) clearJobs(w http.ResponseWriter, r *http.Request) error {
	var body struct{}
	if r.ContentLength != 0 {
		if err := httpapi.ReadJSON(r, &body, true); err != nil {
			return err
		}
	}
	swept, err := s.Blobs.Sweep(r.Context(), store.Policy{JobAge: time.Millisecond})
	if err != nil {
		return err
	}
	answer := cleared{Status: "ok", DeletedJobs: swept.Jobs, ReclaimedBytes: swept.Bytes, ReclaimedHuman: human(swept.Bytes), Timestamp: stamp(time.Now())}
	answer.Message = fmt.Sprintf("%d finished jobs are removed, %s are free. What was written within the last minutes is freed by a later sweep.", swept.Jobs, answer.ReclaimedHuman)
	httpapi.JSON(w, http.StatusOK, answer)
	return nil
}

// human writes a number of bytes in decimal units.
func human(n int64) string {
	v, unit := float64(n), 0
	for v >= 999.5 && unit < 4 {
		v /= 1000
		unit++
	}
	return fmt.Sprintf("%.3g %s", v, []string{"B", "kB", "MB", "GB", "TB"}[unit])
}
