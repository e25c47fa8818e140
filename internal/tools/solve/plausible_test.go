package solve

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// Steel in g/cm^3: 50 / (7.85 * 500) = 0.0127 m^2/s, ten times that of diamond; in kg/m^3
// it is 1.27e-5.
func TestADensityInGramsIsDoubted(t *testing.T) {
	config := `{"density": %s, "specific_heat": 500, "conductivity": 50, "initial_temperature": 300, "dt": 1, "t_final": 3,
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 350}]}`
	for density, doubted := range map[string]bool{"7.85": true, `"7.85 g/cm^3"`: false} {
		for tool, class := range map[string]string{"heat.solve": "", "fea.solve": "HeatTransfer"} {
			a := solved(t, tool, box([3]int{4, 1, 1}, [3]float64{0.4, 0.05, 0.05}), class, fmt.Sprintf(config, density))
			sentence, failed := a.failed("plausible_config_diffusivity")
			if failed != doubted || doubted && (!strings.Contains(sentence, "0.0127") || !strings.Contains(sentence, "/config/density")) {
				t.Errorf("%s: density %s: failed %v, %q", tool, density, failed, sentence)
			}
			if doubted {
				trusted(t, a, evidence.Suspect)
			}
		}
	}
}

// Materials at their conductivity, specific heat and density (CRC Handbook, 97th ed.):
// diamond, graphite in its plane, silver, helium and hydrogen at 1 bar, air, aerogel; and
// what the limit is not for.
func TestDiffusivitiesThatAreBelieved(t *testing.T) {
	held := `{"type": "fixed_temp", "value": %g}`
	for what, c := range map[string]struct {
		config  string
		doubted bool
	}{
		"diamond":           {`"conductivity": 2200, "specific_heat": 509, "density": 3510, "initial_temperature": 300, "bcs": []`, false},
		"graphite":          {`"conductivity": 1950, "specific_heat": 709, "density": 2260, "initial_temperature": 300, "bcs": []`, false},
		"silver":            {`"conductivity": 429, "specific_heat": 235, "density": 10500, "initial_temperature": 300, "bcs": []`, false},
		"helium":            {`"conductivity": 0.156, "specific_heat": 5193, "density": 0.16, "initial_temperature": 300, "bcs": []`, false},
		"hydrogen":          {`"conductivity": 0.187, "specific_heat": 14300, "density": 0.081, "initial_temperature": 300, "bcs": []`, false},
		"aerogel":           {`"conductivity": 0.015, "specific_heat": 1000, "density": 3, "initial_temperature": 300, "bcs": []`, false},
		"steel per volume":  {`"conductivity": 50, "specific_heat": 3.9e6, "initial_temperature": 300, "bcs": []`, false},
		"copper at 10 K":    {`"conductivity": 20000, "specific_heat": 0.86, "density": 9000, "initial_temperature": 10, "bcs": [` + fmt.Sprintf(held, 300.0) + `]`, false},
		"copper held cold":  {`"conductivity": 20000, "specific_heat": 0.86, "density": 9000, "initial_temperature": 300, "bcs": [` + fmt.Sprintf(held, 4.2) + `]`, false},
		"cold air about":    {`"conductivity": 20000, "specific_heat": 0.86, "density": 9000, "initial_temperature": 300, "bcs": [{"type": "convection", "h": 10, "ambient": 20}]`, false},
		"a scaled problem":  {`"conductivity": 1, "specific_heat": 1, "density": 1, "initial_temperature": 0, "bcs": [` + fmt.Sprintf(held, 1.0) + `]`, false},
		"a steady state":    {`"conductivity": 50, "specific_heat": 500, "density": 7.85, "steady": true, "bcs": [` + fmt.Sprintf(held, 350.0) + `]`, false},
		"aluminium, g/cm^3": {`"conductivity": 200, "specific_heat": 900, "density": 2.7, "initial_temperature": 300, "bcs": [` + fmt.Sprintf(held, 350.0) + `]`, true},
		"one side cold":     {`"conductivity": 200, "specific_heat": 900, "density": 2.7, "initial_temperature": 300, "bcs": [` + fmt.Sprintf(held, 20.0) + `,` + fmt.Sprintf(held, 350.0) + `]`, true},
		"only a heat flux":  {`"conductivity": 200, "specific_heat": 900, "density": 2.7, "initial_temperature": 300, "bcs": [{"type": "heat_flux", "value": 5000}]`, true},
	} {
		s := evidence.Statement{}
		if err := checkDiffusivity(&s, []byte(`{`+c.config+`}`), "/config"); err != nil || len(s.Checks) > 0 != c.doubted {
			t.Errorf("%s: %v %v", what, err, s.Checks)
		}
	}
}

// A developed channel flow has 1.5 times its mean speed in the middle: 90 m/s of air at
// the inlet are 135 m/s, Mach 0.39.
func TestAFastFlowIsDoubted(t *testing.T) {
	flow := `{"viscosity": 1.8e-5, "density": 1.2, "dt": 1e-6, "t_final": 3e-6, "bcs": [{"attribute": 1, "type": "inlet", "velocity": [%d, 0], "profile": "parabolic"},
		{"attribute": [3, 4], "type": "wall"}, {"attribute": 2, "type": "outlet"}]}`
	for mean, doubted := range map[int]bool{90: true, 60: false} {
		a := solved(t, "cfd.solve", rectangle(20, 4, 2e-4, 2e-5), "", fmt.Sprintf(flow, mean))
		sentence, failed := a.failed("incompressible")
		if failed != doubted || doubted && !strings.Contains(sentence, "343 m/s") {
			t.Errorf("%d m/s (largest %g): failed %v, %q", mean, float64(a.MaxSpeed.Value), failed, sentence)
		}
		if doubted {
			trusted(t, a, evidence.Suspect)
		}
	}
	// Mach 0.3 of air is 103 m/s, of water 444 m/s; liquid hydrogen is the lightest
	// liquid but helium, with 71 kg/m^3.
	for _, c := range []struct {
		density, speed float64
		doubted        bool
	}{{1.2, 99, false}, {1.2, 101, true}, {12, 300, true}, {1000, 399, false}, {1000, 401, true}, {71, 150, false}} {
		s := evidence.Statement{}
		if err := checkSpeed(&s, []byte(fmt.Sprintf(`{"density": %g}`, c.density)), &Extreme{Value: Figure(c.speed)}); err != nil || len(s.Checks) > 0 != c.doubted {
			t.Errorf("%+v: %v %v", c, err, s.Checks)
		}
	}
	s := evidence.Statement{}
	if err := checkSpeed(&s, []byte(`{"density": 1.2}`), nil); err != nil || len(s.Checks) > 0 {
		t.Errorf("without a speed: %v %v", err, s.Checks)
	}
}
