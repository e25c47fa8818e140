// Matrices and vectors of the weak forms, assembled by threads without locks.
#pragma once

#include <omp.h>

#include <functional>

#include "block_csr.hpp"

namespace atelier {

// Adds element matrices: fill(e, local, m) sets m[((a * dofs + b) * block + r) *
// block + c]. Every thread owns a range of rows and computes the elements that
// touch it, so the sum has one order and the result is the same in every run.
template <class Fill>
void AddElementMatrices(const NodalSpace& space, const ElementKernel& kernel, BlockCsr& a,
                        Fill fill) {
  const NodeGraph& g = *a.graph;
  const int nodes = g.Nodes(), block = a.block;
#pragma omp parallel
  {
    const long threads = omp_get_num_threads(), t = omp_get_thread_num();
    const int first = static_cast<int>(t * nodes / threads);
    const int last = static_cast<int>((t + 1) * nodes / threads);
    auto mine = [&](int node) { return node >= first && node < last; };
    LocalShapes local;
    std::vector<double> m;
    for (int e = 0; e < space.Elements(); e++) {
      const int* dofs = space.Dofs(e);
      const int count = space.Count(e);
      if (!std::any_of(dofs, dofs + count, mine)) continue;
      kernel.Evaluate(e, local);
      m.assign(static_cast<size_t>(count) * count * block * block, 0.0);
      fill(e, local, m.data());
      for (int i = 0; i < count; i++) {
        if (!mine(dofs[i])) continue;
        for (int j = 0; j < count; j++) {
          const int k = g.Find(dofs[i], dofs[j]);
          const double* from = &m[static_cast<size_t>(i * count + j) * block * block];
          for (int r = 0; r < block; r++) {
            double* to = a.Row(dofs[i], r) + k * block;
            for (int c = 0; c < block; c++) to[c] += from[r * block + c];
          }
        }
      }
    }
  }
}

// Lame's parameters by element, Pa.
struct Lame {
  Values lambda, mu;
  bool plane_stress = false;  // lambda makes the formulas of plane strain give plane stress

  double Nu(int e) const {
    return lambda[e] / (plane_stress ? lambda[e] + 2 * mu[e] : 2 * (lambda[e] + mu[e]));
  }
  double Young(int e) const { return 2 * mu[e] * (1 + Nu(e)); }
};

// int lambda div u div v + 2 mu eps(u):eps(v); block = dimension.
BlockCsr AssembleElasticity(const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                            const Lame& lame);
// int density u . v; block = dimension.
BlockCsr AssembleMass(const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                      const Values& density);
// a += int (diffusion grad u . grad v + mass u v), coefficients by element.
void AddDiffusionMass(const NodalSpace& space, const Values& diffusion, const Values& mass,
                      BlockCsr& a);
// A coefficient at point q of element e, whose shapes there are s.
using PointCoefficient = std::function<double(int e, const LocalShapes& s, int q)>;
// The same with coefficients by point of a rule of this degree.
void AddDiffusionMass(const NodalSpace& space, int degree, const PointCoefficient& diffusion,
                      const PointCoefficient& mass, BlockCsr& a);
// b += int f . v with a constant f per element: [e * components + c].
void AddBodyLoad(const NodalSpace& space, int components, const Values& f, Values& b);

// Calls visit(e, local) for every element, in one thread and in order.
template <class Visit>
void ForEachElement(const NodalSpace& space, const ElementKernel& kernel, Visit visit) {
  LocalShapes local;
  for (int e = 0; e < space.Elements(); e++) {
    kernel.Evaluate(e, local);
    visit(e, local);
  }
}

// Quadrature degrees: of products of gradients and of shape functions.
int GradientDegree(const NodalSpace& space);
int MassDegree(const NodalSpace& space);

}  // namespace atelier
