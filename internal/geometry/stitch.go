package geometry

import (
	"cmp"
	"math"
	"slices"
)

// grid is a hash grid over points for neighbour searches within one cell size.
type grid struct {
	cell  float64
	cells map[[3]int64][]int32
}

func newGrid(cell float64) *grid { return &grid{cell, map[[3]int64][]int32{}} }

func (g *grid) key(p Vec3) [3]int64 {
	var k [3]int64
	for i := range 3 {
		k[i] = int64(math.Floor(p[i] / g.cell))
	}
	return k
}

func (g *grid) add(p Vec3, i int32) {
	k := g.key(p)
	g.cells[k] = append(g.cells[k], i)
}

// near visits everything in the cells that the box p ± r meets.
func (g *grid) near(p Vec3, r float64, visit func(i int32)) {
	lo, hi := g.key(p.Sub(Vec3{r, r, r})), g.key(p.Add(Vec3{r, r, r}))
	for x := lo[0]; x <= hi[0]; x++ {
		for y := lo[1]; y <= hi[1]; y++ {
			for z := lo[2]; z <= hi[2]; z++ {
				for _, i := range g.cells[[3]int64{x, y, z}] {
					visit(i)
				}
			}
		}
	}
}

// borderEdges are the half-edges on edges of one triangle.
func (m *Mesh) borderEdges() []int32 {
	edges := buildEdges(m.Triangles, len(m.Vertices))
	var out []int32
	for e := range edges.len() {
		if h := edges.of(e); len(h) == 1 {
			out = append(out, h[0])
		}
	}
	return out
}

// safeFraction is how far a point may move, relative to the border edge it is
// on, when a crack is closed.
const safeFraction = 0.2

// stitchBorders closes cracks: border edges whose ends lie within tol of each
// other are joined, the nearest first, never by more than a fifth of the edge.
// It returns the number of vertices joined.
func (m *Mesh) stitchBorders(tol float64) int {
	border := m.borderEdges()
	if len(border) < 2 || tol <= 0 {
		return 0
	}
	type match struct {
		dist float64
		i, j int32
		same bool // the edges run the same way (orientations differ)
	}
	mid := make([]Vec3, len(border))
	g := newGrid(2 * tol)
	for i, h := range border {
		mid[i] = m.Vertices[origin(m.Triangles, h)].Lerp(m.Vertices[target(m.Triangles, h)], 0.5)
		g.add(mid[i], int32(i))
	}
	var found []match
	for i, h := range border {
		a, b := m.Vertices[origin(m.Triangles, h)], m.Vertices[target(m.Triangles, h)]
		reach := min(tol, safeFraction*b.Sub(a).Norm())
		g.near(mid[i], tol, func(j int32) {
			if int(j) <= i {
				return
			}
			c, d := m.Vertices[origin(m.Triangles, border[j])], m.Vertices[target(m.Triangles, border[j])]
			if r := max(a.Sub(d).Norm(), b.Sub(c).Norm()); r <= reach {
				found = append(found, match{r, int32(i), j, false})
			} else if r := max(a.Sub(c).Norm(), b.Sub(d).Norm()); r <= reach {
				found = append(found, match{r, int32(i), j, true})
			}
		})
	}
	slices.SortStableFunc(found, func(x, y match) int { return cmp.Compare(x.dist, y.dist) })
	taken := make([]bool, len(border))
	join := newUnionFind(len(m.Vertices))
	for _, f := range found {
		if taken[f.i] || taken[f.j] {
			continue
		}
		taken[f.i], taken[f.j] = true, true
		a, b := origin(m.Triangles, border[f.i]), target(m.Triangles, border[f.i])
		c, d := origin(m.Triangles, border[f.j]), target(m.Triangles, border[f.j])
		if f.same {
			c, d = d, c
		}
		join.union(a, d)
		join.union(b, c)
	}
	return m.applyJoin(join)
}

// applyJoin renames the vertices and drops triangles that fold into an edge.
func (m *Mesh) applyJoin(join unionFind) int {
	joined := 0
	for v := range join {
		if join.find(int32(v)) != int32(v) {
			joined++
		}
	}
	if joined == 0 {
		return 0
	}
	for t := range m.Triangles {
		for k, v := range m.Triangles[t] {
			m.Triangles[t][k] = join.find(v)
		}
	}
	m.dropRepeated()
	return joined
}

