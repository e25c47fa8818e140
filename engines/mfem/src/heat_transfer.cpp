// Heat conduction: rho c dT/dt = div(k grad T) + q, in time by SDIRK2 (Alexander,
// SIAM J. Numer. Anal. 14, 1977): second order and L-stable, so that a sudden
// boundary temperature does not ring.
#include <cmath>
#include <fstream>

#include "bodies.hpp"
#include "gradient.hpp"
#include "heat.hpp"

namespace atelier {

Range RangeOf(const Values& v) {
  const auto [a, b] = std::minmax_element(v.begin(), v.end());
  return {*a, *b};
}

namespace {

const double kGamma = 1 - 1 / std::sqrt(2.0);
constexpr int kMostSteps = 1000000;
constexpr int kMostFiles = 60;

void ReadSettings(Heat& p) {
  const Config& c = p.config;
  p.steady = c.Flag("steady", false);
  p.conductivity = c.Positive("conductivity");
  p.source = c.Number("source", 0);
  p.interval = c.Integer("output_interval_steps", 10, 1, kMostSteps);
  p.options = ReadSolveOptions(c);
  if (p.steady) return;
  p.capacity = c.Positive("specific_heat") * c.Positive("density", 1);
  if (!c.Has("density")) {
    p.answer.warnings.push_back(
        {"volumetric_heat_capacity",
         "No density was given: specific_heat was taken per volume, J/(m^3 K)."});
  }
  p.initial = c.Number("initial_temperature");
  p.dt = c.Positive("dt");
  p.t_final = c.Positive("t_final");
  const double steps = std::ceil(p.t_final / p.dt - 1e-9);
  if (steps > kMostSteps) throw c.Refuse("dt", "asks for more than a million steps; raise dt");
  p.steps = std::max(1, static_cast<int>(steps));
  p.dt = p.t_final / p.steps;
}

// a += factor diag(d).
void AddDiagonal(double factor, const Values& d, BlockCsr& a) {
  for (int i = 0; i < a.graph->Nodes(); i++) a.Row(i, 0)[a.graph->Find(i, i)] += factor * d[i];
}

void SetUp(Heat& p) {
  ReadSettings(p);
  p.regions = ReadRegions(p.domain, p.config, {"fixed_temp", "heat_flux", "convection"});
  RefuseOverlaps(p.regions, {{"fixed_temp", "heat_flux"}, {"fixed_temp", "convection"}});
  const auto graph = MakeGraph(p.space);
  p.mass = BlockCsr(graph, 1);
  p.stiffness = BlockCsr(graph, 1);
  if (!p.steady) AddDiffusionMass(p.space, {}, Values(p.space.Elements(), p.capacity), p.mass);
  AddDiffusionMass(p.space, Values(p.space.Elements(), p.conductivity), {}, p.stiffness);
  p.load.assign(p.space.Nodes(), 0.0);
  AddBodyLoad(p.space, 1, Values(p.space.Elements(), p.source), p.load);
  p.nodes.resize(p.regions.size());
  for (const Region& r : p.regions) {
    if (r.type == "heat_flux") {
      AddFlux(p.space, r, r.config.Number("value"), p.load);
    } else if (r.type == "convection") {
      const double h = r.config.Positive("h");
      const double ambient = r.config.Number("ambient");
      Values exchange = NodalAreas(p.space, r);
      AddDiagonal(h, exchange, p.stiffness);
      for (int i = 0; i < p.space.Nodes(); i++) {
        exchange[i] *= h;
        p.load[i] += exchange[i] * ambient;
      }
      p.films.emplace(r.index, std::pair(std::move(exchange), ambient));
    } else {
      const double value = r.config.Number("value");
      for (int f : r.faces) {
        for (int node : p.space.BoundaryDofs(f)) {
          p.nodes[r.index].insert(node);
          p.prescribed.Add(r, node, value);
          p.fixed.Set(node, 0);
          p.held[node] = value;
        }
      }
    }
  }
}

// The system of one stage, mass + gamma dt stiffness (or stiffness alone), made once for all steps.
class StageSystem {
 public:
  StageSystem(Heat& p, double mass_factor, double stiffness_factor) : p_(p) {
    problem_ = std::make_unique<SpdProblem>(
        p.space, p.fixed, [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
          BlockCsr a(std::move(g), 1);
          if (s.Order() == p.space.Order()) {
            for (size_t i = 0; i < a.val.size(); i++)
              a.val[i] = mass_factor * p.mass.val[i] + stiffness_factor * p.stiffness.val[i];
          } else {
            AddDiffusionMass(s, Values(s.Elements(), stiffness_factor * p.conductivity),
                             Values(s.Elements(), mass_factor * p.capacity), a);
            for (const Region& r : p.regions) {
              if (r.type == "convection")
                AddDiagonal(stiffness_factor * r.config.Number("h"), NodalAreas(s, r), a);
            }
          }
          return a;
        });
  }

