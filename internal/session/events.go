package session

import (
	"context"
	"encoding/json"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Types of events, as api/spec/agent.md names them.
const (
	TextDelta        = "text_delta"         // {delta}
	ToolCallStart    = "tool_call_start"    // {tool_name, step_id, job_id, input}
	ToolCallComplete = "tool_call_complete" // {tool_name, duration_ms, step_id, job_id, status, summary}
	StateUpdate      = "state_update"       // {session_id, state}
	Failure          = "error"              // {code, message}
	Progress         = "progress"           // {tool_name, step_id, job_id, fraction, message}
	ApprovalRequired = "approval_required"  // {tool_name, step_id, input, reason}
	AgentDone        = "agent_done"         // {status, run_id, reply}
)

// Event is something that happened in a session, as a reader gets it. Seq grows
// within the session and is the SSE event id.
type Event struct {
	Seq  int64
	Type string
	Run  string // the run that it belongs to, "" for none
	Data json.RawMessage
}

// textDelta is the data of a text_delta. Of deltas that were merged after their
// run, Ends says where each of them ended, so that a reader that had a part of
// them gets the rest exactly.
type textDelta struct {
	Delta string     `json:"delta"`
	Ends  [][2]int64 `json:"ends,omitempty"` // sequence number, bytes up to its end
}

// rest is the text that comes after a sequence number.
func (d textDelta) rest(after int64) string {
	start := int64(0)
	for _, end := range d.Ends {
		if end[0] <= after {
			start = end[1]
		}
	}
	return d.Delta[min(start, int64(len(d.Delta))):]
}

// stateUpdate carries no state: a reader gets the manifest as it is when the
// event is read, which is never older than the change that the event tells.
func stateUpdate(run string) store.SessionEvent {
	return store.SessionEvent{Type: StateUpdate, Run: run, Data: json.RawMessage("{}")}
}

func event(kind, run string, data any) store.SessionEvent {
	raw, err := json.Marshal(data)
	if err != nil { // a runner's data that is no JSON
		raw, _ = json.Marshal(map[string]string{"code": contract.CodeInternal, "message": err.Error()})
		kind = Failure
	}
	return store.SessionEvent{Type: kind, Run: run, Data: raw}
}

// emit adds events and wakes the readers.
func (s *Service) emit(ctx context.Context, id string, events ...store.SessionEvent) error {
	err := s.db.Write(ctx, func(tx store.Tx) error { return s.db.AppendSessionEvents(ctx, tx, id, events) })
	if err == nil {
		s.hub.Signal(id)
	}
	return err
}

const (
	eventPage  = 200         // events read at once for one reader
	eventCheck = time.Second // covers a wake-up that was lost with a connection
)

// Events yields the events after a sequence number and then those that happen.
// It closes when all are told and nothing has worked on the session for the time
// idle, when the session is deleted, or with ctx. A slow reader delays nobody
// and misses nothing.
func (s *Service) Events(ctx context.Context, id string, after int64, idle time.Duration) (<-chan Event, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	if _, err := s.db.Session(ctx, id); err != nil {
		return nil, err
	}
	out := make(chan Event)
	go s.follow(ctx, reader{id: id, after: after, idle: idle, out: out})
	return out, nil
}

// Events yields what happens from the beginning of the run to its agent_done,
// and closes then, or with ctx.
func (r *Run) Events(ctx context.Context) <-chan Event {
	out := make(chan Event)
	go r.s.follow(ctx, reader{id: r.Session, after: r.After, run: r.ID, out: out})
	return out
}

// reader is one reader of a session's log.
type reader struct {
	id    string
	after int64         // the last event that it has
	idle  time.Duration // how long it stays when nothing works on the session
	run   string        // the run whose end is its end, "" for none
	out   chan<- Event
}

// give hands events out one by one; false when the reader is done.
func (r *reader) give(ctx context.Context, events []Event) bool {
	for _, e := range events {
		select {
		case r.out <- e:
			r.after = e.Seq
		case <-ctx.Done():
			return false
		}
		if r.run != "" && e.Run == r.run && e.Type == AgentDone {
			return false
		}
	}
	return true
}

func (s *Service) follow(ctx context.Context, r reader) {
	defer close(r.out)
	wake, release := s.hub.Subscribe(r.id)
	defer release()
	tick := time.NewTicker(eventCheck)
	defer tick.Stop()
	quiet := time.Now() // since when nothing has worked on the session
	for {
		busy, err := s.busy(ctx, r.id) // before the events are read: its last ones are among them
		if store.IsNotFound(err) || ctx.Err() != nil {
			return
		}
		events, err := s.page(ctx, r.id, r.after)
		if store.IsNotFound(err) || !r.give(ctx, events) {
			return
		}
		switch {
		case len(events) > 0:
			quiet = time.Now()
			continue // there may be more
		case busy || err != nil:
			quiet = time.Now()
		case time.Since(quiet) >= r.idle:
			return
		}
		select {
		case <-wake:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// busy says whether a run or a tool works on the session.
func (s *Service) busy(ctx context.Context, id string) (bool, error) {
	row, err := s.db.Session(ctx, id)
	if err != nil || row.Run != "" {
		return true, err
	}
	open, err := s.db.OpenSteps(ctx, id, time.Time{})
	return len(open) > 0 || err != nil, err
}

// page reads the next events, each with what its readers are to see.
func (s *Service) page(ctx context.Context, id string, after int64) ([]Event, error) {
	rows, err := s.db.SessionEventsAfter(ctx, id, after, eventPage)
	if err != nil {
		return nil, err
	}
	var state json.RawMessage
	events := make([]Event, len(rows))
	for i, row := range rows {
		events[i] = Event{Seq: row.Seq, Type: row.Type, Run: row.Run, Data: row.Data}
		switch row.Type {
		case StateUpdate:
			if state == nil {
				if state, err = s.state(ctx, id); err != nil {
					return nil, err
				}
			}
			events[i].Data = state
		case TextDelta:
			var d textDelta
			if err := json.Unmarshal(row.Data, &d); err != nil {
				return nil, err
			}
			if d.Ends != nil {
				events[i].Data = event(TextDelta, "", textDelta{Delta: d.rest(after)}).Data
			}
		}
	}
	return events, nil
}

func (s *Service) state(ctx context.Context, id string) (json.RawMessage, error) {
	snap, err := s.db.SessionSnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := newManifest(snap)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"session_id": id, "state": m})
}

// compact merges the text of a run that ends, so that its log stays small, and
// lets its progress go, which the ends of its steps supersede.
func (s *Service) compact(ctx context.Context, tx store.Tx, id, run string) error {
	if err := s.db.RemoveRunEvents(ctx, tx, id, run, Progress); err != nil {
		return err
	}
	rows, err := s.db.RunEvents(ctx, tx, id, run, TextDelta)
	if err != nil {
		return err
	}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Seq == rows[n-1].Seq+1 {
			n++
		}
		if n > 1 {
			if err := s.merge(ctx, tx, id, rows[:n]); err != nil {
				return err
			}
		}
		rows = rows[n:]
	}
	return nil
}

func (s *Service) merge(ctx context.Context, tx store.Tx, id string, rows []store.SessionEvent) error {
	var whole textDelta
	for _, row := range rows {
		var d textDelta
		if err := json.Unmarshal(row.Data, &d); err != nil {
			return err
		}
		base := int64(len(whole.Delta))
		for _, end := range d.Ends { // merged by an earlier attempt at the run
			whole.Ends = append(whole.Ends, [2]int64{end[0], base + end[1]})
		}
		whole.Delta += d.Delta
		whole.Ends = append(whole.Ends, [2]int64{row.Seq, int64(len(whole.Delta))})
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	return s.db.ReplaceSessionEvents(ctx, tx, id, rows[0].Seq, rows[len(rows)-1].Seq, raw)
}
