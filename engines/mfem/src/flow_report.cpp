// What a flow problem answers, and what stands behind its figures.
#include <cmath>

#include "bodies.hpp"
#include "error_estimate.hpp"
#include "flow.hpp"
#include "flow_measures.hpp"

namespace atelier {

double LargestSpeed(const Flow& f, int* at) {
  double best = -1;
  for (int i = 0; i < f.spaces->velocity.Nodes(); i++) {
    double s = 0;
    for (int c = 0; c < f.dim; c++)
      s += f.u[static_cast<size_t>(i) * f.dim + c] * f.u[static_cast<size_t>(i) * f.dim + c];
    if (s > best) {
      best = s;
      if (at) *at = i;
    }
  }
  return std::sqrt(best);
}

namespace {

constexpr double kMostTimeError = 0.05;  // of the velocity, root mean square
constexpr double kMassTolerance = 1e-3;
constexpr double kNoFlow = 3e-3;  // of the flow that could be: less is none
constexpr double kRest = 1e-5;    // of the speed that could be: what the solver's tolerance leaves
constexpr double kSlantedOutlet = 0.02;  // of the pressures' range
constexpr double kResolvedCell = 20, kMostCell = 200;

struct Balance {
  double in = 0, out = 0, inlet_pressure = 0, outlet_pressure = 0, inlet_area = 0, outlet_area = 0,
         inlet_flow = 0;
};

Balance ReportRegions(Flow& f) {
  Balance b;
  Json list = Json::array();
  for (const Region& r : f.regions) {
    const double q = FlowRate(f.spaces->velocity, r, f.u),
                 pressure = MeanPressure(f.spaces->pressure, r, f.p);
    Json item = DescribeRegion(r);
    item["flow_rate"] = q;
    item["mean_pressure"] = pressure;
    list.push_back(item);
    (q < 0 ? b.in : b.out) += std::abs(q);
    if (r.type == "inlet") {
      b.inlet_pressure += pressure * r.area;
      b.inlet_area += r.area;
      b.inlet_flow += std::abs(q);
    } else if (r.type == "outlet") {
      b.outlet_pressure += pressure * r.area;
      b.outlet_area += r.area;
    }
  }
  f.answer.output["loads"] = list;
  return b;
}

void CheckTimeSteps(Flow& f) {
  Evidence& ev = f.answer.evidence;
  if (f.time_error) {
    ev.Within({"time_error", "bounds", "", *f.time_error, kMostTimeError, "1",
               "By the change against steps twice as long, the error of the time step is about " +
                   Text(100 * *f.time_error, 2) + " % of the velocity" +
                   (*f.time_error <= kMostTimeError ? "." : ": use a smaller dt.")});
  } else if (!f.steady && f.steps < kFewSteps) {
    ev.AtLeast({"time_steps", "bounds", "", static_cast<double>(f.steps), kFewSteps, "1",
                "Only " + std::to_string(f.steps) +
                    " steps were made, too few to tell their error: use a smaller dt."});
  } else if (!f.steady) {
    ev.Note("The error of the time step was not estimated.");
  }
}

// The speed that the pressures could drive against the lesser of viscosity and inertia.
double DrivenSpeed(const Flow& f) {
  const auto [low, high] = std::minmax_element(f.p.begin(), f.p.end());
  const double difference = *high - *low;
  return std::min(std::sqrt(difference / f.density),
                  difference * f.domain.Diagonal() / f.viscosity);
}

// Whether pressures balance the body force and nothing else moves the fluid.
bool AtRest(const Flow& f, const Balance& b) {
  return !f.force.empty() && b.inlet_flow == 0 &&
         LargestSpeed(f, nullptr) <= kRest * DrivenSpeed(f);
}

// A flow that is there whether or not any passes through: where none does, rounding
// and the solver's tolerance are all that is left of it.
double PossibleFlow(const Flow& f, const Balance& b) {
  const double area = b.inlet_area + b.outlet_area > 0 ? b.inlet_area + b.outlet_area
                                                       : std::pow(f.domain.Diagonal(), f.dim - 1);
  return std::max(LargestSpeed(f, nullptr), DrivenSpeed(f)) * area;
}

void CheckMass(Flow& f, const Balance& b) {
  const double through = std::max(b.in, b.out), least = kNoFlow * PossibleFlow(f, b);
  const double imbalance = std::abs(b.in - b.out) / std::max({through, least, 1e-300});
  f.answer.output["imbalance"] = imbalance;
  f.answer.evidence.Within(
      {"mass_balance", "balance", "", imbalance, kMassTolerance, "1",
       "What flows in and what flows out differ by " +
           (through > least ? Text(100 * imbalance, 2) + " %."
                            : Text(std::abs(b.in - b.out), 2) + (f.dim == 2 ? " m^2/s" : " m^3/s") +
                                  ", and next to nothing passes through the boundary."),
       "Lower analysis_opts.rel_tol, or refine the mesh."});
}

// Whether mesh and steps resolve the flow.
void CheckResolution(Flow& f, const GradientErrors& errors) {
  Evidence& ev = f.answer.evidence;
  CheckTimeSteps(f);
  const double cell = CellReynolds(f.spaces->velocity, f.u, f.density, f.viscosity);
  // A jump of the boundary velocity, as in the corners of a lid, has an infinite
  // gradient there and a large error on every mesh; where the cells resolve the flow,
  // that alone does not make the mesh too coarse.
  const bool aside = errors.all > kGoodError && cell <= kResolvedCell;
  const double error = aside ? errors.bulk : errors.all;
  // No figure has an error bar of its own: what is said of the mesh holds for all.
  ev.Within(
      {"gradient_error", "refinement", "", error, kGoodError, "1",
       "The estimated error of the velocity gradient (Zienkiewicz-Zhu) is " + Text(100 * error, 2) +
           " %" + (aside ? " without the elements where it is largest, one in fifty" : "") +
           (error <= kGoodError ? "." : ": the mesh is too coarse for this flow. Refine it.")});
  ev.Within(
      {"cell_reynolds", "model", "", cell, kMostCell, "1",
       "The cell Reynolds number, rho |u| h / mu at half the element size, reaches " +
           Text(cell, 3) +
           (cell <= kMostCell ? "." : ": the mesh is far too coarse for this flow. Refine it.")});
  ev.Within(
      {"nonlinear_change", "residual", "", f.nonlinear, 10 * kPicardTolerance, "1",
       "The last linearisation changed the velocity by " + Text(100 * f.nonlinear, 2) + " %" +
           (f.nonlinear <= 10 * kPicardTolerance ? "."
                                                 : ": the steps are too long, use a smaller dt.")});
  if (cell > kResolvedCell) {
    f.answer.warnings.push_back(
        {"under_resolved", "The cell Reynolds number reaches " + Text(cell, 3) +
                               ": the mesh is too coarse for this flow, which may show wiggles, "
                               "and there is no turbulence model."});
  }
}

// The largest difference of the hydrostatic pressure over a part of a region that hangs
// together: the two ends of a channel may be one region.
double WidestPart(const Flow& f, const Region& r) {
  double widest = 0;
  for (const Region& part : ConnectedParts(f.spaces->velocity, r)) {
    double least = INFINITY, most = -INFINITY;
    for (int face : part.faces) {
      for (int node : f.spaces->pressure.BoundaryDofs(face)) {
        least = std::min(least, f.hydrostatic[node]);
        most = std::max(most, f.hydrostatic[node]);
      }
    }
    widest = std::max(widest, most - least);
  }
  return widest;
}

// Under a body force the pressure of the fluid varies over an outlet that does not lie
// across it, while the pressure given there is uniform: the difference drives a flow of
// its own.
void CheckOutlets(Flow& f, const Balance& b) {
  const auto [low, high] = std::minmax_element(f.p.begin(), f.p.end());
  for (const Region& r : f.regions) {
    if (r.type != "outlet") continue;
    const double widest = WidestPart(f, r);
    const double across = widest / std::max(*high - *low, 1e-300);
    if (across > kSlantedOutlet) {
      f.answer.evidence.Within(
          {"outlet_pressure", "model", "", across, kSlantedOutlet, "1",
           "The body force makes a difference of " + Text(widest, 3) + " Pa over the outlet " +
               r.Label() + ", whose pressure is uniform: that drives a flow of its own.",
           "Let the outlet lie across the force, or leave out the force and give pressures beyond "
           "the hydrostatic ones."});
    }
    const double q = FlowRate(f.spaces->velocity, r, f.u);
    if (-q > kNoFlow * PossibleFlow(f, b)) {
      f.answer.warnings.push_back(
          {"inflow_through_outlet", "Fluid enters through the outlet " + r.Label() + " at " +
                                        Text(-q, 3) + (f.dim == 2 ? " m^2/s" : " m^3/s") +
                                        ". Nothing says with which velocity it comes: where it is "
                                        "known, use an inlet."});
    }
  }
}

// A velocity that jumps where an inlet meets a wall has a pressure without bound there.
void CheckRims(Flow& f) {
  const double drop = f.answer.output.value("pressure_drop", 0.0), more = PressureOfRims(f);
  if (drop == 0 || more == 0) return;
  const double share = std::abs(more / drop);
  f.answer.evidence.Within(
      {"pressure_bounded", "model", "/pressure_drop", share, kAccuracy, "1",
       "The velocity jumps where the uniform inlet meets the walls, and the pressure has no bound "
       "there: every halving of the elements adds about " +
           Text(100 * share, 2) + " % to the pressure drop.",
       "Give the inlet a parabolic profile, or a length of channel before the part."});
}

void CheckFlow(Flow& f, const Balance& b) {
  Evidence& ev = f.answer.evidence;
  ev.Note(Provenance("block preconditioner, time steps"));
  ev.Note("There is no turbulence model.");
  ev.Within({"residual", "residual", "", f.residual, 1.01 * f.tolerance, "1",
             "Every step's linear system is solved to a relative residual of " +
                 Text(f.residual, 2) + ".",
             "Raise analysis_opts.max_iter, or use a smaller dt."});
  CheckMass(f, b);
  CheckOutlets(f, b);
  CheckRims(f);
  CheckMesh(f.domain, f.regions, true, ev);
  const GradientErrors errors = GradientError(f.spaces->velocity, f.u);
  f.answer.output["error_estimate"] = {{"relative_gradient", errors.all}};
  if (AtRest(f, b)) {
    ev.Note(
        "The fluid is at rest: pressures balance the body force, and its velocities are what the "
        "solver's tolerance leaves.");
  } else {
    CheckResolution(f, errors);
  }
  if (f.stop_when_steady)
    ev.Holds("steady", "residual", "", f.steady,
             f.steady ? "The flow no longer changes."
                      : "A steady flow was asked for, but it still changes by " + Text(f.rate, 2) +
                            " of itself per second: raise t_final or dt.");
}

void StateFigures(Flow& f, const Probes& probes, double speed, int at) {
  Evidence& ev = f.answer.evidence;
  const char* method = "Taylor-Hood elements at the last time; no error bar covers it on one mesh";
  Quantity largest = {"speed, largest", "/max_speed/value", speed, "m/s", method};
  largest.where = f.spaces->velocity.Point(at);
  largest.quoted = true;
  ev.State(largest);
  const Json& out = f.answer.output;
  if (out.contains("pressure_drop")) {
    Quantity drop = {"pressure drop", "/pressure_drop", out["pressure_drop"], "Pa",
                     "difference of the mean pressures of inlets and outlets"};
    drop.quoted = true;
    ev.State(drop);
  }
  ev.State({"kinetic energy", "/energy", out["energy"], "J", "integral over the mesh"});
  for (int i = 0; i < std::min(probes.Count(), kMostProbeFigures); i++) {
    const std::string place = "/probes/" + std::to_string(i);
    const std::vector<double> v = probes.At(i, f.spaces->velocity, f.dim, f.u);
    const int c = static_cast<int>(
        std::max_element(v.begin(), v.end(),
                         [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        v.begin());
    ev.State({"velocity " + std::string(1, static_cast<char>('x' + c)) + " at probe " +
                  std::to_string(i),
              place + "/velocity/" + std::to_string(c), v[c], "m/s", method});
  }
}

}  // namespace

void ReportFlow(Flow& f, const Probes& probes, VtuWriter& writer) {
  Json& out = f.answer.output;
  int at = 0;
  const double speed = LargestSpeed(f, &at);
  const Balance b = ReportRegions(f);
  out["max_speed"] = {{"value", speed}, {"at", f.spaces->velocity.Point(at)}, {"unit", "m/s"}};
  if (b.inlet_area > 0 && b.outlet_area > 0)
    out["pressure_drop"] = b.inlet_pressure / b.inlet_area - b.outlet_pressure / b.outlet_area;
  double largest = 0;
  for (int k = 0; k < f.dim; k++) largest = std::max(largest, f.domain.high[k] - f.domain.low[k]);
  const double velocity = b.inlet_flow > 0 ? b.inlet_flow / b.inlet_area : speed;
  const double length = b.inlet_area > 0 ? std::pow(b.inlet_area, 1.0 / (f.dim - 1)) : largest;
  out["reynolds"] = {
      {"value", f.density * velocity * length / f.viscosity},
      {"velocity", velocity},
      {"length", length},
      {"note", b.inlet_area > 0
                   ? (f.dim == 2 ? "mean inlet velocity and inlet height"
                                 : "mean inlet velocity and square root of the inlet area")
                   : "largest speed and largest extent"}};
  out["viscosity_kind"] = "dynamic, Pa s";
  out["unknowns"] = f.u.size() + f.p.size();
  out["steps"] = f.done;
  out["time"] = f.time;
  out["steady"] = f.steady;
  out["change_rate"] = f.rate;
  out["order"] = 2;
  out["iterations"] = f.iterations;
  out["residual"] = f.residual;
  out["error_norm"] = f.residual;
  out["energy"] = KineticEnergy(f.spaces->velocity, f.u, f.density);
  Json at_probes = probes.Report(f.spaces->velocity, f.dim, f.u, "velocity");
  const Json pressures = probes.Report(f.spaces->pressure, 1, f.p, "pressure");
  for (size_t i = 0; i < at_probes.size(); i++) at_probes[i]["pressure"] = pressures[i]["pressure"];
  out["probes"] = at_probes;
  out["fields"] = writer.Fields();
  out["vtk_file"] = writer.Collection();
  f.answer.artifacts.push_back(writer.Artifact());
  f.answer.artifacts.push_back({{"name", "history.csv"}, {"mime_type", "text/csv"}});
  f.answer.summary = "Largest speed " + Text(speed) + " m/s at t = " + Text(f.time) + " s" +
                     (f.steady ? " (steady)" : " (not steady)") +
                     (out.contains("pressure_drop")
                          ? ", pressure drop " + Text(out["pressure_drop"].get<double>()) + " Pa"
                          : std::string()) +
                     ".";
  StateFigures(f, probes, speed, at);
  CheckFlow(f, b);
}

}  // namespace atelier
