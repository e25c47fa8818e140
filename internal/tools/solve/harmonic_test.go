package solve

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// harmonic solves for a response and looks at what every such answer holds.
func harmonic(t *testing.T, mesh fmt.Stringer, config string) *answer {
	t.Helper()
	a := solved(t, "fea.solve", mesh, "LinearElasticity", `{"analysis": "harmonic", `+config+`}`)
	h := a.Harmonic
	if a.Analysis != "harmonic" || h == nil || len(h.Response) == 0 || h.Table == "" || a.Energy <= 0 {
		t.Fatalf("%+v", a.Output)
	}
	for _, s := range h.Response {
		if s.Displacement > h.Peak.Displacement {
			t.Errorf("%g m at %g Hz is more than the peak", float64(s.Displacement), float64(s.Frequency))
		}
	}
	t.Logf("%d modes, %d corrections, residual %.2g", h.Modes, h.Corrections, float64(a.Residual))
	return a
}

// responds compares the response of probe 0 along its component with the complex amplitude
// that is known: the size within share, the phase within share rad.
func (a *answer) responds(t *testing.T, what string, want complex128, share float64) {
	t.Helper()
	p := a.Harmonic.Probes[0]
	got := cmplx.Rect(float64(p.Amplitude), float64(p.Phase)*math.Pi/180)
	bar := a.quantity(t, "/harmonic/probes/0/amplitude").Error
	t.Logf("%s at %.4g Hz: off by %.2g of %.4g m at %.4g degrees, error bar %.2g", what, float64(p.Frequency), cmplx.Abs(got-want)/cmplx.Abs(want),
		cmplx.Abs(want), cmplx.Phase(want)*180/math.Pi, *bar/cmplx.Abs(want))
	if cmplx.Abs(got-want) > share*cmplx.Abs(want) {
		t.Errorf("%s at %g Hz: %v, expected %v within %g", what, float64(p.Frequency), got, want, share)
	}
	covers(t, a, "/harmonic/probes/0/amplitude", p.Amplitude, cmplx.Abs(want))
}

// slide holds a bar along x so that it cannot move sideways.
const slide = `{"where": {"normal": [0, 1, 0]}, "type": "fixed", "components": ["y", "z"]}, {"where": {"normal": [0, -1, 0]}, "type": "fixed", "components": ["y", "z"]},
	{"where": {"normal": [0, 0, 1]}, "type": "fixed", "components": ["y", "z"]}, {"where": {"normal": [0, 0, -1]}, "type": "fixed", "components": ["y", "z"]}`

// A bar that a force F sin(w t) pulls at its end moves there by F tan(k L) / (E A k) with
// k = w sqrt(rho / E) (Graff, Wave Motion in Elastic Solids, ch. 2); with Rayleigh damping or
// a loss factor E and rho are complex. On 24 elements of order 2 its frequencies are off by less
// than 1e-5, which a resonance at a distance of some 10 % magnifies tenfold.
func TestBarAnswersAVibratingForce(t *testing.T) {
	draw := random(t)
	length, width, modulus, density, force := draw(0.3, 3), draw(0.01, 0.05), draw(1e9, 3e11), draw(900, 9000), draw(1, 100)
	first := math.Sqrt(modulus/density) / (4 * length)
	for i, times := range []float64{draw(0.2, 0.8), draw(1.2, 1.8), draw(2.2, 2.8), draw(3.3, 4.5)} {
		f := times * first
		w := 2 * math.Pi * f
		alpha, beta, loss := draw(0.01, 0.1)*w, draw(0.01, 0.1)/w, draw(0.01, 0.3)
		c := []struct {
			damping           string
			elastic, inertial complex128
		}{
			{`{"ratio": 0}`, 1, 1},
			{fmt.Sprintf(`{"alpha": %g, "beta": %g}`, alpha, beta), complex(1, w*beta), complex(1, -alpha/w)},
			{fmt.Sprintf(`{"loss_factor": %g}`, loss), complex(1, loss), 1},
		}[i%3]
		a := harmonic(t, hexes([3]int{24, 1, 1}, [3]float64{length, width, width}), fmt.Sprintf(
			`"frequencies": [%g], "damping": %s, "probes": [[%g, %g, %g]], "materials": [{"E": %g, "nu": 0, "density": %g}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%g, 0, 0]}, %s]`,
			f, c.damping, length, width/2, width/2, modulus, density, force, slide))
		e, rho := complex(modulus, 0)*c.elastic, complex(density, 0)*c.inertial
		k := complex(w, 0) * cmplx.Sqrt(rho/e)
		phase := k * complex(length, 0)
		// Where the end stands nearly still, what is off is a share of what the bar does elsewhere.
		share := 1e-3 * max(1, 1/cmplx.Abs(cmplx.Sin(phase)))
		a.responds(t, c.damping, complex(force, 0)*cmplx.Tan(phase)/(e*complex(width*width, 0)*k), share)
		// The largest displacement lies between nodes where the end is not the end of a wave.
		if times < 1 {
			trusted(t, a, evidence.Verified)
		} else if a.Evidence.Trust == evidence.Suspect {
			t.Errorf("%v", a.Evidence.Reasons)
		}
	}
}

