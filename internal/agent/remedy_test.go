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
