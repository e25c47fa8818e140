// Krylov methods and factors against dense ones of Eigen, on random matrices.
#include "krylov.hpp"

#include <doctest/doctest.h>

#include "assembly.hpp"
#include "direct_solver.hpp"
#include "fixtures.hpp"
#include "spd_solver.hpp"

namespace atelier {
namespace {

// A random matrix on the graph of a mesh, not symmetric, that its diagonal dominates.
BlockCsr RandomMatrix(const NodalSpace& space, Random& random) {
  BlockCsr a(MakeGraph(space), 1);
  for (int i = 0; i < space.Nodes(); i++) {
    double sum = 0;
    for (int k = 0; k < a.graph->Length(i); k++)
      sum += std::abs(a.Row(i, 0)[k] = random.Between(-1, 1));
    a.Row(i, 0)[a.graph->Find(i, i)] = sum * random.Between(1.05, 2);
  }
  return a;
}

Operator ProductWith(const BlockCsr& a) {
  return [&a](const Values& x, Values& y) { a.Multiply(x, y); };
}
const Operator kNone = [](const Values& r, Values& z) { z = r; };

struct System {
  mfem::Mesh mesh;
  NodalSpace space;
  BlockCsr a;
  Values b, exact;

  System(const Shape& shape, int n, Random& random)
      : mesh(RandomMesh(shape, n, random)),
        space(mesh, 1),
        a(RandomMatrix(space, random)),
        b(RandomValues(a.Size(), random)) {
    const Eigen::VectorXd x = Dense(a).partialPivLu().solve(Vector(b));
    exact.assign(x.data(), x.data() + x.size());
  }
};

TEST_CASE("products are those of dense matrices") {
  Random random(21);
  mfem::Mesh mesh = RandomMesh(kShapes[2], 3, random);
  const NodalSpace space(mesh, 2);
  BlockCsr a(MakeGraph(space), 3);
  for (double& v : a.val) v = random.Between(-1, 1);
  const Values x = RandomValues(a.Size(), random);
  const Eigen::VectorXd expected = Dense(a) * Vector(x);
  Values y(x.size());
  a.Multiply(x, y);
  CHECK((Vector(y) - expected).norm() <= 1e-13 * expected.norm());
  Values z(x.size());
  CHECK(a.MultiplyDot(x, z) == doctest::Approx(Vector(x).dot(expected)).epsilon(1e-10));
  CHECK((Vector(z) - expected).norm() <= 1e-13 * expected.norm());
  CHECK(Dot(x, y) == doctest::Approx(Vector(x).dot(Vector(y))).epsilon(1e-12));
  CHECK(Norm2(x) == doctest::Approx(Vector(x).norm()).epsilon(1e-12));
}

TEST_CASE("ILU(0) is the whole factorisation where there is no fill") {
  Random random(22);
  mfem::Mesh line = mfem::Mesh::MakeCartesian1D(random.Integer(20, 60));  // tridiagonal
  const NodalSpace space(line, 1);
  const BlockCsr a = RandomMatrix(space, random);
  const Values b = RandomValues(a.Size(), random);
  Values z;
  Ilu0(a).Solve(b, z);
  const Eigen::VectorXd expected = Dense(a).partialPivLu().solve(Vector(b));
  CHECK((Vector(z) - expected).norm() <= 1e-12 * expected.norm());
}

TEST_CASE("the factors of ILU(0) multiply to the matrix on its pattern") {
  Random random(23);
  const System s(kShapes[2], 3, random);
  const Ilu0 ilu(s.a);
  const long n = static_cast<long>(s.a.Size());
  Eigen::MatrixXd inverse(n, n);
  for (long j = 0; j < n; j++) {
    Values unit(n, 0.0), z;
    unit[j] = 1;
    ilu.Solve(unit, z);
    inverse.col(j) = Vector(z);
  }
  const Eigen::MatrixXd product = inverse.inverse();
  double off_pattern = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < s.a.graph->Length(i); k++) {
      const int j = s.a.graph->col[s.a.graph->ptr[i] + k];
      REQUIRE(product(i, j) == doctest::Approx(s.a.Row(i, 0)[k]).epsilon(1e-9));
    }
  }
  off_pattern = (product - Dense(s.a)).norm();
  CHECK(off_pattern > 0);  // else the test saw no fill that was left out
}