// A support that shakes with the acceleration -g sin(w t) moves the end of a bar, relative to it,
// by g / w^2 (1 / cos(k L) - 1).
func TestBarOnAShakenSupport(t *testing.T) {
	draw := random(t)
	length, width, modulus, density, gravity := draw(0.3, 3), draw(0.01, 0.05), draw(1e9, 3e11), draw(900, 9000), draw(1, 20)
	for _, times := range []float64{draw(0.2, 0.8), draw(1.2, 1.8)} {
		f := times * math.Sqrt(modulus/density) / (4 * length)
		w := 2 * math.Pi * f
		a := harmonic(t, hexes([3]int{24, 1, 1}, [3]float64{length, width, width}), fmt.Sprintf(
			`"frequencies": [%g], "damping": {"ratio": 0}, "probes": [[%g, 0, 0]], "gravity": [%g, 0, 0], "materials": [{"E": %g, "nu": 0, "density": %g}],
			"bcs": [{"attribute": 1, "type": "fixed"}, %s]`, f, length, gravity, modulus, density, slide))
		a.responds(t, "shaken", complex(gravity/(w*w)*(1/math.Cos(w*math.Sqrt(density/modulus)*length)-1), 0), 1e-3)
	}
}

// tip is the receptance of the end of a cantilever of stiffness EI and mass m per length: the
// displacement over the force (Bishop and Johnson, The Mechanics of Vibration, table 7.1(c)).
func tip(length float64, stiffness complex128, mass, w float64) complex128 {
	b := cmplx.Pow(complex(mass*w*w, 0)/stiffness, 0.25)
	x := b * complex(length, 0)
	return (cmplx.Cosh(x)*cmplx.Sin(x) - cmplx.Sinh(x)*cmplx.Cos(x)) / (stiffness * b * b * b * (1 + cmplx.Cosh(x)*cmplx.Cos(x)))
}

// A slender cantilever answers a force at its tip as a beam of Euler and Bernoulli: below its
// first resonance, between the first two and beyond. Shear and the inertia of rotation change
// its frequencies by 1e-3 or less, the response by some times that.
func TestCantileverAnswersAVibratingForce(t *testing.T) {
	draw := random(t)
	length, modulus, density := draw(0.2, 2), draw(5e10, 3e11), draw(1500, 9000)
	height := length / draw(80, 120)
	inertia := math.Pow(height, 3) / 12
	first := 1.87510 * 1.87510 / (2 * math.Pi * length * length) * math.Sqrt(modulus*inertia/(density*height))
	force := 1e-4 * modulus * inertia / (length * length)
	for _, times := range []float64{draw(0.3, 0.8), draw(1.5, 3), draw(8, 12)} {
		loss := draw(0.02, 0.1)
		w := 2 * math.Pi * times * first
		want := complex(force, 0) * tip(length, complex(modulus*inertia, modulus*inertia*loss), density*height, w)
		a := harmonic(t, quads(40, 2, scaled(length, height)), fmt.Sprintf(
			`"frequencies": [%g], "damping": {"loss_factor": %g}, "plane": "stress", "probes": [[%g, %g]], "materials": [{"E": %g, "nu": 0.3, "density": %g}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %g]}]`, times*first, loss, length, height/2, modulus, density, force))
		a.responds(t, "plane", want, 0.02)

		width := height * draw(1, 2)
		solid := harmonic(t, hexes([3]int{24, 1, 1}, [3]float64{length, height, width}), fmt.Sprintf(
			`"frequencies": [%g], "damping": {"loss_factor": %g}, "probes": [[%g, %g, %g]], "materials": [{"E": %g, "nu": 0.3, "density": %g}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %g, 0]}]`,
			times*first, loss, length, height/2, width/2, modulus, density, force*width))
		solid.responds(t, "solid", want, 0.03)
	}
}

