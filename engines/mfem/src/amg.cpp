#include "amg.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "block_matrix.hpp"

namespace atelier {
namespace {

constexpr int kCoarseEnough = 700;  // unknowns that are solved by dense factors
constexpr int kMostLevels = 12;
constexpr double kStrength = 0.08;    // of scalar connections; halves with every level
constexpr int kSmootherDegree = 2;    // of the Chebyshev polynomial
constexpr double kSmoothedRange = 6;  // eigenvalues above largest / 6 are the smoother's

// What all levels of one block size share: matrix, block-Jacobi inverse, smoother.
template <int B>
struct Level {
  BlockMatrix<B, B> a;
  Floats inverse;  // of the diagonal blocks
  double largest_eigenvalue = 1;
  Floats b, x, t, d;

  void Prepare() {
    const size_t n = static_cast<size_t>(a.rows) * B;
    for (Floats* v : {&b, &x, &t, &d}) v->assign(n, 0.f);
    InvertDiagonal();
    EstimateLargestEigenvalue();
  }

  void InvertDiagonal() {
    inverse.assign(static_cast<size_t>(a.rows) * B * B, 0.f);
    for (int i = 0; i < a.rows; i++) {
      using Block = Eigen::Matrix<double, B, B>;
      Block m = Block::Zero();
      for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
        if (a.col[p] != i) continue;
        float* diagonal = &a.val[p * B * B];
        for (int r = 0; r < B; r++) {
          // A coarse unknown without a motion of its own has an empty row.
          if (!(diagonal[r * B + r] > 0)) diagonal[r * B + r] = 1;
          for (int c = 0; c < B; c++) m(r, c) = diagonal[r * B + c];
        }
      }
      Block inv = m.inverse();
      if (!inv.allFinite()) inv = m.diagonal().cwiseInverse().asDiagonal();
      for (int r = 0; r < B; r++) {
        for (int c = 0; c < B; c++)
          inverse[(static_cast<size_t>(i) * B + r) * B + c] = static_cast<float>(inv(r, c));
      }
    }
  }

  // y = D^-1 v of one node.
  void ApplyInverse(int i, const float* v, float* y) const {
    const float* m = &inverse[static_cast<size_t>(i) * B * B];
    for (int r = 0; r < B; r++) {
      y[r] = 0;
      for (int c = 0; c < B; c++) y[r] += m[r * B + c] * v[c];
    }
  }

  // Power iteration on D^-1 A from a fixed pseudo-random start.
  void EstimateLargestEigenvalue() {
    for (size_t i = 0; i < x.size(); i++)
      x[i] = static_cast<float>((i * 7919) % 1013) / 1013 - 0.5f;
    double lambda = 1;
    for (int k = 0; k < 15; k++) {
      Multiply(a, x, t);
      double after = 0, before = 0;
#pragma omp parallel for reduction(+ : after, before)
      for (int i = 0; i < a.rows; i++) {
        float y[B];
        ApplyInverse(i, &t[static_cast<size_t>(i) * B], y);
        for (int r = 0; r < B; r++) {
          const size_t u = static_cast<size_t>(i) * B + r;
          before += static_cast<double>(x[u]) * x[u];
          after += static_cast<double>(y[r]) * y[r];
          d[u] = y[r];
        }
      }
      if (!(after > 0) || !(before > 0)) break;
      lambda = std::sqrt(after / before);
      const float norm = static_cast<float>(1 / std::sqrt(after));
      for (size_t i = 0; i < x.size(); i++) x[i] = d[i] * norm;
    }
    largest_eigenvalue = 1.1 * lambda;
  }

