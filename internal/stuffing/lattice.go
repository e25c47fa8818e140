package stuffing

import (
	"context"
	"math"
	"slices"
)

// lattice is a body-centred cubic lattice around a body. Points have integer
// coordinates in half cells: (even, even, even) for the corners and (odd, odd,
// odd) for the centres of cubic cells of edge dx (Labelle and Shewchuk 2007,
// section 3).
type lattice struct {
	origin  vec
	dx      float64
	step    vec       // edges of a cell, dx but for a little
	n       [3]int    // cells in each direction
	inside  [2][]bool // of corner and centre points
	corners int32     // number of corner points; centres are numbered after them
}

// padding is the number of empty cells around the body.
const padding = 2

const (
	// beyond is how far, in cells, the outermost lattice planes that count lie outside
	// the body's box: they are drawn onto its flat ends, edges and corners from
	// outside. Planes on the ends themselves leave open on which side their points are,
	// and those within leave slivers: of random boxes a quarter came out bent.
	beyond = 0.02
	// leastCells is how many cells a body must span for them to be fitted to its
	// extent: two or more, stretched by a quarter at most above one and a half.
	leastCells = 1
)

func newLattice(lo, hi vec, dx float64) *lattice {
	l := &lattice{dx: dx}
	for k := range 3 {
		l.step[k] = dx
		if extent := hi[k] - lo[k]; extent >= leastCells*dx {
			l.step[k] = extent / (math.Max(2, math.Round(extent/dx)) - 2*beyond)
		}
		l.origin[k] = lo[k] - (padding+beyond)*l.step[k]
		l.n[k] = int(math.Ceil((hi[k]-lo[k])/l.step[k]+2*beyond-1e-9)) + 2*padding
	}
	for kind := range 2 {
		l.inside[kind] = make([]bool, l.count(kind))
	}
	l.corners = int32(l.count(0))
	return l
}

// cells is the number of cells that a lattice around the box would have.
func latticeCells(lo, hi vec, dx float64) float64 {
	n := 1.0
	for k := range 3 {
		n *= math.Ceil((hi[k]-lo[k])/dx) + 2*padding
	}
	return n
}

func (l *lattice) count(kind int) int {
	return (l.n[0] + 1 - kind) * (l.n[1] + 1 - kind) * (l.n[2] + 1 - kind)
}

// index of the lattice point in the arrays of its kind.
func (l *lattice) index(kind, i, j, k int) int {
	return (k*(l.n[1]+1-kind)+j)*(l.n[0]+1-kind) + i
}

// place is the position of cell corner (kind 0) or centre (kind 1) i, j, k.
func (l *lattice) place(kind, i, j, k int) vec {
	h := 0.5 * float64(kind)
	return vec{
		l.origin[0] + (float64(i)+h)*l.step[0],
		l.origin[1] + (float64(j)+h)*l.step[1],
		l.origin[2] + (float64(k)+h)*l.step[2],
	}
}

// fixedBits is the resolution of the exact plane arithmetic below: 28 bits over
// the body's extent, so that every determinant fits into 63 bits.
const fixedBits = 28

// crossing is where a lattice row along x passes through the surface.
type crossing struct {
	x    float64
	turn int8 // +1 entering, -1 leaving
}

// classify decides for every lattice point whether it lies inside the surface:
// where the winding number along its row is positive. y and z are rounded to
// whole numbers, even for the surface and odd for the rows, which makes the
// crossings of each row exact and consistent between triangles that share an
// edge, whatever the surface's degeneracies.
func (l *lattice) classify(ctx context.Context, s *surface) error {
	for kind := range 2 {
		rows := l.crossings(kind, s)
		if err := ctx.Err(); err != nil {
			return err
		}
		l.fill(kind, rows)
	}
	return nil
}

func (l *lattice) fill(kind int, rows [][]crossing) {
	nx, ny := l.n[0]+1-kind, l.n[1]+1-kind
	for r, row := range rows {
		if len(row) == 0 {
			continue
		}
		sortRow(row)
		j, k := r%ny, r/ny
		at, winding := 0, 0
		for i := range nx {
			x := l.place(kind, i, j, k)[0]
			for at < len(row) && row[at].x <= x {
				winding += int(row[at].turn)
				at++
			}
			l.inside[kind][l.index(kind, i, j, k)] = winding > 0
		}
	}
}

