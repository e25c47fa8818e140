package stuffing

import (
	"context"
	"slices"

	"atelier/internal/geometry"
)

// Weights of the labelling energy: a triangle of area A pays A/dx² times
// (distance/dx + bend·(1 - cos of the angle between the normals)) for its patch,
// and an edge between two patches pays seam·length/dx.
const (
	bendWeight = 0.6
	seamWeight = 0.15
)

// choice is a patch that a boundary triangle could belong to.
type choice struct {
	patch int32
	cost  float64
}

// relaxer moves the vertices of a stuffed mesh onto the surface's patches,
// curves and corners and then raises its quality.
type relaxer struct {
	m      *tetMesh
	s      *surface
	dx     float64
	tris   [][3]int32 // boundary, outward
	owner  []int32    // tetrahedron of each
	label  []int32    // patch of each
	tets   *incidence
	bound  *incidence
	place  []placement // of each vertex
	good   float64     // quality from which a vertex is left alone
	goal   []vec       // where each boundary vertex was last drawn to
	aimed  []bool      // whether goal lies on the present place
	moved  []bool      // vertices that moved since they were last smoothed
	strict bool        // a boundary vertex that has not arrived gets no further from its place
	round  uint64      // so that each round tries other directions
	groups groups      // of the vertices, for each
}

// placement says where a vertex may be.
type placement struct {
	kind  placeKind
	patch int32         // of onPatch
	line  *geometry.BVH // of onCurve
	at    vec           // of onTip
	pair  [2]int32      // of onCurve
}

type placeKind uint8

const (
	free placeKind = iota
	onPatch
	onCurve
	onTip
	onSurface // wherever the surface is nearest
)

func newRelaxer(m *tetMesh, s *surface) *relaxer {
	r := &relaxer{m: m, s: s, dx: m.dx}
	r.connect()
	return r
}

// at is the spacing at a vertex, by which lengths there are judged.
func (r *relaxer) at(v int32) float64 {
	if r.m.size == nil {
		return r.dx
	}
	return r.m.size[v]
}

// connect rebuilds what follows from the tetrahedra.
func (r *relaxer) connect() {
	n := len(r.m.pos)
	r.tris, r.owner = boundaryFaces(r.m.tets, faceNeighbours(r.m.tets, n))
	r.tets = tetsAround(r.m.tets, n)
	r.bound = trianglesAround(r.tris, n)
	r.moved = make([]bool, n)
	r.goal = slices.Clone(r.m.pos)
	r.aimed = make([]bool, n)
	r.split()
}

// assign labels every boundary triangle with a patch: the energy's local
// minimum from the cheapest labels, by iterated conditional modes.
func (r *relaxer) assign(ctx context.Context) error {
	r.label = make([]int32, len(r.tris))
	if len(r.s.patches) == 1 {
		return nil
	}
	choices := make([][]choice, len(r.tris))
	if err := parallel(ctx, len(r.tris), func(t int) { choices[t] = r.choices(t) }); err != nil {
		return err
	}
	for t, c := range choices {
		best := c[0]
		for _, o := range c[1:] {
			if o.cost < best.cost {
				best = o
			}
		}
		r.label[t] = best.patch
	}
	edges := edgeTriangles(r.tris)
	for range 12 {
		if !r.sweepLabels(choices, edges) {
			break
		}
	}
	return nil
}

