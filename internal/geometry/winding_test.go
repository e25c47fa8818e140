package geometry

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// Two ways to the winding number: ray crossings and solid angles.
func TestWindingAgainstSolidAngles(t *testing.T) {
	m := torus(30, 16, 2, 0.8).append(icosphere(2, 1.5)).append(cube(Vec3{-3, -1, -1}, Vec3{3, 1, 1}).invert())
	tree := NewBVH(m)
	all := make([]int32, len(m.Triangles))
	for i := range all {
		all[i] = int32(i)
	}
	rng := rand.New(rand.NewPCG(8, 9))
	seen := map[int]int{}
	for range 500 {
		p := Vec3{6*rng.Float64() - 3, 6*rng.Float64() - 3, 3*rng.Float64() - 1.5}
		w, ok := tree.Winding(p, -1)
		if !ok {
			continue
		}
		seen[w]++
		if s := m.windingSum(all, p); math.Abs(s-float64(w)) > 1e-9 {
			t.Fatalf("%v: %d by the ray, %g by angles", p, w, s)
		}
	}
	if len(seen) < 3 {
		t.Errorf("winding numbers seen: %v", seen)
	}
}

// linesVolume integrates along n × n lines parallel to z where the surface winds
// around at least once: the volume of the union, by a way that cuts no triangle.
func linesVolume(m *Mesh, n int) float64 {
	lo, hi := m.Bounds()
	dx, dy := (hi[0]-lo[0])/float64(n), (hi[1]-lo[1])/float64(n)
	type crossing struct {
		z float64
		s int
	}
	lines := make([][]crossing, n*n)
	for t := range m.Triangles {
		a, b, c := m.Corners(t)
		tlo, thi := m.triangleBox(int32(t))
		for i := max(0, int((tlo[0]-lo[0])/dx)-1); i < n && lo[0]+(float64(i)+0.5)*dx <= thi[0]; i++ {
			for j := max(0, int((tlo[1]-lo[1])/dy)-1); j < n && lo[1]+(float64(j)+0.5)*dy <= thi[1]; j++ {
				q := [2]float64{lo[0] + (float64(i)+0.5)*dx, lo[1] + (float64(j)+0.5)*dy}
				u, v, w := flatten(a, 0, 1), flatten(b, 0, 1), flatten(c, 0, 1)
				s0, s1, s2 := Orient2D(v, w, q), Orient2D(w, u, q), Orient2D(u, v, q)
				if (s0 > 0) != (s1 > 0) || (s1 > 0) != (s2 > 0) {
					continue
				}
				sum := s0 + s1 + s2
				lines[i*n+j] = append(lines[i*n+j], crossing{(s0*a[2] + s1*b[2] + s2*c[2]) / sum, int(sign(sum))})
			}
		}
	}
	var volume float64
	for _, l := range lines {
		slices.SortFunc(l, func(x, y crossing) int {
			switch {
			case x.z < y.z:
				return -1
			case x.z > y.z:
				return 1
			}
			return 0
		})
		w := 0
		for k, x := range l {
			if k > 0 && w > 0 {
				volume += (x.z - l[k-1].z) * dx * dy
			}
			w -= x.s // going up, material begins where the surface faces down
		}
	}
	return volume
}

// The union of really tangled files has the volume that lines through the
// original see, and no intersection left (openscad: at most a handful).
func TestUnionOfRealFiles(t *testing.T) {
	dir := sharedMeshes(t)
	for _, c := range []struct {
		name string
		left int
		tol  float64
	}{{"self_intersectA.obj", 0, 2e-3}, {"block.obj", 0, 2e-3}, {"openscad_nonmanifold.obj", 10, 1e-2}} {
		m, err := Read(filepath.Join(dir, c.name))
		if err != nil {
			t.Fatal(err)
		}
		out, rep := repaired(t, m, RepairOptions{FillHoles: true, ResolveIntersections: true})
		if rep.FinalIntersecting > c.left || rep.InitialIntersecting == 0 {
			t.Errorf("%s: %d -> %d intersecting", c.name, rep.InitialIntersecting, rep.FinalIntersecting)
		}
		want := linesVolume(m, 500)
		t.Logf("%s: volume %.6g, lines see %.6g, signed sum %.6g", c.name, out.Volume(), want, m.Volume())
		near(t, c.name, out.Volume(), want, c.tol*want)
	}
}
