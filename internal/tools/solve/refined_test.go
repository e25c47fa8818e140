package solve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
)

// Whatever is verified on a coarse mesh holds on a mesh that is many times finer:
// loads, materials and sizes are drawn anew in every run.

// truthful expects every verified figure to cover that of a much finer solve, but
// for the error that the latter has left.
func truthful(t *testing.T, what string, coarse, fine *answer) {
	t.Helper()
	for _, q := range coarse.Quantities {
		truth := fine.quantity(t, q.Pointer)
		if q.Value == nil || truth.Value == nil {
			continue
		}
		off := math.Abs(*q.Value - *truth.Value)
		t.Logf("%s: %s is %s: %g ± %v, finer %g", what, q.Pointer, q.Trust, *q.Value, deref(q.Error), *truth.Value)
		if q.Trust == evidence.Verified && off > *q.Error+1e-3*math.Max(math.Abs(*truth.Value), q.Scale) {
			t.Errorf("%s: %s is verified as %g ± %g, and %g on the finer mesh", what, q.Pointer, *q.Value, *q.Error, *truth.Value)
		}
	}
}

// layered is n by n/2 quadrilaterals of which the upper half is material 2.
func layered(n int, l, h float64) *grid {
	g := quads(n, n/2, scaled(l, h))
	for i, e := range g.elements {
		if i%(n/2) >= n/4 {
			g.elements[i] = "2" + e[1:]
		}
	}
	return g
}

// A hard and a soft layer: the estimate on one mesh looks at each material alone and
// finds a fraction of the error.
func TestLayersOfTwoMaterials(t *testing.T) {
	draw := random(t)
	l, h, soft, nu := draw(1, 3), draw(0.2, 0.5), math.Pow(10, draw(6, 9)), draw(0.3, 0.48)
	at := func(n int) *answer {
		return solved(t, "fea.solve", layered(n, l, h), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"attribute": 1, "E": 210e9, "nu": 0.3}, {"attribute": 2, "E": %g, "nu": %g}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [0, -1e5]}]}`, soft, nu))
	}
	truthful(t, "layers", at(4), at(48))
}

// Half of the upper side of a nearly incompressible block is pressed: it locks.
func TestNearlyIncompressibleIsNotVerified(t *testing.T) {
	draw := random(t)
	nu := draw(0.4985, 0.4999)
	at := func(n int) *answer {
		return solved(t, "fea.solve", quads(n, n, scaled(1, 1)), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": 5e6, "nu": %g}], "bcs": [{"attribute": 3, "type": "fixed"},
			{"where": {"plane": "y_max", "box": {"min": [0, 0.9], "max": [0.5, 1.1]}}, "type": "load", "value": [0, -1e4]}]}`, nu))
	}
	coarse := at(4)
	truthful(t, "rubber", coarse, at(32))
	notVerified(t, coarse, "/energy", evidence.Converged)
}

// Two supports that disagree at the corner they share give an energy without limit:
// it grows by the same amount with every halving of the elements.
func TestSupportsThatDisagreeAreSuspect(t *testing.T) {
	draw := random(t)
	gap := draw(1e-4, 1e-2)
	a := solved(t, "fea.solve", quads(6, 6, scaled(1, 1)), "LinearElasticity", fmt.Sprintf(
		`{%s, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 3, "type": "fixed", "value": [%g, 0]}]}`, steel, gap))
	fails(t, a, "supports_agree")
	notVerified(t, a, "/energy", evidence.Suspect)
	b := solved(t, "heat.solve", quads(6, 6, scaled(1, 1)), "", fmt.Sprintf(
		`{"conductivity": 3, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}, {"attribute": 3, "type": "fixed_temp", "value": %g}]}`, 300+1e4*gap))
	fails(t, b, "temperatures_agree")
	fails(t, solved(t, "fea.solve", quads(6, 6, scaled(1, 1)), "Poisson", fmt.Sprintf(
		`{"bcs": [{"attribute": 1, "type": "fixed", "value": 0}, {"attribute": 3, "type": "fixed", "value": %g}]}`, gap)), "values_agree")
}

