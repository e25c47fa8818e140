package stat

import (
	"math"
	"sync"
)

// work is the memory in which a block is judged: columns of float64.
type work struct {
	z           [][]float64 // orthonormal coordinates
	e, h        []float64   // whitened residuals and leverages
	u2, u3      []float64   // powers of the fitted values
	g, two, six []float64   // e^2, and that divided by 1-h and its square
	row         []float64
}

var works = sync.Pool{New: func() any { return &work{} }}

func (w *work) size(p, n int) {
	for len(w.z) < p {
		w.z = append(w.z, nil)
	}
	w.z = w.z[:p]
	for _, s := range []*[]float64{&w.e, &w.h, &w.u2, &w.u3, &w.g, &w.two, &w.six} {
		*s = sized(*s, n)
	}
	for k := range w.z {
		w.z[k] = sized(w.z[k], n)
	}
	w.row = sized(w.row, p)
}

func sized(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n, max(n, BlockRows))
	}
	return s[:n]
}

// float64Suffices says that float64 leaves the diagnostics some 12 digits: the data are
// many, the columns far from depending on each other, and the residuals no small
// part of the response.
func (f *Fit) float64Suffices() bool {
	if f.Method != "cross_products" {
		return false
	}
	for i := range f.r {
		if math.Abs(f.r[i][i].Hi) < 1e-3*f.r.norm2(i).Sqrt().Hi {
			return false
		}
	}
	return true
}

// add takes a block.
func (s *diagnosticSums) add(f *Fit, b Block) {
	if b = b.weighted(); len(b.Y) == 0 {
		return
	}
	w := works.Get().(*work)
	defer works.Put(w)
	w.size(s.p, len(b.Y))
	if f.float64Suffices() {
		f.whitenFast(b, w)
	} else {
		f.whiten(b, w)
	}
	s.observe(f, b, w)
	s.products(w)
	if s.spread != nil {
		s.spread.add(w.e)
	}
	first := (s.every - s.at%s.every) % s.every
	for i := first; i < len(w.e); i += s.every {
		s.sample = append(s.sample, f.point(b, i, w.at(i), w.e[i], w.h[i]))
	}
}

// at is the coordinates of an observation; valid until the next.
func (w *work) at(i int) []float64 {
	for k := range w.row {
		w.row[k] = w.z[k][i]
	}
	return w.row
}

// weighted leaves out what has no weight.
func (b Block) weighted() Block {
	with := 0
	for _, w := range b.W {
		if w.Hi != 0 {
			with++
		}
	}
	if with == len(b.W) {
		return b
	}
	pick := func(x []DD) []DD {
		out := make([]DD, 0, with)
		for i, w := range b.W {
			if w.Hi != 0 {
				out = append(out, x[i])
			}
		}
		return out
	}
	out := Block{Y: pick(b.Y), W: pick(b.W)}
	for _, x := range b.X {
		out.X = append(out.X, pick(x))
	}
	for i, row := range b.Row {
		if b.W[i].Hi != 0 {
			out.Row = append(out.Row, row)
		}
	}
	return out
}

// whiten makes coordinates and residuals in double-double.
func (f *Fit) whiten(b Block, w *work) {
	cols := f.scaled(b)
	q := len(cols) - 1
	e := cols[q]
	for k := range w.z {
		zk := cols[k]
		for m := range k {
			c := f.r[m][k].Neg()
			for i, v := range cols[m] {
				zk[i] = zk[i].Add(c.Mul(v))
			}
		}
		inv := F(1).Div(f.r[k][k])
		c := f.r[k][q].Neg()
		for i := range zk {
			zk[i] = zk[i].Mul(inv)
			w.z[k][i] = zk[i].Float()
			e[i] = e[i].Add(c.Mul(zk[i]))
		}
	}
	for i, v := range e {
		w.e[i] = v.Float()
	}
}

// whitenFast makes them in float64.
func (f *Fit) whitenFast(b Block, w *work) {
	q := len(f.r) - 1
	var root []float64
	if b.W != nil {
		root = make([]float64, len(b.W))
		for i, v := range b.W {
			root[i] = math.Sqrt(v.Hi)
		}
	}
	for k := range w.z {
		if k < f.first() {
			for i := range w.z[k] {
				w.z[k][i] = 1
			}
			weigh(w.z[k], root)
			continue
		}
		j := f.used[k-f.first()]
		f.scan.cols[j].floats(b.X[j], w.z[k])
		weigh(w.z[k], root)
	}
	f.scan.cols[len(f.scan.cols)-1].floats(b.Y, w.e)
	weigh(w.e, root)
	for k, zk := range w.z {
		for m := range k {
			subtract(zk, f.r[m][k].Float(), w.z[m])
		}
		inv := 1 / f.r[k][k].Float()
		for i := range zk {
			zk[i] *= inv
		}
		subtract(w.e, f.r[k][q].Float(), zk)
	}
}

