#include "surface.hpp"

#include <cmath>

namespace atelier {
namespace {

Point3 Mean(const std::vector<Point3>& points) {
  Point3 m{};
  for (const Point3& x : points) m = Less(m, -1.0 / static_cast<double>(points.size()), x);
  return m;
}

Point3 CentreOf(const mfem::Mesh& mesh, int element) {
  const mfem::Element& e = *mesh.GetElement(element);
  std::vector<Point3> corners;
  for (int i = 0; i < e.GetNVertices(); i++) corners.push_back(VertexOf(mesh, e.GetVertices()[i]));
  return Mean(corners);
}

// Area and normal of a face, out of the element that it belongs to.
void Orient(Facet& f, const Point3& inside, int dimension) {
  f.centre = Mean(f.corner);
  if (dimension == 2) {
    const Point3 along = Less(f.corner[1], f.corner[0]);
    f.normal = {along[1], -along[0], 0};
  } else {
    for (size_t i = 1; i + 1 < f.corner.size(); i++) {
      const Point3 n = Cross(Less(f.corner[i], f.corner[0]), Less(f.corner[i + 1], f.corner[0]));
      f.normal = Less(f.normal, -0.5, n);
    }
  }
  f.area = Length(f.normal);
  const double sign = Dot(f.normal, Less(f.centre, inside)) < 0 ? -1 : 1;
  for (double& x : f.normal) x *= sign / std::max(f.area, 1e-300);
  f.height = std::abs(Dot(f.normal, Less(f.centre, inside)));
}

}  // namespace

Point3 Cross(const Point3& a, const Point3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Point3 VertexOf(const mfem::Mesh& mesh, int v) {
  Point3 x{};
  for (int k = 0; k < mesh.Dimension(); k++) x[k] = mesh.GetVertex(v)[k];
  return x;
}

double Bow(mfem::Mesh& mesh, int element) {
  if (!mesh.GetNodes()) return 0;
  const mfem::Element& e = *mesh.GetElement(element);
  double most = 0;
  const mfem::IntegrationRule& corner =
      *mfem::Geometries.GetVertices(mesh.GetElementGeometry(element));
  mfem::ElementTransformation* t = mesh.GetElementTransformation(element);
  for (int i = 0; i < e.GetNEdges(); i++) {
    const int* edge = e.GetEdgeVertices(i);
    const mfem::IntegrationPoint &a = corner.IntPoint(edge[0]), &b = corner.IntPoint(edge[1]);
    mfem::IntegrationPoint middle;
    middle.Set3(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z));
    mfem::Vector x(mesh.Dimension());
    t->Transform(middle, x);
    Point3 off =
        Mean({VertexOf(mesh, e.GetVertices()[edge[0]]), VertexOf(mesh, e.GetVertices()[edge[1]])});
    for (int k = 0; k < mesh.Dimension(); k++) off[k] -= x(k);
    most = std::max(most, Length(off));
  }
  return most;
}

double Warp(const mfem::Mesh& mesh, int element) {
  const mfem::Element& e = *mesh.GetElement(element);
  double most = 0;
  for (int i = 0; mesh.Dimension() == 3 && i < e.GetNFaces(); i++) {
    if (e.GetNFaceVertices(i) < 4) continue;
    const int* v = e.GetFaceVertices(i);
    Point3 x[4];
    for (int k = 0; k < 4; k++) x[k] = VertexOf(mesh, e.GetVertices()[v[k]]);
    const Point3 n = Cross(Less(x[2], x[0]), Less(x[3], x[1]));
    const double size = Length(n);
    if (size > 0) most = std::max(most, std::abs(Dot(n, Less(x[1], x[0]))) / size);
  }
  return most;
}

double Bulge(mfem::Mesh& mesh, int element) {
  return std::max(Bow(mesh, element), Warp(mesh, element));
}

std::vector<Facet> Surface(mfem::Mesh& mesh, const std::vector<int>& body) {
  std::vector<Facet> out;
  mfem::Array<int> vertices;
  for (int face = 0; face < mesh.GetNumFaces(); face++) {
    int one, two;
    mesh.GetFaceElements(face, &one, &two);
    if (two >= 0) continue;
    Facet f;
    f.face = face;
    f.element = one;
    f.body = body[one];
    mesh.GetFaceVertices(face, vertices);
    for (int v : vertices) {
      f.corner.push_back(VertexOf(mesh, v));
      f.vertex.push_back(v);
    }
    Orient(f, CentreOf(mesh, one), mesh.Dimension());
    f.bow = Bow(mesh, one);
    f.bulge = std::max(f.bow, Warp(mesh, one));
    out.push_back(f);
  }
  return out;
}

void Clip(Polygon& polygon, const Point3& normal, double limit) {
  Polygon out;
  const size_t n = polygon.size();
  for (size_t i = 0; i < n; i++) {
    const Point3 &a = polygon[i], &b = polygon[(i + 1) % n];
    const double at_a = Dot(normal, a) - limit, at_b = Dot(normal, b) - limit;
    if (at_a <= 0) out.push_back(a);
    if ((at_a < 0 && at_b > 0) || (at_a > 0 && at_b < 0))
      out.push_back(Less(a, -at_a / (at_a - at_b), Less(b, a)));
  }
  polygon = std::move(out);
}

Patch Measure(const Polygon& polygon, int dimension) {
  Patch p;
  if (polygon.size() < 2) return p;
  if (dimension == 2) {
    size_t far = 0;
    for (size_t i = 1; i < polygon.size(); i++) {
      if (Length(Less(polygon[i], polygon[0])) > Length(Less(polygon[far], polygon[0]))) far = i;
    }
    return {Length(Less(polygon[far], polygon[0])), Mean({polygon[0], polygon[far]})};
  }
  for (size_t i = 1; i + 1 < polygon.size(); i++) {
    const double area =
        0.5 * Length(Cross(Less(polygon[i], polygon[0]), Less(polygon[i + 1], polygon[0])));
    p.area += area;
    p.centre = Less(p.centre, -area, Mean({polygon[0], polygon[i], polygon[i + 1]}));
  }
  for (double& x : p.centre) x /= std::max(p.area, 1e-300);
  return p;
}

}  // namespace atelier