// At its first resonance a cantilever with a share zeta of critical damping moves by
// 4 F / (m w^2) / (2 zeta) at its tip, where its mode of mass m has 2; the sweep finds it, and
// far below it the response is the static one.
func TestCantileverAtItsResonance(t *testing.T) {
	draw := random(t)
	length, modulus, density, zeta := draw(0.2, 2), draw(5e10, 3e11), draw(1500, 9000), draw(0.005, 0.02)
	height := length / draw(80, 120)
	inertia := math.Pow(height, 3) / 12
	first := 1.87510 * 1.87510 / (2 * math.Pi * length * length) * math.Sqrt(modulus*inertia/(density*height))
	force := 1e-5 * modulus * inertia / (length * length)
	mesh := quads(40, 2, scaled(length, height))
	config := fmt.Sprintf(`"plane": "stress", "materials": [{"E": %g, "nu": 0.3, "density": %g}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %g]}]`,
		modulus, density, force)
	damping := fmt.Sprintf(`, "damping": {"ratio": %g}, `, zeta)
	a := harmonic(t, mesh, fmt.Sprintf(`"frequencies": {"from": %g, "to": %g, "count": 101}`, 0.95*first, 1.05*first)+damping+config)
	w := 2 * math.Pi * first
	want := 4 * force / (density * height * length * w * w) / (2 * zeta)
	t.Logf("peak %g m, expected %g, at %g Hz, expected %g, bar %v", float64(a.Harmonic.Peak.Displacement), want, float64(a.Harmonic.Peak.Frequency), first,
		deref(a.quantity(t, "/harmonic/peak/displacement").Error))
	near(t, "peak", a.Harmonic.Peak.Displacement, want, 0.02)
	if a.Evidence.Trust == evidence.Suspect {
		t.Errorf("%v", a.Evidence.Reasons)
	}
	near(t, "frequency of the peak", a.Harmonic.Peak.Frequency, first, 0.003)
	if sentence, failed := a.failed("sweep_holds_resonances"); failed {
		t.Error(sentence)
	}

	still := solved(t, "fea.solve", mesh, "LinearElasticity", `{`+config+`}`)
	slow := harmonic(t, mesh, fmt.Sprintf(`"frequencies": [%g, %g]`, first/2000, first/1000)+damping+config)
	near(t, "static limit", slow.Harmonic.Response[0].Displacement, float64(still.MaxDisplacement.Value), 1e-5)
	covers(t, slow, "/harmonic/response/1/displacement", slow.Harmonic.Response[1].Displacement, force*math.Pow(length, 3)/(3*modulus*inertia))

	coarse := harmonic(t, mesh, fmt.Sprintf(`"frequencies": {"from": %g, "to": %g, "count": 5}, "probes": [[%g, 0]]`, 0.4*first, 1.5*first, length)+damping+config)
	fails(t, coarse, "sweep_holds_resonances")
	for _, figure := range []string{"/harmonic/peak/displacement", "/harmonic/probes/0/amplitude"} {
		if q := coarse.quantity(t, figure); q.Trust != evidence.Suspect {
			t.Errorf("%s is %s", figure, q.Trust)
		}
	}
	// The mesh shifts the first frequency by more than such a line is wide.
	few := quads(6, 2, scaled(length, height))
	narrow := harmonic(t, few, fmt.Sprintf(`"frequencies": [%g], "damping": {"ratio": 1e-5}, `, firstOf(t, few, config))+config)
	if sentence, _ := narrow.failed("resonance_resolved"); !strings.Contains(sentence, "Hz wide") {
		t.Errorf("%q", sentence)
	}
	undamped := harmonic(t, mesh, fmt.Sprintf(`"frequencies": {"from": %g, "to": %g, "count": 2}, "damping": {"ratio": 0}, `, 0.5*first, 1.5*first)+config)
	fails(t, undamped, "sweep_holds_resonances")
}

