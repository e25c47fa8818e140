#include "singularity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace atelier {
namespace {

constexpr double kDegree = M_PI / 180;
// Facets of a round surface meet at up to this; beyond, it is an edge.
constexpr double kFacet = 30 * kDegree;
constexpr double kSlack = 3 * kDegree;
constexpr double kContrast = 2;  // ratio of the moduli that makes an interface singular

using Vector = std::array<double, 3>;

double Dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector Less(const Vector& a, double s, const Vector& b) {
  return {a[0] - s * b[0], a[1] - s * b[1], a[2] - s * b[2]};
}
bool Normalize(Vector& v) {
  const double length = std::sqrt(Dot(v, v));
  for (double& x : v) x /= length > 0 ? length : 1;
  return length > 0;
}

// What holds a boundary face: nothing, one direction of normal and tangent only (as
// a plane of symmetry or antisymmetry does), or more.
enum class Hold { kFree, kSymmetry, kClamped };

// One side of an edge of the boundary (of a corner, in a plane problem).
struct Side {
  int face = 0;
  Vector normal{}, inward{};  // outward of the part, and from the edge into the face
};

struct Edge {
  Vector along{};
  std::vector<Side> sides;
};

Vector Vertex(const mfem::Mesh& mesh, int v) {
  Vector x{};
  for (int k = 0; k < mesh.Dimension(); k++) x[k] = mesh.GetVertex(v)[k];
  return x;
}

// Normal of boundary element f at a point of its reference element, outward.
Vector NormalAt(mfem::Mesh& mesh, int f, const mfem::IntegrationPoint& ip) {
  mfem::ElementTransformation* t = mesh.GetBdrElementTransformation(f);
  t->SetIntPoint(&ip);
  mfem::Vector n(mesh.Dimension());
  mfem::CalcOrtho(t->Jacobian(), n);
  Vector out{};
  for (int k = 0; k < mesh.Dimension(); k++) out[k] = n(k);
  Normalize(out);
  return out;
}

mfem::IntegrationPoint Middle(const mfem::IntegrationPoint& a, const mfem::IntegrationPoint& b) {
  mfem::IntegrationPoint m;
  m.Set2(0.5 * (a.x + b.x), 0.5 * (a.y + b.y));
  return m;
}

// The edges of the boundary by their vertices (the corners of a plane part have one).
std::map<std::vector<int>, Edge> BoundaryEdges(mfem::Mesh& mesh) {
  std::map<std::vector<int>, Edge> edges;
  for (int f = 0; f < mesh.GetNBE(); f++) {
    int inside, other;
    mesh.GetFaceElements(mesh.GetBdrElementFaceIndex(f), &inside, &other);
    if (other >= 0) continue;  // an interface within the part
    const mfem::Element& element = *mesh.GetBdrElement(f);
    const int count = element.GetNVertices();
    const mfem::IntegrationRule& corner =
        *mfem::Geometries.GetVertices(mesh.GetBdrElementGeometry(f));
    for (int i = 0; i < count; i++) {
      const int a = element.GetVertices()[i], b = element.GetVertices()[(i + 1) % count];
      if (mesh.Dimension() == 2) {
        Side side{f, NormalAt(mesh, f, corner.IntPoint(i)),
                  Less(Vertex(mesh, b), 1, Vertex(mesh, a))};
        if (Normalize(side.inward)) edges[{a}].sides.push_back(side);
        continue;
      }
      const int opposite = element.GetVertices()[(i + 2) % count];
      Edge& edge = edges[{std::min(a, b), std::max(a, b)}];
      edge.along = Less(Vertex(mesh, b), 1, Vertex(mesh, a));
      Normalize(edge.along);
      Side side{f, NormalAt(mesh, f, Middle(corner.IntPoint(i), corner.IntPoint((i + 1) % count))),
                Less(Vertex(mesh, opposite), 1, Vertex(mesh, a))};
      side.inward = Less(side.inward, Dot(side.inward, edge.along), edge.along);
      side.inward = Less(side.inward, Dot(side.inward, side.normal), side.normal);
      if (Normalize(side.inward)) edge.sides.push_back(side);
    }
  }
  return edges;
}

// The angle through the part from one side to the other, 0 to 2 pi. In a plane
// problem the chord stands for the tangent.
double InteriorAngle(const Side& a, const Side& b) {
  const double angle = std::acos(std::clamp(Dot(a.inward, b.inward), -1.0, 1.0));
  return Dot(a.normal, b.inward) <= 0 ? angle : 2 * M_PI - angle;
}

// The angle at which the two conditions begin to be singular. Free or clamped on
// both sides: a re-entrant corner. One of each, in plane strain: the exponent is 1
// at sin^2 w = 1 - nu. A plane of symmetry doubles the angle.
double CriticalAngle(Hold a, Hold b, double nu) {
  if (a == Hold::kSymmetry || b == Hold::kSymmetry) return M_PI / 2 + kFacet / 2;
  if (a == b) return M_PI + kFacet;
  return std::asin(std::sqrt(std::clamp(1 - nu, 0.0, 1.0))) + kSlack;
}

// How each boundary face is held, and by which condition.
struct Holds {
  std::vector<Hold> hold;
  std::vector<int> condition;

