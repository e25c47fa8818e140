package geometry

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Overlap is space that two closed bodies of a surface both enclose.
type Overlap struct {
	A, B   int32   // the bodies, A < B
	Volume float64 // of the common space, in the unit cubed
	Error  float64 // of the volume, an estimate
	At     Vec3    // a point inside it
}

// Common space is contact down to these depths, relative to the size of the whole
// surface: coordinates of single precision are no better than the first, the
// placements of assemblies no better than the second. Between them it counts where
// it is more than a share of the smaller body.
const (
	roundingDepth  = 1e-6
	placementDepth = 2e-5
	shallowShare   = 1e-3
)

// smoothAngle is the largest angle between two facets, in radians, at which they
// may stand for a curved face: one of a cylinder of eight facets.
const smoothAngle = 0.8

// Overlaps lists the pairs of bodies that occupy the same space: that
// interpenetrate, lie inside the material of another, or are the same. body is
// the body of every triangle; each must be closed, and encloses what a line meets
// between its crossings of odd and even number, so that a shell inside another of
// its body is a cavity.
//
// Bodies that touch do not overlap. They overlap where their common space holds a
// ball larger than what placements and rounding explain, and than what the facets
// of the two surfaces may lie away from the curved faces that they stand for: a
// shaft and its bore, both of facets, pass into each other by that much.
func (m *Mesh) Overlaps(ctx context.Context, body []int32) ([]Overlap, error) {
	f := m.finder(ctx, body)
	if len(f.solids) < 2 {
		return nil, nil
	}
	var found []Overlap
	open := map[[2]int32]*suspicion{}                     // neighbours of which no line has told enough
	neighbours := f.neighbours(0, 2*roundingDepth*f.size) // a ball of that size is contact
	for _, p := range neighbours {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := &suspicion{stride: 1}
		if f.scan(p, s); s.deep {
			found = append(found, f.measure(p, s.at))
		} else {
			open[p] = s
		}
	}
	if err := f.crossings(open); err != nil {
		return nil, err
	}
	for _, p := range neighbours {
		s := open[p]
		if s == nil {
			continue
		}
		if f.beside(p, s); !s.hit {
			continue
		}
		least := shallowShare * min(f.solids[p[0]].volume, f.solids[p[1]].volume)
		if o := f.measure(p, s.at); s.deep || o.Volume > least {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(x, y Overlap) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return found, ctx.Err()
}

type overlapFinder struct {
	ctx    context.Context
	m      *Mesh
	body   []int32
	solids []solid // by body
	index  map[int32]int32
	sag    []float64
	size   float64 // of the whole surface
	rng    *rand.Rand
}

// finder gathers the bodies of a surface; of a single one, no more than that it is.
func (m *Mesh) finder(ctx context.Context, body []int32) *overlapFinder {
	f := &overlapFinder{ctx: ctx, m: m, body: body, rng: rand.New(rand.NewPCG(3, 14))}
	if f.gather(); len(f.solids) > 1 {
		f.size, f.sag = m.Diagonal(), m.sagittas(body)
	}
	return f
}

// solid is one body with a tree of its own triangles.
type solid struct {
	body   int32
	tris   []int32 // of the whole surface
	lo, hi Vec3
	volume float64
	tree   *BVH
}

func (f *overlapFinder) gather() {
	f.index = map[int32]int32{}
	for t, b := range f.body {
		i, known := f.index[b]
		if !known {
			i = int32(len(f.solids))
			f.index[b] = i
			f.solids = append(f.solids, solid{body: b})
		}
		f.solids[i].tris = append(f.solids[i].tris, int32(t))
	}
	if len(f.solids) < 2 {
		return
	}
	for i := range f.solids {
		s := &f.solids[i]
		part := &Mesh{Vertices: f.m.Vertices, Triangles: make([][3]int32, len(s.tris))}
		for k, t := range s.tris {
			part.Triangles[k] = f.m.Triangles[t]
		}
		s.lo, s.hi = part.Bounds()
		s.volume = math.Abs(part.Volume())
		s.tree = NewBVH(part)
	}
}

// neighbours are the pairs of solids whose boxes, with a margin, have more than a least
// width in common along every axis, in order.
func (f *overlapFinder) neighbours(margin, least float64) [][2]int32 {
	grow := Vec3{margin, margin, margin}
	boxes := &Mesh{} // a triangle (lo, hi, lo) per body makes a tree of their boxes
	for i := range f.solids {
		v := int32(len(boxes.Vertices))
		boxes.Vertices = append(boxes.Vertices, f.solids[i].lo.Sub(grow), f.solids[i].hi.Add(grow))
		boxes.Triangles = append(boxes.Triangles, [3]int32{v, v + 1, v})
	}
	var pairs [][2]int32
	NewBVH(boxes).selfPairs(func(s, t int32) bool {
		lo, hi := commonBox(&f.solids[s], &f.solids[t])
		if d := hi.Sub(lo); min(d[0], d[1], d[2]) > least {
			pairs = append(pairs, [2]int32{min(s, t), max(s, t)})
		}
		return true
	})
	slices.SortFunc(pairs, func(x, y [2]int32) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	return pairs
}

// scanLines is how many lines per side look through the common box of two bodies.
const scanLines = 12

// scan looks along lines for common space of two bodies. What is smaller than the
// distance of the lines is found where the surfaces cross.
func (f *overlapFinder) scan(p [2]int32, found *suspicion) {
	a, b := &f.solids[p[0]], &f.solids[p[1]]
	lo, hi := commonBox(a, b)
	for i := range scanLines * scanLines {
		y, z := f.within(lo, hi, i%scanLines, scanLines, 1), f.within(lo, hi, i/scanLines, scanLines, 2)
		for _, s := range common(a.tree.along(y, z), b.tree.along(y, z)) {
			if f.judge(a, b, Vec3{(s[0] + s[1]) / 2, y, z}, found); found.deep {
				return
			}
		}
	}
}

// within is a random coordinate of cell i of n along an axis of a box.
func (f *overlapFinder) within(lo, hi Vec3, i, n, axis int) float64 {
	return lo[axis] + (hi[axis]-lo[axis])*(float64(i)+f.rng.Float64())/float64(n)
}

func commonBox(a, b *solid) (lo, hi Vec3) {
	for k := range 3 {
		lo[k], hi[k] = max(a.lo[k], b.lo[k]), min(a.hi[k], b.hi[k])
	}
	return lo, hi
}

// judge notes how far a point of both bodies lies from their surfaces.
func (f *overlapFinder) judge(a, b *solid, p Vec3, found *suspicion) {
	_, s, da := a.tree.Nearest(p)
	if s < 0 || da <= roundingDepth*f.size {
		return
	}
	_, t, db := b.tree.Nearest(p)
	if t < 0 {
		return
	}
	depth := min(da, db) - f.sag[a.tris[s]] - f.sag[b.tris[t]]
	if depth > placementDepth*f.size {
		found.at, found.hit, found.deep = p, true, true
	} else if depth > roundingDepth*f.size && !found.hit {
		found.at, found.hit = p, true
	}
}

// both says whether a point lies inside two bodies.
func both(a, b *solid, p Vec3) bool {
	for _, s := range []*solid{a, b} {
		spans := s.tree.along(p[1], p[2])
		if !slices.ContainsFunc(spans, func(x [2]float64) bool { return x[0] < p[0] && p[0] < x[1] }) {
			return false
		}
	}
	return true
}

// suspicion is what is known of two bodies, with an even sample of the triangles
// in which their surfaces meet.
type suspicion struct {
	at           Vec3 // in the common space
	hit, deep    bool // it is deeper than rounding, than placement
	kept         [][2]int32
	seen, stride int
}

const mostKept = 400

func (s *suspicion) add(p [2]int32) {
	if s.seen%s.stride == 0 {
		s.kept = append(s.kept, p)
	}
	s.seen++
	if len(s.kept) < mostKept {
		return
	}
	for i := range len(s.kept) / 2 {
		s.kept[i] = s.kept[2*i]
	}
	s.kept, s.stride = s.kept[:len(s.kept)/2], 2*s.stride
}

// crossings finds where the surfaces of neighbours meet, by the exact test.
func (f *overlapFinder) crossings(open map[[2]int32]*suspicion) error {
	if len(open) == 0 {
		return nil
	}
	tests := 0
	NewBVH(f.m).selfPairs(func(s, t int32) bool {
		if tests++; tests%4096 == 0 && f.ctx.Err() != nil {
			return false
		}
		i, j := f.index[f.body[s]], f.index[f.body[t]]
		if i == j {
			return true
		}
		if i > j {
			i, j, s, t = j, i, t, s
		}
		// Surfaces in contact meet in very many triangles: the more are known, the
		// fewer of the rest are asked.
		if pairs := open[[2]int32{i, j}]; pairs != nil && tests%(1+pairs.seen/2000) == 0 && f.m.crosses(s, t) {
			pairs.add([2]int32{s, t})
		}
		return true
	})
	return f.ctx.Err()
}

// beside looks for common space next to the places where two surfaces cross:
// behind both triangles, at depths from their size down to the tolerance.
func (f *overlapFinder) beside(p [2]int32, found *suspicion) {
	a, b := &f.solids[p[0]], &f.solids[p[1]]
	for _, pair := range found.kept {
		s, t := pair[0], pair[1]
		n := f.m.TriangleNormal(int(s)).Unit().Add(f.m.TriangleNormal(int(t)).Unit())
		if n.Norm() < 1e-3 { // they face each other: contact
			continue
		}
		least := roundingDepth*f.size + f.sag[s] + f.sag[t]
		for _, q := range f.m.meetingPlaces(s, t) {
			size := math.Sqrt(min(f.m.TriangleArea(int(s)), f.m.TriangleArea(int(t))))
			for depth := size; depth > least; depth /= 4 {
				at := q.Sub(n.Unit().Scale(depth))
				if !both(a, b, at) {
					continue
				}
				if f.judge(a, b, at, found); found.deep {
					return
				}
			}
		}
	}
}

// meetingPlaces are points at or near the places where two triangles meet.
func (m *Mesh) meetingPlaces(s, t int32) []Vec3 {
	var a, b [3]Vec3
	a[0], a[1], a[2] = m.Corners(int(s))
	b[0], b[1], b[2] = m.Corners(int(t))
	var sum Vec3
	n := 0
	for _, x := range [2][2][3]Vec3{{a, b}, {b, a}} {
		u, v := x[0], x[1]
		d := sides(u, v)
		for i := range 3 {
			j := (i + 1) % 3
			if !segmentMeets(u[i], u[j], d[i], d[j], v) {
				continue
			}
			hi, hj := Orient3D(v[0], v[1], v[2], u[i]), Orient3D(v[0], v[1], v[2], u[j])
			sum = sum.Add(u[i].Lerp(u[j], hi/(hi-hj)))
			n++
		}
	}
	third := 1.0 / 3
	places := []Vec3{a[0].Add(a[1]).Add(a[2]).Scale(third), b[0].Add(b[1]).Add(b[2]).Scale(third)}
	if n > 0 {
		places = append([]Vec3{sum.Scale(1 / float64(n))}, places...)
	}
	return places
}

// Lines per side that measure a common space, and how often it is narrowed to the
// box of what was found.
const (
	measureLines  = 40
	measureRounds = 3
)

// measure integrates the common space of two bodies along random lines of a grid;
// the error is the difference between two such sums.
func (f *overlapFinder) measure(p [2]int32, at Vec3) Overlap {
	a, b := &f.solids[p[0]], &f.solids[p[1]]
	lo, hi := commonBox(a, b)
	var sums [2]float64
	for round := range measureRounds {
		nlo, nhi := at, at
		cell := Vec3{0, (hi[1] - lo[1]) / measureLines, (hi[2] - lo[2]) / measureLines}
		for k := range sums {
			sums[k] = 0
			for i := range measureLines * measureLines {
				y, z := f.within(lo, hi, i%measureLines, measureLines, 1), f.within(lo, hi, i/measureLines, measureLines, 2)
				for _, s := range common(a.tree.along(y, z), b.tree.along(y, z)) {
					sums[k] += (s[1] - s[0]) * cell[1] * cell[2]
					nlo[1], nhi[1] = min(nlo[1], y), max(nhi[1], y)
					nlo[2], nhi[2] = min(nlo[2], z), max(nhi[2], z)
				}
			}
		}
		full := (nhi[1]-nlo[1])*(nhi[2]-nlo[2]) > 0.5*(hi[1]-lo[1])*(hi[2]-lo[2])
		if full || round == measureRounds-1 {
			break
		}
		for axis := 1; axis < 3; axis++ { // what lies between the lines may reach two cells further
			lo[axis], hi[axis] = max(lo[axis], nlo[axis]-2*cell[axis]), min(hi[axis], nhi[axis]+2*cell[axis])
		}
	}
	o := Overlap{A: min(a.body, b.body), B: max(a.body, b.body), At: at}
	o.Volume, o.Error = (sums[0]+sums[1])/2, math.Abs(sums[0]-sums[1])/2
	return o
}

// along are the spans of x in which the line at y, z lies inside the surface. A
// line through an edge has none: another one tells.
func (b *BVH) along(y, z float64) [][2]float64 {
	var cuts []float64
	edge, q := false, [2]float64{y, z}
	b.Overlapping(Vec3{math.Inf(-1), y, z}, Vec3{math.Inf(1), y, z}, func(t int32) bool {
		u, v, w := b.mesh.Corners(int(t))
		p, r, s := flatten(u, 1, 2), flatten(v, 1, 2), flatten(w, 1, 2)
		d0, d1, d2 := Orient2D(r, s, q), Orient2D(s, p, q), Orient2D(p, r, q)
		if (d0 > 0 || d1 > 0 || d2 > 0) && (d0 < 0 || d1 < 0 || d2 < 0) || d0 == 0 && d1 == 0 && d2 == 0 {
			return true
		}
		edge = d0 == 0 || d1 == 0 || d2 == 0
		cuts = append(cuts, (d0*u[0]+d1*v[0]+d2*w[0])/(d0+d1+d2))
		return !edge
	})
	if edge {
		return nil
	}
	slices.Sort(cuts)
	spans := make([][2]float64, 0, len(cuts)/2)
	for i := 0; i+1 < len(cuts); i += 2 {
		spans = append(spans, [2]float64{cuts[i], cuts[i+1]})
	}
	return spans
}

// common is what two lists of spans in order share.
func common(a, b [][2]float64) [][2]float64 {
	var out [][2]float64
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if lo, hi := max(a[i][0], b[j][0]), min(a[i][1], b[j][1]); lo < hi {
			out = append(out, [2]float64{lo, hi})
		}
		if a[i][1] < b[j][1] {
			i++
		} else {
			j++
		}
	}
	return out
}

// sagittas estimates how far each triangle may lie away from the curved face that
// it stands for: w·θ/8 for facets of width w that turn by θ, twice that since they
// may be uneven. Facets of different CAD faces, or of a plane one, meet at an edge
// of the part.
func (m *Mesh) sagittas(body []int32) []float64 {
	flat := map[int32]bool{}
	for _, f := range m.Meta.Faces {
		flat[f.ID] = f.Kind == "plane"
	}
	sag := make([]float64, len(m.Triangles))
	edges := buildEdges(m.Triangles, len(m.Vertices))
	for e := range edges.len() {
		halves := edges.of(e)
		for i, g := range halves {
			for _, h := range halves[i+1:] {
				s, t := g/3, h/3
				if body[s] != body[t] || m.Face(int(s)) != m.Face(int(t)) || flat[m.Face(int(s))] {
					continue
				}
				p, q := m.TriangleNormal(int(s)), m.TriangleNormal(int(t))
				length := m.Vertices[target(m.Triangles, g)].Sub(m.Vertices[origin(m.Triangles, g)]).Norm()
				angle := math.Atan2(p.Cross(q).Norm(), p.Dot(q))
				if angle > smoothAngle || length == 0 {
					continue
				}
				bulge := min(p.Norm(), q.Norm()) / length * angle / 4
				sag[s], sag[t] = max(sag[s], bulge), max(sag[t], bulge)
			}
		}
	}
	return sag
}
