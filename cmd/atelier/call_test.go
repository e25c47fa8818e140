package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/store"
)

// A call takes what the last one printed: calls of one data folder, or of one database, find
// each other's jobs and artifacts. While another call runs, one knows of none, and says so.
func TestCallsFindEachOthersJobs(t *testing.T) {
	program, dir := binary(t), t.TempDir()
	writeTwoBoxes(t, filepath.Join(dir, "boxes.obj"), 15)
	call := func(tool string, input map[string]any, flags ...string) string {
		raw, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, append([]string{"call", tool, "--data", filepath.Join(dir, "data"), "--root", dir, "--input", string(raw)}, flags...)...)
		cmd.Dir = dir
		out, _ := cmd.Output() // a refusal is an answer too
		return string(out)
	}
	kept := "--database=" + filepath.Join(dir, "jobs.db")
	first := call("mesh_repair_pmp", map[string]any{"input_path": "boxes.obj"}, kept)
	id := regexp.MustCompile(`job_[0-9a-z]{20,}`).FindString(first)
	if id == "" {
		t.Fatalf("there is no job in %s", first)
	}
	claim := map[string]any{"number": 250, "unit": "mm^3", "job_id": id, "path": "/repaired/volume"}
	surface := map[string]any{"input_path": fmt.Sprintf("/v1/jobs/%s/artifacts/repaired_mesh.obj", id)}
	if out := call("verify_claim", claim, kept); !strings.Contains(out, `"verdict": "supported"`) {
		t.Errorf("the claim of a kept job: %s", out)
	}
	if out := call("mesh_repair_pmp", surface, kept); !strings.Contains(out, `"status": "ok"`) {
		t.Errorf("the artifact of a kept job: %s", out)
	}
	second := call("mesh_repair_pmp", map[string]any{"input_path": "boxes.obj"})
	claim["job_id"] = regexp.MustCompile(`job_[0-9a-z]{20,}`).FindString(second)
	surface["input_path"] = fmt.Sprintf("/v1/jobs/%s/artifacts/repaired_mesh.obj", claim["job_id"])
	if out := call("verify_claim", claim); !strings.Contains(out, `"verdict": "supported"`) {
		t.Errorf("the claim of the last call: %s", out)
	}
	if out := call("mesh_repair_pmp", surface); !strings.Contains(out, `"status": "ok"`) {
		t.Errorf("the artifact of the last call: %s", out)
	}
	busy, err := store.Open(t.Context(), filepath.Join(dir, "data", "calls", "atelier.db")) // as another call has it
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for tool, input := range map[string]map[string]any{"verify_claim": claim, "mesh_repair_pmp": surface} {
		if out := call(tool, input); !strings.Contains(out, "Another atelier call runs") {
			t.Errorf("%s beside another call: %s", tool, out)
		}
	}
}

// The input stands after the tool's name or behind --input, and not at both places.
func TestTheInputOfACall(t *testing.T) {
	program, data := binary(t), t.TempDir()
	call := func(args ...string) (string, error) {
		out, err := exec.Command(program, append([]string{"call", "echo_json", "--data", data}, args...)...).CombinedOutput()
		return string(out), err
	}
	const input = `{"message":"to be echoed"}`
	for _, args := range [][]string{{input}, {"--input", input}} {
		if out, err := call(args...); err != nil || !strings.Contains(out, "to be echoed") {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
	if out, err := call(input, "--input", input); err == nil || !strings.Contains(out, "given twice") {
		t.Errorf("given twice: %v: %s", err, out)
	}
}
