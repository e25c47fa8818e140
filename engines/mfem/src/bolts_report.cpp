// What a preloaded joint answers: the forces of its bolts, and whether it stays closed.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bolts.hpp"
#include "elasticity.hpp"
#include "error_estimate.hpp"
#include "singularity.hpp"
#include "surface.hpp"

namespace atelier {
namespace {

constexpr size_t kMostBoltFigures = 4;  // bolts whose figures are stated
constexpr double kNoLoad = 1e-9;        // of all loads: no load along a bolt
constexpr double kMostAside = 0.01;     // of the faces of a shank
constexpr double kPreloadError = 1e-6;  // of the preloads
constexpr double kClamped = 0.1;        // of the mean pressure: a face is pressed
constexpr double kLoose = 1e-3;         // of it: less tension than that is rounding
constexpr double kLeastFriction = 0.1;  // of metal faces, VDI 2230-1
constexpr double kFlatJoint = 0.99;     // area of the outline over that of the faces
constexpr double kMostFriction = 1e6;   // more says no more than that nothing is pressed
constexpr double kLeastJoint = 0.01;    // of the least preload: what an interface bears
constexpr double kSamePlane = 0.999;    // cosine between normals of one plane
constexpr double kLeastWedge = 0.01;    // rad, between planes of symmetry that are not parallel

double Along(const Point3& axis, const Values& nodal) {
  double sum = 0;
  for (size_t i = 0; i < nodal.size(); i++) sum += nodal[i] * axis[i % 3];
  return sum;
}

// The external load along an axis: the sum of the loads in one direction, or that in the other.
// Initial strains are no part of it: their nodal forces cancel.
double ExternalLoad(const Elasticity& p, const Point3& axis) {
  double rest = Along(axis, p.load), forward = 0, back = 0;
  auto add = [&](double f) { (f > 0 ? forward : back) += std::abs(f); };
  for (const Region& r : p.regions) {
    if (IsFixed(r) || IsElastic(r)) continue;
    const double own = Along(axis, p.region_load[r.index]);
    add(own);
    rest -= own;
  }
  add(rest);
  const double load = std::max(forward, back);
  return load > kNoLoad * p.given ? load : 0;
}

// Error bars of forces under the loads: a(e, e_z) with the dual solution z, which is that of
// the bolt too short by a strain of 1, over its length.
class ForceErrors {
 public:
  explicit ForceErrors(const Elasticity& p)
      : p_(p), known_(!p.domain.refined && p.domain.mesh->GetNE() >= kFewElements) {
    if (!known_) return;
    Values added(p.u);
    for (size_t i = 0; i < added.size(); i++) added[i] -= p.tightened->u[i];
    error_ = Recovered(added, p.tightened->of_service);
  }

  std::optional<double> Of(size_t bolt) const {
    if (!known_) return std::nullopt;
    const Bolt& b = p_.bolts[bolt];
    const Values dual = Recovered(p_.tightened->unit[bolt], Shortened(p_, b, 1));
    return DualErrorBar(error_, dual, kEstimatorFactor[p_.space->Order()]) / (b.length * b.share);
  }

 private:
  Values Recovered(const Values& u, const InitialStrain& initial) const {
    return RecoverStress(*p_.space, u, p_.materials.lame, p_.materials.kind, initial).element_error;
  }

