// Heat conduction: rho c dT/dt = div(k grad T) + q, in time by SDIRK2 (Alexander,
// SIAM J. Numer. Anal. 14, 1977): second order and L-stable, so that a sudden
// boundary temperature does not ring.
#include <cmath>
#include <fstream>
#include <set>

#include "axisymmetric.hpp"
#include "bodies.hpp"
#include "gradient.hpp"
#include "heat_newton.hpp"
#include "krylov.hpp"

namespace atelier {

Range RangeOf(const Values& v) {
  const auto [a, b] = std::minmax_element(v.begin(), v.end());
  return {*a, *b};
}

namespace {

const double kGamma = 1 - 1 / std::sqrt(2.0);
constexpr int kMostSteps = 1000000;
constexpr int kMostFiles = 60;
constexpr double kMeltingGrowth = 2;     // of the specific heat that is as if a phase changed
constexpr double kMeltingSafety = 1.25;  // of what fewer steps change where a phase changes

void ReadSettings(Heat& p) {
  const Config& c = p.config;
  p.steady = c.Flag("steady", false);
  p.materials = ReadHeatMaterials(p.domain, c, p.steady, p.answer.warnings);
  p.interval = c.Integer("output_interval_steps", 10, 1, kMostSteps);
  p.options = ReadSolveOptions(c);
  if (p.steady) return;
  p.initial = c.Number("initial_temperature");
  p.dt = c.Positive("dt");
  p.t_final = c.Positive("t_final");
  const double steps = std::ceil(p.t_final / p.dt - 1e-9);
  if (steps > kMostSteps) throw c.Refuse("dt", "asks for more than a million steps; raise dt");
  p.steps = std::max(1, static_cast<int>(steps));
  p.dt = p.t_final / p.steps;
}

double Sum(const Values& v) {
  double s = 0;
  for (double x : v) s += x;
  return s;
}

void RefuseBelowZero(const Config& c, const std::string& name) {
  if (c.Has(name) && c.Number(name) < 0)
    throw c
        .Refuse(name, "is " + Text(c.Number(name)) +
                          " K, below absolute zero, and a face radiates: what it gives off goes "
                          "with the fourth power of the temperature")
        .Hint("Give temperatures in K: 20 degrees Celsius are 293.15 K.");
}

void CheckRadiation(const Heat& p) {
  for (const Region& r : p.regions) {
    if (r.type == "radiation" && r.config.Positive("emissivity") > 1)
      throw r.config.Refuse("emissivity", "is " + Text(r.config.Number("emissivity")) +
                                              "; it is at most 1, that of a black body");
    if (r.type != "heat_flux") RefuseBelowZero(r.config, IsExchange(r) ? "ambient" : "value");
  }
  if (!p.steady) RefuseBelowZero(p.config, "initial_temperature");
}

void Hold(Heat& p, const Region& r) {
  const double value = r.config.Number("value");
  for (int f : r.faces) {
    for (int node : p.space.BoundaryDofs(f)) {
      p.nodes[r.index].insert(node);
      p.fixed.Set(node, 0);
      p.held[node] = value;
    }
  }
}

void ReadConditions(Heat& p) {
  p.regions =
      ReadRegions(p.domain, p.config, {"fixed_temp", "heat_flux", "convection", "radiation"});
  LeaveAxis(p.space, p.regions, p.answer.warnings);
  RefuseOverlaps(
      p.regions,
      {{"fixed_temp", "heat_flux"}, {"fixed_temp", "convection"}, {"fixed_temp", "radiation"}});
  p.nodes.resize(p.regions.size());
  bool radiates = false;
  for (const Region& r : p.regions) {
    if (r.type == "fixed_temp") Hold(p, r);
    if (IsExchange(r)) p.exchanges.emplace(r.index, MakeExchange(p.space, r));
    radiates = radiates || r.type == "radiation";
    if (r.type != "heat_flux") continue;
    AddFlux(p.space, r, r.config.Number("value"), p.load);
    p.given += r.area * r.config.Number("value");
  }
  if (radiates) CheckRadiation(p);
  p.nonlinear = radiates || !p.materials.Constant(&HeatMaterial::conductivity) ||
                !p.materials.ConstantCapacity();
}

void SetUp(Heat& p) {
  ReadSettings(p);
  Values source(p.space.Elements()), conductivity(p.space.Elements()), capacity = conductivity;
  for (int e = 0; e < p.space.Elements(); e++) {
    const HeatMaterial& m = p.materials.Of(e);
    source[e] = m.source;
    conductivity[e] = m.conductivity.At(0);
    capacity[e] = m.Capacity(0);
  }
  p.load.assign(p.space.Nodes(), 0.0);
  AddBodyLoad(p.space, 1, source, p.load);
  p.supply = Sum(p.load);
  ReadConditions(p);
  const auto graph = MakeGraph(p.space);
  if (p.materials.Constant(&HeatMaterial::conductivity)) {
    p.conduction = BlockCsr(graph, 1);
    AddDiffusionMass(p.space, conductivity, {}, p.conduction);
  }
  if (p.steady || !p.materials.ConstantCapacity()) return;
  p.mass = BlockCsr(graph, 1);
  AddDiffusionMass(p.space, {}, capacity, p.mass);
}

// Adds the heat flows of a state, times weight: what the held nodes let in, by the balance there,
// and what is given and exchanged.
void Account(const Heat& p, const Values& t, const Values& storing, double weight, HeatIn& in) {
  const Values lost = FlowsAt(p, t).lost;
  double fixed = 0, passing = std::max(0.0, p.supply), film = 0, radiation = 0;
  for (int i = 0; i < p.space.Nodes(); i++) {
    if (!p.fixed.fixed[i]) continue;
    fixed += storing[i] + lost[i];
    passing += std::max(storing[i] + lost[i], 0.0);
  }
  for (const Region& r : p.regions) {
    if (r.type == "heat_flux") passing += std::max(0.0, r.area * r.config.Number("value"));
  }
  for (const auto& [region, x] : p.exchanges) {
    for (int i = 0; i < p.space.Nodes(); i++) {
      const double into = x.Into(i, t[i]);
      (x.radiates ? radiation : film) += into;
      passing += std::max(0.0, into);
    }
  }
  in.fixed += weight * fixed;
  in.passing += weight * passing;
  in.boundary_flux += weight * p.given;
  in.source += weight * p.supply;
  in.convection += weight * film;
  in.radiation += weight * radiation;
}

// One stage of the scheme: from what the nodes held at its start, to the temperatures at its end.
class Stage {
 public:
  Stage(Heat& p, double duration) : duration_(duration), p_(p), equations_(p, duration) {}

