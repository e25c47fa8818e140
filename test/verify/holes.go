package main

import "math"

func holeCases() []testCase {
	const source = "potentials of Kolosov and Muskhelishvili, fitted to the tractions"
	return []testCase{
		{"statics, plane", "plate with a round hole (Kirsch)", source, kirsch},
		{"statics, plane", "plate with an elliptic hole (Inglis)", source, inglis},
		{"statics, plane", "block with a pressurised hole", source, pressurisedHole},
		{"statics, plane", "elliptic membrane (NAFEMS LE1)", source, le1},
	}
}

// holed maps the parameters to a quarter of a rectangle with an elliptic hole: the first
// from the hole outward, the second around.
func holed(a, b, w, h float64) func([3]float64) [3]float64 {
	return func(p [3]float64) [3]float64 {
		angle := p[1] * math.Pi / 2
		x, y := a*math.Cos(angle), b*math.Sin(angle)
		out := [2]float64{w, 2 * p[1] * h}
		if p[1] > 0.5 {
			out = [2]float64{(2 - 2*p[1]) * w, h}
		}
		return [3]float64{x + p[0]*(out[0]-x), y + p[0]*(out[1]-y), 0}
	}
}

// top is the attribute of the upper edge of a rectangle with a hole.
const top = 7

func (d *draw) holedMesh(a, b, w, h float64) *mesh {
	n := d.count(3, 6)
	m := structured(d, d.one(quad, triangle), []spacing{{n, d.between(1.5, 4)}, {2 * d.count(2, 4), 1}}, 0, holed(a, b, w, h))
	m.curved = true
	m.rename(m.sides, 2, top, func(x [3]float64) bool { return x[1] > 0.5 })
	return m
}

func kirsch(d *draw) {
	a := d.between(0.005, 0.5)
	d.inRectangle(a, a, a*d.between(2.5, 6), a*d.between(2.5, 6), 0)
}

func inglis(d *draw) {
	a := d.between(0.005, 0.5)
	b := a * d.between(0.6, 1.6)
	d.inRectangle(a, b, max(a, b)*d.between(2.5, 5), max(a, b)*d.between(2.5, 5), 0)
}

func pressurisedHole(d *draw) {
	a := d.between(0.005, 0.5)
	d.inRectangle(a, a, a*d.between(1.8, 4), a*d.between(1.8, 4), 1)
}

// inRectangle draws the loads: a pressure in the hole, or tension at the right and less or
// none at the top.
func (d *draw) inRectangle(a, b, w, h, pressure float64) {
	e, nu := d.solid()
	size := e * d.between(1e-5, 3e-4)
	right, up := size, size*d.between(-0.5, 0.9)
	if pressure > 0 {
		pressure, right, up = size, 0, 0
	}
	flat := d.yes()
	corner := complex(w, h)
	outline := append(straight(complex(w, 0), corner, complex(right, 0), 60), straight(corner, complex(0, h), complex(0, up), 60)...)
	p := ellipticHole(a, b, pressure, outline, e, nu, flat, 31)
	bcs := []object{pulled(2, right, 0), pulled(top, 0, up), held(3, "y"), held(4, "x")}
	if pressure > 0 {
		bcs = []object{pressed(1, pressure), held(3, "y"), held(4, "x")}
	}
	d.elastic(d.holedMesh(a, b, w, h), e, nu, bcs...)
	d.config["plane"] = map[bool]string{true: "stress", false: "strain"}[flat]
	d.known(p, append(around(a, b), along(complex(w, 0), corner, complex(0, h))...), complex(0.6*w, 0.55*h))
}

// along are places on straight lines.
func along(corners ...complex128) []complex128 {
	var all []complex128
	for i := range len(corners) - 1 {
		for k := range 101 {
			all = append(all, corners[i]+(corners[i+1]-corners[i])*complex(float64(k)/100, 0))
		}
	}
	return all
}

// known takes the figures from the potentials.
func (d *draw) known(p *plate, surface []complex128, probe complex128) {
	d.reference = p.rest
	d.want["/max_displacement/value"], d.want["/von_mises/max"] = p.largest(surface)
	d.want["/energy"] = p.energy()
	d.config["probes"] = [][]float64{{real(probe), imag(probe)}}
	u, _ := p.at(probe)
	if math.Abs(imag(u)) > math.Abs(real(u)) {
		d.want["/probes/0/displacement/1"] = imag(u)
	} else {
		d.want["/probes/0/displacement/0"] = real(u)
	}
}

// le1 is a quarter ring between two ellipses, pulled outward at the outer one. NAFEMS' has
// half axes of 2 and 1, 3.25 and 2.75.
func le1(d *draw) {
	e, nu := d.solid()
	size := e * d.between(1e-5, 3e-4)
	b := d.between(0.1, 2)
	a := b * d.between(1.3, 2)
	c, f := a*d.between(1.4, 1.8), b*d.between(2, 2.75)
	var outline []edgePoint
	for i, x := range gaussPoints(120) {
		w := x * math.Pi / 2
		tangent := complex(-c*math.Sin(w), f*math.Cos(w))
		length := math.Hypot(real(tangent), imag(tangent))
		normal := tangent * complex(0, -1/length)
		outline = append(outline, edgePoint{complex(c*math.Cos(w), f*math.Sin(w)), normal, complex(size, 0) * normal, length * math.Pi / 2 * gaussWeights(120)[i]})
	}
	p := ellipticHole(a, b, 0, outline, e, nu, true, 31)
	n := d.count(2, 4)
	m := structured(d, d.one(quad, triangle), []spacing{{n, 1}, {2 * n, 1}}, 0.3*d.Float64(), func(q [3]float64) [3]float64 {
		w := q[1] * math.Pi / 2
		return [3]float64{(a + q[0]*(c-a)) * math.Cos(w), (b + q[0]*(f-b)) * math.Sin(w), 0}
	})
	m.curved = true
	d.elastic(m, e, nu, pressed(2, -size), held(3, "y"), held(4, "x"))
	d.config["plane"] = "stress"
	d.known(p, append(around(a, b), around(c, f)...), complex((a+c)/2*math.Cos(0.7), (b+f)/2*math.Sin(0.7)))
}
