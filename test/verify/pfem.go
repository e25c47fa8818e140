package main

import (
	"math"
	"slices"
)

// patch is the independent code: finite elements of high order, products of integrated
// Legendre polynomials (Szabo and Babuska, Finite Element Analysis), on a grid of the
// unit square that is graded towards its edges, where corners make the solution singular,
// and mapped to the part. Energies converge from below in statics and frequencies from
// above. It shares nothing with the solvers under test.
type patch struct {
	at    func(x, y float64) [2]float64
	slope func(x, y float64) [2][2]float64 // of at, where it has kinks; nil where it is smooth
	axis  bool                             // axisymmetric: the first coordinate is the radius, integrals are over 1 rad
	flat  bool                             // plane stress, else plane strain
	e, nu float64
	rho   float64
	body  [2]float64 // force of a volume
	// By side, 0 and 1 where x is 0 and 1, 2 and 3 where y is.
	held     [4][2]bool
	traction [4][2]float64
	pressure [4]float64

	x, y basis
	load []float64
	u    []float64
	k, m *banded
}

// degree is that of the polynomials between two break points.
const degree = 5

// basis is of one direction: its break points.
type basis []float64

func (b basis) count() int { return (len(b)-1)*degree + 1 }

// graded are n inner intervals with four layers towards the ends that are singular, each 0.15
// of the next.
func graded(n int, low, high bool) basis {
	all := basis{}
	for i := 0; i <= n; i++ {
		all = append(all, float64(i)/float64(n))
	}
	if low {
		all = towards(all, 0, 1/float64(n), 4)
	}
	if high {
		all = towards(all, 1, -1/float64(n), 4)
	}
	return all
}

// towards adds layers in the interval beside a break point, whose end is a step away.
func towards(b basis, place, step float64, layers int) basis {
	for range layers {
		step *= 0.15
		b = append(b, place+step)
	}
	slices.Sort(b)
	return b
}

// shapes are the functions of an interval at t in [0, 1] and their slopes: its ends
// first and last.
func shapes(degree int, t float64) (f, slope []float64) {
	f, slope = make([]float64, degree+1), make([]float64, degree+1)
	f[0], f[degree], slope[0], slope[degree] = 1-t, t, -1, 1
	x := 2*t - 1
	for k := 2; k <= degree; k++ {
		above, _ := legendre(k, x)
		below, _ := legendre(k-2, x)
		middle, _ := legendre(k-1, x)
		scale := 1 / math.Sqrt(2*float64(2*k-1))
		f[k-1], slope[k-1] = scale*(above-below), 2*scale*float64(2*k-1)*middle
	}
	return f, slope
}

// index numbers along the shorter side, which keeps the band narrow.
func (p *patch) index(i, j, c int) int {
	if p.x.count() < p.y.count() {
		return (j*p.x.count()+i)*2 + c
	}
	return (i*p.y.count()+j)*2 + c
}

// point is a place of integration with the functions there.
type point struct {
	place  [2]float64
	weight float64
	index  []int // of the first component
	f      []float64
	grad   [][2]float64
}

// slopes are those of the map, by differences of high order.
func (p *patch) slopes(x, y float64) [2][2]float64 {
	if p.slope != nil {
		return p.slope(x, y)
	}
	var j [2][2]float64
	const h = 1e-3
	for a := range 2 {
		var q [2]float64
		for _, s := range []struct{ step, weight float64 }{{1, 0.75}, {2, -0.15}, {3, 1. / 60}} {
			dx, dy := s.step*h, 0.0
			if a == 1 {
				dx, dy = dy, dx
			}
			up, down := p.at(x+dx, y+dy), p.at(x-dx, y-dy)
			for c := range 2 {
				q[c] += s.weight * (up[c] - down[c]) / h
			}
		}
		j[0][a], j[1][a] = q[0], q[1]
	}
	return j
}

// sample evaluates the functions of cell (i, j) at a place of it.
func (p *patch) sample(i, j int, s, t float64) (point, [2][2]float64) {
	dx, dy := p.x[i+1]-p.x[i], p.y[j+1]-p.y[j]
	x, y := p.x[i]+s*dx, p.y[j]+t*dy
	fx, gx := shapes(degree, s)
	fy, gy := shapes(degree, t)
	jac := p.slopes(x, y)
	det := jac[0][0]*jac[1][1] - jac[0][1]*jac[1][0]
	q := point{place: p.at(x, y), weight: math.Abs(det) * dx * dy}
	for a := range fx {
		for b := range fy {
			q.index = append(q.index, p.index(i*degree+a, j*degree+b, 0))
			q.f = append(q.f, fx[a]*fy[b])
			gs, gt := gx[a]/dx*fy[b], fx[a]*gy[b]/dy
			q.grad = append(q.grad, [2]float64{(gs*jac[1][1] - gt*jac[1][0]) / det, (gt*jac[0][0] - gs*jac[0][1]) / det})
		}
	}
	return q, jac
}

func (p *patch) assemble() {
	n := p.x.count() * p.y.count() * 2
	width := (degree*min(p.x.count(), p.y.count()) + degree + 1) * 2
	p.k, p.m = newBanded(n, width), newBanded(n, width)
	p.load = make([]float64, n)
	rs, rt := gaussRule(degree+3), gaussRule(degree+3)
	for i := range len(p.x) - 1 {
		for j := range len(p.y) - 1 {
			for a, s := range rs.points {
				for b, t := range rt.points {
					q, _ := p.sample(i, j, s, t)
					q.weight *= rs.weights[a] * rt.weights[b]
					p.add(q)
				}
			}
		}
	}
	for side := range 4 {
		p.push(side)
	}
	for side := range 4 {
		for c := range 2 {
			if p.held[side][c] {
				p.hold(side, c)
			}
		}
	}
}

