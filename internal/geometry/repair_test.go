package geometry

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

func repaired(t *testing.T, m *Mesh, opt RepairOptions) (*Mesh, *RepairReport) {
	t.Helper()
	out, rep, err := Repair(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	if opt.FillHoles && !out.Check().Sound() {
		t.Fatalf("not sound: %+v", out.Check())
	}
	return out, rep
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %.12g, want %.12g ± %g", what, got, want, tol)
	}
}

// Good meshes must come out as they went in, to the last bit.
func TestRepairLeavesGoodMeshesAlone(t *testing.T) {
	for name, m := range map[string]*Mesh{
		"cube": cube(Vec3{}, Vec3{1, 2, 3}), "tetrahedron": tetrahedron(), "sphere": icosphere(3, 2), "torus": torus(40, 20, 3, 1),
	} {
		out, rep := repaired(t, m, RepairOptions{FillHoles: true, ResolveIntersections: true})
		if !slices.Equal(out.Vertices, m.Vertices) && name != "cube" || out.Volume() != m.Volume() || len(out.Triangles) != len(m.Triangles) || !slices.Equal(out.FaceID, m.FaceID) {
			t.Errorf("%s changed: %+v", name, rep)
		}
		near(t, name+" volume", out.Volume(), m.fluxVolume(), 1e-12*out.Volume()+1e-14)
		if want := map[string]int{"torus": 1}[name]; rep.Final.Genus != want {
			t.Errorf("%s: genus %d, want %d", name, rep.Final.Genus, want)
		}
		if len(rep.Warnings) > 0 || rep.FinalIntersecting > 0 {
			t.Errorf("%s: %v, %d intersecting", name, rep.Warnings, rep.FinalIntersecting)
		}
	}
}

// Fans punched out of a torus leave hexagonal holes; filling them flat costs
// less than the volume between a fan and its base: a cap of height ~ r²/2R.
func TestPunchedTorus(t *testing.T) {
	whole := torus(60, 30, 3, 1)
	m := whole.Clone()
	m.punch(9)
	out, rep := repaired(t, m, RepairOptions{FillHoles: true})
	if rep.HolesFilled != 9 || rep.HoleTriangles != 9*4 || rep.Final.Genus != 1 {
		t.Errorf("%d holes with %d triangles, genus %d", rep.HolesFilled, rep.HoleTriangles, rep.Final.Genus)
	}
	near(t, "volume", out.Volume(), whole.Volume(), 0.002*whole.Volume())
	if out.Volume() == whole.Volume() {
		t.Error("nothing was cut")
	}
}

func TestCubeWithoutFacesIsFilledExactly(t *testing.T) {
	for drop := int32(1); drop <= 6; drop++ {
		m := cube(Vec3{}, Vec3{1, 2, 3})
		var keep []int32
		for i, f := range m.FaceID {
			if f != drop {
				keep = append(keep, int32(i))
			}
		}
		m.filter(keep)
		out, _ := repaired(t, m, RepairOptions{FillHoles: true})
		near(t, "volume", out.Volume(), 6, 1e-12)
		near(t, "area", out.Area(), 22, 1e-12)
		if out.FaceID[10] != 0 || out.FaceID[11] != 0 {
			t.Errorf("a lid between four faces belongs to none: %v", out.FaceID)
		}
	}
}

