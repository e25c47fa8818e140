package main

import (
	"fmt"
	"math"
)

func modalCases() []testCase {
	return []testCase{
		{"modal", "bar along itself", "closed form (Blevins, table 8-16)", axialBar},
		{"modal", "cantilever (NAFEMS FV2 in kind)", highOrder, cantileverModes},
		{"modal", "tapered membrane (NAFEMS FV32)", highOrder, taperedModes},
		{"modal", "beam clamped at both ends", highOrder, clampedModes},
		{"modal", "sector of a ring", highOrder, ringModes},
		{"modal", "thick plate, supported (NAFEMS FV52)", "sines and polynomials through the thickness (Srinivas)", plateModes},
	}
}

// vibrates makes the problem one of the n lowest frequencies.
func (d *draw) vibrates(frequencies []float64) {
	d.config["analysis"], d.config["modes"] = "modal", len(frequencies)
	for i, f := range frequencies {
		d.want[fmt.Sprintf("/modes/%d/frequency", i)] = f
	}
}

func (d *draw) dense(p *patch, bcs ...object) {
	p.rho = d.between(1500, 9000)
	d.config["materials"] = []object{{"E": p.e, "nu": p.nu, "density": p.rho}}
	d.config["bcs"] = bcs
	d.vibrates(p.frequencies(3))
	d.reference = patchError
}

func axialBar(d *draw) {
	l, e, rho := d.between(0.2, 5), d.between(5e9, 3e11), d.between(1500, 9000)
	w := l / d.between(5, 12)
	m := structured(d, d.one(hex, tet), []spacing{{d.count(4, 9), 1}, {1, 1}, {1, 1}}, 0, boxed(l, w, w))
	d.elastic(m, e, 0, held(1), held(3, "y", "z"), held(4, "y", "z"), held(5, "y", "z"), held(6, "y", "z"))
	d.config["materials"] = []object{{"E": e, "nu": 0, "density": rho}}
	var f []float64
	for n := 1.0; n < 6; n += 2 {
		f = append(f, n/(4*l)*math.Sqrt(e/rho))
	}
	d.vibrates(f)
}

func cantileverModes(d *draw) {
	l := d.between(0.1, 5)
	p := d.planePart(d.count(6, 14), d.count(1, 2), 0.4*d.Float64(), boxed(l, l/d.between(4, 15)))
	p.held[0] = [2]bool{true, true}
	d.dense(p, held(1))
}

func taperedModes(d *draw) {
	l := d.between(1, 10)
	a := l * d.between(0.4, 0.6)
	b := a * d.between(0.2, 0.6)
	p := d.planePart(d.count(5, 10), d.count(2, 4), 0.3*d.Float64(), func(q [3]float64) [3]float64 {
		h := a + (b-a)*q[0]
		return [3]float64{l * q[0], h * (q[1] - 0.5), 0}
	})
	p.held[0] = [2]bool{true, true}
	d.dense(p, held(1))
}

func clampedModes(d *draw) {
	l := d.between(0.1, 5)
	p := d.planePart(d.count(8, 14), d.count(1, 2), 0.4*d.Float64(), boxed(l, l/d.between(4, 15)))
	p.x = graded(2, true, true)
	p.held[0], p.held[1] = [2]bool{true, true}, [2]bool{true, true}
	d.dense(p, held(1), held(2))
}

func ringModes(d *draw) {
	in := d.between(0.1, 2)
	p := d.planePart(d.count(1, 2), d.count(5, 9), 0, ring(in, in*d.between(1.1, 1.5), 0))
	d.mesh.curved = true
	p.x, p.y = graded(1, true, true), graded(2, false, true)
	p.held[3] = [2]bool{true, true}
	d.dense(p, held(4))
}

func plateModes(d *draw) {
	e, nu := d.solid()
	a, rho := d.between(0.1, 10), d.between(1500, 9000)
	b := a * d.between(0.7, 1.4)
	t := a / d.between(6, 15)
	n := d.count(4, 7)
	m := structured(d, d.one(hex, hex, tet), []spacing{{n, 1}, {n, 1}, {1, 1}}, 0.3*d.Float64(), boxed(a, b, t))
	d.elastic(m, e, nu, held(1, "y", "z"), held(2, "y", "z"), held(3, "x", "z"), held(4, "x", "z"))
	d.config["materials"] = []object{{"E": e, "nu": nu, "density": rho}}
	d.vibrates(thickPlate{a, b, t, e, nu, rho}.frequencies(3))
}
