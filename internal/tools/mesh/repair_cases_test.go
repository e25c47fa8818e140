package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
)

// bowl is a unit cube without its top.
const bowl = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n" +
	"f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

// Faults of the file are told with their place and a code of the contract.
func TestRefusedFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name  string
		input map[string]any
		code  string
		says  string
	}{
		{"no file", map[string]any{"input_path": filepath.Join(dir, "none.obj")}, contract.CodeFileNotFound, "none.obj"},
		{"empty", map[string]any{"input_path": write("e.stl", "")}, contract.CodeFileEmpty, "no content"},
		{"noise", map[string]any{"input_path": write("n.obj", "\x01\x02\x03")}, contract.CodeFileUnreadable, "line 1"},
		{"not finite", map[string]any{"input_path": write("nan.obj", "v 0 0 nan\n")}, contract.CodeFileUnreadable, "not finite"},
		{"a STEP file", map[string]any{"input_path": write("s.step", "ISO-10303-21;\nHEADER;\n")}, contract.CodeFileUnreadable, "no surface format"},
		{"a sheet", map[string]any{"input_path": write("q.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")}, "ERR_NON_MANIFOLD_UNRESOLVABLE", "enclose no volume"},
		{"a hole beyond the limit", map[string]any{"input_path": write("b.obj", bowl), "max_hole_edges": 3}, "ERR_HOLE_TOO_LARGE", "4 border edges"},
		{"a patch beyond the limit", map[string]any{"input_path": write("b.obj", bowl), "max_hole_area_ratio": 0.1}, "ERR_HOLE_TOO_LARGE", "0.2 times"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, err := repairFile(t, c.input)
			var e *contract.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.says) || e.Field != "/input_path" {
				t.Fatalf("%v, want %s saying %q at /input_path", err, c.code, c.says)
			}
			if !slices.ContainsFunc(meshRepair.Contract.Errors, func(s contract.ErrorSpec) bool { return s.Code == e.Code }) {
				t.Errorf("the contract does not list %s", e.Code)
			}
		})
	}
}

func TestOpenByWish(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bowl.ply")
	m, err := geometry.Decode([]byte(bowl), geometry.OBJ)
	if err != nil {
		t.Fatal(err)
	}
	if err := geometry.Write(path, m); err != nil {
		t.Fatal(err)
	}
	out, res, _, err := repairFile(t, map[string]any{"input_path": path, "fill_holes": false, "length_unit": "cm"})
	if err != nil {
		t.Fatal(err)
	}
	if out.DefectReport.UnresolvedErrors != 1 || out.Repaired.Volume != nil || res.Evidence.Trust() != evidence.Suspect ||
		out.Format != "ply" || out.LengthUnit != "cm" {
		t.Errorf("%+v %+v", out, res.Evidence)
	}
}

// Two boxes that overlap, united: evidence turns from suspect to converged. The
// figures of the boxes as they came count the overlap twice, so that nothing
// independent gives the volume of the union.
func TestResolveIntersections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cross.obj")
	var b strings.Builder
	for _, o := range []float64{0, 0.5} {
		for _, v := range [][3]float64{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}} {
			b.WriteString("v " + num(v[0]+o) + " " + num(v[1]+0.6*o) + " " + num(v[2]+0.2*o) + "\n")
		}
		for _, f := range []string{"-8 -5 -6 -7", "-4 -3 -2 -1", "-8 -7 -3 -4", "-7 -6 -2 -3", "-6 -5 -1 -2", "-5 -8 -4 -1"} {
			b.WriteString("f " + f + "\n")
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, resolve := range []bool{false, true} {
		out, res, _, err := repairFile(t, map[string]any{"input_path": path, "resolve_intersections": resolve})
		if err != nil {
			t.Fatal(err)
		}
		want, trust := 2.0, evidence.Suspect // each box counts by itself
		if resolve {
			want, trust = 2-0.5*0.7*0.9, evidence.Converged // the overlap once
		}
		if math.Abs(*out.Repaired.Volume-want) > 1e-6 || res.Evidence.Trust() != trust {
			t.Errorf("resolve %v: volume %g, want %g; %+v", resolve, *out.Repaired.Volume, want, res.Evidence)
		}
	}
}

func TestCancelledCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cube.obj")
	if err := os.WriteFile(path, []byte(bowl), 0o600); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]string{"input_path": path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := meshRepair.Run(ctx, call(t, t.TempDir()), raw); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A cube that faces inward and crosses another one is a cut, or a part written inside out:
// whichever it was, the union of the two is not to be trusted.
func TestAnInsideOutPartThatCrossesIsSuspect(t *testing.T) {
	for _, c := range []struct {
		name string
		turn bool
		want evidence.Trust
	}{{"outward", false, ""}, {"inward", true, evidence.Suspect}} {
		m := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
		box := func(at geometry.Vec3, size float64, turned bool) {
			base := int32(len(m.Vertices))
			for i := range 8 {
				m.Vertices = append(m.Vertices, at.Add(geometry.Vec3{float64(i & 1), float64(i >> 1 & 1), float64(i >> 2)}.Scale(size)))
			}
			for _, q := range [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
				if turned {
					q[1], q[3] = q[3], q[1]
				}
				m.Triangles = append(m.Triangles, [3]int32{base + q[0], base + q[1], base + q[2]}, [3]int32{base + q[0], base + q[2], base + q[3]})
			}
		}
		box(geometry.Vec3{}, 10, false)
		box(geometry.Vec3{4.1, 4.2, 9.3}, 1, c.turn) // small enough to pass for the same volume
		path := filepath.Join(t.TempDir(), "part.obj")
		if err := geometry.Write(path, m); err != nil {
			t.Fatal(err)
		}
		_, res, _, err := repairFile(t, map[string]any{"input_path": path, "resolve_intersections": true})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(strings.Join(res.Evidence.Reasons(), " "), "united_inside_out")
		if told != c.turn || c.want != "" && res.Evidence.Trust() != c.want {
			t.Errorf("%s: %s, %v", c.name, res.Evidence.Trust(), res.Evidence.Reasons())
		}
	}
}