// Two temperatures dT apart meet at the corner of a plate: at a distance r from it k dT / (r pi/2)
// flows, so that every halving of the elements adds (2 / pi) k dT ln 2 to the heat rates through
// both, which have no bound. Those through faces that meet no other do.
func TestHeatBetweenTemperaturesThatMeetHasNoBound(t *testing.T) {
	draw := random(t)
	l, h, k, low, gap := draw(0.03, 0.05), draw(0.02, 0.04), draw(20, 50), draw(280, 320), draw(30, 90)
	held := fmt.Sprintf(`"conductivity": %.17g, "steady": true, "bcs": [{"attribute": 2, "type": "convection", "h": 20, "ambient": %.17g},
		{"attribute": 3, "type": "fixed_temp", "value": %.17g}, {"attribute": 1, "type": "fixed_temp", "value": %.17g}]`, k, low+gap, low, low+gap)
	last := 0.0
	for i, n := range []int{8, 16} {
		a := solved(t, "heat.solve", quads(n, n, scaled(l, h)), "", `{`+held+`}`)
		for _, bc := range []string{"1", "2"} {
			figure := "/loads/" + bc + "/heat_rate"
			failsAt(t, a, "temperatures_agree", figure)
			notVerified(t, a, figure, evidence.Suspect)
			if q := a.quantity(t, figure); q.Error != nil {
				t.Errorf("%s ± %g", figure, *q.Error)
			}
		}
		said, _ := a.failed("temperatures_agree")
		if !strings.Contains(said, "bcs/1") || !strings.Contains(said, "bcs/2") || !strings.Contains(said, "gap") {
			t.Error(said)
		}
		for _, c := range a.Evidence.Checks {
			if !c.Passed && strings.Contains(strings.ToLower(c.Sentence), "refine") {
				t.Errorf("%s: %s", c.Name, c.Sentence)
			}
		}
		rate := float64(*a.Loads[2].HeatRate)
		if i > 0 {
			near(t, "growth", Figure(rate-last), 2/math.Pi*k*gap*math.Ln2, 0.03)
		}
		last = rate
	}
	a := solved(t, "heat.solve", rectangle(6, 6, l, h), "", `{`+held+`, "accuracy": {"quantity": "/loads/2/heat_rate", "target": 0.01}}`)
	if a.Accuracy.Reached || len(a.Accuracy.Steps) != 1 || !strings.Contains(a.Accuracy.Reason, "no bound") {
		t.Errorf("%+v", a.Accuracy)
	}
	for _, bc := range []string{"1", "2"} {
		notVerified(t, a, "/loads/"+bc+"/heat_rate", evidence.Suspect)
	}
}

// Across an edge in space as at a corner of a plate; about a single point, whose surroundings
// have an area of r^2 for a flux of 1/r, the heat rate is bounded. So it is beyond a gap.
func TestTemperaturesThatMeetInAPoint(t *testing.T) {
	draw := random(t)
	l := draw(0.1, 0.3)
	for box, meet := range map[[2]float64]bool{{1, 1}: false, {1, 0}: true, {2, 0}: false} {
		a := solved(t, "heat.solve", hexes([3]int{3, 3, 3}, [3]float64{3 * l, 3 * l, 3 * l}), "", fmt.Sprintf(
			`{"conductivity": 3, "steady": true, "bcs": [{"where": {"plane": "z_max", "box": {"min": [0, 0, 0], "max": [%.17g, %.17g, %.17g]}}, "type": "fixed_temp", "value": 300},
			{"where": {"plane": "z_max", "box": {"min": [%.17g, %.17g, 0], "max": [%.17g, %.17g, %.17g]}}, "type": "fixed_temp", "value": %.17g}]}`,
			l, l, 4*l, box[0]*l, box[1]*l, (box[0]+1)*l, (box[1]+1)*l, 4*l, draw(310, 350)))
		if said, failed := a.failed("temperatures_agree"); failed != meet {
			t.Errorf("%v: %v %s", box, failed, said)
		}
	}
}

