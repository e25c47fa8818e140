// Vectors in space, and the rigid motions of a part, in one, two or three dimensions.
#pragma once

#include <Eigen/Dense>
#include <mfem.hpp>
#include <vector>

#include "domain.hpp"

namespace atelier {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

inline Vector3 Spatial(const std::vector<double>& v) {
  Vector3 out = Vector3::Zero();
  for (size_t k = 0; k < v.size(); k++) out[static_cast<int>(k)] = v[k];
  return out;
}

inline Vector3 Spatial(const mfem::Vector& v) {
  Vector3 out = Vector3::Zero();
  for (int k = 0; k < v.Size(); k++) out[k] = v(k);
  return out;
}

// Component c of rigid motion k at a point: translations, then turns.
inline double RigidMotion(int dim, int k, int c, const double* x) {
  if (k < dim) return k == c ? 1 : 0;
  if (dim == 2) return c == 0 ? -x[1] : x[0];
  const int i = (k - 3 + 1) % 3, j = (k - 3 + 2) % 3;
  return c == i ? -x[j] : c == j ? x[i] : 0;
}

// How fast each rigid motion about the middle of the part moves a place along a direction.
inline Eigen::VectorXd RigidMotions(const Domain& domain, const double* place,
                                    const double* direction) {
  const int dim = domain.Dimension(), all = dim == 3 ? 6 : dim == 2 ? 3 : 1;
  double x[3] = {};
  for (int c = 0; c < dim; c++)
    x[c] = (place[c] - (domain.low[c] + domain.high[c]) / 2) / (domain.Diagonal() / 2);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(all);
  for (int k = 0; k < all; k++) {
    for (int c = 0; c < dim; c++) out[k] += direction[c] * RigidMotion(dim, k, c, x);
  }
  return out;
}

}  // namespace atelier
