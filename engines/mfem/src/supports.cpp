#include "supports.hpp"

#include <cmath>

#include "elasticity.hpp"

namespace atelier {
namespace {

constexpr double kAligned = 1e-6;  // 1 - cos of the angle to an axis
constexpr double kAgree = 1e-6;    // of prescribed values: what coordinates leave of normals
constexpr double kOfAxis = 1e-3;   // the angle by which an axis counts as another direction, rad
constexpr double kNoForce = 1e-9;  // component of a direction
constexpr int kRevolved = -1;      // of a body of revolution, whose nodes stay on its axis
constexpr double kAxis = 1e-12;    // square of the part of an axis that is not held: it is held

const std::vector<std::string> kCylindrical = {"radial", "tangential", "axial"};

// The components of a cylindrical support; all that the contract names where none are given.
Slant Cylindrical(const Config& config, int dim) {
  Slant s{"cylindrical", true, true, dim == 3, true, 0, {}};
  if (!config.Has("components")) return s;
  s.radial = s.tangential = s.axial = false;
  for (const std::string& name : config.Strings("components")) {
    const auto found = std::find(kCylindrical.begin(), kCylindrical.end(), name);
    if (found == kCylindrical.end() || (dim == 2 && name == "axial"))
      throw config
          .Refuse("components", std::string("of cylindrical may hold radial, tangential") +
                                    (dim == 3 ? " and axial" : "; 2-D has no axial"))
          .Hint("Name those directions of the cylinder that are held; x, y and z are for fixed.");
    (name == "radial" ? s.radial : name == "tangential" ? s.tangential : s.axial) = true;
  }
  if (s.Count(dim) == 0) throw config.Refuse("components", "holds nothing");
  return s;
}

// The axis that all normals lie along, -1 for none.
int AxisOf(const BoundaryGeometry& geometry, const Region& r, int dim) {
  for (int c = 0; c < dim; c++) {
    if (std::all_of(r.faces.begin(), r.faces.end(),
                    [&](int f) { return std::abs(geometry.normal[f][c]) >= 1 - kAligned; }))
      return c;
  }
  return -1;
}

// What a condition demands of a node along one direction.
struct Demand {
  int region;  // kRevolved where no condition demands it
  HeldAlong along;
  double value;
  bool whole;  // of a condition that holds all directions
};

std::vector<Demand> DemandsOn(const Elasticity& p, int node) {
  std::vector<Demand> out;
  if (p.space->IsOnAxis(node)) out.push_back({kRevolved, {Vector3::Unit(0), 0}, 0, false});
  for (const Region& r : p.regions) {
    if (!IsFixed(r) || !p.region_nodes[r.index].count(node)) continue;
    if (const Slant* s = p.supports.Of(r)) {
      const bool whole = s->Count(p.dim) == p.dim;
      for (const HeldAlong& a : s->along.at(node)) out.push_back({r.index, a, 0, whole});
      continue;
    }
    const std::vector<int> components = FixedComponents(r, p.dim);
    const std::vector<double> value =
        r.config.Has("value") ? r.config.Vector("value", p.dim) : std::vector<double>(p.dim, 0.0);
    const bool whole = static_cast<int>(components.size()) == p.dim;
    for (int c : components) out.push_back({r.index, {Vector3::Unit(c), kOfAxis}, value[c], whole});
  }
  // What is known well comes before means of facets' normals.
  std::stable_sort(out.begin(), out.end(),
                   [](const Demand& a, const Demand& b) { return a.along.doubt < b.along.doubt; });
  return out;
}

Vector3 Beside(Vector3 v, const std::vector<Vector3>& base) {
  for (int twice = 0; twice < 2; twice++) {
    for (const Vector3& b : base) v -= b.dot(v) * b;
  }
  return v;
}

// The shortest displacement that meets what the node is held to.
Vector3 Displacement(const SharedNode& n) {
  Eigen::MatrixXd a(n.direction.size(), 3);
  Eigen::VectorXd b(n.direction.size());
  for (size_t i = 0; i < n.direction.size(); i++) a.row(i) = n.direction[i], b[i] = n.value[i];
  return a.completeOrthogonalDecomposition().solve(b);
}

// Takes the independent ones of the demands; base: an orthonormal base of them. Where two faces
// go over into each other without an edge, their normals differ by what they may be off: one
// holds the node, as on a smooth face.
std::string Share(const Elasticity& p, SharedNode& n, std::vector<Vector3>& base) {
  std::vector<const Demand*> left;
  const std::vector<Demand> demands = DemandsOn(p, n.node);
  double doubt = 0;
  for (const Demand& d : demands) {
    const Vector3 rest = Beside(d.along.direction, base);
    doubt = std::max(doubt, d.along.doubt);
    if (!(rest.norm() > std::sin(doubt))) {
      left.push_back(&d);
      continue;
    }
    base.push_back(rest.normalized());
    n.region.push_back(d.region);
    // A condition that holds everything bears what the others leave.
    n.direction.push_back(d.whole ? base.back() : d.along.direction);
    double value = d.value;
    if (d.whole && p.supports.Of(p.regions[d.region]) == nullptr)
      value = Spatial(p.regions[d.region].config.Has("value")
                          ? p.regions[d.region].config.Vector("value", p.dim)
                          : std::vector<double>(p.dim, 0.0))
                  .dot(base.back());
    n.value.push_back(value);
  }
  const Vector3 moved = Displacement(n);
  for (const Demand* d : left) {
    const double other = moved.dot(d->along.direction);
    const double share = d->along.doubt > kOfAxis ? std::sin(d->along.doubt) : kAgree;
    if (std::abs(other - d->value) <= share * std::max(moved.norm(), std::abs(d->value))) continue;
    return p.regions[d->region].Label() + " prescribes " + Text(d->value) +
           " along its direction and the conditions beside it " + Text(other) + " where they meet";
  }
  return "";
}

}  // namespace

Matrix3 SharedNode::ShareOf(int of) const {
  const long n = static_cast<long>(direction.size());
  Eigen::MatrixXd d(n, 3);
  for (long i = 0; i < n; i++) d.row(i) = direction[i];
  const Eigen::MatrixXd amounts = (d * d.transpose()).inverse() * d;  // f = d^T amounts f
  Matrix3 out = Matrix3::Zero();
  for (long i = 0; i < n; i++) {
    if (region[i] == of) out += direction[i] * amounts.row(i);
  }
  return out;
}

void ReadSlant(Elasticity& p, const BoundaryGeometry& geometry, Region& r) {
  static const Json held[] = {{{"components", {"x"}}},
                              {{"components", {"y"}}},
                              {{"components", {"z"}}},
                              {{"components", Json::array()}}};
  const std::string type = r.type;
  const bool cylindrical = type == "cylindrical";
  if (cylindrical && p.dim == 1)
    throw r.config.Refuse("type", "is for meshes of 2 or 3 dimensions");
  const int axis = cylindrical ? -1 : AxisOf(geometry, r, p.dim);
  if (axis >= 0) {
    r.name += ", " + type + ": held along " + static_cast<char>('x' + axis);
  } else {
    p.supports.slants[r.index] =
        cylindrical ? Cylindrical(r.config, p.dim) : Slant{type, true, false, false, true, 0, {}};
  }
  r.type = "fixed";
  r.config = Config(held[axis < 0 ? 3 : axis], r.config.Pointer());
}

std::string HoldSlanted(Elasticity& p) {
  for (const auto& [index, slant] : p.supports.slants) {
    for (const auto& [node, along] : slant.along)
      p.supports.nodes.try_emplace(node, SharedNode{node, {}, {}, {}});
  }
  std::string conflict;
  Constraints& c = *p.constraints;
  for (auto& [node, n] : p.supports.nodes) {
    std::vector<Vector3> base;
    const std::string disagree = Share(p, n, base);
    if (conflict.empty()) conflict = disagree;
    const size_t first = static_cast<size_t>(node) * p.dim;
    int axes = 0;
    bool is_held[3] = {};
    for (int k = 0; k < p.dim; k++) {
      is_held[k] = Beside(Vector3::Unit(k), base).squaredNorm() <= kAxis;
      axes += is_held[k];
    }
    const Vector3 moved = Displacement(n);
    const bool along_axes = axes == static_cast<int>(base.size());
    for (int k = 0; k < p.dim; k++) {
      c.fixed[first + k] = along_axes && is_held[k];
      c.value[first + k] = along_axes && !is_held[k] ? 0 : moved[k];
    }
    if (along_axes) continue;
    Slanted s{node, p.dim, {}};
    for (const Vector3& d : base) s.along.push_back({d[0], d[1], d[2]});
    c.slanted.push_back(std::move(s));
  }
  return conflict;
}

std::vector<int> Owners(const Elasticity& p) {
  std::vector<int> owner(p.constraints->fixed.size(), -1);
  for (const Region& r : p.regions) {
    if (!IsFixed(r) || p.supports.Of(r)) continue;
    for (int node : p.region_nodes[r.index]) {
      if (p.supports.nodes.count(node)) continue;
      for (int c : FixedComponents(r, p.dim)) {
        if (c == 0 && p.space->IsOnAxis(node)) continue;  // the axis does
        int& own = owner[static_cast<size_t>(node) * p.dim + c];
        if (own < 0) own = r.index;
      }
    }
  }
  return owner;
}

namespace {

template <class At>
Values SharedBy(const Elasticity& p, const std::vector<int>& owners, const Region& r, At at,
                bool transposed) {
  Values out(owners.size(), 0.0);
  for (int node : p.region_nodes[r.index]) {
    const size_t first = static_cast<size_t>(node) * p.dim;
    Vector3 v = Vector3::Zero();
    for (int k = 0; k < p.dim; k++) v[k] = at(first + k);
    const auto shared = p.supports.nodes.find(node);
    if (shared == p.supports.nodes.end()) {
      for (int k = 0; k < p.dim; k++) out[first + k] = owners[first + k] == r.index ? v[k] : 0;
      continue;
    }
    const Matrix3 share = shared->second.ShareOf(r.index);
    const Vector3 own = transposed ? Vector3(share.transpose() * v) : Vector3(share * v);
    for (int k = 0; k < p.dim; k++) out[first + k] = own[k];
  }
  return out;
}

}  // namespace

Values BorneBy(const Elasticity& p, const std::vector<int>& owners, const Region& r,
               const Values& forces) {
  return SharedBy(p, owners, r, [&](size_t u) { return forces[u]; }, false);
}

Values DualOfForce(const Elasticity& p, const std::vector<int>& owners, const Region& r,
                   int component) {
  return SharedBy(
      p, owners, r, [&](size_t u) { return static_cast<int>(u % p.dim) == component ? 1.0 : 0.0; },
      true);
}

std::vector<int> ForceComponents(const Elasticity& p, const Region& r) {
  const Slant* s = p.supports.Of(r);
  if (!s) return FixedComponents(r, p.dim);
  std::vector<int> out;
  for (int c = 0; c < p.dim; c++) {
    const bool any = std::any_of(s->along.begin(), s->along.end(), [&](const auto& node) {
      return std::any_of(node.second.begin(), node.second.end(),
                         [&](const HeldAlong& a) { return std::abs(a.direction[c]) > kNoForce; });
    });
    if (any) out.push_back(c);
  }
  return out;
}

void RefuseFarSliding(const Elasticity& p) {
  for (const auto& [index, slant] : p.supports.slants) {
    if (slant.flat) continue;
    throw p.regions[index]
        .config.Refuse("type", slant.type + " on a round face is not for the analysis nonlinear")
        .Hint(
            "Its nodes would slide along the planes that touch the face where they are now, and "
            "leave it as they move far. Hold a plane face, hold the tangential direction as "
            "well, or model what the face slides in, with contacts.");
  }
}

void RefuseMovedSlants(const Elasticity& p, const std::string& field, const std::string& what) {
  for (const Slanted& s : p.constraints->slanted) {
    for (int c = 0; c < p.dim; c++) {
      if (p.constraints->value[static_cast<size_t>(s.node) * p.dim + c] == 0) continue;
      throw p.config
          .Refuse(field, what +
                             " where a prescribed displacement meets a support that is held "
                             "along a direction that is no axis")
          .Hint(
              "Turn the part so that the face lies across an axis, or leave a gap between the "
              "two supports.");
    }
  }
}

}  // namespace atelier
