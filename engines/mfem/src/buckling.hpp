// Linear buckling of a solved part: how near its stresses are to those that make it
// give way, and how much they change its displacements before that.
#pragma once

#include <optional>

#include "eigen_modes.hpp"
#include "geometric_stiffness.hpp"
#include "kinematics.hpp"

namespace atelier {

struct Buckling {
  // The load over the least one at which the part buckles: the largest eigenvalue of
  // -Kg phi = theta K phi, 0 where the stresses only stiffen the part. It is a Ritz
  // value, and so at most the true one.
  double share = 0;
  // Largest change of a displacement, along itself, that the stresses on the deflected
  // shape bring; of the largest displacement.
  double change = 0;
  bool known = false;  // the equations could be solved
};

// What the measure asks of a problem, each for values of all unknowns.
struct StabilityOperators {
  Relieve relieve;       // x with K x = r, roughly
  Relieve precondition;  // the same of one step of an iteration, and symmetric
  Relieve stiffness;     // K x
  Relieve following;     // how the loads change as their surfaces move by x
};

// K: the stiffness; Kg: that of the stresses of u less what loads follow. The eigenvalues are those
// of a block Krylov space of K^-1 Kg from what the stresses do to u and from a random shape, which
// also finds the modes that u has no part of; it grows until the largest settles, else nothing is
// known. u + du with (K + Kg) (u + du) = K u is taken from the same space. K x is the product and
// not the residual of a rough solve, which leaves a large part of the soft shapes of a slender body
// and would raise the eigenvalues.
Buckling MeasureBuckling(const Geometric& geometric, const Values& u, int dimension,
                         const StabilityOperators& of);

// The change of displacements of a part that `times` its load is sure not to buckle; none where
// that is not known. Sure is what takes no solution: K - times A, with A = -Kg and what the loads
// follow, is positive definite where conjugate gradients on it, from a random load, reduce the
// residual by far and meet no direction without stiffness. Until they do they leave all that the
// load has of a shape with a negative eigenvalue, and more (the polynomial of the residual is a
// product of 1 - x / theta over positive Ritz values theta; Kuczynski and Wozniakowski, SIAM J.
// Matrix Anal. Appl. 13, 1992, on random starts).
std::optional<double> ChangeFarFromBuckling(const Geometric& geometric, const Values& u,
                                            int dimension, const StabilityOperators& of,
                                            double times);

struct BucklingModes {
  EigenModes modes;     // theta: one over the load factor
  double reversed = 0;  // the largest theta of the reversed load, 0 where it only stiffens
};

// The `count` largest theta above `least` and their shapes, of a block Krylov space as above;
// fewer where there are no more. Eigenvalues near 0, of which there is no end, are not waited
// for.
BucklingModes FindBuckling(const Geometric& geometric, const Values& u,
                           const StabilityOperators& of, int count, double least);

}  // namespace atelier
