package main

import "math"

func heatCases() []testCase {
	const closed, series = "closed form", "series"
	return []testCase{
		{"heat, steady", "slab with source and film", closed + " of the parabola", slab},
		{"heat, steady", "wall of a tube with film", closed + " (logarithm)", tubeWall},
		{"heat, steady", "wall of a sphere with film", closed + " (1/r)", sphereWall},
		{"heat, steady", "plate with films (NAFEMS T4)", series + " of Carslaw and Jaeger 5.3", plateWithFilms},
		{"heat, steady", "rectangular fin", series + " of Carslaw and Jaeger 5.3", fin},
		{"heat, steady", "wall of two layers with film", closed + " (resistances in series)", layers},
		{"heat, nonlinear", "slab that radiates (NAFEMS T2)", closed + ", by bisection", radiatingSlab},
		{"heat, nonlinear", "thin fin that radiates", "equation of the fin, by Runge and Kutta, within its Biot number", radiatingFin},
		{"heat, nonlinear", "slab of k(T)", closed + " by Kirchhoff's transformation", curvedSlab},
		{"heat, transient", "quench of a slab", series + " of Carslaw and Jaeger 3.10", slabQuench},
		{"heat, transient", "quench of a cylinder", series + " of Carslaw and Jaeger 7.7", cylinderQuench},
		{"heat, transient", "quench of a bar, two ways", "product of two series (Newman)", barQuench},
		{"heat, transient", "half space that freezes", closed + " of Neumann (Carslaw and Jaeger 11.2), within 0.3 %", freezing},
		{"heat, transient", "sheet that freezes through in few steps", closed + " of one temperature", freezingThrough},
		{"Poisson", "rectangle with source", series + " of Timoshenko and Goodier 109", rectangleSource},
		{"Poisson", "box with source", "double series of sines", boxSource},
		{"Poisson", "ellipse with source", closed + " (torsion of an elliptic bar)", ellipseSource},
		{"Poisson", "ring between two values", closed + " (logarithm)", ringValues},
	}
}

// planar draws a mesh of quadrilaterals or triangles.
func (d *draw) planar(low, high int, aspect float64, jitter float64, shape func([3]float64) [3]float64) *mesh {
	n := d.count(low, high)
	m := max(1, int(math.Round(float64(n)*aspect)))
	return structured(d, d.one(quad, triangle), []spacing{{n, 1}, {m, 1}}, jitter*d.Float64(), shape)
}

func (d *draw) heat(m *mesh, k float64, bcs ...object) {
	d.class, d.mesh = "HeatTransfer", m
	d.config = object{"conductivity": k, "steady": true, "order": d.one(1, 2, 2), "bcs": bcs}
}

func slab(d *draw) {
	l, w, k, h := d.between(0.1, 1), d.between(0.1, 0.5), d.between(1, 60), d.between(20, 400)
	s, t0, ambient := d.between(1e3, 2e4), d.between(290, 350), d.between(280, 300)
	d.heat(d.planar(3, 8, w/l, 0.45, boxed(l, w)), k, warm(1, t0), film(2, h, ambient))
	d.config["source"], d.config["order"] = s, 1
	x := d.between(0.4, 0.6) * l
	d.config["probes"] = [][]float64{{x, w * d.between(0.2, 0.8)}}
	c := (s*l - h*(t0-ambient) + h*s*l*l/(2*k)) / (k + h*l)
	at := func(x float64) float64 { return t0 + c*x - s*x*x/(2*k) }
	d.want["/probes/0/value"] = at(x)
	d.want["/loads/0/heat_rate"] = -k * c * w
	top := c * k / s
	switch {
	case top > 0 && top < l:
		d.want["/temperature/max"] = at(top)
	default:
		d.want["/temperature/max"] = max(at(0), at(l))
	}
	d.want["/temperature/min"] = min(at(0), at(l))
}

func tubeWall(d *draw) {
	in := d.between(0.02, 0.5)
	out := in * d.between(1.3, 2.5)
	k, h, hot, cold := d.between(5, 60), d.between(100, 2000), d.between(350, 600), d.between(280, 300)
	m := d.planar(2, 4, 2, 0.25, ring(in, out, 0))
	m.curved = true
	d.heat(m, k, film(1, h, hot), warm(2, cold))
	r, w := in+(out-in)*d.between(0.3, 0.7), d.between(0.2, 1.3)
	d.config["probes"] = [][]float64{{r * math.Cos(w), r * math.Sin(w)}}
	flow := (hot - cold) / (1/(h*in) + math.Log(out/in)/k) // W/m for a radian
	at := func(r float64) float64 { return cold + flow*math.Log(out/r)/k }
	d.want["/probes/0/value"] = at(r)
	d.want["/temperature/max"] = at(in)
	d.want["/temperature/min"] = cold
	d.want["/loads/1/heat_rate"] = -flow * math.Pi / 2
}

