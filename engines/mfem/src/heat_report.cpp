// What a heat problem answers, and what stands behind its figures.
#include <cmath>

#include "bodies.hpp"
#include "error_estimate.hpp"
#include "gradient.hpp"
#include "heat.hpp"

namespace atelier {
namespace {

constexpr double kGoodTime = 0.02;
constexpr double kMostOvershoot = 0.02;       // of the range of temperature
constexpr double kRoundedTemperature = 1e-6;  // what the solver's tolerance leaves of one
constexpr double kUniform = 1e-4;             // of the temperature: smaller differences are none
constexpr double kSame = 1e-9;                // of two temperatures that are one

// The temperatures between which conditions and the initial state lie; sources and
// fluxes can lead beyond on one side.
struct Given {
  double low = INFINITY, high = -INFINITY;
  bool heats = false, cools = false;
};

Given GivenTemperatures(const Heat& p) {
  Given g;
  auto take = [&](double v) {
    g.low = std::min(g.low, v);
    g.high = std::max(g.high, v);
  };
  if (!p.steady) take(p.initial);
  auto supply = [&](double v) {
    g.heats = g.heats || v > 0;
    g.cools = g.cools || v < 0;
  };
  for (const HeatMaterial& m : p.materials.list) supply(m.source);
  for (const Region& r : p.regions) {
    if (r.type == "heat_flux") {
      supply(r.config.Number("value"));
    } else {
      take(r.config.Number(IsExchange(r) ? "ambient" : "value"));
    }
  }
  return g;
}

// The lowest or highest temperature. In a steady state the elements tell what it is
// between the nodes, but where it would pass the temperatures that are given and no
// heat leads beyond them: that is a swing of the polynomial. In a transient such swings
// follow every sudden change, and the nodes alone are taken.
FieldExtreme ExtremeTemperature(const Heat& p, const Values& t, const Given& g, bool top) {
  const FieldExtreme nodal = NodalExtreme(p.space, t, top);
  if (!p.steady) return nodal;
  const FieldExtreme inside = ExtremeOf(p.space, t, top);
  const bool beyond = top ? inside.value > g.high : inside.value < g.low;
  return beyond && !(top ? g.heats : g.cools) ? nodal : inside;
}

struct Extremes {
  FieldExtreme low, high;
};

// Without sources temperatures stay between the initial and boundary values; heat
// that comes in leaves the lower bound as it is.
void CheckMaximumPrinciple(Heat& p, const Given& g, const Range& r) {
  const double size = std::max(std::abs(g.low), std::abs(g.high));
  const double span = std::max(g.high - g.low, kUniform * size);
  if (g.heats && g.cools) return;
  const double scale = g.heats || g.cools ? std::max(span, r.high - r.low) : span;
  const double below = g.cools ? 0 : g.low - r.low, above = g.heats ? 0 : r.high - g.high;
  const double over = std::max({0.0, below, above}) / std::max(scale, 1e-300);
  p.answer.evidence.Within(
      {"maximum_principle", "bounds", "/temperature", over, kMostOvershoot, "1",
       over <= kMostOvershoot
           ? "The temperatures stay within those given, as they must."
           : "The temperatures go " + Text(100 * over, 2) +
                 " % of the range beyond those given, which cannot be: refine the mesh near sudden "
                 "changes, or raise the first time step."});
}

void CheckAbsoluteZero(Heat& p, const Extremes& x) {
  const double low = x.low.value;
  const double slack = 1e-9 * std::max(std::abs(low), std::abs(x.high.value));
  if (low < -slack)
    p.answer.evidence.AtLeast({"absolute_zero", "bounds", "/temperature/min", low, 0, "K",
                               "The lowest temperature, " + Text(low) +
                                   " K, lies below absolute zero: more heat is drawn off than can "
                                   "flow, or temperatures were given in degrees Celsius."});
}

// What rounding leaves of a flow of heat, W, and of the square of the energy norm of
// the gradient: shares of what single elements exchange.
Range Rounding(const Heat& p, const Values& t) {
  Range r{1e-300, 1e-300};
  const BlockCsr a = HeatTangent(p, p.space, GraphOf(p), t, 0, 1);
  for (int i = 0; i < p.space.Nodes(); i++) {
    const double exchange = a.Diagonal(i, 0);
    r.low += 1e-10 * exchange * std::abs(t[i]);
    r.high += 1e-14 * exchange * t[i] * t[i];
  }
  return r;
}

void CheckBalance(Heat& p, const HeatState& s, double rounding) {
  const HeatIn& in = s.in;
  if (!p.steady) rounding *= p.t_final;
  const double size = std::max({std::abs(s.stored), std::abs(in.source), std::abs(in.boundary_flux),
                                std::abs(in.convection), std::abs(in.radiation), std::abs(in.fixed),
                                in.passing, rounding});
  const double imbalance = std::abs(s.stored - in.Total()) / size;
  p.answer.output["imbalance"] = imbalance;
  // Where no heat flows, rounding is all that is left to compare.
  const Range r = RangeOf(s.t);
  if (r.high - r.low <= 1e-6 * std::max(std::abs(r.low), std::abs(r.high)) && s.stored == 0) return;
  p.answer.evidence.Within({"energy_balance", "balance", "", imbalance, kBalanceTolerance, "1",
                            "The heat stored and the heat that came in differ by " +
                                Text(imbalance, 2) + " of what was exchanged.",
                            kUnbalanced});
}

void CheckNewton(Heat& p) {
  if (!p.nonlinear) return;
  const NewtonReport& n = p.newton;
  p.answer.evidence.Within({"nonlinear_residual", "residual", "", n.residual,
                            p.options.relative_tolerance, "1",
                            "The nonlinear equations are solved by Newton's method, with " +
                                std::to_string(n.iterations) + " linear systems, to " +
                                Text(n.residual, 2) + " of the heat that flows.",
                            "Lower analysis_opts.rel_tol."});
}

// Beyond the ends of a table its last value is taken, which is a guess.
void CheckTables(Heat& p) {
  for (size_t i = 0; i < p.materials.list.size(); i++) {
    const HeatMaterial& m = p.materials.list[i];
    for (const auto& [name, curve] : {std::pair("conductivity", &m.conductivity),
                                      std::pair("specific_heat", &m.specific_heat)}) {
      if (curve->Constant()) continue;
      const Range& r = p.temperatures[i];
      double beyond = std::max({0.0, curve->Least() - r.low, r.high - curve->Most()});
      if (beyond <= kRoundedTemperature * curve->Most()) beyond = 0;
      const std::string table = (m.place.empty() ? m.place : m.place + "/") + name;
      p.answer.evidence.Within(
          {"temperature_range", "model", "", beyond, 0, "K",
           "The temperatures lie between " + Text(r.low) + " and " + Text(r.high) +
               " K; the table of " + table + " goes from " + Text(curve->Least()) + " to " +
               Text(curve->Most()) + " K" +
               (beyond > 0 ? ": beyond it the last value was taken. Give the figures at the "
                             "temperatures that occur."
                           : ".")});
    }
  }
}

constexpr int kMostHeatRates = 2;  // conditions whose heat is stated

// Two held temperatures that differ and whose faces meet: what flows between them over the
// distance r from there, k dT / r, has no bound.
struct Meeting {
  const Region *one, *other;
};

// Where the faces of a region may meet others: at ends of edges, in space along edges. About a
// single point the flow between faces is bounded in space.
std::set<int> Rims(const Heat& p, const Region& r) {
  mfem::Mesh& mesh = *p.domain.mesh;
  std::set<int> out;
  mfem::Array<int> list, orientation;
  for (int f : r.faces) {
    if (mesh.Dimension() == 3)
      mesh.GetBdrElementEdges(f, list, orientation);
    else
      mesh.GetBdrElementVertices(f, list);
    out.insert(list.begin(), list.end());
  }
  return out;
}

std::vector<Meeting> Meetings(const Heat& p) {
  std::vector<std::pair<const Region*, std::set<int>>> held;
  std::vector<Meeting> out;
  for (const Region& r : p.regions) {
    if (r.type != "fixed_temp") continue;
    const std::set<int> rims = Rims(p, r);
    const double value = r.config.Number("value");
    for (const auto& [other, theirs] : held) {
      const double before = other->config.Number("value");
      if (std::abs(value - before) <= kSame * std::max(std::abs(value), std::abs(before))) continue;
      if (std::any_of(rims.begin(), rims.end(), [&](int i) { return theirs.count(i) != 0; }))
        out.push_back({other, &r});
    }
    held.emplace_back(&r, rims);
  }
  return out;
}

std::string HeatRate(const Region& r) { return "/loads/" + std::to_string(r.index) + "/heat_rate"; }

// Doubts the heat rates that have no bound, and tells those who would refine for them.
void CheckMeetings(Heat& p, const std::vector<Meeting>& meetings) {
  Json& unbounded = p.answer.output["unbounded"] = Json::object();
  const auto told = [&](const Region& r) { return unbounded.contains(HeatRate(r)); };
  const auto doubt = [&](const Region& r, const std::string& sentence) {
    p.answer.evidence.Holds("temperatures_agree", "model", HeatRate(r), false, sentence);
  };
  for (const Meeting& m : meetings) {
    if (told(*m.one) && told(*m.other)) continue;
    const auto holds = [](const Region& r) {
      return r.Label() + " holds " + Text(r.config.Number("value"), 6) + " K";
    };
    const std::string meet = holds(*m.one) + " and " + holds(*m.other) + ", and their faces meet";
    for (const Region* r : {m.one, m.other}) {
      if (told(*r)) continue;
      const Region& other = r == m.one ? *m.other : *m.one;
      unbounded[HeatRate(*r)] = meet + ", so that the heat rate has no bound";
      if (!told(other)) {
        doubt(*r, meet +
                      ": between them heat flows over no distance, so that the heat rates through "
                      "both have no bound and grow with every finer mesh. Leave a gap between the "
                      "faces, or put a resistance in place of one of the temperatures: "
                      "convection, with the coefficient of its film or contact. The "
                      "temperatures are not in doubt.");
      } else {
        doubt(*r, "The heat rate through " + r->Label() + ", which meets " + other.Label() +
                      " at another temperature, has no bound either.");
      }
    }
  }
}

// Error bars of temperatures in a steady state, by dual solutions of the value at a
// point.
class HeatErrorBars {
 public:
  HeatErrorBars(Heat& p, const HeatState& s) : p_(p), s_(s) {}

