#include "eigen_modes.hpp"

#include <Spectra/SymGEigsSolver.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "direct_solver.hpp"
#include "krylov.hpp"
#include "protocol.hpp"

namespace atelier {
namespace {

constexpr double kTolerance = 1e-10;  // of theta, relative
constexpr int kMostRestarts = 300;
constexpr int kSpare = 20;             // dimensions of the Krylov space beyond the modes
constexpr unsigned kSeed = 20250131u;  // any: the same in every run
constexpr double kTinyPivot = 1e-12;   // of the largest: its sign is rounding

// Spectra takes absolute tolerances: A and K are scaled so that the largest theta and the
// squares of the vectors are about 1.
class Scaled {
 public:
  using Scalar = double;
  Scaled(const Pencil& pencil, size_t n) : pencil_(pencil), n_(n) {}

  void Scale(double a, double k) { a_ = a, k_ = k; }
  Eigen::Index rows() const { return static_cast<Eigen::Index>(n_); }
  Eigen::Index cols() const { return rows(); }

 protected:
  Values In(const double* x) const {
    Values v(x, x + n_);
    for (size_t i = 0; i < n_; i++) v[i] = pencil_.fixed[i] ? 0 : v[i];
    return v;
  }
  void Out(const Values& v, double factor, double* y) const {
    for (size_t i = 0; i < n_; i++) y[i] = pencil_.fixed[i] ? 0 : factor * v[i];
  }

  const Pencil& pencil_;
  size_t n_;
  double a_ = 1, k_ = 1;
};

class OfA : public Scaled {
 public:
  using Scaled::Scaled;
  void perform_op(const double* x, double* y) const { Out(pencil_.a(In(x)), a_, y); }
};

class OfK : public Scaled {
 public:
  using Scaled::Scaled;
  void perform_op(const double* x, double* y) const { Out(pencil_.k(In(x)), k_, y); }
  void solve(const double* x, double* y) const { Out(pencil_.solve(In(x)), 1 / k_, y); }
};

Values AnyShape(const std::vector<char>& fixed) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Values any(fixed.size());
  for (size_t i = 0; i < any.size(); i++) any[i] = fixed[i] ? 0 : draw(random);
  return any;
}

// v with 0 at the unknowns that are not free.
Values Free(const Pencil& p, Values v) {
  for (size_t i = 0; i < v.size(); i++) v[i] = p.fixed[i] ? 0 : v[i];
  return v;
}

// |K^-1 A x - theta x| / theta in the norm of K, x of norm 1 in it.
double Residual(const Pencil& p, const Values& x, double theta) {
  Values rest = Free(p, p.solve(Free(p, p.a(x))));
  Axpy(-theta, x, rest);
  return std::sqrt(std::max(0.0, Dot(rest, p.k(rest)))) / std::abs(theta);
}

}  // namespace

EigenModes LargestModes(const Pencil& pencil, int count) {
  const size_t n = pencil.fixed.size();
  const int free = static_cast<int>(std::count(pencil.fixed.begin(), pencil.fixed.end(), 0));
  count = std::min(count, free - 2);
  EigenModes out;
  if (count < 1) return out;
  OfA a(pencil, n);
  OfK k(pencil, n);
  // Two steps of the power method for the scales.
  auto step = [&](const Values& x) {
    return Free(pencil, pencil.solve(Free(pencil, pencil.a(x))));
  };
  const Values once = step(AnyShape(pencil.fixed)), twice = step(once);
  const double size = Dot(once, pencil.k(once)),
               theta = std::sqrt(Dot(twice, pencil.k(twice)) / size);
  if (!(size > 0) || !(theta > 0)) return out;
  const double unit = Dot(once, once) / size;  // phi^T K phi of a vector of norm 1 becomes 1
  a.Scale(unit / theta, unit);
  k.Scale(unit / theta, unit);
  const int space = std::min(free, std::max(2 * count + kSpare / 2, count + kSpare));
  Spectra::SymGEigsSolver<OfA, OfK, Spectra::GEigsMode::RegularInverse> solver(a, k, count, space);
  solver.init(once.data());
  const auto found = solver.compute(Spectra::SortRule::LargestAlge, kMostRestarts, kTolerance,
                                    Spectra::SortRule::LargestAlge);
  if (solver.info() != Spectra::CompInfo::Successful || found < count)
    throw Error(codes::kNotConverged, "Lanczos' method found " + std::to_string(found) + " of " +
                                          std::to_string(count) + " eigenvalues")
        .At("/config/modes")
        .Hint("Ask for fewer modes, or use a finer mesh.");
  const Eigen::VectorXd values = solver.eigenvalues();
  const Eigen::MatrixXd vectors = solver.eigenvectors();
  for (int i = 0; i < count; i++) {
    Values x(vectors.col(i).data(), vectors.col(i).data() + n);
    const double norm = std::sqrt(Dot(x, pencil.k(x)));
    for (double& v : x) v /= norm;
    out.theta.push_back(Dot(x, pencil.a(x)));
    out.residual.push_back(Residual(pencil, x, out.theta.back()));
    out.shapes.push_back(std::move(x));
  }
  return out;
}

int CountBelow(const BlockCsr& matrix) {
  try {
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factors;
    factors.compute(LowerTriangle(matrix));
    if (factors.info() != Eigen::Success) return -1;
    const auto& pivots = factors.vectorD();
    if (pivots.cwiseAbs().minCoeff() <= kTinyPivot * pivots.cwiseAbs().maxCoeff()) return -1;
    return static_cast<int>((pivots.array() < 0).count());
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

}  // namespace atelier
