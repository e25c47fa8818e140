// Whether the materials are solids, and what was solved stays within linear theory.
#include <cmath>

#include "elasticity.hpp"
#include "kinematics.hpp"

namespace atelier {
namespace {

constexpr double kMostStrain = 0.05;
// Of a stiff solid: metals, ceramics, glass and wood yield or break before.
constexpr double kMostStiffStrain = 0.01, kStiffModulus = 1e10;

// The root s of s + c s^3 = 1: the true deflection over that of linear theory for a
// part that stretching stiffens by c at the latter.
double DeflectionShare(double c) {
  double s = 1;
  for (int i = 0; i < 50; i++) s -= (s + c * s * s * s - 1) / (1 + 3 * c * s * s);
  return s;
}

}  // namespace

double MostStrain(const Elasticity& p) {
  double softest = INFINITY;
  for (double mu : p.materials.lame.mu) softest = std::min(softest, 2 * mu);
  return softest > kStiffModulus / 1.5 ? kMostStiffStrain : kMostStrain;
}

void CheckMaterials(Elasticity& p) {
  Evidence& ev = p.answer.evidence;
  if (p.materials.implausible)
    ev.Holds("modulus", "bounds", "", false,
             "A modulus is implausible for a solid: give E in Pa (steel: 2.1e11).");
  if (!p.materials.defaulted.empty())
    ev.Holds("materials", "bounds", "", false,
             "No material names the element attribute " + p.materials.defaulted +
                 ": its elements were given the first material. Name a material for each.");
  if (!p.materials.covered.empty())
    ev.Note(
        "The one material names an element attribute; it was given to those of the attributes " +
        p.materials.covered + " as well, which have no material of their own.");
}

void CheckModel(Elasticity& p) {
  Evidence& ev = p.answer.evidence;
  CheckMaterials(p);
  if (p.dim < 2 || p.domain.refined) return;
  const Kinematics k =
      MeasureKinematics(*p.space, p.u, p.materials.lame, p.initial, p.work, [&](const Values& r) {
        Values x;
        if (!p.problem->SolveHomogeneous(r, x, p.options).converged) x.assign(r.size(), 0.0);
        return x;
      });
  const double most = MostStrain(p);
  ev.Within({"small_strain", "model", "", k.strain, most, "1",
             "The strains reach " + Text(100 * k.strain, 2) + " %" +
                 (k.strain <= most
                      ? "."
                      : ", beyond what such a solid bears elastically: check loads and units, or "
                        "use a non-linear material.")});
  ev.Within({"small_rotation", "model", "", k.rotation, kMostRotation, "rad",
             "The part turns by up to " + Text(k.rotation * 180 / M_PI, 2) + " degrees" +
                 (k.rotation <= kMostRotation
                      ? "."
                      : ": linear theory does not hold. Use a geometrically non-linear "
                        "analysis.")});
  ev.Within({"small_deflection", "model", "", k.stretching, kAccuracy, "1",
             k.stretching <= kAccuracy
                 ? "Stretching of the deflected part, which linear theory leaves out, changes its "
                   "stiffness by " +
                       Text(100 * k.stretching, 2) + " %."
                 : "The supports keep the deflected part from drawing in, so that it must stretch, "
                   "which linear theory leaves out: its deflections come out about " +
                       Text(100 * (1 / DeflectionShare(k.stretching) - 1), 2) +
                       " % too large. Use a geometrically non-linear analysis, a thicker part, or "
                       "a load at most " +
                       Text(std::sqrt(kAccuracy / k.stretching), 2) + " times this one."});
  CheckStability(p, k);
}

}  // namespace atelier
