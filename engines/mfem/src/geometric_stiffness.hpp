// The stiffness that stresses bring: int sigma : grad v^T grad w (Cook, Malkus, Plesha and
// Witt, Concepts and Applications of Finite Element Analysis, 4th ed., ch. 18).
#pragma once

#include "initial_strain.hpp"

namespace atelier {

class Geometric {
 public:
  // With the stresses of the displacements u and of the temperature. graph: that of the space.
  Geometric(const NodalSpace& space, std::shared_ptr<const NodeGraph> graph, const Values& u,
            const Lame& lame, const InitialStrain& initial);

  // -Kg v.
  Values operator()(const Values& v) const;
  // y -= factor Kg v.
  void Subtract(double factor, const Values& v, Values& y) const;
  // a += factor Kg, a of the same space.
  void AddTo(BlockCsr& a, double factor) const;

 private:
  int dimension_;
  BlockCsr scalar_;  // that of one component, which is the same for all: they do not couple
};

}  // namespace atelier
