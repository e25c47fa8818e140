package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// plate is a square plate clamped on its four sides under pressure, turned in space.
func plate(t *testing.T, side, thickness, pressure, angle float64) *answer {
	return solved(t, "fea.solve", hexes([3]int{12, 12, 1}, [3]float64{side, side, thickness}).rotated(angle), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": [1, 2, 3, 4], "type": "fixed"}, {"attribute": 6, "type": "pressure", "value": %g}]}`, pressure))
}

// value is that of a check.
func (a *answer) value(t *testing.T, check string) float64 {
	t.Helper()
	for _, c := range a.Evidence.Checks {
		if c.Name == check && c.Value != nil {
			return *c.Value
		}
	}
	t.Fatalf("there is no check %s", check)
	return 0
}

// A clamped plate must stretch when it deflects. w = 0.00126 p a^4 / D (Timoshenko);
// by CalculiX with large displacements a plate whose linear w is 1.96 t deflects
// 1 / 1.72 of that: were its shape always the same, with s + c s^3 = 1, the
// stretching c would be 0.55 (w/t)^2. A circular plate has 0.47 (Timoshenko and
// Woinowsky-Krieger). It must not depend on how the plate lies in space.
func TestPlateThatMustStretchIsSuspect(t *testing.T) {
	draw := random(t)
	side, angle := draw(0.4, 1.2), draw(0.2, 3)
	thickness := side * draw(0.012, 0.016)
	stiffness := 2e11 * math.Pow(thickness, 3) / (12 * (1 - 0.3*0.3))
	at := func(w float64) *answer {
		return plate(t, side, thickness, w*thickness*stiffness/(0.00126*math.Pow(side, 4)), angle)
	}
	two := at(2)
	fails(t, two, "small_deflection")
	w := float64(two.MaxDisplacement.Value) / thickness
	if w < 1.8 || w > 2.2 {
		t.Fatalf("the plate deflects %g thicknesses, not 2", w)
	}
	if s := two.value(t, "small_deflection") / (w * w); s < 0.4 || s > 0.6 {
		t.Errorf("stretching is %g (w/t)^2, expected about 0.5", s)
	}
	small := at(0.2)
	if s, failed := small.failed("small_deflection"); failed {
		t.Errorf("a deflection of a fifth of the thickness: %s", s)
	}
}

// A cantilever draws in and need not stretch: many thicknesses of deflection are in
// its linear range, up to a turn of 10 degrees (1.5 w / l at its tip).
func TestCantileverNeedNotStretch(t *testing.T) {
	draw := random(t)
	l, b := draw(0.5, 2), draw(0.02, 0.03)
	h, angle := l/draw(60, 80), draw(0.2, 3)
	at := func(w float64) *answer {
		force := w * l * 3 * 7e10 * b * h * h * h / 12 / (l * l * l)
		return solved(t, "fea.solve", hexes([3]int{40, 1, 1}, [3]float64{l, b, h}).rotated(angle), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": 7e10, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 6, "type": "pressure", "value": %g}]}`, force*8/3/(l*b)))
	}
	a := at(0.06) // about four thicknesses
	if w := float64(a.MaxDisplacement.Value) / h; w < 3 {
		t.Errorf("the beam deflects only %g thicknesses", w)
	}
	for _, check := range []string{"small_deflection", "small_rotation", "small_strain", "stress_stiffening"} {
		if s, failed := a.failed(check); failed {
			t.Errorf("%s: %s", check, s)
		}
	}
	fails(t, at(0.3), "small_rotation")
}

// Steel at 2 % strain has long yielded.
func TestStrainThatNoSteelBearsIsSuspect(t *testing.T) {
	fails(t, solved(t, "fea.solve", box([3]int{4, 1, 1}, [3]float64{0.4, 0.05, 0.05}), "LinearElasticity",
		`{"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 5, "type": "fixed", "components": ["z"]}, {"attribute": 2, "type": "load", "value": [4e9, 0, 0]}]}`), "small_strain")
}

// Elements that no material names are told, not given the first one in silence.
func TestElementsWithoutMaterialAreSuspect(t *testing.T) {
	g := box([3]int{3, 1, 1}, [3]float64{3, 1, 1})
	for i, e := range g.elements {
		g.elements[i] = fmt.Sprint(1+i/6) + e[1:]
	}
	a := solved(t, "fea.solve", g, "LinearElasticity", `{"materials": [{"attribute": 1, "E": 2e11, "nu": 0.3}, {"attribute": 2, "E": 1.8e11, "nu": 0.3}],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [1000, 0, 0]}]}`)
	fails(t, a, "materials")
}

// Two cubes face to face whose nodes are apart: nothing passes between them.
func TestBodiesThatTouchAreTold(t *testing.T) {
	draw := random(t)
	l := draw(0.05, 0.2)
	apart := func(gap float64) *grid {
		two := box([3]int{3, 3, 3}, [3]float64{l, l, l})
		for _, p := range two.points {
			p[0] += l + gap
		}
		for i, b := range two.boundary {
			two.boundary[i] = "1" + b
		}
		return joined(box([3]int{2, 2, 2}, [3]float64{l, l, l}), two)
	}
	const config = `{` + steel + `, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 12, "type": "fixed"}, {"attribute": 4, "type": "load", "force": [0, -1, 0]}]}`
	fails(t, solved(t, "fea.solve", apart(0), "LinearElasticity", config), "bodies_joined")
	if s, failed := solved(t, "fea.solve", apart(l/50), "LinearElasticity", config).failed("bodies_joined"); failed {
		t.Error(s)
	}
	fails(t, solved(t, "heat.solve", apart(0), "", `{"conductivity": 50, "specific_heat": 500, "density": 7800, "initial_temperature": 300,
		"dt": 1, "t_final": 10, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}]}`), "bodies_joined")
	// In a steady state the second body has no temperature at all.
	refused(t, "heat.solve", apart(0), "", `{"conductivity": 50, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}]}`, "ERR_SINGULAR_SYSTEM", "/config/bcs")
	// Held at one temperature both, rounding is no overshoot.
	same := solved(t, "heat.solve", apart(l), "", `{"conductivity": 50, "steady": true, "bcs": [{"attribute": [1, 12], "type": "fixed_temp", "value": 400}]}`)
	if same.Evidence.Trust == evidence.Suspect {
		t.Errorf("two bodies at one temperature: %v", same.Evidence.Reasons)
	}
}

// A quarter of the loaded side lacks in the list of faces: the traction acts on
// three quarters of it.
func TestBoundaryListWithAHoleIsSuspect(t *testing.T) {
	g := hexes([3]int{4, 4, 4}, [3]float64{0.1, 0.1, 0.1})
	var kept []string
	left := 4
	for _, b := range g.boundary {
		if b[0] == '2' && left > 0 {
			left--
			continue
		}
		kept = append(kept, b)
	}
	g.boundary = kept
	a := solved(t, "fea.solve", g, "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1e6, 0, 0]}]}`)
	near(t, "area", a.Loads[1].Area, 0.0075, 1e-9)
	fails(t, a, "boundary_coverage")
	// Faces without a condition may be left out whole.
	kept = nil
	for _, b := range hexes([3]int{4, 4, 4}, [3]float64{0.1, 0.1, 0.1}).boundary {
		if b[0] == '1' || b[0] == '2' {
			kept = append(kept, b)
		}
	}
	g.boundary = kept
	a = solved(t, "fea.solve", g, "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1e6, 0, 0]}]}`)
	if s, failed := a.failed("boundary_coverage"); failed {
		t.Error(s)
	}
}

// The error bar of a temperature knows nothing of the zero of the scale, and covers
// the error that a fine mesh shows.
func TestHeatErrorBarIsFreeOfTheZero(t *testing.T) {
	draw := random(t)
	lx, ly, k, h := draw(0.3, 0.6), draw(0.7, 1.1), draw(20, 60), draw(500, 900)
	at := func(n int, zero float64) *answer {
		return solved(t, "heat.solve", quads(n, n, scaled(lx, ly)), "", fmt.Sprintf(`{"conductivity": %g, "steady": true, "order": %d, "probes": [[%g, %g]],
			"bcs": [{"attribute": 3, "type": "fixed_temp", "value": %g}, {"attribute": [2, 4], "type": "convection", "h": %g, "ambient": %g}]}`,
			k, 1+n/32, lx*0.99, ly/5, zero+80, h, zero))
	}
	fine := at(48, 300)
	truth := float64(*fine.Probes[0].Value) - 300
	var bars []float64
	for _, zero := range []float64{293.15, 1000, 1e5} {
		a := at(4, zero)
		covers(t, a, "/probes/0/value", *a.Probes[0].Value-Figure(zero), truth)
		q := a.quantity(t, "/probes/0/value")
		if math.Abs(float64(*a.Probes[0].Value)-zero-truth) > 0.05*80 && q.Trust == evidence.Verified {
			t.Errorf("verified at %g K, true is %g K", float64(*a.Probes[0].Value)-zero, truth)
		}
		bars = append(bars, *q.Error, float64(*a.ErrorEstimate.EnergyNorm))
	}
	for i := 2; i < len(bars); i++ {
		if math.Abs(bars[i]-bars[i%2]) > 1e-3*bars[i%2] {
			t.Errorf("bars and estimates %v depend on the zero", bars)
		}
	}
}

// A slab that is cooled harder than heat can flow.
func TestBelowAbsoluteZeroIsSuspect(t *testing.T) {
	draw := random(t)
	l, flux := draw(0.05, 0.2), draw(3e4, 1e5)
	a := solved(t, "heat.solve", hexes([3]int{4, 4, 2}, [3]float64{l, l, 0.02}), "", fmt.Sprintf(
		`{"conductivity": 0.25, "steady": true, "bcs": [{"attribute": 5, "type": "fixed_temp", "value": 320}, {"attribute": 6, "type": "heat_flux", "value": %g}]}`, -flux))
	near(t, "lowest", a.Temperature.Min, 320-flux*0.02/0.25, 1e-6)
	fails(t, a, "absolute_zero")
	notVerified(t, a, "/temperature/min", evidence.Suspect)
}

// A driven cavity at Re 600 on 6 x 6 elements: neither cells nor gradients resolve it.
func TestCoarseCavityIsSuspect(t *testing.T) {
	a := solved(t, "cfd.solve", quads(6, 6, scaled(1, 1)), "", `{"viscosity": 0.0016666667, "density": 1, "dt": 1, "t_final": 80, "steady": true,
		"output_interval_steps": 1000, "bcs": [{"attribute": 4, "type": "wall", "velocity": [1, 0]}, {"attribute": [1, 2, 3], "type": "wall"}]}`)
	fails(t, a, "gradient_error")
}

// A thin strip, on which the iteration stalls, is solved directly: P l^3 / 3 E I.
func TestThinStripIsSolved(t *testing.T) {
	draw := random(t)
	l := draw(0.5, 1)
	b, h := l/50, l/500
	a := solved(t, "fea.solve", hexes([3]int{80, 2, 1}, [3]float64{l, b, h}), "LinearElasticity",
		`{"materials": [{"E": 2e11, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, -1e-3]}]}`)
	near(t, "tip", a.MaxDisplacement.Value, 1e-3*l*l*l/(3*2e11*b*h*h*h/12), 0.01)
}

// Two conditions of one kind on a face add: tractions, fluxes and films.
func TestConditionsOfOneKindAdd(t *testing.T) {
	draw := random(t)
	p, q := draw(1, 5), draw(1, 5)
	bar := solved(t, "fea.solve", box([3]int{4, 1, 1}, [3]float64{2, 1, 1}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": 1e9, "nu": 0}], "analysis_opts": {"rel_tol": 1e-12}, "bcs": [{"attribute": 1, "type": "fixed"},
		{"attribute": 2, "type": "load", "force": [%g, 0, 0]}, {"attribute": 2, "type": "load", "force": [%g, 0, 0]}]}`, p, q))
	near(t, "end", bar.MaxDisplacement.Value, (p+q)*2/1e9, 1e-7)
	near(t, "reaction", bar.Loads[0].Force[0], -(p + q), 1e-8)
	wall := solved(t, "heat.solve", hexes([3]int{3, 1, 1}, [3]float64{0.3, 1, 1}), "", fmt.Sprintf(
		`{"conductivity": 1.5, "steady": true, "analysis_opts": {"rel_tol": 1e-12}, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400},
		{"attribute": 2, "type": "convection", "h": %g, "ambient": 300}, {"attribute": 2, "type": "convection", "h": %g, "ambient": 300}]}`, p, q))
	near(t, "heat in", *wall.Loads[0].HeatRate, 100/(0.3/1.5+1/(p+q)), 1e-8)
}
