package geometry

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// Contact is where two bodies lie on each other.
type Contact struct {
	A, B int32   // the bodies, A < B
	Area float64 // of what lies on each other, in the unit squared; 0 where they meet in points or lines
}

// Contacts says which bodies of a surface touch, and which hang together.
type Contacts struct {
	Pairs  []Contact // in order
	Groups []Group   // of bodies that hang together by areas, the largest first
	Unit   string    // of length
}

// Group is bodies that hang together.
type Group struct {
	Bodies  []int32
	Nearest int32   // body of another group, 0 where there is none
	Gap     float64 // about how far it is, in the unit
	Touches bool    // in points or lines, where nothing passes
}

// contactCells is how many samples stand along the longest side of the box that two bodies
// have in common; where only a part of a sample is in contact it is divided further, by
// contactEdge: the area of a contact is true to about a strip of 1/128 of that side along
// its outline.
const (
	contactCells = 16
	contactEdge  = 8
)

// contactVertices is how many vertices of a body are tried for its distance to others.
const contactVertices = 1000

// Contacts finds where the bodies of a surface touch, down to 2e-6 of its size for flat
// faces, and for curved ones to what their facets may lie away from them. Bodies that
// overlap hang together too.
func (m *Mesh) Contacts(ctx context.Context, overlaps []Overlap) (Contacts, error) {
	return m.ContactsBy(ctx, m.solids(), overlaps)
}

// ContactsBy is Contacts with the body of every triangle given.
func (m *Mesh) ContactsBy(ctx context.Context, body []int32, overlaps []Overlap) (c Contacts, err error) {
	c.Unit = cmp.Or(m.Meta.LengthUnit, FileUnit)
	f := m.finder(ctx, body)
	if len(f.solids) < 2 {
		return c, nil
	}
	reach := 2 * (roundingDepth*f.size + slices.Max(f.sag))
	joined := newUnionFind(len(f.solids))
	for _, o := range overlaps {
		joined.union(f.index[o.A], f.index[o.B])
	}
	for _, p := range f.neighbours(reach, -reach) {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		area, touch := f.contact(p, reach)
		if !touch {
			continue
		}
		if area > 0 {
			joined.union(p[0], p[1])
		}
		a, b := f.solids[p[0]].body, f.solids[p[1]].body
		c.Pairs = append(c.Pairs, Contact{min(a, b), max(a, b), area})
	}
	slices.SortFunc(c.Pairs, func(x, y Contact) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	c.Groups = f.groups(joined)
	return c, ctx.Err()
}

// contact measures the area on which two solids lie on each other.
func (f *overlapFinder) contact(p [2]int32, reach float64) (area float64, touch bool) {
	from, to := &f.solids[p[0]], &f.solids[p[1]]
	if len(from.tris) > len(to.tris) {
		from, to = to, from
	}
	lo, hi := commonBox(from, to)
	margin := Vec3{reach, reach, reach}
	lo, hi = lo.Sub(margin), hi.Add(margin)
	size := hi.Sub(lo)
	look := contactLook{f: f, to: to, reach: reach, cell: max(size[0], size[1], size[2]) / contactCells}
	from.tree.Overlapping(lo, hi, func(t int32) bool {
		a, b, c := from.tree.mesh.Corners(int(t))
		look.piece(from.tris[t], a, b, c)
		return true
	})
	return look.area, look.touch
}

// contactLook adds up what of a solid's triangles lies on another solid.
type contactLook struct {
	f           *overlapFinder
	to          *solid
	reach, cell float64
	area        float64
	touch       bool
}

// piece looks at a piece a, b, c of triangle t.
func (l *contactLook) piece(t int32, a, b, c Vec3) {
	middle := a.Add(b).Add(c).Scale(1.0 / 3)
	radius := max(a.Sub(middle).Norm(), b.Sub(middle).Norm(), c.Sub(middle).Norm())
	_, other, d := l.to.tree.NearestWithin(middle, radius+l.reach)
	if other < 0 {
		return
	}
	if radius > l.cell {
		l.halves(t, a, b, c)
		return
	}
	on := d <= l.within(t, other)
	corners := 0
	for _, p := range [3]Vec3{a, b, c} {
		if _, other, d := l.to.tree.NearestWithin(p, l.reach); other >= 0 && d <= l.within(t, other) {
			corners++
		}
	}
	l.touch = l.touch || on || corners > 0
	if (on && corners < 3 || !on && corners > 0) && radius > l.cell/contactEdge {
		l.halves(t, a, b, c)
		return
	}
	n, o := l.f.m.TriangleNormal(int(t)), l.to.tree.mesh.TriangleNormal(int(other))
	if on && n.Dot(o) < -0.5*n.Norm()*o.Norm() {
		l.area += b.Sub(a).Cross(c.Sub(a)).Norm() / 2
	}
}

// halves looks at both halves of a piece, cut across its longest side, so that slender
// pieces stay few.
func (l *contactLook) halves(t int32, a, b, c Vec3) {
	if ab, bc, ca := b.Sub(a).Norm(), c.Sub(b).Norm(), a.Sub(c).Norm(); bc >= ab && bc >= ca {
		a, b, c = b, c, a
	} else if ca >= ab {
		a, b, c = c, a, b
	}
	half := a.Add(b).Scale(0.5)
	l.piece(t, a, half, c)
	l.piece(t, half, b, c)
}

// within is how far a point of triangle t may lie from another triangle of the other solid
// and still be on it: rounding, and what the facets of curved faces lie away from them.
func (l *contactLook) within(t, other int32) float64 {
	return 2*roundingDepth*l.f.size + l.f.sag[t] + l.f.sag[l.to.tris[other]]
}

// groups lists the solids that hang together, and for each group how far the next is.
func (f *overlapFinder) groups(joined unionFind) []Group {
	of := map[int32][]int32{} // solids
	for i := range f.solids {
		root := joined.find(int32(i))
		of[root] = append(of[root], int32(i))
	}
	var out []Group
	for root, members := range of {
		g := Group{Gap: math.Inf(1)}
		for _, i := range members {
			g.Bodies = append(g.Bodies, f.solids[i].body)
			for j := range f.solids {
				if joined.find(int32(j)) != root {
					if d := f.distance(&f.solids[i], &f.solids[j], g.Gap); d < g.Gap {
						g.Gap, g.Nearest = d, f.solids[j].body
					}
				}
			}
		}
		if g.Nearest == 0 {
			g.Gap = 0
		}
		g.Touches = g.Nearest != 0 && g.Gap <= 2*roundingDepth*f.size
		slices.Sort(g.Bodies)
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Bodies), len(a.Bodies)), cmp.Compare(a.Bodies[0], b.Bodies[0]))
	})
	return out
}

