package stuffing

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// The topological improvement of Shewchuk, Two Discrete Optimization Algorithms for
// the Topological Improvement of Tetrahedral Meshes (2002): the tetrahedra around an
// edge are replaced by the best triangulation of its ring, which Klincsek's dynamic
// programming finds, and two on one face by three on the edge between their tips.

// mostAround is the largest ring of an edge that is looked at: larger ones hold the
// best triangulation seldom, and cost its cube.
const mostAround = 8

// swapper makes one pass. A vertex that an exchange has touched is left alone for the
// rest of it, so that the lists of the mesh stay those of the pass's beginning.
type swapper struct {
	*relaxer
	touched []bool
	gone    []int32 // places in the list of tetrahedra that are free
	flipped bool    // an edge of the boundary
}

// exchange is a set of tetrahedra that may be replaced by others in the same space.
type exchange struct {
	old, new [][4]int32
	at       []int32 // of the old in the list
	gain     float64 // lowest quality after
	// Of an edge of the boundary: its two triangles and what they become.
	tris  [2]int32
	flips [2][3]int32
	flip  bool
	point *vec    // of the new vertex, which has the next number
	size  float64 // there
}

// swap replaces tetrahedra below a quality, worst first, where the worst of those that
// take their place is better than the worst of those that go; with insert by some
// around a new vertex where nothing else helps. It counts the exchanges.
func (r *relaxer) swap(ctx context.Context, poor float64, insert bool) (int, error) {
	list, err := r.poor(ctx, poor)
	if err != nil {
		return 0, err
	}
	s := &swapper{relaxer: r, touched: make([]bool, len(r.m.pos))}
	made := 0
	for i, t := range list {
		if i&255 == 0 && ctx.Err() != nil {
			return made, ctx.Err()
		}
		x := s.best(t)
		if x == nil && insert {
			x = s.between(t)
		}
		if x != nil {
			s.replace(x)
			made++
		}
	}
	if made > 0 {
		s.finish()
	}
	return made, nil
}

// poor lists the tetrahedra below a quality, the worst first.
func (r *relaxer) poor(ctx context.Context, bound float64) ([]int32, error) {
	quality := make([]float64, len(r.m.tets))
	if err := parallel(ctx, len(quality), func(t int) { quality[t] = r.quality(r.m.tets[t]) }); err != nil {
		return nil, err
	}
	var list []int32
	for t, q := range quality {
		if q < bound {
			list = append(list, int32(t))
		}
	}
	slices.SortFunc(list, func(a, b int32) int { return cmp.Or(cmp.Compare(quality[a], quality[b]), cmp.Compare(a, b)) })
	return list, nil
}

func (r *relaxer) quality(t [4]int32) float64 {
	p := r.m.pos
	return minSine2(&p[t[0]], &p[t[1]], &p[t[2]], &p[t[3]])
}

// best is the exchange that raises the lowest quality around a tetrahedron most; nil
// for none.
func (s *swapper) best(t int32) *exchange {
	v := s.m.tets[t]
	if s.any(v[:]...) {
		return nil
	}
	var best *exchange
	consider := func(x *exchange) {
		if x != nil && (best == nil || x.gain > best.gain) {
			best = x
		}
	}
	for k := range 4 {
		consider(s.overFace(t, k))
		if s.place[v[k]].kind == free {
			consider(s.into(v[k], v))
		}
		for j := range k {
			consider(s.aroundEdge(v[j], v[k]))
		}
	}
	return best
}

func (s *swapper) any(vertices ...int32) bool {
	return slices.ContainsFunc(vertices, func(v int32) bool { return s.touched[v] })
}

// worth computes the gain of an exchange; nil where it is none.
func (s *swapper) worth(x *exchange) *exchange {
	before := math.Inf(1)
	for _, t := range x.old {
		before = min(before, s.quality(t))
	}
	x.gain = math.Inf(1)
	for _, t := range x.new {
		if x.gain = min(x.gain, s.quality(t)); x.gain <= before*(1+1e-3) || x.gain <= 0 {
			return nil
		}
	}
	return x
}

// overFace replaces the tetrahedron and the one behind its face k by three around the
// edge between the tips.
func (s *swapper) overFace(t int32, k int) *exchange {
	v := s.m.tets[t]
	f := tetFaces[k]
	a, b, c := v[f[0]], v[f[1]], v[f[2]]
	for _, u := range s.tets.of(a) {
		w := s.m.tets[u]
		if u == t || !slices.Contains(w[:], b) || !slices.Contains(w[:], c) {
			continue
		}
		tip := w[0] + w[1] + w[2] + w[3] - a - b - c
		if s.touched[tip] {
			return nil
		}
		from := v[k]
		return s.worth(&exchange{old: [][4]int32{v, w}, at: []int32{t, u},
			new: [][4]int32{{from, tip, a, b}, {from, tip, b, c}, {from, tip, c, a}}})
	}
	return nil
}

