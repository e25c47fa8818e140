// What the estimate of a discretisation error says about figures: over the whole
// domain in the energy norm, and of one value by a dual solution.
#pragma once

#include "block_csr.hpp"
#include "solver_class.hpp"

namespace atelier {

constexpr double kGoodError = 0.15;  // of the energy norm
constexpr int kFewElements = 8;      // fewer have too few neighbours to average over
// Above, every dual solution counts, and few figures get one.
constexpr size_t kManyUnknowns = 50000;
constexpr size_t kFewModes = 3;  // of modes

struct EnergyError {
  double absolute = 0;  // estimated norm of the error
  double relative = 0;  // over the norm of the exact solution, by Pythagoras
  bool known = false;
};

// square: a(u, u) of the solution that was found.
EnergyError RelateError(double estimate, double square, int elements);

// How an error is told: the check's name, the figures that it speaks of, what they
// are in words, and how the sentence ends where the error is small and where not.
struct ErrorWords {
  std::string name, figure, subject, good, coarse, unknown;
};

// Writes error_estimate and its check, or a note where nothing is known.
void StateEnergyError(Answer& answer, const EnergyError& error, const ErrorWords& words);

// Whose each step of a solution is; `more` are the steps of this class beside those
// that all have.
std::string Provenance(const std::string& more);

// The error of a linear functional J is a(e, e_z) with the dual solution z, a(z, v) =
// J(v), and so at most the sum over the elements of the products of the energy norms
// of both errors (Becker and Rannacher, Acta Numerica 10, 2001). factor: what both
// estimates are multiplied by.
double DualErrorBar(const Values& element_error, const Values& dual_element_error, double factor);
// The shares of the elements in it.
Values DualErrors(const Values& element_error, const Values& dual_element_error, double factor);

}  // namespace atelier
