// What a nonlinear analysis answers of its contacts, and what stands behind it.
#include <cmath>

#include "bodies.hpp"
#include "elasticity.hpp"
#include "krylov.hpp"
#include "union_find.hpp"

namespace atelier {
namespace {

constexpr size_t kMostStated = 4;           // contacts whose figures are stated
constexpr double kMostPenetration = 0.1;    // of the approach that the pressure brings
constexpr double kMostContactRest = 2e-3;   // of the forces
constexpr double kNothing = 1e-9;           // of the forces on another body: rounding
constexpr int kFewFaces[] = {0, 0, 4, 12};  // by dimension: fewer do not show a pressure's course

double Width(const Elasticity& p, const ContactState& s) {
  return p.dim == 3 ? std::sqrt(s.area) : s.area;
}

// The penetration over p w / E, by which solids approach under a pressure p over a width w.
double PenetrationShare(const Elasticity& p, const ContactPair& c, const ContactState& s) {
  const double approach = s.pressure * Width(p, s) / c.young;
  return approach > 0 ? s.penetration / approach : 0;
}

Json Describe(const Elasticity& p, size_t k, const BoundaryGeometry& g) {
  const ContactPair& c = p.nonlinear->contacts[k];
  const ContactState& s = p.nonlinear->states[k];
  std::vector<double> force;  // on the first side
  for (int i = 0; i < p.dim; i++)
    force.push_back((c.slave == 0 ? 1 : -1) * (s.normal[i] + s.shear[i]));
  Json out = {{"contact", k},
              {"places", {c.sides[0].name, c.sides[1].name}},
              {"slave", c.slave},
              {"state", s.face < 0 ? "open" : "closed"},
              {"force", force},
              {"normal_force", Norm2(s.normal)},
              {"shear_force", Norm2(s.shear)},
              {"area", s.face < 0 ? 0 : s.area},
              {"faces", s.faces.size()}};
  if (s.face < 0) return out;
  out["pressure"] = {{"max", s.pressure}, {"at", g.centre[s.face]}};
  out["penetration"] = {{"max", s.penetration}, {"share", PenetrationShare(p, c, s)}};
  if (c.friction > 0) out["sliding_share"] = s.sum > 0 ? s.sliding / s.sum : 0;
  return out;
}

void StateContact(Elasticity& p, size_t k, const BoundaryGeometry& g) {
  const ContactPair& c = p.nonlinear->contacts[k];
  const ContactState& s = p.nonlinear->states[k];
  const std::string at = "/contacts/" + std::to_string(k), of = " of contact " + std::to_string(k);
  const std::string force = p.dim == 3 ? "N" : "N/m";
  Evidence& ev = p.answer.evidence;
  Quantity normal = {"normal force" + of, at + "/normal_force", Norm2(s.normal), force,
                     "resultant of the contact pressure"};
  normal.quoted = true;
  ev.State(normal);
  if (c.friction > 0)
    ev.State({"shear force" + of,
              at + "/shear_force",
              Norm2(s.shear),
              force,
              "resultant of the friction",
              {},
              {},
              false,
              Norm2(s.normal)});
  ev.State({p.dim == 3 ? "area in contact" + of : "width in contact" + of, at + "/area", s.area,
            p.dim == 3 ? "m^2" : "m", "of the integration points that touch"});
  Quantity peak = {"contact pressure, largest" + of,
                   at + "/pressure/max",
                   s.pressure,
                   "Pa",
                   "mean over the points of a face of the slave",
                   g.centre[s.face]};
  peak.quoted = true;
  ev.State(peak);
}

void CheckContactState(Elasticity& p, size_t k) {
  const ContactPair& c = p.nonlinear->contacts[k];
  const ContactState& s = p.nonlinear->states[k];
  const std::string at = "/contacts/" + std::to_string(k), name = "contact " + std::to_string(k);
  Evidence& ev = p.answer.evidence;
  const int all = static_cast<int>(c.Slave().faces.size()),
            count = static_cast<int>(s.faces.size()), least = std::min(kFewFaces[p.dim], all);
  ev.AtLeast({"contact_resolved", "bounds", at, double(count), double(least), "1",
              "The pressure patch of " + name + " covers " + std::to_string(count) + " of the " +
                  std::to_string(all) + " faces of its slave side" +
                  (count < least ? ": too few to show its course. Refine the mesh where the bodies "
                                   "touch."
                                 : ".")});
  const double share = PenetrationShare(p, c, s);
  ev.Within(
      {"contact_penetration", "model", at, share, kMostPenetration, "1",
       "The bodies of " + name + " enter each other by " + Text(s.penetration, 2) + " m at most, " +
           Text(100 * share, 2) +
           " % of the approach of solids under its pressure: the price of a penalty of " +
           Text(c.stiffness, 2) + " Pa/m" +
           (share > kMostPenetration ? ". That is no small part: refine the mesh where they touch."
                                     : ".")});
  const Region &slave = c.Slave(), &master = c.Master();
  ev.Note(
      "Of " + name + ", " + slave.name + " is kept out of " + master.name +
      " (slave and master: " + c.reason + "), face to face by a linear penalty" +
      (c.friction > 0 ? "; friction gives way by a small elastic slip before it slides." : "."));
}

// Forces that act on bodies which no side of a contact tells apart.
struct OnBodies {
  std::vector<double> force, contact;
  double size = 0;
  bool touched = false;
};

// Joins the bodies of a side; the number of one of them.
int JoinSide(const Elasticity& p, const std::vector<int>& body, const Region& r, UnionFind& sets) {
  const std::set<int> all = BodiesOf(p.domain, r, body);
  for (int one : all) sets.Join(*all.begin(), one);
  return *all.begin();
}

// Loads and reactions by body: what is not balanced by its own internal forces.
void AddOutside(const Elasticity& p, const std::vector<int>& body, UnionFind& sets,
                std::vector<OnBodies>& all) {
  std::vector<int> owner(p.space->Nodes(), 0);
  for (int e = 0; e < p.space->Elements(); e++) {
    for (int a = 0; a < p.space->Count(e); a++) owner[p.space->Dofs(e)[a]] = body[e];
  }
  for (size_t u = 0; u < p.load.size(); u++) {
    OnBodies& on = all[sets.Root(owner[u / p.dim])];
    on.force[u % p.dim] += p.load[u] + p.reactions[u];
    on.size += std::abs(p.load[u]) + std::abs(p.reactions[u]);
  }
}

// The contact forces, from pressures and areas, against the sums over the nodes of either side.
void CheckContactBalance(Elasticity& p) {
  int count = 0;
  const std::vector<int> body = Bodies(*p.domain.mesh, true, count);
  UnionFind sets(count);
  std::vector<std::pair<int, int>> between;
  for (const ContactPair& c : p.nonlinear->contacts) {
    const int slave = JoinSide(p, body, c.Slave(), sets);
    between.emplace_back(slave, JoinSide(p, body, c.Master(), sets));
  }
  const std::vector<double> none(p.dim, 0.0);
  std::vector<OnBodies> all(count, OnBodies{none, none, 0, false});
  AddOutside(p, body, sets, all);
  bool apart = false;
  for (size_t k = 0; k < between.size(); k++) {
    const ContactState& s = p.nonlinear->states[k];
    OnBodies &slave = all[sets.Root(between[k].first)], &master = all[sets.Root(between[k].second)];
    if (&slave == &master) continue;
    apart = true;
    for (int i = 0; i < p.dim; i++) {
      slave.contact[i] += s.normal[i] + s.shear[i];
      master.contact[i] -= s.normal[i] + s.shear[i];
    }
    for (OnBodies* on : {&slave, &master})
      on->touched = true, on->size += Norm2(s.normal) + Norm2(s.shear);
  }
  if (!apart) {
    p.answer.evidence.Note(
        "Both sides of every contact are of one body: its forces could not be held against sums "
        "over the bodies.");
    return;
  }
  double worst = 0, largest = 0;
  for (const OnBodies& on : all) largest = std::max(largest, on.size);
  for (OnBodies& on : all) {
    if (!on.touched || on.size <= kNothing * largest) continue;
    for (int i = 0; i < p.dim; i++) on.force[i] += on.contact[i];
    worst = std::max(worst, 2 * Norm2(on.force) / on.size);
  }
  p.answer.evidence.Within(
      {"contact_balance", "balance", "/contacts", worst, kMostContactRest, "1",
       "On the bodies of either side the contact forces (pressures times areas) and the loads and "
       "reactions (sums of internal nodal forces) cancel to " +
           Text(worst, 2) + " of their size.",
       "CalculiX has stopped too early, or faces beyond those named touch."});
}

}  // namespace

void ReportContacts(Elasticity& p) {
  const std::vector<ContactState>& states = p.nonlinear->states;
  if (states.empty()) return;
  const BoundaryGeometry g = MeasureBoundary(*p.domain.mesh);
  Json list = Json::array();
  for (size_t k = 0; k < states.size(); k++) {
    list.push_back(Describe(p, k, g));
    if (states[k].face < 0) {
      p.answer.warnings.push_back(
          {"contact_open",
           "Nothing touches at the end in contact " + std::to_string(k) +
               ": it bears no force. Check its places and the loads if it should."});
      continue;
    }
    if (k < kMostStated) StateContact(p, k, g);
    CheckContactState(p, k);
  }
  p.answer.output["contacts"] = list;
  CheckContactBalance(p);
}

std::string ContactSummary(const Elasticity& p) {
  std::string out;
  if (!p.nonlinear) return out;
  for (size_t k = 0; k < std::min(kMostStated, p.nonlinear->states.size()); k++) {
    const ContactState& s = p.nonlinear->states[k];
    out += " Contact " + std::to_string(k) +
           (s.face < 0 ? " is open."
                       : " bears " + Text(Norm2(s.normal)) + (p.dim == 3 ? " N" : " N/m") +
                             " under a pressure of " + Text(s.pressure) + " Pa at most.");
  }
  return out;
}

}  // namespace atelier