// Frequencies that agree in the first digits are told apart in the names of the figures.
func TestNarrowSweepsAreTold(t *testing.T) {
	a := harmonic(t, hexes([3]int{6, 1, 1}, [3]float64{1, 0.1, 0.1}), `"frequencies": [40.0001, 40.0002, 40.00021], "damping": {"ratio": "2 %"}, `+
		`"materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, 1]}]`)
	if len(a.Harmonic.Response) != 3 || math.Abs(float64(a.Harmonic.Response[2].Frequency)-40.00021) > 1e-9 || float64(*a.Harmonic.Damping.Ratio) != 0.02 {
		t.Errorf("%+v", a.Harmonic)
	}
}

// What is known of the response at a low frequency hangs on the modes that make it, not on how
// well the order of those is known that a high frequency beside it asks for.
func TestAHighFrequencyBesideALowOne(t *testing.T) {
	draw := random(t)
	length, height := draw(0.2, 2), draw(0.05, 0.08)
	const config = `"frequencies": [%s], "damping": {"ratio": 0.02}, "materials": [{"E": 2.1e11, "nu": 0.3, "density": 7850}],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, 100]}]`
	first := 1.87510 * 1.87510 / (2 * math.Pi * length) * height * math.Sqrt(2.1e11/7850/12)
	low := draw(0.3, 0.7) * first
	bar := func(frequencies string) float64 {
		a := harmonic(t, hexes([3]int{8, 1, 1}, [3]float64{length, height * length * 1.1, height * length}), fmt.Sprintf(config, frequencies))
		for _, q := range a.Quantities {
			if strings.Contains(q.Name, fmt.Sprintf(" at %.5g", low)) {
				return *q.Error / *q.Value
			}
		}
		t.Fatalf("no figure at %g Hz: %+v", low, a.Quantities)
		return 0
	}
	alone, beside := bar(fmt.Sprint(low)), bar(fmt.Sprintf("%g, %g", low, 30*first))
	t.Logf("error bar %.3g alone, %.3g beside a high frequency", alone, beside)
	if beside > 1.5*alone {
		t.Errorf("at %g Hz: %g alone, %g beside %g Hz", low, alone, beside, 30*first)
	}
}

// Of the resonances between two frequencies the one that answers most is named: a bar pulled
// along has its first at c / (4 L), and those of bending below it answer with what is on its
// way up. There the end moves by F tan(k L) / (E A k).
func TestTheLargestResonanceBetweenIsNamed(t *testing.T) {
	draw := random(t)
	length, modulus, density, loss := draw(0.5, 1), draw(1e9, 1e11), draw(900, 9000), draw(0.02, 0.08)
	width := length / draw(15, 30)
	first := math.Sqrt(modulus/density) / (4 * length)
	a := harmonic(t, hexes([3]int{16, 1, 1}, [3]float64{length, width, 1.3 * width}), fmt.Sprintf(
		`"frequencies": {"from": %g, "to": %g, "count": 2}, "damping": {"loss_factor": %g}, "probes": [[%g, 0, 0]], "materials": [{"E": %g, "nu": 0, "density": %g}],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [10, 0, 0]}]`, 0.05*first, 1.4*first, loss, length, modulus, density))
	e := complex(modulus, modulus*loss)
	k := complex(2*math.Pi*first, 0) * cmplx.Sqrt(complex(density, 0)/e)
	want := cmplx.Abs(10 * cmplx.Tan(k*complex(length, 0)) / (e * complex(1.3*width*width, 0) * k))
	sentence, failed := a.failed("sweep_holds_resonances")
	var frequency, size float64
	_, after, _ := strings.Cut(sentence, "resonance at ")
	fmt.Sscanf(after, "%g", &frequency)
	_, after, _ = strings.Cut(sentence, "largest displacement is ")
	fmt.Sscanf(after, "%g", &size)
	if !failed || math.Abs(frequency-first) > 0.002*first || math.Abs(size-want) > 0.02*want {
		t.Errorf("expected %g m at %g Hz: %s", want, first, sentence)
	}
}

