package rest

import (
	"encoding/json"
	"net/http"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/job/view"
	"atelier/internal/protocol/httpapi"
)

const defaultWait = 5 * time.Second

type createRequest struct {
	ToolName string          `json:"tool_name"`
	Input    json.RawMessage `json:"input"`
	Mode     string          `json:"mode"`
	WaitMS   *float64        `json:"wait_ms"`
	Limits   json.RawMessage `json:"limits"`
	Context  inSession       `json:"context"`
}

func (s *Server) createJob(w http.ResponseWriter, r *http.Request) error {
	var body createRequest
	if err := httpapi.ReadCall(r, &body, true, "input"); err != nil {
		return err
	}
	if body.ToolName == "" {
		return contract.Errorf(contract.CodeInvalidRequest, "the request lacks the required field \"tool_name\"").At("/tool_name")
	}
	wait, err := httpapi.Wait(body.WaitMS, defaultWait, "/wait_ms")
	if err != nil {
		return err
	}
	if body.Mode != "" && body.Mode != "async" && body.Mode != "sync" {
		return contract.Errorf(contract.CodeInvalidRequest, "mode is %q", body.Mode).At("/mode").
			With("accepted", []string{"async", "sync"}).WithHint("Use async or sync.")
	}
	made, err := s.Jobs.Submit(r.Context(), job.Request{
		Tool: body.ToolName, Input: body.Input, Limits: body.Limits, Context: body.Context.context(), RequestID: httpapi.RequestID(r),
		IdempotencyKey: r.Header.Get("Idempotency-Key"), Async: body.Mode != "sync", Wait: wait,
	})
	if err != nil {
		return err
	}
	answer := map[string]any{"job_id": made.ID, "status": made.State}
	status := http.StatusAccepted
	if body.Mode == "sync" && made.State.Finished() {
		answer["job"] = view.New(made, true)
	}
	if made.State.Finished() || body.Mode == "sync" {
		status = http.StatusOK
	}
	w.Header().Set("Location", "/v1/jobs/"+made.ID)
	httpapi.JSON(w, status, answer)
	return nil
}

func (s *Server) getJob(w http.ResponseWriter, r *http.Request) error {
	wait, err := httpapi.QueryWait(r, 0)
	if err != nil {
		return err
	}
	found, err := s.Jobs.Wait(r.Context(), r.PathValue("id"), wait)
	if err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, view.New(found, true))
	return nil
}

// deleteJob cancels a queued or running job; a finished one is removed with its
// artifacts.
func (s *Server) deleteJob(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	found, err := s.Jobs.Get(r.Context(), id)
	if err != nil {
		return err
	}
	if found.State.Finished() {
		if err := s.Jobs.Delete(r.Context(), id); err != nil {
			return err
		}
		httpapi.JSON(w, http.StatusOK, map[string]any{"job_id": id, "deleted": true})
		return nil
	}
	cancelled, err := s.Jobs.Cancel(r.Context(), id)
	if err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, view.New(cancelled, true))
	return nil
}

func (s *Server) listJobs(w http.ResponseWriter, r *http.Request) error {
	filter, err := s.jobFilter(r)
	if err != nil {
		return err
	}
	page, err := s.Jobs.List(r.Context(), filter)
	if err != nil {
		return err
	}
	records := make([]view.Job, len(page.Jobs))
	for i := range page.Jobs {
		records[i] = view.New(page.Jobs[i], false)
	}
	httpapi.WritePage(w, "jobs", records, page.Next)
	return nil
}

func (s *Server) jobFilter(r *http.Request) (job.Filter, error) {
	query := r.URL.Query()
	var filter job.Filter
	err := httpapi.OnlyParameters(r, "state", "status", "tool", "cursor", "limit")
	if err != nil {
		return filter, err
	}
	if filter.Limit, filter.Cursor, err = httpapi.Page(r); err != nil {
		return filter, err
	}
	state, asked, named := query.Get("state"), query.Has("state"), "state"
	if !asked {
		state, asked, named = query.Get("status"), query.Has("status"), "status"
	}
	if asked {
		known := false
		for _, st := range states {
			known = known || string(st) == state
		}
		if !known {
			return filter, contract.Errorf(contract.CodeInvalidRequest, "%s is %q", named, state).At(named).With("accepted", states)
		}
		filter.State = job.State(state)
	}
	if query.Has("tool") {
		name := query.Get("tool")
		tool, err := s.Tools.Find(name)
		if err != nil {
			return filter, contract.Errorf(contract.CodeInvalidRequest, "tool is %q, which no tool is named", name).At("tool").
				With("accepted", s.Tools.Names())
		}
		filter.Tool = tool.Contract.Name
	}
	return filter, nil
}

func (s *Server) listArtifacts(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	artifacts, err := s.Jobs.Artifacts(r.Context(), id)
	if err != nil {
		return err
	}
	files := make([]contract.ArtifactLink, len(artifacts))
	for i, a := range artifacts {
		files[i] = contract.ArtifactLink{Name: a.Name, Path: contract.ArtifactURL(id, a.Name), MIMEType: a.MIME, Bytes: a.Bytes}
	}
	httpapi.JSON(w, http.StatusOK, map[string]any{"job_id": id, "files": files})
	return nil
}

func (s *Server) artifact(w http.ResponseWriter, r *http.Request) error {
	a, err := s.Jobs.Artifact(r.Context(), r.PathValue("id"), r.PathValue("name"))
	if err != nil {
		return err
	}
	return s.serveBlob(w, r, a.Name, a.MIME, a.SHA256)
}

func (s *Server) serveBlob(w http.ResponseWriter, r *http.Request, name, mimeType, sha string) error {
	content, err := s.Blobs.Open(r.Context(), sha)
	if err != nil {
		return err
	}
	defer content.Close()
	httpapi.Content(w, r, name, mimeType, sha, content)
	return nil
}
