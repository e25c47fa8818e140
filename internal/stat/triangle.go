package stat

import "math"

// triangle is the upper triangular factor R of a matrix with q columns, grown by
// blocks of rows. Row i is R[i], whose entries before i are not used.
type triangle [][]DD

func newTriangle(q int) triangle {
	r := make(triangle, q)
	for i := range r {
		r[i] = make([]DD, q)
	}
	return r
}

// chunk is how many rows one sweep of reflections takes: they stay in the cache.
const chunk = 256

// absorb makes R the factor of R stacked on the rows that cols hold, which are
// overwritten: Householder reflections, each of which touches one row of R only
// (Golub and Van Loan, section 5.1; TSQR of Demmel et al. 2012).
func (r triangle) absorb(cols [][]DD) {
	for lo, n := 0, len(cols[0]); lo < n; lo += chunk {
		hi := min(lo+chunk, n)
		part := make([][]DD, len(cols))
		for j := range cols {
			part[j] = cols[j][lo:hi]
		}
		r.absorbChunk(part)
	}
}

func (r triangle) absorbChunk(cols [][]DD) {
	for j, a := range cols {
		below := dot(a, a)
		if below.Hi == 0 {
			continue
		}
		d := r[j][j]
		beta := d.Mul(d).Add(below).Sqrt()
		if d.Hi > 0 {
			beta = beta.Neg()
		}
		v0 := d.Sub(beta)
		c := F(1).Div(beta.Mul(v0).Neg()) // 2 / v'v
		for k := j + 1; k < len(cols); k++ {
			f := c.Mul(r[j][k].Mul(v0).Add(dot(a, cols[k])))
			r[j][k] = r[j][k].Sub(f.Mul(v0))
			g := f.Neg()
			b := cols[k]
			for i, x := range a {
				b[i] = b[i].Add(g.Mul(x))
			}
		}
		r[j][j] = beta
	}
}

// merge makes R the factor of R stacked on another.
func (r triangle) merge(other triangle) {
	cols := make([][]DD, len(r))
	for j := range cols {
		cols[j] = make([]DD, len(r))
		for i := 0; i <= j; i++ {
			cols[j][i] = other[i][j]
		}
	}
	r.absorb(cols)
}

// norm2 is the squared length of column j of the matrix that was factored.
func (r triangle) norm2(j int) DD {
	var s DD
	for i := 0; i <= j; i++ {
		s = s.Add(r[i][j].Mul(r[i][j]))
	}
	return s
}

// solve returns b of R[:p,:p] b = c.
func (r triangle) solve(p int, c []DD) []DD {
	b := make([]DD, p)
	for i := p - 1; i >= 0; i-- {
		s := c[i]
		for k := i + 1; k < p; k++ {
			s = s.Sub(r[i][k].Mul(b[k]))
		}
		b[i] = s.Div(r[i][i])
	}
	return b
}

// inverse returns the inverse of R[:p,:p].
func (r triangle) inverse(p int) [][]DD {
	inv := make([][]DD, p)
	for i := range inv {
		inv[i] = make([]DD, p)
	}
	for j := range p {
		unit := make([]DD, p)
		unit[j] = F(1)
		for i, x := range r.solve(p, unit) {
			inv[i][j] = x
		}
	}
	return inv
}

// cross is the sum of products of every pair of columns.
type cross [][]DD // upper triangle

func newCross(q int) cross { return cross(newTriangle(q)) }

// absorb adds the rows that cols hold. A first column that is nil is one of ones.
func (c cross) absorb(cols [][]DD) {
	n := len(cols[len(cols)-1])
	for i := range cols {
		for j := i; j < len(cols); j++ {
			var s DD
			switch {
			case cols[i] != nil:
				s = product(cols[i], cols[j])
			case i == j:
				s = F(float64(n))
			default:
				s = sum(cols[j])
			}
			c[i][j] = c[i][j].Add(s)
		}
	}
}

func (c cross) merge(other cross) {
	for i := range c {
		for j := i; j < len(c); j++ {
			c[i][j] = c[i][j].Add(other[i][j])
		}
	}
}

// pivotLeast is the share of a column's square that must remain after the
// columns before it: below, the second pass by reflections is needed, since
// products carry about 30 digits.
const pivotLeast = 1e-9

// cholesky factors the products; ok is false where a pivot is too small for the
// result to have all its digits.
func (c cross) cholesky() (r triangle, ok bool) {
	q := len(c)
	r = newTriangle(q)
	for i := range q {
		s := c[i][i]
		for k := range i {
			s = s.Sub(r[k][i].Mul(r[k][i]))
		}
		if !(s.Hi > pivotLeast*c[i][i].Hi) || math.IsInf(s.Hi, 0) {
			return nil, false
		}
		r[i][i] = s.Sqrt()
		for j := i + 1; j < q; j++ {
			t := c[i][j]
			for k := range i {
				t = t.Sub(r[k][i].Mul(r[k][j]))
			}
			r[i][j] = t.Div(r[i][i])
		}
	}
	return r, true
}
