// What stands behind the numbers, in the server's vocabulary.
#pragma once

#include <optional>

#include "protocol.hpp"

namespace atelier {

class Evidence {
 public:
  // A figure held against a tolerance. supports: a pass lifts the trust to
  // verified (an error bar, a balance or an independent check), else it only
  // belongs to convergence.
  void Check(const std::string& name, double value, const std::string& unit, double tolerance,
             const std::string& note = "");
  void Check(const std::string& name, double value, const std::string& unit, double tolerance,
             bool ok, const std::string& note);
  // A figure for information.
  void Figure(const std::string& name, double value, const std::string& unit,
              const std::string& note);
  // The solution converged; without it the trust stays "computed".
  void Converged(const std::string& reason);
  // An error bar or an independent check agrees.
  void Verified(const std::string& reason);
  // A check disagrees.
  void Suspect(const std::string& reason);

  bool IsSuspect() const { return suspect_; }
  Json Report() const;

 private:
  bool converged_ = false, verified_ = false, suspect_ = false;
  Json reasons_ = Json::array(), checks_ = Json::array();
};

}  // namespace atelier
