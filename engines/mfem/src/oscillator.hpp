// An oscillator with one degree of freedom, x'' + 2 zeta w x' + w^2 x = w^2 g(t), where g is linear
// by pieces: exact by the recurrence of Nigam and Jennings (Bull. Seism. Soc. Am. 59, 1969; Chopra,
// Dynamics of Structures, sec. 5.2).
#pragma once

#include "time_history.hpp"

namespace atelier {

class Oscillator {
 public:
  // lambda = w^2, (rad/s)^2; ratio = zeta, which may be 1 and more. At time 0 it rests at
  // history.before.
  Oscillator(double lambda, double ratio, const TimeHistory& history);

  struct State {
    double x = 0;  // 1 is the static response to a factor of 1
    double v = 0;  // 1/s
  };
  State At(double t) const;
  // x'', 1/s^2
  double Acceleration(double t) const;
  // How far x may be from the factor around t: the size of the free vibration then, and what
  // damping holds back of the forced one.
  double Ringing(double t) const;
  // The largest of it up to t.
  double MostRinging(double t) const;
  double Omega() const { return omega_; }
  bool Creeps() const { return damped_ <= 0; }  // critical damping, or more

 private:
  struct Kernel {
    double c, s;  // e^(-decay t) cos(w' t) and e^(-decay t) sin(w' t) / w'
  };
  Kernel Free(double t) const;
  double Lag(double slope) const { return 2 * decay_ * slope / (omega_ * omega_); }
  State Forward(const TimeHistory::Piece& piece, const State& from, double t) const;
  double Envelope(const TimeHistory::Piece& piece, const State& from) const;

  const TimeHistory* history_;
  double omega_, decay_, damped_;  // damped_: w'^2, negative beyond critical damping
  std::vector<State> starts_;      // by piece
};

// b r' + r = g: what answers at once but for a damping in proportion to its stiffness (the body of
// Kelvin and Voigt), from rest at history.before.
class Lag {
 public:
  Lag(double b, const TimeHistory& history);
  double At(double t) const;

 private:
  double Forward(const TimeHistory::Piece& piece, double from, double t) const;

  const TimeHistory* history_;
  double b_;
  std::vector<double> starts_;  // by piece
};

}  // namespace atelier
