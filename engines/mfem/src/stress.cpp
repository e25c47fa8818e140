#include "stress.hpp"

#include <algorithm>
#include <cmath>

#include "krylov.hpp"

namespace atelier {
namespace {

// In plane strain s_zz = lambda div u.
void ElementStress(int dim, const LocalShapes& s, int q, const Values& u, const Lame& lame, int e,
                   const InitialStrain& initial, double* out) {
  const Tensor t =
      ElasticStress(Symmetric(DisplacementGradient(dim, s, q, u)), lame, e, s, q, initial);
  for (int i = 0; i < 3; i++) {
    out[i] = t.a[i][i];
    out[3 + i] = t.a[i][(i + 1) % 3];
  }
  if (lame.plane_stress) out[2] = 0;
}

// s : C^-1 : s for an isotropic material. In a plane problem s_zz follows from the
// others, and the moduli may be those of plane stress, for which 3 lambda + 2 mu may
// vanish.
double ComplementaryEnergy(int dim, const double* s, double lambda, double mu) {
  const double shear = 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
  const double plane = s[0] * s[0] + s[1] * s[1] + shear;
  if (dim == 2) {
    const double trace = s[0] + s[1];
    return (plane - lambda / (2 * (lambda + mu)) * trace * trace) / (2 * mu);
  }
  const double trace = s[0] + s[1] + s[2];
  return (plane + s[2] * s[2] - lambda / (3 * lambda + 2 * mu) * trace * trace) / (2 * mu);
}

// Averages over the elements of one kind, the range of von Mises by node, and the least yield
// strength that is known there.
struct Averages {
  Values sum, weight, low, high, yield;

  explicit Averages(int nodes)
      : sum(static_cast<size_t>(nodes) * kStressComponents, 0.0),
        weight(nodes, 0.0),
        low(nodes, INFINITY),
        high(nodes, 0.0),
        yield(nodes, INFINITY) {}
};

// Adds the elements of kind m; on return `average.sum` holds means.
void Average(const NodalSpace& space, const Values& u, const Lame& lame,
             const std::vector<int>& kind, const InitialStrain& initial, int m, const Values& yield,
             const ElementKernel& at_points, StressField& f, Averages& average) {
  const ElementKernel at_nodes = ElementKernel::AtNodes(space);
  LocalShapes s;
  for (int e = 0; e < space.Elements(); e++) {
    if (kind[e] != m) continue;
    at_points.Evaluate(e, s);
    double volume = 0;
    for (double w : s.measure) volume += w;
    at_nodes.Evaluate(e, s);
    for (int a = 0; a < s.dofs; a++) {
      double stress[kStressComponents];
      ElementStress(space.Dimension(), s, a, u, lame, e, initial, stress);
      const int node = s.dof[a];
      average.weight[node] += volume;
      if (!yield.empty() && yield[e] > 0)
        average.yield[node] = std::min(average.yield[node], yield[e]);
      double* sum = &average.sum[static_cast<size_t>(node) * kStressComponents];
      for (int c = 0; c < kStressComponents; c++) sum[c] += volume * stress[c];
      const double vm = VonMises(stress);
      average.low[node] = std::min(average.low[node], vm);
      average.high[node] = std::max(average.high[node], vm);
    }
  }
  for (int i = 0; i < space.Nodes(); i++) {
    f.weight[i] += average.weight[i];
    if (average.weight[i] > 0)
      f.spread[i] = std::max(f.spread[i], average.high[i] - average.low[i]);
    if (average.weight[i] == 0) continue;
    double* mean = &average.sum[static_cast<size_t>(i) * kStressComponents];
    for (int c = 0; c < kStressComponents; c++) mean[c] /= average.weight[i];
    const double vm = VonMises(mean);
    f.utilised[i] = std::max(f.utilised[i], vm / average.yield[i]);
    if (vm < f.von_mises[i]) continue;
    f.von_mises[i] = vm;
    std::copy_n(mean, kStressComponents, &f.tensor[static_cast<size_t>(i) * kStressComponents]);
  }
}

// Energy norm of (mean - element stress) in the elements of kind m.
void EstimateErrors(const NodalSpace& space, const Values& u, const Lame& lame,
                    const std::vector<int>& kind, const InitialStrain& initial, int m,
                    const ElementKernel& at_points, const Averages& average,
                    Values& element_error) {
#pragma omp parallel
  {
    LocalShapes local;
#pragma omp for schedule(static)
    for (int e = 0; e < space.Elements(); e++) {
      if (kind[e] != m) continue;
      at_points.Evaluate(e, local);
      double square = 0;
      for (int q = 0; q < local.points; q++) {
        double difference[kStressComponents];
        ElementStress(space.Dimension(), local, q, u, lame, e, initial, difference);
        for (int a = 0; a < local.dofs; a++) {
          const double shape = local.shape[static_cast<size_t>(q) * local.dofs + a];
          const double* mean = &average.sum[static_cast<size_t>(local.dof[a]) * kStressComponents];
          for (int c = 0; c < kStressComponents; c++) difference[c] -= shape * mean[c];
        }
        square += local.measure[q] *
                  ComplementaryEnergy(space.Dimension(), difference, lame.lambda[e], lame.mu[e]);
      }
      element_error[e] = std::sqrt(square);
    }
  }
}

}  // namespace

double VonMises(const double* s) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return std::sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

double Percentile99(const StressField& s) {
  std::vector<std::pair<double, double>> weighted;
  for (size_t i = 0; i < s.von_mises.size(); i++)
    weighted.emplace_back(s.von_mises[i], s.weight[i]);
  return Percentile99(std::move(weighted));
}

StressField RecoverStress(const NodalSpace& space, const Values& u, const Lame& lame,
                          const std::vector<int>& kind, const InitialStrain& initial,
                          const Values& yield) {
  const int nodes = space.Nodes();
  const ElementKernel at_points(space, GradientDegree(space) + 2);
  StressField f;
  f.tensor.assign(static_cast<size_t>(nodes) * kStressComponents, 0.0);
  f.weight.assign(nodes, 0.0);
  f.von_mises.assign(nodes, 0.0);
  f.utilised.assign(nodes, 0.0);
  f.spread.assign(nodes, 0.0);
  f.element_error.assign(space.Elements(), 0.0);
  const int kinds = 1 + *std::max_element(kind.begin(), kind.end());
  for (int m = 0; m < kinds; m++) {
    Averages average(nodes);
    Average(space, u, lame, kind, initial, m, yield, at_points, f, average);
    EstimateErrors(space, u, lame, kind, initial, m, at_points, average, f.element_error);
  }
  for (double e : f.element_error) f.error += e * e;
  f.error = std::sqrt(f.error);
  return f;
}

}  // namespace atelier
