package stuffing

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// spun turns a profile of points (x, radius) about the x axis, in m steps; the first
// and the last point lie on the axis.
func spun(profile [][2]float64, m int) *geometry.Mesh {
	s := &shape{}
	n := len(profile) - 2
	first, last := s.point(vec{profile[0][0]}), s.point(vec{profile[n+1][0]})
	for _, p := range profile[1 : n+1] {
		for j := range m {
			sin, cos := math.Sincos(2 * math.Pi * float64(j) / float64(m))
			s.point(vec{p[0], p[1] * cos, p[1] * sin})
		}
	}
	id := func(i, j int) int32 { return int32(2 + i*m + j%m) }
	for j := range m {
		s.tri(0, first, id(0, j+1), id(0, j))
		s.tri(0, last, id(n-1, j), id(n-1, j+1))
		for i := range n - 1 {
			s.quad(0, id(i, j), id(i, j+1), id(i+1, j+1), id(i+1, j))
		}
	}
	s.FaceID = nil
	return &s.Mesh
}

// dumbbell is a ball of radius big and one of radius small, joined by a round neck, and
// its volume: the balls without the caps that the neck cuts off, and the neck.
func dumbbell(big, small, neck, length float64, steps int) (*geometry.Mesh, float64) {
	x, y := math.Sqrt(big*big-neck*neck), math.Sqrt(small*small-neck*neck)
	var profile [][2]float64
	from, to := math.Asin(neck/big), math.Asin(neck/small)
	for i := range steps + 1 {
		a := math.Pi - (math.Pi-from)*float64(i)/float64(steps)
		profile = append(profile, [2]float64{big * math.Cos(a), big * math.Sin(a)})
	}
	profile[0][1] = 0
	for i := range 3 {
		profile = append(profile, [2]float64{x + length*float64(i+1)/4, neck})
	}
	middle := x + length + y
	for i := range steps + 1 {
		a := math.Pi - to - (math.Pi-to)*float64(i)/float64(steps)
		profile = append(profile, [2]float64{middle + small*math.Cos(a), small * math.Sin(a)})
	}
	profile[len(profile)-1][1] = 0
	part := func(r, cut float64) float64 { // of a ball, without the cap beyond cut
		h := r - cut
		return 4*math.Pi/3*r*r*r - math.Pi*h*h*(3*r-h)/3
	}
	return spun(profile, 2*steps), part(big, x) + part(small, y) + math.Pi*neck*neck*length
}

// ribbed is a plate of w × d × t with a rib of height h and thickness s along its middle.
func ribbed(w, d, t, s, h float64) *geometry.Mesh {
	l, r := (w-s)/2, (w+s)/2
	outline := [][2]float64{{0, 0}, {l, 0}, {r, 0}, {w, 0}, {w, t}, {r, t}, {r, t + h}, {l, t + h}, {l, t}, {0, t}}
	m := &shape{}
	for _, p := range outline {
		m.point(vec{p[0], 0, p[1]})
		m.point(vec{p[0], d, p[1]})
	}
	faces := []int32{3, 3, 3, 4, 5, 6, 7, 8, 9, 10}
	for i := range outline {
		a, b := int32(2*i), int32(2*((i+1)%len(outline)))
		m.quad(faces[i], a, b, b+1, a+1)
	}
	for _, q := range [4][4]int32{{0, 1, 8, 9}, {1, 2, 5, 8}, {2, 3, 4, 5}, {8, 5, 6, 7}} { // of the outline
		m.quad(1, 2*q[3], 2*q[2], 2*q[1], 2*q[0])
		m.quad(2, 2*q[0]+1, 2*q[1]+1, 2*q[2]+1, 2*q[3]+1)
	}
	for t, v := range m.Triangles { // the end at y = 0 looks to -y, and all others follow
		m.Triangles[t] = [3]int32{v[0], v[2], v[1]}
	}
	return &m.Mesh
}

func graded(t *testing.T, s *geometry.Mesh, dx, least float64) (*Result, float64) {
	t.Helper()
	r := generate(t, s, Options{DX: dx, MinDX: least, PerCircle: 48, Across: 2, Optimize: true})
	checkMesh(t, r.Mesh)
	uniform := prepared(t, s).tetsAt(r.Bodies[0].MinDX)
	o := &r.Bodies[0]
	t.Logf("dx %.3g to %.3g: %d tetrahedra (%d forecast; uniform about %.0f, %.1f times), angles %.1f to %.1f, volume off by %.2e",
		o.DX, o.MinDX, o.Tetrahedra, o.Expected, uniform, uniform/float64(o.Tetrahedra), o.MinDihedral, o.MaxDihedral, o.VolumeError)
	if ratio := float64(o.Expected) / float64(o.Tetrahedra); ratio < 0.7 || ratio > 1.5 {
		t.Errorf("%d tetrahedra were forecast", o.Expected)
	}
	if o.MinDihedral < 12 || o.MaxDihedral > 168 { // what the stencils of the uniform lattice promise before any optimising; most draws have 22 to 156
		t.Errorf("angles from %.2f to %.2f", o.MinDihedral, o.MaxDihedral)
	}
	return r, uniform / float64(o.Tetrahedra)
}

