package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// pressed is a block between three planes of symmetry and three pressures.
func pressed(t *testing.T, g *grid, order int, nu float64, p [3]float64) *answer {
	t.Helper()
	return solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(`{"order": %d, "materials": [{"E": 2e11, "nu": %.17g}], "bcs": [
		{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]},
		{"attribute": 2, "type": "pressure", "value": %.17g}, {"attribute": 4, "type": "pressure", "value": %.17g}, {"attribute": 6, "type": "pressure", "value": %.17g}]}`,
		order, nu, p[0], p[1], p[2]))
}

// Under the same pressure from all sides every stress is -p and the von Mises stress 0:
// what the solver leaves of it is within its error bar and no peak to be refined. Where
// one pressure is a thousandth higher, the von Mises stress is the difference.
func TestVonMisesOfHydrostaticPressureIsNoPeak(t *testing.T) {
	draw := random(t)
	for order := 1; order <= 2; order++ {
		p, nu, size := draw(1e6, 1e9), draw(0, 0.45), [3]float64{draw(0.1, 1), draw(0.1, 0.3), draw(0.1, 0.3)}
		for _, g := range []*grid{hexes([3]int{3, 2, 3}, size), box([3]int{3, 2, 2}, size)} {
			a := pressed(t, g, order, nu, [3]float64{p, p, p})
			q := a.quantity(t, "/von_mises/max")
			t.Logf("p %.3g: %s %g ± %v: %v", p, q.Trust, *q.Value, deref(q.Error), q.Reasons)
			covers(t, a, "/von_mises/max", a.VonMises.Max, 0)
			if q.Trust != evidence.Verified || a.Evidence.Trust != evidence.Verified || *q.Error > 1e-5*p || a.VonMises.Singularity != "not_seen" {
				t.Errorf("the von Mises stress %g ± %v is %s: %v", *q.Value, deref(q.Error), q.Trust, a.Evidence.Reasons)
			}
			b := pressed(t, g, order, nu, [3]float64{p, p, 1.001 * p})
			near(t, "von Mises stress", b.VonMises.Max, 1e-3*p, 1e-3)
			if q := b.quantity(t, "/von_mises/max"); q.Error == nil || *q.Error > 1e-6*p {
				t.Errorf("a stress difference of %g has a bar of noise, %v", 1e-3*p, deref(q.Error))
			}
		}
	}
}

// A bar that is drawn out by the same length at either end does not move at its middle.
func TestProbeThatStaysIsNotSuspect(t *testing.T) {
	draw := random(t)
	l, pull := draw(0.5, 2), draw(1e-5, 1e-4)
	a := solved(t, "fea.solve", box([3]int{6, 2, 2}, [3]float64{l, 0.2, 0.2}), "LinearElasticity", fmt.Sprintf(`{"materials": [{"E": 2e11, "nu": 0}],
		"probes": [[%.17g, 0, 0]], "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"], "value": [%g, 0, 0]}, {"attribute": 2, "type": "fixed", "components": ["x"], "value": [%g, 0, 0]},
		{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]}]}`, l/2, -pull, pull))
	for _, q := range a.Quantities {
		if displacementOfProbe(q.Figure) {
			t.Logf("%s %s %g ± %v: %v", q.Pointer, q.Trust, *q.Value, deref(q.Error), q.Reasons)
			if q.Trust == evidence.Suspect || q.Error != nil && math.Abs(*q.Value) > *q.Error || math.Abs(*q.Value) > 1e-5*pull {
				t.Errorf("%s = %g ± %v is %s: %v", q.Pointer, *q.Value, deref(q.Error), q.Trust, q.Reasons)
			}
		}
	}
}

// alternating is a bar of n by 2 by 2 cubes along x, whose n/2 first are material 1 and
// the others 2.
func alternating(n int, size [3]float64) *grid {
	g := hexes([3]int{n, 2, 2}, size)
	for i, e := range g.elements {
		if i >= len(g.elements)/2 {
			g.elements[i] = "2" + e[1:]
		}
	}
	return g
}

// Two materials that the pull strains sideways alike, here not at all, meet in a bar:
// the stress is the load everywhere, E1 and E2 only tell the strains. Where one is
// strained sideways, the edge between them is singular (Bogy, J. Appl. Mech. 38, 1971).
func TestInterfaceThatBearsTheSameStressIsBounded(t *testing.T) {
	draw := random(t)
	pull, soft, size := draw(1e5, 1e7), draw(1e9, 5e10), [3]float64{draw(0.5, 1), draw(0.1, 0.2), draw(0.1, 0.2)}
	bar := func(nu float64) *answer {
		return solved(t, "fea.solve", alternating(6, size), "LinearElasticity", fmt.Sprintf(`{"materials": [{"attribute": 1, "E": 2e11, "nu": 0}, {"attribute": 2, "E": %g, "nu": %g}],
			"bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]},
			{"attribute": 2, "type": "load", "value": [%g, 0, 0]}]}`, soft, nu, pull))
	}
	a := bar(0)
	near(t, "stress", a.VonMises.Max, pull, 1e-6)
	for _, c := range a.Evidence.Checks {
		if !c.Passed {
			t.Errorf("%s failed: %s", c.Name, c.Sentence)
		}
	}
	near(t, "displacement", a.MaxDisplacement.Value, pull*size[0]/2*(1/2e11+1/soft), 1e-5)
	if q := a.quantity(t, "/von_mises/max"); q.Trust.Below(evidence.Converged) || a.VonMises.Singularity != "not_seen" {
		t.Errorf("the stress is %s, singularity %s: %v", q.Trust, a.VonMises.Singularity, q.Reasons)
	}
	trusted(t, bar(0.4), evidence.Suspect)
}
