// Two-level p-multigrid in single precision: Chebyshev on order 2, AMG on order 1.
#pragma once

#include <memory>

#include "amg.hpp"
#include "spd_solver.hpp"

namespace atelier {

using Floats = std::vector<float>;

class PMultigrid : public Preconditioner {
 public:
  // The AMG is that of the matrix `linear`.
  PMultigrid(const NodalSpace& fine, const BlockCsr& a, const Constraints& fixed,
             const NodalSpace& coarse, std::unique_ptr<Amg> amg, const Constraints& coarse_fixed,
             const BlockCsr& linear);
  void Apply(const Values& r, Values& z) override;

 private:
  void MakeProlongation(const NodalSpace& fine, const NodalSpace& coarse);
  void EstimateLargestEigenvalue();
  void Multiply(const Floats& x, Floats& y) const;
  void Smooth(const Floats& b, Floats& x, bool from_zero);
  void CoarseCorrection(const Floats& b, Floats& x);

  std::shared_ptr<const NodeGraph> graph_;
  int block_;
  size_t unknowns_;
  double scale_;  // the fine matrix was multiplied by this
  Floats val_, inverse_diagonal_;
  std::vector<char> fixed_, coarse_fixed_;
  std::vector<Slanted> slanted_, coarse_slanted_;
  double largest_eigenvalue_ = 1;
  // Prolongation from the linear nodes, by fine node, and its transpose.
  std::vector<size_t> up_ptr_, down_ptr_;
  std::vector<int> up_col_, down_col_;
  Floats up_weight_, down_weight_;
  std::unique_ptr<Amg> amg_;
  Floats b_, x_, t_, d_, coarse_b_, coarse_x_, before_;
};

}  // namespace atelier
