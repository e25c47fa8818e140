#include "surface.h"

#include <algorithm>
#include <cmath>

namespace atelier {

Vec3 Minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

Vec3 Cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double Dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double Norm(const Vec3& a) { return std::sqrt(Dot(a, a)); }

Edges CountEdges(const Surface& s, size_t first, size_t last) {
  // One 64-bit key per directed edge: sorted ends, then the direction.
  struct Use {
    uint64_t ends;
    bool forward;
    bool operator<(const Use& o) const {
      return ends != o.ends ? ends < o.ends : forward < o.forward;
    }
  };
  std::vector<Use> uses;
  uses.reserve(3 * (last - first));
  for (size_t t = first; t < last; ++t) {
    for (int k = 0; k < 3; ++k) {
      auto a = static_cast<uint32_t>(s.triangles[t][k]);
      auto b = static_cast<uint32_t>(s.triangles[t][(k + 1) % 3]);
      uses.push_back({(uint64_t{std::min(a, b)} << 32) | std::max(a, b), a < b});
    }
  }
  std::sort(uses.begin(), uses.end());
  Edges count;
  for (size_t i = 0; i < uses.size();) {
    size_t j = i;
    while (j < uses.size() && uses[j].ends == uses[i].ends) ++j;
    if (j - i == 1) {
      ++count.boundary;
    } else if (j - i != 2 || uses[i].forward == uses[i + 1].forward) {
      ++count.non_manifold;
    }
    i = j;
  }
  return count;
}

void Bounds(const Surface& s, Vec3& lo, Vec3& hi) {
  lo = hi = {0, 0, 0};
  for (size_t i = 0; i < s.points.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) {
      double x = s.points[i][k];
      lo[k] = i == 0 ? x : std::min(lo[k], x);
      hi[k] = i == 0 ? x : std::max(hi[k], x);
    }
  }
}

double Volume(const Surface& s, size_t first, size_t last) {
  if (first == last) return 0;
  const Vec3 origin = s.points[s.triangles[first][0]];  // near the body, to keep digits
  double sum = 0;
  for (size_t t = first; t < last; ++t) {
    Vec3 a = Minus(s.points[s.triangles[t][0]], origin);
    Vec3 b = Minus(s.points[s.triangles[t][1]], origin);
    Vec3 c = Minus(s.points[s.triangles[t][2]], origin);
    sum += Dot(a, Cross(b, c));
  }
  return sum / 6;
}

double Area(const Surface& s, size_t first, size_t last) {
  double sum = 0;
  for (size_t t = first; t < last; ++t) {
    const Vec3& a = s.points[s.triangles[t][0]];
    sum +=
        Norm(Cross(Minus(s.points[s.triangles[t][1]], a), Minus(s.points[s.triangles[t][2]], a)));
  }
  return sum / 2;
}

}  // namespace atelier
