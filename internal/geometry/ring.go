package geometry

import (
	"math"
	"slices"
)

// fillRing fills the flat gap between an outer loop and the islands inside it:
// bridges make one polygon of them, which is cut into ears.
func (f *filler) fillRing(outer []int32, inner [][]int32) {
	f.out = f.out[:0]
	// The patch runs against the border.
	poly := reversed(outer)
	holes := make([][]int32, len(inner))
	for i, in := range inner {
		holes[i] = reversed(in)
	}
	r := ring{vertices: f.mesh.Vertices}
	r.x, r.y = dropAxis(f.mesh.shapeOf(poly).normal)
	for i := range holes {
		poly = r.bridge(poly, holes[i:])
	}
	var tr triangulator
	f.out = tr.polygon(f.out, f.mesh.Vertices, poly)
}

func reversed(loop []int32) []int32 {
	out := slices.Clone(loop)
	slices.Reverse(out)
	return out
}

// ring is a flat polygon with holes, seen from the side from which the polygon
// runs counter-clockwise.
type ring struct {
	vertices []Vec3
	x, y     int
}

func (r *ring) at(v int32) [2]float64 { return flatten(r.vertices[v], r.x, r.y) }

// maxBridges bounds the connections that are tried for one hole.
const maxBridges = 2000

// bridge joins holes[0] to the polygon by the shortest connection of two corners
// that runs inside and meets no edge of the polygon or of any hole.
func (r *ring) bridge(poly []int32, holes [][]int32) []int32 {
	in := holes[0]
	first, last := link{}, link{d2: -1}
	for tried := range maxBridges {
		next, found := r.nextLink(poly, in, last)
		if !found {
			break
		}
		if tried == 0 {
			first = next // where the loops themselves cross, none is free
		}
		if r.free(poly, holes, next) {
			return join(poly, in, next)
		}
		last = next
	}
	return join(poly, in, first)
}

// link is a connection of corner i of the polygon and corner j of the hole.
type link struct {
	d2   float64
	i, j int
}

func (a link) less(b link) bool {
	return a.d2 < b.d2 || a.d2 == b.d2 && (a.i < b.i || a.i == b.i && a.j < b.j)
}

// nextLink is the shortest connection behind last in their order.
func (r *ring) nextLink(poly, in []int32, last link) (best link, found bool) {
	best.d2 = math.Inf(1)
	for i, a := range poly {
		for j, b := range in {
			d := r.vertices[a].Sub(r.vertices[b])
			if l := (link{d.Dot(d), i, j}); last.less(l) && l.less(best) {
				best, found = l, true
			}
		}
	}
	return best, found
}

func (r *ring) free(poly []int32, holes [][]int32, l link) bool {
	in := holes[0]
	a, b := r.at(poly[l.i]), r.at(in[l.j])
	if a == b {
		return true // the loops touch there
	}
	if !r.opens(poly, l.i, b) || !r.opens(in, l.j, a) || r.meets(poly, a, b) {
		return false
	}
	return !slices.ContainsFunc(holes, func(hole []int32) bool { return r.meets(hole, a, b) })
}

// opens says whether the way from corner i to a point begins inside, which is on
// the left of the loop's edges. A corner that two bridges share stands in the
// loop more than once, each time with another part of the inside.
func (r *ring) opens(loop []int32, i int, to [2]float64) bool {
	n := len(loop)
	before, c, after := r.at(loop[(i+n-1)%n]), r.at(loop[i]), r.at(loop[(i+1)%n])
	left, right := Orient2D(before, c, to) > 0, Orient2D(c, after, to) > 0
	if Orient2D(before, c, after) > 0 {
		return left && right
	}
	return left || right
}

// meets says whether the segment from a to b touches the loop between its ends.
func (r *ring) meets(loop []int32, a, b [2]float64) bool {
	for i, v := range loop {
		p, q := r.at(v), r.at(loop[(i+1)%len(loop)])
		op, oq := Orient2D(a, b, p), Orient2D(a, b, q)
		if op == 0 && between(a, b, p) {
			return true
		}
		if p == a || p == b || q == a || q == b || op > 0 && oq > 0 || op < 0 && oq < 0 || op == 0 && oq == 0 {
			continue
		}
		oa, ob := Orient2D(p, q, a), Orient2D(p, q, b)
		if !(oa > 0 && ob > 0 || oa < 0 && ob < 0) {
			return true
		}
	}
	return false
}

// between says whether a point of the line through a and b lies inside the segment.
func between(a, b, p [2]float64) bool {
	k := 0
	if math.Abs(b[1]-a[1]) > math.Abs(b[0]-a[0]) {
		k = 1
	}
	return min(a[k], b[k]) < p[k] && p[k] < max(a[k], b[k])
}

// join makes one loop of the polygon and the hole, which runs along the
// connection twice.
func join(poly, in []int32, l link) []int32 {
	out := make([]int32, 0, len(poly)+len(in)+2)
	out = append(out, poly[:l.i+1]...)
	out = append(out, in[l.j:]...)
	out = append(out, in[:l.j+1]...)
	return append(out, poly[l.i:]...)
}
