// What a harmonic analysis answers, and what stands behind its figures.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

#include "bodies.hpp"
#include "error_estimate.hpp"
#include "gradient.hpp"
#include "harmonic.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr size_t kMostListed = 8;        // frequencies whose responses the answer holds
constexpr double kMostChange = 1e-4;     // by solving for what is left of the loads, relative
constexpr double kLeastDamping = 1e-9;   // share of critical: a mode with less has none
constexpr double kUndampedShare = 1e-6;  // of the static response: a mode takes part in it
constexpr const char* kTable = "response.csv";
constexpr const char* kMethod =
    "superposition of modes with static correction; error bar by those of the frequencies and a "
    "dual solution";

using Vector = std::vector<Complex>;  // by component

// Largest length over a cycle.
double Length(const Vector& u) {
  double aa = 0, bb = 0, ab = 0;
  for (const Complex& c : u) {
    aa += c.real() * c.real();
    bb += c.imag() * c.imag();
    ab += c.real() * c.imag();
  }
  return OverCycle(aa, bb, ab);
}

Vector AtNode(const Response& u, int node, int dim) {
  Vector out;
  for (int c = 0; c < dim; c++) {
    const size_t i = static_cast<size_t>(node) * dim + c;
    out.emplace_back(u.re[i], u.im[i]);
  }
  return out;
}

// One frequency of the sweep.
struct Step {
  double frequency = 0, size = 0, residual = 0;  // size: largest displacement over a cycle, m
  int node = 0;                                  // where
  double above = 0;                              // by how much it is larger between the nodes
  Vector at_node;
  std::vector<Vector> probes;
};

// The displacements at the moment of the cycle when those of a node are largest.
Values AtPhaseOf(const Response& u, const Vector& at_node) {
  Complex squares = 0;
  for (const Complex& c : at_node) squares += c * c;
  const double phase = 0.5 * std::arg(squares), c = std::cos(phase), s = std::sin(phase);
  Values out(u.re.size());
  for (size_t i = 0; i < out.size(); i++) out[i] = c * u.re[i] + s * u.im[i];
  return out;
}

Step Look(const Harmonic& h, const Response& u, const Probes& probes) {
  const int dim = h.p.dim;
  Step s;
  s.frequency = u.frequency;
  for (int n = 0; n < h.p.space->Nodes(); n++) {
    const double* a = &u.re[static_cast<size_t>(n) * dim];
    const double* b = &u.im[static_cast<size_t>(n) * dim];
    const double size =
        OverCycle(std::inner_product(a, a + dim, a, 0.0), std::inner_product(b, b + dim, b, 0.0),
                  std::inner_product(a, a + dim, b, 0.0));
    if (size > s.size) s.size = size, s.node = n;
  }
  s.at_node = AtNode(u, s.node, dim);
  s.above = AboveNode(*h.p.space, AtPhaseOf(u, s.at_node), s.node);
  for (int i = 0; i < probes.Count(); i++) {
    const std::vector<double> re = probes.At(i, *h.p.space, dim, u.re),
                              im = probes.At(i, *h.p.space, dim, u.im);
    Vector v;
    for (int c = 0; c < dim; c++) v.emplace_back(re[c], im[c]);
    s.probes.push_back(v);
  }
  return s;
}

double Phase(Complex c) { return std::arg(c) * 180 / M_PI; }

class Table {
 public:
  Table(const Harmonic& h, const Probes& probes) : h_(h), out_(kTable) {
    out_ << "frequency_Hz,largest_m";
    for (int c = 0; c < h.p.dim; c++) out_ << ",at_" << "xyz"[c] << "_m";
    out_ << ",residual";
    for (int i = 0; i < probes.Count(); i++) {
      for (int c = 0; c < h.p.dim; c++) {
        const std::string name = "probe_" + std::to_string(i) + "_" + "xyz"[c];
        out_ << "," << name << "_m," << name << "_phase_deg";
      }
    }
    out_ << "\n";
  }
  void Add(const Step& s) {
    out_ << Text(s.frequency, 10) << "," << Text(s.size, 10);
    for (double x : h_.p.space->Point(s.node)) out_ << "," << Text(x, 10);
    out_ << "," << Text(s.residual, 3);
    for (const Vector& u : s.probes) {
      for (const Complex& c : u) out_ << "," << Text(std::abs(c), 10) << "," << Text(Phase(c), 8);
    }
    out_ << "\n";
  }

 private:
  const Harmonic& h_;
  std::ofstream out_;
};