// add is what a place of integration adds to stiffness, mass and load.
func (p *patch) add(q point) {
	lambda, mu := p.e*p.nu/((1+p.nu)*(1-2*p.nu)), p.e/(2*(1+p.nu))
	if p.flat && !p.axis {
		lambda = 2 * lambda * mu / (lambda + 2*mu)
	}
	w := q.weight
	if p.axis {
		w *= q.place[0]
	}
	for a := range q.f {
		ga := q.grad[a]
		for c := range 2 {
			p.load[q.index[a]+c] += w * q.f[a] * p.body[c]
		}
		for b := range q.f {
			if q.index[b] > q.index[a] {
				continue
			}
			gb := q.grad[b]
			dot := ga[0]*gb[0] + ga[1]*gb[1]
			da, db := ga, gb // of the divergence
			hoop := 0.0
			if p.axis {
				da[0] += q.f[a] / q.place[0]
				db[0] += q.f[b] / q.place[0]
				hoop = q.f[a] * q.f[b] / (q.place[0] * q.place[0])
			}
			for c := range 2 {
				for e := range 2 {
					v := lambda*da[c]*db[e] + mu*ga[e]*gb[c]
					if c == e {
						v += mu * dot
						if c == 0 {
							v += 2 * mu * hoop
						}
						p.m.add(q.index[a]+c, q.index[b]+e, w*p.rho*q.f[a]*q.f[b])
					}
					if q.index[b]+e <= q.index[a]+c {
						p.k.add(q.index[a]+c, q.index[b]+e, w*v)
					}
				}
			}
		}
	}
}

// push adds the tractions on a side.
func (p *patch) push(side int) {
	t, pressure := p.traction[side], p.pressure[side]
	if t == [2]float64{} && pressure == 0 {
		return
	}
	own, other := p.y, p.x
	if side > 1 {
		own, other = p.x, p.y
	}
	last, end := 0, float64(side%2)
	if side%2 == 1 {
		last = len(other) - 2
	}
	r := gaussRule(degree + 3)
	for i := range len(own) - 1 {
		for a, s := range r.points {
			cell, x := [2]int{last, i}, [2]float64{end, s}
			if side > 1 {
				cell, x = [2]int{i, last}, [2]float64{s, end}
			}
			q, jac := p.sample(cell[0], cell[1], x[0], x[1])
			along := 1 - side/2 // the parameter that runs along the side
			tangent := [2]float64{jac[0][along], jac[1][along]}
			// Outward on the right of the way around, which is counter-clockwise.
			sign := 1.0
			if side == 0 || side == 3 {
				sign = -1
			}
			w := r.weights[a] * (own[i+1] - own[i])
			if p.axis {
				w *= q.place[0]
			}
			normal := [2]float64{sign * tangent[1], -sign * tangent[0]}
			length := math.Hypot(tangent[0], tangent[1])
			for k := range q.f {
				for c := range 2 {
					p.load[q.index[k]+c] += w * q.f[k] * (t[c]*length - pressure*normal[c])
				}
			}
		}
	}
}

func (p *patch) hold(side, c int) {
	nx, ny := p.x.count(), p.y.count()
	clamp := func(i, j int) {
		u := p.index(i, j, c)
		p.k.clamp(u)
		p.m.clear(u)
		p.load[u] = 0
	}
	switch side {
	case 0, 1:
		for j := range ny {
			clamp(side*(nx-1), j)
		}
	default:
		for i := range nx {
			clamp(i, (side-2)*(ny-1))
		}
	}
}

// solve is the static solution; its strain energy.
func (p *patch) solve() float64 {
	p.assemble()
	factor := p.k.factor()
	p.u = factor.solve(p.load)
	sum := 0.0
	for i, f := range p.load {
		sum += f * p.u[i] / 2
	}
	return sum
}

// moves is the displacement at parameters.
func (p *patch) moves(x, y float64) [2]float64 {
	find := func(at []float64, x float64) (int, float64) {
		i := 0
		for i < len(at)-2 && x > at[i+1] {
			i++
		}
		return i, (x - at[i]) / (at[i+1] - at[i])
	}
	i, s := find(p.x, x)
	j, t := find(p.y, y)
	q, _ := p.sample(i, j, s, t)
	var u [2]float64
	for k, f := range q.f {
		u[0] += f * p.u[q.index[k]]
		u[1] += f * p.u[q.index[k]+1]
	}
	return u
}

// largest is the largest displacement at a grid of places that holds the corners.
func (p *patch) largest() float64 {
	most := 0.0
	for i := range 41 {
		for j := range 41 {
			u := p.moves(float64(i)/40, float64(j)/40)
			most = math.Max(most, math.Hypot(u[0], u[1]))
		}
	}
	return most
}

// frequencies are the n lowest, in Hz, by subspace iteration, of a part that is held.
func (p *patch) frequencies(n int) []float64 {
	p.assemble()
	lambda := lowest(p.k, p.m, n)
	var f []float64
	for _, l := range lambda {
		f = append(f, math.Sqrt(l)/(2*math.Pi))
	}
	return f
}
