// Nodes that are held along directions which are no axes, and the round faces that these are of.
#include <doctest/doctest.h>

#include <cmath>

#include "assembly.hpp"
#include "fixtures.hpp"
#include "krylov.hpp"
#include "round_fit.hpp"
#include "spd_solver.hpp"

namespace atelier {
namespace {

Vector3 Direction(Random& random, int dim) {
  Vector3 v = Vector3::Zero();
  for (int k = 0; k < dim; k++) v[k] = random.Between(-1, 1);
  return v.normalized();
}

// The nodes of one side of the block.
std::vector<int> Side(const NodalSpace& s, int attribute) {
  std::vector<int> out;
  for (int b = 0; b < s.Mesh().GetNBE(); b++) {
    if (s.Mesh().GetBdrAttribute(b) != attribute) continue;
    for (int node : s.BoundaryDofs(b)) out.push_back(node);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST_CASE("a node held along a direction moves across it alone, and bears along it alone") {
  Random random(71);
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      const int d = shape.dimension;
      mfem::Mesh mesh = RandomMesh(shape, 4, random, 0);
      const NodalSpace space(mesh, order);
      const Lame lame = {Values(mesh.GetNE(), 1.0), Values(mesh.GetNE(), 1.0)};
      const BlockCsr whole = AssembleElasticity(space, MakeGraph(space), lame);
      Constraints held(whole.Size());
      const std::vector<int> base = Side(space, 1);
      for (int node : base) {
        for (int k = 0; k < d; k++) held.Set(static_cast<size_t>(node) * d + k, 0);
      }
      std::vector<Vector3> along;
      for (int node = 0; node < space.Nodes(); node += 3) {
        if (std::binary_search(base.begin(), base.end(), node)) continue;
        const Vector3 n = Direction(random, d);
        along.push_back(n);
        held.slanted.push_back({node, d, {{n[0], n[1], n[2]}}});
      }
      const SpdProblem problem(space, held,
                               [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
                                 return AssembleElasticity(s, std::move(g), lame);
                               });
      Values load(whole.Size()), u, product;
      for (double& f : load) f = random.Between(-1, 1);
      SolveOptions options;
      options.relative_tolerance = 1e-10;
      const SolveReport report = problem.Solve(load, u, options);
      CHECK(report.converged);
      Values rest = problem.Reactions(u, load);
      whole.Multiply(u, product);
      for (size_t i = 0; i < rest.size(); i++) rest[i] += load[i] - product[i];
      CHECK(Largest(rest) < 1e-7 * Norm2(load));  // K u = f + reactions
      const Values reactions = problem.Reactions(u, load);
      for (size_t i = 0; i < held.slanted.size(); i++) {
        const size_t first = static_cast<size_t>(held.slanted[i].node) * d;
        Vector3 moved = Vector3::Zero(), force = Vector3::Zero();
        for (int k = 0; k < d; k++) moved[k] = u[first + k], force[k] = reactions[first + k];
        CHECK(std::abs(moved.dot(along[i])) < 1e-12 * Largest(u));
        CHECK(force.cross(along[i]).norm() < 1e-10 * Norm2(load));
      }
    }
  }
}

TEST_CASE("a cylinder is found from corners and normals of its facets") {
  Random random(72);
  for (int i = 0; i < 20; i++) {
    const Vector3 axis = Direction(random, 3), across = axis.unitOrthogonal(),
                  side = axis.cross(across), at(random.Between(-1, 1), 2, 3);
    const double radius = random.Between(0.01, 1), wide = random.Between(0.5, 6.2),
                 facet = wide / 24, taper = i % 2 ? 0.15 : 0;
    FacetCorners corners;
    for (int k = 0; k < 24; k++) {
      const double middle = (k + 0.5) * facet;
      for (int end = 0; end < 4; end++) {
        const double phi = (k + end % 2) * facet, height = (end / 2) * radius;
        const Vector3 radial = std::cos(phi) * across + std::sin(phi) * side;
        corners.place.push_back(at + height * axis + (radius - taper * height) * radial);
        corners.normal.push_back(
            (std::cos(middle) * across + std::sin(middle) * side + taper * axis).normalized());
        corners.weight.push_back(1);
      }
    }
    const RoundFit fit = FitCylinder(corners, 3);
    CAPTURE(wide);
    CHECK(fit.Fits() == (taper == 0));
    if (taper > 0) continue;
    CHECK(fit.axis.cross(axis).norm() < 1e-9);
    CHECK(fit.Radius(at).norm() < 1e-9 * radius);
    CHECK(fit.radius == doctest::Approx(radius).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace atelier
