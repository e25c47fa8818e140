package geometry

import "math"

// BVH is a tree of boxes over a surface's triangles for neighbour, distance and
// ray queries in logarithmic time. It holds the mesh that it was built from and
// is safe for concurrent queries.
type BVH struct {
	mesh  *Mesh
	nodes []bvhNode
	items []int32
}

// bvhNode is a leaf when count > 0, with items[first:first+count]; else its
// children are the next node and node first.
type bvhNode struct {
	lo, hi Vec3
	first  int32
	count  int32
}

const bvhLeaf = 4

// NewBVH builds the tree in n log n time by splitting at the middle of the
// centroids' longest axis.
func NewBVH(m *Mesh) *BVH {
	b := &BVH{mesh: m, items: make([]int32, len(m.Triangles))}
	centroid := make([]Vec3, len(m.Triangles))
	for i := range b.items {
		b.items[i] = int32(i)
		p, q, r := m.Corners(i)
		centroid[i] = p.Add(q).Add(r).Scale(1.0 / 3)
	}
	b.nodes = make([]bvhNode, 0, len(m.Triangles)/2+1)
	if len(b.items) > 0 {
		b.build(centroid, 0, len(b.items))
	}
	return b
}

// NewBVHOf builds the tree over triangles of their own; one whose last two corners
// coincide is a segment.
func NewBVHOf(triangles [][3]Vec3) *BVH {
	m := &Mesh{Vertices: make([]Vec3, 0, 3*len(triangles)), Triangles: make([][3]int32, len(triangles))}
	for i, t := range triangles {
		n := int32(3 * i)
		m.Vertices = append(m.Vertices, t[0], t[1], t[2])
		m.Triangles[i] = [3]int32{n, n + 1, n + 2}
	}
	return NewBVH(m)
}

func (b *BVH) build(centroid []Vec3, from, to int) int32 {
	at := int32(len(b.nodes))
	lo, hi, clo, chi := emptyBox()
	for _, t := range b.items[from:to] {
		p, q, r := b.mesh.Corners(int(t))
		for k := range 3 {
			lo[k] = min(lo[k], p[k], q[k], r[k])
			hi[k] = max(hi[k], p[k], q[k], r[k])
			clo[k] = min(clo[k], centroid[t][k])
			chi[k] = max(chi[k], centroid[t][k])
		}
	}
	b.nodes = append(b.nodes, bvhNode{lo: lo, hi: hi, first: int32(from), count: int32(to - from)})
	if to-from <= bvhLeaf {
		return at
	}
	axis := longestAxis(chi.Sub(clo))
	mid := b.partition(centroid, from, to, axis, (clo[axis]+chi[axis])/2)
	b.nodes[at].count = 0
	b.build(centroid, from, mid)
	b.nodes[at].first = b.build(centroid, mid, to)
	return at
}

func emptyBox() (lo, hi, clo, chi Vec3) {
	inf := math.Inf(1)
	lo, hi = Vec3{inf, inf, inf}, Vec3{-inf, -inf, -inf}
	return lo, hi, lo, hi
}

func longestAxis(d Vec3) int {
	k := 0
	for j := 1; j < 3; j++ {
		if d[j] > d[k] {
			k = j
		}
	}
	return k
}

// partition moves the items left of the cut to the front; an uneven cut falls
// back to halves, which keeps the depth logarithmic.
func (b *BVH) partition(centroid []Vec3, from, to, axis int, cut float64) int {
	i, j := from, to-1
	for i <= j {
		if centroid[b.items[i]][axis] < cut {
			i++
		} else {
			b.items[i], b.items[j] = b.items[j], b.items[i]
			j--
		}
	}
	if n := to - from; i-from < n/16+1 || to-i < n/16+1 {
		b.selectMedian(centroid, from, to, axis)
		return from + n/2
	}
	return i
}

