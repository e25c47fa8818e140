package solve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// The figures of one mesh carry no more than their word: sizes and loads are drawn
// anew in every run, and the seed is printed.

// notVerified expects a figure that no error bar covers to say so.
func notVerified(t *testing.T, a *answer, pointer string, want evidence.Trust) {
	t.Helper()
	if q := a.quantity(t, pointer); q.Trust != want || len(q.Reasons) == 0 {
		t.Errorf("%s is %s (%v), expected %s", pointer, q.Trust, q.Reasons, want)
	}
}

// A clamped edge beside a free one at a right angle: with nu = 0.3 the stress grows
// as r^-0.25 in plane stress (Williams 1952), so that the peak diverges with the mesh.
func TestStressAtTheRimOfASupportIsSuspect(t *testing.T) {
	draw := random(t)
	l, pull := draw(0.5, 3), draw(1e6, 2e7)
	last := 0.0
	for _, n := range []int{4, 8, 16} {
		a := solved(t, "fea.solve", quads(n, n, scaled(l, l)), "LinearElasticity", fmt.Sprintf(
			`{%s, "plane": "stress", "bcs": [{"attribute": 3, "type": "fixed"}, {"attribute": 4, "type": "load", "value": [0, %g]}]}`, steel, pull))
		fails(t, a, "stress_bounded")
		notVerified(t, a, "/von_mises/max", evidence.Suspect)
		if peak := float64(a.VonMises.Max); peak < 1.05*last || a.VonMises.Singularity != "likely" {
			t.Errorf("peak %g after %g on half the mesh: %s", peak, last, a.VonMises.Singularity)
		} else {
			last = peak
		}
		// Energies of coarser meshes are too small by what the finer ones show.
		if q := a.quantity(t, "/energy"); q.Trust != evidence.Verified {
			t.Errorf("the energy is %s: %v", q.Trust, q.Reasons)
		}
	}
}

// Mesh generators write the faces of named groups alone: the rim of a support is where it was.
func TestFacesThatTheFileDoesNotListCount(t *testing.T) {
	draw := random(t)
	l, h := draw(0.5, 3), draw(0.5, 3)
	config := fmt.Sprintf(`{%s, "plane": "stress", "bcs": [{"attribute": 3, "type": "fixed"}, {"attribute": 4, "type": "load", "value": [0, %g]}]}`, steel, draw(1e6, 2e7))
	whole := quads(6, 6, scaled(l, h))
	want := solved(t, "fea.solve", whole, "LinearElasticity", config)
	part := quads(6, 6, scaled(l, h))
	part.boundary = slices.DeleteFunc(part.boundary, func(face string) bool { return face[0] == '1' || face[0] == '2' })
	a := solved(t, "fea.solve", part, "LinearElasticity", config)
	fails(t, a, "stress_bounded")
	near(t, "peak", a.VonMises.Max, float64(want.VonMises.Max), 1e-6)
	near(t, "energy", a.Energy, float64(want.Energy), 1e-6)
	warnings := call(t, "fea.solve", requestFor(t, part, "LinearElasticity", config)).Warnings
	if !slices.ContainsFunc(warnings, func(w contract.Warning) bool {
		return w.Code == "boundary_completed" && strings.Contains(w.Message, "attribute 5")
	}) {
		t.Errorf("%v", warnings)
	}
	sheet := solved(t, "fea.solve", part, "LinearElasticity", strings.Replace(config, `"attribute": 4`, `"where": {"plane": "x_max"}`, 1))
	near(t, "an unlisted face as a place", sheet.Loads[1].Area, h, 1e-9)
}

// A re-entrant corner of 270 degrees, no support near it.
func TestStressAtAReentrantCornerIsSuspect(t *testing.T) {
	draw := random(t)
	l, pull := draw(0.1, 1), draw(1e5, 1e7)
	g := quads(8, 8, scaled(l, l))
	corner := &grid{dim: 2, points: g.points}
	for i, e := range g.elements { // the quarter at the upper right is left out
		if i/8 < 4 || i%8 < 4 {
			corner.elements = append(corner.elements, e)
		}
	}
	node := func(i, j int) int { return i*9 + j }
	for k := range 4 {
		corner.boundary = append(corner.boundary,
			fmt.Sprintf("2 1 %d %d", node(8, k), node(8, k+1)), fmt.Sprintf("4 1 %d %d", node(k+1, 8), node(k, 8)),
			fmt.Sprintf("5 1 %d %d", node(4, 4+k), node(4, 5+k)), fmt.Sprintf("5 1 %d %d", node(5+k, 4), node(4+k, 4)))
	}
	for k := range 8 {
		corner.boundary = append(corner.boundary, fmt.Sprintf("1 1 %d %d", node(0, k+1), node(0, k)), fmt.Sprintf("3 1 %d %d", node(k, 0), node(k+1, 0)))
	}
	a := solved(t, "fea.solve", corner.used(), "LinearElasticity", fmt.Sprintf(`{%s, "bcs": [
		{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 2, "type": "load", "value": [%g, 0]}, {"attribute": 4, "type": "load", "value": [0, %g]}]}`, steel, pull, pull))
	fails(t, a, "stress_bounded")
}

