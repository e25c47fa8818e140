package main

import "math"

const stefanBoltzmann = 5.670374419e-8 // W/(m^2 K^4), CODATA 2018

func radiating(attribute int, emissivity, ambient float64) object {
	return object{"attribute": attribute, "type": "radiation", "emissivity": emissivity, "ambient": ambient}
}

// between finds where a function changes its sign.
func between(low, high float64, f func(float64) float64) float64 {
	return roots(1, f, func(int) (float64, float64) { return low, high })[0]
}

// twoLayers maps the unit square to two layers along x, and renames the second body.
func twoLayers(d *draw, one, two, height float64) *mesh {
	m := structured(d, d.one(quad, triangle), []spacing{{2 * d.count(1, 4), 1}, {d.count(1, 3), 1}}, 0, func(q [3]float64) [3]float64 {
		return [3]float64{2 * (one*min(q[0], 0.5) + two*max(0, q[0]-0.5)), q[1] * height, 0}
	})
	m.rename(m.cells, 1, 2, func(x [3]float64) bool { return x[0] > 0.5 })
	return m
}

// layers is a wall of two materials between a warm face and a film.
func layers(d *draw) {
	one, two, w := d.between(0.01, 0.3), d.between(0.01, 0.3), d.between(0.1, 1)
	k1, k2, h := d.between(0.03, 2), d.between(10, 400), d.between(5, 500)
	hot, cold := d.between(350, 600), d.between(270, 300)
	d.heat(twoLayers(d, one, two, w), k1, warm(1, hot), film(2, h, cold))
	delete(d.config, "conductivity")
	d.config["materials"] = []object{{"attribute": 1, "conductivity": k1}, {"attribute": 2, "conductivity": k2}}
	d.config["probes"] = [][]float64{{one, w / 3}}
	flow := (hot - cold) / (one/k1 + two/k2 + 1/h)
	d.want["/probes/0/value"] = hot - flow*one/k1
	d.want["/temperature/min"] = cold + flow/h
	d.want["/loads/0/heat_rate"] = flow * w
}

func radiatingSlab(d *draw) {
	l, w, k, emissivity := d.between(0.01, 0.3), d.between(0.1, 0.5), d.between(0.5, 60), d.between(0.1, 1)
	hot, ambient := d.between(500, 1500), d.between(0, 400)
	d.heat(d.planar(2, 6, w/l, 0.45, boxed(l, w)), k, warm(1, hot), radiating(2, emissivity, ambient))
	flow := func(t float64) float64 {
		return emissivity * stefanBoltzmann * (math.Pow(t, 4) - math.Pow(ambient, 4))
	}
	surface := between(ambient, hot, func(t float64) float64 { return flow(t) - k*(hot-t)/l })
	x := d.between(0.2, 0.8)
	d.config["probes"] = [][]float64{{x * l, w / 2}}
	d.want["/probes/0/value"] = hot + x*(surface-hot)
	d.want["/temperature/min"] = surface
	d.want["/loads/0/heat_rate"] = flow(surface) * w
}

// radiatingFin is warm at its root, x = 0, radiates from both sides and is insulated at its end.
// Across it the temperature differs by about half of Biot's number of its share that is lost.
func radiatingFin(d *draw) {
	thick, k, emissivity := d.between(0.001, 0.004), d.between(50, 250), d.between(0.3, 1)
	l, hot, ambient := thick*d.between(20, 50), d.between(600, 1200), d.between(0, 350)
	n := d.count(6, 16)
	m := structured(d, d.one(quad, triangle), []spacing{{n, 1}, {1, 1}}, 0.3*d.Float64(), boxed(l, thick))
	d.heat(m, k, warm(1, hot), radiating(3, emissivity, ambient), radiating(4, emissivity, ambient))
	end, root := finThatRadiates(l, 2*emissivity*stefanBoltzmann/(k*thick), hot, ambient)
	d.want["/temperature/min"] = end
	d.want["/loads/0/heat_rate"] = k * thick * root
	d.reference = emissivity * stefanBoltzmann * 4 * math.Pow(hot, 3) * thick / 2 / k
}

// finThatRadiates integrates T" = b (T^4 - Ta^4) from the end, where T' = 0, and returns the
// temperature there that leads to that of the root, and -T' at the root.
func finThatRadiates(l, b, hot, ambient float64) (end, slope float64) {
	const steps = 2000
	h := l / steps
	along := func(end float64) (t, rise float64) {
		t = end
		rate := func(t float64) float64 { return b * (math.Pow(t, 4) - math.Pow(ambient, 4)) }
		for range steps { // Runge and Kutta's fourth order of (T, T')
			k1, m1 := rise, rate(t)
			k2, m2 := rise+h/2*m1, rate(t+h/2*k1)
			k3, m3 := rise+h/2*m2, rate(t+h/2*k2)
			k4, m4 := rise+h*m3, rate(t+h*k3)
			t, rise = t+h/6*(k1+2*k2+2*k3+k4), rise+h/6*(m1+2*m2+2*m3+m4)
			if t > 2*hot {
				return t, rise
			}
		}
		return t, rise
	}
	end = between(ambient, hot, func(end float64) float64 {
		t, _ := along(end)
		return t - hot
	})
	_, slope = along(end)
	return end, slope
}

