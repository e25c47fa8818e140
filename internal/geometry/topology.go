package geometry

// Topology is what a surface's connectivity says about it. Triangles with a
// repeated vertex take no part in its edges.
type Topology struct {
	Vertices            int  `json:"vertices"` // that triangles use
	Triangles           int  `json:"triangles"`
	Edges               int  `json:"edges"`
	BoundaryEdges       int  `json:"boundary_edges"`        // with one triangle
	BoundaryLoops       int  `json:"boundary_loops"`        // connected sets of boundary edges
	NonManifoldEdges    int  `json:"non_manifold_edges"`    // with three triangles or more
	NonManifoldVertices int  `json:"non_manifold_vertices"` // whose triangles are no single fan, beside those on non-manifold edges
	InconsistentEdges   int  `json:"inconsistent_edges"`    // whose two triangles run the same way
	Components          int  `json:"components"`            // connected by edges
	Euler               int  `json:"euler_characteristic"`  // V - E + F
	Genus               int  `json:"genus"`                 // sum over the components; -1 where it is undefined
	DegenerateFaces     int  `json:"degenerate_faces"`      // a repeated vertex or an area of zero
	DuplicateFaces      int  `json:"duplicate_faces"`       // beyond the first with the same three vertices
	Closed              bool `json:"closed"`                // every edge has exactly two triangles
	Manifold            bool `json:"manifold"`              // no non-manifold edge or vertex
	Oriented            bool `json:"oriented"`              // no inconsistent edge
}

// Sound says whether the surface is closed, manifold and oriented.
func (t Topology) Sound() bool { return t.Closed && t.Manifold && t.Oriented && t.Triangles > 0 }

// Check counts the defects of the surface in linear time. Vertices are told
// apart by index, not by place.
func (m *Mesh) Check() Topology {
	t := Topology{Triangles: len(m.Triangles)}
	edges := buildEdges(m.Triangles, len(m.Vertices))
	t.Edges = edges.len()
	faces := newUnionFind(len(m.Triangles))
	boundary := newUnionFind(len(m.Vertices))
	onBoundary := make([]bool, len(m.Vertices))
	onComplex := make([]bool, len(m.Vertices))
	for e := range t.Edges {
		halves := edges.of(e)
		a, b := origin(m.Triangles, halves[0]), target(m.Triangles, halves[0])
		switch len(halves) {
		case 1:
			t.BoundaryEdges++
			boundary.union(a, b)
			onBoundary[a], onBoundary[b] = true, true
		case 2:
			if origin(m.Triangles, halves[1]) == a {
				t.InconsistentEdges++
			}
		default:
			t.NonManifoldEdges++
			onComplex[a], onComplex[b] = true, true
		}
		for _, h := range halves[1:] {
			faces.union(halves[0]/3, h/3)
		}
	}
	for v := range onBoundary {
		if onBoundary[v] && boundary.find(int32(v)) == int32(v) {
			t.BoundaryLoops++
		}
	}
	m.countFaces(&t, faces)
	m.countVertices(&t, edges, onComplex)
	t.Euler = t.Vertices - t.Edges + t.Triangles
	t.Closed = t.BoundaryEdges == 0 && t.NonManifoldEdges == 0 && t.Triangles > 0
	t.Manifold = t.NonManifoldEdges == 0 && t.NonManifoldVertices == 0
	t.Oriented = t.InconsistentEdges == 0
	t.Genus = -1
	// V - E + F + loops = 2·components - 2·genus for oriented manifolds.
	if twice := 2*t.Components - t.Euler - t.BoundaryLoops; t.Manifold && t.Oriented && twice%2 == 0 {
		t.Genus = twice / 2
	}
	return t
}

func (m *Mesh) countFaces(t *Topology, faces unionFind) {
	for i, tri := range m.Triangles {
		repeated := tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]
		if repeated || m.zeroArea(i) {
			t.DegenerateFaces++
		}
		if !repeated && faces.find(int32(i)) == int32(i) {
			t.Components++
		}
	}
	t.DuplicateFaces = len(m.Triangles) - len(firstOfDuplicates(m.Triangles))
}

// zeroArea is exact: the three corners lie on one line.
func (m *Mesh) zeroArea(i int) bool {
	a, b, c := m.Corners(i)
	n := b.Sub(a).Cross(c.Sub(a))
	scale := max(b.Sub(a).Dot(b.Sub(a)), c.Sub(a).Dot(c.Sub(a)))
	if n.Dot(n) > 1e-24*scale*scale {
		return false
	}
	return collinear(a, b, c)
}

func collinear(a, b, c Vec3) bool {
	for k := range 3 {
		x, y := (k+1)%3, (k+2)%3
		if Orient2D([2]float64{a[x], a[y]}, [2]float64{b[x], b[y]}, [2]float64{c[x], c[y]}) != 0 {
			return false
		}
	}
	return true
}

// firstOfDuplicates lists the triangles but for those whose vertex set an
// earlier one has; triangles with a repeated vertex are kept.
func firstOfDuplicates(tris [][3]int32) []int32 {
	size := 16
	for size < 2*len(tris) {
		size *= 2
	}
	slots := make([]int32, size) // triangle + 1, by open addressing
	keep := make([]int32, 0, len(tris))
	for i, tri := range tris {
		s := sorted3(tri)
		if s[0] == s[1] || s[1] == s[2] {
			keep = append(keep, int32(i))
			continue
		}
		h := (uint64(s[0])*0x9e3779b97f4a7c15 ^ uint64(s[1])*0xc2b2ae3d27d4eb4f) + uint64(s[2])*0x165667b19e3779f9
		at := (h ^ h>>31) & uint64(size-1)
		for slots[at] != 0 && sorted3(tris[slots[at]-1]) != s {
			at = (at + 1) & uint64(size-1)
		}
		if slots[at] == 0 {
			slots[at] = int32(i + 1)
			keep = append(keep, int32(i))
		}
	}
	return keep
}

func sorted3(t [3]int32) [3]int32 {
	if t[0] > t[1] {
		t[0], t[1] = t[1], t[0]
	}
	if t[1] > t[2] {
		t[1], t[2] = t[2], t[1]
	}
	if t[0] > t[1] {
		t[0], t[1] = t[1], t[0]
	}
	return t
}

// countVertices counts the used vertices and those whose corners fall into more
// than one fan: corners of one vertex are joined across manifold edges.
func (m *Mesh) countVertices(t *Topology, edges *edgeTable, onComplex []bool) {
	corners := newUnionFind(3 * len(m.Triangles))
	for e := range edges.len() {
		halves := edges.of(e)
		for _, h := range halves[1:] {
			joinCorners(corners, m.Triangles, halves[0], h)
		}
	}
	fans := make([]int8, len(m.Vertices))
	for c := range corners {
		tri := m.Triangles[c/3]
		if tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0] {
			continue
		}
		v := tri[c%3]
		if corners.find(int32(c)) == int32(c) && fans[v] < 2 {
			fans[v]++
		}
	}
	for v, n := range fans {
		if n > 0 {
			t.Vertices++
		}
		if n > 1 && !onComplex[v] {
			t.NonManifoldVertices++
		}
	}
}

// joinCorners unites the corners at both ends of two half-edges that share an
// edge; a corner has the number of the half-edge that starts in it.
func joinCorners(corners unionFind, tris [][3]int32, g, h int32) {
	gn, hn := nextHalf(g), nextHalf(h)
	if origin(tris, g) == origin(tris, h) {
		corners.union(g, h)
		corners.union(gn, hn)
	} else {
		corners.union(g, hn)
		corners.union(gn, h)
	}
}