func (c column) floats(x []DD, out []float64) {
	half := math.Ldexp(1, -c.exp/2)
	rest := math.Ldexp(1, -c.exp-(-c.exp/2))
	for i, v := range x {
		out[i] = ((v.Hi - c.shift) + v.Lo) * half * rest
	}
}

func weigh(x, root []float64) {
	for i, r := range root {
		x[i] *= r
	}
}

func subtract(x []float64, c float64, y []float64) {
	y = y[:len(x)]
	for i := range x {
		x[i] = math.FMA(-c, y[i], x[i])
	}
}

// fittedSpread is the standard deviation of the fitted values; they are divided
// by it so that their powers stay near 1.
func (f *Fit) fittedSpread() float64 {
	q, s := len(f.r)-1, 0.0
	for k := f.first(); k < f.P; k++ {
		s += f.r[k][q].Hi * f.r[k][q].Hi
	}
	return math.Sqrt(s / float64(f.N))
}

// observe makes the leverages and what is summed of each observation alone.
func (s *diagnosticSums) observe(f *Fit, b Block, w *work) {
	q := len(f.r) - 1
	clear(w.h)
	clear(w.u2)
	spread := f.fittedSpread()
	for k, zk := range w.z {
		c := f.r[k][q].Hi / spread
		if k < f.first() {
			c = 0
		}
		for i, z := range zk {
			w.h[i] = math.FMA(z, z, w.h[i])
			w.u2[i] = math.FMA(z, c, w.u2[i])
		}
	}
	sigma2 := f.r[q][q].Mul(f.r[q][q]).Float() / float64(f.DFE)
	perPoint := 1 / (float64(f.P) * sigma2)
	least := -1.0
	s.first, s.last, s.started = w.e[0], w.e[0], true
	s.n = float64(len(w.e))
	for i, e := range w.e {
		h, u := w.h[i], w.u2[i]
		left := 1 / (1 - h)
		g := e * e
		w.g[i], w.two[i], w.six[i] = g, g*left, g*left*left
		s.power[1] += e
		s.power[2] += g
		s.power[3] += g * e
		s.power[4] += g * g
		s.steps += (e - s.last) * (e - s.last)
		s.last = e
		s.leverage = max(s.leverage, h)
		u2 := u * u
		w.u2[i], w.u3[i] = u2, u2*u
		s.ff[0] += u2 * u2
		s.ff[1] += u2 * u2 * u
		s.ff[2] += u2 * u2 * u2
		s.ef[0] += e * u2
		s.ef[1] += e * u2 * u
		// Where the leverage is 1 the fit goes through it whatever its value.
		if h >= wholeLeverage {
			s.lone(f, b, i, w.at(i), h)
		} else if cook := w.six[i] * h * perPoint; cook > least {
			s.rank(f, b, i, w.at(i), e, h, cook)
			if len(s.worst) == worstPoints {
				least = s.worst[worstPoints-1].Cook
			}
		}
	}
}

// products sums what is of the coordinates too.
func (s *diagnosticSums) products(w *work) {
	for a, za := range w.z {
		var e, g, f0, f1 float64
		for i, x := range za {
			e += x * w.e[i]
			g += x * w.g[i]
			f0 += x * w.u2[i]
			f1 += x * w.u3[i]
		}
		s.ze[a], s.zg[a], s.zf[0][a], s.zf[1][a] = s.ze[a]+e, s.zg[a]+g, s.zf[0][a]+f0, s.zf[1][a]+f1
		for b := a; b < len(w.z); b++ {
			zb := w.z[b][:len(za)]
			var m0, m2, m3 float64
			for i, x := range za {
				xx := x * zb[i]
				m0 += xx * w.g[i]
				m2 += xx * w.two[i]
				m3 += xx * w.six[i]
			}
			s.meat[0][a*s.p+b] += m0
			s.meat[2][a*s.p+b] += m2
			s.meat[3][a*s.p+b] += m3
		}
	}
}