// distance is the least distance of a vertex of one solid to the other one, below a limit.
func (f *overlapFinder) distance(a, b *solid, limit float64) float64 {
	for _, pair := range [2][2]*solid{{a, b}, {b, a}} {
		from, to := pair[0], pair[1]
		step := 1 + len(from.tris)/contactVertices
		for k := 0; k < len(from.tris); k += step {
			for _, v := range f.m.Triangles[from.tris[k]] {
				p := f.m.Vertices[v]
				if boxDistance2(&to.tree.nodes[0], p) < limit*limit {
					if _, t, d := to.tree.NearestWithin(p, limit); t >= 0 {
						limit = d
					}
				}
			}
		}
	}
	return limit
}

// Check is the check bodies_hang_together; ok is false where there is one body only. name says
// what a body is called.
func (c Contacts) Check(figure string, name func(body int32) string) (check evidence.Check, ok bool) {
	if len(c.Groups) == 0 {
		return check, false
	}
	if len(c.Groups) == 1 {
		return evidence.Holds("bodies_hang_together", evidence.Bounds, figure, true, fmt.Sprintf(
			"The %d bodies hang together by faces that lie on each other.", len(c.Groups[0].Bodies))), true
	}
	const shown = 5
	var parts []string
	for _, g := range c.Groups[1:min(len(c.Groups), shown+1)] {
		text := name(g.Bodies[0])
		if n := len(g.Bodies) - 1; n > 0 {
			text += fmt.Sprintf(" with %d more", n)
		}
		if g.Touches {
			text += fmt.Sprintf(", which meets %s in points or lines only", name(g.Nearest))
		} else {
			text += fmt.Sprintf(", about %.3g %s from %s", g.Gap, c.Unit, name(g.Nearest))
		}
		parts = append(parts, text)
	}
	if n := len(c.Groups) - 1 - shown; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more groups", n))
	}
	return evidence.Holds("bodies_hang_together", evidence.Bounds, figure, false, fmt.Sprintf(
		"The bodies form %d groups that lie on each other nowhere, so no force or heat passes between them. Apart from the largest are: %s. Close the gaps in the CAD model, or choose the bodies of one group.",
		len(c.Groups), strings.Join(parts, "; "))), true
}
