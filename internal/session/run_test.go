package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/session"
	"atelier/internal/session/sessiontest"
)

// worker is a Runner that really works: it says some words, calls a queued tool
// that tells its progress, notes a fact, and calls a quick one.
func worker(words int, pause time.Duration) sessiontest.Runs {
	return func(ctx context.Context, r *session.Run) (string, error) {
		for i := range words {
			r.Text(fmt.Sprintf("w%d ", i))
			time.Sleep(pause)
		}
		input := `{"steps":2,"step_ms":5}`
		if strings.HasSuffix(r.Turn.Prompt, "0") { // a file for every tenth: making it durable is what takes time
			input = `{"steps":2,"step_ms":5,"file":"a.pvd"}`
		}
		if _, err := r.Call(ctx, "count_slowly", json.RawMessage(input), nil); err != nil {
			return "", err
		}
		_, err := r.Update(ctx, func(d *session.Draft) error {
			d.Facts = map[string]json.RawMessage{"session": json.RawMessage(`"` + r.Session + `"`)}
			return nil
		})
		if err != nil {
			return "", err
		}
		r.Text("done.")
		if _, err := r.Call(ctx, "echo_json", json.RawMessage(`{"message":"`+r.Turn.Prompt+`"}`), nil); err != nil {
			return "", err
		}
		return "", nil
	}
}

func begin(t testing.TB, h *sessiontest.Process, id, prompt string) *session.Run {
	t.Helper()
	r, err := h.Sessions.Start(t.Context(), id, session.Turn{Prompt: prompt})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read takes events until the stream closes, or n of them when n > 0. It gives up
// when none has come for long, however long the whole takes on a busy machine.
func read(t testing.TB, events <-chan session.Event, n int) (all []session.Event) {
	t.Helper()
	const patience = 90 * time.Second
	late := time.NewTimer(patience)
	defer late.Stop()
	for n <= 0 || len(all) < n {
		select {
		case e, open := <-events:
			if !open {
				return all
			}
			all = append(all, e)
			late.Reset(patience)
		case <-late.C:
			t.Fatalf("no end after %d events, and none for %v", len(all), patience)
		}
	}
	return all
}

// story is what a reader is told, text joined, without times and progress.
func story(t testing.TB, events []session.Event) (kinds []string, text string) {
	t.Helper()
	last := int64(0)
	for _, e := range events {
		if e.Seq <= last {
			t.Fatalf("event %d after %d", e.Seq, last)
		}
		last = e.Seq
		var d struct {
			Delta    string `json:"delta"`
			ToolName string `json:"tool_name"`
			Status   string `json:"status"`
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case session.TextDelta:
			text += d.Delta
			continue
		case session.Progress:
			continue
		}
		kinds = append(kinds, strings.Join(strings.Fields(e.Type+" "+d.ToolName+" "+d.Status), " "))
	}
	return kinds, text
}

var wholeStory = []string{
	"state_update", "tool_call_start count_slowly", "state_update", "tool_call_complete count_slowly succeeded", "state_update",
	"state_update", "tool_call_start echo_json", "state_update", "tool_call_complete echo_json succeeded", "state_update",
	"state_update", "agent_done completed",
}

func after(t testing.TB, h *sessiontest.Process, id string, seq int64) []session.Event {
	t.Helper()
	events, err := h.Sessions.Events(t.Context(), id, seq, 0)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, events, 0)
}

func TestEventsOfARun(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, worker(5, 20*time.Millisecond))
		m := create(t, h, "a.txt", "a")
		r := begin(t, h, m.SessionID, "hello")
		kinds, text := story(t, read(t, r.Events(t.Context()), 0))
		if !slices.Equal(kinds, wholeStory) || text != "w0 w1 w2 w3 w4 done." {
			t.Fatalf("%v %q", kinds, text)
		}
		<-r.Done()
		if status, reply, fault := r.End(); status != "completed" || reply != text || fault != nil {
			t.Fatalf("%s %q %v", status, reply, fault)
		}
		m = get(t, h, m.SessionID)
		if m.Status != session.Idle || len(m.Messages) != 2 || m.Messages[0].Content != "hello" || m.Messages[1].Content != text || len(m.Steps) != 2 {
			t.Fatalf("%+v", m)
		}
		// A second turn of the same session tells only itself.
		again := begin(t, h, m.SessionID, "more")
		if kinds, _ := story(t, read(t, again.Events(t.Context()), 0)); !slices.Equal(kinds, wholeStory) {
			t.Fatalf("second turn: %v", kinds)
		}
	})
}