// A source and an outflow put the highest temperature inside an element: with
// k T” = -s and k T'(l) = q it is T0 + (s l + q)^2 / 2 k s, at (s l + q) / s.
func TestHighestTemperatureBetweenNodes(t *testing.T) {
	draw := random(t)
	l, k, s := draw(0.3, 0.5), draw(1, 4), draw(3000, 6000)
	q := -s * l * draw(0.7, 0.8)
	a := solved(t, "heat.solve", quads(5, 2, scaled(l, 0.1)), "", fmt.Sprintf(`{"conductivity": %g, "steady": true, "source": %g,
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}, {"attribute": 2, "type": "heat_flux", "value": %g}]}`, k, s, q))
	truth := 300 + (s*l+q)*(s*l+q)/(2*k*s)
	highest := a.quantity(t, "/temperature/max")
	t.Logf("%s: %g ± %v, exact %g: %v", highest.Trust, *highest.Value, deref(highest.Error), truth, highest.Reasons)
	if highest.Trust == evidence.Verified && math.Abs(*highest.Value-truth) > *highest.Error+1e-9*truth {
		t.Errorf("verified as %g ± %g, exact %g", *highest.Value, *highest.Error, truth)
	}
}

// A slab with a sink of heat, as T” = -s/k has it, is a parabola, which elements of
// order 2 hold exactly: its lowest temperature lies between their nodes, on meshes with
// too few elements for an error estimate as well.
func TestLowestTemperatureInsideAnElement(t *testing.T) {
	draw := random(t)
	for n := 1; n <= 4; n++ {
		l, k, s, warm := draw(0.3, 0.5), draw(1, 4), -draw(3000, 6000), 300+draw(-20, 20)
		slope := (warm-300)/l + s/(2*k)*l // at the face of 300 K
		x := slope * k / s
		truth := 300 + slope*x/2
		a := solved(t, "heat.solve", rectangle(n, 1, l, 0.1), "", fmt.Sprintf(`{"conductivity": %.17g, "steady": true, "source": %.17g, "bcs": [
			{"attribute": 1, "type": "fixed_temp", "value": 300}, {"attribute": 2, "type": "fixed_temp", "value": %.17g}]}`, k, s, warm))
		near(t, "lowest temperature", a.Temperature.Min, truth, 1e-7)
		near(t, "its place", a.Temperature.MinAt[0], x, 1e-4)
		covers(t, a, "/temperature/min", a.Temperature.Min, truth)
		b := solved(t, "fea.solve", rectangle(n, 1, l, 0.1), "Poisson", fmt.Sprintf(`{"coefficient": %.17g, "rhs": %.17g, "bcs": [
			{"attribute": 1, "type": "fixed", "value": 0}, {"attribute": 2, "type": "fixed", "value": %.17g}]}`, k, s, warm-300))
		near(t, "least solution", b.Solution.Min, truth-300, 1e-5)
		covers(t, b, "/solution/min", b.Solution.Min, truth-300)
	}
}

// Heat that is drawn off beside a held face undercuts its temperature.
func TestColdestBesideAHeldFace(t *testing.T) {
	draw := random(t)
	flux, h := draw(-12000, -6000), draw(5, 20)
	at := func(n, order int) *answer {
		return solved(t, "heat.solve", quads(n, n, scaled(1.2, 0.9)), "", fmt.Sprintf(`{"conductivity": 80, "steady": true, "order": %d, "source": 20000,
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 425}, {"attribute": 4, "type": "heat_flux", "value": %g},
			{"attribute": 2, "type": "convection", "h": %g, "ambient": 430}]}`, order, flux, h))
	}
	truthful(t, "held face", at(5, 1), at(40, 2))
}

// Strong convection beside a held face, the corner of which is singular.
func TestConvectionBesideAHeldFace(t *testing.T) {
	draw := random(t)
	h := math.Pow(10, draw(3, 5))
	at := func(n, order int) *answer {
		return solved(t, "heat.solve", quads(n, n, scaled(1, 0.3)), "", fmt.Sprintf(`{"conductivity": 0.2, "steady": true, "order": %d, "source": 1000,
			"bcs": [{"attribute": 3, "type": "fixed_temp", "value": 300}, {"attribute": 1, "type": "convection", "h": %g, "ambient": 500}]}`, order, h))
	}
	truthful(t, "film", at(4, 1), at(48, 2))
}

// made resolves files that a CAD model stands behind.
type made struct {
	folder
	origin *evidence.Origin
}

func (m made) Origin(context.Context, string) (*evidence.Origin, error) { return m.origin, nil }

