// What a transient analysis answers, and what stands behind its figures.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "bodies.hpp"
#include "error_estimate.hpp"
#include "krylov.hpp"
#include "memory_limit.hpp"
#include "transient.hpp"

namespace atelier {
namespace {

constexpr const char* kTable = "response.csv";
constexpr const char* kMethod =
    "superposition of modes integrated exactly, with static correction; error bar by those of the "
    "frequencies and a dual solution";
constexpr double kMostChange = 1e-4;   // by solving for what is left of the loads, relative
constexpr double kLeastPerPeriod = 6;  // samples: fewer may miss a peak
constexpr double kStressMemory = 1e9;  // bytes that stresses of modes may take,
constexpr double kStressShare = 0.25;  // and of the memory that is free
constexpr double kStressful = 1e-9;    // of the static displacement: a mode has stresses
// Of the largest, in modes like those left out: what these add may be twice that.
constexpr double kMostLeftOfStress = 0.05;
constexpr double kAtEnd = 0.999;  // of the time: a peak there may not be the last

double Least(const Values& x) { return *std::min_element(x.begin(), x.end()); }

std::string Seconds(double t) { return Text(t, 5) + " s"; }

// The stresses of one material, whose yield strength is known.
struct Yielding {
  std::unique_ptr<std::vector<char>> nodes;  // whether it has them
  LinearField stress;
  std::vector<std::pair<int, double>> steps;  // node and size at each
  Peak peak;
};

// What is followed in time.
struct Run {
  std::vector<std::pair<int, double>> displaced, stressed;  // node and size at each step
  Peak peak, stress;
  std::vector<Yielding> yielding;  // more than one: the weakest may yield at another time
  std::vector<Values> tensors;     // of each mode, empty of one without
  bool stress_in_time = false;
};

class Table {
 public:
  Table(const Transient& t, const Probes& probes) : t_(t), probes_(probes), out_(kTable) {
    out_ << "time_s,factor,largest_m";
    for (int c = 0; c < t.p.dim; c++) out_ << ",at_" << "xyz"[c] << "_m";
    for (int i = 0; i < probes.Count(); i++) {
      for (int c = 0; c < t.p.dim; c++) out_ << ",probe_" << i << "_" << "xyz"[c] << "_m";
    }
    out_ << "\n";
  }
  void Add(double time, const std::pair<int, double>& largest, const Values& u) {
    const Elasticity& p = t_.p;
    out_ << Text(time, 10) << "," << Text(t_.history.Factor(time), 10) << ","
         << Text(largest.second, 10);
    for (double x : p.space->Point(largest.first)) out_ << "," << Text(x, 10);
    for (int i = 0; i < probes_.Count(); i++) {
      for (double x : probes_.At(i, *p.space, p.dim, u)) out_ << "," << Text(x, 10);
    }
    out_ << "\n";
  }

