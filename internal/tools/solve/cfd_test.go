package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// Plane channel, height H = 0.02 m, length 10 H, at Re 10 (rho U H / mu): with
// a developed inlet the flow is Poiseuille's everywhere: largest speed 1.5 U and
// pressure drop 12 mu U L / H^2.
func TestPoiseuilleChannel(t *testing.T) {
	a := solved(t, "cfd.solve", rectangle(20, 4, 0.2, 0.02), "navier_stokes", `{"viscosity": 0.001, "density": 1, "dt": 0.1, "t_final": 3, "steady": true,
		"output_interval_steps": 1000, "bcs": [{"attribute": 1, "type": "inlet", "velocity": [0.5, 0], "profile": "parabolic"},
		{"attribute": [3, 4], "type": "wall"}, {"attribute": 2, "type": "outlet"}], "probes": [[0.1, 0.01]]}`)
	drop := 12 * 0.001 * 0.5 * 0.2 / (0.02 * 0.02)
	near(t, "centre speed", a.Probes[0].Velocity[0], 0.75, 1e-4)
	near(t, "pressure drop", *a.PressureDrop, drop, 1e-3)
	near(t, "flow", *a.Loads[2].FlowRate, 0.5*0.02, 1e-5)
	near(t, "Reynolds", a.Reynolds.Value, 10, 1e-9)
	if !*a.Steady || a.Imbalance > 1e-3 {
		t.Errorf("steady %v, mass imbalance %g", *a.Steady, a.Imbalance)
	}
	trusted(t, a, evidence.Converged) // the flow is exact here, but no second mesh says so
}

// A uniform inlet develops: the centre speed at the outlet is 1.5 U and the
// gradient near the end is 12 mu U / H^2.
func TestUniformInletDevelops(t *testing.T) {
	a := solved(t, "cfd.solve", rectangle(40, 8, 0.2, 0.02), "", `{"viscosity": 0.001, "density": 1, "dt": 0.2, "t_final": 4, "steady": true,
		"output_interval_steps": 1000, "bcs": [{"attribute": 1, "type": "inlet", "velocity": [0.5, 0]},
		{"attribute": [3, 4], "type": "wall"}, {"attribute": 2, "type": "outlet"}], "probes": [[0.15, 0.01], [0.19, 0.01]]}`)
	near(t, "outlet speed", a.Probes[1].Velocity[0], 0.75, 0.01)
	near(t, "gradient", (*a.Probes[0].Pressure-*a.Probes[1].Pressure)/0.04, 12*0.001*0.5/(0.02*0.02), 0.01)
	if a.Imbalance > 1e-3 {
		t.Errorf("mass imbalance %g", a.Imbalance)
	}
}

// The lid-driven cavity of Ghia, Ghia and Shin (1982) at Re 100: u at the
// centre is -0.20581 and the least u on the middle line -0.21090 at y = 0.4531.
func TestGhiaCavity(t *testing.T) {
	a := solved(t, "cfd.solve", rectangle(16, 16, 1, 1), "", `{"viscosity": 0.01, "density": 1, "dt": 1, "t_final": 60, "steady": true,
		"output_interval_steps": 1000, "bcs": [{"attribute": 4, "type": "wall", "velocity": [1, 0]}, {"attribute": [1, 2, 3], "type": "wall"}],
		"probes": [[0.5, 0.5], [0.5, 0.4531]]}`)
	for i, want := range []float64{-0.20581, -0.21090} {
		if got := float64(a.Probes[i].Velocity[0]); math.Abs(got-want) > 0.02*math.Abs(want) {
			t.Errorf("u = %g, Ghia has %g", got, want)
		}
	}
}

