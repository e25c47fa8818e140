package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// A model that speaks Harmony builds a whole notebook: every completion is what
// a model writes, and every next one goes on from the text that came back.
func TestHarmonyBuildsANotebook(t *testing.T) {
	s := start(t, nil)
	prompt := s.get("/v1/harmony?tools=notebook.*,validator.*")
	developer, _ := prompt.at("developer").(string)
	for _, sentence := range []string{"Always call `notebook.add_dependency` before referencing a package in code.", "Use `notebook.finalize` exactly once per run."} {
		if !strings.Contains(developer, sentence) {
			t.Errorf("the developer text lacks %q", sentence)
		}
	}
	turn := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		r := s.post("/v1/harmony/calls", completion("<|channel|>analysis<|message|>Next.<|end|><|start|>assistant to="+tool+"<|channel|>commentary <|constrain|>json<|message|>"+string(raw)+"<|call|>"))
		output, _ := r.at("calls", 0, "output").(map[string]any)
		if r.status != 200 || output == nil || !strings.HasPrefix(r.at("append").(string), "<|start|>"+tool+" to=assistant") {
			t.Fatalf("%s: %d %s", tool, r.status, r.raw)
		}
		return output
	}
	must := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		output := turn(tool, arguments)
		if output["status"] != "ok" {
			t.Fatalf("%s: %v", tool, output)
		}
		return output
	}
	if out := must("notebook.add_dependency", map[string]any{"package": "torch", "version": "2.4.0", "manager": "pip"}); out["dependency_id"] != "pip::torch@2.4.0" || out["manifest_position"] != 1.0 {
		t.Errorf("%v", out)
	}
	if out := turn("notebook.add_dependency", map[string]any{"package": "torch", "version": "2.1.0+cu118", "manager": "pip"}); out["error_code"] != "invalid_request" ||
		!strings.Contains(out["error_message"].(string), "such as 2.4.0 or 2.4.0-rc1") {
		t.Errorf("a version beyond the pattern: %v", out)
	}
	remark := map[string]any{"type": "tip", "message": strings.Repeat("Read the cell before you run it. ", 2)}
	for n := 1; n <= 2; n++ {
		text := map[string]any{"section_number": n, "title": fmt.Sprintf("Step %d: Sums of squares", n), "body": strings.Repeat("A sum of squares grows with the cube. ", 10), "callouts": []any{remark, remark, remark}, "estimated_tokens": 600}
		if out := must("notebook.emit_markdown_step", text); out["cell_index"] != float64(4+2*n) {
			t.Errorf("step %d: %v", n, out)
		}
		code := fmt.Sprintf("limit = %d\nsquares = [number * number for number in range(limit)]\nprint(\"the sum of the squares is\", sum(squares))\nassert sum(squares) == (limit - 1) * limit * (2 * limit - 1) // 6\n", 10*n)
		if out := must("notebook.emit_code_cell", map[string]any{"section_number": n, "code": code, "language": "python"}); out["runnable"] != true {
			t.Errorf("code %d: %v", n, out)
		}
	}
	wrong := map[string]any{"section_number": 1, "code": strings.Repeat("x = 1\n", 30), "language": "python"}
	for n := range 2 {
		out := turn("notebook.emit_code_cell", wrong)
		if out["status"] != "error" || out["error_code"] != "ERR_SECTION_ORDER" || out["error_message"] == "" || (out["escalate"] == true) != (n == 1) {
			t.Errorf("error %d: %v", n, out)
		}
	}
	for n := range 2 {
		out := turn("notebook.record_assessment", map[string]any{"section_number": 1, "questions": []any{}})
		if out["error_code"] != "invalid_request" || (out["escalate"] == true) != (n == 1) {
			t.Errorf("an input that does not validate, time %d: %v", n, out)
		}
	}
	closing := map[string]any{"outline_summary": strings.Repeat("Sums of squares have a closed form. ", 8), "reading_time_minutes": 5}
	done := must("notebook.finalize", closing)
	path, _ := done["notebook_path"].(string)
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), "## Step 2: Sums of squares") {
		t.Errorf("%s: %v", path, err)
	}
	if quality := must("validator.run_quality", map[string]any{"notebook_path": path}); quality["metrics"] == nil || quality["strict"] == nil {
		t.Errorf("%v", quality)
	}
	if colab := must("validator.run_colab", map[string]any{"notebook_path": done["artifact_url"]}); colab["isCompatible"] != true || colab["fixedNotebookPath"] == "" {
		t.Errorf("%v", colab)
	}
	runs := true
	if tool, err := s.app.tools.Find("validator.run_execution"); err != nil || tool.Available() != nil {
		t.Log("the notebook is not run: the notebook engine is not installed (make engines)")
		runs = false
	}
	if runs {
		ran := must("validator.run_execution", map[string]any{"notebook_path": path})
		if ran["ok"] != true || ran["cells_run"] != ran["cells_total"] || ran["failure"] != nil {
			t.Errorf("%v", ran)
		}
		// The sums of the squares below 10 and 20: (n-1) n (2n-1) / 6.
		if shown := fmt.Sprint(ran["cells"]); !strings.Contains(shown, "the sum of the squares is 285") || !strings.Contains(shown, "the sum of the squares is 2470") {
			t.Errorf("%s", shown)
		}
		// Its first cell installs torch, which the sandbox without a network cannot.
		if evidence, _ := ran["evidence"].(map[string]any); evidence["trust"] != "computed" || !strings.Contains(fmt.Sprint(evidence["reasons"]), "a shell command failed") {
			t.Errorf("%v", evidence)
		}
	}
	if again := turn("notebook.finalize", closing); again["error_code"] != "ERR_NOTEBOOK_FINALIZED" {
		t.Errorf("%v", again)
	}
}
