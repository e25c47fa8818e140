package main

import (
	"math"
	"slices"
)

// thickPlate is a plate whose edges hold what moves along them: sines along both sides
// solve the three-dimensional equations (Srinivas and Rao, Int. J. Solids Struct. 6,
// 1970), with Legendre polynomials through the thickness.
type thickPlate struct{ a, b, t, e, nu, rho float64 }

const throughThickness = 9 // degree

// matrices are stiffness and mass of the functions U(z) cos sin, V(z) sin cos and
// W(z) sin sin with m and n half waves, over a quarter of a b.
func (p thickPlate) matrices(m, n float64) (k, mass *banded) {
	size := 3 * (throughThickness + 1)
	k, mass = newBanded(size, size), newBanded(size, size)
	x, y := m*math.Pi/p.a, n*math.Pi/p.b
	lambda, mu := p.e*p.nu/((1+p.nu)*(1-2*p.nu)), p.e/(2*(1+p.nu))
	r := gaussRule(throughThickness + 2)
	for q, s := range r.points {
		f, g := shapes(throughThickness, s)
		w := r.weights[q] * p.t
		for i := range g {
			g[i] /= p.t
		}
		// Strains of each unknown: xx, yy, zz, yz, zx, xy.
		strain := make([][6]float64, size)
		for i := range f {
			strain[3*i] = [6]float64{-x * f[i], 0, 0, 0, g[i], y * f[i]}
			strain[3*i+1] = [6]float64{0, -y * f[i], 0, g[i], 0, x * f[i]}
			strain[3*i+2] = [6]float64{0, 0, g[i], y * f[i], x * f[i], 0}
		}
		for i, s := range strain {
			for j, o := range strain[:i+1] {
				v := lambda * (s[0] + s[1] + s[2]) * (o[0] + o[1] + o[2])
				for c := range 6 {
					v += mu * s[c] * o[c] * map[bool]float64{true: 2, false: 1}[c < 3]
				}
				k.add(i, j, w*v)
				if i%3 == j%3 {
					mass.add(i, j, w*p.rho*f[i/3]*f[j/3])
				}
			}
		}
	}
	return k, mass
}

// underPressure is the strain energy under a pressure on top, and the largest deflection:
// on the middle line, within the thickness, as the bent faces draw in across it.
func (p thickPlate) underPressure(pressure float64) (energy, most float64) {
	size := 3 * (throughThickness + 1)
	const heights = 40
	var middle [heights + 1]float64
	for m := 1.0; m < 70; m += 2 {
		for n := 1.0; n < 70; n += 2 {
			k, _ := p.matrices(m, n)
			load := make([]float64, size)
			load[size-1] = -16 * pressure / (math.Pi * math.Pi * m * n)
			u := k.factor().solve(load)
			energy += dot(u, load) / 2 * p.a * p.b / 4
			sign := 1.0
			if int(m+n)%4 == 0 {
				sign = -1
			}
			for h := range middle {
				f, _ := shapes(throughThickness, float64(h)/heights)
				for i, v := range f {
					middle[h] += sign * v * u[3*i+2]
				}
			}
		}
	}
	for _, w := range middle {
		most = max(most, math.Abs(w))
	}
	return energy, most
}

// frequencies are the n lowest in Hz, those of shear in the plane among them.
func (p thickPlate) frequencies(n int) []float64 {
	var all []float64
	for i := 1.0; i < 6; i++ {
		shear := i / 2 * math.Sqrt(p.e/(2*(1+p.nu))/p.rho)
		all = append(all, shear/p.a, shear/p.b)
	}
	for i := 1.0; i < 6; i++ {
		for j := 1.0; j < 6; j++ {
			k, m := p.matrices(i, j)
			for _, l := range lowest(k, m, 3) {
				all = append(all, math.Sqrt(l)/(2*math.Pi))
			}
		}
	}
	slices.Sort(all)
	return all[:n]
}
