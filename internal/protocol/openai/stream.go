package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// eventStream is one server-sent stream. It opens with its first event, or with
// the first keep-alive: until then an error can still be an HTTP error, which
// SDKs know how to repeat. One lock keeps the comments between the events.
type eventStream struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	named bool               // events carry their type as the SSE event name
	begin func(*eventStream) // writes what goes before anything else, by event

	mu        sync.Mutex
	opened    bool
	abandoned bool
	seq       int
	stop      chan struct{}
	ended     sync.WaitGroup
}

func newEventStream(w http.ResponseWriter, keepAlive time.Duration, named bool, begin func(*eventStream)) *eventStream {
	s := &eventStream{w: w, flush: http.NewResponseController(w), named: named, begin: begin, stop: make(chan struct{})}
	s.ended.Add(1)
	go s.keepAlive(keepAlive)
	return s
}

// keepAlive writes a comment now and then, so that no proxy takes a long solve for a
// dead connection.
func (s *eventStream) keepAlive(every time.Duration) {
	defer s.ended.Done()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			s.open()
			s.write([]byte(": keep-alive\n\n"))
			s.mu.Unlock()
		case <-s.stop:
			return
		}
	}
}

// sequenced is an event that carries its number in the stream.
type sequenced interface {
	number(n int) (eventType string)
}

// send writes one event.
func (s *eventStream) send(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open()
	s.event(v)
}

// event writes one event under the lock.
func (s *eventStream) event(v any) {
	var buf bytes.Buffer
	if e, ok := v.(sequenced); ok {
		kind := e.number(s.seq)
		s.seq++
		if s.named {
			buf.WriteString("event: " + kind + "\n")
		}
	}
	buf.WriteString("data: ")
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return // our own structs encode
	}
	buf.WriteString("\n")
	s.write(buf.Bytes())
}

func (s *eventStream) open() {
	if s.opened || s.abandoned {
		return
	}
	s.opened = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	s.begin(s)
}

func (s *eventStream) write(raw []byte) {
	if s.abandoned {
		return
	}
	_, _ = s.w.Write(raw) // a client that went away ends the request's context
	_ = s.flush.Flush()   // a writer that cannot flush still gets the whole at the end
}

// abandon says whether nothing was written yet; nothing is from then on, and
// the caller may answer otherwise.
func (s *eventStream) abandon() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = !s.opened
	return s.abandoned
}

// leave ends the writing, whatever was written: the handler is about to return
// and the work goes on without it.
func (s *eventStream) leave() {
	s.mu.Lock()
	s.abandoned = true
	s.mu.Unlock()
}

// done ends the stream with its mark.
func (s *eventStream) done() {
	s.mu.Lock()
	s.open()
	s.write([]byte("data: [DONE]\n\n"))
	s.mu.Unlock()
}

// close stops the comments. The handler must not return before.
func (s *eventStream) close() {
	close(s.stop)
	s.ended.Wait()
}
