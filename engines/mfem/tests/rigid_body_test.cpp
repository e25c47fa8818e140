// Supports that hold a part, and those that leave a motion free.
#include "rigid_body.hpp"

#include <doctest/doctest.h>

#include "fixtures.hpp"

namespace atelier {
namespace {

Domain DomainOf(mfem::Mesh mesh) {
  Domain d;
  d.mesh = std::make_unique<mfem::Mesh>(std::move(mesh));
  mfem::Vector low, high;
  d.mesh->GetBoundingBox(low, high, 2);
  for (int k = 0; k < low.Size(); k++) {
    d.low[k] = low(k);
    d.high[k] = high(k);
  }
  return d;
}

// How many rigid motions RequireHeld finds free.
int FreeOf(const Domain& d, const NodalSpace& space, const Constraints& c) {
  try {
    RequireHeld(FindFreeMotions(d, space, c));
    return 0;
  } catch (const Error& e) {
    CHECK(e.code == codes::kSingularSystem);
    int sum = 0;
    for (const Json& body : e.details["bodies"]) sum += body["free_motions"].get<int>();
    return sum;
  }
}

TEST_CASE("points that are held leave the motions that geometry leaves") {
  Random random(61);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const int d = shape.dimension;
    const Domain domain = DomainOf(RandomMesh(shape, 2, random));
    const NodalSpace space(*domain.mesh, 1);
    Constraints c(static_cast<size_t>(space.Nodes()) * d);
    auto hold = [&](int node) {
      for (int k = 0; k < d; k++) c.Set(static_cast<size_t>(node) * d + k, 0);
    };
    CHECK(FreeOf(domain, space, c) == (d == 2 ? 3 : 6));
    hold(0);  // a hinge
    CHECK(FreeOf(domain, space, c) == (d == 2 ? 1 : 3));
    hold(1);  // an axis in space
    CHECK(FreeOf(domain, space, c) == (d == 2 ? 0 : 1));
    // Vertices 0, 1, 2 of the box lie on one line: a third off it is the last.
    hold(space.Nodes() - 1);
    CHECK(FreeOf(domain, space, c) == 0);
  }
}

TEST_CASE("a second body needs its own support") {
  Random random(62);
  mfem::Mesh one = RandomMesh(kShapes[2], 1, random), other(one);
  for (int v = 0; v < other.GetNV(); v++) other.GetVertex(v)[0] += 10;
  mfem::Mesh* parts[] = {&one, &other};
  const Domain domain = DomainOf(mfem::Mesh(parts, 2));
  const NodalSpace space(*domain.mesh, 1);
  Constraints c(static_cast<size_t>(space.Nodes()) * 3);
  for (int u = 0; u < 3 * one.GetNV(); u++) c.Set(u, 0);
  CHECK(FreeOf(domain, space, c) == 6);
  for (size_t u = 0; u < c.fixed.size(); u++) c.Set(u, 0);
  CHECK(FreeOf(domain, space, c) == 0);
}

}  // namespace
}  // namespace atelier
