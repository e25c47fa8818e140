package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/session"
	"atelier/internal/session/sessiontest"
	"atelier/internal/store/storetest"
)

// childVariable makes the test binary a server that starts a run and prints its
// session's id, until it is killed.
const childVariable = "ATELIER_SESSIONTEST_CHILD"

func TestMain(m *testing.M) {
	if setup := os.Getenv(childVariable); setup != "" {
		fmt.Fprintln(os.Stderr, child(setup)) // it returns only with an error
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func child(setup string) error {
	url, dir, _ := strings.Cut(setup, "\n")
	h, err := sessiontest.Open(url, dir, steady{})
	if err != nil {
		return err
	}
	m, err := h.Sessions.Create(context.Background(), nil, nil)
	if err != nil {
		return err
	}
	if _, err := h.Sessions.Start(context.Background(), m.SessionID, session.Turn{Prompt: "go"}); err != nil {
		return err
	}
	fmt.Println(m.SessionID)
	select {}
}

// steady is a Runner that goes on where a process died: it makes ten files, each
// once, judging by the steps of the manifest.
type steady struct{}

func (steady) Resumes() {}

const steadySteps = 10

func (steady) Run(ctx context.Context, r *session.Run) (string, error) {
	for {
		m, err := r.Manifest(ctx)
		if err != nil {
			return "", err
		}
		done := 0
		for _, s := range m.Steps {
			switch s.Status {
			case session.StepSucceeded:
				done++
			case session.StepRunning: // of the process that died; its job goes on or is given up
				time.Sleep(20 * time.Millisecond)
			}
		}
		if slices.ContainsFunc(m.Steps, func(s session.Step) bool { return s.Status == session.StepRunning }) {
			continue
		}
		if done >= steadySteps {
			return fmt.Sprintf("attempt %d", r.Turn.Attempt), nil
		}
		r.Text("step ")
		input := fmt.Sprintf(`{"steps":%d,"step_ms":8,"file":"f%d.pvd"}`, 5, done)
		if _, err := r.Call(ctx, "count_slowly", json.RawMessage(input), nil); err != nil {
			return "", err
		}
	}
}

// Killed at any moment, a session is never half-written: its manifest reads, a
// step that has ended has its files, and the run goes on in the next process to
// the end that it would have had.
func TestKilledAtAnyMoment(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		for round := range 4 {
			id := killedAfter(t, url, dir, time.Duration(20+35*round)*time.Millisecond)
			h := sessiontest.Start(t, url, dir, steady{})
			m := get(t, h, id)
			for _, s := range m.Steps {
				ended := s.Status == session.StepSucceeded
				if ended != (len(s.Outputs) == 2) || ended && (!slices.Contains(m.Assets, s.Outputs[0]) || !slices.Contains(m.Assets, s.Outputs[1])) {
					t.Fatalf("half written: %+v, assets %v", s, m.Assets)
				}
			}
			kinds, _ := story(t, after(t, h, id, 0)) // waits for the end
			m = get(t, h, id)
			var made []string
			for _, s := range m.Steps {
				if s.Status == session.StepSucceeded {
					made = append(made, s.Outputs[0])
				}
			}
			slices.Sort(made)
			if m.Status != session.Idle || len(slices.Compact(made)) != steadySteps || kinds[len(kinds)-1] != "agent_done completed" || m.Messages[len(m.Messages)-1].Content != "attempt 2" {
				t.Fatalf("round %d: %s %v %v %+v", round, m.Status, made, kinds, m.Messages)
			}
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// killedAfter runs a child and kills it -9 that long after its run has begun.
func killedAfter(t *testing.T, url, dir string, d time.Duration) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+url+"\n"+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	return strings.TrimSpace(line)
}

// A runner that cannot resume leaves a session that says what happened.
func TestInterruptedRun(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		runs := sessiontest.Runs(func(ctx context.Context, r *session.Run) (string, error) {
			r.Text("thinking")
			<-ctx.Done()
			return "", ctx.Err()
		})
		h := sessiontest.Start(t, url, dir, runs)
		m := create(t, h)
		r := begin(t, h, m.SessionID, "go")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if status, _, fault := r.End(); status != "interrupted" || fault.Code != contract.CodeInterrupted {
			t.Fatalf("%s %v", status, fault)
		}
		h = sessiontest.Start(t, url, dir, runs)
		kinds, text := story(t, after(t, h, m.SessionID, 0))
		if !slices.Equal(kinds[len(kinds)-3:], []string{"error", "state_update", "agent_done interrupted"}) || text != "thinking" {
			t.Fatalf("%v %q", kinds, text)
		}
		if m = get(t, h, m.SessionID); m.Status != session.Idle {
			t.Fatal(m.Status)
		}
		again := begin(t, h, m.SessionID, "go on")
		if _, err := h.Sessions.Cancel(t.Context(), m.SessionID); err != nil {
			t.Fatal(err)
		}
		<-again.Done()
	})
}

// A call that was left running by its process has its end and its files in the
// session as soon as its job has ended, without anybody who waits for it.
func TestCallsThatOutliveTheirProcess(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, nil)
		m := create(t, h)
		j, err := h.Sessions.Jobs().Submit(t.Context(), job.Request{Tool: "count_slowly", Async: true,
			Input: json.RawMessage(`{"steps":20,"step_ms":20,"file":"a.pvd"}`), Context: session.Context(m.SessionID)})
		if err != nil || j.State.Finished() {
			t.Fatalf("%+v %v", j, err)
		}
		if now := get(t, h, m.SessionID); now.Status != session.Processing || now.Steps[0].Status != session.StepRunning || now.Steps[0].JobID != j.ID {
			t.Fatalf("%+v", now)
		}
		if err := h.Close(); err != nil { // the job is given time to end
			t.Fatal(err)
		}
		h = sessiontest.Start(t, url, dir, nil)
		done, err := h.Jobs.Wait(t.Context(), j.ID, 20*time.Second)
		if err != nil || done.State != job.Succeeded {
			t.Fatalf("%+v %v", done, err)
		}
		if now := get(t, h, m.SessionID); now.Status != session.Idle || now.Steps[0].Status != session.StepSucceeded || len(now.Assets) != 2 {
			t.Fatalf("%+v", now)
		}
	})
}

