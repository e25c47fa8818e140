// Patch tests: a polynomial of the elements' order is solved and recovered exactly,
// whatever the mesh, and its error is estimated as none.
#include <doctest/doctest.h>

#include <cmath>

#include "fixtures.hpp"
#include "gradient.hpp"
#include "spd_solver.hpp"
#include "stress.hpp"

namespace atelier {
namespace {

const SolveOptions kExactly = {1000, 1e-11};

TEST_CASE("displacements that are polynomials of the order are exact") {
  Random random(11);
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      const int d = shape.dimension;
      mfem::Mesh mesh = RandomMesh(shape, 3, random);
      const NodalSpace space(mesh, order);
      std::vector<Polynomial> u;
      for (int c = 0; c < d; c++) u.emplace_back(d, order, random);
      const double lambda = random.Between(0.5, 2), mu = random.Between(0.5, 2);
      const Lame lame = {Values(mesh.GetNE(), lambda), Values(mesh.GetNE(), mu)};

      // f = -(lambda + mu) grad div u - mu laplace u, a constant of a quadratic.
      Values force(d, 0.0), f, load(static_cast<size_t>(space.Nodes()) * d, 0.0);
      for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) {
          force[i] -= (lambda + mu) * u[j].SecondDerivative(i, j);
          force[i] -= mu * u[i].SecondDerivative(j, j);
        }
      }
      for (int e = 0; e < mesh.GetNE(); e++) f.insert(f.end(), force.begin(), force.end());
      AddBodyLoad(space, d, f, load);

      const Values exact = AtNodes(space, u);
      const Constraints fixed = FixBoundary(space, exact);
      const SpdProblem problem(space, fixed,
                               [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
                                 return AssembleElasticity(s, std::move(g), lame);
                               });
      Values x(exact.size(), 0.0);
      const SolveReport report = problem.Solve(load, x, kExactly);
      CHECK(report.converged);
      CHECK(LargestDifference(x, exact) <= 1e-8 * Largest(exact));

      const StressField stress =
          RecoverStress(space, exact, lame, std::vector<int>(mesh.GetNE(), 0));
      double worst = 0, size = 0;
      for (int node = 0; node < space.Nodes(); node++) {
        const double* at = &space.Coordinates()[static_cast<size_t>(node) * d];
        double h[3][3] = {}, trace = 0;
        for (int i = 0; i < d; i++) {
          for (int k = 0; k < d; k++) h[i][k] = u[i].Gradient(at)[k];
          trace += h[i][i];
        }
        const double expected[] = {
            lambda * trace + 2 * mu * h[0][0], lambda * trace + 2 * mu * h[1][1],
            lambda * trace + 2 * mu * h[2][2], mu * (h[0][1] + h[1][0]),
            mu * (h[1][2] + h[2][1]),          mu * (h[0][2] + h[2][0])};
        for (int c = 0; c < kStressComponents; c++) {
          worst =
              std::max(worst, std::abs(stress.tensor[node * kStressComponents + c] - expected[c]));
          size = std::max(size, std::abs(expected[c]));
        }
      }
      CHECK(worst <= 1e-11 * size);
      CHECK(stress.error <= 1e-11 * size);
    }
  }
}

// The same strain in all directions of the mesh, for every element.
std::vector<Tensor> Isotropic(int elements, int dimension) {
  Tensor unit;
  for (int i = 0; i < dimension; i++) unit.a[i][i] = 1;
  return std::vector<Tensor>(elements, unit);
}

// Strains T of all directions are those of u_i = T(0) x_i + x_i g.x - g_i x.x / 2, g = grad T.
TEST_CASE("strains of one order less than displacements leave no stress") {
  Random random(16);
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      const int d = shape.dimension;
      mfem::Mesh mesh = RandomMesh(shape, 3, random);
      const NodalSpace space(mesh, order);
      const Lame lame = {Values(mesh.GetNE(), random.Between(0.5, 2)),
                         Values(mesh.GetNE(), random.Between(0.5, 2))};
      const Polynomial t(d, 1, random);
      const double origin[3] = {}, start = t(origin);
      const std::vector<double> g = order == 2 ? t.Gradient(origin) : std::vector<double>(d, 0.0);
      Values field, u;
      for (int node = 0; node < space.Nodes(); node++) {
        const std::vector<double> x = space.Point(node);
        double along = 0, square = 0;
        for (int i = 0; i < d; i++) {
          along += g[i] * x[i];
          square += x[i] * x[i];
        }
        field.push_back(start + along);
        for (int i = 0; i < d; i++) u.push_back((start + along) * x[i] - 0.5 * g[i] * square);
      }
      const InitialStrain initial =
          InitialStrain::Of(space, lame, Isotropic(mesh.GetNE(), d), field);
      const StressField stress =
          RecoverStress(space, u, lame, std::vector<int>(mesh.GetNE(), 0), initial);
      CHECK(Largest(stress.tensor) <= 1e-11 * initial.Largest());
      CHECK(stress.error <= 1e-11 * initial.Largest());
    }
  }
}

