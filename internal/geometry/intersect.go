package geometry

import "context"

// SelfIntersections lists the pairs of triangles that meet elsewhere than in a
// common corner or edge, at most limit of them (0: all). Corners with equal
// coordinates count as common, so that solids that touch there are no
// intersection, and neither are triangles of different bodies of an assembly.
// Triangles without area are left out. The test is exact.
func (m *Mesh) SelfIntersections(ctx context.Context, limit int) ([][2]int32, error) {
	pairs, _, err := m.meetings(ctx, limit)
	return pairs, err
}

// meetings is SelfIntersections with the pairs between different bodies beside.
func (m *Mesh) meetings(ctx context.Context, limit int) (pairs, between [][2]int32, err error) {
	flat := make([]bool, len(m.Triangles))
	for t := range flat {
		flat[t] = m.zeroArea(t)
	}
	body := m.bodies()
	tests := 0
	NewBVH(m).selfPairs(func(s, t int32) bool {
		if tests++; tests%4096 == 0 && ctx.Err() != nil {
			return false
		}
		switch {
		case flat[s] || flat[t] || !m.crosses(s, t):
		case body != nil && body[s] != body[t]:
			between = append(between, [2]int32{min(s, t), max(s, t)})
		default:
			pairs = append(pairs, [2]int32{min(s, t), max(s, t)})
		}
		return limit == 0 || len(pairs)+len(between) < limit
	})
	return pairs, between, ctx.Err()
}

// facesIn counts the triangles that occur in pairs.
func facesIn(pairs [][2]int32) int {
	seen := map[int32]bool{}
	for _, p := range pairs {
		seen[p[0]], seen[p[1]] = true, true
	}
	return len(seen)
}

// crosses decides by how many corners the triangles have in common.
func (m *Mesh) crosses(s, t int32) bool {
	var a, b [3]Vec3
	a[0], a[1], a[2] = m.Corners(int(s))
	b[0], b[1], b[2] = m.Corners(int(t))
	var ca, cb [3]int // common corners
	n := 0
	for i := range 3 {
		for j := range 3 {
			if n < 3 && (m.Triangles[s][i] == m.Triangles[t][j] || a[i] == b[j]) {
				ca[n], cb[n] = i, j
				n++
				break
			}
		}
	}
	switch n {
	case 0:
		return trianglesMeet(a, b)
	case 1:
		return meetBeyondCorner(rotate(a, ca[0]), rotate(b, cb[0]))
	case 2:
		p, q := a[3-ca[0]-ca[1]], b[3-cb[0]-cb[1]]
		return foldedOver(a[ca[0]], a[ca[1]], p, q)
	}
	// The same three corners: two sheets of solids that touch run oppositely.
	return (cb[0]+1)%3 == cb[1]
}

func rotate(a [3]Vec3, first int) [3]Vec3 {
	return [3]Vec3{a[first], a[(first+1)%3], a[(first+2)%3]}
}

// foldedOver says whether triangles over the common edge u-v with the third
// corners p and q lie in one plane and on the same side of the edge.
func foldedOver(u, v, p, q Vec3) bool {
	if Orient3D(u, v, p, q) != 0 {
		return false
	}
	x, y := dropAxis(v.Sub(u).Cross(p.Sub(u)))
	su := flatten(u, x, y)
	sv := flatten(v, x, y)
	return Orient2D(su, sv, flatten(p, x, y))*sign(Orient2D(su, sv, flatten(q, x, y))) > 0
}

func flatten(p Vec3, x, y int) [2]float64 { return [2]float64{p[x], p[y]} }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// sides gives on which side of the plane of t each corner of s lies.
func sides(s, t [3]Vec3) (d [3]float64) {
	for i := range 3 {
		d[i] = sign(Orient3D(t[0], t[1], t[2], s[i]))
	}
	return d
}

func oneSided(d [3]float64) bool { return d[0] == d[1] && d[1] == d[2] && d[0] != 0 }

// trianglesMeet is the closed test for triangles without a common corner.
func trianglesMeet(a, b [3]Vec3) bool {
	da := sides(a, b)
	if oneSided(da) {
		return false
	}
	db := sides(b, a)
	if oneSided(db) {
		return false
	}
	if da == [3]float64{} {
		return coplanarMeet(a, b)
	}
	for i := range 3 {
		j := (i + 1) % 3
		if segmentMeets(a[i], a[j], da[i], da[j], b) || segmentMeets(b[i], b[j], db[i], db[j], a) {
			return true
		}
	}
	return false
}

