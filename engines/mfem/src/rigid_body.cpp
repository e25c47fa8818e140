#include "rigid_body.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include "bodies.hpp"
#include "free_motion.hpp"

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

  // How many motions are free: pivoted Cholesky of the Gram matrix, whose unpivoted rest is the
  // null space.
  int Free() const {
    Values gram = gram_;
    std::vector<int> open(n_);
    std::iota(open.begin(), open.end(), 0);
    Values d(n_);
    double largest = 0;
    for (int i = 0; i < n_; i++)
      largest = std::max(largest, d[i] = gram[static_cast<size_t>(i) * n_ + i]);
    while (!open.empty()) {
      auto best =
          std::max_element(open.begin(), open.end(), [&](int i, int j) { return d[i] < d[j]; });
      const int p = *best;
      if (!(d[p] > 1e-11 * std::max(largest, 1.0))) break;
      open.erase(best);
      for (int i : open) {
        const double l = gram[static_cast<size_t>(i) * n_ + p] / d[p];
        if (l == 0) continue;
        for (int j : open)
          gram[static_cast<size_t>(i) * n_ + j] -= l * gram[static_cast<size_t>(p) * n_ + j];
      }
      for (int i : open) d[i] = gram[static_cast<size_t>(i) * n_ + i];
    }
    return static_cast<int>(open.size());
  }

  // A base of them, by column: translations, then turns, of each body.
  Eigen::MatrixXd Base(int free) const {
    const Eigen::Map<const Eigen::MatrixXd> gram(gram_.data(), n_, n_);
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvectors().leftCols(free);
  }
  int Each() const { return modes_; }
  // Those of one body, by its rows in such a base.
  std::vector<FreeMotion> Motions(const Eigen::MatrixXd& base, int body) const {
    return NameMotions(base.middleRows(body * modes_, modes_), dim_,
                       Vector3(centre_[0], centre_[1], centre_[2]), scale_);
  }

 private:
  double& At(int a, int m, int b, int n) {
    return gram_[static_cast<size_t>(a * modes_ + m) * n_ + b * modes_ + n];
  }
  int dim_, modes_, n_;
  double scale_, centre_[3];
  Values gram_;
};

// Tells of each body that can move by which motions.
void Describe(const Domain& domain, const Mechanism& mechanism, const std::vector<int>& body,
              FreeMotions& out) {
  constexpr size_t kTold = 10;
  std::vector<std::set<int>> attributes(out.bodies);
  for (size_t e = 0; e < body.size(); e++)
    attributes[body[e]].insert(domain.mesh->GetAttribute(static_cast<int>(e)));
  const Eigen::MatrixXd base = mechanism.Base(out.total);
  for (int b = 0; b < out.bodies; b++) {
    const std::vector<FreeMotion> motions = mechanism.Motions(base, b);
    if (motions.empty()) continue;
    out.movable++;
    if (out.loose.size() >= kTold) continue;
    Json list = Json::array();
    for (const FreeMotion& m : motions) list.push_back(m.Details());
    out.loose.push_back({{"body", b + 1},
                         {"attributes", attributes[b]},
                         {"free_motions", motions.size()},
                         {"motions", list}});
  }
}

}  // namespace

FreeMotions FindFreeMotions(const Domain& domain, const NodalSpace& space,
                            const Constraints& constraints, const std::vector<Spring>& springs) {
  int count = 0;
  std::vector<int> body = Bodies(*domain.mesh, false, count);
  if (count > kMostBodies) body = Bodies(*domain.mesh, true, count);
  const int dim = space.Dimension();
  if (count > kMostBodies) {
    throw Error(codes::kSingularSystem,
                "the mesh falls into " + std::to_string(count) + " separate bodies")
        .At("/mesh")
        .Hint("Mesh the part again with a smaller dx, so that thin regions hold together.");
  }
  Mechanism mechanism(domain, space, count);
  std::vector<int> owner(space.Nodes(), -1);
  std::vector<const Slanted*> slanted(space.Nodes(), nullptr);
  for (const Slanted& s : constraints.slanted) slanted[s.node] = &s;
  for (int e = 0; e < space.Elements(); e++) {
    for (int a = 0; a < space.Count(e); a++) {
      const int node = space.Dofs(e)[a];
      if (owner[node] == body[e]) continue;
      const double* x = &space.Coordinates()[static_cast<size_t>(node) * dim];
      // Only along the axis does a body of revolution move without strain.
      if (space.Axisymmetric()) mechanism.Constrain(x, 0, body[e], -1);
      for (int c = 0; c < dim; c++) {
        if (owner[node] >= 0) {
          mechanism.Constrain(x, c, owner[node], body[e]);
        } else if (constraints.fixed[static_cast<size_t>(node) * dim + c]) {
          mechanism.Constrain(x, c, body[e], -1);
        }
      }
      if (owner[node] < 0 && slanted[node]) {
        for (const Point3& d : slanted[node]->along) mechanism.ConstrainAlong(x, d, body[e], -1);
      }
      if (owner[node] < 0) owner[node] = body[e];
    }
  }
  for (const Spring& s : springs)
    mechanism.ConstrainAlong(s.place.data(), s.direction, owner[s.node],
                             s.other < 0 ? -1 : owner[s.other]);
  FreeMotions out;
  out.bodies = count;
  out.each = mechanism.Each();
  out.total = mechanism.Free();
  if (out.total > 0) Describe(domain, mechanism, body, out);
  return out;
}

std::string InWords(const FreeMotions& motions) {
  const bool one = motions.bodies == 1;
  if (motions.total == motions.each * motions.bodies)
    return std::string("nothing holds the ") + (one ? "part: all its " : "bodies: all their ") +
           std::to_string(motions.total) + " rigid motions are free";
  constexpr size_t kTold = 3;
  std::string out = "the part is not held: ";
  if (!one)
    out += std::to_string(motions.movable) + " of " + std::to_string(motions.bodies) +
           " bodies can still move: ";
  for (size_t i = 0; i < motions.loose.size() && i < kTold; i++) {
    const Json& b = motions.loose[i];
    const std::string name = one ? "it" : "body " + std::to_string(b["body"].get<int>());
    if (i > 0) out += "; ";
    if (b["free_motions"] == motions.each) {
      out += "nothing holds " + name;
      continue;
    }
    out += name + " is free in ";
    for (size_t k = 0; k < b["motions"].size(); k++) {
      out += k == 0 ? "" : k + 1 == b["motions"].size() ? " and " : ", ";
      out += b["motions"][k]["name"].get<std::string>();
    }
  }
  return out + (motions.loose.size() > kTold ? "; and more bodies" : "");
}

void RequireHeld(const FreeMotions& motions) {
  if (motions.total == 0) return;
  const bool several = motions.bodies > 1;
  throw Error(codes::kSingularSystem, InWords(motions))
      .At("/config/bcs")
      .Hint(several ? "Every body needs its own support, or the bodies must share faces of one "
                      "mesh."
                    : "Add conditions that stop these motions: fixed, with components where only "
                      "some are to be held, or symmetry. A part that floats is set on soft elastic "
                      "ones.")
      .With("bodies", motions.loose);
}

}  // namespace atelier
