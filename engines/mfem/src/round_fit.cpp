#include "round_fit.hpp"

#include <cmath>

namespace atelier {
namespace {

// By which corners may be off the round face, beside the sagitta of its facets: of the radius,
// or of twice the depth of a narrow arc.
constexpr double kPrecise = 0.005;
constexpr double kWhole = 0.1;                 // mean of the radii, as vectors, of more than an arc
constexpr double kMostTilt = 25 * M_PI / 180;  // of a facet at its corners: one of eight
constexpr double kLargest = 1e3;               // radius over the size of the face
constexpr int kMostSteps = 30;
constexpr double kSettled = 1e-14;   // of the size of the face
constexpr double kAlongAxis = 1e-9;  // an axis so near to one of space is that: 1 - cos

Vector3 Mean(const std::vector<Vector3>& places) {
  Vector3 sum = Vector3::Zero();
  for (const Vector3& x : places) sum += x;
  return sum / static_cast<double>(places.size());
}

double Extent(const std::vector<Vector3>& places, const Vector3& centre) {
  double most = 0;
  for (const Vector3& x : places) most = std::max(most, (x - centre).norm());
  return most;
}

// The angle between lines.
double Between(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).norm(), std::abs(a.dot(b)));
}

// Radius and deviations about an axis or centre that is known.
void Judge(RoundFit& fit, const FacetCorners& corners) {
  double least = INFINITY, most = 0, sum = 0;
  Vector3 middle = Vector3::Zero();
  fit.tilt = fit.across = 0;
  for (size_t i = 0; i < corners.place.size(); i++) {
    const Vector3 r = fit.Radius(corners.place[i]), n = corners.normal[i],
                  flat = n - fit.axis * fit.axis.dot(n);
    const double size = r.norm();
    sum += size;
    middle += r;
    least = std::min(least, size), most = std::max(most, size);
    fit.tilt = std::max(fit.tilt, Between(r, n));
    fit.across = std::max(fit.across, Between(r, flat));
  }
  const double count = static_cast<double>(corners.place.size());
  fit.radius = sum / count;
  fit.deviation = std::max(most - fit.radius, fit.radius - least);
  fit.depth = 2 * fit.radius;
  if (middle.norm() < kWhole * sum) return;
  middle.normalize();
  double low = INFINITY, high = -INFINITY;
  for (const Vector3& x : corners.place) {
    const double along = middle.dot(fit.Radius(x));
    low = std::min(low, along), high = std::max(high, along);
  }
  fit.depth = high - low;
}

// |x|^2 - 2 c x = R^2 - |c|^2, linear in the centre c, in the space that the columns span.
Vector3 AlgebraicCentre(const FacetCorners& corners, const Vector3& mean, double size,
                        const Eigen::MatrixXd& base) {
  const long n = static_cast<long>(corners.place.size()), m = base.cols();
  Eigen::MatrixXd a(n, m + 1);
  Eigen::VectorXd b(n);
  for (long i = 0; i < n; i++) {
    const Eigen::VectorXd x = base.transpose() * (corners.place[i] - mean) / size;
    a.row(i).head(m) = 2 * x.transpose();
    a(i, m) = 1;
    b[i] = x.squaredNorm();
  }
  const Eigen::VectorXd found = a.completeOrthogonalDecomposition().solve(b);
  return mean + size * (base * found.head(m));
}

// The two directions across an axis, by column.
Eigen::Matrix<double, 3, 2> Across(const Vector3& axis) {
  Eigen::Matrix<double, 3, 2> base;
  base.col(0) = axis.unitOrthogonal();
  base.col(1) = axis.cross(Vector3(base.col(0)));
  return base;
}

// Gauss and Newton: place and, where it may turn, direction of the axis, and the radius.
void Improve(RoundFit& fit, const FacetCorners& corners, const Vector3& mean, double size,
             bool turns) {
  const long n = static_cast<long>(corners.place.size()), unknowns = turns ? 5 : 3;
  for (int step = 0; step < kMostSteps; step++) {
    fit.through += fit.axis * fit.axis.dot(mean - fit.through);
    Judge(fit, corners);
    const Eigen::Matrix<double, 3, 2> across = Across(fit.axis);
    Eigen::MatrixXd a(n, unknowns);
    Eigen::VectorXd b(n);
    for (long i = 0; i < n; i++) {
      const Vector3 r = fit.Radius(corners.place[i]);
      const Eigen::Vector2d outward = across.transpose() * r.normalized();
      a.row(i).head(2) = -outward.transpose();
      a(i, 2) = -1;
      if (turns)
        a.row(i).tail(2) =
            -fit.axis.dot(corners.place[i] - fit.through) / size * outward.transpose();
      b[i] = -(r.norm() - fit.radius) / size;
    }
    const Eigen::VectorXd change = a.completeOrthogonalDecomposition().solve(b);
    if (!change.allFinite()) return;
    fit.through += size * (across * change.head(2));
    if (turns) fit.axis = (fit.axis + across * change.tail(2)).normalized();
    if (change.norm() < kSettled) break;
  }
}

}  // namespace

bool RoundFit::Fits() const {
  const double sagitta = (1 - std::cos(across)) * radius;
  return radius > 0 && tilt <= kMostTilt &&
         deviation <= kPrecise * std::min(radius, 2 * depth) + sagitta;
}

RoundFit FitCylinder(const FacetCorners& corners, int dim) {
  RoundFit fit;
  fit.axis = Vector3::UnitZ();
  const Vector3 mean = Mean(corners.place);
  const double size = Extent(corners.place, mean);
  if (dim == 3) {
    Matrix3 normals = Matrix3::Zero();
    for (size_t i = 0; i < corners.normal.size(); i++)
      normals += corners.weight[i] * corners.normal[i] * corners.normal[i].transpose();
    fit.axis = Eigen::SelfAdjointEigenSolver<Matrix3>(normals).eigenvectors().col(0);
  }
  fit.through = AlgebraicCentre(corners, mean, size, Across(fit.axis));
  Improve(fit, corners, mean, size, dim == 3);
  for (int k = 0; k < 3; k++) {
    if (std::abs(fit.axis[k]) >= 1 - kAlongAxis) fit.axis = Vector3::Unit(k);
  }
  if (fit.axis[0] + fit.axis[1] + fit.axis[2] < 0) fit.axis = -fit.axis;
  fit.through += fit.axis * fit.axis.dot(mean - fit.through);
  Judge(fit, corners);
  if (fit.radius > kLargest * size) fit.radius = 0;  // a plane
  return fit;
}

RoundFit FitSphere(const FacetCorners& corners) {
  RoundFit fit;
  const Vector3 mean = Mean(corners.place);
  const double size = Extent(corners.place, mean);
  fit.through = AlgebraicCentre(corners, mean, size, Matrix3::Identity());
  Judge(fit, corners);
  if (fit.radius > kLargest * size) fit.radius = 0;
  return fit;
}

RoundFit WithAxis(const RoundFit& of, const RoundFit& fit, const FacetCorners& corners) {
  RoundFit out = fit;
  out.axis = of.axis;
  out.through = of.through + of.axis * of.axis.dot(fit.through - of.through);
  Judge(out, corners);
  return out;
}

}  // namespace atelier
