package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// heatedTube is a quarter of a ring, heated inside.
type heatedTube struct {
	in, out, modulus, nu, alpha, inside, outside, reference float64
}

func drawTube(draw func(low, high float64) float64) heatedTube {
	in := draw(0.01, 0.2)
	return heatedTube{in, in * draw(1.3, 2), draw(5e10, 3e11), draw(0, 0.4), draw(5e-6, 3e-5), draw(350, 450), draw(280, 320), draw(280, 320)}
}

// hoop is the hoop stress at both walls, in plane strain or between free ends (Timoshenko and
// Goodier, Theory of Elasticity, art. 151); in plane stress nu is 0 in it.
func (c heatedTube) hoop(nu float64) (inside, outside float64) {
	log, a2, b2 := math.Log(c.out/c.in), c.in*c.in, c.out*c.out
	unit := c.alpha * c.modulus * (c.inside - c.outside) / (2 * (1 - nu) * log)
	return unit * (1 - 2*b2/(b2-a2)*log), unit * (1 - 2*a2/(b2-a2)*log)
}

// config is that of the tube whose cut faces 3 and 4 are planes of symmetry.
func (c heatedTube) config(more, bcs, probes string) string {
	return fmt.Sprintf(`{%s"materials": [{"E": %g, "nu": %g, "alpha": %g}], "temperature": {"reference": %g, "heat": {"conductivity": 20, "steady": true,
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %g}, {"attribute": 2, "type": "fixed_temp", "value": %g}]}},
		"bcs": [{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 4, "type": "fixed", "components": ["x"]}%s], "probes": [%s]}`,
		more, c.modulus, c.nu, c.alpha, c.reference, c.inside, c.outside, bcs, probes)
}

func (c heatedTube) at(x, y float64) (float64, float64) {
	r, w := c.in+(c.out-c.in)*x, y*math.Pi/2
	return r * math.Cos(w), r * math.Sin(w)
}

// The nodal stresses err by the square of 1/20 of the wall, and the facets of 32 elements around
// the quarter by 3e-4 of a radius.
func TestATubeHeatedInside(t *testing.T) {
	c := drawTube(random(t))
	mesh := quads(20, 32, func(x, y float64) [2]float64 { px, py := c.at(x, y); return [2]float64{px, py} })
	probes := fmt.Sprintf(`[%.17g, 0], [%.17g, 0]`, c.in, c.out)
	for plane, nu := range map[string]float64{"strain": c.nu, "stress": 0} {
		a := solved(t, "fea.solve", mesh, "LinearElasticity", c.config(fmt.Sprintf(`"plane": %q, `, plane), "", probes))
		inside, outside := c.hoop(nu)
		size := math.Max(math.Abs(inside), math.Abs(outside))
		for i, want := range []float64{inside, outside} {
			got := float64(a.Probes[i].Stress[1])
			if math.Abs(got-want) > 0.01*size {
				t.Errorf("plane %s: hoop stress %g Pa at wall %d, expected %g", plane, got, i, want)
			}
			t.Logf("plane %s: wall %d off by %.2g", plane, i, (got-want)/size)
		}
		near(t, "inside", a.Temperature.Max, c.inside, 1e-9)
		near(t, "probe", *a.Probes[1].Temperature, c.outside, 1e-9)
		if a.Evidence.Trust == evidence.Suspect {
			t.Errorf("%v", a.Evidence.Reasons)
		}
	}
}

// The same in three dimensions between planes that hold its length.
func TestATubeHeatedInsideInThreeDimensions(t *testing.T) {
	c := drawTube(random(t))
	mesh := hexes([3]int{10, 16, 1}, [3]float64{1, 1, c.in / 4})
	for _, p := range mesh.points {
		p[0], p[1] = c.at(p[0], p[1])
	}
	a := solved(t, "fea.solve", mesh, "LinearElasticity",
		c.config("", `, {"attribute": [5, 6], "type": "fixed", "components": ["z"]}`, fmt.Sprintf(`[%.17g, 0, 0], [%.17g, 0, 0]`, c.in, c.out)))
	inside, outside := c.hoop(c.nu)
	size := math.Max(math.Abs(inside), math.Abs(outside))
	for i, want := range []float64{inside, outside} {
		if got := float64(a.Probes[i].Stress[1]); math.Abs(got-want) > 0.02*size { // walls of 10 elements, 16 around
			t.Errorf("hoop stress %g Pa at wall %d, expected %g", got, i, want)
		}
	}
}

