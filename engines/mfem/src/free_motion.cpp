#include "free_motion.hpp"

#include <cmath>

namespace atelier {
namespace {

constexpr double kNone = 1e-6;  // of a motion: what rounding leaves of a part of it

// Rounding beside 1 is no component of a direction.
Vector3 Rounded(Vector3 v) {
  for (int k = 0; k < 3; k++) {
    if (std::abs(v[k]) < kNone) v[k] = 0;
  }
  return v.normalized();
}

// An orthonormal base of a space of vectors, by column: along the axes as far as these lie in it.
Eigen::MatrixXd AlongAxes(Eigen::MatrixXd space) {
  Eigen::MatrixXd out(3, space.cols());
  for (int i = 0; i < out.cols(); i++) {
    int best = 0;
    for (int c = 1; c < 3; c++) {
      if (space.row(c).norm() > space.row(best).norm() + kNone) best = c;
    }
    out.col(i) = Rounded(space * space.row(best).transpose());
    const Eigen::MatrixXd rest = space - out.col(i) * (out.col(i).transpose() * space);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rest, Eigen::ComputeThinU);
    space = svd.matrixU().leftCols(out.cols() - i - 1);
  }
  return out;
}

// The rank of a matrix of parts of motions of size 1.
int Rank(const Eigen::JacobiSVD<Eigen::MatrixXd>& svd) {
  return static_cast<int>((svd.singularValues().array() > kNone).count());
}

std::string Triple(const Vector3& v, int dim) {
  std::string out;
  for (int k = 0; k < dim; k++) out += (k == 0 ? "(" : ", ") + Text(v[k]);
  return out + ")";
}

std::string Along(const Vector3& v, int dim) {
  for (int k = 0; k < 3; k++) {
    if (std::abs(v[k]) == 1) return std::string(1, static_cast<char>('x' + k));
  }
  return Triple(v, dim);
}

// A point that all turns leave where it is, if there is one: turn x point = -shift.
Vector3 CommonPoint(const Eigen::MatrixXd& turns, const Eigen::MatrixXd& shifts) {
  Eigen::MatrixXd a(3 * turns.cols(), 3);
  Eigen::VectorXd b(3 * turns.cols());
  for (int i = 0; i < turns.cols(); i++) {
    const Vector3 w = turns.col(i);
    Matrix3 cross;
    cross << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
    a.middleRows(3 * i, 3) = cross;
    b.segment(3 * i, 3) = -shifts.col(i);
  }
  return a.jacobiSvd(Eigen::ComputeThinU | Eigen::ComputeThinV).solve(b);
}

}  // namespace

std::string FreeMotion::Name() const {
  if (!turns) return "translation along " + Along(direction, dim);
  std::string out = "rotation about ";
  out += dim == 2 ? "the point " + Triple(through, dim) + " m"
                  : "the axis along " + Along(direction, dim) + " through " + Triple(through, dim) +
                        " m";
  return out + (pitch == 0 ? "" : ", moving by " + Text(pitch) + " m per radian along it");
}

Json FreeMotion::Details() const {
  const auto list = [](const Vector3& v, int count) {
    return std::vector<double>(v.data(), v.data() + count);
  };
  Json out = {{"name", Name()},
              {"kind", turns ? "rotation" : "translation"},
              {"direction", list(direction, turns ? 3 : dim)}};
  if (turns) out["through"] = list(through, dim);
  if (pitch != 0) out["pitch"] = pitch;
  return out;
}

std::vector<FreeMotion> NameMotions(const Eigen::MatrixXd& base, int dim, const Vector3& centre,
                                    double scale) {
  // Shifts and turns in space of an orthonormal base of the motions.
  const Eigen::JacobiSVD<Eigen::MatrixXd> all(base, Eigen::ComputeThinU);
  const int free = Rank(all);
  if (free == 0) return {};
  const Eigen::MatrixXd own = all.matrixU().leftCols(free);
  Eigen::MatrixXd shifts = Eigen::MatrixXd::Zero(3, own.cols()), turns = shifts;
  shifts.topRows(dim) = own.topRows(dim);
  if (dim == 2) turns.row(2) = own.row(2);
  if (dim == 3) turns = own.bottomRows(3);
  const Eigen::JacobiSVD<Eigen::MatrixXd> split(turns, Eigen::ComputeFullV | Eigen::ComputeThinU);
  const int rotations = Rank(split);
  const Eigen::MatrixXd v = split.matrixV();
  std::vector<FreeMotion> out;
  // Combinations that do not turn.
  const Eigen::MatrixXd slides = AlongAxes(shifts * v.rightCols(free - rotations));
  for (int i = 0; i < slides.cols(); i++)
    out.push_back({false, slides.col(i), Vector3::Zero(), 0, dim});
  // About each axis, without what is a translation that is free as well.
  const Eigen::MatrixXd axes = AlongAxes(split.matrixU().leftCols(rotations));
  Eigen::MatrixXd moved(3, rotations);
  for (int i = 0; i < rotations; i++) {
    const Eigen::VectorXd shares = split.matrixU().leftCols(rotations).transpose() * axes.col(i);
    moved.col(i) = shifts * (v.leftCols(rotations) *
                             shares.cwiseQuotient(split.singularValues().head(rotations)));
    moved.col(i) -= slides * (slides.transpose() * moved.col(i));
  }
  const Vector3 common = rotations > 1 ? CommonPoint(axes, moved) : Vector3::Zero();
  for (int i = 0; i < rotations; i++) {
    const Vector3 w = axes.col(i), t = moved.col(i);
    const double pitch = w.dot(t);
    const bool shared = rotations > 1 && (t + w.cross(common)).norm() < 1e-4;
    Vector3 through = shared ? common : w.cross(t);
    for (int k = 0; k < 3; k++) {
      through[k] = centre[k] + scale * through[k];
      if (std::abs(through[k]) < kNone * scale) through[k] = 0;
    }
    out.push_back({true, w, through, std::abs(pitch) < kNone ? 0 : scale * pitch, dim});
  }
  return out;
}

}  // namespace atelier
