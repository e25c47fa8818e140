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

// shaken draws a bar that slides between walls under a vibrating traction at its end:
// u = s tan(k L) / (E k), k = w sqrt(rho / E) of the complex modulus and density.
func (d *draw) shaken(damping object, factors func(w float64) (elastic, inertial complex128)) {
	axialBar(d)
	clear(d.want)
	delete(d.config, "modes")
	material := d.config["materials"].([]object)[0]
	e, rho := material["E"].(float64), material["density"].(float64)
	l := d.mesh.shape([3]float64{1, 0, 0})[0]
	w := d.between(0.2, 2.5) * math.Pi / 2 * math.Sqrt(e/rho) / l
	stress := e * d.between(1e-6, 1e-4)
	d.config["analysis"], d.config["damping"] = "harmonic", damping
	d.config["frequencies"] = []float64{w / (2 * math.Pi)}
	d.config["bcs"] = append(d.config["bcs"].([]object), pulled(2, stress, 0, 0))
	d.config["probes"] = [][]float64{{l, 0, 0}}
	elastic, inertial := factors(w)
	young := complex(e, 0) * elastic
	k := complex(w, 0) * cmplx.Sqrt(complex(rho, 0)*inertial/young)
	d.want["/harmonic/probes/0/amplitude"] = cmplx.Abs(complex(stress, 0) * cmplx.Tan(k*complex(l, 0)) / (young * k))
}
