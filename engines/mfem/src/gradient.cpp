#include "gradient.hpp"

#include <algorithm>
#include <cmath>

namespace atelier {
namespace {

void ElementFlux(int dim, const LocalShapes& s, int q, const Values& u, double k, double* out) {
  for (int c = 0; c < dim; c++) out[c] = 0;
  for (int a = 0; a < s.dofs; a++) {
    const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
    for (int c = 0; c < dim; c++) out[c] -= k * u[s.dof[a]] * g[c];
  }
}

}  // namespace

double EstimatorFactor(int order) { return order == 1 ? 1.1 : 1.75; }

FluxField RecoverFlux(const NodalSpace& space, const Values& u, const Values& conductivity) {
  const int dim = space.Dimension(), nodes = space.Nodes();
  const ElementKernel at_nodes = ElementKernel::AtNodes(space);
  const ElementKernel at_points(space, MassDegree(space));
  FluxField f;
  f.flux.assign(static_cast<size_t>(nodes) * dim, 0.0);
  f.element_error.assign(space.Elements(), 0.0);
  Values weight(nodes, 0.0);
  LocalShapes s, points;
  for (int e = 0; e < space.Elements(); e++) {
    at_points.Evaluate(e, points);
    double volume = 0;
    for (double w : points.measure) volume += w;
    at_nodes.Evaluate(e, s);
    for (int a = 0; a < s.dofs; a++) {
      double q[3];
      ElementFlux(dim, s, a, u, conductivity[e], q);
      weight[s.dof[a]] += volume;
      for (int c = 0; c < dim; c++)
        f.flux[static_cast<size_t>(s.dof[a]) * dim + c] += volume * q[c];
    }
  }
  for (int i = 0; i < nodes; i++) {
    for (int c = 0; c < dim; c++) f.flux[static_cast<size_t>(i) * dim + c] /= weight[i];
  }
  ForEachElement(space, at_points, [&](int e, const LocalShapes& local) {
    double square = 0;
    for (int q = 0; q < local.points; q++) {
      double difference[3];
      ElementFlux(dim, local, q, u, conductivity[e], difference);
      for (int c = 0; c < dim; c++)
        f.energy += local.measure[q] * difference[c] * difference[c] / conductivity[e];
      for (int a = 0; a < local.dofs; a++) {
        const double shape = local.shape[static_cast<size_t>(q) * local.dofs + a];
        for (int c = 0; c < dim; c++)
          difference[c] -= shape * f.flux[static_cast<size_t>(local.dof[a]) * dim + c];
      }
      for (int c = 0; c < dim; c++)
        square += local.measure[q] * difference[c] * difference[c] / conductivity[e];
    }
    f.element_error[e] = std::sqrt(square);
    f.error += square;
  });
  f.error = std::sqrt(f.error);
  return f;
}

double Integral(const NodalSpace& space, const Values& u) {
  const ElementKernel kernel(space, space.Order() + 1);
  double sum = 0;
  ForEachElement(space, kernel, [&](int, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      for (int a = 0; a < s.dofs; a++)
        sum += s.measure[q] * s.shape[static_cast<size_t>(q) * s.dofs + a] * u[s.dof[a]];
    }
  });
  return sum;
}

double BeyondNode(const NodalSpace& space, const Values& field, int node, bool top) {
  constexpr int kSamples =
      8;  // along an edge: they miss 1/64 of what a parabola rises between nodes
  double beyond = 0;
  mfem::Vector shape;
  for (int e = 0; space.Order() > 1 && e < space.Elements(); e++) {
    const int *first = space.Dofs(e), *last = first + space.Count(e);
    if (std::find(first, last, node) == last) continue;
    shape.SetSize(space.Count(e));
    const mfem::IntegrationRule& points =
        mfem::GlobGeometryRefiner.Refine(space.Mesh().GetElementGeometry(e), kSamples, 1)->RefPts;
    for (int q = 0; q < points.GetNPoints(); q++) {
      space.Element(e).CalcShape(points.IntPoint(q), shape);
      double value = 0;
      for (int a = 0; a < shape.Size(); a++) value += shape(a) * field[first[a]];
      beyond = std::max(beyond, top ? value - field[node] : field[node] - value);
    }
  }
  return 1.05 * beyond;
}

}  // namespace atelier
