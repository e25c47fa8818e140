package geometry

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// arrangement cuts the triangles of a closed surface along the curves in which
// they intersect, so that afterwards they meet only in common vertices and
// edges (Zhou, Grinspun, Zorin and Jacobson 2016, "Mesh Arrangements for Solid
// Geometry"). Vertices of intersecting triangles are first moved by 1e-10 to 1e-6
// of the size, which leaves only the generic case: an edge passes through the
// inside of a triangle.
type arrangement struct {
	ctx      context.Context
	m        *Mesh
	edgeHits map[uint64][]int32      // new vertices on an edge
	crossing map[crossKey]int32      // new vertex where an edge passes a triangle
	triples  map[[3]int32]*tripleHit // new vertex where three triangles meet
	segments map[int32][]segment     // per triangle
	isNew    int32                   // vertices from here on are new
	pieces   [][3]int32              // triangles after cutting
	source   []int32                 // the triangle that each piece is of
}

type crossKey struct {
	edge uint64
	tri  int32
}

type tripleHit struct {
	vertex int32
	seen   int
}

// segment is a part of the curve in which a triangle meets another one.
type segment struct{ a, b, other int32 }

// arrange returns nil when the perturbed surface is still not generic or
// rounding contradicts itself; another seed may do.
func arrange(ctx context.Context, m *Mesh, pairs [][2]int32, seed uint64) (*arrangement, error) {
	w := m.Clone()
	w.perturb(pairs, seed)
	a := &arrangement{
		ctx: ctx, m: w, edgeHits: map[uint64][]int32{}, crossing: map[crossKey]int32{}, triples: map[[3]int32]*tripleHit{},
		segments: map[int32][]segment{}, isNew: int32(len(w.Vertices)),
	}
	pairs, err := w.SelfIntersections(ctx, maxPairs)
	if err != nil || len(pairs) == maxPairs {
		return nil, err
	}
	for _, p := range pairs {
		if !a.intersect(p[0], p[1]) {
			return nil, nil
		}
	}
	if !a.findTriples() {
		return nil, nil
	}
	for i, t := range w.Triangles {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !a.cut(int32(i), t) {
			return nil, nil
		}
	}
	return a, nil
}

