#include "p_multigrid.hpp"

#include <cmath>

#include "krylov.hpp"

namespace atelier {
namespace {

constexpr int kChebyshevDegree = 3;
constexpr double kSmoothedRange = 8;  // eigenvalues above largest / 8 are the smoother's

}  // namespace

PMultigrid::PMultigrid(const NodalSpace& fine, const BlockCsr& a, const Constraints& fixed,
                       const NodalSpace& coarse, std::unique_ptr<Amg> amg,
                       const Constraints& coarse_fixed, const BlockCsr& linear)
    : graph_(a.graph),
      block_(a.block),
      unknowns_(a.Size()),
      fixed_(fixed.fixed),
      coarse_fixed_(coarse_fixed.fixed),
      slanted_(fixed.slanted),
      coarse_slanted_(coarse_fixed.slanted),
      amg_(std::move(amg)) {
  // The AMG scales its matrix by the largest diagonal: do the same here.
  double largest = 0;
  for (int i = 0; i < linear.graph->Nodes(); i++)
    largest = std::max(largest, linear.Diagonal(i, 0));
  scale_ = 1 / largest;
  val_.resize(a.val.size());
#pragma omp parallel for
  for (size_t i = 0; i < val_.size(); i++) val_[i] = static_cast<float>(a.val[i] * scale_);
  inverse_diagonal_.resize(unknowns_);
  for (int i = 0; i < graph_->Nodes(); i++) {
    for (int r = 0; r < block_; r++) {
      inverse_diagonal_[static_cast<size_t>(i) * block_ + r] =
          static_cast<float>(1 / (a.Diagonal(i, r) * scale_));
    }
  }
  for (Floats* v : {&b_, &x_, &t_, &d_}) v->assign(unknowns_, 0.f);
  MakeProlongation(fine, coarse);
  EstimateLargestEigenvalue();
}

void PMultigrid::MakeProlongation(const NodalSpace& fine, const NodalSpace& coarse) {
  std::vector<std::vector<std::pair<int, float>>> rows(fine.Nodes());
  mfem::Vector shape;
  for (int e = 0; e < fine.Elements(); e++) {
    const mfem::IntegrationRule& nodes = fine.Element(e).GetNodes();
    for (int a = 0; a < fine.Count(e); a++) {
      auto& row = rows[fine.Dofs(e)[a]];
      if (!row.empty()) continue;
      shape.SetSize(coarse.Count(e));
      coarse.Element(e).CalcShape(nodes.IntPoint(a), shape);
      for (int c = 0; c < coarse.Count(e); c++) {
        if (std::abs(shape(c)) > 1e-9)
          row.emplace_back(coarse.Dofs(e)[c], static_cast<float>(shape(c)));
      }
    }
  }
  up_ptr_.assign(fine.Nodes() + 1, 0);
  down_ptr_.assign(coarse.Nodes() + 1, 0);
  for (int i = 0; i < fine.Nodes(); i++) {
    for (auto& [col, weight] : rows[i]) {
      up_col_.push_back(col);
      up_weight_.push_back(weight);
      down_ptr_[col + 1]++;
    }
    up_ptr_[i + 1] = up_col_.size();
  }
  for (int i = 0; i < coarse.Nodes(); i++) down_ptr_[i + 1] += down_ptr_[i];
  down_col_.resize(up_col_.size());
  down_weight_.resize(up_col_.size());
  std::vector<size_t> at(down_ptr_.begin(), down_ptr_.end() - 1);
  for (int i = 0; i < fine.Nodes(); i++) {
    for (auto& [col, weight] : rows[i]) {
      down_col_[at[col]] = i;
      down_weight_[at[col]++] = weight;
    }
  }
  coarse_b_.assign(static_cast<size_t>(coarse.Nodes()) * block_, 0.f);
  coarse_x_ = coarse_b_;
}

namespace {

template <int B>
void Sweep(const NodeGraph& g, const std::vector<float>& val, const std::vector<float>& x,
           std::vector<float>& y) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < g.Nodes(); i++) {
    const int length = g.Length(i);
    const int* col = &g.col[g.ptr[i]];
    const float* a = &val[g.ptr[i] * B * B];
    float sum[B] = {};
    for (int k = 0; k < length; k++) {
      const float* z = &x[static_cast<size_t>(col[k]) * B];
      for (int r = 0; r < B; r++) {
        for (int c = 0; c < B; c++) sum[r] += a[(r * length + k) * B + c] * z[c];
      }
    }
    for (int r = 0; r < B; r++) y[static_cast<size_t>(i) * B + r] = sum[r];
  }
}

}  // namespace

void PMultigrid::Multiply(const Floats& x, Floats& y) const {
  switch (block_) {
    case 1:
      return Sweep<1>(*graph_, val_, x, y);
    case 2:
      return Sweep<2>(*graph_, val_, x, y);
    default:
      return Sweep<3>(*graph_, val_, x, y);
  }
}

