package mesh

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// finned writes a block of w × d × h, in mm, with a fin of thickness s and height f along
// its middle, as a closed surface of ten named faces.
func finned(t testing.TB, w, d, h, s, f float64) string {
	t.Helper()
	l, r := (w-s)/2, (w+s)/2
	outline := [][2]float64{{0, 0}, {l, 0}, {r, 0}, {w, 0}, {w, h}, {r, h}, {r, h + f}, {l, h + f}, {l, h}, {0, h}}
	m := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
	quad := func(face int32, a, b, c, d int32) {
		m.Triangles = append(m.Triangles, [3]int32{a, b, c}, [3]int32{a, c, d})
		m.FaceID = append(m.FaceID, face, face)
	}
	for _, p := range outline {
		m.Vertices = append(m.Vertices, geometry.Vec3{p[0], 0, p[1]}, geometry.Vec3{p[0], d, p[1]})
	}
	for i, face := range []int32{3, 3, 3, 4, 5, 6, 7, 8, 9, 10} {
		a, b := int32(2*i), int32(2*((i+1)%len(outline)))
		quad(face, b, a, a+1, b+1)
	}
	for _, q := range [4][4]int32{{0, 1, 8, 9}, {1, 2, 5, 8}, {2, 3, 4, 5}, {8, 5, 6, 7}} {
		quad(1, 2*q[0], 2*q[1], 2*q[2], 2*q[3])
		quad(2, 2*q[3]+1, 2*q[2]+1, 2*q[1]+1, 2*q[0]+1)
	}
	for i, name := range []string{"front", "back", "bottom", "right", "top right", "fin right", "fin top", "fin left", "top left", "left"} {
		m.Meta.Faces = append(m.Meta.Faces, geometry.Face{ID: int32(i + 1), Name: name, Body: 1})
	}
	path := filepath.Join(t.TempDir(), "finned.obj")
	if err := geometry.Write(path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

// With min_dx the fin is fine and the block coarse: the volume and the faces of the
// drawing, the checks of every mesh, and fewer tetrahedra than at min_dx everywhere,
// where w d h alone asks for 12 in each min_dx³.
func TestVolumeMeshGrades(t *testing.T) {
	rng := testenv.Random(t)
	w, d, h, s, f := 18+4*rng.Float64(), 10+2*rng.Float64(), 8+2*rng.Float64(), 1.2+0.4*rng.Float64(), 2+rng.Float64()
	file := finned(t, w, d, h, s, f)
	out, res, _, err := meshVolume(t, map[string]any{"input_path": file, "dx": 2.4, "min_dx": 0.6})
	if err != nil {
		t.Fatal(err)
	}
	volume := d * (w*h + s*f)
	if math.Abs(out.Volume/volume-1) > 0.002 || out.MinDX != 0.6 || out.DX != 2.4 || out.AttributeCount != 10 || out.MinDihedral < 12 {
		t.Errorf("a volume of %g gave %+v", volume, out)
	}
	if uniform := 12 * w * d * h / math.Pow(0.6, 3); float64(out.Stats.TetrahedraCount) > uniform/4 {
		t.Errorf("%d tetrahedra; %.0f at 0.6 everywhere", out.Stats.TetrahedraCount, uniform)
	}
	for _, name := range []string{"smallest_dihedral_angle", "largest_dihedral_angle", "body_volume", "faces_lost", "face_area", "flat_faces"} {
		found := false
		for _, c := range res.Statement.Checks {
			found = found || c.Name == name
		}
		if !found {
			t.Errorf("no check %s", name)
		}
	}
	if res.Evidence.Trust() != evidence.Verified {
		t.Errorf("trust is %s: %v", res.Evidence.Trust(), res.Evidence.Reasons())
	}
	if !strings.Contains(res.Summary, "2.4 down to 0.6 mm") {
		t.Errorf("the summary is %q", res.Summary)
	}
}

// Without dx the largest spacing is min_dx doubled some times.
func TestVolumeMeshChoosesTheLargestSpacing(t *testing.T) {
	out, _, _, err := meshVolume(t, map[string]any{"input_path": finned(t, 20, 10, 9, 1.5, 3), "min_dx": 0.5, "elements_across": 1})
	if err != nil {
		t.Fatal(err)
	}
	if halvings := math.Log2(out.DX / 0.5); !out.DXChosen || halvings < 0 || math.Abs(halvings-math.Round(halvings)) > 1e-9 || math.Abs(out.Volume/1845-1) > 0.01 {
		t.Errorf("%+v", out)
	}
}

func TestVolumeMeshGradedRefusals(t *testing.T) {
	file := plate(t, 10, 10, 0.5)
	for name, c := range map[string]struct {
		input map[string]any
		code  string
		field string
	}{
		"larger":  {map[string]any{"dx": 1, "min_dx": 2}, "ERR_INVALID_DX", "/min_dx"},
		"without": {map[string]any{"dx": 1, "elements_per_circle": 20}, "invalid_request", "/elements_per_circle"},
		"neither": {map[string]any{"dx": 1, "elements_across": 3}, "invalid_request", "/elements_across"},
		"limit":   {map[string]any{"dx": 1, "min_dx": 0.01, "elements_across": 20, "max_tetrahedra": 40000}, "ERR_INVALID_DX", "/min_dx"},
	} {
		c.input["input_path"] = file
		_, _, _, err := meshVolume(t, c.input)
		var e *contract.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Field != c.field || e.Hint == "" {
			t.Errorf("%s: %v; %s at %s with a hint was expected", name, err, c.code, c.field)
		}
	}
}