  // Chebyshev iteration for A x = rhs.
  void Smooth(const Floats& rhs, Floats& x, bool from_zero) {
    const double high = largest_eigenvalue, low = high / kSmoothedRange;
    const double theta = (high + low) / 2, delta = (high - low) / 2, sigma = theta / delta;
    double rho = 1 / sigma;
    for (int k = 0; k < kSmootherDegree; k++) {
      if (k > 0 || !from_zero) Multiply(a, x, t);
      const double next = k == 0 ? rho : 1 / (2 * sigma - rho);
      const float keep = k == 0 ? 0.f : static_cast<float>(next * rho);
      const float step = static_cast<float>(k == 0 ? 1 / theta : 2 * next / delta);
      const bool zero = k == 0 && from_zero;
#pragma omp parallel for schedule(static)
      for (int i = 0; i < a.rows; i++) {
        float r[B], y[B];
        for (int c = 0; c < B; c++) {
          const size_t u = static_cast<size_t>(i) * B + c;
          r[c] = zero ? rhs[u] : rhs[u] - t[u];
        }
        ApplyInverse(i, r, y);
        for (int c = 0; c < B; c++) {
          const size_t u = static_cast<size_t>(i) * B + c;
          d[u] = k == 0 ? step * y[c] : keep * d[u] + step * y[c];
          x[u] = zero ? d[u] : x[u] + d[u];
        }
      }
      rho = next;
    }
  }
};

// Near-nullspace of a level: [(node * B + r) * M + m].
using Modes = std::vector<double>;

double Square(const float* block, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += static_cast<double>(block[i]) * block[i];
  return s;
}

// Strong connections as flags by entry. Displacements couple by all their
// neighbours; scalars by |a_ij|^2 > eps^2 a_ii a_jj.
template <int B>
std::vector<char> Strong(const BlockMatrix<B, B>& a, double epsilon) {
  std::vector<double> diagonal(a.rows, 0.0);
  for (int i = 0; i < a.rows; i++) {
    for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
      if (a.col[p] == i) diagonal[i] = std::sqrt(Square(a.Block(p), B * B));
    }
  }
  std::vector<char> strong(a.col.size(), 0);
  const double square = B == 1 ? epsilon * epsilon : 1e-16;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < a.rows; i++) {
    for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
      const int j = a.col[p];
      strong[p] = j != i && Square(a.Block(p), B * B) > square * diagonal[i] * diagonal[j];
    }
  }
  return strong;
}

// Aggregate of every node; -1 for a node without connections.
template <int B>
std::vector<int> Aggregate(const BlockMatrix<B, B>& a, const std::vector<char>& strong,
                           int& count) {
  constexpr int kOpen = -2;
  std::vector<int> group(a.rows, kOpen);
  count = 0;
  auto neighbours = [&](int i, auto visit) {
    for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
      if (strong[p]) visit(a.col[p], a.Block(p));
    }
  };
  for (int i = 0; i < a.rows; i++) {
    bool any = false;
    neighbours(i, [&](int, const float*) { any = true; });
    if (!any) group[i] = -1;
  }
  for (int i = 0; i < a.rows; i++) {
    if (group[i] != kOpen) continue;
    bool whole = true;
    neighbours(i, [&](int j, const float*) { whole = whole && group[j] == kOpen; });
    if (!whole) continue;
    group[i] = count;
    neighbours(i, [&](int j, const float*) { group[j] = count; });
    count++;
  }
  const std::vector<int> first = group;
  for (int i = 0; i < a.rows; i++) {
    if (group[i] != kOpen) continue;
    double best = 0;
    neighbours(i, [&](int j, const float* block) {
      if (first[j] < 0 || Square(block, B * B) <= best) return;
      best = Square(block, B * B);
      group[i] = first[j];
    });
  }
  for (int i = 0; i < a.rows; i++) {
    if (group[i] != kOpen) continue;
    group[i] = count;
    neighbours(i, [&](int j, const float*) {
      if (group[j] == kOpen) group[j] = count;
    });
    count++;
  }
  return group;
}

