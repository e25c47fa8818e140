package geometry

import (
	"context"
	"math"
)

// Deviation samples the distance between two surfaces both ways: from a's
// vertices to b, and from b's vertices and triangle centres to a. It returns the
// largest one found (a lower bound of the Hausdorff distance) and the root mean
// square, in the file's unit.
func Deviation(ctx context.Context, a, b *Mesh) (largest, rms float64, err error) {
	toA, toB := NewBVH(a), NewBVH(b)
	var sum float64
	n := 0
	probe := func(tree *BVH, p Vec3) error {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, _, d := tree.Nearest(p)
		largest = max(largest, d)
		sum += d * d
		n++
		return nil
	}
	for _, p := range a.Vertices {
		if err := probe(toB, p); err != nil {
			return 0, 0, err
		}
	}
	for _, p := range b.Vertices {
		if err := probe(toA, p); err != nil {
			return 0, 0, err
		}
	}
	for t := range b.Triangles {
		p, q, r := b.Corners(t)
		if err := probe(toA, p.Add(q).Add(r).Scale(1.0/3)); err != nil {
			return 0, 0, err
		}
	}
	return largest, math.Sqrt(sum / float64(max(n, 1))), nil
}
