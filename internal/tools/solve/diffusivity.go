package solve

import (
	"encoding/json"
	"fmt"

	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// No material near room temperature spreads heat faster than pyrolytic graphite in its
// plane and diamond, 1.2e-3 m^2/s; hydrogen and helium at 1 bar have 1.6e-4 to 1.9e-4
// (CRC Handbook, 97th ed.), and hotter or thinner gases are lighter than what is taken
// for a density. Pure metals near absolute zero are far above.
const (
	mostDiffusive = 3e-3 // m^2/s
	cryogenic     = 77   // K
)

// conduction is what a problem of heat says of its materials and its temperatures.
type conduction struct {
	HeatMaterial
	Materials          []HeatMaterial `json:"materials"`
	InitialTemperature *float64       `json:"initial_temperature"`
	Steady             bool           `json:"steady"`
	BCs                []struct {
		Type    string   `json:"type"`
		Value   *Value   `json:"value"`
		Ambient *float64 `json:"ambient"`
	} `json:"bcs"`
}

// checkDiffusivity doubts a density in g/cm^3, and its like, by what follows from it: how
// fast heat spreads. A steady state has no part of it. The configuration stands at a pointer.
func checkDiffusivity(s *evidence.Statement, config []byte, at string) error {
	var c conduction
	if err := json.Unmarshal(config, &c); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if c.Steady || c.cold() {
		return nil
	}
	if len(c.Materials) == 0 {
		c.HeatMaterial.checkDiffusivity(s, at)
	}
	for i, m := range c.Materials {
		m.checkDiffusivity(s, fmt.Sprintf("%s/materials/%d", at, i))
	}
	return nil
}

func (m HeatMaterial) checkDiffusivity(s *evidence.Statement, at string) {
	if m.SpecificHeat == nil || m.Conductivity == nil {
		return
	}
	conductivity, specific := m.Conductivity.most(), m.SpecificHeat.least()
	capacity, of := specific, "specific heat per volume of "+quantity.HeatCapacity.Format(specific)
	asked := at + "/specific_heat is in J/(m^3*K) where there is no density; in J/(kg*K) it needs " + at + "/density"
	if m.Density != nil {
		capacity *= *m.Density
		of = fmt.Sprintf("specific heat of %s and a density of %s", quantity.SpecificHeat.Format(specific), quantity.Density.Format(*m.Density))
		asked = at + "/density is in kg/m^3, of steel 7850; write \"7.85 g/cm^3\" where that is meant"
	}
	if conductivity <= mostDiffusive*capacity {
		return
	}
	s.Check(evidence.Within("plausible_config_diffusivity", evidence.Bounds, "", conductivity/capacity, mostDiffusive, "m^2/s", fmt.Sprintf(
		"A conductivity of %s, a %s make a thermal diffusivity of %s: no material near room temperature has more than 0.0013 m^2/s, that of diamond and of graphite in its plane, and steel has 1.3e-5. Look at the units: %s.",
		quantity.Conductivity.Format(conductivity), of, quantity.KinematicViscosity.Format(conductivity/capacity), asked)))
}

// cold says whether the limit does not hold: the body, or all that is around it, is
// colder than liquid nitrogen, or the problem is scaled and has no units.
func (c *conduction) cold() bool {
	var around []float64
	for _, bc := range c.BCs {
		if bc.Type == "fixed_temp" && bc.Value != nil {
			around = append(around, bc.Value.Scalar)
		}
		if bc.Ambient != nil {
			around = append(around, *bc.Ambient)
		}
	}
	warmest := 0.0
	for _, t := range around {
		warmest = max(warmest, t)
	}
	if c.InitialTemperature == nil {
		return warmest < cryogenic
	}
	return *c.InitialTemperature < cryogenic || len(around) > 0 && warmest < cryogenic
}
