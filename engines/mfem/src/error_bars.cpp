// Error bars of displacements and reactions by dual solutions.
#include <numeric>

#include "elasticity.hpp"
#include "error_estimate.hpp"

namespace atelier {
namespace {

constexpr int kMostDuals = 7;  // solutions for error bars beside the one asked for

Values StressErrors(const Elasticity& p, const Values& z) {
  const StressField dual = RecoverStress(*p.space, z, p.materials.lame, p.materials.kind);
  return DualErrors(p.stress.element_error, dual.element_error, kEstimatorFactor[p.space->Order()]);
}

}  // namespace

ErrorBars::ErrorBars(Elasticity& p)
    : p_(p),
      left_(!p.problem || p.domain.mesh->GetNE() < kFewElements ? 0
            : p.load.size() > kManyUnknowns                     ? 1
                                                                : kMostDuals) {
  if (left_ > 0 && !p.domain.refined && TookLong(p.report)) p.problem->Expect(left_);
}

bool ErrorBars::Takes(const std::string& figure) {
  const bool goal = p_.domain.IsGoal(figure);
  if (!p_.problem || !p_.domain.Estimates(figure) || (left_ == 0 && !goal)) return false;
  if (!goal) left_--;
  return true;
}

double ErrorBars::From(const Values& z, const std::string& figure) {
  Values shares = StressErrors(p_, z);
  const double bar = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (p_.domain.IsGoal(figure)) p_.answer.by_element.goal = std::move(shares);
  return bar;
}

std::optional<double> ErrorBars::Of(const std::string& figure,
                                    const std::vector<std::pair<int, double>>& nodes,
                                    const std::vector<double>& direction) {
  if (!Takes(figure)) return std::nullopt;
  Values functional(p_.load.size(), 0.0), z;
  for (const auto& [node, weight] : nodes) {
    for (int c = 0; c < p_.dim; c++)
      functional[static_cast<size_t>(node) * p_.dim + c] += weight * direction[c];
  }
  if (!p_.problem->SolveHomogeneous(functional, z, OfErrorBars(p_.options)).converged)
    return std::nullopt;
  return From(z, figure);
}

std::optional<double> ErrorBars::OfReaction(const std::string& figure, const Values& held) {
  if (!Takes(figure)) return std::nullopt;
  Values z;
  if (!p_.problem->SolveHeld(held, z, OfErrorBars(p_.options)).converged) return std::nullopt;
  return From(z, figure);
}

double StressErrorBar(const Elasticity& p, const Values& z) {
  const Values shares = StressErrors(p, z);
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

}  // namespace atelier