// A reader whose connection drops at any event, during the run or after it, in
// this process or the next, misses nothing and hears nothing twice.
func TestResumeAfterAnyEvent(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, worker(30, 4*time.Millisecond))
		m := create(t, h)
		r := begin(t, h, m.SessionID, "hello")
		// While it runs: drop after every second event, resume where it was.
		var live []session.Event
		at := int64(0)
		for {
			ctx, drop := context.WithCancel(t.Context())
			events, err := h.Sessions.Events(ctx, m.SessionID, at, 0)
			if err != nil {
				t.Fatal(err)
			}
			part := read(t, events, 2)
			drop()
			if len(part) == 0 {
				break
			}
			live = append(live, part...)
			at = part[len(part)-1].Seq
		}
		<-r.Done()
		kinds, text := story(t, live)
		if want := append([]string{"state_update"}, wholeStory...); !slices.Equal(kinds, want) || text != words(30) {
			t.Fatalf("live: %v %q", kinds, text)
		}
		// After it ended, its text merged: the rest after each event that was seen.
		resumed := func(h *sessiontest.Process) {
			t.Helper()
			for i, e := range live {
				restKinds, restText := story(t, after(t, h, m.SessionID, e.Seq))
				wantKinds, wantText := story(t, live[i+1:])
				if !slices.Equal(restKinds, wantKinds) || restText != wantText {
					t.Fatalf("after event %d (%s): %v %q, want %v %q", e.Seq, e.Type, restKinds, restText, wantKinds, wantText)
				}
			}
		}
		resumed(h)
		if kept := after(t, h, m.SessionID, 0); len(kept) > len(wholeStory)+3 {
			t.Fatalf("the log keeps %d events of a run that is over", len(kept))
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		resumed(sessiontest.Start(t, url, dir, nil))
	})
}

func words(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("w%d ", i)
	}
	return text + "done."
}

// A reader that takes its time delays nobody, and gets everything.
func TestSlowReader(t *testing.T) {
	h := sessiontest.Start(t, t.TempDir()+"/a.db", t.TempDir(), worker(20, time.Millisecond))
	m := create(t, h)
	r := begin(t, h, m.SessionID, "hello")
	slow := r.Events(t.Context())
	<-slow // the first, and then nothing for as long as the run goes
	select {
	case <-r.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the run waits for its reader")
	}
	kinds, text := story(t, read(t, slow, 0))
	if !slices.Equal(kinds, wholeStory[1:]) || text != words(20) {
		t.Fatalf("%v %q", kinds, text)
	}
}