TEST_CASE("FGMRES and BiCGStab solve what a dense factorisation solves") {
  Random random(24);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const System s(shape, 4, random);
    const Ilu0 ilu(s.a);
    const Operator by_ilu = [&](const Values& r, Values& z) { ilu.Solve(r, z); };
    const double tolerance = 1e-11 * Norm2(s.b);
    int plain = 0;
    for (const Operator& preconditioner : {kNone, by_ilu}) {
      Values x(s.b.size(), 0.0), y(s.b.size(), 0.0);
      const KrylovResult g = Fgmres(ProductWith(s.a), preconditioner, s.b, x, tolerance, 500, 20);
      CHECK(g.converged);
      CHECK(LargestDifference(x, s.exact) <= 1e-9 * Largest(s.exact));
      const KrylovResult k = BiCgStab(ProductWith(s.a), preconditioner, s.b, y, 1e-11, 500);
      CHECK(k.converged);
      CHECK(LargestDifference(y, s.exact) <= 1e-9 * Largest(s.exact));
      if (plain == 0)
        plain = g.iterations;
      else
        CHECK(g.iterations < plain);
    }
  }
}

TEST_CASE("FGMRES ends within as many steps as there are unknowns, and says what is left") {
  Random random(25);
  const System s(kShapes[0], 4, random);
  const int n = static_cast<int>(s.b.size());
  Values x(n, 0.0), rest(n);
  CHECK(Fgmres(ProductWith(s.a), kNone, s.b, x, 1e-10 * Norm2(s.b), n, n).converged);
  for (int steps : {1, 3, 7}) {  // more than one cycle of 3
    Values y(n, 0.0);
    const KrylovResult k = Fgmres(ProductWith(s.a), kNone, s.b, y, 0, steps, 3);
    CHECK_FALSE(k.converged);
    CHECK(k.iterations == steps);
    s.a.Multiply(y, rest);
    for (int i = 0; i < n; i++) rest[i] -= s.b[i];
    CHECK(k.residual == doctest::Approx(Norm2(rest)).epsilon(1e-9));
  }
}

TEST_CASE("FGMRES bears a preconditioner that changes") {
  Random random(26);
  const System s(kShapes[0], 4, random);
  int call = 0;
  const Operator changing = [&](const Values& r, Values& z) {
    const double factor = ++call % 2 ? 0.5 : 3;
    for (size_t i = 0; i < r.size(); i++)
      z[i] = factor * r[i] / s.a.Diagonal(static_cast<int>(i), 0);
  };
  Values x(s.b.size(), 0.0);
  CHECK(Fgmres(ProductWith(s.a), changing, s.b, x, 1e-11 * Norm2(s.b), 500, 30).converged);
  CHECK(LargestDifference(x, s.exact) <= 1e-9 * Largest(s.exact));
}

// A part held at its first nodes, with material that differs by `contrast`.
struct Held {
  mfem::Mesh mesh;
  NodalSpace space;
  BlockCsr a;
  Constraints fixed;

  Held(const Shape& shape, int n, double contrast, Random& random)
      : mesh(RandomMesh(shape, n, random)), space(mesh, 1) {
    Lame lame;
    for (int e = 0; e < mesh.GetNE(); e++) {
      const double stiff = random.Between(0, 1) < 0.5 ? 1 : contrast;
      lame.lambda.push_back(stiff);
      lame.mu.push_back(stiff);
    }
    a = AssembleElasticity(space, MakeGraph(space), lame);
    fixed = Constraints(a.Size());
    for (int node : space.BoundaryDofs(0)) {
      for (int c = 0; c < shape.dimension; c++)
        fixed.Set(static_cast<size_t>(node) * shape.dimension + c, 0);
    }
    Clamp(a, fixed);
  }
};

TEST_CASE("conjugate gradients and sparse factors solve what a dense factorisation solves") {
  Random random(27);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const Held h(shape, 4, 100, random);
    Values b = RandomValues(h.a.Size(), random);
    for (size_t u = 0; u < b.size(); u++) {
      if (h.fixed.fixed[u]) b[u] = 0;
    }
    const Eigen::VectorXd exact = Dense(h.a).llt().solve(Vector(b));
    const SpdSolver cg(h.space, h.a, h.fixed, nullptr, nullptr, nullptr);
    Values x(b.size(), 0.0), y(b.size(), 0.0);
    const SolveReport report = cg.Solve(b, x, {1000, 1e-11});
    CHECK(report.converged);
    // On a badly shaped mesh rounding ends the iteration short of so small a residual.
    CHECK((!report.direct || report.iterations < 1000));
    CHECK((Vector(x) - exact).norm() <= 1e-7 * exact.norm());

    const auto ldlt = DirectSolver::Make(h.a);
    REQUIRE(ldlt);
    SolveReport direct;
    ldlt->Solve(h.a, b, y, direct);
    CHECK(direct.converged);
    CHECK(direct.backward_error <= 1e-14);
    CHECK((Vector(y) - exact).norm() <= 1e-9 * exact.norm());
  }
}

TEST_CASE("a matrix that is not positive definite is refused") {
  Random random(28);
  Held h(kShapes[0], 3, 1, random);
  const int node = random.Integer(0, h.space.Nodes() - 1);
  h.a.Row(node, 0)[h.a.graph->Find(node, node) * 2] *= -1;
  CHECK_FALSE(DirectSolver::Make(h.a));
}

}  // namespace
}  // namespace atelier
