// Error bars of a response in time.
#include <algorithm>
#include <cmath>

#include "krylov.hpp"
#include "transient.hpp"

namespace atelier {
namespace {

// A phase that may be off by more, rad, may be anything.
constexpr double kKnownPhase = M_PI / 4;
// Of the largest static displacement: less is near a node of it.
constexpr double kStillShare = 0.1;

double Length(const Values& u) { return VectorLength(u.data(), static_cast<int>(u.size())); }

double ChangeOfLength(const Values& u, double moved, const Values& phi) {
  Values other = u;
  Axpy(moved, phi, other);
  return std::abs(Length(other) - Length(u));
}

}  // namespace

TransientBars::TransientBars(Transient& t) : t_(t), dual_(t.p) {
  for (size_t j = 0; j < t.share.size(); j++) frequency_.push_back(ShapeFrequencyError(t.v, j));
}

std::optional<double> TransientBars::OfStatic(const std::vector<std::pair<int, double>>& nodes,
                                              int c) {
  const auto key = std::pair(nodes.front().first, c);
  if (const auto known = statics_.find(key); known != statics_.end()) return known->second;
  std::vector<double> direction(t_.p.dim, 0.0);
  direction[c] = 1;
  return statics_[key] = dual_.Of("", nodes, direction);
}

std::optional<double> TransientBars::Of(double time,
                                        const std::vector<std::pair<int, double>>& nodes,
                                        const Values& u, const Values& still,
                                        const std::vector<Values>& phi) {
  size_t c = 0;
  for (size_t k = 0; k < u.size(); k++) {
    if (std::abs(u[k]) > std::abs(u[c])) c = k;
  }
  const auto modes = OfModes(time, u, phi);
  const auto statics = OfStatic(nodes, static_cast<int>(c));
  if (!modes || !statics || u[c] == 0) return std::nullopt;
  const double size = Length(u),
               amplified =
                   size / std::max({Length(still), kStillShare * t_.still / t_.history.largest});
  return std::min(
      *modes + *statics * size / std::abs(u[c]) * std::max(t_.history.largest, amplified),
      kNoBound * size);
}

std::optional<double> TransientBars::OfComponent(double time,
                                                 const std::vector<std::pair<int, double>>& nodes,
                                                 int c, const Values& u, const Values& still,
                                                 const std::vector<Values>& phi) {
  std::vector<Values> along;
  for (const Values& v : phi) along.push_back({v[c]});
  const auto modes = OfModes(time, {u[c]}, along);
  const auto statics = OfStatic(nodes, c);
  if (!modes || !statics) return std::nullopt;
  const double size = std::abs(u[c]),
               amplified =
                   size / std::max(std::abs(still[c]), kStillShare * t_.still / t_.history.largest);
  return std::min(*modes + *statics * std::max(t_.history.largest, amplified), kNoBound * size);
}

// How the length of u changes where each mode's eigenvalue is anywhere within its error bar, and
// its share of u errs as the eigenvalue does.
std::optional<double> TransientBars::OfModes(double time, const Values& u,
                                             const std::vector<Values>& phi) const {
  const Values dynamic = DynamicParts(t_, time);
  double sum = 0;
  for (size_t j = 0; j < phi.size(); j++) {
    if (!frequency_[j]) return std::nullopt;
    const double error = 2 * *frequency_[j];
    sum += OfPhase(j, error, time, u, phi[j]) + error * std::abs(dynamic[j]) * Length(phi[j]);
  }
  return sum;
}

double LeftByModes(const Transient& t, double time, const Values& left,
                   const std::vector<Values>& phi) {
  const double sampled = HighestThatTakesPart(t);
  double beyond = Length(left), missed = 0;
  for (size_t j = 0; j < phi.size(); j++) {
    beyond += BeyondShare(t, j) * Length(phi[j]);
    if (Frequency(t.v.lambda[j]) > sampled)
      missed += 2 * std::abs(t.share[j]) * t.motions[j].MostRinging(t.end) * Length(phi[j]);
  }
  return kBeyondSafety * beyond * Unresolved(t, time) + missed;
}

double TransientBars::OfPhase(size_t mode, double error, double time, const Values& u,
                              const Values& phi) const {
  const double lambda = t_.v.lambda[mode], share = t_.share[mode];
  if (std::abs(share) * Length(phi) * t_.motions[mode].MostRinging(time) <= 1e-9 * Length(u))
    return 0;
  const double x = t_.motions[mode].At(time).x;
  double most = 0;
  for (double part : {-1.0, -0.5, 0.5, 1.0}) {
    const double at = lambda * std::max(1e-3, 1 + part * error);
    const Oscillator other(at, t_.damping.RatioOf(at), t_.history);
    most = std::max(most, ChangeOfLength(u, share * (other.At(time).x - x), phi));
  }
  if (0.5 * error * std::sqrt(lambda) * time > kKnownPhase) {
    const double d = x - t_.Still(time), ringing = t_.motions[mode].Ringing(time);
    for (double other : {-ringing, ringing})
      most = std::max(most, ChangeOfLength(u, share * (other - d), phi));
  }
  return most;
}

}  // namespace atelier
