#include "error_estimate.hpp"

#include <cmath>
#include <numeric>

#include "symmetric_factors.hpp"

namespace atelier {

EnergyError RelateError(double estimate, double square, int elements) {
  const double total = std::sqrt(estimate * estimate + square);
  return {estimate, total > 0 ? estimate / total : 0, total > 0 && elements >= kFewElements};
}

void StateEnergyError(Answer& answer, const EnergyError& error, const ErrorWords& words) {
  Json& out = answer.output["error_estimate"] = Json::object();
  if (!error.known) {
    answer.evidence.Note(words.unknown);
    return;
  }
  const double e = error.relative;
  out = {{"relative_energy_norm", e}, {"relative_energy", e * e}};
  answer.evidence.Within({words.name, "refinement", words.figure, e, kGoodError, "1",
                          "The estimated error of " + words.subject +
                              " (energy norm, Zienkiewicz-Zhu) is " + Text(100 * e, 2) + " %" +
                              (e <= kGoodError ? words.good : words.coarse)});
}

std::string Provenance(const std::string& more) {
  return "Mesh and elements: MFEM " MFEM_VERSION_STRING
         "; assembly, constraints, iterative solvers, " +
         more + " and error estimates: Atelier; factorisation: " + SymmetricFactors::Library() +
         ".";
}

double DualErrorBar(const Values& element_error, const Values& dual_element_error, double factor) {
  const Values of = DualErrors(element_error, dual_element_error, factor);
  return std::accumulate(of.begin(), of.end(), 0.0);
}

Values DualErrors(const Values& element_error, const Values& dual_element_error, double factor) {
  Values out(element_error.size());
  for (size_t e = 0; e < out.size(); e++)
    out[e] = kErrorBarSafety * factor * factor * element_error[e] * dual_element_error[e];
  return out;
}

}  // namespace atelier
