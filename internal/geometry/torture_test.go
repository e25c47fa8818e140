package geometry

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// damage does to a surface what bad exporters do, by chance.
func damage(rng *rand.Rand, m *Mesh) {
	for range 1 + rng.IntN(6) {
		t := rng.IntN(len(m.Triangles))
		switch rng.IntN(8) {
		case 0: // a hole
			keep := []int32{}
			for i := range m.Triangles {
				if i < t || i > t+rng.IntN(5) {
					keep = append(keep, int32(i))
				}
			}
			if len(keep) > 4 {
				m.filter(keep)
			}
		case 1: // a triangle twice, or turned round
			m.Triangles = append(m.Triangles, m.Triangles[t])
			if rng.IntN(2) == 0 {
				m.flip(len(m.Triangles) - 1)
			}
		case 2:
			m.flip(t)
		case 3: // a crack
			v := m.Triangles[t][0]
			m.Vertices = append(m.Vertices, m.Vertices[v].Add(Vec3{1e-7, 0, 0}))
			m.Triangles[t][0] = int32(len(m.Vertices) - 1)
		case 4: // any three vertices
			n := len(m.Vertices)
			m.Triangles = append(m.Triangles, [3]int32{int32(rng.IntN(n)), int32(rng.IntN(n)), int32(rng.IntN(n))})
		case 5: // two vertices in one place
			m.Vertices[m.Triangles[t][0]] = m.Vertices[m.Triangles[t][1]]
		case 6: // a spike that pierces the other side
			m.Vertices[m.Triangles[t][2]] = m.Vertices[m.Triangles[t][2]].Scale(-1.5)
		case 7: // every corner its own vertex
			for i := range m.Triangles {
				for k, v := range m.Triangles[i] {
					m.Vertices = append(m.Vertices, m.Vertices[v])
					m.Triangles[i][k] = int32(len(m.Vertices) - 1)
				}
			}
		}
		m.FaceID = nil
	}
}

// Whatever the damage, the answer is a sound surface or a refusal of the
// catalogue; decimation then keeps it sound.
func TestTorture(t *testing.T) {
	refused, sheets := 0, 0
	rounds := 250
	if os.Getenv("ATELIER_LONG") != "" {
		rounds = 5000
	}
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 7))
		shapes := []*Mesh{tetrahedron(), cube(Vec3{-1, -1, -1}, Vec3{1, 1, 1}), icosphere(2, 1), torus(12, 8, 2, 0.7)}
		m := shapes[rng.IntN(len(shapes))]
		damage(rng, m)
		out, rep, err := Repair(context.Background(), m, RepairOptions{FillHoles: true, ResolveIntersections: seed%2 == 0})
		if err != nil {
			var e *contract.Error
			if !errors.As(err, &e) || e.Code == contract.CodeInternal || e.Hint == "" {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if refused++; strings.Contains(e.Message, "open sheets") {
				sheets++ // a large stray triangle: what it means must be asked
			} else {
				t.Logf("seed %d: %v", seed, err)
			}
			continue
		}
		if !out.Check().Sound() || out.Volume() <= 0 {
			t.Fatalf("seed %d: volume %g %+v", seed, out.Volume(), rep)
		}
		small, _, err := Decimate(context.Background(), out, DecimateOptions{TargetFaces: len(out.Triangles) / 3})
		if err != nil || !small.Check().Sound() {
			t.Fatalf("seed %d: decimated %+v %v", seed, small.Check(), err)
		}
	}
	t.Logf("%d of %d refused, %d for stray sheets", refused, rounds, sheets)
	if refused-sheets > rounds/50 || sheets > rounds/3 {
		t.Errorf("%d of %d are refused, %d for stray sheets", refused, rounds, sheets)
	}
}
