// Eigenvalues of large symmetric pencils by Lanczos' method (Spectra).
#pragma once

#include <functional>
#include <string>

#include "block_csr.hpp"
#include "evidence.hpp"

namespace atelier {

constexpr int kDefaultModes = 6, kMostModes = 50;
constexpr int kSpareModes = 3;          // found beyond those asked for, to see where to count
constexpr double kGap = 1e-4;           // between eigenvalues, relative: one can count between them
constexpr int kEigenSolves = 100;       // inner solves of a search, about
constexpr double kMostResidual = 1e-4;  // error of an eigenvalue, relative
constexpr int kStatedModes = 12;        // with an error bar of their own

// A phi = theta K phi, A symmetric and K symmetric positive definite, each given by what it
// does to a vector. Vectors are 0 at the unknowns that are not free.
struct Pencil {
  std::function<Values(const Values&)> a, k, solve;  // A x, K x, K^-1 x
  std::vector<char> fixed;                           // unknowns that are not free
  std::vector<Slanted> slanted = {};                 // nodes that are held along directions

  int Free() const;                // how many unknowns are free
  Values Cleared(Values v) const;  // v with 0 where it is held
};

struct EigenModes {
  Values theta;                // the largest, in falling order
  std::vector<Values> shapes;  // with phi^T K phi = 1
  // |K^-1 A phi - theta phi| / theta in the norm of K: the relative error of theta is at most
  // this (Parlett, The Symmetric Eigenvalue Problem, 4.5).
  Values residual;

  // Relative error of theta i: at most the residual, and its square over the distance to the
  // next other one (Parlett, 11.7).
  double ErrorBound(size_t i) const;
};

// |image - theta phi| / theta in the norm of K, image = K^-1 A phi, phi of norm 1 in it.
double RelativeResidual(Values image, const Values& phi, double theta,
                        const std::function<Values(const Values&)>& k);
// Numbers between -1 and 1, the same for each seed; 0 at the unknowns that are fixed, none
// where the list is empty.
Values AnyShape(size_t size, unsigned seed, const std::vector<char>& fixed = {});

// The largest `count` of theta; fewer where there are no more. Throws ERR_NOT_CONVERGED.
EigenModes LargestModes(const Pencil& pencil, int count);

// How many eigenvalues of K phi = lambda M phi lie below mu, by the signs of the pivots of
// K - mu M (Sylvester's law of inertia); -1 where it cannot be factorised.
int CountBelow(const BlockCsr& k_minus_mu_m);
// The same without the constrained unknowns, whose rows (Clamp) keep the mean diagonal.
int CountFreeBelow(const BlockCsr& clamped, const Constraints& constraints);

// How many eigenvalues lie below a bound between two of them, and how many were found there.
struct ModeCount {
  int counted = -1, expected = 0;  // counted: -1 where it is not known
};
// States whether the pivots of `matrix` count as many eigenvalues as were found, or by `why`
// that they were not counted. figure: pointer to the modes; modes: what they are called.
void CheckCount(const ModeCount& count, const std::string& figure, const std::string& matrix,
                const std::string& modes, const std::string& why, Evidence& evidence);

}  // namespace atelier
