#include "kinematics.hpp"

#include <algorithm>
#include <cmath>

#include "displacement_gradient.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr double kNegligible = 0.01;  // of the strain energy

// G = H^T H / 2: the part of Green's strain that is not linear in u.
Tensor Quadratic(const Tensor& h) {
  Tensor g;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      for (int j = 0; j < 3; j++) g.a[i][k] += 0.5 * h.a[j][i] * h.a[j][k];
    }
  }
  return g;
}

}  // namespace

Kinematics MeasureKinematics(const NodalSpace& space, const Values& u, const Lame& lame,
                             const InitialStrain& initial, double energy, const Relieve& relieve) {
  const int dim = space.Dimension();
  const ElementKernel kernel(space, 4 * space.Order() - 3);
  std::vector<std::pair<double, double>> strain, rotation;
  Values load(u.size(), 0.0);
  double third = 0, fourth = 0;
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    double volume = 0, squared_strain = 0, squared_angle = 0;
    for (int q = 0; q < s.points; q++) {
      const double w = s.measure[q];
      const Tensor h = DisplacementGradient(dim, s, q, u), linear = Symmetric(h), g = Quadratic(h);
      const Tensor stress = Stress(g, lame.lambda[e], lame.mu[e]);
      const double size2 = Product(linear, linear);
      volume += w;
      const Tensor elastic = Sum(linear, -1, initial.Strain(e, s, q));
      const Tensor acting = ElasticStress(linear, lame, e, s, q, initial);
      squared_strain += w * Product(elastic, elastic);
      // |H|^2 = |strain|^2 + 2 angle^2
      squared_angle += 0.5 * w * std::max(0.0, Product(h, h) - size2);
      third += w * Product(acting, g);
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