// into draws a free vertex into the one of a tetrahedron's others that is best.
func (s *swapper) into(u int32, tet [4]int32) *exchange {
	star := s.tets.of(u)
	x := &exchange{at: star}
	for _, t := range star {
		v := s.m.tets[t]
		if s.any(v[:]...) {
			return nil
		}
		x.old = append(x.old, v)
	}
	var best *exchange
	for _, to := range tet {
		if to == u {
			continue
		}
		x.new = nil
		for _, v := range x.old {
			if !slices.Contains(v[:], to) {
				v[slices.Index(v[:], u)] = to
				x.new = append(x.new, v)
			}
		}
		if s.worth(x) != nil && (best == nil || x.gain > best.gain) {
			better := *x
			best = &better
		}
	}
	return best
}

// between sets a new vertex on an edge inside of the body, and moves it to where the
// worst around it is best.
func (s *swapper) between(t int32) *exchange {
	v := s.m.tets[t]
	if s.any(v[:]...) {
		return nil
	}
	var best *exchange
	for k := range 4 {
		for j := range k {
			if x := s.onEdge(v[j], v[k]); x != nil && (best == nil || x.gain > best.gain) {
				best = x
			}
		}
	}
	return best
}

func (s *swapper) onEdge(a, b int32) *exchange {
	x, ring, closed := s.whole(a, b)
	if !closed || s.any(ring...) {
		return nil
	}
	fresh := int32(len(s.m.pos))
	for _, v := range x.old {
		left, right := v, v
		left[slices.Index(v[:], b)], right[slices.Index(v[:], a)] = fresh, fresh
		x.new = append(x.new, left, right)
	}
	p := s.m.pos[a].Lerp(s.m.pos[b], 0.5)
	x.size = min(s.at(a), s.at(b))
	s.m.pos = append(s.m.pos, p)
	defer func() { s.m.pos = s.m.pos[:fresh] }()
	lowest := func(at vec, enough float64) float64 {
		s.m.pos[fresh] = at
		least := math.Inf(1)
		for _, t := range x.new {
			if least = min(least, s.quality(t)); least <= enough {
				break
			}
		}
		return least
	}
	q := lowest(p, -2)
	rng := random(uint64(a)<<32 ^ uint64(b) ^ s.round<<56)
	for _, h := range [4]float64{0.2, 0.1, 0.05, 0.02} {
		for range 6 {
			d := rng.direction().Scale(h * x.size)
			for _, at := range [2]vec{p.Add(d), p.Sub(d)} {
				if better := lowest(at, q); better > q {
					p, q = at, better
				}
			}
		}
	}
	s.m.pos[fresh] = p
	x.point = &p
	return s.worth(x)
}

// even lists for each two places in a tetrahedron the other two, in the order that
// makes the four an even permutation.
var even = [4][4][2]int{
	{{}, {2, 3}, {3, 1}, {1, 2}},
	{{3, 2}, {}, {0, 3}, {2, 0}},
	{{1, 3}, {3, 0}, {}, {0, 1}},
	{{2, 1}, {0, 2}, {1, 0}, {}},
}

// aroundEdge removes the edge between a and b: inside of the body, or in a flat part
// of one of its faces.
func (s *swapper) aroundEdge(a, b int32) *exchange {
	x, ring, closed := s.whole(a, b)
	if len(ring) < 3 || s.any(ring...) {
		return nil
	}
	if !closed && !s.flatten(x, a, b, ring) {
		return nil
	}
	x.new = s.fill(ring, a, b)
	if x.new == nil {
		return nil
	}
	return s.worth(x)
}

// whole is what may be exchanged at an edge: the tetrahedra around it and the ring of their
// other vertices, closed where the edge is inside of the body; no ring where there are
// too many, or these make none.
func (s *swapper) whole(a, b int32) (x *exchange, ring []int32, closed bool) {
	x = &exchange{}
	var links [][2]int32
	for _, t := range s.tets.of(a) {
		v := s.m.tets[t]
		j := slices.Index(v[:], b)
		if j < 0 {
			continue
		}
		others := even[slices.Index(v[:], a)][j]
		x.old, x.at = append(x.old, v), append(x.at, t)
		if links = append(links, [2]int32{v[others[0]], v[others[1]]}); len(links) > mostAround {
			return nil, nil, false
		}
	}
	ring, closed = chain(links)
	return x, ring, closed
}

