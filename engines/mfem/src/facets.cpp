#include "facets.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kinks.hpp"
#include "union_find.hpp"

namespace atelier {
namespace {

// Faces that meet at less are one: a circle of as many facets lacks 5e-5 of its area.
constexpr double kFlat = 1 * kDegree;
// A roof or a shallow pyramid has fewer faces.
constexpr int kFewFacets = 5;
// An element that is curved this much of the way to the round surface is no flat one.
constexpr double kCurved = 0.1;

// A parabola through three points of an arc with chord c and sagitta s lies within it by
// 0.53 s (s / c)^2 in the mean; curves of order k come as near as the power 2 (k - 1).
constexpr double kBetweenPoints = 0.53;

// Two faces of the surface with an edge (in 2-D a vertex) in common.
struct Joint {
  int one, two;
  double turn;
  Point3 at, along;  // along: unit, 0 in 2-D
};

std::vector<Joint> Joints(const std::vector<Facet>& surface, int dim) {
  std::map<std::array<int, 2>, std::vector<std::array<int, 2>>> edges;  // {face, corner}
  for (int f = 0; f < static_cast<int>(surface.size()); f++) {
    const std::vector<int>& v = surface[f].vertex;
    for (int i = 0, n = static_cast<int>(v.size()); i < n; i++) {
      const int next = v[(i + 1) % n];
      edges[dim == 2 ? std::array<int, 2>{v[i], v[i]}
                     : std::array<int, 2>{std::min(v[i], next), std::max(v[i], next)}]
          .push_back({f, i});
    }
  }
  std::vector<Joint> out;
  for (const auto& [vertices, sides] : edges) {
    if (sides.size() != 2) continue;
    const Facet &a = surface[sides[0][0]], &b = surface[sides[1][0]];
    const double cosine = std::clamp(Dot(a.normal, b.normal), -1.0, 1.0);
    // The cosine alone cannot tell small angles from rounding.
    const double turn = std::atan2(Length(Cross(a.normal, b.normal)), cosine);
    const Point3 at = a.corner[sides[0][1]];
    Point3 along{};
    if (dim == 3) {
      along = Less(a.corner[(sides[0][1] + 1) % a.corner.size()], at);
      const double length = std::max(Length(along), 1e-300);
      for (double& x : along) x /= length;
    }
    out.push_back({sides[0][0], sides[1][0], turn, at, along});
  }
  return out;
}

// Faces of elements in one plane: one flat face of the part.
struct Plane {
  double area = 0, sagitta = 0, turn = 0, bow = 0;
  Point3 centre{};
  std::set<int> neighbours;  // that it meets at a small angle
};

std::map<int, Plane> Planes(const std::vector<Facet>& surface, UnionFind& one_plane) {
  std::map<int, Plane> planes;
  for (int f = 0; f < static_cast<int>(surface.size()); f++) {
    Plane& p = planes[one_plane.Root(f)];
    p.area += surface[f].area;
    p.centre = Less(p.centre, -surface[f].area, surface[f].centre);
    p.bow = std::max(p.bow, surface[f].bow);
  }
  for (auto& [root, p] : planes) {
    for (double& x : p.centre) x /= std::max(p.area, 1e-300);
  }
  return planes;
}

double Distance(const Point3& x, const Joint& j) {
  const Point3 from = Less(x, j.at);
  return Length(Less(from, Dot(from, j.along), j.along));
}

}  // namespace

Facets RoundFacets(mfem::Mesh& mesh) {
  Facets out;
  const int dim = mesh.Dimension();
  if (dim < 2) return out;
  const std::vector<Facet> surface = Surface(mesh, std::vector<int>(mesh.GetNE(), 0));
  const std::vector<Joint> joints = Joints(surface, dim);
  UnionFind one_plane(surface.size());
  for (const Joint& j : joints) {
    if (j.turn < kFlat) one_plane.Join(j.one, j.two);
  }
  std::map<int, Plane> planes = Planes(surface, one_plane);
  UnionFind round(surface.size());
  for (const Joint& j : joints) {
    const int one = one_plane.Root(j.one), two = one_plane.Root(j.two);
    if (j.turn < kFlat || j.turn > kMostTurn || one == two) continue;
    Plane &a = planes[one], &b = planes[two];
    // A chord c of a circle of radius c/turn is c turn/8 away from it. Beside a wide
    // face, into which the round one runs out, the narrow one tells the chord.
    const double chord = 2 * std::min(Distance(a.centre, j), Distance(b.centre, j));
    const double sagitta = chord * j.turn / 8;
    if (std::max(a.bow, b.bow) > kCurved * sagitta) continue;  // quadrilaterals may be warped
    for (Plane* p : {&a, &b}) {
      p->sagitta = std::max(p->sagitta, sagitta);
      p->turn = std::max(p->turn, j.turn);
    }
    a.neighbours.insert(two);
    b.neighbours.insert(one);
    round.Join(one, two);
  }
  std::map<int, int> members;
  for (const auto& [root, p] : planes) members[round.Root(root)] += !p.neighbours.empty();
  for (const auto& [root, p] : planes) {
    // The last face of a row is the one that it runs out into.
    if (members[round.Root(root)] < kFewFacets || p.neighbours.size() < 2) continue;
    out.count++;
    out.turn = std::max(out.turn, p.turn);
    out.sagitta = std::max(out.sagitta, p.sagitta);
    out.volume += 2.0 / 3 * p.sagitta * p.area;
  }
  return out;
}

double CurvedShortfall(mfem::Mesh& mesh) {
  if (!mesh.GetNodes() || mesh.Dimension() < 2) return 0;
  const int order = mesh.GetNodes()->FESpace()->GetMaxElementOrder(), dim = mesh.Dimension();
  double volume = 0;
  for (int face = 0; face < mesh.GetNumFaces(); face++) {
    int one, two;
    mesh.GetFaceElements(face, &one, &two);
    if (two >= 0) continue;
    mfem::ElementTransformation& t = *mesh.GetFaceTransformation(face);
    const mfem::Geometry::Type geometry = t.GetGeometryType();
    const mfem::IntegrationRule& corners = *mfem::Geometries.GetVertices(geometry);
    const int n = corners.GetNPoints();
    const mfem::IntegrationPoint& centre = mfem::Geometries.GetCenter(geometry);
    t.SetIntPoint(&centre);
    const double area = t.Weight() * mfem::Geometry::Volume[geometry];
    mfem::Vector normal(dim);
    mfem::CalcOrtho(t.Jacobian(), normal);
    normal /= normal.Norml2();
    double depth = 0;
    for (int i = 0; i < (dim == 2 ? 1 : n); i++) {
      const mfem::IntegrationPoint &a = corners.IntPoint(i), &b = corners.IntPoint((i + 1) % n);
      mfem::IntegrationPoint middle;
      middle.Set3(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z));
      mfem::Vector start(dim), end(dim), arc(dim);
      t.Transform(a, start);
      t.Transform(b, end);
      t.Transform(middle, arc);
      const double chord = start.DistanceTo(end.GetData());
      add(0.5, start, 0.5, end, start);
      // An edge that is curved within a flat face takes nothing from it.
      const double sagitta = std::abs((arc * normal) - (start * normal));
      depth = std::max(depth, sagitta * std::pow(sagitta / chord, 2 * (order - 1)));
    }
    volume += kBetweenPoints * depth * area;
  }
  return volume;
}

}  // namespace atelier
