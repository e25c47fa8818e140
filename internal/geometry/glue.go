package geometry

import (
	"math"
	"slices"
)

// gluing says which half-edge each half-edge is joined to; -1 is a border. Every
// surface that it describes is manifold: cutting and joining along half-edges
// follows Guéziec, Taubin, Lazarus and Horn (2001), "Cutting and Stitching".
type gluing struct {
	opp []int32
	cut int // non-manifold edges taken apart
}

// dropFins removes small open patches (of a thousandth of the triangles, or of
// one or two, and less than 15 % of the area) that hang on edges which are
// closed without them. It returns their triangles' number.
func (m *Mesh) dropFins() int {
	edges := buildEdges(m.Triangles, len(m.Vertices))
	patch, _, _ := m.patches(edges)
	type info struct {
		open, hangs, needed bool
		size                int
		area                float64
	}
	infos := map[int32]*info{}
	total := 0.0
	for t, p := range patch {
		if infos[p] == nil {
			infos[p] = &info{}
		}
		infos[p].size++
		a := m.TriangleArea(t)
		infos[p].area += a
		total += a
	}
	for e := range edges.len() {
		h := edges.of(e)
		if len(h) == 1 {
			infos[patch[h[0]/3]].open = true
		}
		for _, g := range h {
			if len(h) < 3 {
				break
			}
			p := infos[patch[g/3]]
			p.hangs = true
			if len(h)%2 == 0 {
				p.needed = true
			}
		}
	}
	keep := make([]int32, 0, len(patch))
	for t, p := range patch {
		i := infos[p]
		small := i.size <= max(2, len(patch)/1000) && i.area <= 0.15*total
		if !(i.open && i.hangs && !i.needed && small) {
			keep = append(keep, int32(t))
		}
	}
	dropped := len(m.Triangles) - len(keep)
	m.filter(keep)
	return dropped
}

// glue joins the half-edges of an oriented mesh. On an edge of more than two
// triangles those are paired that bound one wedge of material, so that solids
// which touch along an edge come apart as solids.
func (m *Mesh) glue() *gluing {
	g := &gluing{opp: make([]int32, 3*len(m.Triangles))}
	for i := range g.opp {
		g.opp[i] = -1
	}
	edges := buildEdges(m.Triangles, len(m.Vertices))
	for e := range edges.len() {
		h := edges.of(e)
		switch {
		case len(h) == 2 && origin(m.Triangles, h[0]) != origin(m.Triangles, h[1]):
			g.join(h[0], h[1])
		case len(h) > 2:
			m.pairWedges(g, h)
			g.cut++
		}
	}
	return g
}

func (g *gluing) join(a, b int32) { g.opp[a], g.opp[b] = b, a }

// pairWedges sorts the triangles of one edge by angle around it. A triangle that
// runs along the edge's axis has its material clockwise, one that runs against
// it counter-clockwise: each of the latter is matched with the next of the
// former, like brackets on a circle.
func (m *Mesh) pairWedges(g *gluing, halves []int32) {
	type blade struct {
		half    int32
		angle   float64
		forward bool
	}
	a, b := origin(m.Triangles, halves[0]), target(m.Triangles, halves[0])
	axis := m.Vertices[b].Sub(m.Vertices[a]).Unit()
	var u, v Vec3
	blades := make([]blade, 0, len(halves))
	for i, h := range halves {
		d := m.Vertices[target(m.Triangles, nextHalf(h))].Sub(m.Vertices[a])
		d = d.Sub(axis.Scale(axis.Dot(d)))
		if i == 0 || u == (Vec3{}) {
			u = d.Unit()
			v = axis.Cross(u)
		}
		angle := math.Atan2(d.Dot(v), d.Dot(u))
		if angle < -1e-9 {
			angle += 2 * math.Pi
		}
		blades = append(blades, blade{h, angle, origin(m.Triangles, h) == a})
	}
	slices.SortStableFunc(blades, func(x, y blade) int {
		switch {
		case math.Abs(x.angle-y.angle) > 1e-9 && x.angle < y.angle:
			return -1
		case math.Abs(x.angle-y.angle) > 1e-9:
			return 1
		case x.forward == y.forward:
			return 0
		case x.forward: // of two sheets that touch, the closing one comes first
			return -1
		}
		return 1
	})
	var open []int32
	n := len(blades)
	for i := range 2 * n {
		bl := blades[i%n]
		switch {
		case g.opp[bl.half] >= 0:
		case !bl.forward && i < n:
			open = append(open, bl.half)
		case bl.forward && len(open) > 0:
			g.join(open[len(open)-1], bl.half)
			open = open[:len(open)-1]
		}
	}
}

