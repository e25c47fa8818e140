package stuffing

// faceNeighbours gives for every face of every tetrahedron the tetrahedron
// behind it, -1 at the boundary.
func faceNeighbours(tets [][4]int32, vertices int) [][4]int32 {
	type half struct{ b, c, tet, face int32 }
	start := make([]int32, vertices+1)
	for _, v := range tets {
		for _, f := range tetFaces {
			start[min(v[f[0]], v[f[1]], v[f[2]])+1]++
		}
	}
	for i := range vertices {
		start[i+1] += start[i]
	}
	halves := make([]half, 4*len(tets))
	next := append([]int32(nil), start[:vertices]...)
	neighbours := make([][4]int32, len(tets))
	for t, v := range tets {
		neighbours[t] = [4]int32{-1, -1, -1, -1}
		for k, f := range tetFaces {
			a, b, c := sort3(v[f[0]], v[f[1]], v[f[2]])
			for _, h := range halves[start[a]:next[a]] {
				if h.b == b && h.c == c {
					neighbours[t][k] = h.tet
					neighbours[h.tet][h.face] = int32(t)
				}
			}
			halves[next[a]] = half{b, c, int32(t), int32(k)}
			next[a]++
		}
	}
	return neighbours
}

func sort3(a, b, c int32) (int32, int32, int32) {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	return a, b, c
}

// boundaryFaces lists the outward triangles without a neighbour.
func boundaryFaces(tets [][4]int32, neighbours [][4]int32) (tris [][3]int32, owner []int32) {
	for t, n := range neighbours {
		for k, f := range tetFaces {
			if n[k] < 0 {
				v := &tets[t]
				tris = append(tris, [3]int32{v[f[0]], v[f[1]], v[f[2]]})
				owner = append(owner, int32(t))
			}
		}
	}
	return tris, owner
}

// pinches lists the vertices at which a boundary is no 2-manifold: the ends of
// edges with more than two triangles, and vertices with more than one fan.
func pinches(tris [][3]int32, vertices int) []int32 {
	around := trianglesAround(tris, vertices)
	var list []int32
	for v := range int32(vertices) {
		if ring := around.of(v); len(ring) > 0 && !singleFan(tris, ring, v) {
			list = append(list, v)
		}
	}
	return list
}

// singleFan walks the triangles around v and says whether they form one cycle.
func singleFan(tris [][3]int32, ring []int32, v int32) bool {
	// Each triangle goes from its next to its previous vertex as seen from v.
	at, start, steps := int32(-1), int32(-1), 0
	for {
		next, matches := int32(-1), 0
		for _, t := range ring {
			a, b := opposite(tris[t], v)
			if start < 0 {
				start, at = a, a
			}
			if a == at {
				next = b
				matches++
			}
		}
		if matches != 1 {
			return false
		}
		at = next
		steps++
		if at == start {
			return steps == len(ring)
		}
		if steps > len(ring) {
			return false
		}
	}
}

// opposite is the edge of the triangle that faces v, in its direction.
func opposite(t [3]int32, v int32) (a, b int32) {
	switch v {
	case t[0]:
		return t[1], t[2]
	case t[1]:
		return t[2], t[0]
	}
	return t[0], t[1]
}

// incidence lists for every vertex the tetrahedra at it (compressed rows).
type incidence struct{ start, list []int32 }

func (x *incidence) of(v int32) []int32 { return x.list[x.start[v]:x.start[v+1]] }

func tetsAround(tets [][4]int32, vertices int) *incidence {
	x := &incidence{start: make([]int32, vertices+1), list: make([]int32, 4*len(tets))}
	for _, t := range tets {
		for _, v := range t {
			x.start[v+1]++
		}
	}
	for i := range vertices {
		x.start[i+1] += x.start[i]
	}
	next := append([]int32(nil), x.start...)
	for i, t := range tets {
		for _, v := range t {
			x.list[next[v]] = int32(i)
			next[v]++
		}
	}
	return x
}

