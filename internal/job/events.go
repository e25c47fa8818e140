package job

import (
	"context"
	"encoding/json"
	"sort"
	"strings"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Sequence numbers: attempt n owns (n<<20, (n+1)<<20). Its first is `running`,
// its last the final state, the one before `queued` again; between them lie its
// progress and log lines. So numbers grow over attempts and restarts without
// anything to remember, and a reader's Last-Event-ID stays meaningful.
const (
	attemptBits = 20
	seqQueued   = 1
)

func seqRunning(attempt int) int64  { return int64(attempt) << attemptBits }
func seqRequeued(attempt int) int64 { return int64(attempt+1)<<attemptBits - 2 }
func seqFinal(attempt int) int64    { return int64(attempt+1)<<attemptBits - 1 }

const (
	maxMessage     = 4096
	progressPeriod = 100 * time.Millisecond // faster progress replaces itself
	flushPeriod    = 300 * time.Millisecond
)

// stream holds the last events of a running attempt.
type stream struct {
	mu      sync.Mutex
	tail    int
	next    int64
	last    int64 // no number beyond this one is used for a line
	ring    []Event
	flushed int64         // the highest number that is in the database
	changed chan struct{} // closed and replaced at every event
	pending bool          // a flush is scheduled
	flush   func()
}

func newStream(attempt, tail int) *stream {
	return &stream{tail: tail, next: seqRunning(attempt) + 1, last: seqRequeued(attempt) - 1, changed: make(chan struct{})}
}

// report takes an event from a tool.
func (st *stream) report(e contract.Event) {
	message := strings.ToValidUTF8(e.Message, "\uFFFD")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + " …"
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.next > st.last {
		return // a million lines: the log artifact has them
	}
	now := store.Now()
	event := Event{Seq: st.next, Type: e.Type, Time: now, Fraction: e.Fraction, Level: e.Level, Message: message}
	st.next++
	if n := len(st.ring); n > 0 && e.Type == "progress" && st.ring[n-1].Type == "progress" && now.Sub(st.ring[n-1].Time) < progressPeriod {
		event.Time = st.ring[n-1].Time
		st.ring[n-1] = event
	} else {
		st.ring = append(st.ring, event)
	}
	if len(st.ring) > 2*st.tail {
		st.ring = append([]Event(nil), st.ring[len(st.ring)-st.tail:]...)
	}
	close(st.changed)
	st.changed = make(chan struct{})
	if !st.pending && st.flush != nil {
		st.pending = true
		time.AfterFunc(flushPeriod, st.flush)
	}
}

// after lists the kept events beyond seq, and a channel that closes at the next.
func (st *stream) after(seq int64) ([]Event, <-chan struct{}) {
	st.mu.Lock()
	defer st.mu.Unlock()
	i := sort.Search(len(st.ring), func(i int) bool { return st.ring[i].Seq > seq })
	return append([]Event(nil), st.ring[i:]...), st.changed
}

// unflushed lists what the database does not have yet.
func (st *stream) unflushed() []store.Event {
	st.mu.Lock()
	defer st.mu.Unlock()
	var out []store.Event
	for _, e := range st.ring[max(0, len(st.ring)-st.tail):] {
		if e.Seq <= st.flushed {
			continue
		}
		if data, err := json.Marshal(e); err == nil {
			out = append(out, store.Event{Seq: e.Seq, Data: data})
		}
	}
	return out
}

// flush writes new events of a job that has a record, for other processes and
// for readers after a crash.
func (s *Service) flush(r *run) {
	st := r.stream
	st.mu.Lock()
	st.pending = false
	st.mu.Unlock()
	r.mu.Lock()
	recorded := r.recorded
	r.mu.Unlock()
	events := st.unflushed()
	if !recorded || len(events) == 0 || r.ctx.Err() != nil {
		return // the end takes the rest along
	}
	ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
	defer cancel()
	err := s.db.Write(ctx, func(tx store.Tx) error {
		if err := s.db.AppendEvents(ctx, tx, r.id, events, s.opts.EventTail); err != nil {
			return err
		}
		return s.db.Notify(ctx, tx, r.id)
	})
	if err == nil {
		st.mu.Lock()
		st.flushed = max(st.flushed, events[len(events)-1].Seq)
		st.mu.Unlock()
	}
}

// Events implements API.
func (s *Service) Events(ctx context.Context, id string, after int64) (<-chan Event, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	out := make(chan Event)
	go s.follow(ctx, id, after, out)
	return out, nil
}

// follow has its own goroutine a reader: a slow one keeps only itself waiting.
func (s *Service) follow(ctx context.Context, id string, after int64, out chan<- Event) {
	defer close(out)
	wake, release := s.hub.Subscribe(id)
	defer release()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		events, final, changed, err := s.eventsAfter(ctx, id, after)
		if err != nil && (store.IsNotFound(err) || ctx.Err() != nil) {
			return
		}
		for _, e := range events {
			select {
			case out <- e:
				after = e.Seq
			case <-ctx.Done():
				return
			}
		}
		if final {
			return
		}
		select {
		case <-wake:
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// eventsAfter lists what there is beyond a number; final says that the last of
// them ends the job. changed is nil unless the job runs in this process.
func (s *Service) eventsAfter(ctx context.Context, id string, after int64) (events []Event, final bool, changed <-chan struct{}, err error) {
	// The stream is taken before the record: a stream exists only after its run is
	// recorded, so that no line is told before the state that it belongs to.
	r := s.running(id)
	st := r.streamed()
	j, err := s.Get(ctx, id)
	if err != nil {
		return nil, false, nil, err
	}
	found := map[int64]Event{}
	for _, e := range states(j) {
		found[e.Seq] = e
	}
	kept, err := s.db.EventsAfter(ctx, id, after)
	if err != nil {
		return nil, false, nil, err
	}
	for _, k := range kept {
		var e Event
		if json.Unmarshal(k.Data, &e) == nil {
			found[k.Seq] = e
		}
	}
	switch {
	case j.State.Finished():
	case st != nil:
		var live []Event
		live, changed = st.after(after)
		for _, e := range live {
			found[e.Seq] = e
		}
	case r.streamed() != nil: // it has begun meanwhile: look again
		changed = alreadyStarted
	}
	for seq, e := range found {
		if seq > after {
			events = append(events, e)
		}
	}
	sort.Slice(events, func(a, b int) bool { return events[a].Seq < events[b].Seq })
	return events, j.State.Finished(), changed, nil
}

// alreadyStarted is a closed channel: whoever waits for the start of a run that is
// under way, or over, goes on at once.
var alreadyStarted = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// streamed is the stream of a run that has begun, else nil.
func (r *run) streamed() *stream {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream
}

// states are the changes of state that the record itself tells.
func states(j *Job) []Event {
	var all []Event
	add := func(seq int64, state State, at time.Time) {
		all = append(all, Event{Seq: seq, Type: "state", Time: at, State: state, Attempt: j.Attempt})
	}
	if j.Queue != "" {
		add(seqQueued, Queued, j.Created)
	}
	if j.Attempt > 0 {
		add(seqRunning(j.Attempt), Running, j.Started)
	}
	switch {
	case j.State == Queued && j.Attempt > 0:
		add(seqRequeued(j.Attempt), Queued, j.Started)
	case j.State.Finished():
		add(seqFinal(j.Attempt), j.State, j.Finished)
	}
	return all
}
