package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"atelier/contract"
)

const keepAlive = 15 * time.Second

// events streams what happens to a job: progress, log and state, each with an
// id; Last-Event-ID (or ?after=) resumes. The stream ends with the final state.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	after, err := lastEvent(r)
	if err != nil {
		return err
	}
	events, err := s.Jobs.Events(r.Context(), r.PathValue("id"), after)
	if err != nil {
		return err
	}
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	_ = stream.Flush() // a writer that cannot flush still gets the whole at the end
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case e, open := <-events:
			if !open {
				return nil
			}
			data, err := json.Marshal(e)
			if err != nil {
				return nil // the head is out; an event that cannot be encoded ends the stream
			}
			if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, data); err != nil {
				return nil // the client went away; the job goes on
			}
		case <-tick.C:
			if _, err := fmt.Fprint(w, ": keep-alive\n\n"); err != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
		_ = stream.Flush()
	}
}

// lastEvent reads the Last-Event-ID header, or ?after where it is missing.
func lastEvent(r *http.Request) (int64, error) {
	var last int64
	query := r.URL.Query()
	for _, place := range []struct {
		name   string
		values []string
	}{{"after", query["after"]}, {"Last-Event-ID", r.Header.Values("Last-Event-ID")}} {
		if len(place.values) == 0 {
			continue
		}
		n, err := strconv.ParseInt(place.values[0], 10, 64)
		if err != nil || n < 0 {
			return 0, contract.Errorf(contract.CodeInvalidRequest, "the last event id %q is not a whole number", place.values[0]).At(place.name)
		}
		last = n
	}
	return last, nil
}
