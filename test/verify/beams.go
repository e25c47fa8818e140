package main

import "math"

// The source of what has no closed form.
const highOrder = "independent code: elements of degree 5 on graded grids"

// patchError is how far degree 5 is from degree 7, at most.
const patchError = 3e-5

func beamCases() []testCase {
	return []testCase{
		{"statics, plane", "cantilever, distorted mesh (MacNeal)", highOrder, cantilever},
		{"statics, plane", "curved beam (MacNeal)", highOrder, curvedBeam},
		{"statics, plane", "beam clamped at both ends (Roark)", highOrder, clampedBeam},
		{"statics, plane", "beam on rollers (Roark)", highOrder, rollerBeam},
		{"statics, plane", "tapered panel (Cook)", highOrder, cook},
		{"statics, plane", "wall under its weight", highOrder, wall},
		{"statics, solid", "circular plate, clamped (Roark)", highOrder + ", axisymmetric", func(d *draw) { circularPlate(d, true) }},
		{"statics, solid", "circular plate, supported (Roark)", highOrder + ", axisymmetric", func(d *draw) { circularPlate(d, false) }},
		{"statics, solid", "square plate, supported (Navier)", "double series of the three-dimensional solution", squarePlate},
	}
}

// planePart draws a plane elastic part beside its patch: n by m cells.
func (d *draw) planePart(n, m int, jitter float64, shape func([3]float64) [3]float64) *patch {
	e, nu := d.solid()
	flat := d.yes()
	d.elastic(structured(d, d.one(quad, triangle), []spacing{{n, 1}, {m, 1}}, jitter, shape), e, nu)
	d.config["plane"] = map[bool]string{true: "stress", false: "strain"}[flat]
	return &patch{e: e, nu: nu, flat: flat, at: func(x, y float64) [2]float64 {
		p := shape([3]float64{x, y, 0})
		return [2]float64{p[0], p[1]}
	}, x: graded(2, true, false), y: graded(1, true, true)}
}

// answers solves the patch, takes the figures and probes at parameters.
func (d *draw) answers(p *patch, x, y float64, bcs ...object) {
	d.config["bcs"] = bcs
	d.want["/energy"], d.reference = p.solve(), patchError
	d.want["/max_displacement/value"] = p.largest()
	place, u := p.at(x, y), p.moves(x, y)
	d.config["probes"] = [][]float64{{place[0], place[1]}}
	if math.Abs(u[0]) > math.Abs(u[1]) {
		d.want["/probes/0/displacement/0"] = u[0]
	} else {
		d.want["/probes/0/displacement/1"] = u[1]
	}
}

func cantilever(d *draw) {
	l := d.between(0.1, 5)
	h := l / d.between(4, 15)
	p := d.planePart(d.count(5, 12), d.count(1, 2), 0.6*d.Float64(), boxed(l, h))
	shear := p.e * d.between(1e-7, 1e-6)
	p.held[0], p.traction[1] = [2]bool{true, true}, [2]float64{0, -shear}
	d.answers(p, 0.6, 0.5, held(1), pulled(2, 0, -shear))
	d.want["/loads/0/force/1"] = shear * h
}

func curvedBeam(d *draw) {
	in := d.between(0.1, 2)
	out := in * d.between(1.08, 1.4)
	p := d.planePart(d.count(1, 2), d.count(5, 10), 0, ring(in, out, 0))
	d.mesh.curved = true
	p.x, p.y = graded(1, true, true), graded(2, false, true)
	shear := p.e * d.between(1e-7, 1e-6)
	p.held[3], p.traction[2] = [2]bool{true, true}, [2]float64{shear, 0}
	d.answers(p, 0.5, 0.4, held(4), pulled(3, shear, 0))
	d.want["/loads/0/force/0"] = -shear * (out - in)
}

func clampedBeam(d *draw) {
	l := d.between(0.1, 5)
	h := l / d.between(4, 15)
	p := d.planePart(d.count(6, 14), d.count(1, 2), 0.4*d.Float64(), boxed(l, h))
	p.x = graded(2, true, true)
	load := p.e * d.between(1e-7, 1e-6)
	p.held[0], p.held[1], p.pressure[3] = [2]bool{true, true}, [2]bool{true, true}, load
	d.answers(p, 0.3, 0.5, held(1), held(2), pressed(4, load))
	d.want["/loads/0/force/1"], d.want["/loads/1/force/1"] = load*l/2, load*l/2
}