// selectMedian is quickselect with the middle element as pivot.
func (b *BVH) selectMedian(centroid []Vec3, from, to, axis int) {
	want := from + (to-from)/2
	for to-from > 1 {
		pivot := centroid[b.items[from+(to-from)/2]][axis]
		i, j := from, to-1
		for i <= j {
			for centroid[b.items[i]][axis] < pivot {
				i++
			}
			for centroid[b.items[j]][axis] > pivot {
				j--
			}
			if i <= j {
				b.items[i], b.items[j] = b.items[j], b.items[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			to = j + 1
		case want >= i:
			from = i
		default:
			return
		}
	}
}

// Overlapping calls visit for every triangle whose own box meets the given box,
// until visit returns false.
func (b *BVH) Overlapping(lo, hi Vec3, visit func(t int32) bool) {
	if len(b.nodes) == 0 {
		return
	}
	var stack [128]int32
	n := 1
	for n > 0 {
		n--
		at := stack[n]
		node := &b.nodes[at]
		if !boxesMeet(node.lo, node.hi, lo, hi) {
			continue
		}
		if node.count == 0 {
			stack[n], stack[n+1] = node.first, at+1
			n += 2
			continue
		}
		for _, t := range b.items[node.first : node.first+node.count] {
			tlo, thi := b.mesh.triangleBox(t)
			if boxesMeet(tlo, thi, lo, hi) && !visit(t) {
				return
			}
		}
	}
}

// selfPairs visits every pair of triangles whose boxes meet once, until visit
// returns false. The tree is walked against itself, which passes over far pairs
// of nodes as a whole.
func (b *BVH) selfPairs(visit func(s, t int32) bool) {
	if len(b.nodes) == 0 {
		return
	}
	stack := [][2]int32{{0, 0}}
	for len(stack) > 0 {
		i, j := stack[len(stack)-1][0], stack[len(stack)-1][1]
		stack = stack[:len(stack)-1]
		p, q := &b.nodes[i], &b.nodes[j]
		switch {
		case i == j && p.count == 0:
			stack = append(stack, [2]int32{i + 1, i + 1}, [2]int32{p.first, p.first}, [2]int32{i + 1, p.first})
		case i != j && !boxesMeet(p.lo, p.hi, q.lo, q.hi):
		case i == j || p.count > 0 && q.count > 0:
			if !b.leafPairs(p, q, i == j, visit) {
				return
			}
		case q.count > 0 || p.count == 0 && longest(p) >= longest(q):
			stack = append(stack, [2]int32{i + 1, j}, [2]int32{p.first, j})
		default:
			stack = append(stack, [2]int32{i, j + 1}, [2]int32{i, q.first})
		}
	}
}

func longest(n *bvhNode) float64 {
	return max(n.hi[0]-n.lo[0], n.hi[1]-n.lo[1], n.hi[2]-n.lo[2])
}

func (b *BVH) leafPairs(p, q *bvhNode, same bool, visit func(s, t int32) bool) bool {
	var lo, hi [bvhLeaf]Vec3
	second := b.items[q.first : q.first+q.count]
	for y, t := range second {
		lo[y], hi[y] = b.mesh.triangleBox(t)
	}
	for x, s := range b.items[p.first : p.first+p.count] {
		slo, shi := b.mesh.triangleBox(s)
		if !boxesMeet(slo, shi, q.lo, q.hi) {
			continue
		}
		from := 0
		if same {
			from = x + 1
		}
		for y := from; y < len(second); y++ {
			if boxesMeet(slo, shi, lo[y], hi[y]) && !visit(s, second[y]) {
				return false
			}
		}
	}
	return true
}

func (m *Mesh) triangleBox(t int32) (lo, hi Vec3) {
	p, q, r := m.Corners(int(t))
	for k := range 3 {
		lo[k] = min(p[k], q[k], r[k])
		hi[k] = max(p[k], q[k], r[k])
	}
	return lo, hi
}

func boxesMeet(alo, ahi, blo, bhi Vec3) bool {
	return alo[0] <= bhi[0] && blo[0] <= ahi[0] && alo[1] <= bhi[1] && blo[1] <= ahi[1] && alo[2] <= bhi[2] && blo[2] <= ahi[2]
}

// Nearest is the point of the surface nearest to p, its triangle and distance;
// t is -1 for an empty surface.
func (b *BVH) Nearest(p Vec3) (at Vec3, t int32, dist float64) {
	return b.NearestWithin(p, math.Inf(1))
}

// NearestWithin is Nearest among what is nearer than a limit; t is -1 where nothing is.
func (b *BVH) NearestWithin(p Vec3, limit float64) (at Vec3, t int32, dist float64) {
	best, t := limit*limit, int32(-1)
	if len(b.nodes) == 0 {
		return at, t, best
	}
	var stack [128]int32
	n := 1
	for n > 0 {
		n--
		i := stack[n]
		node := &b.nodes[i]
		if boxDistance2(node, p) >= best {
			continue
		}
		if node.count == 0 {
			near, far := i+1, node.first
			if boxDistance2(&b.nodes[far], p) < boxDistance2(&b.nodes[near], p) {
				near, far = far, near
			}
			stack[n], stack[n+1] = far, near
			n += 2
			continue
		}
		for _, s := range b.items[node.first : node.first+node.count] {
			u, v, w := b.mesh.Corners(int(s))
			q := closestOnTriangle(p, u, v, w)
			if d := q.Sub(p).Dot(q.Sub(p)); d < best {
				best, at, t = d, q, s
			}
		}
	}
	return at, t, math.Sqrt(best)
}

func boxDistance2(n *bvhNode, p Vec3) float64 {
	var d2 float64
	for k := range 3 {
		d := max(n.lo[k]-p[k], p[k]-n.hi[k], 0)
		d2 += d * d
	}
	return d2
}

// closestOnTriangle follows the Voronoi regions of the triangle's corners and edges
// (Ericson 2005, section 5.1.5); one without an area falls back to its edges.
func closestOnTriangle(p, a, b, c Vec3) Vec3 {
	ux, uy, uz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	vx, vy, vz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
	x, y, z := p[0]-a[0], p[1]-a[1], p[2]-a[2]
	d1, d2 := ux*x+uy*y+uz*z, vx*x+vy*y+vz*z
	if d1 <= 0 && d2 <= 0 {
		return a
	}
	x, y, z = p[0]-b[0], p[1]-b[1], p[2]-b[2]
	d3, d4 := ux*x+uy*y+uz*z, vx*x+vy*y+vz*z
	if d3 >= 0 && d4 <= d3 {
		return b
	}
	vc := d1*d4 - d3*d2
	if vc <= 0 && d1 >= 0 && d3 <= 0 {
		s := d1 / (d1 - d3)
		return Vec3{a[0] + s*ux, a[1] + s*uy, a[2] + s*uz}
	}
	x, y, z = p[0]-c[0], p[1]-c[1], p[2]-c[2]
	d5, d6 := ux*x+uy*y+uz*z, vx*x+vy*y+vz*z
	if d6 >= 0 && d5 <= d6 {
		return c
	}
	vb := d5*d2 - d1*d6
	if vb <= 0 && d2 >= 0 && d6 <= 0 {
		s := d2 / (d2 - d6)
		return Vec3{a[0] + s*vx, a[1] + s*vy, a[2] + s*vz}
	}
	va := d3*d6 - d5*d4
	if va <= 0 && d4-d3 >= 0 && d5-d6 >= 0 {
		den := (d4 - d3) + (d5 - d6)
		if den == 0 {
			return b
		}
		s := (d4 - d3) / den
		return Vec3{b[0] + s*(c[0]-b[0]), b[1] + s*(c[1]-b[1]), b[2] + s*(c[2]-b[2])}
	}
	den := 1 / (va + vb + vc)
	if math.IsInf(den, 0) || math.IsNaN(den) {
		return a
	}
	s, w := vb*den, vc*den
	return Vec3{a[0] + s*ux + w*vx, a[1] + s*uy + w*vy, a[2] + s*uz + w*vz}
}
