#include "eigen_modes.hpp"

#include <Spectra/SymGEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "krylov.hpp"
#include "protocol.hpp"
#include "symmetric_factors.hpp"

namespace atelier {
namespace {

constexpr double kTolerance = 1e-10;  // of theta, relative
constexpr int kMostRestarts = 300;
constexpr int kSpare = 20;     // dimensions of the Krylov space beyond the modes
constexpr int kLookedFor = 2;  // modes, to see whether one was missed
constexpr unsigned kMostAgain = 8;
constexpr unsigned kSeed = 20250131u;     // any: the same in every run
constexpr double kMostOperations = 1e12;  // of a factorisation that only counts

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
  Values In(const double* x) const { return pencil_.Cleared(Values(x, x + n_)); }
  void Out(const Values& v, double factor, double* y) const {
    const Values free = pencil_.Cleared(v);
    for (size_t i = 0; i < n_; i++) y[i] = factor * free[i];
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
  // What rounding brings of held directions has a norm too, so that it does not grow unseen.
  void perform_op(const double* x, double* y) const {
    const Values free = In(x);
    Out(pencil_.k(free), k_, y);
    for (size_t i = 0; i < n_; i++) y[i] += x[i] - free[i];
  }
  void solve(const double* x, double* y) const { Out(pencil_.solve(In(x)), 1 / k_, y); }
};

// The pencil without the modes that were found: A less A phi (A phi)^T / theta. K phi, which is A
// phi / theta too, is mostly rounding where K nearly lets a slender part go.
class Deflated {
 public:
  explicit Deflated(const Pencil& pencil) : pencil_(pencil) {}

  void Without(double theta, const Values& phi) {
    theta_.push_back(theta);
    image_.push_back(pencil_.a(phi));
  }
  Pencil Rest() const {
    return {[this](const Values& x) {
              Values y = pencil_.a(x);
              for (size_t i = 0; i < theta_.size(); i++)
                Axpy(-Dot(image_[i], x) / theta_[i], image_[i], y);
              return y;
            },
            pencil_.k, pencil_.solve, pencil_.fixed, pencil_.slanted};
  }

