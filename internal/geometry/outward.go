package geometry

import (
	"context"
	"math"
)

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
	tree    *BVH // of its triangles, made when first asked for
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
func (m *Mesh) pointOutward(ctx context.Context, all []shell) error {
	// A triangle (lo, hi, lo) per shell makes a tree of the shells' boxes.
	boxes := &Mesh{}
	for i := range all {
		v := int32(len(boxes.Vertices))
		boxes.Vertices = append(boxes.Vertices, all[i].lo, all[i].hi)
		boxes.Triangles = append(boxes.Triangles, [3]int32{v, v + 1, v})
	}
	tree := NewBVH(boxes)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &all[i]
		tree.Overlapping(s.lo, s.lo, func(j int32) bool {
			if o := &all[j]; i != int(j) && o.body == s.body && contains(o, s) && m.within(s, o) {
				s.depth++
			}
			return true
		})
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
	return nil
}

func contains(outer, inner *shell) bool {
	for k := range 3 {
		if inner.lo[k] < outer.lo[k] || inner.hi[k] > outer.hi[k] {
			return false
		}
	}
	return math.Abs(outer.volume) > math.Abs(inner.volume)
}

// within says whether shell s lies inside shell o, by how often o winds around
// points of s. Points on o's surface say nothing; shells that cross each other
// are not nested.
func (m *Mesh) within(s, o *shell) bool {
	if o.tree == nil {
		part := &Mesh{Vertices: m.Vertices}
		for _, t := range o.tris {
			part.Triangles = append(part.Triangles, m.Triangles[t])
		}
		o.tree = NewBVH(part)
	}
	in, out := 0, 0
	step := max(1, len(s.tris)/7)
	for i := 0; i < len(s.tris); i += step {
		a, b, c := m.Corners(int(s.tris[i]))
		p := a.Add(b).Add(c).Scale(1.0 / 3)
		w := 0.5
		if n, ok := o.tree.Winding(p, -1); ok {
			w = math.Abs(float64(n))
		} else if len(o.tris) < 10000 {
			w = math.Abs(m.windingSum(o.tris, p))
		}
		switch {
		case w > 0.75:
			in++
		case w < 0.25:
			out++
		}
	}
	return in > 0 && out == 0
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
