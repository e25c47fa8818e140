#include "oscillator.hpp"

#include <algorithm>
#include <cmath>

namespace atelier {

Oscillator::Oscillator(double lambda, double ratio, const TimeHistory& history)
    : history_(&history),
      omega_(std::sqrt(lambda)),
      decay_(ratio * omega_),
      damped_(lambda * (1 - ratio * ratio)) {
  State state = {history.before, 0};
  const auto& pieces = history.pieces;
  for (size_t i = 0; i < pieces.size(); i++) {
    starts_.push_back(state);
    if (i + 1 < pieces.size()) state = Forward(pieces[i], state, pieces[i + 1].start);
  }
}

Oscillator::Kernel Oscillator::Free(double t) const {
  if (damped_ > 0) {
    const double w = std::sqrt(damped_), fade = std::exp(-decay_ * t);
    return {fade * std::cos(w * t), fade * std::sin(w * t) / w};
  }
  const double k = std::sqrt(-damped_), slow = std::exp(-omega_ * omega_ / (decay_ + k) * t),
               faster = -std::expm1(-2 * k * t);  // 1 - e^(-2 k t)
  return {slow * (1 - 0.5 * faster), k > 0 ? slow * faster / (2 * k) : slow * t};
}

// x is the factor less its lag plus a free vibration d.
Oscillator::State Oscillator::Forward(const TimeHistory::Piece& piece, const State& from,
                                      double t) const {
  const double dt = t - piece.start, lag = Lag(piece.slope), d = from.x - piece.value + lag,
               rate = from.v - piece.slope;
  const Kernel k = Free(dt);
  return {piece.value + piece.slope * dt - lag + d * k.c + (rate + decay_ * d) * k.s,
          piece.slope + rate * k.c - (decay_ * rate + omega_ * omega_ * d) * k.s};
}

Oscillator::State Oscillator::At(double t) const {
  const int i = history_->PieceAt(t);
  if (i < 0) return {history_->before, 0};
  return Forward(history_->pieces[i], starts_[i], t);
}

double Oscillator::Acceleration(double t) const {
  const State s = At(t);
  return omega_ * omega_ * (history_->Factor(t) - s.x) - 2 * decay_ * s.v;
}

double Oscillator::Envelope(const TimeHistory::Piece& piece, const State& from) const {
  const double lag = Lag(piece.slope), d = from.x - piece.value + lag,
               b = from.v - piece.slope + decay_ * d;
  // |c| is at most 1 and |s| at most 1 / (2 decay); without much damping they lie on a circle.
  double size = decay_ > 0 ? std::abs(d) + std::abs(b) / (2 * decay_) : INFINITY;
  if (damped_ > 0) size = std::min(size, std::hypot(d, b / std::sqrt(damped_)));
  return size + std::abs(lag);
}

double Oscillator::Ringing(double t) const {
  const int i = history_->PieceAt(t);
  if (i < 0) return 0;
  const TimeHistory::Piece& p = history_->pieces[i];
  return Envelope({t, p.value + p.slope * (t - p.start), p.slope}, At(t));
}

double Oscillator::MostRinging(double t) const {
  double most = 0;
  for (size_t i = 0; i < starts_.size() && history_->pieces[i].start < t; i++)
    most = std::max(most, Envelope(history_->pieces[i], starts_[i]));
  return most;
}

Lag::Lag(double b, const TimeHistory& history) : history_(&history), b_(b) {
  double r = history.before;
  const auto& pieces = history.pieces;
  for (size_t i = 0; i < pieces.size(); i++) {
    starts_.push_back(r);
    if (i + 1 < pieces.size()) r = Forward(pieces[i], r, pieces[i + 1].start);
  }
}

double Lag::Forward(const TimeHistory::Piece& piece, double from, double t) const {
  const double dt = t - piece.start, behind = b_ * piece.slope,
               fade = b_ > 0 ? std::exp(-dt / b_) : 0;
  return piece.value + piece.slope * dt - behind + (from - piece.value + behind) * fade;
}

double Lag::At(double t) const {
  const int i = history_->PieceAt(t);
  return i < 0 ? history_->before : Forward(history_->pieces[i], starts_[i], t);
}

}  // namespace atelier