// segmentMeets says whether the segment p-q, whose ends lie on the sides dp and
// dq of t's plane, meets the closed triangle t; segments within the plane do not
// count here.
func segmentMeets(p, q Vec3, dp, dq float64, t [3]Vec3) bool {
	if dp == dq {
		return false
	}
	s0 := sign(Orient3D(p, q, t[0], t[1]))
	s1 := sign(Orient3D(p, q, t[1], t[2]))
	s2 := sign(Orient3D(p, q, t[2], t[0]))
	return s0 >= 0 && s1 >= 0 && s2 >= 0 || s0 <= 0 && s1 <= 0 && s2 <= 0
}

// coplanarMeet tests two triangles of one plane for a common point.
func coplanarMeet(a, b [3]Vec3) bool {
	p, q := flatPair(a, b)
	for i := range 3 {
		for j := range 3 {
			if segmentsMeet(p[i], p[(i+1)%3], q[j], q[(j+1)%3]) {
				return true
			}
		}
	}
	return inside(p[0], q) || inside(q[0], p)
}

func flatPair(a, b [3]Vec3) (p, q [3][2]float64) {
	x, y := dropAxis(a[1].Sub(a[0]).Cross(a[2].Sub(a[0])))
	for i := range 3 {
		p[i], q[i] = flatten(a[i], x, y), flatten(b[i], x, y)
	}
	return p, q
}

func inside(p [2]float64, t [3][2]float64) bool {
	s0, s1, s2 := Orient2D(t[0], t[1], p), Orient2D(t[1], t[2], p), Orient2D(t[2], t[0], p)
	return s0 >= 0 && s1 >= 0 && s2 >= 0 || s0 <= 0 && s1 <= 0 && s2 <= 0
}

// segmentsMeet is the closed test in the plane.
func segmentsMeet(a, b, c, d [2]float64) bool {
	d1, d2 := sign(Orient2D(a, b, c)), sign(Orient2D(a, b, d))
	d3, d4 := sign(Orient2D(c, d, a)), sign(Orient2D(c, d, b))
	if d1*d2 > 0 || d3*d4 > 0 {
		return false
	}
	if d1 != 0 || d2 != 0 || d3 != 0 || d4 != 0 {
		return true
	}
	for k := range 2 { // on one line
		if max(a[k], b[k]) < min(c[k], d[k]) || max(c[k], d[k]) < min(a[k], b[k]) {
			return false
		}
	}
	return true
}

// meetBeyondCorner is for triangles with exactly the corner a[0] = b[0] in
// common: does the far edge of one meet the other triangle? A far corner that
// only lies on a near edge of the other (a T-junction) does not count.
func meetBeyondCorner(a, b [3]Vec3) bool {
	// The common corner lies in both planes; its sign needs no arithmetic.
	da := [3]float64{0, sign(Orient3D(b[0], b[1], b[2], a[1])), sign(Orient3D(b[0], b[1], b[2], a[2]))}
	if da[1] == 0 && da[2] == 0 {
		return wedgesOverlap(a, b)
	}
	if da[1] == da[2] {
		return false
	}
	db := [3]float64{0, sign(Orient3D(a[0], a[1], a[2], b[1])), sign(Orient3D(a[0], a[1], a[2], b[2]))}
	return farEdgeMeets(a, b, da) || farEdgeMeets(b, a, db)
}

func farEdgeMeets(a, b [3]Vec3, da [3]float64) bool {
	if !segmentMeets(a[1], a[2], da[1], da[2], b) {
		return false
	}
	for i := 1; i < 3; i++ {
		if da[i] == 0 && (collinear(a[0], a[i], b[1]) || collinear(a[0], a[i], b[2])) {
			return false
		}
	}
	return true
}

// wedgesOverlap is for coplanar triangles that share their first corner.
func wedgesOverlap(a, b [3]Vec3) bool {
	p, q := flatPair(a, b)
	if Orient2D(p[0], p[1], p[2]) < 0 {
		p[1], p[2] = p[2], p[1]
	}
	if Orient2D(q[0], q[1], q[2]) < 0 {
		q[1], q[2] = q[2], q[1]
	}
	within := func(d [2]float64, w [3][2]float64) bool {
		return Orient2D(w[0], w[1], d) > 0 && Orient2D(w[0], d, w[2]) > 0
	}
	if within(p[1], q) || within(p[2], q) || within(q[1], p) || within(q[2], p) {
		return true
	}
	// Equal wedges: both first sides and both second sides run together.
	return Orient2D(p[0], p[1], q[1]) == 0 && Orient2D(p[0], p[2], q[2]) == 0 && within(midpoint(p[1], p[2]), q)
}

func midpoint(a, b [2]float64) [2]float64 { return [2]float64{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2} }
