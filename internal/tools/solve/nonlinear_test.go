package solve

import (
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// needCalculiX skips the test where the program is missing.
func needCalculiX(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ccx"); err != nil {
		testenv.Skip(t, testenv.Program, "CalculiX is missing; Debian has it as calculix-ccx: %v", err)
	}
}

// nonlinear solves by CalculiX and looks at what every such answer holds.
func nonlinear(t *testing.T, mesh fmt.Stringer, config string) *answer {
	t.Helper()
	a := solved(t, "fea.solve", mesh, "LinearElasticity", `{"analysis": "nonlinear", `+config+`}`)
	if a.Analysis != "nonlinear" || a.MaxDisplacement == nil || a.VonMises == nil || a.Iterations < 1 {
		t.Fatalf("%+v", a.Output)
	}
	for _, name := range []string{"equilibrium", "force_balance"} {
		if sentence, failed := a.failed(name); failed {
			t.Error(sentence)
		}
	}
	if a.Evidence.Trust == evidence.Verified {
		t.Errorf("verified: %+v", a.Evidence.Checks)
	}
	return a
}

// elastica are the deflections w across and u along a cantilever under a force P at its end
// that keeps its direction, over the length, by P L^2 / EI (Mattiasson, Int. J. Numer. Meth.
// Eng. 17, 1981, table 1).
var elastica = []struct{ load, w, u float64 }{
	{1, 0.30172, 0.05643}, {2, 0.49346, 0.16064}, {5, 0.71379, 0.38763}, {10, 0.81061, 0.55500},
}

func TestCantileverBendsFarAsTheElastica(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	solid := int(draw(0, 2)) // one of the lesser loads
	for i, known := range elastica {
		length, modulus := draw(0.2, 2), draw(1e9, 2e11)
		height := length / draw(90, 140)
		force := known.load * modulus * math.Pow(height, 3) / 12 / (length * length) // per width
		mesh, config := quads(30, 1, scaled(length, height)), fmt.Sprintf(`"plane": "stress", "probes": [[%g, %g]], "bcs": [
			{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %g]}]`, length, height/2, force)
		if i == solid {
			width := draw(0.8, 2) * height
			mesh, config = hexes([3]int{20, 1, 1}, [3]float64{length, width, height}), fmt.Sprintf(`"probes": [[%g, %g, %g]], "bcs": [
				{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, %g]}]`, length, width/2, height/2, force*width)
		}
		a := nonlinear(t, mesh, fmt.Sprintf(`"materials": [{"E": %g, "nu": 0}], %s`, modulus, config))
		moved := a.Probes[0].Displacement
		near(t, fmt.Sprintf("w at load %g", known.load), moved[len(moved)-1], known.w*length, 0.01)
		near(t, fmt.Sprintf("u at load %g", known.load), moved[0], -known.u*length, 0.01)
		if lift, want := a.Loads[0].Force[len(moved)-1], a.Loads[1].Force[len(moved)-1]; math.Abs(float64(lift+want)) > 1e-3*math.Abs(float64(want)) {
			t.Errorf("the support bears %g of %g", lift, want)
		}
	}
}

// A long plate with built-in edges under uniform pressure, whose edges cannot come nearer
// (Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, art. 3, equations 20 and 21).
func TestPlateWithBuiltInEdgesStiffensAsItStretches(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	span, modulus, nu := draw(0.3, 2), draw(5e10, 2e11), draw(0.2, 0.35)
	thick := span / draw(90, 140)
	rigidity := modulus * math.Pow(thick, 3) / (12 * (1 - nu*nu))
	u := draw(2.5, 5)
	// E^2 h^8 / ((1 - nu^2)^2 q^2 l^8), which u is the root for.
	right := -81/(16*math.Pow(u, 7)*math.Tanh(u)) - 27/(16*math.Pow(u, 6)*math.Pow(math.Sinh(u), 2)) + 27/(4*math.Pow(u, 8)) + 9/(8*math.Pow(u, 6))
	pressure := modulus * math.Pow(thick, 4) / ((1 - nu*nu) * math.Pow(span, 4) * math.Sqrt(right))
	known := pressure * math.Pow(span, 4) / (384 * rigidity) * 24 / math.Pow(u, 4) * (u*u/2 + u/math.Sinh(u) - u/math.Tanh(u))
	a := nonlinear(t, quads(40, 1, scaled(span, thick)), fmt.Sprintf(
		`"materials": [{"E": %g, "nu": %g}], "probes": [[%g, %g]], "bcs": [{"attribute": [1, 2], "type": "fixed"}, {"attribute": 4, "type": "pressure", "value": %g}]`,
		modulus, nu, span/2, thick/2, pressure))
	t.Logf("deflection over thickness %.3g", known/thick)
	near(t, "deflection", -a.Probes[0].Displacement[1], known, 0.015)
}

