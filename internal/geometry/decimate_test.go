package geometry

import (
	"context"
	"math"
	"path/filepath"
	"testing"
)

func decimated(t *testing.T, m *Mesh, target int) (*Mesh, *DecimateReport) {
	t.Helper()
	out, rep, err := Decimate(context.Background(), m, DecimateOptions{TargetFaces: target})
	if err != nil {
		t.Fatal(err)
	}
	return out, rep
}

// The Stanford bunny against peers: PMP keeps 0.000754007 of 0.000754809 at 6966
// vertices, MeshLib's error is 0.00058 of an extent of 0.25.
func TestDecimateBunny(t *testing.T) {
	m, err := Read(filepath.Join(sharedMeshes(t), "bunny_pmp.off"))
	if err != nil {
		t.Fatal(err)
	}
	out, rep := decimated(t, m, 2*6966-4)
	if top := out.Check(); !top.Sound() || top.Vertices != 6966 || top.Genus != 0 {
		t.Errorf("%+v", top)
	}
	if d := math.Abs(out.Volume() - 0.0007548091275); d > math.Abs(0.000754007-0.0007548091275) {
		t.Errorf("volume is %g off, PMP's 8.0e-7", d)
	}
	if rep.MaxDeviation > 0.00058 || rep.Intersecting > 0 {
		t.Errorf("%+v", rep)
	}
}

// Flat faces cost nothing: a finely divided cube becomes 12 triangles again with
// all its six face ids, corners and volume.
func TestDecimateCubeExactly(t *testing.T) {
	m := cube(Vec3{}, Vec3{1, 1, 1})
	for range 4 {
		m = quarter(m)
	}
	out, rep := decimated(t, m, 12)
	if len(out.Triangles) != 12 || !out.Check().Sound() {
		t.Fatalf("%d triangles", len(out.Triangles))
	}
	near(t, "volume", out.Volume(), 1, 1e-12)
	near(t, "deviation", rep.MaxDeviation, 0, 1e-12)
	area := map[int32]float64{}
	for i, f := range out.FaceID {
		area[f] += out.TriangleArea(i)
	}
	for f := int32(1); f <= 6; f++ {
		near(t, "face area", area[f], 1, 1e-12)
	}
}

// quarter cuts every triangle in four.
func quarter(m *Mesh) *Mesh {
	out := &Mesh{Vertices: append([]Vec3(nil), m.Vertices...), Meta: m.Meta}
	mid := map[uint64]int32{}
	half := func(a, b int32) int32 {
		k := edgeKey(a, b)
		if v, ok := mid[k]; ok {
			return v
		}
		out.Vertices = append(out.Vertices, m.Vertices[a].Lerp(m.Vertices[b], 0.5))
		mid[k] = int32(len(out.Vertices) - 1)
		return mid[k]
	}
	for i, t := range m.Triangles {
		a, b, c := half(t[0], t[1]), half(t[1], t[2]), half(t[2], t[0])
		out.Triangles = append(out.Triangles, [3]int32{t[0], a, c}, [3]int32{t[1], b, a}, [3]int32{t[2], c, b}, [3]int32{a, b, c})
		for range 4 {
			out.FaceID = append(out.FaceID, m.Face(i))
		}
	}
	return out
}

// A cylinder's two circles are the borders between its faces: they stay on the
// circle within the sagitta of the chords that are left, and no face is lost
// even when far fewer triangles are asked for than can be.
func TestDecimateKeepsFaces(t *testing.T) {
	const n = 96
	m := &Mesh{Vertices: []Vec3{{0, 0, 0}, {0, 0, 2}}}
	for _, z := range []float64{0, 2} {
		for i := range n {
			a := 2 * math.Pi * float64(i) / n
			m.Vertices = append(m.Vertices, Vec3{math.Cos(a), math.Sin(a), z})
		}
	}
	for i := range int32(n) {
		a, b := 2+i, 2+(i+1)%n
		m.Triangles = append(m.Triangles, [3]int32{0, b, a}, [3]int32{1, a + n, b + n}, [3]int32{a, b, b + n}, [3]int32{a, b + n, a + n})
		m.FaceID = append(m.FaceID, 1, 2, 3, 3)
	}
	out, _ := decimated(t, m, 120)
	if !out.Check().Sound() {
		t.Fatalf("%+v", out.Check())
	}
	for i, f := range out.FaceID {
		a, b, c := out.Corners(i)
		for _, p := range []Vec3{a, b, c} {
			if f == 1 && math.Abs(p[2]) > 1e-12 || f == 2 && math.Abs(p[2]-2) > 1e-12 {
				t.Errorf("face %d has a point at z = %g", f, p[2])
			}
		}
	}
	near(t, "volume", out.Volume(), m.Volume(), 0.02*m.Volume())
	least, rep := decimated(t, m, 4)
	count := map[int32]int{}
	for _, f := range least.FaceID {
		count[f]++
	}
	if len(count) != 3 || !least.Check().Sound() || rep.Reached {
		t.Errorf("faces %v, %+v", count, rep)
	}
}

// An open surface keeps its border where it is.
func TestDecimateOpenSurface(t *testing.T) {
	m := icosphere(4, 1)
	var keep []int32
	for i := range m.Triangles {
		if a, b, c := m.Corners(i); a[2]+b[2]+c[2] > 0 {
			keep = append(keep, int32(i))
		}
	}
	m.filter(keep)
	m.compact()
	out, rep := decimated(t, m, 300)
	top := out.Check()
	if !top.Manifold || !top.Oriented || top.BoundaryLoops != 1 || !rep.Reached {
		t.Errorf("%+v %+v", top, rep)
	}
	near(t, "deviation", rep.MaxDeviation, 0, 0.05)
}

// Coordinates far from zero lose no digits to the quadrics.
func TestDecimateFarFromOrigin(t *testing.T) {
	m := icosphere(4, 1)
	for i := range m.Vertices {
		m.Vertices[i] = m.Vertices[i].Add(Vec3{1e6, -2e6, 3e6})
	}
	out, rep := decimated(t, m, 500)
	near(t, "volume", out.Volume(), m.Volume(), 0.01*m.Volume())
	near(t, "deviation", rep.MaxDeviation, 0, 0.03)
}

func TestNearestAndOverlapping(t *testing.T) {
	m := icosphere(3, 1)
	tree := NewBVH(m)
	for _, p := range []Vec3{{2, 0, 0}, {0, 0.1, 0}, {-3, 4, 1}} {
		best := math.Inf(1)
		for i := range m.Triangles {
			a, b, c := m.Corners(i)
			best = math.Min(best, closestOnTriangle(p, a, b, c).Sub(p).Norm())
		}
		if _, _, d := tree.Nearest(p); d != best {
			t.Errorf("nearest to %v: %g, by search through all %g", p, d, best)
		}
	}
	n := 0
	tree.Overlapping(Vec3{-2, -2, -2}, Vec3{2, 2, 2}, func(int32) bool { n++; return true })
	if n != len(m.Triangles) {
		t.Errorf("%d of %d triangles overlap the whole box", n, len(m.Triangles))
	}
}
