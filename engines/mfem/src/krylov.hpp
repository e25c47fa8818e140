// Krylov methods and factors for systems that are not symmetric.
#pragma once

#include <functional>

#include "block_csr.hpp"

namespace atelier {

// Incomplete LU factors without fill, of a matrix with one value per pair of nodes.
class Ilu0 {
 public:
  explicit Ilu0(const BlockCsr& a);
  void Solve(const Values& r, Values& z) const;

 private:
  std::shared_ptr<const NodeGraph> graph_;
  std::vector<size_t> diagonal_;
  Values val_;
};

using Operator = std::function<void(const Values& x, Values& y)>;

struct KrylovResult {
  int iterations = 0;
  double residual = 0;  // 2-norm, by the recurrence
  bool converged = false;
};

// Flexible GMRES (Saad, SIAM J. Sci. Comput. 14, 1993) with right preconditioning:
// the preconditioner may itself be iterative. Stops at |b - A x| <= tolerance.
KrylovResult Fgmres(const Operator& a, const Operator& preconditioner, const Values& b, Values& x,
                    double tolerance, int max_iterations, int restart);

// BiCGStab from x = 0, to |r| <= relative * |b| or the given number of iterations.
KrylovResult BiCgStab(const Operator& a, const Operator& preconditioner, const Values& b, Values& x,
                      double relative, int max_iterations);

double Dot(const Values& a, const Values& b);
void Axpy(double a, const Values& x, Values& y);  // y += a x
double Norm2(const Values& a);
double Largest(const Values& a);  // in size; 0 of none
double LargestDifference(const Values& a, const Values& b);
// The value that 99 % of the weight of (value, weight) stays below; 0 of none.
double Percentile99(std::vector<std::pair<double, double>> weighted);

}  // namespace atelier
