// What a transient analysis answers, and what stands behind its figures.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "bodies.hpp"
#include "error_estimate.hpp"
#include "gradient.hpp"
#include "krylov.hpp"
#include "memory_limit.hpp"
#include "transient.hpp"

namespace atelier {
namespace {

constexpr const char* kTable = "response.csv";
constexpr const char* kMethod =
    "superposition of modes integrated exactly, with static correction; error bar by those of the "
    "frequencies and a dual solution";
constexpr double kStressMemory = 1e9;  // bytes that stresses of modes may take,
constexpr double kStressShare = 0.25;  // and of the memory that is free
constexpr double kStressful = 1e-9;    // of the static displacement: a mode has stresses

double Least(const Values& x) { return *std::min_element(x.begin(), x.end()); }

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
LinearField Stresses(const Transient& t, TransientRun& run) {
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
      run.tensors[j] = RecoverStress(*p.space, phi, p.materials.lame, p.materials.kind).tensor;
    field.modes.push_back(run.tensors[j].empty() ? nullptr : &run.tensors[j]);
  }
  return field;
}

// Materials with a yield strength, where there are several.
void FindYielding(const Transient& t, const LinearField& stress, TransientRun& run) {
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

// The highest frequency of a mode whose stresses count beside the static ones, Hz.
double HighestStressed(const Transient& t, const LinearField& stress) {
  double highest = 0;
  const double still = t.history.largest * LargestNode(t.p.stress.tensor, stress).second;
  for (size_t j = 0; j < stress.modes.size(); j++) {
    if (!stress.modes[j]) continue;
    const double size = std::abs(t.share[j]) * LargestNode(*stress.modes[j], stress).second;
    if (size * t.motions[j].MostRinging(t.end) > kTakesPart * still)
      highest = Frequency(t.v.lambda[j]);
  }
  return highest;
}

TransientRun Follow(Transient& t, const LinearField& stress, const Sampling& samples,
                    const Probes& probes, TransientRun run) {
  Table table(t, probes);
  const LinearField displacement = Displacements(t);
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

void StatePeak(Transient& t, const TransientRun& run, TransientBars& bars, Json& out) {
  Elasticity& p = t.p;
  const Peak& peak = run.peak;
  const LinearField field = Displacements(t);
  const Values none(t.share.size(), 0.0);
  const Values u = field.AtNode(peak.node, t.Still(peak.time), DynamicParts(t, peak.time)),
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
  const double above = AboveNode(*p.space, field.At(t, peak.time), peak.node);
  const double beyond = LeftByModes(t, peak.time, left, phi) + above;
  p.answer.output["above_nodes"][q.figure] = above;
  auto bar = bars.Of(peak.time, {{peak.node, 1.0}}, u, still, phi);
  State(t, q, bar, beyond);
  if (t.still == 0) return;
  out["static_displacement"] = t.still;
  out["dynamic_load_factor"] = peak.size / t.still;
  Quantity f = {"dynamic load factor", "/transient/dynamic_load_factor", peak.size / t.still, "1",
                "largest displacement over that of the largest loads at rest"};
  f.quoted = true;
  if (bar) *bar /= t.still;
  State(t, f, bar, beyond / t.still);
  p.answer.output["above_nodes"][f.figure] = above / t.still;
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
  const double factor = t.Still(out.peak.time);
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

// The least safety factor by node, of the times at which each material is stressed the most, and
// when it is least.
Values LeastSafety(Transient& t, const TransientRun& run, double& when) {
  Elasticity& p = t.p;
  when = run.stress.time;
  Values least = SafetyByNode(p);
  const StressField at_stress = p.stress;
  for (const Yielding& y : run.yielding) {
    if (y.peak.time == run.stress.time) continue;
    const Values u = Displacements(t).At(t, y.peak.time);
    p.stress =
        RecoverStress(*p.space, u, p.materials.lame, p.materials.kind, {}, p.materials.yield);
    const Values then = SafetyByNode(p);
    if (Least(then) < Least(least)) when = y.peak.time;
    for (size_t i = 0; i < least.size(); i++) least[i] = std::min(least[i], then[i]);
  }
  p.stress = at_stress;
  return least;
}

void StateSafety(Transient& t, const TransientRun& run, Json& answer) {
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
void ReportStates(Transient& t, const TransientRun& run, const TransientBars& bars,
                  const Values& at_peak, Json& answer) {
  Elasticity& p = t.p;
  Json& out = p.answer.output;
  auto recover = [&](const Values& u) {
    return RecoverStress(*p.space, u, p.materials.lame, p.materials.kind, {}, p.materials.yield);
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
  CheckModesSuffice(t, run, bars, energy);
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

std::string Summary(const Transient& t, const TransientRun& run) {
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
  TransientRun recovered;
  const LinearField stress = Stresses(t, recovered);
  const Sampling samples(t, HighestStressed(t, stress));
  const TransientRun run = Follow(t, stress, samples, probes, std::move(recovered));
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
  ReportStates(t, run, bars, at_peak, answer);
  out["transient"] = answer;
  p.answer.summary = Summary(t, run);
}

}  // namespace atelier
