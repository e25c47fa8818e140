#include "block_csr.hpp"

#include <omp.h>

#include <cmath>

namespace atelier {

std::shared_ptr<const NodeGraph> MakeGraph(const NodalSpace& space) {
  const int nodes = space.Nodes(), elements = space.Elements();
  std::vector<size_t> start(nodes + 1, 0);
  for (int e = 0; e < elements; e++) {
    for (int a = 0; a < space.Count(e); a++) start[space.Dofs(e)[a] + 1]++;
  }
  for (int i = 0; i < nodes; i++) start[i + 1] += start[i];
  std::vector<int> touching(start[nodes]);
  {
    std::vector<size_t> at(start.begin(), start.end() - 1);
    for (int e = 0; e < elements; e++) {
      for (int a = 0; a < space.Count(e); a++) touching[at[space.Dofs(e)[a]]++] = e;
    }
  }
  auto graph = std::make_shared<NodeGraph>();
  graph->ptr.assign(nodes + 1, 0);
  const int threads = omp_get_max_threads();
  std::vector<std::vector<int>> part(threads);
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const int first = static_cast<int>(static_cast<long>(t) * nodes / threads);
    const int last = static_cast<int>(static_cast<long>(t + 1) * nodes / threads);
    std::vector<int> mark(nodes, -1);
    for (int i = first; i < last; i++) {
      const size_t begin = part[t].size();
      for (size_t p = start[i]; p < start[i + 1]; p++) {
        const int e = touching[p], count = space.Count(e);
        const int* dofs = space.Dofs(e);
        for (int b = 0; b < count; b++) {
          if (mark[dofs[b]] == i) continue;
          mark[dofs[b]] = i;
          part[t].push_back(dofs[b]);
        }
      }
      std::sort(part[t].begin() + begin, part[t].end());
      graph->ptr[i + 1] = part[t].size() - begin;
    }
  }
  for (int i = 0; i < nodes; i++) graph->ptr[i + 1] += graph->ptr[i];
  graph->col.reserve(graph->ptr[nodes]);
  for (auto& p : part) graph->col.insert(graph->col.end(), p.begin(), p.end());
  return graph;
}

double BlockCsr::RowProduct(int node, int r, const Values& x) const {
  const int length = graph->Length(node);
  const int* col = &graph->col[graph->ptr[node]];
  const double* a = Row(node, r);
  double s = 0;
  for (int k = 0; k < length; k++) {
    const double* z = &x[static_cast<size_t>(col[k]) * block];
    for (int c = 0; c < block; c++) s += a[k * block + c] * z[c];
  }
  return s;
}

namespace {

template <int B>
double Sweep(const BlockCsr& m, const Values& x, Values& y) {
  const NodeGraph& g = *m.graph;
  double dot = 0;
#pragma omp parallel for schedule(static) reduction(+ : dot)
  for (int i = 0; i < g.Nodes(); i++) {
    const int length = g.Length(i);
    const int* col = &g.col[g.ptr[i]];
    double sum[B] = {};
    const double* a = &m.val[g.ptr[i] * B * B];
    for (int k = 0; k < length; k++) {
      const double* z = &x[static_cast<size_t>(col[k]) * B];
      for (int r = 0; r < B; r++) {
        for (int c = 0; c < B; c++) sum[r] += a[(r * length + k) * B + c] * z[c];
      }
    }
    for (int r = 0; r < B; r++) {
      y[static_cast<size_t>(i) * B + r] = sum[r];
      dot += sum[r] * x[static_cast<size_t>(i) * B + r];
    }
  }
  return dot;
}

}  // namespace

double BlockCsr::MultiplyDot(const Values& x, Values& y) const {
  y.resize(Size());
  switch (block) {
    case 1:
      return Sweep<1>(*this, x, y);
    case 2:
      return Sweep<2>(*this, x, y);
    default:
      return Sweep<3>(*this, x, y);
  }
}

void BlockCsr::Multiply(const Values& x, Values& y) const { MultiplyDot(x, y); }

