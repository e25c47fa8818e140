package geometry

import "math"

// maxPolygon bounds the quadratic ear clipping of one polygon.
const maxPolygon = 20000

// triangulator cuts polygons into triangles by ear clipping; its buffers are
// kept from polygon to polygon.
type triangulator struct {
	p          [][2]float64
	prev, next []int32
}

// polygon appends the triangles of a simple polygon, concave or not, in its own
// orientation. A polygon that is no simple one still gets len-2 triangles.
func (tr *triangulator) polygon(tris [][3]int32, vertices []Vec3, poly []int32) [][3]int32 {
	if n := len(poly); n < 3 || n > maxPolygon {
		for i := 2; i < n; i++ { // a fan: nothing sensible has so many corners
			tris = append(tris, [3]int32{poly[0], poly[i-1], poly[i]})
		}
		return tris
	}
	tr.project(vertices, poly)
	if len(poly) == 4 {
		return tr.quad(tris, vertices, poly)
	}
	if tr.convex() {
		for i := 2; i < len(poly); i++ {
			tris = append(tris, [3]int32{poly[0], poly[i-1], poly[i]})
		}
		return tris
	}
	return tr.clip(tris, poly)
}

// project drops the axis along which the polygon's Newell normal is largest and
// keeps a counter-clockwise sense; no coordinate is rounded.
func (tr *triangulator) project(vertices []Vec3, poly []int32) {
	var normal Vec3
	o := vertices[poly[0]]
	for i := range poly {
		a, b := vertices[poly[i]].Sub(o), vertices[poly[(i+1)%len(poly)]].Sub(o)
		normal = normal.Add(a.Cross(b))
	}
	x, y := dropAxis(normal)
	tr.p = tr.p[:0]
	for _, v := range poly {
		tr.p = append(tr.p, [2]float64{vertices[v][x], vertices[v][y]})
	}
}

// dropAxis returns the two axes that remain when the normal's largest component
// is dropped, in the order that makes the normal's side the upper one.
func dropAxis(normal Vec3) (x, y int) {
	k := 0
	for j := 1; j < 3; j++ {
		if math.Abs(normal[j]) > math.Abs(normal[k]) {
			k = j
		}
	}
	x, y = (k+1)%3, (k+2)%3
	if normal[k] < 0 {
		x, y = y, x
	}
	return x, y
}

// quad takes the diagonal that stays inside, and the shorter one of two that do.
func (tr *triangulator) quad(tris [][3]int32, vertices []Vec3, q []int32) [][3]int32 {
	ok02 := Orient2D(tr.p[0], tr.p[1], tr.p[2]) > 0 && Orient2D(tr.p[0], tr.p[2], tr.p[3]) > 0
	ok13 := Orient2D(tr.p[1], tr.p[2], tr.p[3]) > 0 && Orient2D(tr.p[1], tr.p[3], tr.p[0]) > 0
	d02 := vertices[q[0]].Sub(vertices[q[2]]).Norm()
	d13 := vertices[q[1]].Sub(vertices[q[3]]).Norm()
	if ok13 && (!ok02 || d13 < d02*(1-1e-12)) {
		return append(tris, [3]int32{q[1], q[2], q[3]}, [3]int32{q[1], q[3], q[0]})
	}
	return append(tris, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
}

func (tr *triangulator) convex() bool {
	n := len(tr.p)
	turns := 0
	for i := range n {
		a, b, c := tr.p[i], tr.p[(i+1)%n], tr.p[(i+2)%n]
		if Orient2D(a, b, c) <= 0 {
			return false
		}
		if (b[0] < a[0]) != (c[0] < b[0]) {
			turns++ // direction reversals in x: a convex polygon has two
		}
	}
	return turns <= 2
}

// clip cuts ears off until a triangle is left. Where no proper ear exists (a
// polygon that touches itself or has no area) the flattest corner goes.
func (tr *triangulator) clip(tris [][3]int32, poly []int32) [][3]int32 {
	n := int32(len(poly))
	tr.prev, tr.next = tr.prev[:0], tr.next[:0]
	for i := range n {
		tr.prev = append(tr.prev, (i+n-1)%n)
		tr.next = append(tr.next, (i+1)%n)
	}
	left, at, tried := n, int32(0), int32(0)
	for left > 3 {
		if tr.ear(at) {
			tried = 0
		} else if tried++; tried <= left {
			at = tr.next[at]
			continue
		} else {
			at, tried = tr.flattest(at), 0
		}
		a, b := tr.prev[at], tr.next[at]
		tris = append(tris, [3]int32{poly[a], poly[at], poly[b]})
		tr.next[a], tr.prev[b] = b, a
		at, left = b, left-1
	}
	return append(tris, [3]int32{poly[tr.prev[at]], poly[at], poly[tr.next[at]]})
}

// ear says whether corner i turns left and no other corner lies in its triangle.
func (tr *triangulator) ear(i int32) bool {
	a, b, c := tr.p[tr.prev[i]], tr.p[i], tr.p[tr.next[i]]
	if Orient2D(a, b, c) <= 0 {
		return false
	}
	for j := tr.next[tr.next[i]]; j != tr.prev[i]; j = tr.next[j] {
		q := tr.p[j]
		if q == a || q == b || q == c {
			continue
		}
		if Orient2D(a, b, q) >= 0 && Orient2D(b, c, q) >= 0 && Orient2D(c, a, q) >= 0 {
			return false
		}
	}
	return true
}

func (tr *triangulator) flattest(at int32) int32 {
	best, bestArea := at, math.Inf(1)
	for j := tr.next[at]; ; j = tr.next[j] {
		if area := math.Abs(Orient2D(tr.p[tr.prev[j]], tr.p[j], tr.p[tr.next[j]])); area < bestArea {
			best, bestArea = j, area
		}
		if j == at {
			return best
		}
	}
}
