// Strains that a change of temperature brings: alpha (T - T_ref), the same in all directions.
#pragma once

#include "initial_strain.hpp"
#include "material.hpp"

namespace atelier {

// Reads temperature {value, reference} with the materials' alpha.
InitialStrain ReadThermal(const Domain& domain, const Config& config,
                          const ElasticMaterials& materials);

}  // namespace atelier
