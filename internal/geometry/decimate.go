package geometry

import "context"

// DecimateOptions say how far Decimate goes.
type DecimateOptions struct {
	TargetFaces int // triangles wanted; the result keeps more where fewer would lose a face or a fold
	// Intersecting is the number of intersecting triangles of the input where it
	// is known, so that they need not be counted again; nil: count them.
	Intersecting *int
}

// DecimateReport says what decimation did.
type DecimateReport struct {
	Collapses    int
	MaxDeviation float64 // largest distance found between the surfaces, in the file's unit
	RMSDeviation float64 // root mean square over the same samples
	Reached      bool    // the target was reached
	Intersecting int     // triangles that intersect afterwards
	Attempts     int     // runs made until no new intersection was left
}

// Decimate returns a copy of a manifold surface with about TargetFaces
// triangles, by edge collapses in the order of their quadric error (Garland and
// Heckbert 1997). It stays closed, oriented and manifold (link condition),
// turns no triangle over, keeps the outlines of CAD faces on their curves and
// never loses a CAD face. Holes of an open surface keep their borders' shape.
func Decimate(ctx context.Context, in *Mesh, opt DecimateOptions) (*Mesh, *DecimateReport, error) {
	rep := &DecimateReport{Reached: true, Attempts: 1}
	if len(in.Triangles) <= opt.TargetFaces {
		return in.Clone(), rep, nil
	}
	before, err := opt.intersecting(ctx, in)
	if err != nil {
		return nil, rep, err
	}
	locked := make([]bool, len(in.Vertices))
	for attempt := 1; ; attempt++ {
		d := newDecimator(ctx, in, opt, locked)
		if err := d.run(); err != nil {
			return nil, rep, err
		}
		out := d.result()
		pairs, err := out.SelfIntersections(ctx, maxPairs)
		if err != nil {
			return nil, rep, err
		}
		if facesIn(pairs) > before && attempt < 4 {
			d.lock(out, pairs, locked) // keep the vertices whose merging made them
			continue
		}
		rep.Collapses, rep.Attempts, rep.Intersecting = d.collapses, attempt, facesIn(pairs)
		rep.Reached = len(out.Triangles) <= opt.TargetFaces
		rep.MaxDeviation, rep.RMSDeviation, err = Deviation(ctx, in, out)
		return out, rep, err
	}
}

func (o *DecimateOptions) intersecting(ctx context.Context, in *Mesh) (int, error) {
	if o.Intersecting != nil {
		return *o.Intersecting, nil
	}
	pairs, err := in.SelfIntersections(ctx, maxPairs)
	return facesIn(pairs), err
}

// Kinds of a vertex, by what it may merge with.
const (
	free   = iota // inside a face
	curve         // on the curve between two CAD faces or a border
	corner        // where curves meet or end: it stays
)

type decimator struct {
	ctx       context.Context
	src       *Mesh
	target    int
	origin    Vec3
	tris      [][3]int32
	pos       []Vec3
	quad      []quadric
	stamp     []uint32
	kind      []uint8
	out       []int32 // some half-edge from the vertex; on a border the one without predecessor
	opp       []int32
	alive     []bool
	into      []int32 // the vertex that this one was merged into
	faces     map[int32]int
	heap      edgeHeap
	left      int
	collapses int
	ringA     []int32
}

func newDecimator(ctx context.Context, in *Mesh, opt DecimateOptions, locked []bool) *decimator {
	n := len(in.Vertices)
	d := &decimator{
		ctx: ctx, src: in, target: opt.TargetFaces, origin: farOrigin(in),
		tris: append([][3]int32(nil), in.Triangles...), pos: make([]Vec3, n), quad: make([]quadric, n),
		stamp: make([]uint32, n), kind: make([]uint8, n), out: make([]int32, n), opp: in.glue().opp,
		alive: make([]bool, len(in.Triangles)), into: make([]int32, n),
		faces: map[int32]int{}, left: len(in.Triangles),
	}
	for v := range n {
		d.pos[v], d.into[v], d.out[v] = in.Vertices[v].Sub(d.origin), int32(v), -1
	}
	normals := make([]Vec3, len(d.tris))
	for t, tri := range d.tris {
		d.alive[t] = true
		d.faces[in.Face(t)]++
		area2 := in.TriangleNormal(t)
		normals[t] = area2.Unit()
		q := planeQuadric(normals[t], -normals[t].Dot(d.pos[tri[0]]), area2.Norm()/2)
		for k, v := range tri {
			d.quad[v].add(&q)
			// A weak pull to its place keeps flat regions well posed.
			w := pointQuadric(d.pos[v], 1e-5*area2.Norm()/2)
			d.quad[v].add(&w)
			if d.out[v] < 0 || d.opp[3*t+k] < 0 {
				d.out[v] = int32(3*t + k)
			}
		}
	}
	d.constrain(normals)
	for v, l := range locked {
		if l {
			d.kind[v] = corner
		}
	}
	d.heap = make(edgeHeap, 0, len(d.tris)*3/2)
	for h := range d.opp {
		if d.opp[h] < int32(h) {
			if e, ok := d.entry(int32(h)); ok {
				d.heap = append(d.heap, e)
			}
		}
	}
	d.heap.init()
	return d
}

// farOrigin is the surface's centre when that lies so far from zero that
// quadrics would lose digits, else zero, which leaves coordinates untouched.
func farOrigin(m *Mesh) Vec3 {
	lo, hi := m.Bounds()
	if c := lo.Add(hi).Scale(0.5); c.Norm() > 100*hi.Sub(lo).Norm() {
		return c
	}
	return Vec3{}
}