// Power iteration on D^-1 A from a fixed pseudo-random start.
void PMultigrid::EstimateLargestEigenvalue() {
  for (size_t i = 0; i < unknowns_; i++) {
    x_[i] = fixed_[i] ? 0.f : static_cast<float>((i * 7919) % 1013) / 1013 - 0.5f;
  }
  for (const Slanted& s : slanted_) s.ClearIn(x_);
  double lambda = 1;
  for (int k = 0; k < 12; k++) {
    Multiply(x_, t_);
    double after = 0, before = 0;
    for (size_t i = 0; i < unknowns_; i++) {
      t_[i] *= inverse_diagonal_[i];
      after += static_cast<double>(t_[i]) * t_[i];
      before += static_cast<double>(x_[i]) * x_[i];
    }
    if (!(after > 0) || !(before > 0)) break;
    lambda = std::sqrt(after / before);
    const float norm = static_cast<float>(1 / std::sqrt(after));
    for (size_t i = 0; i < unknowns_; i++) x_[i] = t_[i] * norm;
  }
  largest_eigenvalue_ = 1.1 * lambda;
}

void PMultigrid::Smooth(const Floats& b, Floats& x, bool from_zero) {
  const double high = largest_eigenvalue_, low = high / kSmoothedRange;
  const double theta = (high + low) / 2, delta = (high - low) / 2, sigma = theta / delta;
  const float first = static_cast<float>(1 / theta);
  if (!from_zero) Multiply(x, t_);
#pragma omp parallel for
  for (size_t i = 0; i < unknowns_; i++) {
    d_[i] = inverse_diagonal_[i] * (from_zero ? b[i] : b[i] - t_[i]) * first;
    x[i] = from_zero ? d_[i] : x[i] + d_[i];
  }
  double rho = 1 / sigma;
  for (int k = 1; k < kChebyshevDegree; k++) {
    Multiply(x, t_);
    const double next = 1 / (2 * sigma - rho);
    const float keep = static_cast<float>(next * rho), step = static_cast<float>(2 * next / delta);
#pragma omp parallel for
    for (size_t i = 0; i < unknowns_; i++) {
      d_[i] = keep * d_[i] + step * inverse_diagonal_[i] * (b[i] - t_[i]);
      x[i] += d_[i];
    }
    rho = next;
  }
}

void PMultigrid::CoarseCorrection(const Floats& b, Floats& x) {
  Multiply(x, t_);
  const int coarse_nodes = static_cast<int>(down_ptr_.size()) - 1;
#pragma omp parallel for
  for (int i = 0; i < coarse_nodes; i++) {
    for (int c = 0; c < block_; c++) {
      const size_t u = static_cast<size_t>(i) * block_ + c;
      float s = 0;
      for (size_t p = down_ptr_[i]; p < down_ptr_[i + 1]; p++) {
        const size_t f = static_cast<size_t>(down_col_[p]) * block_ + c;
        s += down_weight_[p] * (b[f] - t_[f]);
      }
      coarse_b_[u] = coarse_fixed_[u] ? 0.f : s;
    }
  }
  for (const Slanted& s : coarse_slanted_) s.ClearIn(coarse_b_);
  amg_->Apply(coarse_b_, coarse_x_);
  before_.clear();
  for (const Slanted& s : slanted_)
    before_.insert(before_.end(), &x[static_cast<size_t>(s.node) * block_],
                   &x[static_cast<size_t>(s.node) * block_] + block_);
#pragma omp parallel for
  for (int i = 0; i < graph_->Nodes(); i++) {
    for (int c = 0; c < block_; c++) {
      const size_t u = static_cast<size_t>(i) * block_ + c;
      if (fixed_[u]) continue;
      for (size_t p = up_ptr_[i]; p < up_ptr_[i + 1]; p++) {
        x[u] += up_weight_[p] * coarse_x_[static_cast<size_t>(up_col_[p]) * block_ + c];
      }
    }
  }
  for (size_t i = 0; i < slanted_.size(); i++) {  // of the correction, what is free
    float* own = &x[static_cast<size_t>(slanted_[i].node) * block_];
    const float* before = &before_[i * block_];
    for (int c = 0; c < block_; c++) own[c] -= before[c];
    slanted_[i].Clear(own);
    for (int c = 0; c < block_; c++) own[c] += before[c];
  }
}

void PMultigrid::Apply(const Values& r, Values& z) {
  double largest = Largest(r);
  if (largest == 0) largest = 1;
#pragma omp parallel for
  for (size_t i = 0; i < unknowns_; i++) b_[i] = static_cast<float>(r[i] / largest);
  Smooth(b_, x_, true);
  CoarseCorrection(b_, x_);
  Smooth(b_, x_, false);
#pragma omp parallel for
  for (size_t i = 0; i < unknowns_; i++) z[i] = static_cast<double>(x_[i]) * largest;
}

}  // namespace atelier