  std::optional<double> Of(const std::string& figure,
                           const std::vector<std::pair<int, double>>& nodes) const {
    if (!s_.dual || !p_.domain.Estimates(figure) || p_.domain.mesh->GetNE() < kFewElements)
      return std::nullopt;
    Values functional(p_.space.Nodes(), 0.0);
    for (const auto& [node, weight] : nodes) functional[node] += weight;
    const FluxField dual =
        RecoverFlux(p_.space, s_.dual(functional), ConductivityAt(p_, s_.t), p_.materials.number);
    const double factor = EstimatorFactor(p_.space.Order());
    if (p_.domain.IsGoal(figure))
      p_.answer.by_element.goal = DualErrors(s_.flux.element_error, dual.element_error, factor);
    return DualErrorBar(s_.flux.element_error, dual.element_error, factor);
  }

 private:
  Heat& p_;
  const HeatState& s_;
};

// What the time step may change of a temperature at nodes: the whole change on steps
// twice as long, three times Richardson's estimate, since sudden temperatures at the
// boundary reduce the order. Beside a place where the change is 0 by chance, that of
// the whole part tells.
double TimeBar(const TimeError& error, const std::vector<std::pair<int, double>>& nodes) {
  double change = 0;
  for (const auto& [node, weight] : nodes) change += weight * error.change[node];
  return std::max(std::abs(change), error.largest / 3);
}

void StateTemperatures(Heat& p, const Probes& probes, const HeatState& s, const Given& g,
                       const Extremes& x, const HeatErrorBars& bars) {
  Evidence& ev = p.answer.evidence;
  const Range r = RangeOf(s.t);
  const double low = std::min(r.low, g.low), high = std::max(r.high, g.high);
  const double span = std::max(high - low, kUniform * std::max(std::abs(low), std::abs(high)));
  ev.Accuracy(AccuracyOfSpan(low, high));
  const char* method = s.dual ? "finite-element temperature; error bar by a dual solution"
                              : "finite-element temperature at the last time";
  Json time_errors = Json::object();
  if (s.time_error) time_errors["/energy"] = s.time_error->stored;
  for (bool top : {false, true}) {
    const FieldExtreme& extreme = top ? x.high : x.low;
    const double value = extreme.value;
    const bool held = extreme.node >= 0 && p.fixed.fixed[extreme.node];
    Quantity q = {top ? "temperature, highest" : "temperature, lowest",
                  top ? "/temperature/max" : "/temperature/min", value, "K", method};
    q.where = extreme.at;
    q.quoted = true;
    // Neither conduction nor heat that flows the other way can go beyond a given one.
    if (!(top ? g.heats : g.cools) && held && value == (top ? g.high : g.low)) {
      q.method = "prescribed by a condition";
      q.error = 0.0;
      q.exact = true;
      ev.State(q);
      ev.Holds("prescribed_temperature", "exact", q.figure, true,
               std::string("The ") + (top ? "highest" : "lowest") +
                   " temperature is the one that a condition prescribes, beyond which no heat "
                   "leads.");
      continue;
    }
    // At a held node the estimate would be 0, though the extreme may lie beside it.
    if (!held) q.error = bars.Of(q.figure, extreme.weights);
    if (s.time_error)
      time_errors[q.figure] =
          TimeBar(*s.time_error, extreme.weights) +
          std::abs(ExtremeOf(p.space, s.t, top).value - value);  // what the nodes miss
    CheckError(ev, q, span);
  }
  for (int i = 0; i < probes.Count(); i++) {
    const std::string n = std::to_string(i);
    if (i >= kMostProbeFigures && !p.domain.IsGoal("/probes/" + n + "/value")) continue;
    Quantity q = {"temperature at probe " + n, "/probes/" + n + "/value",
                  probes.At(i, p.space, 1, s.t)[0], "K", method};
    q.error = bars.Of(q.figure, probes.Weights(i, p.space));
    if (s.time_error) time_errors[q.figure] = TimeBar(*s.time_error, probes.Weights(i, p.space));
    CheckError(ev, q, span);
  }
  if (!p.steady) p.answer.output["time_errors"] = time_errors;
}

// The heat that the first held temperatures let in. Its error bar comes of the second
// solve.
void StateHeldHeat(Heat& p) {
  const Json& loads = p.answer.output["loads"];
  double size = 0;
  for (const Json& load : loads) size = std::max(size, std::abs(load["heat_rate"].get<double>()));
  int stated = 0;
  for (const Region& r : p.regions) {
    const std::string figure = HeatRate(r);
    if (r.index >= kMostRegions) continue;
    const bool first = r.type == "fixed_temp" && stated++ < kMostHeatRates;
    if (!first && !p.domain.IsGoal(figure)) continue;
    Quantity q = {"heat rate of bcs/" + std::to_string(r.index), figure,
                  loads[r.index]["heat_rate"].get<double>(),
                  p.space.Dimension() == 3 || p.space.Axisymmetric() ? "W" : "W/m",
                  "sum of the nodal heat that holds the temperature"};
    q.scale = size;
    p.answer.evidence.State(q);
  }
}

void Judge(Heat& p, const Probes& probes, const HeatState& s, const Given& g, const Extremes& x) {
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space.Order());
  ev.Note(Provenance("multigrid, time steps"));
  CheckSolution(p.solved, p.options, ev);
  const Range rounding = Rounding(p, s.t);
  CheckBalance(p, s, rounding.low);
  CheckNewton(p);
  CheckTables(p);
  if (!p.of_part) CheckMesh(p.domain, p.regions, false, ev);
  const std::vector<Meeting> meetings = Meetings(p);
  CheckMeetings(p, meetings);
  const FluxField& flux = s.flux;
  p.answer.by_element.error = flux.element_error;
  const double estimate = EstimatorFactor(p.space.Order()) * flux.error;
  const double total = std::sqrt(estimate * estimate + flux.energy);
  // A uniform temperature has a gradient of rounding errors only.
  const Range r = RangeOf(s.t);
  const bool uniform = flux.energy <= rounding.high;
  Json errors = Json::object();
  if (!uniform && total > 0) {
    const double space_error = estimate / total;
    errors["relative_energy_norm"] = space_error;
    ev.Within({"gradient_error", "refinement", "/error_estimate", space_error, kGoodError, "1",
               "The estimated error of the temperature gradient over the whole part "
               "(Zienkiewicz-Zhu, conduction alone) is " +
                   Text(100 * space_error, 2) + " %" +
                   (space_error <= kGoodError ? "."
                    : meetings.empty()
                        ? ": the mesh is too coarse. Refine it."
                        : ". Where held temperatures meet, the gradient has no bound, and much of "
                          "it may be there: judge the temperatures by their own error bars.")});
  }
  if (s.time_error) {
    const double error = s.time_error->relative;
    errors["time"] = error;
    ev.Within({"time_error", "refinement", "/error_estimate/time", error, kGoodTime, "1",
               "By the change against longer steps, the error of the time step is about " +
                   Text(100 * error, 2) + " % of their range" +
                   (error <= kGoodTime ? "." : ": use a smaller dt.")});
  } else if (!p.steady) {
    ev.AtLeast({"time_steps", "bounds", "", static_cast<double>(p.steps), kFewTimeSteps, "1",
                "Only " + std::to_string(p.steps) +
                    " steps were made, too few to tell their error: use a smaller dt."});
  }
  p.answer.output["error_estimate"] = errors;
  if (!p.steady) ev.State({"heat stored", "/energy", s.stored, "J", "integral over the mesh"});
  CheckMaximumPrinciple(p, g, r);
  CheckAbsoluteZero(p, x);
  StateTemperatures(p, probes, s, g, x, HeatErrorBars(p, s));
  if (!uniform) StateHeldHeat(p);
}

void ReportRegions(Heat& p, const HeatState& state) {
  const Values& t = state.t;
  const Values lost = FlowsAt(p, t).lost;
  Json list = Json::array();
  std::vector<char> taken(t.size(), 0);
  for (const Region& r : p.regions) {
    Json item = DescribeRegion(r);
    double sum = 0;
    if (r.type == "heat_flux") sum = r.area * r.config.Number("value");
    for (int node : p.nodes[r.index]) {
      if (taken[node]) continue;
      taken[node] = 1;
      sum += state.storing[node] + lost[node];
    }
    if (const auto x = p.exchanges.find(r.index); x != p.exchanges.end()) {
      for (int i = 0; i < p.space.Nodes(); i++) sum += x->second.Into(i, t[i]);
    }
    item["heat_rate"] = sum;
    list.push_back(item);
  }
  p.answer.output["loads"] = list;
}

}  // namespace

