package stuffing

import "context"

// settle brings the boundary vertices home that no single move could: each is set
// on its place, and the vertices around it are moved until every tetrahedron there
// is above floor again. Where that fails all of them go back.
func (r *relaxer) settle(ctx context.Context, floor float64) error {
	for _, far := range [2]int{1, 2} { // first with the nearest vertices alone
		for _, kind := range [4]placeKind{onTip, onCurve, onPatch, onSurface} {
			for v := range r.m.pos {
				if r.place[v].kind != kind || !r.late(int32(v)) {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				r.insist(int32(v), far, floor)
			}
		}
	}
	return nil
}

// insist sets one vertex on its place and has those up to some tetrahedra away
// make room for it.
func (r *relaxer) insist(v int32, far int, floor float64) {
	around := r.neighbours(v, far)
	type was struct{ at, goal vec }
	before := make([]was, len(around))
	for i, u := range around {
		before[i] = was{r.m.pos[u], r.goal[u]}
	}
	from := r.m.pos[v]
	r.m.pos[v] = r.goal[v]
	const rounds = 15
	for round := range rounds {
		low := false
		for _, u := range around {
			if q := r.star(u, r.m.pos[u]); q <= floor {
				low = true
				r.makeRoom(u, q, round)
			}
		}
		if !low && r.star(v, r.m.pos[v]) > floor {
			r.moved[v] = true
			return
		}
	}
	r.m.pos[v] = from
	for i, u := range around {
		r.m.pos[u], r.goal[u] = before[i].at, before[i].goal
	}
}

// neighbours are the vertices up to some tetrahedra away from v, the nearest first.
func (r *relaxer) neighbours(v int32, far int) []int32 {
	seen := map[int32]bool{v: true}
	out := []int32{v}
	from := 0
	for range far {
		to := len(out)
		for _, w := range out[from:to] {
			for _, t := range r.tets.of(w) {
				for _, u := range r.m.tets[t] {
					if !seen[u] {
						seen[u] = true
						out = append(out, u)
					}
				}
			}
		}
		from = to
	}
	return out[1:]
}

// makeRoom moves a vertex to where the worst tetrahedron around it is better. One
// of the boundary stays on its place, and one that is not there may go there.
func (r *relaxer) makeRoom(u int32, best float64, round int) {
	bound := r.place[u].kind != free
	if bound && r.late(u) {
		if r.starAbove(u, r.goal[u], best) > best {
			r.m.pos[u] = r.goal[u]
			r.moved[u] = true
		}
		return
	}
	if r.place[u].kind == onTip {
		return
	}
	rng := random(uint64(u)<<20 ^ uint64(round))
	try := func(p vec) bool {
		if bound {
			p = r.along(u, p)
		}
		if q := r.starAbove(u, p, best); q > best+1e-9 {
			r.m.pos[u], best = p, q
			if bound {
				r.goal[u] = p
			}
			return true
		}
		return false
	}
	try(r.middle(u))
	for _, h := range [4]float64{0.3, 0.12, 0.05, 0.02} {
		for range 4 {
			d := rng.direction().Scale(h * r.at(u))
			p := r.m.pos[u]
			if !try(p.Add(d)) {
				try(p.Sub(d))
			}
		}
	}
	r.moved[u] = true
}

// along is the point of a boundary vertex's place that is nearest to p, wherever
// the vertex was drawn to before.
func (r *relaxer) along(u int32, p vec) vec {
	aimed := r.aimed[u]
	r.aimed[u] = false
	q := r.project(u, p)
	r.aimed[u] = aimed
	return q
}