// Many sessions at once: each is told its own story, whole, and holds its own
// manifest.
func TestManySessionsAtOnce(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		const many = 100
		h := sessiontest.Start(t, url, dir, worker(3, time.Millisecond))
		var wg sync.WaitGroup
		for i := range many {
			wg.Go(func() {
				m, err := h.Sessions.Create(context.Background(), nil, nil)
				if err != nil {
					t.Error(err)
					return
				}
				prompt := fmt.Sprintf("prompt %d", i)
				r, err := h.Sessions.Start(context.Background(), m.SessionID, session.Turn{Prompt: prompt})
				if err != nil {
					t.Error(err)
					return
				}
				kinds, text := story(t, read(t, r.Events(context.Background()), 0))
				if !slices.Equal(kinds, wholeStory) || text != words(3) {
					t.Errorf("session %d: %v %q", i, kinds, text)
				}
				<-r.Done()
				now, err := h.Sessions.Get(context.Background(), m.SessionID)
				if err != nil || string(now.Facts["session"]) != `"`+m.SessionID+`"` || now.Messages[0].Content != prompt || len(now.Steps) != 2 ||
					!strings.Contains(string(now.Steps[1].Input), prompt+`"`) || (len(now.Assets) == 2) != (i%10 == 0) {
					t.Errorf("session %d: %+v %v", i, now, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestRunsThatEndOtherwise(t *testing.T) {
	h := sessiontest.Start(t, t.TempDir()+"/a.db", t.TempDir(), sessiontest.Runs(func(ctx context.Context, r *session.Run) (string, error) {
		switch r.Turn.Prompt {
		case "panic":
			panic("on purpose")
		case "fail":
			return "", contract.Errorf(contract.CodeSolverFailed, "no").WithHint("Try less.")
		case "plain":
			return "", errors.New("no code")
		case "slow":
			_, err := r.Call(ctx, "count_slowly", json.RawMessage(`{"steps":1000,"step_ms":10}`), nil)
			return "", err
		}
		return "well", nil
	}))
	for prompt, want := range map[string]string{"panic": contract.CodeInternal, "fail": contract.CodeSolverFailed, "plain": contract.CodeInternal, "": ""} {
		m := create(t, h)
		r := begin(t, h, m.SessionID, prompt)
		kinds, _ := story(t, read(t, r.Events(t.Context()), 0))
		<-r.Done()
		status, reply, fault := r.End()
		switch {
		case want == "" && (status != "completed" || reply != "well" || fault != nil):
			t.Errorf("%q: %s %q %v", prompt, status, reply, fault)
		case want != "" && (status != "failed" || fault == nil || fault.Code != want || !slices.Contains(kinds, "error") || kinds[len(kinds)-1] != "agent_done failed"):
			t.Errorf("%q: %s %v %v", prompt, status, fault, kinds)
		}
	}
	m := create(t, h)
	r := begin(t, h, m.SessionID, "slow")
	_, err := h.Sessions.Start(t.Context(), m.SessionID, session.Turn{Prompt: "x"})
	wantCode(t, err, contract.CodeConflict)
	wantCode(t, h.Sessions.Delete(t.Context(), m.SessionID), contract.CodeConflict)
	for get(t, h, m.SessionID).Steps == nil || len(get(t, h, m.SessionID).Steps) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	begun := time.Now()
	now, err := h.Sessions.Cancel(t.Context(), m.SessionID)
	if err != nil || now.Status != session.Idle || now.Steps[0].Status != session.StepCancelled || time.Since(begun) > 3*time.Second {
		t.Fatalf("%+v %v after %s", now, err, time.Since(begun))
	}
	<-r.Done()
	if status, _, _ := r.End(); status != "cancelled" {
		t.Fatal(status)
	}
	_, err = h.Sessions.Cancel(t.Context(), m.SessionID)
	wantCode(t, err, contract.CodeConflict)
}

func TestApproval(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, sessiontest.Runs(func(ctx context.Context, r *session.Run) (string, error) {
			done, err := r.CallApproved(ctx, "write_text_artifact", json.RawMessage(`{"text":"x"}`), nil, "It writes a file.")
			if err != nil {
				return contract.AsError(err).Code, nil
			}
			return string(done.State), nil
		}))
		for _, approve := range []bool{true, false} {
			m := create(t, h)
			r := begin(t, h, m.SessionID, "go")
			events := r.Events(t.Context())
			var asked struct {
				StepID string `json:"step_id"`
				Reason string `json:"reason"`
			}
			for e := range events {
				if e.Type == session.ApprovalRequired {
					if err := json.Unmarshal(e.Data, &asked); err != nil || asked.Reason != "It writes a file." {
						t.Fatalf("%s %v", e.Data, err)
					}
					break
				}
			}
			if now := get(t, h, m.SessionID); now.Steps[0].Status != session.StepAwaiting || len(now.Assets) != 0 {
				t.Fatalf("it ran before it was approved: %+v", now)
			}
			if _, err := h.Sessions.Decide(t.Context(), m.SessionID, asked.StepID, approve); err != nil {
				t.Fatal(err)
			}
			kinds, _ := story(t, read(t, events, 0))
			<-r.Done()
			_, reply, _ := r.End()
			now := get(t, h, m.SessionID)
			ran := slices.Contains(kinds, "tool_call_start write_text_artifact")
			if approve && (reply != "succeeded" || !ran || len(now.Assets) != 1) || !approve && (reply != contract.CodeCancelled || ran || now.Steps[0].Status != session.StepDenied) {
				t.Fatalf("approve %v: %q %v %+v", approve, reply, kinds, now.Steps)
			}
			_, err := h.Sessions.Decide(t.Context(), m.SessionID, asked.StepID, true)
			wantCode(t, err, contract.CodeConflict)
			_, err = h.Sessions.Decide(t.Context(), m.SessionID, "step_9", true)
			wantCode(t, err, contract.CodeNotFound)
		}
	})
}
