// Factorisation of symmetric positive definite systems, for those on which the iteration
// stalls: thin parts, whose condition grows with the fourth power of their slenderness.
#pragma once

#include <memory>

#include "spd_solver.hpp"
#include "symmetric_factors.hpp"

namespace atelier {

class DirectSolver {
 public:
  // Orders the matrix, which the caller keeps, and weighs what its factors take; null where
  // that fails.
  static std::unique_ptr<DirectSolver> Plan(const BlockCsr& a);
  // Planned and factorised; null where the matrix is too large, or not positive definite.
  static std::unique_ptr<DirectSolver> Make(const BlockCsr& a);

  // Time of the factorisation, in preconditioned iterations on the same matrix.
  double Cost() const;
  // The same of a solution.
  double CostOfSolve() const;
  double Entries() const { return factors_->Entries(); }
  double Bytes() const { return factors_->Bytes(); }
  SymmetricFactors::Outcome Factorise();
  // Solves with iterative refinement, and reports as SpdSolver does.
  void Solve(const BlockCsr& a, const Values& b, Values& x, SolveReport& report) const;

 private:
  explicit DirectSolver(const BlockCsr& a) : a_(&a) {}
  const BlockCsr* a_;
  std::unique_ptr<SymmetricFactors> factors_;
  double norm_ = 0;  // largest absolute row sum of the matrix
};

}  // namespace atelier
