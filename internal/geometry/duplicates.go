package geometry

// dropDuplicates thins out triangles over the same three vertices. A pair of
// opposite ones stays only when it stands alone (it may be the touching walls of
// two solids) and else cancels; copies of the same sense go where the surface is no
// less closed without them, first whole patches of them and then single ones: a wall
// that two overlapping solids have in common holds both together and stays. It
// returns how many went.
func (m *Mesh) dropDuplicates() int {
	if len(firstOfDuplicates(m.Triangles)) == len(m.Triangles) {
		return 0
	}
	before := len(m.Triangles)
	m.dropOpposite()
	m.dropCopies()
	m.dropSingleCopies()
	return before - len(m.Triangles)
}

// twins are the triangles over the same three vertices, of either sense, in the order of
// the file.
type twins [2][]int32

// repeated lists the triangles over the same vertices where there are several, in order
// of the first of each.
func (m *Mesh) repeated() []twins {
	all := map[[3]int32]*twins{}
	for t, tri := range m.Triangles {
		g := all[sorted3(tri)]
		if g == nil {
			g = &twins{}
			all[sorted3(tri)] = g
		}
		g[sense(tri)] = append(g[sense(tri)], int32(t))
	}
	var several []twins
	for _, tri := range m.Triangles {
		key := sorted3(tri)
		if g := all[key]; g != nil && len(g[0])+len(g[1]) > 1 && key[0] != key[1] && key[1] != key[2] {
			several = append(several, *g)
		}
		delete(all, key)
	}
	return several
}

// dropOpposite lets pairs of opposite triangles go where there are more over the same
// vertices.
func (m *Mesh) dropOpposite() {
	var drop []int32
	for _, g := range m.repeated() {
		for len(g[0])+len(g[1]) > 2 && len(g[0]) > 0 && len(g[1]) > 0 {
			for k := range 2 {
				drop = append(drop, g[k][len(g[k])-1])
				g[k] = g[k][:len(g[k])-1]
			}
		}
	}
	m.dropTriangles(drop)
}

// maxCopies is how many times a surface is looked for in a patch of copies.
const maxCopies = 16

// dropCopies lets patches of copies go as a whole, since a surface that stands twice is
// balanced at every edge and no single triangle of it is one too many. A patch is copies
// that hang together by edges; the whole of it may be a surface that stands n times, where
// a wall that two solids share stands n times two.
func (m *Mesh) dropCopies() {
	copies := m.copies()
	surplus := m.surplus()
	var drop []int32
	for _, patch := range m.patchesOfCopies(copies) {
		most := 0
		for _, c := range patch {
			most = max(most, len(copies[c]))
		}
		for n := min(most, maxCopies); n > 1; n-- {
			var gone []int32
			for _, c := range patch {
				gone = append(gone, copies[c][(len(copies[c])+n-1)/n:]...)
			}
			if len(gone) > 0 && m.noWorse(surplus, gone) {
				for _, t := range gone {
					m.addSurplus(surplus, int(t), -1)
				}
				drop = append(drop, gone...)
				break
			}
		}
	}
	m.dropTriangles(drop)
}

// copies are the triangles that stand several times in the same sense.
func (m *Mesh) copies() [][]int32 {
	var out [][]int32
	for _, g := range m.repeated() {
		for k := range 2 {
			if len(g[k]) > 1 {
				out = append(out, g[k])
			}
		}
	}
	return out
}

// patchesOfCopies groups copies that share edges.
func (m *Mesh) patchesOfCopies(copies [][]int32) [][]int {
	joined := newUnionFind(len(copies))
	at := map[[2]int32]int32{}
	for c, tris := range copies {
		for k := range 3 {
			e := m.edgeKey(tris[0], k)
			if other, ok := at[e]; ok {
				joined.union(other, int32(c))
			} else {
				at[e] = int32(c)
			}
		}
	}
	place := map[int32]int{}
	var patches [][]int
	for c := range copies {
		root := joined.find(int32(c))
		p, ok := place[root]
		if !ok {
			p = len(patches)
			place[root] = p
			patches = append(patches, nil)
		}
		patches[p] = append(patches[p], c)
	}
	return patches
}

// noWorse says whether without the triangles the edges are no further from having as many
// triangles in one direction as in the other.
func (m *Mesh) noWorse(surplus map[[2]int32]int, tris []int32) bool {
	change := map[[2]int32]int{}
	for _, t := range tris {
		m.addSurplus(change, int(t), -1)
	}
	better, worse := 0, 0
	for e, d := range change {
		switch now := abs(surplus[e]+d) - abs(surplus[e]); {
		case now < 0:
			better -= now
		default:
			worse += now
		}
	}
	return worse == 0 || worse < better
}

func abs(n int) int { return max(n, -n) }

// dropSingleCopies lets a copy go when most of its edges have one triangle too many in
// its direction.
func (m *Mesh) dropSingleCopies() {
	surplus := m.surplus()
	var drop []int32
	for _, tris := range m.copies() {
		for ; len(tris) > 1 && m.overfull(surplus, int(tris[0])); tris = tris[:len(tris)-1] {
			last := tris[len(tris)-1]
			drop = append(drop, last)
			m.addSurplus(surplus, int(last), -1)
		}
	}
	m.dropTriangles(drop)
}

// sense is 1 for a triangle that is an even permutation of its sorted vertices.
func sense(t [3]int32) int {
	s := sorted3(t)
	if t == s || t == [3]int32{s[1], s[2], s[0]} || t == [3]int32{s[2], s[0], s[1]} {
		return 1
	}
	return 0
}

func (m *Mesh) edgeKey(t int32, k int) [2]int32 {
	a, b := m.Triangles[t][k], m.Triangles[t][(k+1)%3]
	return [2]int32{min(a, b), max(a, b)}
}

// surplus is, for each edge, how many triangles more run from its low vertex to the high
// one than back.
func (m *Mesh) surplus() map[[2]int32]int {
	surplus := map[[2]int32]int{}
	for t := range m.Triangles {
		m.addSurplus(surplus, t, 1)
	}
	return surplus
}

// addSurplus counts triangle t's edges by their direction, n times.
func (m *Mesh) addSurplus(surplus map[[2]int32]int, t, n int) {
	for k := range 3 {
		e := m.edgeKey(int32(t), k)
		if m.Triangles[t][k] == e[0] {
			surplus[e] += n
		} else {
			surplus[e] -= n
		}
	}
}

// overfull says whether most edges of triangle t have more triangles in its direction
// than against it.
func (m *Mesh) overfull(surplus map[[2]int32]int, t int) bool {
	over := 0
	for k := range 3 {
		e := m.edgeKey(int32(t), k)
		d := surplus[e]
		if m.Triangles[t][k] != e[0] {
			d = -d
		}
		if d > 0 {
			over++
		}
	}
	return over >= 2
}
