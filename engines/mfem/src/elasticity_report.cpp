// What an elasticity problem answers, and what stands behind its figures.
#include <cmath>

#include "bodies.hpp"
#include "elasticity.hpp"
#include "error_estimate.hpp"
#include "gradient.hpp"
#include "singularity.hpp"
#include "vtu_writer.hpp"

namespace atelier {
Values LengthsByNode(const Values& u, int dim) {
  Values out(u.size() / dim);
  for (size_t i = 0; i < out.size(); i++) {
    for (int c = 0; c < dim; c++) out[i] += u[i * dim + c] * u[i * dim + c];
    out[i] = std::sqrt(out[i]);
  }
  return out;
}

namespace {

constexpr double kMostJump = 0.4;        // of the peak stress between neighbouring elements
constexpr size_t kMostReactions = 3;     // figures of reactions that are stated
constexpr double kLeastReaction = 1e-6;  // of the loads; less is rounding
constexpr double kMostReactionError = 0.25;
constexpr double kSummation = 1e-14;          // of the loads: what rounding may leave of their sum
constexpr double kIncrementTolerance = 1e-3;  // of the balance, where increments are iterated

int LargestNode(const Values& v) {
  return static_cast<int>(std::max_element(v.begin(), v.end()) - v.begin());
}

const char* Nodal(const Elasticity& p) {
  return p.nonlinear ? "finite-element displacement by CalculiX"
                     : "finite-element displacement; error bar by a dual solution";
}

// A peak elsewhere is not the largest stress of a part with a sharp corner that bears
// load: refined far enough, the corner exceeds it. Returns whether there is one.
bool CheckOtherCorners(Elasticity& p, const Singularities& singularities, double peak) {
  const int corner = singularities.MostStressed(p.stress.von_mises);
  if (corner < 0) return false;
  const double share = p.stress.von_mises[corner] / peak, limit = singularities.ShareAt(corner);
  if (share < limit) return false;
  std::string place;
  for (double x : p.space->Point(corner)) place += (place.empty() ? "" : ", ") + Text(x);
  p.answer.evidence.Within(
      {"stress_bounded_elsewhere", "model", "/von_mises/max", share, limit, "1",
       "The peak lies elsewhere, but the stress also has no bound at " +
           singularities.CauseAt(corner) + " at (" + place + ") m, which bears " +
           Text(100 * share, 2) +
           " % of it on this mesh and more with every refinement: the peak is not the part's "
           "largest stress. Model the fillet or the real support there, or judge that place by "
           "itself."});
  return true;
}

// Why a peak was taken for one that has a bound. facet: the angle of a facet's edge
// beside it, 0 where there is none.
std::string Bounded(double facet) {
  if (facet == 0) return "The stress peak lies at no re-entrant edge and no rim of a support.";
  return "The stress peak lies at no rim of a support and at no re-entrant edge but one of " +
         Text(facet, 3) +
         " degrees in a row of its like, which is taken for a facet of a round surface.";
}

// Whether a node is held by a support; a plane of symmetry is none.
bool AtSupport(const Elasticity& p, const Holds& holds, int node) {
  for (size_t f = 0; f < holds.hold.size(); f++) {
    if (holds.hold[f] != Hold::kClamped) continue;
    const std::vector<int> nodes = p.space->BoundaryDofs(static_cast<int>(f));
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return true;
  }
  return false;
}

}  // namespace

Json ReportPeakStress(Elasticity& p) {
  const int peak = LargestNode(p.stress.von_mises);
  const double value = p.stress.von_mises[peak],
               jump = value > 0 ? p.stress.spread[peak] / value : 0, p99 = Percentile99(p.stress);
  const Holds holds(p);
  const Singularities singularities(p, holds);
  const std::string cause = value > 0 ? singularities.At(*p.space, peak) : "";
  const std::vector<double> at = p.space->Point(peak);
  Evidence& ev = p.answer.evidence;
  ev.Holds("stress_bounded", "model", "/von_mises/max", cause.empty(),
           cause.empty() ? Bounded(singularities.FacetAt(*p.space, peak))
                         : "The stress peak " + LiesAt(cause) +
                               ": it grows with every "
                               "refinement and is no strength figure. Model the fillet or the "
                               "real support, or judge the stress at some distance from it.");
  const bool overtaken = cause.empty() && value > 0 && CheckOtherCorners(p, singularities, value);
  ev.Within(
      {"stress_jump", "bounds", "/von_mises/max", jump, kMostJump, "1",
       "Neighbouring elements disagree by " + Text(100 * jump, 2) +
           " % about the stress at the peak" +
           (jump > kMostJump ? ", so that it is not resolved: refine the mesh there." : ".")});
  p.answer.peak_kink = singularities.KinkAt(*p.space, peak);
  ev.State({"von Mises stress, largest",
            "/von_mises/max",
            value,
            "Pa",
            "mean of the adjoining elements; no error bar covers a peak on one mesh",
            at,
            {},
            false,
            0,
            true});
  ev.State({"von Mises stress that 99 % of the volume stays below", "/von_mises/p99", p99, "Pa",
            "by volume; it says nothing about the peak"});
  const bool singular = !cause.empty() || jump > kMostJump || overtaken;
  if (singular) {
    const std::string why =
        !cause.empty() ? "lies within an element of " + cause
        : overtaken    ? "is not the largest stress of the part, which has no bound elsewhere,"
                       : "differs by " + Text(100 * jump, 2) + " % between neighbouring elements";
    p.answer.warnings.push_back(
        {"stress_peak_unresolved",
         "The stress peak " + why +
             " and may grow without limit as the mesh is refined. Do not quote it as a strength "
             "figure."});
  }
  return {{"max", value},
          {"at", at},
          {"unit", "Pa"},
          {"p99", p99},
          {"at_support", AtSupport(p, holds, peak)},
          {"element_jump", jump},
          {"singularity", singular ? "likely" : "not_seen"}};
}

namespace {

// Moments of a part that moves far are those of its nodes where they have moved to.
const Values* Moved(const Elasticity& p) { return p.nonlinear ? &p.u : nullptr; }

// Forces and moments of every condition, and what is left over.
Json LoadPath(Elasticity& p) {
  Json list = Json::array();
  // On the edge between two supports a component counts for the first that holds it.
  const std::vector<int> owners = Owners(p);
  for (const Region& r : p.regions) {
    Values nodal;
    if (IsFixed(r)) nodal = BorneBy(p, owners, r, p.reactions);
    const Resultant sum =
        Resultants(*p.space, IsFixed(r) ? nodal : p.region_load[r.index], r.centroid, Moved(p));
    Json item = DescribeRegion(r);
    item["force"] = sum.force;
    if (!p.domain.axisymmetric)  // around the axis they cancel
      item["moment"] = p.dim == 3 ? sum.moment : std::vector<double>{sum.moment[2]};
    list.push_back(item);
  }
  return list;
}

void CheckBalance(Elasticity& p) {
  std::vector<double> centre(3);
  for (int k = 0; k < 3; k++) centre[k] = 0.5 * (p.domain.low[k] + p.domain.high[k]);
  Values sum(p.load.size());
  double size = 0;
  for (size_t i = 0; i < sum.size(); i++) {
    sum[i] = p.load[i] + p.reactions[i];
    size += std::abs(p.load[i]) + std::abs(p.reactions[i]);
  }
  for (const Region& r : p.regions) {
    if (!IsElastic(r)) continue;
    for (size_t i = 0; i < sum.size(); i++) {
      sum[i] += p.region_load[r.index][i];
      size += std::abs(p.region_load[r.index][i]);
    }
  }
  Resultant rest = Resultants(*p.space, sum, centre, Moved(p));
  const bool turned = p.domain.axisymmetric;
  if (turned) rest = {{rest.force[1]}, {}};  // across the axis hoop stresses bear the loads
  double force = 0, moment = 0;
  for (double f : rest.force) force += f * f;
  for (double m : rest.moment) moment += m * m;
  const double scale = std::max(size / 2, 1e-300);
  force = std::sqrt(force) / scale;
  moment = std::sqrt(moment) / (scale * p.domain.Diagonal());
  const double imbalance = std::max(force, moment);
  p.answer.output["imbalance"] = imbalance;
  const bool bent = p.space->Order() == 1 && p.domain.mesh->GetNodes() != nullptr;
  p.answer.evidence.Within({"force_balance", "balance", "", imbalance,
                            p.nonlinear ? kIncrementTolerance : kBalanceTolerance, "1",
                            std::string(turned ? "Loads and reactions along the axis cancel to "
                                               : "Loads and reactions, forces and moments, cancel "
                                                 "to ") +
                                Text(imbalance, 2) + " of their size.",
                            p.nonlinear ? "CalculiX has stopped too early."
                            : bent ? "Elements of order 1 on a curved mesh cannot turn as a rigid "
                                     "body does, so that moments are lost: use order 2."
                                   : kUnbalanced});
}

// Loads beside prescribed displacements: the error of the energy is then no square.
bool Mixed(const Elasticity& p) {
  auto any = [](const Values& v) {
    return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; });
  };
  if (!p.initial.Any()) return any(p.load) && any(p.constraints->value);
  return p.mechanical > 0 || any(p.constraints->value);
}

