package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A bar of a named steel pulled by p: u = p l / E with E of EN 1993-1-1, and a safety factor
// of yield / p, of EN 10025-2, wherever one looks.
func TestNamedMaterialIsItsFigures(t *testing.T) {
	draw := random(t)
	l, p := draw(0.5, 2), draw(20e6, 200e6)
	bar := hexes([3]int{4, 1, 1}, [3]float64{l, 0.1, 0.1})
	const free = `"bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]}, {"where": {"plane": "y_min"}, "type": "fixed", "components": ["y"]},
		{"where": {"plane": "z_min"}, "type": "fixed", "components": ["z"]}, {"attribute": 2, "type": "load", "value": [%g, 0, 0]}]`
	a := solved(t, "fea.solve", bar, "LinearElasticity", fmt.Sprintf(`{"materials": [{"material": "S 235 JR"}], `+free+`}`, p))
	if a.SafetyFactor == nil || len(a.Materials) != 1 {
		t.Fatalf("%+v", a.Output)
	}
	near(t, "safety factor", a.SafetyFactor.Min, 235e6/p, 1e-7)
	near(t, "contraction and stretch", a.MaxDisplacement.Value, p/210e9*math.Sqrt(l*l+2*math.Pow(0.3*0.1, 2)), 1e-7)
	m := a.Materials[0]
	if m.Name != "steel S235" || *m.Density != 7850 || *m.Yield != 235e6 || !strings.Contains(m.Source, "yield: EN 10025-2") {
		t.Errorf("%+v", m)
	}
	if a.quantity(t, leastSafety).Trust == evidence.Suspect || !strings.Contains(a.Summary, "safety factor") {
		t.Errorf("%s: %v", a.Summary, a.quantity(t, leastSafety))
	}
	found := false
	for _, f := range a.Fields {
		found = found || f.Name == "safety_factor" && math.Abs(float64(f.Min)-235e6/p) < 1e-6*235e6/p
	}
	if !found {
		t.Errorf("no field of the safety factor: %+v", a.Fields)
	}
	// What the call gives counts, and the answer says so.
	b := solved(t, "fea.solve", bar, "LinearElasticity", fmt.Sprintf(`{"materials": [{"material": "1.4301", "E": 1e11, "yield": "%g MPa"}], `+free+`}`, p/2e6, p))
	near(t, "safety factor", b.SafetyFactor.Min, 0.5, 1e-6)
	if m := b.Materials[0]; *m.E != 1e11 || *m.Density != 7900 || !strings.Contains(m.Source, "E, yield: the call") {
		t.Errorf("%+v", m)
	}
	fails(t, b, "yield")
	if q := b.quantity(t, "/max_displacement/value"); q.Trust != evidence.Suspect {
		t.Errorf("the displacement of a part that yields is %s", q.Trust)
	}
}

// A bar in plane stress bears its stress along it and none across the plane.
func TestSafetyFactorInPlaneStress(t *testing.T) {
	draw := random(t)
	nu, p := draw(0.1, 0.45), draw(1e7, 1e8)
	a := solved(t, "fea.solve", quads(4, 2, scaled(draw(0.5, 2), draw(0.2, 1))), "LinearElasticity", fmt.Sprintf(`{"plane": "stress",
		"materials": [{"E": 2e11, "nu": %g, "yield": 2.5e8}], "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]},
		{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 2, "type": "load", "value": [%g, 0]}]}`, nu, p))
	near(t, "von Mises", a.VonMises.Max, p, 1e-6)
	if a.SafetyFactor == nil {
		t.Fatalf("%+v", a.Evidence.Reasons)
	}
	near(t, "safety factor", a.SafetyFactor.Min, 2.5e8/p, 1e-6)
}

// The strength of one body counts though the other's is not known.
func TestStrengthOfOneBody(t *testing.T) {
	draw := random(t)
	pull := draw(1e7, 1e8)
	for _, share := range []float64{draw(0.3, 0.9), draw(1.1, 3)} {
		yield := pull / share
		a := solved(t, "fea.solve", alternating(6, [3]float64{1, 0.2, 0.2}), "LinearElasticity", fmt.Sprintf(`{"materials": [{"attribute": 1, "E": 2e11, "nu": 0},
			{"attribute": 2, "E": 7e10, "nu": 0, "yield": %g}], "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]},
			{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]},
			{"attribute": 2, "type": "load", "value": [%g, 0, 0]}]}`, yield, pull))
		if s, failed := a.failed("yield"); failed != (share > 1) {
			t.Errorf("at %g of the strength: %q", share, s)
		}
		if a.SafetyFactor != nil {
			near(t, "safety factor", a.SafetyFactor.Min, yield/pull, 1e-6)
		}
	}
}

