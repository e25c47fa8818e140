package stuffing

import (
	"context"
	"math"
	"sync/atomic"
)

// sizing says how fine a graded lattice is made, and where.
type sizing struct {
	dx     float64 // of the largest cells
	depth  int     // halvings to the smallest
	circle float64 // cells around a full circle of curvature, hollow or round
	across float64 // cells across a wall
}

// least is the smallest spacing.
func (z sizing) least() float64 { return z.dx / float64(int(1)<<z.depth) }

// demand is a place on the surface, the spacing that it asks for there, and the one that
// it asks for inwards of it down to the middle of a wall.
type demand struct {
	at, inward vec
	spacing    float64
	wall       float64 // that spacing
	depth      float64 // of the middle
}

// grader finds out how fine the lattice around a body must be.
type grader struct {
	*body
	sizing
	bends []bend
	asked atomic.Int64 // area of the demands so far by the squares of their spacings, in millionths
	most  int64
}

// grade builds the graded lattice around a body, unless that would have more than about
// so many tetrahedra: then it is full, and not to be used.
func (b *body) grade(ctx context.Context, z sizing, most int) (*octree, error) {
	o := newOctree(b.lo, b.hi, z.dx, z.depth, 0)
	// A cell has more than one tetrahedron, those outside counted in; and the surface more
	// than two for each square of the spacing (tetsAt has four).
	o.most = len(o.child) + most
	g := &grader{body: b, sizing: z, bends: b.bends(), most: int64(most) * 1e6 / 2}
	demands := make([][]demand, len(b.tris))
	if err := parallel(ctx, len(b.tris), func(t int) { demands[t] = g.demands(t) }); err != nil {
		return nil, err
	}
	o.full = g.asked.Load() > g.most
	for _, list := range demands {
		for _, d := range list {
			o.refine(d.at, d.spacing)
			for deep := d.wall / 2; deep < d.depth; deep += d.wall / 2 {
				o.refine(d.at.Add(d.inward.Scale(deep)), d.wall)
			}
		}
		if err := ctx.Err(); err != nil || o.full {
			return o, err
		}
	}
	o.finish()
	return o, nil
}

// demands are those of one triangle.
func (g *grader) demands(t int) []demand {
	if g.normal[t] == (vec{}) {
		return nil
	}
	curved := g.bySpread(g.curvature(g.bends, t, 2*g.least()))
	if p := g.patch[t]; g.patchFace[p] != 0 && g.patches[p].width > 0 {
		curved = min(curved, g.patches[p].width/showing) // of noise, which a scan has, no face is named
	}
	p, q, r := g.corners(t)
	return g.ask(nil, t, curved, [3]vec{p, q, r})
}

// bySpread is the spacing for the principal curvatures of a place.
func (z sizing) bySpread(most, least float64) float64 {
	bend := max(most, -least) * z.circle
	if bend <= 0 {
		return z.dx
	}
	return min(z.dx, 2*math.Pi/bend)
}

// ask lists the demands of a piece of a triangle, in parts of which none is much larger
// than the spacing that it asks for: what lies behind a large facet may differ.
func (g *grader) ask(list []demand, t int, curved float64, piece [3]vec) []demand {
	if g.asked.Load() > g.most {
		return list
	}
	centre := piece[0].Add(piece[1]).Add(piece[2]).Scale(1.0 / 3)
	d := demand{at: centre, inward: g.normal[t].Scale(-1), spacing: curved}
	if wall, found := g.wall(centre, g.normal[t], g.across*g.dx); found && wall/g.across < g.dx {
		d.depth, d.wall = wall/2, max(wall/g.across, g.least())
		d.spacing = min(d.spacing, d.wall)
	}
	if gap, found := g.wall(centre, d.inward, g.dx); found { // on the other side of which is the body again
		d.spacing = min(d.spacing, gap)
	}
	d.spacing = max(d.spacing, g.least())
	long, at := 0.0, 0
	for k := range 3 {
		if l := norm2(piece[k].Sub(piece[(k+1)%3])); l > long {
			long, at = l, k
		}
	}
	if sqrt(long) > 0.7*d.spacing {
		p, q, r := piece[at], piece[(at+1)%3], piece[(at+2)%3]
		m := p.Lerp(q, 0.5)
		return g.ask(g.ask(list, t, curved, [3]vec{p, m, r}), t, curved, [3]vec{m, q, r})
	}
	if d.spacing < g.dx {
		area := piece[1].Sub(piece[0]).Cross(piece[2].Sub(piece[0])).Norm() / 2
		g.asked.Add(int64(1e6 * area / (d.spacing * d.spacing)))
		list = append(list, d)
	}
	return list
}

// bend is what a triangle has of the curvature of its patch: half of the angles at its
// edges, times their lengths, as a tensor of the edges' directions (Cohen-Steiner and
// Morvan 2003). Together with its area it makes a mean curvature over the facets, by
// which a flat facet of a coarse triangulation is as curved as what it stands for.
type bend struct {
	tensor sym3
	area   float64
	centre vec
}

// bends are those of all triangles; sharp edges, which are followed as curves, and those
// between patches count for nothing.
func (b *body) bends() []bend {
	out := make([]bend, len(b.tris))
	for t := range out {
		p, q, r := b.corners(t)
		out[t].area, out[t].centre = b.surface.area(t), p.Add(q).Add(r).Scale(1.0/3)
	}
	edges := edgeTriangles(b.tris)
	for t, v := range b.tris { // in this order, so that the sums are always the same
		for k := range 3 {
			i, j := v[k], v[(k+1)%3]
			pair := edges[edgeKey(i, j)]
			other := pair[0] + pair[1] - int32(t)
			if pair[1] < 0 || b.patch[t] != b.patch[other] {
				continue
			}
			along := b.verts[j].Sub(b.verts[i])
			length := along.Norm()
			if length == 0 {
				continue
			}
			along = along.Scale(1 / length)
			m, n := b.normal[t], b.normal[other]
			angle := math.Atan2(m.Cross(n).Dot(along), m.Dot(n)) // positive where the surface is round outwards
			out[t].tensor.addOuter(along, angle*length/2)
		}
	}
	return out
}

// curvature are the largest curvature outwards and, below 0, inwards around a triangle,
// as a mean over those within a radius that face the same way: noise, which bends to both
// sides, cancels. No triangle counts for more than the radius sees of it.
func (b *body) curvature(bends []bend, t int, radius float64) (most, least float64) {
	var sum sym3
	area := 0.0
	add := func(u int32) {
		x := &bends[u]
		if x.area == 0 {
			return
		}
		share := min(1, math.Pi*radius*radius/x.area)
		area += share * x.area
		sum.add(x.tensor, share)
	}
	centre := bends[t].centre
	add(int32(t))
	b.tree.Within(centre, radius, func(u int32) {
		if int(u) != t && b.normal[u].Dot(b.normal[t]) > 0 && bends[u].centre.Sub(centre).Norm() < radius {
			add(u)
		}
	})
	if area == 0 {
		return 0, 0
	}
	least, most = sum.extremes()
	return most / area, least / area
}
