package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A slab of length 1 at T = 1 whose ends drop to 0: the series gives
// T(1/2, 0.1) = 0.4744875 for a diffusivity of 1. Real materials have 1e-5, and so
// 1e5 times the time.
func TestSlabCools(t *testing.T) {
	a := solved(t, "heat.solve", rectangle(16, 1, 1, 0.1), "heat_transfer", `{"conductivity": 20, "specific_heat": 500, "density": 4000,
		"initial_temperature": 1, "dt": 500, "t_final": 10000, "probes": [[0.5, 0.05]],
		"bcs": [{"attribute": [1, 2], "type": "fixed_temp", "value": 0}]}`)
	near(t, "centre", *a.Probes[0].Value, 0.4744875, 1e-3)
	trusted(t, a, evidence.Converged) // no second mesh gives the highest temperature an error bar
	notVerified(t, a, "/probes/0/value", evidence.Converged)
	if q := a.quantity(t, "/temperature/min"); q.Trust != evidence.Verified {
		t.Errorf("the temperature of the ends is %s: %v", q.Trust, q.Reasons)
	}
}

// Insulated but for a flux q over A: the heat stored is q A t and the mean
// temperature rises by q A t / (rho c V), whatever mesh and step.
func TestInsulatedBodyKeepsItsHeat(t *testing.T) {
	a := solved(t, "heat.solve", box([3]int{4, 2, 2}, [3]float64{2, 1, 1}), "", `{"conductivity": 40, "specific_heat": 450, "density": 7800,
		"initial_temperature": 293.15, "dt": 7, "t_final": 50, "analysis_opts": {"rel_tol": 1e-12},
		"bcs": [{"attribute": 2, "type": "heat_flux", "value": 5000}]}`)
	near(t, "heat", a.Energy, 5000*50, 1e-9)
	near(t, "rise", a.Temperature.Mean-293.15, 5000*50/(7800*450*2.0), 1e-5)
}

// A steady wall between a held face and convection: heat rate through the
// resistances L / kA and 1 / hA in series.
func TestSteadyWallWithConvection(t *testing.T) {
	a := solved(t, "heat.solve", box([3]int{3, 2, 2}, [3]float64{0.3, 1, 1}), "", `{"conductivity": 1.5, "steady": true,
		"analysis_opts": {"rel_tol": 1e-12},
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}, {"attribute": 2, "type": "convection", "h": 10, "ambient": 300}]}`)
	rate := (400.0 - 300.0) / (0.3/1.5 + 1/10.0)
	near(t, "heat in", *a.Loads[0].HeatRate, rate, 1e-8)
	near(t, "heat out", *a.Loads[1].HeatRate, -rate, 1e-8)
	near(t, "surface", a.Temperature.Min, 300+rate/10, 1e-8)
}

// A bar between two temperatures: Fourier's law gives k A dT / L = 400 * 0.01 *
// 100 / 1 = 400 W in at one end and out at the other, which sum to 0 without
// being unbalanced.
func TestHeatThroughABarIsConserved(t *testing.T) {
	a := solved(t, "heat.solve", box([3]int{10, 2, 2}, [3]float64{1, 0.1, 0.1}), "HeatTransfer",
		`{"conductivity": 400, "steady": true, "bcs": [{"where": {"plane": "x_min"}, "type": "fixed_temp", "value": 400},
		{"where": {"plane": "x_max"}, "type": "fixed_temp", "value": 300}]}`)
	near(t, "heat in", *a.Loads[0].HeatRate, 400, 1e-6)
	near(t, "heat out", *a.Loads[1].HeatRate, -400, 1e-6)
	trusted(t, a, evidence.Verified)
}

// NAFEMS T4: a plate 0.6 x 1.0, k = 52, base at 100, left side insulated, the
// others in air at 0 with h = 750: T(0.6, 0.2) = 18.25.
func TestNAFEMST4(t *testing.T) {
	a := solved(t, "heat.solve", rectangle(12, 20, 0.6, 1), "", `{"conductivity": 52, "steady": true, "probes": [[0.6, 0.2]],
		"bcs": [{"attribute": 3, "type": "fixed_temp", "value": 100}, {"attribute": [2, 4], "type": "convection", "h": 750, "ambient": 0}]}`)
	near(t, "T4", *a.Probes[0].Value, 18.25, 0.01)
}

// The scheme is of second order in time: halving the step divides the error by 4.
func TestSecondOrderInTime(t *testing.T) {
	at := func(dt string) float64 {
		a := solved(t, "heat.solve", rectangle(16, 1, 1, 0.1), "", `{"conductivity": 1, "specific_heat": 1, "density": 1, "order": 2,
			"initial_temperature": 0, "source": 1, "dt": `+dt+`, "t_final": 0.2, "probes": [[0.5, 0.05]], "analysis_opts": {"rel_tol": 1e-11},
			"bcs": [{"attribute": [1, 2], "type": "fixed_temp", "value": 0}]}`)
		return float64(*a.Probes[0].Value)
	}
	coarse, middle, fine := at("0.04"), at("0.02"), at("0.01")
	if slope := math.Log2(math.Abs((coarse - middle) / (middle - fine))); slope < 1.7 {
		t.Errorf("order %g, expected 2", slope)
	}
}

func TestSteadyNeedsAnAnchor(t *testing.T) {
	refused(t, "heat.solve", rectangle(2, 2, 1, 1), "", `{"conductivity": 1, "steady": true, "bcs": [{"attribute": 1, "type": "heat_flux", "value": 1}]}`,
		"ERR_SINGULAR_SYSTEM", "/config/bcs")
	refused(t, "heat.solve", rectangle(2, 2, 1, 1), "", `{"conductivity": 1, "bcs": [{"attribute": 1, "type": "heat_flux", "value": 1}]}`,
		"invalid_request", "/config/specific_heat")
}

// A probe beside the mesh by a hundredth of an element, as one on a round face beside the
// facets, is one on its boundary; farther out it is an error that says how far.
func TestProbesBesideTheMesh(t *testing.T) {
	draw := random(t)
	length, n := draw(0.1, 1), 4
	size := length / float64(n)
	config := func(beside float64) string {
		return fmt.Sprintf(`{"conductivity": 20, "steady": true, "probes": [[%.17g, %.17g]],
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}, {"attribute": 2, "type": "fixed_temp", "value": 350}]}`,
			length+beside*size, draw(0.1, 0.9)*size)
	}
	mesh := rectangle(n, 1, length, size)
	a := solved(t, "heat.solve", mesh, "", config(draw(1e-4, 8e-3)))
	near(t, "temperature", *a.Probes[0].Value, 350, 1e-9)
	beside := draw(0.1, 0.4)
	fault := refused(t, "heat.solve", mesh, "", config(beside), "invalid_request", "/config/probes/0")
	var told float64
	_, after, _ := strings.Cut(fault.Message, "about ")
	if _, err := fmt.Sscan(after, &told); err != nil || told < beside*size*(1-1e-3) || told > 1.25*beside*size {
		t.Errorf("%q, expected about %.3g", fault.Message, beside*size)
	}
}
