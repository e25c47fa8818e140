// Poisson's equation -div(k grad u) = f, k = 1 unless `coefficient` says otherwise.
#include <cmath>
#include <set>

#include "bodies.hpp"
#include "error_estimate.hpp"
#include "gradient.hpp"
#include "material.hpp"
#include "probes.hpp"
#include "solver_class.hpp"
#include "spd_solver.hpp"
#include "vtu_writer.hpp"

namespace atelier {
namespace {

// A scalar that older callers give as the first component of a vector.
double FirstComponent(const Config& c, const std::string& name) {
  const Json& v = c.Raw(name);
  if (!v.is_array()) return c.Number(name);
  if (v.empty() || !v[0].is_number()) throw c.Refuse(name, "must be a number or a list of numbers");
  return v[0].get<double>();
}

double ReadSource(const Config& config) {
  for (const char* name : {"rhs", "load", "body_force"}) {
    if (config.Has(name)) return FirstComponent(config, name);
  }
  return 0;
}

struct Poisson {
  Domain& domain;
  const Config& config;
  NodalSpace space;
  Constraints constraints;
  std::vector<Region> regions;
  std::vector<std::set<int>> nodes;  // of fixed regions
  Prescribed prescribed;
  Values load, u, reactions, flux_load, coefficient;
  Answer answer;

