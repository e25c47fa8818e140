package rest

import (
	"encoding/json"
	"net/http"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/job/view"
	"atelier/internal/protocol/httpapi"
)

func (s *Server) listTools(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	var tags []string
	for _, tag := range strings.Split(query.Get("tags"), ",") {
		if tag = strings.ToLower(strings.TrimSpace(tag)); tag != "" {
			tags = append(tags, tag)
		}
	}
	if query.Has("stability") && query.Get("stability") == "" {
		query.Set("stability", " ") // an empty level is a wrong value, not an absent filter
	}
	selected, err := s.Tools.Select(httpapi.Selection(r))
	if err != nil {
		return err
	}
	tools, err := selected.Filter(query.Get("stability"), tags)
	if err != nil {
		return err
	}
	descriptors := make([]contract.Descriptor, len(tools))
	for i, t := range tools {
		descriptors[i] = t.Contract.Descriptor()
	}
	httpapi.JSON(w, http.StatusOK, contract.ToolList{Tools: descriptors, Availability: contract.AvailabilityOf(tools, (*contract.Contract).ID)})
	return nil
}

type executeRequest struct {
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	Context *struct {
		Limits json.RawMessage `json:"limits"`
		inSession
	} `json:"context"`
}

// inSession names the session that a call belongs to.
type inSession struct {
	SessionID *string `json:"session_id"`
}

// context is what the job engine is told of it; nil for a call of no session.
func (c inSession) context() json.RawMessage {
	if c.SessionID == nil {
		return nil
	}
	raw, _ := json.Marshal(c) // a text always encodes
	return raw
}

// execute runs a tool and answers with a ToolResult, whatever happens.
func (s *Server) execute(w http.ResponseWriter, r *http.Request) error {
	var body executeRequest
	if err := httpapi.ReadCall(r, &body, true, "input"); err != nil {
		return err
	}
	if body.Tool == "" {
		return contract.Errorf(contract.CodeInvalidRequest, "the request lacks the required field \"tool\"").At("/tool").
			WithHint(`Send {"tool": "echo_json", "input": {"message": "hello"}}.`)
	}
	req := job.Request{
		Tool: body.Tool, Input: body.Input, RequestID: httpapi.RequestID(r), IdempotencyKey: r.Header.Get("Idempotency-Key"),
	}
	if body.Context != nil {
		req.Limits, req.LimitsAt, req.Context = body.Context.Limits, "/context/limits", body.Context.context()
	}
	done, err := s.Jobs.Submit(r.Context(), req)
	if err != nil {
		return err
	}
	result := contract.LimitWords(contract.InContext).Result(view.Result(done))
	writeToolResult(w, r, contract.RanStatus(result.Errors), result.ToolResult(done.ID))
	return nil
}

// ToolResultEnvelope shows errors as ToolResults, as api/spec/execute.md wants them.
func ToolResultEnvelope(w http.ResponseWriter, r *http.Request, errs []*contract.Error) {
	httpapi.RetryAfter(w, errs)
	writeToolResult(w, r, contract.HTTPStatus(errs), contract.Failure("atelier", errs...).ToolResult(""))
}

func writeToolResult(w http.ResponseWriter, r *http.Request, status int, t contract.ToolResult) {
	t.Metrics["request_id"] = httpapi.RequestID(r)
	httpapi.JSON(w, status, t)
}
