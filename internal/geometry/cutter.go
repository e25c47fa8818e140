package geometry

import "math"

// cutter triangulates one triangle over further points on its rim and inside,
// with given edges. The triangles are few, so that linear searches do.
type cutter struct {
	tris  [][3]int32
	at    func(v int32) [2]float64
	has   map[int32]bool
	rim   [3]int32 // last vertex reached on each side, from which the next splits
	end   [3]int32
	fixed map[uint64]bool
}

func newCutter(tri [3]int32, at func(v int32) [2]float64) *cutter {
	return &cutter{
		tris: [][3]int32{tri}, at: at, has: map[int32]bool{tri[0]: true, tri[1]: true, tri[2]: true},
		rim: tri, end: [3]int32{tri[1], tri[2], tri[0]}, fixed: map[uint64]bool{},
	}
}

// find is a triangle that has the directed edge a-b, and the position of a in it.
func (c *cutter) find(a, b int32) (t, k int) {
	for t, tri := range c.tris {
		for k := range 3 {
			if tri[k] == a && tri[(k+1)%3] == b {
				return t, k
			}
		}
	}
	return -1, 0
}

// splitRim puts v on side k, behind the points put there before.
func (c *cutter) splitRim(k int, v int32) {
	t, i := c.find(c.rim[k], c.end[k])
	if t < 0 {
		return
	}
	c.splitEdge(t, i, v)
	c.rim[k] = v
	c.has[v] = true
}

func (c *cutter) splitEdge(t, i int, v int32) {
	tri := c.tris[t]
	a, b, o := tri[i], tri[(i+1)%3], tri[(i+2)%3]
	c.tris[t] = [3]int32{a, v, o}
	c.tris = append(c.tris, [3]int32{v, b, o})
}

// insert puts v into the triangle that it lies deepest in.
func (c *cutter) insert(v int32) {
	p := c.at(v)
	best, depth := 0, math.Inf(-1)
	for t, tri := range c.tris {
		x, y, z := c.at(tri[0]), c.at(tri[1]), c.at(tri[2])
		area := Orient2D(x, y, z)
		if area <= 0 {
			continue
		}
		d := min(Orient2D(x, y, p), Orient2D(y, z, p), Orient2D(z, x, p)) / area
		if d > depth {
			best, depth = t, d
		}
	}
	tri := c.tris[best]
	c.tris[best] = [3]int32{tri[0], tri[1], v}
	c.tris = append(c.tris, [3]int32{tri[1], tri[2], v}, [3]int32{tri[2], tri[0], v})
	c.has[v] = true
}

// enforce makes a-b an edge by flipping those that cross it (Sloan 1993).
func (c *cutter) enforce(a, b int32) bool {
	defer func() { c.fixed[edgeKey(a, b)] = true }()
	for range 50 + 10*len(c.tris) {
		if t, _ := c.find(a, b); t >= 0 {
			return true
		}
		if t, _ := c.find(b, a); t >= 0 {
			return true
		}
		if !c.flipOne(a, b) {
			return false
		}
	}
	return false
}

// flipOne flips an edge that crosses a-b and whose quadrilateral is convex; of
// several it prefers one that crosses no longer.
func (c *cutter) flipOne(a, b int32) bool {
	pa, pb := c.at(a), c.at(b)
	type flip struct{ t, s, i, j int }
	var any *flip
	for t, tri := range c.tris {
		for i := range 3 {
			u, v, x := tri[i], tri[(i+1)%3], tri[(i+2)%3]
			if u > v || u == a || u == b || v == a || v == b || c.fixed[edgeKey(u, v)] {
				continue
			}
			if !crossProperly(pa, pb, c.at(u), c.at(v)) {
				continue
			}
			s, j := c.find(v, u)
			if s < 0 {
				continue
			}
			y := c.tris[s][(j+2)%3]
			if Orient2D(c.at(u), c.at(y), c.at(x)) <= 0 || Orient2D(c.at(y), c.at(v), c.at(x)) <= 0 {
				continue
			}
			f := flip{t, s, i, j}
			if x == a || x == b || y == a || y == b || !crossProperly(pa, pb, c.at(x), c.at(y)) {
				c.flip(f.t, f.s, f.i, f.j)
				return true
			}
			if any == nil {
				any = &f
			}
		}
	}
	if any == nil {
		return false
	}
	c.flip(any.t, any.s, any.i, any.j)
	return true
}

func (c *cutter) flip(t, s, i, j int) {
	u, v, x := c.tris[t][i], c.tris[t][(i+1)%3], c.tris[t][(i+2)%3]
	y := c.tris[s][(j+2)%3]
	c.tris[t], c.tris[s] = [3]int32{u, y, x}, [3]int32{y, v, x}
}
