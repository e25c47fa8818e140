// The direct solution of an Oseen system, for the steps on which the iteration
// does not get there.
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include "flow_operators.hpp"

namespace atelier {

bool OseenSolver::SolveDirect(const Values& load, Values& u, Values& p) const {
  const NodeGraph& g = *momentum_.graph;
  const int d = dimension_, offset = static_cast<int>(velocity_unknowns_);
  const int n = offset + static_cast<int>(pressure_unknowns_);
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  for (int i = 0; i < g.Nodes(); i++) {
    for (int c = 0; c < d; c++) {
      const int row = i * d + c;
      if (nodes_->fixed[i]) {
        entries.emplace_back(row, row, 1.0);
        b[row] = u[row];
        continue;
      }
      b[row] = load[row];
      for (size_t k = g.ptr[i]; k < g.ptr[i + 1]; k++)
        entries.emplace_back(row, g.col[k] * d + c, momentum_.val[k]);
      for (size_t k = divergence_.transposed_ptr[i]; k < divergence_.transposed_ptr[i + 1]; k++) {
        entries.emplace_back(row, offset + divergence_.transposed_col[k],
                             -divergence_.transposed_val[k * d + c]);
      }
    }
  }
  for (int i = 0; i < static_cast<int>(pressure_unknowns_); i++) {
    if (Enclosed() && i == 0) {  // one pressure is free to choose
      entries.emplace_back(offset, offset, 1.0);
      continue;
    }
    for (size_t k = divergence_.ptr[i]; k < divergence_.ptr[i + 1]; k++) {
      for (int c = 0; c < d; c++)
        entries.emplace_back(offset + i, divergence_.col[k] * d + c, -divergence_.val[k * d + c]);
    }
  }
  Eigen::SparseMatrix<double> a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
  lu.compute(a);
  if (lu.info() != Eigen::Success) return false;
  const Eigen::VectorXd x = lu.solve(b);
  if (lu.info() != Eigen::Success || !x.allFinite()) return false;
  for (int i = 0; i < offset; i++) u[i] = x[i];
  double mean = 0, volume = 0;
  for (size_t i = 0; i < pressure_unknowns_; i++) {
    p[i] = x[offset + static_cast<int>(i)];
    mean += pressure_mass_[i] * p[i];
    volume += pressure_mass_[i];
  }
  if (Enclosed()) {
    for (double& v : p) v -= mean / volume;
  }
  return true;
}

}  // namespace atelier
