package mesh

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// boxesAt are boxes of one size at the given places.
func boxesAt(size geometry.Vec3, at ...geometry.Vec3) *geometry.Mesh {
	m := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
	for _, lo := range at {
		n := int32(len(m.Vertices))
		for i := range 8 {
			p := lo
			for k := range 3 {
				p[k] += size[k] * float64(i>>k&1)
			}
			m.Vertices = append(m.Vertices, p)
		}
		for _, q := range [][4]int32{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
			m.Triangles = append(m.Triangles, [3]int32{n + q[0], n + q[1], n + q[2]}, [3]int32{n + q[0], n + q[2], n + q[3]})
		}
	}
	return m
}

func saved(t *testing.T, m *geometry.Mesh, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := geometry.Write(path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

// What was handed in is the same surface whether it is wrapped or not. Two boxes that
// overlap at a corner meet in it: some triangles of either must intersect.
func TestInitialIsTheSameOfAWrap(t *testing.T) {
	r := testenv.Random(t)
	size := geometry.Vec3{5 + r.Float64(), 5 + r.Float64(), 5 + r.Float64()}
	path := saved(t, boxesAt(size, geometry.Vec3{}, size.Scale(0.3+0.4*r.Float64())), "overlap.obj")
	plain, _, _, err := repairFile(t, map[string]any{"input_path": path})
	if err != nil {
		t.Fatal(err)
	}
	wrapped, _, _, err := repairFile(t, map[string]any{"input_path": path, "wrap_offset": 1.5})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Initial.IntersectingFaces < 2 || !reflect.DeepEqual(plain.Initial, wrapped.Initial) {
		t.Errorf("without: %+v\nwrapped: %+v", plain.Initial, wrapped.Initial)
	}
}

// A box of which every triangle stands n times, with the same points or with others, is
// that box: a·b·c, n-1 times 12 triangles removed. It is not held against n boxes.
func TestABoxThatStandsSeveralTimes(t *testing.T) {
	r := testenv.Random(t)
	size := geometry.Vec3{5 + r.Float64(), 5 + r.Float64(), 5 + r.Float64()}
	for n := 2; n <= 3; n++ {
		for _, ext := range []string{".obj", ".stl"} { // STL has points of its own for every triangle
			path := saved(t, boxesAt(size, make([]geometry.Vec3, n)...), "copies"+ext)
			out, res, _, err := repairFile(t, map[string]any{"input_path": path})
			if err != nil {
				t.Fatal(err)
			}
			volume := size[0] * size[1] * size[2]
			if v := out.Repaired.Volume; v == nil || math.Abs(*v/volume-1) > 1e-6 || out.Repaired.Triangles != 12 || out.Actions.DuplicatesRemoved != 12*(n-1) || out.Initial.DuplicateFaces != 12*(n-1) {
				t.Errorf("%d times in %s: %+v %+v, the box has %v", n, ext, out.Repaired, out.Actions, volume)
			}
			for _, q := range res.Evidence.Quantities()[:3] {
				if q.Trust() == evidence.Suspect {
					t.Errorf("%d times in %s: %s is suspect: %v", n, ext, q.Name, q.Reasons())
				}
			}
		}
	}
}

// Bytes that were passed over are told; a count that leaves a box out is refused.
func TestTheRestOfAFile(t *testing.T) {
	m := boxesAt(geometry.Vec3{5, 6, 7}, geometry.Vec3{}, geometry.Vec3{20, 0, 0})
	path := saved(t, m, "two.stl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(append(bytes.Clone(whole), "signed"...))
	_, res, _, err := repairFile(t, map[string]any{"input_path": path})
	if err != nil || !strings.Contains(fmt.Sprint(res.Warnings), "The last 6 bytes of the file") {
		t.Errorf("%v %+v", err, res)
	}
	if _, res, _, err := meshVolume(t, map[string]any{"input_path": path, "dx": 2}); err != nil || !strings.Contains(fmt.Sprint(res.Warnings), "The last 6 bytes of the file") {
		t.Errorf("a volume mesh: %v %+v", err, res)
	}
	whole[80] = 12
	rewrite(whole)
	_, _, _, err = repairFile(t, map[string]any{"input_path": path})
	if e := contract.AsError(err); err == nil || e.Code != contract.CodeFileUnreadable || e.Field != "/input_path" || e.Hint == "" {
		t.Errorf("%v", err)
	}
}
