// Materials of heat conduction, and how they change with temperature.
#pragma once

#include <algorithm>

#include "block_csr.hpp"
#include "curve.hpp"
#include "domain.hpp"

namespace atelier {

// Latent heat that is spread evenly from solidus to liquidus, K.
struct PhaseChange {
  double latent = 0;  // J/kg
  double solidus = 0, liquidus = 1;

  // J/(kg K), and its integral over temperature, J/kg.
  double At(double t) const {
    return t > solidus && t < liquidus ? latent / (liquidus - solidus) : 0;
  }
  double Integral(double t) const {
    return latent * std::clamp((t - solidus) / (liquidus - solidus), 0.0, 1.0);
  }
};

// Properties over temperature, K.
struct HeatMaterial {
  Curve conductivity;      // W/(m K)
  Curve specific_heat{0};  // J/(kg K); 0 in a steady state
  PhaseChange melting;     // beside it
  double density = 1;      // kg/m^3; 1 where specific_heat is per volume
  double source = 0;       // W/m^3
  std::string place;       // in the configuration: materials/1, or "" where it has the only one

  // J/(m^3 K), and its integral over temperature from some zero, J/m^3.
  double Capacity(double t) const { return density * (specific_heat.At(t) + melting.At(t)); }
  double Enthalpy(double t) const {
    return density * (specific_heat.Integral(t) + melting.Integral(t));
  }
};

struct HeatMaterials {
  std::vector<HeatMaterial> list;
  std::vector<int> number;  // by element

  const HeatMaterial& Of(int e) const { return list[number[e]]; }
  // Whether the property of no material changes with temperature.
  bool Constant(Curve HeatMaterial::* property) const;
  bool ConstantCapacity() const;
};

// Reads materials [{attribute, conductivity, specific_heat, density, source}], the first of which
// may be that of all bodies that no other names, or the same fields beside them.
HeatMaterials ReadHeatMaterials(const Domain& domain, const Config& config, bool steady,
                                Warnings& warnings);

}  // namespace atelier