  const Elasticity& p_;
  bool known_;
  Values error_;
};

std::string Called(const Bolt& b) { return "bolt " + std::to_string(b.body); }

void StateForce(Elasticity& p, size_t i, const ForceErrors& errors) {
  if (p.domain.refined || i >= kMostBoltFigures) return;
  const Bolt& b = p.bolts[i];
  const Json& out = p.answer.output["bolts"][i];
  const std::string at = "/bolts/" + std::to_string(i);
  const std::optional<double> error = errors.Of(i);
  auto state = [&](const std::string& name, const char* figure, const char* unit,
                   const char* method, double per, double size) {
    Quantity q = {name, at + figure, out[Json::json_pointer(figure)].get<double>(), unit, method};
    q.quoted = true;
    if (error) q.error = *error * per;
    CheckError(p.answer.evidence, q, size);
  };
  const double service = out["service"].get<double>();
  state("force in " + Called(b) + " under the loads", "/service", "N",
        "axial stress integrated over the shank, over its length; error bar by a dual solution", 1,
        std::max(std::abs(service), b.preload));
  if (out.contains("load_share")) {
    const double load = ExternalLoad(p, b.axis);
    state("share of the external load that " + Called(b) + " takes", "/load_share", "1",
          "change of the bolt force over the external load along the axis", b.share / load, 1);
  }
  if (out.contains("utilisation"))
    state("utilisation of " + Called(b), "/utilisation", "1",
          "mean axial stress of the shank over the yield strength", 1 / (b.Area() * b.yield), 1);
}

Json Describe(const Elasticity& p, size_t i) {
  const Bolt& b = p.bolts[i];
  const double service = AxialForce(p, b, p.u, p.initial), load = ExternalLoad(p, b.axis);
  const double most = std::max(service, b.preload) / b.Area();
  Json out = {{"body", b.body},
              {"axis", b.axis},
              {"axis_from", b.given ? "given" : "shape"},
              {"length", b.length},
              {"area", b.Area()},
              {"preload", b.preload},
              {"service", service},
              {"additional", service - b.preload},
              {"load_factor", b.load_factor},
              {"stress", service / b.Area()},
              {"initial_strain", b.strain},
              {"elongation", b.preload * b.length / (b.young * b.Area())}};
  if (load > 0) out["load_share"] = (service - b.preload) * b.share / load;
  if (b.yield > 0) out["utilisation"] = most / b.yield;
  return out;
}

// Whether the model of each bolt holds.
void CheckBolts(Elasticity& p) {
  Evidence& ev = p.answer.evidence;
  double off = 0;
  const InitialStrain strains = [&] {
    InitialStrain all;
    for (const Bolt& b : p.bolts) all.Add(Shortened(p, b, b.strain));
    return all;
  }();
  for (size_t i = 0; i < p.bolts.size(); i++) {
    const Bolt& b = p.bolts[i];
    const Json& out = p.answer.output["bolts"][i];
    const std::string at = "/bolts/" + std::to_string(i);
    off = std::max(off, std::abs(AxialForce(p, b, p.tightened->u, strains) / b.preload - 1));
    if (b.aside > kMostAside)
      ev.Within({"bolt_shank", "model", at, b.aside, kMostAside, "1",
                 Text(100 * b.aside, 3) + " % of the faces that " + Called(b) +
                     " shares with other bodies do not lie at the ends of its length along the "
                     "axis, so that the force is not the same along it, and its mean is not that "
                     "in the shank. Give head, nut and engaged thread element attributes of their "
                     "own, leave a gap around the shank, and let the axis be the shank's."});
    if (out["service"].get<double>() < 0)
      ev.Holds("bolt_tension", "model", at, false,
               "Under the loads " + Called(b) +
                   " would be in compression, which it cannot bear: the joint is loose. Raise the "
                   "preload.");
    if (out.contains("utilisation") && out["utilisation"].get<double>() > 1)
      ev.Within({"bolt_yield", "model", at, out["utilisation"].get<double>(), 1, "1",
                 "The mean axial stress of " + Called(b) +
                     " is beyond its yield strength, so that it loses preload: use a stronger or "
                     "thicker bolt, or a smaller preload."});
  }
  ev.Within({"bolt_preload", "residual", "", off, kPreloadError, "1",
             "After tightening, the forces that are integrated over the shanks are the preloads "
             "to " +
                 Text(off, 2) + ".",
             kUnbalanced});
}

}  // namespace

void ReportBolts(Elasticity& p) {
  Json list = Json::array();
  for (size_t i = 0; i < p.bolts.size(); i++) list.push_back(Describe(p, i));
  p.answer.output["bolts"] = list;
  const ForceErrors errors(p);
  for (size_t i = 0; i < p.bolts.size(); i++) StateForce(p, i, errors);
  if (p.domain.refined) return;
  CheckBolts(p);
  CheckJoints(p);
  std::string forces;
  for (const Json& b : list) {
    if (forces.size() > 200) break;
    forces += (forces.empty() ? "" : ", ") + Text(b["service"], 4) + " N (" +
              Text(b["preload"], 4) + " N preload)";
  }
  p.answer.summary += " Bolts carry " + forces + ".";
}

namespace {

// A face between two bodies, and the mean normal stress on it, Pa.
struct Interface {
  double area = 0, tightened = 0, loaded = 0;
  Point3 normal{};  // out of the body of the lower element attribute
  std::vector<int> nodes;
};
using Pair = std::pair<int, int>;  // element attributes

// Mean normal stress of an element over its nodes in a face.
double NormalStress(const Elasticity& p, const LocalShapes& s, int e, const std::vector<int>& face,
                    const Point3& normal, const Values& u, const InitialStrain& initial) {
  double sum = 0;
  int count = 0;
  for (int a = 0; a < s.dofs; a++) {
    if (std::find(face.begin(), face.end(), s.dof[a]) == face.end()) continue;
    const Tensor t = ElasticStress(Symmetric(DisplacementGradient(3, s, a, u)), p.materials.lame, e,
                                   s, a, initial);
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) sum += normal[i] * t.a[i][k] * normal[k];
    }
    count++;
  }
  return sum / count;
}