// In 3-D, a square duct with a developed inlet: the centre speed is 2.0963 times
// the mean (series solution).
func TestSquareDuct(t *testing.T) {
	a := solved(t, "cfd.solve", box([3]int{6, 4, 4}, [3]float64{2, 1, 1}), "", `{"viscosity": 1, "density": 1, "dt": 1, "t_final": 10, "steady": true,
		"output_interval_steps": 1000, "bcs": [{"attribute": 1, "type": "inlet", "velocity": [1, 0, 0], "profile": "parabolic"},
		{"attribute": [3, 4, 5, 6], "type": "wall"}, {"attribute": 2, "type": "outlet"}], "probes": [[1, 0.5, 0.5]]}`)
	near(t, "centre speed", a.Probes[0].Velocity[0], 2.0963, 0.01)
}

// Creeping flow in a duct of few elements: a speed more than 5 % off the series solution,
// whose centre has 2.0963 times the mean speed, is suspect.
func TestCoarseCreepingFlowIsSuspect(t *testing.T) {
	draw := random(t)
	for n := 1; n <= 4; n++ {
		side, speed := draw(0.5, 2), draw(0.1, 1)
		a := solved(t, "cfd.solve", box([3]int{3 * n, n, n}, [3]float64{3 * side, side, side}), "", fmt.Sprintf(`{"viscosity": 10, "density": 1, "dt": 1, "t_final": 10, "steady": true,
			"output_interval_steps": 1000, "bcs": [{"attribute": 1, "type": "inlet", "velocity": [%.17g, 0, 0], "profile": "parabolic"},
			{"attribute": [3, 4, 5, 6], "type": "wall"}, {"attribute": 2, "type": "outlet"}], "probes": [[%.17g, %.17g, %.17g]]}`, speed, 1.5*side, side/2, side/2))
		off := float64(a.Probes[0].Velocity[0])/(2.0963*speed) - 1
		t.Logf("%d elements across: %.2g %% off, gradient error %.2g, %s", n, 100*off, float64(*a.ErrorEstimate.Gradient), a.Evidence.Trust)
		if math.Abs(off) > 0.05 && a.Evidence.Trust != evidence.Suspect {
			t.Errorf("%d elements across: %.2g %% off and %s", n, 100*off, a.Evidence.Trust)
		}
		if n == 4 && a.Evidence.Trust == evidence.Suspect {
			t.Errorf("%d elements across: %.2g %% off and %s", n, 100*off, a.Evidence.Trust)
		}
	}
}

// A uniform inlet jumps to the walls at rest, where the pressure has no bound. What every
// halving of the elements adds to the pressure drop is told, and suspect where it is much;
// with a parabolic inlet there is no jump. The meshes themselves are the reference: two
// halvings add the same within what remains of the mesh's error.
func TestPressureAtTheRimOfAnInletHasNoBound(t *testing.T) {
	draw := random(t)
	for _, c := range []struct {
		length  float64 // of heights
		suspect bool
	}{{0.5, true}, {10, false}} {
		h, mu, speed := draw(0.01, 0.1), draw(0.05, 1), draw(0.001, 0.01)
		var drops []float64
		var told float64
		for n := 8; n <= 16; n *= 2 {
			config := fmt.Sprintf(`{"viscosity": %.17g, "density": 1, "dt": %.17g, "t_final": %.17g, "steady": true, "output_interval_steps": 1000,
				"bcs": [{"attribute": 1, "type": "inlet", "velocity": [%.17g, 0]}, {"attribute": [3, 4], "type": "wall"}, {"attribute": 2, "type": "outlet"}]}`, mu, 100*h*h/mu, 1e4*h*h/mu, speed)
			a := solved(t, "cfd.solve", rectangle(int(float64(n)*max(1, c.length)), n, c.length*h, h), "", config)
			drops = append(drops, float64(*a.PressureDrop))
			for _, check := range a.Evidence.Checks {
				if check.Name == "pressure_bounded" {
					told = *check.Value * float64(*a.PressureDrop)
				}
			}
			if _, failed := a.failed("pressure_bounded"); failed != c.suspect {
				t.Errorf("length %g h, %d elements: failed is %v: %+v", c.length, n, failed, a.Evidence.Checks)
			}
		}
		if added := drops[1] - drops[0]; math.Abs(added-told) > 0.1*told {
			t.Errorf("length %g h: a halving added %g Pa, told was %g Pa", c.length, added, told)
		}
	}
	a := solved(t, "cfd.solve", rectangle(8, 8, 0.01, 0.01), "", `{"viscosity": 1, "density": 1, "dt": 0.01, "t_final": 1, "steady": true,
		"bcs": [{"attribute": 1, "type": "inlet", "velocity": [0.01, 0], "profile": "parabolic"}, {"attribute": [3, 4], "type": "wall"}, {"attribute": 2, "type": "outlet"}]}`)
	if _, failed := a.failed("pressure_bounded"); failed {
		t.Error("a parabolic inlet has no jump")
	}
}

