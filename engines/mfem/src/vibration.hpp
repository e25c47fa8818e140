// Natural modes of an elastic part: K phi = lambda M phi with the consistent mass matrix
// (Bathe, Finite Element Procedures, 2nd ed., ch. 9 to 11); lambda = (2 pi f)^2.
#pragma once

#include "eigen_modes.hpp"
#include "elasticity.hpp"
#include "geometric_stiffness.hpp"

namespace atelier {

// A part under the static loads of its configuration, whose stresses stiffen or soften it.
struct Prestress {
  Geometric stiffness;
  std::unique_ptr<SpdProblem> statics;  // K without it
};

// Solves for the stresses of the loads. Throws ERR_SINGULAR_SYSTEM where these buckle the part.
std::unique_ptr<Prestress> ApplyPrestress(Elasticity& p);

struct Vibration {
  Elasticity& p;
  std::unique_ptr<Prestress> prestress;  // null where the part is free of stress
  FreeMotions motions;
  // Added to every eigenvalue, (rad/s)^2, of a part that floats or stands on springs: those may be
  // as soft as a mount, whose modes are millions of times below those of the part.
  double shift = 0;
  std::unique_ptr<SpdProblem> shifted;  // K + shift M where the problem of p is K, else null
  std::shared_ptr<const NodeGraph> graph;
  BlockCsr mass;
  int wanted = 0;
  SolveReport inner;                       // of all the solves
  Values lambda;                           // (rad/s)^2, of the elastic modes, rising
  std::vector<Values> shapes;              // with phi^T M phi = 1
  Values residuals;                        // their relative errors
  double residual = 0;                     // the largest of those wanted
  std::vector<Values> floating, momentum;  // rigid motions with phi^T M phi = 1, and M phi
  double rigid = 0;                        // the largest eigenvalue of a rigid mode
  ModeCount count;

  explicit Vibration(Elasticity& e) : p(e) {}
  const SpdProblem& Problem() const { return shifted ? *shifted : *p.problem; }
};

// Refuses materials without a density.
void RequireDensity(const Elasticity& p);
// Mass, rigid motions, and the stiffness where no problem is there yet.
void AssembleVibration(Vibration& v);
// The `wanted` lowest modes and spare ones. Throws ERR_NOT_CONVERGED.
void FindModes(Vibration& v);
// How many modes lie below lambda, rigid motions among them; -1 where they cannot be counted.
int CountModesBelow(const Vibration& v, double lambda);
// Counts those below a gap behind the modes wanted: one that Lanczos' method has missed would show.
void CountModes(Vibration& v);
Values Times(const BlockCsr& a, const Values& x);

inline double Frequency(double lambda) { return std::sqrt(std::max(0.0, lambda)) / (2 * M_PI); }
// The relative error bar of the frequency of a shape.
std::optional<double> ShapeFrequencyError(const Vibration& v, size_t mode);
// The error bar of each frequency by its number, Hz.
std::vector<std::optional<double>> FrequencyErrors(const Vibration& v);
// Doubts a density and a modulus that are not of one solid.
void CheckWaveSpeed(Elasticity& p);

}  // namespace atelier
