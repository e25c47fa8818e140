package solve

import (
	"encoding/json"
	"fmt"
	"math"

	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// No fluid as dense as this is as thin: liquid nitrogen has 1.6e-4 Pa s, carbon dioxide
// at its critical point 3e-5, air at 100 bar 2e-5, and only liquid helium less, 3e-6
// (CRC Handbook, 97th ed.). Kinematic viscosities, of water 1e-6 m^2/s, are.
const (
	denseFluid = 100  // kg/m^3
	thinnest   = 1e-5 // Pa s
)

// Below three tenths of the speed of sound a flow changes its density by less than 5 %:
// (1 + 0.2 * 0.3^2)^2.5 = 1.046 of a gas with two atoms. Sound has 343 m/s in air at 20 degC and
// 1480 m/s in water (CRC Handbook, 97th ed.).
const (
	densestGas   = 20  // kg/m^3: liquids have 70, hydrogen's, and more
	fastestGas   = 100 // m/s
	fastestFluid = 400 // m/s
)

// checkSpeed doubts a flow that is too fast for a density which does not change.
func checkSpeed(s *evidence.Statement, config []byte, fastest *Extreme) error {
	var fluid struct {
		Density float64 `json:"density"`
	}
	if err := json.Unmarshal(config, &fluid); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if fastest == nil || fluid.Density <= 0 {
		return nil
	}
	v, limit, of := math.Abs(float64(fastest.Value)), fastestFluid, "1480 m/s in water"
	if fluid.Density < densestGas {
		limit, of = fastestGas, "343 m/s in air at 20 degC"
	}
	if v > float64(limit) {
		s.Check(evidence.Within("incompressible", evidence.Model, "", v, float64(limit), "m/s", fmt.Sprintf(
			"The flow reaches %s at a density of %s. The model takes the density as constant, which holds up to about 0.3 of the speed of sound (%s): look at the unit of the mesh, the velocity and the density; a flow as fast needs a compressible solver.",
			quantity.Velocity.Format(v), quantity.Density.Format(fluid.Density), of)))
	}
	return nil
}

// checkFluid doubts a viscosity that is a kinematic one by its size.
func checkFluid(s *evidence.Statement, config []byte) error {
	var fluid struct {
		Viscosity float64 `json:"viscosity"`
		Density   float64 `json:"density"`
	}
	if err := json.Unmarshal(config, &fluid); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if fluid.Viscosity <= 0 || fluid.Viscosity >= thinnest || fluid.Density < denseFluid {
		return nil
	}
	s.Check(evidence.Holds("plausible_config_viscosity", evidence.Bounds, "", false, fmt.Sprintf(
		"/config/viscosity: no fluid of %s has a dynamic viscosity of %s: liquids have 1e-4 Pa s or more, gases of that density 2e-5, and only liquid helium 3e-6. A kinematic viscosity of %s is a dynamic one of %s: it is the one times the density.",
		quantity.Density.Format(fluid.Density), quantity.Viscosity.Format(fluid.Viscosity), quantity.KinematicViscosity.Format(fluid.Viscosity), quantity.Viscosity.Format(fluid.Viscosity*fluid.Density))))
	return nil
}
