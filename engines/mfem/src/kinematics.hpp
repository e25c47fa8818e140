// What linear theory leaves out: how far a solved displacement field is from the
// small rotations and strains that it assumes.
#pragma once

#include <functional>

#include "initial_strain.hpp"

namespace atelier {

struct Kinematics {
  // Root mean squares of the elements, which 99 % of the volume stay below: of the elastic
  // strain, and of the rotation in rad.
  double strain = 0, rotation = 0;
  // Change of the deflection that the third-order energy, int sigma : G with
  // G = H^T H / 2 and H = grad u, brings (stress stiffening or softening), relative.
  double stress_stiffening = 0;
  // 2 W / U: how much stiffer the stretching that linear theory leaves out makes the
  // part at this deflection, relative. U is the strain energy, W that of the strains
  // G after the part has moved so as to relieve them as far as its supports allow:
  // the fourth-order term of the energy (Koiter, On the stability of elastic
  // equilibrium, 1945). It is about 0 for a cantilever, which draws in, and
  // 0.47 (w/t)^2 for a clamped circular plate (Timoshenko and Woinowsky-Krieger,
  // Theory of Plates and Shells, art. 97), whatever the direction of the part.
  double stretching = 0;
};

// Solves K x = r for displacements that vanish where the part is held.
using Relieve = std::function<Values(const Values& r)>;

// energy: that of the strains of u, without the initial ones. Relieve is called only where
// the unrelieved strains would matter.
Kinematics MeasureKinematics(const NodalSpace& space, const Values& u, const Lame& lame,
                             const InitialStrain& initial, double energy, const Relieve& relieve);

}  // namespace atelier
