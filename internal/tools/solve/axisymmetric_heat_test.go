package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// A tube held warm inside with a film outside lets through dT / (ln(b/a) / (2 pi k L) +
// 1 / (2 pi b L h)).
func TestTubeWithAFilm(t *testing.T) {
	draw := random(t)
	in, k, h, warm := draw(0.02, 0.2), draw(0.5, 50), draw(10, 500), draw(350, 500)
	out, length := in*draw(1.3, 3), in*draw(0.3, 1)
	rate := (warm - 300) / (math.Log(out/in)/(2*math.Pi*k*length) + 1/(2*math.Pi*out*length*h))
	for _, order := range []int{1, 2} {
		a := solved(t, "heat.solve", wall(16/order, 2, in, out, length), "", fmt.Sprintf(`{"plane": "axisymmetric", "order": %d, "steady": true, "conductivity": %.17g,
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g}, {"attribute": 2, "type": "convection", "h": %.17g, "ambient": 300}]}`, order, k, warm, h))
		a.meets(t, "/loads/0/heat_rate", *a.Loads[0].HeatRate, rate, 1e-2)
		near(t, "out", *a.Loads[1].HeatRate, -rate, 1e-2)
		surface := 300 + rate/(2*math.Pi*out*length*h)
		a.meets(t, "/temperature/min", a.Temperature.Min, surface, 1e-3)
		near(t, "area", a.Loads[1].Area, 2*math.Pi*out*length, 1e-9)
		if a.Evidence.Trust == evidence.Suspect {
			t.Error(a.Evidence.Reasons)
		}
	}
}

// A shell of a sphere of which half is there, heated inside by a flux and cooled outside by a film:
// all of 2 pi a^2 q goes out, and conducts over (1/a - 1/b) / (2 pi k).
func TestSphereWithAFilm(t *testing.T) {
	draw := random(t)
	in, k, h, flux := draw(0.02, 0.2), draw(0.5, 50), draw(10, 500), draw(100, 5000)
	out := in * draw(1.4, 2.5)
	a := solved(t, "heat.solve", hemisphere(5, 8, in, out), "", fmt.Sprintf(`{"plane": "axisymmetric", "steady": true, "conductivity": %.17g,
		"bcs": [{"attribute": 1, "type": "heat_flux", "value": %.17g}, {"attribute": 2, "type": "convection", "h": %.17g, "ambient": 300}]}`, k, flux, h))
	rate := 2 * math.Pi * in * in * flux
	surface := 300 + rate/(2*math.Pi*out*out*h)
	near(t, "in", *a.Loads[0].HeatRate, rate, 1e-4)
	near(t, "out", *a.Loads[1].HeatRate, -rate, 1e-4)
	a.meets(t, "/temperature/min", a.Temperature.Min, surface, 1e-3)
	a.meets(t, "/temperature/max", a.Temperature.Max, surface+rate*(1/in-1/out)/(2*math.Pi*k), 1e-3)
	if a.Evidence.Trust == evidence.Suspect {
		t.Error(a.Evidence.Reasons)
	}
}

// A rod with a source that radiates: pi b^2 L q = 2 pi b L eps sigma (T^4 - Ta^4), and its axis is
// warmer by q b^2 / 4k.
func TestRodThatRadiates(t *testing.T) {
	draw := random(t)
	out, k, source, emissivity := draw(0.01, 0.05), draw(5, 50), draw(1e5, 1e6), draw(0.2, 1)
	a := solved(t, "heat.solve", quads(5, 2, scaled(out, out/2)), "", fmt.Sprintf(`{"plane": "axisymmetric", "steady": true, "conductivity": %.17g, "source": %.17g,
		"bcs": [{"attribute": 2, "type": "radiation", "emissivity": %.17g, "ambient": 300}]}`, k, source, emissivity))
	surface := math.Pow(math.Pow(300, 4)+source*out/(2*emissivity*5.670374419e-8), 0.25)
	a.meets(t, "/temperature/min", a.Temperature.Min, surface, 1e-6)
	a.meets(t, "/temperature/max", a.Temperature.Max, surface+source*out*out/(4*k), 1e-6)
	near(t, "heat", *a.Loads[0].HeatRate, -source*math.Pi*out*out*out/2, 1e-6)
}

// bessel is the part of its excess that the axis of a long cylinder keeps at the Fourier number fo:
// the sum of 2 J1(z) / (z (J0^2 + J1^2)) exp(-z^2 fo) over the roots of z J1(z) = Bi J0(z); and of
// the whole cylinder, each times 2 J1(z) / z.
func bessel(biot, fo float64) (axis, mean float64) {
	f := func(z float64) float64 { return z*math.J1(z) - biot*math.J0(z) }
	for z := 1e-9; z < 60; z += 0.01 {
		low, high := z, z+0.01
		if f(low)*f(high) > 0 {
			continue
		}
		for range 60 {
			if mid := (low + high) / 2; f(low)*f(mid) <= 0 {
				high = mid
			} else {
				low = mid
			}
		}
		term := 2 * math.J1(low) / (low * (math.J0(low)*math.J0(low) + math.J1(low)*math.J1(low))) * math.Exp(-low*low*fo)
		axis += term
		mean += term * 2 * math.J1(low) / low
	}
	return axis, mean
}

// A long cylinder quenched in a bath cools as the Bessel series has it (Carslaw and Jaeger, art.
// 7.7), and gives off what it held.
func TestQuenchOfALongCylinder(t *testing.T) {
	draw := random(t)
	out, k, biot, fo, hot := draw(0.01, 0.1), draw(10, 60), draw(0.3, 5), draw(0.15, 0.5), draw(500, 1000)
	const density, heat = 7850, 480
	end := fo * out * out * density * heat / k
	a := solved(t, "heat.solve", quads(8, 1, scaled(out, out/4)), "", fmt.Sprintf(`{"plane": "axisymmetric", "conductivity": %.17g, "density": %d, "specific_heat": %d,
		"initial_temperature": %.17g, "dt": %.17g, "t_final": %.17g, "probes": [[0, %g]],
		"bcs": [{"attribute": 2, "type": "convection", "h": %.17g, "ambient": 300}]}`, k, density, heat, hot, end/60, end, out/8, biot*k/out))
	axis, mean := bessel(biot, fo)
	a.meets(t, "/probes/0/value", *a.Probes[0].Value, 300+(hot-300)*axis, 1e-3)
	a.meets(t, "/energy", a.Energy, -density*heat*math.Pi*out*out*out/4*(hot-300)*(1-mean), 2e-3)
	near(t, "mean", a.Temperature.Mean, 300+(hot-300)*mean, 1e-3)
}

// What lies on the axis has no area.
func TestNoHeatFromTheAxis(t *testing.T) {
	const rest = `"plane": "axisymmetric", "steady": true, "conductivity": 1, "bcs": [{"attribute": 2, "type": "fixed_temp", "value": 300}, `
	for _, bc := range []string{`{"attribute": 1, "type": "fixed_temp", "value": 400}`, `{"attribute": 1, "type": "heat_flux", "value": 400}`} {
		refused(t, "heat.solve", quads(4, 2, scaled(0.1, 0.05)), "", `{`+rest+bc+`]}`, "invalid_request", "/config/bcs/1")
	}
}