func trianglesAround(tris [][3]int32, vertices int) *incidence {
	x := &incidence{start: make([]int32, vertices+1), list: make([]int32, 3*len(tris))}
	for _, t := range tris {
		for _, v := range t {
			x.start[v+1]++
		}
	}
	for i := range vertices {
		x.start[i+1] += x.start[i]
	}
	next := append([]int32(nil), x.start...)
	for i, t := range tris {
		for _, v := range t {
			x.list[next[v]] = int32(i)
			next[v]++
		}
	}
	return x
}

// manifold makes the boundary a closed 2-manifold: where two parts of the mesh
// touch along an edge only, the lighter part's tetrahedra at that edge are taken
// away; where they touch at a vertex only, each gets its own copy; where two
// voids touch at a vertex, they are joined; pieces of
// less than a hundredth of the volume that hang on nothing are dropped. Thin
// places are where this happens. It returns the number of pieces left.
func (m *tetMesh) manifold() int {
	for range 20 {
		if !m.cutPinchedEdges() {
			break
		}
	}
	m.splitPinchedVertices()
	for range 20 {
		if !m.openPinches() {
			break
		}
		m.splitPinchedVertices()
	}
	pieces := m.dropCrumbs()
	m.dropUnusedVertices()
	return pieces
}

func (m *tetMesh) volumeOf(t int32) float64 {
	v := &m.tets[t]
	return orient3(m.pos[v[0]], m.pos[v[1]], m.pos[v[2]], m.pos[v[3]]) / 6
}

func (m *tetMesh) volume() (sum float64) {
	for t := range m.tets {
		sum += m.volumeOf(int32(t))
	}
	return sum
}

// cutPinchedEdges removes the lighter fan at every edge with more than two
// boundary triangles and says whether there was one.
func (m *tetMesh) cutPinchedEdges() bool {
	neighbours := faceNeighbours(m.tets, len(m.pos))
	tris, _ := boundaryFaces(m.tets, neighbours)
	count := make(map[uint64]int8, 3*len(tris)/2)
	for _, v := range tris {
		for k := range 3 {
			count[edgeKey(v[k], v[(k+1)%3])]++
		}
	}
	var around *incidence
	dead := map[int32]bool{}
	for _, v := range tris { // in the order of the triangles, not of the map
		for k := range 3 {
			key := edgeKey(v[k], v[(k+1)%3])
			if count[key] <= 2 {
				continue
			}
			count[key] = 0
			if around == nil {
				around = tetsAround(m.tets, len(m.pos))
			}
			m.removeLightFan(v[k], v[(k+1)%3], around, neighbours, dead)
		}
	}
	if len(dead) == 0 {
		return false
	}
	kept := m.tets[:0]
	for i, t := range m.tets {
		if !dead[int32(i)] {
			kept = append(kept, t)
		}
	}
	m.tets = kept
	return true
}

// removeLightFan marks all but the heaviest of the fans of tetrahedra around an
// edge.
func (m *tetMesh) removeLightFan(a, b int32, around *incidence, neighbours [][4]int32, dead map[int32]bool) {
	var ring []int32
	for _, t := range around.of(a) {
		v := &m.tets[t]
		if v[0] == b || v[1] == b || v[2] == b || v[3] == b {
			ring = append(ring, t)
		}
	}
	sets := newUnion(len(ring))
	for i, t := range ring {
		for k, n := range neighbours[t] {
			if n < 0 || m.tets[t][k] == a || m.tets[t][k] == b {
				continue // that face does not hold the edge
			}
			for j, u := range ring {
				if u == n {
					sets.join(int32(i), int32(j))
				}
			}
		}
	}
	weight := map[int32]float64{}
	best := int32(-1)
	for i, t := range ring {
		weight[sets.find(int32(i))] += m.volumeOf(t)
	}
	for i := range ring {
		if r := sets.find(int32(i)); best < 0 || weight[r] > weight[best] {
			best = r
		}
	}
	for i, t := range ring {
		if sets.find(int32(i)) != best {
			dead[t] = true
		}
	}
}

