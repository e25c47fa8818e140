// Sparse factors against Eigen's dense ones.
#include "direct_solver.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cstdlib>

#include "assembly.hpp"
#include "fixtures.hpp"

namespace atelier {
namespace {

using Kind = SymmetricFactors::Kind;
using Outcome = SymmetricFactors::Outcome;

std::shared_ptr<const NodeGraph> RandomGraph(const Shape& shape, Random& random) {
  mfem::Mesh mesh = RandomMesh(shape, 3, random);
  return MakeGraph(NodalSpace(mesh, 2));
}

// Random symmetric entries, and the given value on the diagonal.
BlockCsr RandomMatrix(std::shared_ptr<const NodeGraph> graph, int block, double diagonal,
                      Random& random) {
  BlockCsr a(std::move(graph), block);
  const NodeGraph& g = *a.graph;
  for (int i = 0; i < g.Nodes(); i++) {
    for (int k = 0; k < g.Length(i); k++) {
      const int j = g.col[g.ptr[i] + k], back = g.Find(j, i);
      for (int r = 0; r < block; r++) {
        for (int c = 0; c < block; c++) {
          const bool own = i == j && r == c;
          const double v = own ? diagonal : random.Between(-1, 1);
          a.Row(i, r)[k * block + c] = v;
          a.Row(j, c)[back * block + r] = v;
        }
      }
    }
  }
  return a;
}

// A diagonal of zeros asks for pivots of two rows.
TEST_CASE("indefinite matrices are solved, and their negative eigenvalues counted") {
  Random random(91);
  for (const Shape& shape : kShapes) {
    for (int block : {1, shape.dimension}) {
      for (double diagonal : {0.0, random.Between(-8, 8)}) {
        CAPTURE(std::string(shape.name));
        const BlockCsr a = RandomMatrix(RandomGraph(shape, random), block, diagonal, random);
        const Eigen::MatrixXd dense = Dense(a);
        const Eigen::VectorXd lambda =
            Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
        const auto factors = SymmetricFactors::Analyse(a, Kind::kIndefinite);
        REQUIRE(factors);
        REQUIRE(factors->Factorise(a) == Outcome::kDone);
        CHECK(factors->Negative() == (lambda.array() < 0).count());
        const Values b = RandomValues(a.Size(), random);
        Values x = b;
        factors->Solve(x);
        CHECK((dense * Vector(x) - Vector(b)).norm() <=
              1e-9 * (lambda.cwiseAbs().maxCoeff() * Vector(x).norm() + Vector(b).norm()));
      }
    }
  }
}

BlockCsr FloatingPart(const Shape& shape, Random& random) {
  mfem::Mesh mesh = RandomMesh(shape, 3, random);
  const NodalSpace space(mesh, 2);
  Lame lame{Values(mesh.GetNE(), random.Between(0.5, 2) * 1e11),
            Values(mesh.GetNE(), random.Between(0.5, 2) * 1e11)};
  return AssembleElasticity(space, MakeGraph(space), lame);
}

TEST_CASE("a part that nothing holds is singular") {
  Random random(92);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const BlockCsr a = FloatingPart(shape, random);
    for (Kind kind : {Kind::kPositiveDefinite, Kind::kIndefinite})
      CHECK(SymmetricFactors::Analyse(a, kind)->Factorise(a) != Outcome::kDone);
    CHECK_FALSE(DirectSolver::Make(a));
  }
}

TEST_CASE("solutions by factors are the same each time") {
  Random random(93);
  const BlockCsr a = RandomMatrix(RandomGraph(kShapes[2], random), 3, 100, random);
  const Values b = RandomValues(a.Size(), random);
  Values first, again;
  for (Values* x : {&first, &again}) {
    const auto solver = DirectSolver::Make(a);
    REQUIRE(solver);
    CHECK(solver->Entries() > static_cast<double>(a.Size()));
    x->resize(b.size());
    SolveReport report;
    solver->Solve(a, b, *x, report);
    CHECK(report.converged);
  }
  CHECK(LargestDifference(first, again) <= 1e-11 * Largest(first));  // Scotch draws anew
}

TEST_CASE("factors that do not fit into the memory are refused") {
  Random random(94);
  const BlockCsr a = RandomMatrix(RandomGraph(kShapes[0], random), 2, 100, random);
  setenv("ATELIER_MEMORY_MB", "1", 1);
  CHECK_FALSE(DirectSolver::Make(a));
  unsetenv("ATELIER_MEMORY_MB");
}

}  // namespace
}  // namespace atelier