// Tentative prolongation: the modes of every aggregate made orthonormal
// (Gram-Schmidt, twice). Modes that an aggregate cannot carry are left out. On
// return `modes` is Q and `coarse` holds R.
template <int B, int M>
void Orthonormalise(const std::vector<int>& group, int count, Modes& modes, Modes& coarse) {
  const int nodes = static_cast<int>(group.size());
  std::vector<int> start(count + 1, 0), member;
  for (int g : group) {
    if (g >= 0) start[g + 1]++;
  }
  for (int g = 0; g < count; g++) start[g + 1] += start[g];
  member.resize(start[count]);
  std::vector<int> at(start.begin(), start.end() - 1);
  for (int i = 0; i < nodes; i++) {
    if (group[i] >= 0) member[at[group[i]]++] = i;
  }
  coarse.assign(static_cast<size_t>(count) * M * M, 0.0);
#pragma omp parallel for schedule(static)
  for (int g = 0; g < count; g++) {
    const int rows = (start[g + 1] - start[g]) * B;
    Eigen::MatrixXd q(rows, M);
    for (int k = start[g]; k < start[g + 1]; k++) {
      for (int r = 0; r < B; r++) {
        for (int m = 0; m < M; m++)
          q((k - start[g]) * B + r, m) = modes[(static_cast<size_t>(member[k]) * B + r) * M + m];
      }
    }
    const Eigen::MatrixXd original = q;
    for (int m = 0; m < M; m++) {
      const double before = q.col(m).norm();
      for (int twice = 0; twice < 2; twice++) {
        for (int l = 0; l < m; l++) q.col(m) -= q.col(l).dot(q.col(m)) * q.col(l);
      }
      const double after = q.col(m).norm();
      if (after > 1e-6 * before && after > 0) {
        q.col(m) /= after;
      } else {
        q.col(m).setZero();
      }
    }
    const Eigen::MatrixXd r = q.transpose() * original;
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < M; j++) coarse[(static_cast<size_t>(g) * M + i) * M + j] = r(i, j);
    }
    for (int k = start[g]; k < start[g + 1]; k++) {
      for (int i = 0; i < B; i++) {
        for (int m = 0; m < M; m++)
          modes[(static_cast<size_t>(member[k]) * B + i) * M + m] = q((k - start[g]) * B + i, m);
      }
    }
  }
}

// P = (I - omega D^-1 A_F) Q; A_F has the weak connections added to its diagonal.
template <int B, int M>
BlockMatrix<B, M> Prolongation(const Level<B>& level, const std::vector<char>& strong,
                               const std::vector<int>& group, int count, const Modes& q) {
  const BlockMatrix<B, B>& a = level.a;
  const float omega = static_cast<float>(4.0 / 3.0 / (level.largest_eigenvalue / 1.1));
  Floats tentative(q.begin(), q.end());
  return BuildRows<B, M>(a.rows, count, [&](int i, RowAccumulator<B, M>& row) {
    if (group[i] < 0) return;
    float filtered[B * B] = {};
    for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
      if (a.col[p] != i && strong[p]) continue;
      for (int k = 0; k < B * B; k++) filtered[k] += a.Block(p)[k];
    }
    auto subtract = [&](int j, const float* block) {
      if (group[j] < 0) return;
      float product[B * M] = {}, smoothed[B * M] = {};
      MultiplyAdd<B, B, M>(block, &tentative[static_cast<size_t>(j) * B * M], product);
      MultiplyAdd<B, B, M>(&level.inverse[static_cast<size_t>(i) * B * B], product, smoothed);
      float* to = row.Touch(group[j]);
      for (int k = 0; k < B * M; k++) to[k] -= omega * smoothed[k];
    };
    float* own = row.Touch(group[i]);
    for (int k = 0; k < B * M; k++) own[k] += tentative[static_cast<size_t>(i) * B * M + k];
    subtract(i, filtered);
    for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
      if (strong[p]) subtract(a.col[p], a.Block(p));
    }
  });
}

template <int B, int M>
struct Transfer {
  BlockMatrix<B, M> up;
  BlockMatrix<M, B> down;
};

// Makes the next level's matrix and modes; false when there is nothing to coarsen.
template <int B, int M>
bool Coarsen(const Level<B>& level, double epsilon, Modes& modes, Transfer<B, M>& transfer,
             Level<M>& next) {
  const std::vector<char> strong = Strong(level.a, epsilon);
  int count = 0;
  const std::vector<int> group = Aggregate(level.a, strong, count);
  if (count == 0 || count * M >= level.a.rows * B) return false;
  Modes coarse;
  Orthonormalise<B, M>(group, count, modes, coarse);
  transfer.up = Prolongation<B, M>(level, strong, group, count, modes);
  transfer.down = Transpose(transfer.up);
  next.a = Galerkin<B, M>(level.a, transfer.up, transfer.down);
  next.Prepare();
  modes = std::move(coarse);
  return true;
}

