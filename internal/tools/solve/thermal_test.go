package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// A free bar grows by alpha dT of every length and has no stress.
func TestAFreeBarExpandsWithoutStress(t *testing.T) {
	draw := random(t)
	length, alpha, warm := draw(0.2, 2), draw(5e-6, 3e-5), draw(20, 200)
	for _, order := range []int{1, 2} {
		a := solved(t, "fea.solve", hexes([3]int{6, 2, 2}, [3]float64{length, length / 5, length / 5}), "LinearElasticity", fmt.Sprintf(
			`{"order": %d, "materials": [{"E": 2e11, "nu": 0.3, "alpha": %g}], "temperature": {"value": %g, "reference": 293.15}, "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]},
			{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]}]}`, order, alpha, 293.15+warm))
		for k, side := range []float64{length, length / 5, length / 5} {
			near(t, "growth", a.MaxDisplacement.Vector[k], alpha*warm*side, 1e-6)
		}
		if a.VonMises.Max != 0 || a.Energy != 0 {
			t.Errorf("stress %g Pa, energy %g J", a.VonMises.Max, a.Energy)
		}
		if a.Evidence.Trust == evidence.Suspect {
			t.Errorf("%v", a.Evidence.Reasons)
		}
	}
}

// A bar between walls has sigma = -E alpha dT, pushes them with that times its section, and
// holds sigma^2 / 2E of energy per volume; in plane strain the stress along x is 1/(1 - nu) of it.
func TestABarBetweenWallsIsPressed(t *testing.T) {
	draw := random(t)
	length, width, alpha, warm, modulus, nu := draw(0.2, 2), draw(0.05, 0.1), draw(5e-6, 3e-5), draw(20, 100), draw(5e10, 3e11), draw(0.1, 0.4)
	stress := modulus * alpha * warm
	material := fmt.Sprintf(`"materials": [{"E": %g, "nu": %g, "alpha": %g}], "temperature": {"value": %g, "reference": 300}`, modulus, nu, alpha, 300+warm)
	bar := solved(t, "fea.solve", hexes([3]int{6, 2, 2}, [3]float64{length, width, width}), "LinearElasticity", fmt.Sprintf(
		`{%s, "bcs": [{"attribute": [1, 2], "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 5, "type": "fixed", "components": ["z"]}],
		"probes": [[%g, %g, %g]]}`, material, length/3, width/3, width/3))
	near(t, "von Mises", bar.VonMises.Max, stress, 1e-6)
	near(t, "stress", bar.Probes[0].Stress[0], -stress, 1e-6)
	near(t, "energy", bar.Energy, stress*stress/(2*modulus)*length*width*width, 1e-6)
	for plane, want := range map[string]float64{"stress": stress, "strain": stress / (1 - nu)} {
		strip := solved(t, "fea.solve", quads(6, 2, scaled(length, width)), "LinearElasticity", fmt.Sprintf(
			`{%s, "plane": %q, "bcs": [{"attribute": [1, 2], "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]}], "probes": [[%g, %g]]}`,
			material, plane, length/3, width/3))
		near(t, plane, strip.Probes[0].Stress[0], -want, 1e-6)
		elastic := stress * stress / (2 * modulus)
		if plane == "strain" { // sigma_x = sigma_z = -E alpha dT / (1 - nu)
			elastic = stress * stress / (modulus * (1 - nu))
		}
		near(t, plane, strip.Energy, elastic*length*width, 1e-6)
	}
}

// A strip of two metals of equal thickness bends by 3/2 (alpha_1 - alpha_2) dT / h where their
// moduli are the same (Timoshenko, J. Opt. Soc. Am. 11, 1925, eq. 4 with m = n = 1:
// 24 (d alpha) dT / (h (12 + 4)), h the whole thickness).
func TestABimetalStripBends(t *testing.T) {
	draw := random(t)
	length, warm := draw(0.1, 0.3), draw(20, 100)
	height := length / draw(30, 50)
	mesh := quads(40, 4, scaled(length, height))
	for i, e := range mesh.elements {
		if i%4 >= 2 {
			mesh.elements[i] = "2" + e[1:]
		}
	}
	a := solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(
		`{"plane": "stress", "materials": [{"attribute": 1, "E": 1.5e11, "nu": 0.3, "alpha": 2e-5}, {"attribute": 2, "E": 1.5e11, "nu": 0.3, "alpha": 1e-5}],
		"temperature": {"value": %g, "reference": 300}, "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]},
		{"where": {"box": {"min": [0, 0], "max": [0, %g]}}, "type": "fixed", "components": ["y"]}], "probes": [[%g, %g]]}`, 300+warm, height, length, height/2))
	curvature := 1.5 * 1e-5 * warm / height
	near(t, "deflection", Figure(math.Abs(float64(a.Probes[0].Displacement[1]))), curvature*length*length/2, 0.02)
}

// A heated strip between walls buckles at alpha dT = 4 pi^2 I / (A L^2), shear aside (Timoshenko
// and Gere, art. 2.1): the load factor is of the change of temperature.
func TestAHeatedStripBuckles(t *testing.T) {
	draw := random(t)
	length := draw(0.5, 2)
	height := length / draw(60, 100)
	const alpha, warm = 1.2e-5, 10.0
	a := buckled(t, quads(40, 2, scaled(length, height)), fmt.Sprintf(
		`"modes": 1, "plane": "stress", "materials": [{"E": 2e11, "nu": 0, "alpha": %g}], "temperature": {"value": %g, "reference": 293}, "bcs": [{"attribute": [1, 2], "type": "fixed"}]`, alpha, 293+warm))
	a.factor(t, "heated strip", 0, 4*math.Pi*math.Pi*height*height/12/(length*length)/(alpha*warm), 0.01)
}

func TestTemperatureNeedsAlpha(t *testing.T) {
	refused(t, "fea.solve", quads(4, 2, scaled(1, 0.2)), "LinearElasticity",
		`{"materials": [{"E": 2e11, "nu": 0.3}], "temperature": {"value": 320, "reference": 300}, "bcs": [{"attribute": 1, "type": "fixed"}]}`, "invalid_request", "/config/materials/0/alpha")
}
