package solve

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// The same bar, its material and load once in SI numbers and once as texts, must
// give the same figures to the last digit.
func TestTextsWithUnitsAreTheNumbers(t *testing.T) {
	rng := testenv.Random(t)
	length, e, q := 1+rng.Float64(), 50+rng.IntN(200), 1+rng.IntN(9)
	mesh := box([3]int{4, 2, 2}, [3]float64{length, 0.5, 0.5})
	config := func(modulus, traction, far, slack, probe string) string {
		return fmt.Sprintf(`{"materials": [{"E": %s, "nu": 0.3}], "probes": [[%s, 0.25, 0.25]],
			"bcs": [{"where": {"plane": "x_min", "tolerance": %s}, "type": "fixed"},
			        {"where": {"box": {"min": [%s, -1, -1], "max": [9, 9, 9]}}, "type": "load", "value": [%s, 0, 0]}]}`,
			modulus, probe, slack, far, traction)
	}
	far := fmt.Sprintf("%.3f", length-0.01)
	numbers := solved(t, "fea.solve", mesh, "LinearElasticity", config(fmt.Sprintf("%de9", e), fmt.Sprintf("%de6", q), far, "0.002", "0.75"))
	texts := solved(t, "fea.solve", mesh, "LinearElasticity", config(fmt.Sprintf(`"%d GPa"`, e), fmt.Sprintf(`"%d MPa"`, q), far, "0.002", "0.75"))
	if numbers.Energy != texts.Energy || numbers.Energy == 0 {
		t.Errorf("energy %v by numbers, %v by texts", numbers.Energy, texts.Energy)
	}
	if a, b := fmt.Sprint(numbers.Probes[0].Displacement), fmt.Sprint(texts.Probes[0].Displacement); a != b {
		t.Errorf("the probe is displaced by %s and by %s", a, b)
	}
}

// Slips of units that were verified once. Each is refused where it is impossible,
// and suspect with a reason that names it where somebody could mean it.
func TestSlipsOfUnits(t *testing.T) {
	bar := box([3]int{4, 1, 1}, [3]float64{0.4, 0.05, 0.05})
	elastic := func(material, more string) string {
		return `{"materials": [{` + material + `}], ` + more + ` "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [0, -1e-6, 0]}]}`
	}
	for what, c := range map[string][3]string{
		"E in GPa":        {elastic(`"E": 210, "nu": 0.3`, ""), "/config/materials/0/E", "210 GPa"},
		"density in g/cm": {elastic(`"E": 2.1e11, "nu": 0.3, "density": 7.85`, `"gravity": [0, 0, -9.81],`), "/config/materials/0/density", "7.85"},
		"gravity in mm":   {elastic(`"E": 2.1e11, "nu": 0.3, "density": 7850`, `"gravity": [0, 0, -9810],`), "/config/gravity", "9810"},
	} {
		a := solved(t, "fea.solve", bar, "LinearElasticity", c[0])
		trusted(t, a, evidence.Suspect)
		if reasons := strings.Join(a.Evidence.Reasons, " "); !strings.Contains(reasons, c[1]) || !strings.Contains(reasons, c[2]) {
			t.Errorf("%s: the reasons lack %s or %s: %s", what, c[1], c[2], reasons)
		}
	}
	heat := `{"conductivity": 50, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %s}, {"attribute": 2, "type": "heat_flux", "value": %s}]}`
	for _, c := range [][3]string{{"-19700", "1", "/config/bcs/0/value"}, {`"-300 degC"`, "1", "/config/bcs/0/value"}, {`"5 W/m^2"`, "1", "/config/bcs/0/value"}, {"300", `"20 degC"`, "/config/bcs/1/value"}} {
		e := refused(t, "heat.solve", bar, "", fmt.Sprintf(heat, c[0], c[1]), "invalid_request", c[2])
		if e.Hint == "" || e.Expected == "" || e.Actual == "" {
			t.Errorf("%s: no hint, or not what was expected: %+v", c[0], e)
		}
	}
}
