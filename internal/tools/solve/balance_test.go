package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A wall between two films: the heat that enters through one leaves through the other,
// so that their sum is no measure of it. The resistances 1/h, L/k and 1/h in series.
func TestWallBetweenFilmsIsBalanced(t *testing.T) {
	draw := random(t)
	for range 4 {
		l, k, h1, h2, t1, t2 := draw(0.05, 0.5), draw(0.5, 100), draw(5, 200), draw(20, 3000), draw(300, 600), draw(270, 290)
		a := solved(t, "heat.solve", rectangle(6, 3, l, 1), "", fmt.Sprintf(`{"conductivity": %g, "steady": true, "bcs": [
			{"attribute": 1, "type": "convection", "h": %g, "ambient": %g}, {"attribute": 2, "type": "convection", "h": %g, "ambient": %g}]}`, k, h1, t1, h2, t2))
		if s, failed := a.failed("energy_balance"); failed {
			t.Error(s)
		}
		rate := (t1 - t2) / (1/h1 + l/k + 1/h2)
		near(t, "heat in", *a.Loads[0].HeatRate, rate, 1e-4)
		covers(t, a, "/temperature/max", a.Temperature.Max, t1-rate/h1)
		covers(t, a, "/temperature/min", a.Temperature.Min, t2+rate/h2)
	}
}

// A part of one temperature: the bar is not less than the tolerance of the solver.
func TestUniformTemperatureIsWithinItsBar(t *testing.T) {
	draw := random(t)
	for range 3 {
		ambient, h := draw(280, 500), draw(5, 500)
		a := solved(t, "heat.solve", rectangle(8, 8, draw(0.5, 2), draw(0.5, 2)), "", fmt.Sprintf(
			`{"conductivity": %g, "steady": true, "bcs": [{"attribute": [1, 2], "type": "convection", "h": %g, "ambient": %g}]}`, draw(0.5, 100), h, ambient))
		for pointer, value := range map[string]Figure{"/temperature/max": a.Temperature.Max, "/temperature/min": a.Temperature.Min} {
			q := a.quantity(t, pointer)
			if q.Error == nil || math.Abs(float64(value)-ambient) > *q.Error {
				t.Errorf("%s is %.10g, not %.10g, with a bar of %v", pointer, float64(value), ambient, deref(q.Error))
			}
		}
	}
}

// slabAt is the temperature at x of a slab of thickness l that starts at 300 K, with
// 400 K at x = 0 from then on and no heat through x = l (Carslaw and Jaeger, 3.4).
func slabAt(x, l, diffusivity, time float64) float64 {
	sum := 0.0
	for n := range 400 {
		m := (2*float64(n) + 1) * math.Pi / 2
		sum += 2 / m * math.Sin(m*x/l) * math.Exp(-m*m*diffusivity*time/(l*l))
	}
	return 400 - 100*sum
}

// Error bars of a transient cover the error of the time step; with fewer steps than
// tell it there is none, and the result is suspect.
func TestBarsOfATransientCoverTheTimeStep(t *testing.T) {
	draw := random(t)
	for range 4 {
		l, k, fourier := draw(0.05, 0.3), draw(10, 200), draw(0.1, 1)
		diffusivity := k / (7850 * 500)
		end := fourier * l * l / diffusivity
		steps, x := 4+int(draw(0, 12)), draw(0.2, 1)*l
		a := solved(t, "heat.solve", rectangle(24, 2, l, l/8), "", fmt.Sprintf(`{"conductivity": %g, "density": 7850, "specific_heat": 500,
			"initial_temperature": 300, "dt": %.17g, "t_final": %.17g, "probes": [[%.17g, %.17g]], "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}]}`,
			k, end/float64(steps), end, x, l/16))
		q := a.quantity(t, "/probes/0/value")
		want := slabAt(x, l, diffusivity, end)
		t.Logf("Fourier %.3g, %d steps: %.6g, true %.6g, bar %v", fourier, steps, float64(*a.Probes[0].Value), want, deref(q.Error))
		covers(t, a, "/probes/0/value", *a.Probes[0].Value, want)
		covers(t, a, "/temperature/min", a.Temperature.Min, slabAt(l, l, diffusivity, end))
	}
	one := solved(t, "heat.solve", rectangle(24, 2, 0.1, 0.01), "", `{"conductivity": 50, "density": 7850, "specific_heat": 500,
		"initial_temperature": 300, "dt": 300, "t_final": 300, "probes": [[0.05, 0.005]], "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}]}`)
	fails(t, one, "time_steps")
	if q := one.quantity(t, "/probes/0/value"); q.Error != nil {
		t.Errorf("one step has a bar of %g", *q.Error)
	}
}

// A weight needs a density: 1 kg/m^3, which the reference takes, is no solid's.
func TestGravityWithoutDensityIsSuspect(t *testing.T) {
	config := func(material string) string {
		return `{"materials": [{"E": 2e11, "nu": 0.3` + material + `}], "gravity": [0, -9.81], "bcs": [{"attribute": 1, "type": "fixed"}]}`
	}
	a := solved(t, "fea.solve", rectangle(8, 2, 1, 0.2), "LinearElasticity", config(""))
	fails(t, a, "density")
	if s, _ := a.failed("density"); !strings.Contains(s, "/config/materials/0/density") {
		t.Errorf("%q does not say where", s)
	}
	if s, failed := solved(t, "fea.solve", rectangle(8, 2, 1, 0.2), "LinearElasticity", config(`, "density": 7850`)).failed("density"); failed {
		t.Error(s)
	}
}

