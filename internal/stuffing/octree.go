package stuffing

import "math"

// octree is the graded lattice (Labelle and Shewchuk 2007, section 3): cubic cells of
// edge dx, halved again and again where that is asked for, such that cells which share
// a face, an edge or a corner differ by one halving at most. Its points are the centres
// and corners of the cells that are not halved, with whole coordinates, of which the
// smallest cell that may be made is two wide. Nothing is stored for cells of that size
// where larger ones do.
type octree struct {
	origin vec
	dx     float64
	step   vec // edges of a largest cell, dx but for a little
	n      [3]int
	depth  int     // halvings from the largest cells to the smallest
	child  []int32 // of each cell the first of its eight parts, 0 without; the largest come first
	most   int     // cells that may be made
	full   bool    // that was not enough

	units  [][3]int32 // of each point
	level  []int8     // halvings of the smallest cell at it
	inside []bool
	number map[uint64]int32
	cells  []cell // that are not halved
}

// cell is a cube of the tree by its lowest corner and its edge.
type cell struct {
	lo     [3]int
	edge   int
	centre int32 // number of that point
}

// newOctree is the tree of largest cells alone. Its planes that count lie outside the
// body's box as far as those of the uniform lattice of the smallest spacing do.
func newOctree(lo, hi vec, dx float64, depth, most int) *octree {
	o := &octree{dx: dx, depth: depth, most: most}
	out := beyond / float64(int(1)<<depth)
	cells := 1
	for k := range 3 {
		o.step[k] = dx
		if extent := hi[k] - lo[k]; extent >= leastCells*dx {
			o.step[k] = extent / (math.Max(2, math.Round(extent/dx)) - 2*out)
		}
		o.origin[k] = lo[k] - (padding+out)*o.step[k]
		o.n[k] = int(math.Ceil((hi[k]-lo[k])/o.step[k]+2*out-1e-9)) + 2*padding
		cells *= o.n[k]
	}
	o.child = make([]int32, cells)
	return o
}

// widest is the edge of the largest cells in whole coordinates.
func (o *octree) widest() int { return 2 << o.depth }

// leafAt is the cell, with its node, that holds a place between the points; false
// outside of all cells.
func (o *octree) leafAt(p [3]int) (c cell, node int32, ok bool) {
	e := o.widest()
	var at [3]int
	for k := range 3 {
		if at[k] = p[k] / e; p[k] < 0 || at[k] >= o.n[k] {
			return c, 0, false
		}
		c.lo[k] = at[k] * e
	}
	node = int32((at[2]*o.n[1]+at[1])*o.n[0] + at[0])
	for o.child[node] != 0 {
		e /= 2
		node = o.child[node]
		for k := range 3 {
			if p[k] >= c.lo[k]+e {
				c.lo[k] += e
				node += 1 << k
			}
		}
	}
	c.edge = e
	return c, node, true
}

// halve parts the cell at a place into eight, and first those of its neighbours that
// would be too large beside the parts.
func (o *octree) halve(p [3]int) {
	c, node, ok := o.leafAt(p)
	if !ok || c.edge == 2 {
		return
	}
	for d := range 27 {
		q := [3]int{c.lo[0] + (d%3-1)*c.edge + 1, c.lo[1] + (d/3%3-1)*c.edge + 1, c.lo[2] + (d/9-1)*c.edge + 1}
		for !o.full {
			other, _, there := o.leafAt(q)
			if !there || other.edge <= c.edge {
				break
			}
			o.halve(q)
		}
	}
	if len(o.child)+8 > o.most {
		o.full = true
		return
	}
	o.child[node] = int32(len(o.child))
	o.child = append(o.child, 0, 0, 0, 0, 0, 0, 0, 0)
}

