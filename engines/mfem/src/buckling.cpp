#include "buckling.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "geometric_stiffness.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr int kOfSoftening = 3;        // powers of K^-1 Kg from what the stresses do to u
constexpr int kLeast = 8, kMost = 40;  // and from the random shape
constexpr int kStill = 3;              // powers after which the largest eigenvalue has settled
constexpr double kSettled = 0.01;      // relative change of one
constexpr double kDependent = 1e-6;    // of a vector, in the norm of K: it is spanned
constexpr double kLargeEnough = 0.2;   // of the largest displacement: its change counts
constexpr unsigned kSeed = 20240229u;  // any: the same in every run
constexpr int kChains = 3;             // random shapes: as many equal load factors are found
constexpr int kMostShapes = 240;       // of the space in which load factors are sought
constexpr double kFound = 1e-8;        // relative change of one that is found
constexpr double kLeft = 1e-3;         // of a random load, in the norm of the preconditioner
constexpr double kLate = 1e-6;         // of the energy of a change, by the later half of its steps
constexpr int kMostSteps = 100;

// A basis that is orthonormal in the product of K, with K times each vector.
struct Basis {
  std::vector<Values> v, kv;

  // Takes x with kx = K x; false where it is spanned already.
  bool Take(Values x, Values kx) {
    const double before = Dot(x, kx);
    if (!(before > 0)) return false;
    for (int twice = 0; twice < 2; twice++) {
      for (size_t j = 0; j < v.size(); j++) {
        const double c = Dot(v[j], kx);
        Axpy(-c, v[j], x);
        Axpy(-c, kv[j], kx);
      }
    }
    const double left = Dot(x, kx);
    if (!(left > kDependent * kDependent * before)) return false;
    const double scale = 1 / std::sqrt(left);
    for (double& c : x) c *= scale;
    for (double& c : kx) c *= scale;
    v.push_back(std::move(x));
    kv.push_back(std::move(kx));
    return true;
  }
};

// The largest change of a displacement along itself.
double LargestChange(const Values& u, const Values& du, int dim) {
  double largest = 0, change = 0;
  const size_t nodes = u.size() / dim;
  auto part = [&](const Values& a, const Values& b, size_t n) {
    double sum = 0;
    for (int c = 0; c < dim; c++) sum += a[n * dim + c] * b[n * dim + c];
    return sum;
  };
  for (size_t n = 0; n < nodes; n++) largest = std::max(largest, std::sqrt(part(u, u, n)));
  for (size_t n = 0; n < nodes; n++) {
    const double size = std::sqrt(part(u, u, n));
    if (size > kLargeEnough * largest)
      change = std::max(change, std::abs(part(u, du, n)) / size / largest);
  }
  return change;
}

// The Ritz values of K^-1 of the operator -(Kg - following) in a growing basis.
class Ritz {
 public:
  Ritz(const Geometric& geometric, const StabilityOperators& of) : geometric_(geometric), of_(of) {}

  Values Image(const Values& v) const {
    Values out = geometric_(v);
    Axpy(1, of_.following(v), out);
    return out;
  }

  // Takes in the shape that the loads r bring; what the operator does to it replaces r.
  bool Extend(Values& r) {
    Values x = of_.relieve(r), kx = of_.stiffness(x);
    if (!basis_.Take(std::move(x), std::move(kx))) return false;
    r = Image(basis_.v.back());
    image_.push_back(r);
    const int n = Size();
    h_.conservativeResize(n, n);
    for (int i = 0; i < n; i++) {
      // Loads that follow an open surface are not symmetric at its edge.
      h_(i, n - 1) = h_(n - 1, i) =
          0.5 * (Dot(basis_.v[i], image_[n - 1]) + Dot(basis_.v[n - 1], image_[i]));
    }
    return true;
  }
  bool Update() {
    eigen_.compute(h_);
    return eigen_.info() == Eigen::Success;
  }
  bool Grow(Values& r) { return Extend(r) && Update(); }

  int Size() const { return static_cast<int>(basis_.v.size()); }
  double Largest() const { return Size() ? std::max(0.0, eigen_.eigenvalues()(Size() - 1)) : 0; }

  double Least() const { return Size() ? std::min(0.0, eigen_.eigenvalues()(0)) : 0; }
  // Those of the largest that are above a bound, in falling order.
  Values Above(double least, int count) const {
    Values out;
    for (int i = Size() - 1; i >= 0 && static_cast<int>(out.size()) < count; i--) {
      if (eigen_.eigenvalues()(i) > least) out.push_back(eigen_.eigenvalues()(i));
    }
    return out;
  }
  // The shape of the i-th largest, with phi^T K phi = 1.
  Values Shape(size_t i) const {
    Values out(basis_.v.front().size(), 0.0);
    for (int k = 0; k < Size(); k++)
      Axpy(eigen_.eigenvectors()(k, Size() - 1 - static_cast<int>(i)), basis_.v[k], out);
    return out;
  }

  // du of (K - A) du = b, A the operator.
  Values Solve(const Values& b) const {
    Values du(b.size(), 0.0);
    Eigen::VectorXd part(Size());
    for (int i = 0; i < Size(); i++) part(i) = Dot(basis_.v[i], b);
    part = eigen_.eigenvectors().transpose() * part;
    for (int k = 0; k < Size(); k++) part(k) /= 1 - eigen_.eigenvalues()(k);
    part = eigen_.eigenvectors() * part;
    for (int i = 0; i < Size(); i++) Axpy(part(i), basis_.v[i], du);
    return du;
  }

