// Stresses from displacements: recovered at the nodes, with the
// Zienkiewicz-Zhu estimate of the discretisation error (Zienkiewicz and Zhu,
// Int. J. Numer. Meth. Eng. 24, 1987: stresses averaged at the nodes).
#pragma once

#include "initial_strain.hpp"

namespace atelier {

constexpr int kStressComponents = 6;  // xx, yy, zz, xy, yz, xz: VTK's order for symmetric tensors

struct StressField {
  // [node * 6 + c], Pa, averaged over the elements of one kind: of the most stressed one where
  // several meet.
  Values tensor;
  Values von_mises;      // by node, Pa
  Values utilised;       // by node: von Mises over yield, the most of the adjoining materials
  Values spread;         // by node: (largest - least) von Mises of the adjoining elements, Pa
  Values weight;         // by node: its share of the volume
  Values element_error;  // sqrt of int (s* - s):C^-1:(s* - s), by element, J^0.5
  double error = 0;      // its 2-norm: the estimated energy norm of the error
};

double VonMises(const double* s);
// Von Mises stress that 99 % of the volume stays below.
double Percentile99(const StressField& s);

// kind: number of each element's kind (stresses jump where it changes). initial: of
// the state that is sought, none for dual solutions and shapes. yield: by element, Pa, 0 where
// it is not known.
StressField RecoverStress(const NodalSpace& space, const Values& displacement, const Lame& lame,
                          const std::vector<int>& kind, const InitialStrain& initial = {},
                          const Values& yield = {});

}  // namespace atelier