void WriteHeatState(Heat& p, VtuWriter& writer, double time, const Values& t,
                    const FluxField& flux) {
  if (p.domain.refined) return;
  writer.Write(
      time, {{"temperature", "K", 1, &t}, {"heat_flux", "W/m^2", p.space.Dimension(), &flux.flux}},
      {{"error_estimate", "W^0.5*K^0.5", &flux.element_error}});
}

void ReportHeat(Heat& p, const Probes& probes, VtuWriter& writer, const HeatState& s) {
  const Values& t = s.t;
  const HeatIn& in = s.in;
  const double stored = s.stored;
  const Given g = GivenTemperatures(p);
  const Extremes x = {ExtremeTemperature(p, t, g, false), ExtremeTemperature(p, t, g, true)};
  Json& out = p.answer.output;
  out["temperature"] = {{"min", x.low.value},
                        {"max", x.high.value},
                        {"mean", Integral(p.space, t) / Integral(p.space, Values(t.size(), 1.0))},
                        {"max_at", x.high.at},
                        {"min_at", x.low.at},
                        {"unit", "K"}};
  out["heat"] = {{"stored", stored},
                 {"source", in.source},
                 {"boundary_flux", in.boundary_flux},
                 {"convection", in.convection},
                 {"fixed_temp", in.fixed},
                 {"unit", p.steady ? "W" : "J"}};
  const bool radiates = std::any_of(p.regions.begin(), p.regions.end(),
                                    [](const Region& r) { return r.type == "radiation"; });
  if (radiates) out["heat"]["radiation"] = in.radiation;
  out["order"] = p.space.Order();
  out["unknowns"] = p.space.Nodes();
  out["steps"] = p.steps;
  out["time"] = p.steady ? 0 : p.t_final;
  out["iterations"] = p.solved.iterations;
  out["residual"] = p.solved.residual;
  out["solver"] = DescribeSolver(p.solved);
  out["error_norm"] = p.solved.residual;
  out["energy"] = stored;
  out["probes"] = probes.Report(p.space, 1, t, "value");
  out["fields"] = writer.Fields();
  out["vtk_file"] = writer.Collection();
  p.answer.artifacts.push_back(writer.Artifact());
  p.answer.summary =
      "Temperatures between " + Text(x.low.value, 6) + " and " + Text(x.high.value, 6) + " K" +
      (p.steady ? " in the steady state."
                : " after " + Text(p.t_final) + " s (" + std::to_string(p.steps) + " steps).");
  ReportRegions(p, s);
  Judge(p, probes, s, g, x);
}

}  // namespace atelier
