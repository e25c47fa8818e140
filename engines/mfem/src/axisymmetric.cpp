#include "axisymmetric.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elasticity.hpp"
#include "kinematics.hpp"
#include "surface.hpp"

namespace atelier {
namespace {

constexpr double kBeyond = 1e-6;  // of the largest radius: so far beyond the axis is rounding

std::string Place(const Domain& d, double x, double y) {
  return "(" + Text(x / d.metres_per_unit, 6) + ", " + Text(y / d.metres_per_unit, 6) + ") " +
         d.length_unit;
}

// The place furthest beyond the axis, which curved edges may have between their vertices.
void RefuseBeyondAxis(const Domain& d, const Config& config) {
  if (d.low[0] >= -kBeyond * d.high[0]) return;
  const mfem::Mesh& mesh = *d.mesh;
  const double* worst = mesh.GetVertex(0);
  for (int v = 1; v < mesh.GetNV(); v++) {
    if (mesh.GetVertex(v)[0] < worst[0]) worst = mesh.GetVertex(v);
  }
  const std::string place = worst[0] < 0 ? Place(d, worst[0], worst[1])
                                         : "x = " + Text(d.low[0] / d.metres_per_unit, 6) + " " +
                                               d.length_unit + ", by a curved edge";
  throw config
      .Refuse("plane",
              "is axisymmetric, where x is the radius, and the mesh goes beyond the axis: "
              "it reaches " +
                  place)
      .Hint(
          "Mesh half the section, all of it at x >= 0, with y along the axis of revolution: shift "
          "or cut the mesh.");
}

bool OnAxis(const NodalSpace& space, int face) {
  const std::vector<int> nodes = space.BoundaryDofs(face);
  return std::all_of(nodes.begin(), nodes.end(), [&](int n) { return space.IsOnAxis(n); });
}

// A condition that says of the axis what holds there anyway.
bool SaysWhatHolds(const Region& r) {
  if (r.type == "symmetry" || r.type == "frictionless") return true;
  return r.type == "fixed" && r.config.Has("components") &&
         r.config.Strings("components") == std::vector<std::string>{"x"} && !r.config.Has("value");
}

}  // namespace

bool ReadAxisymmetric(const Domain& domain, const Config& config,
                      const std::vector<std::string>& planes) {
  if (!config.Has("plane") || config.Choice("plane", "", planes) != "axisymmetric") return false;
  if (domain.Dimension() != 2)
    throw config
        .Refuse("plane", "is axisymmetric, and the mesh is " + std::to_string(domain.Dimension()) +
                             "-D: it must be 2-D")
        .Hint("Mesh half the section of the body of revolution, x the radius and y the axis.");
  RefuseBeyondAxis(domain, config);
  return true;
}

void LeaveAxis(const NodalSpace& space, std::vector<Region>& regions, Warnings& warnings) {
  if (!space.Axisymmetric()) return;
  for (Region& r : regions) {
    const auto on = [&](int f) { return OnAxis(space, f); };
    const auto count = std::count_if(r.faces.begin(), r.faces.end(), on);
    if (count == 0) continue;
    if (count == static_cast<long>(r.faces.size())) {
      if (SaysWhatHolds(r)) continue;
      throw r.config
          .Refuse("type", r.type + " is given where the section meets the axis (" + r.name +
                              "), which is no face of the body: it has no area there")
          .Hint(
              "Leave the condition out: what crosses the axis follows from the symmetry. A bore "
              "needs a radius, an axial support a face.");
    }
    r.faces.erase(std::remove_if(r.faces.begin(), r.faces.end(), on), r.faces.end());
    warnings.push_back(
        {"axis_left_out", "Of the edges of " + r.Label() + ", " + std::to_string(count) +
                              " lie on the axis of revolution, where the body has no face; the "
                              "condition is that of the others."});
  }
}

void AddAxisymmetricElement(const LocalShapes& s, double lambda, double mu, double* m) {
  const int n = s.dofs;
  for (int q = 0; q < s.points; q++) {
    const double* g = &s.gradient[static_cast<size_t>(q) * n * 2];
    const double* h = &s.hoop[static_cast<size_t>(q) * n];
    const double l = s.measure[q] * lambda, w = s.measure[q] * mu;
    for (int a = 0; a < n; a++) {
      const double ra = g[2 * a], ya = g[2 * a + 1], ha = h[a];
      for (int b = 0; b < n; b++) {
        const double rb = g[2 * b], yb = g[2 * b + 1], hb = h[b];
        double* block = &m[(a * n + b) * 4];
        block[0] += l * (ra + ha) * (rb + hb) + w * (2 * ra * rb + 2 * ha * hb + ya * yb);
        block[1] += l * (ra + ha) * yb + w * ya * rb;
        block[2] += l * ya * (rb + hb) + w * ra * yb;
        block[3] += l * ya * yb + w * (2 * ya * yb + ra * rb);
      }
    }
  }
}

namespace {

Error NotOffered(const Config& config, const std::string& field, const std::string& what,
                 const std::string& why) {
  return config.Refuse(field, what + " is not offered with plane axisymmetric").Hint(why);
}

// Accelerations and forces across the axis push another way at every place around it.
void RefuseAcross(const Config& config, const std::string& name) {
  if (!config.Has(name) || config.Vector(name, 2)[0] == 0) return;
  throw config
      .Refuse(name,
              "has a component along x, the radius, and a body of revolution is pushed "
              "along its axis alone")
      .Hint(
          "Give it along y: [0, -9.81]. A part that turns is given by rotation; one that lies or "
          "is shaken sideways needs a 3-D mesh.");
}

}  // namespace

void RefuseUnturned(const Domain& domain, const Config& config) {
  if (!domain.axisymmetric) return;
  const std::string analysis = config.String("analysis", "static");
  if (analysis == "modal" || analysis == "buckling")
    throw NotOffered(config, "analysis", "analysis " + analysis,
                     "Shapes with waves around the axis, and sideways, are often the lowest, and "
                     "an axisymmetric model has none of them: use a 3-D mesh, of a half or a "
                     "quarter with planes of symmetry where the shapes allow it.");
  if (analysis != "static")
    throw NotOffered(config, "analysis", "analysis " + analysis,
                     "Use a 3-D mesh, such as a sector between two planes of symmetry; analysis "
                     "static is offered.");
  if (config.Flag("second_opinion", false))
    throw NotOffered(config, "second_opinion", "a second opinion",
                     "Leave it out, or solve a 3-D sector between two planes of symmetry.");
  if (config.Has("bolts"))
    throw NotOffered(config, "bolts", "a bolt",
                     "Bolts stand at places around the axis: use a 3-D mesh, of the sector of one "
                     "bolt between planes of symmetry.");
  for (const char* name : {"gravity", "acceleration", "body_force"}) RefuseAcross(config, name);
}

void RefuseUnturnedCondition(const Region& r) {
  if (r.type == "cylindrical")
    throw NotOffered(r.config, "type", r.type,
                     "Every face of a body of revolution is round: hold it by fixed, with "
                     "components x for radial and y for axial.");
  for (const char* type : {"moment", "remote_force", "remote_mass", "bearing"}) {
    if (r.type != type) continue;
    throw NotOffered(r.config, "type", r.type,
                     r.type == "moment" ? "A moment bends or twists the body, which is then no "
                                          "longer one of revolution: use a 3-D mesh."
                                        : "Give an axial force as a load with force [0, N], the "
                                          "total around the axis; others need a 3-D mesh.");
  }
}

void HoldAxis(Elasticity& p) {
  for (int node = 0; node < p.space->Nodes(); node++) {
    if (p.space->IsOnAxis(node)) p.constraints->Set(static_cast<size_t>(node) * 2, 0);
  }
}

namespace {

// Of strain (L / t)^2, with L across the whole body and t the thickness of its walls: a ring under
// outer pressure buckles at 1, a plate under pressure from its rim at 1.5, a column on one end at
// 0.6, and others at more. Imperfect shells bear a fifth of theory.
constexpr double kFarFromBuckling = 0.1;
constexpr double kAcrossWall = 2;  // thicknesses around a place that its wall lies within

struct Section {
  double thickness, across;  // m
};

Section MeasureSection(const Elasticity& p) {
  mfem::Mesh& mesh = *p.domain.mesh;
  double area = 0, length = 0;
  for (int e = 0; e < mesh.GetNE(); e++) area += mesh.GetElementVolume(e);
  for (const Facet& f : Surface(mesh, std::vector<int>(mesh.GetNE(), 0))) length += f.area;
  return {2 * area / length, std::hypot(2 * p.domain.high[0], p.domain.high[1] - p.domain.low[1])};
}

// The largest pressing stress, principal.
double Pressing(const double* s) {
  const double middle = 0.5 * (s[0] + s[1]), half = std::hypot(0.5 * (s[0] - s[1]), s[3]);
  return std::max({0.0, half - middle, -s[2]});
}

// Means around a place: of the stress, and of the place and its squares, which tell how its wall
// lies.
struct Around {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  double stress[kStressComponents] = {};