func sortRow(row []crossing) {
	slices.SortFunc(row, func(a, b crossing) int {
		switch {
		case a.x < b.x:
			return -1
		case a.x > b.x:
			return 1
		}
		return int(b.turn - a.turn)
	})
}

// rounding turns positions into the whole numbers of the exact plane arithmetic.
type rounding struct {
	origin vec
	scale  float64
}

func newRounding(origin vec, extent float64) rounding {
	return rounding{origin, float64(int64(1)<<fixedBits) / extent}
}

func (r rounding) even(v float64, axis int) int64 {
	return 2 * int64(math.Round((v-r.origin[axis])*r.scale))
}

// crossings lists the crossings of all rows of one kind of points, unsorted.
func (l *lattice) crossings(kind int, s *surface) [][]crossing {
	ny, nz := l.n[1]+1-kind, l.n[2]+1-kind
	rows := make([][]crossing, ny*nz)
	extent := max(float64(l.n[1])*l.step[1], float64(l.n[2])*l.step[2])
	even := newRounding(l.origin, extent).even
	rowY, rowZ := make([]int64, ny), make([]int64, nz)
	for j := range rowY {
		rowY[j] = even(l.place(kind, 0, j, 0)[1], 1) + 1
	}
	for k := range rowZ {
		rowZ[k] = even(l.place(kind, 0, 0, k)[2], 2) + 1
	}
	flat := make([][2]int64, len(s.verts))
	for i, v := range s.verts {
		flat[i] = [2]int64{even(v[1], 1), even(v[2], 2)}
	}
	for t, tri := range s.tris {
		a, b, c := flat[tri[0]], flat[tri[1]], flat[tri[2]]
		j0, j1 := span(rowY, min(a[0], b[0], c[0]), max(a[0], b[0], c[0]))
		k0, k1 := span(rowZ, min(a[1], b[1], c[1]), max(a[1], b[1], c[1]))
		for k := k0; k < k1; k++ {
			for j := j0; j < j1; j++ {
				turn := passes([2]int64{rowY[j], rowZ[k]}, a, b, c)
				if turn == 0 {
					continue
				}
				r, p := k*ny+j, l.place(kind, 0, j, k)
				rows[r] = append(rows[r], crossing{s.rowX(t, p[1], p[2]), turn})
			}
		}
	}
	return rows
}

// span is the range of sorted row positions within [lo, hi].
func span(rows []int64, lo, hi int64) (int, int) {
	first, _ := slices.BinarySearch(rows, lo)
	last, _ := slices.BinarySearch(rows, hi+1)
	return first, last
}

// leftOf is +1 when p lies left of the line from a to b in the (y, z) plane,
// else -1. A point on the line counts as moved a little towards +y; it is never
// level with an end, because its coordinates are odd and theirs are even.
func leftOf(p, a, b [2]int64) int {
	d := (b[0]-a[0])*(p[1]-a[1]) - (b[1]-a[1])*(p[0]-a[0])
	if d == 0 {
		d = a[1] - b[1]
	}
	if d > 0 {
		return 1
	}
	return -1
}

// passes says how the row at p passes through a triangle: +1 entering the body, -1
// leaving, 0 not. One that is counter-clockwise in (y, z) has its normal towards +x:
// the row leaves the body there.
func passes(p, a, b, c [2]int64) int8 {
	turn := leftOf(p, a, b)
	if turn != leftOf(p, b, c) || turn != leftOf(p, c, a) {
		return 0
	}
	return int8(-turn)
}

// rowX is the x at which the row at y and z meets the plane of triangle t, kept
// within the triangle's extent.
func (s *surface) rowX(t int, y, z float64) float64 {
	a, b, c := s.corners(t)
	n := b.Sub(a).Cross(c.Sub(a))
	lo, hi := min(a[0], b[0], c[0]), max(a[0], b[0], c[0])
	if n[0] == 0 {
		return (lo + hi) / 2
	}
	x := a[0] - (n[1]*(y-a[1])+n[2]*(z-a[2]))/n[0]
	return min(max(x, lo), hi)
}
