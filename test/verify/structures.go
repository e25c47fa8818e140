package main

import "math"

func structureCases() []testCase {
	const lame = "closed form of Lamé (Timoshenko and Goodier, art. 28)"
	return []testCase{
		{"statics, plane", "tube in plane strain", lame, func(d *draw) { tube(d, false, true) }},
		{"statics, plane", "ring in plane stress", lame, func(d *draw) { tube(d, true, true) }},
		{"statics, plane", "tube of straight facets", lame, func(d *draw) { tube(d, false, false) }},
		{"statics, plane", "tube of two materials", lame + " with the pressure between them", compoundTube},
		{"stress lines", "wall of a tube", lame + ", integrated", wallOfTube},
		{"statics, solid", "thick tube", lame, solidTube},
		{"statics, solid", "thick sphere", "closed form of Lamé (Timoshenko and Goodier, art. 136)", sphere},
		{"statics, solid", "bar under its weight", "closed form", hangingBar},
	}
}

func (d *draw) elastic(m *mesh, e, nu float64, bcs ...object) {
	d.class, d.mesh = "LinearElasticity", m
	d.config = object{"materials": []object{{"E": e, "nu": nu}}, "order": d.one(1, 2, 2, 2), "bcs": bcs}
}

// lame is a tube or a sphere between two radii under pressures, by the constants of its
// stresses: radial A - B / r^n, around A + B / r^n (n - 1).
type lame struct{ a, b, n float64 }

// pressurised is one with a pressure inside and outside; n is 2 of a tube, 3 of a sphere.
func pressurised(in, out, inner, outer, n float64) lame {
	x, y := math.Pow(in, n), math.Pow(out, n)
	return lame{(inner*x - outer*y) / (y - x), (inner - outer) * x * y / (y - x), n}
}

// grows is the radial displacement; mean is what a uniform pressure of -1 stretches by.
func (l lame) grows(r, e, nu float64, stress bool) float64 {
	switch {
	case l.n == 3:
		return ((1-2*nu)*l.a*r + (1+nu)*l.b/(2*r*r)) / e
	case stress:
		return ((1-nu)*l.a*r + (1+nu)*l.b/r) / e
	}
	return (1 + nu) / e * ((1-2*nu)*l.a*r + l.b/r)
}

// mises is the largest equivalent stress, at the inner radius.
func (l lame) mises(r, nu float64, stress bool) float64 {
	radial, around := l.a-l.b/math.Pow(r, l.n), l.a+l.b/math.Pow(r, l.n)/(l.n-1)
	along := around
	if l.n == 2 {
		along = 2 * nu * l.a
		if stress {
			along = 0
		}
	}
	return mises(radial, around, along)
}

// pressures draws one inside or one outside; small enough for small strains.
func (d *draw) pressures(e float64) (inner, outer float64) {
	if d.yes() {
		return e * d.between(1e-5, 3e-4), 0
	}
	return 0, e * d.between(1e-5, 3e-4)
}

func tube(d *draw, stress, curved bool) {
	e, nu := d.solid()
	in := d.between(0.01, 1)
	out := in * d.between(1.3, 2.5)
	inner, outer := d.pressures(e)
	m := d.planar(2, 5, 2, 0.25, ring(in, out, 0))
	m.curved = curved
	if !curved {
		m = structured(d, d.one(quad, triangle), []spacing{{d.count(4, 7), 1}, {d.count(10, 16), 1}}, 0, ring(in, out, 0))
	}
	d.elastic(m, e, nu, pressed(1, inner), pressed(2, outer), held(3, "y"), held(4, "x"))
	d.config["plane"] = map[bool]string{true: "stress", false: "strain"}[stress]
	d.around(pressurised(in, out, inner, outer, 2), in, out, inner, outer, e, nu, stress, 1)
	if stress {
		d.want["/von_mises/max"] = pressurised(in, out, inner, outer, 2).mises(in, nu, true)
	} else {
		d.want["/von_mises/max"] = pressurised(in, out, inner, outer, 2).mises(in, nu, false)
	}
	d.want["/loads/2/force/1"] = -(inner*in - outer*out)
}

// wallOfTube is a tube in plane strain with a line through its wall at some angle: along it the
// mean of A -+ B / r^2 is A -+ B / (a b), and hoop stresses alone bend.
func wallOfTube(d *draw) {
	tube(d, false, true)
	bcs := d.config["bcs"].([]object)
	nu := d.config["materials"].([]object)[0]["nu"].(float64)
	in, out := d.mesh.shape([3]float64{})[0], d.mesh.shape([3]float64{1, 0, 0})[0]
	l := pressurised(in, out, bcs[0]["value"].(float64), bcs[1]["value"].(float64), 2)
	clear(d.want)
	delete(d.config, "probes")
	angle := d.between(0.2, 1.3)
	at := func(r float64) []float64 { return []float64{r * math.Cos(angle), r * math.Sin(angle)} }
	d.config["stress_lines"] = []object{{"from": at(in), "to": at(out)}}
	wall, mid := out-in, (in+out)/2
	bending := 6 * l.b / (wall * wall) * (mid*(1/in-1/out) - math.Log(out/in))
	radial, hoop, along := l.a-l.b/(in*out), l.a+l.b/(in*out), 2*nu*l.a
	d.want["/stress_lines/0/membrane/von_mises"] = mises(radial, hoop, along)
	d.want["/stress_lines/0/membrane_plus_bending/from"] = mises(radial, hoop+bending, along)
	d.want["/stress_lines/0/membrane_plus_bending/to"] = mises(radial, hoop-bending, along)
}

func mises(a, b, c float64) float64 {
	return math.Sqrt(((a-b)*(a-b) + (b-c)*(b-c) + (c-a)*(c-a)) / 2)
}

