package stuffing

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
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

// Every expected volume and area is the shape's closed form; the tolerances are
// those that are promised, the polygons' own error included.
func TestClosedForms(t *testing.T) {
	const pi = math.Pi
	hole := pi * 0.3 * 0.3
	fillet := (1 - pi/4) * 0.4 * 0.4
	profile := 3*0.5 + 2.5*0.5 + fillet
	cases := []struct {
		name   string
		shape  *geometry.Mesh
		dx     float64
		volume float64
		areas  map[int32]float64
		genus  int
	}{
		{"sphere", sphere(1, 5), 0.15, 4 * pi / 3, map[int32]float64{1: 4 * pi}, 0},
		{"torus", torus(3, 1, 48), 0.3, 6 * pi * pi, map[int32]float64{1: 12 * pi * pi}, 1},
		{"drilled block", drilled(1, 1, 0.3, 8), 0.1, 4 - hole, map[int32]float64{
			1: 2, 2: 2, 3: 2, 4: 2, 5: 4 - hole, 6: 4 - hole, 7: 0.6 * pi}, 1},
		{"turned drilled block", turned(drilled(1, 1, 0.3, 8)), 0.1, 4 - hole, map[int32]float64{
			1: 2, 2: 2, 3: 2, 4: 2, 5: 4 - hole, 6: 4 - hole, 7: 0.6 * pi}, 1},
		{"bracket", bracket(3, 0.5, 1, 0.4, 16), 0.12, profile, map[int32]float64{
			1: profile, 2: profile, 3: 3, 4: 0.5, 5: 2.1, 6: pi / 2 * 0.4, 7: 2.1, 8: 0.5, 9: 3}, 0},
		{"turned bracket", turned(bracket(3, 0.5, 1, 0.4, 16)), 0.12, profile, map[int32]float64{
			1: profile, 2: profile, 3: 3, 4: 0.5, 5: 2.1, 6: pi / 2 * 0.4, 7: 2.1, 8: 0.5, 9: 3}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, optimize := range []bool{true, false} {
				if !optimize && c.genus == 0 {
					continue
				}
				r := generate(t, c.shape, Options{DX: c.dx, Optimize: optimize})
				volume, least := checkMesh(t, r.Mesh)
				if math.Abs(volume/c.volume-1) > volumeTolerance {
					t.Errorf("volume %.6g, closed form %.6g", volume, c.volume)
				}
				for id, a := range areas(r) {
					if math.Abs(a/c.areas[id]-1) > areaTolerance {
						t.Errorf("face %d has area %.5g, closed form %.5g", id, a, c.areas[id])
					}
				}
				if b := r.Bodies[0]; b.Handles != c.genus || b.SurfaceHandle != c.genus {
					t.Errorf("genus %d and %d, the shape has %d", b.Handles, b.SurfaceHandle, c.genus)
				}
				t.Logf("%d tetrahedra, least angle %.2f°, volume %+.3f %%", len(r.Mesh.Tetrahedra), least, 100*(volume/c.volume-1))
			}
		})
	}
}

// Walls between two and half a spacing thick keep their volume and their one
// piece; below that the kernel refuses and suggests what works.
func TestThinPlates(t *testing.T) {
	for _, thick := range []float64{0.2, 0.1, 0.07} {
		for name, plate := range map[string]*geometry.Mesh{
			"straight": box(vec{}, vec{2, 1.5, thick}), "turned": turned(box(vec{}, vec{2, 1.5, thick})),
		} {
			r := generate(t, plate, Options{DX: 0.1, Optimize: true})
			volume, _ := checkMesh(t, r.Mesh)
			if math.Abs(volume/(3*thick)-1) > volumeTolerance || r.Bodies[0].Handles != 0 {
				t.Errorf("%s plate %g thick at dx 0.1: %+v", name, thick, r.Bodies[0])
			}
		}
	}
	plate := box(vec{}, vec{0.5, 0.4, 0.02})
	_, err := Generate(context.Background(), plate, Options{DX: 0.3, Optimize: true, FeatureAngle: 45, MaxTetrahedra: 2_000_000})
	var e *contract.Error
	if !errors.As(err, &e) || e.Code != "ERR_DX_TOO_COARSE" {
		t.Fatalf("%v; ERR_DX_TOO_COARSE was expected", err)
	}
	dx, ok := e.Details["suggested_dx"].(float64)
	if !ok {
		t.Fatalf("no suggested_dx: %v", e)
	}
	r := generate(t, plate, Options{DX: dx, Optimize: true})
	if volume, _ := checkMesh(t, r.Mesh); math.Abs(volume/0.004-1) > volumeTolerance {
		t.Errorf("at the suggested dx %g the plate of 0.004 has %g", dx, volume)
	}
}

