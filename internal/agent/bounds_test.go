package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/session"
)

// The planner is bound by the same budgets and approvals as a model.
func TestThePlannersBounds(t *testing.T) {
	h := open(t, "ngspice")
	const prompt = "low-pass with R = 1 kOhm and C = 1 uF"
	id := h.with(t, "")
	r, err := h.sessions.Start(t.Context(), id, session.Turn{Prompt: prompt, Options: json.RawMessage(`{"max_seconds":1e-6}`)})
	must(t, err)
	<-r.Done()
	if status, reply, fault := r.End(); status != "completed" || !strings.Contains(reply, "I stopped: the budget of") || len(h.steps(t, id)) != 0 {
		t.Errorf("%s %q %v %v", status, reply, fault, h.steps(t, id))
	}
	for _, approve := range []bool{false, true} {
		r, err := h.sessions.Start(t.Context(), id, session.Turn{Prompt: prompt, Approve: session.ApproveEverything})
		must(t, err)
		step, input := h.waiting(t, r)
		if !strings.Contains(string(input), "R1 in out 1000") {
			t.Errorf("the person is shown %s", input)
		}
		_, err = h.sessions.Decide(t.Context(), id, step, approve)
		must(t, err)
		<-r.Done()
		status, reply, fault := r.End()
		if want := map[bool]string{true: "159", false: "did not allow"}[approve]; status != "completed" || !strings.Contains(reply, want) {
			t.Errorf("%s %q %v", status, reply, fault)
		}
	}
}
