package solve

import (
	"encoding/json"
	"fmt"

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
