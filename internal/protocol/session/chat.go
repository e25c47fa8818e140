package session

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/session"
)

const longestPrompt = 16000 // characters

type chatRequest struct {
	Prompt  string          `json:"prompt"`
	Stream  *bool           `json:"stream"`
	Approve string          `json:"approve"`
	Model   string          `json:"model"`
	Options json.RawMessage `json:"options"`
	// CancelOnDisconnect ends the run with the connection; else it goes on.
	CancelOnDisconnect bool     `json:"cancel_on_disconnect"`
	WaitMS             *float64 `json:"wait_ms"`
}

func (c *chatRequest) check() error {
	switch {
	case strings.TrimSpace(c.Prompt) == "":
		return contract.Errorf(contract.CodeInvalidRequest, "the prompt is empty").At("/prompt").WithHint(`Send {"prompt": "mesh the part"}.`)
	case utf8.RuneCountInString(c.Prompt) > longestPrompt:
		return contract.Errorf(contract.CodeInvalidRequest, "the prompt has %d characters; at most %d are taken", utf8.RuneCountInString(c.Prompt), longestPrompt).At("/prompt").
			WithHint("Add long texts as files of the session.")
	}
	accepted := []string{session.ApproveNothing, session.ApproveDestructive, session.ApproveEverything}
	for _, word := range append(accepted, "") {
		if c.Approve == word {
			return nil
		}
	}
	return contract.Errorf(contract.CodeInvalidRequest, "approve is %q", c.Approve).At("/approve").With("accepted", accepted)
}

// streamed: the body's stream decides, else the query's, else Accept.
func (c *chatRequest) streamed(r *http.Request) (bool, error) {
	if c.Stream != nil {
		return *c.Stream, nil
	}
	if query := r.URL.Query(); query.Has("stream") {
		switch query.Get("stream") {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
		return false, contract.Errorf(contract.CodeInvalidRequest, "stream is %q", query.Get("stream")).At("stream").
			With("accepted", []string{"true", "1", "false", "0"})
	}
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream"), nil
}

// chat works a prompt: with a stream of events, or with one answer at the end.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	var body chatRequest
	if err := httpapi.OnlyParameters(r, "stream"); err != nil {
		return err
	}
	if err := httpapi.ReadJSON(r, &body, true); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	stream, err := body.streamed(r)
	if err != nil {
		return err
	}
	wait, err := httpapi.Wait(body.WaitMS, 0, "/wait_ms")
	if err != nil {
		return err
	}
	run, err := s.Sessions.Start(r.Context(), r.PathValue("id"), session.Turn{
		Prompt: body.Prompt, Approve: body.Approve, Model: body.Model, Options: body.Options, RequestID: httpapi.RequestID(r),
	})
	if err != nil {
		return err
	}
	if body.CancelOnDisconnect {
		defer s.cancelIfGone(r, run)
	}
	if stream {
		httpapi.ServeEvents(w, r, run.Events(r.Context()), encodeEvent)
		return nil
	}
	return s.answerChat(w, r, run, wait)
}

// cancelIfGone ends a run whose client went away before its end.
func (s *Server) cancelIfGone(r *http.Request, run *session.Run) {
	select {
	case <-run.Done():
	default:
		if r.Context().Err() != nil {
			_, _ = s.Sessions.Cancel(context.WithoutCancel(r.Context()), run.Session) // it has ended meanwhile, then
		}
	}
}

func encodeEvent(e session.Event) (httpapi.ServerEvent, error) {
	return httpapi.ServerEvent{ID: e.Seq, Name: e.Type, Data: e.Data}, nil
}

// answerChat waits for the end of the run, or for wait where it is given.
func (s *Server) answerChat(w http.ResponseWriter, r *http.Request, run *session.Run, wait time.Duration) error {
	var late <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	status := http.StatusOK
	select {
	case <-run.Done():
	case <-late:
		status = http.StatusAccepted
	case <-r.Context().Done():
		return nil // nobody reads an answer
	}
	m, err := s.Sessions.Get(r.Context(), run.Session)
	if err != nil {
		return err
	}
	body := map[string]any{"session_id": run.Session, "run_id": run.ID, "status": "processing", "reply": "", "state": m}
	if status == http.StatusOK {
		ended, reply, fault := run.End()
		body["status"], body["reply"] = ended, reply
		if fault != nil {
			body["error"] = fault
		}
	}
	w.Header().Set("ETag", entityTag(m.Version))
	httpapi.JSON(w, status, body)
	return nil
}

// events streams what happens in a session: what is kept after Last-Event-ID (or
// ?after), then what comes, until nothing has worked on it for wait_ms.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	if err := httpapi.OnlyParameters(r, "after", "wait_ms"); err != nil {
		return err
	}
	after, err := httpapi.LastEvent(r)
	if err != nil {
		return err
	}
	idle, err := httpapi.QueryWait(r, 0)
	if err != nil {
		return err
	}
	events, err := s.Sessions.Events(r.Context(), r.PathValue("id"), after, idle)
	if err != nil {
		return err
	}
	httpapi.ServeEvents(w, r, events, encodeEvent)
	return nil
}

// approval decides about a step that waits for a person.
func (s *Server) approval(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		StepID   string `json:"step_id"`
		Decision string `json:"decision"`
	}
	if err := httpapi.ReadJSON(r, &body, true); err != nil {
		return err
	}
	if body.StepID == "" {
		return contract.Errorf(contract.CodeInvalidRequest, "the request lacks the required field \"step_id\"").At("/step_id").
			WithHint("It is in the event approval_required and in the manifest's steps.")
	}
	if body.Decision != "approve" && body.Decision != "deny" {
		return contract.Errorf(contract.CodeInvalidRequest, "decision is %q", body.Decision).At("/decision").With("accepted", []string{"approve", "deny"})
	}
	m, err := s.Sessions.Decide(r.Context(), r.PathValue("id"), body.StepID, body.Decision == "approve")
	if err != nil {
		return err
	}
	answer(w, m)
	return nil
}