// The force on a body at nodes, which others exert: the sum of its nodal forces there.
Point3 ForceOn(const Elasticity& p, int body, const std::set<int>& nodes) {
  const ElementKernel kernel(*p.space, 2 * GradientDegree(*p.space));
  LocalShapes s;
  Point3 sum{};
  for (int e = 0; e < p.space->Elements(); e++) {
    if (p.domain.mesh->GetAttribute(e) != body) continue;
    const int* dofs = p.space->Dofs(e);
    if (std::none_of(dofs, dofs + p.space->Count(e), [&](int n) { return nodes.count(n) > 0; }))
      continue;
    kernel.Evaluate(e, s);
    for (int q = 0; q < s.points; q++) {
      const Tensor t = ElasticStress(Symmetric(DisplacementGradient(3, s, q, p.u)),
                                     p.materials.lame, e, s, q, p.initial);
      for (int a = 0; a < s.dofs; a++) {
        if (nodes.count(s.dof[a]) == 0) continue;
        const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * 3];
        for (int i = 0; i < 3; i++) {
          for (int k = 0; k < 3; k++) sum[i] += s.measure[q] * t.a[i][k] * g[k];
        }
      }
    }
  }
  return sum;
}

// The faces between bodies that are no bolts.
std::map<Pair, std::vector<Interface>> Interfaces(const Elasticity& p) {
  std::set<int> bolts;
  for (const Bolt& b : p.bolts) bolts.insert(b.body);
  const ElementKernel kernel = ElementKernel::AtNodes(*p.space);
  const InitialStrain none;  // of members while the joint is tightened
  mfem::Mesh& mesh = *p.domain.mesh;
  std::map<Pair, std::vector<Interface>> out;
  mfem::Array<int> dofs;
  LocalShapes s;
  for (int f = 0; f < mesh.GetNumFaces(); f++) {
    int side[2];
    mesh.GetFaceElements(f, &side[0], &side[1]);
    if (side[1] < 0) continue;
    const int a = mesh.GetAttribute(side[0]), b = mesh.GetAttribute(side[1]);
    if (a == b || bolts.count(a) || bolts.count(b)) continue;
    Interface i;
    i.normal = AreaVector(mesh, f);  // out of the first side
    i.area = Length(i.normal);
    for (double& x : i.normal) x *= (a < b ? 1 : -1) / i.area;
    p.space->Fes().GetFaceDofs(f, dofs);
    i.nodes.assign(dofs.begin(), dofs.end());
    for (int e : side) {
      kernel.Evaluate(e, s);
      i.tightened += 0.5 * NormalStress(p, s, e, i.nodes, i.normal, p.tightened->u, none);
      i.loaded += 0.5 * NormalStress(p, s, e, i.nodes, i.normal, p.u, p.initial);
    }
    out[{std::min(a, b), std::max(a, b)}].push_back(std::move(i));
  }
  return out;
}