// A condition that lists two openings is one for each: a force along a channel that is
// open at both ends drives Poiseuille's flow, F H^2 / 8 mu in its middle.
func TestOutletsOfOneConditionAreEachTheirOwn(t *testing.T) {
	draw := random(t)
	h, mu := draw(0.01, 0.05), draw(0.05, 0.2)
	force := draw(20, 100) * mu * mu / 900 / (h * h * h) // rho U H / mu of 2 to 12
	for _, outlets := range []string{`{"attribute": [1, 2], "type": "outlet"}`, `{"attribute": 1, "type": "outlet"}, {"attribute": 2, "type": "outlet"}`} {
		a := solved(t, "cfd.solve", rectangle(4, 8, h, h), "", fmt.Sprintf(`{"viscosity": %.17g, "density": 900, "dt": %.17g, "t_final": %.17g, "body_force": [%.17g, 0],
			"bcs": [%s, {"attribute": [3, 4], "type": "wall"}], "probes": [[%.17g, %.17g]]}`, mu, h*h*900/mu/9, h*h*900/mu*6, force, outlets, h/2, h/2))
		near(t, outlets, a.Probes[0].Velocity[0], force*h*h/8/mu, 2e-3)
	}
}

func TestFlowThatCannotLeaveIsRefused(t *testing.T) {
	refused(t, "cfd.solve", rectangle(2, 2, 1, 1), "", `{"viscosity": 1, "density": 1, "dt": 1, "t_final": 1,
		"bcs": [{"attribute": 1, "type": "inlet", "velocity": [1, 0]}]}`, "ERR_CONFLICTING_CONDITIONS", "/config/bcs")
}

// A channel with a developed inlet becomes steady at every Reynolds number at which the
// flow is stable, whatever the step: Poiseuille's flow is exact on these elements.
func TestChannelBecomesSteady(t *testing.T) {
	draw := random(t)
	for _, re := range []float64{draw(30, 60), draw(80, 150), draw(400, 500)} {
		height, speed := draw(0.001, 0.01), draw(0.01, 0.1)
		viscosity := 1000 * speed * height / re
		length := 5 * height
		crossing := length / speed
		a := solved(t, "cfd.solve", rectangle(20, 6, length, height), "", fmt.Sprintf(`{"viscosity": %.17g, "density": 1000, "dt": %.17g, "t_final": %.17g, "steady": true,
			"output_interval_steps": 1000, "bcs": [{"attribute": 1, "type": "inlet", "velocity": [%.17g, 0], "profile": "parabolic"},
			{"attribute": [3, 4], "type": "wall"}, {"attribute": 2, "type": "outlet"}]}`, viscosity, crossing*draw(0.02, 0.2), 60*crossing, speed))
		if !*a.Steady {
			t.Errorf("Re %g is not steady: it changes by %g a second", re, float64(*a.ChangeRate))
		}
		near(t, "largest speed", a.MaxSpeed.Value, 1.5*speed, 1e-3)
		near(t, "pressure drop", *a.PressureDrop, 12*viscosity*speed*length/(height*height), 1e-3)
	}
}