// One material for an attribute goes to the other elements as well, and it is said.
func TestOneMaterialForAllIsTold(t *testing.T) {
	g := box([3]int{3, 1, 1}, [3]float64{3, 1, 1})
	for i, e := range g.elements {
		g.elements[i] = fmt.Sprint(1+i/6) + e[1:]
	}
	a := solved(t, "fea.solve", g, "LinearElasticity", `{"materials": [{"attribute": 2, "E": 2e11, "nu": 0.3}],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [1000, 0, 0]}]}`)
	if all := strings.Join(a.Evidence.Reasons, " "); !strings.Contains(all, "attributes 1, 3 ") {
		t.Errorf("the reasons do not name the attributes 1 and 3: %s", all)
	}
}

// A nearly incompressible bar with sides held is stretched by s (1+nu)(1-2nu)/(E(1-nu)),
// whatever the mesh.
func TestNearlyIncompressibleIsFactorised(t *testing.T) {
	draw := random(t)
	for _, nu := range []float64{0.4999, 0.49999} {
		l, h, pull := draw(0.5, 2), draw(0.2, 1), draw(1e5, 1e6)
		a := solved(t, "fea.solve", rectangle(20, 12, l, h), "LinearElasticity", fmt.Sprintf(`{"materials": [{"E": 1e9, "nu": %g}], "bcs": [
			{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": [3, 4], "type": "fixed", "components": ["y"]},
			{"attribute": 2, "type": "load", "value": [%g, 0]}]}`, nu, pull))
		near(t, "displacement", a.MaxDisplacement.Value, pull*l*(1+nu)*(1-2*nu)/(1e9*(1-nu)), 1e-5)
	}
}

// Elements of order 1 lock beyond what an estimate or a finer mesh shows.
func TestALockedMeshIsSuspect(t *testing.T) {
	a := solved(t, "fea.solve", rectangle(10, 2, 1, 0.2), "LinearElasticity", `{"order": 1, "materials": [{"E": 1e7, "nu": 0.4995}],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [0, 1]}]}`)
	fails(t, a, "locking")
}

// The neck of a bar bears more than its sharp inner corner on a coarse mesh, whose
// stress has no bound (Williams).
func TestSharpCornerBesideThePeakIsTold(t *testing.T) {
	draw := random(t)
	w := draw(0.8, 1.2)
	a := solved(t, "fea.solve", angled(w), "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]},
		{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 2, "type": "load", "value": [1e6, 0]}]}`)
	fails(t, a, "stress_bounded_elsewhere")
	if q := a.quantity(t, "/von_mises/max"); q.Trust != evidence.Suspect {
		t.Errorf("the peak is %s: %v", q.Trust, q.Reasons)
	}
}

// angled is a bar of height w that steps down to 0.6 w at its middle, with a sharp
// inner corner, and then narrows smoothly to a neck of 0.3 w. Boundary attributes: 1
// x_min, 2 x_max, 3 y_min, 4 the
// others.
func angled(w float64) *grid {
	whole := rectangle(48, 10, 2*w, w)
	g := &grid{dim: 2, points: whole.points}
	for _, line := range whole.elements {
		var attribute, kind, a, b, c int
		fmt.Sscan(line, &attribute, &kind, &a, &b, &c)
		x := (g.points[a][0] + g.points[b][0] + g.points[c][0]) / 3
		y := (g.points[a][1] + g.points[b][1] + g.points[c][1]) / 3
		if x < w || y < 0.6*w {
			g.elements = append(g.elements, line)
		}
	}
	g.outline(func(x, y float64) int {
		switch {
		case x == 0:
			return 1
		case x > 1.999*w:
			return 2
		case y == 0:
			return 3
		}
		return 4
	})
	for _, p := range g.points {
		if p[0] > w {
			p[1] *= 1 - 0.5*math.Pow(math.Sin(math.Pi*(p[0]/w-1)), 2)
		}
	}
	return g
}

// outline lists the edges that belong to one triangle only, with the attribute of
// their middle.
func (g *grid) outline(attribute func(x, y float64) int) {
	count, oriented := map[[2]int]int{}, map[[2]int][2]int{}
	for _, line := range g.elements {
		var material, kind int
		var v [3]int
		fmt.Sscan(line, &material, &kind, &v[0], &v[1], &v[2])
		for i := range 3 {
			a, b := v[i], v[(i+1)%3]
			key := [2]int{min(a, b), max(a, b)}
			count[key]++
			oriented[key] = [2]int{a, b}
		}
	}
	for key, n := range count {
		if n == 1 {
			e := oriented[key]
			p, q := g.points[e[0]], g.points[e[1]]
			g.boundary = append(g.boundary, fmt.Sprintf("%d 1 %d %d", attribute((p[0]+q[0])/2, (p[1]+q[1])/2), e[0], e[1]))
		}
	}
}
