package geometry

// flattenCaps removes triangles without area from a glued surface by flipping
// their longest edge; it returns how many are left, where a flip would make an
// edge twice or another triangle without area.
func (m *Mesh) flattenCaps(g *gluing) (removed, left int) {
	for range 8 {
		before := removed
		left = 0
		for t := range m.Triangles {
			if !m.nearlyFlat(t) {
				continue
			}
			if m.flipLongest(g, int32(t)) {
				removed++
			} else {
				left++
			}
		}
		if left == 0 || removed == before {
			break
		}
	}
	return removed, left
}

// nearlyFlat says whether the triangle's height is below 1e-9 of its longest edge.
func (m *Mesh) nearlyFlat(t int) bool {
	a, b, c := m.Corners(t)
	l := max(b.Sub(a).Dot(b.Sub(a)), c.Sub(b).Dot(c.Sub(b)), a.Sub(c).Dot(a.Sub(c)))
	return 2*m.TriangleArea(t) <= 1e-9*l
}

// flipLongest replaces the edge a-b of triangle t = (a, b, c) and its neighbour
// (b, a, d) by c-d.
func (m *Mesh) flipLongest(g *gluing, t int32) bool {
	longest, h := -1.0, int32(-1)
	for k := range int32(3) {
		d := m.Vertices[origin(m.Triangles, 3*t+k)].Sub(m.Vertices[target(m.Triangles, 3*t+k)])
		if l := d.Dot(d); l > longest {
			longest, h = l, 3*t+k
		}
	}
	o := g.opp[h]
	if o < 0 || o/3 == t {
		return false
	}
	a, b := origin(m.Triangles, h), target(m.Triangles, h)
	c, d := target(m.Triangles, nextHalf(h)), target(m.Triangles, nextHalf(o))
	if c == d || g.connected(m.Triangles, nextHalf(nextHalf(h)), d) {
		return false
	}
	s := o / 3
	flat := func(p, q, r int32) bool {
		u, v := m.Vertices[q].Sub(m.Vertices[p]), m.Vertices[r].Sub(m.Vertices[p])
		w := m.Vertices[r].Sub(m.Vertices[q])
		return u.Cross(v).Norm() <= 1e-9*max(u.Dot(u), v.Dot(v), w.Dot(w))
	}
	if flat(a, d, c) || flat(d, b, c) {
		return false
	}
	hbc, hca := g.opp[nextHalf(h)], g.opp[prevHalf(h)]
	had, hdb := g.opp[nextHalf(o)], g.opp[prevHalf(o)]
	m.Triangles[t], m.Triangles[s] = [3]int32{a, d, c}, [3]int32{d, b, c}
	if m.FaceID != nil {
		m.FaceID[t] = m.FaceID[s] // t had no area, so s's face grows by nothing
	}
	g.set(3*t, had)
	g.set(3*t+2, hca)
	g.set(3*s, hdb)
	g.set(3*s+1, hbc)
	g.join(3*t+1, 3*s+2)
	return true
}

func (g *gluing) set(h, o int32) {
	g.opp[h] = o
	if o >= 0 {
		g.opp[o] = h
	}
}

// connected says whether the origin of h has an edge to v; both ways round, so
// that borders do not hide a part of the fan.
func (g *gluing) connected(tris [][3]int32, h, v int32) bool {
	for at := h; ; {
		if target(tris, at) == v || target(tris, nextHalf(at)) == v {
			return true
		}
		if at = g.opp[prevHalf(at)]; at == h {
			return false
		} else if at < 0 {
			break
		}
	}
	for at := g.opp[h]; at >= 0; at = g.opp[at] {
		at = nextHalf(at)
		if target(tris, at) == v || target(tris, nextHalf(at)) == v {
			return true
		}
		if at == h {
			return false
		}
	}
	return false
}
