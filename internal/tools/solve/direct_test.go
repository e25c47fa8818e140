package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A clamped square plate a thousand times as wide as thick sags by 0.00126532 q a^4 / D at
// its middle (Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, table 35; the
// digits are Taylor and Govindjee's, Commun. Numer. Meth. Engng 20, 2004).
func TestPlateOfAThousandThicknesses(t *testing.T) {
	draw := random(t)
	a, modulus, nu := draw(0.2, 3), draw(5e10, 3e11), draw(0.1, 0.3)
	thick := a / 1000
	rigidity := modulus * math.Pow(thick, 3) / (12 * (1 - nu*nu))
	sag := draw(0.002, 0.02) * thick // so little that its membrane bears nothing
	got := solved(t, "fea.solve", hexes([3]int{20, 20, 1}, [3]float64{a, a, thick}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": %g}], "bcs": [{"attribute": [1, 2, 3, 4], "type": "fixed"}, {"attribute": 6, "type": "pressure", "value": %g}]}`,
		modulus, nu, sag*rigidity/(0.00126532*math.Pow(a, 4))))
	near(t, "sag", got.MaxDisplacement.Value, sag, 0.02)
	factorised(t, got)
}

// A sheet of 400 x 100 x 2 mm held at one end bends as a beam where Poisson's ratio is 0.
func TestSheetBendsAsABeam(t *testing.T) {
	draw := random(t)
	modulus, force := draw(5e10, 3e11), draw(0.01, 0.1)
	got := solved(t, "fea.solve", hexes([3]int{40, 10, 1}, [3]float64{0.4, 0.1, 0.002}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, %g]}]}`, modulus, force))
	near(t, "deflection", got.MaxDisplacement.Value, force*math.Pow(0.4, 3)/(3*modulus*0.1*math.Pow(0.002, 3)/12), 0.005)
	factorised(t, got)
}

func factorised(t *testing.T, a *answer) {
	t.Helper()
	if s := a.Solver; s == nil || s.Method != "direct" || s.Reason == "" || s.FactorEntries == nil || float64(*s.FactorEntries) < float64(a.Unknowns) {
		t.Errorf("solver: %+v", s)
	}
	if s, failed := a.failed("backward_error"); failed {
		t.Error(s)
	}
	t.Logf("%+v", *a.Solver)
}

// A block is iterated; a caller's limit that cuts the iteration is told as the cause.
func TestABlockIsIterated(t *testing.T) {
	const load = `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1, 2, 3]}]`
	cube := box([3]int{5, 5, 5}, [3]float64{1, 1, 1})
	got := solved(t, "fea.solve", cube, "LinearElasticity", `{`+steel+`, `+load+`}`)
	if s := got.Solver; s == nil || s.Method != "multigrid" || s.Iterations == 0 || s.FactorEntries != nil {
		t.Errorf("solver: %+v", s)
	}
	e := refused(t, "fea.solve", cube, "LinearElasticity", `{`+steel+`, "analysis_opts": {"max_iter": 2}, `+load+`}`, "ERR_NOT_CONVERGED", "/config/analysis_opts")
	if !strings.Contains(e.Hint, "max_iter out") {
		t.Error(e.Hint)
	}
}