ConstrainedRows::ConstrainedRows(const BlockCsr& a, const Constraints& constraints)
    : graph_(a.graph), block_(a.block), unknowns_(a.Size()), constraints_(constraints) {
  std::vector<char> kept = constraints.fixed;  // of a slanted node, all rows
  for (const Slanted& s : constraints.slanted)
    std::fill_n(kept.begin() + static_cast<long>(s.node) * block_, block_, 1);
  for (size_t u = 0; u < unknowns_; u++) {
    if (!kept[u]) continue;
    const int node = static_cast<int>(u / block_);
    const double* row = a.Row(node, static_cast<int>(u % block_));
    rows_.push_back(u);
    start_.push_back(val_.size());
    val_.insert(val_.end(), row, row + static_cast<size_t>(graph_->Length(node)) * block_);
  }
}

Values ConstrainedRows::Reactions(const Values& x, const Values& load) const {
  Values out(unknowns_, 0.0);
  for (size_t i = 0; i < rows_.size(); i++) {
    const int node = static_cast<int>(rows_[i] / block_);
    const int* col = &graph_->col[graph_->ptr[node]];
    double s = -load[rows_[i]];
    for (int k = 0; k < graph_->Length(node); k++) {
      for (int c = 0; c < block_; c++) {
        s += val_[start_[i] + k * block_ + c] * x[static_cast<size_t>(col[k]) * block_ + c];
      }
    }
    out[rows_[i]] = s;
  }
  return constraints_.slanted.empty() ? out : constraints_.Held(out);
}

Values ConstrainedRows::Product(const Values& x) const {
  Values out(unknowns_, 0.0);
  for (size_t i = 0; i < rows_.size(); i++) {
    const double v = x[rows_[i]];
    if (v == 0) continue;
    const int node = static_cast<int>(rows_[i] / block_);
    const int* col = &graph_->col[graph_->ptr[node]];
    for (int k = 0; k < graph_->Length(node); k++) {
      for (int c = 0; c < block_; c++)
        out[static_cast<size_t>(col[k]) * block_ + c] += v * val_[start_[i] + k * block_ + c];
    }
  }
  return out;
}

void Lift(const BlockCsr& a, const Constraints& constraints, Values& b) {
  const bool homogeneous = std::all_of(constraints.value.begin(), constraints.value.end(),
                                       [](double v) { return v == 0; });
  if (!homogeneous) {
    Values product;
    a.Multiply(constraints.value, product);
    for (size_t u = 0; u < b.size(); u++) b[u] -= product[u];
  }
  constraints.Clear(b);
}

namespace {

// P_i A_ij P_j of the blocks of a slanted node, P what leaves a vector but the held part, and the
// mean diagonal along what is held: the matrix stays one of unknowns along the axes.
void ClampSlanted(BlockCsr& a, const Slanted& s, double mean) {
  const NodeGraph& g = *a.graph;
  const int block = a.block, length = g.Length(s.node), own = g.Find(s.node, s.node);
  double v[3];
  for (int k = 0; k < length; k++) {
    const int other = g.col[g.ptr[s.node] + k], back = g.Find(other, s.node);
    for (int c = 0; c < block; c++) {
      for (int r = 0; r < block; r++) v[r] = a.Row(s.node, r)[k * block + c];
      s.Clear(v);
      for (int r = 0; r < block; r++) a.Row(s.node, r)[k * block + c] = v[r];
    }
    for (int r = 0; r < block; r++) s.Clear(&a.Row(other, r)[back * block]);
  }
  for (const auto& d : s.along) {
    for (int r = 0; r < block; r++) {
      for (int c = 0; c < block; c++) a.Row(s.node, r)[own * block + c] += mean * d[r] * d[c];
    }
  }
}

}  // namespace

void Clamp(BlockCsr& a, const Constraints& constraints) {
  const NodeGraph& g = *a.graph;
  const int block = a.block;
  double mean = 0;
  for (int i = 0; i < g.Nodes(); i++) {
    for (int r = 0; r < block; r++) mean += a.Diagonal(i, r) / static_cast<double>(a.Size());
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < g.Nodes(); i++) {
    const int* col = &g.col[g.ptr[i]];
    for (int r = 0; r < block; r++) {
      double* row = a.Row(i, r);
      const bool own = constraints.fixed[static_cast<size_t>(i) * block + r];
      for (int k = 0; k < g.Length(i); k++) {
        for (int c = 0; c < block; c++) {
          if (!own && !constraints.fixed[static_cast<size_t>(col[k]) * block + c]) continue;
          row[k * block + c] = own && col[k] == i && c == r ? mean : 0;
        }
      }
    }
  }
  for (const Slanted& s : constraints.slanted) ClampSlanted(a, s, mean);
}

}  // namespace atelier
