package stuffing

import (
	"context"
)

// stuff builds the tetrahedra of one body by isosurface stuffing: classify the
// lattice, cut its edges, warp its points, fill its tetrahedra by stencils.
func stuff(ctx context.Context, s *surface, around background, dx float64) (*tetMesh, error) {
	f := &stuffer{background: around, s: s, dx: dx}
	if err := f.classify(ctx, s); err != nil {
		return nil, err
	}
	f.keep = map[int32]bool{}
	if err := f.bridgeThin(ctx); err != nil {
		return nil, err
	}
	f.findEdges()
	if err := f.cutAll(ctx); err != nil {
		return nil, err
	}
	f.linkEdges()
	for range 8 {
		f.warp()
		f.fillAll()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !f.keepPinched() {
			break
		}
	}
	return f.mesh, nil
}

// keepPinched finds where the boundary touches itself at a vertex or an edge
// (which only warped points can bring about) or tetrahedra lie over each other, and
// keeps those points from being warped: their true side then joins or parts what
// touches. False when there is
// nothing left to do.
func (f *stuffer) keepPinched() bool {
	neighbours := faceNeighbours(f.mesh.tets, len(f.mesh.pos))
	tris, _ := boundaryFaces(f.mesh.tets, neighbours)
	found := false
	list := pinches(tris, len(f.mesh.pos))
	if f.mesh.size != nil {
		list = append(list, folds(f.mesh.tets, neighbours)...)
	}
	for _, v := range list {
		if id := f.origin[v]; id >= 0 && !f.keep[id] {
			if _, warped := f.moved[id]; warped {
				f.keep[id] = true
				found = true
			}
		}
	}
	return found
}

// folds lists the vertices of tetrahedra that lie over each other, which warping can
// bring about only where cells of several sizes meet: two that share a face must see
// it from different sides.
func folds(tets, neighbours [][4]int32) (list []int32) {
	for t, around := range neighbours {
		for k, u := range around {
			if u < int32(t) {
				continue
			}
			face := [3]int32{tets[t][tetFaces[k][0]], tets[t][tetFaces[k][1]], tets[t][tetFaces[k][2]]}
			for _, g := range tetFaces {
				other := [3]int32{tets[u][g[0]], tets[u][g[1]], tets[u][g[2]]}
				if other == face || other == [3]int32{face[1], face[2], face[0]} || other == [3]int32{face[2], face[0], face[1]} {
					list = append(list, append(tets[t][:], tets[u][:]...)...)
				}
			}
		}
	}
	return list
}

// fillAll visits every tetrahedron of the lattice.
func (f *stuffer) fillAll() {
	f.mesh = &tetMesh{dx: f.dx}
	if _, graded := f.background.(*octree); graded {
		f.mesh.size = []float64{}
	}
	f.vertex = make(map[int32]int32, len(f.touched))
	f.origin = f.origin[:0]
	for i := range f.edges {
		f.edges[i].vertex = -1
	}
	f.tets(f.fillTet)
}

// fillTet keeps the part of one lattice tetrahedron that lies inside. Its points
// are inside (+), on the surface (0) or outside (-).
func (f *stuffer) fillTet(p [4]int32) {
	var in, on, out [4]int32
	var ni, nz, no int
	for _, id := range p {
		switch _, warped := f.moved[id]; {
		case warped:
			on[nz] = id
			nz++
		case f.isInside(id):
			in[ni] = id
			ni++
		default:
			out[no] = id
			no++
		}
	}
	switch {
	case ni == 0:
	case no == 0:
		f.emit(f.corner(p[0]), f.corner(p[1]), f.corner(p[2]), f.corner(p[3]))
	case ni == 1:
		v := [4]int32{f.corner(in[0])}
		n := 1
		for _, id := range on[:nz] {
			v[n] = f.corner(id)
			n++
		}
		for _, id := range out[:no] {
			v[n] = f.cutVertex(in[0], id)
			n++
		}
		f.emit(v[0], v[1], v[2], v[3])
	case ni == 2 && no == 1:
		f.pyramid(in[0], in[1], on[0], out[0])
	case ni == 2:
		f.wedge(in[0], in[1], out[0], out[1])
	default:
		f.prism3(in[0], in[1], in[2], out[0])
	}
}

