// Incompressible flow: rho (du/dt + u.grad u) = -grad p + mu laplace u + f,
// div u = 0, on Taylor-Hood elements. In time BDF2 (the first step backward
// Euler) with the convecting velocity extrapolated, and iterated where that is
// not good enough: stable for any step.
#include <chrono>
#include <cmath>
#include <fstream>

#include "flow.hpp"
#include "flow_measures.hpp"

namespace atelier {
namespace {

constexpr int kMostSteps = 200000;
constexpr int kMostFiles = 40;
constexpr int kMostPicard = 6;
// Of what the step changes. The extrapolated convecting velocity alone is unstable
// where dt |grad u| is large, so that the flow would wander within kPicardTolerance
// and never be steady.
constexpr double kPicardShare = 0.1;
constexpr double kLevel = 1e-9;       // of the weight's pressure: rounding of the outlets' places
constexpr double kLongMarch = 60;     // s; a longer one is not repeated
constexpr double kSteadyRate = 1e-4;  // change of velocity per crossing time that counts as steady

void ReadSettings(Flow& f) {
  const Config& c = f.config;
  if (f.dim < 2) throw Error(codes::kInvalidInput, "flow needs a 2-D or 3-D mesh").At("/mesh");
  f.viscosity = c.Positive("viscosity");
  f.density = c.Positive("density");
  f.dt = c.Positive("dt");
  f.t_final = c.Positive("t_final");
  f.interval = c.Integer("output_interval_steps", 1, 1, kMostSteps);
  f.stop_when_steady = c.Flag("steady", false);
  const Config opts = c.Object("analysis_opts");
  f.max_iterations = opts.Integer("max_iter", f.max_iterations, 1, 100000);
  f.tolerance = opts.Positive("rel_tol", f.tolerance);
  const double steps = std::ceil(f.t_final / f.dt - 1e-9);
  if (steps > kMostSteps) throw c.Refuse("dt", "asks for more than 200000 steps; raise dt");
  f.steps = std::max(1, static_cast<int>(steps));
  f.dt = f.t_final / f.steps;
  f.force.assign(f.dim, 0.0);
  if (c.Has("body_force")) f.force = c.Vector("body_force", f.dim);
  if (c.Has("g")) {
    const std::vector<double> g = c.Vector("g", f.dim);
    for (int k = 0; k < f.dim; k++) f.force[k] += f.density * g[k];
  }
}

// Faces that no condition names are walls: an opening nobody asked for would be worse.
void AddUnnamedWalls(Flow& f, const Json& empty) {
  std::vector<char> named(f.domain.mesh->GetNBE(), 0);
  for (const Region& r : f.regions) {
    for (int face : r.faces) named[face] = 1;
  }
  Region rest{Config(empty, "/config"),           "wall", "faces without a condition",
              static_cast<int>(f.regions.size()), {},     0,
              std::vector<double>(f.dim, 0.0)};
  const BoundaryGeometry g = MeasureBoundary(*f.domain.mesh);
  for (int face = 0; face < f.domain.mesh->GetNBE(); face++) {
    if (named[face]) continue;
    rest.faces.push_back(face);
    rest.area += g.area[face];
  }
  if (rest.faces.empty()) return;
  f.answer.warnings.push_back(
      {"unnamed_walls", std::to_string(rest.faces.size()) +
                            " boundary faces have no condition and were taken as walls at rest."});
  f.regions.push_back(rest);
}

void SetNodes(Flow& f, const Region& r, const std::vector<double>& velocity,
              const Values* profile) {
  for (int face : r.faces) {
    for (int node : f.spaces->velocity.BoundaryDofs(face)) {
      f.nodes->Set(node, 0);
      for (int c = 0; c < f.dim; c++)
        f.boundary[static_cast<size_t>(node) * f.dim + c] =
            velocity[c] * (profile ? (*profile)[node] : 1);
    }
  }
}

// Where regions meet, a wall at rest overrides a moving wall (no leak in a
// cavity's corner) and an inlet overrides both (its flow rate is exact).
void ApplyBoundary(Flow& f) {
  const NodalSpace& space = f.spaces->velocity;
  f.nodes = std::make_unique<Constraints>(space.Nodes());
  f.boundary.assign(static_cast<size_t>(space.Nodes()) * f.dim, 0.0);
  std::vector<int> rim;
  for (const bool moving : {true, false}) {
    for (const Region& r : f.regions) {
      if (r.type != "wall") continue;
      const std::vector<double> velocity = WallVelocity(r, f.dim);
      if (moving != std::any_of(velocity.begin(), velocity.end(), [](double v) { return v != 0; }))
        continue;
      SetNodes(f, r, velocity, nullptr);
      for (int face : r.faces) {
        for (int node : space.BoundaryDofs(face)) rim.push_back(node);
      }
    }
  }
  for (const Region& r : f.regions) {
    if (r.type != "inlet") continue;
    const std::vector<double> velocity = r.config.Vector("velocity", f.dim);
    if (HasUniformProfile(r)) {
      SetNodes(f, r, velocity, nullptr);
    } else {
      const Values profile = DevelopedProfile(space, r, rim);
      SetNodes(f, r, velocity, &profile);
    }
  }
}

double AlongForce(const Flow& f, const double* x) {
  double s = 0;
  for (int c = 0; c < f.dim; c++) s += f.force[c] * (x[c] - f.domain.low[c]);
  return s;
}

// Mean over the mesh or, where there are any, over the outlets of what an outlet's
// pressure is above force . x.
double PressureLevel(const Flow& f, const Values& along) {
  double sum = 0, size = 0;
  for (const Region& r : f.regions) {
    if (r.type != "outlet") continue;
    sum += r.area * (r.config.Number("pressure", 0) - MeanPressure(f.spaces->velocity, r, along));
    size += r.area;
  }
  if (size > 0) return sum / size;
  mfem::Vector middle(f.dim);
  for (int e = 0; e < f.domain.mesh->GetNE(); e++) {
    const double volume = f.domain.mesh->GetElementVolume(e);
    f.domain.mesh->GetElementCenter(e, middle);
    sum -= volume * AlongForce(f, middle.GetData());
    size += volume;
  }
  return sum / size;
}

// A uniform force is the gradient of a pressure, force . x + level, which is taken out of
// the equations: what drives the flow is how far the outlets' pressures are from it. The
// fluid at rest under its weight is then at rest to the last digit, where elements and
// solver would leave it a speed (well-balanced; Linke, CMAME 268, 2014).
void ApplyLoads(Flow& f) {
  const NodalSpace &velocity = f.spaces->velocity, &pressure = f.spaces->pressure;
  f.load.assign(f.boundary.size(), 0.0);
  Values along(velocity.Nodes());
  for (int i = 0; i < velocity.Nodes(); i++)
    along[i] = AlongForce(f, &velocity.Coordinates()[static_cast<size_t>(i) * f.dim]);
  const double level = PressureLevel(f, along);
  f.hydrostatic.resize(pressure.Nodes());
  for (int i = 0; i < pressure.Nodes(); i++)
    f.hydrostatic[i] =
        AlongForce(f, &pressure.Coordinates()[static_cast<size_t>(i) * f.dim]) + level;
  const double rounding =
      kLevel * mfem::Vector(f.force.data(), f.dim).Norml2() * f.domain.Diagonal();
  for (const Region& r : f.regions) {
    if (r.type != "outlet") continue;
    Values beyond(along);
    for (double& v : beyond) {
      v = r.config.Number("pressure", 0) - v - level;
    }
    bool any = false;
    for (int face : r.faces) {
      for (int node : velocity.BoundaryDofs(face)) any |= std::abs(beyond[node]) > rounding;
    }
    if (any) AddPressure(velocity, r, beyond, f.load);
  }
}

void RequireOpenOrBalanced(Flow& f) {
  double in = 0, size = 0;
  for (const Region& r : f.regions) {
    if (r.type == "outlet") return;
    const double q = FlowRate(f.spaces->velocity, r, f.boundary);
    in += q;
    size += std::abs(q);
  }
  if (std::abs(in) > 1e-8 * size) {
    throw Error(codes::kConflictingConditions,
                "fluid flows in (" + Text(-in) + " per second) and nothing lets it out")
        .At("/config/bcs")
        .Hint("Add a condition of type outlet, or make the inlets' flow rates sum to zero.");
  }
}

void SetUp(Flow& f) {
  static const Json kEmpty = Json::object();
  ReadSettings(f);
  f.regions = ReadRegions(f.domain, f.config, {"inlet", "wall", "outlet"});
  RefuseOverlaps(f.regions, {{"inlet", "outlet"}, {"inlet", "wall"}, {"wall", "outlet"}});
  AddUnnamedWalls(f, kEmpty);
  f.spaces = std::make_unique<FlowSpaces>(*f.domain.mesh);
  ApplyBoundary(f);
  ApplyLoads(f);
  RequireOpenOrBalanced(f);
  f.u = f.boundary;
  f.before = f.u;
  f.p.assign(f.spaces->pressure.Nodes(), 0.0);
}

double Change(const Values& a, const Values& b) {
  double s = 0, n = 0;
  for (size_t i = 0; i < a.size(); i++) {
    s += (a[i] - b[i]) * (a[i] - b[i]);
    n += a[i] * a[i];
  }
  return n > 0 ? std::sqrt(s / n) : 0;
}

// One time step: solves for the new velocity and pressure.
void Step(Flow& f, OseenSolver& solver, bool first) {
  const double alpha = first ? 1 : 1.5, mass_factor = f.density * alpha / f.dt;
  const size_t n = f.u.size();
  Values w(n), known(n), rhs(f.load), next;
  for (size_t i = 0; i < n; i++) {
    w[i] = first ? f.u[i] : 2 * f.u[i] - f.before[i];
    known[i] = f.density / f.dt * (first ? f.u[i] : 2 * f.u[i] - 0.5 * f.before[i]);
  }
  const NodeGraph& g = *solver.Mass().graph;
#pragma omp parallel for
  for (int i = 0; i < g.Nodes(); i++) {
    for (size_t k = g.ptr[i]; k < g.ptr[i + 1]; k++) {
      for (int c = 0; c < f.dim; c++)
        rhs[static_cast<size_t>(i) * f.dim + c] +=
            solver.Mass().val[k] * known[static_cast<size_t>(g.col[k]) * f.dim + c];
    }
  }
  next = w;
  for (size_t i = 0; i < n; i++) {
    if (f.nodes->fixed[i / f.dim]) next[i] = f.boundary[i];
  }
  double change = 0;
  for (int picard = 0; picard < kMostPicard; picard++) {
    solver.Prepare(mass_factor, w);
    const KrylovResult r = solver.Solve(rhs, next, f.p, f.tolerance, f.max_iterations);
    f.iterations += r.iterations;
    f.residual = std::max(f.residual, solver.Residual());
    if (!r.converged) {
      throw Error(codes::kNotConverged, "step " + std::to_string(f.done + 1) +
                                            " of the flow stopped at a relative residual of " +
                                            Text(solver.Residual()) + " after " +
                                            std::to_string(r.iterations) + " iterations")
          .At("/config/dt")
          .Hint(
              "Use a smaller dt or a finer mesh; at very high Reynolds numbers this solver has no "
              "turbulence model.");
    }
    change = Change(next, w);
    if (change < kPicardTolerance &&
        change <= std::max(kPicardShare * Change(next, f.u), 10 * f.tolerance)) {
      break;
    }
    w = next;
  }
  f.nonlinear = change;
  f.before = f.u;
  f.u = next;
  f.rate = Change(f.u, f.before) / f.dt;
  if (!std::isfinite(f.rate))
    throw Error(codes::kSolverFailed,
                "the flow is not finite after step " + std::to_string(f.done + 1));
}

Values WithHydrostatic(const Flow& f) {
  Values p(f.p);
  for (size_t i = 0; i < p.size(); i++) p[i] += f.hydrostatic[i];
  return p;
}

void WriteState(const Flow& f, VtuWriter& writer) {
  const Values pressure = PressureEverywhere(*f.spaces, WithHydrostatic(f));
  writer.Write(f.time, {{"velocity", "m/s", f.dim, &f.u}, {"pressure", "Pa", 1, &pressure}}, {});
}

// By the change of the last velocity on steps twice as long (Richardson, order 2).
void EstimateTimeError(Flow& f, OseenSolver& solver) {
  if (f.steady || f.steps < kFewSteps) return;
  const Values u = f.u, before = f.before, p = f.p;
  const double dt = f.dt, rate = f.rate, nonlinear = f.nonlinear;
  const int iterations = f.iterations, done = f.done, steps = f.steps / 2;
  f.dt = f.t_final / steps;
  f.u = f.before = f.boundary;
  f.p.assign(p.size(), 0.0);
  for (f.done = 0; f.done < steps; f.done++) Step(f, solver, f.done == 0);
  f.time_error = Change(u, f.u) / 3;
  f.u = u;
  f.before = before;
  f.p = p;
  f.dt = dt;
  f.rate = rate;
  f.nonlinear = nonlinear;
  f.iterations = iterations;
  f.done = done;
}

void March(Flow& f, VtuWriter& writer) {
  std::vector<Region> outlets;  // each by itself: what flows back is judged by its own flow
  for (const Region& r : f.regions) {
    if (r.type != "outlet") continue;
    for (Region& part : ConnectedParts(f.spaces->velocity, r)) outlets.push_back(std::move(part));
  }
  const auto start = std::chrono::steady_clock::now();
  OseenSolver solver(*f.spaces, *f.nodes, outlets, f.density, f.viscosity);
  std::ofstream history("history.csv");
  history << "time_s,max_speed_m_s,change_per_s\n";
  const int every = std::max(f.interval, (f.steps + kMostFiles - 1) / kMostFiles);
  double written = -1;
  for (f.done = 0; f.done < f.steps; f.done++) {
    Step(f, solver, f.done == 0);
    f.time = (f.done + 1) * f.dt;
    const double speed = LargestSpeed(f, nullptr);
    history << Text(f.time, 10) << "," << Text(speed, 10) << "," << Text(f.rate, 6) << "\n";
    EmitProgress(0.05 + 0.9 * (f.done + 1) / f.steps,
                 "step " + std::to_string(f.done + 1) + " of " + std::to_string(f.steps));
    const double crossing = speed > 0 ? f.domain.Diagonal() / speed : f.t_final;
    f.steady = f.done > 1 && f.rate * std::max(crossing, f.dt) < kSteadyRate;
    if ((f.done + 1) % every == 0) {
      WriteState(f, writer);
      written = f.time;
    }
    if (f.steady && f.stop_when_steady) {
      f.done++;
      break;
    }
  }
  if (written != f.time) WriteState(f, writer);
  const auto end = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(end - start).count() < kLongMarch) EstimateTimeError(f, solver);
}

Answer SolveNavierStokes(Domain& domain, const Config& config) {
  Flow f(domain, config);
  SetUp(f);
  const Probes probes(domain, config);
  VtuWriter writer(f.spaces->velocity, "solution");
  March(f, writer);
  f.p = WithHydrostatic(f);
  ReportFlow(f, probes, writer);
  return std::move(f.answer);
}

// Flow between plates, driven by a force: u = f y (H - y) / 2 mu, of order 2 and
// so exact; H = 1, f = 8, mu = 1: largest speed 1. The slowest mode decays as
// exp(-pi^2 t), so that t = 4 is steady.
std::vector<GoldenCase> Golden() {
  const char* mesh =
      "MFEM mesh v1.0\ndimension\n2\nelements\n4\n1 2 0 1 4\n1 2 0 4 3\n1 2 3 4 7\n1 2 3 7 6\n"
      "boundary\n6\n1 1 3 0\n1 1 6 3\n2 1 1 4\n2 1 4 7\n3 1 0 1\n3 1 7 6\nvertices\n8\n2\n"
      "0 0\n1 0\n9 9\n0 0.5\n1 0.5\n9 9\n0 1\n1 1\n";
  const Json config = {{"viscosity", 1.0},
                       {"density", 1.0},
                       {"dt", 0.2},
                       {"t_final", 4.0},
                       {"body_force", {8.0, 0.0}},
                       {"bcs",
                        {{{"attr", 1}, {"type", "outlet"}},
                         {{"attr", 2}, {"type", "outlet"}},
                         {{"attr", 3}, {"type", "wall"}}}}};
  return {{"plate_flow_speed", mesh, config, "/max_speed/value", 1.0, 1e-5}};
}

const Registration registration("NavierStokes", SolveNavierStokes, Golden);

}  // namespace
}  // namespace atelier
