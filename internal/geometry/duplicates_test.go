package geometry

import (
	"math/rand/v2"
	"testing"

	"atelier/internal/testenv"
)

// again adds triangle t of the mesh once more, from another of its corners and, where own
// is set, with points of its own.
func (m *Mesh) again(r *rand.Rand, t int, own bool) {
	tri := m.Triangles[t]
	k := r.IntN(3)
	tri = [3]int32{tri[k], tri[(k+1)%3], tri[(k+2)%3]}
	if own {
		for i, v := range tri {
			tri[i] = int32(len(m.Vertices))
			m.Vertices = append(m.Vertices, m.Vertices[v])
		}
	}
	m.Triangles = append(m.Triangles, tri)
	m.FaceID = append(m.FaceID, m.FaceID[t])
}

// A box of which any of the triangles stand several times is that box: its volume is
// a·b·c, it has 12 triangles, and what was added is what goes.
func TestCopiesAreRemoved(t *testing.T) {
	r := testenv.Random(t)
	for range 200 {
		size := Vec3{1 + r.Float64(), 1 + r.Float64(), 1 + r.Float64()}
		m := cube(Vec3{}, size)
		own, all, added := r.IntN(2) == 0, r.IntN(3) == 0, 0
		for range 1 + r.IntN(3) {
			for i := range 12 {
				if all || r.IntN(2) == 0 {
					m.again(r, i, own)
					added++
				}
			}
		}
		r.Shuffle(len(m.Triangles), func(i, k int) {
			m.Triangles[i], m.Triangles[k] = m.Triangles[k], m.Triangles[i]
			m.FaceID[i], m.FaceID[k] = m.FaceID[k], m.FaceID[i]
		})
		out, rep := repaired(t, m, RepairOptions{FillHoles: true})
		near(t, "volume", out.Volume(), size[0]*size[1]*size[2], 1e-12)
		if len(out.Triangles) != 12 || rep.DuplicatesRemoved != added || rep.InitialIntersecting != 0 || rep.Final.Components != 1 {
			t.Fatalf("%d copies added (all %v, own points %v): %+v", added, all, own, rep)
		}
	}
}

// Two solids with a wall in common, one on either side of nothing, need it twice; where all
// of that stands twice, half of it goes. Both solids have their volumes: 1 and 2.
func TestACommonWallStays(t *testing.T) {
	r := testenv.Random(t)
	for _, times := range []int{1, 2, 3} {
		m := cube(Vec3{}, Vec3{1, 1, 1}).append(cube(Vec3{}, Vec3{2, 1, 1}))
		for range times - 1 {
			for i := range 24 {
				m.again(r, i, true)
			}
		}
		out, rep := repaired(t, m, RepairOptions{FillHoles: true})
		near(t, "volume", out.Volume(), 3, 1e-12)
		if rep.DuplicatesRemoved != 24*(times-1) || rep.HolesFilled != 0 {
			t.Errorf("%d times: %+v", times, rep)
		}
	}
}

// A triangle and its opposite are two sides of a wall and no copies of each other.
func TestOppositeTrianglesAreNoCopies(t *testing.T) {
	m := cube(Vec3{}, Vec3{1, 1, 1})
	m.append(cube(Vec3{}, Vec3{1, 1, 1}).invert())
	m.weldExact()
	if n := m.dropDuplicates(); n != 0 || len(m.Triangles) != 24 {
		t.Errorf("%d of 24 went", n)
	}
}