  void Add(double w, double dx, double dy, const double* s) {
    weight += w;
    x += w * dx, y += w * dy;
    xx += w * dx * dx, xy += w * dx * dy, yy += w * dy * dy;
    for (int c = 0; c < kStressComponents; c++) stress[c] += w * s[c];
  }
  // Around the axis, or along the wall: what presses it across does not make it buckle.
  double PressingAlong() const {
    if (weight == 0) return 0;
    const double a = xx - x * x / weight, b = xy - x * y / weight, c = yy - y * y / weight;
    const double angle = 0.5 * std::atan2(2 * b, a - c), ex = std::cos(angle), ey = std::sin(angle);
    const double along = stress[0] * ex * ex + stress[1] * ey * ey + 2 * stress[3] * ex * ey;
    return std::max({0.0, -along, -stress[2]}) / weight;
  }
};

// The largest pressing stress of walls along themselves, without their bending: that of mean
// stresses by volume, within reach of each node.
double PressingOfWalls(const Elasticity& p, double reach) {
  const NodalSpace& space = *p.space;
  const auto& x = space.Coordinates();
  const auto place = [&](int node) { return &x[2 * static_cast<size_t>(node)]; };
  std::vector<int> order(space.Nodes());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return *place(a) < *place(b); });
  const auto first_beyond = [&](double radius) {
    return std::lower_bound(order.begin(), order.end(), radius,
                            [&](int node, double r) { return *place(node) < r; });
  };
  double most = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(max : most)
  for (int i = 0; i < space.Nodes(); i++) {
    const double* at = place(i);
    Around around;
    for (auto j = first_beyond(at[0] - reach); j != order.end(); ++j) {
      const double dx = place(*j)[0] - at[0], dy = place(*j)[1] - at[1];
      if (dx > reach) break;
      if (dx * dx + dy * dy > reach * reach) continue;
      around.Add(p.stress.weight[*j], dx, dy,
                 &p.stress.tensor[static_cast<size_t>(*j) * kStressComponents]);
    }
    most = std::max(most, around.PressingAlong());
  }
  return most;
}

}  // namespace

