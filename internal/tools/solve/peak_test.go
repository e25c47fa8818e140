package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// quarterRing is a quarter of a ring of triangles, n along the radius and m around, with planes
// of symmetry 3 and 4, the bore 1 and the rim 2.
func quarterRing(n, m int, in, out float64) *grid {
	g := rectangle(n, m, 1, 1)
	for i, p := range g.points {
		r, angle := in*math.Pow(out/in, p[0]), p[1]*math.Pi/2
		g.points[i] = []float64{r * math.Cos(angle), r * math.Sin(angle)}
	}
	return g
}

// A ring under inner pressure, plane strain (Lame): at the bore the stresses are
// -p, p (b^2 + a^2) / (b^2 - a^2) and nu times their sum.
func lame(p, a, b, nu float64) float64 {
	radial, hoop := -p, p*(b*b+a*a)/(b*b-a*a)
	axial := nu * (radial + hoop)
	return math.Sqrt(0.5 * ((radial-hoop)*(radial-hoop) + (hoop-axial)*(hoop-axial) + (axial-radial)*(axial-radial)))
}

func pressedRing(t *testing.T, g *grid, p, nu float64, more string) *answer {
	t.Helper()
	return solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": 210e9, "nu": %.17g}], "bcs": [{"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 4, "type": "fixed", "components": ["x"]}, {"attribute": 1, "type": "pressure", "value": %.17g}]%s}`, nu, p, more))
}

// The peak of a ring, on meshes too coarse for it and on fair ones: its error bar covers
// Lame's value for the polygon's bore within the sagitta of its sides.
func TestPeakHasAnErrorBar(t *testing.T) {
	draw := random(t)
	for _, n := range []int{3, 8, 20} {
		in, p, nu := draw(0.1, 1), draw(1e6, 1e7), draw(0.2, 0.4)
		out := in * draw(1.6, 4)
		a := pressedRing(t, quarterRing(n, 6*n, in, out), p, nu, "")
		truth := lame(p, in, out, nu)
		q := a.quantity(t, "/von_mises/max")
		t.Logf("%d: %s %.5g ± %v, Lame %.5g: %v", n, q.Trust, *q.Value, deref(q.Error), truth, q.Reasons)
		sagitta := 1 - math.Cos(math.Pi/2/float64(6*n)/2)
		if q.Error == nil || math.Abs(*q.Value-truth) > *q.Error+4*sagitta*truth {
			t.Errorf("the peak is %g ± %v, Lame's %g", *q.Value, deref(q.Error), truth)
		}
	}
}

// The peak of a ring is refined to two hundredths; the corners of its 640 sides, of less than
// 181 degrees, add up to one.
func TestAccuracyIsReached(t *testing.T) {
	draw := random(t)
	in, p, nu := draw(0.1, 1), draw(1e6, 1e7), draw(0.2, 0.4)
	out := in * draw(2, 4)
	a := pressedRing(t, quarterRing(4, 160, in, out), p, nu, `, "accuracy": {"quantity": "/von_mises/max", "target": 0.02}`)
	truth := lame(p, in, out, nu)
	if a.Accuracy == nil || !a.Accuracy.Reached || len(a.Accuracy.Steps) < 3 {
		t.Fatalf("accuracy: %+v", a.Accuracy)
	}
	t.Logf("%+v, Lame %g", *a.Accuracy, truth)
	near(t, "peak", a.VonMises.Max, truth, 0.03)
	if q := a.quantity(t, "/von_mises/max"); q.Trust != evidence.Verified {
		t.Errorf("the peak is %s: %v", q.Trust, q.Reasons)
	}
	step := a.Accuracy.Steps[a.Accuracy.Step]
	if step.Unknowns != a.Unknowns || math.Abs(float64(step.Value-a.VonMises.Max)) > 1e-6*truth {
		t.Errorf("the answer has %d unknowns and %g, its mesh %d and %g", a.Unknowns, float64(a.VonMises.Max), step.Unknowns, float64(step.Value))
	}
	finest := float64(a.Accuracy.Steps[len(a.Accuracy.Steps)-1].Value)
	if change := math.Abs(float64(step.Value) - finest); change > float64(*a.Accuracy.Error) || float64(*a.Accuracy.Error) > 0.02*float64(step.Value) {
		t.Errorf("an error bar of %g beside a change of %g", float64(*a.Accuracy.Error), change)
	}
	covers(t, a, "/von_mises/max", a.VonMises.Max, finest)
}

// At a corner no mesh is fine enough, and nobody refines in vain.
func TestAccuracyOfASingularPeak(t *testing.T) {
	a := solved(t, "fea.solve", rectangle(6, 6, 1, 1), "LinearElasticity", fmt.Sprintf(
		`{%s, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1e6, 0]}],
		"accuracy": {"quantity": "/von_mises/max", "target": 0.01}}`, steel))
	if a.Accuracy.Reached || !strings.Contains(a.Accuracy.Reason, "no bound") {
		t.Errorf("%+v", a.Accuracy)
	}
	notVerified(t, a, "/von_mises/max", evidence.Suspect)
}

func TestAccuracyIsRefusedWhereItCannotBe(t *testing.T) {
	held := `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1e6, 0]}]`
	refused(t, "fea.solve", quads(4, 4, scaled(1, 1)), "LinearElasticity",
		fmt.Sprintf(`{%s, %s, "accuracy": {"quantity": "/energy", "target": 0.01}}`, steel, held), "invalid_request", "/config/accuracy")
	refused(t, "fea.solve", rectangle(4, 4, 1, 1), "LinearElasticity",
		fmt.Sprintf(`{%s, %s, "accuracy": {"quantity": "/enrgy", "target": 0.01}}`, steel, held), "invalid_request", "/config/accuracy/quantity")
	refused(t, "fea.solve", rectangle(4, 4, 1, 1), "LinearElasticity",
		fmt.Sprintf(`{%s, %s, "accuracy": {"quantity": "/energy", "target": 2}}`, steel, held), "invalid_request", "/config/accuracy/target")
}

// A figure whose accuracy was asked is stated, were it the smaller component of a probe: a pulled
// bar thins by Poisson's ratio.
func TestTheFigureAskedForIsStated(t *testing.T) {
	draw := random(t)
	l, h, e, nu, s := draw(0.5, 2), draw(0.1, 0.3), draw(5e10, 3e11), draw(0.1, 0.4), draw(1e6, 1e8)
	a := solved(t, "fea.solve", rectangle(5, 4, l, h), "LinearElasticity", fmt.Sprintf(
		`{"plane": "stress", "materials": [{"E": %.17g, "nu": %.17g}], "probes": [[%.17g, %.17g]],
		"bcs": [{"where": {"plane": "x_min"}, "type": "fixed", "components": ["x"]}, {"where": {"plane": "y_min"}, "type": "fixed", "components": ["y"]},
			{"where": {"plane": "x_max"}, "type": "load", "value": [%.17g, 0]}],
		"accuracy": {"quantity": "/probes/0/displacement/1", "target": 0.01}}`, e, nu, l, h, s))
	q := a.quantity(t, "/probes/0/displacement/1")
	near(t, "displacement across", Figure(*q.Value), -nu*s/e*h, 1e-6)
	if q.Trust != evidence.Verified || q.Error == nil || !a.Accuracy.Reached {
		t.Errorf("%s ± %v: %v", q.Trust, deref(q.Error), q.Reasons)
	}
}

// What is missing of a figure is named: what to ask for, how many there are, what it holds.
func TestAccuracyOfNoFigureSaysWhatIsMissing(t *testing.T) {
	for quantity, want := range map[string]struct{ more, says string }{
		"/probes/0/displacement/2":           {"", "/config/probes"},
		"/probes/2/displacement/0":           {`, "probes": [[0.5, 0.5], [0.7, 0.5]]`, "/probes has 2 entries, /probes/0 to /probes/1"},
		"/probes/0/displacement":             {`, "probes": [[0.5, 0.5]]`, "/probes/0/displacement/0"},
		"/probes/0/displacement/3":           {`, "probes": [[0.5, 0.5]]`, "/probes/0/displacement has 2 entries"},
		"/stress_lines/0/membrane/von_mises": {"", "/config/stress_lines"},
		"/safety_factor/min":                 {"", "/config/materials/0/yield"},
		"/bolts/0/service":                   {"", "/config/bolts"},
		"/von_mises/maximum":                 {"", "max, p99"},
		"/loads/7/force/0":                   {"", "/loads has 2 entries"},
	} {
		e := refused(t, "fea.solve", rectangle(4, 4, 1, 1), "LinearElasticity", fmt.Sprintf(
			`{%s, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1e6, 0]}], "accuracy": {"quantity": %q, "target": 0.01}%s}`, steel, quantity, want.more),
			"invalid_request", "/config/accuracy/quantity")
		if !strings.Contains(e.Hint, want.says) {
			t.Errorf("%s: expected %q in %q", quantity, want.says, e.Hint)
		}
	}
}

// A strip pulled along x pushes its support nowhere else and turns it nowhere, by equilibrium: what
// is left of such figures is rounding, for which no mesh is refined.
func TestAccuracyOfAFigureThatVanishes(t *testing.T) {
	draw := random(t)
	for quantity, config := range map[string]string{
		"/loads/0/force/1":  `"type": "fixed"}, {"attribute": 2, "type": "load", "value": [%g, 0]`,
		"/loads/0/moment/0": `"type": "fixed"}, {"attribute": 2, "type": "load", "value": [%g, 0]`,
	} {
		a := solved(t, "fea.solve", rectangle(6, 4, draw(1, 2), draw(0.5, 1)), "LinearElasticity", fmt.Sprintf(
			`{%s, "plane": "stress", "bcs": [{"attribute": 1, `+config+`}], "accuracy": {"quantity": %q, "target": 0.01}}`, steel, draw(1e5, 1e6), quantity))
		if a.Accuracy.Reached || len(a.Accuracy.Steps) != 1 || !strings.Contains(a.Accuracy.Reason, "vanishes") {
			t.Errorf("%s: %+v", quantity, a.Accuracy)
		}
	}
}

// Heat is refined too: a film beside a held face, against a mesh that is much finer.
func TestAccuracyOfATemperature(t *testing.T) {
	draw := random(t)
	flux, probe := draw(1e3, 1e4), draw(0.2, 0.8)
	at := func(n int, more string) *answer {
		return solved(t, "heat.solve", rectangle(n, n, 1, 1), "", fmt.Sprintf(`{"conductivity": 3, "steady": true, "probes": [[0.5, %g]],
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}, {"where": {"plane": "x_max", "box": {"min": [0.9, -1], "max": [1.1, 0.5]}}, "type": "heat_flux", "value": %g}]%s}`, probe, flux, more))
	}
	a := at(4, `, "accuracy": {"quantity": "/probes/0/value", "target": 0.001}`)
	fine := at(64, "")
	if !a.Accuracy.Reached {
		t.Fatalf("%+v", *a.Accuracy)
	}
	got, want := float64(*a.Probes[0].Value), float64(*fine.Probes[0].Value)
	t.Logf("%g with %d unknowns, %g with %d", got, a.Unknowns, want, fine.Unknowns)
	if math.Abs(got-want) > 0.001*want {
		t.Errorf("%g, on the finer mesh %g", got, want)
	}
}

// A place is that of the mesh as it was given, however its faces are split: a box that
// reaches the middle of a face, and a plane beside which faces become smaller than its
// tolerance.
func TestPlacesStayAsMeshesAreRefined(t *testing.T) {
	draw := random(t)
	g := rectangle(5, 5, 1, 1)
	for _, p := range g.points { // the second row of points lies within the plane's tolerance times 4
		if p[1] > 0 && p[1] < 0.3 {
			p[1] = 0.005
		}
	}
	config := fmt.Sprintf(`{%s, "bcs": [{"where": {"plane": "y_min"}, "type": "fixed"},
		{"where": {"plane": "x_max", "box": {"min": [0.9, 0.3], "max": [1.1, %g]}}, "type": "load", "force": [0, -1e5]}]`, steel, draw(0.55, 0.85))
	plain := solved(t, "fea.solve", g, "LinearElasticity", config+"}")
	finer := solved(t, "fea.solve", g, "LinearElasticity", config+`, "accuracy": {"quantity": "/energy", "target": 0.001, "max_unknowns": 20000}}`)
	if finer.Unknowns < 4*plain.Unknowns {
		t.Fatalf("only %d unknowns: %+v", finer.Unknowns, *finer.Accuracy)
	}
	for i := range plain.Loads {
		near(t, fmt.Sprintf("area of condition %d", i), finer.Loads[i].Area, float64(plain.Loads[i].Area), 1e-9)
	}
}
