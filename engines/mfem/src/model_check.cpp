// Whether the materials are solids, and what was solved stays within linear theory.
#include <cmath>
#include <set>

#include "axisymmetric.hpp"
#include "elasticity.hpp"
#include "kinematics.hpp"
#include "spatial.hpp"

namespace atelier {
namespace {

constexpr double kSameNormal = 1e-3;  // difference of directions of one plane
constexpr size_t kLeastNormals = 8;   // of a round face
// Of the squares of a rigid motion at the springs, its share along them: less than kFree is a
// motion that nothing holds; facets that meet at an angle a hold a^2 / 12.
constexpr double kFree = 1e-9, kByFacets = 0.03;

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

// Springs along the normals of a round face let the part turn in it. Facets do not: their normals
// have a share along the motion, and the less the finer they are.
void CheckFacetedSupports(Elasticity& p) {
  if (p.domain.refined || p.domain.axisymmetric) return;
  std::set<std::vector<long>> normals;
  const std::vector<Spring> all = Springs(p);
  for (const Spring& s : all) {
    std::vector<long> rounded;
    for (double d : s.direction) rounded.push_back(std::lround(d / kSameNormal));
    normals.insert(rounded);
  }
  const std::vector<Slanted>& slanted = p.constraints->slanted;
  for (const auto& [index, slant] : p.supports.slants) {
    if (slant.turn == 0) continue;  // no means of facets' normals
    for (const auto& [node, along] : slant.along) {
      const Vector3& d = along[0].direction;
      normals.insert({std::lround(d[0] / kSameNormal), std::lround(d[1] / kSameNormal),
                      std::lround(d[2] / kSameNormal)});
    }
  }
  if (normals.size() < kLeastNormals) return;
  Eigen::MatrixXd held, moved;  // sums of squares along the springs, and of whole motions there
  const auto add = [](Eigen::MatrixXd& to, const Eigen::VectorXd& m) {
    if (to.size() == 0) to = Eigen::MatrixXd::Zero(m.size(), m.size());
    to += m * m.transpose();
  };
  const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Spring& s : all) {
    add(held, RigidMotions(p.domain, s.place.data(), s.direction.data()));
    for (int c = 0; c < p.dim; c++) add(moved, RigidMotions(p.domain, s.place.data(), axes[c]));
  }
  for (size_t u = 0; u < p.constraints->fixed.size(); u++) {
    if (!p.constraints->fixed[u]) continue;
    const double* at = &p.space->Coordinates()[u - u % p.dim];
    for (Eigen::MatrixXd* to : {&held, &moved})
      add(*to, RigidMotions(p.domain, at, axes[u % p.dim]));
  }
  for (const Slanted& s : slanted) {
    const double* at = &p.space->Coordinates()[static_cast<size_t>(s.node) * p.dim];
    for (const Point3& d : s.along) add(held, RigidMotions(p.domain, at, d.data()));
    for (int c = 0; c < p.dim; c++) add(moved, RigidMotions(p.domain, at, axes[c]));
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(held, moved);
  for (const double share : eigen.eigenvalues()) {
    if (share < kFree || share > kByFacets) continue;
    p.answer.evidence.Holds(
        "held_by_facets", "model", "", false,
        "Springs or supports along the normals of a round face hold the part against one of its "
        "motions by "
        "the facets of the mesh alone (" +
            Text(100 * share, 2) +
            " % of it is along them): it would turn freely in a face that is round. Hold that "
            "motion by a condition of its own (fixed with components), or give the stiffness as a "
            "vector.");
    return;
  }
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
  if (p.domain.axisymmetric)
    CheckTurnedStability(p, k);
  else
    CheckStability(p, k);
}

}  // namespace atelier