// A component at a probe where it is largest in the sweep.
struct ProbePeak {
  size_t step = 0;
  int component = 0;
  double size = 0;
};

struct Sweep {
  std::vector<Step> steps;
  size_t peak = 0;
  Response at_peak;
  std::vector<ProbePeak> probes;
};

Sweep Run(Harmonic& h, const Probes& probes) {
  Sweep sweep;
  Table table(h, probes);
  sweep.probes.resize(probes.Count());
  for (size_t k = 0; k < h.frequencies.size(); k++) {
    Response u = Respond(h, h.frequencies[k]);
    Step s = Look(h, u, probes);
    s.residual = Residual(h, u);
    table.Add(s);
    for (int i = 0; i < probes.Count(); i++) {
      for (int c = 0; c < h.p.dim; c++) {
        const double size = std::abs(s.probes[i][c]);
        if (size > sweep.probes[i].size) sweep.probes[i] = {k, c, size};
      }
    }
    if (k == 0 || s.size > sweep.steps[sweep.peak].size) {
      sweep.peak = k;
      sweep.at_peak = std::move(u);
    }
    sweep.steps.push_back(std::move(s));
  }
  h.p.answer.artifacts.push_back({{"name", kTable}, {"mime_type", "text/csv"}});
  return sweep;
}

// Error bars of amplitudes.
class Bars {
 public:
  explicit Bars(Harmonic& h) : h_(h), dual_(h.p) {}

  // Of the length of u at these nodes, weighted; phi: each mode there.
  std::optional<double> Of(double frequency, const std::vector<std::pair<int, double>>& nodes,
                           const Vector& u, const std::vector<Values>& phi) {
    const auto modes = OfModes(2 * M_PI * frequency, u, phi);
    if (!modes) return std::nullopt;
    size_t c = 0;
    for (size_t k = 0; k < u.size(); k++) {
      if (std::abs(u[k]) > std::abs(u[c])) c = k;
    }
    const auto statics = OfStatic(nodes, static_cast<int>(c));
    if (!statics || std::abs(u[c]) == 0) return std::nullopt;
    return *modes + *statics * Length(u) / std::abs(u[c]);
  }

  // Of one component.
  std::optional<double> OfComponent(double frequency,
                                    const std::vector<std::pair<int, double>>& nodes, int c,
                                    Complex u, const std::vector<Values>& phi) {
    std::vector<Values> along;
    for (const Values& v : phi) along.push_back({v[c]});
    const auto modes = OfModes(2 * M_PI * frequency, {u}, along);
    const auto statics = OfStatic(nodes, c);
    if (!modes || !statics) return std::nullopt;
    return *modes + *statics;
  }

 private:
  // The error of the static displacement.
  std::optional<double> OfStatic(const std::vector<std::pair<int, double>>& nodes, int c) {
    const auto key = std::pair(nodes.front().first, c);
    if (const auto known = statics_.find(key); known != statics_.end()) return known->second;
    std::vector<double> direction(h_.p.dim, 0.0);
    direction[c] = 1;
    return statics_[key] = dual_.Of("", nodes, direction);
  }

  // How the length of u changes where each mode's eigenvalue is anywhere within its error bar, and
  // its share of u errs as the eigenvalue does; and what damping modes that are not superposed
  // would have.
  std::optional<double> OfModes(double w, const Vector& u, const std::vector<Values>& phi) const {
    const Damping& d = h_.damping;
    const double size = Length(u);
    Vector rest = u;
    double sum = 0;
    for (size_t j = 0; j < phi.size(); j++) {
      const double lambda = h_.v.lambda[j];
      if (!h_.errors[j]) return std::nullopt;
      const double error = 2 * *h_.errors[j];
      const Complex q = h_.participation[j] / d.Mode(w, lambda);
      double most = 0, share = 0;
      for (double at : {lambda * std::max(0.0, 1 - error), lambda * (1 + error), w * w}) {
        if (std::abs(at - lambda) > error * lambda * (1 + 1e-9)) continue;
        const Complex moved = h_.participation[j] / d.Mode(w, at) - q;
        Vector other = u;
        for (size_t c = 0; c < u.size(); c++) other[c] += moved * phi[j][c];
        const double change = std::abs(Length(other) - size);
        most = std::max(most, std::isfinite(change) ? change : INFINITY);
      }
      for (size_t c = 0; c < u.size(); c++) {
        share += std::norm(q * phi[j][c]);
        rest[c] -= q * phi[j][c];
      }
      sum += most + error * std::sqrt(share);
    }
    const double near = w / std::sqrt(h_.v.lambda.back());
    if (near < 1) sum += 2 * d.ratio * near / (1 - near * near) * Length(rest);
    return std::min(sum, kNoBound * size);
  }

