package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// cubeMesh is a unit cube of six tetrahedra; its boundary has attribute 1 at
// z = 0, 2 at z = 1 and 3 elsewhere.
func cubeMesh() string {
	var b strings.Builder
	b.WriteString("MFEM mesh v1.0\n\ndimension\n3\n\nelements\n6\n")
	for _, q := range []string{"0 1 3 7", "0 3 2 7", "0 2 6 7", "0 6 4 7", "0 4 5 7", "0 5 1 7"} {
		b.WriteString("1 4 " + q + "\n")
	}
	b.WriteString("\nboundary\n12\n")
	for _, f := range []string{"1 2 0 3 1", "1 2 0 2 3", "2 2 4 5 7", "2 2 4 7 6", "3 2 0 1 5", "3 2 0 5 4",
		"3 2 2 7 3", "3 2 2 6 7", "3 2 0 6 2", "3 2 0 4 6", "3 2 1 3 7", "3 2 1 7 5"} {
		b.WriteString(f + "\n")
	}
	b.WriteString("\nvertices\n8\n3\n")
	for i := range 8 {
		fmt.Fprintf(&b, "%d %d %d\n", i&1, i>>1&1, i>>2)
	}
	return b.String()
}

func noise(n int) string {
	var b strings.Builder
	sum := sha256.Sum256(nil)
	for b.Len() < n {
		sum = sha256.Sum256(sum[:])
		b.Write(sum[:])
	}
	return b.String()[:n]
}

// Every fault of a caller is answered by a code of the catalogue and a sentence
// that says what to change.
func TestBadInputIsAnsweredByACodeAndAHint(t *testing.T) {
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "occt", "mfem", "ngspice", "vtk")
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	step, err := os.ReadFile(testenv.Bracket())
	if err != nil {
		t.Fatal(err)
	}
	put("empty.step", "")
	put("cut.step", string(step[:len(step)/2]))
	put("noise.step", noise(5000))
	put("cube.mesh", cubeMesh())
	put("cut.mesh", cubeMesh()[:200])
	put("noise.mesh", noise(3000))
	put("noise.obj", noise(3000))
	put("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\n")
	put("nan.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
	outside := filepath.Join(t.TempDir(), "secret.step")
	if err := os.WriteFile(outside, step, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.root, "link.step")); err != nil {
		t.Fatal(err)
	}
	fea := func(mesh, bcs string) string {
		return fmt.Sprintf(`{"solver_class":"LinearElasticity","mesh":{"type":"file","path":%q},"config":{"materials":[{"attribute":1,"E":1e9,"nu":0.3}],"bcs":[%s]}}`, mesh, bcs)
	}
	fixed, load := `{"attribute":1,"type":"fixed"}`, `{"attribute":2,"type":"load","value":[0,0,-1]}`
	for name, c := range map[string]struct{ tool, input, code string }{
		"step empty":         {"cad_import_truck", `{"file_path":"empty.step"}`, "ERR_FILE_EMPTY"},
		"step truncated":     {"cad_import_truck", `{"file_path":"cut.step"}`, "ERR_FILE_UNREADABLE"},
		"step noise":         {"cad_import_truck", `{"file_path":"noise.step"}`, "ERR_STEP_UNSUPPORTED_SCHEMA"},
		"step parent":        {"cad_import_truck", `{"file_path":"../secret.step"}`, "ERR_FILE_OUTSIDE_ROOTS"},
		"step absolute":      {"cad_import_truck", fmt.Sprintf(`{"file_path":%q}`, outside), "ERR_FILE_OUTSIDE_ROOTS"},
		"step link":          {"cad_import_truck", `{"file_path":"link.step"}`, "ERR_FILE_OUTSIDE_ROOTS"},
		"step missing":       {"cad_import_truck", `{"file_path":"none.step"}`, "ERR_FILE_NOT_FOUND"},
		"step no path":       {"cad_import_truck", `{}`, "invalid_request"},
		"step bad deflect":   {"cad_import_truck", `{"file_path":"cut.step","linear_deflection":-1}`, "invalid_request"},
		"repair noise":       {"mesh_repair_pmp", `{"input_path":"noise.obj"}`, "ERR_FILE_UNREADABLE"},
		"repair nan":         {"mesh_repair_pmp", `{"input_path":"nan.obj"}`, "ERR_FILE_UNREADABLE"},
		"volume open":        {"volume_mesh_quartet", `{"input_path":"open.obj"}`, "ERR_NOT_WATERTIGHT"},
		"volume dx":          {"volume_mesh_quartet", `{"input_path":"open.obj","dx":0}`, "invalid_request"},
		"volume dx nan":      {"volume_mesh_quartet", `{"input_path":"open.obj","dx":"NaN"}`, "invalid_request"},
		"render noise":       {"render_pack_vtk", `{"input_path":"noise.obj"}`, "ERR_FILE_UNREADABLE"},
		"fea cut mesh":       {"fea.solve", fea("cut.mesh", fixed), "ERR_MESH_UNREADABLE"},
		"fea noise mesh":     {"fea.solve", fea("noise.mesh", fixed), "ERR_MESH_UNREADABLE"},
		"fea attribute":      {"fea.solve", fea("cube.mesh", fixed+`,{"attribute":9,"type":"load","value":[0,0,1]}`), "ERR_UNKNOWN_ATTRIBUTE"},
		"fea nothing fixed":  {"fea.solve", fea("cube.mesh", load), "ERR_SINGULAR_SYSTEM"},
		"fea unknown field":  {"fea.solve", fea("cube.mesh", fixed+`,{"attribute":2,"type":"load","vlaue":[0,0,1]}`), "invalid_request"},
		"fea nu":             {"fea.solve", strings.Replace(fea("cube.mesh", fixed), `"nu":0.3`, `"nu":0.5`, 1), "invalid_request"},
		"netlist no ground":  {"circuits.simulate", `{"netlist":"t\nV1 a b 1\nR1 a b 1k\n.end","control":["op"]}`, "ERR_NO_GROUND"},
		"netlist shell":      {"circuits.simulate", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.end","control":["shell id"]}`, "ERR_CONTROL_FORBIDDEN"},
		"netlist unknown":    {"circuits.simulate", `{"netlist":"t\nV1 a 0 1\nQ9 a 0 nomodel\n.end","control":["op"]}`, "ERR_NETLIST_INVALID"},
		"circuit no probe":   {"circuits.simulate", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.end","analysis":"op","probes":["v(zz)"]}`, "ERR_UNKNOWN_VECTOR"},
		"circuit both forms": {"circuits.simulate", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.end"}`, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.execute(c.tool, c.input)
			if r.at("status") != "error" || r.at("metrics", "error_code") != c.code {
				t.Fatalf("want %s, got %.700s", c.code, r.raw)
			}
			first, _ := r.at("metrics", "errors", 0).(map[string]any)
			if text, _ := first["message"].(string); len(text) < 15 || strings.Contains(text, s.root) {
				t.Errorf("the sentence %q says too little, or where the folder lies", text)
			}
			if first["hint"] == nil && first["expected"] == nil && first["field"] == nil {
				t.Errorf("no hint, no field: %v", first)
			}
		})
	}
}
