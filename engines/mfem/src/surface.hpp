// The surface of a mesh: the faces that belong to one element only, as flat polygons.
#pragma once

#include <cmath>
#include <vector>

#include "box_tree.hpp"
#include "domain.hpp"

namespace atelier {

inline double Dot(const Point3& a, const Point3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline double Length(const Point3& a) { return std::sqrt(Dot(a, a)); }
inline Point3 Less(const Point3& a, double s, const Point3& b) {
  return {a[0] - s * b[0], a[1] - s * b[1], a[2] - s * b[2]};
}
inline Point3 Less(const Point3& a, const Point3& b) { return Less(a, 1, b); }
Point3 Cross(const Point3& a, const Point3& b);

using Polygon = std::vector<Point3>;  // in 2-D a segment

struct Facet {
  int face = 0, element = 0, body = 0;
  double area = 0;            // m^2; a length in 2-D
  double height = 0;          // of its element above it, about
  double bulge = 0;           // how far the element's true faces are from flat ones,
  double bow = 0;             // and its edges from straight ones
  Point3 centre{}, normal{};  // unit, outward
  Polygon corner;
  std::vector<int> vertex;
};

// body: by element.
std::vector<Facet> Surface(mfem::Mesh& mesh, const std::vector<int>& body);

Point3 VertexOf(const mfem::Mesh& mesh, int v);

// How far the edges of an element are from straight ones.
double Bow(mfem::Mesh& mesh, int element);
// How far the corners of its faces are from lying in a plane.
double Warp(const mfem::Mesh& mesh, int element);
// How far an element is from one with flat faces: 0 for straight simplices.
double Bulge(mfem::Mesh& mesh, int element);

// The part of a polygon where normal . x <= limit.
void Clip(Polygon& polygon, const Point3& normal, double limit);

// Area (length of a segment) and centroid of a flat polygon.
struct Patch {
  double area = 0;
  Point3 centre{};
};
Patch Measure(const Polygon& polygon, int dimension);

}  // namespace atelier
