package geometry

// dropDuplicates thins out triangles over the same three vertices. A pair of
// opposite ones stays only when it stands alone (it may be the touching walls of
// two solids) and else cancels; of several of the same sense a further one goes
// when the edges have one triangle too many in its direction, since where they
// are balanced it holds the surface together. It returns how many went.
func (m *Mesh) dropDuplicates() int {
	if len(firstOfDuplicates(m.Triangles)) == len(m.Triangles) {
		return 0
	}
	groups := map[[3]int32][2][]int32{} // triangles of either sense
	for t, tri := range m.Triangles {
		g := groups[sorted3(tri)]
		g[sense(tri)] = append(g[sense(tri)], int32(t))
		groups[sorted3(tri)] = g
	}
	surplus := map[[2]int32]int{} // of triangles that run from low to high
	for t := range m.Triangles {
		m.addSurplus(surplus, t, 1)
	}
	var drop []int32
	for t, tri := range m.Triangles { // in order of the file, not of the map
		g, ok := groups[sorted3(tri)]
		if !ok || len(g[0])+len(g[1]) < 2 {
			continue
		}
		delete(groups, sorted3(tri))
		for len(g[0])+len(g[1]) > 2 && len(g[0]) > 0 && len(g[1]) > 0 {
			for k := range 2 {
				drop = append(drop, g[k][len(g[k])-1])
				g[k] = g[k][:len(g[k])-1]
			}
		}
		k := 0
		if len(g[1]) > 0 {
			k = 1
		}
		for len(g[k]) > 1 && m.overfull(surplus, t, k != sense(tri)) {
			drop = append(drop, g[k][len(g[k])-1])
			m.addSurplus(surplus, int(g[k][len(g[k])-1]), -1)
			g[k] = g[k][:len(g[k])-1]
		}
	}
	m.dropTriangles(drop)
	return len(drop)
}

// sense is 1 for a triangle that is an even permutation of its sorted vertices.
func sense(t [3]int32) int {
	s := sorted3(t)
	if t == s || t == [3]int32{s[1], s[2], s[0]} || t == [3]int32{s[2], s[0], s[1]} {
		return 1
	}
	return 0
}

// addSurplus counts triangle t's edges by their direction, n times.
func (m *Mesh) addSurplus(surplus map[[2]int32]int, t, n int) {
	for k := range 3 {
		if a, b := m.Triangles[t][k], m.Triangles[t][(k+1)%3]; a < b {
			surplus[[2]int32{a, b}] += n
		} else {
			surplus[[2]int32{b, a}] -= n
		}
	}
}

// overfull says whether most edges of triangle t (turned round where reverse is
// set) have more triangles in its direction than against it.
func (m *Mesh) overfull(surplus map[[2]int32]int, t int, reverse bool) bool {
	over := 0
	for k := range 3 {
		a, b := m.Triangles[t][k], m.Triangles[t][(k+1)%3]
		d := surplus[[2]int32{min(a, b), max(a, b)}]
		if (a > b) != reverse {
			d = -d
		}
		if d > 0 {
			over++
		}
	}
	return over >= 2
}
