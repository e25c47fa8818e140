package geometry

import "math"

// shell is one closed component of a surface.
type shell struct {
	tris    []int32
	lo, hi  Vec3
	volume  float64 // signed
	area    float64
	body    int32
	depth   int // shells of the same body that contain it
	inward  bool
	flipped bool
}

// shells gathers the components; body is that of the CAD faces, 0 without.
func (m *Mesh) shells(comp []int32, n int) []shell {
	bodyOf := map[int32]int32{}
	for _, f := range m.Meta.Faces {
		bodyOf[f.ID] = f.Body
	}
	inf := math.Inf(1)
	all := make([]shell, n)
	for i := range all {
		all[i].lo, all[i].hi = Vec3{inf, inf, inf}, Vec3{-inf, -inf, -inf}
	}
	lo, hi := m.Bounds()
	c := lo.Add(hi).Scale(0.5)
	for t := range m.Triangles {
		s := &all[comp[t]]
		s.tris = append(s.tris, int32(t))
		p, q, r := m.Corners(t)
		for k := range 3 {
			s.lo[k] = min(s.lo[k], p[k], q[k], r[k])
			s.hi[k] = max(s.hi[k], p[k], q[k], r[k])
		}
		s.volume += p.Sub(c).Dot(q.Sub(c).Cross(r.Sub(c))) / 6
		s.area += m.TriangleArea(t)
		if b := bodyOf[m.Face(t)]; b > s.body {
			s.body = b
		}
	}
	return all
}

// pointOutward turns closed shells so that material lies behind every triangle:
// a shell inside an even number of others of its body points outward, one inside
// an odd number is the wall of a cavity and points inward.
func (m *Mesh) pointOutward(all []shell) {
	for i := range all {
		s := &all[i]
		for j := range all {
			if i != j && all[j].body == s.body && contains(&all[j], s) && m.within(s, &all[j]) {
				s.depth++
			}
		}
		s.inward = s.depth%2 == 1
		if (s.volume < 0) != s.inward {
			s.flipped = true
		}
	}
	for i := range all {
		if all[i].flipped {
			for _, t := range all[i].tris {
				m.flip(int(t))
			}
			all[i].volume = -all[i].volume
		}
	}
}

func contains(outer, inner *shell) bool {
	for k := range 3 {
		if inner.lo[k] < outer.lo[k] || inner.hi[k] > outer.hi[k] {
			return false
		}
	}
	return math.Abs(outer.volume) > math.Abs(inner.volume)
}

// within says whether shell s lies inside shell o, by the winding number of o
// around points of s. Points on or near o's surface say nothing; shells that
// cross each other are not nested.
func (m *Mesh) within(s, o *shell) bool {
	in, out := 0, 0
	step := max(1, len(s.tris)/7)
	for i := 0; i < len(s.tris); i += step {
		a, b, c := m.Corners(int(s.tris[i]))
		w := math.Abs(m.winding(o.tris, a.Add(b).Add(c).Scale(1.0/3)))
		switch {
		case w > 0.75:
			in++
		case w < 0.25:
			out++
		}
	}
	return in > 0 && out == 0
}

// winding is the winding number of triangles around p: the sum of the signed
// solid angles (Van Oosterom and Strackee 1983) over 4π.
func (m *Mesh) winding(tris []int32, p Vec3) float64 {
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

// dropTriangles removes the triangles listed.
func (m *Mesh) dropTriangles(drop []int32) {
	if len(drop) == 0 {
		return
	}
	gone := make([]bool, len(m.Triangles))
	for _, t := range drop {
		gone[t] = true
	}
	keep := make([]int32, 0, len(m.Triangles)-len(drop))
	for t := range m.Triangles {
		if !gone[t] {
			keep = append(keep, int32(t))
		}
	}
	m.filter(keep)
}