// What becomes of the faces between two bodies that tightening presses together.
struct Closure {
  double clamped = 0, opened = 0;  // m^2
  double tension = 0;              // the largest, Pa
  Point3 direction{};              // areas times normals, m^2
  std::set<int> nodes;             // of clamped faces
};

Closure Close(const std::vector<Interface>& faces, double least_force) {
  double force = 0, area = 0;
  for (const Interface& i : faces) {
    if (i.tightened >= 0) continue;
    force -= i.area * i.tightened;
    area += i.area;
  }
  Closure out;
  if (force < least_force) return out;
  const double pressure = force / area;
  for (const Interface& i : faces) {
    if (-i.tightened < kClamped * pressure) continue;
    out.clamped += i.area;
    out.direction = Less(out.direction, -i.area, i.normal);
    out.nodes.insert(i.nodes.begin(), i.nodes.end());
    if (i.loaded <= kLoose * pressure) continue;
    out.opened += i.area;
    out.tension = std::max(out.tension, i.loaded);
  }
  return out;
}

// Forces on the faces between two bodies, N.
struct Slip {
  Pair pair;
  double clamp = 0, across = 0;

  double Friction() const {  // the coefficient that it takes
    return clamp > 0 ? std::min(across / clamp, kMostFriction) : kMostFriction;
  }
};

// Planes of symmetry that cut pressed faces.
struct Mirrors {
  std::vector<Point3> normals;  // unit, outward, of planes in different directions

  // Of the part in the mesh in the whole: 2 of one plane, else the turn over the angle between two.
  // Between parallel planes, or more than two, the whole is not known.
  double Images() const {
    if (normals.size() != 2) return normals.size() == 1 ? 2 : 1;
    const double angle = M_PI - std::acos(std::clamp(Dot(normals[0], normals[1]), -1.0, 1.0));
    return angle > kLeastWedge ? std::round(2 * M_PI / angle) : 1;
  }
  // What the images leave of a force in the part.
  Point3 Left(Point3 force) const {
    std::vector<Point3> taken;
    for (Point3 n : normals) {
      for (const Point3& t : taken) n = Less(n, Dot(n, t), t);
      const double length = Length(n);
      if (length < kLeastWedge) continue;
      for (double& x : n) x /= length;
      force = Less(force, Dot(force, n), n);
      taken.push_back(n);
    }
    return force;
  }
};

Mirrors MirrorsOf(const Elasticity& p, const std::set<int>& nodes) {
  const bool cut =
      std::any_of(p.bolts.begin(), p.bolts.end(), [](const Bolt& b) { return b.share < 1; });
  mfem::Mesh& mesh = *p.domain.mesh;
  const Holds holds(p);
  Mirrors out;
  for (const Region& r : p.regions) {
    if (!IsFixed(r) || (r.type != "symmetry" && !cut)) continue;
    for (int f : r.faces) {
      if (r.type != "symmetry" && holds.hold[f] != Hold::kSymmetry) continue;
      const std::vector<int> dofs = p.space->BoundaryDofs(f);
      if (std::none_of(dofs.begin(), dofs.end(), [&](int n) { return nodes.count(n); })) continue;
      Point3 n = AreaVector(mesh, mesh.GetBdrElementFaceIndex(f));
      const double area = Length(n);
      for (double& x : n) x /= area;
      const bool known =
          std::any_of(out.normals.begin(), out.normals.end(),
                      [&](const Point3& other) { return Dot(n, other) > kSamePlane; });
      if (!known) out.normals.push_back(n);
    }
  }
  return out;
}

