package stuffing

import (
	"math"
	"slices"

	"atelier/internal/geometry"
)

type vec = geometry.Vec3

// bvh is a bounding volume hierarchy over triangles for nearest-point and
// segment queries. A segment of a feature curve is a triangle whose last two
// corners coincide. Queries do not write, so goroutines may share it.
type bvh struct {
	nodes []bvhNode
	order []int32 // primitive ids in leaf order
	prims [][3]vec
}

type bvhNode struct {
	lo, hi vec
	first  int32 // leaf: first index in order; inner: left child (right = left+1)
	count  int32 // 0 for an inner node
}

const leafSize = 4

func newBVH(prims [][3]vec) *bvh {
	b := &bvh{prims: prims, order: make([]int32, len(prims))}
	if len(prims) == 0 {
		return b
	}
	centre := make([]vec, len(prims))
	for i, t := range prims {
		b.order[i] = int32(i)
		centre[i] = t[0].Add(t[1]).Add(t[2]).Scale(1.0 / 3)
	}
	b.nodes = append(make([]bvhNode, 0, 2*len(prims)), bvhNode{})
	b.build(0, 0, len(prims), centre)
	return b
}

// build fills the node for order[first:last], splitting at the median of the
// longest axis of the centres.
func (b *bvh) build(node, first, last int, centre []vec) {
	inf := math.Inf(1)
	lo, hi := vec{inf, inf, inf}, vec{-inf, -inf, -inf}
	clo, chi := lo, hi
	for _, p := range b.order[first:last] {
		for _, v := range b.prims[p] {
			lo, hi = vmin(lo, v), vmax(hi, v)
		}
		clo, chi = vmin(clo, centre[p]), vmax(chi, centre[p])
	}
	b.nodes[node] = bvhNode{lo: lo, hi: hi, first: int32(first), count: int32(last - first)}
	if last-first <= leafSize {
		return
	}
	ext, axis := chi.Sub(clo), 0
	for k := 1; k < 3; k++ {
		if ext[k] > ext[axis] {
			axis = k
		}
	}
	part := b.order[first:last]
	slices.SortFunc(part, func(x, y int32) int {
		switch d := centre[x][axis] - centre[y][axis]; {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return int(x - y)
	})
	mid := (first + last) / 2
	left := len(b.nodes)
	b.nodes = append(b.nodes, bvhNode{}, bvhNode{})
	b.nodes[node].first, b.nodes[node].count = int32(left), 0
	b.build(left, first, mid, centre)
	b.build(left+1, mid, last, centre)
}

func vmin(a, b vec) vec { return vec{min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])} }
func vmax(a, b vec) vec { return vec{max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])} }

func (n *bvhNode) dist2(p *vec) float64 {
	var s float64
	for k := range 3 {
		if d := n.lo[k] - p[k]; d > 0 {
			s += d * d
		} else if d := p[k] - n.hi[k]; d > 0 {
			s += d * d
		}
	}
	return s
}

// nearest returns the primitive closest to p within the distance reach, the
// point on it and the squared distance; primitive -1 when there is none.
func (b *bvh) nearest(p vec, reach float64) (prim int32, at vec, d2 float64) {
	prim, d2 = -1, reach*reach
	if len(b.nodes) == 0 || b.nodes[0].dist2(&p) > d2 {
		return prim, at, d2
	}
	var stack [64]int32
	top := 1
	for top > 0 {
		top--
		n := &b.nodes[stack[top]]
		if n.dist2(&p) > d2 {
			continue
		}
		if n.count > 0 {
			for _, i := range b.order[n.first : n.first+n.count] {
				q := closestOnTriangle(p, &b.prims[i])
				if d := norm2(q.Sub(p)); d < d2 || (prim < 0 && d <= d2) {
					prim, at, d2 = i, q, d
				}
			}
			continue
		}
		l, r := n.first, n.first+1
		if b.nodes[l].dist2(&p) < b.nodes[r].dist2(&p) {
			l, r = r, l
		}
		stack[top], stack[top+1] = l, r
		top += 2
	}
	return prim, at, d2
}

// within calls visit for every primitive whose box lies within reach of p.
func (b *bvh) within(p vec, reach float64, visit func(prim int32)) {
	if len(b.nodes) == 0 {
		return
	}
	stack := make([]int32, 1, 64)
	for len(stack) > 0 {
		n := &b.nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if n.dist2(&p) > reach*reach {
			continue
		}
		if n.count == 0 {
			stack = append(stack, n.first, n.first+1)
			continue
		}
		for _, i := range b.order[n.first : n.first+n.count] {
			visit(i)
		}
	}
}