// Displacements of straight simplices make strains of all polynomials of one order less, to which
// what the strains lose is orthogonal.
TEST_CASE("strains of the order load simplices as they are") {
  Random random(17);
  for (const Shape& shape : {kShapes[0], kShapes[2]}) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      const int d = shape.dimension;
      mfem::Mesh mesh = RandomMesh(shape, 3, random);
      const NodalSpace space(mesh, order);
      const double lambda = random.Between(0.5, 2), mu = random.Between(0.5, 2);
      const Lame lame = {Values(mesh.GetNE(), lambda), Values(mesh.GetNE(), mu)};
      const Values field = AtNodes(space, {Polynomial(d, order, random)});
      Values load(static_cast<size_t>(space.Nodes()) * d, 0.0), expected = load;
      AddInitialLoad(space, InitialStrain::Of(space, lame, Isotropic(mesh.GetNE(), d), field),
                     load);
      const ElementKernel kernel(space, 2 * order);
      ForEachElement(space, kernel, [&](int, const LocalShapes& s) {
        for (int q = 0; q < s.points; q++) {
          const double stress = s.measure[q] * (d * lambda + 2 * mu) * ValueAt(s, q, field);
          for (int a = 0; a < s.dofs; a++) {
            for (int i = 0; i < d; i++)
              expected[static_cast<size_t>(s.dof[a]) * d + i] +=
                  stress * s.gradient[(static_cast<size_t>(q) * s.dofs + a) * d + i];
          }
        }
      });
      CHECK(LargestDifference(load, expected) <= 1e-12 * Largest(expected));
    }
  }
}

TEST_CASE("temperatures that are polynomials of the order are exact") {
  Random random(12);
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      const int d = shape.dimension;
      mfem::Mesh mesh = RandomMesh(shape, 3, random);
      const NodalSpace space(mesh, order);
      const Polynomial t(d, order, random);
      const double k = random.Between(0.1, 10);
      double source = 0;
      for (int i = 0; i < d; i++) source -= k * t.SecondDerivative(i, i);
      Values load(space.Nodes(), 0.0);
      AddBodyLoad(space, 1, Values(mesh.GetNE(), source), load);
      const Values exact = AtNodes(space, {t}), conductivity(mesh.GetNE(), k);
      const Constraints fixed = FixBoundary(space, exact);
      const SpdProblem problem(space, fixed,
                               [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
                                 BlockCsr a(std::move(g), 1);
                                 AddDiffusionMass(s, conductivity, {}, a);
                                 return a;
                               });
      Values x(exact.size(), 0.0);
      CHECK(problem.Solve(load, x, kExactly).converged);
      CHECK(LargestDifference(x, exact) <= 1e-8 * Largest(exact));

      const FluxField flux = RecoverFlux(space, exact, conductivity);
      double worst = 0, size = 0;
      for (int node = 0; node < space.Nodes(); node++) {
        const auto g = t.Gradient(&space.Coordinates()[static_cast<size_t>(node) * d]);
        for (int c = 0; c < d; c++) {
          worst = std::max(worst, std::abs(flux.flux[node * d + c] + k * g[c]));
          size = std::max(size, k * std::abs(g[c]));
        }
      }
      CHECK(worst <= 1e-11 * size);
      CHECK(flux.error <= 1e-11 * size);
    }
  }
}

// The error of the interpolant of a quadratic on linear elements, by a rule that is
// exact for it.
double TrueError(const NodalSpace& space, const Values& u, const Polynomial& exact) {
  const ElementKernel kernel(space, 4);
  const int d = space.Dimension();
  double square = 0;
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      double x[3];
      kernel.Position(e, q, x);
      std::vector<double> g = exact.Gradient(x);
      for (int a = 0; a < s.dofs; a++) {
        for (int k = 0; k < d; k++)
          g[k] -= u[s.dof[a]] * s.gradient[(static_cast<size_t>(q) * s.dofs + a) * d + k];
      }
      for (int k = 0; k < d; k++) square += s.measure[q] * g[k] * g[k];
    }
  });
  return std::sqrt(square);
}

TEST_CASE("the estimate of an error that is there has its size, and halves with the elements") {
  Random random(13);
  for (const Shape& shape : {kShapes[0], kShapes[2]}) {
    CAPTURE(std::string(shape.name));
    const Polynomial exact(shape.dimension, 2, random);
    double before = 0;
    for (int n : {4, 8}) {
      Random same(14);  // the same box
      mfem::Mesh mesh = RandomMesh(shape, n, same, 0);
      const NodalSpace space(mesh, 1);
      const Values u = AtNodes(space, {exact});
      const double estimate =
          EstimatorFactor(1) * RecoverFlux(space, u, Values(mesh.GetNE(), 1.0)).error;
      const double effectivity = estimate / TrueError(space, u, exact);
      CHECK(effectivity > 0.5);
      CHECK(effectivity < 2);
      if (before > 0) {
        CHECK(before / estimate > 1.6);
        CHECK(before / estimate < 2.4);
      }
      before = estimate;
    }
  }
}

TEST_CASE("von Mises is the yield stress of simple states") {
  Random random(15);
  const double s = random.Between(1, 100), p = random.Between(-50, 50);
  const double tension[] = {s, 0, 0, 0, 0, 0}, shear[] = {0, 0, 0, 0, s, 0},
               all[] = {p, p, p, 0, 0, 0};
  CHECK(VonMises(tension) == doctest::Approx(s));
  CHECK(VonMises(shear) == doctest::Approx(std::sqrt(3.0) * s));
  CHECK(VonMises(all) == doctest::Approx(0));
}

}  // namespace
}  // namespace atelier
