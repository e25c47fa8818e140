package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is made of bodies that occupy the same space stays suspect: the volume mesh
// of such a surface, and a solve on that mesh, however well it converges.
func TestASolveOnOverlappingBodiesIsSuspect(t *testing.T) {
	dir := t.TempDir()
	for name, gap := range map[string]float64{"same.obj": 0, "apart.obj": 15} {
		writeTwoBoxes(t, filepath.Join(dir, name), gap)
	}
	p := launchWith(t, binary(t), t.TempDir(), "--root", dir)
	for name, suspect := range map[string]bool{"same.obj": true, "apart.obj": false} {
		mesh := p.run(t, "volume_mesh_quartet", map[string]any{"input_path": name, "dx": 1.0})
		if mesh["status"] != "ok" {
			t.Fatalf("%s: %v", name, mesh["stderr"])
		}
		heat := p.run(t, "heat.solve", map[string]any{
			"mesh": map[string]any{"type": "file", "path": output(mesh, "artifact_url")},
			"config": map[string]any{"conductivity": 50, "steady": true, "bcs": []any{
				map[string]any{"where": map[string]any{"plane": "x_min"}, "type": "fixed_temp", "value": 300},
				map[string]any{"where": map[string]any{"plane": "x_max"}, "type": "fixed_temp", "value": 350},
			}},
		})
		if heat["status"] != "ok" {
			t.Fatalf("%s: %v", name, heat["stderr"])
		}
		for what, result := range map[string]map[string]any{"mesh": mesh, "solve": heat} {
			evidence, _ := output(result, "evidence").(map[string]any)
			reasons := fmt.Sprint(evidence["reasons"])
			if (evidence["trust"] == "suspect") != suspect {
				t.Errorf("%s, %s: %v, %s", name, what, evidence["trust"], reasons)
			}
			if suspect && !strings.Contains(reasons, "bodies_apart") && !strings.Contains(reasons, "volume_mesh_quartet") {
				t.Errorf("%s, %s: nothing names the bodies: %s", name, what, reasons)
			}
		}
	}
}

// writeTwoBoxes writes two boxes of 5 by 5 by 5 mm as bodies, the second higher
// by gap.
func writeTwoBoxes(t *testing.T, path string, gap float64) {
	t.Helper()
	var faces []string
	for id := 1; id <= 12; id++ {
		faces = append(faces, fmt.Sprintf(`{"id":%d,"kind":"plane","body":%d}`, id, (id-1)/6+1))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# atelier {\"length_unit\":\"mm\",\"faces\":[%s]}\n", strings.Join(faces, ","))
	for n := range 2 {
		for i := range 8 {
			fmt.Fprintf(&b, "v %d %d %g\n", (i&1)*5, (i>>1&1)*5, float64(i>>2)*5+float64(n)*gap)
		}
		for i, q := range [6][4]int{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
			v := 8*n + 1
			fmt.Fprintf(&b, "g face_%d\nf %d %d %d\nf %d %d %d\n", 6*n+i+1, v+q[0], v+q[1], v+q[2], v+q[0], v+q[2], v+q[3])
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
