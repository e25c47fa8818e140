package agent

import (
	"encoding/json"
	"testing"

	"atelier/internal/contract"
)

// A picture is tried again in colour only, whichever buffer failed.
func TestRemedyOfAPicture(t *testing.T) {
	for _, code := range []string{"ERR_HEADLESS_CONTEXT_FAILED", "ERR_BUFFER_EXTRACTION_FAILED"} {
		steps := remedy(contract.Errorf(code, "x"), &Call{Name: "render_pack_vtk", Input: json.RawMessage(`{"input_path":"a.vtu","output_depth":true}`)})
		if len(steps) != 1 || steps[0].tool != "render_pack_vtk" {
			t.Fatalf("%+v", steps)
		}
		if input, err := steps[0].input(Outcome{}); err != nil || string(input) != `{"input_path":"a.vtu","output_depth":false,"output_normal":false}` {
			t.Errorf("%s %v", input, err)
		}
	}
}

// A row that names no call changes nothing: the pipeline goes on, or a person is asked.
func TestRemedyIsOnlyWhatTheTableCalls(t *testing.T) {
	for _, r := range ErrorRoutes() {
		fault := contract.Errorf(r.ErrorCode, "x").With("suggested_dx", 1.0)
		steps := remedy(fault, &Call{Name: r.ActionTool, Input: json.RawMessage(`{"input_path":"a.obj","dx":2}`)})
		switch {
		case (r.ActionTool == "" || r.Unavailable != "") && steps != nil:
			t.Errorf("%s makes a call", r.ErrorCode)
		case r.ActionTool != "" && r.Unavailable == "" && (len(steps) == 0 || steps[0].tool != r.ActionTool):
			t.Errorf("%s does not call %s: %+v", r.ErrorCode, r.ActionTool, steps)
		}
	}
}

// A mesh of a given size has (asked/size)³ times the elements: with more than 64 times
// as many as fit, what fits is more than four times as coarse. The size may have a unit
// of its own.
func TestARemedyStaysNearTheSizeAskedFor(t *testing.T) {
	for estimated, want := range map[float64]int{65 * 3e6: 0, 63 * 3e6: 1, 2 * 3e6: 1} {
		fault := contract.Errorf(contract.CodeInvalidDx, "x").With("estimated_tetrahedra", estimated).With("max_tetrahedra", 3e6).With("smallest_dx", 0.161)
		for _, dx := range []string{"0.02", `"20 um"`} {
			if steps := remedy(fault, &Call{Name: "volume_mesh_quartet", Input: json.RawMessage(`{"input_path":"a.obj","dx":` + dx + `}`)}); len(steps) != want {
				t.Errorf("%g tetrahedra, dx %s: %d calls, want %d", estimated, dx, len(steps), want)
			}
		}
	}
}
