#include "stress.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "krylov.hpp"

namespace atelier {
namespace {

constexpr int kMostParts = 8;  // of sums by thread, which take memory

// In plane strain s_zz = lambda div u; of a body of revolution it is the stress around the axis.
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

  void Add(int node, double volume, const double* stress, double vm) {
    weight[node] += volume;
    double* to = &sum[static_cast<size_t>(node) * kStressComponents];
    for (int c = 0; c < kStressComponents; c++) to[c] += volume * stress[c];
    low[node] = std::min(low[node], vm);
    high[node] = std::max(high[node], vm);
  }
  void Add(const Averages& other) {
    Axpy(1, other.sum, sum);
    Axpy(1, other.weight, weight);
    for (size_t i = 0; i < low.size(); i++) {
      low[i] = std::min(low[i], other.low[i]);
      high[i] = std::max(high[i], other.high[i]);
      yield[i] = std::min(yield[i], other.yield[i]);
    }
  }
};

// A displacement whose stresses are wanted.
struct Displaced {
  const NodalSpace& space;
  const Values& u;
  const Lame& lame;
  const std::vector<int>& kind;
  const InitialStrain& initial;
  bool uniform;  // within each element

  void Stress(const LocalShapes& s, int q, int e, double* out) const {
    ElementStress(space.Dimension(), s, q, u, lame, e, initial, out);
  }
};

// The sums over the elements of kind m, which threads share: added up in the order of these,
// so that the result is the same each time.
Averages Sum(const Displaced& d, int m, const Values& yield, const ElementKernel& at_points) {
  const ElementKernel at_nodes = ElementKernel::AtNodes(d.space);
  const int threads = std::min(omp_get_max_threads(), kMostParts);
  std::vector<std::unique_ptr<Averages>> parts(threads);
#pragma omp parallel num_threads(threads)
  {
    auto& mine = parts[omp_get_thread_num()];
    mine = std::make_unique<Averages>(d.space.Nodes());
    LocalShapes s;
#pragma omp for schedule(static)
    for (int e = 0; e < d.space.Elements(); e++) {
      if (d.kind[e] != m) continue;
      const double volume = at_points.Measure(e);
      at_nodes.Evaluate(e, s);
      double stress[kStressComponents], vm = 0;
      for (int a = 0; a < s.dofs; a++) {
        if (a == 0 || !d.uniform) {
          d.Stress(s, a, e, stress);
          vm = VonMises(stress);
        }
        mine->Add(s.dof[a], volume, stress, vm);
        if (!yield.empty() && yield[e] > 0)
          mine->yield[s.dof[a]] = std::min(mine->yield[s.dof[a]], yield[e]);
      }
    }
  }
  for (size_t t = 1; t < parts.size(); t++) {
    if (parts[t]) parts[0]->Add(*parts[t]);
  }
  return std::move(*parts[0]);
}

// Takes the means over the elements of a kind into the field; the sums become means.
void TakeMeans(StressField& f, Averages& average) {
  for (size_t i = 0; i < average.weight.size(); i++) {
    f.weight[i] += average.weight[i];
    if (average.weight[i] > 0)
      f.spread[i] = std::max(f.spread[i], average.high[i] - average.low[i]);
    if (average.weight[i] == 0) continue;
    double* mean = &average.sum[i * kStressComponents];
    for (int c = 0; c < kStressComponents; c++) mean[c] /= average.weight[i];
    const double vm = VonMises(mean);
    f.utilised[i] = std::max(f.utilised[i], vm / average.yield[i]);
    if (vm < f.von_mises[i]) continue;
    f.von_mises[i] = vm;
    std::copy_n(mean, kStressComponents, &f.tensor[i * kStressComponents]);
  }
}

// Energy norm of (mean - element stress) in the elements of kind m.
void EstimateErrors(const Displaced& d, int m, const ElementKernel& at_points,
                    const Averages& average, Values& element_error) {
  const int components = d.space.Axisymmetric() ? 3 : d.space.Dimension();
#pragma omp parallel
  {
    LocalShapes local;
#pragma omp for schedule(static)
    for (int e = 0; e < d.space.Elements(); e++) {
      if (d.kind[e] != m) continue;
      at_points.Evaluate(e, local);
      double square = 0, stress[kStressComponents];
      for (int q = 0; q < local.points; q++) {
        if (q == 0 || !d.uniform) d.Stress(local, q, e, stress);
        double difference[kStressComponents];
        std::copy_n(stress, kStressComponents, difference);
        for (int a = 0; a < local.dofs; a++) {
          const double shape = local.shape[static_cast<size_t>(q) * local.dofs + a];
          const double* mean = &average.sum[static_cast<size_t>(local.dof[a]) * kStressComponents];
          for (int c = 0; c < kStressComponents; c++) difference[c] -= shape * mean[c];
        }
        square += local.measure[q] *
                  ComplementaryEnergy(components, difference, d.lame.lambda[e], d.lame.mu[e]);
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
  const bool uniform =
      space.Order() == 1 && space.StraightSimplices() && !initial.Varies() && !space.Axisymmetric();
  const Displaced d = {space, u, lame, kind, initial, uniform};
  for (int m = 0; m < kinds; m++) {
    Averages average = Sum(d, m, yield, at_points);
    TakeMeans(f, average);
    EstimateErrors(d, m, at_points, average, f.element_error);
  }
  for (double e : f.element_error) f.error += e * e;
  f.error = std::sqrt(f.error);
  return f;
}

}  // namespace atelier