  void Solve(const Values& b, Values& x) {
    const SolveReport r = problem_->Solve(b, x, p_.options);
    RequireConverged(r, p_.options, *p_.domain.mesh);
    p_.solved.Worst(r);
  }

 private:
  Heat& p_;
  std::unique_ptr<SpdProblem> problem_;
};

double Sum(const Values& v) {
  double s = 0;
  for (double x : v) s += x;
  return s;
}

// Heat flows of a state: residual at held nodes, exchange by convection.
void Account(const Heat& p, const Values& t, const Values& rate, const Values& conduction,
             double weight, HeatIn& in) {
  Values stored(p.space.Nodes(), 0.0);
  if (!p.steady) p.mass.Multiply(rate, stored);
  double fixed = 0, passing = 0;
  for (int i = 0; i < p.space.Nodes(); i++) {
    if (!p.fixed.fixed[i]) continue;
    const double heat = stored[i] + conduction[i] - p.load[i];
    fixed += heat;
    passing += std::max(heat, 0.0);
  }
  double given = 0;
  for (const Region& r : p.regions) {
    if (r.type == "heat_flux") given += r.area * r.config.Number("value");
  }
  const double source = p.source * [&] {
    double volume = 0;
    const ElementKernel kernel(p.space, 1);
    ForEachElement(p.space, kernel, [&](int, const LocalShapes& s) {
      for (double w : s.measure) volume += w;
    });
    return volume;
  }();
  for (const Region& r : p.regions) {
    if (r.type == "heat_flux") passing += std::max(0.0, r.area * r.config.Number("value"));
  }
  for (const auto& [region, film] : p.films) {
    const auto& [exchange, ambient] = film;
    for (size_t i = 0; i < t.size(); i++) passing += std::max(0.0, exchange[i] * (ambient - t[i]));
  }
  passing += std::max(0.0, source);
  in.fixed += weight * fixed;
  in.passing += weight * passing;
  in.boundary_flux += weight * given;
  in.source += weight * source;
  // What is left of the load is h * ambient; the rows of the stiffness sum to h * T.
  in.convection += weight * (Sum(p.load) - source - given - Sum(conduction));
}

// Calls after(step, time, T) after every step; returns the heat that went in.
template <class After>
HeatIn Advance(Heat& p, int steps, Values& t, After after) {
  const double dt = p.t_final / steps;
  StageSystem system(p, 1, kGamma * dt);
  HeatIn in;
  Values rate1(t.size(), 0.0), rate2(t.size(), 0.0), stage(t.size()), conduction, b(t.size());
  auto solve_stage = [&](const Values& at, Values& rate) {
    p.stiffness.Multiply(at, conduction);
    for (size_t i = 0; i < b.size(); i++) b[i] = p.load[i] - conduction[i];
    system.Solve(b, rate);
  };
  auto account = [&](const Values& at, const Values& rate, double weight) {
    for (size_t i = 0; i < stage.size(); i++) stage[i] = at[i] + kGamma * dt * rate[i];
    p.stiffness.Multiply(stage, conduction);
    Account(p, stage, rate, conduction, weight, in);
  };
  for (int step = 1; step <= steps; step++) {
    solve_stage(t, rate1);
    account(t, rate1, (1 - kGamma) * dt);
    Values middle(t.size());
    for (size_t i = 0; i < t.size(); i++) middle[i] = t[i] + (1 - kGamma) * dt * rate1[i];
    solve_stage(middle, rate2);
    account(middle, rate2, kGamma * dt);
    for (size_t i = 0; i < t.size(); i++) {
      t[i] = middle[i] + kGamma * dt * rate2[i];
      if (!std::isfinite(t[i]))
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

void SolveSteady(Heat& p, const Probes& probes) {
  std::vector<char> anchored = p.fixed.fixed;
  for (const Region& r : p.regions) {
    if (r.type != "convection") continue;
    for (int f : r.faces) {
      for (int node : p.space.BoundaryDofs(f)) anchored[node] = 1;
    }
  }
  RequireAnchored(p.space, anchored,
                  "a steady state needs a fixed temperature or convection somewhere");
  Values conduction, b(p.space.Nodes()), change(p.space.Nodes(), 0.0), t = p.held;
  p.stiffness.Multiply(t, conduction);
  for (size_t i = 0; i < b.size(); i++) b[i] = p.load[i] - conduction[i];
  StageSystem system(p, 0, 1);
  system.Solve(b, change);
  for (size_t i = 0; i < t.size(); i++) t[i] += change[i];
  const Values still(t.size(), 0.0);
  HeatIn in;
  p.stiffness.Multiply(t, conduction);
  Account(p, t, still, conduction, 1, in);
  VtuWriter writer(p.space, "solution");
  WriteHeatState(p, writer, 0, t);
  ReportHeat(p, probes, writer, {t, still, 0, in, std::nullopt, [&](const Values& r) {
                                   Values masked = r, z(r.size(), 0.0);
                                   for (size_t i = 0; i < r.size(); i++) {
                                     if (p.fixed.fixed[i]) masked[i] = 0;
                                   }
                                   const int iterations = p.solved.iterations;
                                   system.Solve(masked, z);
                                   p.solved.iterations = iterations;
                                   return z;
                                 }});
}

// Richardson: the scheme is of second order, so a third of the change against
// doubled steps is the error.
std::optional<TimeError> EstimateTimeError(Heat& p, const Values& start, const Values& end) {
  if (p.steps < kFewTimeSteps) return std::nullopt;
  Values coarse = start;
  const int iterations = p.solved.iterations;
  Advance(p, p.steps / 2, coarse, [](int, double, const Values&) {});
  p.solved.iterations = iterations;
  TimeError error;
  Values stored;
  for (size_t i = 0; i < end.size(); i++) {
    error.change.push_back(end[i] - coarse[i]);
    error.largest = std::max(error.largest, std::abs(error.change[i]));
  }
  p.mass.Multiply(error.change, stored);
  error.stored = std::abs(Sum(stored));
  const Range a = RangeOf(start), b = RangeOf(end);
  const double range = std::max(a.high, b.high) - std::min(a.low, b.low);
  error.relative = range > 0 ? error.largest / 3 / range : 0;
  return error;
}

void SolveTransient(Heat& p, const Probes& probes) {
  Values t(p.space.Nodes(), p.initial), content;
  p.mass.Multiply(t, content);
  const double before = Sum(content);
  for (size_t i = 0; i < t.size(); i++) {
    if (p.fixed.fixed[i]) t[i] = p.held[i];
  }
  p.mass.Multiply(t, content);
  const double jump = Sum(content) - before;  // heat of the sudden boundary temperatures
  const Values start = t;
  Values last = t;
  History history(p, probes);
  VtuWriter writer(p.space, "solution");
  const int every = std::max(p.interval, (p.steps + kMostFiles - 1) / kMostFiles);
  history.Add(0, t);
  WriteHeatState(p, writer, 0, t);
  HeatIn in = Advance(p, p.steps, t, [&](int step, double time, const Values& now) {
    history.Add(time, now);
    if (step % every == 0 || step == p.steps) {
      WriteHeatState(p, writer, time, now);
      EmitProgress(0.1 + 0.6 * step / p.steps,
                   "step " + std::to_string(step) + " of " + std::to_string(p.steps));
    }
    if (step == p.steps - 1) last = now;
  });
  in.fixed += jump;
  p.mass.Multiply(t, content);
  const double stored = Sum(content) - before;
  EmitProgress(0.75, "estimating the error of the time step");
  const std::optional<TimeError> time_error = EstimateTimeError(p, start, t);
  Values rate(t.size());
  for (size_t i = 0; i < t.size(); i++) rate[i] = (t[i] - last[i]) / p.dt;
  ReportHeat(p, probes, writer, {t, rate, stored, in, time_error, nullptr});
  p.answer.artifacts.push_back({{"name", "history.csv"}, {"mime_type", "text/csv"}});
}

Answer SolveHeatTransfer(Domain& domain, const Config& config) {
  Heat p(domain, config);
  SetUp(p);
  const Probes probes(domain, config);
  if (p.steady) {
    SolveSteady(p, probes);
  } else {
    SolveTransient(p, probes);
  }
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
}  // namespace atelier