// A sheet whose walls ask for more tetrahedra than are allowed is refused before the first
// is made, with or without dx: 20 x 10 x t has 2 (20 x 10) of its surface on walls of t.
func TestSheetsOutOfReachAreRefusedAtOnce(t *testing.T) {
	thick := 0.005 + 0.01*testenv.Random(t).Float64()
	for _, dx := range []float64{0, 1} {
		tried := 0
		_, err := Generate(context.Background(), box(vec{}, vec{20, 10, thick}), Options{DX: dx, Optimize: true, FeatureAngle: 45, MaxTetrahedra: 2_000_000, Progress: func(float64, string) { tried++ }})
		var e *contract.Error
		if !errors.As(err, &e) || e.Code != contract.CodeDxTooCoarse || e.Field != "/max_tetrahedra" {
			t.Fatalf("dx %g: %v", dx, err)
		}
		if n, _ := e.Details["estimated_tetrahedra"].(float64); n < 2e6 || n > 200/thick/thick*20 {
			t.Errorf("dx %g: about %g tetrahedra are told", dx, n)
		}
		if dx == 0 && tried > 1 {
			t.Errorf("%d reports of progress before the refusal", tried)
		}
	}
}

// Two boxes apart, one inside out, a box in a box facing inwards (a cavity) and
// two boxes that share a side: bodies, volumes and warnings.
func TestBodies(t *testing.T) {
	two := &shape{}
	two.add(box(vec{}, vec{1, 1, 1}), 0)
	two.add(box(vec{2, 0, 0}, vec{4, 1, 1}), 6)
	for i, v := range two.Triangles[12:] {
		two.Triangles[12+i] = [3]int32{v[0], v[2], v[1]}
	}
	hollow := &shape{}
	hollow.add(box(vec{}, vec{4, 4, 4}), 0)
	hollow.add(box(vec{1, 1, 1}, vec{3, 3, 3}), 6)
	for i, v := range hollow.Triangles[12:] {
		hollow.Triangles[12+i] = [3]int32{v[0], v[2], v[1]}
	}
	touching := &shape{}
	touching.add(box(vec{}, vec{1, 1, 1}), 0)
	touching.add(box(vec{1, 0, 0}, vec{2, 1, 1}), 6)
	for i := range 12 {
		touching.Meta.Faces = append(touching.Meta.Faces, geometry.Face{ID: int32(i + 1), Body: int32(i/6 + 1)})
	}
	for name, c := range map[string]struct {
		s       *shape
		volumes []float64
	}{
		"apart": {two, []float64{1, 2}}, "hollow": {hollow, []float64{64 - 8}}, "touching": {touching, []float64{1, 1}},
	} {
		r := generate(t, &c.s.Mesh, Options{Optimize: true})
		checkMesh(t, r.Mesh)
		if len(r.Bodies) != len(c.volumes) {
			t.Errorf("%s: %d bodies, %d were expected", name, len(r.Bodies), len(c.volumes))
			continue
		}
		for i, b := range r.Bodies {
			if math.Abs(b.Volume/c.volumes[i]-1) > 0.005 || b.Body != int32(i+1) {
				t.Errorf("%s: body %d has volume %g, %g was expected", name, b.Body, b.Volume, c.volumes[i])
			}
		}
		for _, f := range r.Faces {
			if math.Abs(f.Error) > areaTolerance {
				t.Errorf("%s: face %d has area %g of %g", name, f.Attribute, f.Area, f.Expected)
			}
		}
	}
}