  // before: the heat of the nodes, and after it what they hold then. t: a first guess, and the
  // solution. Returns by how much the nodes store, W.
  Values Solve(Values& before, Values& t, Values& change) {
    equations_.Solve(before, t, change);
    Values after = ContentAt(p_, t), storing(t.size());
    for (size_t i = 0; i < t.size(); i++) storing[i] = (after[i] - before[i]) / duration_;
    before = std::move(after);
    return storing;
  }

 private:
  double duration_;
  Heat& p_;
  HeatEquations equations_;
};

// Calls after(step, time, T) after every step; returns the heat that went in. The equations are
// those of the heat that is stored, so that none is lost where the specific heat changes.
template <class After>
HeatIn Advance(Heat& p, int steps, Values& t, After after) {
  const double dt = p.t_final / steps, early = (1 - kGamma) * dt, late = kGamma * dt;
  Stage stage(p, late);
  HeatIn in;
  Values change1(t.size(), 0.0), change2 = change1;
  for (int step = 1; step <= steps; step++) {
    const Values start = t, content = ContentAt(p, t);
    Values held = content;
    const Values storing1 = stage.Solve(held, t, change1);
    Account(p, t, storing1, early, in);
    held = content;
    Axpy(early, storing1, held);
    // As at the end of the stage before it, whose rate went on.
    for (size_t i = 0; i < t.size(); i++) t[i] = start[i] + (t[i] - start[i]) * early / late;
    const Values storing2 = stage.Solve(held, t, change2);
    Account(p, t, storing2, late, in);
    for (double value : t) {
      if (!std::isfinite(value))
        throw Error(codes::kSolverFailed,
                    "the temperature is not finite after step " + std::to_string(step));
    }
    after(step, step * dt, t);
  }
  return in;
}

class History {
 public:
  History(Heat& p, const Probes& probes) : p_(p), probes_(probes), out_("history.csv") {
    out_ << "time_s,min_K,max_K,mean_K";
    for (int i = 0; i < probes.Count(); i++) out_ << ",probe_" << i << "_K";
    out_ << "\n";
    volume_ = Integral(p.space, Values(p.space.Nodes(), 1.0));
  }
  double Mean(const Values& t) const { return Integral(p_.space, t) / volume_; }
  void Add(double time, const Values& t) {
    const Range r = RangeOf(t);
    out_ << Text(time, 10) << "," << Text(r.low, 10) << "," << Text(r.high, 10) << ","
         << Text(Mean(t), 10);
    for (int i = 0; i < probes_.Count(); i++)
      out_ << "," << Text(probes_.At(i, p_.space, 1, t)[0], 10);
    out_ << "\n";
  }