// A tube without its end rings: the gap between two concentric loops is filled,
// not each loop by itself.
func TestIslandLoops(t *testing.T) {
	const n, r, s, h = 48, 2.0, 1.0, 5.0
	m := &Mesh{}
	ring := func(radius, z float64) int32 {
		first := int32(len(m.Vertices))
		for i := range n {
			a := 2 * math.Pi * float64(i) / n
			m.Vertices = append(m.Vertices, Vec3{radius * math.Cos(a), radius * math.Sin(a), z})
		}
		return first
	}
	wall := func(a, b int32) {
		for i := range int32(n) {
			j := (i + 1) % n
			m.Triangles = append(m.Triangles, [3]int32{a + i, a + j, b + j}, [3]int32{a + i, b + j, b + i})
		}
	}
	ol, oh, il, ih := ring(r, 0), ring(r, h), ring(s, 0), ring(s, h)
	wall(ol, oh)
	wall(ih, il)
	out, rep := repaired(t, m, RepairOptions{FillHoles: true})
	if rep.HolesFilled != 4 || rep.Final.Components != 1 || rep.Final.Genus != 1 {
		t.Errorf("%d holes, %d components, genus %d; want 4, 1, 1", rep.HolesFilled, rep.Final.Components, rep.Final.Genus)
	}
	// A regular n-gon of radius ρ has the area n/2 ρ² sin(2π/n).
	near(t, "volume", out.Volume(), h*n/2*math.Sin(2*math.Pi/n)*(r*r-s*s), 1e-9)
	if rep.FinalIntersecting != 0 {
		t.Errorf("%d triangles intersect", rep.FinalIntersecting)
	}
}

// A long loop takes the divided way; a hemisphere's flat cap keeps its volume.
func TestLongLoop(t *testing.T) {
	m := torus(900, 8, 10, 1)
	// The outer half is cut off: two loops of 900 edges each.
	var keep []int32
	for i, tri := range m.Triangles {
		if (tri[0]%8+tri[1]%8+tri[2]%8) > 0 && tri[0]%8 >= 2 && tri[1]%8 >= 2 && tri[2]%8 >= 2 {
			keep = append(keep, int32(i))
		}
	}
	m.filter(keep)
	out, rep := repaired(t, m, RepairOptions{FillHoles: true, MaxHoleArea: 100})
	if rep.HolesFilled != 2 || !out.Check().Closed {
		t.Errorf("%d holes filled", rep.HolesFilled)
	}
	if out.Volume() <= 0 {
		t.Errorf("volume %g", out.Volume())
	}
}

// Panels that were meshed apart: coordinates differ in the sixth digit and one
// panel's edge is divided where its neighbour's is not.
func TestCracksAndJunctions(t *testing.T) {
	m := cube(Vec3{}, Vec3{1, 1, 1})
	rng := rand.New(rand.NewPCG(5, 6))
	soup := &Mesh{FaceID: m.FaceID}
	for _, tri := range m.Triangles {
		var c [3]int32
		for k, v := range tri {
			p := m.Vertices[v]
			for i := range 3 {
				p[i] += 2e-6 * (rng.Float64() - 0.5)
			}
			soup.Vertices = append(soup.Vertices, p)
			c[k] = int32(len(soup.Vertices) - 1)
		}
		soup.Triangles = append(soup.Triangles, c)
	}
	// Divide one triangle at the middle of an edge.
	t0 := soup.Triangles[0]
	mid := soup.Vertices[t0[0]].Lerp(soup.Vertices[t0[1]], 0.5)
	soup.Vertices = append(soup.Vertices, mid)
	v := int32(len(soup.Vertices) - 1)
	soup.Triangles[0] = [3]int32{t0[0], v, t0[2]}
	soup.Triangles = append(soup.Triangles, [3]int32{v, t0[1], t0[2]})
	soup.FaceID = append(slices.Clone(m.FaceID), m.FaceID[0])
	out, rep := repaired(t, soup, RepairOptions{FillHoles: true})
	near(t, "volume", out.Volume(), 1, 1e-5)
	if rep.Initial.Components != 12 || rep.Final.Components != 1 || rep.JunctionsSplit != 1 || rep.HolesFilled != 0 {
		t.Errorf("%+v", rep)
	}
}

