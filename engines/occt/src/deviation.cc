#include "deviation.h"

#include <BRepAdaptor_Surface.hxx>
#include <BRep_Tool.hxx>
#include <Poly_Triangulation.hxx>
#include <algorithm>
#include <cmath>

namespace atelier {
namespace {

constexpr int kSample = 200000;

double OfTriangle(const BRepAdaptor_Surface& surface, const Poly_Triangulation& mesh, int t) {
  int n[3];
  mesh.Triangle(t).Get(n[0], n[1], n[2]);
  gp_Pnt p[3];
  gp_Pnt2d uv[3];
  for (int k = 0; k < 3; ++k) p[k] = mesh.Node(n[k]), uv[k] = mesh.UVNode(n[k]);
  gp_Vec normal = gp_Vec(p[0], p[1]).Crossed(gp_Vec(p[0], p[2]));
  double length = normal.Magnitude();
  if (length < 1e-14) return 0;
  normal /= length;
  double worst = 0;
  auto check = [&](double a, double b, double c) {
    gp_Pnt on = surface.Value(a * uv[0].X() + b * uv[1].X() + c * uv[2].X(),
                              a * uv[0].Y() + b * uv[1].Y() + c * uv[2].Y());
    worst = std::max(worst, std::abs(gp_Vec(p[0], on).Dot(normal)));
  };
  check(1 / 3.0, 1 / 3.0, 1 / 3.0);
  check(0.5, 0.5, 0), check(0, 0.5, 0.5), check(0.5, 0, 0.5);
  return worst;
}

}  // namespace

double MaxChordDeviation(const Part& part, const Body& body) {
  TopLoc_Location place;
  int64_t total = 0;
  for (size_t i : body.faces) {
    auto mesh = BRep_Tool::Triangulation(part.faces[i].shape, place);
    if (!mesh.IsNull()) total += mesh->NbTriangles();
  }
  int step = static_cast<int>(total / kSample) + 1;
  double worst = 0;
  for (size_t i : body.faces) {
    const Face& f = part.faces[i];
    if (f.kind == "plane") continue;
    auto mesh = BRep_Tool::Triangulation(f.shape, place);
    if (mesh.IsNull() || !mesh->HasUVNodes()) continue;
    // Both the nodes and the surface are taken where the face was defined.
    TopoDS_Face at_home = TopoDS_Face(f.shape);
    at_home.Location(f.shape.Location() * place.Inverted(), false);
    BRepAdaptor_Surface surface(at_home, false);
    for (int t = 1; t <= mesh->NbTriangles(); t += step) {
      worst = std::max(worst, OfTriangle(surface, *mesh, t));
    }
  }
  return worst;
}

}  // namespace atelier
