#include "initial_strain.hpp"

#include <cmath>

namespace atelier {

double InitialStrain::Largest() const {
  double most = 0;
  for (const Tensor& t : stress_) {
    for (const auto& row : t.a) {
      for (double s : row) most = std::max(most, std::abs(s));
    }
  }
  return most;
}

void InitialStrain::Add(const Lame& lame, int e, const Tensor& strain) {
  strain_.resize(lame.mu.size());
  stress_.resize(lame.mu.size());
  strain_[e] = Sum(strain_[e], 1, strain);
  stress_[e] = atelier::Stress(strain_[e], lame.lambda[e], lame.mu[e]);
}

void InitialStrain::Add(const InitialStrain& other) {
  strain_.resize(std::max(strain_.size(), other.strain_.size()));
  stress_.resize(strain_.size());
  for (size_t e = 0; e < other.strain_.size(); e++) {
    strain_[e] = Sum(strain_[e], 1, other.strain_[e]);
    stress_[e] = Sum(stress_[e], 1, other.stress_[e]);
  }
}

Tensor ElasticStress(const Tensor& strain, const Lame& lame, int e, const InitialStrain& initial) {
  return Sum(Stress(strain, lame.lambda[e], lame.mu[e]), -1, initial.Stress(e));
}

void AddInitialLoad(const NodalSpace& space, const InitialStrain& initial, Values& load) {
  if (!initial.Any()) return;
  const int dim = space.Dimension();
  const ElementKernel kernel(space, GradientDegree(space));
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    const Tensor& stress = initial.Stress(e);
    for (int q = 0; q < s.points; q++) {
      for (int a = 0; a < s.dofs; a++) {
        const double* shape = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
        double* to = &load[static_cast<size_t>(s.dof[a]) * dim];
        for (int i = 0; i < dim; i++) {
          for (int k = 0; k < dim; k++) to[i] += s.measure[q] * stress.a[i][k] * shape[k];
        }
      }
    }
  });
}

double ElasticEnergy(const NodalSpace& space, const Values& u, const Lame& lame,
                     const InitialStrain& initial) {
  const int dim = space.Dimension();
  const ElementKernel kernel(space, GradientDegree(space) + 2);
  double sum = 0;
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      const Tensor strain = Symmetric(DisplacementGradient(dim, s, q, u));
      const Tensor elastic = Sum(strain, -1, initial.Strain(e));
      sum += 0.5 * s.measure[q] * Product(elastic, ElasticStress(strain, lame, e, initial));
    }
  });
  return sum;
}

}  // namespace atelier