// Orientation: a cavity inside points inward, a part beside points outward, a
// part within the cavity outward again, whatever the file says.
func TestNestedShells(t *testing.T) {
	for mask := range 16 {
		parts := []*Mesh{cube(Vec3{}, Vec3{10, 10, 10}), cube(Vec3{1, 1, 1}, Vec3{9, 9, 9}), cube(Vec3{4, 4, 4}, Vec3{6, 6, 6}), cube(Vec3{20, 0, 0}, Vec3{21, 1, 1})}
		m := &Mesh{}
		for i, p := range parts {
			if mask>>i&1 == 1 {
				p.invert()
			}
			m.append(p)
		}
		out, rep := repaired(t, m, RepairOptions{FillHoles: true})
		near(t, "volume", out.Volume(), 1000-512+8+1, 1e-9)
		if rep.Cavities != 1 || rep.Final.Components != 4 {
			t.Errorf("%d cavities, %d components", rep.Cavities, rep.Final.Components)
		}
	}
}

// Single triangles turned round inside a closed surface.
func TestMixedOrientation(t *testing.T) {
	m := icosphere(3, 1)
	want := m.Volume()
	for i := 0; i < len(m.Triangles); i += 3 {
		m.flip(i)
	}
	out, rep := repaired(t, m, RepairOptions{FillHoles: true})
	near(t, "volume", out.Volume(), want, 1e-12)
	if rep.Initial.InconsistentEdges == 0 || rep.TrianglesFlipped == 0 {
		t.Errorf("%+v", rep)
	}
}

// Solids that touch in an edge, a corner or a face stay two solids.
func TestTouchingSolids(t *testing.T) {
	for name, at := range map[string]Vec3{"edge": {1, 1, 0}, "corner": {1, 1, 1}, "face": {1, 0, 0}} {
		m := cube(Vec3{}, Vec3{1, 1, 1}).append(cube(at, at.Add(Vec3{1, 1, 1})))
		m.weldExact()
		out, rep := repaired(t, m, RepairOptions{FillHoles: true})
		near(t, name+" volume", out.Volume(), 2, 1e-12)
		if rep.Final.Components != 2 || rep.Final.Genus != 0 || rep.FinalIntersecting != 0 {
			t.Errorf("%s: %+v", name, rep.Final)
		}
		if n := out.SpreadCoincident(1e-5); n == 0 {
			t.Errorf("%s: nothing coincides", name)
		}
		out.weldExact()
		if top := out.Check(); !top.Sound() {
			t.Errorf("%s: not sound after it was drawn apart: %+v", name, top)
		}
	}
}

func TestDuplicatesFinsAndDegenerates(t *testing.T) {
	m := cube(Vec3{}, Vec3{1, 1, 1})
	m.Triangles = append(m.Triangles, m.Triangles[3], [3]int32{0, 0, 1}, [3]int32{0, 7, 3}, m.Triangles[3])
	m.Vertices = append(m.Vertices, Vec3{9, 9, 9}) // that nothing uses
	m.FaceID = append(m.FaceID, 9, 9, 9, 9)
	out, rep := repaired(t, m, RepairOptions{FillHoles: true})
	near(t, "volume", out.Volume(), 1, 1e-12)
	if rep.Initial.DegenerateFaces != 1 || rep.DuplicatesRemoved != 2 || rep.FinsRemoved != 1 || len(out.Vertices) != 8 || len(out.Triangles) != 12 {
		t.Errorf("%+v", rep)
	}
}

// A vertex on the middle of a neighbour's edge makes a triangle without area;
// it goes by a flip and nothing else changes.
func TestCapIsFlipped(t *testing.T) {
	m := tetrahedron()
	m.Vertices = append(m.Vertices, Vec3{0.5, 0, 0})
	m.Triangles = [][3]int32{{0, 2, 4}, {4, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 1}}
	out, rep := repaired(t, m, RepairOptions{FillHoles: true})
	near(t, "volume", out.Volume(), 1.0/6, 1e-15)
	if rep.Initial.DegenerateFaces != 1 || rep.Final.DegenerateFaces != 0 || rep.DegeneratesRemoved != 1 {
		t.Errorf("%+v", rep)
	}
}