void JudgeError(Elasticity& p) {
  const int order = p.space->Order();
  const EnergyError error =
      RelateError(kEstimatorFactor[order] * p.stress.error, 2 * p.energy, p.domain.mesh->GetNE());
  StateEnergyError(p.answer, error,
                   {"stress_error", "/von_mises", "the stresses over the whole part",
                    "; a peak may be off by more.",
                    ": the mesh is too coarse for stresses: " + p.answer.evidence.Finer() + ".",
                    "No error was estimated: there is no load, or too few elements to compare."});
  Quantity energy = {"strain energy", "/energy", p.energy, "J",
                     "half the work of loads and reactions; its error is the square of the error "
                     "in the energy norm (Galerkin)"};
  energy.quoted = true;
  if (error.known && !Mixed(p)) {
    energy.error = kErrorBarSafety * 0.5 * error.absolute * error.absolute;
    if (p.domain.IsGoal(energy.figure))
      p.answer.by_element.goal = DualErrors(p.stress.element_error, p.stress.element_error,
                                            std::sqrt(0.5) * kEstimatorFactor[order]);
  }
  CheckError(p.answer.evidence, energy, p.energy);
  if (order == 1) {
    p.answer.warnings.push_back(
        {"linear_elements",
         "Linear elements are too stiff in bending; order 2 is the better choice."});
  }
}

