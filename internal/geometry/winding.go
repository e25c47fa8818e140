package geometry

import "math"

// Winding is how often the closed surface winds around p, by the signed
// crossings of the ray from p along +x, decided exactly. A triangle skip is left
// out (-1: none). ok is false when the ray meets an edge or a corner, or p lies
// on the surface: then the figure says nothing.
func (b *BVH) Winding(p Vec3, skip int32) (w int, ok bool) {
	if len(b.nodes) == 0 {
		return 0, true
	}
	var stack [128]int32
	n := 1
	for n > 0 {
		n--
		at := stack[n]
		node := &b.nodes[at]
		if node.hi[0] < p[0] || node.lo[1] > p[1] || node.hi[1] < p[1] || node.lo[2] > p[2] || node.hi[2] < p[2] {
			continue
		}
		if node.count == 0 {
			stack[n], stack[n+1] = node.first, at+1
			n += 2
			continue
		}
		for _, t := range b.items[node.first : node.first+node.count] {
			if t == skip {
				continue
			}
			c, ok := b.mesh.rayCrossing(t, p)
			if !ok {
				return 0, false
			}
			w += c
		}
	}
	return w, true
}

// rayCrossing is +1 where the ray from p along +x leaves through triangle t, -1
// where it enters, 0 where it misses it.
func (m *Mesh) rayCrossing(t int32, p Vec3) (int, bool) {
	a, b, c := m.Corners(int(t))
	q := flatten(p, 1, 2)
	u, v, w := flatten(a, 1, 2), flatten(b, 1, 2), flatten(c, 1, 2)
	s0, s1, s2 := sign(Orient2D(u, v, q)), sign(Orient2D(v, w, q)), sign(Orient2D(w, u, q))
	if (s0 > 0 || s1 > 0 || s2 > 0) && (s0 < 0 || s1 < 0 || s2 < 0) {
		return 0, true
	}
	if s0 == 0 || s1 == 0 || s2 == 0 { // through an edge, a corner or the triangle's plane
		return 0, max(a[0], b[0], c[0]) < p[0]
	}
	side := sign(Orient3D(a, b, c, p))
	switch {
	case side == 0:
		return 0, false
	case side != s0: // p lies beyond the triangle
		return 0, true
	}
	return int(s0), true
}

// windingSum is the winding number of triangles around p as the sum of signed
// solid angles (Van Oosterom and Strackee 1983) over 4π; slow and never at a loss.
func (m *Mesh) windingSum(tris []int32, p Vec3) float64 {
	var sum float64
	for _, t := range tris {
		a, b, c := m.Corners(int(t))
		sum += solidAngle(a.Sub(p), b.Sub(p), c.Sub(p))
	}
	return sum / (4 * math.Pi)
}

func solidAngle(a, b, c Vec3) float64 {
	la, lb, lc := a.Norm(), b.Norm(), c.Norm()
	num := a.Dot(b.Cross(c))
	den := la*lb*lc + a.Dot(b)*lc + b.Dot(c)*la + c.Dot(a)*lb
	return 2 * math.Atan2(num, den)
}
