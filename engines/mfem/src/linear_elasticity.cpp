// Linear elasticity: -div sigma(u) = f, isotropic materials, small strains;
// in 2-D plane strain (or plane stress) of unit thickness, or a body of revolution.
#include <cmath>

#include "axisymmetric.hpp"
#include "elasticity.hpp"
#include "load_cases.hpp"
#include "rigid_body.hpp"
#include "second_opinion.hpp"

namespace atelier {

std::vector<int> FixedComponents(const Region& r, int dim) {
  std::vector<int> out;
  if (!r.config.Has("components")) {
    for (int c = 0; c < dim; c++) out.push_back(c);
    return out;
  }
  for (const std::string& name : r.config.Strings("components")) {
    const int c = name.size() == 1 ? name[0] - 'x' : -1;
    if (c < 0 || c >= dim)
      throw r.config.Refuse("components", "may hold x, y and z of the mesh's dimensions")
          .Hint("Directions of a cylinder are those of the type cylindrical.");
    out.push_back(c);
  }
  return out;
}

void StateUnloaded(Elasticity& p) {
  p.answer.warnings.push_back({"no_load", "There is no load: the part does not move."});
  p.answer.evidence.Holds("loaded", "model", "", false,
                          "No condition and no body force loads the part, so that every figure is "
                          "0 whatever the part is. Give a load, or a displacement that is not 0.");
}

namespace {

const std::vector<std::string> kPlanes = {"strain", "stress", "axisymmetric"};
const std::vector<std::string> kLoads = {"load",         "pressure",    "moment",
                                         "remote_force", "remote_mass", "bearing"};
constexpr double kThermalNoise = 1000;  // solver tolerances, of the stress that heat may bring
constexpr double kCancelled = 1e-12;    // of the loads: no more is left of those that cancel

void ApplyConstraints(Elasticity& p) {
  p.constraints = std::make_unique<Constraints>(static_cast<size_t>(p.space->Nodes()) * p.dim);
  p.region_nodes.resize(p.regions.size());
  Prescribed prescribed;
  for (const Region& r : p.regions) {
    if (!IsFixed(r)) continue;
    const std::vector<int> components = FixedComponents(r, p.dim);
    const std::vector<double> value =
        r.config.Has("value") ? r.config.Vector("value", p.dim) : std::vector<double>(p.dim, 0.0);
    for (int f : r.faces) {
      for (int node : p.space->BoundaryDofs(f)) {
        p.region_nodes[r.index].insert(node);
        for (int c : components) {
          const size_t unknown = static_cast<size_t>(node) * p.dim + c;
          if (c == 0 && p.space->IsOnAxis(node)) {
            if (value[0] == 0) continue;
            throw r.config.Refuse("value", "moves a node of the axis along x, the radius")
                .Hint("The axis stays where it is: prescribe y alone there, by components.");
          }
          prescribed.Add(r, unknown, value[c]);
          p.constraints->Set(unknown, value[c]);
        }
      }
    }
  }
  HoldAxis(p);
  const std::string slanted = HoldSlanted(p);
  const std::string& conflict = prescribed.Conflict().empty() ? slanted : prescribed.Conflict();
  if (conflict.empty()) return;
  p.answer.evidence.Holds("supports_agree", "model", "", false,
                          conflict +
                              " (m): the part would have to tear there. Energy, reactions and "
                              "stresses have no limit as the mesh is refined. Leave a gap between "
                              "the two supports, or let one value go over into the other.");
}

// A weight of 1 kg/m^3 is nobody's part.
void CheckDensity(Elasticity& p) {
  if (p.materials.weightless.empty()) return;
  const std::vector<Action> actions = Actions(p.config);
  if (std::none_of(actions.begin(), actions.end(), [](const Action& a) {
        return a.config.Has("gravity") || a.config.Has("acceleration");
      }))
    return;
  const std::string& where = p.materials.weightless.front();
  p.answer.warnings.push_back(
      {"density_default", "Gravity is given without a density; 1 kg/m^3 was used."});
  p.answer.evidence.Holds("density", "bounds", "", false,
                          "Gravity acts on a material without a density, for which 1 kg/m^3 was "
                          "used: loads and deflections are not those of any solid. Give " +
                              where + " (steel: 7850).");
}

// The size of the forces that act on unknowns which no support holds.
double Moving(const Elasticity& p, Values load) {
  p.constraints->Clear(load);
  double sum = 0;
  for (double f : load) sum += std::abs(f);
  return sum;
}

// A part that nothing loads, whose loads cancel at every point, or go into the supports
// where they act: what rounding leaves of them is no load.
void RequireLoaded(Elasticity& p) {
  double rest = 0;
  for (double f : p.load) rest += std::abs(f);
  const bool cancel = p.given > 0 && rest <= kCancelled * p.given;
  const bool borne = !cancel && rest > 0 && Moving(p, p.load) <= kCancelled * p.given;
  // What rounding has left.
  if (cancel) std::fill(p.load.begin(), p.load.end(), 0.0);
  if (borne) p.load = p.constraints->Held(p.load);
  // Also what goes into the supports stresses the part.
  if (p.initial.Largest() > 0 || !p.bolts.empty()) return;
  const bool moved = std::any_of(p.constraints->value.begin(), p.constraints->value.end(),
                                 [](double v) { return v != 0; });
  const std::string cancels = "The loads that are given cancel: they sum to " + Text(p.given, 3) +
                              " N in size and to nothing at any point";
  if (cancel && moved) p.answer.evidence.Note(cancels + ".");
  if (moved || (!cancel && !borne && rest > 0)) return;
  if (p.config.Flag("prestress", false))
    throw p.config.Refuse("prestress", "needs loads that stress the part, and there are none")
        .Hint(
            "Give the loads, or leave prestress out: the frequencies are then those of the part "
            "without stresses.");
  // Bodies that overlap press each other: a press fit shows once it is solved.
  if (p.nonlinear && !p.nonlinear->contacts.empty()) return;
  if (!cancel && !borne) return StateUnloaded(p);
  if (cancel)
    p.answer.warnings.push_back(
        {"no_load", "The loads that are given cancel: the part does not move."});
  p.answer.evidence.Holds(
      "loaded", "model", "", false,
      cancel ? cancels +
                   ", so that every figure is 0 whatever the part is. Check their signs and "
                   "places."
             : "Every load acts in a direction in which its place is held: it goes into the "
               "support, and every figure but the reactions is 0 whatever the part is. Check the "
               "directions of the loads and the components of the supports.");
}

void AddLoad(Elasticity& p, const Values& own, double factor = 1) {
  for (size_t i = 0; i < own.size(); i++) {
    p.load[i] += factor * own[i];
    p.given += std::abs(factor * own[i]);
  }
}

// The load that initial strains are.
void AddInitial(Elasticity& p, const InitialStrain& strain) {
  Values own(p.load.size(), 0.0);
  AddInitialLoad(*p.space, strain, own);
  AddLoad(p, own);
}

// A load along directions in which its face is held.
void WarnOfBorne(Elasticity& p, const Region& r) {
  const Values& own = p.region_load[r.index];
  double size = 0;
  for (double f : own) size += std::abs(f);
  if (size == 0 || Moving(p, own) > kCancelled * size) return;
  p.answer.warnings.push_back(
      {"load_into_support", "The load of " + r.config.Pointer() +
                                " acts where and as its face is held: it goes into the support "
                                "and does nothing to the part."});
}

void ApplyLoads(Elasticity& p) {
  CheckDensity(p);
  p.load.assign(p.constraints->fixed.size(), 0.0);
  for (const Action& action : Actions(p.config)) {
    for (const Values& body : ReadBodyForces(p.domain, action.config, p.materials.density)) {
      Values own(p.load.size(), 0.0);
      AddBodyLoad(*p.space, p.dim, body, own);
      AddLoad(p, own, action.factor);
    }
    AddLoad(p, CentrifugalLoad(p, action.config), action.factor);
  }
  p.region_load.resize(p.regions.size());
  for (const Region& r : p.regions) {
    if (IsFixed(r) || IsElastic(r)) continue;
    p.region_load[r.index] = SurfaceLoad(p, r);
    AddLoad(p, p.region_load[r.index]);
    WarnOfBorne(p, r);
  }
  p.mechanical = p.given;
  AddInitial(p, p.initial);
  RequireLoaded(p);
}

// A load on a face that is wholly fixed goes straight into the support and is lost.
void RefuseLostLoads(Elasticity& p) {
  std::vector<Region> held;
  for (const Region& r : p.regions) {
    if (IsElastic(r)) continue;
    const Slant* slant = p.supports.Of(r);
    const int count =
        slant ? slant->Count(p.dim) : static_cast<int>(FixedComponents(r, p.dim).size());
    if (!IsFixed(r) || count == p.dim) held.push_back(r);
  }
  std::vector<std::vector<std::string>> lost;
  for (const std::string& load : kLoads) lost.push_back({"fixed", load});
  RefuseOverlaps(held, lost);
}

// A mass that hangs on a face weighs, but it does not vibrate with the part.
void RefuseMassesThatVibrate(const Elasticity& p) {
  const std::string analysis = p.config.String("analysis", "static");
  if (analysis != "modal" && analysis != "harmonic" && analysis != "transient") return;
  for (const Region& r : p.regions) {
    if (r.type == "remote_mass")
      throw r.config.Refuse("type", "remote_mass is not offered with analysis " + analysis + " yet")
          .Hint(
              "Model the mass as a body of its size and density: its inertia counts in a "
              "vibration, and without it the frequencies come out too high.");
  }
}

}  // namespace

void Prepare(Elasticity& p) {
  const bool plane_stress = p.config.Choice("plane", "strain", kPlanes) == "stress";
  if (plane_stress && p.dim != 2) throw p.config.Refuse("plane", "is for 2-D meshes only");
  p.materials = ReadElasticMaterials(p.domain, p.config, plane_stress, p.answer.warnings);
  std::vector<std::string> types = kLoads;
  types.insert(types.end(), {"fixed", "elastic", "symmetry", "frictionless", "cylindrical"});
  p.regions = ReadRegions(p.domain, p.config, types);
  RefuseMassesThatVibrate(p);
  for (const Region& r : p.regions) {
    if (p.domain.axisymmetric) RefuseUnturnedCondition(r);
  }
  const BoundaryGeometry geometry = MeasureBoundary(*p.domain.mesh);
  for (Region& r : p.regions) {
    if (r.type == "symmetry" || r.type == "frictionless" || r.type == "cylindrical")
      ReadSlant(p, geometry, r);
  }
  RefuseLostLoads(p);
  const int order = p.config.Integer("order", 2, 1, 2);
  p.space = std::make_unique<NodalSpace>(*p.domain.mesh, order, p.domain.axisymmetric);
  LeaveAxis(*p.space, p.regions, p.answer.warnings);
  FindDirections(p);
  ApplyConstraints(p);
  p.bolts = ReadBolts(p);
  CheckFacetedSupports(p);
}

void SetUp(Elasticity& p) {
  Prepare(p);
  if (p.nonlinear) p.nonlinear->contacts = ReadContacts(p);
  if (p.nonlinear && !p.nonlinear->contacts.empty()) {
    RequireHeldInContact(p);
  } else {
    RequireHeld(FindFreeMotions(p.domain, *p.space, *p.constraints, Springs(p)));
  }
  ReadTemperature(p);
  ApplyLoads(p);
}

namespace {

// What only another analysis uses would be ignored without a word.
void RefuseNonlinear(const Config& config) {
  for (const Config& m : config.List("materials")) {
    for (const char* name : {"hardening", "tangent_modulus"}) {
      if (m.Has(name)) throw m.Refuse(name, "is for the analysis nonlinear");
    }
  }
}

// What says how loads vary with time, in an analysis of others.
void RefuseOthersTimes(const Config& config, const std::string& analysis) {
  const bool harmonic = analysis == "harmonic", transient = analysis == "transient";
  if (!harmonic && config.Has("frequencies"))
    throw config.Refuse("frequencies", "is for the analysis harmonic")
        .Hint("Leave it out, or set analysis to harmonic.");
  if (!harmonic && !transient && config.Has("damping"))
    throw config.Refuse("damping", "is for the analyses harmonic and transient")
        .Hint("Leave it out, or set analysis to harmonic or transient.");
  const bool from_static = config.Choice("start", "rest", {"rest", "static"}) == "static";
  for (const auto& [name, given] :
       {std::pair("history", config.Has("history")), std::pair("time", config.Has("time")),
        std::pair("start", from_static)}) {
    if (!transient && given)
      throw config.Refuse(name, "is for the analysis transient")
          .Hint("Leave it out, or set analysis to transient.");
  }
}

// A part that expands freely has no stress: what the solver's tolerance leaves beside the
// stress that would undo the expansion is set to 0.
void TakeNoise(Elasticity& p) {
  const double level = kThermalNoise * p.options.relative_tolerance * p.initial.Largest();
  for (double s : p.stress.tensor) {
    if (std::abs(s) >= level) return;
  }
  p.energy = p.stress.error = 0;
  for (Values* v : {&p.stress.tensor, &p.stress.von_mises, &p.stress.utilised, &p.stress.spread,
                    &p.stress.element_error})
    std::fill(v->begin(), v->end(), 0.0);
  p.answer.evidence.Holds("expands_freely", "bounds", "/von_mises/max", true,
                          "The part expands freely: its stresses are 0 to " + Text(level, 2) +
                              " Pa, which is rounding beside the " + Text(p.initial.Largest(), 2) +
                              " Pa that would undo the expansion; they are set to 0.");
}

}  // namespace

void AssembleProblem(Elasticity& p) {
  EmitProgress(0.15, "assembling " + std::to_string(p.load.size()) + " unknowns");
  p.problem = std::make_unique<SpdProblem>(
      *p.space, *p.constraints, [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
        BlockCsr a = AssembleElasticity(s, std::move(g), p.materials.lame);
        AddElasticSupports(p, s, a);
        return a;
      });
}

void SolveLoaded(Elasticity& p) {
  p.options = ReadSolveOptions(p.config);
  if (!p.problem) AssembleProblem(p);
  EmitProgress(0.4, "solving");
  if (!p.bolts.empty()) {
    AddInitial(p, Tighten(p));
    p.u = p.tightened->u;
  }
  p.report.Worst(p.problem->Solve(p.load, p.u, p.options));
  RequireConverged(p.report, p.options, *p.domain.mesh, &p.materials.lame);
  p.reactions = p.problem->Reactions(p.u, p.load);
  for (const Region& r : p.regions) {
    if (IsElastic(r)) p.region_load[r.index] = ElasticForces(p, r, p.u);
  }
  for (size_t i = 0; i < p.u.size(); i++) p.work += 0.5 * (p.load[i] + p.reactions[i]) * p.u[i];
  p.energy = p.initial.Any() ? ElasticEnergy(*p.space, p.u, p.materials.lame, p.initial) : p.work;
  EmitProgress(0.75, "recovering stresses");
  p.stress = RecoverStress(*p.space, p.u, p.materials.lame, p.materials.kind, p.initial,
                           p.materials.yield);
  if (p.bolts.empty()) TakeNoise(p);
  ReportHeated(p);
  for (double v : p.u) {
    if (!std::isfinite(v)) throw Error(codes::kSolverFailed, "the displacements are not finite");
  }
}

void SolveStatic(Elasticity& p) {
  SetUp(p);
  SolveLoaded(p);
}

std::string Admit(Domain& domain, const Config& config) {
  const std::string analysis = config.Choice(
      "analysis", "static", {"static", "modal", "harmonic", "transient", "buckling", "nonlinear"});
  domain.axisymmetric = ReadAxisymmetric(domain, config, kPlanes);
  RefuseUnturned(domain, config);
  if (analysis != "static" && config.Has("second_opinion"))
    throw config.Refuse("second_opinion", "is for the analysis static")
        .Hint("Leave it out, or set analysis to static.");
  if (analysis != "static" && config.Has("bolts"))
    throw config.Refuse("bolts", "is for the analysis static")
        .Hint("Leave bolts out, or solve analysis static.");
  if (analysis != "static" && analysis != "nonlinear" && config.Has("stress_lines"))
    throw config.Refuse("stress_lines", "is for the analyses static and nonlinear")
        .Hint("Leave it out: vibrations and buckling have stresses of an unknown or varying size.");
  RefuseOthersTimes(config, analysis);
  if (analysis != "modal" && config.Flag("prestress", false))
    throw config.Refuse("prestress", "is for the analysis modal")
        .Hint("Leave it out, or set analysis to modal.");
  if (analysis != "nonlinear" && config.Has("contacts"))
    throw config.Refuse("contacts", "are for the analysis nonlinear")
        .Hint("Set analysis to nonlinear, or mesh bodies that stay joined with common nodes.");
  if (analysis != "nonlinear") RefuseNonlinear(config);
  if (analysis != "modal" && analysis != "buckling" && config.Has("modes"))
    throw config.Refuse("modes", "is for the analyses modal and buckling")
        .Hint("Leave it out: analyses harmonic and transient take all modes that they need.");
  return analysis;
}

namespace {

Answer SolveLinearElasticity(Domain& domain, const Config& config) {
  const std::string analysis = Admit(domain, config);
  if (analysis == "nonlinear") return SolveNonlinear(domain, config);
  if (analysis == "modal") return SolveModal(domain, config);
  if (analysis == "buckling") return SolveBuckling(domain, config);
  if (analysis == "harmonic") return SolveHarmonic(domain, config);
  if (analysis == "transient") return SolveTransient(domain, config);
  Elasticity p(domain, config);
  SetUp(p);
  const Probes probes(domain, config);
  const StressLines lines(domain, config);
  SolveLoaded(p);
  ReportElasticity(p, probes, lines);
  StateTimeErrors(p, probes);
  if (config.Flag("second_opinion", false)) AskSecondOpinion(p);
  return std::move(p.answer);
}

// A bar with nu = 0 pulled at its end: u = t x / E exactly on any mesh.
// L = 2, A = 1, E = 100, t = 3: energy t^2 L A / 2E = 0.09.
std::vector<GoldenCase> Golden() {
  const char* mesh =
      "MFEM mesh v1.0\ndimension\n3\nelements\n2\n1 5 0 1 2 3 4 5 6 7\n1 5 4 5 6 7 8 9 10 11\n"
      "boundary\n2\n1 3 3 2 1 0\n2 3 8 9 10 11\nvertices\n12\n3\n"
      "0 0 0 0 1 0 0 1 1 0 0 1\n1 0 0 1 1 0 1 1 1 1 0 1\n2 0 0 2 1 0 2 1 1 2 0 1\n";
  const Json config = {{"materials", {{{"attribute", 1}, {"E", 100.0}, {"nu", 0.0}}}},
                       {"bcs",
                        {{{"attribute", 1}, {"type", "fixed"}},
                         {{"attribute", 2}, {"type", "load"}, {"value", {3.0, 0.0, 0.0}}}}}};
  return {{"bar_nu0_energy", mesh, config, "/energy", 0.09, 1e-7}};
}

const Registration registration("LinearElasticity", SolveLinearElasticity, Golden);

}  // namespace
}  // namespace atelier
