// Stresses against the yield strength of the material.
#include <algorithm>
#include <cmath>

#include "elasticity.hpp"
#include "krylov.hpp"
#include "singularity.hpp"

namespace atelier {
namespace {

const char* kPlastic =
    "The part yields there, so that linear stresses are too high and deflections too low: "
    "use an analysis with plasticity, a stronger material, a smaller load or more section.";

}  // namespace

Values SafetyByNode(const Elasticity& p) {
  const Values& yield = p.materials.yield;
  if (std::all_of(yield.begin(), yield.end(), [](double y) { return y == 0; })) return {};
  std::vector<char> known(p.space->Nodes(), 0);
  for (int e = 0; e < p.space->Elements(); e++) {
    for (int a = 0; yield[e] > 0 && a < p.space->Count(e); a++) known[p.space->Dofs(e)[a]] = 1;
  }
  Values safety(p.space->Nodes(), INFINITY);
  for (size_t i = 0; i < safety.size(); i++) {
    const double used = p.stress.utilised[i];
    if (known[i]) safety[i] = used * kMostSafety > 1 ? 1 / used : kMostSafety;
  }
  return safety;
}

namespace {

// The share of the yield strength that 99 % of the volume stays below where one is known. The
// elements at places where the exact stress has no bound tell their own size, and are left out
// where there are others.
struct Bulk {
  double utilised = 0;
  bool without = false;  // whether some were left out
};

Bulk UtilisedByBulk(const Elasticity& p, const Values& safety) {
  std::vector<std::pair<double, double>> all, others;
  const std::vector<char> around = Singularities(p, Holds(p)).Around(*p.space);
  for (size_t i = 0; i < safety.size(); i++) {
    if (!std::isfinite(safety[i])) continue;
    all.emplace_back(1 / safety[i], p.stress.weight[i]);
    if (!around[i]) others.push_back(all.back());
  }
  const bool without = !others.empty() && others.size() < all.size();
  return {Percentile99(std::move(without ? others : all)), without};
}

}  // namespace

void ReportSafety(Elasticity& p, const Values& safety, bool bounded) {
  if (safety.empty()) return;
  Evidence& ev = p.answer.evidence;
  const int at = static_cast<int>(std::min_element(safety.begin(), safety.end()) - safety.begin());
  // A weaker material may yield at another place than that of the largest stress.
  const Values& stress = p.stress.von_mises;
  if (bounded && at != std::max_element(stress.begin(), stress.end()) - stress.begin())
    bounded = Singularities(p, Holds(p)).At(*p.space, at).empty();
  double yield = INFINITY;  // of the weakest material there
  for (int e = 0; e < p.space->Elements(); e++) {
    const int* dofs = p.space->Dofs(e);
    if (p.materials.yield[e] > 0 &&
        std::find(dofs, dofs + p.space->Count(e), at) != dofs + p.space->Count(e))
      yield = std::min(yield, p.materials.yield[e]);
  }
  const double least = safety[at], peak = yield / least;
  if (least >= kMostSafety) return;  // nothing is loaded
  if (std::any_of(p.materials.yield.begin(), p.materials.yield.end(),
                  [](double y) { return y == 0; }))
    ev.Note("Bodies without a yield strength are not judged against one: give yield for each.");
  if (!bounded) {
    const auto [bulk, without] = UtilisedByBulk(p, safety);
    ev.Note(
        "No least safety factor is stated: the stress peak has no bound or is not resolved, so "
        "that the factor there only tells the size of the elements. The field safety_factor "
        "shows it at some distance.");
    ev.Within(
        {"yield", "model", "", bulk, 1, "1",
         std::string("In 1 % of the volume") +
             (without ? ", leaving out the elements where the exact stress has no bound," : "") +
             " the von Mises stress is more than " + Text(100 * bulk, 3) +
             " % of the material's yield strength" +
             (bulk <= 1 ? "." : std::string(". ") + kPlastic)});
    return;
  }
  p.answer.output["safety_factor"] = {{"min", least}, {"at", p.space->Point(at)}, {"yield", yield}};
  Quantity q = {"safety factor against yield, least", "/safety_factor/min", least, "1",
                "yield strength over von Mises stress; its error bar is that of the stress"};
  q.where = p.space->Point(at);
  q.quoted = true;
  ev.State(q);
  ev.Within({"yield", "model", "", peak / yield, 1, "1",
             "The von Mises stress reaches " + Text(peak, 4) + " Pa where the yield strength is " +
                 Text(yield, 4) + " Pa" + (peak <= yield ? "." : std::string(". ") + kPlastic)});
}

}  // namespace atelier
