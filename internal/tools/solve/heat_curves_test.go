package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A conductivity that is linear in temperature: by Kirchhoff's transformation its integral over
// temperature is linear in the place, and the flow that integral over the length.
func TestSlabWithConductivityOverTemperature(t *testing.T) {
	draw := random(t)
	l, hot, cold := draw(0.05, 0.5), draw(600, 1200), draw(280, 320)
	k1, k2 := draw(10, 100), draw(10, 100) // at cold and hot
	integral := func(t float64) float64 { return k1*(t-cold) + (k2-k1)/(hot-cold)*(t-cold)*(t-cold)/2 }
	x := draw(0.2, 0.8)
	config := `{"conductivity": [[%.17g, %.17g], [%.17g, %.17g]], "steady": true, "order": %d, "probes": [[%.17g, %.17g]], "analysis_opts": {"rel_tol": 1e-11},
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g}, {"attribute": 2, "type": "fixed_temp", "value": %.17g}]}`
	for order, relative := range map[int]float64{1: 2e-3, 2: 1e-5} { // 24 elements along it
		a := solved(t, "heat.solve", rectangle(24, 1, l, l/12), "", fmt.Sprintf(config, cold, k1, hot, k2, order, x*l, l/30, cold, hot))
		near(t, "heat", *a.Loads[1].HeatRate, integral(hot)/l*l/12, relative)
		want := root(func(t float64) float64 { return integral(t) - x*integral(hot) }, cold, hot)
		near(t, "inside", *a.Probes[0].Value, want, relative)
		covers(t, a, "/probes/0/value", *a.Probes[0].Value, want)
		trusted(t, a, evidence.Verified)
	}
}

// A table with a kink, in one of two layers, and a face that radiates: flows and temperatures
// of a one-dimensional wall that are found by bisection.
func TestTableInACompositeWallThatRadiates(t *testing.T) {
	draw := random(t)
	one, two := draw(0.05, 0.1), draw(0.05, 0.1)
	k, eps, hot, ambient := draw(10, 40), draw(0.5, 1), draw(900, 1200), draw(280, 320)
	low, mid, high := draw(5, 20), draw(20, 50), draw(5, 20) // at 300, 700 and 1300 K
	integral := func(t float64) float64 {
		if t < 700 {
			return low*(t-300) + (mid-low)/400*(t-300)*(t-300)/2
		}
		return 400*(low+mid)/2 + mid*(t-700) + (high-mid)/600*(t-700)*(t-700)/2
	}
	// From the hot face: the table's layer, then the constant one, which radiates.
	flow := func(q float64) (inner, outer float64) {
		inner = root(func(t float64) float64 { return integral(t) - integral(hot) + q*one }, 300, hot)
		return inner, inner - q*two/k
	}
	q := root(func(q float64) float64 {
		_, outer := flow(q)
		return q - eps*stefanBoltzmann*(math.Pow(max(outer, 0), 4)-math.Pow(ambient, 4))
	}, 0, integral(hot)/one)
	inner, outer := flow(q)
	a := solved(t, "heat.solve", ofTwoBodies(quads(24, 1, twoLayers(one, two, 0.01))), "", fmt.Sprintf(`{"materials": [{"attribute": 1, "conductivity": [[300, %.17g], [700, %.17g], [1300, %.17g]]},
		{"attribute": 2, "conductivity": %.17g}], "steady": true, "probes": [[%.17g, 0.005]], "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g},
		{"attribute": 2, "type": "radiation", "emissivity": %.17g, "ambient": %.17g}]}`, low, mid, high, k, one, hot, eps, ambient))
	near(t, "heat", *a.Loads[0].HeatRate, q*0.01, 1e-4) // the kink lies inside an element
	near(t, "interface", *a.Probes[0].Value, inner, 1e-4)
	near(t, "surface", a.Temperature.Min, outer, 1e-4)
	covers(t, a, "/temperature/min", a.Temperature.Min, outer)
	trusted(t, a, evidence.Verified)
}