// A stress that has no bound has no safety factor; what yields beside it is told.
func TestNoSafetyFactorOfACorner(t *testing.T) {
	const config = `{"materials": [{"material": "6082-T6"}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [%g, 0]}]}`
	a := solved(t, "fea.solve", quads(8, 4, scaled(1, 1)), "LinearElasticity", fmt.Sprintf(config, 1e6))
	if a.SafetyFactor != nil || !strings.Contains(strings.Join(a.Evidence.Reasons, " "), "No least safety factor") {
		t.Errorf("%+v, %v", a.SafetyFactor, a.Evidence.Reasons)
	}
	if s, failed := a.failed("yield"); failed {
		t.Error(s)
	}
	fails(t, solved(t, "fea.solve", quads(8, 4, scaled(1, 1)), "LinearElasticity", fmt.Sprintf(config, 3e8)), "yield")
}

func TestDoubtfulMaterialsAreRefused(t *testing.T) {
	bar := hexes([3]int{2, 1, 1}, [3]float64{1, 0.1, 0.1})
	const bcs = `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1e5, 0, 0]}]`
	for config, want := range map[string][2]string{
		`"materials": [{"material": "steel"}], `:                                            {"/config/materials/0/material", "steel S235"},
		`"materials": [{"E": 1e11, "nu": 0.3}, {"material": "6061-T66", "attribute": 1}], `: {"/config/materials/1/material", "6061-T6"},
		`"materials": [{"material": "Zamak 3"}], `:                                          {"/config/materials/0/nu", "Give nu"},
		`"materials": [{"material": "water"}], `:                                            {"/config/materials/0/material", "Name a solid"},
	} {
		e := refused(t, "fea.solve", bar, "LinearElasticity", "{"+config+bcs+"}", "invalid_request", want[0])
		if !strings.Contains(e.Hint, want[1]) {
			t.Errorf("%s: %q lacks %q", config, e.Hint, want[1])
		}
	}
	refused(t, "fea.solve", bar, "LinearElasticity", `{"materials": [{"E": 1e11}], `+bcs+`}`, "invalid_request", "/config/materials/0")
	refused(t, "heat.solve", bar, "", `{"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}], "steady": true}`, "invalid_request", "/config")
}

func TestFluidsAreNoSolids(t *testing.T) {
	for _, name := range []string{"water", "Air", "glycerol"} {
		if m, err := byName(name, "/config/material"); err == nil || !strings.Contains(err.Error(), "is a fluid") {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if m, err := byName("glass", "/config/material"); err != nil || m.Name != "soda-lime glass" {
		t.Errorf("%v, %v", m, err)
	}
}

// Steady conduction through a wall of a named material: q = k dT / l.
func TestHeatOfANamedMaterial(t *testing.T) {
	draw := random(t)
	l, dt := draw(0.05, 0.5), draw(5, 50)
	config := `{"material": "EN AW-6082-T6"%s, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %g}, {"attribute": 2, "type": "fixed_temp", "value": %g}]}`
	a := solved(t, "heat.solve", rectangle(4, 2, l, 1), "", fmt.Sprintf(config, "", 290+dt, 290.0))
	near(t, "heat", *a.Loads[0].HeatRate, 191*dt/l, 1e-6)
	if m := a.Materials[0]; m.Name != "aluminium 6082-T6" || *m.SpecificHeat != 911 || *m.Density != 2700 {
		t.Errorf("%+v", m)
	}
	trusted(t, a, evidence.Verified)
	fails(t, solved(t, "heat.solve", rectangle(4, 2, l, 1), "", fmt.Sprintf(config, "", 400.0, 290.0)), "temperature_range")
	b := solved(t, "heat.solve", rectangle(4, 2, l, 1), "", fmt.Sprintf(config, `, "conductivity": 170`, 400.0, 290.0))
	near(t, "heat", *b.Loads[0].HeatRate, 170*110/l, 1e-6)
	trusted(t, b, evidence.Verified) // none of the table's figures counts
	fails(t, solved(t, "heat.solve", rectangle(4, 2, l, 1), "", `{"material": "EN AW-6082-T6", "conductivity": 170, "initial_temperature": 290, "dt": 1, "t_final": 10,
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}]}`), "temperature_range") // its heat capacity does
	c := solved(t, "fea.solve", rectangle(4, 2, l, 1), "HeatTransfer", fmt.Sprintf(config, "", 290+dt, 290.0))
	near(t, "heat", *c.Loads[0].HeatRate, 191*dt/l, 1e-6)
}
