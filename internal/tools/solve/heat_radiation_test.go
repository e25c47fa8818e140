package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

const stefanBoltzmann = 5.670374419e-8 // W/(m^2 K^4), CODATA 2018

// root finds where a rising function is 0.
func root(f func(float64) float64, low, high float64) float64 {
	for range 200 {
		if mid := (low + high) / 2; f(mid) > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return (low + high) / 2
}

// NAFEMS T2, one-dimensional heat transfer with radiation: 0.1 m, k = 55.6, held at 1000 K, the
// other end radiates with 0.98 at 300 K: 927.0 K.
func TestNAFEMST2(t *testing.T) {
	for order := 1; order <= 2; order++ {
		a := solved(t, "heat.solve", rectangle(10, 1, 0.1, 0.01), "", fmt.Sprintf(`{"conductivity": 55.6, "steady": true, "order": %d,
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 1000}, {"attribute": 2, "type": "radiation", "emissivity": 0.98, "ambient": 300}]}`, order))
		near(t, "T2", a.Temperature.Min, 927.0, 1e-4) // the figure has four digits
		trusted(t, a, evidence.Verified)
	}
}

// A slab that is held on one side, and radiates and convects on the other: k (T1 - T) / l =
// eps sigma (T^4 - Ta^4) + h (T - Tf). Elements hold the straight line exactly.
func TestSlabRadiatesAndConvects(t *testing.T) {
	draw := random(t)
	l, k, eps, h := draw(0.01, 0.3), draw(0.5, 60), draw(0.1, 1), draw(1, 50)
	hot, ambient, air := draw(500, 1500), draw(80, 400), draw(280, 320)
	a := solved(t, "heat.solve", box([3]int{4, 2, 2}, [3]float64{l, 0.1, 0.1}), "", fmt.Sprintf(`{"conductivity": %g, "steady": true, "analysis_opts": {"rel_tol": 1e-11},
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %g}, {"attribute": 2, "type": "radiation", "emissivity": %g, "ambient": %g},
		{"attribute": 2, "type": "convection", "h": %g, "ambient": %g}]}`, k, hot, eps, ambient, h, air))
	radiated := func(t float64) float64 { return eps * stefanBoltzmann * (math.Pow(t, 4) - math.Pow(ambient, 4)) }
	surface := root(func(t float64) float64 { return radiated(t) + h*(t-air) - k*(hot-t)/l }, 0, 2000)
	near(t, "surface", a.Temperature.Min, surface, 1e-8)
	near(t, "in", *a.Loads[0].HeatRate, k*(hot-surface)/l*0.01, 1e-6)
	near(t, "radiated", *a.Loads[1].HeatRate, -radiated(surface)*0.01, 1e-6)
	near(t, "convected", *a.Loads[2].HeatRate, -h*(surface-air)*0.01, 1e-6)
	if a.Heat.Radiation == nil {
		t.Fatal("no radiation in the balance")
	}
	near(t, "balance", *a.Heat.Radiation, -radiated(surface)*0.01, 1e-6)
	trusted(t, a, evidence.Verified)
}

// A body that is heated and can only radiate: eps sigma (T^4 - Ta^4) = q on equal faces.
func TestHeatedBodyRadiates(t *testing.T) {
	draw := random(t)
	l, k, eps, ambient, q := draw(0.01, 0.1), draw(1, 60), draw(0.1, 1), draw(80, 300), draw(100, 1e5)
	a := solved(t, "heat.solve", rectangle(6, 2, l, l), "", fmt.Sprintf(`{"conductivity": %g, "steady": true,
		"bcs": [{"attribute": 1, "type": "heat_flux", "value": %g}, {"attribute": 2, "type": "radiation", "emissivity": %g, "ambient": %g}]}`, k, q, eps, ambient))
	surface := math.Pow(math.Pow(ambient, 4)+q/(eps*stefanBoltzmann), 0.25)
	near(t, "surface", a.Temperature.Min, surface, 1e-7)
	near(t, "heated face", a.Temperature.Max, surface+q*l/k, 1e-7)
	covers(t, a, "/temperature/max", a.Temperature.Max, surface+q*l/k)
}

// radiatingFin is the temperature at the tip of a fin and the heat into its base, by the equation of
// its length: k w T” = eps sigma (T^4 - Ta^4), from a tip that is insulated, by Runge and
// Kutta's method, shot at the base.
func radiatingFin(l, w, k, eps, base, ambient float64) (tip, heat float64) {
	const steps = 4000
	slope := func(t float64) float64 {
		return eps * stefanBoltzmann * (math.Pow(t, 4) - math.Pow(ambient, 4)) / (k * w)
	}
	shoot := func(tip float64) (t, s float64) {
		t = tip
		for d, i := l/steps, 0; i < steps && t < 2*base; i++ {
			k1, m1 := s, slope(t)
			k2, m2 := s+d/2*m1, slope(t+d/2*k1)
			k3, m3 := s+d/2*m2, slope(t+d/2*k2)
			k4, m4 := s+d*m3, slope(t+d*k3)
			t, s = t+d/6*(k1+2*k2+2*k3+k4), s+d/6*(m1+2*m2+2*m3+m4)
		}
		return t, s
	}
	tip = root(func(tip float64) float64 { at, _ := shoot(tip); return at - base }, ambient, base)
	_, s := shoot(tip)
	return tip, k * w * s
}

// Half of a thin fin; across it temperatures differ by about the Biot number, 2e-3 at most.
func TestRadiatingFin(t *testing.T) {
	draw := random(t)
	w := draw(0.5e-3, 1e-3)
	l, k, eps, base, ambient := w*draw(40, 80), draw(100, 300), draw(0.3, 0.95), draw(600, 1000), draw(100, 300)
	tip, heat := radiatingFin(l, w, k, eps, base, ambient)
	for order := 1; order <= 2; order++ {
		a := solved(t, "heat.solve", rectangle(40, 1, l, w), "", fmt.Sprintf(`{"conductivity": %g, "steady": true, "order": %d,
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %g}, {"attribute": 4, "type": "radiation", "emissivity": %g, "ambient": %g}]}`, k, order, base, eps, ambient))
		near(t, "tip", a.Temperature.Min, tip, 2e-3)
		near(t, "heat", *a.Loads[0].HeatRate, heat, 4e-3)
		if order == 2 {
			trusted(t, a, evidence.Verified)
		}
	}
}

// A lumped body that cools in the dark: T^-3 rises by 3 eps sigma A / (rho c V) with time. The
// Biot number is below 1e-3, and so is what differs inside.
func TestLumpedBodyCoolsByRadiation(t *testing.T) {
	draw := random(t)
	l, eps, start := draw(0.005, 0.02), draw(0.3, 1), draw(600, 1200)
	rho, c, k := draw(2000, 9000), draw(300, 900), 2000.0
	rate := 3 * eps * stefanBoltzmann * 2 / (rho * c * l) // two faces
	end := draw(1, 5) / (rate * math.Pow(start, 3))
	a := solved(t, "heat.solve", rectangle(2, 2, l, l), "", fmt.Sprintf(`{"conductivity": %g, "specific_heat": %g, "density": %g, "initial_temperature": %g, "dt": %g, "t_final": %g,
		"bcs": [{"attribute": [1, 2], "type": "radiation", "emissivity": %g, "ambient": 0}]}`, k, c, rho, start, end/200, end, eps))
	want := math.Pow(math.Pow(start, -3)+rate*end, -1.0/3)
	near(t, "mean", a.Temperature.Mean, want, 1e-3)
	near(t, "stored", a.Energy, rho*c*l*l*(want-start), 2e-3)
	near(t, "radiated", *a.Heat.Radiation, float64(a.Energy), 1e-6)
	if _, failed := a.failed("energy_balance"); failed {
		t.Error(a.Evidence.Reasons)
	}
}

// More heat is drawn off than comes in: no temperature does that.
func TestDrawnBelowAbsoluteZero(t *testing.T) {
	a := solved(t, "heat.solve", rectangle(4, 1, 0.1, 0.1), "", `{"conductivity": 20, "steady": true,
		"bcs": [{"attribute": 1, "type": "heat_flux", "value": -2000}, {"attribute": 2, "type": "radiation", "emissivity": 0.9, "ambient": 300}]}`)
	fails(t, a, "absolute_zero")
}

func TestDoubtfulRadiationIsRefused(t *testing.T) {
	mesh := rectangle(2, 2, 1, 1)
	for bcs, pointer := range map[string]string{
		`{"attribute": 1, "type": "radiation", "emissivity": 1.2, "ambient": 300}`:                                                      "/config/bcs/0/emissivity",
		`{"attribute": 1, "type": "radiation", "emissivity": 0, "ambient": 300}`:                                                        "/config/bcs/0/emissivity",
		`{"attribute": 1, "type": "radiation", "ambient": 300}`:                                                                         "/config/bcs/0/emissivity",
		`{"attribute": 1, "type": "radiation", "emissivity": 0.5}`:                                                                      "/config/bcs/0/ambient",
		`{"attribute": 1, "type": "radiation", "emissivity": 0.5, "ambient": -20}`:                                                      "/config/bcs/0/ambient",
		`{"attribute": 1, "type": "radiation", "emissivity": 0.5, "ambient": 300, "h": 10}`:                                             "/config/bcs/0/h",
		`{"attribute": 1, "type": "convection", "emissivity": 0.5, "ambient": 300, "h": 10}`:                                            "/config/bcs/0/emissivity",
		`{"attribute": 1, "type": "radiation", "emissivity": 0.5, "ambient": 300}, {"attribute": 2, "type": "fixed_temp", "value": -5}`: "/config/bcs/1/value",
	} {
		refused(t, "heat.solve", mesh, "", `{"conductivity": 1, "steady": true, "bcs": [`+bcs+`]}`, "invalid_request", pointer)
	}
	refused(t, "heat.solve", mesh, "", `{"conductivity": 1, "steady": true, "bcs": [{"attribute": 1, "type": "radiation", "emissivity": 0.5, "ambient": 300},
		{"attribute": 1, "type": "fixed_temp", "value": 300}]}`, "ERR_CONFLICTING_CONDITIONS", "/config/bcs/1")
}
