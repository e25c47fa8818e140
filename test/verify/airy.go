package main

import (
	"math"
	"math/cmplx"
	"slices"
)

// plate is a plane elastic part with a free or pressurised elliptic hole, symmetric about
// both axes, solved by Kolosov and Muskhelishvili's potentials (England, Complex Variable
// Methods in Elasticity): Laurent polynomials in the variable w of z = r (w + m / w), on
// whose unit circle the hole lies, fitted to the tractions on hole and outline by least
// squares. It converges faster than any power of the number of terms.
type plate struct {
	r, m  float64
	kappa float64 // Kolosov's constant
	mu    float64
	terms []int     // odd powers of both potentials
	a, b  []float64 // coefficients of phi and psi
	size  float64   // the largest |w|, by which the terms are scaled
	rest  float64   // largest traction left over, relative to the largest given
	edge  []edgePoint
	hole  []edgePoint
	flat  bool // plane stress
	nu    float64
}

// edgePoint is a place on the outline with its outward normal and the traction there.
type edgePoint struct {
	z, normal, traction complex128
	length              float64 // that it stands for
}

// ellipticHole solves for a hole of half axes a, b with a pressure in it.
func ellipticHole(a, b, pressure float64, outline []edgePoint, e, nu float64, flat bool, terms int) *plate {
	p := &plate{r: (a + b) / 2, m: (a - b) / (a + b), mu: e / (2 * (1 + nu)), kappa: 3 - 4*nu, flat: flat, nu: nu, edge: outline}
	if flat {
		p.kappa = (3 - nu) / (1 + nu)
	}
	for k := -terms; k <= terms; k++ {
		if k%2 != 0 {
			p.terms = append(p.terms, k)
		}
	}
	for i, x := range gaussPoints(4 * terms) {
		w := x * math.Pi / 2
		tangent := complex(-a*math.Sin(w), b*math.Cos(w))
		size := cmplx.Abs(tangent)
		normal := tangent * complex(0, 1/size)
		p.hole = append(p.hole, edgePoint{complex(a*math.Cos(w), b*math.Sin(w)), normal, -complex(pressure, 0) * normal,
			size * math.Pi / 2 * gaussWeights(4 * terms)[i]})
	}
	p.fit(append(slices.Clone(p.edge), p.hole...))
	return p
}

// map from z to w, outside of the unit circle.
func (p *plate) w(z complex128) complex128 {
	s := z / complex(2*p.r, 0)
	root := cmplx.Sqrt(s*s - complex(p.m, 0))
	if real(root*cmplx.Conj(s)) < 0 {
		root = -root
	}
	return s + root
}

// traction is that on a surface of one term of phi or of psi.
func (p *plate) traction(at edgePoint, power int, psi bool) complex128 {
	w := p.w(at.z)
	k := complex(float64(power), 0)
	d, dd := p.derivatives(w)
	scale := complex(math.Pow(p.size, -math.Max(0, float64(power))), 0)
	f1 := scale * k * cmplx.Pow(w, k-1) / d
	f2 := (scale*k*(k-1)*cmplx.Pow(w, k-2) - f1*dd) / (d * d)
	if psi {
		return tractionOn(at.normal, stressOf(at.z, 0, 0, f1))
	}
	return tractionOn(at.normal, stressOf(at.z, f1, f2, 0))
}

// derivatives are those of z by w.
func (p *plate) derivatives(w complex128) (first, second complex128) {
	return complex(p.r, 0) * (1 - complex(p.m, 0)/(w*w)), complex(2*p.r*p.m, 0) / (w * w * w)
}

// stressOf is xx, yy, xy: xx + yy = 4 Re phi', yy - xx + 2 i xy = 2 (conj z phi” + psi').
func stressOf(z, phi1, phi2, psi1 complex128) [3]float64 {
	sum, diff := 4*real(phi1), 2*(cmplx.Conj(z)*phi2+psi1)
	return [3]float64{(sum - real(diff)) / 2, (sum + real(diff)) / 2, imag(diff) / 2}
}

func tractionOn(n complex128, s [3]float64) complex128 {
	return complex(s[0]*real(n)+s[2]*imag(n), s[2]*real(n)+s[1]*imag(n))
}

func (p *plate) fit(points []edgePoint) {
	for _, at := range points {
		p.size = math.Max(p.size, cmplx.Abs(p.w(at.z)))
	}
	n := 2 * len(p.terms)
	var rows [][]float64
	var right []float64
	for _, at := range points {
		x, y := make([]float64, n), make([]float64, n)
		weight := math.Sqrt(at.length)
		for t, k := range p.terms {
			for i, psi := range []bool{false, true} {
				f := p.traction(at, k, psi)
				x[2*t+i], y[2*t+i] = weight*real(f), weight*imag(f)
			}
		}
		rows = append(rows, x, y)
		right = append(right, weight*real(at.traction), weight*imag(at.traction))
	}
	c := leastSquares(rows, right)
	for t, k := range p.terms {
		scale := math.Pow(p.size, -math.Max(0, float64(k)))
		p.a = append(p.a, c[2*t]*scale)
		p.b = append(p.b, c[2*t+1]*scale)
	}
	given := 0.0
	for _, at := range points {
		_, stress := p.at(at.z)
		given = math.Max(given, cmplx.Abs(at.traction))
		p.rest = math.Max(p.rest, cmplx.Abs(tractionOn(at.normal, stress)-at.traction))
	}
	p.rest /= given
}