// firstHit returns the smallest fraction t in [from, 1] at which the segment
// from a to c meets a triangle, and that triangle; -1 when it meets none.
func (b *bvh) firstHit(a, c vec, from float64) (t float64, prim int32) {
	t, prim = math.Inf(1), -1
	if len(b.nodes) == 0 {
		return t, prim
	}
	dir := c.Sub(a)
	var inv vec
	for k := range 3 {
		inv[k] = 1 / dir[k]
	}
	var stack [64]int32
	top := 1
	for top > 0 {
		top--
		n := &b.nodes[stack[top]]
		if !n.meets(&a, &inv, min(t, 1)) {
			continue
		}
		if n.count == 0 {
			stack[top], stack[top+1] = n.first, n.first+1
			top += 2
			continue
		}
		for _, i := range b.order[n.first : n.first+n.count] {
			if s, ok := hitTriangle(a, dir, &b.prims[i]); ok && s >= from && s <= 1 && s < t {
				t, prim = s, i
			}
		}
	}
	return t, prim
}

// meets is the slab test; a ray in a slab's plane gives NaN, which the
// comparisons let pass.
func (n *bvhNode) meets(a, inv *vec, tmax float64) bool {
	tmin := 0.0
	for k := range 3 {
		t0, t1 := (n.lo[k]-a[k])*inv[k], (n.hi[k]-a[k])*inv[k]
		if t0 > t1 {
			t0, t1 = t1, t0
		}
		if t0 > tmin {
			tmin = t0
		}
		if t1 < tmax {
			tmax = t1
		}
	}
	return tmin <= tmax*(1+1e-12)+1e-12
}

// hitTriangle is the intersection of Möller and Trumbore (1997) with a small
// tolerance at the edges, so that no crossing is lost between two triangles.
func hitTriangle(a, dir vec, t *[3]vec) (float64, bool) {
	e1, e2 := t[1].Sub(t[0]), t[2].Sub(t[0])
	p := dir.Cross(e2)
	det := e1.Dot(p)
	if det == 0 {
		return 0, false
	}
	const tol = 1e-9
	s := a.Sub(t[0])
	u := s.Dot(p) / det
	if u < -tol || u > 1+tol {
		return 0, false
	}
	q := s.Cross(e1)
	v := dir.Dot(q) / det
	if v < -tol || u+v > 1+tol {
		return 0, false
	}
	return e2.Dot(q) / det, true
}

func norm2(a vec) float64 { return a.Dot(a) }

// closestOnTriangle is the point of the triangle closest to p, by Voronoi
// regions (Ericson, Real-Time Collision Detection, 5.1.5); degenerate triangles
// fall back to their edges.
func closestOnTriangle(p vec, t *[3]vec) vec {
	a, b, c := &t[0], &t[1], &t[2]
	ux, uy, uz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	vx, vy, vz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
	x, y, z := p[0]-a[0], p[1]-a[1], p[2]-a[2]
	d1, d2 := ux*x+uy*y+uz*z, vx*x+vy*y+vz*z
	if d1 <= 0 && d2 <= 0 {
		return *a
	}
	x, y, z = p[0]-b[0], p[1]-b[1], p[2]-b[2]
	d3, d4 := ux*x+uy*y+uz*z, vx*x+vy*y+vz*z
	if d3 >= 0 && d4 <= d3 {
		return *b
	}
	vc := d1*d4 - d3*d2
	if vc <= 0 && d1 >= 0 && d3 <= 0 {
		s := d1 / (d1 - d3)
		return vec{a[0] + s*ux, a[1] + s*uy, a[2] + s*uz}
	}
	x, y, z = p[0]-c[0], p[1]-c[1], p[2]-c[2]
	d5, d6 := ux*x+uy*y+uz*z, vx*x+vy*y+vz*z
	if d6 >= 0 && d5 <= d6 {
		return *c
	}
	vb := d5*d2 - d1*d6
	if vb <= 0 && d2 >= 0 && d6 <= 0 {
		s := d2 / (d2 - d6)
		return vec{a[0] + s*vx, a[1] + s*vy, a[2] + s*vz}
	}
	va := d3*d6 - d5*d4
	if va <= 0 && d4-d3 >= 0 && d5-d6 >= 0 {
		den := (d4 - d3) + (d5 - d6)
		if den == 0 {
			return *b
		}
		s := (d4 - d3) / den
		return vec{b[0] + s*(c[0]-b[0]), b[1] + s*(c[1]-b[1]), b[2] + s*(c[2]-b[2])}
	}
	den := 1 / (va + vb + vc)
	s, w := vb*den, vc*den
	return vec{a[0] + s*ux + w*vx, a[1] + s*uy + w*vy, a[2] + s*uz + w*vz}
}
