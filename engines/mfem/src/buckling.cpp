#include "buckling.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "displacement_gradient.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr int kPowers = 3;             // of K^-1 Kg, from each of the two starts
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

}  // namespace

Buckling MeasureBuckling(const NodalSpace& space, const Values& u, const Lame& lame,
                         const Relieve& relieve, const Relieve& stiffness) {
  Buckling out;
  const Geometric geometric(space, u, lame);
  Basis basis;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Values any(u.size());
  for (double& x : any) x = draw(random);
  const Values softening = geometric(u);
  for (Values r : {softening, any}) {
    for (int power = 0; power < kPowers; power++) {
      Values x = relieve(r), kx = stiffness(x);
      if (!basis.Take(std::move(x), std::move(kx))) break;
      r = geometric(basis.v.back());
    }
  }
  const int n = static_cast<int>(basis.v.size());
  if (n == 0) return out;
  Eigen::MatrixXd h(n, n);
  Eigen::VectorXd b(n);
  std::vector<Values> image;
  for (int j = 0; j < n; j++) image.push_back(geometric(basis.v[j]));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) h(i, j) = Dot(basis.v[i], image[j]);
    b(i) = Dot(basis.v[i], softening);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (h + h.transpose()));
  if (eigen.info() != Eigen::Success) return out;
  const int last = n - 1;  // eigenvalues ascend
  out.known = true;
  out.share = std::max(0.0, eigen.eigenvalues()(last));
  Values du(u.size(), 0.0);
  for (int k = 0; k < n; k++) {
    const Eigen::VectorXd mode = eigen.eigenvectors().col(k);
    const double c = mode.dot(b) / (1 - eigen.eigenvalues()(k));
    for (int i = 0; i < n; i++) Axpy(c * mode(i), basis.v[i], du);
  }
  out.change = LargestChange(u, du, space.Dimension());
  return out;
}

}  // namespace atelier
