#include "direct_solver.hpp"

#include <cmath>
#include <new>

#include "krylov.hpp"

namespace atelier {
namespace {

constexpr int kMostRefinements = 4;
constexpr double kBackwardError = 1e-13;
constexpr double kRounding = 1e-15;  // a backward error that refinement hardly lowers
// Operations of a factorisation in the time in which an iteration passes an entry of the
// matrix (measured on tetrahedra and thin plates, on one thread: 112 to 159).
constexpr double kOperationsPerEntry = 120;
// Time of a solution with one refinement, of an entry of the factors for one of the matrix in an
// iteration (measured on the same: 0.6 to 0.7).
constexpr double kPassesOfEntries = 0.6;

double LargestRowSum(const BlockCsr& a) {
  double most = 0;
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < a.graph->Nodes(); i++) {
    for (int r = 0; r < a.block; r++) {
      double sum = 0;
      for (int k = 0; k < a.graph->Length(i) * a.block; k++) sum += std::abs(a.Row(i, r)[k]);
      most = std::max(most, sum);
    }
  }
  return most;
}

}  // namespace

std::unique_ptr<DirectSolver> DirectSolver::Plan(const BlockCsr& a) {
  try {
    std::unique_ptr<DirectSolver> solver(new DirectSolver(a));
    solver->factors_ = SymmetricFactors::Analyse(a, SymmetricFactors::Kind::kPositiveDefinite);
    if (!solver->factors_) return nullptr;
    solver->norm_ = LargestRowSum(a);
    return solver;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::unique_ptr<DirectSolver> DirectSolver::Make(const BlockCsr& a) {
  auto solver = Plan(a);
  if (!solver || solver->Factorise() != SymmetricFactors::Outcome::kDone) return nullptr;
  return solver;
}

double DirectSolver::Cost() const {
  return factors_->Operations() / (kOperationsPerEntry * static_cast<double>(a_->val.size()));
}

double DirectSolver::CostOfSolve() const {
  return kPassesOfEntries * factors_->Entries() / static_cast<double>(a_->val.size());
}

SymmetricFactors::Outcome DirectSolver::Factorise() {
  try {
    return factors_->Factorise(*a_);
  } catch (const std::bad_alloc&) {
    return SymmetricFactors::Outcome::kTooLarge;
  }
}

void DirectSolver::Solve(const BlockCsr& a, const Values& b, Values& x, SolveReport& report) const {
  const double right = Largest(b);
  Values product, rest, refined = b;
  factors_->Solve(refined);
  report.backward_error = INFINITY;
  // Refinement ends where it no longer halves the error.
  for (int i = 0; i <= kMostRefinements; i++) {
    a.Multiply(refined, product);
    Values left = b;
    Axpy(-1, product, left);
    const double error = Largest(left) / (norm_ * Largest(refined) + right);
    if (!(error < report.backward_error)) break;
    const bool settled = error > 0.5 * report.backward_error || error <= kRounding;
    x = refined;
    rest = std::move(left);
    report.backward_error = error;
    if (settled || i == kMostRefinements) break;
    Values step = rest;
    factors_->Solve(step);
    Axpy(1, step, refined);
  }
  report.direct = true;
  report.factor_entries = factors_->Entries();
  report.residual = rest.empty() ? INFINITY : Norm2(rest) / Norm2(b);
  report.converged = report.backward_error <= kBackwardError;
}

}  // namespace atelier
