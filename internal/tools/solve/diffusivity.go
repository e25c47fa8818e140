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

// conduction is what a problem of heat says of its material and its temperatures.
type conduction struct {
	Conductivity       float64  `json:"conductivity"`
	SpecificHeat       float64  `json:"specific_heat"`
	Density            *float64 `json:"density"`
	InitialTemperature *float64 `json:"initial_temperature"`
	Steady             bool     `json:"steady"`
	BCs                []struct {
		Type    string   `json:"type"`
		Value   *Value   `json:"value"`
		Ambient *float64 `json:"ambient"`
	} `json:"bcs"`
}

// checkDiffusivity doubts a density in g/cm^3, and its like, by what follows from it: how
// fast heat spreads. A steady state has no part of it.
func checkDiffusivity(s *evidence.Statement, config []byte) error {
	var c conduction
	if err := json.Unmarshal(config, &c); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	capacity, of := c.SpecificHeat, "specific heat per volume of "+quantity.HeatCapacity.Format(c.SpecificHeat)
	asked := "/config/specific_heat is in J/(m^3*K) where there is no density; in J/(kg*K) it needs /config/density"
	if c.Density != nil {
		capacity *= *c.Density
		of = fmt.Sprintf("specific heat of %s and a density of %s", quantity.SpecificHeat.Format(c.SpecificHeat), quantity.Density.Format(*c.Density))
		asked = "/config/density is in kg/m^3, of steel 7850; write \"7.85 g/cm^3\" where that is meant"
	}
	if c.Steady || capacity <= 0 || c.cold() || c.Conductivity <= mostDiffusive*capacity {
		return nil
	}
	s.Check(evidence.Within("plausible_config_diffusivity", evidence.Bounds, "", c.Conductivity/capacity, mostDiffusive, "m^2/s", fmt.Sprintf(
		"A conductivity of %s, a %s make a thermal diffusivity of %s: no material near room temperature has more than 0.0013 m^2/s, that of diamond and of graphite in its plane, and steel has 1.3e-5. Look at the units: %s.",
		quantity.Conductivity.Format(c.Conductivity), of, quantity.KinematicViscosity.Format(c.Conductivity/capacity), asked)))
	return nil
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