// A plate between clamped edges, one face warmer by dT: E alpha dT / 2 (1 - nu) at its faces
// (Timoshenko and Goodier, art. 150). Linear temperatures and quadratic displacements are exact:
// what differs is the solver's tolerance.
func TestAClampedPlateWithAWarmFace(t *testing.T) {
	draw := random(t)
	side, modulus, nu, alpha, cold, warm := draw(0.1, 1), draw(5e10, 3e11), draw(0, 0.4), draw(5e-6, 3e-5), draw(280, 320), draw(10, 100)
	height := side / draw(5, 20)
	want := modulus * alpha * warm / (2 * (1 - nu))
	for _, temperature := range []string{
		fmt.Sprintf(`"heat": {"conductivity": 3, "steady": true, "bcs": [{"attribute": 5, "type": "fixed_temp", "value": %.17g}, {"attribute": 6, "type": "fixed_temp", "value": %.17g}]}`, cold, cold+warm),
		fmt.Sprintf(`"value": %.17g, "gradient": [0, 0, %.17g], "at": [0, 0, 0]`, cold, warm/height),
	} {
		a := solved(t, "fea.solve", hexes([3]int{3, 3, 2}, [3]float64{side, side, height}), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": %g, "nu": %g, "alpha": %g}], "temperature": {"reference": %.17g, %s}, "bcs": [{"attribute": [1, 2], "type": "fixed", "components": ["x"]},
			{"attribute": [3, 4], "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]}], "probes": [[%g, %g, 0], [%g, %g, %.17g]]}`,
			modulus, nu, alpha, cold+warm/2, temperature, side/3, side/3, side/3, side/3, height))
		for i, sign := range []float64{1, -1} {
			near(t, "stress xx", a.Probes[i].Stress[0], sign*want, 1e-5)
			near(t, "stress yy", a.Probes[i].Stress[1], sign*want, 1e-5)
		}
	}
}

