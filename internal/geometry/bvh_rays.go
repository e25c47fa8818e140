package geometry

import "math"

// Within calls visit for every primitive whose box lies within reach of p.
func (b *BVH) Within(p Vec3, reach float64, visit func(t int32)) {
	if len(b.nodes) == 0 {
		return
	}
	var stack [128]int32
	top := 1
	for top > 0 {
		top--
		at := stack[top]
		n := &b.nodes[at]
		if boxDistance2(n, p) > reach*reach {
			continue
		}
		if n.count == 0 {
			stack[top], stack[top+1] = n.first, at+1
			top += 2
			continue
		}
		for _, i := range b.items[n.first : n.first+n.count] {
			visit(i)
		}
	}
}

// FirstHit returns the smallest fraction t in [from, 1] at which the segment
// from a to c meets a triangle, and that triangle; -1 when it meets none.
func (b *BVH) FirstHit(a, c Vec3, from float64) (t float64, prim int32) {
	t, prim = math.Inf(1), -1
	if len(b.nodes) == 0 {
		return t, prim
	}
	dir := c.Sub(a)
	var inv Vec3
	for k := range 3 {
		inv[k] = 1 / dir[k]
	}
	var stack [128]int32
	top := 1
	for top > 0 {
		top--
		at := stack[top]
		n := &b.nodes[at]
		if !n.meets(&a, &inv, min(t, 1)) {
			continue
		}
		if n.count == 0 {
			stack[top], stack[top+1] = n.first, at+1
			top += 2
			continue
		}
		for _, i := range b.items[n.first : n.first+n.count] {
			u, v, w := b.mesh.Corners(int(i))
			if s, ok := hitTriangle(a, dir, u, v, w); ok && s >= from && s <= 1 && s < t {
				t, prim = s, i
			}
		}
	}
	return t, prim
}

// meets is the slab test; a ray in a slab's plane gives NaN, which the
// comparisons let pass.
func (n *bvhNode) meets(a, inv *Vec3, tmax float64) bool {
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
func hitTriangle(a, dir, u0, u1, u2 Vec3) (float64, bool) {
	e1, e2 := u1.Sub(u0), u2.Sub(u0)
	p := dir.Cross(e2)
	det := e1.Dot(p)
	if det == 0 {
		return 0, false
	}
	const tol = 1e-9
	s := a.Sub(u0)
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
