// Vectors in space of points and directions in one, two or three dimensions.
#pragma once

#include <Eigen/Dense>
#include <mfem.hpp>
#include <vector>

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

}  // namespace atelier
