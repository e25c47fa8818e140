// Error bars of displacements and reactions by dual solutions.
#include "elasticity.hpp"
#include "error_estimate.hpp"

namespace atelier {
namespace {

constexpr int kMostDuals = 7;  // solutions for error bars beside the one asked for

}  // namespace

ErrorBars::ErrorBars(const Elasticity& p)
    : p_(p),
      left_(!p.problem || p.domain.refined || p.domain.mesh->GetNE() < kFewElements ? 0
            : p.load.size() > kManyUnknowns                                         ? 1
                                                                                    : kMostDuals) {}

std::optional<double> ErrorBars::Of(const std::vector<std::pair<int, double>>& nodes,
                                    const std::vector<double>& direction) {
  if (left_ == 0) return std::nullopt;
  left_--;
  Values functional(p_.load.size(), 0.0), z;
  for (const auto& [node, weight] : nodes) {
    for (int c = 0; c < p_.dim; c++)
      functional[static_cast<size_t>(node) * p_.dim + c] += weight * direction[c];
  }
  if (!p_.problem->SolveHomogeneous(functional, z, p_.options).converged) return std::nullopt;
  return StressErrorBar(p_, z);
}

std::optional<double> ErrorBars::OfReaction(const std::vector<size_t>& unknowns) {
  if (left_ == 0) return std::nullopt;
  left_--;
  Values held(p_.load.size(), 0.0), z;
  for (size_t u : unknowns) held[u] = 1;
  if (!p_.problem->SolveHeld(held, z, p_.options).converged) return std::nullopt;
  return StressErrorBar(p_, z);
}

double StressErrorBar(const Elasticity& p, const Values& z) {
  const StressField dual = RecoverStress(*p.space, z, p.materials.lame, p.materials.kind);
  return DualErrorBar(p.stress.element_error, dual.element_error,
                      kEstimatorFactor[p.space->Order()]);
}

}  // namespace atelier