template <int B, int M>
class AggregationAmg : public Amg {
 public:
  AggregationAmg(BlockMatrix<B, B> a, Modes modes, int cycles) : cycles_(cycles) {
    fine_.a = std::move(a);
    fine_.Prepare();
    if (fine_.a.rows * B > kCoarseEnough) {
      Level<M> next;
      if (Coarsen<B, M>(fine_, kStrength, modes, first_, next)) levels_.push_back(std::move(next));
    }
    if (levels_.empty()) {
      Factorise(fine_.a);
      return;
    }
    double epsilon = kStrength;
    while (levels_.back().a.rows * M > kCoarseEnough &&
           static_cast<int>(levels_.size()) < kMostLevels) {
      epsilon /= 2;
      Transfer<M, M> transfer;
      Level<M> next;
      if (!Coarsen<M, M>(levels_.back(), epsilon, modes, transfer, next)) break;
      transfers_.push_back(std::move(transfer));
      levels_.push_back(std::move(next));
    }
    Factorise(levels_.back().a);
  }

  int Levels() const override { return 1 + static_cast<int>(levels_.size()); }

  void Apply(const Floats& r, Floats& z) override {
    z.resize(r.size());
    if (levels_.empty()) return SolveDense(r, z);
    Cycle(fine_, first_, r, z, true, 0);
  }

 private:
  template <int N>
  void Cycle(Level<N>& level, Transfer<N, M>& transfer, const Floats& b, Floats& x, bool from_zero,
             int next) {
    level.Smooth(b, x, from_zero);
    Multiply(level.a, x, level.t);
    for (size_t i = 0; i < b.size(); i++) level.t[i] = b[i] - level.t[i];
    Level<M>& coarse = levels_[next];
    Multiply(transfer.down, level.t, coarse.b);
    if (next + 1 == static_cast<int>(levels_.size())) {
      SolveDense(coarse.b, coarse.x);
    } else {
      for (int k = 0; k < cycles_; k++)
        Cycle<M>(coarse, transfers_[next], coarse.b, coarse.x, k == 0, next + 1);
    }
    Multiply(transfer.up, coarse.x, level.t);
    for (size_t i = 0; i < x.size(); i++) x[i] += level.t[i];
    level.Smooth(b, x, false);
  }

  template <int N>
  void Factorise(const BlockMatrix<N, N>& a) {
    Eigen::MatrixXd dense =
        Eigen::MatrixXd::Zero(static_cast<long>(a.rows) * N, static_cast<long>(a.rows) * N);
    for (int i = 0; i < a.rows; i++) {
      for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
        for (int r = 0; r < N; r++) {
          for (int c = 0; c < N; c++)
            dense(i * N + r, static_cast<long>(a.col[p]) * N + c) = a.val[(p * N + r) * N + c];
        }
      }
    }
    // Rounding to floats may have cost definiteness: a trace of the diagonal restores it.
    dense.diagonal() *= 1 + 1e-6;
    // Applied at every cycle: the inverse costs one product then.
    const Eigen::LLT<Eigen::MatrixXd> llt(dense);
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(dense.rows(), dense.cols());
    inverse_ =
        (llt.info() == Eigen::Success ? Eigen::MatrixXd(llt.solve(identity))
                                      : Eigen::MatrixXd(dense.partialPivLu().solve(identity)))
            .template cast<float>();
  }

  void SolveDense(const Floats& b, Floats& x) const {
    x.resize(b.size());
    Eigen::Map<Eigen::VectorXf>(x.data(), static_cast<long>(x.size())).noalias() =
        inverse_ * Eigen::Map<const Eigen::VectorXf>(b.data(), static_cast<long>(b.size()));
  }

  int cycles_;
  Level<B> fine_;
  Transfer<B, M> first_;
  std::vector<Level<M>> levels_;
  std::vector<Transfer<M, M>> transfers_;
  Eigen::MatrixXf inverse_;
};