// A bar is pulled beyond yield: the true stress F / A and the logarithmic strain follow the
// given line, and plastic flow keeps the volume. Laws of finite plasticity (here Simo's, of
// CalculiX) differ from that by the elastic strain; increments add 0.3 %.
func TestBarFlowsAlongItsHardening(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	length, width, modulus, nu, yield := draw(0.1, 1), draw(0.01, 0.05), draw(7e10, 2e11), draw(0.25, 0.35), draw(1e8, 4e8)
	tangent, nominal := modulus*draw(0.02, 0.2), yield*draw(1.1, 1.3)
	hardening := modulus * tangent / (modulus - tangent)
	stress, plastic := nominal, 0.0
	for range 100 {
		plastic = (stress - yield) / hardening
		stress = nominal * math.Exp(2*nu*stress/modulus+plastic)
	}
	a := nonlinear(t, hexes([3]int{4, 1, 1}, [3]float64{length, width, width}), fmt.Sprintf(
		`"materials": [{"E": %g, "nu": %g, "yield": %g, "tangent_modulus": %g}], "probes": [[%g, 0, 0]], "bcs": [
		 {"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]},
		 {"attribute": 2, "type": "load", "force": [%g, 0, 0]}]`, modulus, nu, yield, tangent, length, nominal*width*width))
	near(t, "elastic energy", a.Energy, 0.5*stress*stress/modulus*length*width*width, 5e-3)
	law := 0.003 + stress/modulus
	near(t, "extension", a.Probes[0].Displacement[0], length*(math.Exp(stress/modulus+plastic)-1), law)
	near(t, "true stress", a.VonMises.Max, stress, 1e-3)
	near(t, "plastic strain", a.PlasticStrain.Max, plastic, law)
	i := slices.IndexFunc(a.Evidence.Checks, func(c evidence.Check) bool { return c.Name == "increments" })
	if known := i >= 0; known != (a.PlasticStrain.Max > 0.002) {
		t.Errorf("a plastic strain of %g, followed twice: %t", float64(a.PlasticStrain.Max), known)
	} else if known && *a.Evidence.Checks[i].Value > 0.003 {
		t.Errorf("increments: %+v", a.Evidence.Checks)
	}
}

// tube is a quarter of a ring, with the conditions of symmetry and a pressure inside.
func tube(inner, outer, modulus, yield, pressure float64) (fmt.Stringer, string) {
	mesh := quads(6, 8, func(x, y float64) [2]float64 {
		r := inner + (outer-inner)*x
		return [2]float64{r * math.Cos(math.Pi/2*y), r * math.Sin(math.Pi/2*y)}
	})
	return mesh, fmt.Sprintf(`{"analysis": "nonlinear", "materials": [{"E": %g, "nu": 0.3, "yield": %g}], "probes": [[%g, 0]], "bcs": [
		{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 4, "type": "fixed", "components": ["x"]},
		{"attribute": 1, "type": "pressure", "value": %g}]}`, modulus, yield, outer, pressure)
}

// A thick tube that cannot lengthen is plastic to the radius c at the pressure
// 2 k (ln c/a + (1 - c^2/b^2) / 2), k the yield stress in shear, and its outside has then moved
// by 2 (1 - nu^2) k c^2 / (E b) (Hill, The Mathematical Theory of Plasticity, ch. V.2, for von
// Mises' criterion within 1 %). It bears 2 k ln b/a; elements, which are too stiff, bear more.
func TestThickTubeYieldsAndCollapses(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	inner, modulus := draw(0.05, 0.3), draw(7e10, 2e11)
	outer, yield := inner*draw(1.7, 2.3), modulus/draw(900, 1500)
	front, shear := inner+(outer-inner)*draw(0.3, 0.7), yield/math.Sqrt(3)
	mesh, config := tube(inner, outer, modulus, yield, 2*shear*(math.Log(front/inner)+(1-math.Pow(front/outer, 2))/2))
	a := solved(t, "fea.solve", mesh, "LinearElasticity", config)
	near(t, "outside", a.Probes[0].Displacement[0], 2*(1-0.09)*shear*front*front/(modulus*outer), 0.02)
	near(t, "largest stress", a.VonMises.Max, yield, 1e-5) // no point bears more, and many have yielded
	if a.PlasticStrain == nil || a.PlasticStrain.Max <= 0 {
		t.Errorf("%+v", a.PlasticStrain)
	}
	limit := 2 * shear * math.Log(outer/inner)
	mesh, config = tube(inner, outer, modulus, yield, 1.2*limit)
	r := call(t, "fea.solve", requestFor(t, mesh, "LinearElasticity", config))
	if r.Status != contract.StatusError || r.Errors[0].Code != contract.CodeNotConverged || r.Errors[0].Hint == "" {
		t.Fatalf("%s %v", r.Status, r.Errors)
	}
	if share, _ := r.Errors[0].Details["share"].(float64); 1.2*share < 0.97 || 1.2*share > 1.06 {
		t.Errorf("collapses at %.4g of the limit load: %s", 1.2*share, r.Errors[0].Message)
	}
}

