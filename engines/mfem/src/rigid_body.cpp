#include "rigid_body.hpp"

#include <cmath>
#include <numeric>

#include "bodies.hpp"

namespace atelier {
namespace {

constexpr int kMostBodies =
    200;  // above, the dense test would be slow: bodies are then joined by vertices

int Modes(int dim) { return dim == 3 ? 6 : dim == 2 ? 3 : 1; }

// Component c of rigid mode m at a point (relative, scaled to about 1).
double Mode(int dim, int m, int c, const double* x) {
  if (m < dim) return m == c ? 1 : 0;
  if (dim == 2) return c == 0 ? -x[1] : x[0];
  const int axis = m - 3, i = (axis + 1) % 3, j = (axis + 2) % 3;
  return c == i ? -x[j] : c == j ? x[i] : 0;
}

class Mechanism {
 public:
  Mechanism(const Domain& domain, const NodalSpace& space, int bodies)
      : dim_(space.Dimension()),
        modes_(Modes(dim_)),
        n_(bodies * modes_),
        scale_(domain.Diagonal() / 2) {
    for (int k = 0; k < 3; k++) centre_[k] = (domain.low[k] + domain.high[k]) / 2;
    gram_.assign(static_cast<size_t>(n_) * n_, 0.0);
  }

  // Adds one constraint: the motion of `a` (minus that of `b`, if any) at a point is 0.
  void Constrain(const double* point, int component, int a, int b) {
    double x[3];
    for (int k = 0; k < dim_; k++) x[k] = (point[k] - centre_[k]) / scale_;
    for (int m = 0; m < modes_; m++) {
      for (int n = 0; n < modes_; n++) {
        const double v = Mode(dim_, m, component, x) * Mode(dim_, n, component, x);
        At(a, m, a, n) += v;
        if (b < 0) continue;
        At(b, m, b, n) += v;
        At(a, m, b, n) -= v;
        At(b, m, a, n) -= v;
      }
    }
  }

  // The same of the motion in a direction.
  void ConstrainAlong(const double* point, const Point3& direction, int a, int b) {
    double x[3] = {}, along[6] = {};
    for (int k = 0; k < dim_; k++) x[k] = (point[k] - centre_[k]) / scale_;
    for (int m = 0; m < modes_; m++) {
      for (int c = 0; c < dim_; c++) along[m] += direction[c] * Mode(dim_, m, c, x);
    }
    for (int m = 0; m < modes_; m++) {
      for (int n = 0; n < modes_; n++) {
        const double v = along[m] * along[n];
        At(a, m, a, n) += v;
        if (b < 0) continue;
        At(b, m, b, n) += v;
        At(a, m, b, n) -= v;
        At(b, m, a, n) -= v;
      }
    }
  }

  // Free motions of every body: pivoted Cholesky of the Gram matrix, whose
  // unpivoted rest is the null space.
  std::vector<int> FreeMotions() {
    std::vector<int> open(n_), free(n_ / modes_, 0);
    std::iota(open.begin(), open.end(), 0);
    Values d(n_);
    double largest = 0;
    for (int i = 0; i < n_; i++)
      largest = std::max(largest, d[i] = gram_[static_cast<size_t>(i) * n_ + i]);
    while (!open.empty()) {
      auto best =
          std::max_element(open.begin(), open.end(), [&](int i, int j) { return d[i] < d[j]; });
      const int p = *best;
      if (!(d[p] > 1e-11 * std::max(largest, 1.0))) break;
      open.erase(best);
      for (int i : open) {
        const double l = gram_[static_cast<size_t>(i) * n_ + p] / d[p];
        if (l == 0) continue;
        for (int j : open)
          gram_[static_cast<size_t>(i) * n_ + j] -= l * gram_[static_cast<size_t>(p) * n_ + j];
      }
      for (int i : open) d[i] = gram_[static_cast<size_t>(i) * n_ + i];
    }
    for (int i : open) free[i / modes_]++;
    return free;
  }

 private:
  double& At(int a, int m, int b, int n) {
    return gram_[static_cast<size_t>(a * modes_ + m) * n_ + b * modes_ + n];
  }
  int dim_, modes_, n_;
  double scale_, centre_[3];
  Values gram_;
};

}  // namespace

FreeMotions FindFreeMotions(const Domain& domain, const NodalSpace& space,
                            const Constraints& constraints, const std::vector<Spring>& springs) {
  int count = 0;
  std::vector<int> body = Bodies(*domain.mesh, false, count);
  if (count > kMostBodies) body = Bodies(*domain.mesh, true, count);
  const int dim = space.Dimension();
  std::vector<double> volume(count, 0.0);
  if (count > kMostBodies) {
    throw Error(codes::kSingularSystem,
                "the mesh falls into " + std::to_string(count) + " separate bodies")
        .At("/mesh")
        .Hint("Mesh the part again with a smaller dx, so that thin regions hold together.");
  }
  Mechanism mechanism(domain, space, count);
  std::vector<int> owner(space.Nodes(), -1);
  for (int e = 0; e < space.Elements(); e++) {
    for (int a = 0; a < space.Count(e); a++) {
      const int node = space.Dofs(e)[a];
      if (owner[node] == body[e]) continue;
      const double* x = &space.Coordinates()[static_cast<size_t>(node) * dim];
      for (int c = 0; c < dim; c++) {
        if (owner[node] >= 0) {
          mechanism.Constrain(x, c, owner[node], body[e]);
        } else if (constraints.fixed[static_cast<size_t>(node) * dim + c]) {
          mechanism.Constrain(x, c, body[e], -1);
        }
      }
      if (owner[node] < 0) owner[node] = body[e];
    }
  }
  for (const Spring& s : springs)
    mechanism.ConstrainAlong(s.place.data(), s.direction, owner[s.node],
                             s.other < 0 ? -1 : owner[s.other]);
  const std::vector<int> free = mechanism.FreeMotions();
  FreeMotions out;
  out.bodies = count;
  for (int b = 0; b < count; b++) {
    out.total += free[b];
    if (free[b] > 0 && out.loose.size() < 10)
      out.loose.push_back({{"body", b + 1}, {"free_motions", free[b]}});
  }
  return out;
}

void RequireHeld(const FreeMotions& motions) {
  const int total = motions.total, count = motions.bodies;
  if (total == 0) return;
  throw Error(codes::kSingularSystem, "nothing holds the part: " + std::to_string(total) +
                                          " rigid motion" + (total > 1 ? "s are" : " is") +
                                          " free (" + std::to_string(count) +
                                          (count > 1 ? " bodies)" : " body)"))
      .At("/config/bcs")
      .Hint(count > 1
                ? "Every body needs its own support, or the bodies must share faces of one mesh."
                : "Add a fixed condition that stops every translation and rotation. A part that "
                  "floats is set on soft elastic ones.")
      .With("bodies", motions.loose);
}

}  // namespace atelier