// constrain marks feature edges and holds them by planes through them at right
// angles to their triangles; vertices where other than two of them meet stay.
func (d *decimator) constrain(normals []Vec3) {
	count := make([]uint8, len(d.pos))
	for h, o := range d.opp {
		if o >= 0 && (o < int32(h) || !d.onCurve(int32(h))) {
			continue
		}
		a, b := d.ends(int32(h))
		edge := d.pos[b].Sub(d.pos[a])
		for _, s := range []int32{int32(h), o} {
			if s < 0 {
				continue
			}
			n := edge.Cross(normals[s/3]).Unit()
			q := planeQuadric(n, -n.Dot(d.pos[a]), 10*edge.Dot(edge))
			d.quad[a].add(&q)
			d.quad[b].add(&q)
		}
		count[a], count[b] = min(count[a], 250)+1, min(count[b], 250)+1
	}
	for v, n := range count {
		switch {
		case n == 0:
		case n == 2:
			d.kind[v] = curve
		default:
			d.kind[v] = corner
		}
	}
}

func (d *decimator) ends(h int32) (a, b int32) { return d.tris[h/3][h%3], d.tris[h/3][(h+1)%3] }

// entry is the collapse of an edge with its cost; ok is false where the kinds of
// its ends forbid it.
func (d *decimator) entry(h int32) (e heapEdge, ok bool) {
	a, b := d.ends(h)
	p, ok := d.place(h, a, b)
	if !ok {
		return e, false
	}
	q := d.quad[a]
	q.add(&d.quad[b])
	return heapEdge{cost: q.at(p), half: h, stamp: d.stamp[a] + d.stamp[b]}, true
}

// onCurve says whether the half-edge lies between two CAD faces or on a border.
func (d *decimator) onCurve(h int32) bool {
	o := d.opp[h]
	return o < 0 || d.src.FaceID != nil && d.src.FaceID[h/3] != d.src.FaceID[o/3]
}

// place is where the merged vertex goes.
func (d *decimator) place(h, a, b int32) (Vec3, bool) {
	ka, kb := d.kind[a], d.kind[b]
	switch {
	case ka == corner && kb == corner:
		return Vec3{}, false
	case ka == kb && ka == free:
	case ka != free && kb != free && !d.onCurve(h):
		return Vec3{}, false // would pinch two curves together
	case ka == kb: // along one curve
	case ka > kb:
		return d.pos[a], true
	default:
		return d.pos[b], true
	}
	q := d.quad[a]
	q.add(&d.quad[b])
	if p, ok := q.minimum(); ok {
		// A minimum far from the edge is an artefact of nearly parallel planes.
		mid := d.pos[a].Lerp(d.pos[b], 0.5)
		l := d.pos[a].Sub(d.pos[b])
		if off := p.Sub(mid); off.Dot(off) <= 4*l.Dot(l) {
			return p, true
		}
	}
	best, cost := d.pos[a], q.at(d.pos[a])
	for _, p := range []Vec3{d.pos[b], d.pos[a].Lerp(d.pos[b], 0.5)} {
		if c := q.at(p); c < cost {
			best, cost = p, c
		}
	}
	return best, true
}

func (d *decimator) run() error {
	for pops := 0; d.left > d.target && len(d.heap) > 0; pops++ {
		if pops%4096 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		e := d.heap.pop()
		if !d.alive[e.half/3] {
			continue
		}
		a, b := d.ends(e.half)
		if d.stamp[a]+d.stamp[b] != e.stamp {
			continue
		}
		if p, ok := d.place(e.half, a, b); ok && d.allowed(e.half, a, b, p) {
			d.collapse(e.half, a, b, p)
		}
	}
	return nil
}

// result is the mesh of what is left.
func (d *decimator) result() *Mesh {
	out := &Mesh{Meta: d.src.Meta, Vertices: make([]Vec3, len(d.pos))}
	for v := range d.pos {
		out.Vertices[v] = d.pos[v].Add(d.origin)
	}
	for t, alive := range d.alive {
		if alive {
			out.Triangles = append(out.Triangles, d.tris[t])
			if d.src.FaceID != nil {
				out.FaceID = append(out.FaceID, d.src.FaceID[t])
			}
		}
	}
	d.renumber(out)
	return out
}

// renumber drops the merged vertices of out and makes into name the vertex of
// out that each source vertex went to.
func (d *decimator) renumber(out *Mesh) {
	to := make([]int32, len(d.pos))
	n := int32(0)
	for v, w := range d.into {
		to[v] = -1
		if int32(v) == w {
			to[v] = n
			out.Vertices[n] = out.Vertices[v]
			n++
		}
	}
	root := unionFind(d.into)
	for v := range d.into {
		d.into[v] = root.find(int32(v))
	}
	for v, w := range d.into {
		d.into[v] = to[w]
	}
	out.Vertices = out.Vertices[:n]
	for t := range out.Triangles {
		for k, v := range out.Triangles[t] {
			out.Triangles[t][k] = to[v]
		}
	}
}

// lock marks the source vertices that ended in intersecting triangles of out.
func (d *decimator) lock(out *Mesh, pairs [][2]int32, locked []bool) {
	bad := map[int32]bool{}
	for _, p := range pairs {
		for _, t := range p {
			for _, v := range out.Triangles[t] {
				bad[v] = true
			}
		}
	}
	for v, w := range d.into {
		if bad[w] {
			locked[v] = true
		}
	}
}
