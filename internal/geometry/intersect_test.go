package geometry

import (
	"context"
	"path/filepath"
	"testing"
)

// pymeshlab's counts of intersecting faces are an independent judge. It leaves
// out pairs that only touch or nearly so, which the exact test here counts: there
// the figure may be larger, never smaller.
func TestSelfIntersectionsAgainstFacts(t *testing.T) {
	dir, facts := readFacts(t)
	touching := map[string]bool{"block.obj": true, "bunny_pmp.off": true, "openscad_nonmanifold.obj": true}
	for name, f := range facts {
		if name == "wallhole.obj" {
			continue // its polygons are cut differently there
		}
		m, err := Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := m.SelfIntersections(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := facesIn(pairs); n < f.SelfFaces || n > f.SelfFaces && !touching[name] {
			t.Errorf("%s: %d faces, pymeshlab has %d", name, n, f.SelfFaces)
		}
	}
}

// Pairs of triangles by hand, each with the reason for its verdict.
func TestCrosses(t *testing.T) {
	base := [3]Vec3{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}
	for _, c := range []struct {
		why   string
		other [3]Vec3
		want  bool
	}{
		{"pierces it", [3]Vec3{{1, 1, -1}, {1, 1, 1}, {5, 5, 1}}, true},
		{"lies above", [3]Vec3{{1, 1, 1}, {2, 1, 1}, {1, 2, 1}}, false},
		{"touches it from above with a corner", [3]Vec3{{1, 1, 0}, {2, 1, 1}, {1, 2, 1}}, true},
		{"lies in its plane, apart", [3]Vec3{{5, 5, 0}, {6, 5, 0}, {5, 6, 0}}, false},
		{"lies in its plane, inside", [3]Vec3{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, true},
		{"shares an edge, folded up", [3]Vec3{{4, 0, 0}, {0, 0, 0}, {1, 1, 1}}, false},
		{"shares an edge, continues flat", [3]Vec3{{4, 0, 0}, {0, 0, 0}, {1, -1, 0}}, false},
		{"shares an edge, folded back onto it", [3]Vec3{{4, 0, 0}, {0, 0, 0}, {1, 1, 0}}, true},
		{"shares a corner, away from it", [3]Vec3{{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}}, false},
		{"shares a corner, its far edge pierces", [3]Vec3{{0, 0, 0}, {1, 1, -1}, {1, 1, 1}}, true},
		{"shares a corner in the plane, beside", [3]Vec3{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}}, false},
		{"shares a corner in the plane, overlapping", [3]Vec3{{0, 0, 0}, {1, 2, 0}, {2, 1, 0}}, true},
		{"shares a corner, a far corner on its edge", [3]Vec3{{0, 0, 0}, {2, 0, 0}, {1, 0, 3}}, false},
		{"the same corners, run oppositely: two solids that touch", [3]Vec3{{0, 0, 0}, {0, 4, 0}, {4, 0, 0}}, false},
		{"the same triangle twice", base, true},
	} {
		m := &Mesh{Vertices: append(append([]Vec3{}, base[:]...), c.other[:]...), Triangles: [][3]int32{{0, 1, 2}, {3, 4, 5}}}
		if got := m.crosses(0, 1); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
		if got := m.crosses(1, 0); got != c.want {
			t.Errorf("%s, the other way: %v", c.why, got)
		}
	}
}