  explicit Holds(const Elasticity& p) {
    mfem::Mesh& mesh = *p.domain.mesh;
    std::vector<int> mask(mesh.GetNBE(), 0);
    condition.assign(mesh.GetNBE(), -1);
    for (const Region& r : p.regions) {
      if (!IsFixed(r)) continue;
      for (int f : r.faces) {
        for (int c : FixedComponents(r, p.dim)) mask[f] |= 1 << c;
        condition[f] = r.index;
      }
    }
    const int all = (1 << p.dim) - 1;
    for (int f = 0; f < mesh.GetNBE(); f++) {
      hold.push_back(mask[f] == 0 ? Hold::kFree : Hold::kClamped);
      if (mask[f] == 0 || mask[f] == all) continue;
      const Vector n = NormalAt(mesh, f, mfem::Geometries.GetCenter(mesh.GetBdrElementGeometry(f)));
      for (int c = 0; c < p.dim; c++) {
        if (std::abs(n[c]) > 0.999 && (mask[f] == 1 << c || mask[f] == (all & ~(1 << c))))
          hold[f] = Hold::kSymmetry;
      }
    }
  }
};

std::string Cause(const Elasticity& p, const Holds& holds, const Side& a, const Side& b) {
  int one, two, none;
  mfem::Mesh& mesh = *p.domain.mesh;
  mesh.GetFaceElements(mesh.GetBdrElementFaceIndex(a.face), &one, &none);
  mesh.GetFaceElements(mesh.GetBdrElementFaceIndex(b.face), &two, &none);
  const Lame& lame = p.materials.lame;
  if (std::max(lame.mu[one], lame.mu[two]) > kContrast * std::min(lame.mu[one], lame.mu[two]))
    return "an edge where two materials meet";
  const Hold ha = holds.hold[a.face], hb = holds.hold[b.face];
  const double nu = lame.lambda[one] / (2 * (lame.lambda[one] + lame.mu[one]));
  const double angle = InteriorAngle(a, b);
  const bool flat = std::abs(angle - M_PI) <= kSlack;
  if (angle <= CriticalAngle(ha, hb, nu) || (flat && ha == hb)) return "";
  if (ha == hb) return "a re-entrant edge of " + Text(angle / kDegree, 3) + " degrees";
  return "the rim of the support bcs/" +
         std::to_string(std::max(ha == Hold::kFree ? -1 : holds.condition[a.face],
                                 hb == Hold::kFree ? -1 : holds.condition[b.face]));
}

}  // namespace

Singularities::Singularities(const Elasticity& p)
    : cause_(p.domain.mesh->GetNV()), support_(cause_.size(), 0) {
  if (p.dim < 2) return;
  const Holds holds(p);
  for (const auto& [vertices, edge] : BoundaryEdges(*p.domain.mesh)) {
    if (edge.sides.size() != 2) continue;
    const std::string cause = Cause(p, holds, edge.sides[0], edge.sides[1]);
    if (cause.empty()) continue;
    const bool support = holds.hold[edge.sides[0].face] != holds.hold[edge.sides[1].face];
    for (int v : vertices) {
      cause_[v] = cause;
      support_[v] = support;
    }
  }
}

int Singularities::MostStressed(const Values& von_mises) const {
  int best = -1;
  for (int v = 0; v < static_cast<int>(cause_.size()); v++) {
    if (cause_[v].empty() || support_[v]) continue;
    if (best < 0 || von_mises[v] > von_mises[best]) best = v;
  }
  return best;
}

std::string Singularities::At(const NodalSpace& space, int node) const {
  mfem::Mesh& mesh = space.Mesh();
  for (int e = 0; e < space.Elements(); e++) {
    const int* dofs = space.Dofs(e);
    if (std::find(dofs, dofs + space.Count(e), node) == dofs + space.Count(e)) continue;
    const mfem::Element& element = *mesh.GetElement(e);
    for (int i = 0; i < element.GetNVertices(); i++) {
      const std::string& cause = cause_[element.GetVertices()[i]];
      if (!cause.empty()) return cause;
    }
  }
  return "";
}

}  // namespace atelier
