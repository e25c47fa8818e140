package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/session"
	"atelier/internal/session/sessiontest"
)

// talker says a few words, runs a queued tool that takes steps × 10 ms, and says
// that it is done.
var talker = sessiontest.Runs(func(ctx context.Context, r *session.Run) (string, error) {
	for _, word := range []string{"I ", "count ", "now. "} {
		r.Text(word)
	}
	steps := `{"steps":40,"step_ms":10}`
	if r.Turn.Prompt == "long" {
		steps = `{"steps":100000,"step_ms":10}`
	}
	done, err := r.Call(ctx, "count_slowly", json.RawMessage(steps), nil)
	if err != nil {
		return "", err
	}
	r.Text(done.Summary)
	return "", nil
})

const counting = "I count now. Counted to 40."

func (e event) field(t *testing.T, name string) any {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal([]byte(e.data), &data); err != nil {
		t.Fatalf("%s: %v", e.data, err)
	}
	return data[name]
}

func names(events []event) (list []string) {
	for _, e := range events {
		if e.name != session.TextDelta && e.name != session.Progress {
			list = append(list, e.name)
		}
	}
	return list
}

func text(t *testing.T, events []event) (all string) {
	for _, e := range events {
		if e.name == session.TextDelta {
			all += e.field(t, "delta").(string)
		}
	}
	return all
}

var talkNames = []string{"state_update", "tool_call_start", "state_update", "tool_call_complete", "state_update", "state_update", "agent_done"}

// The stream tells what happens when it happens, with true times.
func TestChatStream(t *testing.T) {
	s := start(t, talker)
	for name, ask := range map[string]func(id string) *stream{
		"body": func(id string) *stream {
			return s.stream("POST", "/v1/sessions/"+id+"/chat", `{"prompt":"go","stream":true}`)
		},
		"query": func(id string) *stream {
			return s.stream("POST", "/v1/sessions/"+id+"/chat?stream=1", `{"prompt":"go"}`)
		},
		"accept": func(id string) *stream {
			return s.stream("POST", "/v1/sessions/"+id+"/chat", `{"prompt":"go"}`, "Accept", "text/event-stream")
		},
	} {
		// Progress is no longer told once the step has ended: a reader that a busy
		// machine keeps longer than that sees none, and asks again.
		live := false
		for try := 0; try < 20 && !live; try++ {
			live = followed(t, name, ask(s.empty()))
		}
		if !live {
			t.Errorf("%s: no progress was told while the step ran", name)
		}
	}
}

// followed reads a stream of the talker's to its end. It says whether progress was told
// and the step's begin and end were seen as far apart as they were.
func followed(t *testing.T, name string, st *stream) bool {
	t.Helper()
	var events []event
	var begun, ended time.Time
	for {
		e, ok := st.next()
		if !ok {
			break
		}
		switch e.name {
		case session.ToolCallStart:
			begun = time.Now()
		case session.ToolCallComplete:
			ended = time.Now()
		}
		events = append(events, e)
	}
	if got := names(events); !slices.Equal(got, talkNames) || text(t, events) != counting {
		t.Fatalf("%s: %v %q", name, got, text(t, events))
	}
	// 40 steps of 10 ms: the duration that is told is no constant.
	done := events[slices.IndexFunc(events, func(e event) bool { return e.name == session.ToolCallComplete })]
	if ms := done.field(t, "duration_ms").(float64); ms < 400 {
		t.Fatalf("%s: told %g ms", name, ms)
	}
	if done.field(t, "tool_name") != "count_slowly" || events[len(events)-1].field(t, "status") != "completed" {
		t.Fatalf("%s: %+v", name, done)
	}
	state := events[0].field(t, "state").(map[string]any)
	if state["session_id"] != events[0].field(t, "session_id") {
		t.Fatalf("%s: %v", name, state)
	}
	told := slices.ContainsFunc(events, func(e event) bool { return e.name == session.Progress && e.field(t, "step_id") == "step_1" })
	return told && ended.Sub(begun) >= 300*time.Millisecond
}

