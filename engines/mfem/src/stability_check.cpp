// Whether the stresses of a solved part leave its deflections as linear theory has
// them, and the part where it is.
#include <cmath>

#include "buckling.hpp"
#include "elasticity.hpp"
#include "surface.hpp"

namespace atelier {
namespace {

constexpr double kMostShare = 0.9;  // of the buckling load; Ritz values are a few % low
// strain (L / t)^2 from which stresses may change a deflection by kAccuracy. A
// cantilever, of all beams the softest, buckles at 12 / 4.9 times the strain (t / L)^2
// (Euler); t is 2 V / S, at most half its thickness.
constexpr double kSlender = 0.01;
constexpr double kFarShare = 0.01;   // of the buckling load: it is not near
constexpr double kSure = 2;          // times a load that is far is not near either
constexpr double kTolerance = 1e-3;  // of the solves
constexpr int kSolves = 15;          // about
constexpr int kFarSolves = 3;        // in whose time buckling is ruled out, about

// (L / t)^2 with L the diagonal and t = 2 V / S.
double Slenderness(const Elasticity& p) {
  mfem::Mesh& mesh = *p.domain.mesh;
  double volume = 0, surface = 0;
  for (int e = 0; e < mesh.GetNE(); e++) volume += mesh.GetElementVolume(e);
  for (const Facet& f : Surface(mesh, std::vector<int>(mesh.GetNE(), 0))) surface += f.area;
  return std::pow(p.domain.Diagonal() * surface / (2 * volume), 2);
}

std::string Times(double share) { return Text(1 / share, share > 0.1 ? 2 : 1); }

}  // namespace

StabilityOperators MakeStabilityOperators(const Elasticity& p, const SolveOptions& options,
                                          SolveReport& report) {
  return {[&p, &report, options](const Values& r) {
            Values x;
            const SolveReport step = p.problem->SolveHomogeneous(r, x, options);
            report.iterations += step.iterations;
            report.converged = report.converged && step.converged;
            return x;
          },
          [&p](const Values& r) { return p.problem->Precondition(r); },
          [&p](const Values& x) { return p.problem->Stiffness(x); },
          [&p](const Values& x) {
            Values change(x.size(), 0.0);
            for (const Region& r : p.regions) {
              if (IsPressure(r)) AddFollowing(*p.space, r, Pressure(p, r), x, change);
            }
            return change;
          }};
}

Buckling MeasureBuckling(const Elasticity& p, const Geometric& stiffness, double tolerance,
                         int solves) {
  SolveOptions options = p.options;
  options.relative_tolerance = tolerance;
  options.by_energy = true;
  options.expected_loads = solves;
  SolveReport report;
  report.converged = true;
  Buckling b = MeasureBuckling(stiffness, p.u, p.dim, MakeStabilityOperators(p, options, report));
  b.known = b.known && report.converged;
  return b;
}

namespace {

Buckling MeasureNearBuckling(const Elasticity& p) {
  if (TookLong(p.report)) p.problem->Expect(kFarSolves);
  const Geometric geometric(*p.space, p.problem->Graph(), p.u, p.materials.lame, p.initial);
  SolveReport report;
  const StabilityOperators of = MakeStabilityOperators(p, p.options, report);
  const auto change = ChangeFarFromBuckling(geometric, p.u, p.dim, of, kSure / kFarShare);
  if (change) return {0, *change, true};
  return MeasureBuckling(p, geometric, std::max(kTolerance, p.options.relative_tolerance), kSolves);
}

}  // namespace

void CheckStability(Elasticity& p, const Kinematics& k) {
  Evidence& ev = p.answer.evidence;
  double change = std::abs(k.stress_stiffening);
  if (k.strain * Slenderness(p) > kSlender) {
    const Buckling b = MeasureNearBuckling(p);
    if (!b.known) {
      ev.Holds("buckling", "model", "", false,
               "How near the part is to buckling was not found: its shapes did not settle.");
    } else {
      if (b.share <= kFarShare) {
        ev.Note("The part buckles at more than " + Text(1 / kFarShare, 2) +
                " times this load, if at all.");
      } else {
        ev.Within({"buckling", "model", "", b.share, kMostShare, "1",
                   b.share <= kMostShare
                       ? "The part buckles at about " + Times(b.share) + " times this load."
                       : "The part buckles at about " + Times(b.share) +
                             " times this load (linear buckling), so that it does not stay in the "
                             "shape that was solved. Use a smaller load, a thicker part or more "
                             "supports, or a geometrically non-linear analysis."});
      }
      change = b.change;
    }
  } else {
    ev.Note(
        "Buckling was not looked for: a part of such proportions is far from it at these strains.");
  }
  ev.Within({"stress_stiffening", "model", "", change, kAccuracy, "1",
             "The stresses acting on the deflected shape change the deflection by about " +
                 Text(100 * change, 2) + " %" +
                 (change <= kAccuracy
                      ? "."
                      : ", which linear theory leaves out: use a geometrically non-linear "
                        "analysis.")});
}

}  // namespace atelier
