package geometry

import (
	"context"
	"math"
)

// dpLimit is the loop length up to which the cubic optimal triangulation runs;
// a longer loop is first cut along short chords.
const dpLimit = 240

// filler fills border loops of a glued mesh. The new triangles run against the
// border, so that the filled surface is oriented.
type filler struct {
	ctx   context.Context
	mesh  *Mesh
	edges map[uint64]bool // edges between border vertices, which must not be made twice
	rim   map[uint64]Vec3 // unit normal of the triangle at each border edge
	out   [][3]int32      // triangles of the hole being filled
	// leastArea puts the area before the fold.
	leastArea bool
}

func edgeKey(a, b int32) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(a)<<32 | uint64(b)
}

func newFiller(ctx context.Context, m *Mesh, loops [][]int32) *filler {
	f := &filler{ctx: ctx, mesh: m, edges: map[uint64]bool{}, rim: map[uint64]Vec3{}}
	on := make([]bool, len(m.Vertices))
	for _, l := range loops {
		for _, h := range l {
			on[origin(m.Triangles, h)] = true
			f.rim[edgeKey(origin(m.Triangles, h), target(m.Triangles, h))] = m.TriangleNormal(int(h / 3)).Unit()
		}
	}
	for _, t := range m.Triangles {
		for k := range 3 {
			if a, b := t[k], t[(k+1)%3]; on[a] && on[b] {
				f.edges[edgeKey(a, b)] = true
			}
		}
	}
	return f
}

// fill triangulates the loop of vertices (in border order) into f.out.
func (f *filler) fill(loop []int32) error {
	f.out = f.out[:0]
	return f.part(loop)
}

// commit remembers the edges of f.out, so that no later patch makes them again.
func (f *filler) commit() {
	for _, t := range f.out {
		for k := range 3 {
			f.edges[edgeKey(t[k], t[(k+1)%3])] = true
		}
	}
}

func (f *filler) part(loop []int32) error {
	if f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	if len(loop) <= dpLimit {
		if !f.optimal(loop) {
			f.fan(loop)
		}
		return nil
	}
	i, j := f.chord(loop)
	if i < 0 {
		f.fan(loop)
		return nil
	}
	if err := f.part(append([]int32(nil), loop[i:j+1]...)); err != nil {
		return err
	}
	return f.part(append(append([]int32(nil), loop[j:]...), loop[:i+1]...))
}

// chord is the shortest allowed one that leaves at least a quarter of the loop
// on either side, among a bounded number of candidates.
func (f *filler) chord(loop []int32) (bi, bj int) {
	n := len(loop)
	step := max(1, n/1500)
	best := math.Inf(1)
	bi, bj = -1, -1
	for i := 0; i < n; i += step {
		for j := i + n/4; j < n && j-i <= n-n/4; j += step {
			d := f.mesh.Vertices[loop[i]].Sub(f.mesh.Vertices[loop[j]])
			if d2 := d.Dot(d); d2 < best && !f.edges[edgeKey(loop[i], loop[j])] {
				best, bi, bj = d2, i, j
			}
		}
	}
	return bi, bj
}

// fan closes the loop with triangles to its mean point; it is always manifold.
func (f *filler) fan(loop []int32) {
	var c Vec3
	for _, v := range loop {
		c = c.Add(f.mesh.Vertices[v].Scale(1 / float64(len(loop))))
	}
	mid := int32(len(f.mesh.Vertices))
	f.mesh.Vertices = append(f.mesh.Vertices, c)
	for i, v := range loop {
		f.out = append(f.out, [3]int32{loop[(i+1)%len(loop)], v, mid})
	}
}

// fillCost orders triangulations: first the sharpest fold, then the area
// (Barequet and Sharir 1995; Liepa 2003, "Filling Holes in Meshes").
type fillCost struct{ fold, area float64 }

func (a fillCost) less(b fillCost, leastArea bool) bool {
	if leastArea {
		return a.area < b.area
	}
	if a.fold < b.fold-1e-9 {
		return true
	}
	return a.fold <= b.fold+1e-9 && a.area < b.area
}

var forbidden = fillCost{math.Inf(1), math.Inf(1)}

// table is the dynamic program over the chords i-j of a loop.
type table struct {
	n      int
	cost   []fillCost
	split  []int32
	normal []Vec3 // of the triangle under the chord
}

// optimal finds the triangulation of least cost; false when none avoids edges
// that the surface has already.
func (f *filler) optimal(loop []int32) bool {
	n := len(loop)
	tb := &table{n: n, cost: make([]fillCost, n*n), split: make([]int32, n*n), normal: make([]Vec3, n*n)}
	for i := range n - 1 {
		tb.normal[i*n+i+1] = f.rimNormal(loop[i], loop[i+1])
	}
	last := f.rimNormal(loop[n-1], loop[0])
	for span := 2; span < n; span++ {
		for i := 0; i+span < n; i++ {
			f.best(tb, loop, i, i+span, last)
		}
	}
	if math.IsInf(tb.cost[n-1].fold, 1) {
		return false
	}
	f.collect(tb, loop, 0, n-1)
	return true
}

// rimNormal is that of the triangle beyond a border edge or chord; zero, which
// counts as no fold, where it is not known.
func (f *filler) rimNormal(a, b int32) Vec3 { return f.rim[edgeKey(a, b)] }