// Two processes on one database: what one does the other tells, decides, cancels.
func TestTwoProcesses(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		url, dir := storetest.Postgres(t, "session", 20), t.TempDir() // SQLite has one process
		runs := sessiontest.Runs(func(ctx context.Context, r *session.Run) (string, error) {
			if _, err := r.CallApproved(ctx, "echo_json", json.RawMessage(`{"message":"x"}`), nil, "why"); err != nil {
				return "", err
			}
			_, err := r.Call(ctx, "count_slowly", json.RawMessage(`{"steps":10000,"step_ms":10}`), nil)
			return "", err
		})
		one, two := sessiontest.Start(t, url, dir, runs), sessiontest.Start(t, url, dir, runs)
		m := create(t, one)
		r := begin(t, one, m.SessionID, "go")
		events, err := two.Sessions.Events(t.Context(), m.SessionID, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for e := range events {
			kinds = append(kinds, e.Type)
			switch e.Type {
			case session.ApprovalRequired:
				if _, err := two.Sessions.Start(t.Context(), m.SessionID, session.Turn{Prompt: "y"}); err == nil {
					t.Fatal("two runs of one session")
				}
				if _, err := two.Sessions.Decide(t.Context(), m.SessionID, "step_1", true); err != nil {
					t.Fatal(err)
				}
			case session.Progress: // the long call has begun
				if now, err := two.Sessions.Cancel(t.Context(), m.SessionID); err != nil || now.Status != session.Idle {
					t.Fatalf("%+v %v", now, err)
				}
			}
		}
		<-r.Done()
		if status, _, _ := r.End(); status != "cancelled" || kinds[len(kinds)-1] != session.AgentDone {
			t.Fatalf("%s %v", status, kinds)
		}
	})
}