// The forces of a moment keep their direction: where the face turns, little is left of it.
func TestAMomentThatFadesIsTold(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	length, modulus := draw(0.2, 2), draw(1e9, 2e11)
	height := length / draw(40, 80)
	for _, c := range []struct {
		turn float64 // of the end under the moment as it is asked for
		lost bool
	}{{draw(0.02, 0.08), false}, {draw(0.4, 0.8), true}} {
		moment := c.turn * modulus * math.Pow(height, 3) / 12 / length
		a := solved(t, "fea.solve", quads(16, 1, scaled(length, height)), "LinearElasticity", fmt.Sprintf(`{"analysis": "nonlinear", "plane": "stress",
			"materials": [{"E": %g, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "moment", "moment": [0, 0, %g]}]}`, modulus, moment))
		if s, failed := a.failed("moment_kept"); failed != c.lost {
			t.Errorf("turned by %g: %q", c.turn, s)
		}
	}
}

func TestNonlinearAnalysisRefuses(t *testing.T) {
	mesh := hexes([3]int{2, 1, 1}, [3]float64{1, 0.1, 0.1})
	const loaded = `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [1, 0, 0]}]`
	for config, at := range map[string]string{
		`"analysis": "nonlinear", "materials": [{"E": 2e11, "nu": 0.3}], "analysis_opts": {"rel_tol": 1e-6}, ` + loaded:                    "/config/analysis_opts",
		`"analysis": "nonlinear", "materials": [{"E": 2e11, "nu": 0.3}], "modes": 3, ` + loaded:                                            "/config/modes",
		`"analysis": "nonlinear", "materials": [{"E": 2e11, "nu": 0.3, "tangent_modulus": 1e9}], ` + loaded:                                "/config/materials/0/yield",
		`"analysis": "nonlinear", "materials": [{"E": 2e11, "nu": 0.3, "yield": 2e8, "tangent_modulus": 3e11}], ` + loaded:                 "/config/materials/0/tangent_modulus",
		`"analysis": "nonlinear", "materials": [{"E": 2e11, "nu": 0.3, "yield": 2e8, "hardening": [[3e8, 0.1], [2.5e8, 0.2]]}], ` + loaded: "/config/materials/0/hardening",
		`"materials": [{"E": 2e11, "nu": 0.3, "yield": 2e8, "hardening": [[3e8, 0.1]]}], ` + loaded:                                        "/config/materials/0/hardening",
	} {
		r := call(t, "fea.solve", requestFor(t, mesh, "LinearElasticity", "{"+config+"}"))
		if r.Status != contract.StatusError || !strings.HasPrefix(r.Errors[0].Field, at) {
			t.Errorf("%s: %s, %+v", config, r.Status, r.Errors)
		}
	}
}

// CalculiX finds what our own solver does: to the digits that it prints where the elements are
// the same.
func TestSecondOpinionAgrees(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	size := [3]float64{draw(0.3, 1), draw(0.1, 0.3), draw(0.1, 0.3)}
	config := func(material string) string {
		return fmt.Sprintf(`{"second_opinion": true, %s, "gravity": [0, 0, -9.81], "bcs": [{"attribute": 1, "type": "fixed"},
			{"attribute": 2, "type": "fixed", "components": ["%c"], "value": [1e-5, 0, 0]},
			{"attribute": 6, "type": "pressure", "value": %g}, {"attribute": 4, "type": "load", "value": [1e4, %g, 0]}]}`,
			material, 'x', draw(1e4, 1e6), draw(-1e5, 1e5))
	}
	one := fmt.Sprintf(`"materials": [{"E": %g, "nu": %g, "density": 7850, "yield": 1e6}]`, draw(1e10, 2e11), draw(0.1, 0.4)) // linear theory does not yield
	for i, c := range []struct {
		mesh  *grid
		more  string
		limit float64
	}{
		{box([3]int{4, 2, 2}, size), ``, 1e-5}, {box([3]int{4, 2, 2}, size), `"order": 1, `, 1e-5},
		{hexes([3]int{12, 4, 4}, size), ``, 0.02}, // elements that integrate otherwise
	} {
		a := solved(t, "fea.solve", c.mesh, "LinearElasticity", config(c.more+one))
		found := false
		for _, check := range a.Evidence.Checks {
			if check.Name == "second_program" {
				found = true
				if check.Value == nil || *check.Value > c.limit {
					t.Errorf("case %d: %s", i, check.Sentence)
				}
			}
		}
		if !found {
			t.Errorf("case %d: %+v", i, a.Evidence.Checks)
		}
	}
}
