#include "second_opinion.hpp"

#include <cmath>

#include "calculix.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

// Straight simplices of both programs are the same, so that only rounding and the five digits
// that are printed part them; hexahedra and prisms differ in shape functions or integration.
constexpr double kSameElements = 1e-4, kOtherElements = 0.05;

// The largest difference between two sums of forces on a support, over the size of all.
double ReactionsApart(const Elasticity& p, const CalculixResults& other, const Values& load) {
  double apart = 0, size = 0;
  for (size_t i = 0; i < load.size(); i++)
    size += 0.5 * (std::abs(p.load[i]) + std::abs(p.reactions[i]));
  Values rest = other.forces;
  Axpy(-1, load, rest);
  rest = p.constraints->Held(rest);
  for (const Region& r : p.regions) {
    if (!IsFixed(r)) continue;
    std::vector<double> sum(p.dim, 0.0);
    for (int node : p.region_nodes[r.index]) {
      for (int c = 0; c < p.dim; c++) {
        const size_t i = static_cast<size_t>(node) * p.dim + c;
        sum[c] += p.reactions[i] - rest[i];
      }
    }
    apart = std::max(apart, Largest(sum));
  }
  return size > 0 ? apart / size : 0;
}

}  // namespace

void AskSecondOpinion(Elasticity& p) {
  if (p.domain.refined) return;
  if (p.initial.Any())
    throw p.config
        .Refuse("second_opinion", p.bolts.empty() ? "cannot be had of a change of temperature"
                                                  : "cannot be had with preloaded bolts")
        .Hint("Leave second_opinion out.");
  for (const Region& r : p.regions) {
    if (IsElastic(r))
      throw p.config.Refuse("second_opinion", "cannot be had with elastic supports");
  }
  RefuseMovedSlants(p, "second_opinion", "cannot be had");
  EmitProgress(0.88, "asking CalculiX for a second opinion");
  const CalculixModel model(p);
  CalculixStep step;
  step.dead = p.load;
  model.Condense(step.dead);
  const CalculixResults other = RunCalculix(p, model, step);
  const double largest = Largest(p.u);
  const double displacement = largest > 0 ? LargestDifference(p.u, other.u) / largest : 0;
  const double energy = p.energy != 0 ? std::abs(other.energy / p.energy - 1) : 0;
  const double reactions = ReactionsApart(p, other, step.dead);
  const bool same = p.space->StraightSimplices();
  p.answer.evidence.Within(
      {"second_program", "independent", "", std::max({displacement, energy, reactions}),
       same ? kSameElements : kOtherElements, "1",
       "CalculiX, given the same mesh, loads and supports, finds the displacements within " +
           Text(100 * displacement, 2) + " %, the strain energy within " + Text(100 * energy, 2) +
           " % and the reactions within " + Text(100 * reactions, 2) + " % of these" +
           (same ? "; the error of the mesh is common to both."
                 : "; its elements are not quite the same, so that part of this is the error of "
                   "the mesh."),
       "One of the two is wrong, or the mesh is far too coarse: refine it, and do not rely on "
       "either."});
  p.answer.artifacts.push_back({{"name", kCalculixDeck}, {"mime_type", "text/plain"}});
}

}  // namespace atelier
