package geometry

import "context"

// bodies gives the body of every triangle, by its CAD face; a triangle without a
// face has that of its component. It is nil where fewer than two are known.
func (m *Mesh) bodies() []int32 {
	of := map[int32]int32{}
	distinct := map[int32]bool{}
	for _, f := range m.Meta.Faces {
		if of[f.ID] = f.Body; f.Body > 0 {
			distinct[f.Body] = true
		}
	}
	if len(distinct) < 2 || m.FaceID == nil {
		return nil
	}
	body := make([]int32, len(m.Triangles))
	unknown := false
	for t, f := range m.FaceID {
		body[t] = of[f]
		unknown = unknown || body[t] == 0
	}
	if !unknown {
		return body
	}
	edges := buildEdges(m.Triangles, len(m.Vertices))
	comp := newUnionFind(len(m.Triangles))
	for e := range edges.len() {
		h := edges.of(e)
		for _, g := range h[1:] {
			comp.union(h[0]/3, g/3)
		}
	}
	largest := make([]int32, len(m.Triangles))
	for t := range body {
		r := comp.find(int32(t))
		largest[r] = max(largest[r], body[t])
	}
	for t := range body {
		if body[t] == 0 {
			body[t] = largest[comp.find(int32(t))]
		}
	}
	return body
}

// splitBodies gives every body vertices of its own, so that solids of an
// assembly which touch are no non-manifold surface.
func (m *Mesh) splitBodies() {
	body := m.bodies()
	if body == nil {
		return
	}
	owner := make([]int32, len(m.Vertices)) // body + 1
	copies := map[[2]int32]int32{}
	for t := range m.Triangles {
		for k, v := range m.Triangles[t] {
			switch {
			case owner[v] == 0:
				owner[v] = body[t] + 1
			case owner[v] != body[t]+1:
				key := [2]int32{v, body[t]}
				c, ok := copies[key]
				if !ok {
					c = int32(len(m.Vertices))
					m.Vertices = append(m.Vertices, m.Vertices[v])
					copies[key] = c
				}
				m.Triangles[t][k] = c
			}
		}
	}
}

// intersecting counts the triangles that meet others of their own body, and
// those that only meet triangles of other bodies: contacts of an assembly.
func (m *Mesh) intersecting(ctx context.Context) (self, contact int, err error) {
	pairs, between, err := m.meetings(ctx, maxPairs)
	if err != nil {
		return 0, 0, err
	}
	seen := map[int32]bool{}
	for _, p := range pairs {
		seen[p[0]], seen[p[1]] = true, true
	}
	self = len(seen)
	for _, p := range between {
		seen[p[0]], seen[p[1]] = true, true
	}
	return self, len(seen) - self, nil
}

// part is the sub-mesh of the triangles that take says, with its own vertices.
func (m *Mesh) part(take func(t int) bool) *Mesh {
	p := &Mesh{Vertices: append([]Vec3(nil), m.Vertices...), Triangles: m.Triangles, FaceID: m.FaceID, Meta: m.Meta}
	var keep []int32
	for t := range m.Triangles {
		if take(t) {
			keep = append(keep, int32(t))
		}
	}
	p.Triangles = append([][3]int32(nil), p.Triangles...)
	p.filter(keep)
	p.compact()
	return p
}

// join appends the triangles of another mesh with the same metadata.
func (m *Mesh) join(o *Mesh) {
	base := int32(len(m.Vertices))
	m.Vertices = append(m.Vertices, o.Vertices...)
	for _, t := range o.Triangles {
		m.Triangles = append(m.Triangles, [3]int32{t[0] + base, t[1] + base, t[2] + base})
	}
	m.FaceID = append(m.FaceID, o.FaceID...)
}
