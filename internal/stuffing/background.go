package stuffing

import "context"

// background is a conforming mesh of tetrahedra around a body, before it is cut: the
// uniform lattice, or the graded one of an octree. Its points are numbered from 0.
type background interface {
	point(id int32) vec
	// halfCells are whole coordinates of a point, in half cells of the smallest size.
	halfCells(id int32) [3]int
	// size is the edge of the smallest cell at a point.
	size(id int32) float64
	isInside(id int32) bool
	flip(id int32) // changes the side of a point
	// classify decides for every point whether it lies inside the surface.
	classify(ctx context.Context, s *surface) error
	// near counts the cells whose edges the surface may meet, and lists those of one;
	// an edge may be listed for several cells.
	near(s *surface) (cells int, edges func(cell int, visit func(a, b int32)))
	// crossed visits every edge whose ends lie on different sides, once.
	crossed(visit func(in, out int32))
	// limits are the fractions of an edge, from each end, within which a cut point pulls
	// that end onto itself.
	limits(a, b int32) (ofA, ofB float64)
	// tets visits the tetrahedra that have a point inside.
	tets(visit func(p [4]int32))
}

// number is the global number of a lattice point.
func (l *lattice) number(kind, i, j, k int) int32 {
	return int32(l.index(kind, i, j, k)) + int32(kind)*l.corners
}

// locate is the inverse of number.
func (l *lattice) locate(id int32) (kind, i, j, k int) {
	if id >= l.corners {
		kind, id = 1, id-l.corners
	}
	nx, ny := l.n[0]+1-kind, l.n[1]+1-kind
	return kind, int(id) % nx, int(id) / nx % ny, int(id) / (nx * ny)
}

func (l *lattice) point(id int32) vec { return l.place(l.locate(id)) }

func (l *lattice) halfCells(id int32) [3]int {
	kind, i, j, k := l.locate(id)
	return [3]int{2*i + kind, 2*j + kind, 2*k + kind}
}

func (l *lattice) size(int32) float64 { return l.dx }

func (l *lattice) side(id int32) *bool {
	if id >= l.corners {
		return &l.inside[1][id-l.corners]
	}
	return &l.inside[0][id]
}

func (l *lattice) isInside(id int32) bool { return *l.side(id) }

func (l *lattice) flip(id int32) {
	side := l.side(id)
	*side = !*side
}

// limits: the long edges join two corners, or two centres.
func (l *lattice) limits(a, b int32) (ofA, ofB float64) {
	if (a >= l.corners) == (b >= l.corners) {
		return alphaLong, alphaLong
	}
	return alphaShort, alphaShort
}

func (l *lattice) crossed(visit func(in, out int32)) {
	add := func(a, b int32) {
		switch in, out := l.isInside(a), l.isInside(b); {
		case in && !out:
			visit(a, b)
		case out && !in:
			visit(b, a)
		}
	}
	for kind := range 2 {
		nx, ny, nz := l.n[0]+1-kind, l.n[1]+1-kind, l.n[2]+1-kind
		for k := range nz {
			for j := range ny {
				for i := range nx {
					id := l.number(kind, i, j, k)
					if i+1 < nx {
						add(id, id+1)
					}
					if j+1 < ny {
						add(id, id+int32(nx))
					}
					if k+1 < nz {
						add(id, id+int32(nx*ny))
					}
					if kind == 1 {
						for c := range 8 {
							add(id, l.number(0, i+c&1, j+c>>1&1, k+c>>2))
						}
					}
				}
			}
		}
	}
}

// ring are the four corners, in cyclic order, of the cell face whose normal is
// the given axis, relative to the face's lowest corner.
var ring = [3][4][3]int{
	{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}},
	{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}},
	{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
}

// tets are two centres of neighbouring cells with an edge of their common face.
func (l *lattice) tets(visit func(p [4]int32)) {
	for k := range l.n[2] {
		for j := range l.n[1] {
			for i := range l.n[0] {
				for axis := range 3 {
					next := [3]int{i, j, k}
					next[axis]++
					if next[axis] < l.n[axis] {
						l.tetsAtFace(axis, [3]int{i, j, k}, next, visit)
					}
				}
			}
		}
	}
}

func (l *lattice) tetsAtFace(axis int, low, high [3]int, visit func(p [4]int32)) {
	var c [4]int32
	any := false
	for m, d := range ring[axis] {
		c[m] = l.number(0, high[0]+d[0], high[1]+d[1], high[2]+d[2])
		any = any || l.inside[0][c[m]]
	}
	a, b := l.number(1, low[0], low[1], low[2]), l.number(1, high[0], high[1], high[2])
	if !any && !l.isInside(a) && !l.isInside(b) {
		return
	}
	for m := range 4 {
		visit([4]int32{a, b, c[m], c[(m+1)%4]})
	}
}

// near finds the cells by halving blocks of cells that the surface comes near. The
// edges that a cell owns are those of its centre, and those from its lowest corner.
func (l *lattice) near(s *surface) (cells int, edges func(cell int, visit func(a, b int32))) {
	var out [][3]int
	var descend func(lo, hi [3]int)
	descend = func(lo, hi [3]int) {
		a, b := l.place(0, lo[0], lo[1], lo[2]), l.place(0, hi[0], hi[1], hi[2])
		reach := b.Sub(a).Norm()/2 + 0.75*l.dx
		if _, prim, _ := s.tree.NearestWithin(a.Lerp(b, 0.5), reach); prim < 0 {
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
	descend([3]int{}, l.n)
	return len(out), func(cell int, visit func(a, b int32)) { l.edgesOf(out[cell], visit) }
}

func (l *lattice) edgesOf(c [3]int, visit func(a, b int32)) {
	centre, corner := l.number(1, c[0], c[1], c[2]), l.number(0, c[0], c[1], c[2])
	for k := range 8 {
		visit(centre, l.number(0, c[0]+k&1, c[1]+k>>1&1, c[2]+k>>2))
	}
	for axis := range 3 {
		next := c
		next[axis]++
		visit(corner, l.number(0, next[0], next[1], next[2]))
		if next[axis] < l.n[axis] {
			visit(centre, l.number(1, next[0], next[1], next[2]))
		}
	}
}
