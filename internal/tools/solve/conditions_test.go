package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// What is said twice, or of no element, is refused where it stands.
func TestWhatWouldNotCountIsRefused(t *testing.T) {
	g := quads(4, 2, scaled(2, 1))
	load := fmt.Sprintf(pulled, 1e6)
	for _, c := range []struct{ class, config, code, pointer string }{
		{"LinearElasticity", `{"materials": [{"attribute": 1, "E": 2e11, "nu": 0.3}, {"E": 1e11, "nu": 0.3}], ` + load + `}`, "invalid_request", "/config/materials/1/attribute"},
		{"LinearElasticity", `{"density": 2700, "materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], ` + load + `}`, "ERR_CONFLICTING_CONDITIONS", "/config/density"},
		{"Poisson", `{"rhs": 1, "load": 2, "fixed_attributes": [1]}`, "invalid_request", "/config/load"},
		{"Poisson", `{"rhs": 1, "bcs": [{"attribute": 1, "attr": 2, "type": "fixed", "value": 0}]}`, "invalid_request", "/config/bcs/0/attr"},
		{"Poisson", `{"rhs": 1, "fixed_attributes": [1], "bcs": [{"attribute": 1, "type": "load", "value": 3}]}`, "ERR_CONFLICTING_CONDITIONS", "/config/fixed_attributes"},
	} {
		e := refused(t, "fea.solve", g, c.class, c.config, c.code, c.pointer)
		if e.Hint == "" {
			t.Errorf("%s: no hint beside %s", c.pointer, e.Message)
		}
	}
	fails(t, solved(t, "fea.solve", g, "Poisson", `{"rhs": 1, "fixed_attributes": [1], "bcs": [{"attribute": 4, "type": "fixed", "value": 5}]}`), "values_agree")
}

// The fluxes of fixed_attributes are part of the balance: they take up the whole
// source of a square of side l, which is s l^2 (the divergence theorem).
func TestFixedAttributesTakeUpTheSource(t *testing.T) {
	draw := random(t)
	l, s := draw(0.2, 3), draw(1, 50)
	a := solved(t, "fea.solve", quads(8, 8, scaled(l, l)), "Poisson", fmt.Sprintf(`{"rhs": %g, "fixed_attributes": [1, 2, 3, 4]}`, s))
	if len(a.Loads) != 1 {
		t.Fatalf("%d conditions are told, expected one: %+v", len(a.Loads), a.Loads)
	}
	near(t, "flux", Figure(math.Abs(float64(*a.Loads[0].Flux))), s*l*l, 1e-6)
}

// Loads that cancel at every point load nothing, whatever rounding leaves of them.
func TestLoadsThatCancelAreTold(t *testing.T) {
	draw := random(t)
	p := draw(1e3, 1e7)
	a := solved(t, "fea.solve", quads(4, 2, scaled(2, 1)), "LinearElasticity", fmt.Sprintf(`{%s, "bcs": [{"attribute": 1, "type": "fixed"},
		{"attribute": 2, "type": "load", "value": [%g, 0]}, {"attribute": 2, "type": "load", "value": [%g, 0]}]}`, steel, p/3, -p/3))
	fails(t, a, "loaded")
	if s, _ := a.failed("loaded"); !strings.Contains(s, "cancel") {
		t.Errorf("%q does not say that they cancel", s)
	}
}

// A load along which its face is held does nothing to the part; beside another load it
// is told, and changes nothing but the reaction.
func TestLoadsThatGoIntoSupportsAreTold(t *testing.T) {
	draw := random(t)
	g, p := quads(4, 2, scaled(2, 1)), draw(1e3, 1e7)
	held := fmt.Sprintf(`{%s, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "fixed", "components": ["x"]},
		{"attribute": 2, "type": "load", "value": [%g, 0]}`, steel, p)
	a := solved(t, "fea.solve", g, "LinearElasticity", held+`]}`)
	fails(t, a, "loaded")
	if s, _ := a.failed("loaded"); !strings.Contains(s, "into the support") || a.Energy != 0 {
		t.Errorf("energy %g: %q", a.Energy, s)
	}
	across := fmt.Sprintf(`, {"attribute": 2, "type": "load", "value": [0, %g]}]}`, draw(1e3, 1e7))
	r := call(t, "fea.solve", requestFor(t, g, "LinearElasticity", held+across))
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors)
	}
	b := solved(t, "fea.solve", g, "LinearElasticity", held+across)
	without := solved(t, "fea.solve", g, "LinearElasticity", strings.Replace(held, fmt.Sprintf("[%g, 0]", p), "[0, 0]", 1)+across)
	near(t, "energy", b.Energy, float64(without.Energy), 1e-9)
	if !strings.Contains(fmt.Sprint(r.Warnings), "goes into the support") {
		t.Errorf("no warning: %v", r.Warnings)
	}
}

// A failed check says what was asked for and what to do.
func TestFailedChecksSayWhatToDo(t *testing.T) {
	a := solved(t, "fea.solve", quads(2, 1, scaled(2, 1)), "LinearElasticity", `{"order": 1, `+steel+`, `+fmt.Sprintf(pulled, 1e6)+`}`)
	told := 0
	for _, c := range a.Evidence.Checks {
		if c.Passed {
			continue
		}
		told++
		if strings.HasSuffix(strings.TrimSuffix(c.Sentence, "."), "%") {
			t.Errorf("%s: %q says nothing to do", c.Name, c.Sentence)
		}
	}
	if told == 0 {
		t.Error("nothing fails on two linear elements")
	}
}