// separate gives each fan of triangles its own vertex, so that the mesh's
// indices say what the gluing says. Copies are appended behind the vertices, so
// that those of a manifold mesh keep their numbers. It returns how many copies
// were made.
func (m *Mesh) separate(g *gluing) int {
	corners := newUnionFind(len(g.opp))
	for h, o := range g.opp {
		if o > int32(h) {
			joinCorners(corners, m.Triangles, int32(h), o)
		}
	}
	taken := make([]bool, len(m.Vertices))
	index := make([]int32, len(g.opp))
	copies := 0
	old := slices.Clone(m.Triangles)
	for c := range g.opp {
		root := corners.find(int32(c))
		v := old[c/3][c%3]
		if root == int32(c) {
			index[c] = v
			if taken[v] {
				index[c] = int32(len(m.Vertices))
				m.Vertices = append(m.Vertices, m.Vertices[v])
				copies++
			}
			taken[v] = true
		}
		m.Triangles[c/3][c%3] = index[root]
	}
	return copies
}

// components numbers the triangles' components across glued edges.
func (g *gluing) components() (comp []int32, n int) {
	uf := newUnionFind(len(g.opp) / 3)
	for h, o := range g.opp {
		if o > int32(h) {
			uf.union(int32(h)/3, o/3)
		}
	}
	comp = make([]int32, len(uf))
	for t := range comp {
		if r := uf.find(int32(t)); r == int32(t) {
			comp[t] = int32(n)
			n++
		} else {
			comp[t] = comp[r]
		}
	}
	return comp, n
}

// loops lists the borders: each a cycle of half-edges, every one starting where
// the one before it ends.
func (g *gluing) loops() [][]int32 {
	var all [][]int32
	seen := make([]bool, len(g.opp))
	for h := range g.opp {
		if g.opp[h] >= 0 || seen[h] {
			continue
		}
		var loop []int32
		for at := int32(h); !seen[at]; at = g.nextBorder(at) {
			seen[at] = true
			loop = append(loop, at)
		}
		all = append(all, loop)
	}
	return all
}

// nextBorder turns round the end vertex of a border half-edge to the next one.
func (g *gluing) nextBorder(h int32) int32 {
	for h = nextHalf(h); g.opp[h] >= 0; {
		h = nextHalf(g.opp[h])
	}
	return h
}

// splitDoubled gives every pair of triangles, and every border triangle, its own
// edge where, after the cutting, several still run between the same two
// vertices: all but the first get a vertex of their own in the middle. It
// returns how many.
func (m *Mesh) splitDoubled(g *gluing) int {
	edges := buildEdges(m.Triangles, len(m.Vertices))
	touched := map[int32]bool{}
	splits := 0
	for e := range edges.len() {
		halves := edges.of(e)
		if len(halves) <= 2 {
			continue
		}
		for _, h := range halves[1:] {
			o := g.opp[h]
			if o >= 0 && (o < h || touched[o/3]) || o == halves[0] || touched[h/3] {
				continue
			}
			a, b := origin(m.Triangles, h), target(m.Triangles, h)
			mid := int32(len(m.Vertices))
			m.Vertices = append(m.Vertices, m.Vertices[a].Lerp(m.Vertices[b], 0.5))
			touched[h/3] = true
			m.splitAt(h, mid)
			if o >= 0 {
				touched[o/3] = true
				m.splitAt(o, mid)
			}
			splits++
		}
	}
	return splits
}

// splitAt cuts the triangle of half-edge h in two at the vertex mid on it.
func (m *Mesh) splitAt(h, mid int32) {
	t := h / 3
	a, b, c := origin(m.Triangles, h), target(m.Triangles, h), target(m.Triangles, nextHalf(h))
	m.Triangles[t] = [3]int32{a, mid, c}
	m.Triangles = append(m.Triangles, [3]int32{mid, b, c})
	if m.FaceID != nil {
		m.FaceID = append(m.FaceID, m.FaceID[t])
	}
}