// curvedSlab has a conductivity that is linear in temperature between its two faces.
func curvedSlab(d *draw) {
	l, w, hot, cold := d.between(0.05, 0.5), d.between(0.05, 0.5), d.between(600, 1200), d.between(280, 320)
	k1, k2 := d.between(10, 100), d.between(10, 100) // at cold and hot
	integral := func(t float64) float64 { return k1*(t-cold) + (k2-k1)/(hot-cold)*(t-cold)*(t-cold)/2 }
	d.heat(d.planar(3, 8, w/l, 0.45, boxed(l, w)), k1, warm(1, cold), warm(2, hot))
	d.config["conductivity"] = [][]float64{{cold, k1}, {hot, k2}}
	x := d.between(0.2, 0.8)
	d.config["probes"] = [][]float64{{x * l, w * d.between(0.2, 0.8)}}
	d.want["/probes/0/value"] = between(cold, hot, func(t float64) float64 { return integral(t) - x*integral(hot) })
	d.want["/loads/1/heat_rate"] = integral(hot) / l * w
}

// freezing is a half space of liquid that is about to freeze, cooled on its face: the ice is
// 2 x sqrt(a t) thick with x exp(x^2) erf(x) = c (Tm - T0) / (L sqrt(pi)), and in it the
// temperature rises as erf. It freezes over half a kelvin in place of one temperature.
func freezing(d *draw) {
	k, rho, c, latent := d.between(0.5, 50), d.between(800, 9000), d.between(300, 4000), d.between(5e4, 4e5)
	melt, cooled := d.between(250, 800), d.between(20, 100)
	x := between(1e-6, 3, func(x float64) float64 {
		return x*math.Exp(x*x)*math.Erf(x) - c*cooled/(latent*math.Sqrt(math.Pi))
	})
	ice := d.between(0.01, 0.1)
	end := ice * ice / (4 * x * x * k / (rho * c))
	m := structured(d, quad, []spacing{{d.count(50, 80), 1}, {1, 1}}, 0, boxed(2*ice, ice/30))
	d.heat(m, k, warm(1, melt-cooled))
	delete(d.config, "steady")
	d.config["density"], d.config["specific_heat"], d.config["initial_temperature"] = rho, c, melt
	d.config["phase_change"] = object{"latent_heat": latent, "solidus": melt - 0.5, "liquidus": melt}
	d.config["dt"], d.config["t_final"] = end/float64(d.count(80, 150)), end
	place := d.between(0.2, 0.7)
	d.config["probes"] = [][]float64{{place * ice, 0}}
	d.want["/probes/0/value"] = melt - cooled + cooled*math.Erf(x*place)/math.Erf(x)
	d.reference = 3e-3 * cooled / d.want["/probes/0/value"]
}

// freezingThrough is a sheet that conducts so well that it has one temperature, which falls to that
// of the surroundings as an exponential: slower between liquidus and solidus by the latent heat.
// Few steps are made, and the freezing ends somewhere within one.
func freezingThrough(d *draw) {
	rho, c, latent := d.between(800, 9000), d.between(300, 2000), d.between(5e4, 4e5)
	liquidus, h, l := d.between(400, 1200), d.between(30, 300), d.between(2e-4, 1e-3)
	k := d.between(0.5e-3, 1e-3) * rho * c
	solidus, start, ambient := liquidus-d.between(2, 60), liquidus+d.between(5, 100), d.between(280, 320)
	melting := c + latent/(liquidus-solidus)
	// cooled is the temperature after a time, s, and the heat that is left of it, J/kg.
	cooled := func(time float64) (temperature, heat float64) {
		from := start
		for _, phase := range []struct{ capacity, end float64 }{{c, liquidus}, {melting, solidus}, {c, ambient}} {
			settles := rho * l * phase.capacity / h
			takes := settles * math.Log((from-ambient)/(phase.end-ambient))
			if time < takes {
				at := ambient + (from-ambient)*math.Exp(-time/settles)
				return at, heat + phase.capacity*(at-from)
			}
			heat += phase.capacity * (phase.end - from)
			time -= takes
			from = phase.end
		}
		return ambient, heat
	}
	solid := rho * l / h * (c*math.Log((start-ambient)/(liquidus-ambient)) + melting*math.Log((liquidus-ambient)/(solidus-ambient)))
	end := solid * d.between(0.5, 2.5)
	d.heat(structured(d, quad, []spacing{{2, 1}, {1, 1}}, 0, boxed(l, l)), k, film(2, h, ambient))
	delete(d.config, "steady")
	d.config["density"], d.config["specific_heat"], d.config["initial_temperature"] = rho, c, start
	d.config["phase_change"] = object{"latent_heat": latent, "solidus": solidus, "liquidus": liquidus}
	d.config["dt"], d.config["t_final"] = end/float64(d.count(6, 40)), end
	d.config["probes"] = [][]float64{{l / 2, 0}}
	temperature, heat := cooled(end)
	d.want["/probes/0/value"], d.want["/energy"] = temperature, rho*l*l*heat
	d.reference = h * l / k // Biot's number: the temperature is not quite one
}
