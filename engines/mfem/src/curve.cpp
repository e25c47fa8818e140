#include "curve.hpp"

#include <algorithm>

namespace atelier {

Curve::Curve(std::vector<double> at, std::vector<double> value)
    : at_(std::move(at)), value_(std::move(value)), integral_{0} {
  for (size_t i = 1; i < at_.size(); i++)
    integral_.push_back(integral_.back() + (at_[i] - at_[i - 1]) * (value_[i] + value_[i - 1]) / 2);
}

size_t Curve::Interval(double t) const {
  const auto above = std::upper_bound(at_.begin(), at_.end(), t);
  return std::min<size_t>(std::max<long>(above - at_.begin() - 1, 0), at_.size() - 2);
}

double Curve::At(double t) const {
  if (t <= at_.front()) return value_.front();
  if (t >= at_.back()) return value_.back();
  const size_t i = Interval(t);
  return value_[i] + (value_[i + 1] - value_[i]) * (t - at_[i]) / (at_[i + 1] - at_[i]);
}

double Curve::Slope(double t) const {
  if (Constant() || t < at_.front() || t > at_.back()) return 0;
  const size_t i = Interval(t);
  return (value_[i + 1] - value_[i]) / (at_[i + 1] - at_[i]);
}

double Curve::Integral(double t) const {
  if (t <= at_.front()) return value_.front() * (t - at_.front());
  if (t >= at_.back()) return integral_.back() + value_.back() * (t - at_.back());
  const size_t i = Interval(t);
  return integral_[i] + (t - at_[i]) * (value_[i] + At(t)) / 2;
}

}  // namespace atelier