// The frequencies of a list are those of the loads: the largest response is the largest at them,
// as good as the row that it stands in, whatever the part would do between them. A bar pulled
// along moves by F sin(k x) / (E A k cos(k L)).
func TestTheLargestOfAListIsThatOfItsRow(t *testing.T) {
	draw := random(t)
	length, modulus, density, loss := draw(0.5, 1), draw(1e9, 1e11), draw(900, 9000), draw(0.02, 0.08)
	width := length / draw(15, 30)
	first := math.Sqrt(modulus/density) / (4 * length)
	low, high := draw(0.3, 0.6)*first, draw(1.5, 1.9)*first
	a := harmonic(t, hexes([3]int{16, 1, 1}, [3]float64{length, width, width}), fmt.Sprintf(
		`"frequencies": [%.17g, %.17g], "damping": {"loss_factor": %g}, "probes": [[%g, 0, 0]], "materials": [{"E": %g, "nu": 0, "density": %g}], "bcs": [{"attribute": 1, "type": "fixed"},
		{"attribute": [3, 4], "type": "symmetry"}, {"attribute": [5, 6], "type": "symmetry"}, {"attribute": 2, "type": "load", "force": [10, 0, 0]}]`, low, high, loss, length, modulus, density))
	largest, row := 0.0, 0
	for i, f := range []float64{low, high} {
		e := complex(modulus, modulus*loss)
		k := complex(2*math.Pi*f, 0) * cmplx.Sqrt(complex(density, 0)/e)
		want := 0.0
		for n := range 33 { // nodes
			x := complex(length*float64(n)/32, 0)
			want = math.Max(want, cmplx.Abs(10*cmplx.Sin(k*x)/(e*complex(width*width, 0)*k*cmplx.Cos(k*complex(length, 0)))))
		}
		near(t, "response", a.Harmonic.Response[i].Displacement, want, 2e-3)
		if want > largest {
			largest, row = want, i
		}
	}
	peak, own := a.quantity(t, "/harmonic/peak/displacement"), a.quantity(t, fmt.Sprintf("/harmonic/response/%d/displacement", row))
	if peak.Trust != own.Trust || peak.Trust != evidence.Verified {
		t.Errorf("the largest is %s (%v), its row %s", peak.Trust, peak.Reasons, own.Trust)
	}
	covers(t, a, "/harmonic/peak/displacement", a.Harmonic.Peak.Displacement, largest)
	if q := a.quantity(t, "/harmonic/probes/0/amplitude"); q.Trust == evidence.Suspect {
		t.Errorf("the amplitude: %v", q.Reasons)
	}
	if !slices.ContainsFunc(a.Evidence.Reasons, func(s string) bool { return strings.Contains(s, "at the frequencies listed. The resonance at") }) {
		t.Errorf("no word on the resonance between: %v", a.Evidence.Reasons)
	}
}

// firstOf is the first frequency of the coarse cantilever with this configuration.
func firstOf(t *testing.T, mesh fmt.Stringer, config string) float64 {
	t.Helper()
	loadless := config[:strings.Index(config, `, {"attribute": 2`)] + "]"
	return float64(modal(t, mesh, `"modes": 1, `+loadless).Modes[0].Frequency)
}

