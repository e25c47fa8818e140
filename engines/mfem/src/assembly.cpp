#include "assembly.hpp"

#include <Eigen/Dense>

#include "axisymmetric.hpp"

namespace atelier {
namespace {

template <int D>
void ElasticityElement(const LocalShapes& s, double lambda, double mu, double* m) {
  const int n = s.dofs;
  for (int q = 0; q < s.points; q++) {
    const double w = s.measure[q];
    const double* g = &s.gradient[static_cast<size_t>(q) * n * D];
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        double* block = &m[(a * n + b) * D * D];
        for (int i = 0; i < D; i++) {
          for (int j = 0; j < D; j++) block[i * D + j] += w * g[a * D + i] * g[b * D + j];
        }
      }
    }
  }
  // From sum w g_a (x) g_b to the form: transposing and tracing costs less once than per point.
  for (int pair = 0; pair < n * n; pair++) {
    double* block = &m[pair * D * D];
    double plain[D * D], trace = 0;
    for (int i = 0; i < D * D; i++) plain[i] = block[i];
    for (int i = 0; i < D; i++) trace += plain[i * D + i];
    for (int i = 0; i < D; i++) {
      for (int j = 0; j < D; j++) {
        block[i * D + j] =
            lambda * plain[i * D + j] + mu * plain[j * D + i] + (i == j ? mu * trace : 0);
      }
    }
  }
}

}  // namespace

int GradientDegree(const NodalSpace& space) {
  const bool simplices = space.StraightSimplices();
  const int degree = simplices ? std::max(0, 2 * space.Order() - 2) : 2 * space.Order() + 1;
  // Strains around the axis are no polynomials.
  return degree + (!space.Axisymmetric() ? 0 : simplices ? 3 : 1);
}

int MassDegree(const NodalSpace& space) {
  return space.StraightSimplices() ? 2 * space.Order() : 2 * space.Order() + 2;
}

BlockCsr AssembleElasticity(const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                            const Lame& lame) {
  BlockCsr a(std::move(graph), space.Dimension());
  const ElementKernel kernel(space, GradientDegree(space));
  AddElementMatrices(space, kernel, a, [&](int e, const LocalShapes& s, double* m) {
    if (space.Axisymmetric()) return AddAxisymmetricElement(s, lame.lambda[e], lame.mu[e], m);
    switch (space.Dimension()) {
      case 1:
        return ElasticityElement<1>(s, lame.lambda[e], lame.mu[e], m);
      case 2:
        return ElasticityElement<2>(s, lame.lambda[e], lame.mu[e], m);
      default:
        return ElasticityElement<3>(s, lame.lambda[e], lame.mu[e], m);
    }
  });
  return a;
}

BlockCsr AssembleMass(const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                      const Values& density) {
  const int d = space.Dimension();
  BlockCsr a(std::move(graph), d);
  const ElementKernel kernel(space, MassDegree(space));
  AddElementMatrices(space, kernel, a, [&](int e, const LocalShapes& s, double* m) {
    for (int q = 0; q < s.points; q++) {
      const double* shape = s.shape + static_cast<size_t>(q) * s.dofs;
      const double weight = s.measure[q] * density[e];
      for (int i = 0; i < s.dofs; i++) {
        for (int j = 0; j < s.dofs; j++) {
          double* block = &m[static_cast<size_t>(i * s.dofs + j) * d * d];
          for (int c = 0; c < d; c++) block[c * d + c] += weight * shape[i] * shape[j];
        }
      }
    }
  });
  return a;
}

namespace {

template <class Diffusion, class Mass>
void AddDiffusionMassOf(const NodalSpace& space, int degree, Diffusion diffusion, Mass mass,
                        BlockCsr& a) {
  const ElementKernel kernel(space, degree);
  const int d = space.Dimension();
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
  AddElementMatrices(space, kernel, a, [&](int e, const LocalShapes& s, double* m) {
    // One product of matrices: a column holds the shapes, or a component of their gradients, at a
    // point, and beside it times its weight.
    Columns value(s.dofs, s.points * (d + 1)), weighted = value;
    for (int q = 0; q < s.points; q++) {
      const int at = q * (d + 1);
      const double* g = &s.gradient[static_cast<size_t>(q) * s.dofs * d];
      value.middleCols(at, d) = Eigen::Map<const Columns>(g, d, s.dofs).transpose();
      value.col(at + d) =
          Eigen::Map<const Eigen::VectorXd>(s.shape + static_cast<size_t>(q) * s.dofs, s.dofs);
      weighted.middleCols(at, d) = s.measure[q] * diffusion(e, s, q) * value.middleCols(at, d);
      weighted.col(at + d) = s.measure[q] * mass(e, s, q) * value.col(at + d);
    }
    Eigen::Map<Columns>(m, s.dofs, s.dofs).noalias() = weighted * value.transpose();
  });
}

}  // namespace

void AddDiffusionMass(const NodalSpace& space, const Values& diffusion, const Values& mass,
                      BlockCsr& a) {
  const bool has_mass = std::any_of(mass.begin(), mass.end(), [](double c) { return c != 0; });
  auto of = [](const Values& by_element) {
    return [&by_element](int e, const LocalShapes&, int) {
      return by_element.empty() ? 0.0 : by_element[e];
    };
  };
  AddDiffusionMassOf(space, has_mass ? MassDegree(space) : GradientDegree(space), of(diffusion),
                     of(mass), a);
}

void AddDiffusionMass(const NodalSpace& space, int degree, const PointCoefficient& diffusion,
                      const PointCoefficient& mass, BlockCsr& a) {
  AddDiffusionMassOf(space, degree, diffusion, mass, a);
}

void AddBodyLoad(const NodalSpace& space, int components, const Values& f, Values& b) {
  if (std::all_of(f.begin(), f.end(), [](double c) { return c == 0; })) return;
  const ElementKernel kernel(space, space.StraightSimplices() ? space.Order() : space.Order() + 2);
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    for (int a = 0; a < s.dofs; a++) {
      double integral = 0;
      for (int q = 0; q < s.points; q++)
        integral += s.measure[q] * s.shape[static_cast<size_t>(q) * s.dofs + a];
      for (int c = 0; c < components; c++) {
        b[static_cast<size_t>(s.dof[a]) * components + c] +=
            integral * f[static_cast<size_t>(e) * components + c];
      }
    }
  });
}

}  // namespace atelier