// dropRepeated drops triangles with a repeated vertex and returns their number.
func (m *Mesh) dropRepeated() int {
	keep := make([]int32, 0, len(m.Triangles))
	for t, tri := range m.Triangles {
		if tri[0] != tri[1] && tri[1] != tri[2] && tri[2] != tri[0] {
			keep = append(keep, int32(t))
		}
	}
	n := len(m.Triangles) - len(keep)
	m.filter(keep)
	return n
}

// splitJunctions resolves T-junctions: a border edge that border vertices lie
// on (within tol) is split there. It returns the number of splits.
func (m *Mesh) splitJunctions(tol float64) int {
	border := m.borderEdges()
	if len(border) < 3 || tol <= 0 {
		return 0
	}
	var longest float64
	points := map[int32]bool{}
	for _, h := range border {
		a, b := origin(m.Triangles, h), target(m.Triangles, h)
		points[a], points[b] = true, true
		longest = max(longest, m.Vertices[a].Sub(m.Vertices[b]).Norm())
	}
	order := make([]int32, 0, len(points))
	for v := range points {
		order = append(order, v)
	}
	slices.Sort(order)
	g := newGrid(max(longest/4, 4*tol))
	for _, v := range order {
		g.add(m.Vertices[v], v)
	}
	on := map[int32][]int32{} // border half-edge -> vertices on it
	for _, h := range border {
		if vs := m.verticesOn(h, tol, g); len(vs) > 0 {
			on[h] = vs
		}
	}
	return m.splitEdges(on)
}

// verticesOn lists the border vertices within tol of the inside of a half-edge,
// in the order of the edge.
func (m *Mesh) verticesOn(h int32, tol float64, g *grid) []int32 {
	a, b := origin(m.Triangles, h), target(m.Triangles, h)
	pa, pb := m.Vertices[a], m.Vertices[b]
	d := pb.Sub(pa)
	length := d.Norm()
	if length == 0 {
		return nil
	}
	reach := min(tol, safeFraction*length/2)
	apex := target(m.Triangles, nextHalf(h))
	type hit struct {
		v int32
		t float64
	}
	var hits []hit
	g.near(pa.Lerp(pb, 0.5), length/2+tol, func(v int32) {
		if v == a || v == b || v == apex {
			return
		}
		t := m.Vertices[v].Sub(pa).Dot(d) / (length * length)
		if t*length <= 2*reach || (1-t)*length <= 2*reach {
			return
		}
		if m.Vertices[v].Sub(pa.Lerp(pb, t)).Norm() <= reach {
			hits = append(hits, hit{v, t})
		}
	})
	slices.SortFunc(hits, func(x, y hit) int { return cmp.Or(cmp.Compare(x.t, y.t), cmp.Compare(x.v, y.v)) })
	var out []int32
	last := -1.0
	for _, x := range hits {
		if (x.t-last)*length > reach || len(out) == 0 {
			out, last = append(out, x.v), x.t
		}
	}
	return out
}

// splitEdges cuts each triangle of a half-edge in on into a fan over its points;
// of a triangle with points on several edges one edge is done per call.
func (m *Mesh) splitEdges(on map[int32][]int32) int {
	done := make(map[int32]bool)
	halves := make([]int32, 0, len(on))
	for h := range on {
		halves = append(halves, h)
	}
	slices.Sort(halves)
	splits := 0
	for _, h := range halves {
		t := h / 3
		if done[t] {
			continue
		}
		done[t] = true
		a, b, c := origin(m.Triangles, h), target(m.Triangles, h), target(m.Triangles, nextHalf(h))
		at := a
		for _, v := range on[h] {
			m.Triangles = append(m.Triangles, [3]int32{at, v, c})
			if m.FaceID != nil {
				m.FaceID = append(m.FaceID, m.FaceID[t])
			}
			at = v
			splits++
		}
		m.Triangles[t] = [3]int32{at, b, c}
	}
	return splits
}