 private:
  const Transient& t_;
  const Probes& probes_;
  std::ofstream out_;
};

// The stresses of the modes that take part, where there is room for them.
LinearField Stresses(const Transient& t, Run& run) {
  const Elasticity& p = t.p;
  LinearField field = {kStressComponents, &p.stress.tensor, {}, AsVonMises};
  const double bytes = sizeof(double) * static_cast<double>(p.stress.tensor.size());
  run.stress_in_time = bytes * static_cast<double>(t.share.size()) <=
                       std::min(kStressMemory, kStressShare * FreeMemory());
  if (!run.stress_in_time) return field;
  EmitProgress(0.65, "recovering the stresses of the modes");
  run.tensors.resize(t.share.size());
  for (size_t j = 0; j < t.share.size(); j++) {
    const Values& phi = t.v.shapes[j];
    if (std::abs(t.share[j]) * Largest(phi) > kStressful * Largest(p.u))
      run.tensors[j] = RecoverStress(*p.space, phi, p.materials.lame, p.materials.material).tensor;
    field.modes.push_back(run.tensors[j].empty() ? nullptr : &run.tensors[j]);
  }
  return field;
}

// Materials with a yield strength, where there are several.
void FindYielding(const Transient& t, const LinearField& stress, Run& run) {
  const Elasticity& p = t.p;
  const std::set<int> materials(p.materials.material.begin(), p.materials.material.end());
  if (materials.size() < 2 || !run.stress_in_time) return;
  for (int m : materials) {
    auto nodes = std::make_unique<std::vector<char>>(p.space->Nodes(), 0);
    bool known = false;
    for (int e = 0; e < p.space->Elements(); e++) {
      if (p.materials.material[e] != m || p.materials.yield[e] == 0) continue;
      known = true;
      for (int a = 0; a < p.space->Count(e); a++) (*nodes)[p.space->Dofs(e)[a]] = 1;
    }
    if (!known) continue;
    run.yielding.push_back({std::move(nodes), stress, {}, {}});
    run.yielding.back().stress.among = run.yielding.back().nodes.get();
  }
}

Run Follow(Transient& t, const Sampling& samples, const Probes& probes) {
  Run run;
  Table table(t, probes);
  const LinearField displacement = Displacements(t), stress = Stresses(t, run);
  FindYielding(t, stress, run);
  EmitProgress(0.7, "following the response over " + Seconds(t.end));
  for (int k = 0; k <= t.count; k++) {
    const Values u = displacement.At(t, t.Time(k));
    run.displaced.push_back(LargestNode(u, displacement));
    table.Add(t.Time(k), run.displaced.back(), u);
    if (!run.stress_in_time) continue;
    const Values tensor = stress.At(t, t.Time(k));
    run.stressed.push_back(LargestNode(tensor, stress));
    for (Yielding& y : run.yielding) y.steps.push_back(LargestNode(tensor, y.stress));
  }
  run.peak = LargestOf(t, samples, displacement, run.displaced);
  run.stress = run.stress_in_time ? LargestOf(t, samples, stress, run.stressed) : run.peak;
  for (Yielding& y : run.yielding) y.peak = LargestOf(t, samples, y.stress, y.steps);
  t.p.answer.artifacts.push_back({{"name", kTable}, {"mime_type", "text/csv"}});
  return run;
}

// States a displacement. left: what the modes beyond the highest may add.
void State(Transient& t, Quantity& q, std::optional<double> discrete, double left) {
  if (discrete && q.value > 0) q.error = *discrete + left;
  t.p.answer.output["time_errors"][q.figure] = left;
  CheckError(t.p.answer.evidence, q, q.value);
}

void StatePeak(Transient& t, const Run& run, TransientBars& bars, Json& out) {
  Elasticity& p = t.p;
  const Peak& peak = run.peak;
  const LinearField field = Displacements(t);
  const Values none(t.share.size(), 0.0);
  const Values u = field.AtNode(peak.node, t.history.Factor(peak.time), DynamicParts(t, peak.time)),
               still = field.AtNode(peak.node, 1, none);
  const Values left(t.rest.begin() + static_cast<long>(peak.node) * p.dim,
                    t.rest.begin() + static_cast<long>(peak.node + 1) * p.dim);
  out["peak"] = {{"time", peak.time},
                 {"displacement", peak.size},
                 {"vector", u},
                 {"at", p.space->Point(peak.node)}};
  Quantity q = {"largest displacement up to " + Seconds(t.end) + ",",
                "/transient/peak/displacement", peak.size, "m", kMethod};
  q.where = p.space->Point(peak.node);
  q.quoted = true;
  const std::vector<Values> phi = ModesAt(t.v, peak.node);
  const double beyond = LeftByModes(t, peak.time, left, phi);
  State(t, q, bars.Of(peak.time, {{peak.node, 1.0}}, u, still, phi), beyond);
  if (t.still == 0) return;
  out["static_displacement"] = t.still;
  out["dynamic_load_factor"] = peak.size / t.still;
  Quantity f = {"dynamic load factor", "/transient/dynamic_load_factor", peak.size / t.still, "1",
                "largest displacement over that of the largest loads at rest"};
  f.quoted = true;
  if (q.error) f.error = *q.error / t.still;
  p.answer.output["time_errors"][f.figure] = beyond / t.still;
  p.answer.evidence.State(f);
}

// A component of the displacement at a probe where it is largest in time.
struct ProbePeak {
  Peak peak;
  int component = 0;
  Values still, left, u;
  std::vector<Values> phi;
};

ProbePeak LargestAt(const Transient& t, const Sampling& samples, const Probes& probes, int i) {
  const Elasticity& p = t.p;
  auto at = [&](const Values& field) { return probes.At(i, *p.space, p.dim, field); };
  ProbePeak out;
  out.still = at(p.u), out.left = at(t.rest);
  for (const Values& phi : t.v.shapes) out.phi.push_back(at(phi));
  auto component = [&](int c, double factor, const Values& dynamic) {
    double u = factor * out.still[c];
    for (size_t j = 0; j < dynamic.size(); j++) u += dynamic[j] * out.phi[j][c];
    return u;
  };
  for (int c = 0; c < p.dim; c++) {
    const Peak peak = LargestInTime(t, samples, [&](double factor, const Values& dynamic) {
      return std::abs(component(c, factor, dynamic));
    });
    if (c == 0 || peak.size > out.peak.size) out.peak = peak, out.component = c;
  }
  const double factor = t.history.Factor(out.peak.time);
  const Values dynamic = DynamicParts(t, out.peak.time);
  for (int c = 0; c < p.dim; c++) out.u.push_back(component(c, factor, dynamic));
  return out;
}

void StateProbes(Transient& t, const Sampling& samples, const Probes& probes, TransientBars& bars,
                 Json& out) {
  if (probes.Count() == 0) return;
  Elasticity& p = t.p;
  Json list = probes.Report(*p.space, p.dim, p.u, "static");
  for (int i = 0; i < probes.Count(); i++) {
    const ProbePeak found = LargestAt(t, samples, probes, i);
    const int c = found.component;
    const std::string axis(1, "xyz"[c]);
    list[i]["time"] = found.peak.time;
    list[i]["component"] = axis;
    list[i]["displacement"] = found.peak.size;
    if (i >= kMostProbeFigures) continue;
    Quantity q = {"largest displacement " + axis + " at probe " + std::to_string(i),
                  "/transient/probes/" + std::to_string(i) + "/displacement", found.peak.size, "m",
                  kMethod};
    q.where = list[i]["at"].get<std::vector<double>>();
    std::vector<Values> along;
    for (const Values& phi : found.phi) along.push_back({phi[c]});
    State(t, q,
          bars.OfComponent(found.peak.time, probes.Weights(i, *p.space), c, found.u, found.still,
                           found.phi),
          LeftByModes(t, found.peak.time, {found.left[c]}, along));
  }
  out["probes"] = list;
}

double StrainEnergy(const Elasticity& p, const Values& u) {
  return 0.5 * Dot(u, p.problem->Stiffness(u));
}

// f g - K u - M u'' - C u' in the peak, and how much solving for it would change u in the norm
// of K.
void CheckEquations(Transient& t, const Values& u, double time) {
  Elasticity& p = t.p;
  Values motion(u.size(), 0.0), rest = p.load, change;
  for (size_t j = 0; j < t.share.size(); j++) {
    const Oscillator& o = t.motions[j];
    const double drag = 2 * t.damping.RatioOf(t.v.lambda[j]) * o.Omega() * o.At(time).v;
    Axpy(t.share[j] * (o.Acceleration(time) + drag), t.v.shapes[j], motion);
  }
  for (double& f : rest) f *= t.history.Factor(time);
  Axpy(-1, Times(t.v.mass, motion), rest);
  Axpy(-1, p.problem->Stiffness(u), rest);
  p.constraints->Clear(rest);
  Values moving = p.load;
  p.constraints->Clear(moving);
  const double size = t.history.largest * Norm2(moving), energy = StrainEnergy(p, u);
  const double left = size > 0 ? Norm2(rest) / size : 0;
  p.answer.output["residual"] = left;
  p.answer.output["error_norm"] = left;
  double relative = 0;
  if (energy > 0) {
    RequireConverged(p.problem->SolveHomogeneous(rest, change, p.options), p.options,
                     *p.domain.mesh, &p.materials.lame);
    relative = std::sqrt(StrainEnergy(p, change) / energy);
  }
  p.answer.evidence.Within(
      {"residual", "residual", "", relative, kMostChange, "1",
       "Solving the equations of motion once more, for what the largest displacement leaves of the "
       "loads, changes it by " +
           Text(relative, 2) + " of its size.",
       "Lower analysis_opts.rel_tol."});
}

// What the modes beyond the highest may have of the largest stress, if all of it adds: what they
// leave of the static one, or as much of it as those of the octave below, ringing as the spectrum
// of the loads says. Where stresses travel as fronts it does not fade.
double StressBeyond(const Transient& t, const Run& run) {
  if (!(run.stress.size > 0)) return 0;
  const auto at = [&](const Values& tensor) {
    return VonMises(&tensor[static_cast<size_t>(run.stress.node) * kStressComponents]);
  };
  const Elasticity& p = t.p;
  double sum = at(RecoverStress(*p.space, t.rest, p.materials.lame, p.materials.material).tensor);
  for (size_t j = 0; j < t.share.size(); j++) {
    if (!run.tensors[j].empty()) sum += BeyondShare(t, j) * at(run.tensors[j]);
  }
  return sum * Unresolved(t, run.stress.time) / run.stress.size;
}

// The vibration of what the modes leave of the loads, in the energy norm, over that at the peak.
double LeftOfEnergy(const Transient& t, double energy) {
  return energy > 0
             ? MostUnresolved(t) * std::sqrt(std::max(0.0, StrainEnergy(t.p, t.rest)) / energy)
             : 0;
}

// The relative errors of the eigenvalues, each times what its mode has of the displacement.
double UnconvergedShare(const Transient& t) {
  const LinearField u = Displacements(t);
  double sum = 0;
  for (size_t j = 0; j < t.share.size(); j++)
    sum += t.v.residuals[j] * std::abs(t.share[j]) * LargestNode(t.v.shapes[j], u).second *
           t.motions[j].MostRinging(t.end);
  return t.still > 0 ? sum / t.still : 0;
}

void CheckModesSuffice(Transient& t, const Run& run, double energy) {
  Evidence& ev = t.p.answer.evidence;
  const double share = run.stress_in_time ? StressBeyond(t, run) : LeftOfEnergy(t, energy);
  for (const char* name : {"max", "p99"})
    t.p.answer.output["time_errors"][std::string("/von_mises/") + name] =
        kBeyondSafety * share * t.p.answer.output["von_mises"][name].get<double>();
  ev.Within(
      {"modes_suffice", "refinement", "/von_mises/max", share, kMostLeftOfStress, "1",
       (run.stress_in_time
            ? "Modes from " + Text(Frequency(t.next)) + " Hz on, which are left out, may " +
                  "vibrate with about " + Text(100 * share, 2) +
                  " % of the largest stress, by those from " + Text(0.5 * t.HighestFrequency()) +
                  " to " + Text(t.HighestFrequency()) + " Hz and the spectrum of the loads."
            : "What the modes up to " + Text(t.HighestFrequency()) +
                  " Hz leave of the loads may vibrate with " + Text(100 * share, 2) +
                  " % of the stresses over the whole part (energy norm)."),
       "The loads change so quickly that stresses travel as waves, whose fronts modes do not "
       "resolve: give the time in which the loads rise in history."});
  const double off = UnconvergedShare(t);
  ev.Within({"modes_converged", "residual", "/transient", off, kMostResidual, "1",
             "By the errors of their eigenvalues the modes are those of the discrete part to " +
                 Text(off, 2) + " of the static displacement."});
  CheckCount(t.v.count, "/transient", "K - mu M", "modes",
             "That no mode was missed was not counted: the part has too many unknowns, or the "
             "eigenvalues lie too close together.",
             ev);
  if (!run.stress_in_time)
    ev.Holds("stress_in_time", "model", "/von_mises", false,
             "Stresses are those at the largest displacement alone, and may be larger at another "
             "time: there is no room for those of " +
                 std::to_string(t.share.size()) + " modes. Give more memory, or a coarser mesh.");
}

void CheckTimes(Transient& t, const Run& run, const Sampling& samples) {
  Evidence& ev = t.p.answer.evidence;
  double at_steps = 0;
  for (const auto& step : run.displaced) at_steps = std::max(at_steps, step.second);
  ev.AtLeast({"peak_between_steps", "refinement", "/transient/peak/displacement",
              samples.PerPeriod(), kLeastPerPeriod, "1",
              "The peak was looked for at " + Text(samples.PerPeriod(), 3) +
                  " times in each period of the highest mode that takes part, and then between "
                  "them; the " +
                  std::to_string(t.count + 1) + " times of the table reach " +
                  Text(run.peak.size > 0 ? 100 * at_steps / run.peak.size : 100, 4) + " % of it.",
              "Shorten time.end."});
  if (run.peak.time > kAtEnd * t.end && run.peak.size > 0)
    t.p.answer.warnings.push_back(
        {"peak_at_end", "The displacement is largest at the end of the time, " + Seconds(t.end) +
                            ", and may go on to grow: raise time.end to see the largest of all."});
  ev.Note(
      "The error of a frequency shifts the phase of its mode: error bars grow with time. Figures "
      "are the largest up to " +
      Seconds(t.end) + ".");
}

// The least safety factor by node, of the times at which each material is stressed the most, and
// when it is least.
Values LeastSafety(Transient& t, const Run& run, double& when) {
  Elasticity& p = t.p;
  when = run.stress.time;
  Values least = SafetyByNode(p);
  const StressField at_stress = p.stress;
  for (const Yielding& y : run.yielding) {
    if (y.peak.time == run.stress.time) continue;
    const Values u = Displacements(t).At(t, y.peak.time);
    p.stress =
        RecoverStress(*p.space, u, p.materials.lame, p.materials.material, {}, p.materials.yield);
    const Values then = SafetyByNode(p);
    if (Least(then) < Least(least)) when = y.peak.time;
    for (size_t i = 0; i < least.size(); i++) least[i] = std::min(least[i], then[i]);
  }
  p.stress = at_stress;
  return least;
}

void StateSafety(Transient& t, const Run& run, Json& answer) {
  Json& out = t.p.answer.output;
  double when = 0;
  ReportSafety(t.p, LeastSafety(t, run, when), out["von_mises"]["singularity"] == "not_seen");
  if (!out.contains("safety_factor")) return;
  answer["safety_time"] = when;
  Json& left = out["time_errors"];
  left["/safety_factor/min"] = left["/von_mises/max"].get<double>() /
                               out["von_mises"]["max"].get<double>() *
                               out["safety_factor"]["min"].get<double>();
}

// Stress and safety where the stress is largest, and the fields of both peaks.
void ReportStates(Transient& t, const Run& run, const Values& at_peak, Json& answer) {
  Elasticity& p = t.p;
  Json& out = p.answer.output;
  auto recover = [&](const Values& u) {
    return RecoverStress(*p.space, u, p.materials.lame, p.materials.material, {},
                         p.materials.yield);
  };
  const bool same = run.stress.time == run.peak.time;
  const Values at_stress = same ? at_peak : Displacements(t).At(t, run.stress.time);
  const StressField there = recover(at_peak);
  p.stress = same ? there : recover(at_stress);
  answer["stress_time"] = run.stress.time;
  out["von_mises"] = ReportPeakStress(p);
  const double energy = StrainEnergy(p, at_stress);
  StateEnergyError(p.answer,
                   RelateError(kEstimatorFactor[p.space->Order()] * p.stress.error, 2 * energy,
                               p.domain.mesh->GetNE()),
                   {"stress_error", "/von_mises",
                    "the stresses over the whole part at " + Seconds(run.stress.time),
                    "; a peak may be off by more.",
                    ": the mesh is too coarse for stresses: " + p.answer.evidence.Finer() + ".",
                    "No error was estimated: there is no load, or too few elements to compare."});
  CheckModesSuffice(t, run, energy);
  StateSafety(t, run, answer);
  if (p.domain.refined) return;
  EmitProgress(0.85, "writing fields");
  VtuWriter writer(*p.space, "solution");
  auto write = [&](double time, const Values& u, const StressField& s) {
    writer.Write(time,
                 {{"displacement", "m", p.dim, &u},
                  {"von_mises", "Pa", 1, &s.von_mises},
                  {"stress", "Pa", kStressComponents, &s.tensor}},
                 {});
  };
  if (run.stress.time < run.peak.time) write(run.stress.time, at_stress, p.stress);
  write(run.peak.time, at_peak, there);
  if (run.stress.time > run.peak.time) write(run.stress.time, at_stress, p.stress);
  p.answer.artifacts.push_back(writer.Artifact());
  out["fields"] = writer.Fields();
  out["vtk_file"] = writer.Collection();
}

std::string Summary(const Transient& t, const Run& run) {
  std::string text =
      "Largest displacement " + Text(run.peak.size) + " m at " + Seconds(run.peak.time);
  if (t.still > 0)
    text += ", " + Text(run.peak.size / t.still) + " times that of the loads at rest";
  return text + ".";
}

}  // namespace

void ReportTransient(Transient& t, const Probes& probes) {
  Elasticity& p = t.p;
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space->Order());
  ev.Note(Provenance("superposition of modes, integration in time, static correction") +
          " Lanczos' method: Spectra.");
  const Sampling samples(t);
  const Run run = Follow(t, samples, probes);
  Json& out = p.answer.output;
  out["analysis"] = "transient";
  out["order"] = p.space->Order();
  out["unknowns"] = p.constraints->fixed.size();
  out["iterations"] = p.report.iterations + t.v.inner.iterations;
  out["solver"] = DescribeSolver(t.v.inner);
  out["imbalance"] = 0;
  out["loads"] = Json::array();
  for (const Region& r : p.regions) out["loads"].push_back(DescribeRegion(r));
  Json answer = {{"damping", Describe(t.damping)},
                 {"history", t.history.shape},
                 {"start", t.from_static ? "static" : "rest"},
                 {"end", t.end},
                 {"steps", t.count},
                 {"modes", t.share.size()},
                 {"highest_frequency", t.HighestFrequency()},
                 {"table", kTable}};
  TransientBars bars(t);
  StatePeak(t, run, bars, answer);
  StateProbes(t, samples, probes, bars, answer);
  const Values at_peak = Displacements(t).At(t, run.peak.time);
  out["energy"] = StrainEnergy(p, at_peak);
  CheckEquations(t, at_peak, run.peak.time);
  CheckTimes(t, run, samples);
  CheckSmallVibration(p, {&at_peak});
  CheckMesh(p.domain, p.regions, false, ev);
  CheckMaterials(p);
  CheckWaveSpeed(p);
  ReportStates(t, run, at_peak, answer);
  out["transient"] = answer;
  p.answer.summary = Summary(t, run);
}

}  // namespace atelier
