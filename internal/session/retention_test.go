package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/session"
	"atelier/internal/session/sessiontest"
	"atelier/internal/store"
)

// Sessions go by their last change, those at work stay, and under the quota the
// one that was left alone the longest goes first.
func TestRetentionOfSessions(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		release := make(chan struct{})
		h := sessiontest.Start(t, url, dir, sessiontest.Runs(func(ctx context.Context, _ *session.Run) (string, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "done", nil
		}))
		old, busy, changed := create(t, h, "a", strings.Repeat("a", 1000)), create(t, h), create(t, h, "b", strings.Repeat("b", 1000))
		run := begin(t, h, busy.SessionID, "x")
		time.Sleep(300 * time.Millisecond)
		_, err := h.Sessions.Update(t.Context(), changed.SessionID, 0, func(d *session.Draft) error {
			d.Facts = map[string]json.RawMessage{"x": json.RawMessage(`1`)}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		swept, err := h.Blobs.Sweep(t.Context(), store.Policy{SessionAge: 250 * time.Millisecond})
		if err != nil || swept.Sessions != 1 || swept.Blobs != 1 || swept.Bytes != 1000 {
			t.Fatalf("%+v %v", swept, err)
		}
		_, err = h.Sessions.Get(t.Context(), old.SessionID)
		wantCode(t, err, contract.CodeNotFound)
		get(t, h, busy.SessionID)
		get(t, h, changed.SessionID)

		create(t, h, "c", strings.Repeat("c", 1000)) // 2000 bytes are held now
		swept, err = h.Blobs.Sweep(t.Context(), store.Policy{MaxBytes: 1500})
		if err != nil || swept.Sessions != 1 {
			t.Fatalf("%+v %v", swept, err)
		}
		_, err = h.Sessions.Get(t.Context(), changed.SessionID)
		wantCode(t, err, contract.CodeNotFound)
		close(release)
		<-run.Done()
		// What was swept leaves nothing behind.
		events, err := h.DB.SessionEventsAfter(t.Context(), old.SessionID, 0, 10)
		if err != nil || len(events) != 0 {
			t.Fatalf("%v %v", events, err)
		}
	})
}