func (f *filler) best(tb *table, loop []int32, i, j int, last Vec3) {
	n := tb.n
	tb.cost[i*n+j] = forbidden
	whole := i == 0 && j == n-1
	if !whole && f.edges[edgeKey(loop[i], loop[j])] {
		return
	}
	pi, pj := f.mesh.Vertices[loop[i]], f.mesh.Vertices[loop[j]]
	for k := i + 1; k < j; k++ {
		ca, cb := tb.cost[i*n+k], tb.cost[k*n+j]
		if math.IsInf(ca.fold, 1) || math.IsInf(cb.fold, 1) {
			continue
		}
		c := fillCost{max(ca.fold, cb.fold), ca.area + cb.area}
		if !f.leastArea && c.fold > tb.cost[i*n+j].fold+1e-9 {
			continue
		}
		// The new triangle is (j, k, i): against the border's direction.
		pk := f.mesh.Vertices[loop[k]]
		normal := pk.Sub(pj).Cross(pi.Sub(pj))
		length := normal.Norm()
		c.area += length / 2
		if length > 0 {
			normal = normal.Scale(1 / length)
			c.fold = max(c.fold, fold(normal, tb.normal[i*n+k]), fold(normal, tb.normal[k*n+j]))
			if whole {
				c.fold = max(c.fold, fold(normal, last))
			}
		} else {
			c.fold = max(c.fold, 2) // a triangle without area is the last resort
		}
		if c.less(tb.cost[i*n+j], f.leastArea) {
			tb.cost[i*n+j], tb.split[i*n+j], tb.normal[i*n+j] = c, int32(k), normal
		}
	}
}

// fold is 0 for neighbours in one plane, 1 at a right angle, 2 folded back.
func fold(a, b Vec3) float64 {
	if b == (Vec3{}) {
		return 0
	}
	return 1 - a.Dot(b)
}

func (f *filler) collect(tb *table, loop []int32, i, j int) {
	if j-i < 2 {
		return
	}
	k := int(tb.split[i*tb.n+j])
	f.out = append(f.out, [3]int32{loop[j], loop[k], loop[i]})
	f.collect(tb, loop, i, k)
	f.collect(tb, loop, k, j)
}

// loopShape is what tells a flat loop: Newell's normal with twice the enclosed
// area as length, its mean point, extent and distance from its plane.
type loopShape struct {
	normal, center    Vec3
	extent, deviation float64
	length            float64
}

func (m *Mesh) shapeOf(loop []int32) loopShape {
	var s loopShape
	n := len(loop)
	for _, v := range loop {
		s.center = s.center.Add(m.Vertices[v].Scale(1 / float64(n)))
	}
	for i, v := range loop {
		a, b := m.Vertices[v].Sub(s.center), m.Vertices[loop[(i+1)%n]].Sub(s.center)
		s.normal = s.normal.Add(a.Cross(b))
		s.extent = max(s.extent, 2*a.Norm())
		s.length += a.Sub(b).Norm()
	}
	unit := s.normal.Unit()
	for _, v := range loop {
		s.deviation = max(s.deviation, math.Abs(m.Vertices[v].Sub(s.center).Dot(unit)))
	}
	return s
}

// flat says whether the loop lies in a plane for practical purposes.
func (s loopShape) flat() bool { return s.deviation <= 1e-4*s.extent && s.normal.Norm() > 0 }

// islands groups flat loops: an outer one with those that lie inside it in the
// same plane and run the other way, so that the gap between them is filled and
// not each of them. Loops that belong to no group stand alone.
func (m *Mesh) islands(loops [][]int32) [][]int {
	shapes := make([]loopShape, len(loops))
	for i, l := range loops {
		shapes[i] = m.shapeOf(l)
	}
	parent := make([]int, len(loops))
	for i := range loops {
		parent[i] = -1
		for j := range loops {
			if i != j && len(loops) <= 2000 && m.nested(loops[j], shapes[i], shapes[j], loops[i][0]) &&
				(parent[i] < 0 || shapes[j].extent < shapes[parent[i]].extent) {
				parent[i] = j
			}
		}
	}
	var groups [][]int
	for i := range loops {
		if parent[i] >= 0 && parent[parent[i]] < 0 {
			continue // an island: it goes with its outer loop
		}
		group := []int{i}
		for j := range loops {
			if parent[i] < 0 && parent[j] == i {
				group = append(group, j)
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// nested says whether a vertex of the inner loop lies inside the outer one,
// both being flat, in one plane and of opposite sense.
func (m *Mesh) nested(outer []int32, in, out loopShape, vertex int32) bool {
	if !in.flat() || !out.flat() || in.extent >= out.extent {
		return false
	}
	u := out.normal.Unit()
	p := m.Vertices[vertex]
	if in.normal.Unit().Dot(u) > -0.999 || math.Abs(p.Sub(out.center).Dot(u)) > 1e-3*out.extent {
		return false
	}
	x, y := dropAxis(out.normal)
	q := flatten(p, x, y)
	odd := false
	for i, v := range outer {
		a, b := flatten(m.Vertices[v], x, y), flatten(m.Vertices[outer[(i+1)%len(outer)]], x, y)
		if (a[1] > q[1]) != (b[1] > q[1]) && q[0] < a[0]+(b[0]-a[0])*(q[1]-a[1])/(b[1]-a[1]) {
			odd = !odd
		}
	}
	return odd
}
