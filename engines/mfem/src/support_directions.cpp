// The directions in which supports hold the nodes of faces that lie across no axis.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "elasticity.hpp"
#include "kinks.hpp"
#include "round_fit.hpp"

namespace atelier {
namespace {

constexpr double kOneAxis = 1e-3;  // angle, and distance over the radius, of axes that are one
// By what angle a direction may be off: of a plane or an axis, of a round face that was fitted,
// and a mean of facets' normals.
constexpr double kOfPlane = 1e-3, kOfFit = 0.02, kOfFacets = 20 * kDegree;
constexpr double kFlat = 1e-6;  // 1 - cos of the angle between normals of a plane

// Faces of a condition that join without an edge of the part between them.
struct FacePatch {
  std::vector<int> faces;
  FacetCorners corners;
  Vector3 normal = Vector3::Zero();  // the mean
  double area = 0, turn = 0;         // the largest angle between joined faces
  bool flat = false;
  RoundFit round;  // radius 0 of a face that is not round
};

std::vector<int> FaceVertices(const mfem::Mesh& mesh, int f) {
  mfem::Array<int> v;
  mesh.GetBdrElementVertices(f, v);
  return std::vector<int>(v.begin(), v.end());
}

// The normals of a face at the nodes of the space.
std::vector<Vector3> NodeNormals(const Elasticity& p, int f) {
  const mfem::IntegrationRule& at = p.space->Fes().GetBE(f)->GetNodes();
  std::vector<Vector3> out;
  for (int i = 0; i < at.GetNPoints(); i++) {
    const Point3 n = BoundaryNormal(*p.domain.mesh, f, at.IntPoint(i));
    out.emplace_back(n[0], n[1], n[2]);
  }
  return out;
}

double Angle(const Vector3& a, const Vector3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

// Joins faces whose normals hardly differ at the vertices of a common edge.
std::vector<FacePatch> FindPatches(const Elasticity& p, const Region& r) {
  const mfem::Mesh& mesh = *p.domain.mesh;
  const int count = static_cast<int>(r.faces.size());
  std::vector<std::vector<Vector3>> normals;
  std::map<std::vector<int>, std::vector<std::pair<int, int>>> edges;  // face, corner
  for (int i = 0; i < count; i++) {
    normals.push_back(NodeNormals(p, r.faces[i]));
    const std::vector<int> v = FaceVertices(mesh, r.faces[i]);
    const int corners = static_cast<int>(v.size());
    for (int k = 0; k < corners; k++) {
      if (p.dim == 2) {
        edges[{v[k]}].emplace_back(i, k);
      } else {
        const int next = (k + 1) % corners;
        edges[{std::min(v[k], v[next]), std::max(v[k], v[next])}].emplace_back(
            i, v[k] < v[next] ? k : next);
      }
    }
  }
  std::vector<int> root(count);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  std::vector<double> turn(count, 0.0);
  for (const auto& [edge, sides] : edges) {
    for (size_t a = 0; a + 1 < sides.size(); a++) {
      const double angle = Angle(normals[sides[a].first][sides[a].second],
                                 normals[sides[a + 1].first][sides[a + 1].second]);
      if (angle > kMostTurn) continue;
      root[find(sides[a].first)] = find(sides[a + 1].first);
      turn[sides[a].first] = std::max(turn[sides[a].first], angle);
    }
  }
  std::map<int, FacePatch> patches;
  for (int i = 0; i < count; i++) {
    FacePatch& patch = patches[find(i)];
    patch.faces.push_back(r.faces[i]);
    patch.turn = std::max(patch.turn, turn[i]);
  }
  std::vector<FacePatch> out;
  for (auto& [first, patch] : patches) out.push_back(std::move(patch));
  return out;
}

void Measure(const Elasticity& p, const BoundaryGeometry& geometry, FacePatch& patch) {
  const mfem::Mesh& mesh = *p.domain.mesh;
  for (int f : patch.faces) {
    patch.normal += geometry.area[f] * Spatial(geometry.normal[f]);
    patch.area += geometry.area[f];
    const std::vector<Vector3> normals = NodeNormals(p, f);
    const std::vector<int> v = FaceVertices(mesh, f);
    for (size_t k = 0; k < v.size(); k++) {
      patch.corners.place.push_back(Spatial(p.space->Point(v[k])));
      patch.corners.normal.push_back(normals[k]);
      patch.corners.weight.push_back(geometry.area[f] / static_cast<double>(v.size()));
    }
  }
  patch.normal.normalize();
  patch.flat = std::all_of(patch.corners.normal.begin(), patch.corners.normal.end(),
                           [&](const Vector3& n) { return n.dot(patch.normal) >= 1 - kFlat; });
}

Error NotFor(const Region& r, const Slant& s, const std::string& why) {
  return r.config.Refuse("type", s.type + " is for " + why);
}

std::string Degrees(double angle) { return Text(angle * 180 / M_PI, 3) + " degrees"; }

// The largest angle between a normal of the patch and the mean.
double Spread(const FacePatch& patch) {
  double most = 0;
  for (const Vector3& n : patch.corners.normal) most = std::max(most, Angle(n, patch.normal));
  return most;
}

void RequirePlane(const Region& r, const Slant& s, const std::vector<FacePatch>& patches) {
  double most = 0;
  for (const FacePatch& patch : patches) {
    const double apart = Angle(patch.normal, patches[0].normal);
    most = std::max({most, Spread(patch), std::min(apart, M_PI - apart)});
  }
  if (1 - std::cos(most) <= 4 * kFlat) return;
  throw NotFor(r, s,
               "faces of one plane, and the normals of " + r.name + " differ by " + Degrees(most))
      .Hint(
          "Give each plane a condition of its own. A face that is not plane is held along its "
          "normals by frictionless.");
}

void RequireCylinder(const Elasticity& p, const Region& r, const Slant& s, const FacePatch& patch) {
  if (patch.round.Fits()) return;
  const RoundFit& fit = patch.round;
  std::string why = "it is plane";
  if (!patch.flat && fit.radius > 0)
    why = "of the cylinder that fits best, with the radius " + Text(fit.radius, 3) +
          " m, its corners lie up to " + Text(fit.deviation, 2) + " m off (" +
          Text(100 * fit.deviation / fit.radius, 2) +
          " % of the radius) and its facets are inclined by up to " + Degrees(fit.tilt);
  throw NotFor(r, s,
               std::string(p.dim == 2 ? "arcs of circles" : "cylindrical faces") + ", and " +
                   r.name + " is none: " + why)
      .Hint(
          "Name the faces of the bore or shaft alone, one condition for each; a finer mesh "
          "follows them better. frictionless holds any face along its normals.");
}

// One axis for cylinders that share it: their own differ by rounding, which would hold the part.
void ShareAxes(std::vector<std::vector<FacePatch>>& all) {
  std::vector<FacePatch*> round;
  for (auto& patches : all) {
    for (FacePatch& patch : patches) {
      if (patch.round.Fits() && patch.round.axis.norm() > 0) round.push_back(&patch);
    }
  }
  std::stable_sort(round.begin(), round.end(),
                   [](const FacePatch* a, const FacePatch* b) { return a->area > b->area; });
  for (size_t i = 1; i < round.size(); i++) {
    for (size_t k = 0; k < i; k++) {
      const RoundFit& of = round[k]->round;
      RoundFit& own = round[i]->round;
      const double angle = Angle(of.axis, own.axis);
      if (std::min(angle, M_PI - angle) > kOneAxis ||
          of.Radius(own.through).norm() > kOneAxis * own.radius)
        continue;
      own = WithAxis(of, own, round[i]->corners);
      break;
    }
  }
}

// int N n dS of each node of a face: along their sum a pressure on the face pushes the node, so
// that what holds the node there bears all of it (Engelman, Sani and Gresho, Int. J. Numer. Meth.
// Fluids 2, 1982).
std::vector<Vector3> PushedNormals(const Elasticity& p, int f) {
  mfem::Mesh& mesh = *p.domain.mesh;
  const mfem::FiniteElement& element = *p.space->Fes().GetBE(f);
  const mfem::IntegrationRule& rule =
      mfem::IntRules.Get(mesh.GetBdrElementGeometry(f), 2 * p.space->Order() + 2);
  mfem::ElementTransformation* t = mesh.GetBdrElementTransformation(f);
  mfem::Vector shape(element.GetDof()), normal(p.dim);
  std::vector<Vector3> out(element.GetDof(), Vector3::Zero());
  for (int q = 0; q < rule.GetNPoints(); q++) {
    t->SetIntPoint(&rule.IntPoint(q));
    mfem::CalcOrtho(t->Jacobian(), normal);
    element.CalcShape(rule.IntPoint(q), shape);
    for (size_t k = 0; k < out.size(); k++)
      out[k] += rule.IntPoint(q).weight * shape(static_cast<int>(k)) * Spatial(normal);
  }
  return out;
}

// Means of the facets' normals at each node: those along which a pressure pushes it, and where it
// does not, as at the corners of triangles of order 2, weighted by the angles of the corners.
std::map<int, Vector3> MeanNormals(const Elasticity& p, const FacePatch& patch) {
  constexpr double kNoPush = 1e-9;  // of the area of the faces
  std::map<int, Vector3> pushed, mean;
  std::map<int, double> area;
  for (int f : patch.faces) {
    const std::vector<int> nodes = p.space->BoundaryDofs(f);
    const std::vector<Vector3> normals = NodeNormals(p, f), push = PushedNormals(p, f);
    const size_t corners = FaceVertices(*p.domain.mesh, f).size();
    double whole = 0;
    for (const Vector3& v : push) whole += v.norm();
    for (size_t k = 0; k < nodes.size(); k++) {
      double weight = 1;
      if (p.dim == 3 && k < corners) {
        const Vector3 x = Spatial(p.space->Point(nodes[k]));
        weight = Angle(Spatial(p.space->Point(nodes[(k + 1) % corners])) - x,
                       Spatial(p.space->Point(nodes[(k + corners - 1) % corners])) - x);
      }
      mean.try_emplace(nodes[k], Vector3::Zero()).first->second += weight * normals[k];
      pushed.try_emplace(nodes[k], Vector3::Zero()).first->second += push[k];
      area[nodes[k]] += whole;
    }
  }
  for (auto& [node, n] : mean) {
    if (pushed[node].norm() > kNoPush * area[node] && pushed[node].dot(n) > 0) n = pushed[node];
    n.normalize();
  }
  return mean;
}

void HoldPatch(const Elasticity& p, const FacePatch& patch, Slant& s) {
  std::map<int, Vector3> means;
  const bool round = !patch.flat && patch.round.Fits();
  if (!patch.flat && !round) means = MeanNormals(p, patch);
  std::set<int> nodes;
  for (int f : patch.faces) {
    for (int node : p.space->BoundaryDofs(f)) nodes.insert(node);
  }
  for (int node : nodes) {
    std::vector<HeldAlong>& along = s.along[node];
    if (!round) {
      along.push_back({patch.flat ? patch.normal : means[node], patch.flat ? kOfPlane : kOfFacets});
      continue;
    }
    const Vector3 radial = patch.round.Radius(Spatial(p.space->Point(node))).normalized();
    if (s.radial) along.push_back({radial, kOfFit});
    if (s.tangential) along.push_back({patch.round.axis.cross(radial), kOfFit});
    if (s.axial && p.dim == 3) along.push_back({patch.round.axis, kOfPlane});
  }
  s.flat = s.flat && (patch.flat || s.tangential || !s.radial);
  if (!patch.flat && !round) s.turn = std::max(s.turn, patch.turn);
}

std::string Place(const Vector3& v, int dim) {
  std::string out;
  for (int k = 0; k < dim; k++) out += (k == 0 ? "(" : ", ") + Text(v[k]);
  return out + ")";
}

// What the faces were taken for, for the report.
std::string Described(const Elasticity& p, const Slant& s, const std::vector<FacePatch>& patches) {
  std::string held = s.radial ? "radial" : "";
  for (const auto& [is, name] :
       {std::pair(s.tangential, "tangential"), std::pair(s.axial, "axial")})
    if (is && (p.dim == 3 || name != std::string("axial")))
      held += (held.empty() ? "" : ", ") + std::string(name);
  const FacePatch& first = patches[0];
  const std::string more =
      patches.size() > 1 ? ", and " + std::to_string(patches.size() - 1) + " more faces" : "";
  if (s.type == "cylindrical")
    return ": held " + held + " about the axis through " + Place(first.round.through, p.dim) +
           " m" + (p.dim == 3 ? " along " + Place(first.round.axis, 3) : "") + ", radius " +
           Text(first.round.radius) + " m" + more;
  if (first.flat) return ": held along " + Place(first.normal, p.dim) + more;
  return ": held along its normals" +
         std::string(first.round.Fits() ? ", those of a round face with the radius " +
                                              Text(first.round.radius) + " m"
                                        : "") +
         more;
}

// Normals that change much from facet to facet are known to a fraction of that.
void DoubtNormals(Elasticity& p, const Region& r, const Slant& s) {
  if (s.turn <= kOfFacets || p.domain.refined) return;
  p.answer.evidence.Holds(
      "support_normals", "model", "", false,
      "The facets of " + r.name + ", which " + r.Label() + " holds along their normals, meet at " +
          Degrees(s.turn) +
          ": that they are those of one round face is a guess. Refine the mesh there if they are, "
          "else give each plane a condition of its own.");
}

}  // namespace

void FindDirections(Elasticity& p) {
  if (p.supports.slants.empty()) return;
  const BoundaryGeometry geometry = MeasureBoundary(*p.domain.mesh);
  std::vector<std::vector<FacePatch>> all;
  for (const auto& [index, slant] : p.supports.slants) {
    all.push_back(FindPatches(p, p.regions[index]));
    for (FacePatch& patch : all.back()) {
      Measure(p, geometry, patch);
      if (patch.flat || slant.type == "symmetry") continue;
      patch.round = FitCylinder(patch.corners, p.dim);
      if (patch.round.Fits() || slant.type == "cylindrical" || p.dim == 2) continue;
      const RoundFit ball = FitSphere(patch.corners);
      if (ball.Fits()) patch.round = ball;
    }
  }
  ShareAxes(all);
  size_t next = 0;
  for (auto& [index, slant] : p.supports.slants) {
    Region& r = p.regions[index];
    const std::vector<FacePatch>& patches = all[next++];
    if (slant.type == "symmetry") RequirePlane(r, slant, patches);
    for (const FacePatch& patch : patches) {
      if (slant.type == "cylindrical") RequireCylinder(p, r, slant, patch);
      HoldPatch(p, patch, slant);
    }
    r.name += ", " + slant.type + Described(p, slant, patches);
    DoubtNormals(p, r, slant);
  }
}

}  // namespace atelier
