// Bodies are meshed each by itself, and the time that there is is kept.
#include "tessellate.h"

#include <doctest/doctest.h>

#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRep_Builder.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <gp_Trsf.hxx>

#include "measure.h"
#include "testing/random.hpp"
#include "triangulate.h"

namespace atelier {
namespace {

TopoDS_Shape Sphere(double x, double radius) {
  return BRepPrimAPI_MakeSphere(gp_Pnt(x, 0, 0), radius).Solid();
}

Part Of(const std::vector<TopoDS_Shape>& shapes) {
  Part part;
  BRep_Builder maker;
  maker.MakeCompound(part.root);
  for (const TopoDS_Shape& shape : shapes) {
    Body& body = part.bodies.emplace_back();
    body.id = static_cast<int>(part.bodies.size());
    body.kind = "solid";
    body.shape = shape;
    for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
      Face& face = part.faces.emplace_back();
      face.id = static_cast<int>(part.faces.size());
      face.body = body.id;
      face.shape = TopoDS::Face(e.Current());
      body.faces.push_back(part.faces.size() - 1);
    }
    maker.Add(part.root, shape);
  }
  Measure(part);
  return part;
}

MeshOptions Within(double seconds) {
  MeshOptions options;
  options.max_triangles = 5'000'000;
  options.seconds = seconds;
  return options;
}

TEST_CASE("a small body is refined alone") {
  Random random(21);
  const double large = random.Between(10, 20), small = large * random.Between(0.005, 0.02);
  const double far = random.Between(8, 12) * large;
  Part without = Of({Sphere(0, large), Sphere(far, large)});
  Part with = Of({Sphere(0, large), Sphere(far, large), Sphere(far / 2, small)});
  const Mesh two = Tessellate(without, Within(600)), three = Tessellate(with, Within(600));
  REQUIRE(three.bodies.size() == 3);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(three.bodies[i].last - three.bodies[i].first == two.bodies[i].last - two.bodies[i].first);
  }
  CHECK(three.watertight());
  const double exact = 4 * M_PI / 3 * small * small * small;
  CHECK(three.bodies[2].volume == doctest::Approx(exact).epsilon(0.005));
}

TEST_CASE("instances of one shape are one group, and equal shapes are not") {
  Random random(22);
  const TopoDS_Shape one = Sphere(0, random.Between(1, 2));
  gp_Trsf move;
  move.SetTranslation(gp_Vec(random.Between(10, 20), 0, 0));
  const std::vector<Group> groups =
      GroupsOf(Of({one, Sphere(50, 1), one.Moved(TopLoc_Location(move))}));
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].bodies == std::vector<size_t>{0, 2});
  CHECK(groups[1].bodies == std::vector<size_t>{1});
}

TEST_CASE("a mesh for which there is no time is an error that says so") {
  Part part = Of({Sphere(0, 1)});
  try {
    Tessellate(part, Within(0));
    FAIL("there is a mesh");
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find("in time") != std::string::npos);
  }
}

}  // namespace
}  // namespace atelier