 private:
  Heat& p_;
  const Probes& probes_;
  std::ofstream out_;
  double volume_;
};

// From above the solution, Newton's method falls to it without overshoot where faces radiate: all
// heat that comes in is radiated off at the temperature that this gives. Elsewhere the given
// temperatures lie about it.
double FirstGuess(const Heat& p) {
  double high = 0, sum = 0, weight = 0, ambient = 0;
  int count = 0;
  for (const Region& r : p.regions) {
    if (r.type == "heat_flux") continue;
    const double value = r.config.Number(IsExchange(r) ? "ambient" : "value");
    high = std::max(high, value);
    sum += value, count++;
    if (r.type != "radiation") continue;
    ambient = std::max(ambient, value);
    weight += Sum(p.exchanges.at(r.index).weight);
  }
  if (weight == 0) return sum / count;
  const double heat = std::max(0.0, p.supply + p.given);
  return std::max(high, std::pow(std::pow(ambient, 4) + heat / weight, 0.25));
}

void RequireAnchor(const Heat& p) {
  std::vector<char> anchored = p.fixed.fixed;
  for (const Region& r : p.regions) {
    if (!IsExchange(r)) continue;
    for (int f : r.faces) {
      for (int node : p.space.BoundaryDofs(f)) anchored[node] = 1;
    }
  }
  RequireAnchored(p.space, anchored, p.config,
                  "a steady state needs a fixed temperature, convection or radiation somewhere");
}

Values SolveSteady(Heat& p, const Probes& probes) {
  RequireAnchor(p);
  Values t = p.held, change(t.size(), 0.0);
  if (p.nonlinear) {
    const double guess = FirstGuess(p);
    for (size_t i = 0; i < t.size(); i++) {
      if (!p.fixed.fixed[i]) t[i] = guess;
    }
  }
  HeatEquations equations(p, 1);
  equations.Solve({}, t, change);
  const Values still(t.size(), 0.0);
  HeatIn in;
  Account(p, t, still, 1, in);
  Watch(p, t);
  VtuWriter writer(p.space, p.folder);
  const FluxField flux = FluxAt(p, t);
  WriteHeatState(p, writer, 0, t, flux);
  ReportHeat(p, probes, writer, {t, still, 0, flux, in, std::nullopt, [&](const Values& r) {
                                   return equations.Dual(t, r);
                                 }});
  return t;
}

// Whether a material takes up far more heat at some temperatures than at others.
bool Melts(const Heat& p) {
  return std::any_of(p.materials.list.begin(), p.materials.list.end(), [](const HeatMaterial& m) {
    const Values& c = m.specific_heat.Points();
    const auto [least, most] = std::minmax_element(c.begin(), c.end());
    return m.melting.latent > 0 || *most > kMeltingGrowth * *least;
  });
}

// How many steps the runs make that the last state is held against. A phase change ends somewhere
// within a step, which leaves an error that may be the same by chance for two numbers of steps: on
// 98 drawn slabs that froze through, a fifth of the figures was off by more than the change on half
// the steps, none by more than these.
std::vector<int> FewerSteps(const Heat& p) {
  const int n = p.steps;
  if (!Melts(p)) return {n / 2};
  std::set<int> fewer = {3 * n / 4, static_cast<int>(std::lround(2.0 * n / 3)), n / 2, n / 3};
  fewer.erase(n);
  return {fewer.begin(), fewer.end()};
}

// The error of the last state by what fewer steps change, of first order as sudden boundary
// temperatures and phase changes leave it; of smooth heat a third of that (Richardson, second
// order).
std::optional<TimeError> EstimateTimeError(Heat& p, const Values& start, const Values& end) {
  if (p.steps < kFewTimeSteps || p.domain.refined) return std::nullopt;
  const int iterations = p.solved.iterations;
  const NewtonReport newton = p.newton;
  const double safety = Melts(p) ? kMeltingSafety : 1;
  TimeError error;
  error.change.assign(end.size(), 0.0);
  for (const int steps : FewerSteps(p)) {
    Values coarse = start;
    Advance(p, steps, coarse, [](int, double, const Values&) {});
    const double left = safety * steps / (p.steps - steps);
    error.stored =
        std::max(error.stored, left * std::abs(Sum(ContentAt(p, end)) - Sum(ContentAt(p, coarse))));
    for (size_t i = 0; i < end.size(); i++) {
      const double change = left * (end[i] - coarse[i]);
      if (std::abs(change) > std::abs(error.change[i])) error.change[i] = change;
      error.largest = std::max(error.largest, std::abs(change));
    }
  }
  p.solved.iterations = iterations;
  p.newton = newton;
  const Range a = RangeOf(start), b = RangeOf(end);
  const double range = std::max(a.high, b.high) - std::min(a.low, b.low);
  error.relative = range > 0 ? error.largest / 3 / range : 0;
  return error;
}

Values SolveTransient(Heat& p, const Probes& probes) {
  Values t(p.space.Nodes(), p.initial);
  const double before = Sum(ContentAt(p, t));
  for (size_t i = 0; i < t.size(); i++) {
    if (p.fixed.fixed[i]) t[i] = p.held[i];
  }
  const double jump = Sum(ContentAt(p, t)) - before;  // of the sudden boundary temperatures
  const Values start = t;
  Watch(p, t);
  Values last = t;
  History history(p, probes);
  VtuWriter writer(p.space, p.folder);
  const int every = std::max(p.interval, (p.steps + kMostFiles - 1) / kMostFiles);
  auto write = [&](double time, const Values& now) {
    if (!p.domain.refined) WriteHeatState(p, writer, time, now, FluxAt(p, now));
  };
  history.Add(0, t);
  write(0, t);
  HeatIn in = Advance(p, p.steps, t, [&](int step, double time, const Values& now) {
    history.Add(time, now);
    Watch(p, now);
    if (step % every == 0 || step == p.steps) {
      write(time, now);
      EmitProgress(0.1 + 0.6 * step / p.steps,
                   "step " + std::to_string(step) + " of " + std::to_string(p.steps));
    }
    if (step == p.steps - 1) last = now;
  });
  in.fixed += jump;
  const double stored = Sum(ContentAt(p, t)) - before;
  EmitProgress(0.75, "estimating the error of the time step");
  const std::optional<TimeError> time_error = EstimateTimeError(p, start, t);
  if (time_error) p.time_change = time_error->change;
  Values storing = ContentAt(p, t);
  Axpy(-1, ContentAt(p, last), storing);
  for (double& w : storing) w /= p.dt;
  ReportHeat(p, probes, writer, {t, storing, stored, FluxAt(p, t), in, time_error, nullptr});
  p.answer.artifacts.push_back({{"name", "history.csv"}, {"mime_type", "text/csv"}});
  return t;
}

Answer SolveHeatTransfer(Domain& domain, const Config& config) {
  domain.axisymmetric = ReadAxisymmetric(domain, config, {"axisymmetric"});
  Heat p(domain, config, config.Integer("order", 2, 1, 2), "solution");
  SolveHeat(p);
  return std::move(p.answer);
}

// An insulated strip of volume 1 heated by 50 W/m^2 on an end of area 1 for 1 s
// with rho c = 2: the stored heat is 50 J whatever the mesh and step.
std::vector<GoldenCase> Golden() {
  const char* mesh =
      "MFEM mesh v1.0\ndimension\n2\nelements\n4\n1 2 0 1 4\n1 2 0 4 3\n1 2 1 2 5\n1 2 1 5 4\n"
      "boundary\n6\n1 1 3 0\n2 1 2 5\n3 1 0 1\n3 1 1 2\n3 1 5 4\n3 1 4 3\nvertices\n6\n2\n"
      "0 0\n0.5 0\n1 0\n0 1\n0.5 1\n1 1\n";
  const Json config = {{"conductivity", 1.0},
                       {"specific_heat", 2.0},
                       {"density", 1.0},
                       {"initial_temperature", 300.0},
                       {"dt", 0.1},
                       {"t_final", 1.0},
                       {"bcs", {{{"attribute", 1}, {"type", "heat_flux"}, {"value", 50.0}}}}};
  return {{"insulated_heat", mesh, config, "/energy", 50.0, 1e-7}};
}

const Registration registration("HeatTransfer", SolveHeatTransfer, Golden);

}  // namespace

Values SolveHeat(Heat& p) {
  SetUp(p);
  const Probes probes(p.domain, p.config);
  return p.steady ? SolveSteady(p, probes) : SolveTransient(p, probes);
}

}  // namespace atelier