 private:
  const Geometric& geometric_;
  const StabilityOperators& of_;
  Basis basis_;
  std::vector<Values> image_;
  Eigen::MatrixXd h_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen_;
};

}  // namespace

Buckling MeasureBuckling(const Geometric& geometric, const Values& u, int dimension,
                         const StabilityOperators& of) {
  Buckling out;
  Ritz ritz(geometric, of);
  const Values softening = ritz.Image(u);
  Values r = softening;
  for (int power = 0; power < kOfSoftening && ritz.Grow(r); power++) continue;
  r = AnyShape(u.size(), kSeed);
  int still = 0, power = 0;
  for (bool grows = true; grows && power < kMost && (power < kLeast || still < kStill); power++) {
    const double before = ritz.Largest();
    grows = ritz.Grow(r);
    still = ritz.Largest() - before <= kSettled * ritz.Largest() ? still + 1 : 0;
    out.known = !grows || still >= kStill;  // a space that does not grow is whole
  }
  out.share = ritz.Largest();
  out.change = LargestChange(u, ritz.Solve(softening), dimension);
  return out;
}

namespace {

// K - factor A.
struct Softened {
  const Geometric& geometric;
  const StabilityOperators& of;
  double factor;

  Values operator()(const Values& x) const {
    Values y = of.stiffness(x);
    geometric.Subtract(-factor, x, y);
    Axpy(-factor, of.following(x), y);
    return y;
  }
};

// What conjugate gradients have done so far, by step.
struct Steps {
  Values left;    // r^T M^-1 r before each, M the preconditioner
  Values energy;  // that each adds to the solution

  bool Reduced() const { return left.back() <= kLeft * kLeft * left.front(); }
  bool Settled() const {
    double all = 0, late = 0;
    for (size_t i = 0; i < energy.size(); i++) {
      all += energy[i];
      if (i >= (energy.size() + 1) / 2) late += energy[i];
    }
    return energy.size() > 1 && late <= kLate * all;
  }
};

// Adds the solution of h x = r to x, until it is exact enough. False where that takes too long
// or a direction has no stiffness.
template <class Enough>
bool Conjugate(const Softened& h, Values r, Values& x, Enough enough) {
  Steps steps;
  Values p(r.size(), 0.0);
  for (int step = 0; step < kMostSteps; step++) {
    const Values z = h.of.precondition(r);
    const double rz = Dot(r, z), beta = step ? rz / steps.left.back() : 0;
    if (rz == 0) return true;
    steps.left.push_back(rz);
    if (!(rz > 0)) return false;
    if (enough(steps)) return true;
#pragma omp parallel for
    for (size_t i = 0; i < p.size(); i++) p[i] = z[i] + beta * p[i];
    const Values q = h(p);
    const double pq = Dot(p, q), alpha = rz / pq;
    if (!(pq > 0)) return false;
    Axpy(alpha, p, x);
    Axpy(-alpha, q, r);
    steps.energy.push_back(alpha * rz);
  }
  return false;
}

}  // namespace

std::optional<double> ChangeFarFromBuckling(const Geometric& geometric, const Values& u,
                                            int dimension, const StabilityOperators& of,
                                            double times) {
  Values any(u.size(), 0.0), du = any;
  const bool stable = Conjugate({geometric, of, times}, AnyShape(u.size(), kSeed), any,
                                [](const Steps& s) { return s.Reduced(); });
  if (!stable) return std::nullopt;
  Values softening = geometric(u);
  Axpy(1, of.following(u), softening);
  const bool known = Conjugate({geometric, of, 1}, std::move(softening), du,
                               [](const Steps& s) { return s.Settled(); });
  if (!known) return std::nullopt;
  return LargestChange(u, du, dimension);
}

namespace {

bool Settled(const Values& before, const Values& now) {
  if (before.size() != now.size()) return false;
  for (size_t i = 0; i < now.size(); i++) {
    if (std::abs(now[i] - before[i]) > kFound * std::abs(now[i])) return false;
  }
  return true;
}

}  // namespace

BucklingModes FindBuckling(const Geometric& geometric, const Values& u,
                           const StabilityOperators& of, int count, double least) {
  Ritz ritz(geometric, of);
  Values r = ritz.Image(u);
  for (int power = 0; power < kOfSoftening && ritz.Extend(r); power++) continue;
  std::vector<Values> chains;
  for (int i = 0; i < kChains; i++) chains.push_back(AnyShape(u.size(), kSeed + i));
  Values before, now;
  double reversed = 0;
  for (int still = 0; still < kStill && ritz.Size() < kMostShapes && !chains.empty();) {
    for (size_t i = chains.size(); i-- > 0;) {
      if (!ritz.Extend(chains[i])) chains.erase(chains.begin() + static_cast<long>(i));
    }
    if (ritz.Size() == 0 || !ritz.Update()) break;
    before = std::move(now);
    now = ritz.Above(least, count);
    const bool settled =
        Settled(before, now) && std::abs(ritz.Least() - reversed) <= kSettled * std::abs(reversed);
    still = settled ? still + 1 : 0;
    reversed = ritz.Least();
  }
  BucklingModes out;
  out.reversed = -reversed;
  out.modes.theta = now;
  for (size_t i = 0; i < now.size(); i++) {
    out.modes.shapes.push_back(ritz.Shape(i));
    const Values& phi = out.modes.shapes.back();
    out.modes.residual.push_back(
        RelativeResidual(of.relieve(ritz.Image(phi)), phi, now[i], of.stiffness));
  }
  return out;
}

}  // namespace atelier