// A ball of 1 with one of about 0.15 on a thin neck: many times fewer tetrahedra than the
// uniform lattice that sees the neck. 48 elements around a circle are edges of h = 0.137 R
// at most, and a ball whose corners lie on its surface misses 3/8 (h/R)² of its volume,
// 0.7 %; the given facets miss another 0.2 %.
func TestGradedDumbbell(t *testing.T) {
	rng := testenv.Random(t)
	small := 0.12 + 0.06*rng.Float64()
	part, volume := dumbbell(1, small, small*(0.3+0.2*rng.Float64()), 0.1+0.2*rng.Float64(), 48)
	r, fewer := graded(t, rotated(part, rng), 0.4, 0.025)
	if b := r.Bodies[0]; math.Abs(b.Volume/volume-1) > 0.01 || b.Handles != 0 || fewer < 4 {
		t.Errorf("volume %g of %g, %d handles, %.1f times fewer than the uniform lattice", b.Volume, volume, b.Handles, fewer)
	}
}

// A rib on a plate: volume and areas are those of the drawing.
func TestGradedRib(t *testing.T) {
	rng := testenv.Random(t)
	w, d, thick := 2+rng.Float64(), 1.5+rng.Float64(), 0.45+0.2*rng.Float64()
	rib, high := 0.08+0.04*rng.Float64(), 0.3+0.2*rng.Float64()
	r, fewer := graded(t, rotated(ribbed(w, d, thick, rib, high), rng), 0.25, 0.0625)
	volume := d * (w*thick + rib*high)
	want := map[int32]float64{1: volume / d, 2: volume / d, 3: w * d, 4: thick * d, 5: (w - rib) / 2 * d, 6: high * d, 7: rib * d, 8: high * d, 9: (w - rib) / 2 * d, 10: thick * d}
	for id, a := range areas(r) {
		if math.Abs(a/want[id]-1) > areaTolerance {
			t.Errorf("face %d has area %g of %g", id, a, want[id])
		}
	}
	if b := r.Bodies[0]; math.Abs(b.Volume/volume-1) > 0.002 || b.Handles != 0 || fewer < 3 {
		t.Errorf("volume %g of %g, %d handles, %.1f times fewer than the uniform lattice", b.Volume, volume, b.Handles, fewer)
	}
}

// Where the whole surface asks for the smallest spacing, the graded lattice saves the
// inside only, and is as true to the closed form as the uniform one of that spacing.
func TestGradedBallAndTorus(t *testing.T) {
	rng := testenv.Random(t)
	radius, tube := 0.8+0.4*rng.Float64(), 0.8+0.4*rng.Float64()
	for name, c := range map[string]struct {
		shape             *geometry.Mesh
		dx, least, volume float64
		handles           int
		fewer             float64
	}{
		"ball":  {sphere(radius, 5), radius, radius / 8, 4 * math.Pi / 3 * radius * radius * radius, 0, 1.1},
		"torus": {rotated(torus(2, tube, 48), rng), tube, tube / 4, 2 * math.Pi * math.Pi * 2 * tube * tube, 1, 0.8},
	} {
		r, fewer := graded(t, c.shape, c.dx, c.least)
		u := generate(t, c.shape, Options{DX: r.Bodies[0].MinDX, Optimize: true})
		b := r.Bodies[0]
		off, usual := b.Volume/c.volume-1, u.Bodies[0].Volume/c.volume-1
		if math.Abs(off) > 1.3*math.Abs(usual)+1e-4 || b.Handles != c.handles || fewer < c.fewer {
			t.Errorf("a %s: volume off by %.2e, uniform %.2e, %d handles, %d tetrahedra, uniform %d", name, off, usual, b.Handles, b.Tetrahedra, u.Bodies[0].Tetrahedra)
		}
		t.Logf("a %s: volume off by %.2e, uniform %.2e; %d tetrahedra, uniform %d", name, off, usual, b.Tetrahedra, u.Bodies[0].Tetrahedra)
	}
}

func prepared(t *testing.T, s *geometry.Mesh) *body {
	t.Helper()
	bodies, _, err := splitBodies(s)
	if err != nil {
		t.Fatal(err)
	}
	b := &bodies[0]
	b.prepare(math.Pi / 4)
	b.size()
	return b
}

