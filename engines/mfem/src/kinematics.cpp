#include "kinematics.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "displacement_gradient.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr double kNegligible = 0.01;  // of the strain energy
constexpr int kMostParts = 8;         // of integrals by thread, which take memory

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

// A solved part.
struct Deflected {
  const NodalSpace& space;
  const Values& u;
  const Lame& lame;
  const InitialStrain& initial;
};

// What elements add to integrals over the part.
struct Integrals {
  Values load;  // that undoes the stresses of G
  double third = 0, fourth = 0;
};

// The strain and the rotation of an element, in the mean square.
std::pair<double, double> AddElement(const Deflected& d, int e, const LocalShapes& s,
                                     Integrals& sums) {
  const int dim = d.space.Dimension();
  double volume = 0, squared_strain = 0, squared_angle = 0;
  for (int q = 0; q < s.points; q++) {
    const double w = s.measure[q];
    const Tensor h = DisplacementGradient(dim, s, q, d.u), linear = Symmetric(h), g = Quadratic(h);
    const Tensor stress = Stress(g, d.lame.lambda[e], d.lame.mu[e]);
    const double size2 = Product(linear, linear);
    volume += w;
    const Tensor elastic = Sum(linear, -1, d.initial.Strain(e, s, q));
    const Tensor acting = ElasticStress(linear, d.lame, e, s, q, d.initial);
    squared_strain += w * Product(elastic, elastic);
    // |H|^2 = |strain|^2 + 2 angle^2
    squared_angle += 0.5 * w * std::max(0.0, Product(h, h) - size2);
    sums.third += w * Product(acting, g);
    sums.fourth += 0.5 * w * Product(stress, g);
    for (int a = 0; a < s.dofs; a++) {
      const double* shape = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
      for (int i = 0; i < dim; i++) {
        for (int k = 0; k < dim; k++)
          sums.load[static_cast<size_t>(s.dof[a]) * dim + i] -= w * stress.a[i][k] * shape[k];
      }
      if (!s.hoop.empty())
        sums.load[static_cast<size_t>(s.dof[a]) * dim] -=
            w * stress.a[2][2] * s.hoop[static_cast<size_t>(q) * s.dofs + a];
    }
  }
  return {std::sqrt(squared_strain / volume), std::sqrt(squared_angle / volume)};
}

}  // namespace

Kinematics MeasureKinematics(const NodalSpace& space, const Values& u, const Lame& lame,
                             const InitialStrain& initial, double energy, const Relieve& relieve) {
  const Deflected d = {space, u, lame, initial};
  const ElementKernel kernel(space, 4 * space.Order() - 3);
  std::vector<std::pair<double, double>> strain(space.Elements()), rotation(space.Elements());
  const int threads = std::min(omp_get_max_threads(), kMostParts);
  std::vector<Integrals> parts(threads);  // added up in order: the same each time
#pragma omp parallel num_threads(threads)
  {
    Integrals& mine = parts[omp_get_thread_num()];
    mine.load.assign(u.size(), 0.0);
    LocalShapes s;
#pragma omp for schedule(static)
    for (int e = 0; e < space.Elements(); e++) {
      kernel.Evaluate(e, s);
      double volume = 0;
      for (double w : s.measure) volume += w;
      const auto [stretch, turn] = AddElement(d, e, s, mine);
      strain[e] = {stretch, volume};
      rotation[e] = {turn, volume};
    }
  }
  Values load(u.size(), 0.0);
  double third = 0, fourth = 0;
  for (const Integrals& part : parts) {
    if (!part.load.empty()) Axpy(1, part.load, load);
    third += part.third;
    fourth += part.fourth;
  }
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
