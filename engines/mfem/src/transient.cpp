#include "transient.hpp"

#include <algorithm>
#include <cmath>

#include "error_estimate.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr int kFirstModes = 6, kMoreModes = 3, kMostModesFound = 128, kMostModesOfMany = 64;
// What the modes leave may vibrate by so much of the largest static displacement, and of the
// static displacements in the energy norm.
constexpr double kLeft = 0.002, kLeftOfEnergy = 0.05;
constexpr int kSpectrum = 48;          // frequencies beyond the highest mode that are looked at,
constexpr double kSpectrumReach = 30;  // up to so many times the first of them
constexpr int kMostSteps = 2000, kDefaultSteps = 200;
constexpr const char* kAnalysis = "a transient analysis";

void ReadTimes(Transient& t, const Config& config) {
  if (!config.Has("time"))
    throw Error(codes::kInvalidInput, "a transient analysis needs its end")
        .At(config.Pointer("time"))
        .Hint("Give {\"end\": 0.5, \"count\": 200}: the end in s, and how many times are told.");
  const Config time = config.Object("time");
  t.end = time.Positive("end");
  t.count = time.Integer("count", kDefaultSteps, 1, kMostSteps);
  t.from_static = config.Choice("start", "rest", {"rest", "static"}) == "static";
  t.history = ReadHistory(config, t.from_static);
  t.lag.emplace(t.damping.beta, t.history);
  if (t.history.last >= t.end)
    throw time
        .Refuse("end", "is " + Text(t.end) + " s, and the history of the loads goes on to " +
                           Text(t.history.last) + " s")
        .Hint("Raise it beyond that time, or cut the history.");
}

Damping ReadTimeDamping(const Config& config) {
  const Damping d = ReadDamping(config, kAnalysis);
  if (config.Object("damping").Has("loss_factor"))
    throw config.Object("damping")
        .Refuse("loss_factor", "has no meaning in time: it is that of a steady vibration")
        .Hint("Give ratio: half of the loss factor has the same effect at each resonance.");
  return d;
}

// Shares, motions and what the modes wanted leave.
void Superpose(Transient& t) {
  const Vibration& v = t.v;
  const size_t count = std::min(v.lambda.size(), static_cast<size_t>(v.wanted));
  t.share.clear(), t.motions.clear(), t.unresolved.clear();
  t.rest = t.p.u;
  for (size_t j = 0; j < count; j++) {
    t.share.push_back(Dot(v.shapes[j], t.p.load) / v.lambda[j]);
    t.motions.emplace_back(v.lambda[j], t.damping.RatioOf(v.lambda[j]), t.history);
    Axpy(-t.share[j], v.shapes[j], t.rest);
  }
  t.next = v.lambda[std::min(count, v.lambda.size() - 1)];
  for (int k = 0; k < kSpectrum; k++) {
    const double lambda = t.next * std::pow(kSpectrumReach, 2.0 * k / (kSpectrum - 1));
    t.unresolved.emplace_back(lambda, t.damping.RatioOf(lambda), t.history);
  }
}

double LargestVector(const Transient& t, const Values& u) {
  return Largest(LengthsByNode(u, t.p.dim));
}

// How far an oscillator may be from the static answer around a time. One that creeps has no phase.
double FromStill(const Transient& t, const Oscillator& o, double time) {
  return o.Creeps() ? std::abs(o.At(time).x - t.Still(time)) : o.Ringing(time);
}

// The elastic energy is that of the part: soft supports would hide how it bends.
bool LittleIsLeft(const Transient& t) {
  const double ringing = MostUnresolved(t);
  if (ringing * LargestVector(t, t.rest) > kLeft * t.still) return false;
  const auto strain = [&](const Values& u) {
    return std::sqrt(ElasticEnergy(*t.p.space, u, t.p.materials.lame, {}));
  };
  return ringing * strain(t.rest) <= kLeftOfEnergy * t.history.largest * strain(t.p.u);
}

}  // namespace

double MostUnresolved(const Transient& t) {
  double most = 0;
  for (const Oscillator& o : t.unresolved) {
    if (!o.Creeps()) {
      most = std::max(most, o.MostRinging(t.end));
      continue;
    }
    for (int k = 0; k <= t.count; k++) most = std::max(most, FromStill(t, o, t.Time(k)));
  }
  return most;
}

void PrepareTransient(Transient& t) {
  Vibration& v = t.v;
  AssembleVibration(v);
  t.still = t.history.largest * LargestVector(t, t.p.u);
  const auto& fixed = t.p.constraints->fixed;
  const int free = t.p.constraints->Free();
  const int some = fixed.size() > kManyUnknowns ? kMostModesOfMany : kMostModesFound;
  const int most = std::max(1, std::min(some, free - kSpareModes - 2));
  for (v.wanted = std::min(kFirstModes, most);; v.wanted = std::min(kMoreModes * v.wanted, most)) {
    v.lambda.clear(), v.shapes.clear(), v.residuals.clear(), v.residual = 0;
    FindModes(v);
    Superpose(t);
    if (v.wanted >= most || LittleIsLeft(t)) break;
  }
  EmitProgress(0.55, "counting the modes");
  CountModes(v);
  v.lambda.resize(v.wanted), v.shapes.resize(v.wanted);
}

Values DynamicParts(const Transient& t, double time) {
  const double still = t.Still(time);
  Values out;
  for (size_t j = 0; j < t.motions.size(); j++)
    out.push_back(t.share[j] * (t.motions[j].At(time).x - still));
  return out;
}

double Unresolved(const Transient& t, double time) {
  double most = 0;
  for (const Oscillator& o : t.unresolved) most = std::max(most, FromStill(t, o, time));
  return most;
}

double BeyondShare(const Transient& t, size_t mode) {
  const double lambda = t.v.lambda[mode];
  if (lambda < kUpperOctave * t.v.lambda.back()) return 0;
  return std::abs(t.share[mode]) * std::min(1.0, lambda / (kUpperOctave * t.next));
}

Answer SolveTransient(Domain& domain, const Config& config) {
  Elasticity p(domain, config);
  Transient t(p);
  t.damping = ReadTimeDamping(config);
  ReadTimes(t, config);
  SetUp(p);
  RefuseSteady(p, kAnalysis);
  RequireDensity(p);
  const Probes probes(domain, config);
  SolveLoaded(p);
  PrepareTransient(t);
  ReportTransient(t, probes);
  return std::move(p.answer);
}

}  // namespace atelier