// choices lists the patches near a triangle with their costs.
func (r *relaxer) choices(t int) []choice {
	v := r.tris[t]
	a, b, c := r.m.pos[v[0]], r.m.pos[v[1]], r.m.pos[v[2]]
	size := max(r.at(v[0]), r.at(v[1]), r.at(v[2]))
	centre := a.Add(b).Add(c).Scale(1.0 / 3)
	cross := b.Sub(a).Cross(c.Sub(a))
	normal, weight := cross.Unit(), cross.Norm()/2/(size*size)
	_, near, _ := r.s.tree.NearestWithin(centre, 1e300)
	patch := r.s.patch[near]
	reach := 1.2 * size
	list := []int32{patch}
	r.s.curveTree.Within(centre, reach, func(seg int32) {
		for _, p := range r.s.segPair[seg] {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	})
	if len(list) == 1 && r.s.normal[near].Dot(normal) < 0 {
		r.s.tree.Within(centre, reach, func(tri int32) {
			if p := r.s.patch[tri]; !slices.Contains(list, p) {
				list = append(list, p)
			}
		})
	}
	out := make([]choice, 0, len(list))
	for _, p := range list {
		shape := &r.s.patches[p]
		q, prim, _ := shape.tree.NearestWithin(centre, 1.5*size)
		if prim < 0 {
			if p == patch {
				out = append(out, choice{p, weight * 4})
			}
			continue
		}
		n := r.s.normal[shape.tris[prim]]
		out = append(out, choice{p, weight * (q.Sub(centre).Norm()/size + bendWeight*(1-n.Dot(normal)))})
	}
	return out
}

func (r *relaxer) sweepLabels(choices [][]choice, edges map[uint64][2]int32) bool {
	changed := false
	for t, list := range choices {
		if len(list) == 1 {
			continue
		}
		v := r.tris[t]
		best, least := r.label[t], 1e300
		for _, c := range list {
			cost := c.cost
			for k := range 3 {
				p := edges[edgeKey(v[k], v[(k+1)%3])]
				if r.label[p[0]+p[1]-int32(t)] != c.patch {
					cost += seamWeight * r.m.pos[v[k]].Sub(r.m.pos[v[(k+1)%3]]).Norm() / max(r.at(v[k]), r.at(v[(k+1)%3]))
				}
			}
			if cost < least-1e-12 {
				best, least = c.patch, cost
			}
		}
		if best != r.label[t] {
			r.label[t] = best
			changed = true
		}
	}
	return changed
}

// locateAll decides from the labels around each vertex where it belongs.
func (r *relaxer) locateAll() {
	r.place = make([]placement, len(r.m.pos))
	clear(r.aimed)
	for v := range r.place {
		if around := r.bound.of(int32(v)); len(around) > 0 {
			r.place[v] = r.locateVertex(int32(v), around)
		}
	}
}

func (r *relaxer) locateVertex(v int32, around []int32) placement {
	p, size := r.m.pos[v], r.at(v)
	labels := make([]int32, 0, 4)
	for _, t := range around {
		if l := r.label[t]; !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	if len(labels) == 1 {
		return placement{kind: onPatch, patch: labels[0]}
	}
	if len(labels) >= 3 {
		if tip := r.nearestTip(p, size, labels); tip >= 0 {
			return placement{kind: onTip, at: r.s.tips[tip].at}
		}
	}
	best := placement{kind: onSurface}
	least := 1.5 * size
	for i, a := range labels {
		for _, b := range labels[:i] {
			pair := patchPair(a, b)
			c := r.s.curves[pair]
			if c == nil {
				continue
			}
			if _, prim, d := c.tree.NearestWithin(p, least); prim >= 0 {
				best, least = placement{kind: onCurve, line: c.tree, pair: pair}, d
			}
		}
	}
	return best
}

// nearestTip is the closest corner at which all the labels meet.
func (r *relaxer) nearestTip(p vec, size float64, labels []int32) int {
	best, least := -1, 2.25*size*size
	for i := range r.s.tips {
		tip := &r.s.tips[i]
		d := norm2(tip.at.Sub(p))
		if d >= least {
			continue
		}
		all := true
		for _, l := range labels {
			all = all && slices.Contains(tip.patches, l)
		}
		if all {
			best, least = i, d
		}
	}
	return best
}

// project is the point of the vertex's place that is closest to p. The goal of
// last time lies on the place too and bounds the search.
func (r *relaxer) project(v int32, p vec) vec {
	pl := &r.place[v]
	if pl.kind == onTip {
		return pl.at
	}
	size := r.at(v)
	reach, q := 3*size, p
	if r.aimed[v] {
		q = r.goal[v]
		reach = sqrt(norm2(q.Sub(p)))*(1+1e-9) + 1e-15*size
	}
	prim, at := int32(-1), vec{}
	switch pl.kind {
	case onCurve:
		at, prim, _ = pl.line.NearestWithin(p, reach)
	case onPatch:
		at, prim, _ = r.s.patches[pl.patch].tree.NearestWithin(p, reach)
	case onSurface:
		at, prim, _ = r.s.tree.NearestWithin(p, reach)
	}
	if prim < 0 {
		return q
	}
	return at
}

// late says whether a boundary vertex has not arrived at its place.
func (r *relaxer) late(v int32) bool {
	size := r.at(v)
	return r.place[v].kind != free && norm2(r.goal[v].Sub(r.m.pos[v])) > 1e-6*size*size
}

// off counts the boundary vertices that stand off their places by more than a
// thousandth of the spacing.
func (r *relaxer) off() (n int) {
	for v := range r.m.pos {
		if r.late(int32(v)) {
			n++
		}
	}
	return n
}
