package geometry

import "slices"

// resolve counts what intersects and, when the caller wishes, replaces the
// surface of each body by the boundary of its union: every point that it winds
// around at least once is material.
func (p *repairer) resolve() error {
	if p.r.changed() {
		var err error
		if p.r.FinalIntersecting, p.r.ContactTriangles, err = p.m.intersecting(p.ctx); err != nil {
			return err
		}
	}
	if p.r.FinalIntersecting == 0 || !p.opt.ResolveIntersections {
		return nil
	}
	if !p.m.Check().Closed {
		p.r.warn("self-intersections were left, since an open surface has no inside")
		return nil
	}
	if err := p.countTurned(); err != nil {
		return err
	}
	before := p.m.Volume()
	if err := p.uniteBodies(); err != nil {
		return err
	}
	if p.r.IntersectionsFixed > 0 {
		p.r.warn("self-intersecting parts were united (volume %.6g before, %.6g after, where overlaps counted twice)", before, p.m.Volume())
	}
	if p.r.FinalIntersecting > 0 {
		p.r.warn("%d triangles still intersect others", p.r.FinalIntersecting)
	}
	return nil
}

// countTurned looks for components that were inside out and cross others that were
// not. Uniting them makes material of what may have been a cut: the file does not say
// which of the two it meant.
func (p *repairer) countTurned() error {
	if !slices.Contains(p.turned, true) || !slices.Contains(p.turned, false) {
		return nil
	}
	pairs, err := p.m.SelfIntersections(p.ctx, maxPairs)
	if err != nil {
		return err
	}
	seen := map[int32]bool{}
	for _, pair := range pairs {
		for i, t := range pair {
			if p.turned[t] && !p.turned[pair[1-i]] {
				seen[t] = true
			}
		}
	}
	if p.r.TurnedCrossing = len(seen); len(seen) > 0 {
		p.r.warn("%d triangles of components that were inside out cross others that were not: they were united, though they may have been cuts", len(seen))
	}
	return nil
}

// uniteBodies works on one body after the other; bodies stay apart.
func (p *repairer) uniteBodies() error {
	body := p.m.bodies()
	if body == nil {
		return p.unite()
	}
	all := &Mesh{Meta: p.m.Meta}
	p.r.FinalIntersecting = 0
	for b := int32(0); b <= slices.Max(body); b++ {
		part := p.m.part(func(t int) bool { return body[t] == b })
		pairs, err := part.SelfIntersections(p.ctx, maxPairs)
		if err != nil {
			return err
		}
		q := &repairer{ctx: p.ctx, m: part, opt: p.opt, r: &RepairReport{FinalIntersecting: facesIn(pairs)}}
		if err := q.unite(); err != nil {
			return err
		}
		p.r.FinalIntersecting += q.r.FinalIntersecting
		p.r.IntersectionsFixed += q.r.IntersectionsFixed
		p.r.Warnings = append(p.r.Warnings, q.r.Warnings...)
		all.join(q.m)
	}
	p.m = all
	return nil
}

// unite tries finer to coarser perturbations until nothing intersects.
func (p *repairer) unite() error {
	for seed := uint64(1); seed <= 6 && p.r.FinalIntersecting > 0; seed++ {
		if err := p.tryUnion(seed); err != nil {
			return err
		}
	}
	return nil
}

// tryUnion replaces the surface by its union where that is sound and has fewer
// intersections than before.
func (p *repairer) tryUnion(seed uint64) error {
	pairs, err := p.m.SelfIntersections(p.ctx, maxPairs)
	if err != nil || len(pairs) == 0 {
		return err
	}
	a, err := arrange(p.ctx, p.m, pairs, seed)
	if err != nil || a == nil {
		return err
	}
	u, err := a.union()
	if err != nil || len(u.Triangles) == 0 {
		return err
	}
	opt := p.opt
	opt.MaxHoleArea = 0.02 // what rounding left open, no more
	trial := &repairer{ctx: p.ctx, m: u, opt: opt, r: &RepairReport{}, crumbs: true}
	for _, step := range []func() error{trial.makeManifold, trial.fillHoles, trial.finish, trial.verify} {
		if trial.m.compact(); step() != nil {
			return p.ctx.Err()
		}
	}
	left, err := trial.m.SelfIntersections(p.ctx, maxPairs)
	if err != nil {
		return err
	}
	if facesIn(left) >= p.r.FinalIntersecting {
		return nil
	}
	p.r.IntersectionsFixed += p.r.FinalIntersecting - facesIn(left)
	p.r.FinalIntersecting = facesIn(left)
	p.m = trial.m
	p.r.Warnings = append(p.r.Warnings, trial.r.Warnings...)
	return nil
}
