package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// wall are the radial and the hoop stress at a radius (Timoshenko and Goodier, art. 151).
func (c heatedTube) wall(r float64) (radial, hoop float64) {
	log, a2, b2 := math.Log(c.out/c.in), c.in*c.in, c.out*c.out
	unit := c.alpha * c.modulus * (c.inside - c.outside) / (2 * (1 - c.nu) * log)
	own, share := math.Log(c.out/r), a2/(b2-a2)*log
	return unit * (-own - share*(1-b2/(r*r))), unit * (1 - own - share*(1+b2/(r*r)))
}

// Elements strain by temperatures of one order less than displacements. With them as they are, in one draw
// the radial stress at the wall inside was off by 0.48 and 0.26 of the largest stress on 4 and 8
// elements of order 1, by 0.038 and 0.012 on those of order 2, and the free wall has none. What
// is left is that of stresses of the order: the first power of the elements' size, or the second.
func TestATubeOfCoarseElements(t *testing.T) {
	c := drawTube(random(t))
	const points = 9
	for order, within := range map[int]float64{1: 0.1, 2: 0.025} {
		for _, n := range []int{4, 8} {
			mesh := quads(n, 24, func(x, y float64) [2]float64 { px, py := c.at(x, y); return [2]float64{px, py} })
			var probes []string
			for i := range points {
				probes = append(probes, fmt.Sprintf("[%.17g, 0]", c.in+(c.out-c.in)*float64(i)/(points-1)))
			}
			a := solved(t, "fea.solve", mesh, "LinearElasticity", c.config(fmt.Sprintf(`"plane": "strain", "order": %d, `, order), "", strings.Join(probes, ", ")))
			size, square := 0.0, 0.0
			for i, p := range a.Probes {
				radial, hoop := c.wall(c.in + (c.out-c.in)*float64(i)/(points-1))
				size = max(size, math.Abs(hoop))
				square += math.Pow(float64(p.Stress[0])-radial, 2) + math.Pow(float64(p.Stress[1])-hoop, 2)
			}
			inside, outside := c.hoop(c.nu)
			off := math.Sqrt(square/(2*points)) / size
			t.Logf("order %d, %d elements: stresses off by %.2g (root mean square); at the walls hoop by %.2g and %.2g, radial by %.2g", order, n, off,
				(float64(a.Probes[0].Stress[1])-inside)/size, (float64(a.Probes[points-1].Stress[1])-outside)/size, float64(a.Probes[0].Stress[0])/size)
			if limit := within * math.Pow(4/float64(n), float64(order)); off > limit {
				t.Errorf("order %d, %d elements: stresses off by %.2g, expected %.2g", order, n, off, limit)
			}
		}
	}
}

// A bar between walls that do not turn its ends, one end warmer than the other: N = E A alpha dT
// of the mean is Euler's 4 pi^2 E I / L^2 (Timoshenko and Gere, art. 2.1), lowered by shear.
func TestABarThatHeatBuckles(t *testing.T) {
	draw := random(t)
	length, alpha := draw(0.5, 2), draw(5e-6, 3e-5)
	height := length / draw(50, 80)
	width := height * draw(1.1, 1.35) // wider, the second mode about the thin axis comes first
	cold, warm := draw(1, 20), draw(1, 20)
	a := buckled(t, hexes([3]int{24, 1, 1}, [3]float64{length, width, height}), fmt.Sprintf(
		`"modes": 2, "materials": [{"E": 2e11, "nu": 0, "alpha": %g}], "temperature": {"reference": 293, "heat": {"steady": true, "conductivity": 40,
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g}, {"attribute": 2, "type": "fixed_temp", "value": %.17g}]}}, "bcs": [{"attribute": [1, 2], "type": "fixed"}]`,
		alpha, 293+cold, 293+warm))
	for mode, thick := range []float64{height, width} {
		euler := math.Pow(2*math.Pi/length, 2) * thick * thick / 12 // over E A
		a.factor(t, "bar", mode, engesser(euler, 0.5, 1)/(alpha*(cold+warm)/2), 0.01)
	}
	near(t, "mean temperature", a.Temperature.Mean, 293+(cold+warm)/2, 1e-6)
}

