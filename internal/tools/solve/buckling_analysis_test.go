package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// buckled solves for load factors and looks at what every such answer holds.
func buckled(t *testing.T, mesh fmt.Stringer, config string) *answer {
	t.Helper()
	a := solved(t, "fea.solve", mesh, "LinearElasticity", `{"analysis": "buckling", `+config+`}`)
	if a.Analysis != "buckling" {
		t.Fatalf("%+v", a.Output)
	}
	for i, m := range a.BucklingModes {
		if m.Number != i+1 || !(m.LoadFactor > 0) || i > 0 && m.LoadFactor < a.BucklingModes[i-1].LoadFactor {
			t.Errorf("mode %d: %+v", i, m)
		}
	}
	if s, failed := a.failed("modes_complete"); failed {
		t.Error(s)
	}
	return a
}

// factor compares a load factor with that of a theory which is off by up to share.
func (a *answer) factor(t *testing.T, what string, mode int, want, share float64) {
	t.Helper()
	if len(a.BucklingModes) <= mode {
		t.Fatalf("%s: %d modes: %s", what, len(a.BucklingModes), a.Summary)
	}
	got := float64(a.BucklingModes[mode].LoadFactor)
	t.Logf("%s: mode %d at %.6g, theory %.6g", what, mode+1, got, want)
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: mode %d buckles at %.6g, expected %.6g within %g", what, mode+1, got, want, share)
	}
}

// engesser lowers Euler's force by the shear of a section of rectangular shape: P_E / (1 +
// P_E / (5/6 G A)) (Timoshenko and Gere, Theory of Elastic Stability, art. 2.17).
func engesser(euler, shear, area float64) float64 { return euler / (1 + euler/(shear*area*5/6)) }

// Columns of solid elements: pi^2 E I / (K L)^2 about both axes, K by what holds the ends
// (Timoshenko and Gere, art. 2.1 to 2.4).
func TestColumnsBuckleAsEulers(t *testing.T) {
	draw := random(t)
	for _, end := range []struct {
		name, bcs string
		k         float64
	}{
		{"clamped and free", `{"attribute": 1, "type": "fixed"}`, 2},
		{"clamped and pinned", `{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "fixed", "components": ["y", "z"]}`, 0.699156},
	} {
		length, modulus := draw(0.5, 3), draw(5e10, 3e11)
		height := length / draw(50, 80)
		width := height * draw(1.1, 1.5)
		area, force := width*height, draw(10, 1e5)
		a := buckled(t, hexes([3]int{24, 1, 1}, [3]float64{length, width, height}), fmt.Sprintf(
			`"modes": 2, "materials": [{"E": %g, "nu": 0}], "bcs": [%s, {"attribute": 2, "type": "load", "force": [%g, 0, 0]}]`, modulus, end.bcs, -force))
		for mode, thick := range []float64{height, width} {
			euler := math.Pow(math.Pi/(end.k*length), 2) * modulus * area * thick * thick / 12
			a.factor(t, end.name, mode, engesser(euler, modulus/2, area)/force, 0.01)
		}
	}
}

// Half of a strip in plane stress that is pinned at its ends: the middle stays upright, and
// Euler's force (K = 1) is followed by nine times it.
func TestPinnedStripBuckles(t *testing.T) {
	draw := random(t)
	half, modulus := draw(0.5, 3), draw(5e10, 3e11)
	height := half / draw(40, 60)
	force := draw(10, 1e5)
	a := buckled(t, quads(30, 2, scaled(half, height)), fmt.Sprintf(
		`"modes": 2, "plane": "stress", "materials": [{"E": %g, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]},
		{"attribute": 2, "type": "fixed", "components": ["y"]}, {"attribute": 2, "type": "load", "force": [%g, 0]}]`, modulus, -force))
	for mode, n := range []float64{1, 3} {
		euler := math.Pow(n*math.Pi/(2*half), 2) * modulus * math.Pow(height, 3) / 12
		a.factor(t, "pinned strip", mode, engesser(euler, modulus/2.6, height)/force, 0.01)
	}
}

// A quarter of a square plate held across at its edges, which buckles under compression along
// one of its sides at 4 pi^2 D / b^2 per length (Timoshenko and Gere, art. 9.2). With nu = 0
// the held edges do not hinder the thickness, which coarse elements would spread.
func TestPlateBuckles(t *testing.T) {
	draw := random(t)
	side, modulus := draw(0.3, 1.5), draw(5e10, 3e11)
	thick := side / draw(150, 250) // edges held across only are softer by about t / b
	rigidity := modulus * math.Pow(thick, 3) / 12
	load := draw(1e3, 1e5) // N/m
	a := buckled(t, hexes([3]int{4, 4, 1}, [3]float64{side / 2, side / 2, thick}), fmt.Sprintf(
		`"modes": 1, "materials": [{"E": %g, "nu": 0}], "bcs": [{"attribute": [2, 4], "type": "fixed", "components": ["z"]},
		{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 2, "type": "load", "value": [%g, 0, 0]}]`, modulus, -load/thick))
	a.factor(t, "plate", 0, 4*math.Pow(math.Pi/side, 2)*rigidity/load, 0.02)
	if q := a.quantity(t, "/buckling_modes/0/load_factor"); q.Error == nil || *q.Error > 0.05**q.Value {
		t.Errorf("the error bar of the first load factor is %v of %v", deref(q.Error), deref(q.Value))
	}
}

// A part that is pulled does not buckle, which is an answer; pushed it would.
func TestAPulledPartDoesNotBuckle(t *testing.T) {
	draw := random(t)
	length, modulus := draw(0.5, 3), draw(5e10, 3e11)
	height := length / draw(50, 80)
	a := buckled(t, hexes([3]int{16, 1, 1}, [3]float64{length, height, height}), fmt.Sprintf(
		`"materials": [{"E": %g, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%g, 0, 0]}]`,
		modulus, math.Pow(math.Pi/(2*length), 2)*modulus*math.Pow(height, 4)/12/3))
	if len(a.BucklingModes) != 0 || !strings.Contains(a.Summary, "does not buckle") || !strings.Contains(a.Summary, "Reversed, the load buckles it at about 3") {
		t.Errorf("%s %+v", a.Summary, a.BucklingModes)
	}
	if a.Evidence.Trust == evidence.Suspect {
		t.Errorf("%v", a.Evidence.Reasons)
	}
}

// A stocky block is crushed before it buckles; probes and other analyses' fields are refused.
func TestBucklingDoubtsAndRefuses(t *testing.T) {
	block := hexes([3]int{4, 2, 2}, [3]float64{0.3, 0.1, 0.1})
	const held = `"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [-1000, 0, 0]}]`
	fails(t, buckled(t, block, `"modes": 1, `+held), "strain_at_buckling")
	refused(t, "fea.solve", block, "LinearElasticity", `{"analysis": "buckling", "probes": [[0, 0, 0]], `+held+`}`, "invalid_request", "/config/probes")
}
