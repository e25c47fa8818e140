package geometry

// allowed says whether merging the ends of a half-edge at p keeps the surface
// manifold, every CAD face alive and every triangle on its side.
func (d *decimator) allowed(h, a, b int32, p Vec3) bool {
	o := d.opp[h]
	border := o < 0
	if d.src.FaceID != nil && !d.facesSurvive(h, o) {
		return false
	}
	if !border && d.onBorder(a) && d.onBorder(b) {
		return false // would pinch the border
	}
	if !d.linkCondition(h, o, a, b) {
		return false
	}
	return d.keepsSide(a, b, p) && d.keepsSide(b, a, p)
}

func (d *decimator) facesSurvive(h, o int32) bool {
	f := d.src.FaceID[h/3]
	if o < 0 {
		return d.faces[f] > 1
	}
	g := d.src.FaceID[o/3]
	if f == g {
		return d.faces[f] > 2
	}
	return d.faces[f] > 1 && d.faces[g] > 1
}

// forward turns round the origin of h, counter-clockwise; -1 at a border.
func (d *decimator) forward(h int32) int32 { return d.opp[prevHalf(h)] }

func (d *decimator) onBorder(v int32) bool { return d.opp[d.out[v]] < 0 }

// linkCondition: the ends have exactly those neighbours in common that the
// edge's triangles give them, and none of those would be left with two
// triangles (Dey, Edelsbrunner, Guha and Nekhayev 1999).
func (d *decimator) linkCondition(h, o, a, b int32) bool {
	d.ringA = d.ringA[:0]
	d.eachNeighbour(a, func(w int32) { d.ringA = append(d.ringA, w) })
	common := 0
	d.eachNeighbour(b, func(w int32) {
		for _, x := range d.ringA {
			if x == w {
				common++
				break
			}
		}
	})
	want := 2
	if o < 0 {
		want = 1
	}
	if common != want {
		return false
	}
	for _, s := range [2]int32{h, o} {
		if s < 0 {
			continue
		}
		apex := prevHalf(s)
		if d.opp[nextHalf(s)] < 0 && d.opp[apex] < 0 {
			return false // the triangle hangs on this edge alone
		}
		n := 0
		d.eachNeighbour(d.tris[apex/3][apex%3], func(int32) { n++ })
		if n <= 3 && !d.onBorder(d.tris[apex/3][apex%3]) || n <= 2 {
			return false
		}
	}
	return true
}

func (d *decimator) eachNeighbour(v int32, visit func(w int32)) {
	start := d.out[v]
	for h := start; ; {
		_, w := d.ends(h)
		visit(w)
		next := d.forward(h)
		if next == start {
			return
		}
		if next < 0 {
			x, _ := d.ends(prevHalf(h))
			visit(x)
			return
		}
		h = next
	}
}

// keepsSide checks the triangles at v but for those that also have w: moved to
// p they must neither turn over, by more than about 80 degrees, nor lose their
// shape.
func (d *decimator) keepsSide(v, w int32, p Vec3) bool {
	start := d.out[v]
	for h := start; ; {
		tri := d.tris[h/3]
		k := h % 3
		x, y := tri[(k+1)%3], tri[(k+2)%3]
		if x != w && y != w {
			ex, ey := d.pos[x].Sub(p), d.pos[y].Sub(p)
			before := d.pos[x].Sub(d.pos[v]).Cross(d.pos[y].Sub(d.pos[v]))
			after := ex.Cross(ey)
			lb, la := before.Norm(), after.Norm()
			if lb > 0 && before.Dot(after) < 0.17*lb*la {
				return false
			}
			exy := d.pos[y].Sub(d.pos[x])
			longest := max(ex.Dot(ex), ey.Dot(ey), exy.Dot(exy))
			if la < 0.01*longest && la*d.longest2(v, x, y) < lb*longest {
				return false // thinner than 1:100 and thinner than before
			}
			if la == 0 {
				return false
			}
		}
		h = d.forward(h)
		if h == start || h < 0 {
			return true
		}
	}
}

func (d *decimator) longest2(u, v, w int32) float64 {
	a, b, c := d.pos[v].Sub(d.pos[u]), d.pos[w].Sub(d.pos[v]), d.pos[u].Sub(d.pos[w])
	return max(a.Dot(a), b.Dot(b), c.Dot(c))
}

// collapse merges a into b at p and removes the edge's triangles.
func (d *decimator) collapse(h, a, b int32, p Vec3) {
	o := d.opp[h]
	start := d.out[a]
	for g := start; ; {
		next := d.forward(g)
		d.tris[g/3][g%3] = b
		if next == start || next < 0 {
			break
		}
		g = next
	}
	d.quad[b].add(&d.quad[a])
	d.kind[b] = max(d.kind[a], d.kind[b])
	d.pos[b], d.into[a] = p, b
	d.removeTriangle(h)
	if o >= 0 {
		d.removeTriangle(o)
	}
	d.collapses++
	d.stamp[b] += d.stamp[a] + 1
	d.pushAround(b)
}

// removeTriangle closes the gap that the triangle of a collapsed half-edge
// leaves: its two other edges become one. All vertices of it get a living
// half-edge.
func (d *decimator) removeTriangle(h int32) {
	t := h / 3
	x, y := d.opp[nextHalf(h)], d.opp[prevHalf(h)]
	if x >= 0 {
		d.opp[x] = y
	}
	if y >= 0 {
		d.opp[y] = x
	}
	d.alive[t] = false
	d.left--
	if d.src.FaceID != nil {
		d.faces[d.src.FaceID[t]]--
	}
	g := x // from the apex to the merged vertex
	if g < 0 {
		g = nextHalf(y)
	}
	d.normalizeBorder(g)
	if x >= 0 {
		d.normalizeBorder(nextHalf(x))
	} else {
		d.normalizeBorder(y)
	}
}

// normalizeBorder makes h, turned back to the border if there is one, the half-edge of
// its origin.
func (d *decimator) normalizeBorder(h int32) {
	v, _ := d.ends(h)
	start := h
	for d.opp[h] >= 0 {
		h = nextHalf(d.opp[h])
		if h == start {
			break
		}
	}
	d.out[v] = h
}

// pushAround queues the edges of a merged vertex anew.
func (d *decimator) pushAround(v int32) {
	start := d.out[v]
	for h := start; ; {
		if e, ok := d.entry(h); ok {
			d.heap.push(e)
		}
		next := d.forward(h)
		if next == start {
			return
		}
		if next < 0 {
			if e, ok := d.entry(prevHalf(h)); ok {
				d.heap.push(e)
			}
			return
		}
		h = next
	}
}
