// Gradients of a displacement field at quadrature points, and the stress of a strain.
#pragma once

#include "assembly.hpp"

namespace atelier {

struct Tensor {
  double a[3][3] = {};
};

// grad u at quadrature point q; in the third direction of a plane problem zero, and of a body of
// revolution the strain around the axis.
inline Tensor DisplacementGradient(int dim, const LocalShapes& s, int q, const Values& u) {
  Tensor h;
  for (int a = 0; a < s.dofs; a++) {
    const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
    const double* v = &u[static_cast<size_t>(s.dof[a]) * dim];
    for (int i = 0; i < dim; i++) {
      for (int k = 0; k < dim; k++) h.a[i][k] += v[i] * g[k];
    }
    if (!s.hoop.empty()) h.a[2][2] += v[0] * s.hoop[static_cast<size_t>(q) * s.dofs + a];
  }
  return h;
}

inline Tensor Symmetric(const Tensor& h) {
  Tensor e;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) e.a[i][k] = 0.5 * (h.a[i][k] + h.a[k][i]);
  }
  return e;
}

// a + factor b.
inline Tensor Sum(const Tensor& a, double factor, const Tensor& b) {
  Tensor s;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) s.a[i][k] = a.a[i][k] + factor * b.a[i][k];
  }
  return s;
}

// a : b.
inline double Product(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) sum += a.a[i][k] * b.a[i][k];
  }
  return sum;
}

// Hooke's law with Lame's parameters, Pa.
inline Tensor Stress(const Tensor& strain, double lambda, double mu) {
  const double trace = strain.a[0][0] + strain.a[1][1] + strain.a[2][2];
  Tensor s;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) s.a[i][k] = 2 * mu * strain.a[i][k];
    s.a[i][i] += lambda * trace;
  }
  return s;
}

}  // namespace atelier
