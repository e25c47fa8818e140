package stuffing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// The rows of even are what they say: the parity of a permutation is that of its
// inversions.
func TestEvenPermutations(t *testing.T) {
	for i, row := range even {
		for j, rest := range row {
			if i == j {
				continue
			}
			p, inversions, sum := [4]int{i, j, rest[0], rest[1]}, 0, 0
			for a := range p {
				sum += 1 << p[a]
				for b := range a {
					if p[b] > p[a] {
						inversions++
					}
				}
			}
			if sum != 15 || inversions%2 != 0 {
				t.Errorf("%v", p)
			}
		}
	}
}

// Exchanges keep the space that they fill, here four flat tetrahedra around the short
// axis of an octahedron: with its tips h above and below a square of side
// sqrt(2), the volume is 4h/3.
func TestExchangesKeepTheVolume(t *testing.T) {
	rng := rand.New(rand.NewPCG(testenv.Seed(t), 3))
	h := 0.05 + 0.1*rng.Float64()
	m := &tetMesh{dx: 1, pos: []vec{{0, 0, -h}, {0, 0, h}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}}}
	for k := range int32(4) { // around the axis, which is short: four flat tetrahedra
		m.tets = append(m.tets, [4]int32{0, 1, 2 + k, 2 + (k+1)%4})
	}
	r := &relaxer{m: m, s: &surface{verts: m.pos, tris: [][3]int32{{0, 1, 2}, {3, 4, 5}}}, dx: 1}
	r.connect()
	r.place = make([]placement, len(m.pos))
	for v := range r.place {
		r.place[v].kind = onTip
	}
	before := math.Inf(1)
	for _, tet := range m.tets {
		before = min(before, r.quality(tet))
	}
	made, err := r.swap(context.Background(), 1, false)
	after := math.Inf(1)
	for _, tet := range m.tets {
		after = min(after, r.quality(tet))
	}
	if want := 4 * h / 3; err != nil || math.Abs(m.volume()-want) > 1e-12 || made > 0 && after <= before {
		t.Errorf("h %g: %d exchanges, %v, volume %g for %g, quality %g to %g", h, made, err, m.volume(), want, before, after)
	}
	tris, _ := boundaryFaces(m.tets, faceNeighbours(m.tets, len(m.pos)))
	if len(tris) != 8 {
		t.Errorf("an octahedron has 8 faces, not %d", len(tris))
	}
}

// Parts with features that lie anywhere to the lattice have no poor element: before
// the exchanges the least angle was 11 degrees in each of 24 draws, and the largest up
// to 169; with them 18 and 161.
func TestAnglesOfPartsWithFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(testenv.Seed(t), 4))
	for k := range 4 {
		shape := rotated(bracket(2+2*rng.Float64(), 0.3+0.4*rng.Float64(), 0.6+rng.Float64(), 0.2+0.4*rng.Float64(), 16), rng)
		if k%2 == 1 {
			shape = rotated(drilled(1, 0.3+rng.Float64(), 0.2+0.3*rng.Float64(), 8), rng)
		}
		r := generate(t, shape, Options{DX: 0.09 + 0.04*rng.Float64(), Optimize: true})
		checkMesh(t, r.Mesh)
		// 120 draws had 12.6 to 163.5 degrees, 116 of them at least 16.
		if b := r.Bodies[0]; b.MinDihedral < 11 || b.MaxDihedral > 168 {
			t.Errorf("part %d: angles of %.1f to %.1f degrees in %d tetrahedra", k, b.MinDihedral, b.MaxDihedral, b.Tetrahedra)
		} else {
			t.Logf("part %d: angles of %.1f to %.1f degrees in %d tetrahedra", k, b.MinDihedral, b.MaxDihedral, b.Tetrahedra)
		}
	}
}

// rotated turns a surface about each axis.
func rotated(m *geometry.Mesh, rng *rand.Rand) *geometry.Mesh {
	for axis := range 3 {
		s, c := math.Sincos(2 * math.Pi * rng.Float64())
		i, j := (axis+1)%3, (axis+2)%3
		for k := range m.Vertices {
			p := &m.Vertices[k]
			p[i], p[j] = c*p[i]-s*p[j], s*p[i]+c*p[j]
		}
	}
	return m
}
