// The stiffness that stresses bring: int sigma : grad v^T grad w (Cook, Malkus, Plesha and
// Witt, Concepts and Applications of Finite Element Analysis, 4th ed., ch. 18).
#pragma once

#include "initial_strain.hpp"

namespace atelier {

class Geometric {
 public:
  // With the stresses of the displacements u and of the temperature.
  Geometric(const NodalSpace& space, const Values& u, const Lame& lame,
            const InitialStrain& initial);

  // -Kg v.
  Values operator()(const Values& v) const;
  // a += factor Kg.
  void AddTo(BlockCsr& a, double factor) const;

 private:
  const NodalSpace& space_;
  ElementKernel kernel_;
  Values stress_;               // times the weight, by element, point, row, column
  std::vector<size_t> offset_;  // of each element's first stress
};

}  // namespace atelier