void WriteFields(Elasticity& p, const Values& safety) {
  if (p.domain.refined) return;
  std::vector<PointField> points = {{"displacement", "m", p.dim, &p.u},
                                    {"von_mises", "Pa", 1, &p.stress.von_mises},
                                    {"stress", "Pa", kStressComponents, &p.stress.tensor}};
  std::vector<CellField> cells;
  if (!p.stress.element_error.empty())
    cells.push_back({"error_estimate", "J^0.5", &p.stress.element_error});
  if (p.nonlinear && !p.nonlinear->plastic_strain.empty())
    points.push_back({"plastic_strain", "1", 1, &p.nonlinear->plastic_strain});
  if (!safety.empty()) points.push_back({"safety_factor", "1", 1, &safety});
  if (!p.temperature.empty()) points.push_back({"temperature", "K", 1, &p.temperature});
  if (p.kept) {
    for (const PointField& f : points)
      p.kept->fields.push_back({f.name, f.unit, f.components, *f.values});
    for (const CellField& f : cells) p.kept->fields.push_back({f.name, f.unit, 0, *f.values});
    return;
  }
  EmitProgress(0.85, "writing fields");
  VtuWriter writer(*p.space, "solution");
  writer.Write(0, points, cells);
  p.answer.artifacts.push_back(writer.Artifact());
  p.answer.output["fields"] = writer.Fields();
  p.answer.output["vtk_file"] = writer.Collection();
}

void StateDisplacement(Elasticity& p, ErrorBars& bars) {
  const FieldExtreme longest = LongestOf(*p.space, p.u);
  const double size = longest.value;
  std::vector<double> vector(p.dim, 0.0);
  for (const auto& [node, weight] : longest.weights) {
    for (int c = 0; c < p.dim; c++)
      vector[c] += weight * p.u[static_cast<size_t>(node) * p.dim + c];
  }
  p.answer.output["max_displacement"] = {
      {"value", size}, {"vector", vector}, {"at", longest.at}, {"unit", "m"}};
  Quantity q = {"displacement, largest", "/max_displacement/value", size, "m", Nodal(p)};
  q.where = longest.at;
  q.quoted = true;
  if (size > 0) {
    for (double& v : vector) v /= size;
    q.error = bars.Of(q.figure, longest.weights, vector);
  }
  CheckError(p.answer.evidence, q, size);
}

