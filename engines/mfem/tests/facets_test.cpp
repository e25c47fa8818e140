// Which flat faces stand for a round surface, and how far from it they are.
#include "facets.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "fixtures.hpp"

namespace atelier {
namespace {

TEST_CASE("a regular polygon of many sides stands for a circle") {
  Random random(91);
  for (int dimension : {2, 3}) {
    for (int split : {1, 2}) {
      const int n = random.Integer(12, 72);
      CAPTURE(n);
      CAPTURE(dimension);
      mfem::Mesh mesh = Annulus(n, split, dimension, 0.3);
      const Facets f = RoundFacets(mesh);
      CHECK(f.count == 2 * n);
      CHECK(f.turn == doctest::Approx(2 * M_PI / n));
      // The height of the circle's segment over its chord; the estimate's next term is
      // of the order of turn^2.
      CHECK(f.sagitta == doctest::Approx(1 - std::cos(M_PI / n)).epsilon(0.1));
      // Circle less polygon at both radii, added: both are off.
      const double missing = 1.25 * (M_PI - n * std::sin(2 * M_PI / n) / 2);
      CHECK(f.volume == doctest::Approx(dimension == 2 ? missing : 0.3 * missing).epsilon(0.1));
    }
  }
}

TEST_CASE("true polygons and curved elements have no facets of a round surface") {
  for (int dimension : {2, 3}) {
    for (int n : {3, 4, 5, 6, 8, 10}) {
      mfem::Mesh mesh = Annulus(n, 2, dimension, 0.3);
      CAPTURE(n);
      CHECK(RoundFacets(mesh).count == 0);
    }
    mfem::Mesh curved = Annulus(24, 1, dimension, 0.3);
    curved.SetCurvature(2);
    CHECK(RoundFacets(curved).count == 48);  // of order 2, and still straight
    curved.Transform([](const mfem::Vector& x, mfem::Vector& y) {
      // Moves the middles of the sides onto the circle of their ends.
      const double r = std::hypot(x(0), x(1)), c = std::cos(M_PI / 24);
      const double turns = std::atan2(x(1), x(0)) / (2 * M_PI / 24);
      const double off = 2 * std::abs(turns - std::round(turns));
      y = x;
      const double grown = r * (1 + off * (1 / c - 1)) / r;
      y(0) *= grown;
      y(1) *= grown;
    });
    CHECK(RoundFacets(curved).count == 0);
  }
  Random random(92);
  for (const Shape& shape : kShapes) {
    mfem::Mesh box = RandomMesh(shape, 3, random);
    CAPTURE(shape.name);
    CHECK(RoundFacets(box).count == 0);
  }
}

}  // namespace
}  // namespace atelier