  Harmonic& h_;
  ErrorBars dual_;
  std::map<std::pair<int, int>, std::optional<double>> statics_;
};

std::string Hertz(double f, int digits = kHertzDigits) { return Text(f, digits) + " Hz"; }

// States the largest displacement of a step.
void StateStep(Harmonic& h, const Step& s, const std::string& name, const std::string& figure,
               bool quoted, Bars& bars) {
  Quantity q = {name + " at " + Hertz(s.frequency, DigitsOf(h)), figure, s.size, "m", kMethod};
  q.where = h.p.space->Point(s.node);
  q.quoted = quoted;
  if (s.size > 0) q.error = bars.Of(s.frequency, {{s.node, 1.0}}, s.at_node, ModesAt(h.v, s.node));
  if (q.error) *q.error += s.above;
  h.p.answer.output["above_nodes"][figure] = s.above;
  CheckError(h.p.answer.evidence, q, s.size);
}

// All steps, or where they are many the ends and the local peaks, the largest first, by frequency.
std::vector<size_t> Listed(const Sweep& sweep) {
  const auto& s = sweep.steps;
  std::vector<size_t> out;
  for (size_t k = 0; k < s.size(); k++) {
    const bool end = k == 0 || k + 1 == s.size();
    if (s.size() <= kMostListed || end || (s[k].size >= s[k - 1].size && s[k].size > s[k + 1].size))
      out.push_back(k);
  }
  if (out.size() > kMostListed) {
    std::stable_sort(out.begin(), out.end(),
                     [&](size_t a, size_t b) { return s[a].size > s[b].size; });
    out.resize(kMostListed);
    std::sort(out.begin(), out.end());
  }
  return out;
}

void StateSweep(Harmonic& h, const Sweep& sweep, Bars& bars, Json& out) {
  const Step& peak = sweep.steps[sweep.peak];
  out["peak"] = {{"frequency", peak.frequency},
                 {"displacement", peak.size},
                 {"at", h.p.space->Point(peak.node)}};
  const std::string largest = "/harmonic/peak/displacement";
  StateStep(h, peak,
            h.listed ? "largest displacement of the frequencies listed,"
                     : "largest displacement of the sweep,",
            largest, true, bars);
  CheckResonance(h, largest, peak.frequency, peak.size);
  out["response"] = Json::array();
  const bool all = sweep.steps.size() <= kMostListed;
  for (size_t k : Listed(sweep)) {
    const Step& s = sweep.steps[k];
    if (all && sweep.steps.size() > 1) {
      const std::string figure =
          "/harmonic/response/" + std::to_string(out["response"].size()) + "/displacement";
      StateStep(h, s, "largest displacement", figure, false, bars);
      CheckResonance(h, figure, s.frequency, s.size);
    }
    out["response"].push_back({{"frequency", s.frequency},
                               {"displacement", s.size},
                               {"at", h.p.space->Point(s.node)},
                               {"residual", s.residual}});
  }
}

void StateProbes(Harmonic& h, const Sweep& sweep, const Probes& probes, Bars& bars, Json& out) {
  if (probes.Count() == 0) return;
  Json list = probes.Report(*h.p.space, h.p.dim, h.p.u, "static");
  for (int i = 0; i < probes.Count(); i++) {
    const ProbePeak& peak = sweep.probes[i];
    const Step& s = sweep.steps[peak.step];
    const Complex u = s.probes[i][peak.component];
    const std::string axis(1, "xyz"[peak.component]);
    list[i]["frequency"] = s.frequency;
    list[i]["component"] = axis;
    list[i]["amplitude"] = std::abs(u);
    list[i]["phase"] = Phase(u);
    if (i >= kMostProbeFigures) continue;
    Quantity q = {
        "amplitude " + axis + " at probe " + std::to_string(i) + " at " + Hertz(s.frequency),
        "/harmonic/probes/" + std::to_string(i) + "/amplitude", std::abs(u), "m", kMethod};
    q.where = list[i]["at"].get<std::vector<double>>();
    std::vector<Values> modes;
    for (const Values& v : h.v.shapes) modes.push_back(probes.At(i, *h.p.space, h.p.dim, v));
    if (std::abs(u) > 0)
      q.error =
          bars.OfComponent(s.frequency, probes.Weights(i, *h.p.space), peak.component, u, modes);
    CheckError(h.p.answer.evidence, q, std::abs(u));
  }
  out["probes"] = list;
}

