package stuffing

import (
	"context"
)

// bridgeThin changes sides where the lattice is too coarse to see a thin wall
// (or gap): a lattice edge with both ends outside (inside) that passes through
// one between nearly parallel faces. Its end nearer to the wall then counts as
// part of it and is kept from warping; the free vertex there finds its way into
// the wall when the boundary is fitted. Without this a thin wall has holes.
func (f *stuffer) bridgeThin(ctx context.Context) error {
	cells, edges := f.near(f.s)
	flips := make([][]int32, cells)
	err := parallel(ctx, cells, func(n int) {
		edges(n, func(a, b int32) {
			if f.isInside(a) == f.isInside(b) {
				if id := f.thinEdge(a, b); id >= 0 {
					flips[n] = append(flips[n], id)
				}
			}
		})
	})
	if err != nil {
		return err
	}
	for _, list := range flips {
		for _, id := range list {
			if f.keep[id] {
				continue // found from two edges
			}
			f.keep[id] = true
			f.flip(id)
		}
	}
	return nil
}

// parallelFaces is the cosine below which two faces bound a wall or a gap.
const parallelFaces = -0.8

// thinEdge is the end to change of an edge through a thin wall or gap, or -1.
func (f *stuffer) thinEdge(a, b int32) int32 {
	p, q := f.point(a), f.point(b)
	// A little longer, so that a face through an end is met.
	over := q.Sub(p).Scale(1e-7)
	p, q = p.Sub(over), q.Add(over)
	t1, first := f.s.tree.FirstHit(p, q, 0)
	if first < 0 {
		return -1
	}
	t2, second := f.s.tree.FirstHit(p, q, t1+1e-9)
	if second < 0 || f.s.normal[first].Dot(f.s.normal[second]) > parallelFaces {
		return -1
	}
	if t1 <= 1-t2 {
		return a
	}
	return b
}
