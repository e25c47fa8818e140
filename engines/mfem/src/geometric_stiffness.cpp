#include "geometric_stiffness.hpp"

namespace atelier {
namespace {

// Adds int sigma : grad v^T grad w of one component, stress by rows and columns times the weight.
void AddPoint(int dim, const LocalShapes& s, int q, const Tensor& stress, double* m) {
  const double* shape = &s.gradient[static_cast<size_t>(q) * s.dofs * dim];
  for (int a = 0; a < s.dofs; a++) {
    double flux[3] = {};
    for (int k = 0; k < dim; k++) {
      for (int l = 0; l < dim; l++) flux[k] += s.measure[q] * shape[a * dim + l] * stress.a[l][k];
    }
    for (int b = 0; b < s.dofs; b++) {
      for (int k = 0; k < dim; k++) m[a * s.dofs + b] += flux[k] * shape[b * dim + k];
    }
  }
}

template <int D>
void SubtractProduct(const BlockCsr& m, double factor, const Values& v, Values& y) {
  const NodeGraph& g = *m.graph;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < g.Nodes(); i++) {
    double sum[D] = {};
    for (size_t p = g.ptr[i]; p < g.ptr[i + 1]; p++) {
      const double* z = &v[static_cast<size_t>(g.col[p]) * D];
      for (int c = 0; c < D; c++) sum[c] += m.val[p] * z[c];
    }
    for (int c = 0; c < D; c++) y[static_cast<size_t>(i) * D + c] -= factor * sum[c];
  }
}

}  // namespace

Geometric::Geometric(const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                     const Values& u, const Lame& lame, const InitialStrain& initial)
    : dimension_(space.Dimension()), scalar_(std::move(graph), 1) {
  const ElementKernel kernel(space, GradientDegree(space) + space.Order() - 1);
  AddElementMatrices(space, kernel, scalar_, [&](int e, const LocalShapes& s, double* m) {
    for (int q = 0; q < s.points; q++) {
      const Tensor strain = Symmetric(DisplacementGradient(dimension_, s, q, u));
      AddPoint(dimension_, s, q, ElasticStress(strain, lame, e, s, q, initial), m);
    }
  });
}

Values Geometric::operator()(const Values& v) const {
  Values out(v.size(), 0.0);
  Subtract(1, v, out);
  return out;
}

void Geometric::Subtract(double factor, const Values& v, Values& y) const {
  switch (dimension_) {
    case 1:
      return SubtractProduct<1>(scalar_, factor, v, y);
    case 2:
      return SubtractProduct<2>(scalar_, factor, v, y);
    default:
      return SubtractProduct<3>(scalar_, factor, v, y);
  }
}

void Geometric::AddTo(BlockCsr& a, double factor) const {
  const NodeGraph& g = *a.graph;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < g.Nodes(); i++) {
    for (int c = 0; c < a.block; c++) {
      double* row = a.Row(i, c);
      for (int k = 0; k < g.Length(i); k++)
        row[k * a.block + c] += factor * scalar_.val[g.ptr[i] + k];
    }
  }
}

}  // namespace atelier