 private:
  const Pencil& pencil_;
  Values theta_;
  std::vector<Values> image_;
};

struct Mode {
  double theta;
  Values shape;
};

// One run of Lanczos' method from a random shape.
std::vector<Mode> Lanczos(const Pencil& pencil, int count, unsigned seed) {
  const size_t n = pencil.fixed.size();
  const int free = pencil.Free();
  std::vector<Mode> out;
  OfA a(pencil, n);
  OfK k(pencil, n);
  // Two steps of the power method for the scales.
  auto step = [&](const Values& x) {
    return pencil.Cleared(pencil.solve(pencil.Cleared(pencil.a(x))));
  };
  const Values once = step(pencil.Cleared(AnyShape(n, seed, pencil.fixed))), twice = step(once);
  const double size = Dot(once, pencil.k(once));
  const double theta = std::sqrt(Dot(twice, pencil.k(twice)) / size);
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
  const Eigen::MatrixXd vectors = solver.eigenvectors();
  for (int i = 0; i < count; i++) {
    Values x = pencil.Cleared(Values(vectors.col(i).data(), vectors.col(i).data() + n));
    const double norm = std::sqrt(Dot(x, pencil.k(x)));
    for (double& v : x) v /= norm;
    out.push_back({Dot(x, pencil.a(x)), std::move(x)});
  }
  return out;
}

}  // namespace

double RelativeResidual(Values image, const Values& phi, double theta,
                        const std::function<Values(const Values&)>& k) {
  Axpy(-theta, phi, image);
  return std::sqrt(std::max(0.0, Dot(image, k(image)))) / std::abs(theta);
}

Values AnyShape(size_t size, unsigned seed, const std::vector<char>& fixed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Values any(size);
  for (size_t i = 0; i < size; i++) any[i] = !fixed.empty() && fixed[i] ? 0 : draw(random);
  return any;
}

int Pencil::Free() const {
  size_t free = static_cast<size_t>(std::count(fixed.begin(), fixed.end(), 0));
  for (const Slanted& s : slanted) free -= s.along.size();
  return static_cast<int>(free);
}

Values Pencil::Cleared(Values v) const {
  for (size_t i = 0; i < v.size(); i++) v[i] = fixed[i] ? 0 : v[i];
  for (const Slanted& s : slanted) s.ClearIn(v);
  return v;
}

EigenModes LargestModes(const Pencil& pencil, int count) {
  const int free = pencil.Free();
  count = std::min(count, free - 2);
  EigenModes out;
  if (count < 1) return out;
  std::vector<Mode> modes = Lanczos(pencil, count, kSeed);
  // A run may miss one of several equal eigenvalues: it is looked for among the rest.
  for (unsigned again = 1; again <= kMostAgain && !modes.empty(); again++) {
    Deflated deflated(pencil);
    for (const Mode& m : modes) deflated.Without(m.theta, m.shape);
    const int more = std::min(kLookedFor, free - 2 - static_cast<int>(modes.size()));
    if (more < 1) break;
    const double least = modes[std::min<size_t>(count, modes.size()) - 1].theta;
    bool missed = false;
    for (Mode& m : Lanczos(deflated.Rest(), more, kSeed + again)) {
      if (m.theta <= least * (1 + kTolerance)) continue;
      missed = true;
      modes.push_back(std::move(m));
    }
    if (!missed) break;
    std::stable_sort(modes.begin(), modes.end(),
                     [](const Mode& a, const Mode& b) { return a.theta > b.theta; });
  }
  modes.resize(std::min<size_t>(count, modes.size()));
  for (Mode& m : modes) {
    out.theta.push_back(m.theta);
    Values image = pencil.Cleared(pencil.solve(pencil.Cleared(pencil.a(m.shape))));
    out.residual.push_back(RelativeResidual(std::move(image), m.shape, m.theta, pencil.k));
    out.shapes.push_back(std::move(m.shape));
  }
  return out;
}

double EigenModes::ErrorBound(size_t i) const {
  double gap = INFINITY;
  for (size_t j = 0; j < theta.size(); j++) {
    if (j != i) gap = std::min(gap, std::abs(theta[j] / theta[i] - 1));
  }
  return std::min(residual[i], residual[i] * residual[i] / gap);
}

void CheckCount(const ModeCount& count, const std::string& figure, const std::string& matrix,
                const std::string& modes, const std::string& why, Evidence& evidence) {
  if (count.counted < 0) {
    evidence.Note(why);
    return;
  }
  const int apart = std::abs(count.counted - count.expected);
  evidence.Within({"modes_complete", "independent", figure, static_cast<double>(apart), 0, "1",
                   "The signs of the pivots of " + matrix + " count " +
                       std::to_string(count.counted) + " " + modes + " where " +
                       std::to_string(count.expected) + " were found" +
                       (apart == 0 ? ": none is missing." : ": some are missing.")});
}

namespace {

// How many of the directions that hold a node keep a negative mean diagonal.
int NegativeAlong(const BlockCsr& clamped, const Slanted& s) {
  const int own = clamped.graph->Find(s.node, s.node);
  int count = 0;
  for (const auto& d : s.along) {
    double size = 0;
    for (int r = 0; r < s.block; r++) {
      for (int c = 0; c < s.block; c++)
        size += d[r] * clamped.Row(s.node, r)[own * s.block + c] * d[c];
    }
    count += size < 0;
  }
  return count;
}

}  // namespace

int CountFreeBelow(const BlockCsr& clamped, const Constraints& constraints) {
  int count = CountBelow(clamped);
  for (int node = 0; count >= 0 && node < clamped.graph->Nodes(); node++) {
    for (int c = 0; c < clamped.block; c++) {
      const size_t unknown = static_cast<size_t>(node) * clamped.block + c;
      if (constraints.fixed[unknown] && clamped.Diagonal(node, c) < 0) count--;
    }
  }
  for (const Slanted& s : constraints.slanted) {
    if (count >= 0) count -= NegativeAlong(clamped, s);
  }
  return count;
}

int CountBelow(const BlockCsr& matrix) {
  using Factors = SymmetricFactors;
  try {
    const auto factors = Factors::Analyse(matrix, Factors::Kind::kIndefinite);
    if (!factors || factors->Operations() > kMostOperations) return -1;
    if (factors->Factorise(matrix) != Factors::Outcome::kDone) return -1;
    return factors->Negative();
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

}  // namespace atelier