void CheckTurnedStability(Elasticity& p, const Kinematics& k) {
  Evidence& ev = p.answer.evidence;
  const double change = std::abs(k.stress_stiffening);
  ev.Within({"stress_stiffening", "model", "", change, kAccuracy, "1",
             "The stresses acting on the deflected shape change the deflection by about " +
                 Text(100 * change, 2) + " %" +
                 (change <= kAccuracy
                      ? "."
                      : ", which linear theory leaves out: use a geometrically non-linear "
                        "analysis of a 3-D mesh.")});
  const Section section = MeasureSection(p);
  double softest = INFINITY;
  for (size_t e = 0; e < p.materials.lame.mu.size(); e++)
    softest = std::min(softest, p.materials.lame.Young(static_cast<int>(e)));
  const double slender = std::pow(section.across / section.thickness, 2);
  double most = 0;
  for (int i = 0; i < p.space->Nodes(); i++)
    most = std::max(most, Pressing(&p.stress.tensor[static_cast<size_t>(i) * kStressComponents]));
  auto share = [&](double stress) { return stress / softest * slender; };
  double near = share(most);
  if (near > kFarFromBuckling) near = share(PressingOfWalls(p, kAcrossWall * section.thickness));
  if (near <= kFarFromBuckling) {
    ev.Note(
        "Buckling was not looked for: walls of such thickness are far from it at the pressing "
        "stresses there are.");
    return;
  }
  p.answer.output["omits"] = Json::array(
      {"Walls are pressed along themselves and may buckle, which was not looked at: an "
       "axisymmetric model has no shapes with waves around the axis or sideways. Use analysis "
       "buckling on a 3-D mesh, or the rules for shells."});
}

}  // namespace atelier
