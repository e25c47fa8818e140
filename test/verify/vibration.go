package main

import (
	"math"
	"math/cmplx"
)

// vibrationCases are modes under stress, and responses to loads that vary.
func vibrationCases() []testCase {
	return []testCase{
		{"modal", "beam under a pull or a push", "Euler's beam (Shaker, NASA TN D-8109), within 0.3 %", pulledBeam},
		{"harmonic", "bar along itself, with a loss factor", "closed form of the wave equation", shakenBar},
		{"harmonic", "bar along itself, of Rayleigh's damping", "closed form of the wave equation", dampedBar},
		{"transient", "bar along itself under a pull that rises", "closed form of the wave equation (d'Alembert)", pulledInTime},
		{"transient", "beam whose base is shaken by a half sine", "series of Euler's beam, within 0.3 %", shockedBeam},
	}
}

// pulledBeam is one half of a beam between hinges: its modes 1 and 3.
func pulledBeam(d *draw) {
	span, e, rho := d.between(0.5, 3), d.between(5e10, 3e11), d.between(1500, 9000)
	h := span / d.between(70, 110)
	critical := math.Pow(math.Pi/span, 2) * e * math.Pow(h, 3) / 12
	share := d.between(-0.6, 3)
	m := structured(d, quad, []spacing{{d.count(12, 24), 1}, {2, 1}}, 0, boxed(span/2, h))
	d.elastic(m, e, 0, held(1, "x"), held(2, "y"), pulled(2, share*critical/h, 0))
	d.config["plane"], d.config["order"], d.config["prestress"] = "stress", 2, true
	d.config["materials"] = []object{{"E": e, "nu": 0, "density": rho}}
	var f []float64
	for n := 1.0; n < 4; n += 2 {
		f = append(f, n*n*math.Pi/(2*span*span)*math.Sqrt(e*h*h/(12*rho))*math.Sqrt(1+share/(n*n)))
	}
	d.vibrates(f)
	d.reference = 3e-3
}

// pulledInTime is the end of a bar that answers a step as a triangle between 0 and twice its
// static displacement, with the period 4 L / c, and a rise of the load as the mean of it
// (Duhamel; Graff, Wave Motion in Elastic Solids, ch. 2).
func pulledInTime(d *draw) {
	l, e, rho, stress := d.alongItself()
	period := 4 * l * math.Sqrt(rho/e)
	rise, end := d.between(0.1, 1.9)*period, d.between(2, 5)*period
	d.config["analysis"], d.config["damping"] = "transient", object{"ratio": 0}
	d.config["history"] = [][]float64{{0, 0}, {rise, 1}}
	d.config["time"] = object{"end": end}
	integral := func(t float64) float64 { // of the triangle of size 2 from 0 to t >= 0
		whole, share := math.Modf(t / period)
		part := 2 * share * share
		if share > 0.5 {
			part = 1 - 2*(1-share)*(1-share)
		}
		return period * (whole + part)
	}
	most := 0.0
	for i := range 20001 {
		t := end * float64(i) / 20000
		most = max(most, (integral(t)-integral(max(0, t-rise)))/rise)
	}
	d.want["/transient/probes/0/displacement"] = most * stress * l / e
	d.want["/transient/dynamic_load_factor"] = most
	d.reference = 1e-6 // between the times
}

// shockedBeam is a cantilever on a base that is accelerated by a half sine: the tip relative to
// the base, by the modes of Euler's beam of a slenderness at which shear hardly counts.
func shockedBeam(d *draw) {
	l, e, rho := d.between(0.2, 2), d.between(5e10, 3e11), d.between(1500, 9000)
	h := l / d.between(60, 100)
	m := structured(d, quad, []spacing{{d.count(12, 24), 1}, {2, 1}}, 0, boxed(l, h))
	d.elastic(m, e, 0, held(1))
	d.config["plane"], d.config["order"] = "stress", 2
	d.config["materials"] = []object{{"E": e, "nu": 0, "density": rho}}
	zeta := d.between(0.005, 0.1)
	shake := math.Pow(10, d.between(-5, -2.5)) * 2 * e * h * h / (3 * rho * l * l * l) // by the share of l that the tip moves at rest
	const modes = 8
	cantilever := roots(modes, func(x float64) float64 { return math.Cos(x) + 1/math.Cosh(x) }, func(n int) (float64, float64) {
		return float64(n) * math.Pi, (float64(n) + 1) * math.Pi
	})
	omega := func(n int) float64 { return math.Pow(cantilever[n]/l, 2) * h * math.Sqrt(e/(12*rho)) }
	period := 2 * math.Pi / omega(0)
	duration := d.between(0.15, 2) * period
	end := duration + d.between(0.6, 2)*period
	d.config["analysis"], d.config["damping"] = "transient", object{"ratio": zeta}
	d.config["gravity"], d.config["history"] = []float64{0, -shake}, object{"shape": "half_sine", "duration": duration}
	d.config["time"] = object{"end": end}
	d.config["probes"] = [][]float64{{l, h / 2}}
	const steps = 4000
	u := make([]float64, steps+1)
	for n, x := range cantilever {
		// The shape is 2 at the tip, its mean 2 sigma / x and its mean square 1.
		sigma := (math.Sinh(x) - math.Sin(x)) / (math.Cosh(x) + math.Cos(x))
		tip := 2 * 2 * sigma / x / math.Pow(omega(n), 2) * shake
		if n%2 == 1 {
			tip = -tip
		}
		for i := range u {
			u[i] += tip * halfSine(omega(n), zeta, duration, end*float64(i)/steps)
		}
	}
	most := 0.0
	for _, x := range u {
		most = max(most, math.Abs(x))
	}
	d.want["/transient/probes/0/displacement"] = most
	d.reference = 3e-3
}

