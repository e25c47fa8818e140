// Materials of heat conduction, and how they change with temperature.
#pragma once

#include "block_csr.hpp"
#include "curve.hpp"
#include "domain.hpp"

namespace atelier {

// Properties over temperature, K.
struct HeatMaterial {
  Curve conductivity;      // W/(m K)
  Curve specific_heat{0};  // J/(kg K); 0 in a steady state
  Curve latent{0};         // of a change of phase, J/(kg K), beside it
  double density = 1;      // kg/m^3; 1 where specific_heat is per volume
  double source = 0;       // W/m^3
  std::string place;       // in the configuration: materials/1, or "" where it has the only one

  // J/(m^3 K), and its integral over temperature from some zero, J/m^3.
  double Capacity(double t) const { return density * (specific_heat.At(t) + latent.At(t)); }
  double Enthalpy(double t) const {
    return density * (specific_heat.Integral(t) + latent.Integral(t));
  }
};

struct HeatMaterials {
  std::vector<HeatMaterial> list;
  std::vector<int> number;  // by element

  const HeatMaterial& Of(int e) const { return list[number[e]]; }
  // Whether the property of no material changes with temperature.
  bool Constant(Curve HeatMaterial::* property) const;
  bool ConstantCapacity() const {
    return Constant(&HeatMaterial::specific_heat) && Constant(&HeatMaterial::latent);
  }
};

// Reads materials [{attribute, conductivity, specific_heat, density, source}], the first of which
// may be that of all bodies that no other names, or the same fields beside them.
HeatMaterials ReadHeatMaterials(const Domain& domain, const Config& config, bool steady,
                                Warnings& warnings);

}  // namespace atelier
