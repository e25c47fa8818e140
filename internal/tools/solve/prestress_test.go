package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/contract"
)

// halfBeam is a beam between two hinges from its middle to one of them, under a force along it:
// its modes 1, 3, 5 ... The end lets the section turn about its middle, as a hinge does; the
// material does not swell sideways, which a hinge over the whole section would hinder.
type halfBeam struct{ span, height, modulus, density float64 }

func drawBeam(draw func(low, high float64) float64) halfBeam {
	span := draw(0.5, 3)
	return halfBeam{span, span / draw(70, 110), draw(5e10, 3e11), draw(1500, 9000)}
}

// critical is Euler's load per width.
func (b halfBeam) critical() float64 {
	return math.Pow(math.Pi/b.span, 2) * b.modulus * math.Pow(b.height, 3) / 12
}

// frequency of mode n under a pull, per width: f0 sqrt(1 + P / (n^2 Pcr)) (Shaker, Effect of Axial
// Load on Mode Shapes and Frequencies of Beams, NASA TN D-8109, 1975).
func (b halfBeam) frequency(n, pull float64) float64 {
	return n * n * math.Pi / (2 * b.span * b.span) * math.Sqrt(b.modulus*b.height*b.height/(12*b.density)) * math.Sqrt(1+pull/(n*n*b.critical()))
}

func (b halfBeam) config(pull float64) string {
	return fmt.Sprintf(`"analysis": "modal", "prestress": true, "modes": 2, "plane": "stress", "materials": [{"E": %g, "nu": 0, "density": %g}], "bcs": [
		{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 2, "type": "fixed", "components": ["y"]}, {"attribute": 2, "type": "load", "force": [%g, 0]}]`,
		b.modulus, b.density, pull)
}

func (b halfBeam) mesh() fmt.Stringer { return quads(24, 2, scaled(b.span/2, b.height)) }

// A pull raises the frequencies of a beam, up to those of a string, sqrt(P / rho A) / 2 L, and
// a push lowers them, to 0 at Euler's load: near to it shear, which lowers that load by some
// (pi h / L)^2, counts in the ratio of it to the distance from it.
func TestAForceAlongABeamShiftsItsFrequencies(t *testing.T) {
	draw := random(t)
	for _, share := range []float64{draw(0.5, 3), draw(30, 60), -draw(0.3, 0.6), -draw(0.9, 0.95)} {
		b := drawBeam(draw)
		pull := share * b.critical()
		a := solved(t, "fea.solve", b.mesh(), "LinearElasticity", `{`+b.config(pull)+`}`)
		for i, n := range []float64{1, 3} {
			want := b.frequency(n, pull)
			tolerance := 0.002*n + 0.001/(1+share/(n*n))
			q := a.quantity(t, fmt.Sprintf("/modes/%d/frequency", i))
			t.Logf("P / Pcr = %.3g, mode %g: %.6g Hz, expected %.6g (%.2g), bar %v, %s", share, n, float64(a.Modes[i].Frequency), want,
				float64(a.Modes[i].Frequency)/want-1, deref(q.Error), q.Trust)
			a.within(t, "beam", i, want, tolerance)
		}
		if sentence, failed := a.failed("modes_complete"); failed {
			t.Error(sentence)
		}
		if share > 30 {
			a.within(t, "string", 0, math.Sqrt(pull/(b.density*b.height))/(2*b.span), 0.02)
		}
	}
}

// A beam in three dimensions that is held lengthwise and cooled is pulled by E A alpha dT. Held
// so, its ends do not turn: f = f0 at alpha dT = 0, and for a strong pull that of a clamped
// string of bending stiffness, sqrt(P / m) / 2L (1 + 2 s + (4 + pi^2 / 2) s^2) with
// s = sqrt(EI / P) / L (Morse, Vibration and Sound, 2nd ed., eq. 15.10).
func TestACooledBeamIsTighter(t *testing.T) {
	draw := random(t)
	b := drawBeam(draw)
	width, alpha, share := b.height*draw(1, 2), draw(5e-6, 3e-5), draw(60, 120)
	pull := share * b.critical() // per width
	a := solved(t, "fea.solve", hexes([3]int{24, 1, 1}, [3]float64{b.span / 2, b.height, width}), "LinearElasticity", fmt.Sprintf(
		`{"analysis": "modal", "prestress": true, "modes": 1, "temperature": {"value": 300, "reference": %g}, "materials": [{"E": %g, "nu": 0, "density": %g, "alpha": %g}], "bcs": [
		{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 2, "type": "fixed", "components": ["x", "y"]},
		{"where": {"normal": [0, 0, 1]}, "type": "fixed", "components": ["z"]}, {"where": {"normal": [0, 0, -1]}, "type": "fixed", "components": ["z"]}]}`,
		300+pull/(b.modulus*b.height*alpha), b.modulus, b.density, alpha))
	s := math.Sqrt(b.modulus*math.Pow(b.height, 3)/12/pull) / b.span
	a.within(t, "cooled beam", 0, math.Sqrt(pull/(b.density*b.height))/(2*b.span)*(1+2*s+(4+math.Pi*math.Pi/2)*s*s), 0.005)
}

// Beyond Euler's load the beam is not where it was solved, which is an error with the load factor.
func TestABuckledPartHasNoFrequencies(t *testing.T) {
	draw := random(t)
	b := drawBeam(draw)
	share := draw(1.1, 3)
	e := refused(t, "fea.solve", b.mesh(), "LinearElasticity", `{`+b.config(-share*b.critical())+`}`, contract.CodeSingularSystem, "/config/prestress")
	if factor, ok := e.Details["load_factor"].(float64); !ok || math.Abs(factor*share-1) > 0.01 {
		t.Errorf("load factor %v, expected %g", e.Details["load_factor"], 1/share)
	}
}

// Loads whose own change with the motion counts are refused, and prestress of other analyses.
func TestPrestressRefuses(t *testing.T) {
	mesh := hexes([3]int{6, 1, 1}, [3]float64{1, 0.1, 0.1})
	const steel = `"materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], `
	for config, at := range map[string]string{
		`"analysis": "modal", "prestress": true, ` + steel + `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "pressure", "value": 1e5}]`:                                            "/config/bcs/1/type",
		`"analysis": "modal", "prestress": true, "rotation": {"rpm": 100, "axis": [1, 0, 0]}, ` + steel + `"bcs": [{"attribute": 1, "type": "fixed"}]`:                                                   "/config/rotation",
		`"analysis": "modal", "prestress": true, ` + steel + `"gravity": [0, 0, -9.81], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "remote_mass", "mass": 2, "at": [1, 0, 0]}]`: "/config/bcs/1/type",
		`"analysis": "modal", "prestress": true, ` + steel + `"bcs": [{"attribute": 1, "type": "fixed"}]`:                                                                                                "/config/prestress",
		`"analysis": "buckling", "prestress": true, ` + steel + `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [-1, 0, 0]}]`:                                      "/config/prestress",
		`"prestress": true, ` + steel + `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [-1, 0, 0]}]`:                                                              "/config/prestress",
	} {
		r := call(t, "fea.solve", requestFor(t, mesh, "LinearElasticity", `{`+config+`}`))
		if r.Status != contract.StatusError || r.Errors[0].Field != at || r.Errors[0].Hint == "" {
			t.Errorf("%s: %s, %+v", config, r.Status, r.Errors)
		}
	}
}
