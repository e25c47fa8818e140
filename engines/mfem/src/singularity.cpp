#include "singularity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace atelier {
namespace {

constexpr double kSlack = 3 * kDegree;
constexpr double kContrast = 2;  // ratio of the moduli that makes an interface singular
// Of the peak stress: a corner of 270 degrees that bears less of it would overtake
// the peak on no mesh that is made. Wider ones grow more slowly.
constexpr double kStressedCorner = 0.1, kStressedAngle = 270 * kDegree;

// A support is always sharper than what it stands for: its rim counts against a peak elsewhere
// only where elements this much smaller would make it the peak.
constexpr double kRefined = 4;

double Share(double angle) {
  return std::pow(kStressedCorner,
                  std::min(1.0, (1 - Exponent(angle)) / (1 - Exponent(kStressedAngle))));
}

// The angle at which a free face beside a clamped one begins to be singular. In plane
// strain the exponent is 1 at sin^2 w = 1 - nu.
double RimAngle(double nu) { return std::asin(std::sqrt(std::clamp(1 - nu, 0.0, 1.0))) + kSlack; }

// How the stress grows, as r^(exponent - 1), where a clamped face meets a free one (Williams,
// 1952, clamped-free).
double ClampedExponent(double angle, double nu) {
  const double kappa = 3 - 4 * nu, s = std::sin(angle);
  auto over = [&](double x) {
    const double y = std::sin(x * angle);
    return y * y + x * x * s * s / kappa > 4 * (1 - nu) * (1 - nu) / kappa;
  };
  double high = 0;
  while (high < 1 && !over(high)) high += 0.02;
  double low = high - 0.02;
  for (int i = 0; i < 30; i++) (over(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
  return std::clamp(high, 0.01, 1.0);
}

// Sine of the angle by which an interface between materials may stand askew on a plane of
// symmetry: facets of a round interface do by up to half of kMostTurn.
const double kSquare = std::sin(0.5 * kMostTurn);

bool Differ(const Lame& lame, int one, int two) {
  return std::max(lame.mu[one], lame.mu[two]) > kContrast * std::min(lame.mu[one], lame.mu[two]);
}

// Normals of the faces between materials that differ, at each of their edges (in 2-D their ends).
using Interfaces = std::map<std::vector<int>, std::vector<Point3>>;

Interfaces FindInterfaces(mfem::Mesh& mesh, const Lame& lame) {
  Interfaces out;
  mfem::Array<int> v;
  mfem::Vector normal(mesh.Dimension());
  for (int f = 0; f < mesh.GetNumFaces(); f++) {
    int one, two;
    mesh.GetFaceElements(f, &one, &two);
    if (two < 0 || !Differ(lame, one, two)) continue;
    mesh.GetFaceVertices(f, v);
    const mfem::IntegrationRule& corner = *mfem::Geometries.GetVertices(mesh.GetFaceGeometry(f));
    mfem::ElementTransformation& t = *mesh.GetFaceTransformation(f);
    for (int i = 0; i < v.Size(); i++) {
      const int next = (i + 1) % v.Size();
      const bool plane = mesh.Dimension() == 2;
      const mfem::IntegrationPoint ip =
          plane ? corner.IntPoint(i) : Middle(corner.IntPoint(i), corner.IntPoint(next));
      t.SetIntPoint(&ip);
      mfem::CalcOrtho(t.Jacobian(), normal);
      Point3 n{};
      for (int k = 0; k < mesh.Dimension(); k++) n[k] = normal(k) / normal.Norml2();
      out[plane ? std::vector{v[i]} : std::vector{std::min(v[i], v[next]), std::max(v[i], v[next])}]
          .push_back(n);
    }
  }
  return out;
}

// Whether an interface that ends at a boundary edge goes on smoothly behind a plane of symmetry.
bool GoesOnBehind(const BoundaryEdge& edge, const Interfaces& interfaces) {
  const auto found = interfaces.find(edge.vertices);
  return found != interfaces.end() &&
         std::all_of(found->second.begin(), found->second.end(), [&](const Point3& n) {
           return std::abs(Dot(n, edge.sides[0].normal)) < kSquare;
         });
}

struct Spot {
  std::string cause;  // "" where the stress has a bound
  double share = kStressedCorner, facet = 0;
  bool aside = false;  // not to be held against a peak elsewhere
};

// An edge between faces that are held alike, or by a plane of symmetry.
Spot Corner(const Kinks& kinks, int edge) {
  Spot spot;
  const double angle = M_PI + kinks.Turn(kinks.Edges()[edge]);
  const std::string degrees = Text(angle / kDegree, 3) + " degrees";
  switch (kinks.Judge(edge)) {
    case Kinks::Kind::kFlat:
      return spot;
    case Kinks::Kind::kFacet:
      spot.facet = angle / kDegree;
      return spot;
    case Kinks::Kind::kUnclear:
      spot.cause = "an edge of " + degrees +
                   ", a corner on this mesh even if it stands for a facet of a round surface,";
      spot.aside = true;
      break;
    case Kinks::Kind::kCorner:
      spot.cause = "a re-entrant edge of " + degrees;
  }
  spot.share = Share(angle);
  return spot;
}

Spot Look(const Elasticity& p, const Holds& holds, const Kinks& kinks, const Interfaces& interfaces,
          int edge) {
  const Side &a = kinks.Edges()[edge].sides[0], &b = kinks.Edges()[edge].sides[1];
  int one, two, none;
  mfem::Mesh& mesh = *p.domain.mesh;
  mesh.GetFaceElements(mesh.GetBdrElementFaceIndex(a.face), &one, &none);
  mesh.GetFaceElements(mesh.GetBdrElementFaceIndex(b.face), &two, &none);
  const Lame& lame = p.materials.lame;
  const Hold ha = holds.hold[a.face], hb = holds.hold[b.face];
  Spot spot;
  if (Differ(lame, one, two)) {
    if (ha == Hold::kSymmetry && hb == Hold::kSymmetry &&
        GoesOnBehind(kinks.Edges()[edge], interfaces))
      return spot;
    spot.cause = "an edge where two materials meet";
    spot.aside = ha != hb;
    return spot;
  }
  const bool mirror = ha == Hold::kSymmetry || hb == Hold::kSymmetry;
  if (ha == hb || (mirror && kinks.Turn(kinks.Edges()[edge]) <= kMostTurn))
    return Corner(kinks, edge);
  const double nu = lame.lambda[one] / (2 * (lame.lambda[one] + lame.mu[one]));
  if (!mirror && InteriorAngle(a, b) <= RimAngle(nu)) return spot;
  spot.cause = "the rim of the support bcs/" +
               std::to_string(std::max(holds.condition[a.face], holds.condition[b.face]));
  const double angle = M_PI + kinks.Turn(kinks.Edges()[edge]);  // of both halves where mirrored
  spot.share =
      std::pow(kRefined, (mirror ? Exponent(angle) : ClampedExponent(InteriorAngle(a, b), nu)) - 1);
  return spot;
}

}  // namespace

std::string LiesAt(const std::string& cause) {
  return "lies within an element of " + cause + (cause.back() == ',' ? "" : ",") +
         " where the exact stress has no bound";
}

Holds::Holds(const Elasticity& p) {
  mfem::Mesh& mesh = *p.domain.mesh;
  std::vector<int> mask(mesh.GetNBE(), 0);
  std::vector<char> mirrored(mesh.GetNBE(), 0);  // along its normal alone, across no axis
  condition.assign(mesh.GetNBE(), -1);
  for (const Region& r : p.regions) {
    if (!IsFixed(r)) continue;
    for (int f : r.faces) {
      const Slant* slant = p.supports.Of(r);
      const bool normal = slant && slant->Normal();
      mirrored[f] = normal && mask[f] == 0;
      if (slant && !normal) mask[f] = (1 << p.dim) - 1;
      for (int c : FixedComponents(r, p.dim)) mask[f] |= 1 << c;
      condition[f] = r.index;
    }
  }
  const int all = (1 << p.dim) - 1;
  for (int f = 0; f < mesh.GetNBE(); f++) {
    const std::vector<int> nodes = p.space->BoundaryDofs(f);
    if (p.space->Axisymmetric() &&
        std::all_of(nodes.begin(), nodes.end(), [&](int n) { return p.space->IsOnAxis(n); }))
      mask[f] |= 1;
    hold.push_back(mask[f] != 0 ? Hold::kClamped : mirrored[f] ? Hold::kSymmetry : Hold::kFree);
    if (mask[f] == 0 || mask[f] == all) continue;
    const Point3 n =
        BoundaryNormal(mesh, f, mfem::Geometries.GetCenter(mesh.GetBdrElementGeometry(f)));
    for (int c = 0; c < p.dim; c++) {
      if (std::abs(n[c]) > 0.999 && (mask[f] == 1 << c || mask[f] == (all & ~(1 << c))))
        hold[f] = Hold::kSymmetry;
    }
  }
}

Singularities::Singularities(const Elasticity& p, const Holds& holds)
    : cause_(p.domain.mesh->GetNV()),
      share_(cause_.size(), kStressedCorner),
      facet_(cause_.size(), 0),
      kink_(cause_.size(), 0),
      aside_(cause_.size(), 0) {
  if (p.dim < 2) return;
  const Kinks kinks(*p.domain.mesh, holds.hold);
  const Interfaces interfaces = FindInterfaces(*p.domain.mesh, p.materials.lame);
  const bool curved = p.domain.mesh->GetNodes() != nullptr;
  for (size_t e = 0; e < kinks.Edges().size(); e++) {
    if (kinks.Edges()[e].sides.size() != 2) continue;
    const Spot spot = Look(p, holds, kinks, interfaces, static_cast<int>(e));
    const double turn = spot.cause.empty() && curved ? kinks.Turn(kinks.Edges()[e]) : 0;
    for (int v : kinks.Edges()[e].vertices) {
      kink_[v] = std::max(kink_[v], turn);
      facet_[v] = std::max(facet_[v], spot.facet);
      if (spot.cause.empty() || (!cause_[v].empty() && share_[v] < spot.share)) continue;
      cause_[v] = spot.cause;
      share_[v] = spot.share;
      aside_[v] = spot.aside;
    }
  }
}

int Singularities::MostStressed(const Values& von_mises) const {
  int best = -1;
  for (int v = 0; v < static_cast<int>(cause_.size()); v++) {
    if (cause_[v].empty() || aside_[v]) continue;
    if (best < 0 || von_mises[v] * share_[best] > von_mises[best] * share_[v]) best = v;
  }
  return best;
}

namespace {

// Visits the mesh's vertices within an element of a node, until one is what was looked for.
template <class Visit>
void Beside(const NodalSpace& space, int node, Visit visit) {
  for (int e = 0; e < space.Elements(); e++) {
    const int* dofs = space.Dofs(e);
    if (std::find(dofs, dofs + space.Count(e), node) == dofs + space.Count(e)) continue;
    const mfem::Element& element = *space.Mesh().GetElement(e);
    for (int i = 0; i < element.GetNVertices(); i++) visit(element.GetVertices()[i]);
  }
}

}  // namespace

std::string Singularities::At(const NodalSpace& space, int node) const {
  int worst = -1;
  Beside(space, node, [&](int v) {
    if (!cause_[v].empty() && (worst < 0 || share_[v] < share_[worst])) worst = v;
  });
  return worst < 0 ? "" : cause_[worst];
}

std::vector<char> Singularities::Around(const NodalSpace& space) const {
  std::vector<char> around(space.Nodes(), 0);
  for (int e = 0; e < space.Elements(); e++) {
    const mfem::Element& element = *space.Mesh().GetElement(e);
    const int* v = element.GetVertices();
    if (std::all_of(v, v + element.GetNVertices(), [&](int i) { return cause_[i].empty(); }))
      continue;
    for (int a = 0; a < space.Count(e); a++) around[space.Dofs(e)[a]] = 1;
  }
  return around;
}

double Singularities::KinkAt(const NodalSpace& space, int node) const {
  double widest = 0;
  Beside(space, node, [&](int v) { widest = std::max(widest, kink_[v]); });
  return widest;
}

double Singularities::FacetAt(const NodalSpace& space, int node) const {
  double widest = 0;
  Beside(space, node, [&](int v) { widest = std::max(widest, facet_[v]); });
  return widest;
}

}  // namespace atelier