// A body with a source and no other condition: its enthalpy rises by source times time, and
// the temperature is that of the enthalpy, wherever the table bends, whatever the step.
func TestEnthalpyOfATable(t *testing.T) {
	draw := random(t)
	rho, source := draw(2000, 9000), draw(1e6, 1e7)
	c := [3]float64{draw(300, 600), draw(800, 1500), draw(300, 600)} // at 300, 500 and 900 K
	want := draw(550, 880)
	heat := rho * (200*(c[0]+c[1])/2 + c[1]*(want-500) + (c[2]-c[1])/400*(want-500)*(want-500)/2)
	end := heat / source
	a := solved(t, "heat.solve", rectangle(3, 2, 0.1, 0.1), "", fmt.Sprintf(`{"conductivity": 30, "density": %.17g, "specific_heat": [[300, %.17g], [500, %.17g], [900, %.17g]],
		"source": %.17g, "initial_temperature": 300, "dt": %.17g, "t_final": %.17g, "bcs": [{"attribute": 1, "type": "heat_flux", "value": 0}]}`, rho, c[0], c[1], c[2], source, end/7, end))
	near(t, "temperature", a.Temperature.Min, want, 1e-6)
	near(t, "stored", a.Energy, heat*0.01, 1e-6)
	if s, failed := a.failed("energy_balance"); failed {
		t.Error(s)
	}
}

// A body that has come to rest in its surroundings: no heat flows, of which a residual could be a
// share.
func TestHeatAtRestIsSolved(t *testing.T) {
	a := solved(t, "heat.solve", rectangle(4, 4, 0.01, 0.01), "", `{"conductivity": [[100, 20], [900, 30]], "specific_heat": [[100, 400], [900, 600]], "density": 7800,
		"initial_temperature": 700, "dt": 100, "t_final": 2000, "bcs": [{"attribute": 1, "type": "convection", "h": 5000, "ambient": 400}]}`)
	near(t, "rest", a.Temperature.Max, 400, 1e-9)
	if s, failed := a.failed("nonlinear_residual"); failed {
		t.Error(s)
	}
}

// Beyond the ends of a table nobody said what the property is.
func TestBeyondTheTableIsSuspect(t *testing.T) {
	config := `{"conductivity": [[300, 10], [%g, 20]], "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 320}, {"attribute": 2, "type": "fixed_temp", "value": 600}]}`
	mesh := rectangle(12, 1, 1, 0.1)
	a := solved(t, "heat.solve", mesh, "", fmt.Sprintf(config, 500.0))
	fails(t, a, "temperature_range")
	// Constant beyond 500 K: the mean over 320 to 500 K is 15.5 W/(m K).
	near(t, "heat", *a.Loads[1].HeatRate, (180*15.5+100*20)*0.1, 1e-4)
	trusted(t, solved(t, "heat.solve", mesh, "", fmt.Sprintf(config, 600.0)), evidence.Verified)
}

// A table in other units is the same table; one in degC without its unit is doubted.
func TestTablesTakeUnits(t *testing.T) {
	mesh := rectangle(12, 1, 1, 0.1)
	config := `{"conductivity": %s, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": "20 degC"}, {"attribute": 2, "type": "fixed_temp", "value": "600 degC"}]}`
	for _, table := range []string{`[["20 degC", 16], ["1000 degC", "26 W/(m*K)"]]`, `[["68 degF", "0.16 W/(cm*K)"], [1273.15, 26]]`} {
		a := solved(t, "heat.solve", mesh, "", fmt.Sprintf(config, table))
		near(t, "heat", *a.Loads[1].HeatRate, 580*0.1*(16+10*290.0/980), 1e-6) // k at the mean temperature, 310 degC
		trusted(t, a, evidence.Verified)
	}
	r := call(t, "heat.solve", requestFor(t, mesh, "", fmt.Sprintf(config, `[[20, 16], [1000, 26]]`)))
	if r.Evidence.Trust() != evidence.Suspect || !strings.Contains(strings.Join(r.Evidence.Reasons(), " "), "Did you mean 20 degC?") {
		t.Errorf("%s: %v", r.Evidence.Trust(), r.Evidence.Reasons())
	}
}

func TestDoubtfulTablesAreRefused(t *testing.T) {
	mesh := rectangle(2, 2, 1, 1)
	const bcs = `, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}]}`
	for table, pointer := range map[string]string{
		`[[300, 10]]`:                       "/config/conductivity",
		`[[300, 10], [300, 20]]`:            "/config/conductivity/1/0",
		`[[300, 10], [400, 20], [350, 30]]`: "/config/conductivity/2/0",
		`[[300, 10], [400, 0]]`:             "/config/conductivity/1/1",
		`[[300, 10], [400, -5]]`:            "/config/conductivity/1",
		`[[-300, 10], [400, 5]]`:            "/config/conductivity/0",
		`[[300, 10, 5], [400, 5]]`:          "/config/conductivity/0",
		`[300, 10]`:                         "/config/conductivity/0",
		`[[300, "10 W/(m*K)"], [400, "x"]]`: "/config/conductivity",
	} {
		refused(t, "heat.solve", mesh, "", `{"conductivity": `+table+bcs, "invalid_request", pointer)
	}
	e := refused(t, "heat.solve", mesh, "", `{"conductivity": [[300, 10]]`+bcs, "invalid_request", "/config/conductivity")
	if !strings.Contains(e.Hint+e.Message, "2") {
		t.Errorf("%v", e)
	}
	refused(t, "fea.solve", mesh, "HeatTransfer", `{"conductivity": [[300, 10], [400, 20]]`+bcs, "invalid_request", "/config/conductivity")
}