void StateProbes(Elasticity& p, const Probes& probes, ErrorBars& bars) {
  Json list = probes.Report(*p.space, p.dim, p.u, "displacement");
  const Json stress = probes.Report(*p.space, kStressComponents, p.stress.tensor, "stress");
  for (int i = 0; i < probes.Count() && !p.temperature.empty(); i++)
    list[i]["temperature"] = probes.At(i, *p.space, 1, p.temperature)[0];
  for (size_t i = 0; i < list.size(); i++) {
    list[i]["stress"] = stress[i]["stress"];
    const std::vector<double> u = list[i]["displacement"].get<std::vector<double>>();
    int largest = 0;  // the component that a reader would quote
    double size = 0;
    for (int k = 0; k < p.dim; k++) {
      size += u[k] * u[k];
      if (std::abs(u[k]) > std::abs(u[largest])) largest = k;
    }
    for (int c = 0; c < p.dim; c++) {
      Quantity q = {"displacement " + std::string(1, static_cast<char>('x' + c)) + " at probe " +
                        std::to_string(i),
                    "/probes/" + std::to_string(i) + "/displacement/" + std::to_string(c), u[c],
                    "m", Nodal(p)};
      if (!p.domain.IsGoal(q.figure) && (c != largest || i >= kMostProbeFigures)) continue;
      q.where = list[i]["at"].get<std::vector<double>>();
      std::vector<double> direction(p.dim, 0.0);
      direction[c] = 1;
      if (size > 0)
        q.error = bars.Of(q.figure, probes.Weights(static_cast<int>(i), *p.space), direction);
      CheckError(p.answer.evidence, q, std::sqrt(size));
    }
  }
  p.answer.output["probes"] = list;
}

// A component of the reaction of a support.
struct Reaction {
  int bc, component;
  double value;
  bool goal;
};

std::string ForcePointer(int bc, int component) {
  return "/loads/" + std::to_string(bc) + "/force/" + std::to_string(component);
}

// The largest of the reactions that are more than rounding, by condition, behind the one that the
// mesh is refined for; that alone on a mesh that was refined aside.
std::vector<Reaction> LargestReactions(const Elasticity& p, double size) {
  std::vector<Reaction> all;
  for (const Region& r : p.regions) {
    if (!IsFixed(r) || r.index >= kMostRegions) continue;
    for (int c : ForceComponents(p, r)) {
      const double v = p.answer.output["loads"][r.index]["force"][c].get<double>();
      const bool goal = p.domain.IsGoal(ForcePointer(r.index, c));
      if (goal || (!p.domain.refined && std::abs(v) > kLeastReaction * size))
        all.push_back({r.index, c, v, goal});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Reaction& a, const Reaction& b) {
    if (a.goal != b.goal) return a.goal;
    return std::abs(a.value) > std::abs(b.value) * (1 + 1e-9);
  });
  if (all.size() > kMostReactions) all.resize(kMostReactions);
  return all;
}

