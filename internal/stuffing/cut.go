package stuffing

import (
	"context"
	"math"
	"slices"
)

// The distances, as fractions of an edge's length, within which a cut point
// pulls a lattice vertex onto itself. They keep every dihedral angle of the
// stuffed mesh above 12 degrees wherever the surface runs (Labelle and Shewchuk
// 2007, section 3.3; these values maximise the least angle of the stencils here,
// found by search over extreme and random cut points).
const (
	alphaLong  = 0.30
	alphaShort = 0.43
)

// cutEdge is a lattice edge from a point inside the body to one outside.
type cutEdge struct {
	in, out int32      // global point numbers
	limit   [2]float64 // fraction within which the cut point pulls in, and out, onto itself
	t       float64    // fraction of the way from in to out
	vertex  int32      // of the mesh, once it is made; -1 before
}

// stuffer turns a classified lattice into tetrahedra.
type stuffer struct {
	background
	s       *surface
	dx      float64
	edges   []cutEdge
	byEnds  map[uint64]int32
	at      []int32 // edges around each touched point: CSR into around
	touched []int32
	around  []int32
	keep    map[int32]bool // points that must not be warped
	moved   map[int32]vec  // warped points, which lie on the surface
	vertex  map[int32]int32
	origin  []int32 // lattice point of each mesh vertex, -1 for a cut point
	mesh    *tetMesh
}

func (f *stuffer) position(id int32) vec {
	if p, ok := f.moved[id]; ok {
		return p
	}
	return f.point(id)
}

// findEdges lists every lattice edge whose ends lie on different sides, in the
// lattice's order.
func (f *stuffer) findEdges() {
	f.crossed(func(in, out int32) {
		e := cutEdge{in: in, out: out, vertex: -1}
		e.limit[0], e.limit[1] = f.limits(in, out)
		f.edges = append(f.edges, e)
	})
	f.byEnds = make(map[uint64]int32, len(f.edges))
	for i, e := range f.edges {
		f.byEnds[edgeKey(e.in, e.out)] = int32(i)
	}
}

// cutAll finds where each edge leaves the body.
func (f *stuffer) cutAll(ctx context.Context) error {
	return parallel(ctx, len(f.edges), func(i int) {
		e := &f.edges[i]
		in, out := f.point(e.in), f.point(e.out)
		switch {
		case f.keep[e.in]:
			e.t = f.cut(in, out, true)
		case f.keep[e.out]: // seen from the void, everything is the other way round
			e.t = f.entry(in, out)
		default:
			e.t = f.cut(in, out, false)
		}
	})
}

// cut is the fraction from a (inside) to c (outside) at which the segment first
// leaves the body. An end that only counts as inside may see no way out: its cut
// point lies at the end itself, and clear moves it off. Where rounding hides the
// crossing, the distances of the ends from the surface stand in.
func (f *stuffer) cut(a, c vec, changed bool) float64 {
	dir := c.Sub(a)
	for at := 0.0; ; {
		t, prim := f.s.tree.FirstHit(a, c, at)
		if prim < 0 {
			break
		}
		if f.s.normal[prim].Dot(dir) >= 0 {
			return min(max(t, 0), 1)
		}
		at = t + 1e-9
	}
	if changed {
		return 0
	}
	p, _, _ := f.s.tree.NearestWithin(a, 4*f.dx)
	q, _, _ := f.s.tree.NearestWithin(c, 4*f.dx)
	da, dc := p.Sub(a).Norm(), q.Sub(c).Norm()
	if da+dc == 0 {
		return 0.5
	}
	return da / (da + dc)
}

// entry is cut for an outer end that only counts as outside: the last place
// where the segment leaves the body, or the outer end itself.
func (f *stuffer) entry(a, c vec) float64 {
	if t, prim := f.s.tree.FirstHit(a, c, 0); prim >= 0 && f.s.normal[prim].Dot(c.Sub(a)) >= 0 {
		return min(max(t, 0), 1)
	}
	return 1
}

// linkEdges lists the cut edges around each lattice point.
func (f *stuffer) linkEdges() {
	type link struct{ point, edge int32 }
	links := make([]link, 0, 2*len(f.edges))
	for i, e := range f.edges {
		links = append(links, link{e.in, int32(i)}, link{e.out, int32(i)})
	}
	slices.SortFunc(links, func(a, b link) int {
		if a.point != b.point {
			return int(a.point) - int(b.point)
		}
		return int(a.edge) - int(b.edge)
	})
	for i, l := range links {
		if i == 0 || l.point != links[i-1].point {
			f.touched = append(f.touched, l.point)
			f.at = append(f.at, int32(i))
		}
		f.around = append(f.around, l.edge)
	}
	f.at = append(f.at, int32(len(links)))
}

// warp moves each lattice point that a cut point violates onto the nearest such
// cut point; the cut points around it then cease to exist. A point in keep, and
// one that the surface passes closely on two opposite sides, stays where it is,
// so that a thin wall or gap does not vanish; the cut points around it are moved
// off instead, to the least distance that the angles allow.
func (f *stuffer) warp() {
	f.moved = make(map[int32]vec, len(f.touched)/2)
	for n, id := range f.touched {
		if !f.keep[id] && f.squeezed(n, id) {
			f.keep[id] = true
		}
	}
	for n, id := range f.touched {
		if f.keep[id] {
			f.clear(n, id)
		}
	}
	for n, id := range f.touched {
		if f.keep[id] {
			continue
		}
		here := f.point(id)
		best, at := math.Inf(1), vec{}
		for _, i := range f.around[f.at[n]:f.at[n+1]] {
			other, t, limit := f.seen(i, id)
			if _, gone := f.moved[other]; gone {
				continue
			}
			if t >= limit {
				continue
			}
			cut := here.Lerp(f.point(other), t)
			if d := cut.Sub(here).Norm(); d < best {
				best, at = d, cut
			}
		}
		if !math.IsInf(best, 1) {
			f.moved[id] = at
		}
	}
}

// seen is a cut edge as its end id sees it: the other end, the fraction to the
// cut point, and the fraction within which that violates id.
func (f *stuffer) seen(edge, id int32) (other int32, t, limit float64) {
	e := &f.edges[edge]
	if id == e.out {
		return e.in, 1 - e.t, e.limit[1]
	}
	return e.out, e.t, e.limit[0]
}

// squeezed says whether the surface passes the point on opposite sides, within
// its reach on one of them: it is then the only point across a thin wall or gap.
func (f *stuffer) squeezed(n int, id int32) bool {
	p := f.point(id)
	ring := f.around[f.at[n]:f.at[n+1]]
	var dir [40]vec // of 14 in the uniform lattice, and 26 where cells of two sizes meet
	var close [40]bool
	for k, i := range ring {
		other, t, limit := f.seen(i, id)
		dir[k] = f.point(other).Sub(p).Unit()
		close[k] = t < limit
		for j := range k {
			if c := dir[j].Dot(dir[k]); c < -0.9 && (close[j] || close[k]) || c < -0.5 && close[j] && close[k] {
				return true
			}
		}
	}
	return false
}

// clear moves the cut points around a kept point out of its reach.
func (f *stuffer) clear(n int, id int32) {
	for _, i := range f.around[f.at[n]:f.at[n+1]] {
		e := &f.edges[i]
		if id == e.in {
			e.t = max(e.t, e.limit[0])
		} else {
			e.t = min(e.t, 1-e.limit[1])
		}
	}
}
