package stat

import (
	"context"
	"errors"
	"math"
)

// maxClusters is the most clusters times coefficients whose sums are held.
const maxClusters = 4_000_000

// Faults of clusters.
var (
	ErrFewClusters  = errors.New("cluster errors need at least two clusters")
	ErrManyClusters = errors.New("the clusters are too many to hold their sums")
)

// Clusters are standard errors that allow the errors of one cluster to be
// correlated: Liang and Zeger (1986), times G/(G-1) (n-1)/(n-p) for G clusters,
// as Stata and statsmodels have it (CR1). Tests use G-1 degrees of freedom.
type Clusters struct {
	SE                []float64 // ordered as Coef
	Count             int
	Smallest, Largest int // observations of a cluster
}

// score is a cluster's sum of columns times residuals.
type score struct {
	n   int
	sum []DD
}

type scores struct {
	order []string // as they come
	of    map[string]*score
}

func (s *scores) get(name string, p int) *score {
	c := s.of[name]
	if c == nil {
		c = &score{sum: make([]DD, p)}
		s.of[name] = c
		s.order = append(s.order, name)
	}
	return c
}

// Cluster goes through the data once more for the errors by cluster.
func (f *Fit) Cluster(ctx context.Context, src ExtraSource) (*Clusters, error) {
	return f.cluster(ctx, src, float64(f.N))
}

// Cluster does so at the maximum; rows count by their frequencies.
func (g *GLM) Cluster(ctx context.Context) (*Clusters, error) {
	return g.Step.cluster(ctx, g.Working(), g.N)
}

func (f *Fit) cluster(ctx context.Context, src ExtraSource, n float64) (*Clusters, error) {
	all := &scores{of: map[string]*score{}}
	err := EachBlock(ctx, src.Blocks(), func(i int) (*scores, error) {
		part := &scores{of: map[string]*score{}}
		b, extra, err := src.LoadExtra(i)
		if err != nil || len(b.Y) == 0 {
			return part, err
		}
		f.clusterBlock(part, b, extra)
		b.free()
		if len(part.order)*f.P > maxClusters {
			return nil, ErrManyClusters
		}
		return part, nil
	}, func(part *scores) {
		for _, name := range part.order {
			c, o := all.get(name, f.P), part.of[name]
			c.n += o.n
			for k := range c.sum {
				c.sum[k] = c.sum[k].Add(o.sum[k])
			}
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(all.order) < 2:
		return nil, ErrFewClusters
	case len(all.order)*f.P > maxClusters:
		return nil, ErrManyClusters
	}
	return f.clustered(all, n), nil
}

func (f *Fit) clusterBlock(part *scores, b Block, extra Extra) {
	weights := b.W
	cols := f.scaled(b)
	e := cols[len(cols)-1]
	for k, c := range f.beta {
		c = c.Neg()
		for i, x := range cols[k] {
			e[i] = e[i].Add(c.Mul(x))
		}
	}
	for i, group := range extra.Group {
		if weights != nil && weights[i].Hi == 0 {
			continue
		}
		c := part.get(group, f.P)
		c.n++
		for k := range c.sum {
			c.sum[k] = c.sum[k].Add(cols[k][i].Mul(e[i]))
		}
	}
}

func (f *Fit) clustered(all *scores, n float64) *Clusters {
	out := &Clusters{SE: nans(len(f.Coef)), Count: len(all.order), Smallest: math.MaxInt}
	meat := newTriangle(f.P)
	for _, name := range all.order {
		c := all.of[name]
		out.Smallest, out.Largest = min(out.Smallest, c.n), max(out.Largest, c.n)
		z := f.r.solveTransposed(f.P, c.sum)
		for i, v := range z {
			for k, w := range z {
				meat[i][k] = meat[i][k].Add(v.Mul(w))
			}
		}
	}
	g := float64(out.Count)
	factor := F(g).Div(F(g - 1)).Mul(F(n - 1).Div(F(n - float64(f.P))))
	for k, at := range f.positions() {
		var v DD
		for i, t := range f.trans[k] {
			v = v.Add(t.Mul(dot(meat[i], f.trans[k])))
		}
		out.SE[at] = v.Mul(factor).Sqrt().Float()
	}
	return out
}

// solveTransposed returns z of R[:p,:p]' z = c.
func (r triangle) solveTransposed(p int, c []DD) []DD {
	z := make([]DD, p)
	for i := range p {
		s := c[i]
		for k := range i {
			s = s.Sub(r[k][i].Mul(z[k]))
		}
		z[i] = s.Div(r[i][i])
	}
	return z
}