// splitPinchedVertices gives every face-connected set of tetrahedra at a vertex
// its own copy of that vertex.
func (m *tetMesh) splitPinchedVertices() {
	neighbours := faceNeighbours(m.tets, len(m.pos))
	tris, _ := boundaryFaces(m.tets, neighbours)
	around := tetsAround(m.tets, len(m.pos))
	seen := make([]bool, len(m.pos))
	place := map[int32]int32{}
	for _, tri := range tris {
		for _, v := range tri {
			if seen[v] {
				continue
			}
			seen[v] = true
			ring := around.of(v)
			clear(place)
			for i, t := range ring {
				place[t] = int32(i)
			}
			sets := newUnion(len(ring))
			for i, t := range ring {
				for k, n := range neighbours[t] {
					if n >= 0 && m.tets[t][k] != v {
						sets.join(int32(i), place[n])
					}
				}
			}
			copies := map[int32]int32{sets.find(0): v}
			for i, t := range ring {
				r := sets.find(int32(i))
				c, known := copies[r]
				if !known {
					c = m.addVertex(m.pos[v], m.sizeAt(v))
					copies[r] = c
				}
				for k := range m.tets[t] {
					if m.tets[t][k] == v {
						m.tets[t][k] = c
					}
				}
			}
		}
	}
}

// openPinches takes away all tetrahedra at a vertex at which two voids touch.
func (m *tetMesh) openPinches() bool {
	tris, _ := boundaryFaces(m.tets, faceNeighbours(m.tets, len(m.pos)))
	bad := map[int32]bool{}
	for _, v := range pinches(tris, len(m.pos)) {
		bad[v] = true
	}
	if len(bad) == 0 {
		return false
	}
	kept := m.tets[:0]
	for _, t := range m.tets {
		if !bad[t[0]] && !bad[t[1]] && !bad[t[2]] && !bad[t[3]] {
			kept = append(kept, t)
		}
	}
	m.tets = kept
	return true
}

// dropCrumbs removes small face-connected pieces and counts those that stay.
func (m *tetMesh) dropCrumbs() int {
	neighbours := faceNeighbours(m.tets, len(m.pos))
	sets := newUnion(len(m.tets))
	for t, n := range neighbours {
		for _, u := range n {
			if u >= 0 {
				sets.join(int32(t), u)
			}
		}
	}
	weight := map[int32]float64{}
	total := 0.0
	for t := range m.tets {
		w := m.volumeOf(int32(t))
		weight[sets.find(int32(t))] += w
		total += w
	}
	kept, pieces := m.tets[:0], 0
	for t, v := range m.tets {
		r := sets.find(int32(t))
		if weight[r] < 0.01*total {
			continue
		}
		if r == int32(t) {
			pieces++
		}
		kept = append(kept, v)
	}
	m.tets = kept
	return pieces
}

// dropUnusedVertices renumbers the tetrahedra and gives the new number of each vertex.
func (m *tetMesh) dropUnusedVertices() []int32 {
	number := make([]int32, len(m.pos))
	for _, t := range m.tets {
		for _, v := range t {
			number[v] = 1
		}
	}
	pos := m.pos[:0]
	for i, used := range number {
		if used == 1 {
			number[i] = int32(len(pos))
			pos = append(pos, m.pos[i])
			if m.size != nil {
				m.size[len(pos)-1] = m.size[i]
			}
		}
	}
	m.pos = pos
	if m.size != nil {
		m.size = m.size[:len(pos)]
	}
	for t := range m.tets {
		for k, v := range m.tets[t] {
			m.tets[t][k] = number[v]
		}
	}
	return number
}
