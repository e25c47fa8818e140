package stuffing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// Flat faces stay flat: plain boxes of all proportions are meshed with every boundary
// vertex in the face's plane, and none pays for it with its angles or its volume.
func TestBoxesKeepTheirFlatFaces(t *testing.T) {
	start := testenv.Seed(t)
	const boxes = 40
	for seed := range uint64(boxes) {
		rng := rand.New(rand.NewPCG(start, seed))
		var size geometry.Vec3
		for k := range size {
			size[k] = 5 + 25*rng.Float64()
		}
		m := &geometry.Mesh{}
		for i := range 8 {
			m.Vertices = append(m.Vertices, geometry.Vec3{float64(i&1) * size[0], float64(i>>1&1) * size[1], float64(i>>2) * size[2]})
		}
		for _, q := range [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
			m.Triangles = append(m.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
		}
		dx := min(size[0], size[1], size[2]) / (2 + 6*rng.Float64())
		r, err := Generate(context.Background(), m, Options{DX: dx, FeatureAngle: 40, MaxTetrahedra: 1_000_000})
		if err != nil {
			t.Fatalf("box %v, dx %g: %v", size, dx, err)
		}
		bend := 0.0
		for _, f := range r.Faces {
			bend = max(bend, f.Bend)
		}
		if bend > 1e-6*size.Norm() {
			t.Errorf("box %v, dx %g: a face bends by %g", size, dx, bend)
		}
		if b := r.Bodies[0]; b.MinDihedral < leastAngle || math.Abs(b.VolumeError) > 1e-6 {
			t.Errorf("box %v, dx %g: smallest angle %g°, volume off by %g", size, dx, b.MinDihedral, b.VolumeError)
		}
	}
}
