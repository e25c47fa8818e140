package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// ofTwoBodies makes the second half of a mesh's elements another body.
func ofTwoBodies(g *grid) *grid {
	for i, e := range g.elements {
		if i >= len(g.elements)/2 {
			g.elements[i] = "2" + e[1:]
		}
	}
	return g
}

// twoLayers maps the unit square to two layers of these thicknesses along x.
func twoLayers(one, two, height float64) func(x, y float64) [2]float64 {
	return func(x, y float64) [2]float64 {
		return [2]float64{2 * (one*min(x, 0.5) + two*max(0, x-0.5)), y * height}
	}
}

// A wall of two layers between a held face and a film: the resistances l / k and 1 / h in
// series. Quadratic elements hold the straight lines exactly: what differs is the solver's
// tolerance.
func TestCompositeWall(t *testing.T) {
	draw := random(t)
	one, two, height := draw(0.01, 0.3), draw(0.01, 0.3), draw(0.1, 1)
	k1, k2, h, hot, cold := draw(0.03, 2), draw(10, 400), draw(5, 500), draw(350, 600), draw(270, 300)
	config := `{"materials": [{"attribute": 1, "conductivity": %g}, {"attribute": 2, "conductivity": %g}], "steady": true, "order": %d,
		"analysis_opts": {"rel_tol": 1e-11}, "probes": [[%.17g, %.17g]],
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %g}, {"attribute": 2, "type": "convection", "h": %g, "ambient": %g}]}`
	for order := 1; order <= 2; order++ {
		a := solved(t, "heat.solve", ofTwoBodies(quads(4, 2, twoLayers(one, two, height))), "",
			fmt.Sprintf(config, k1, k2, order, one, height/3, hot, h, cold))
		q := (hot - cold) / (one/k1 + two/k2 + 1/h)
		near(t, "heat", *a.Loads[0].HeatRate, q*height, 1e-7)
		near(t, "heat out", *a.Loads[1].HeatRate, -q*height, 1e-7)
		near(t, "interface", *a.Probes[0].Value, hot-q*one/k1, 1e-8)
		near(t, "surface", a.Temperature.Min, cold+q/h, 1e-8)
		trusted(t, a, evidence.Verified)
	}
}

// A tube of two layers: ln(r2 / r1) / k in series. The facets of 32 elements around a
// quarter are off the circles by 3e-4 of a radius.
func TestCompositeCylinder(t *testing.T) {
	draw := random(t)
	in, k1, k2, hot, cold := draw(0.01, 0.2), draw(0.05, 1), draw(1, 50), draw(350, 600), draw(270, 300)
	mid := in * draw(1.2, 2)
	out := mid * draw(1.2, 2)
	radius := twoLayers(mid-in, out-mid, 1)
	mesh := ofTwoBodies(quads(12, 32, func(x, y float64) [2]float64 {
		r, w := in+radius(x, 0)[0], y*math.Pi/2
		return [2]float64{r * math.Cos(w), r * math.Sin(w)}
	}))
	a := solved(t, "heat.solve", mesh, "", fmt.Sprintf(`{"materials": [{"attribute": 2, "conductivity": %g}, {"attribute": 1, "conductivity": %g}], "steady": true,
		"probes": [[%.17g, 0]], "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %g}, {"attribute": 2, "type": "fixed_temp", "value": %g}]}`, k2, k1, mid, hot, cold))
	q := math.Pi / 2 * (hot - cold) / (math.Log(mid/in)/k1 + math.Log(out/mid)/k2)
	near(t, "heat", *a.Loads[0].HeatRate, q, 1e-3)
	want := hot - q*2/math.Pi*math.Log(mid/in)/k1
	if off := math.Abs(float64(*a.Probes[0].Value) - want); off > 1e-3*(hot-cold) { // the outer layer may hardly resist
		t.Errorf("at the interface %g K, expected %g", float64(*a.Probes[0].Value), want)
	}
}

