#include "kinematics.hpp"

#include <algorithm>
#include <cmath>

namespace atelier {
namespace {

constexpr double kNegligible = 0.01;  // of the strain energy

struct Matrix {
  double a[3][3] = {};
};

// grad u at quadrature point q; zero in the third direction of a plane problem.
Matrix Gradient(int dim, const LocalShapes& s, int q, const Values& u) {
  Matrix h;
  for (int a = 0; a < s.dofs; a++) {
    const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
    const double* v = &u[static_cast<size_t>(s.dof[a]) * dim];
    for (int i = 0; i < dim; i++) {
      for (int k = 0; k < dim; k++) h.a[i][k] += v[i] * g[k];
    }
  }
  return h;
}

// G = H^T H / 2: the part of Green's strain that is not linear in u.
Matrix Quadratic(const Matrix& h) {
  Matrix g;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      for (int j = 0; j < 3; j++) g.a[i][k] += 0.5 * h.a[j][i] * h.a[j][k];
    }
  }
  return g;
}

Matrix Symmetric(const Matrix& h) {
  Matrix e;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) e.a[i][k] = 0.5 * (h.a[i][k] + h.a[k][i]);
  }
  return e;
}

Matrix Stress(const Matrix& strain, double lambda, double mu) {
  const double trace = strain.a[0][0] + strain.a[1][1] + strain.a[2][2];
  Matrix s;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) s.a[i][k] = 2 * mu * strain.a[i][k];
    s.a[i][i] += lambda * trace;
  }
  return s;
}

double Product(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) sum += a.a[i][k] * b.a[i][k];
  }
  return sum;
}

// The value that 99 % of the weight stays below.
double Percentile99(std::vector<std::pair<double, double>>& value_weight) {
  std::sort(value_weight.begin(), value_weight.end());
  double total = 0, sum = 0;
  for (const auto& [v, w] : value_weight) total += w;
  for (const auto& [v, w] : value_weight) {
    sum += w;
    if (sum >= 0.99 * total) return v;
  }
  return 0;
}

}  // namespace

Kinematics MeasureKinematics(const NodalSpace& space, const Values& u, const Lame& lame,
                             double energy, const Relieve& relieve) {
  const int dim = space.Dimension();
  const ElementKernel kernel(space, 4 * space.Order() - 3);
  std::vector<std::pair<double, double>> strain, rotation;
  Values load(u.size(), 0.0);
  double third = 0, fourth = 0;
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    double volume = 0, squared_strain = 0, squared_angle = 0;
    for (int q = 0; q < s.points; q++) {
      const double w = s.measure[q];
      const Matrix h = Gradient(dim, s, q, u), linear = Symmetric(h), g = Quadratic(h);
      const Matrix stress = Stress(g, lame.lambda[e], lame.mu[e]);
      const double size2 = Product(linear, linear);
      volume += w;
      squared_strain += w * size2;
      // |H|^2 = |strain|^2 + 2 angle^2
      squared_angle += 0.5 * w * std::max(0.0, Product(h, h) - size2);
      third += w * Product(Stress(linear, lame.lambda[e], lame.mu[e]), g);
      fourth += 0.5 * w * Product(stress, g);
      for (int a = 0; a < s.dofs; a++) {
        const double* shape = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
        for (int i = 0; i < dim; i++) {
          for (int k = 0; k < dim; k++)
            load[static_cast<size_t>(s.dof[a]) * dim + i] -= w * stress.a[i][k] * shape[k];
        }
      }
    }
    strain.emplace_back(std::sqrt(squared_strain / volume), volume);
    rotation.emplace_back(std::sqrt(squared_angle / volume), volume);
  });
  Kinematics out;
  out.strain = Percentile99(strain);
  out.rotation = Percentile99(rotation);
  if (!(energy > 0)) return out;
  out.stress_stiffening = 1.5 * third / energy;
  if (2 * fourth > kNegligible * energy) {
    const Values x = relieve(load);
    double work = 0;
    for (size_t i = 0; i < x.size(); i++) work += load[i] * x[i];
    fourth = std::max(0.0, fourth - 0.5 * work);
  }
  out.stretching = 2 * fourth / energy;
  return out;
}

}  // namespace atelier
