// Sparse Cholesky factorisation (Eigen's LDL^T), for systems on which the iteration
// stalls: thin parts, whose condition grows with the fourth power of their slenderness.
#pragma once

#include <Eigen/SparseCore>
#include <memory>

#include "spd_solver.hpp"

namespace atelier {

Eigen::SparseMatrix<double> LowerTriangle(const BlockCsr& symmetric);

class DirectSolver {
 public:
  // null where the matrix is too large, or not positive definite.
  static std::unique_ptr<DirectSolver> Make(const BlockCsr& a);
  ~DirectSolver();
  // Solves with iterative refinement, and reports as SpdSolver does.
  void Solve(const BlockCsr& a, const Values& b, Values& x, SolveReport& report) const;

 private:
  struct Factors;
  DirectSolver();
  std::unique_ptr<Factors> factors_;
};

}  // namespace atelier
