package plan

import "slices"

// answered says whether the latest message has answered a question about one before.
// A request that is changed had no questions left.
func (r *reader) answered(q Question) bool {
	if q.at < 0 || q.at >= r.latest {
		return false
	}
	return r.changing(r.latest) || slices.ContainsFunc(r.items, func(it item) bool {
		return it.start >= r.latest && (it.class == classQuantity || it.class == classVector || it.class == classDirection || it.class == classPlace)
	})
}

// completed puts the conditions of an answer to those it was asked about.
func (r *reader) completed(early, all []Condition) []Condition {
	var late []Condition
	for _, c := range all {
		if c.fault {
			early = append(early, c)
		} else {
			late = append(late, c)
		}
	}
	var kept []Condition
	for i := range late {
		n := late[i]
		alike := func(c Condition) bool { return c.Kind == n.Kind && len(c.Places) > 0 && !c.fault }
		if first := slices.IndexFunc(early, alike); len(n.Places) == 0 && first >= 0 && slices.ContainsFunc(early[first+1:], alike) &&
			!slices.ContainsFunc(early, func(c Condition) bool { return c.fault || c.Kind == n.Kind && len(c.Places) == 0 }) {
			r.which(n)
		}
	}
	for _, c := range early {
		replaced := false
		for i := range late {
			n := &late[i]
			sameKind := c.Kind == n.Kind || c.fault && n.Kind != Fixed
			if sameKind && len(n.Places) == 0 && (c.fault || len(c.Places) > 0) {
				n.Places = c.Places
				r.inherit(n, c)
			}
			replaced = replaced || sameKind && (c.fault || overlap(c.Places, n.Places))
		}
		if !replaced {
			kept = append(kept, c)
		}
	}
	return append(kept, late...)
}

// inherit gives a load that was only said anew in size the direction it had.
func (r *reader) inherit(n *Condition, c Condition) {
	if n.Vector != nil && !n.unsaid {
		return
	}
	size := n.Value
	if n.Vector != nil {
		size = norm3(n.Vector)
	}
	if (n.axis == nil && n.Toward == "" || n.unsaid) && c.Kind == n.Kind && !c.fault {
		had := norm3(c.Vector)
		if had > 0 || c.Toward != "" {
			r.plan.Questions = slices.DeleteFunc(r.plan.Questions, func(q Question) bool { return q.Topic == "direction" && q.at == n.at })
			n.notes, n.unsaid = nil, c.unsaid
		}
		if had > 0 {
			n.Vector, n.Value, n.Toward, n.Components = scaled(c.Vector, size/had), 0, "", c.Components
			n.undirected()
			return
		}
		n.axis, n.Toward = c.axis, c.Toward
	} else if n.axis == nil && n.Toward == "" {
		n.axis, n.Toward = c.axis, c.Toward
	}
	r.pointLoad(n)
}

func norm3(v []float64) float64 {
	if len(v) != 3 {
		return 0
	}
	return norm(v)
}

func overlap(a, b []Place) bool {
	for _, p := range a {
		for _, q := range b {
			if p.String() == q.String() && p.Near == q.Near && p.Many == q.Many {
				return true
			}
		}
	}
	return false
}