// One body has a source, and the other takes its heat up: what is stored is source times
// volume times time, whatever the mesh and step.
func TestHeatOfOneBodyIsStoredInTwo(t *testing.T) {
	draw := random(t)
	one, two, source, end := draw(0.05, 0.2), draw(0.05, 0.2), draw(1e3, 1e5), draw(10, 100)
	a := solved(t, "heat.solve", ofTwoBodies(quads(6, 1, twoLayers(one, two, 0.1))), "", fmt.Sprintf(`{"materials": [{"material": "copper"},
		{"attribute": 2, "conductivity": 20, "specific_heat": 500, "density": 8000, "source": %g}], "initial_temperature": 300, "dt": %g, "t_final": %g,
		"analysis_opts": {"rel_tol": 1e-12}, "bcs": [{"attribute": 1, "type": "heat_flux", "value": 0}]}`, source, end/10, end))
	near(t, "stored", a.Energy, source*two*0.1*end, 1e-8)
	if len(a.Materials) != 1 || a.Materials[0].Name != "copper" && !strings.Contains(a.Materials[0].Name, "Cu") {
		t.Errorf("%+v", a.Materials)
	}
}

func TestDoubtfulBodiesOfHeatAreRefused(t *testing.T) {
	mesh := ofTwoBodies(quads(4, 1, scaled(1, 0.2)))
	const bcs = `"steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}]}`
	for config, want := range map[string][3]string{
		`{"materials": [{"attribute": 1, "conductivity": 1}], `:                                                               {"invalid_request", "/config/materials", "every body"},
		`{"materials": [{"attribute": 1, "conductivity": 1}, {"attribute": 1, "conductivity": 2}], `:                          {"invalid_request", "/config/materials/1/attribute", ""},
		`{"materials": [{"conductivity": 1}, {"conductivity": 2}], `:                                                          {"invalid_request", "/config/materials/1/attribute", "Name the element attribute"},
		`{"materials": [{"attribute": 7, "conductivity": 1}, {"attribute": 1, "conductivity": 2}], `:                          {"ERR_UNKNOWN_ATTRIBUTE", "/config/materials/0/attribute", ""},
		`{"materials": [{"conductivity": 1}, {"attribute": 1, "conductivity": 2}, {"attribute": 2, "conductivity": 2}], `:     {"invalid_request", "/config/materials/0/attribute", "Leave the first"},
		`{"materials": [{"conductivity": 1}], "conductivity": 2, `:                                                            {"invalid_request", "/config/conductivity", "each of materials"},
		`{"materials": [{"conductivity": 1}], "source": 2, `:                                                                  {"invalid_request", "/config/source", "each of materials"},
		`{"materials": [{"attribute": 1, "specific_heat": 1}, {"attribute": 2, "conductivity": 2}], `:                         {"invalid_request", "/config/materials/0/conductivity", ""},
		`{"materials": [{"attribute": 1, "material": "water"}, {"attribute": 2, "conductivity": 2}], `:                        {"invalid_request", "/config/materials/0/material", "Name a solid"},
		`{"materials": [{"attribute": 1, "E": 2e11}, {"attribute": 2, "conductivity": 2}], `:                                  {"invalid_request", "/config/materials/0/E", ""},
		`{"materials": [{"attribute": 1, "material": "copper", "specific_heat": 400}, {"attribute": 2, "conductivity": 2}], `: {"invalid_request", "/config/materials/0/specific_heat", "density"},
	} {
		if e := refused(t, "heat.solve", mesh, "", config+bcs, want[0], want[1]); !strings.Contains(e.Hint, want[2]) {
			t.Errorf("%s: %q lacks %q", config, e.Hint, want[2])
		}
	}
	refused(t, "fea.solve", mesh, "HeatTransfer", `{"materials": [{"E": 2e11, "nu": 0.3}], "conductivity": 1, `+bcs, "invalid_request", "/config/materials")
}
