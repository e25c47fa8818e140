// A quantity over another one, from a table.
#pragma once

#include <cstddef>
#include <vector>

namespace atelier {

// One value, or linear between points whose places rise, and constant beyond the ends.
class Curve {
 public:
  explicit Curve(double value = 0) : at_{0}, value_{value}, integral_{0} {}
  // As many values as places, one at least.
  Curve(std::vector<double> at, std::vector<double> value);

  bool Constant() const { return at_.size() == 1; }
  double At(double t) const;
  double Slope(double t) const;     // beyond the ends 0
  double Integral(double t) const;  // from the first place
  // Between which places the table says what the value is.
  double Least() const { return at_.front(); }
  double Most() const { return at_.back(); }
  const std::vector<double>& Places() const { return at_; }
  const std::vector<double>& Points() const { return value_; }

 private:
  size_t Interval(double t) const;  // the point at its lower end

  std::vector<double> at_, value_, integral_;
};

}  // namespace atelier