// around is what is known of a quarter tube of some height.
func (d *draw) around(l lame, in, out, inner, outer, e, nu float64, stress bool, height float64) {
	u := func(r float64) float64 { return l.grows(r, e, nu, stress) }
	r, w := in+(out-in)*d.between(0.35, 0.65), d.between(0.2, 0.6)
	place := []float64{r * math.Cos(w), r * math.Sin(w), height / 2}
	d.config["probes"] = [][]float64{place[:d.mesh.dim]}
	d.want["/probes/0/displacement/0"] = u(r) * math.Cos(w)
	d.want["/max_displacement/value"] = max(math.Abs(u(in)), math.Abs(u(out)))
	d.want["/energy"] = height * math.Pi / 4 * (inner*u(in)*in - outer*u(out)*out)
}

func solidTube(d *draw) {
	e, nu := d.solid()
	in := d.between(0.01, 1)
	out := in * d.between(1.4, 2.2)
	height := in * d.between(0.4, 0.8)
	inner, outer := d.pressures(e)
	n := d.count(2, 3)
	m := structured(d, d.one(hex, hex, tet), []spacing{{n, 1}, {2 * n, 1}, {1, 1}}, 0.3*d.Float64(), ring(in, out, height))
	m.curved = true
	d.elastic(m, e, nu, pressed(1, inner), pressed(2, outer), held(3, "y"), held(4, "x"), held(5, "z"), held(6, "z"))
	l := pressurised(in, out, inner, outer, 2)
	d.around(l, in, out, inner, outer, e, nu, false, height)
	d.want["/von_mises/max"] = l.mises(in, nu, false)
}

func sphere(d *draw) {
	e, nu := d.solid()
	in := d.between(0.01, 1)
	out := in * d.between(1.4, 2.2)
	inner, outer := d.pressures(e)
	m := triangular(d.count(2, 3), divided(spacing{d.count(2, 3), 1}), shell(in, out))
	m.curved = true
	d.elastic(m, e, nu, pressed(5, inner), pressed(6, outer), held(1, "x"), held(2, "z"), held(3, "y"))
	l := pressurised(in, out, inner, outer, 3)
	u := func(r float64) float64 { return l.grows(r, e, nu, false) }
	d.want["/max_displacement/value"] = max(math.Abs(u(in)), math.Abs(u(out)))
	d.want["/energy"] = math.Pi / 4 * (inner*u(in)*in*in - outer*u(out)*out*out)
	d.want["/von_mises/max"] = l.mises(in, nu, false)
}

// compoundTube is a tube in plane strain with a liner of another material.
func compoundTube(d *draw) {
	e1, nu1 := d.solid()
	e2, nu2 := d.solid()
	in := d.between(0.01, 1)
	mid := in * d.between(1.2, 1.6)
	out := mid * d.between(1.2, 1.6)
	p := min(e1, e2) * d.between(1e-5, 3e-4)
	n := 2 * d.count(1, 2)
	m := structured(d, d.one(quad, triangle), []spacing{{n, 1}, {d.count(4, 7), 1}}, 0, func(q [3]float64) [3]float64 {
		if q[0] <= 0.5 {
			return ring(in, mid, 0)([3]float64{2 * q[0], q[1], 0})
		}
		return ring(mid, out, 0)([3]float64{2*q[0] - 1, q[1], 0})
	})
	m.curved = true
	m.rename(m.cells, 1, 2, func(x [3]float64) bool { return x[0] > 0.5 })
	d.elastic(m, e1, nu1, pressed(1, p), held(3, "y"), held(4, "x"))
	d.config["materials"] = []object{{"attribute": 1, "E": e1, "nu": nu1}, {"attribute": 2, "E": e2, "nu": nu2}}
	// The pressure between them makes both grow alike at the interface.
	one, own, other := pressurised(in, mid, p, 0, 2), pressurised(in, mid, 0, 1, 2), pressurised(mid, out, 1, 0, 2)
	q := one.grows(mid, e1, nu1, false) / (other.grows(mid, e2, nu2, false) - own.grows(mid, e1, nu1, false))
	inner, outer := pressurised(in, mid, p, q, 2), pressurised(mid, out, q, 0, 2)
	u := inner.grows(in, e1, nu1, false)
	d.want["/von_mises/max"] = max(inner.mises(in, nu1, false), outer.mises(mid, nu2, false))
	d.want["/max_displacement/value"] = u
	d.want["/energy"] = math.Pi / 4 * p * u * in
	d.want["/loads/1/force/1"] = -p * in
}

// hangingBar is held at its top; without lateral strain its sections stay plane.
func hangingBar(d *draw) {
	e, rho := d.between(5e9, 3e11), d.between(1500, 9000)
	l := d.between(0.5, 20)
	a, b := l*d.between(0.1, 0.3), l*d.between(0.1, 0.3)
	m := structured(d, d.one(hex, tet), []spacing{{d.count(4, 9), 1}, {2, 1}, {2, 1}}, 0.3*d.Float64(), boxed(l, a, b))
	d.elastic(m, e, 0, held(1))
	const g = 9.81
	d.config["materials"] = []object{{"E": e, "nu": 0, "density": rho}}
	d.config["gravity"], d.config["order"] = []float64{g, 0, 0}, 1
	x := l * d.between(0.3, 0.8)
	d.config["probes"] = [][]float64{{x, a / 2, b / 2}}
	d.want["/probes/0/displacement/0"] = rho * g * (l*x - x*x/2) / e
	d.want["/max_displacement/value"] = rho * g * l * l / (2 * e)
	d.want["/energy"] = rho * rho * g * g * l * l * l / (6 * e) * a * b
	d.want["/loads/0/force/0"] = -rho * g * l * a * b
	d.want["/von_mises/max"] = rho * g * l
}
