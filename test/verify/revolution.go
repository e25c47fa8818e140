package main

import "math"

func revolutionCases() []testCase {
	const lame, sphere = "closed form of Lamé (Timoshenko and Goodier, art. 28)", "closed form of Lamé (Timoshenko and Goodier, art. 136)"
	return []testCase{
		{"bodies of revolution", "tube under pressure, by its section", lame, turnedTube},
		{"bodies of revolution", "thick sphere, by its section", sphere, turnedSphere},
		{"bodies of revolution", "tube that turns, by its section", "closed form (Timoshenko and Goodier, art. 32)", turningTube},
		{"bodies of revolution", "wall of a sphere with film, by its section", "closed form (1/r)", turnedSphereWall},
		{"bodies of revolution", "quench of a cylinder, by its section", "series of Carslaw and Jaeger 7.7", turnedQuench},
	}
}

// section is that of a tube, in x its radius.
func section(in, out, height float64) func([3]float64) [3]float64 {
	return func(p [3]float64) [3]float64 { return [3]float64{in + (out-in)*p[0], height * p[1], 0} }
}

// turnedTube lies between planes, or is open at one end.
func turnedTube(d *draw) {
	e, nu := d.solid()
	in := d.between(0.01, 1)
	out, height := in*d.between(1.3, 2.5), in*d.between(0.4, 1)
	inner, outer := d.pressures(e)
	open := d.yes()
	bcs := []object{pressed(1, inner), pressed(2, outer), held(3, "y")}
	if !open {
		bcs = append(bcs, held(4, "y"))
	}
	d.elastic(d.planar(2, 5, 1, 0.35, section(in, out, height)), e, nu, bcs...)
	d.config["plane"] = "axisymmetric"
	l := pressurised(in, out, inner, outer, 2)
	u := func(r float64) float64 { return l.grows(r, e, nu, open) }
	r := in + (out-in)*d.between(0.3, 0.7)
	d.config["probes"] = [][]float64{{r, height / 2}}
	d.want["/probes/0/displacement/0"] = u(r)
	d.want["/energy"] = math.Pi * height * (inner*u(in)*in - outer*u(out)*out)
	d.want["/von_mises/max"] = l.mises(in, nu, open)
	if !open {
		d.want["/max_displacement/value"] = max(math.Abs(u(in)), math.Abs(u(out)))
		d.want["/loads/3/force/1"] = 2 * nu * l.a * math.Pi * (out*out - in*in)
	}
}

// turnedSphere is half of one, whose section meets the axis.
func turnedSphere(d *draw) {
	e, nu := d.solid()
	in := d.between(0.01, 1)
	out := in * d.between(1.4, 2.2)
	inner, outer := d.pressures(e)
	m := d.planar(2, 4, 2, 0.25, ring(in, out, 0))
	m.curved = true
	d.elastic(m, e, nu, pressed(1, inner), pressed(2, outer), held(3, "y"))
	d.config["plane"] = "axisymmetric"
	l := pressurised(in, out, inner, outer, 3)
	u := func(r float64) float64 { return l.grows(r, e, nu, false) }
	r := in + (out-in)*d.between(0.3, 0.7)
	d.config["probes"] = [][]float64{{0, r}}
	d.want["/probes/0/displacement/1"] = u(r)
	d.want["/max_displacement/value"] = max(math.Abs(u(in)), math.Abs(u(out)))
	d.want["/energy"] = math.Pi * (inner*u(in)*in*in - outer*u(out)*out*out)
	d.want["/von_mises/max"] = l.mises(in, nu, false)
	d.want["/loads/2/force/1"] = -math.Pi * (inner*in*in - outer*out*out)
}

// turningTube lies between planes: the thin disc's stresses with nu / (1 - nu) for nu.
func turningTube(d *draw) {
	e, nu := d.solid()
	out, density, speed := d.between(0.05, 0.5), d.between(2000, 9000), d.between(50, 500)
	in := out * d.between(0.2, 0.7)
	d.elastic(d.planar(3, 6, 0.5, 0.35, section(in, out, (out-in)/2)), e, nu, held(3, "y"), held(4, "y"))
	d.config["plane"], d.config["rotation"] = "axisymmetric", object{"speed": speed}
	d.config["materials"] = []object{{"E": e, "nu": nu, "density": density}}
	long := nu / (1 - nu)
	k := (3 + long) / 8 * density * speed * speed
	around := func(r float64) float64 {
		return k * (in*in + out*out + in*in*out*out/(r*r) - (1+3*long)/(3+long)*r*r)
	}
	most := 0.0 // the displacement may be largest within the wall
	const steps = 1000
	for i := 0; i <= steps; i++ {
		r := in + (out-in)*float64(i)/steps
		radial := k * (in*in + out*out - in*in*out*out/(r*r) - r*r)
		most = max(most, r*(around(r)-long*radial)*(1-nu*nu)/e)
	}
	d.want["/max_displacement/value"] = most
	d.want["/von_mises/max"] = mises(0, around(in), nu*around(in))
}

func turnedSphereWall(d *draw) {
	in := d.between(0.02, 0.5)
	out := in * d.between(1.3, 2.2)
	k, h, hot, cold := d.between(5, 60), d.between(100, 2000), d.between(350, 600), d.between(280, 300)
	m := d.planar(2, 4, 2, 0.25, ring(in, out, 0))
	m.curved = true
	d.heat(m, k, warm(1, hot), film(2, h, cold))
	d.config["plane"] = "axisymmetric"
	r := in + (out-in)*d.between(0.3, 0.7)
	d.config["probes"] = [][]float64{{0, r}}
	flow := (hot - cold) / (1/(h*out*out) + (1/in-1/out)/k) // W for each unit of solid angle
	at := func(r float64) float64 { return hot - flow*(1/in-1/r)/k }
	d.want["/probes/0/value"] = at(r)
	d.want["/temperature/min"] = at(out)
	d.want["/loads/0/heat_rate"] = flow * 2 * math.Pi
}

func turnedQuench(d *draw) {
	r, biot, fo := d.between(0.01, 0.2), d.between(0.3, 8), d.between(0.1, 0.6)
	start, excess := d.quench(d.planar(4, 8, 0.5, 0.3, boxed(r, r/2)), r, biot, fo, 2)
	d.config["plane"] = "axisymmetric"
	ambient := start - excess
	x := d.between(0.2, 0.8)
	d.config["probes"] = [][]float64{{x * r, r / 4}}
	d.want["/probes/0/value"] = ambient + excess*quenchedCylinder(biot, fo, x)
	d.want["/temperature/max"] = ambient + excess*quenchedCylinder(biot, fo, 0)
	d.want["/temperature/min"] = ambient + excess*quenchedCylinder(biot, fo, 1)
	heat := d.config["density"].(float64) * d.config["specific_heat"].(float64) * math.Pi / 2 * r * r * r
	d.want["/energy"] = -heat * excess * (1 - quenchedCylinder(biot, fo, -1))
}