func code(t *testing.T, m *Mesh, opt RepairOptions) string {
	t.Helper()
	_, _, err := Repair(context.Background(), m, opt)
	if err == nil {
		return ""
	}
	e := contract.AsError(err)
	if e.Hint == "" {
		t.Errorf("%v has no hint", e)
	}
	return e.Code
}

func TestRefusals(t *testing.T) {
	moebius := &Mesh{}
	for i := range 20 {
		u := 2 * math.Pi * float64(i) / 20
		for _, s := range []float64{-0.3, 0.3} {
			r := 1 + s*math.Cos(u/2)
			moebius.Vertices = append(moebius.Vertices, Vec3{r * math.Cos(u), r * math.Sin(u), s * math.Sin(u/2)})
		}
	}
	for i := range int32(20) {
		a, b, c, d := 2*i, 2*i+1, (2*i+2)%40, (2*i+3)%40
		if i == 19 {
			c, d = 1, 0
		}
		moebius.Triangles = append(moebius.Triangles, [3]int32{a, c, d}, [3]int32{a, d, b})
	}
	sheet := &Mesh{Vertices: []Vec3{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, Triangles: [][3]int32{{0, 1, 2}, {0, 2, 3}}}
	open := icosphere(4, 1)
	var keep []int32
	for i := range open.Triangles {
		if a, _, _ := open.Corners(i); a[2] > 0.8 {
			keep = append(keep, int32(i))
		}
	}
	open.filter(keep)
	for _, c := range []struct {
		name string
		m    *Mesh
		opt  RepairOptions
		want string
	}{
		{"one-sided", moebius, RepairOptions{FillHoles: true}, "ERR_NON_MANIFOLD_UNRESOLVABLE"},
		{"a flat sheet", sheet, RepairOptions{FillHoles: true}, "ERR_NON_MANIFOLD_UNRESOLVABLE"},
		{"all in one point", &Mesh{Vertices: make([]Vec3, 3), Triangles: [][3]int32{{0, 1, 2}}}, RepairOptions{FillHoles: true}, "ERR_MESH_PROCESSING_FAILED"},
		{"a bowl, by the patch's share", open, RepairOptions{FillHoles: true, MaxHoleArea: 0.5}, "ERR_HOLE_TOO_LARGE"},
		{"a bowl, by its border's length", open, RepairOptions{FillHoles: true, MaxHoleEdges: 10}, "ERR_HOLE_TOO_LARGE"},
		{"a bowl", open, RepairOptions{FillHoles: true}, ""},
	} {
		if got := code(t, c.m, c.opt); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestHolesStayWhereTheyAreWanted(t *testing.T) {
	m := icosphere(3, 1)
	m.punch(4)
	out, rep := repaired(t, m, RepairOptions{})
	if rep.OpenHoles != 4 || rep.HolesFilled != 0 || out.Check().BoundaryLoops != 4 || !out.Check().Manifold {
		t.Errorf("%+v", rep)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Repair(ctx, icosphere(3, 1), RepairOptions{FillHoles: true}); err != context.Canceled {
		t.Errorf("repair: %v", err)
	}
	if _, _, err := Decimate(ctx, icosphere(3, 1), DecimateOptions{TargetFaces: 10}); err != context.Canceled {
		t.Errorf("decimate: %v", err)
	}
}

// Two boxes that overlap in a known box: the union has the volume of both less
// that of the overlap, one component, and no intersection left.
func TestUnionOfOverlappingBoxes(t *testing.T) {
	for name, shift := range map[string]Vec3{"corner": {0.6, 0.7, 0.8}, "through": {0.3, 0.2, 0.5}, "aligned": {0.5, 0, 0}} {
		a := cube(Vec3{}, Vec3{1, 1, 1})
		b := cube(shift, shift.Add(Vec3{1, 1, 1}))
		if name == "through" {
			b = cube(Vec3{0.3, 0.3, -1}, Vec3{0.6, 0.6, 2})
		}
		out, rep := repaired(t, a.append(b), RepairOptions{FillHoles: true, ResolveIntersections: true})
		want := map[string]float64{"corner": 2 - 0.4*0.3*0.2, "through": 1 + 0.09*2, "aligned": 1.5}[name]
		near(t, name+" volume", out.Volume(), want, 1e-6)
		if rep.FinalIntersecting != 0 || rep.InitialIntersecting == 0 {
			t.Errorf("%s: %d -> %d intersecting; %v", name, rep.InitialIntersecting, rep.FinalIntersecting, rep.Warnings)
		}
		if name == "corner" && (rep.Final.Components != 1 || rep.Final.Genus != 0) {
			t.Errorf("%s: %+v", name, rep.Final)
		}
		ids := map[int32]bool{}
		for _, f := range out.FaceID {
			ids[f] = true
		}
		if len(ids) < 5 {
			t.Errorf("%s: face ids %v", name, ids)
		}
	}
}

// Two spheres: the union's volume is that of two spheres less the lens, which
// the closed form gives up to the polyhedra's own deficit.
func TestUnionOfSpheres(t *testing.T) {
	const d = 1.0
	a, b := icosphere(4, 1), icosphere(4, 1)
	for i := range b.Vertices {
		b.Vertices[i] = b.Vertices[i].Add(Vec3{d, 0.013, 0.027})
	}
	one := a.Volume()
	dist := Vec3{d, 0.013, 0.027}.Norm()
	lens := math.Pi * (4 + dist) * (2 - dist) * (2 - dist) / 12 // for radius 1
	out, rep := repaired(t, a.append(b), RepairOptions{FillHoles: true, ResolveIntersections: true})
	exact := (8.0/3*math.Pi - lens)
	near(t, "volume", out.Volume(), exact*one/(4.0/3*math.Pi), 0.004)
	if rep.FinalIntersecting != 0 || rep.Final.Components != 1 || rep.Final.Genus != 0 {
		t.Errorf("%+v", rep)
	}
}

// A sphere that faces inward and crosses another one is either a cut or a part that
// was written inside out: uniting them must be told. Spheres of radius r at distance d
// have the lens pi (4r+d)(2r-d)^2/12 in common.
func TestAnInwardShellThatCrossesIsTold(t *testing.T) {
	d := 0.4 + 1.2*testenv.Random(t).Float64()
	lens := math.Pi * (4 + d) * (2 - d) * (2 - d) / 12
	for _, c := range []struct {
		name          string
		first, second bool // inward
		told          bool
	}{
		{"both outward", false, false, false},
		{"one inward", false, true, true},
		{"both inward", true, true, false},
	} {
		m := icosphere(3, 1)
		other := icosphere(3, 1)
		for i := range other.Vertices {
			other.Vertices[i] = other.Vertices[i].Add(Vec3{d, 0.1, 0.05})
		}
		for part, inward := range map[*Mesh]bool{m: c.first, other: c.second} {
			for k := 0; inward && k < len(part.Triangles); k++ {
				part.flip(k)
			}
		}
		m.join(other)
		got, rep, err := Repair(context.Background(), m, RepairOptions{FillHoles: true, ResolveIntersections: true})
		if err != nil {
			t.Fatal(err)
		}
		if told := rep.TurnedCrossing > 0; told != c.told {
			t.Errorf("%s: told %v, want %v: %v", c.name, told, c.told, rep.Warnings)
		}
		// The icosphere lacks 1 % of the sphere.
		if want := 8*math.Pi/3 - lens; math.Abs(got.Volume()-want) > 0.03*want {
			t.Errorf("%s, d %g: volume %g, want %g", c.name, d, got.Volume(), want)
		}
	}
}
