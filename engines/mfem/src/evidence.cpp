#include "evidence.hpp"

#include <algorithm>

namespace atelier {

void Evidence::Add(const Check& c, bool passed, bool least) {
  std::string sentence = c.sentence;
  if (!passed && !c.otherwise.empty()) {
    sentence.erase(sentence.find_last_not_of('.') + 1);
    sentence +=
        std::string(least ? ", which is too little: at least " : ", which is too much: at most ") +
        Text(c.limit, 2) + (c.unit == "1" ? "" : " " + c.unit) +
        (least ? " is needed. " : " is allowed. ") + c.otherwise;
  }
  checks_.push_back({{"name", c.name},
                     {"kind", c.kind},
                     {"figure", c.figure},
                     {"value", c.value},
                     {"limit", c.limit},
                     {"unit", c.unit},
                     {"passed", passed},
                     {"sentence", sentence}});
}

void Evidence::Holds(const std::string& name, const std::string& kind, const std::string& figure,
                     bool passed, const std::string& sentence) {
  checks_.push_back({{"name", name},
                     {"kind", kind},
                     {"figure", figure},
                     {"value", nullptr},
                     {"limit", nullptr},
                     {"unit", "1"},
                     {"passed", passed},
                     {"sentence", sentence}});
}

void Evidence::State(const Quantity& q) {
  Json figure = {{"name", q.name},     {"figure", q.figure}, {"value", q.value},
                 {"unit", q.unit},     {"error", nullptr},   {"method", q.method},
                 {"quoted", q.quoted}, {"scale", q.scale}};
  if (q.error && std::isfinite(*q.error)) {
    figure["error"] = std::abs(*q.error);
    figure["coverage"] = q.exact ? "bound" : "estimate";
  }
  if (!q.where.empty()) figure["where"] = q.where;
  quantities_.push_back(figure);
}

void Evidence::Input(const Evidence& of, const std::string& pointer, const std::string& beside,
                     const std::string& name) {
  auto below = [&](const Json& item) {
    return (item["figure"].get<std::string>() + "/").rfind(pointer + "/", 0) == 0;
  };
  for (Json check : of.checks_) {
    const std::string figure = check["figure"].get<std::string>();
    if (figure.empty())
      check["figure"] = pointer;
    else if (!below(check))
      check["figure"] = beside;
    check["sentence"] = name + ": " + check["sentence"].get<std::string>();
    checks_.push_back(std::move(check));
  }
  for (Json quantity : of.quantities_) {
    if (!below(quantity)) continue;
    quantity["quoted"] = false;
    if (of.accuracy_ > 0) quantity["accuracy"] = of.accuracy_;
    quantities_.push_back(std::move(quantity));
  }
  for (const Json& note : of.notes_) notes_.push_back(name + ": " + note.get<std::string>());
}

Json Evidence::Report() const {
  Json out = {{"checks", checks_}, {"quantities", quantities_}, {"notes", notes_}};
  if (accuracy_ > 0) out["accuracy"] = accuracy_;
  return out;
}

void CheckError(Evidence& evidence, Quantity q, double size) {
  constexpr double kMostError = 0.25;
  q.scale = size;
  evidence.State(q);
  if (!q.error || !(size > 0)) return;
  const double relative = *q.error / size;
  evidence.Within({"error_bar", "refinement", q.figure, relative, kMostError, "1",
                   "The estimated error of " + q.name + " is " + Text(100 * relative, 2) + " %" +
                       (relative <= kMostError ? "." : ": " + evidence.Finer() + ".")});
}

double AccuracyOfSpan(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (size == 0) return kAccuracy;
  return kAccuracy * std::clamp((high - low) / size, 1e-4, 1.0);
}

}  // namespace atelier
