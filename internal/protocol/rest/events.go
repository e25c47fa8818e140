package rest

import (
	"encoding/json"
	"net/http"

	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
)

// events streams what happens to a job: progress, log and state, each with an
// id; Last-Event-ID (or ?after=) resumes. The stream ends with the final state.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	after, err := httpapi.LastEvent(r)
	if err != nil {
		return err
	}
	events, err := s.Jobs.Events(r.Context(), r.PathValue("id"), after)
	if err != nil {
		return err
	}
	httpapi.ServeEvents(w, r, events, func(e job.Event) (httpapi.ServerEvent, error) {
		data, err := json.Marshal(e)
		return httpapi.ServerEvent{ID: e.Seq, Name: e.Type, Data: data}, err
	})
	return nil
}
