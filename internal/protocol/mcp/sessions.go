package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
)

// sessions are those of revisions before 2026-07-28. The SDK keeps them too, but
// tells nobody; here stands what the short path and the idle timeout need.
type sessions struct {
	mu   sync.Mutex
	byID map[string]*session
	idle time.Duration // 0: idleTimeout
	most int           // 0: maxSessions
}

type session struct {
	view *view
	sdk  *sdk.ServerSession

	mu    sync.Mutex
	busy  int // requests in progress; none: the timer runs
	over  bool
	timer *time.Timer
	calls map[string]context.CancelFunc // of the short path, by the id's JSON
}

// add registers a session when its initialize arrives. Sessions without an id
// (stdio, tests in memory) live as long as their connection and are not kept.
func (t *sessions) add(ss *sdk.ServerSession, v *view) {
	id := ss.ID()
	if id == "" {
		return
	}
	s := &session{view: v, sdk: ss, calls: map[string]context.CancelFunc{}}
	s.timer = time.AfterFunc(t.timeout(), func() { _ = ss.Close() })
	t.mu.Lock()
	if t.byID == nil {
		t.byID = map[string]*session{}
	}
	t.byID[id] = s
	t.mu.Unlock()
	go func() {
		_ = ss.Wait() // however it ended
		s.mu.Lock()
		s.over = true
		s.timer.Stop()
		s.mu.Unlock()
		t.mu.Lock()
		delete(t.byID, id)
		t.mu.Unlock()
	}()
}

// capacity says whether one more session may begin; the fault says what to do.
func (t *sessions) capacity() error {
	most := t.most
	if most == 0 {
		most = maxSessions
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID) < most {
		return nil
	}
	return contract.Errorf(contract.CodeTooManyRequests, "%d sessions are open", len(t.byID)).
		WithHint("End sessions with DELETE, or speak revision 2026-07-28, which needs none.")
}

func (t *sessions) find(id string) *session {
	if id == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

func (t *sessions) timeout() time.Duration {
	if t.idle > 0 {
		return t.idle
	}
	return idleTimeout
}

// begin keeps the session from its idle timeout until end.
func (s *session) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == 0 {
		s.timer.Stop()
	}
	s.busy++
}

func (s *session) end(idle time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy--; s.busy == 0 && !s.over {
		s.timer.Reset(idle)
	}
}

// enter registers a call of the short path under its id; false when the id is
// in use.
func (s *session) enter(id string, cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.calls[id]; taken {
		return false
	}
	s.calls[id] = cancel
	return true
}

func (s *session) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, id)
}

// cancel ends a call of the short path; false when it has none of this id.
func (s *session) cancel(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel, ok := s.calls[id]
	if ok {
		cancel()
	}
	return ok
}
