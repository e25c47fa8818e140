// The stresses of static loads under which a part vibrates: K + Kg takes the place of K (Cook,
// Malkus, Plesha and Witt, Concepts and Applications of Finite Element Analysis, 4th ed.,
// ch. 18).
#include "buckling.hpp"
#include "vibration.hpp"

namespace atelier {
namespace {

constexpr double kTolerance = 1e-6;  // of the solves for a load factor
constexpr int kSolves = 40;          // about

// Loads whose own change with the motion is part of the equations of small vibrations.
void RefuseFollowing(const Elasticity& p) {
  if (p.config.Has("rotation"))
    throw p.config.Refuse("rotation", "is not offered as a prestress yet")
        .Hint(
            "Vibrations of a part that turns have Coriolis forces and softening by the centrifugal "
            "force, which these equations lack: without them its frequencies would be wrong.");
  for (const Region& r : p.regions) {
    if (IsPressure(r))
      throw r.config.Refuse("type", "pressure is not offered as a prestress yet")
          .Hint(
              "A pressure turns with its face as the part vibrates. Where its direction may be "
              "taken as fixed, give a load with the traction as its value.");
  }
}

// Under stresses that buckle it a part has no frequencies to vibrate with.
void RequireStable(Elasticity& p, const Geometric& stiffness) {
  BlockCsr k = AssembleElasticity(*p.space, MakeGraph(*p.space), p.materials.lame);
  AddElasticSupports(p, *p.space, k);
  stiffness.AddTo(k, 1);
  Clamp(k, *p.constraints);
  const int unstable = CountFreeBelow(k, *p.constraints);
  if (unstable == 0) {
    p.answer.evidence.Within({"prestress_stable", "independent", "/modes", 0, 0, "1",
                              "The pivots of K + Kg are all positive: the loads leave the part "
                              "where it is."});
    return;
  }
  const Buckling b =
      MeasureBuckling(p, stiffness, std::min(kTolerance, p.options.relative_tolerance), kSolves);
  const double factor = b.share > 0 ? 1 / b.share : 0;  // 0 where none was found
  if (unstable > 0 || (factor > 0 && factor <= 1))
    throw Error(codes::kSingularSystem,
                "the loads buckle the part" +
                    (factor > 0 ? ", at " + Text(factor) + " times their size" : std::string()) +
                    ": it does not vibrate about the shape that was solved")
        .At(p.config.Pointer("prestress"))
        .Hint("Lower the loads below the load factor of analysis buckling.")
        .With("load_factor", factor);
  p.answer.evidence.Note("The part buckles at about " + Text(factor, 2) +
                         " times the loads, if at all, by a Krylov space; it is too large for its "
                         "pivots to be counted.");
}

}  // namespace

std::unique_ptr<Prestress> ApplyPrestress(Elasticity& p) {
  SetUp(p);
  RefuseFollowing(p);
  RequireDensity(p);
  SolveLoaded(p);
  Geometric stiffness(*p.space, p.problem->Graph(), p.u, p.materials.lame, p.initial);
  if (!p.domain.refined) RequireStable(p, stiffness);
  CheckModel(p);
  return std::make_unique<Prestress>(Prestress{std::move(stiffness), std::move(p.problem)});
}

}  // namespace atelier
