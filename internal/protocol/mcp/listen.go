package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/job"
)

const (
	methodListen = "subscriptions/listen"
	notifyAck    = "notifications/subscriptions/acknowledged"
	notifyTask   = "notifications/tasks"
	keepAlive    = 15 * time.Second
	maxListened  = 256 // tasks of one subscription
)

// subscription is a subscriptions/listen that names tasks. The SDK drops that
// field and can send no notification of its own making, so that such a listen is
// served here; changes of lists are told on a listen of their own, by the SDK.
type subscription struct {
	id    json.RawMessage
	tasks []string
}

// taskSubscription reads a listen; ok is false when it names no tasks.
func taskSubscription(m message) (sub subscription, ok bool) {
	var wanted struct {
		TaskIDs []string `json:"taskIds"`
	}
	if m.Method != methodListen || !plainID(m.ID) || json.Unmarshal(m.Params["notifications"], &wanted) != nil || len(wanted.TaskIDs) == 0 {
		return sub, false
	}
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(m.Params["_meta"], &meta) // without it the client declares nothing
	var capabilities sdk.ClientCapabilities
	if json.Unmarshal(meta[sdk.MetaKeyClientCapabilities], &capabilities) != nil || !declaresTasks(&capabilities, modernFrom) {
		return sub, false
	}
	slices.Sort(wanted.TaskIDs)
	tasks := slices.Compact(wanted.TaskIDs)
	return subscription{m.ID, tasks[:min(len(tasks), maxListened)]}, true // the acknowledgement says which
}

// notification is one that a subscription sends.
type notification struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

func (sub subscription) meta() map[string]json.RawMessage {
	return map[string]json.RawMessage{sdk.MetaKeySubscriptionID: sub.id}
}

// serve acknowledges the subscription, tells each change of its tasks, and
// returns when all have ended, or with ctx. send is never called twice at once.
func (sub subscription) serve(ctx context.Context, s *Server, send func(any) error) error {
	var known []string
	for _, id := range sub.tasks {
		if _, err := s.Jobs.Get(ctx, id); err == nil {
			known = append(known, id)
		} else if contract.AsError(err).Code != contract.CodeNotFound {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	tell := func(method string, params any) error {
		mu.Lock()
		defer mu.Unlock()
		return send(notification{"2.0", method, params})
	}
	err := tell(notifyAck, map[string]any{"notifications": map[string]any{"taskIds": known}, "_meta": sub.meta()})
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, id := range known {
		all.Go(func() {
			if sub.follow(ctx, s, id, tell) != nil {
				cancel() // nobody listens any more
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// follow tells the states and the progress of one task.
func (sub subscription) follow(ctx context.Context, s *Server, id string, tell func(string, any) error) error {
	events, err := s.Jobs.Events(ctx, id, 0)
	if err != nil {
		return nil // it has been removed meanwhile
	}
	type params struct {
		DetailedTask
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	for e := range events {
		if e.Type == "log" {
			continue
		}
		j, err := s.Jobs.Get(ctx, id)
		if err != nil {
			return nil
		}
		if j.State.Finished() && !(e.Type == "state" && e.State.Finished()) {
			continue // what was before the end is told with it
		}
		d := s.detailed(ctx, j)
		if e.Type == "progress" && !j.State.Finished() {
			d.StatusMessage, d.LastUpdatedAt = progressText(e), e.Time.UTC().Format(time.RFC3339Nano)
		}
		if err := tell(notifyTask, params{d, sub.meta()}); err != nil {
			return err
		}
	}
	return nil
}

func progressText(e job.Event) string {
	if e.Fraction == nil {
		return e.Message
	}
	return fmt.Sprintf("%.0f %% %s", *e.Fraction*100, e.Message)
}

// result ends the subscription in order.
func (sub subscription) result() any {
	return map[string]any{"jsonrpc": "2.0", "id": sub.id, "result": map[string]any{"resultType": "complete", "_meta": sub.meta()}}
}

// listenHTTP serves a subscription to tasks as a stream of events.
func (s *Server) listenHTTP(w http.ResponseWriter, r *http.Request, m message) bool {
	sub, ok := taskSubscription(m)
	if !ok || !plainHeaders(r.Header) || r.Header.Get(headerMethod) != m.Method {
		return false
	}
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("X-Accel-Buffering", "no")
	var mu sync.Mutex
	write := func(format string, args ...any) error {
		mu.Lock()
		defer mu.Unlock()
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return stream.Flush()
	}
	ctx, cancel := context.WithCancel(r.Context())
	var alive sync.WaitGroup
	alive.Go(func() {
		tick := time.NewTicker(keepAlive)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = write(": keep-alive\n\n") // the request's context tells that the client is gone
			case <-ctx.Done():
				return
			}
		}
	})
	send := func(value any) error {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		return write("event: message\ndata: %s\n\n", data)
	}
	if sub.serve(ctx, s, send) == nil {
		_ = send(sub.result()) // else the client is gone
	}
	cancel()
	alive.Wait() // nothing may write once the handler has returned
	return true
}
