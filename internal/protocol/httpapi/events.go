package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"atelier/internal/contract"
)

// keepAlive is how often a stream without events gets a comment, so that nothing
// on the way takes the connection for dead.
const keepAlive = 15 * time.Second

// ServerEvent is one server-sent event; Data is JSON on one line.
type ServerEvent struct {
	ID   int64
	Name string
	Data []byte
}

// ServeEvents streams what encode makes of events, each with its id, until the
// channel closes or the client goes away. The channel should end with the
// request's context.
func ServeEvents[E any](w http.ResponseWriter, r *http.Request, events <-chan E, encode func(E) (ServerEvent, error)) {
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
				return
			}
			out, err := encode(e)
			if err != nil {
				return // the head is out; an event that cannot be encoded ends the stream
			}
			if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", out.ID, out.Name, out.Data); err != nil {
				return // the client went away; the work goes on
			}
		case <-tick.C:
			if _, err := fmt.Fprint(w, ": keep-alive\n\n"); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
		_ = stream.Flush()
	}
}

// LastEvent is the event after which a stream goes on: the Last-Event-ID header,
// or ?after where it is missing, 0 without either.
func LastEvent(r *http.Request) (int64, error) {
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
