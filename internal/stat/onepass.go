package stat

import "context"

// onePass fits many rows in one pass over the data: the columns are centred and
// scaled by what the first block tells, which costs digits only where that is
// far from the rest. f is nil where the data are few, or where the products do
// not have all digits that are needed, or are not finite: the way of two passes
// then finds the fit, or the fault.
func onePass(ctx context.Context, src Source, opts Options) (f *Fit, err error) {
	if opts.Reflections || src.Blocks() <= smallRows/BlockRows {
		return nil, nil
	}
	s, ok, err := firstBlock(src, opts)
	if !ok || err != nil {
		return nil, err
	}
	f = &Fit{opts: opts, scan: s, AliasOf: map[int][]int{}}
	for j := range len(s.cols) - 1 {
		f.used = append(f.used, j)
	}
	type part struct {
		c cross
		n int
	}
	c := newCross(len(f.used) + f.first() + 1)
	err = EachBlock(ctx, src.Blocks(), func(i int) (part, error) {
		b, err := src.Load(i)
		if err != nil || len(b.Y) == 0 {
			return part{}, err
		}
		n := len(b.Y)
		for _, w := range b.W {
			if w.Hi == 0 {
				n--
			}
		}
		p := part{newCross(len(c)), n}
		p.c.absorb(f.compact(b))
		b.free()
		return p, nil
	}, func(p part) {
		f.scan.merge(scan{n: p.n})
		if p.n > 0 {
			c.merge(p.c)
		}
	})
	if err != nil {
		return nil, err
	}
	f.N = f.scan.n
	if f.N <= smallRows || f.N < len(c)-1 {
		return nil, nil
	}
	if f.r, ok = c.cholesky(); !ok {
		return nil, nil
	}
	f.Method, f.P = "cross_products", len(c)-1
	f.solve()
	return f, nil
}

// firstBlock chooses shifts and scales by the first block that has rows; ok is
// false where there is none, or it holds a fault.
func firstBlock(src Source, opts Options) (s scan, ok bool, err error) {
	for i := range src.Blocks() {
		b, err := src.Load(i)
		if err != nil {
			return s, false, err
		}
		if len(b.Y) == 0 {
			continue
		}
		first, err := scanBlock(b)
		b.free()
		if err != nil {
			return s, false, nil
		}
		s.cols = first.cols
		for j := range s.cols {
			s.cols[j].choose(!opts.NoIntercept)
		}
		return s, true, nil
	}
	return s, false, nil
}
