// A triangle surface with CAD face ids, its checks and its figures.
#ifndef ATELIER_OCCT_SURFACE_H_
#define ATELIER_OCCT_SURFACE_H_

#include <cstdint>
#include <vector>

#include "part.h"

namespace atelier {

using Triangle = std::array<int32_t, 3>;

struct Surface {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;  // sorted by face
  std::vector<int32_t> face;        // per triangle, 1-based face id
};

// Edges tells how the undirected edges of a range of triangles are shared.
struct Edges {
  int64_t boundary = 0;      // used once
  int64_t non_manifold = 0;  // used more than twice, or twice in the same direction
  bool closed() const { return boundary == 0 && non_manifold == 0; }
};

Edges CountEdges(const Surface& s, size_t first, size_t last);

// Signed volume by the divergence theorem, and area, of triangles first…last-1.
double Volume(const Surface& s, size_t first, size_t last);
double Area(const Surface& s, size_t first, size_t last);

// The box of all points; both corners are zero without any.
void Bounds(const Surface& s, Vec3& lo, Vec3& hi);

double Norm(const Vec3& a);
Vec3 Minus(const Vec3& a, const Vec3& b);
Vec3 Cross(const Vec3& a, const Vec3& b);
double Dot(const Vec3& a, const Vec3& b);

}  // namespace atelier

#endif  // ATELIER_OCCT_SURFACE_H_