// chain puts directed links into one line or circle of vertices; nil where they are
// none.
func chain(links [][2]int32) (ring []int32, closed bool) {
	start := links[0][0]
	for _, l := range links {
		if !slices.ContainsFunc(links, func(m [2]int32) bool { return m[1] == l[0] }) {
			start = l[0] // of a line: nothing leads to it
		}
	}
	ring = append(ring, start)
	for at := start; len(ring) <= len(links); {
		k := slices.IndexFunc(links, func(l [2]int32) bool { return l[0] == at })
		if k < 0 {
			return nil, false
		}
		if at = links[k][1]; at == start {
			break
		}
		ring = append(ring, at)
	}
	closed = len(ring) == len(links)
	if !closed && len(ring) != len(links)+1 {
		return nil, false
	}
	return ring, closed
}

// flatten says whether an edge of the boundary may be turned: its two triangles lie in
// one plane and belong to one face, so that the body stays what it is.
func (s *swapper) flatten(x *exchange, a, b int32, ring []int32) bool {
	var across [2]int32
	n := 0
	for _, t := range s.bound.of(a) {
		tri := s.tris[t]
		k := slices.Index(tri[:], b)
		if k < 0 {
			continue
		}
		if n == 2 {
			return false
		}
		side := 0 // the triangle runs from a to b
		if tri[(k+1)%3] == a {
			side = 1
		}
		x.tris[side], across[side] = t, tri[0]+tri[1]+tri[2]-a-b
		n++
	}
	first, last := ring[0], ring[len(ring)-1]
	if n != 2 || min(first, last) != min(across[0], across[1]) || max(first, last) != max(across[0], across[1]) {
		return false
	}
	if len(s.label) > 0 && s.label[x.tris[0]] != s.label[x.tris[1]] {
		return false
	}
	p := s.m.pos
	size := s.at(a)
	if math.Abs(orient3(p[a], p[b], p[first], p[last])) > 1e-9*size*size*size {
		return false
	}
	x.flip = true
	x.flips = [2][3]int32{{across[0], a, across[1]}, {across[1], b, across[0]}}
	return true
}

// fill is the best set of tetrahedra between a ring and the two ends of the edge that
// it lies around; nil where none has a positive volume.
func (s *swapper) fill(ring []int32, a, b int32) [][4]int32 {
	var best [mostAround + 1][mostAround + 1]float64
	var split [mostAround + 1][mostAround + 1]int
	n := len(ring)
	for i := range n - 1 {
		best[i][i+1] = math.Inf(1)
	}
	for width := 2; width < n; width++ {
		for i := 0; i+width < n; i++ {
			j := i + width
			best[i][j] = -1
			for k := i + 1; k < j; k++ {
				q := min(best[i][k], best[k][j])
				if q <= best[i][j] {
					continue
				}
				q = min(q, s.quality([4]int32{ring[i], ring[k], ring[j], b}), s.quality([4]int32{ring[i], ring[j], ring[k], a}))
				if q > best[i][j] {
					best[i][j], split[i][j] = q, k
				}
			}
		}
	}
	if best[0][n-1] <= 0 {
		return nil
	}
	var out [][4]int32
	var take func(i, j int)
	take = func(i, j int) {
		if j < i+2 {
			return
		}
		k := split[i][j]
		out = append(out, [4]int32{ring[i], ring[k], ring[j], b}, [4]int32{ring[i], ring[j], ring[k], a})
		take(i, k)
		take(k, j)
	}
	take(0, n-1)
	return out
}

func (s *swapper) replace(x *exchange) {
	for _, t := range x.old {
		for _, v := range t {
			s.touched[v] = true
			s.moved[v] = true
		}
	}
	if x.point != nil {
		s.m.addVertex(*x.point, x.size)
		s.place = append(s.place, placement{})
		s.goal = append(s.goal, *x.point)
		s.aimed, s.moved, s.touched = append(s.aimed, false), append(s.moved, true), append(s.touched, true)
	}
	for i, t := range x.new {
		if i < len(x.at) {
			s.m.tets[x.at[i]] = t
		} else {
			s.m.tets = append(s.m.tets, t)
		}
	}
	if len(x.at) > len(x.new) {
		s.gone = append(s.gone, x.at[len(x.new):]...)
	}
	if x.flip {
		s.tris[x.tris[0]], s.tris[x.tris[1]] = x.flips[0], x.flips[1]
		s.flipped = true
	}
}

// finish renews the lists.
func (s *swapper) finish() {
	slices.Sort(s.gone)
	for i := len(s.gone) - 1; i >= 0; i-- { // the last ones take the free places
		last := len(s.m.tets) - 1
		s.m.tets[s.gone[i]] = s.m.tets[last]
		s.m.tets = s.m.tets[:last]
	}
	s.relaxer.tets = tetsAround(s.m.tets, len(s.m.pos))
	if s.flipped {
		s.bound = trianglesAround(s.tris, len(s.m.pos))
	}
	s.split()
}