// Whether a mode without damping takes part in the response.
bool TakesPart(const Harmonic& h, size_t mode) {
  return std::abs(h.participation[mode]) / h.v.lambda[mode] * Largest(h.v.shapes[mode]) >
         kUndampedShare * Largest(h.p.u);
}

// What is said about a figure: of all resonances missed the one with the largest response.
struct Missed {
  double size = 0;
  std::string sentence;
};

// A resonance between two frequencies that lie further apart than it is wide. A sweep looks for
// the largest response; of a list whose frequencies are those of the loads it is no fault.
void CheckSpacing(Harmonic& h, const Sweep& sweep, const Probes& probes) {
  const std::string largest = "/harmonic/peak/displacement",
                    closer = " Ask for frequencies closer together there.";
  const int stated = std::min(probes.Count(), kMostProbeFigures);
  std::map<std::string, Missed> missed;  // by figure
  const auto miss = [&](const std::string& figure, double asked, double size,
                        const std::string& sentence) {
    if (size > (1 + kAccuracy) * asked && size > missed[figure].size)
      missed[figure] = {size, sentence};
  };
  for (size_t j = 0; j < h.v.lambda.size(); j++) {
    const double f = Frequency(h.v.lambda[j]), ratio = h.damping.RatioOf(h.v.lambda[j]);
    const auto above = std::upper_bound(h.frequencies.begin(), h.frequencies.end(), f);
    if (above == h.frequencies.begin() || above == h.frequencies.end()) continue;
    const double low = *(above - 1), high = *above, width = 2 * ratio * f;
    if (width >= high - low || f == low) continue;
    const bool damped = ratio >= kLeastDamping;
    if (!damped && !TakesPart(h, j)) continue;
    const std::string place = "The resonance at " + Hertz(f) + ", " + Text(width, 2) +
                              " Hz wide, lies between the frequencies " + Hertz(low) + " and " +
                              Hertz(high) + ", which are further apart: ",
                      ask = " m." + std::string(h.listed ? "" : closer),
                      none = place + "without damping the response has no bound there.";
    const Step there = damped ? Look(h, Respond(h, f), probes) : Step();
    miss(largest, sweep.steps[sweep.peak].size, damped ? there.size : INFINITY,
         damped ? place + "at the resonance the largest displacement is " + Text(there.size) + ask
                : none);
    for (int i = 0; i < stated; i++) {
      const ProbePeak& peak = sweep.probes[i];
      const double size = damped ? std::abs(there.probes[i][peak.component]) : INFINITY;
      miss("/harmonic/probes/" + std::to_string(i) + "/amplitude", peak.size, size,
           damped ? place + "at the resonance the amplitude at this probe is " + Text(size) + ask
                  : none);
    }
  }
  for (const auto& [figure, it] : missed) {
    if (!h.listed)
      h.p.answer.evidence.Holds("sweep_holds_resonances", "model", figure, false, it.sentence);
    else if (figure == largest)
      h.p.answer.evidence.Note("The largest response is that at the frequencies listed. " +
                               it.sentence);
  }
  if (missed.empty() && h.frequencies.size() > 1)
    h.p.answer.evidence.Holds("sweep_holds_resonances", "model", largest, true,
                              "No resonance between the frequencies asked exceeds the largest "
                              "displacement at them.");
}

void CheckEquations(Harmonic& h, const Sweep& sweep) {
  Evidence& ev = h.p.answer.evidence;
  double worst = 0;
  for (const Step& s : sweep.steps) worst = std::max(worst, s.residual);
  h.p.answer.output["residual"] = worst;
  h.p.answer.output["error_norm"] = worst;
  const double change = Correction(h, sweep.at_peak);
  ev.Within({"residual", "residual", "", change, kMostChange, "1",
             "Solving the equations of motion once more, for what the largest response leaves of "
             "the loads, changes it by " +
                 Text(change, 2) + " of its size.",
             "Lower analysis_opts.rel_tol."});
  CheckCount(h.v.count, "/harmonic", "K - mu M", "modes up to twice the highest frequency",
             "That no mode was missed was not counted: the part has too many unknowns.", ev);
  const bool springs = std::any_of(h.p.regions.begin(), h.p.regions.end(),
                                   [](const Region& r) { return r.type == "elastic"; });
  if (springs && h.damping.loss + h.damping.beta > 0)
    ev.Note("Elastic supports are damped as the part is.");
  if (h.damping.ratio > 0)
    ev.Note("Modes beyond those superposed respond without damping; the error bars cover it.");
}

