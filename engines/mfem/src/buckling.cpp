#include "buckling.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "displacement_gradient.hpp"
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

// -Kg v with the stresses of u.
class Geometric {
 public:
  Geometric(const NodalSpace& space, const Values& u, const Lame& lame)
      : space_(space), kernel_(space, GradientDegree(space) + space.Order() - 1) {
    const int dim = space.Dimension();
    ForEachElement(space, kernel_, [&](int e, const LocalShapes& s) {
      for (int q = 0; q < s.points; q++) {
        const Tensor stress =
            Stress(Symmetric(DisplacementGradient(dim, s, q, u)), lame.lambda[e], lame.mu[e]);
        for (int i = 0; i < dim; i++) {
          for (int k = 0; k < dim; k++) stress_.push_back(s.measure[q] * stress.a[i][k]);
        }
      }
    });
  }

  Values operator()(const Values& v) const {
    const int dim = space_.Dimension();
    Values out(v.size(), 0.0);
    const double* stress = stress_.data();
    ForEachElement(space_, kernel_, [&](int, const LocalShapes& s) {
      for (int q = 0; q < s.points; q++, stress += dim * dim) {
        const Tensor h = DisplacementGradient(dim, s, q, v);
        for (int i = 0; i < dim; i++) {
          double flux[3] = {};
          for (int k = 0; k < dim; k++) {
            for (int l = 0; l < dim; l++) flux[k] += h.a[i][l] * stress[l * dim + k];
          }
          for (int a = 0; a < s.dofs; a++) {
            const double* shape = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
            for (int k = 0; k < dim; k++)
              out[static_cast<size_t>(s.dof[a]) * dim + i] -= flux[k] * shape[k];
          }
        }
      }
    });
    return out;
  }

 private:
  const NodalSpace& space_;
  ElementKernel kernel_;
  Values stress_;  // times the weight, by element, point, row, column
};

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
  bool Grow(Values& r) {
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
    eigen_.compute(h_);
    return eigen_.info() == Eigen::Success;
  }

  int Size() const { return static_cast<int>(basis_.v.size()); }
  double Largest() const { return Size() ? std::max(0.0, eigen_.eigenvalues()(Size() - 1)) : 0; }

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

Values AnyShape(size_t size) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Values any(size);
  for (double& x : any) x = draw(random);
  return any;
}

}  // namespace

Buckling MeasureBuckling(const NodalSpace& space, const Values& u, const Lame& lame,
                         const StabilityOperators& of) {
  Buckling out;
  const Geometric geometric(space, u, lame);
  Ritz ritz(geometric, of);
  const Values softening = ritz.Image(u);
  Values r = softening;
  for (int power = 0; power < kOfSoftening && ritz.Grow(r); power++) continue;
  r = AnyShape(u.size());
  int still = 0, power = 0;
  for (bool grows = true; grows && power < kMost && (power < kLeast || still < kStill); power++) {
    const double before = ritz.Largest();
    grows = ritz.Grow(r);
    still = ritz.Largest() - before <= kSettled * ritz.Largest() ? still + 1 : 0;
    out.known = !grows || still >= kStill;  // a space that does not grow is whole
  }
  out.share = ritz.Largest();
  out.change = LargestChange(u, ritz.Solve(softening), space.Dimension());
  return out;
}

}  // namespace atelier
