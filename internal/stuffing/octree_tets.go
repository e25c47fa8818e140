package stuffing

import (
	"context"
	"slices"
)

// around visits the tetrahedra of one cell: of each face those that it does not leave
// to the neighbour. Between cells of one size they are the lattice's own, an edge of
// the face with both centres, halved where smaller cells have split that edge. Where
// the neighbour is smaller, this cell's half of each is halved at the face's centre
// and the edge's; where it is larger, the pyramid on the face is parted from the large
// face's centre to its corner.
func (o *octree) around(c *cell, visit func(p [4]int32)) {
	for axis := range 3 {
		for side := range 2 {
			var corners [4][3]int
			for m, d := range ring[axis] {
				for k := range 3 {
					corners[m][k] = c.lo[k] + d[k]*c.edge
				}
				corners[m][axis] += side * c.edge
			}
			beside := [3]int{c.lo[0] + 1, c.lo[1] + 1, c.lo[2] + 1}
			beside[axis] += side*c.edge - (1-side)*2
			other, _, there := o.leafAt(beside)
			switch {
			case !there:
			case other.edge == c.edge:
				if side == 1 {
					o.between(c, &other, corners, visit)
				}
			case other.edge < c.edge:
				o.coarseHalf(c, corners, visit)
			default:
				o.halfPyramids(c, &other, axis, corners, visit)
			}
		}
	}
}

func middle(a, b [3]int) [3]int {
	return [3]int{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2}
}

func (o *octree) between(c, other *cell, corners [4][3]int, visit func(p [4]int32)) {
	h := other.edge / 2
	apex := o.number[key([3]int{other.lo[0] + h, other.lo[1] + h, other.lo[2] + h})]
	for m, p := range corners {
		q := corners[(m+1)%4]
		a, b := o.number[key(p)], o.number[key(q)]
		if half, split := o.number[key(middle(p, q))]; split && c.edge > 2 {
			visit([4]int32{c.centre, apex, a, half})
			visit([4]int32{c.centre, apex, half, b})
			continue
		}
		visit([4]int32{c.centre, apex, a, b})
	}
}

func (o *octree) coarseHalf(c *cell, corners [4][3]int, visit func(p [4]int32)) {
	n := o.number[key(middle(corners[0], corners[2]))]
	for m, p := range corners {
		q := corners[(m+1)%4]
		half := o.number[key(middle(p, q))]
		visit([4]int32{c.centre, n, o.number[key(p)], half})
		visit([4]int32{c.centre, n, half, o.number[key(q)]})
	}
}

func (o *octree) halfPyramids(c, large *cell, axis int, corners [4][3]int, visit func(p [4]int32)) {
	start := 0
	for m, p := range corners {
		centre := true
		for k := range 3 {
			centre = centre && (k == axis || p[k] == large.lo[k]+large.edge/2)
		}
		if centre {
			start = m
		}
	}
	var v [4]int32
	for m := range v {
		v[m] = o.number[key(corners[(start+m)%4])]
	}
	visit([4]int32{c.centre, v[0], v[1], v[2]})
	visit([4]int32{c.centre, v[0], v[2], v[3]})
}

func (o *octree) tets(visit func(p [4]int32)) {
	for i := range o.cells {
		o.around(&o.cells[i], func(p [4]int32) {
			if o.inside[p[0]] || o.inside[p[1]] || o.inside[p[2]] || o.inside[p[3]] {
				visit(p)
			}
		})
	}
}

func (o *octree) crossed(visit func(in, out int32)) {
	seen := map[uint64]bool{}
	o.tets(func(p [4]int32) {
		for i, a := range p {
			for _, b := range p[:i] {
				if o.inside[a] == o.inside[b] || seen[edgeKey(a, b)] {
					continue
				}
				seen[edgeKey(a, b)] = true
				if o.inside[a] {
					visit(a, b)
				} else {
					visit(b, a)
				}
			}
		}
	})
}

func (o *octree) near(s *surface) (cells int, edges func(cell int, visit func(a, b int32))) {
	var list []int32
	for i := range o.cells {
		c := &o.cells[i]
		edge := o.dx / float64(int(1)<<o.halvings(c.edge))
		// As far as the centre of the next cell.
		if _, prim, _ := s.tree.NearestWithin(o.point(c.centre), 1.5*edge); prim >= 0 {
			list = append(list, int32(i))
		}
	}
	return len(list), func(cell int, visit func(a, b int32)) {
		var seen []uint64
		o.around(&o.cells[list[cell]], func(p [4]int32) {
			for i, a := range p {
				for _, b := range p[:i] {
					if k := edgeKey(a, b); !slices.Contains(seen, k) {
						seen = append(seen, k)
						visit(a, b)
					}
				}
			}
		})
	}
}

// limits are those of the uniform lattice of the smallest cells at each end: no end is
// moved further than among these alone.
func (o *octree) limits(a, b int32) (ofA, ofB float64) {
	d := apart2(o.halfCells(a), o.halfCells(b))
	of := func(id int32) float64 {
		e := o.widest() >> o.level[id]
		cube := d
		for cube%4 == 0 {
			cube /= 4
		}
		limit, usual := alphaLong, e*e // along an axis: corners of a cell, or two centres
		switch cube {
		case 3:
			limit, usual = alphaShort, 3*e*e/4
		case 2:
			limit, usual = alphaDiagonal, e*e/2
		}
		return limit * min(1, sqrt(float64(usual)/float64(d)))
	}
	return of(a), of(b)
}

// alphaDiagonal is the fraction for edges across the faces of cells.
const alphaDiagonal = 0.35

// classify follows the rows of points along x, each with the triangles that it meets,
// by the arithmetic of the uniform lattice.
func (o *octree) classify(ctx context.Context, s *surface) error {
	order := make([]int32, len(o.units))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		p, q := o.units[a], o.units[b]
		for k := 2; k >= 0; k-- {
			if p[k] != q[k] {
				return int(p[k] - q[k])
			}
		}
		return 0
	})
	var starts []int
	for i, id := range order {
		p := o.units[id]
		if i == 0 || p[1] != o.units[order[i-1]][1] || p[2] != o.units[order[i-1]][2] {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(order))
	round := newRounding(o.origin, max(float64(o.n[1])*o.step[1], float64(o.n[2])*o.step[2]))
	return parallel(ctx, len(starts)-1, func(r int) { o.fillRow(s, round, order[starts[r]:starts[r+1]]) })
}

func (o *octree) fillRow(s *surface, round rounding, ids []int32) {
	first, last := o.point(ids[0]), o.point(ids[len(ids)-1])
	y, z := first[1], first[2]
	p := [2]int64{round.even(y, 1) + 1, round.even(z, 2) + 1}
	slack := 4 / round.scale // of the rounding
	lo, hi := vec{o.origin[0], y - slack, z - slack}, vec{last[0], y + slack, z + slack}
	var row []crossing
	s.tree.Overlapping(lo, hi, func(t int32) bool {
		var flat [3][2]int64
		for k, v := range s.tris[t] {
			flat[k] = [2]int64{round.even(s.verts[v][1], 1), round.even(s.verts[v][2], 2)}
		}
		if turn := passes(p, flat[0], flat[1], flat[2]); turn != 0 {
			row = append(row, crossing{s.rowX(int(t), y, z), turn})
		}
		return true
	})
	sortRow(row)
	at, winding := 0, 0
	for _, id := range ids {
		for x := o.point(id)[0]; at < len(row) && row[at].x <= x; at++ {
			winding += int(row[at].turn)
		}
		o.inside[id] = winding > 0
	}
}
