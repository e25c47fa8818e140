package geometry

// weldExact joins vertices with exactly equal coordinates and drops those that
// no triangle uses; the others keep their order. It returns how many vertices
// were joined with another.
func (m *Mesh) weldExact() int {
	m.compact()
	index := newPointIndex(len(m.Vertices))
	old := m.Vertices
	fresh := make([]Vec3, 0, len(old))
	to := make([]int32, len(old))
	for v, p := range old {
		to[v] = index.add(&fresh, p)
	}
	if len(fresh) == len(old) {
		return 0
	}
	for t := range m.Triangles {
		for k, v := range m.Triangles[t] {
			m.Triangles[t][k] = to[v]
		}
	}
	m.Vertices = fresh
	return len(old) - len(fresh)
}

// filter keeps the triangles listed, in that order.
func (m *Mesh) filter(keep []int32) {
	if len(keep) == len(m.Triangles) {
		return
	}
	tris := make([][3]int32, len(keep))
	var ids []int32
	if m.FaceID != nil {
		ids = make([]int32, len(keep))
	}
	for i, t := range keep {
		tris[i] = m.Triangles[t]
		if ids != nil {
			ids[i] = m.FaceID[t]
		}
	}
	m.Triangles, m.FaceID = tris, ids
}

// compact drops the vertices that no triangle uses and keeps the order of the rest.
func (m *Mesh) compact() {
	to := make([]int32, len(m.Vertices))
	for _, t := range m.Triangles {
		for _, v := range t {
			to[v] = 1
		}
	}
	n := int32(0)
	for v := range to {
		if to[v] == 0 {
			continue
		}
		m.Vertices[n], to[v] = m.Vertices[v], n
		n++
	}
	m.Vertices = m.Vertices[:n]
	for t := range m.Triangles {
		for k, v := range m.Triangles[t] {
			m.Triangles[t][k] = to[v]
		}
	}
}