// What a harmonic analysis needs and has no use for, and what other analyses do not take.
func TestHarmonicAnalysisRefuses(t *testing.T) {
	mesh := hexes([3]int{6, 1, 1}, [3]float64{1, 0.1, 0.1})
	const (
		steel  = `"materials": [{"E": 2e11, "nu": 0.3, "density": 7850, "alpha": 1.2e-5}], `
		held   = `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, 1]}]`
		asked  = `"frequencies": [10], "damping": {"ratio": 0.02}, `
		driven = `"analysis": "harmonic", ` + asked
	)
	for config, at := range map[string]string{
		`"analysis": "harmonic", "damping": {"ratio": 0.02}, ` + steel + held:                                                                                        "/config/frequencies",
		`"analysis": "harmonic", "frequencies": [10], ` + steel + held:                                                                                               "/config/damping",
		`"analysis": "harmonic", "frequencies": [10], "damping": {"ratio": 0.02, "beta": 1e-5}, ` + steel + held:                                                     "/config/damping",
		`"analysis": "harmonic", "frequencies": {"from": 20, "to": 10}, "damping": {"ratio": 0.02}, ` + steel + held:                                                 "/config/frequencies/to",
		`"analysis": "harmonic", "frequencies": [1e6], "damping": {"ratio": 0.02}, ` + steel + held:                                                                  "/config/frequencies",
		driven + `"materials": [{"E": 2e11, "nu": 0.3}], ` + held:                                                                                                    "/config/materials/0/density",
		driven + `"temperature": {"value": 300, "reference": 290}, ` + steel + held:                                                                                  "/config/temperature",
		driven + `"rotation": {"rpm": 100, "axis": [1, 0, 0]}, ` + steel + held:                                                                                      "/config/rotation",
		driven + `"modes": 3, ` + steel + held:                                                                                                                       "/config/modes",
		driven + `"prestress": true, ` + steel + held:                                                                                                                "/config/prestress",
		driven + steel + `"bcs": [{"attribute": 1, "type": "fixed", "value": [0, 0, 1e-3]}]`:                                                                         "/config/bcs/0/value",
		driven + steel + `"gravity": [0, 0, -9.81], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "remote_mass", "mass": 2, "at": [1, 0, 0]}]`: "/config/bcs/1/type",
		asked + steel + held:                              "/config/frequencies",
		`"damping": {"ratio": 0.02}, ` + steel + held:     "/config/damping",
		`"analysis": "modal", ` + asked + steel + held:    "/config/frequencies",
		`"analysis": "buckling", ` + asked + steel + held: "/config/frequencies",
	} {
		r := call(t, "fea.solve", requestFor(t, mesh, "LinearElasticity", `{`+config+`}`))
		if r.Status != contract.StatusError || !strings.HasPrefix(r.Errors[0].Field, at) || r.Errors[0].Hint == "" {
			t.Errorf("%s: %s, %+v", config, r.Status, r.Errors)
		}
	}
}

// The largest displacement lies between the nodes of few elements: at rest that of a bar under its
// weight and a pull back at its end, a parabola, and of one shaken at its end, a sine (closed forms).
func TestTheLargestDisplacementBetweenNodes(t *testing.T) {
	draw := random(t)
	length, width, modulus, density := draw(0.3, 3), draw(0.01, 0.05), draw(1e9, 3e11), draw(900, 9000)
	mesh := hexes([3]int{int(draw(3, 7)), 1, 1}, [3]float64{length, width, width})
	place, weight := draw(0.55, 0.9)*length, draw(1e4, 1e5)*density
	a := solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": 0, "density": %.17g}], "gravity": [%.17g, 0, 0],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [%.17g, 0, 0]}, %s]}`,
		modulus, density, weight/density, weight*(place-length), slide))
	near(t, "at rest", a.MaxDisplacement.Value, weight*place*place/(2*modulus), 1e-9)
	near(t, "its place", Figure(a.MaxDisplacement.At[0]), place, 1e-4)
	k, force := draw(1.8, 2.8)/length, draw(1, 100)
	h := harmonic(t, mesh, fmt.Sprintf(
		`"frequencies": [%.17g], "damping": {"ratio": 0}, "materials": [{"E": %g, "nu": 0, "density": %g}],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%g, 0, 0]}, %s]`,
		k*math.Sqrt(modulus/density)/(2*math.Pi), modulus, density, force, slide))
	covers(t, h, "/harmonic/peak/displacement", h.Harmonic.Peak.Displacement, force/(width*width*modulus*k*math.Abs(math.Cos(k*length))))
}
