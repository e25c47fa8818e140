package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
)

// meshVolume runs volume_mesh_quartet.
func meshVolume(t testing.TB, input map[string]any) (volumeOutput, *contract.Result, string, error) {
	t.Helper()
	return through[volumeOutput](t, volumeMesh, input)
}

// plate writes a closed box of the given size, with named faces, in mm.
func plate(t testing.TB, x, y, z float64) string {
	t.Helper()
	m := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
	for i := range 8 {
		m.Vertices = append(m.Vertices, geometry.Vec3{float64(i&1) * x, float64(i>>1&1) * y, float64(i>>2) * z})
	}
	quads := [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}
	for i, q := range quads {
		m.Triangles = append(m.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
		m.FaceID = append(m.FaceID, int32(i+1), int32(i+1))
		m.Meta.Faces = append(m.Meta.Faces, geometry.Face{ID: int32(i + 1), Name: []string{"left", "right", "front", "back", "bottom", "top"}[i], Body: 1})
	}
	path := filepath.Join(t.TempDir(), "plate.obj")
	if err := geometry.Write(path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVolumeMeshWritesNamedAttributes(t *testing.T) {
	out, res, dir, err := meshVolume(t, map[string]any{"input_path": plate(t, 20, 10, 10), "dx": 2})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(out.Volume-2000) > 1 || out.LengthUnit != "mm" || out.AttributeCount != 6 || out.MinDihedral < 10 {
		t.Errorf("a box of 20 × 10 × 10 mm gave %+v", out)
	}
	if res.Evidence.Trust() != evidence.Verified {
		t.Errorf("trust is %s: %v", res.Evidence.Trust(), res.Evidence.Reasons())
	}
	text, err := os.ReadFile(filepath.Join(dir, out.OutputFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"MFEM mesh v1.3\n# atelier {\"length_unit\":\"mm\"", "bdr_attribute_sets\n6\n\"back\" 1 4\n", "mfem_mesh_end\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q", out.OutputFile, want)
		}
	}
}

func TestVolumeMeshFormats(t *testing.T) {
	file := plate(t, 4, 4, 4)
	for format, start := range map[string]string{
		"tet": "tet ", "msh": "$MeshFormat\n4.1 0 8", "vtu": "<?xml", "mesh": "MFEM mesh v1.3",
	} {
		out, res, dir, err := meshVolume(t, map[string]any{"input_path": file, "dx": 1, "output_file": "sub/part." + format})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "sub", "part."+format))
		if err != nil || !strings.HasPrefix(string(data), start) || out.Format != format || res.Artifacts[0].Name != "sub/part."+format {
			t.Errorf("%s: %v, begins %.40q, %+v", format, err, data, res.Artifacts)
		}
	}
}

func TestVolumeMeshRefusals(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open.obj")
	if err := os.WriteFile(open, []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 3 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	box := plate(t, 10, 10, 10)
	for name, c := range map[string]struct {
		input map[string]any
		code  string
		field string
	}{
		"open":   {map[string]any{"input_path": open}, "ERR_NOT_WATERTIGHT", "/input_path"},
		"tiny":   {map[string]any{"input_path": box, "dx": 1e-6}, "ERR_INVALID_DX", "/dx"},
		"escape": {map[string]any{"input_path": box, "output_file": "../a.mesh"}, "invalid_request", "/output_file"},
		"kind":   {map[string]any{"input_path": box, "output_file": "a.stl"}, "invalid_request", "/output_file"},
		"gone":   {map[string]any{"input_path": "/nowhere.obj"}, "ERR_FILE_NOT_FOUND", "/input_path"},
	} {
		_, _, _, err := meshVolume(t, c.input)
		var e *contract.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Field != c.field || e.Hint == "" && c.code != "ERR_FILE_NOT_FOUND" {
			t.Errorf("%s: %v; %s at %s with a hint was expected", name, err, c.code, c.field)
		}
	}
}

// A plate 0.5 thick cannot be followed at dx 4, eight times its thickness; what
// the refusal suggests must work.
func TestVolumeMeshSuggestionWorks(t *testing.T) {
	file := plate(t, 20, 20, 0.5)
	_, _, _, err := meshVolume(t, map[string]any{"input_path": file, "dx": 4})
	var e *contract.Error
	if !errors.As(err, &e) || e.Code != "ERR_DX_TOO_COARSE" {
		t.Fatalf("%v; ERR_DX_TOO_COARSE was expected", err)
	}
	dx, ok := e.Details["suggested_dx"].(float64)
	if !ok {
		t.Fatalf("no suggested_dx in %v", e.Details)
	}
	out, _, _, err := meshVolume(t, map[string]any{"input_path": file, "dx": dx})
	if err != nil {
		t.Fatalf("the suggested dx %g: %v", dx, err)
	}
	if math.Abs(out.Volume/200-1) > 0.02 {
		t.Errorf("the plate has 200 mm³, its mesh %g", out.Volume)
	}
}

// An estimate of the refusal of a tiny dx: a box of 1000 with 12 tetrahedra in
// each cell of 1e-3³ has 1.2e13.
func TestVolumeMeshEstimates(t *testing.T) {
	file := plate(t, 10, 10, 10)
	_, _, _, err := meshVolume(t, map[string]any{"input_path": file, "dx": 1e-3, "max_tetrahedra": 20000})
	var e *contract.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	n, _ := e.Details["estimated_tetrahedra"].(float64)
	if n < 1.2e13 || n > 1.3e13 {
		t.Errorf("%g tetrahedra estimated", n)
	}
	out, _, _, err := meshVolume(t, map[string]any{"input_path": file, "dx": e.Details["smallest_dx"], "max_tetrahedra": 20000})
	if err != nil || out.Stats.TetrahedraCount > 21000 {
		t.Errorf("smallest_dx %v gave %d tetrahedra, %v", e.Details["smallest_dx"], out.Stats.TetrahedraCount, err)
	}
}

func TestVolumeMeshHonoursCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	raw, _ := json.Marshal(map[string]any{"input_path": plate(t, 10, 10, 10), "dx": 0.2})
	if _, err := volumeMesh.Run(ctx, call(t, t.TempDir()), raw); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call gave %v", err)
	}
}
