package stuffing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/testenv"
)

// randomTree is a graded lattice around a box, refined at some random places.
func randomTree(rng *rand.Rand) *octree {
	size := vec{1 + 3*rng.Float64(), 1 + 3*rng.Float64(), 1 + 3*rng.Float64()}
	o := newOctree(vec{}, size, 0.9, 3, 1e6)
	for range 4 {
		p := vec{rng.Float64() * size[0], rng.Float64() * size[1], rng.Float64() * size[2]}
		o.refine(p, o.dx*math.Pow(0.5, 1+2*rng.Float64()))
	}
	o.finish()
	return o
}

// The background is conforming: its tetrahedra have a positive volume, fill the box of
// the tree but for the outermost pyramids (of each outer face of a cell, a sixth of the
// cell), and no face has more than two of them. All their dihedral angles are those of
// the paper's four kinds: 60 and 90 degrees in the lattice's own tetrahedra, and 45, 60,
// 90 and 120 in those halved or quartered and in half pyramids. Between them the halves
// and pyramids of neighbours of two sizes must occur, or nothing was tried.
func TestBackgroundConforms(t *testing.T) {
	rng := testenv.Random(t)
	for range 6 {
		o := randomTree(rng)
		for i := range o.inside {
			o.inside[i] = true
		}
		m := &tetMesh{dx: o.dx}
		for _, u := range o.units { // cubes, whatever the step
			m.pos = append(m.pos, vec{float64(u[0]), float64(u[1]), float64(u[2])})
		}
		angles := map[int]int{}
		o.tets(func(p [4]int32) {
			if orient3(m.pos[p[0]], m.pos[p[1]], m.pos[p[2]], m.pos[p[3]]) < 0 {
				p[2], p[3] = p[3], p[2]
			}
			m.tets = append(m.tets, p)
			for _, angle := range allDihedrals(m.pos[p[0]], m.pos[p[1]], m.pos[p[2]], m.pos[p[3]]) {
				whole := int(math.Round(angle))
				if angles[whole]++; math.Abs(angle-float64(whole)) > 1e-6 || whole != 45 && whole != 60 && whole != 90 && whole != 120 {
					t.Fatalf("a dihedral angle of %g degrees", angle)
				}
			}
		})
		want := 1.0
		for k := range 3 {
			want *= float64(o.n[k] * o.widest())
		}
		for _, c := range o.cells {
			for k := range 3 {
				for _, outer := range [2]bool{c.lo[k] == 0, c.lo[k]+c.edge == o.n[k]*o.widest()} {
					if outer {
						want -= math.Pow(float64(c.edge), 3) / 6
					}
				}
			}
		}
		if got := m.volume(); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("the tetrahedra fill %g of %g", got, want)
		}
		if angles[45] == 0 || angles[120] == 0 {
			t.Errorf("cells of one size only: %v", angles)
		}
		checkFaces(t, m, want)
	}
}

// allDihedrals are the six dihedral angles in degrees.
func allDihedrals(p ...vec) (angles []float64) {
	for i := range 4 {
		for j := range i {
			along := p[i].Sub(p[j]).Unit()
			var across []vec
			for k := range 4 {
				if d := p[k].Sub(p[j]); k != i && k != j {
					across = append(across, d.Sub(along.Scale(d.Dot(along))).Unit())
				}
			}
			angles = append(angles, math.Acos(across[0].Dot(across[1]))*180/math.Pi)
		}
	}
	return angles
}

// checkFaces holds that tetrahedra of positive volume share their faces with one other
// each, seen from the other side, and that what is left encloses their volume.
func checkFaces(t *testing.T, m *tetMesh, volume float64) {
	t.Helper()
	faces := map[[3]int32]int{}
	for i, v := range m.tets {
		if m.volumeOf(int32(i)) <= 0 {
			t.Fatalf("tetrahedron %d has volume %g", i, m.volumeOf(int32(i)))
		}
		for _, f := range tetFaces {
			a, b, c := sort3(v[f[0]], v[f[1]], v[f[2]])
			faces[[3]int32{a, b, c}]++
			if n := faces[[3]int32{a, b, c}]; n > 2 {
				t.Fatalf("%d tetrahedra have one face", n)
			}
		}
	}
	tris, _ := boundaryFaces(m.tets, faceNeighbours(m.tets, len(m.pos)))
	edges := map[[2]int32]int{}
	enclosed := 0.0
	for _, v := range tris {
		p, q, r := m.pos[v[0]], m.pos[v[1]], m.pos[v[2]]
		enclosed += p.Dot(q.Cross(r)) / 6
		for k := range 3 {
			edges[[2]int32{v[k], v[(k+1)%3]}]++
			edges[[2]int32{v[(k+1)%3], v[k]}]--
		}
	}
	for e, n := range edges {
		if n != 0 {
			t.Fatalf("the boundary is open at edge %v", e)
		}
	}
	if math.Abs(enclosed/volume-1) > 1e-9 {
		t.Errorf("the boundary encloses %g of %g", enclosed, volume)
	}
}

// Neighbours differ by one halving at most, over faces, edges and corners: the edges of
// all cells at a corner are told by the points next to it in the eight directions.
func TestCellsAreBalanced(t *testing.T) {
	rng := testenv.Random(t)
	for range 6 {
		o := randomTree(rng)
		for _, u := range o.units {
			least, most := o.widest(), 0
			for k := range 8 {
				c, _, there := o.leafAt([3]int{int(u[0]) - k&1, int(u[1]) - k>>1&1, int(u[2]) - k>>2})
				if there {
					least, most = min(least, c.edge), max(most, c.edge)
				}
			}
			if most > 2*least {
				t.Fatalf("cells of %d and %d halves meet at %v", most, least, u)
			}
		}
	}
}

// Points lie inside where the closed form says so, in all sizes of cells.
func TestGradedPointsOfABall(t *testing.T) {
	rng := testenv.Random(t)
	r := 0.8 + 0.4*rng.Float64()
	s := &surface{}
	ball := sphere(r, 4)
	s.verts, s.tris, s.face = ball.Vertices, ball.Triangles, make([]int32, len(ball.Triangles))
	s.prepare(0)
	lo, hi := s.bounds()
	o := newOctree(lo, hi, 0.4, 3, 1e6)
	for range 3 {
		o.refine(vec{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Unit().Scale(r), 0.06)
	}
	o.finish()
	if err := o.classify(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	for id := range o.units {
		// The facets of 4 bisections lie within a hundredth of the radius.
		if d := o.point(int32(id)).Norm() / r; o.inside[id] != (d < 1) && math.Abs(d-1) > 0.01 {
			t.Errorf("a point at %g radii: inside %v", d, o.inside[id])
		}
	}
}
