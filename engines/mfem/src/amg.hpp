// Algebraic multigrid by smoothed aggregation, as a preconditioner in single
// precision (Vanek, Mandel, Brezina, Computing 56, 1996): the near-nullspace is
// the constant for diffusion and the rigid-body motions for elasticity.
#pragma once

#include <memory>

#include "block_csr.hpp"

namespace atelier {

class Amg {
 public:
  virtual ~Amg() = default;
  // z ~ A^-1 r
  virtual void Apply(const std::vector<float>& r, std::vector<float>& z) = 0;
  virtual int Levels() const = 0;
};

// For a symmetric positive definite matrix with the nodes' coordinates as in
// NodalSpace; a.block 1 is diffusion, 2 and 3 are displacements. cycles: 1 is a
// V-cycle, 2 a W-cycle. Unknowns of which only the diagonal is left (Clamp) stay
// out of the coarse levels, and what constraints hold of slanted nodes.
std::unique_ptr<Amg> MakeAmg(const BlockCsr& a, const Values& coordinates, int cycles,
                             const Constraints* constraints = nullptr);

}  // namespace atelier