// The energy of the strains, at its largest over a cycle.
double StrainEnergy(const Harmonic& h, const Response& u) {
  const Values kr = h.p.problem->Stiffness(u.re), ki = h.p.problem->Stiffness(u.im);
  const double size = OverCycle(Dot(u.re, kr), Dot(u.im, ki), Dot(u.re, ki));
  return 0.5 * size * size;
}

void WriteFields(Harmonic& h, const Response& u) {
  Elasticity& p = h.p;
  if (p.domain.refined) return;
  EmitProgress(0.85, "writing fields");
  const StressField a = RecoverStress(*p.space, u.re, p.materials.lame, p.materials.kind),
                    b = RecoverStress(*p.space, u.im, p.materials.lame, p.materials.kind);
  Values size, stress;
  for (int n = 0; n < p.space->Nodes(); n++) {
    size.push_back(Length(AtNode(u, n, p.dim)));
    const double* s = &a.tensor[static_cast<size_t>(n) * kStressComponents];
    const double* t = &b.tensor[static_cast<size_t>(n) * kStressComponents];
    double sum[kStressComponents];
    for (int c = 0; c < kStressComponents; c++) sum[c] = s[c] + t[c];
    const double ss = std::pow(VonMises(s), 2), tt = std::pow(VonMises(t), 2);
    stress.push_back(OverCycle(ss, tt, 0.5 * (std::pow(VonMises(sum), 2) - ss - tt)));
  }
  VtuWriter writer(*p.space, "solution");
  writer.Write(0,
               {{"displacement_sine", "m", p.dim, &u.re},
                {"displacement_cosine", "m", p.dim, &u.im},
                {"displacement_amplitude", "m", 1, &size},
                {"von_mises_amplitude", "Pa", 1, &stress}},
               {});
  p.answer.artifacts.push_back(writer.Artifact());
  p.answer.output["fields"] = writer.Fields();
  p.answer.output["vtk_file"] = writer.Collection();
}

}  // namespace

void ReportHarmonic(Harmonic& h, const Probes& probes) {
  Elasticity& p = h.p;
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space->Order());
  ev.Note(Provenance("superposition of modes, static correction") + " Lanczos' method: Spectra.");
  EmitProgress(
      0.7, "computing the response at " + std::to_string(h.frequencies.size()) + " frequencies");
  const Sweep sweep = Run(h, probes);
  const Step& peak = sweep.steps[sweep.peak];
  Json& out = p.answer.output;
  out["analysis"] = "harmonic";
  out["order"] = p.space->Order();
  out["unknowns"] = p.constraints->fixed.size();
  out["iterations"] = p.report.iterations + h.v.inner.iterations;
  out["solver"] = DescribeSolver(h.v.inner);
  out["energy"] = StrainEnergy(h, sweep.at_peak);
  out["imbalance"] = 0;
  out["loads"] = Json::array();
  for (const Region& r : p.regions) out["loads"].push_back(DescribeRegion(r));
  Json answer = {{"damping", Describe(h.damping)},
                 {"frequencies", h.frequencies.size()},
                 {"modes", h.v.lambda.size()},
                 {"corrections", h.quasi.size()},
                 {"table", kTable}};
  for (size_t j = 0; j < h.v.lambda.size(); j++) h.errors.push_back(ShapeFrequencyError(h.v, j));
  Bars bars(h);
  StateSweep(h, sweep, bars, answer);
  StateProbes(h, sweep, probes, bars, answer);
  out["harmonic"] = answer;
  CheckEquations(h, sweep);
  CheckSpacing(h, sweep, probes);
  CheckSmallVibration(p, {&sweep.at_peak.re, &sweep.at_peak.im});
  CheckMesh(p.domain, p.regions, false, ev);
  CheckMaterials(p);
  CheckWaveSpeed(p);
  WriteFields(h, sweep.at_peak);
  p.answer.summary = "Largest displacement " + Text(peak.size) + " m at " + Hertz(peak.frequency) +
                     (sweep.steps.size() > 1
                          ? ", of " + std::to_string(sweep.steps.size()) + " frequencies from " +
                                Hertz(h.frequencies.front()) + " to " + Hertz(h.frequencies.back())
                          : std::string()) +
                     ".";
}

}  // namespace atelier