// TestACooledBeamIsTighter where a heat problem cools the beam, the middle by more or less than
// the ends: the pull is that of the mean.
func TestABeamThatHeatPulls(t *testing.T) {
	draw := random(t)
	b := drawBeam(draw)
	alpha, share, apart := draw(5e-6, 3e-5), draw(60, 120), draw(-5, 5)
	pull := share * b.critical()
	a := solved(t, "fea.solve", b.mesh(), "LinearElasticity", fmt.Sprintf(
		`{"analysis": "modal", "prestress": true, "modes": 1, "plane": "stress", "materials": [{"E": %g, "nu": 0, "density": %g, "alpha": %g}],
		"temperature": {"reference": %.17g, "heat": {"steady": true, "conductivity": 40, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g}, {"attribute": 2, "type": "fixed_temp", "value": %.17g}]}},
		"bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 2, "type": "fixed", "components": ["x", "y"]}]}`,
		b.modulus, b.density, alpha, 300+pull/(b.modulus*b.height*alpha), 300-apart, 300+apart))
	s := math.Sqrt(b.modulus*math.Pow(b.height, 3)/12/pull) / b.span
	want := math.Sqrt(pull/(b.density*b.height)) / (2 * b.span) * (1 + 2*s + (4+math.Pi*math.Pi/2)*s*s)
	t.Logf("%.6g Hz, expected %.6g", float64(a.Modes[0].Frequency), want)
	a.within(t, "beam that heat pulls", 0, want, 0.005)
	near(t, "mean temperature", a.Temperature.Mean, 300, 1e-6)
}

// TestABoltInASleeve where heat makes the sleeve grow against the bolt: two springs side by side
// between plates that keep their size, so that the force in the bolt rises by
// kb ks / (kb + ks) (alpha_s - alpha_b) dT L (VDI 2230-1, 5.4.2.3).
func TestABoltThatHeatTightens(t *testing.T) {
	draw := random(t)
	length, width, depth, preload := draw(0.04, 0.08), draw(0.008, 0.012), draw(0.008, 0.012), draw(100, 1000)
	eb, es, ab, as, warm := draw(1e9, 2e9), draw(5e8, 2e9), draw(5e-6, 1e-5), draw(1.5e-5, 3e-5), draw(20, 100)
	kb, ks := eb*width*depth/length, es*2*width*depth/length
	added := kb * ks / (kb + ks) * (as - ab) * warm * length
	a := solved(t, "fea.solve", bolted(length, 0.03, width, depth, 2, 0, 1, 0, 2), "LinearElasticity", fmt.Sprintf(`{"bolts": [{"body": 1, "preload": "%.17g N"}], "materials": [
		{"attribute": 1, "E": %g, "nu": 0, "alpha": %g}, {"attribute": 2, "E": %g, "nu": 0, "alpha": %g}, {"attribute": 3, "E": %[4]g, "nu": 0, "alpha": %[5]g}, {"attribute": 4, "E": 1e12, "nu": 0, "alpha": 1e-12}],
		"temperature": {"reference": 293, "heat": {"steady": true, "conductivity": 40, "bcs": [{"attribute": [1, 2], "type": "fixed_temp", "value": %.17g}]}},
		"bcs": [{"attribute": 1, "type": "fixed"}]}`, preload, eb, ab, es, as, 293+warm))
	t.Logf("additional force off by %.2g", float64(a.Bolts[0].Additional)/added-1)
	near(t, "additional force", a.Bolts[0].Additional, added, 0.02)
	near(t, "service force", a.Bolts[0].Service, preload+added, 0.01)
}

// A square with a source that is held at its rim: 0.0736713 q a^2 / k in its middle (Timoshenko
// and Goodier, art. 109, the same equation). Coarse elements of order 1 miss some of it, which
// only a heat problem solved again on the finer mesh tells.
func TestHeatIsSolvedOnTheFinerMesh(t *testing.T) {
	draw := random(t)
	side, source := draw(0.1, 1), draw(1e4, 1e5)
	config := fmt.Sprintf(`{"order": 1, "plane": "stress", "materials": [{"E": 2e11, "nu": 0.3, "alpha": 1.2e-5}], "temperature": {"reference": 293, "heat": {"steady": true, "conductivity": 40, "source": %g,
		"bcs": [{"attribute": [1, 2, 3, 4], "type": "fixed_temp", "value": 293}]}}, "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]}]}`, source)
	mesh := func(n int) *grid { return quads(n, n, scaled(side, side)) }
	a := solved(t, "fea.solve", mesh(6), "LinearElasticity", config)
	want := 293 + 0.0736713*source*side*side/40
	covers(t, a, "/temperature/max", a.Temperature.Max, want)
	fine := solved(t, "fea.solve", mesh(12), "LinearElasticity", config)
	q := a.quantity(t, "/temperature/max")
	t.Logf("%g K, finer %g, true %g, bar %v by %s", float64(a.Temperature.Max)-293, float64(fine.Temperature.Max)-293, want-293, deref(q.Error), q.Coverage)
	if *q.Error < math.Abs(float64(fine.Temperature.Max-a.Temperature.Max)) {
		t.Errorf("the bar %g of the temperature is less than its change on elements of half the size", *q.Error)
	}
	// The tolerance of the solver adds next to nothing to three changes.
	if most := 3.1*math.Abs(float64(fine.Temperature.Max-a.Temperature.Max)) + 1e-6*want; *q.Error > most {
		t.Errorf("the bar %g of the temperature is more than %g", *q.Error, most)
	}
	best := solved(t, "fea.solve", quads(24, 24, scaled(side, side)), "LinearElasticity", strings.Replace(config, `"order": 1`, `"order": 2`, 1))
	covers(t, a, "/max_displacement/value", a.MaxDisplacement.Value, float64(best.MaxDisplacement.Value))
	covers(t, a, peakStress, a.VonMises.Max, float64(best.VonMises.Max))
}

