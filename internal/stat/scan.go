package stat

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// column is how a column is made of the order of 1: (x - shift) * 2^-exp.
type column struct {
	min, max DD
	shift    float64
	exp      int
}

func (c column) apply(x []DD, root []DD) []DD {
	// A power of two may be too large for one factor, but not for two.
	half := math.Ldexp(1, -c.exp/2)
	rest := math.Ldexp(1, -c.exp-(-c.exp/2))
	for i, v := range x {
		s, e := twoSum(v.Hi, -c.shift)
		v = quickTwoSum(s, e+v.Lo)
		x[i] = DD{v.Hi * half * rest, v.Lo * half * rest}
	}
	if root != nil {
		for i := range x {
			x[i] = x[i].Mul(root[i])
		}
	}
	return x
}

// scan is what a first pass learns: the number of observations of positive
// weight, and the range of every column and of the response, which is last.
type scan struct {
	n    int
	ends []int // number of observations up to the end of each block
	cols []column
}

// before is the number of observations in the blocks before i.
func (s *scan) before(i int) int {
	if i == 0 {
		return 0
	}
	return s.ends[i-1]
}

func scanColumns(ctx context.Context, src Source, opts Options) (scan, error) {
	var all scan
	err := EachBlock(ctx, src.Blocks(), func(i int) (scan, error) {
		b, err := src.Load(i)
		if err != nil {
			return scan{}, err
		}
		defer b.free()
		return scanBlock(b)
	}, all.merge)
	for j := range all.cols {
		all.cols[j].choose(!opts.NoIntercept)
	}
	return all, err
}

func scanBlock(b Block) (scan, error) {
	s := scan{cols: make([]column, len(b.X)+1)}
	for i := range b.Y {
		if b.W != nil {
			switch w := b.W[i]; {
			case !w.Finite():
				return s, ErrNotFinite
			case w.Hi < 0:
				return s, ErrWeight
			case w.Hi == 0:
				continue
			}
		}
		s.n++
	}
	for j := range s.cols {
		x := b.Y
		if j < len(b.X) {
			x = b.X[j]
		}
		for i, v := range x {
			if !v.Finite() {
				return s, ErrNotFinite
			}
			c := &s.cols[j]
			if i == 0 || v.Hi < c.min.Hi {
				c.min = v
			}
			if i == 0 || v.Hi > c.max.Hi {
				c.max = v
			}
		}
	}
	if len(b.Y) == 0 {
		s.cols = nil
	}
	return s, nil
}

func (s *scan) merge(o scan) {
	s.n += o.n
	s.ends = append(s.ends, s.n)
	if o.cols == nil {
		return
	}
	if s.cols == nil {
		s.cols = o.cols
		return
	}
	for j := range s.cols {
		if o.cols[j].min.Hi < s.cols[j].min.Hi {
			s.cols[j].min = o.cols[j].min
		}
		if o.cols[j].max.Hi > s.cols[j].max.Hi {
			s.cols[j].max = o.cols[j].max
		}
	}
}

// choose centres on the middle of the range, which is never farther from the
// mean than a few standard deviations times the root of n, and scales to 1.
func (c *column) choose(centre bool) {
	c.shift = 0
	if centre {
		c.shift = c.min.Hi/2 + c.max.Hi/2
	}
	size := math.Max(math.Abs(c.min.Sub(F(c.shift)).Hi), math.Abs(c.max.Sub(F(c.shift)).Hi))
	c.exp = 0
	if size > 0 {
		_, c.exp = math.Frexp(size)
	}
}

// conditioning fills the figures that say how far the columns depend on each
// other.
func (f *Fit) conditioning() {
	columns := len(f.scan.cols) - 1
	f.VIF, f.Means, f.SD, f.Scaled = nans(columns), nans(columns), nans(columns), nans(columns)
	for k, j := range f.used {
		i := k + f.first()
		if f.opts.NoIntercept {
			continue
		}
		c := f.scan.cols[j]
		var centred DD
		for m := 1; m <= i; m++ {
			centred = centred.Add(f.r[m][i].Mul(f.r[m][i]))
		}
		v, e := squares(f.inv[i])
		f.VIF[j] = v.Mul(centred).Ldexp(2 * e).Float()
		mean := f.r[0][i].Div(f.r[0][0])
		f.Means[j] = mean.Ldexp(c.exp).Add(F(c.shift)).Float()
		total := f.r[0][0].Mul(f.r[0][0]) // sum of the weights
		f.SD[j] = centred.Div(total).Mul(F(float64(f.N))).Div(F(float64(max(f.N-1, 1)))).Sqrt().Ldexp(c.exp).Float()
		f.Scaled[j] = f.Coef[j+1] * f.SD[j]
	}
	f.Condition = f.condition()
}

// condition is the ratio of the singular values of the columns as they were,
// with the intercept's, each scaled to unit length.
func (f *Fit) condition() float64 {
	if f.P == 0 {
		return math.NaN()
	}
	m := mat.NewDense(f.P, f.P, nil)
	for i := range f.P {
		col := make([]DD, f.P)
		for row := 0; row <= i; row++ {
			col[row] = f.r[row][i]
		}
		if k := i - f.first(); k >= 0 {
			if c := f.scan.cols[f.used[k]]; c.shift != 0 {
				col[0] = col[0].Add(f.r[0][0].Mul(F(c.shift).Ldexp(-c.exp)))
			}
		}
		length := dot(col, col).Sqrt()
		for row := range col {
			m.Set(row, i, col[row].Div(length).Float())
		}
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		return math.NaN()
	}
	values := svd.Values(nil)
	return values[0] / values[len(values)-1]
}
