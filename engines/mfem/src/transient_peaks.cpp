// The largest values of a response over nodes and time.
#include <algorithm>
#include <cmath>
#include <set>

#include "krylov.hpp"
#include "transient.hpp"

namespace atelier {
namespace {

constexpr double kPerPeriod = 16;  // samples in a period of the highest mode that takes part
constexpr size_t kMostSamples = 50000;
constexpr size_t kMostCandidates = 16;  // nodes of which one is the most displaced
constexpr int kMostRounds = 8;
constexpr int kGolden = 40;  // steps of a golden section: to 4e-9 of its interval

}  // namespace

double HighestThatTakesPart(const Transient& t) {
  double highest = Frequency(t.v.lambda.front());
  const LinearField u = Displacements(t);
  for (size_t j = 0; j < t.share.size(); j++) {
    const double size = std::abs(t.share[j]) * LargestNode(t.v.shapes[j], u).second;
    if (size * t.motions[j].MostRinging(t.end) > kTakesPart * t.still)
      highest = Frequency(t.v.lambda[j]);
  }
  return highest;
}

double VectorLength(const double* v, int components) {
  double sum = 0;
  for (int c = 0; c < components; c++) sum += v[c] * v[c];
  return std::sqrt(sum);
}

double AsVonMises(const double* s, int) { return VonMises(s); }

LinearField Displacements(const Transient& t) {
  LinearField f = {t.p.dim, &t.p.u, {}, VectorLength};
  for (const Values& phi : t.v.shapes) f.modes.push_back(&phi);
  return f;
}

Values LinearField::At(const Transient& t, double time) const {
  const double factor = t.Still(time);
  const Values dynamic = DynamicParts(t, time);
  Values out = *statics;
  for (double& x : out) x *= factor;
  for (size_t j = 0; j < modes.size(); j++) {
    if (modes[j]) Axpy(dynamic[j], *modes[j], out);
  }
  return out;
}

std::vector<double> LinearField::AtNode(int node, double factor, const Values& dynamic) const {
  std::vector<double> out(components);
  const size_t first = static_cast<size_t>(node) * components;
  for (int c = 0; c < components; c++) {
    out[c] = factor * (*statics)[first + c];
    for (size_t j = 0; j < modes.size(); j++) {
      if (modes[j]) out[c] += dynamic[j] * (*modes[j])[first + c];
    }
  }
  return out;
}

std::pair<int, double> LargestNode(const Values& field, const LinearField& of) {
  std::pair<int, double> best = {0, -1};
  for (size_t i = 0; i < field.size(); i += of.components) {
    if (of.among && !(*of.among)[i / of.components]) continue;
    const double size = of.size(&field[i], of.components);
    if (size > best.second) best = {static_cast<int>(i / of.components), size};
  }
  return best;
}

Sampling::Sampling(const Transient& t, double stressed) {
  const double moves = HighestThatTakesPart(t), highest = std::max(moves, stressed);
  const size_t count = static_cast<size_t>(
      std::clamp(std::ceil(kPerPeriod * highest * t.end), 1.0, double{kMostSamples}));
  per_period_ = static_cast<double>(count) / (moves * t.end);
  per_stressed_period_ = static_cast<double>(count) / (highest * t.end);
  for (size_t k = 0; k <= count; k++)
    times_.push_back(t.end * static_cast<double>(k) / static_cast<double>(count));
  for (int k = 0; k <= t.count; k++) times_.push_back(t.Time(k));
  for (const auto& piece : t.history.pieces) times_.push_back(piece.start);
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  for (double time : times_) {
    factors_.push_back(t.Still(time));
    dynamic_.push_back(DynamicParts(t, time));
  }
}

Peak LargestInTime(const Transient& t, const Sampling& s,
                   const std::function<double(double, const Values&)>& size) {
  const Values& times = s.Times();
  size_t best = 0;
  double most = -1;
  for (size_t k = 0; k < times.size(); k++) {
    const double value = size(s.Factors()[k], s.Dynamic()[k]);
    if (value > most) most = value, best = k;
  }
  auto at = [&](double time) { return size(t.Still(time), DynamicParts(t, time)); };
  double low = times[best > 0 ? best - 1 : 0], high = times[std::min(best + 1, times.size() - 1)];
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  double a = high - golden * (high - low), b = low + golden * (high - low), fa = at(a), fb = at(b);
  Peak peak = {times[best], most, 0};
  for (int i = 0; i < kGolden; i++) {
    if (fa > fb) {
      high = b, b = a, fb = fa, a = high - golden * (high - low), fa = at(a);
    } else {
      low = a, a = b, fa = fb, b = low + golden * (high - low), fb = at(b);
    }
  }
  if (std::max(fa, fb) > peak.size) peak = {fa > fb ? a : b, std::max(fa, fb), 0};
  return peak;
}

// A node that is larger than those of the steps shows in the whole field at the peak.
Peak LargestOf(const Transient& t, const Sampling& s, const LinearField& field,
               const std::vector<std::pair<int, double>>& steps) {
  std::map<int, double> largest;
  for (const auto& [node, size] : steps) largest[node] = std::max(largest[node], size);
  std::vector<std::pair<int, double>> order(largest.begin(), largest.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (order.size() > kMostCandidates) order.resize(kMostCandidates);
  Peak best;
  std::set<int> seen;
  auto look = [&](int node) {
    seen.insert(node);
    Peak p = LargestInTime(t, s, [&](double factor, const Values& dynamic) {
      return field.size(field.AtNode(node, factor, dynamic).data(), field.components);
    });
    p.node = node;
    if (p.size > best.size) best = p;
  };
  for (const auto& candidate : order) look(candidate.first);
  for (int round = 0; round < kMostRounds; round++) {
    const int node = LargestNode(field.At(t, best.time), field).first;
    if (seen.count(node)) break;
    look(node);
  }
  return best;
}

}  // namespace atelier
