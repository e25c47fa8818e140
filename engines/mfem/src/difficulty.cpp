#include "difficulty.hpp"

#include <algorithm>

#include "evidence.hpp"

namespace atelier {
namespace {

constexpr double kStretched = 20;  // longest over shortest side of an element
constexpr double kNearlyIncompressible = 0.49;
constexpr double kContrast = 1e4;

double LargestAspect(mfem::Mesh& mesh) {
  constexpr int kShortest = 1, kLongest = 2;  // singular values of the Jacobian
  double most = 1;
  for (int e = 0; e < mesh.GetNE(); e++)
    most = std::max(most, mesh.GetElementSize(e, kLongest) / mesh.GetElementSize(e, kShortest));
  return most;
}

}  // namespace

std::string SlowReasons(mfem::Mesh& mesh, const Lame* lame) {
  std::string text;
  const double aspect = LargestAspect(mesh);
  if (aspect > kStretched)
    text += " An element is " + Text(aspect, 2) +
            " times as long as it is thick: use smaller elements along the thin part, or take "
            "the slivers out of the mesh.";
  if (lame) {
    double softest = INFINITY, stiffest = 0, nu = 0;
    for (size_t e = 0; e < lame->mu.size(); e++) {
      softest = std::min(softest, lame->mu[e]), stiffest = std::max(stiffest, lame->mu[e]);
      nu = std::max(nu, lame->lambda[e] / (2 * (lame->lambda[e] + lame->mu[e])));
    }
    if (stiffest > kContrast * softest)
      text += " The stiffest material is " + Text(stiffest / softest, 2) +
              " times as stiff as the softest: check the units of E, or hold the soft part's "
              "faces in place of a far stiffer neighbour.";
    if (nu > kNearlyIncompressible)
      text += " Poisson's ratio of " + Text(nu, 5) +
              " is nearly incompressible: 0.49 changes most displacements little.";
  }
  if (text.empty())
    text =
        " The part is thin for its length, or hardly held: use a coarser mesh or order 1, "
        "which can be factorised, or cut the part at a plane of symmetry.";
  return text.substr(1);
}

}  // namespace atelier