func TestRefusesOpenSurfaces(t *testing.T) {
	open := box(vec{}, vec{1, 1, 1})
	open.Triangles, open.FaceID = open.Triangles[1:], open.FaceID[1:]
	_, err := Generate(context.Background(), open, Options{MaxTetrahedra: 1e6})
	var e *contract.Error
	// Without one triangle its three edges have one triangle each.
	if !errors.As(err, &e) || e.Code != "ERR_NOT_WATERTIGHT" || e.Details["open_edges"] != 3 {
		t.Errorf("an open box gave %v %v", err, e.Details)
	}
}

// The same input gives the same mesh, however many processors work on it.
func TestDeterministic(t *testing.T) {
	var first *Result
	for _, processors := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(processors)
		r := generate(t, turned(bracket(3, 0.5, 1, 0.4, 16)), Options{DX: 0.1, Optimize: true})
		runtime.GOMAXPROCS(before)
		if first == nil {
			first = r
		} else if !reflect.DeepEqual(first.Mesh, r.Mesh) {
			t.Errorf("%d processors make another mesh than one", processors)
		}
	}
}

// No tetrahedron joins vertices that are moved at the same time by different
// goroutines, and every vertex is moved once.
func TestSlabsDoNotMeet(t *testing.T) {
	r := generate(t, turned(bracket(3, 0.5, 1, 0.4, 16)), Options{DX: 0.1, Optimize: true})
	m := &tetMesh{pos: r.Mesh.Vertices, tets: r.Mesh.Tetrahedra}
	for _, dx := range []float64{0.1, 0.01, 1} { // slabs as thick as meant, far too thin, and two in all
		relaxing := &relaxer{m: m, s: &surface{verts: r.Mesh.Vertices, tris: r.Mesh.Triangles}, dx: dx}
		relaxing.split()
		at := make([]int, len(m.pos))
		for phase, slabs := range relaxing.groups.phases {
			for k, slab := range slabs {
				for _, v := range slab {
					at[v] += 1 + phase + 2*k
				}
			}
		}
		moved := 0
		for _, slabs := range relaxing.groups.phases {
			for _, slab := range slabs {
				moved += len(slab)
			}
		}
		if moved+len(relaxing.groups.far) != len(m.pos) {
			t.Errorf("dx %g: %d and %d of %d vertices", dx, moved, len(relaxing.groups.far), len(m.pos))
		}
		for _, tet := range m.tets {
			for _, v := range tet {
				for _, u := range tet {
					if a, b := at[u], at[v]; a != 0 && b != 0 && a != b && a%2 == b%2 {
						t.Fatalf("dx %g: slabs %d and %d of one phase meet", dx, a, b)
					}
				}
			}
		}
	}
}

// The closed surfaces of the shared folder. Expected volumes are those of its
// facts.json, measured there by two other programs; bunny, block, busted, joint
// and fandisk are single bodies without gross self-intersections.
func TestSharedMeshes(t *testing.T) {
	folder := testenv.Shared(t, "data", "meshes")
	for name, c := range map[string]struct{ volume, dx float64 }{
		"block.obj": {7705.061629, 1.2}, "busted.STL": {526.44891, 0.5}, "fandisk.off": {1.1227177, 0.06}, "joint.obj": {0.501126844, 0},
		"bunny_pmp.off": {0.00075480913, 0.0055}, "quartet_sphere.obj": {4.0470455, 0.15},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := geometry.Read(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			dx, volume := c.dx, c.volume
			if os.Getenv("ATELIER_LONG") != "" {
				dx = 0
			}
			r := generate(t, s, Options{DX: dx, Optimize: true})
			got, least := checkMesh(t, r.Mesh)
			if math.Abs(got/volume-1) > volumeTolerance {
				t.Errorf("volume %.6g, facts.json has %.6g", got, volume)
			}
			t.Logf("dx %.4g: %d tetrahedra, least angle %.2f°, volume %+.3f %%", r.Bodies[0].DX, len(r.Mesh.Tetrahedra), least, 100*(got/volume-1))
		})
	}
}
