// Sparse factors L D L^T of symmetric matrices: by MUMPS (multifrontal), or by Eigen where
// MUMPS is not installed.
#pragma once

#include <memory>
#include <string>

#include "block_csr.hpp"

namespace atelier {

class SymmetricFactors {
 public:
  enum class Kind { kPositiveDefinite, kIndefinite };
  enum class Outcome { kDone, kTooLarge, kSingular, kIndefinite };

  // Orders the unknowns, and counts what the factors will take; null where even that fails.
  static std::unique_ptr<SymmetricFactors> Analyse(const BlockCsr& a, Kind kind);
  static std::string Library();
  virtual ~SymmetricFactors() = default;

  // What Analyse has found.
  virtual double Operations() const = 0;
  virtual double Entries() const = 0;
  virtual double Bytes() const = 0;

  // The factors of the matrix of Analyse, unless they need more memory than there is.
  // kIndefinite is a failure where the kind is positive definite. Called once.
  virtual Outcome Factorise(const BlockCsr& a) = 0;
  // How many eigenvalues are negative, by the pivots (Sylvester's law of inertia).
  virtual int Negative() const = 0;
  // b becomes A^-1 b.
  virtual void Solve(Values& b) const = 0;
};

}  // namespace atelier
