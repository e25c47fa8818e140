#include "time_history.hpp"

#include <algorithm>
#include <cmath>

namespace atelier {
namespace {

using Point = std::pair<double, double>;  // time, factor

constexpr int kMostPoints = 10000;
constexpr int kChords = 1024;  // of a half sine

std::vector<Point> ReadTable(const Config& config) {
  const Json& rows = config.Raw("history");
  std::vector<Point> out;
  auto refuse = [&](const std::string& what) {
    return config.Refuse("history", what)
        .Hint(
            "Give [[time in s, factor of the loads], ...] from time 0 on, as [[0, 0], [0.01, 1], "
            "[0.05, 1], [0.05, 0]], where two rows of one time are a jump.");
  };
  for (const Json& row : rows) {
    if (!row.is_array() || row.size() != 2 || !row[0].is_number() || !row[1].is_number())
      throw refuse("must be rows of a time and a factor");
    out.emplace_back(row[0].get<double>(), row[1].get<double>());
  }
  if (out.empty() || out.size() > kMostPoints)
    throw refuse("must have 1 to " + std::to_string(kMostPoints) + " rows");
  if (out.front().first != 0) throw refuse("must begin at time 0");
  for (size_t i = 1; i < out.size(); i++) {
    if (out[i].first < out[i - 1].first) throw refuse("must have times that rise");
    if (i > 1 && out[i].first == out[i - 2].first)
      throw refuse("has three rows of the time " + Text(out[i].first) + " s");
  }
  return out;
}

// Chords between points so far above the curve that the sine is in them with size 1: what they
// have beside it are harmonics of the order kChords.
std::vector<Point> HalfSine(double duration) {
  const double half = M_PI / kChords / 2, above = std::pow(half / std::sin(half), 2);
  std::vector<Point> out;
  for (int i = 0; i <= kChords; i++) {
    const double share = static_cast<double>(i) / kChords;
    out.emplace_back(share * duration, i == kChords ? 0 : above * std::sin(M_PI * share));
  }
  return out;
}

}  // namespace

int TimeHistory::PieceAt(double t) const {
  const auto after = std::lower_bound(pieces.begin(), pieces.end(), t,
                                      [](const Piece& p, double at) { return p.start < at; });
  return static_cast<int>(after - pieces.begin()) - 1;
}

double TimeHistory::Factor(double t) const {
  const int i = PieceAt(t);
  return i < 0 ? before : pieces[i].value + pieces[i].slope * (t - pieces[i].start);
}

TimeHistory ReadHistory(const Config& config, bool from_static) {
  if (!config.Has("history"))
    throw Error(codes::kInvalidInput, "a transient analysis needs the history of the loads")
        .At(config.Pointer("history"))
        .Hint(
            "Give {\"shape\": \"step\"}, {\"shape\": \"half_sine\", \"duration\": 0.011}, or "
            "[[time in s, factor of the loads], ...] from time 0 on.");
  TimeHistory out;
  std::vector<Point> points;
  if (config.Raw("history").is_array()) {
    out.shape = "table";
    points = ReadTable(config);
  } else {
    const Config c = config.Object("history");
    out.shape = c.Choice("shape", "step", {"step", "half_sine"});
    const bool step = out.shape == "step";
    if (step && c.Has("duration"))
      throw c.Refuse("duration", "is that of a half sine; a step lasts")
          .Hint("A rectangular pulse is [[0, 1], [duration, 1], [duration, 0]].");
    if (!step && !c.Has("duration"))
      throw Error(codes::kInvalidInput, "a half sine needs its duration")
          .At(c.Pointer("duration"))
          .Hint(
              "Give it in s: a shock of 11 ms is {\"shape\": \"half_sine\", \"duration\": 0.011}.");
    if (from_static)
      throw config.Refuse("history", "is a shape, which begins from rest")
          .Hint("From the static state give a table: [[0, 1], [0, 0]] releases the loads at 0.");
    points = step ? std::vector<Point>{{0, 1}} : HalfSine(c.Positive("duration"));
  }
  if (from_static) out.before = points.front().second;
  out.largest = std::abs(out.before);
  for (size_t i = 0; i < points.size(); i++) {
    const auto [t, factor] = points[i];
    out.largest = std::max(out.largest, std::abs(factor));
    const bool last = i + 1 == points.size();
    if (!last && points[i + 1].first == t) continue;
    out.pieces.push_back(
        {t, factor, last ? 0 : (points[i + 1].second - factor) / (points[i + 1].first - t)});
  }
  if (out.shape == "half_sine") out.largest = 1;
  if (out.largest == 0)
    throw config.Refuse("history", "is 0 at all times: the loads never act")
        .Hint("Give factors of the loads that are not 0.");
  out.last = points.back().first;
  return out;
}

}  // namespace atelier
