// Steady vibrations under loads f sin(w t): (K - w^2 M + i w C) u = f, by superposition of modes
// with a static correction (Cornwell, Craig and Johnson, Earthquake Eng. Struct. Dyn. 11, 1983),
// continued by powers of w^2 (Akgun, J. Sound Vib. 167, 1993) until nothing of the load is left.
#pragma once

#include "forced_vibration.hpp"

namespace atelier {

struct Harmonic {
  Elasticity& p;
  Vibration v;
  Damping damping;
  Values frequencies;   // Hz, rising
  bool listed = false;  // one by one, and not as a sweep
  // The relative error of the frequency of each mode; none where it is not known.
  std::vector<std::optional<double>> errors;
  Values load;                // N, 0 where the part is held
  Values participation;       // phi^T f, by mode
  std::vector<Values> quasi;  // (K^-1 M)^k K^-1 of the part of the load that the modes leave

  explicit Harmonic(Elasticity& e) : p(e), v(e) {}
};

// The displacements are re sin(w t) + im cos(w t), m.
struct Response {
  double frequency = 0;  // Hz
  Values re, im;
};

// Modes, and what the static correction needs, up to the highest frequency asked.
void PrepareResponse(Harmonic& h);
Response Respond(const Harmonic& h, double frequency);
// f - (K - w^2 M + i w C) u
Response Remainder(const Harmonic& h, const Response& u);
// Its 2-norm over that of f.
double Residual(const Harmonic& h, const Response& u);
// What it would change of u, in the norm of K, relative: the error of the solution. Where a part is
// slender, the residual itself is mostly rounding of forces that cancel.
double Correction(const Harmonic& h, const Response& u);

// Largest length over a cycle of a vector a sin + b cos, by its products: of a quadratic form
// as of a vector.
inline double OverCycle(double aa, double bb, double ab) {
  return std::sqrt(0.5 * (aa + bb + std::hypot(aa - bb, 2 * ab)));
}

void ReportHarmonic(Harmonic& h, const Probes& probes);

// Doubts a figure, the largest displacement at a frequency, m and Hz, where it hangs on a resonance
// that the error of its own frequency may move to there or away.
void CheckResonance(Harmonic& h, const std::string& figure, double frequency, double displacement);

constexpr int kHertzDigits = 5;  // of a frequency in a sentence
// How many tell the frequencies of a sweep apart.
int DigitsOf(const Harmonic& h);

}  // namespace atelier