// The curvature is that of the shape, not of its facets: of a ball of 512 triangles,
// which bend by up to 15 degrees at their edges, and of one of 32768; also where the
// vertices of a fine one are off by a tenth of an edge. A cylinder has 1/r and 0.
func TestCurvatureIsOfTheShape(t *testing.T) {
	rng := testenv.Random(t)
	r := 0.5 + rng.Float64()
	for levels := 3; levels <= 6; levels++ {
		s := sphere(r, levels)
		if levels == 6 {
			for i, p := range s.Vertices {
				s.Vertices[i] = p.Scale(1 + 0.0015*(2*rng.Float64()-1))
			}
		}
		b := prepared(t, s)
		bends := b.bends()
		worst := 0.0
		for tri := range b.tris {
			most, least := b.curvature(bends, tri, 0.2*r)
			worst = max(worst, math.Abs(most*r-1), math.Abs(min(least, 0)*r))
		}
		if worst > 0.5 {
			t.Errorf("%d bisections: the curvature of a ball is off by %.0f %%", levels, 100*worst)
		}
	}
	b := prepared(t, rotated(drilled(1, 1, 0.3, 8), rng))
	bends := b.bends()
	for tri := range b.tris {
		most, least := b.curvature(bends, tri, 0.02)
		want := 0.0
		if b.face[tri] == 7 { // the hole
			want = -1 / 0.3
		}
		if math.Abs(least-want) > 0.02/0.3 || math.Abs(most) > 1e-6 {
			t.Fatalf("face %d: curvatures %g and %g, %g and 0 are right", b.face[tri], least, most, want)
		}
	}
}

// A thick part with flat faces has nothing to refine: with min_dx it gets the spacing dx.
func TestFlatPartsStayCoarse(t *testing.T) {
	rng := testenv.Random(t)
	s := rotated(box(vec{}, vec{1 + rng.Float64(), 1 + rng.Float64(), 1 + rng.Float64()}), rng)
	fine, coarse := generate(t, s, Options{DX: 0.3, MinDX: 0.05, PerCircle: 48, Across: 2}), generate(t, s, Options{DX: 0.3})
	if b := fine.Bodies[0]; b.MinDX != 0.3 || math.Abs(float64(b.Tetrahedra)/float64(coarse.Bodies[0].Tetrahedra)-1) > 0.1 {
		t.Errorf("%+v, uniform %+v", b, coarse.Bodies[0])
	}
}

// Without a larger spacing than the smallest, the mesh is that of the uniform lattice.
func TestOneSpacingIsUniform(t *testing.T) {
	s := rotated(drilled(1, 1, 0.3, 8), testenv.Random(t))
	if a, b := generate(t, s, Options{DX: 0.2, MinDX: 0.15, PerCircle: 48, Across: 2}), generate(t, s, Options{DX: 0.2}); !reflect.DeepEqual(a.Mesh, b.Mesh) {
		t.Error("a min_dx above half of dx changes the mesh")
	}
}

// The cells, and the memory that they and the cut take, grow with the tetrahedra and not
// with the cube of what the smallest spacing divides, by 512 between the two.
func TestGradedMemory(t *testing.T) {
	part, _ := dumbbell(1, 0.1, 0.02, 0.2, 32)
	b := prepared(t, part)
	per := func(depth int) (cells, bytes float64, tets int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o, err := b.grade(context.Background(), sizing{0.4, depth, 48, 2}, 1e6)
		if err != nil {
			t.Fatal(err)
		}
		m, err := stuff(context.Background(), b.surface, o, 0.4)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		n := float64(len(m.tets))
		return float64(len(o.child)) / n, float64(after.TotalAlloc-before.TotalAlloc) / n, len(m.tets)
	}
	_, bytes3, few := per(3)
	cells, bytes6, many := per(6)
	t.Logf("%d and %d tetrahedra: %.0f and %.0f bytes allocated for each, %.2f cells", few, many, bytes3, bytes6, cells)
	if cells > 3 || bytes6 > 2*bytes3 {
		t.Errorf("%g cells and %g bytes for a tetrahedron; at an eighth of the halvings %g", cells, bytes6, bytes3)
	}
}

