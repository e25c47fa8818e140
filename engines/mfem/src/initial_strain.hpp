// Strains that are there without a stress: of a change of temperature, and of bolts that are
// too short for the room between head and nut. The stress is that of the strains beyond them.
#pragma once

#include "displacement_gradient.hpp"

namespace atelier {

class InitialStrain {
 public:
  bool Any() const { return !strain_.empty(); }
  // Of an element: the strain, and the stress that it takes to undo it, Pa.
  const Tensor& Strain(int e) const { return Any() ? strain_[e] : kNone; }
  const Tensor& Stress(int e) const { return Any() ? stress_[e] : kNone; }
  // The largest component of those stresses, in size.
  double Largest() const;

  // Adds to that of element e, one of a mesh of the elements that lame is given for.
  void Add(const Lame& lame, int e, const Tensor& strain);
  void Add(const InitialStrain& other);

 private:
  static inline const Tensor kNone{};
  std::vector<Tensor> strain_, stress_;  // by element; empty where there are none
};

// The stress of a strain of element e beyond its initial one, Pa.
Tensor ElasticStress(const Tensor& strain, const Lame& lame, int e, const InitialStrain& initial);

// load += int stress : grad v.
void AddInitialLoad(const NodalSpace& space, const InitialStrain& initial, Values& load);

// Energy of the elastic part of the strains of u: 1/2 int (eps - strain) : sigma.
double ElasticEnergy(const NodalSpace& space, const Values& u, const Lame& lame,
                     const InitialStrain& initial);

}  // namespace atelier