func sphereWall(d *draw) {
	in := d.between(0.02, 0.5)
	out := in * d.between(1.3, 2.2)
	k, h, hot, cold := d.between(5, 60), d.between(100, 2000), d.between(350, 600), d.between(280, 300)
	m := triangular(d.count(2, 3), divided(spacing{d.count(2, 3), 1}), shell(in, out))
	m.curved = true
	d.heat(m, k, warm(5, hot), film(6, h, cold))
	r := in + (out-in)*d.between(0.3, 0.7)
	d.config["probes"] = [][]float64{{r / math.Sqrt(3), r / math.Sqrt(3), r / math.Sqrt(3)}}
	flow := (hot - cold) / (1/(h*out*out) + (1/in-1/out)/k) // W for each unit of solid angle
	at := func(r float64) float64 { return hot - flow*(1/in-1/r)/k }
	d.want["/probes/0/value"] = at(r)
	d.want["/temperature/min"] = at(out)
	d.want["/loads/0/heat_rate"] = flow * math.Pi / 2
}

func plateWithFilms(d *draw) {
	w := d.between(0.3, 1)
	d.filmed(w, w*d.between(0.8, 2), d.between(200, 1200), d.between(20, 80), 3, 8)
}

func fin(d *draw) {
	w := d.between(0.002, 0.01)
	d.filmed(w, w*d.between(6, 15), d.between(50, 500), d.between(50, 250), 1, 2)
}

// filmed draws a rectangle with one warm face, films on two and one insulated.
func (d *draw) filmed(w, l, h, k float64, low, high int) {
	warmth, ambient := d.between(350, 500), d.between(270, 300)
	d.heat(d.planar(low, high, l/w/2, 0.4, boxed(w, l)), k, warm(3, warmth), film(2, h, ambient), film(4, h, ambient))
	x, y := w*d.between(0.2, 0.8), l*d.between(0.3, 0.7)
	d.config["probes"] = [][]float64{{x, y}}
	at, heat := cooledRectangle(w, l, h/k)
	excess := warmth - ambient
	d.want["/probes/0/value"] = ambient + excess*at(x, y)
	d.want["/temperature/min"] = ambient + excess*at(w, l)
	d.want["/temperature/max"] = warmth
	d.want["/loads/0/heat_rate"] = k * excess * heat
}

// quench makes the problem a transient one until Fourier's number fo of a length.
func (d *draw) quench(m *mesh, length, biot, fo float64, films ...int) (start, excess float64) {
	k, rho, c := d.between(5, 100), d.between(2000, 9000), d.between(300, 1000)
	ambient := d.between(280, 320)
	excess = d.between(100, 700)
	start = ambient + excess
	var bcs []object
	for _, f := range films {
		bcs = append(bcs, film(f, biot*k/length, ambient))
	}
	d.heat(m, k, bcs...)
	end := fo * length * length * rho * c / k
	delete(d.config, "steady")
	d.config["density"], d.config["specific_heat"], d.config["initial_temperature"] = rho, c, start
	d.config["t_final"], d.config["dt"] = end, end/float64(d.count(20, 80))
	return start, excess
}

func slabQuench(d *draw) {
	l, biot, fo := d.between(0.01, 0.2), d.between(0.3, 8), d.between(0.15, 0.8)
	m := d.planar(4, 8, 0.5, 0.3, boxed(l, l/2))
	start, excess := d.quench(m, l, biot, fo, 2)
	ambient := start - excess
	x := d.between(0.2, 0.8)
	d.config["probes"] = [][]float64{{x * l, l / 4}}
	d.want["/probes/0/value"] = ambient + excess*quenchedSlab(biot, fo, x)
	d.want["/temperature/max"] = ambient + excess*quenchedSlab(biot, fo, 0)
	d.want["/temperature/min"] = ambient + excess*quenchedSlab(biot, fo, 1)
	heat := d.config["density"].(float64) * d.config["specific_heat"].(float64) * l * l / 2
	d.want["/energy"] = -heat * excess * (1 - quenchedSlab(biot, fo, -1))
}

func cylinderQuench(d *draw) {
	r, biot, fo := d.between(0.01, 0.2), d.between(0.3, 8), d.between(0.1, 0.6)
	m := triangular(d.count(3, 6), nil, quarterDisk(r, r))
	m.curved = true
	start, excess := d.quench(m, r, biot, fo, 2)
	ambient := start - excess
	x := d.between(0.2, 0.8)
	d.config["probes"] = [][]float64{{x * r * math.Sqrt2 / 2, x * r * math.Sqrt2 / 2}}
	d.want["/probes/0/value"] = ambient + excess*quenchedCylinder(biot, fo, x)
	d.want["/temperature/max"] = ambient + excess*quenchedCylinder(biot, fo, 0)
	d.want["/temperature/min"] = ambient + excess*quenchedCylinder(biot, fo, 1)
	heat := d.config["density"].(float64) * d.config["specific_heat"].(float64) * math.Pi / 4 * r * r
	d.want["/energy"] = -heat * excess * (1 - quenchedCylinder(biot, fo, -1))
}

