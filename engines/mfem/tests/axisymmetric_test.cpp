// Bodies of revolution by half their section: volumes, and the stiffness of uniform strains.
#include <doctest/doctest.h>

#include "fixtures.hpp"
#include "initial_strain.hpp"

namespace atelier {
namespace {

// n by n cells over radii from `in` to `out`, with vertices within moved at random.
mfem::Mesh Section(mfem::Element::Type type, int n, double in, double out, double height,
                   Random& random) {
  mfem::Mesh mesh = mfem::Mesh::MakeCartesian2D(n, n, type, false, out - in, height);
  for (int v = 0; v < mesh.GetNV(); v++) {
    double* x = mesh.GetVertex(v);
    const bool within =
        x[0] > 1e-9 && x[0] < out - in - 1e-9 && x[1] > 1e-9 && x[1] < height - 1e-9;
    for (int k = 0; within && k < 2; k++)
      x[k] += random.Between(-0.15, 0.15) * (k == 0 ? out - in : height) / n;
    x[0] += in;
  }
  return mesh;
}

TEST_CASE("a section of revolution has the volume of its body and the energy of its strains") {
  Random random(5);
  for (const auto type : {mfem::Element::TRIANGLE, mfem::Element::QUADRILATERAL}) {
    for (const int order : {1, 2}) {
      for (const double in : {0.0, 0.4}) {  // on the axis, and beside it
        const double out = in + random.Between(0.5, 2), height = random.Between(0.5, 2);
        mfem::Mesh mesh = Section(type, 4, in, out, height, random);
        const NodalSpace space(mesh, order, true);
        const ElementKernel kernel(space, GradientDegree(space));
        double volume = 0;
        for (int e = 0; e < space.Elements(); e++) volume += kernel.Measure(e);
        const double exact = M_PI * (out * out - in * in) * height;
        CHECK(std::abs(volume - exact) <= 1e-12 * exact);

        const double lambda = random.Between(0.1, 5), mu = random.Between(0.1, 5),
                     across = random.Between(-1, 1), along = random.Between(-1, 1);
        const Lame lame{Values(space.Elements(), lambda), Values(space.Elements(), mu)};
        Values u(2 * static_cast<size_t>(space.Nodes())), forces(u.size());
        for (size_t i = 0; i < u.size(); i++)
          u[i] = (i % 2 == 0 ? across : along) * space.Coordinates()[i];
        AssembleElasticity(space, MakeGraph(space), lame).Multiply(u, forces);
        double work = 0;
        for (size_t i = 0; i < u.size(); i++) work += 0.5 * u[i] * forces[i];
        const double trace = 2 * across + along;
        const double energy =
            exact * (0.5 * lambda * trace * trace + mu * (2 * across * across + along * along));
        CHECK(std::abs(work - energy) <= 1e-12 * energy);
        CHECK(std::abs(ElasticEnergy(space, u, lame, {}) - energy) <= 1e-12 * energy);
      }
    }
  }
}

}  // namespace
}  // namespace atelier
