// What makes a preconditioner one: linear, symmetric, positive, and iterations that
// do not grow with the mesh.
#include <doctest/doctest.h>

#include "assembly.hpp"
#include "fixtures.hpp"
#include "p_multigrid.hpp"

namespace atelier {
namespace {

constexpr Shape kTriangle = kShapes[0], kTetrahedron = kShapes[2], kHexahedron = kShapes[3];

// A block of one material, or of two whose stiffness differs by `contrast`, held at
// x = least; displacements or, with block 1, temperatures.
struct Problem {
  mfem::Mesh mesh;
  NodalSpace space;
  std::unique_ptr<NodalSpace> linear_space;
  BlockCsr a, linear;
  Constraints fixed, linear_fixed;
  std::unique_ptr<SpdSolver> solver;

  Problem(const Shape& shape, int n, int order, bool elastic, double contrast, Random& random)
      : mesh(RandomMesh(shape, n, random, 0)), space(mesh, order) {
    Values stiffness(mesh.GetNE());
    mfem::Vector centre;
    for (int e = 0; e < mesh.GetNE(); e++) {
      mesh.GetElementCenter(e, centre);
      stiffness[e] = centre(1) > 0.5 ? contrast : 1;
    }
    auto assemble = [&](const NodalSpace& s) {
      if (elastic) return AssembleElasticity(s, MakeGraph(s), {stiffness, stiffness});
      BlockCsr m(MakeGraph(s), 1);
      AddDiffusionMass(s, stiffness, {}, m);
      return m;
    };
    a = assemble(space);
    fixed = Hold(space, a);
    Clamp(a, fixed);
    if (order == 1) {
      solver = std::make_unique<SpdSolver>(space, a, fixed, nullptr, nullptr, nullptr);
      return;
    }
    linear_space = std::make_unique<NodalSpace>(mesh, 1);
    linear = assemble(*linear_space);
    linear_fixed = Hold(*linear_space, linear);
    Clamp(linear, linear_fixed);
    solver =
        std::make_unique<SpdSolver>(space, a, fixed, linear_space.get(), &linear, &linear_fixed);
  }

  // The first face of the box and all that share its attribute.
  static Constraints Hold(const NodalSpace& s, const BlockCsr& a) {
    Constraints c(a.Size());
    for (int b = 0; b < s.Mesh().GetNBE(); b++) {
      if (s.Mesh().GetBdrAttribute(b) != 1) continue;
      for (int node : s.BoundaryDofs(b)) {
        for (int k = 0; k < a.block; k++) c.Set(static_cast<size_t>(node) * a.block + k, 0);
      }
    }
    return c;
  }

  Values Load(Random& random) const {
    Values b = RandomValues(a.Size(), random);
    for (size_t u = 0; u < b.size(); u++) b[u] = fixed.fixed[u] ? 0 : b[u];
    return b;
  }

  int Iterations(Random& random) const {
    const Values b = Load(random);
    Values x(b.size(), 0.0);
    const SolveReport report = solver->Solve(b, x, {2000, 1e-8});
    CHECK(report.converged);
    CHECK_FALSE(report.direct);
    Values rest(b.size());
    a.Multiply(x, rest);
    CHECK((Vector(rest) - Vector(b)).norm() <= 1.1e-8 * Vector(b).norm());
    return report.iterations;
  }
};

// Single precision: products agree to about 1e-5 of the vectors' sizes.
template <class Apply>
void CheckSymmetricPositive(size_t n, const std::vector<char>& fixed, Apply apply, Random& random) {
  auto draw = [&] {
    Values v = RandomValues(n, random);
    for (size_t u = 0; u < n; u++) v[u] = fixed[u] ? 0 : v[u];
    return v;
  };
  for (int i = 0; i < 5; i++) {
    const Values x = draw(), y = draw();
    const Eigen::VectorXd mx = Vector(apply(x)), my = Vector(apply(y));
    const double scale = mx.norm() * Vector(y).norm();
    CHECK(std::abs(mx.dot(Vector(y)) - my.dot(Vector(x))) <= 1e-4 * scale);
    CHECK(mx.dot(Vector(x)) > 0);
    const double s = random.Between(-3, 3);
    Values sum(n);
    for (size_t u = 0; u < n; u++) sum[u] = x[u] + s * y[u];
    CHECK((Vector(apply(sum)) - mx - s * my).norm() <=
          1e-4 * (mx.norm() + std::abs(s) * my.norm()));
  }
}

TEST_CASE("algebraic multigrid is linear, symmetric and positive") {
  Random random(31);
  for (bool elastic : {false, true}) {
    for (int cycles : {1, 2}) {
      CAPTURE(elastic);
      CAPTURE(cycles);
      const Problem p(kTetrahedron, 8, 1, elastic, 10, random);
      const auto amg = MakeAmg(p.a, p.space.Coordinates(), cycles);
      CHECK(amg->Levels() >= 2);
      CheckSymmetricPositive(
          p.a.Size(), p.fixed.fixed,
          [&](const Values& r) {
            const std::vector<float> in(r.begin(), r.end());
            std::vector<float> out(in.size());
            amg->Apply(in, out);
            return Values(out.begin(), out.end());
          },
          random);
    }
  }
}

TEST_CASE("p-multigrid is linear, symmetric and positive") {
  Random random(32);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const Problem p(shape, 4, 2, true, 10, random);
    PMultigrid m(p.space, p.a, p.fixed, *p.linear_space,
                 MakeAmg(p.linear, p.linear_space->Coordinates(), 2), p.linear_fixed, p.linear);
    CheckSymmetricPositive(
        p.a.Size(), p.fixed.fixed,
        [&](const Values& r) {
          Values z(r.size());
          m.Apply(r, z);
          return z;
        },
        random);
  }
}

TEST_CASE("iterations do not grow with the mesh") {
  struct Case {
    const char* name;
    Shape shape;
    int coarse, order;
    bool elastic;
  };
  for (const Case& c :
       {Case{"diffusion", kTetrahedron, 8, 1, false}, Case{"elasticity", kTetrahedron, 6, 1, true},
        Case{"elasticity of hexahedra", kHexahedron, 6, 1, true},
        Case{"plane elasticity", kTriangle, 24, 1, true},
        Case{"quadratic elasticity", kTetrahedron, 4, 2, true}}) {
    CAPTURE(std::string(c.name));
    int before = 0;
    for (int n : {c.coarse, 2 * c.coarse}) {
      Random random(33);
      const Problem p(c.shape, n, c.order, c.elastic, 1, random);
      const int iterations = p.Iterations(random);
      CHECK(iterations <= 60);
      if (before > 0) CHECK(iterations <= 1.5 * before + 3);
      before = iterations;
    }
  }
}

TEST_CASE("a contrast of a million between two layers does not stop the iteration") {
  Random random(34);
  CHECK(Problem(kTetrahedron, 11, 1, false, 1e6, random).Iterations(random) <= 120);
  CHECK(Problem(kTetrahedron, 11, 1, true, 1e6, random).Iterations(random) <= 120);
}

}  // namespace
}  // namespace atelier
