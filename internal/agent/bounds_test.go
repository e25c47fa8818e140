package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/session"
	"atelier/internal/testenv"
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

// A size that no machine can make is told with the size that fits; a mesh far from
// the one asked for is not made in its place. At 0.002 mm a cube of 10 mm has
// (10/0.002)³ = 1.25e11 cells; the mesher's limit of 3e6 tetrahedra is met at eighty
// times that size.
func TestNoRemedyIsFarFromTheSizeAskedFor(t *testing.T) {
	h := open(t, "mfem")
	id := h.with(t, written(t, "cube.obj", cube))
	status, _, fault := h.say(t, id, "steel, the file is in mm, fixed at the bottom, 500 N downwards on the top, 0.002 mm elements")
	if status != "failed" || fault == nil || fault.Code != "ERR_INVALID_DX" || !strings.Contains(fault.Hint, "Use dx 0.16") {
		t.Errorf("%s: %+v", status, fault)
	}
	if made := h.steps(t, id); len(made) != 2 || !strings.Contains(made[1], "volume_mesh_quartet failed") {
		t.Errorf("%s", strings.Join(made, "\n"))
	}
}

// The same of a CAD model, which is meshed on its faces.
func TestNoRemedyOfACADModelIsFarFromTheSizeAskedFor(t *testing.T) {
	h := open(t, "occt", "mfem", "netgen")
	id := h.with(t, testenv.Bracket())
	status, _, fault := h.say(t, id, "steel, fixed at the bottom, 500 N downwards on the top, 0.005 mm elements")
	if status != "failed" || fault == nil || fault.Code != "ERR_INVALID_DX" || !strings.Contains(fault.Hint, "max_size") {
		t.Errorf("%s: %+v", status, fault)
	}
	if made := h.steps(t, id); len(made) != 2 || !strings.Contains(made[1], "volume_mesh_cad failed") {
		t.Errorf("%s", strings.Join(made, "\n"))
	}
}
