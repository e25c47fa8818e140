package mesh

import (
	"math"
	"path/filepath"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// boxes writes closed boxes, each with faces of its own body where labels are asked.
func boxes(t *testing.T, name string, labels bool, corners ...[2]geometry.Vec3) string {
	t.Helper()
	m := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
	for n, c := range corners {
		base := int32(len(m.Vertices))
		for i := range 8 {
			m.Vertices = append(m.Vertices, geometry.Vec3{c[i&1][0], c[i>>1&1][1], c[i>>2][2]})
		}
		for i, q := range [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
			m.Triangles = append(m.Triangles, [3]int32{base + q[0], base + q[1], base + q[2]}, [3]int32{base + q[0], base + q[2], base + q[3]})
			if labels {
				id := int32(6*n + i + 1)
				m.FaceID = append(m.FaceID, id, id)
				m.Meta.Faces = append(m.Meta.Faces, geometry.Face{ID: id, Kind: "plane", Body: int32(n + 1)})
			}
		}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := geometry.Write(path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkOf(t *testing.T, res *contract.Result, name string) evidence.Check {
	t.Helper()
	for _, c := range res.Evidence.Checks() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no check %s", name)
	return evidence.Check{}
}

// Bodies that occupy the same space count it twice: no figure of a mesh or of a
// repaired surface of them is above suspect. Touching bodies are fine.
func TestBodiesInTheSameSpaceAreSuspect(t *testing.T) {
	rng := testenv.Random(t)
	d := 2 + 6*rng.Float64()
	one := [2]geometry.Vec3{{}, {10, 10, 10}}
	for _, c := range []struct {
		name   string
		other  [2]geometry.Vec3
		labels bool
		apart  bool
	}{
		{"crossing.stl", [2]geometry.Vec3{{d, d, d}, {10 + d, 10 + d, 10 + d}}, false, false},
		{"crossing.obj", [2]geometry.Vec3{{d, 0, 0}, {10 + d, 10, 10}}, true, false},
		{"inside.stl", [2]geometry.Vec3{{1, 1, 1}, {1 + d, 1 + d, 1 + d}}, false, false},
		{"the same.obj", one, true, false},
		{"touching.obj", [2]geometry.Vec3{{10, 0, 0}, {10 + d, 10, 10}}, true, true},
		{"apart.stl", [2]geometry.Vec3{{11, 0, 0}, {11 + d, 10, 10}}, false, true},
	} {
		path := boxes(t, c.name, c.labels, one, c.other)
		_, volume, _, err := meshVolume(t, map[string]any{"input_path": path, "dx": 1.5})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, repaired, _, err := repairFile(t, map[string]any{"input_path": path})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, res := range []*contract.Result{volume, repaired} {
			check := checkOf(t, res, "bodies_apart")
			if check.Passed != c.apart || !c.apart && res.Evidence.Trust() != evidence.Suspect {
				t.Errorf("%s: %s, %+v", c.name, res.Evidence.Trust(), check)
			}
		}
	}
	// A cavity is no body: its wall faces inwards.
	path := boxes(t, "cavity.stl", false, one, [2]geometry.Vec3{{3, 3, 3}, {7, 7, 7}})
	m, err := geometry.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 12; i < 24; i++ {
		v := &m.Triangles[i]
		v[0], v[1] = v[1], v[0]
	}
	if err := geometry.Write(path, m); err != nil {
		t.Fatal(err)
	}
	out, res, _, err := repairFile(t, map[string]any{"input_path": path})
	if err != nil || math.Abs(*out.Repaired.Volume-936) > 1e-9 || res.Evidence.Trust() == evidence.Suspect {
		t.Errorf("a box with a cavity: %v, %+v", err, res.Evidence)
	}
}