// Where nothing flows, what is left is rounding, and no loss of mass: a vessel at rest
// under its weight, closed or with an open end, whose pressure is rho g times the depth.
func TestNoFlowLosesNoMass(t *testing.T) {
	draw := random(t)
	width, height := draw(0.02, 2), draw(0.02, 2)
	density, viscosity, g := draw(0.5, 2000), math.Pow(10, draw(-3, 1)), draw(1, 20)
	for _, ends := range []string{`{"attribute": [1, 2, 3, 4], "type": "wall"}`,
		`{"attribute": [1, 2, 3], "type": "wall"}, {"attribute": 4, "type": "outlet"}`} {
		a := solved(t, "cfd.solve", rectangle(6, 6, width, height), "", fmt.Sprintf(`{"viscosity": %g, "density": %g, "dt": 0.1, "t_final": 0.5, "steady": true,
			"body_force": [0, %g], "probes": [[%g, 0], [%g, %g]], "bcs": [%s]}`, viscosity, density, -density*g, width/2, width/2, height, ends))
		if sentence, failed := a.failed("mass_balance"); failed {
			t.Error(sentence)
		}
		if !*a.Steady || a.MaxSpeed.Value != 0 {
			t.Errorf("a fluid at rest moves at %g m/s, steady %v", a.MaxSpeed.Value, *a.Steady)
		}
		if a.Evidence.Trust == evidence.Suspect {
			t.Errorf("a fluid at rest: %v", a.Evidence.Reasons)
		}
		near(t, "pressure at the bottom", *a.Probes[0].Pressure-*a.Probes[1].Pressure, density*g*height, 1e-6)
	}
}

// A lid that drives a cavity at Re 330 to 500 over four cells: the check that calls the
// mesh too coarse is of the whole flow, and so of every figure.
func TestFiguresOfACoarseFlowAreSuspect(t *testing.T) {
	draw := random(t)
	a := solved(t, "cfd.solve", rectangle(4, 4, 1, 1), "", fmt.Sprintf(`{"viscosity": %g, "density": 1, "dt": 2, "t_final": 400, "steady": true, "output_interval_steps": 1000,
		"bcs": [{"attribute": 4, "type": "wall", "velocity": [1, 0]}, {"attribute": [1, 2, 3], "type": "wall"}], "probes": [[%g, 0.5]]}`, draw(2e-3, 3e-3), draw(0.3, 0.7)))
	fails(t, a, "gradient_error")
	for _, c := range a.Evidence.Checks {
		if !c.Passed && c.Name != "gradient_error" {
			t.Errorf("the case is coarse in another way: %s", c.Sentence)
		}
	}
	for _, q := range a.Quantities {
		if q.Trust != evidence.Suspect {
			t.Errorf("%s is %s: %v", q.Pointer, q.Trust, q.Reasons)
		}
	}
}

// A channel that a force drives along it has the flow of Poiseuille between open ends of
// one pressure; a force across it makes a pressure over the ends that is not uniform,
// which is told, as is the fluid that enters where it is to leave.
func TestOutletsAcrossTheForce(t *testing.T) {
	draw := random(t)
	height, viscosity, force := draw(0.5, 2), draw(0.5, 2), draw(1, 5)
	for _, across := range []float64{0, draw(0.3, 1) * force} {
		a := solved(t, "cfd.solve", rectangle(8, 4, 3*height, height), "", fmt.Sprintf(`{"viscosity": %g, "density": 1, "dt": %g, "t_final": %g,
			"body_force": [%g, %g], "bcs": [{"attribute": [1, 2], "type": "outlet"}, {"attribute": [3, 4], "type": "wall"}]}`,
			viscosity, 0.2*height*height/viscosity, 4*height*height/viscosity, force, -across))
		if across == 0 {
			near(t, "largest speed", a.MaxSpeed.Value, force*height*height/(8*viscosity), 1e-2)
		}
		if sentence, failed := a.failed("outlet_pressure"); failed != (across > 0) {
			t.Errorf("a force of %g across: %q", across, sentence)
		}
	}
}