// Lame's thick ring under inner pressure, a quarter with planes of symmetry: no spot
// is singular, and yet a coarse mesh of straight quadrilaterals misses the peak. On
// a finer one displacement and peak are right to their error bars.
func TestRingIsVerifiedWhereItIsFine(t *testing.T) {
	draw := random(t)
	in := draw(0.5, 2)
	out, p, nu := in*draw(2, 4), draw(1e6, 1e8), draw(0.1, 0.4)
	ring := func(nr, na int) *answer {
		return solved(t, "fea.solve", quads(nr, na, func(x, y float64) [2]float64 {
			r := in + (out-in)*x
			return [2]float64{r * math.Cos(y*math.Pi/2), r * math.Sin(y*math.Pi/2)}
		}), "LinearElasticity", fmt.Sprintf(`{"materials": [{"E": 2e11, "nu": %g}], "bcs": [{"attribute": 1, "type": "pressure", "value": %g},
			{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 4, "type": "fixed", "components": ["x"]}]}`, nu, p))
	}
	coarse := ring(2, 4)
	if q := coarse.quantity(t, "/von_mises/max"); !q.Trust.Below(evidence.Verified) {
		t.Errorf("the peak is %s", q.Trust)
	}
	if _, failed := coarse.failed("peak_refinement"); !failed && float64(coarse.VonMises.Max) < 0.8*float64(ring(8, 40).VonMises.Max) {
		t.Error("a peak that grows by a quarter with the mesh is not told")
	}
	fine := ring(8, 40)
	sagitta := 1 - math.Cos(math.Pi/160) // of the bore's 40 sides, where stresses concentrate at the facets
	if q := fine.quantity(t, "/von_mises/max"); q.Error == nil || math.Abs(*q.Value-lame(p, in, out, nu)) > *q.Error+4*sagitta**q.Value {
		t.Errorf("the peak is %g ± %v, Lame's %g", *q.Value, deref(q.Error), lame(p, in, out, nu))
	}
	// u(a) = (1+nu) p a / E / (b^2 - a^2) ((1 - 2 nu) a^2 + b^2), plane strain
	u := (1 + nu) * p * in / 2e11 / (out*out - in*in) * ((1-2*nu)*in*in + out*out)
	near(t, "u(a)", fine.MaxDisplacement.Value, u, 3e-3)
	if q := fine.quantity(t, "/max_displacement/value"); q.Trust != evidence.Verified {
		t.Errorf("the displacement is %s: %v", q.Trust, q.Reasons)
	}
}

// A quarter plate with a hole: the peak on coarse straight elements is no figure
// with an error bar.
func TestHoleHasNoVerifiedPeak(t *testing.T) {
	draw := random(t)
	r, w, h := draw(0.006, 0.01), draw(0.04, 0.06), draw(0.06, 0.1)
	a := solved(t, "fea.solve", quads(4, 6, func(x, y float64) [2]float64 {
		c, s := math.Cos(y*math.Pi/2), math.Sin(y*math.Pi/2)
		far := math.Min(w/math.Max(c, 1e-9), h/math.Max(s, 1e-9))
		return [2]float64{c * (r + (far-r)*x*x), s * (r + (far-r)*x*x)}
	}), "LinearElasticity", fmt.Sprintf(`{%s, "plane": "stress", "bcs": [{"where": {"plane": "x_min"}, "type": "fixed", "components": ["x"]},
		{"where": {"plane": "y_min"}, "type": "fixed", "components": ["y"]}, {"where": {"plane": "y_max"}, "type": "load", "value": [0, 2e7]}]}`, steel))
	if q := a.quantity(t, "/von_mises/max"); q.Trust == evidence.Verified || a.Evidence.Trust == evidence.Verified {
		t.Errorf("the peak is %s, the result %s", q.Trust, a.Evidence.Trust)
	}
}

// Order 1 in bending: too stiff, and its own estimate says so.
func TestCoarseBendingIsSuspect(t *testing.T) {
	draw := random(t)
	l, b := draw(1, 3), draw(0.04, 0.1)
	a := solved(t, "fea.solve", box([3]int{60, 2, 2}, [3]float64{l, b, b}), "LinearElasticity", fmt.Sprintf(
		`{"order": 1, %s, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, -100, 0]}]}`, steel))
	fails(t, a, "stress_error")
	beam := 100 * l * l * l / (3 * 210e9 * b * b * b * b / 12)
	if got := float64(a.MaxDisplacement.Value); got > 0.95*beam {
		t.Errorf("deflection %g, a beam %g: the case is not as coarse as it should be", got, beam)
	}
	// An estimate of half the figure is no bound any more, and the figure says so.
	notVerified(t, a, "/max_displacement/value", evidence.Suspect)
	if q := a.quantity(t, "/max_displacement/value"); q.Error == nil || *q.Error < 0.5*(beam-*q.Value) {
		t.Errorf("error bar %v, the true error %g", deref(q.Error), beam-*q.Value)
	}
}