// A sheet whose thickness asks for millions of cells is refused soon: 20 x 10 x t with two
// cells across has at least 12 (20 x 10 t) (2/t)³ tetrahedra.
func TestGradedSheetIsRefusedSoon(t *testing.T) {
	thick := 0.005 + 0.01*testenv.Random(t).Float64()
	_, err := Generate(context.Background(), box(vec{}, vec{20, 10, thick}), Options{DX: 1, MinDX: thick / 4, PerCircle: 48, Across: 2, Optimize: true, FeatureAngle: 45, MaxTetrahedra: 8_000})
	var e *contract.Error
	if !errors.As(err, &e) || e.Field != "/min_dx" {
		t.Fatalf("%v", err)
	}
	if n, _ := e.Details["estimated_tetrahedra"].(float64); n < 1e6 || n > 12*200*8/thick/thick*20 {
		t.Errorf("about %g tetrahedra are told: %v", n, err)
	}
}

// What would pass the limit is refused before it is made, with a min_dx that fits; a
// neck that is too thin for min_dx with one that does.
func TestGradedRefusals(t *testing.T) {
	rng := testenv.Random(t)
	neck := 0.02 + 0.01*rng.Float64()
	part, volume := dumbbell(1, 0.15, neck, 0.3, 32)
	const limit = 25_000
	o := Options{DX: 0.4, MinDX: 1e-4, PerCircle: 20, Across: 2, Optimize: true, FeatureAngle: 45, MaxTetrahedra: limit}
	for name, c := range map[string]struct {
		min  float64
		code string
		key  string
	}{"limit": {1e-4, contract.CodeInvalidDx, "smallest_min_dx"}, "thin": {0.35, contract.CodeDxTooCoarse, "suggested_min_dx"}} {
		o.MinDX = c.min
		_, err := Generate(context.Background(), part, o)
		var e *contract.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Field != "/min_dx" {
			t.Fatalf("%s: %v; %s at /min_dx was expected", name, err, c.code)
		}
		least, _ := e.Details[c.key].(float64)
		o.MinDX = least
		r, err := Generate(context.Background(), part, o)
		if err != nil {
			t.Fatalf("%s: what was suggested, min_dx %g, gives %v", name, least, err)
		}
		if b := r.Bodies[0]; b.Tetrahedra > limit*11/10 || math.Abs(b.Volume/volume-1) > volumeTolerance {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// Where curvature and walls ask for no smaller elements, a smaller min_dx is of no use, and
// a ball does not pass through itself for that.
func TestGradedTooFewAroundACircle(t *testing.T) {
	ball := sphere(1, 3)
	_, err := Generate(context.Background(), ball, Options{DX: 0.4, MinDX: 0.1, PerCircle: 9, Across: 2, Optimize: true, FeatureAngle: 45, MaxTetrahedra: 1_000_000})
	var e *contract.Error
	if !errors.As(err, &e) || e.Code != contract.CodeDxTooCoarse || !strings.Contains(e.Hint, "elements_per_circle (now 9)") {
		t.Errorf("%v", err)
	}
}

// The same input gives the same graded mesh, however many processors work on it.
func TestGradedDeterministic(t *testing.T) {
	part, _ := dumbbell(1, 0.2, 0.06, 0.2, 24)
	var first *Result
	for _, processors := range []int{1, 3} {
		before := runtime.GOMAXPROCS(processors)
		r := generate(t, part, Options{DX: 0.5, MinDX: 0.06, PerCircle: 24, Across: 2, Optimize: true})
		runtime.GOMAXPROCS(before)
		if first == nil {
			first = r
		} else if !reflect.DeepEqual(first.Mesh, r.Mesh) {
			t.Errorf("%d processors make another mesh than one", processors)
		}
	}
}

// Without the raising of quality no angle is below what is promised, as in the uniform
// lattice; and of dx larger than the part only its halves are used.
func TestGradedWithoutOptimising(t *testing.T) {
	rng := testenv.Random(t)
	for range 3 {
		s := rotated(bracket(1.5+rng.Float64(), 0.3+0.2*rng.Float64(), 0.6, 0.1+0.2*rng.Float64(), 16), rng)
		r := generate(t, s, Options{DX: 8, MinDX: 0.06, PerCircle: 32, Across: 1})
		checkMesh(t, r.Mesh)
		if b := r.Bodies[0]; b.MinDihedral < leastAngle || b.DX > 4 || math.Abs(b.VolumeError) > 0.01 {
			t.Errorf("%+v", b)
		}
	}
}

// A scan has many more triangles than its mesh has tetrahedra: their number alone is no
// reason to refuse it. A ball of 32768 facets with a limit of 8000.
func TestGradedScanOfManyTriangles(t *testing.T) {
	r := generate(t, sphere(1, 6), Options{DX: 1, MinDX: 0.25, PerCircle: 20, Across: 2, MaxTetrahedra: 8000})
	checkMesh(t, r.Mesh)
	if b := r.Bodies[0]; b.MinDX != 0.25 || b.Tetrahedra > 8800 {
		t.Errorf("%+v", b)
	}
}
