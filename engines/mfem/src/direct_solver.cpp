#include "direct_solver.hpp"

#include <Eigen/SparseCholesky>
#include <cmath>
#include <new>

namespace atelier {
namespace {

constexpr size_t kMostUnknowns = 200000;
constexpr int kRefinements = 3;
constexpr double kBackwardError = 1e-13;

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor>;

}  // namespace

// Row (i, r) of the symmetric matrix becomes its column.
Matrix LowerTriangle(const BlockCsr& a) {
  const int n = static_cast<int>(a.Size()), block = a.block;
  Matrix m(n, n);
  std::vector<int> length(n, 0);
  for (int i = 0; i < a.graph->Nodes(); i++) {
    for (int r = 0; r < block; r++) length[i * block + r] = a.graph->Length(i) * block;
  }
  m.reserve(length);
  for (int i = 0; i < a.graph->Nodes(); i++) {
    for (int r = 0; r < block; r++) {
      const double* row = a.Row(i, r);
      for (int k = 0; k < a.graph->Length(i); k++) {
        const int j = a.graph->col[a.graph->ptr[i] + k];
        for (int c = 0; c < block; c++) {
          const int to = j * block + c, from = i * block + r;
          if (to >= from && row[k * block + c] != 0) m.insert(to, from) = row[k * block + c];
        }
      }
    }
  }
  m.makeCompressed();
  return m;
}

struct DirectSolver::Factors {
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower> ldlt;
  double norm = 0;  // largest absolute row sum of the matrix
};

DirectSolver::DirectSolver() : factors_(std::make_unique<Factors>()) {}
DirectSolver::~DirectSolver() = default;

std::unique_ptr<DirectSolver> DirectSolver::Make(const BlockCsr& a) {
  if (a.Size() > kMostUnknowns) return nullptr;
  try {
    std::unique_ptr<DirectSolver> solver(new DirectSolver);
    const Matrix lower = LowerTriangle(a);
    solver->factors_->ldlt.compute(lower);
    if (solver->factors_->ldlt.info() != Eigen::Success) return nullptr;
    if (solver->factors_->ldlt.vectorD().minCoeff() <= 0) return nullptr;
    for (size_t u = 0; u < a.Size(); u++) {
      const int node = static_cast<int>(u) / a.block, r = static_cast<int>(u) % a.block;
      double sum = 0;
      for (int k = 0; k < a.graph->Length(node) * a.block; k++) sum += std::abs(a.Row(node, r)[k]);
      solver->factors_->norm = std::max(solver->factors_->norm, sum);
    }
    return solver;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void DirectSolver::Solve(const BlockCsr& a, const Values& b, Values& x, SolveReport& report) const {
  const Eigen::Index n = static_cast<Eigen::Index>(b.size());
  const Eigen::Map<const Eigen::VectorXd> right(b.data(), n);
  Eigen::Map<Eigen::VectorXd> solution(x.data(), n);
  Values product(b.size());
  Eigen::Map<Eigen::VectorXd> ax(product.data(), n);
  solution = factors_->ldlt.solve(right);
  for (int i = 0; i < kRefinements; i++) {
    a.Multiply(x, product);
    const Eigen::VectorXd rest = right - ax;
    solution += factors_->ldlt.solve(rest);
  }
  a.Multiply(x, product);
  const double rest = (right - ax).lpNorm<Eigen::Infinity>();
  report.direct = true;
  report.residual = (right - ax).norm() / right.norm();
  report.backward_error = rest / (factors_->norm * solution.lpNorm<Eigen::Infinity>() +
                                  right.lpNorm<Eigen::Infinity>());
  report.converged = report.backward_error <= kBackwardError;
}

}  // namespace atelier