func TestChatWithOneAnswer(t *testing.T) {
	s := start(t, talker)
	id := s.empty()
	r := s.post("/v1/sessions/"+id+"/chat", `{"prompt":"go"}`)
	var answer struct {
		SessionID string `json:"session_id"`
		Reply     string
		Status    string
		State     session.Manifest
	}
	if err := json.Unmarshal(r.raw, &answer); err != nil || r.status != http.StatusOK || answer.SessionID != id || answer.Reply != counting ||
		answer.Status != "completed" || answer.State.Status != session.Idle || len(answer.State.Messages) != 2 {
		t.Fatalf("%d %s %v", r.status, r.raw, err)
	}
	if r = s.post("/v1/sessions/"+id+"/chat", `{"prompt":"long","wait_ms":20}`); r.status != http.StatusAccepted || !bytes.Contains(r.raw, []byte(`"status":"processing"`)) {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	s.post("/v1/sessions/"+id+"/chat", `{"prompt":"go"}`).want(t, 409, "conflict")
	s.do("DELETE", "/v1/sessions/"+id, "", nil).want(t, 409, "conflict")
	if m := s.do("POST", "/v1/sessions/"+id+"/cancel", "", nil).state(t); m.Status != session.Idle {
		t.Fatalf("%+v", m)
	}
	s.do("POST", "/v1/sessions/"+id+"/cancel", "", nil).want(t, 409, "conflict")
}

func TestChatsThatAreRefused(t *testing.T) {
	s := start(t, talker)
	path := "/v1/sessions/" + s.empty()
	for _, body := range []string{`{}`, `{"prompt":""}`, `{"prompt":" "}`, `{"prompt":1}`, `{"prompt":"x","colour":1}`, `{"prompt":"x","approve":"perhaps"}`,
		`{"prompt":"x","wait_ms":-1}`, `{"prompt":"x","stream":"yes"}`, `[]`, ``, `{"prompt":"` + strings.Repeat("ä", 16001) + `"}`} {
		s.post(path+"/chat", body).want(t, 400, "invalid_request")
	}
	s.post(path+"/chat?stream=perhaps", `{"prompt":"x"}`).want(t, 400, "invalid_request")
	s.post(path+"/chat?colour=1", `{"prompt":"x"}`).want(t, 400, "invalid_request")
	s.post("/v1/sessions/session_none/chat", `{"prompt":"x"}`).want(t, 404, "not_found")
	s.get(path+"/chat").want(t, 405, "method_not_allowed")
	for _, body := range []string{`{}`, `{"step_id":"step_1"}`, `{"step_id":"step_1","decision":"maybe"}`} {
		s.post(path+"/approval", body).want(t, 400, "invalid_request")
	}
	s.post(path+"/approval", `{"step_id":"step_1","decision":"approve"}`).want(t, 404, "not_found")
	for _, query := range []string{"after=x", "after=-1", "wait_ms=x", "wait_ms=-1", "colour=1"} {
		s.get(path+"/events?"+query).want(t, 400, "invalid_request")
	}
	// Where nothing can hold a conversation the routes are not there.
	silent := start(t, nil)
	silent.post("/v1/sessions/"+silent.empty()+"/chat", `{"prompt":"x"}`).want(t, 404, "not_found")
}

// A connection that drops in the middle of a run does not stop it, and its
// reader goes on where it was, by header or query, in this process or the next.
func TestDroppedConnection(t *testing.T) {
	dir := t.TempDir()
	open := func() *server { return serve(t, sessiontest.Start(t, filepath.Join(dir, "atelier.db"), dir, talker)) }
	s := open()
	id := s.empty()
	st := s.stream("POST", "/v1/sessions/"+id+"/chat?stream=true", `{"prompt":"go"}`)
	var seen []event
	for len(seen) == 0 || seen[len(seen)-1].name != session.ToolCallStart {
		e, ok := st.next()
		if !ok {
			t.Fatal("ended early")
		}
		seen = append(seen, e)
	}
	st.close()
	last := seen[len(seen)-1].id
	rest := s.stream("GET", "/v1/sessions/"+id+"/events", "", "Last-Event-ID", last).all()
	all := append(slices.Clone(seen), rest...)
	if got := names(all); !slices.Equal(got, talkNames) || text(t, all) != counting {
		t.Fatalf("%v %q", got, text(t, all))
	}
	if m := s.get("/v1/sessions/" + id).state(t); m.Steps[0].Status != session.StepSucceeded {
		t.Fatalf("the run ended with its reader: %+v", m.Steps)
	}
	s.web.CloseClientConnections()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	later := s.stream("GET", "/v1/sessions/"+id+"/events?after="+last, "").all()
	if !slices.Equal(names(later), names(rest)) || text(t, later) != text(t, rest) || later[len(later)-1].id != rest[len(rest)-1].id {
		t.Fatalf("after a restart: %v %q, before: %v %q", names(later), text(t, later), names(rest), text(t, rest))
	}
}

func TestClientThatAskedForTheEnd(t *testing.T) {
	s := start(t, talker)
	for body, want := range map[string]string{
		`{"prompt":"long","stream":true}`:                             session.StepRunning,
		`{"prompt":"long","stream":true,"cancel_on_disconnect":true}`: session.StepCancelled,
	} {
		id := s.empty()
		st := s.stream("POST", "/v1/sessions/"+id+"/chat", body)
		for {
			if e, _ := st.next(); e.name == session.ToolCallStart {
				break
			}
		}
		st.close()
		var m *session.Manifest
		for range 40 { // most of a second: long enough to see that a run that was not asked to end goes on
			m = s.get("/v1/sessions/" + id).state(t)
			if want == session.StepCancelled && m.Status == session.Idle {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if m.Steps[0].Status != want {
			t.Errorf("%s: the step is %s", body, m.Steps[0].Status)
		}
		if want == session.StepRunning {
			s.do("POST", "/v1/sessions/"+id+"/cancel", "", nil).state(t)
		}
	}
}

// A reader stays for calls that no run makes: those of an outside orchestrator.
func TestEventsOfOutsideCalls(t *testing.T) {
	s := start(t, nil)
	id := s.empty()
	st := s.stream("GET", "/v1/sessions/"+id+"/events?wait_ms=1500", "")
	if e, _ := st.next(); e.name != session.StateUpdate {
		t.Fatalf("%+v", e)
	}
	if r := s.post("/v1/jobs", `{"tool_name":"count_slowly","input":{"steps":3,"step_ms":1},"context":{"session_id":"`+id+`"}}`); r.status != http.StatusAccepted {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if got, want := names(st.all()), []string{"tool_call_start", "state_update", "tool_call_complete", "state_update"}; !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	r := s.post("/v1/tools/execute", `{"tool":"echo_json","input":{"message":"x"},"context":{"session_id":"session_none"}}`)
	if r.status != http.StatusNotFound || !bytes.Contains(r.raw, []byte("/context/session_id")) || !bytes.Contains(r.raw, []byte(`"status":"error"`)) {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	s.post("/v1/jobs", `{"tool_name":"echo_json","input":{"message":"x"},"context":{"session_id":"session_none"}}`).want(t, 404, "not_found")
}

// A turn whose calls are to be approved waits for a person, whatever the runner.
func TestApprovalOverHTTP(t *testing.T) {
	s := start(t, talker)
	for decision, want := range map[string]string{"approve": session.StepSucceeded, "deny": session.StepDenied} {
		id := s.empty()
		st := s.stream("POST", "/v1/sessions/"+id+"/chat", `{"prompt":"go","stream":true,"approve":"always"}`)
		var asked event
		for asked.name != session.ApprovalRequired {
			var ok bool
			if asked, ok = st.next(); !ok {
				t.Fatal("nobody was asked")
			}
		}
		if asked.field(t, "tool_name") != "count_slowly" || asked.field(t, "input").(map[string]any)["steps"] != 40.0 || asked.field(t, "reason") == "" {
			t.Fatalf("%+v", asked)
		}
		step := asked.field(t, "step_id").(string)
		s.post("/v1/sessions/"+id+"/approval", `{"step_id":"`+step+`","decision":"`+decision+`"}`).state(t)
		rest := st.all()
		m := s.get("/v1/sessions/" + id).state(t)
		if m.Steps[0].Status != want || slices.Contains(names(rest), session.ToolCallStart) != (decision == "approve") {
			t.Fatalf("%s: %+v %v", decision, m.Steps[0], names(rest))
		}
		s.post("/v1/sessions/"+id+"/approval", `{"step_id":"`+step+`","decision":"deny"}`).want(t, 409, "conflict")
	}
}
