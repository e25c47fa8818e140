#include "harmonic.hpp"

#include <algorithm>
#include <cmath>

#include "krylov.hpp"

namespace atelier {
namespace {

constexpr int kMostFrequencies = 1000;
constexpr double kModesUpTo = 2;  // times the highest frequency asked
constexpr int kLeastModes = 3, kMostModesKept = 200;
constexpr int kMostCorrections = 40;
constexpr double kCorrected = 1e-11;  // of the static displacements
constexpr double kSolve = 1e-11;      // tolerance of the inner solves
// Of an eigenvalue: so near to it a mode without damping has no response that can be computed.
constexpr double kOnResonance = 1e-10;
constexpr double kFine = 0.25;     // of the width of a resonance: its height is found to 3 %
constexpr double kResonant = 0.5;  // of the largest displacement: a mode makes it

Values ReadFrequencies(const Config& config) {
  if (!config.Has("frequencies"))
    throw Error(codes::kInvalidInput, "a harmonic analysis needs the frequencies of the loads")
        .At(config.Pointer("frequencies"))
        .Hint("Give a list in Hz, or {\"from\": 10, \"to\": 200, \"count\": 100}.");
  const Json& given = config.Raw("frequencies");
  Values out;
  if (given.is_array()) {
    for (const Json& f : given) {
      if (!f.is_number() || !(f.get<double>() > 0))
        throw config.Refuse("frequencies", "must be numbers greater than 0, in Hz")
            .Hint("For a constant load use analysis static.");
      out.push_back(f.get<double>());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  const Config sweep = config.Object("frequencies");
  const double from = sweep.Positive("from"), to = sweep.Positive("to");
  const int count = sweep.Integer("count", 100, 2, kMostFrequencies);
  const bool log = sweep.Choice("spacing", "linear", {"linear", "log"}) == "log";
  if (!(to > from))
    throw sweep.Refuse("to", "must be more than from").Hint("Of one frequency give a list.");
  for (int i = 0; i < count; i++) {
    const double t = static_cast<double>(i) / (count - 1);
    out.push_back(log ? from * std::pow(to / from, t) : from + t * (to - from));
  }
  return out;
}

double Radians(double frequency) { return 2 * M_PI * frequency; }

// All modes up to twice the highest frequency. Counted where they can be.
void FindAllModes(Harmonic& h) {
  Vibration& v = h.v;
  const double top = std::pow(kModesUpTo * Radians(h.frequencies.back()), 2);
  const int free = h.p.constraints->Free();
  v.count.counted = CountModesBelow(v, top);
  v.wanted = std::max(v.count.counted, kLeastModes);
  for (;; v.wanted *= 2) {
    if (v.wanted > kMostModesKept || v.count.counted > free - 2)
      throw h.p.config
          .Refuse("frequencies",
                  "reach up to " + Text(h.frequencies.back()) +
                      " Hz, and below twice that the part has " +
                      (v.count.counted > 0 ? std::to_string(v.count.counted)
                                           : "more than " + std::to_string(kMostModesKept)) +
                      " modes")
          .Hint("At most " + std::to_string(std::min(kMostModesKept, free - 2)) +
                " are superposed: ask for lower frequencies, or use a finer mesh where it has "
                "hardly more unknowns than modes.");
    v.wanted = std::min(v.wanted, free - 2);
    v.lambda.clear(), v.shapes.clear(), v.residuals.clear();
    FindModes(v);
    if (v.count.counted >= 0 || v.lambda.back() > top || v.wanted == free - 2) break;
  }
  v.count.expected = static_cast<int>(
      std::count_if(v.lambda.begin(), v.lambda.end(), [&](double l) { return l < top; }));
}

// Takes the modes out of y.
void Purge(const Vibration& v, Values& y) {
  for (int twice = 0; twice < 2; twice++) {
    const Values my = Times(v.mass, y);
    Values part;
    for (const Values& phi : v.shapes) part.push_back(Dot(phi, my));
    for (size_t j = 0; j < part.size(); j++) Axpy(-part[j], v.shapes[j], y);
  }
}

// What the modes leave of the load moves the part as K^-1, then K^-1 M K^-1 w^2 and so on: each
// term is less than a quarter of the one before it, since all modes up to 2 w are taken out.
void FindCorrections(Harmonic& h) {
  const Vibration& v = h.v;
  SolveOptions options = h.p.options;
  options.relative_tolerance = std::min(kSolve, options.relative_tolerance);
  options.by_energy = true;
  options.expected_loads = kEigenSolves;
  Values rest = h.load, modal(h.load.size(), 0.0);
  for (size_t j = 0; j < v.shapes.size(); j++) Axpy(h.participation[j], v.shapes[j], modal);
  Axpy(-1, Times(v.mass, modal), rest);
  const double w = Radians(h.frequencies.back());
  const double growth = std::abs(h.damping.Inertial(w) / h.damping.Elastic(w));
  const double size = std::sqrt(Dot(h.p.u, Times(v.mass, h.p.u)));
  double power = 1;
  for (int k = 0; k < kMostCorrections; k++, power *= growth) {
    h.p.constraints->Clear(rest);
    Values y;
    if (Norm2(rest) == 0) return;
    const SolveReport report = h.p.problem->SolveHomogeneous(rest, y, options);
    RequireConverged(report, options, *h.p.domain.mesh, &h.p.materials.lame);
    h.v.inner.Worst(report);
    Purge(v, y);
    rest = Times(v.mass, y);
    const double left = power * std::sqrt(Dot(y, rest));
    h.quasi.push_back(std::move(y));
    if (left <= kCorrected * size) return;
  }
  throw Error(codes::kNotConverged, "the static correction of the modes has not settled after " +
                                        std::to_string(kMostCorrections) + " terms")
      .At(h.p.config.Pointer("frequencies"))
      .Hint("Ask for lower frequencies.");
}

// u += c x
void Add(Complex c, const Values& x, Response& u) {
  Axpy(c.real(), x, u.re);
  Axpy(c.imag(), x, u.im);
}

}  // namespace

void PrepareResponse(Harmonic& h) {
  AssembleVibration(h.v);
  h.load = h.p.load;
  h.p.constraints->Clear(h.load);
  FindAllModes(h);
  for (const Values& phi : h.v.shapes) h.participation.push_back(Dot(phi, h.load));
  EmitProgress(0.6, "correcting what the modes leave of the loads");
  FindCorrections(h);
}

int DigitsOf(const Harmonic& h) {
  constexpr int kMost = 15;
  int digits = kHertzDigits;
  for (size_t k = 1; k < h.frequencies.size(); k++) {
    const double one = h.frequencies[k - 1], next = h.frequencies[k];
    while (digits < kMost && Text(one, digits) == Text(next, digits)) digits++;
  }
  return digits;
}

Response Respond(const Harmonic& h, double frequency) {
  const double w = Radians(frequency);
  const size_t n = h.load.size();
  Response u = {frequency, Values(n, 0.0), Values(n, 0.0)};
  for (size_t j = 0; j < h.v.shapes.size(); j++) {
    const Complex mode = h.damping.Mode(w, h.v.lambda[j]);
    if (std::abs(mode) <= kOnResonance * h.v.lambda[j])
      throw Error(codes::kSingularSystem, "the part has a natural frequency of " +
                                              Text(Frequency(h.v.lambda[j]), 8) +
                                              " Hz, and no damping to bound its response there")
          .At(h.p.config.Pointer("frequencies"))
          .Hint("Give a damping that is not 0, or another frequency.");
    Add(h.participation[j] / mode, h.v.shapes[j], u);
  }
  const Complex elastic = h.damping.Elastic(w), ratio = h.damping.Inertial(w) / elastic;
  Complex factor = 1.0 / elastic;
  for (const Values& y : h.quasi) {
    Add(factor, y, u);
    factor *= ratio;
  }
  return u;
}

Response Remainder(const Harmonic& h, const Response& u) {
  const double w = Radians(u.frequency);
  const size_t n = h.load.size();
  Response inertia = {u.frequency, Values(n, 0.0), Values(n, 0.0)}, rest = inertia;
  if (h.damping.ratio > 0) {
    for (size_t j = 0; j < h.v.shapes.size(); j++) {
      const double lambda = h.v.lambda[j];
      Add(Complex(0, -2 * h.damping.ratio * w * std::sqrt(lambda)) * h.participation[j] /
              h.damping.Mode(w, lambda),
          h.v.shapes[j], inertia);
    }
  }
  const Complex s = h.damping.Elastic(w), m = h.damping.Inertial(w);
  for (size_t i = 0; i < n; i++) {
    inertia.re[i] += m.real() * u.re[i] - m.imag() * u.im[i];
    inertia.im[i] += m.real() * u.im[i] + m.imag() * u.re[i];
  }
  rest.re = Times(h.v.mass, inertia.re), rest.im = Times(h.v.mass, inertia.im);
  const Values kr = h.p.problem->Stiffness(u.re), ki = h.p.problem->Stiffness(u.im);
  for (size_t i = 0; i < n; i++) {
    rest.re[i] += h.load[i] - s.real() * kr[i] + s.imag() * ki[i];
    rest.im[i] -= s.real() * ki[i] + s.imag() * kr[i];
  }
  h.p.constraints->Clear(rest.re), h.p.constraints->Clear(rest.im);
  return rest;
}

namespace {

// Whether the frequencies go from low to high, Hz, so close together that the height of a
// resonance of some width is found wherever it lies.
bool Sweeps(const Harmonic& h, double low, double high, double width) {
  const Values& f = h.frequencies;
  if (f.front() > low || f.back() < high) return false;
  for (size_t k = 1; k < f.size(); k++) {
    if (f[k] > low && f[k - 1] < high && f[k] - f[k - 1] > kFine * width) return false;
  }
  return true;
}

}  // namespace

void CheckResonance(Harmonic& h, const std::string& figure, double frequency, double displacement) {
  for (size_t j = 0; j < h.v.lambda.size(); j++) {
    const double own = Frequency(h.v.lambda[j]), width = 2 * h.damping.RatioOf(h.v.lambda[j]) * own;
    const double error = h.errors[j].value_or(0) * own;
    if (error <= width / 2) continue;
    const double reach = error + width / 2;
    if (std::abs(frequency - own) > reach || Sweeps(h, own - reach, own + reach, width)) continue;
    const double part =
        std::abs(h.participation[j] / h.damping.Mode(Radians(frequency), h.v.lambda[j])) *
        Largest(h.v.shapes[j]);
    if (part < kResonant * displacement) continue;
    const std::string mode = Text(own, 6) + " Hz, known to " + Text(error, 2) + " Hz";
    h.p.answer.evidence.Holds(
        "resonance_resolved", "model", figure, false,
        width > 0
            ? "The largest displacement, at " + Text(frequency, 6) +
                  " Hz, is that of the resonance at " + mode + " by this mesh and only " +
                  Text(width, 2) +
                  " Hz wide: the response at one frequency there cannot be known. Sweep from " +
                  Text(std::max(0.0, own - reach), 6) + " to " + Text(own + reach, 6) +
                  " Hz in steps of " + Text(kFine * width, 2) +
                  " Hz at most: the height of the peak hangs on the damping alone."
            : "The load vibrates at a natural frequency (" + mode +
                  " by this mesh), and nothing damps it: the response has no bound. Give the "
                  "damping.");
    return;
  }
}

double Residual(const Harmonic& h, const Response& u) {
  const Response rest = Remainder(h, u);
  const double size = Norm2(h.load);
  return size > 0 ? std::hypot(Norm2(rest.re), Norm2(rest.im)) / size : 0;
}

double Correction(const Harmonic& h, const Response& u) {
  const Vibration& v = h.v;
  const double w = Radians(u.frequency);
  Response rest = Remainder(h, u), change;
  Response modal = {u.frequency, Values(h.load.size(), 0.0), Values(h.load.size(), 0.0)},
           shares = modal;
  for (size_t j = 0; j < v.shapes.size(); j++) {
    const Complex share(Dot(v.shapes[j], rest.re), Dot(v.shapes[j], rest.im));
    Add(share / h.damping.Mode(w, v.lambda[j]), v.shapes[j], modal);
    Add(share, v.shapes[j], shares);
  }
  Axpy(-1, Times(v.mass, shares.re), rest.re), Axpy(-1, Times(v.mass, shares.im), rest.im);
  h.p.problem->SolveHomogeneous(rest.re, change.re, h.p.options);
  h.p.problem->SolveHomogeneous(rest.im, change.im, h.p.options);
  Axpy(1, modal.re, change.re), Axpy(1, modal.im, change.im);
  auto energy = [&](const Response& x) {
    return Dot(x.re, h.p.problem->Stiffness(x.re)) + Dot(x.im, h.p.problem->Stiffness(x.im));
  };
  const double size = energy(u);
  return size > 0 ? std::sqrt(energy(change) / size) : 0;
}

Answer SolveHarmonic(Domain& domain, const Config& config) {
  Elasticity p(domain, config);
  Harmonic h(p);
  h.frequencies = ReadFrequencies(config);
  h.listed = config.Raw("frequencies").is_array();
  h.damping = ReadDamping(config, "a harmonic analysis");
  SetUp(p);
  RefuseSteady(p, "a harmonic analysis");
  RequireDensity(p);
  const Probes probes(domain, config);
  SolveLoaded(p);
  PrepareResponse(h);
  ReportHarmonic(h, probes);
  return std::move(p.answer);
}

}  // namespace atelier