// Rigid motions (or the constant) at the nodes, zero at clamped unknowns.
template <int B, int M>
Modes RigidModes(const BlockMatrix<B, B>& a, const Values& coordinates) {
  Modes modes(static_cast<size_t>(a.rows) * B * M, 0.0);
  double centre[3] = {}, size = 0;
  for (int i = 0; B > 1 && i < a.rows; i++) {
    for (int k = 0; k < B; k++) centre[k] += coordinates[static_cast<size_t>(i) * B + k] / a.rows;
  }
  for (int i = 0; B > 1 && i < a.rows; i++) {
    for (int k = 0; k < B; k++)
      size = std::max(size, std::abs(coordinates[static_cast<size_t>(i) * B + k] - centre[k]));
  }
  for (int i = 0; i < a.rows; i++) {
    double x[3] = {};
    for (int k = 0; B > 1 && k < B; k++)
      x[k] = (coordinates[static_cast<size_t>(i) * B + k] - centre[k]) / size;
    double mode[B][M] = {};
    for (int r = 0; r < B; r++) mode[r][r] = 1;
    if constexpr (B == 2) {
      mode[0][2] = -x[1];
      mode[1][2] = x[0];
    }
    if constexpr (B == 3) {
      mode[1][3] = -x[2], mode[2][3] = x[1];
      mode[2][4] = -x[0], mode[0][4] = x[2];
      mode[0][5] = -x[1], mode[1][5] = x[0];
    }
    for (int r = 0; r < B; r++) {
      double others = 0;
      for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
        for (int c = 0; c < B; c++) {
          if (a.col[p] != i || c != r) others += std::abs(a.Block(p)[r * B + c]);
        }
      }
      for (int m = 0; m < M; m++)
        modes[(static_cast<size_t>(i) * B + r) * M + m] = others > 0 ? mode[r][m] : 0;
    }
  }
  return modes;
}

// Takes out of the modes what slanted nodes are held along.
template <int M>
void ClearModes(const std::vector<Slanted>& slanted, Modes& modes) {
  for (const Slanted& s : slanted) {
    for (int m = 0; m < M; m++) {
      double v[3];
      double* own = &modes[static_cast<size_t>(s.node) * s.block * M + m];
      for (int r = 0; r < s.block; r++) v[r] = own[static_cast<size_t>(r) * M];
      s.Clear(v);
      for (int r = 0; r < s.block; r++) own[static_cast<size_t>(r) * M] = v[r];
    }
  }
}

template <int B, int M>
std::unique_ptr<Amg> Make(const BlockCsr& source, const Values& coordinates, int cycles,
                          const Constraints* constraints) {
  const NodeGraph& g = *source.graph;
  double largest = 0;
  for (int i = 0; i < g.Nodes(); i++) largest = std::max(largest, source.Diagonal(i, 0));
  BlockMatrix<B, B> a;
  a.rows = a.cols = g.Nodes();
  a.ptr = g.ptr;
  a.col = g.col;
  a.val.resize(source.val.size());
#pragma omp parallel for schedule(static)
  for (int i = 0; i < g.Nodes(); i++) {
    for (int r = 0; r < B; r++) {
      const double* row = source.Row(i, r);
      for (int k = 0; k < g.Length(i); k++) {
        for (int c = 0; c < B; c++)
          a.val[((g.ptr[i] + k) * B + r) * B + c] = static_cast<float>(row[k * B + c] / largest);
      }
    }
  }
  Modes modes = RigidModes<B, M>(a, coordinates);
  if (constraints) ClearModes<M>(constraints->slanted, modes);
  return std::make_unique<AggregationAmg<B, M>>(std::move(a), std::move(modes), cycles);
}

}  // namespace

std::unique_ptr<Amg> MakeAmg(const BlockCsr& a, const Values& coordinates, int cycles,
                             const Constraints* constraints) {
  switch (a.block) {
    case 1:
      return Make<1, 1>(a, coordinates, cycles, constraints);
    case 2:
      return Make<2, 3>(a, coordinates, cycles, constraints);
    default:
      return Make<3, 6>(a, coordinates, cycles, constraints);
  }
}

}  // namespace atelier