// A half space of liquid that is about to freeze, cooled on its face: the ice is 2 x sqrt(a t)
// thick with x exp(x^2) erf(x) = c (Tm - T0) / (L sqrt(pi)), and in it the temperature rises as
// erf (Neumann; Carslaw and Jaeger, Conduction of Heat in Solids, 2nd ed., 11.2). The change over
// a kelvin in place of one temperature costs some 1e-3 of the difference.
func TestFreezingOfAHalfSpace(t *testing.T) {
	draw := random(t)
	k, rho, c, latent := draw(0.5, 5), draw(800, 3000), draw(500, 4000), draw(5e4, 4e5)
	melt, cooled := draw(250, 800), draw(15, 40)
	x := root(func(x float64) float64 { return x*math.Exp(x*x)*math.Erf(x) - c*cooled/(latent*math.Sqrt(math.Pi)) }, 1e-6, 3)
	ice := draw(0.01, 0.1)
	end := ice * ice / (4 * x * x * k / (rho * c))
	a := solved(t, "heat.solve", rectangle(60, 1, 2*ice, ice/30), "", fmt.Sprintf(`{"conductivity": %.17g, "density": %.17g, "specific_heat": %.17g,
		"phase_change": {"latent_heat": %.17g, "solidus": %.17g, "liquidus": %.17g}, "initial_temperature": %.17g, "dt": %.17g, "t_final": %.17g,
		"probes": [[%.17g, 0]], "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g}]}`,
		k, rho, c, latent, melt-1, melt, melt, end/100, end, ice/2, melt-cooled))
	want := melt - cooled + cooled*math.Erf(x/2)/math.Erf(x)
	if got := float64(*a.Probes[0].Value); math.Abs(got-want) > 5e-3*cooled {
		t.Errorf("within the ice %g K, expected %g", got, want)
	}
	if a.Evidence.Trust == evidence.Suspect {
		t.Errorf("%v", a.Evidence.Reasons)
	}
}

// A body that is heated through its melting stores its latent heat, whatever the time step.
func TestMeltingStoresItsHeat(t *testing.T) {
	draw := random(t)
	rho, c, latent, start, source := draw(1000, 9000), draw(300, 2000), draw(5e4, 4e5), draw(280, 400), draw(1e6, 1e7)
	solidus := start + draw(10, 100)
	liquidus := solidus + draw(0.5, 50)
	want := liquidus + draw(5, 50)
	end := rho * (c*(want-start) + latent) / source
	a := solved(t, "heat.solve", rectangle(3, 2, 0.1, 0.1), "", fmt.Sprintf(`{"materials": [{"conductivity": 30, "density": %.17g, "specific_heat": %.17g, "source": %.17g,
		"phase_change": {"latent_heat": "%.17g kJ/kg", "solidus": %.17g, "liquidus": %.17g}}], "initial_temperature": %.17g, "dt": %.17g, "t_final": %.17g,
		"bcs": [{"attribute": 1, "type": "heat_flux", "value": 0}]}`, rho, c, source, latent/1000, solidus, liquidus, start, end/9, end))
	near(t, "temperature", a.Temperature.Max, want, 1e-6)
	near(t, "stored", a.Energy, source*end*0.01, 1e-6)
	for config, pointer := range map[string]string{
		`"phase_change": {"latent_heat": 1e5, "solidus": 400, "liquidus": 400}, "density": 1000, "dt": 1, "t_final": 10`: "/config/phase_change/liquidus",
		`"phase_change": {"latent_heat": 1e5, "solidus": 400, "liquidus": 401}, "dt": 1, "t_final": 10`:                  "/config/density",
		`"phase_change": {"latent_heat": 1e5, "solidus": 400, "liquidus": 401}, "density": 1000, "steady": true`:         "/config/phase_change",
		`"phase_change": {"latent_heat": 1e5, "solidus": 400}, "density": 1000, "dt": 1, "t_final": 10`:                  "/config/phase_change",
	} {
		refused(t, "heat.solve", rectangle(2, 2, 1, 1), "", `{"conductivity": 10, "specific_heat": 500, "initial_temperature": 300, `+config+`, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}]}`, "invalid_request", pointer)
	}
}