// Values at points with their error bars against the series of the unit square,
// which is 0.0736713533 at its centre, on meshes from poor to fair.
func TestErrorBarsOfPointValuesHold(t *testing.T) {
	for _, n := range []int{4, 6, 10} {
		for order := 1; order <= 2; order++ {
			a := solved(t, "fea.solve", rectangle(n, n, 1, 1), "Poisson", fmt.Sprintf(
				`{"order": %d, "rhs": 1, "fixed_attributes": [1, 2, 3, 4], "probes": [[0.5, 0.5]]}`, order))
			covers(t, a, "/probes/0/value", *a.Probes[0].Value, 0.0736713533)
			covers(t, a, "/energy", a.Energy, 0.0175721269)
		}
	}
}

// A corner that the mesh resolves nowhere bears more than the yield strength in more than 1 % of
// the volume of a coarse mesh, and in less of a fine one: the elements at the corner alone say
// nothing of yield. Where the part bears less than the fine mesh has in 1 % of it, that is said.
func TestACornerAloneDoesNotYield(t *testing.T) {
	draw := random(t)
	l, pull := draw(0.1, 1), draw(1e6, 1e7)
	bracket := func(n int, yield float64) *answer {
		return solved(t, "fea.solve", notched(n, l), "LinearElasticity", fmt.Sprintf(
			`{"plane": "stress", "materials": [{"E": 2e11, "nu": 0.3, "yield": %.17g}], "bcs": [{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "symmetry"},
			{"attribute": 2, "type": "load", "value": [%.17g, 0]}, {"attribute": 4, "type": "load", "value": [0, %.17g]}]}`, yield, pull, pull))
	}
	fine := float64(bracket(48, 1e9).VonMises.P99)
	coarse := float64(bracket(8, 1e9).VonMises.P99)
	t.Logf("in 1 %% of the volume more than %g Pa, by the coarse mesh %g Pa", fine, coarse)
	if coarse < 1.1*fine {
		t.Fatalf("the coarse mesh has %g Pa in 1 %% of its volume, the fine one %g", coarse, fine)
	}
	a := bracket(8, 1.05*fine)
	if s, failed := a.failed("yield"); failed {
		t.Error(s)
	}
	fails(t, a, "stress_bounded")
	if q := a.quantity(t, "/max_displacement/value"); q.Trust == evidence.Suspect {
		t.Errorf("%v", q.Reasons)
	}
	a = bracket(8, 0.6*fine)
	fails(t, a, "yield")
	if s, _ := a.failed("yield"); !strings.Contains(s, "leaving out the elements where the exact stress has no bound") {
		t.Error(s)
	}
}

// notched is a square of n by n squares without the quarter at the upper right. Its sides have the
// attributes of rectangle, those of the notch 5.
func notched(n int, l float64) *grid {
	g := &grid{dim: 2, points: quads(n, n, scaled(l, l)).points}
	node := func(i, j int) int { return i*(n+1) + j }
	for i := range n {
		for j := range n {
			if i < n/2 || j < n/2 {
				g.elements = append(g.elements, fmt.Sprintf("1 3 %d %d %d %d", node(i, j), node(i+1, j), node(i+1, j+1), node(i, j+1)))
			}
		}
	}
	for k := range n {
		g.boundary = append(g.boundary, fmt.Sprintf("1 1 %d %d", node(0, k+1), node(0, k)), fmt.Sprintf("3 1 %d %d", node(k, 0), node(k+1, 0)))
	}
	for k := range n / 2 {
		g.boundary = append(g.boundary,
			fmt.Sprintf("2 1 %d %d", node(n, k), node(n, k+1)), fmt.Sprintf("4 1 %d %d", node(k+1, n), node(k, n)),
			fmt.Sprintf("5 1 %d %d", node(n/2, n/2+k), node(n/2, n/2+k+1)), fmt.Sprintf("5 1 %d %d", node(n/2+k+1, n/2), node(n/2+k, n/2)))
	}
	return g.used()
}

// An error bar of half of the stress peak leaves its inverse without an upper limit that says
// anything; a narrower one is that of the inverse.
func TestSafetyOfAPeakThatIsHardlyKnown(t *testing.T) {
	draw := random(t)
	yield, peak := draw(2e8, 4e8), draw(1e8, 2e8)
	for _, share := range []float64{draw(0.01, 0.4), draw(0.5, 0.99), draw(1, 3)} {
		f := likePeak(evidence.Of("safety factor", leastSafety, yield/peak, "1", "inverse"), evidence.Of("peak", peakStress, peak, "Pa", "largest").PlusMinus(share*peak, "estimate"))
		worst := yield / (peak * (1 + share))
		switch {
		case share < 0.5 && (f.Error == nil || math.Abs(*f.Value+*f.Error-yield/(peak*(1-share))) > 1e-9*yield/peak):
			t.Errorf("%g: %+v", share, f)
		case share >= 0.5 && (f.Error != nil || len(f.Omits) != 1 || !strings.Contains(f.Omits[0], fmt.Sprintf("anywhere from %.3g up", worst))):
			t.Errorf("%g: %+v", share, f)
		}
	}
}
