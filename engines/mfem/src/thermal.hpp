// Strains that a change of temperature brings: alpha (T - T_ref), the same in all directions.
#pragma once

#include "material.hpp"

namespace atelier {

struct Thermal {
  Values strain;    // by element; empty where no temperature is given
  Values pressure;  // what it takes to undo the strain, Pa, by element

  bool Any() const { return !pressure.empty(); }
  double Pressure(int e) const { return pressure.empty() ? 0 : pressure[e]; }
  double Strain(int e) const { return strain.empty() ? 0 : strain[e]; }
  // The largest size of the pressure.
  double Largest() const;
};

// Reads temperature {value, reference} with the materials' alpha.
Thermal ReadThermal(const Domain& domain, const Config& config, const ElasticMaterials& materials,
                    bool plane_stress);

// load += int pressure div v.
void AddThermalLoad(const NodalSpace& space, const Thermal& thermal, Values& load);

// Energy of the elastic part of the strains of u: 1/2 int (eps - strain) : sigma.
double ElasticEnergy(const NodalSpace& space, const Values& u, const Lame& lame,
                     const Thermal& thermal, bool plane_stress);

}  // namespace atelier