// What the mesh lacks is told once, and every check concerns something that the output has.
func TestTheMeshOfAHeatedPartIsCheckedOnce(t *testing.T) {
	mesh := quads(6, 6, scaled(1, 1))
	mesh.boundary = mesh.boundary[:len(mesh.boundary)-3]
	a := solved(t, "fea.solve", mesh, "LinearElasticity", `{"materials": [{"E": 2e11, "nu": 0.3, "alpha": 1e-5}], "temperature": {"reference": 293, "heat": {"steady": true, "conductivity": 40,
		"bcs": [{"attribute": [1, 2, 3, 4], "type": "fixed_temp", "value": 300}]}}, "bcs": [{"attribute": [1, 2, 3, 4], "type": "fixed"}]}`)
	told := 0
	for _, c := range a.Evidence.Checks {
		if c.Name == "boundary_coverage" {
			told++
		}
		if strings.Contains(c.Figure, "input") {
			t.Errorf("%s concerns %s", c.Name, c.Figure)
		}
	}
	if told != 1 || a.Evidence.Trust != evidence.Suspect {
		t.Errorf("told %d times: %+v", told, a.Evidence.Checks)
	}
}

// Errors of the heat problem stand where it is written, and analyses that have no use for it
// refuse it.
func TestErrorsOfTheHeatOfAPart(t *testing.T) {
	const held = `{"attribute": 1, "type": "fixed_temp", "value": 300}`
	for _, c := range []struct{ more, heat, code, at string }{
		{``, `"bcs": [{"attribute": 2, "type": "heat_flux", "value": 10}]`, "ERR_SINGULAR_SYSTEM", "/config/temperature/heat/bcs"},
		{``, `"bcs": [{"attribute": 9, "type": "fixed_temp", "value": 10}]`, "ERR_UNKNOWN_ATTRIBUTE", "/config/temperature/heat/bcs/0/attribute"},
		{``, `"materials": [{"attribute": 7, "conductivity": 3}], "bcs": [` + held + `]`, "ERR_UNKNOWN_ATTRIBUTE", "/config/temperature/heat/materials/0/attribute"},
		{``, `"analysis_opts": {"max_iter": 1, "rel_tol": 1e-13}, "bcs": [` + held + `, {"attribute": 2, "type": "convection", "h": 7, "ambient": 400}]`, "ERR_NOT_CONVERGED", "/config/temperature/heat/analysis_opts"},
		{`"analysis": "modal", `, `"bcs": [` + held + `]`, "invalid_request", "/config/temperature"},
		{`"analysis": "harmonic", "frequencies": [10], "damping": {"ratio": 0.02}, `, `"bcs": [` + held + `]`, "invalid_request", "/config/temperature"},
		{`"analysis": "nonlinear", `, `"bcs": [` + held + `]`, "invalid_request", "/config/temperature"},
	} {
		if !strings.Contains(c.heat, "materials") {
			c.heat = `"conductivity": 40, ` + c.heat
		}
		e := refused(t, "fea.solve", quads(16, 16, scaled(1, 0.2)), "LinearElasticity", `{`+c.more+`"materials": [{"E": 2e11, "nu": 0.3, "alpha": 1e-5, "density": 7850}],
			"temperature": {"reference": 293, "heat": {"steady": true, `+c.heat+`}}, "bcs": [{"attribute": 1, "type": "fixed"}]}`, c.code, c.at)
		if e.Hint == "" {
			t.Errorf("%s: no hint: %+v", c.heat, e)
		}
	}
}

// Bodies of named materials conduct by the table; where it has nothing of one, the error stands
// where its conductivity is to be given.
func TestTheMaterialsOfThePartConduct(t *testing.T) {
	config := `{"materials": [{"attribute": 1, "material": "steel S235"}, {"attribute": 2, "material": "%s"}], "temperature": {"reference": 293,
		"heat": {"steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 293}, {"attribute": 2, "type": "heat_flux", "value": 2e4}]}}, "bcs": [{"attribute": 1, "type": "fixed"}]}`
	mesh := ofTwoBodies(quads(8, 4, scaled(0.2, 0.1)))
	a := solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(config, "copper"))
	want := 293.0
	for _, used := range a.Materials {
		if used.Conductivity != nil {
			want += 2e4 * 0.1 / float64(*used.Conductivity)
		}
	}
	near(t, "hot end", a.Temperature.Max, want, 1e-6)
	for _, n := range a.Evidence.Reasons {
		if strings.Contains(n, "temperature/heat") {
			t.Errorf("what nobody wrote is told: %s", n)
		}
	}
	if e := refused(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(config, "epoxy"), "invalid_request", "/config/temperature/heat/materials"); e.Hint == "" {
		t.Error(e)
	}
}
