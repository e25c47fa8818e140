// Strains that are there without a stress: of a change of temperature, and of bolts that are
// too short for the room between head and nut. The stress is that of the strains beyond them.
#pragma once

#include "displacement_gradient.hpp"

namespace atelier {

class InitialStrain {
 public:
  bool Any() const { return !strain_.empty() || Varies(); }
  // Whether it varies within elements.
  bool Varies() const { return !field_.empty(); }
  // At point q of element e, whose shapes in the space of the field are s: the strain, and the
  // stress that it takes to undo it, Pa.
  Tensor Strain(int e, const LocalShapes& s, int q) const { return At(strain_, unit_, e, s, q); }
  Tensor Stress(int e, const LocalShapes& s, int q) const {
    return At(stress_, unit_stress_, e, s, q);
  }
  // A bound of the components of those stresses, in size: the largest where only one kind acts.
  double Largest() const;

  // Adds to that of element e, one of a mesh of the elements that lame is given for.
  void Add(const Lame& lame, int e, const Tensor& strain);
  // The same; at most one of the two varies within elements.
  void Add(const InitialStrain& other);
  // One of unit[e] times a field by the nodes of the space, of which every element takes the
  // polynomial of one order less that is nearest in the mean square: displacements make no
  // strains of a higher order, which would stay as stresses that waver within the element
  // (Prathap and Naganarayana, Computers & Structures 54, 1995).
  static InitialStrain Of(const NodalSpace& space, const Lame& lame, std::vector<Tensor> unit,
                          const Values& field);

 private:
  Tensor At(const std::vector<Tensor>& constant, const std::vector<Tensor>& unit, int e,
            const LocalShapes& s, int q) const;

  std::vector<Tensor> strain_, stress_;     // by element; empty where there are none
  std::vector<Tensor> unit_, unit_stress_;  // by element, of a field that is 1
  Values field_;                            // by element and its nodes; empty where there is none
  std::vector<size_t> offset_;              // of elements in it
  double most_of_field_ = 0;                // the largest component of its stresses, Pa
};

// The stress of a strain at point q of element e beyond the initial one there, Pa.
Tensor ElasticStress(const Tensor& strain, const Lame& lame, int e, const LocalShapes& s, int q,
                     const InitialStrain& initial);

// load += int stress : grad v.
void AddInitialLoad(const NodalSpace& space, const InitialStrain& initial, Values& load);

// Energy of the elastic part of the strains of u: 1/2 int (eps - strain) : sigma.
double ElasticEnergy(const NodalSpace& space, const Values& u, const Lame& lame,
                     const InitialStrain& initial);

}  // namespace atelier