// at is the displacement and the stress at z.
func (p *plate) at(z complex128) (u complex128, stress [3]float64) {
	w := p.w(z)
	d, dd := p.derivatives(w)
	var phi, psi, phi1, phi2, psi1 complex128
	for t, power := range p.terms {
		k := complex(float64(power), 0)
		f := cmplx.Pow(w, k-2)
		a, b := complex(p.a[t], 0), complex(p.b[t], 0)
		phi += a * f * w * w
		psi += b * f * w * w
		phi1 += a * k * f * w / d
		psi1 += b * k * f * w / d
		phi2 += a * k * (k - 1) * f
	}
	phi2 = (phi2 - phi1*dd) / (d * d)
	u = (complex(p.kappa, 0)*phi - z*cmplx.Conj(phi1) - cmplx.Conj(psi)) / complex(2*p.mu, 0)
	return u, stressOf(z, phi1, phi2, psi1)
}

func (p *plate) mises(s [3]float64) float64 {
	z := 0.0
	if !p.flat {
		z = p.nu * (s[0] + s[1])
	}
	return math.Sqrt(((s[0]-s[1])*(s[0]-s[1])+(s[1]-z)*(s[1]-z)+(z-s[0])*(z-s[0]))/2 + 3*s[2]*s[2])
}

// energy is half the work of the tractions.
func (p *plate) energy() float64 {
	sum := 0.0
	for _, at := range slices.Concat(p.edge, p.hole) {
		u, _ := p.at(at.z)
		sum += at.length * real(u*cmplx.Conj(at.traction)) / 2
	}
	return sum
}

// largest are the largest displacement and equivalent stress on a way between places.
func (p *plate) largest(places []complex128) (displacement, mises float64) {
	for _, z := range places {
		u, s := p.at(z)
		displacement, mises = math.Max(displacement, cmplx.Abs(u)), math.Max(mises, p.mises(s))
	}
	return displacement, mises
}

// around are places on the first quarter of an ellipse.
func around(a, b float64) []complex128 {
	var all []complex128
	for i := range 361 {
		w := float64(i) / 360 * math.Pi / 2
		all = append(all, complex(a*math.Cos(w), b*math.Sin(w)))
	}
	return all
}

// straight are points of integration on an edge from a to b, to the right of which lies
// the outside, with a traction.
func straight(a, b, traction complex128, n int) []edgePoint {
	var all []edgePoint
	length := cmplx.Abs(b - a)
	for i, x := range gaussPoints(n) {
		all = append(all, edgePoint{a + (b-a)*complex(x, 0), (b - a) / complex(length, 0) * -1i, traction, length * gaussWeights(n)[i]})
	}
	return all
}

// leastSquares solves by Householder reflections; columns that depend on others get 0.
func leastSquares(rows [][]float64, right []float64) []float64 {
	m, n := len(rows), len(rows[0])
	size := make([]float64, n)
	for j := range n {
		for i := range m {
			size[j] += rows[i][j] * rows[i][j]
		}
		size[j] = math.Sqrt(size[j])
		for i := range m {
			rows[i][j] /= size[j]
		}
	}
	diagonal := make([]float64, n)
	for j := range n {
		norm := 0.0
		for i := j; i < m; i++ {
			norm += rows[i][j] * rows[i][j]
		}
		norm = -math.Copysign(math.Sqrt(norm), rows[j][j])
		diagonal[j] = norm
		rows[j][j] -= norm
		square := -norm * rows[j][j] // half of v^T v
		reflect := func(column func(int) *float64) {
			dot := 0.0
			for i := j; i < m; i++ {
				dot += rows[i][j] * *column(i)
			}
			for i := j; i < m; i++ {
				*column(i) -= dot / square * rows[i][j]
			}
		}
		for k := j + 1; k < n; k++ {
			reflect(func(i int) *float64 { return &rows[i][k] })
		}
		reflect(func(i int) *float64 { return &right[i] })
	}
	x := make([]float64, n)
	for j := n - 1; j >= 0; j-- {
		sum := right[j]
		for k := j + 1; k < n; k++ {
			sum -= rows[j][k] * x[k]
		}
		if math.Abs(diagonal[j]) > 1e-13 {
			x[j] = sum / diagonal[j]
		}
	}
	for j := range x {
		x[j] /= size[j]
	}
	return x
}