  Poisson(Domain& d, const Config& c)
      : domain(d),
        config(c),
        space(*d.mesh, c.Integer("order", 2, 1, 2)),
        constraints(space.Nodes()) {}
};

void SetUp(Poisson& p) {
  p.coefficient.assign(p.space.Elements(), p.config.Positive("coefficient", 1));
  p.regions = ReadRegions(p.domain, p.config, {"fixed", "load"});
  if (p.config.Has("fixed_attributes")) {  // one more condition, of value 0
    Region zero = AttributeRegion(p.domain, p.config, "fixed_attributes", "fixed",
                                  static_cast<int>(p.regions.size()));
    if (!zero.faces.empty()) p.regions.push_back(std::move(zero));
  }
  RefuseOverlaps(p.regions, {{"fixed", "load"}});
  p.load.assign(p.space.Nodes(), 0.0);
  p.nodes.resize(p.regions.size());
  const double source = ReadSource(p.config);
  AddBodyLoad(p.space, 1, Values(p.space.Elements(), source), p.load);
  for (const Region& r : p.regions) {
    const double value = r.config.Has("value") ? FirstComponent(r.config, "value") : 0;
    if (r.type == "load") {
      AddFlux(p.space, r, value, p.load);
      continue;
    }
    for (int f : r.faces) {
      for (int node : p.space.BoundaryDofs(f)) {
        p.nodes[r.index].insert(node);
        p.prescribed.Add(r, node, value);
        p.constraints.Set(node, value);
      }
    }
  }
  RequireAnchored(p.space, p.constraints.fixed, p.config,
                  "no boundary value is fixed: the solution is known only up to a constant");
}

struct Solved {
  const SpdProblem& problem;
  const SolveOptions& options;
  const SolveReport& report;
  const Probes& probes;
  double energy;
  const FieldExtreme &lowest, &highest;
  double Span() const { return highest.value - lowest.value; }
};

// The figures: the energy by Galerkin's orthogonality, values at points by a dual
// solution with elementwise energy norms of both errors.
void StateFigures(Poisson& p, const Solved& s, const FluxField& flux, const EnergyError& e) {
  Evidence& ev = p.answer.evidence;
  const double factor = EstimatorFactor(p.space.Order());
  Quantity energy = {"energy", "/energy", s.energy, "1",
                     "half the work of sources and boundary values"};
  energy.quoted = true;
  const bool values = std::any_of(p.constraints.value.begin(), p.constraints.value.end(),
                                  [](double v) { return v != 0; });
  const bool loads = std::any_of(p.load.begin(), p.load.end(), [](double v) { return v != 0; });
  if (e.known && !(values && loads)) {
    energy.error = kErrorBarSafety * 0.5 * e.absolute * e.absolute;
    if (p.domain.IsGoal(energy.figure))
      p.answer.by_element.goal =
          DualErrors(flux.element_error, flux.element_error, std::sqrt(0.5) * factor);
  }
  CheckError(ev, energy, s.energy);
  ev.Accuracy(AccuracyOfSpan(s.lowest.value, s.highest.value));
  auto bar = [&](const std::string& figure,
                 const std::vector<std::pair<int, double>>& nodes) -> std::optional<double> {
    if (!e.known || !p.domain.Estimates(figure)) return std::nullopt;
    Values functional(p.load.size(), 0.0), z;
    for (const auto& [node, weight] : nodes) functional[node] += weight;
    if (!s.problem.SolveHomogeneous(functional, z, OfErrorBars(s.options)).converged)
      return std::nullopt;
    const FluxField dual = RecoverFlux(p.space, z, p.coefficient);
    if (p.domain.IsGoal(figure))
      p.answer.by_element.goal = DualErrors(flux.element_error, dual.element_error, factor);
    return DualErrorBar(flux.element_error, dual.element_error, factor);
  };
  const char* method = "finite-element value; error bar by a dual solution";
  for (bool top : {false, true}) {
    const FieldExtreme& extreme = top ? s.highest : s.lowest;
    Quantity q = {top ? "solution, largest" : "solution, least",
                  top ? "/solution/max" : "/solution/min", extreme.value, "1", method};
    q.where = extreme.at;
    q.quoted = true;
    q.error = bar(q.figure, extreme.weights);
    CheckError(ev, q, s.Span());
  }
  for (int i = 0; i < s.probes.Count(); i++) {
    const std::string n = std::to_string(i);
    if (i >= kMostProbeFigures && !p.domain.IsGoal("/probes/" + n + "/value")) continue;
    Quantity q = {"solution at probe " + n, "/probes/" + n + "/value",
                  s.probes.At(i, p.space, 1, p.u)[0], "1", method};
    q.error = bar(q.figure, s.probes.Weights(i, p.space));
    CheckError(ev, q, s.Span());
  }
}

void Judge(Poisson& p, const Solved& s) {
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space.Order());
  ev.Note(Provenance("multigrid"));
  CheckSolution(s.report, s.options, ev);
  double in = 0, out = 0, size = 0;
  for (int i = 0; i < p.space.Nodes(); i++) {
    in += p.load[i];
    out += p.reactions[i];
    size += std::abs(p.load[i]) + std::abs(p.reactions[i]);
  }
  const double imbalance = std::abs(in + out) / std::max(size / 2, 1e-300);
  ev.Within({"flux_balance", "balance", "", imbalance, kBalanceTolerance, "1",
             "Sources and boundary fluxes cancel to " + Text(imbalance, 2) + " of their size.",
             kUnbalanced});
  CheckMesh(p.domain, p.regions, false, ev);
  if (!p.prescribed.Conflict().empty())
    ev.Holds("values_agree", "model", "/energy", false,
             p.prescribed.Conflict() +
                 ": the energy has no limit as the mesh is refined. Let one value go over into the "
                 "other.");
  p.answer.output["imbalance"] = imbalance;
  const FluxField flux = RecoverFlux(p.space, p.u, p.coefficient);
  const EnergyError error = RelateError(EstimatorFactor(p.space.Order()) * flux.error, flux.energy,
                                        p.domain.mesh->GetNE());
  StateEnergyError(p.answer, error,
                   {"gradient_error", "/error_estimate", "the gradient over the whole domain", ".",
                    ": the mesh is too coarse. Refine it.",
                    "No error was estimated: there is no source, or too few elements to compare."});
  StateFigures(p, s, flux, error);
  p.answer.by_element.error = flux.element_error;
  if (p.domain.refined) return;
  VtuWriter writer(p.space, "solution");
  writer.Write(0, {{"solution", "1", 1, &p.u}, {"flux", "1", p.space.Dimension(), &flux.flux}},
               {{"error_estimate", "1", &flux.element_error}});
  p.answer.artifacts.push_back(writer.Artifact());
  p.answer.output["fields"] = writer.Fields();
  p.answer.output["vtk_file"] = writer.Collection();
}

Answer SolvePoisson(Domain& domain, const Config& config) {
  Poisson p(domain, config);
  SetUp(p);
  const Probes probes(domain, config);
  const SolveOptions options = ReadSolveOptions(config);
  const SpdProblem problem(p.space, p.constraints,
                           [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
                             BlockCsr a(std::move(g), 1);
                             AddDiffusionMass(s, p.coefficient, {}, a);
                             return a;
                           });
  EmitProgress(0.4, "solving");
  const SolveReport report = problem.Solve(p.load, p.u, options);
  RequireConverged(report, options, *p.domain.mesh);
  p.reactions = problem.Reactions(p.u, p.load);
  double energy = 0;
  for (int i = 0; i < p.space.Nodes(); i++) energy += 0.5 * (p.load[i] + p.reactions[i]) * p.u[i];
  const FieldExtreme low = ExtremeOf(p.space, p.u, false), high = ExtremeOf(p.space, p.u, true);
  Json& out = p.answer.output;
  out["solution"] = {{"min", low.value},
                     {"max", high.value},
                     {"integral", Integral(p.space, p.u)},
                     {"max_at", high.at}};
  out["order"] = p.space.Order();
  out["unknowns"] = p.space.Nodes();
  out["iterations"] = report.iterations;
  out["residual"] = report.residual;
  out["solver"] = DescribeSolver(report);
  out["error_norm"] = report.residual;
  out["energy"] = energy;
  out["probes"] = probes.Report(p.space, 1, p.u, "value");
  out["loads"] = Json::array();
  std::vector<char> taken(p.space.Nodes(), 0);  // a corner's flux counts once
  for (const Region& r : p.regions) {
    Json item = DescribeRegion(r);
    double sum = 0;
    for (int node : p.nodes[r.index]) {
      if (!taken[node]) sum += p.reactions[node];
      taken[node] = 1;
    }
    if (r.type == "load")
      sum = r.area * (r.config.Has("value") ? FirstComponent(r.config, "value") : 0);
    item["flux"] = sum;
    out["loads"].push_back(item);
  }
  p.answer.summary = "The solution lies between " + Text(low.value) + " and " + Text(high.value) +
                     "; energy " + Text(energy) + ".";
  Judge(p, {problem, options, report, probes, energy, low, high});
  return std::move(p.answer);
}

// -u'' = 1 on a strip of unit length with ends held: quadratic, hence exact on
// order 2; energy = half of int u = 1/24.
std::vector<GoldenCase> Golden() {
  const char* mesh =
      "MFEM mesh v1.0\ndimension\n2\nelements\n4\n1 2 0 1 4\n1 2 0 4 3\n1 2 1 2 5\n1 2 1 5 4\n"
      "boundary\n6\n1 1 3 0\n2 1 2 5\n3 1 0 1\n3 1 1 2\n3 1 5 4\n3 1 4 3\nvertices\n6\n2\n"
      "0 0\n0.5 0\n1 0\n0 1\n0.5 1\n1 1\n";
  const Json config = {{"rhs", 1.0}, {"fixed_attributes", {1, 2}}};
  return {{"strip_energy", mesh, config, "/energy", 1.0 / 24, 1e-7}};
}

const Registration registration("Poisson", SolvePoisson, Golden);

}  // namespace
}  // namespace atelier
