// What analyses of vibrations under loads share: the damping, which loads they take, and whether
// linear theory holds.
#pragma once

#include <complex>

#include "vibration.hpp"

namespace atelier {

using Complex = std::complex<double>;

struct Damping {
  double ratio = 0;            // of critical, of every mode
  double alpha = 0, beta = 0;  // C = alpha M + beta K (Rayleigh), 1/s and s
  double loss = 0;             // of the material: K (1 + i loss)

  // Beside the modal damping the equations are (Elastic K - Inertial M) u = f, w in rad/s.
  Complex Elastic(double w) const { return {1, w * beta + loss}; }
  Complex Inertial(double w) const { return {w * w, -w * alpha}; }
  // phi^T (K - w^2 M + i w C) phi of a mode with phi^T M phi = 1.
  Complex Mode(double w, double lambda) const {
    return Elastic(w) * lambda - Inertial(w) + Complex(0, 2 * ratio * w * std::sqrt(lambda));
  }
  // Share of critical damping of a mode.
  double RatioOf(double lambda) const {
    const double w = std::sqrt(lambda);
    return ratio + 0.5 * (alpha / w + beta * w + loss);
  }
};

// Requires config.damping. analysis: what it is called, with its article.
Damping ReadDamping(const Config& config, const std::string& analysis);
Json Describe(const Damping& damping);

// Refuses loads that do not vary, and supports that move.
void RefuseSteady(const Elasticity& p, const std::string& analysis);

// States whether strains and rotations are small. parts: displacements whose squares add.
void CheckSmallVibration(Elasticity& p, const std::vector<const Values*>& parts);

// The displacement of a node in each mode.
std::vector<Values> ModesAt(const Vibration& v, int node);

constexpr double kNoBound = 100;  // times a figure: an error bar that says nothing

}  // namespace atelier