// Where one support alone holds a direction, statics gives its reaction; elsewhere a
// dual solution its error bar.
void StateReactions(Elasticity& p, ErrorBars& bars) {
  std::vector<double> rest(p.dim, 0.0);
  double size = 0;
  for (size_t u = 0; u < p.load.size(); u++) {
    rest[u % p.dim] += p.load[u] + p.reactions[u];
    size += 0.5 * (std::abs(p.load[u]) + std::abs(p.reactions[u]));
  }
  size = std::max(size, p.given);
  std::vector<int> holders(p.dim, 0);
  for (const Region& r : p.regions) {
    if (IsElastic(r)) {
      for (int& n : holders) n++;
    }
    if (!IsFixed(r)) continue;
    for (int c : ForceComponents(p, r)) holders[c]++;
  }
  const std::vector<int> owners = Owners(p);
  const std::vector<Reaction> reactions = LargestReactions(p, size);
  double worst = 0;
  for (const Reaction& r : reactions) {
    Quantity q = {"reaction " + std::string(1, static_cast<char>('x' + r.component)) + " of bcs/" +
                      std::to_string(r.bc),
                  ForcePointer(r.bc, r.component), r.value,
                  p.dim == 3 || p.domain.axisymmetric ? "N" : "N/m", "sum of the nodal reactions"};
    q.scale = size;
    // A pressure that follows the surface depends on where that has moved to.
    const bool given = !p.nonlinear || std::none_of(p.regions.begin(), p.regions.end(), IsPressure);
    // Nor do supports across an axis bear what hoop stresses do.
    q.exact = given && holders[r.component] == 1 && !(p.domain.axisymmetric && r.component == 0);
    q.error = q.exact
                  ? std::abs(rest[r.component])
                  : bars.OfReaction(q.figure, DualOfForce(p, owners, p.regions[r.bc], r.component));
    if (q.error) *q.error += kSummation * size;
    if (q.error) worst = std::max(worst, *q.error);
    p.answer.evidence.State(q);
  }
  if (reactions.empty() || p.nonlinear) return;
  p.answer.evidence.Within(
      {"reactions", "refinement", "/loads", worst / size, kMostReactionError, "1",
       "Where one support alone holds a direction, its reaction is what the loads demand; "
       "others have the error bar of a dual solution. The widest is " +
           Text(100 * worst / size, 2) + " % of the loads.",
       "Do not quote these reactions: " + p.answer.evidence.Finer() + "."});
}

// The largest von Mises stress at the nodes of each element.
Values PeakByElement(const Elasticity& p) {
  Values out(p.space->Elements(), 0.0);
  for (int e = 0; e < p.space->Elements(); e++) {
    for (int a = 0; a < p.space->Count(e); a++)
      out[e] = std::max(out[e], p.stress.von_mises[p.space->Dofs(e)[a]]);
  }
  return out;
}

}  // namespace

void ReportEquilibrium(Elasticity& p) {
  Json& out = p.answer.output;
  out["order"] = p.space->Order();
  out["unknowns"] = p.load.size();
  out["iterations"] = p.report.iterations;
  out["residual"] = p.report.residual;
  if (!p.nonlinear) out["solver"] = DescribeSolver(p.report);
  out["error_norm"] = p.report.residual;
  out["energy"] = p.energy;
  out["loads"] = LoadPath(p);
  if (!p.nonlinear) CheckSolution(p.report, p.options, p.answer.evidence);
  CheckBalance(p);
  std::vector<Region> regions = p.regions;
  if (p.heated) regions.insert(regions.end(), p.heated->regions.begin(), p.heated->regions.end());
  CheckMesh(p.domain, regions, false, p.answer.evidence, MayTouch(p));
}

void ReportElasticity(Elasticity& p, const Probes& probes, const StressLines& lines) {
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space->Order());
  if (!p.nonlinear) ev.Note(Provenance("multigrid, stress recovery"));
  ErrorBars bars(p);
  StateDisplacement(p, bars);
  Json& out = p.answer.output;
  out["von_mises"] = ReportPeakStress(p);
  ReportEquilibrium(p);
  if (p.nonlinear) {
    ReportNonlinear(p);
  } else {
    JudgeError(p);
    CheckModel(p);
  }
  StateProbes(p, probes, bars);
  lines.State(p);
  StateReactions(p, bars);
  // A material that may flow stays at its yield strength.
  Values safety = p.nonlinear ? Values() : SafetyByNode(p);
  ReportSafety(p, safety, out["von_mises"]["singularity"] == "not_seen");
  for (double& s : safety) s = std::min(s, kMostSafety);  // no bound where no strength is known
  WriteFields(p, safety);
  if (!p.nonlinear) {
    p.answer.by_element.error = p.stress.element_error;
    p.answer.by_element.peak = PeakByElement(p);
  }
  p.answer.summary = "Largest displacement " + Text(out["max_displacement"]["value"]) +
                     " m, largest von Mises stress " + Text(out["von_mises"]["max"]) +
                     " Pa, strain energy " + Text(p.energy) + " J" +
                     (out.contains("safety_factor") ? ", least safety factor against yield " +
                                                          Text(out["safety_factor"]["min"], 3)
                                                    : std::string()) +
                     "." + ContactSummary(p);
  if (!p.bolts.empty()) ReportBolts(p);
}

}  // namespace atelier