func barQuench(d *draw) {
	l, biot, fo := d.between(0.01, 0.2), d.between(0.3, 5), d.between(0.15, 0.6)
	b := d.between(0.6, 1.5) // height over length
	m := d.planar(4, 7, b, 0.3, boxed(l, l*b))
	start, excess := d.quench(m, l, biot, fo, 2, 4)
	ambient := start - excess
	at := func(x, y float64) float64 {
		return ambient + excess*quenchedSlab(biot, fo, x)*quenchedSlab(biot*b, fo/(b*b), y)
	}
	x, y := d.between(0.2, 0.8), d.between(0.2, 0.8)
	d.config["probes"] = [][]float64{{x * l, y * l * b}}
	d.want["/probes/0/value"] = at(x, y)
	d.want["/temperature/max"] = at(0, 0)
	d.want["/temperature/min"] = at(1, 1)
}

func (d *draw) poisson(m *mesh, k, source float64, bcs ...object) {
	d.class, d.mesh = "Poisson", m
	d.config = object{"coefficient": k, "rhs": source, "order": d.one(1, 2, 2), "bcs": bcs}
}

func zero(attribute int) object { return valued(attribute, 0) }

func valued(attribute int, value float64) object {
	return object{"attribute": attribute, "type": "fixed", "value": value}
}

func rectangleSource(d *draw) {
	a, k, s := d.between(0.3, 3), d.between(0.5, 5), d.between(0.5, 50)
	b := a * d.between(0.5, 2)
	d.poisson(d.planar(4, 9, b/a, 0.5, boxed(a, b)), k, s, zero(1), zero(2), zero(3), zero(4))
	at, integral := poissonRectangle(a, b)
	x, y := a*d.between(0.2, 0.8), b*d.between(0.2, 0.8)
	d.config["probes"] = [][]float64{{x, y}}
	d.want["/solution/max"] = s / k * at(a/2, b/2)
	d.want["/probes/0/value"] = s / k * at(x, y)
	d.want["/energy"] = s * s / k * integral / 2
}

func boxSource(d *draw) {
	a, k, s := d.between(0.3, 3), d.between(0.5, 5), d.between(0.5, 50)
	b, c := a*d.between(0.7, 1.4), a*d.between(0.7, 1.4)
	n := d.count(3, 6)
	m := structured(d, d.one(hex, tet), []spacing{{n, 1}, {n, 1}, {n, 1}}, d.between(0, 0.3), boxed(a, b, c))
	d.poisson(m, k, s, zero(1), zero(2), zero(3), zero(4), zero(5), zero(6))
	middle, integral := poissonBox(a, b, c)
	d.want["/solution/max"] = s / k * middle
	d.want["/energy"] = s * s / k * integral / 2
}

func ellipseSource(d *draw) {
	a, k, s := d.between(0.3, 3), d.between(0.5, 5), d.between(0.5, 50)
	b := a * d.between(0.5, 1)
	m := triangular(d.count(3, 7), nil, quarterDisk(a, b))
	m.curved = true
	d.poisson(m, k, s, zero(2))
	top := s / k / (2 * (1/(a*a) + 1/(b*b)))
	x, y := a*d.between(0.2, 0.5), b*d.between(0.2, 0.5)
	d.config["probes"] = [][]float64{{x, y}}
	d.want["/solution/max"] = top
	d.want["/probes/0/value"] = top * (1 - x*x/(a*a) - y*y/(b*b))
	d.want["/energy"] = s * top * math.Pi * a * b / 4 / 4 // half the source by the mean, top / 2
}

func ringValues(d *draw) {
	in, k := d.between(0.1, 1), d.between(0.5, 5)
	out := in * d.between(1.5, 3)
	one, two := d.between(1, 10), d.between(-10, -1)
	m := d.planar(2, 5, 2, 0.25, ring(in, out, 0))
	m.curved = true
	d.poisson(m, k, 0, valued(1, one), valued(2, two))
	r, w := in+(out-in)*d.between(0.3, 0.7), d.between(0.2, 1.3)
	d.config["probes"] = [][]float64{{r * math.Cos(w), r * math.Sin(w)}}
	d.want["/probes/0/value"] = one + (two-one)*math.Log(r/in)/math.Log(out/in)
	d.want["/energy"] = k * (one - two) * (one - two) / math.Log(out/in) * math.Pi / 4
	d.want["/solution/max"] = one
	d.want["/solution/min"] = two
}
