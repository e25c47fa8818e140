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
	cells := f.surfaceCells()
	flips := make([][]int32, len(cells))
	if err := parallel(ctx, len(cells), func(n int) { flips[n] = f.thinIn(cells[n]) }); err != nil {
		return err
	}
	for _, list := range flips {
		for _, id := range list {
			if f.keep[id] {
				continue // found from two edges
			}
			f.keep[id] = true
			if id >= f.corners {
				f.inside[1][id-f.corners] = !f.inside[1][id-f.corners]
			} else {
				f.inside[0][id] = !f.inside[0][id]
			}
		}
	}
	return nil
}

// surfaceCells lists the cells whose edges the surface may meet, by halving
// blocks of cells that it comes near.
func (f *stuffer) surfaceCells() [][3]int {
	var out [][3]int
	var descend func(lo, hi [3]int)
	descend = func(lo, hi [3]int) {
		a, b := f.point(0, lo[0], lo[1], lo[2]), f.point(0, hi[0], hi[1], hi[2])
		reach := b.Sub(a).Norm()/2 + 0.75*f.dx
		if _, prim, _ := f.s.tree.NearestWithin(a.Lerp(b, 0.5), reach); prim < 0 {
			return
		}
		axis := 0
		for k := 1; k < 3; k++ {
			if hi[k]-lo[k] > hi[axis]-lo[axis] {
				axis = k
			}
		}
		if hi[axis]-lo[axis] == 1 {
			out = append(out, lo)
			return
		}
		mid := (lo[axis] + hi[axis]) / 2
		left, right := hi, lo
		left[axis], right[axis] = mid, mid
		descend(lo, left)
		descend(right, hi)
	}
	descend([3]int{}, f.n)
	return out
}

// thinIn lists the points to change among the edges that a cell owns: those of
// its centre, and those from its lowest corner.
func (f *stuffer) thinIn(c [3]int) []int32 {
	var out []int32
	try := func(a, b int32) {
		if f.isInside(a) == f.isInside(b) {
			if id := f.thinEdge(a, b); id >= 0 {
				out = append(out, id)
			}
		}
	}
	centre, corner := f.number(1, c[0], c[1], c[2]), f.number(0, c[0], c[1], c[2])
	for k := range 8 {
		try(centre, f.number(0, c[0]+k&1, c[1]+k>>1&1, c[2]+k>>2))
	}
	for axis := range 3 {
		next := c
		next[axis]++
		try(corner, f.number(0, next[0], next[1], next[2]))
		if next[axis] < f.n[axis] {
			try(centre, f.number(1, next[0], next[1], next[2]))
		}
	}
	return out
}

// parallelFaces is the cosine below which two faces bound a wall or a gap.
const parallelFaces = -0.8

// thinEdge is the end to change of an edge through a thin wall or gap, or -1.
func (f *stuffer) thinEdge(a, b int32) int32 {
	p, q := f.point(f.locate(a)), f.point(f.locate(b))
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