// diagonal decides how the quadrilateral that is left of the lattice face x, y,
// out is parted: true for the diagonal from x to the cut point of y. Only the
// face itself enters, so both tetrahedra at it agree. A cut point on the longer edge
// takes the diagonal; with two equal ones the parity rule of the paper decides, and
// where that says nothing, as on the square faces between large and small cells, the
// numbers do. Edges to one outer point are in one order by this, so that no prism has
// its three diagonals in a circle.
func (f *stuffer) diagonal(x, y, out int32) bool {
	a, b, c := f.halfCells(x), f.halfCells(y), f.halfCells(out)
	if p, q := apart2(a, c), apart2(b, c); p != q {
		return p < q
	}
	oddX, oddY := false, false
	for d := range 3 {
		oddX = oddX != (a[d] > c[d])
		oddY = oddY != (b[d] > c[d])
	}
	if oddX != oddY {
		return oddX
	}
	return x < y
}

// apart2 is the square of the distance of two points in half cells.
func apart2(a, b [3]int) (sum int) {
	for d := range 3 {
		sum += (a[d] - b[d]) * (a[d] - b[d])
	}
	return sum
}

// pyramid: x, y inside, z on the surface, o outside.
func (f *stuffer) pyramid(x, y, z, o int32) {
	vx, vy, vz := f.corner(x), f.corner(y), f.corner(z)
	cx, cy := f.cutVertex(x, o), f.cutVertex(y, o)
	if f.diagonal(x, y, o) { // x to cy
		f.emit(vx, vy, vz, cy)
		f.emit(vx, cx, vz, cy)
	} else {
		f.emit(vx, vy, vz, cx)
		f.emit(vy, cy, vz, cx)
	}
}

// prism3: three points inside and one outside leave a prism.
func (f *stuffer) prism3(x, y, z, o int32) {
	top := [3]int32{f.corner(x), f.corner(y), f.corner(z)}
	bottom := [3]int32{f.cutVertex(x, o), f.cutVertex(y, o), f.cutVertex(z, o)}
	f.prism(top, bottom, [3]bool{f.diagonal(x, y, o), f.diagonal(y, z, o), f.diagonal(z, x, o)})
}

// wedge: x, y inside and o, q outside leave a prism between the triangles
// (x, xo, xq) and (y, yo, yq), whose third face lies on the surface.
func (f *stuffer) wedge(x, y, o, q int32) {
	top := [3]int32{f.corner(x), f.cutVertex(x, o), f.cutVertex(x, q)}
	bottom := [3]int32{f.corner(y), f.cutVertex(y, o), f.cutVertex(y, q)}
	// Faces: 0-1 is (x, y, o), 2-0 is (x, y, q) seen from y's side.
	d01 := f.diagonal(x, y, o)
	d20 := !f.diagonal(x, y, q)
	d12 := f.dist2(top[1], bottom[2]) <= f.dist2(top[2], bottom[1])
	if d01 == d20 { // a third equal one would leave no way to part the prism
		d12 = !d01
	}
	f.prism(top, bottom, [3]bool{d01, d12, d20})
}

func (f *stuffer) dist2(a, b int32) float64 {
	return norm2(f.mesh.pos[a].Sub(f.mesh.pos[b]))
}

// prism emits three tetrahedra. from[i] says that the diagonal of the side
// between columns i and i+1 starts at top i and ends at bottom i+1, rather than
// from top i+1 to bottom i. The three are never all equal.
func (f *stuffer) prism(top, bottom [3]int32, from [3]bool) {
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		if !from[i] || from[k] {
			continue // top i is the end of both its sides' diagonals
		}
		f.emit(top[i], bottom[0], bottom[1], bottom[2])
		if from[j] { // top j to bottom k
			f.emit(top[i], top[j], top[k], bottom[k])
			f.emit(top[i], top[j], bottom[j], bottom[k])
		} else {
			f.emit(top[i], top[j], top[k], bottom[j])
			f.emit(top[i], top[k], bottom[j], bottom[k])
		}
		return
	}
}

// corner is the mesh vertex of a lattice point.
func (f *stuffer) corner(id int32) int32 {
	if v, ok := f.vertex[id]; ok {
		return v
	}
	v := f.mesh.addVertex(f.position(id), f.size(id))
	f.origin = append(f.origin, id)
	f.vertex[id] = v
	return v
}

// cutVertex is the mesh vertex of the cut point between in and out.
func (f *stuffer) cutVertex(in, out int32) int32 {
	e := &f.edges[f.byEnds[edgeKey(in, out)]]
	if e.vertex < 0 {
		e.vertex = f.mesh.addVertex(f.point(in).Lerp(f.point(out), e.t), min(f.size(in), f.size(out)))
		f.origin = append(f.origin, -1)
	}
	return e.vertex
}

// emit adds a tetrahedron in positive orientation.
func (f *stuffer) emit(a, b, c, d int32) {
	m := f.mesh
	if orient3(m.pos[a], m.pos[b], m.pos[c], m.pos[d]) < 0 {
		c, d = d, c
	}
	m.tets = append(m.tets, [4]int32{a, b, c, d})
}
