package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// The example requests of document 002 over the chat route, word for word but
// for the file's path. The solvers' own examples are held to their numbers in
// tools/solve.
func TestDocumentRequestsOverChat(t *testing.T) {
	document, err := os.ReadFile(testenv.Shared(t, "contracts", "002_*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "occt", "mfem", "ngspice")
	step, err := os.ReadFile(testenv.Bracket())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"model.step": string(step), "beam.mesh": cubeMesh(), "domain.mesh": cubeMesh(), "channel.mesh": cubeMesh(),
		"model.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"} {
		if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(document, -1) {
		request := regexp.MustCompile(`/absolute/path/to/`).ReplaceAllString(string(block[1]), s.root+"/")
		request = strings.Replace(request, "{", `{"wait_ms":120000,`, 1)
		var parsed struct {
			ToolChoice struct{ Function struct{ Name string } } `json:"tool_choice"`
		}
		if err := json.Unmarshal([]byte(request), &parsed); err != nil {
			t.Fatal(err)
		}
		name := parsed.ToolChoice.Function.Name
		seen++
		t.Run(name, func(t *testing.T) {
			r := s.post("/v1/chat/completions", request)
			result, _ := r.at("tool_results", 0, "result").(map[string]any)
			if r.status != 200 || r.at("tool_results", 0, "status") != "ok" || result == nil {
				t.Fatalf("%d %.600s", r.status, r.raw)
			}
			switch name {
			case "circuits.simulate": // Ohm: 1 V over 1 kΩ, drawn from the source
				if i := r.at("tool_results", 0, "result", "operating_point", "i(v1)"); i != -1e-3 {
					t.Errorf("i(v1) = %v, want -1 mA", i)
				}
			case "cad_import_truck": // the bracket's closed form is in examples/bracket
				if v := number(result["exact_volume"]); v < 54692.5 || v > 54692.6 {
					t.Errorf("volume %v mm3", v)
				}
				if result["file_name"] != "model_mesh.obj" {
					t.Errorf("file name %v", result["file_name"])
				}
			case "mesh_repair_pmp":
				if report, _ := result["defect_report"].(map[string]any); report["initial_holes"] != 0.0 {
					t.Errorf("%v", report)
				}
			}
		})
	}
	if seen != 6 {
		t.Errorf("the document has %d requests, 6 were expected", seen)
	}
}