// from solves on a mesh that was made of a CAD model.
func from(t *testing.T, origin *evidence.Origin, name string, mesh *grid, class, config string) *answer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "part.mesh")
	if err := os.WriteFile(path, []byte(mesh.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	input := fmt.Sprintf(`{"solver_class": %q, "mesh": {"type": "file", "path": %q, "length_unit": "mm"}, "config": %s}`, class, path, config)
	for _, tool := range Tools(host(t)) {
		if tool.Contract.Name != name {
			continue
		}
		r := runner.New()(context.Background(), &runner.Request{Tool: &tool, Input: json.RawMessage(input), JobID: "job", Dir: t.TempDir(),
			Limits: tool.Contract.DefaultLimits(), Files: made{origin: origin}})
		if r.Status != contract.StatusOK {
			t.Fatal(r.Errors)
		}
		a := &answer{}
		if err := json.Unmarshal(r.OutputJSON(), a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	t.Fatal("no such tool")
	return nil
}

// A quarter tube of straight facets is not the CAD model: the wall between two
// films, T = ambient + q / h a, comes out beyond the error bar of the mesh. A box is
// its CAD model, and keeps its word.
func TestFacetsAreInNoErrorBar(t *testing.T) {
	draw := random(t)
	in, l := draw(4, 6), draw(8, 12)
	out := in * draw(1.7, 2)
	volume := math.Pi / 4 * (out*out - in*in) * l
	tube := hexes([3]int{4, 4, 2}, [3]float64{1, 1, 1})
	for _, p := range tube.points {
		r, w := in+(out-in)*p[0], p[1]*math.Pi/2
		p[0], p[1], p[2] = r*math.Cos(w), r*math.Sin(w), l*p[2]
	}
	k, h := draw(20, 60), draw(2e3, 9e3)
	film := fmt.Sprintf(`{"conductivity": %g, "steady": true, "bcs": [{"attribute": 1, "type": "convection", "h": %g, "ambient": 500},
		{"attribute": 2, "type": "fixed_temp", "value": 300}]}`, k, h)
	a := from(t, &evidence.Origin{Source: "part.step", Exact: true, LengthUnit: "mm", Volume: &volume}, "heat.solve", tube, "HeatTransfer", film)
	notVerified(t, a, "/temperature/max", evidence.Converged)
	ratio := math.Log(out / in)
	wall := 500 - 200/(h*in/1e3)/(1/(h*in/1e3)+ratio/k)
	t.Logf("the bore has %g K, exact %g", float64(a.Temperature.Max), wall)
	if q := a.quantity(t, "/temperature/min"); q.Trust != evidence.Verified {
		t.Errorf("the prescribed temperature is %s: %v", q.Trust, q.Reasons)
	}
	whole := in * out * l
	b := from(t, &evidence.Origin{Source: "part.step", Exact: true, LengthUnit: "mm", Volume: &whole}, "heat.solve",
		hexes([3]int{4, 4, 2}, [3]float64{in, out, l}), "HeatTransfer", film)
	if q := b.quantity(t, "/temperature/max"); q.Trust != evidence.Verified {
		t.Errorf("on a box the wall is %s: %v", q.Trust, q.Reasons)
	}
}

// A second solve that no time is left for is left out, and said to be.
func TestSecondSolveNeedsTime(t *testing.T) {
	var s evidence.Statement
	s.Figure(evidence.Of("energy", "/energy", 2, "J", "sum").PlusMinus(0.01, "estimate"))
	problem{}.hold(&s, refined{LeftOut: "the time allowed would not suffice"}, nil, nil)
	if got := *s.Figures[0].Error; math.Abs(got-unrefined*0.01) > 1e-12 || len(s.Notes) != 1 {
		t.Errorf("bar %g, notes %v", got, s.Notes)
	}
	soft, stiff, nu := 1.0, 2.0, 0.3
	problem{Materials: []bodyMaterial{{E: &soft, Nu: &nu}, {E: &stiff, Nu: &nu}}}.hold(&s, refined{LeftOut: "too large"}, nil, nil)
	if len(s.Figures[0].Omits) != 1 {
		t.Errorf("two materials: %v", s.Figures[0].Omits)
	}
}
