// Stresses against the yield strength of the material.
#include <algorithm>
#include <cmath>

#include "elasticity.hpp"

namespace atelier {
namespace {

// Where there is no stress the factor has no bound; more than this is as good.
constexpr double kMostSafety = 1e6;

const char* kPlastic =
    "The part yields there, so that linear stresses are too high and deflections too low: "
    "use an analysis with plasticity, a stronger material, a smaller load or more section.";

}  // namespace

Values SafetyByNode(const Elasticity& p) {
  const Values& yield = p.materials.yield;
  if (std::any_of(yield.begin(), yield.end(), [](double y) { return y == 0; })) return {};
  Values safety(p.space->Nodes(), INFINITY);
  for (int e = 0; e < p.space->Elements(); e++) {
    for (int a = 0; a < p.space->Count(e); a++) {
      double& weakest = safety[p.space->Dofs(e)[a]];
      weakest = std::min(weakest, yield[e]);
    }
  }
  for (size_t i = 0; i < safety.size(); i++) {
    const double stress = p.stress.von_mises[i];
    safety[i] = stress * kMostSafety > safety[i] ? safety[i] / stress : kMostSafety;
  }
  return safety;
}

void ReportSafety(Elasticity& p, const Values& safety, bool bounded) {
  if (safety.empty()) return;
  Evidence& ev = p.answer.evidence;
  const int at = static_cast<int>(std::min_element(safety.begin(), safety.end()) - safety.begin());
  const double least = safety[at], peak = p.stress.von_mises[at], yield = least * peak;
  if (least >= kMostSafety) return;  // nothing is loaded
  if (!bounded) {
    const double weakest = *std::min_element(p.materials.yield.begin(), p.materials.yield.end());
    const double p99 = Percentile99(p.stress);
    ev.Note(
        "No least safety factor is stated: the stress peak has no bound or is not resolved, so "
        "that the factor there only tells the size of the elements. The field safety_factor "
        "shows it at some distance.");
    ev.Within({"yield", "model", "", p99 / weakest, 1, "1",
               "1 % of the volume has a von Mises stress of more than " + Text(p99, 4) +
                   " Pa, where the least yield strength is " + Text(weakest, 4) + " Pa" +
                   (p99 <= weakest ? "." : std::string(". ") + kPlastic)});
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