// A bar that rests on next to nothing bends to the curvature alpha dT / h, and has no stress,
// under any temperature that is linear in space: second differences of the displacements along
// its axis are alpha times the gradient.
func TestAFreeBarBendsWithoutStress(t *testing.T) {
	draw := random(t)
	length, alpha, along, across := draw(0.2, 2), draw(5e-6, 3e-5), draw(-50, 50), draw(20, 200)
	height := length / draw(5, 10)
	for _, c := range []struct {
		temperature string
		along       float64
	}{
		{fmt.Sprintf(`"value": 300, "gradient": [%g, %g, 0], "at": [0, 0, 0]`, along/length, across/height), along / length},
		{fmt.Sprintf(`"heat": {"conductivity": 3, "steady": true, "bcs": [{"attribute": 3, "type": "fixed_temp", "value": 300}, {"attribute": 4, "type": "fixed_temp", "value": %.17g}]}`, 300+across), 0},
	} {
		a := solved(t, "fea.solve", hexes([3]int{8, 2, 2}, [3]float64{length, height, height}), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": 2e11, "nu": 0.3, "alpha": %g}], "temperature": {"reference": 293, %s}, "analysis_opts": {"rel_tol": 1e-10},
			"bcs": [{"attribute": 1, "type": "elastic", "stiffness": [1e5, 1e5, 1e5]}], "probes": [[0, %[3]g, %[3]g], [%[4]g, %[3]g, %[3]g], [%[5]g, %[3]g, %[3]g]]}`,
			alpha, c.temperature, height/2, length/2, length))
		second := func(k int) Figure {
			return a.Probes[0].Displacement[k] - 2*a.Probes[1].Displacement[k] + a.Probes[2].Displacement[k]
		}
		unit := alpha * length * length / 4
		near(t, "deflection", second(1), -unit*across/height, 1e-4)
		if got, want := float64(second(0)), unit*c.along; math.Abs(got-want) > 1e-4*unit*across/height {
			t.Errorf("growth %g along the bar, expected %g", got, want)
		}
		if most := 1e-6 * 2e11 * alpha * (across + 10); float64(a.VonMises.Max) > most {
			t.Errorf("stress %g Pa", a.VonMises.Max)
		}
	}
}

// Two ways to say that a strip of two metals is warm: they agree to the solver's tolerance.
func TestUniformHeatIsAValue(t *testing.T) {
	draw := random(t)
	length, warm := draw(0.1, 0.3), draw(320, 400)
	height := length / draw(10, 30)
	mesh := ofTwoBodies(quads(10, 2, scaled(length, height)))
	config := `{"materials": [{"attribute": 1, "E": 1.5e11, "nu": 0.3, "alpha": 2e-5}, {"attribute": 2, "E": 7e10, "nu": 0.33, "alpha": 1e-5}],
		"temperature": {"reference": 300, %s}, "bcs": [{"attribute": 1, "type": "fixed"}]}`
	value := solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(config, fmt.Sprintf(`"value": %.17g`, warm)))
	heat := solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(config, fmt.Sprintf(
		`"heat": {"steady": true, "materials": [{"attribute": 1, "conductivity": 300}, {"attribute": 2, "conductivity": 2}], "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g}, {"attribute": 2, "type": "convection", "h": 10, "ambient": %.17g}]}`, warm, warm)))
	near(t, "displacement", heat.MaxDisplacement.Value, float64(value.MaxDisplacement.Value), 1e-6)
	near(t, "stress", heat.VonMises.Max, float64(value.VonMises.Max), 1e-6)
	near(t, "energy", heat.Energy, float64(value.Energy), 1e-6)
}

// quench is a plate of thickness 2 half that is cooled on both faces at once (Carslaw and Jaeger,
// Conduction of Heat in Solids, art. 3.4): the temperature above that of the faces, over the
// first one, at a distance from the middle, and its mean.
func quench(fourier, place float64) (at, mean float64) {
	for n := range 50 {
		m := float64(2*n + 1)
		decay := math.Exp(-fourier * m * m * math.Pi * math.Pi / 4)
		at += 4 / math.Pi * math.Pow(-1, float64(n)) / m * decay * math.Cos(m*math.Pi*place/2)
		mean += 8 / (math.Pi * math.Pi) / (m * m) * decay
	}
	return at, mean
}

// The stress of a plate that is free to grow is alpha E / (1 - nu) (T_mean - T); one that is held
// at the size that T_mean gives it is the same. 100 steps of second order and 12 elements: 1 % of
// the stress of the whole quench.
func TestAQuenchedPlate(t *testing.T) {
	draw := random(t)
	half, modulus, nu, alpha, drop, fourier := draw(0.005, 0.05), draw(5e10, 3e11), draw(0, 0.4), draw(5e-6, 3e-5), draw(50, 200), draw(0.05, 0.3)
	const diffusivity, cold = 1e-5, 300.0
	middle, mean := quench(fourier, 0)
	end := fourier * half * half / diffusivity
	a := solved(t, "fea.solve", hexes([3]int{1, 1, 12}, [3]float64{half, half, 2 * half}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": %g, "alpha": %g}], "temperature": {"reference": %.17g, "heat": {"conductivity": 40, "specific_heat": 500, "density": 8000, "initial_temperature": %.17g,
		"dt": %.17g, "t_final": %.17g, "bcs": [{"attribute": [5, 6], "type": "fixed_temp", "value": %g}]}},
		"bcs": [{"attribute": [1, 2], "type": "fixed", "components": ["x"]}, {"attribute": [3, 4], "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]}],
		"probes": [[0, 0, %.17g], [0, 0, 0]]}`, modulus, nu, alpha, cold+drop*mean, cold+drop, end/100, end, cold, half))
	unit := modulus * alpha * drop / (1 - nu)
	for i, want := range []float64{mean - middle, mean} {
		if got := float64(a.Probes[i].Stress[0]) / unit; math.Abs(got-want) > 0.01 {
			t.Errorf("stress %g at probe %d, expected %g", got, i, want)
		}
	}
	near(t, "mean temperature", a.Temperature.Mean, cold+drop*mean, 1e-3)
	covers(t, a, peakStress, a.VonMises.Max, unit*max(mean, middle-mean))
}

// What fails in the heat problem makes the stresses suspect.
func TestADoubtfulHeatProblemMakesStressesDoubtful(t *testing.T) {
	config := `{"materials": [{"E": 2e11, "nu": 0.3, "alpha": 1.2e-5}], "temperature": {"reference": 293, "heat": %s}, "bcs": [{"attribute": 1, "type": "fixed"}]}`
	for name, heat := range map[string]string{
		"time_steps": `{"conductivity": 40, "specific_heat": 500, "density": 8000, "initial_temperature": 300, "dt": 50, "t_final": 100,
			"bcs": [{"attribute": 2, "type": "convection", "h": 100, "ambient": 400}]}`,
		"temperature_range": `{"conductivity": [[300, 40], [310, 39]], "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}, {"attribute": 2, "type": "fixed_temp", "value": 400}]}`,
	} {
		a := solved(t, "fea.solve", quads(10, 4, scaled(0.5, 0.2)), "LinearElasticity", fmt.Sprintf(config, heat))
		fails(t, a, name)
		for _, pointer := range []string{peakStress, "/max_displacement/value"} {
			if q := a.quantity(t, pointer); q.Trust != evidence.Suspect {
				t.Errorf("%s: %s is %s", name, pointer, q.Trust)
			}
		}
	}
}

// The named material of a part conducts where heat says nothing of it.
func TestTheMaterialOfThePartConducts(t *testing.T) {
	a := solved(t, "fea.solve", quads(8, 4, scaled(0.2, 0.1)), "LinearElasticity", `{"materials": [{"material": "steel S235"}], "temperature": {"reference": 293,
		"heat": {"steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 293}, {"attribute": 2, "type": "heat_flux", "value": 2e4}]}},
		"bcs": [{"attribute": 1, "type": "fixed"}]}`)
	used := a.Materials[len(a.Materials)-1]
	if used.Conductivity == nil {
		t.Fatalf("%+v", a.Materials)
	}
	near(t, "hot end", a.Temperature.Max, 293+2e4*0.2/float64(*used.Conductivity), 1e-6)
}

func TestDoubtfulHeatOfAPartIsRefused(t *testing.T) {
	const (
		steel = `"E": 2e11, "nu": 0.3`
		heat  = `"heat": {"steady": true, "conductivity": 40, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}]}`
	)
	for _, c := range []struct{ more, material, temperature, at string }{
		{``, `, "alpha": 1e-5`, `"value": 300, ` + heat, "/config/temperature/value"},
		{``, `, "alpha": 1e-5`, `"gradient": [1, 0], ` + heat, "/config/temperature/gradient"},
		{``, `, "alpha": 1e-5`, ``, "/config/temperature/value"},
		{``, `, "alpha": 1e-5`, `"value": 300, "gradient": [1, 0]`, "/config/temperature/at"},
		{``, `, "alpha": 1e-5`, `"heat": {"steady": true, "conductivity": 40}`, "/config/temperature/heat"},
		{``, `, "alpha": 1e-5`, strings.Replace(heat, `"conductivity": 40, `, "", 1), "/config/temperature/heat/conductivity"},
		{``, `, "alpha": 1e-5`, strings.Replace(heat, `"value": 400`, `"value": 400, "h": 3`, 1), "/config/temperature/heat/bcs/0/h"},
		{``, `, "alpha": 1e-5`, strings.Replace(heat, `"steady": true`, `"order": 1`, 1), "/config/temperature/heat"},
		{``, ``, heat, "/config/materials/0/alpha"},
		{`"analysis": "nonlinear", `, `, "alpha": 1e-5`, heat, "/config/temperature"},
		{`"second_opinion": true, `, `, "alpha": 1e-5`, heat, "/config/second_opinion"},
	} {
		temperature := strings.TrimSuffix(`{"reference": 293, `+c.temperature, ", ") + `}`
		e := refused(t, "fea.solve", quads(4, 2, scaled(1, 0.2)), "LinearElasticity", `{`+c.more+`"materials": [{`+steel+c.material+`}], "temperature": `+temperature+`,
			"bcs": [{"attribute": 1, "type": "fixed"}]}`, "invalid_request", c.at)
		if e.Hint == "" {
			t.Errorf("%s: no hint: %+v", c.temperature, e)
		}
	}
}