// rollerBeam is half of one, the other half by symmetry.
func rollerBeam(d *draw) {
	l := d.between(0.1, 5)
	h := l / d.between(2, 8)
	p := d.planePart(d.count(4, 9), d.count(1, 3), 0.4*d.Float64(), boxed(l, h))
	load := p.e * d.between(1e-7, 1e-6)
	p.held[0], p.held[1], p.pressure[3] = [2]bool{false, true}, [2]bool{true, false}, load
	d.answers(p, 0.6, 0.5, held(1, "y"), held(2, "x"), pressed(4, load))
	d.want["/loads/0/force/1"] = load * l
}

func cook(d *draw) {
	l := d.between(0.1, 5)
	a, b, rise := l*d.between(0.8, 1.2), l*d.between(0.25, 0.5), l*d.between(0.6, 1.1)
	shape := func(q [3]float64) [3]float64 {
		low, high := q[0]*rise, a+q[0]*(rise+b-a)
		return [3]float64{q[0] * l, low + q[1]*(high-low), 0}
	}
	n := d.count(3, 9)
	p := d.planePart(n, n, 0.3*d.Float64(), shape)
	p.x = graded(2, true, true)
	shear := p.e * d.between(1e-6, 1e-4)
	p.held[0], p.traction[1] = [2]bool{true, true}, [2]float64{0, shear}
	d.answers(p, 0.6, 0.5, held(1), pulled(2, 0, shear))
	d.want["/loads/0/force/1"] = -shear * b
}

func wall(d *draw) {
	l := d.between(1, 30)
	h := l * d.between(0.5, 2)
	n := d.count(4, 8)
	p := d.planePart(n, n, 0.4*d.Float64(), boxed(l, h))
	p.x, p.y = graded(1, true, true), graded(2, true, false)
	rho := d.between(1500, 8000)
	p.body, p.held[2] = [2]float64{0, -9.81 * rho}, [2]bool{true, true}
	d.config["materials"] = []object{{"E": p.e, "nu": p.nu, "density": rho}}
	d.config["gravity"] = []float64{0, -9.81}
	d.answers(p, 0.4, 0.6, held(3))
	d.want["/loads/0/force/1"] = 9.81 * rho * l * h
}

// circularPlate is a quarter of one under pressure.
func circularPlate(d *draw, clamped bool) {
	e, nu := d.solid()
	r := d.between(0.05, 2)
	t := r / d.between(4, 15)
	load := e * d.between(1e-8, 1e-7)
	disk := quarterDisk(r, r)
	m := triangular(d.count(3, 6), divided(spacing{d.count(1, 2), 1}), func(q [3]float64) [3]float64 {
		x := disk(q)
		x[2] = t * q[2]
		return x
	})
	m.curved = true
	p := &patch{e: e, nu: nu, axis: true, at: func(x, y float64) [2]float64 { return [2]float64{r * x, t * y} },
		x: graded(2, false, true), y: graded(1, true, true)}
	p.held[0], p.held[1], p.pressure[3] = [2]bool{true, false}, [2]bool{clamped, true}, load
	edge := held(2)
	if !clamped {
		edge = held(2, "z")
	}
	d.elastic(m, e, nu, edge, held(1, "x"), held(3, "y"), pressed(6, load))
	d.want["/energy"] = p.solve() * math.Pi / 2
	d.reference = patchError
	d.want["/max_displacement/value"] = p.largest()
	u := p.moves(0.5, 0.5)
	d.config["probes"] = [][]float64{{0.5 * r * math.Cos(0.5), 0.5 * r * math.Sin(0.5), t / 2}}
	d.want["/probes/0/displacement/2"] = u[1]
	d.want["/loads/0/force/2"] = load * math.Pi / 4 * r * r
}

// squarePlate is a rectangle whose edges hold both motions along them.
func squarePlate(d *draw) {
	e, nu := d.solid()
	a := d.between(0.1, 2)
	b := a * d.between(0.7, 1.4)
	t := a / d.between(4, 15)
	load := e * d.between(1e-8, 1e-7)
	n := d.count(3, 6)
	m := structured(d, d.one(hex, hex, tet), []spacing{{n, 1}, {n, 1}, {d.count(1, 2), 1}}, 0.3*d.Float64(), boxed(a, b, t))
	// A quarter: symmetry where the first two parameters are 1.
	d.elastic(m, e, nu, held(1, "y", "z"), held(2, "x"), held(3, "x", "z"), held(4, "y"), pressed(6, load))
	p := thickPlate{2 * a, 2 * b, t, e, nu, 0}
	energy, middle := p.underPressure(load)
	d.want["/energy"] = energy / 4
	d.want["/max_displacement/value"] = middle
}
