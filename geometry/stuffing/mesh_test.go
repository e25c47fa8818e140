package stuffing

import (
	"context"
	"math"
	"testing"

	"atelier/geometry"
)

// checkMesh holds a mesh against everything that must hold for any mesh: each
// face shared by two tetrahedra or on the boundary, the boundary closed,
// manifold and outward, the volume of the tetrahedra that of the boundary by the
// divergence theorem, no angle under the bound.
func checkMesh(t *testing.T, m *Mesh) (volume, least float64) {
	t.Helper()
	type face [3]int32
	count := map[face]int{}
	key := func(a, b, c int32) face { a, b, c = sort3(a, b, c); return face{a, b, c} }
	least = 180
	for i, v := range m.Tetrahedra {
		p, q, r, s := m.Vertices[v[0]], m.Vertices[v[1]], m.Vertices[v[2]], m.Vertices[v[3]]
		w := orient3(p, q, r, s) / 6
		if w <= 0 {
			t.Fatalf("tetrahedron %d has volume %g", i, w)
		}
		volume += w
		l, _ := dihedrals(p, q, r, s)
		least = min(least, l)
		for _, f := range tetFaces {
			count[key(v[f[0]], v[f[1]], v[f[2]])]++
		}
	}
	if least < 10 {
		t.Errorf("smallest dihedral angle %.3f°, at least 10° are promised", least)
	}
	open := 0
	for _, n := range count {
		switch n {
		case 1:
			open++
		case 2:
		default:
			t.Fatalf("a face is shared by %d tetrahedra", n)
		}
	}
	for _, v := range m.Triangles {
		if count[key(v[0], v[1], v[2])] != 1 {
			t.Fatalf("boundary triangle %v is no face of exactly one tetrahedron", v)
		}
	}
	if open != len(m.Triangles) {
		t.Errorf("%d faces have one tetrahedron, %d boundary triangles are listed", open, len(m.Triangles))
	}
	surface := &geometry.Mesh{Vertices: m.Vertices, Triangles: m.Triangles}
	if topology := surface.Check(); !topology.Sound() {
		t.Errorf("the boundary is not closed, manifold and oriented: %+v", topology)
	}
	if by := surface.Volume(); math.Abs(by/volume-1) > 1e-9 {
		t.Errorf("the tetrahedra have volume %.12g, their boundary encloses %.12g", volume, by)
	}
	return volume, least
}

func generate(t *testing.T, s *geometry.Mesh, o Options) *Result {
	t.Helper()
	if o.MaxTetrahedra == 0 {
		o.MaxTetrahedra = 2_000_000
	}
	if o.FeatureAngle == 0 {
		o.FeatureAngle = 45
	}
	r, err := Generate(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func areas(r *Result) map[int32]float64 {
	m := map[int32]float64{}
	for _, f := range r.Faces {
		m[f.Attribute] += f.Area
	}
	return m
}

// box is a closed box whose six sides are faces 1 (x-) to 6 (z+).
func box(lo, hi vec) *geometry.Mesh {
	m := &geometry.Mesh{}
	for i := range 8 {
		p := lo
		for k := range 3 {
			if i>>k&1 == 1 {
				p[k] = hi[k]
			}
		}
		m.Vertices = append(m.Vertices, p)
	}
	quads := [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}
	for i, q := range quads {
		m.Triangles = append(m.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
		m.FaceID = append(m.FaceID, int32(i+1), int32(i+1))
	}
	return m
}

func TestCube(t *testing.T) {
	// A spacing that does not divide the edge, so that nothing fits by luck.
	for _, dx := range []float64{0, 0.1, 0.137} {
		r := generate(t, box(vec{}, vec{1, 1, 1}), Options{DX: dx, Optimize: true})
		volume, least := checkMesh(t, r.Mesh)
		if math.Abs(volume-1) > 1e-3 {
			t.Errorf("dx %g: volume %.9f, the cube has 1", dx, volume)
		}
		for id, a := range areas(r) {
			if math.Abs(a-1) > 2e-3 {
				t.Errorf("dx %g: face %d has area %.9f, each side has 1", dx, id, a)
			}
		}
		t.Logf("dx %g: %d tetrahedra, least angle %.2f", r.Bodies[0].DX, len(r.Mesh.Tetrahedra), least)
	}
}
