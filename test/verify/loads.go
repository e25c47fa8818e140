package main

import "math"

// loadCases are analyses beside linear statics under mechanical loads.
func loadCases() []testCase {
	return []testCase{
		{"thermal strain", "ring of two materials, heated", "closed form of Lamé with the misfit between them", heatedRing},
		{"thermal strain", "sphere, heated and held", "closed form of Lamé", heatedSphere},
		{"thermal strain", "tube between two temperatures", "closed form of Boley and Weiner, sec. 9.10", warmTube},
		{"buckling", "column, clamped and free (Euler)", "Euler's force with Engesser's shear, within 0.1 %", column},
		{"buckling", "column between planes of symmetry (Euler)", "Euler's force with Engesser's shear, within 0.1 %", guidedColumn},
	}
}

// heats draws a change of temperature, and the expansion that it makes.
func (d *draw) heats() (alpha, change float64) {
	alpha, change = d.between(5e-6, 3e-5), d.between(-150, 150)
	d.config["temperature"] = object{"value": 293.15 + change, "reference": 293.15}
	return alpha, change
}

// heatedRing is a compound tube in plane stress without loads.
func heatedRing(d *draw) {
	compoundTube(d)
	clear(d.want)
	d.config["plane"] = "stress"
	d.config["bcs"] = []object{held(3, "y"), held(4, "x")}
	alpha, change := d.heats()
	more := alpha * d.between(1.2, 2)
	materials := d.config["materials"].([]object)
	materials[0]["alpha"], materials[1]["alpha"] = alpha, more
	shape := func(x float64) float64 { return d.mesh.shape([3]float64{x, 0, 0})[0] }
	in, mid, out := shape(0), shape(0.5), shape(1)
	number := func(i int, name string) float64 { return materials[i][name].(float64) }
	own, other := pressurised(in, mid, 0, 1, 2), pressurised(mid, out, 1, 0, 2)
	gap := (more - alpha) * change * mid
	q := gap / (own.grows(mid, number(0, "E"), number(0, "nu"), true) - other.grows(mid, number(1, "E"), number(1, "nu"), true))
	inner := pressurised(in, mid, 0, q, 2).grows(in, number(0, "E"), number(0, "nu"), true) + alpha*change*in
	outer := pressurised(mid, out, q, 0, 2).grows(out, number(1, "E"), number(1, "nu"), true) + more*change*out
	d.config["probes"] = [][]float64{{in, 0}, {out, 0}}
	d.want["/probes/0/displacement/0"], d.want["/probes/1/displacement/0"] = inner, outer
}

// heatedSphere is an octant of a thick sphere whose outer surface cannot move.
func heatedSphere(d *draw) {
	e, nu := d.solid()
	in := d.between(0.01, 1)
	out := in * d.between(1.4, 2.2)
	m := triangular(d.count(2, 3), divided(spacing{d.count(2, 3), 1}), shell(in, out))
	m.curved = true
	d.elastic(m, e, nu, held(6), held(1, "x"), held(2, "z"), held(3, "y"))
	alpha, change := d.heats()
	d.config["materials"].([]object)[0]["alpha"] = alpha
	unit := pressurised(in, out, 0, 1, 3)
	q := -alpha * change * out / unit.grows(out, e, nu, false)
	u := pressurised(in, out, 0, q, 3).grows(in, e, nu, false) + alpha*change*in
	d.want["/max_displacement/value"] = math.Abs(u)
}

// warmTube conducts heat through its wall in plane strain: T = inner + (outer - inner) ln(r/a) /
// ln(b/a), and with I(r) the integral of (T - reference) r from a to r,
// u = alpha (1 + nu) / (1 - nu) / r (I(r) + ((1 - 2 nu) r^2 + a^2) / (b^2 - a^2) I(b)).
func warmTube(d *draw) {
	e, nu := d.solid()
	in := d.between(0.01, 1)
	out := in * d.between(1.3, 2.5)
	m := d.planar(2, 5, 2, 0.25, ring(in, out, 0))
	m.curved = true
	d.elastic(m, e, nu, held(3, "y"), held(4, "x"))
	alpha, k := d.between(5e-6, 3e-5), d.between(5, 300)
	inner, outer, reference := d.between(250, 500), d.between(250, 500), d.between(280, 300)
	d.config["materials"].([]object)[0]["alpha"] = alpha
	d.config["temperature"] = object{"reference": reference, "heat": object{
		"conductivity": k, "steady": true, "bcs": []object{warm(1, inner), warm(2, outer)},
	}}
	c := (outer - inner) / math.Log(out/in)
	warmth := func(r float64) float64 { // I(r)
		return (inner-reference)*(r*r-in*in)/2 + c*(r*r/2*math.Log(r/in)-(r*r-in*in)/4)
	}
	all, square := warmth(out), out*out-in*in
	u := func(r float64) float64 {
		return alpha * (1 + nu) / (1 - nu) / r * (warmth(r) + ((1-2*nu)*r*r+in*in)/square*all)
	}
	r, w := in+(out-in)*d.between(0.35, 0.65), d.between(0.2, 1.3)
	d.config["probes"] = [][]float64{{r * math.Cos(w), r * math.Sin(w)}}
	if w < math.Pi/4 { // the larger component is stated
		d.want["/probes/0/displacement/0"] = u(r) * math.Cos(w)
	} else {
		d.want["/probes/0/displacement/1"] = u(r) * math.Sin(w)
	}
	f := alpha * e / (1 - nu)
	at := func(r, t float64) float64 {
		radial := f / (r * r) * ((r*r-in*in)/square*all - warmth(r))
		hoop := f / (r * r) * ((r*r+in*in)/square*all + warmth(r) - t*r*r)
		return mises(radial, hoop, f*(2*nu*all/square-t))
	}
	d.want["/von_mises/max"] = max(at(in, inner-reference), at(out, outer-reference))
}

// slender draws a column and its load per height; its reference leaves out what ends and
// compression change, by about the square of its slenderness.
func (d *draw) slender() (l, h, e, nu, stress float64) {
	e, nu = d.solid()
	l = d.between(0.2, 4)
	h = l / d.between(30, 60)
	stress = e * d.between(1e-6, 1e-5)
	d.elastic(structured(d, d.one(quad, triangle), []spacing{{d.count(8, 24), 1}, {1, 1}}, 0.3*d.Float64(), boxed(l, h)), e, nu)
	d.config["analysis"], d.config["modes"], d.config["plane"] = "buckling", 1, "stress"
	d.reference = 1e-3
	return l, h, e, nu, stress
}

func engesser(l, h, e, nu float64) float64 {
	euler := math.Pi * math.Pi * e * h * h / (12 * l * l)
	return euler / (1 + euler/(e/(2*(1+nu))*5/6))
}

func column(d *draw) {
	l, h, e, nu, stress := d.slender()
	d.config["bcs"] = []object{held(1), pulled(2, -stress, 0)}
	d.want["/buckling_modes/0/load_factor"] = engesser(2*l, h, e, nu) / stress
}

// guidedColumn has ends that cannot turn, one of which is free to move across.
func guidedColumn(d *draw) {
	l, h, e, nu, stress := d.slender()
	d.config["bcs"] = []object{held(1), object{"attribute": 2, "type": "fixed", "components": []string{"x"}, "value": []float64{-stress * l / e, 0}}}
	d.want["/buckling_modes/0/load_factor"] = engesser(l, h, e, nu) / stress
}