func (m *Mesh) perturb(pairs [][2]int32, seed uint64) {
	size := 1e-11 * math.Pow(10, float64(seed)) * m.Diagonal()
	touched := map[int32]bool{}
	for _, p := range pairs {
		for _, t := range p {
			for _, v := range m.Triangles[t] {
				touched[v] = true
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 42))
	order := make([]int32, 0, len(touched))
	for v := range touched {
		order = append(order, v)
	}
	slices.Sort(order)
	for _, v := range order {
		for k := range 3 {
			m.Vertices[v][k] += size * (2*rng.Float64() - 1)
		}
	}
}

// intersect records the segment in which two triangles meet; false when it is
// not a generic one.
func (a *arrangement) intersect(s, t int32) bool {
	var ends []int32
	for _, x := range [2][2]int32{{s, t}, {t, s}} {
		for k := range 3 {
			u, v := a.m.Triangles[x[0]][k], a.m.Triangles[x[0]][(k+1)%3]
			if contains3(a.m.Triangles[x[1]], u) || contains3(a.m.Triangles[x[1]], v) {
				continue
			}
			p, hit, ok := a.cross(u, v, x[1])
			if !ok {
				return false
			}
			if hit {
				ends = append(ends, p)
			}
		}
	}
	for _, v := range a.m.Triangles[s] {
		if contains3(a.m.Triangles[t], v) {
			ends = append(ends, v)
		}
	}
	if len(ends) < 2 {
		return true // they touch in a point, or fold in their common edge
	}
	if len(ends) > 2 || ends[0] == ends[1] {
		return false
	}
	a.segments[s] = append(a.segments[s], segment{ends[0], ends[1], t})
	a.segments[t] = append(a.segments[t], segment{ends[0], ends[1], s})
	return true
}

func contains3(t [3]int32, v int32) bool { return t[0] == v || t[1] == v || t[2] == v }

// cross finds the new vertex where the edge u-v passes through triangle t.
func (a *arrangement) cross(u, v, t int32) (vertex int32, hit, ok bool) {
	if u > v {
		u, v = v, u
	}
	key := crossKey{edgeKey(u, v), t}
	if p, known := a.crossing[key]; known {
		return p, p >= 0, true
	}
	tri := a.m.Triangles[t]
	c := [3]Vec3{a.m.Vertices[tri[0]], a.m.Vertices[tri[1]], a.m.Vertices[tri[2]]}
	p, q := a.m.Vertices[u], a.m.Vertices[v]
	du, dv := Orient3D(c[0], c[1], c[2], p), Orient3D(c[0], c[1], c[2], q)
	if du == 0 || dv == 0 {
		return 0, false, false
	}
	a.crossing[key] = -1
	if (du > 0) == (dv > 0) {
		return -1, false, true
	}
	var turn [3]float64
	for k := range 3 {
		turn[k] = sign(Orient3D(p, q, c[k], c[(k+1)%3]))
	}
	switch sum := turn[0] + turn[1] + turn[2]; {
	case turn[0] == 0 || turn[1] == 0 || turn[2] == 0:
		return 0, false, false
	case sum != 3 && sum != -3:
		return -1, false, true
	}
	vertex = int32(len(a.m.Vertices))
	a.m.Vertices = append(a.m.Vertices, p.Lerp(q, du/(du-dv)))
	a.crossing[key] = vertex
	a.edgeHits[key.edge] = append(a.edgeHits[key.edge], vertex)
	return vertex, true, true
}

// findTriples puts a vertex where two segments cross inside a triangle, which is
// where three triangles meet: all three must find it.
func (a *arrangement) findTriples() bool {
	for _, t := range sortedKeys(a.segments) {
		segs := a.segments[t]
		if len(segs) < 2 {
			continue
		}
		flat := a.flatten(t)
		var cuts [][]int32 = make([][]int32, len(segs))
		for i := range segs {
			for j := i + 1; j < len(segs); j++ {
				s, r := segs[i], segs[j]
				if s.a == r.a || s.a == r.b || s.b == r.a || s.b == r.b {
					continue
				}
				if !crossProperly(flat(s.a), flat(s.b), flat(r.a), flat(r.b)) {
					continue
				}
				v := a.triple(t, s, r)
				cuts[i], cuts[j] = append(cuts[i], v), append(cuts[j], v)
			}
		}
		a.segments[t] = a.splitSegments(segs, cuts)
	}
	for _, h := range a.triples {
		if h.seen != 3 {
			return false
		}
	}
	return true
}

func (a *arrangement) triple(t int32, s, r segment) int32 {
	key := sorted3([3]int32{t, s.other, r.other})
	h := a.triples[key]
	if h == nil {
		p, d := a.m.Vertices[s.a], a.m.Vertices[s.b].Sub(a.m.Vertices[s.a])
		n := a.m.TriangleNormal(int(r.other))
		o, _, _ := a.m.Corners(int(r.other))
		f := n.Dot(o.Sub(p)) / n.Dot(d)
		if !(f > 0 && f < 1) {
			f = 0.5
		}
		h = &tripleHit{vertex: int32(len(a.m.Vertices))}
		a.m.Vertices = append(a.m.Vertices, p.Add(d.Scale(f)))
		a.triples[key] = h
	}
	h.seen++
	return h.vertex
}

func (a *arrangement) splitSegments(segs []segment, cuts [][]int32) []segment {
	out := make([]segment, 0, len(segs))
	for i, s := range segs {
		at := s.a
		a.sortAlong(cuts[i], s.a, s.b)
		for _, v := range cuts[i] {
			out = append(out, segment{at, v, s.other})
			at = v
		}
		out = append(out, segment{at, s.b, s.other})
	}
	return out
}

// sortAlong orders vertices by their place from u to v.
func (a *arrangement) sortAlong(vs []int32, u, v int32) {
	p := a.m.Vertices[u]
	d := a.m.Vertices[v].Sub(p)
	slices.SortFunc(vs, func(x, y int32) int {
		fx, fy := a.m.Vertices[x].Sub(p).Dot(d), a.m.Vertices[y].Sub(p).Dot(d)
		switch {
		case fx < fy:
			return -1
		case fx > fy:
			return 1
		}
		return int(x - y)
	})
}

func crossProperly(a, b, c, d [2]float64) bool {
	return Orient2D(a, b, c)*sign(Orient2D(a, b, d)) < 0 && Orient2D(c, d, a)*sign(Orient2D(c, d, b)) < 0
}

// flatten projects vertices onto the plane of triangle t, which keeps its sense.
func (a *arrangement) flatten(t int32) func(v int32) [2]float64 {
	x, y := dropAxis(a.m.TriangleNormal(int(t)))
	return func(v int32) [2]float64 { return flatten(a.m.Vertices[v], x, y) }
}

// sortedKeys lists a map's keys in order, so that results do not depend on chance.
func sortedKeys[V any](m map[int32]V) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// cut adds the pieces of one triangle.
func (a *arrangement) cut(t int32, tri [3]int32) bool {
	segs := a.segments[t]
	var rim [3][]int32
	cuts := len(segs)
	for k := range 3 {
		hits := a.edgeHits[edgeKey(tri[k], tri[(k+1)%3])]
		cuts += len(hits)
		rim[k] = slices.Clone(hits)
		a.sortAlong(rim[k], tri[k], tri[(k+1)%3])
	}
	if cuts == 0 {
		a.pieces, a.source = append(a.pieces, tri), append(a.source, t)
		return true
	}
	c := newCutter(tri, a.flatten(t))
	for k := range 3 {
		for _, v := range rim[k] {
			c.splitRim(k, v)
		}
	}
	inside := map[int32]bool{}
	for _, s := range segs {
		for _, v := range [2]int32{s.a, s.b} {
			if v >= a.isNew && !c.has[v] && !inside[v] {
				inside[v] = true
				c.insert(v)
			}
		}
	}
	for _, s := range segs {
		if !c.enforce(s.a, s.b) {
			return false
		}
	}
	for _, p := range c.tris {
		a.pieces, a.source = append(a.pieces, p), append(a.source, t)
	}
	return true
}

// union keeps the pieces that have the outside on one side and material on the
// other: where the winding number goes from 0 to 1.
func (a *arrangement) union() (*Mesh, error) {
	cutMesh := &Mesh{Vertices: a.m.Vertices, Triangles: a.pieces}
	edges := buildEdges(a.pieces, len(a.m.Vertices))
	patch, _, _ := cutMesh.patches(edges)
	best := map[int32]int32{} // the largest piece of each patch
	for i, p := range patch {
		if b, ok := best[p]; !ok || cutMesh.TriangleArea(i) > cutMesh.TriangleArea(int(b)) {
			best[p] = int32(i)
		}
	}
	tree := NewBVH(a.m)
	keep := map[int32]bool{}
	for n, p := range sortedKeys(best) {
		if n%16 == 0 && a.ctx.Err() != nil {
			return nil, a.ctx.Err()
		}
		keep[p] = a.outside(tree, cutMesh, best[p]) == 0
	}
	out := &Mesh{Vertices: a.m.Vertices, Meta: a.m.Meta}
	for i, t := range a.pieces {
		if keep[patch[i]] {
			out.Triangles = append(out.Triangles, t)
			if a.m.FaceID != nil {
				out.FaceID = append(out.FaceID, a.m.FaceID[a.source[i]])
			}
		}
	}
	return out, nil
}

// outside is the winding number on the outer side of a piece. Its own triangle
// is left out, so that a ray tells the number on the side that it leaves by.
func (a *arrangement) outside(tree *BVH, cut *Mesh, piece int32) int {
	x, y, z := cut.Corners(int(piece))
	c := x.Add(y).Add(z).Scale(1.0 / 3)
	own := a.source[piece]
	n := a.m.TriangleNormal(int(own))
	if w, ok := tree.Winding(c, own); ok && math.Abs(n[0]) > 1e-6*n.Norm() {
		if n[0] < 0 {
			w-- // it left by the inner side
		}
		return w
	}
	rest := make([]int32, 0, len(a.m.Triangles))
	for t := range a.m.Triangles {
		if int32(t) != own {
			rest = append(rest, int32(t))
		}
	}
	// The piece's own triangle adds half a turn on either side.
	return int(math.Round(a.m.windingSum(rest, c) - 0.5))
}
