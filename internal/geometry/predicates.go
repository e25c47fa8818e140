package geometry

import "math"

// Exact signs of determinants: a floating-point filter decides nearly always,
// and expansion arithmetic decides the rest (Shewchuk 1997, "Adaptive Precision
// Floating-Point Arithmetic and Fast Robust Geometric Predicates"). Exact as
// long as no product underflows; readers refuse coordinates that overflow.

const (
	eps          = 0x1p-53
	orient2Bound = (3 + 16*eps) * eps
	orient3Bound = (7 + 56*eps) * eps
)

// Orient2D is positive when a, b, c turn left, negative when they turn right,
// and exactly 0 when they lie on one line.
func Orient2D(a, b, c [2]float64) float64 {
	l := (a[0] - c[0]) * (b[1] - c[1])
	r := (a[1] - c[1]) * (b[0] - c[0])
	det := l - r
	if math.Abs(det) > orient2Bound*(math.Abs(l)+math.Abs(r)) {
		return det
	}
	if l == 0 && r == 0 && differExact(a[:], c[:]) && differExact(b[:], c[:]) {
		return 0
	}
	var ws workspace
	lx := ws.mul(ws.diff(a[0], c[0]), ws.diff(b[1], c[1]))
	rx := ws.mul(ws.diff(a[1], c[1]), ws.diff(b[0], c[0]))
	return top(ws.add(lx, ws.neg(rx)))
}

// differExact says whether the coordinate differences carry no rounding.
func differExact(a, c []float64) bool {
	for k := range a {
		if _, tail := twoDiff(a[k], c[k]); tail != 0 {
			return false
		}
	}
	return true
}

// Orient3D is positive when d lies below the plane of a, b, c, which turn left
// when seen from above; 0 exactly when the four are coplanar.
func Orient3D(a, b, c, d Vec3) float64 {
	p, q, r := a.Sub(d), b.Sub(d), c.Sub(d)
	qxry, qyrx := q[0]*r[1], q[1]*r[0]
	rxpy, rypx := r[0]*p[1], r[1]*p[0]
	pxqy, pyqx := p[0]*q[1], p[1]*q[0]
	det := p[2]*(qxry-qyrx) + q[2]*(rxpy-rypx) + r[2]*(pxqy-pyqx)
	perm := math.Abs(p[2])*(math.Abs(qxry)+math.Abs(qyrx)) +
		math.Abs(q[2])*(math.Abs(rxpy)+math.Abs(rypx)) +
		math.Abs(r[2])*(math.Abs(pxqy)+math.Abs(pyqx))
	if math.Abs(det) > orient3Bound*perm {
		return det
	}
	return orient3DExact(a, b, c, d)
}

func orient3DExact(a, b, c, d Vec3) float64 {
	var ws workspace
	var e [3][3][]float64
	for i, v := range [3]Vec3{a, b, c} {
		for k := range 3 {
			e[i][k] = ws.diff(v[k], d[k])
		}
	}
	minor := func(i, j int) []float64 {
		return ws.add(ws.mul(e[i][0], e[j][1]), ws.neg(ws.mul(e[i][1], e[j][0])))
	}
	sum := ws.add(ws.mul(minor(1, 2), e[0][2]), ws.mul(minor(2, 0), e[1][2]))
	return top(ws.add(sum, ws.mul(minor(0, 1), e[2][2])))
}

// workspace lends memory to expansions, so that an exact sign seldom allocates.
type workspace struct {
	buf  [1024]float64
	used int
}

func (w *workspace) alloc(n int) []float64 {
	if w.used+n > len(w.buf) {
		return make([]float64, 0, n)
	}
	s := w.buf[w.used : w.used : w.used+n]
	w.used += n
	return s
}

func twoSum(a, b float64) (x, y float64) {
	x = a + b
	bv := x - a
	return x, (a - (x - bv)) + (b - bv)
}

func twoDiff(a, b float64) (x, y float64) { return twoSum(a, -b) }

func twoProduct(a, b float64) (x, y float64) {
	x = a * b
	return x, math.FMA(a, b, -x)
}

// diff is a - b exactly.
func (w *workspace) diff(a, b float64) []float64 {
	x, y := twoDiff(a, b)
	e := w.alloc(2)
	if y != 0 {
		e = append(e, y)
	}
	if x != 0 {
		e = append(e, x)
	}
	return e
}

func (w *workspace) neg(e []float64) []float64 {
	for i := range e {
		e[i] = -e[i]
	}
	return e
}

// add sums two expansions (linear-expansion-sum by repeated grow, with zeros
// eliminated); the components increase in magnitude and do not overlap.
func (w *workspace) add(e, f []float64) []float64 {
	h := append(w.alloc(len(e)+len(f)), e...)
	for _, b := range f {
		h = grow(h, b)
	}
	return h
}

// grow adds one number to an expansion in place, whose capacity must suffice.
func grow(e []float64, b float64) []float64 {
	q, n := b, 0
	for _, c := range e {
		var y float64
		q, y = twoSum(q, c)
		if y != 0 {
			e[n] = y
			n++
		}
	}
	e = e[:n]
	if q != 0 {
		e = append(e, q)
	}
	return e
}

// mul multiplies two expansions.
func (w *workspace) mul(e, f []float64) []float64 {
	h := w.alloc(2 * len(e) * len(f))
	for _, a := range e {
		for _, b := range f {
			x, y := twoProduct(a, b)
			h = grow(grow(h, y), x)
		}
	}
	return h
}

// top is the component that carries the sign.
func top(e []float64) float64 {
	if len(e) == 0 {
		return 0
	}
	return e[len(e)-1]
}