// halfSine is the response x of x" + 2 zeta w x' + w^2 x = w^2 sin(pi t / d), 0 after d, from rest.
func halfSine(w, zeta, duration, t float64) float64 {
	load, damped := math.Pi/duration, w*math.Sqrt(1-zeta*zeta)
	steady := complex(w*w, 0) / complex(w*w-load*load, 2*zeta*w*load) // of exp(i load t)
	during := func(t float64) (x, v float64) {
		at := steady * cmplx.Exp(complex(0, load*t))
		return imag(at), imag(at * complex(0, load))
	}
	free := func(x, v, t float64) float64 {
		return math.Exp(-zeta*w*t) * (x*math.Cos(damped*t) + (v+zeta*w*x)/damped*math.Sin(damped*t))
	}
	rate := func(x, v, t float64) float64 {
		return math.Exp(-zeta*w*t) * (v*math.Cos(damped*t) - (zeta*w*v+w*w*x)/damped*math.Sin(damped*t))
	}
	x0, v0 := during(0)
	if t <= duration {
		x, _ := during(t)
		return x + free(-x0, -v0, t)
	}
	x, v := during(duration)
	return free(x+free(-x0, -v0, duration), v+rate(-x0, -v0, duration), t-duration)
}

func shakenBar(d *draw) {
	loss := d.between(0.01, 0.3)
	d.shaken(object{"loss_factor": loss}, func(float64) (elastic, inertial complex128) { return complex(1, loss), 1 })
}

func dampedBar(d *draw) {
	a, b := d.between(0.01, 0.1), d.between(0.01, 0.1)
	d.shaken(nil, func(w float64) (elastic, inertial complex128) {
		d.config["damping"] = object{"alpha": a * w, "beta": b / w}
		return complex(1, b), complex(1, -a)
	})
}

// alongItself draws a bar that slides between walls under a traction at its end, where the probe
// is.
func (d *draw) alongItself() (l, e, rho, stress float64) {
	axialBar(d)
	clear(d.want)
	delete(d.config, "modes")
	material := d.config["materials"].([]object)[0]
	e, rho = material["E"].(float64), material["density"].(float64)
	l = d.mesh.shape([3]float64{1, 0, 0})[0]
	stress = e * d.between(1e-6, 1e-4)
	d.config["bcs"] = append(d.config["bcs"].([]object), pulled(2, stress, 0, 0))
	d.config["probes"] = [][]float64{{l, 0, 0}}
	return l, e, rho, stress
}

// shaken is such a bar under a traction that vibrates: u = s tan(k L) / (E k), k = w
// sqrt(rho / E) of the complex modulus and density.
func (d *draw) shaken(damping object, factors func(w float64) (elastic, inertial complex128)) {
	l, e, rho, stress := d.alongItself()
	w := d.between(0.2, 2.5) * math.Pi / 2 * math.Sqrt(e/rho) / l
	d.config["analysis"], d.config["damping"] = "harmonic", damping
	d.config["frequencies"] = []float64{w / (2 * math.Pi)}
	elastic, inertial := factors(w)
	young := complex(e, 0) * elastic
	k := complex(w, 0) * cmplx.Sqrt(complex(rho, 0)*inertial/young)
	d.want["/harmonic/probes/0/amplitude"] = cmplx.Abs(complex(stress, 0) * cmplx.Tan(k*complex(l, 0)) / (young * k))
}
