// Eigenvalues by Lanczos' method against Eigen's dense solver.
#include "eigen_modes.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>

#include "assembly.hpp"
#include "fixtures.hpp"

namespace atelier {
namespace {

// K and M of a random mesh, with some of its boundary held, and the eigenvalues that
// Eigen finds for the unknowns that are free.
struct Problem {
  BlockCsr k, m;
  Constraints held;
  Eigen::VectorXd lambda;  // rising

  Problem(const Shape& shape, Random& random) {
    mfem::Mesh mesh = RandomMesh(shape, 2, random);
    const NodalSpace space(mesh, 2);
    const auto graph = MakeGraph(space);
    const int elements = mesh.GetNE();
    Lame lame{Values(elements), Values(elements)};
    Values density(elements);
    for (int e = 0; e < elements; e++) {
      lame.lambda[e] = random.Between(0.5, 2) * 1e11;
      lame.mu[e] = random.Between(0.5, 2) * 1e11;
      density[e] = random.Between(1000, 9000);
    }
    k = AssembleElasticity(space, graph, lame);
    m = AssembleMass(space, graph, density);
    held = Constraints(k.Size());
    for (size_t u = 0; u < held.fixed.size(); u++) {
      if (random.Between(0, 1) < 0.3) held.Set(u, 0);
    }
    std::vector<int> free;
    for (size_t u = 0; u < held.fixed.size(); u++) {
      if (!held.fixed[u]) free.push_back(static_cast<int>(u));
    }
    const Eigen::MatrixXd a = Dense(k)(free, free), b = Dense(m)(free, free);
    lambda = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(a, b).eigenvalues();
    Clamp(k, held);
  }

  // K - mu M with the held unknowns set apart, at a positive pivot.
  BlockCsr Less(double mu) const {
    BlockCsr out = k;
    for (size_t i = 0; i < out.val.size(); i++) out.val[i] -= mu * m.val[i];
    Clamp(out, held);
    return out;
  }
};

TEST_CASE("Lanczos finds the eigenvalues of a dense solver, and none is missed") {
  Random random(71);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const Problem p(shape, random);
    const Eigen::LDLT<Eigen::MatrixXd> factors(Dense(p.k));
    auto times = [](const BlockCsr& a, const Values& x) {
      Values y(x.size());
      a.Multiply(x, y);
      return y;
    };
    const EigenModes modes = LargestModes({[&](const Values& x) { return times(p.m, x); },
                                           [&](const Values& x) { return times(p.k, x); },
                                           [&](const Values& x) {
                                             const Eigen::VectorXd y = factors.solve(Vector(x));
                                             return Values(y.data(), y.data() + y.size());
                                           },
                                           p.held.fixed},
                                          7);
    REQUIRE(modes.theta.size() == 7);
    for (int i = 0; i < 7; i++) {
      CHECK(1 / modes.theta[i] == doctest::Approx(p.lambda(i)).epsilon(1e-8));
      CHECK(modes.residual[i] < 1e-6);
    }
  }
}

TEST_CASE("all of several equal eigenvalues are found") {
  Random random(73);
  const int n = 80, copies = random.Integer(3, 6);
  Values theta(n);
  for (int i = 0; i < n; i++)
    theta[i] = i < copies ? 1 : i < copies + 2 ? 0.9 : 0.8 * random.Between(0, 1);
  auto times = [&](const Values& x) {
    Values y(n);
    for (int i = 0; i < n; i++) y[i] = theta[i] * x[i];
    return y;
  };
  auto same = [](const Values& x) { return x; };
  for (int count : {1, 2, copies, copies + 2}) {
    CAPTURE(copies);
    const EigenModes modes = LargestModes({times, same, same, std::vector<char>(n, 0)}, count);
    REQUIRE(static_cast<int>(modes.theta.size()) == count);
    for (int i = 0; i < count; i++)
      CHECK(modes.theta[i] == doctest::Approx(i < copies ? 1 : 0.9).epsilon(1e-9));
  }
}

TEST_CASE("the signs of the pivots count the eigenvalues below a bound") {
  Random random(72);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const Problem p(shape, random);
    for (const int below : {0, 1, 5, 12}) {
      const double mu =
          below == 0 ? 0.5 * p.lambda(0) : 0.5 * (p.lambda(below - 1) + p.lambda(below));
      const BlockCsr matrix = p.Less(mu);
      int held = 0;  // whose diagonal is negative where the mean of the others is
      for (int node = 0; node < matrix.graph->Nodes(); node++) {
        for (int c = 0; c < matrix.block; c++)
          held += p.held.fixed[static_cast<size_t>(node) * matrix.block + c] &&
                  matrix.Diagonal(node, c) < 0;
      }
      CHECK(CountBelow(matrix) - held == below);
    }
  }
}

}  // namespace
}  // namespace atelier
