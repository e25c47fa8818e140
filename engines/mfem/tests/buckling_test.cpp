// Ruling out that a part is near buckling, against Eigen's dense eigenvalues.
#include "buckling.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>

#include "fixtures.hpp"
#include "spd_solver.hpp"

namespace atelier {
namespace {

// A part with random stresses, and the operators of its stability.
struct Part {
  mfem::Mesh mesh;
  NodalSpace space;
  Lame lame;
  Constraints held;
  std::unique_ptr<SpdProblem> problem;
  std::vector<int> free;
  Values u;

  Part(const Shape& shape, int order, Random& random)
      : mesh(RandomMesh(shape, 3, random)),
        space(mesh, order),
        lame{Values(mesh.GetNE()), Values(mesh.GetNE())},
        held(static_cast<size_t>(space.Nodes()) * shape.dimension) {
    for (int e = 0; e < mesh.GetNE(); e++) {
      lame.lambda[e] = random.Between(0.5, 2) * 1e11;
      lame.mu[e] = random.Between(0.5, 2) * 1e11;
    }
    for (size_t i = 0; i < held.fixed.size(); i++) {
      if (random.Between(0, 1) < 0.3) held.Set(i, 0);
      if (!held.fixed[i]) free.push_back(static_cast<int>(i));
    }
    problem = std::make_unique<SpdProblem>(
        space, held, [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
          return AssembleElasticity(s, std::move(g), lame);
        });
  }

  void Displace(Random& random) {
    u = RandomValues(held.fixed.size(), random);
    held.Clear(u);
  }

  Geometric Stresses() const { return Geometric(space, problem->Graph(), u, lame, {}); }

  StabilityOperators Operators() const {
    return {[](const Values& r) { return r; },
            [this](const Values& r) { return problem->Precondition(r); },
            [this](const Values& x) { return problem->Stiffness(x); },
            [](const Values& x) { return Values(x.size(), 0.0); }};
  }

  // A matrix of an operator, of the unknowns that are free.
  Eigen::MatrixXd Free(const std::function<Values(const Values&)>& of) const {
    Eigen::MatrixXd out(free.size(), free.size());
    for (size_t j = 0; j < free.size(); j++) {
      Values unit(u.size(), 0.0);
      unit[free[j]] = 1;
      out.col(static_cast<long>(j)) = Vector(of(unit))(free);
    }
    return out;
  }
};

// The eigenvalues, rising.
Eigen::VectorXd Shares(const Part& part) {
  const Geometric geometric = part.Stresses();
  const Eigen::MatrixXd a = part.Free([&](const Values& x) { return geometric(x); }),
                        k = part.Free([&](const Values& x) { return part.problem->Stiffness(x); });
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(a, k).eigenvalues();
}

// Displaces the part, not so that its stresses hardly do anything but stiffen it. Returns the
// largest eigenvalue.
double Soften(Part& part, Random& random) {
  while (true) {
    part.Displace(random);
    const Eigen::VectorXd shares = Shares(part);
    if (shares.maxCoeff() > -0.1 * shares.minCoeff()) return shares.maxCoeff();
  }
}

// The largest change of a displacement along itself, by du = (K - A)^-1 A u.
double Change(const Part& part) {
  const Geometric geometric = part.Stresses();
  const Eigen::MatrixXd a = part.Free([&](const Values& x) { return geometric(x); }),
                        k = part.Free([&](const Values& x) { return part.problem->Stiffness(x); });
  const Eigen::VectorXd of_free = (k - a).ldlt().solve(Vector(geometric(part.u))(part.free));
  Eigen::VectorXd du = Eigen::VectorXd::Zero(static_cast<long>(part.u.size()));
  du(part.free) = of_free;
  const int dim = part.space.Dimension();
  const Eigen::Map<const Eigen::MatrixXd> at(part.u.data(), dim, part.space.Nodes()),
      by(du.data(), dim, part.space.Nodes());
  const Eigen::VectorXd size = at.colwise().norm();
  double most = 0;
  for (int n = 0; n < part.space.Nodes(); n++) {
    if (size[n] > 0.2 * size.maxCoeff())
      most = std::max(most, std::abs(at.col(n).dot(by.col(n))) / size[n] / size.maxCoeff());
  }
  return most;
}

TEST_CASE("a load is ruled out to be near buckling where it is not, and nowhere else") {
  Random random(89);
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      Part part(shape, order, random);
      const double times = random.Between(2, 300), share = Soften(part, random);
      const auto at = [&](double of_limit) {
        const Values u = part.u;
        for (double& v : part.u) v *= of_limit / (times * share);
        const auto change = ChangeFarFromBuckling(part.Stresses(), part.u, shape.dimension,
                                                  part.Operators(), times);
        const double want = Change(part);
        part.u = u;
        return std::pair(change, want);
      };
      const auto [change, want] = at(random.Between(0.1, 0.8));
      REQUIRE(change.has_value());
      CHECK(*change == doctest::Approx(want).epsilon(0.02));
      CHECK_FALSE(at(random.Between(1.5, 3)).first.has_value());
      CHECK_FALSE(at(random.Between(10, 1000)).first.has_value());
    }
  }
}

}  // namespace
}  // namespace atelier