// levelOf is how many halvings make cells of about this spacing: of a wall as thick as
// two cells, the facets take a little.
func (o *octree) levelOf(spacing float64) int {
	for l := range o.depth {
		if o.dx/float64(int(1)<<l) <= 1.05*spacing {
			return l
		}
	}
	return o.depth
}

// refine halves the cells that come within half a spacing of a place until none is
// larger than the spacing.
func (o *octree) refine(p vec, spacing float64) {
	level := o.levelOf(spacing)
	if level == 0 {
		return
	}
	edge := o.widest() >> level
	var lo, hi [3]int
	for k := range 3 {
		unit := o.step[k] / float64(o.widest())
		at, reach := (p[k]-o.origin[k])/unit, spacing/2/unit
		lo[k], hi[k] = int(math.Floor((at-reach)/float64(edge))), int(math.Floor((at+reach)/float64(edge)))
	}
	for k := lo[2]; k <= hi[2]; k++ {
		for j := lo[1]; j <= hi[1]; j++ {
			for i := lo[0]; i <= hi[0]; i++ {
				q := [3]int{i*edge + 1, j*edge + 1, k*edge + 1}
				for !o.full {
					c, _, there := o.leafAt(q)
					if !there || c.edge <= edge {
						break
					}
					o.halve(q)
				}
			}
		}
	}
}

// finish numbers the points once all cells are made: first the cells' centres.
func (o *octree) finish() {
	o.number = map[uint64]int32{}
	for k := range o.n[2] {
		for j := range o.n[1] {
			for i := range o.n[0] {
				e := o.widest()
				o.list(int32((k*o.n[1]+j)*o.n[0]+i), cell{lo: [3]int{i * e, j * e, k * e}, edge: e})
			}
		}
	}
	for i := range o.cells {
		c := &o.cells[i]
		level := o.halvings(c.edge)
		h := c.edge / 2
		c.centre = o.add([3]int{c.lo[0] + h, c.lo[1] + h, c.lo[2] + h}, level)
		for k := range 8 {
			o.add(c.corner(k), level)
		}
	}
	o.inside = make([]bool, len(o.units))
}

func (c *cell) corner(k int) [3]int {
	return [3]int{c.lo[0] + k&1*c.edge, c.lo[1] + k>>1&1*c.edge, c.lo[2] + k>>2*c.edge}
}

func (o *octree) halvings(edge int) (level int8) {
	for e := o.widest(); e > edge; e /= 2 {
		level++
	}
	return level
}

func (o *octree) list(node int32, c cell) {
	first := o.child[node]
	if first == 0 {
		o.cells = append(o.cells, c)
		return
	}
	half := cell{lo: c.lo, edge: c.edge / 2}
	for k := range 8 {
		o.list(first+int32(k), cell{lo: half.corner(k), edge: half.edge})
	}
}

// key names a point by its coordinates, which stay below 2²¹.
func key(p [3]int) uint64 { return uint64(p[2])<<42 | uint64(p[1])<<21 | uint64(p[0]) }

func (o *octree) add(p [3]int, level int8) int32 {
	id, known := o.number[key(p)]
	if !known {
		id = int32(len(o.units))
		o.number[key(p)] = id
		o.units = append(o.units, [3]int32{int32(p[0]), int32(p[1]), int32(p[2])})
		o.level = append(o.level, level)
	}
	o.level[id] = max(o.level[id], level)
	return id
}

func (o *octree) point(id int32) (p vec) {
	for k, u := range o.units[id] {
		p[k] = o.origin[k] + float64(u)*o.step[k]/float64(o.widest())
	}
	return p
}

func (o *octree) halfCells(id int32) [3]int {
	u := o.units[id]
	return [3]int{int(u[0]), int(u[1]), int(u[2])}
}

func (o *octree) size(id int32) float64 { return o.dx / float64(int(1)<<o.level[id]) }

func (o *octree) isInside(id int32) bool { return o.inside[id] }

func (o *octree) flip(id int32) { o.inside[id] = !o.inside[id] }