// Faces that are not flat fit into each other, and are left out. Forces are those of the whole
// joint, where planes of symmetry cut it.
void AddSlip(const Elasticity& p, const Pair& pair, const Closure& c, std::vector<Slip>& joints) {
  const double area = Length(c.direction);
  if (c.clamped == 0 || area < kFlatJoint * c.clamped) return;
  const Mirrors mirrors = MirrorsOf(p, c.nodes);
  const Point3 force = ForceOn(p, pair.first, c.nodes);
  const double clamp = -Dot(force, c.direction) / area, images = mirrors.Images();
  const Point3 across = mirrors.Left(Less(force, -clamp / area, c.direction));
  joints.push_back({pair, images * clamp, images * Length(across)});
}

// Friction alone carries what loads a bolted joint across (VDI 2230-1, R8).
void ReportSlip(Elasticity& p, const std::vector<Slip>& joints) {
  if (joints.empty()) return;
  Json& list = p.answer.output["joints"] = Json::array();
  for (const Slip& j : joints)
    list.push_back({{"bodies", {j.pair.first, j.pair.second}},
                    {"clamp_force", j.clamp},
                    {"transverse_force", j.across}});
  const auto worst =
      std::max_element(joints.begin(), joints.end(),
                       [](const Slip& a, const Slip& b) { return a.Friction() < b.Friction(); });
  const std::string at = "/joints/" + std::to_string(worst - joints.begin());
  const std::string bodies = "between the bodies " + std::to_string(worst->pair.first) + " and " +
                             std::to_string(worst->pair.second);
  p.answer.evidence.State({"transverse force " + bodies, at + "/transverse_force", worst->across,
                           "N", "nodal forces along the faces that the bolts press together"});
  p.answer.evidence.Within(
      {"joint_slip", "model", at, worst->Friction(), kLeastFriction, "1",
       "The faces " + bodies + " are pressed by " + Text(worst->clamp, 3) + " N and carry " +
           Text(worst->across, 3) + " N along them" +
           (worst->Friction() <= kLeastFriction
                ? "."
                : ": that takes a coefficient of friction of " + Text(worst->Friction(), 2) +
                      ", and metal faces have as little as 0.1 (VDI 2230). Here they hold together "
                      "all the same; the real joint slips until the shank bears on its hole. Raise "
                      "the preload, take more bolts, or fit pins.")});
}

}  // namespace

void CheckJoints(Elasticity& p) {
  Evidence& ev = p.answer.evidence;
  double least = INFINITY;
  for (const Bolt& b : p.bolts) least = std::min(least, b.share * b.preload);
  Closure all;
  std::vector<Slip> slips;
  std::string where;
  for (const auto& [pair, faces] : Interfaces(p)) {
    const Closure c = Close(faces, kLeastJoint * least);
    all.clamped += c.clamped;
    all.opened += c.opened;
    all.tension = std::max(all.tension, c.tension);
    AddSlip(p, pair, c, slips);
    if (c.opened > 0)
      where += (where.empty() ? "" : ", and ") + std::to_string(pair.first) + " and " +
               std::to_string(pair.second);
  }
  if (all.clamped == 0) {
    ev.Note(
        "Whether the joint opens was not looked at: no two bodies beside the bolts meet in faces "
        "that tightening presses together. Give what the bolts clamp element attributes of its "
        "own.");
    return;
  }
  ReportSlip(p, slips);
  const double share = all.opened / all.clamped;
  ev.Within(
      {"joint_closed", "model", "", share, 0, "1",
       share == 0
           ? "All faces that the bolts press together stay pressed under the loads."
           : "The joint opens: under the loads " + Text(100 * share, 3) +
                 " % of the faces that the bolts press together come under tension, "
                 "of up to " +
                 Text(all.tension, 3) + " Pa, between the bodies " + where +
                 ". Here they hold together all the same, so that the forces in the "
                 "bolts are not these, and mostly larger. Raise the preload, or use an analysis "
                 "with contact between the bodies."});
}

}  // namespace atelier
