#include "evidence.hpp"

#include <cmath>

namespace atelier {

void Evidence::Check(const std::string& name, double value, const std::string& unit,
                     double tolerance, const std::string& note) {
  Check(name, value, unit, tolerance, std::abs(value) <= tolerance, note);
}

void Evidence::Check(const std::string& name, double value, const std::string& unit,
                     double tolerance, bool ok, const std::string& note) {
  Json c = {{"name", name}, {"value", value}, {"unit", unit}, {"tolerance", tolerance}, {"ok", ok}};
  if (!note.empty()) c["note"] = note;
  checks_.push_back(c);
}

void Evidence::Figure(const std::string& name, double value, const std::string& unit,
                      const std::string& note) {
  checks_.push_back(
      {{"name", name}, {"value", value}, {"unit", unit}, {"ok", true}, {"note", note}});
}

void Evidence::Converged(const std::string& reason) {
  converged_ = true;
  reasons_.push_back(reason);
}

void Evidence::Verified(const std::string& reason) {
  verified_ = true;
  reasons_.push_back(reason);
}

void Evidence::Suspect(const std::string& reason) {
  suspect_ = true;
  reasons_.insert(reasons_.begin(), reason);
}

Json Evidence::Report() const {
  const char* trust = suspect_                  ? "suspect"
                      : verified_ && converged_ ? "verified"
                      : converged_              ? "converged"
                                                : "computed";
  return {{"trust", trust}, {"reasons", reasons_}, {"checks", checks_}};
}

}  // namespace atelier
