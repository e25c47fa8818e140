package stuffing

import (
	"context"
	"math"
	"sync/atomic"
)

func sqrt(x float64) float64 { return math.Sqrt(x) }

// star is the lowest quality of the tetrahedra at v, were v at p.
func (r *relaxer) star(v int32, p vec) float64 {
	return r.starAbove(v, p, -2)
}

// starAbove is star that gives up, with some value of at most bound, once a
// tetrahedron is not better than bound.
func (r *relaxer) starAbove(v int32, p vec, bound float64) float64 {
	least := math.Inf(1)
	pos := r.m.pos
	for _, t := range r.tets.of(v) {
		w := &r.m.tets[t]
		c := [4]*vec{&pos[w[0]], &pos[w[1]], &pos[w[2]], &pos[w[3]]}
		for k, u := range w {
			if u == v {
				c[k] = &p
			}
		}
		if q := minSine2(c[0], c[1], c[2], c[3]); q < least {
			least = q
			if q <= bound {
				return q
			}
		}
	}
	return least
}

// snap moves every boundary vertex towards its place as far as the tetrahedra
// around it stay above floor, or do not get worse.
func (r *relaxer) snap(ctx context.Context, floor float64) error {
	for _, kind := range [4]placeKind{onTip, onCurve, onPatch, onSurface} {
		err := r.each(ctx, func(v int32) {
			if r.place[v].kind == kind {
				r.approach(v, floor)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var steps = [5]float64{1, 0.7, 0.4, 0.2, 0.08}

// approach moves v as far towards its place as allowed.
func (r *relaxer) approach(v int32, floor float64) {
	from := r.m.pos[v]
	to := r.project(v, from)
	r.goal[v], r.aimed[v] = to, true
	gap := to.Sub(from)
	if size := r.at(v); norm2(gap) < 1e-14*size*size {
		return
	}
	bound := min(floor, r.star(v, from))
	for _, s := range steps {
		p := to
		if s < 1 {
			p = from.Add(gap.Scale(s))
		}
		if r.starAbove(v, p, bound) > bound {
			r.m.pos[v] = p
			r.moved[v] = true
			return
		}
	}
}

// random is a small deterministic generator (SplitMix64).
type random uint64

// direction is a point of the cube [-1, 1]³.
func (r *random) direction() vec {
	var d vec
	for k := range d {
		*r += 0x9e3779b97f4a7c15
		z := uint64(*r)
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		d[k] = float64(int64(z^z>>31)) / (1 << 63)
	}
	return d
}

// climb raises the quality around a vertex that falls short of good, by hill
// climbing over the smallest sine: towards the middle of its neighbours and in
// random directions, along its place for a boundary vertex.
func (r *relaxer) climb(v int32) {
	if r.place[v].kind == onTip {
		return
	}
	from := r.m.pos[v]
	best := r.star(v, from)
	if best >= r.good {
		return
	}
	rng := random(uint64(v)<<20 ^ r.round<<52 ^ math.Float64bits(best))
	bound := r.place[v].kind != free
	size := r.at(v)
	settled := bound && norm2(r.project(v, from).Sub(from)) < 1e-12*size*size
	gap := norm2(from.Sub(r.goal[v]))
	if best < sine2(15) { // an angle as small counts for more than a bump that is there anyway
		gap *= 4
	}
	try := func(p vec) bool {
		if settled {
			p = r.project(v, p)
		} else if bound && r.strict && norm2(p.Sub(r.goal[v])) > gap {
			return false
		}
		if q := r.starAbove(v, p, best); q > best*(1+1e-4) {
			r.m.pos[v], best = p, q
			r.moved[v] = true
			return true
		}
		return false
	}
	middle := r.middle(v)
	if !try(middle) {
		try(from.Lerp(middle, 0.5))
	}
	for _, h := range [3]float64{0.12, 0.05, 0.02} {
		for range 4 {
			d := rng.direction().Scale(h * size)
			p := r.m.pos[v]
			if !try(p.Add(d)) {
				try(p.Sub(d))
			}
		}
		if best >= r.good {
			return
		}
	}
}

// middle is the mean of the neighbours of the same place or, for a free vertex,
// of all.
func (r *relaxer) middle(v int32) vec {
	var sum vec
	n := 0.0
	if r.place[v].kind == free {
		for _, t := range r.tets.of(v) {
			for _, u := range r.m.tets[t] {
				if u != v {
					sum, n = sum.Add(r.m.pos[u]), n+1
				}
			}
		}
		return sum.Scale(1 / n)
	}
	curve := r.place[v].kind == onCurve
	for _, t := range r.bound.of(v) {
		for _, u := range r.tris[t] {
			if u != v && (!curve || r.place[u].kind == onTip || r.place[u].kind == onCurve && r.place[u].pair == r.place[v].pair) {
				sum, n = sum.Add(r.m.pos[u]), n+1
			}
		}
	}
	if n == 0 {
		return r.m.pos[v]
	}
	return sum.Scale(1 / n)
}

// relax first fits the boundary: it snaps vertices to their places, lets the
// free vertices behind them give way, and mends what then stands in the way; the
// labels are renewed while the shape still changes. With optimise the quality is
// raised in further rounds.
func (r *relaxer) relax(ctx context.Context, optimise bool, report func(fraction float64)) error {
	if err := r.fit(ctx, func(f float64) { report(0.7 * f) }); err != nil {
		return err
	}
	if optimise {
		const rounds = 4
		r.good = sine2(25)
		r.wakeAll()
		for round := range rounds {
			if _, err := r.swap(ctx, r.good, false); err != nil {
				return err
			}
			if err := r.smooth(ctx); err != nil {
				return err
			}
			if err := r.snap(ctx, sine2(12)); err != nil {
				return err
			}
			report(0.7 + 0.3*float64(round+1)/rounds)
		}
	}
	if err := r.snap(ctx, sine2(leastAngle+0.5)); err != nil {
		return err
	}
	if err := r.settle(ctx, sine2(leastAngle+0.5)); err != nil || !optimise {
		return err
	}
	return r.polish(ctx)
}

// polish raises the worst of a finished mesh, of which every vertex that has arrived
// stays on its place, and no other gets further from its own.
func (r *relaxer) polish(ctx context.Context) error {
	const least, most = 5, 30
	r.strict = true
	for r.round = range most {
		swapped, err := r.swap(ctx, r.good, true)
		if err != nil {
			return err
		}
		list, err := r.poor(ctx, r.good)
		if err != nil {
			return err
		}
		near := make([]bool, len(r.m.pos))
		for _, t := range list {
			for _, v := range r.m.tets[t] {
				near[v] = true
			}
		}
		var climbed atomic.Bool
		err = r.each(ctx, func(v int32) {
			if !near[v] {
				return
			}
			from, late := r.m.pos[v], r.late(v)
			if r.climb(v); r.m.pos[v] != from {
				climbed.Store(true)
				if !late {
					r.goal[v] = r.m.pos[v]
				}
			}
		})
		if err != nil || r.round >= least && swapped == 0 && !climbed.Load() {
			return err
		}
	}
	return nil
}

// fit runs rounds until every vertex has arrived or hardly any more does.
func (r *relaxer) fit(ctx context.Context, report func(fraction float64)) error {
	const least, most = 8, 24
	r.good = sine2(14)
	before := len(r.m.pos)
	for round := range most {
		if round == 0 || round == 2 || round == 5 {
			if err := r.assign(ctx); err != nil {
				return err
			}
			r.locateAll()
			r.wakeAll()
		}
		if err := r.snap(ctx, sine2(12)); err != nil {
			return err
		}
		if err := r.giveWay(ctx, sine2(12)); err != nil {
			return err
		}
		if err := r.smooth(ctx); err != nil {
			return err
		}
		now := r.off()
		if round >= least && (now == 0 || float64(now) > 0.95*float64(before)) {
			break
		}
		before = now
		report(float64(round+1) / most)
	}
	return nil
}

// giveWay moves the free vertices next to boundary vertices that have not
// arrived towards the middle of where their neighbours want to be.
func (r *relaxer) giveWay(ctx context.Context, floor float64) error {
	wanted := make([]bool, len(r.m.pos))
	for _, t := range r.m.tets {
		late := false
		for _, v := range t {
			late = late || r.late(v)
		}
		if late {
			for _, v := range t {
				wanted[v] = true
			}
		}
	}
	return r.each(ctx, func(v int32) {
		if !wanted[v] || r.place[v].kind != free {
			return
		}
		var sum vec
		n := 0.0
		for _, t := range r.tets.of(v) {
			for _, u := range r.m.tets[t] {
				switch {
				case u == v:
					continue
				case r.place[u].kind == free:
					sum = sum.Add(r.m.pos[u])
				default:
					sum = sum.Add(r.goal[u])
				}
				n++
			}
		}
		from := r.m.pos[v]
		gap := sum.Scale(1 / n).Sub(from)
		bound := min(floor, r.star(v, from))
		for _, s := range steps[:4] {
			if p := from.Add(gap.Scale(s)); r.starAbove(v, p, bound) > bound {
				r.m.pos[v] = p
				r.moved[v] = true
				return
			}
		}
	})
}

// smooth climbs at every vertex around which something moved since last time.
func (r *relaxer) smooth(ctx context.Context) error {
	awake := make([]bool, len(r.m.pos))
	for _, t := range r.m.tets {
		if r.moved[t[0]] || r.moved[t[1]] || r.moved[t[2]] || r.moved[t[3]] {
			for _, v := range t {
				awake[v] = true
			}
		}
	}
	clear(r.moved)
	return r.each(ctx, func(v int32) {
		if awake[v] {
			r.climb(v)
		}
	})
}

func (r *relaxer) wakeAll() {
	for v := range r.moved {
		r.moved[v] = true
	}
}
