// Sparse matrices of dense R x C blocks in single precision, and their products.
#pragma once

#include <omp.h>

#include <cstring>
#include <vector>

namespace atelier {

using Floats = std::vector<float>;

template <int R, int C>
struct BlockMatrix {
  int rows = 0, cols = 0;
  std::vector<size_t> ptr;
  std::vector<int> col;
  Floats val;  // [entry][r * C + c]

  const float* Block(size_t entry) const { return &val[entry * R * C]; }
};

// y (R x N) += a (R x C) times b (C x N), or with a transposed (C x R).
template <int R, int C, int N>
inline void MultiplyAdd(const float* a, const float* b, float* y) {
  for (int r = 0; r < R; r++) {
    for (int c = 0; c < C; c++) {
      for (int n = 0; n < N; n++) y[r * N + n] += a[r * C + c] * b[c * N + n];
    }
  }
}
template <int R, int C, int N>
inline void TransposeMultiplyAdd(const float* a, const float* b, float* y) {
  for (int c = 0; c < C; c++) {
    for (int r = 0; r < R; r++) {
      for (int n = 0; n < N; n++) y[r * N + n] += a[c * R + r] * b[c * N + n];
    }
  }
}

// One row under construction: columns in the order of their first touch.
template <int R, int C>
class RowAccumulator {
 public:
  explicit RowAccumulator(int cols) : place_(cols, -1) {}
  float* Touch(int column) {
    int& p = place_[column];
    if (p < 0) {
      p = static_cast<int>(col.size() - start_);
      col.push_back(column);
      val.resize(val.size() + R * C, 0.f);
    }
    return &val[(start_ + p) * R * C];
  }
  size_t EndRow() {
    for (size_t k = start_; k < col.size(); k++) place_[col[k]] = -1;
    const size_t length = col.size() - start_;
    start_ = col.size();
    return length;
  }
  std::vector<int> col;
  Floats val;

 private:
  std::vector<int> place_;
  size_t start_ = 0;
};

// Builds a matrix row by row in parallel: fill(row, accumulator) touches its blocks.
template <int R, int C, class Fill>
BlockMatrix<R, C> BuildRows(int rows, int cols, Fill fill) {
  BlockMatrix<R, C> m;
  m.rows = rows;
  m.cols = cols;
  m.ptr.assign(rows + 1, 0);
  const int threads = omp_get_max_threads();
  std::vector<RowAccumulator<R, C>> parts(threads, RowAccumulator<R, C>(cols));
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const long first = static_cast<long>(t) * rows / threads,
               last = static_cast<long>(t + 1) * rows / threads;
    for (long i = first; i < last; i++) {
      fill(static_cast<int>(i), parts[t]);
      m.ptr[i + 1] = parts[t].EndRow();
    }
  }
  for (int i = 0; i < rows; i++) m.ptr[i + 1] += m.ptr[i];
  m.col.reserve(m.ptr[rows]);
  m.val.reserve(m.ptr[rows] * R * C);
  for (auto& p : parts) {
    m.col.insert(m.col.end(), p.col.begin(), p.col.end());
    m.val.insert(m.val.end(), p.val.begin(), p.val.end());
  }
  return m;
}

// y = A x
template <int R, int C>
void Multiply(const BlockMatrix<R, C>& a, const Floats& x, Floats& y) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < a.rows; i++) {
    float sum[R] = {};
    for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
      const float* b = a.Block(p);
      const float* z = &x[static_cast<size_t>(a.col[p]) * C];
      for (int r = 0; r < R; r++) {
        for (int c = 0; c < C; c++) sum[r] += b[r * C + c] * z[c];
      }
    }
    std::memcpy(&y[static_cast<size_t>(i) * R], sum, sizeof sum);
  }
}

template <int R, int C>
BlockMatrix<C, R> Transpose(const BlockMatrix<R, C>& a) {
  BlockMatrix<C, R> t;
  t.rows = a.cols;
  t.cols = a.rows;
  t.ptr.assign(a.cols + 1, 0);
  for (int c : a.col) t.ptr[c + 1]++;
  for (int i = 0; i < a.cols; i++) t.ptr[i + 1] += t.ptr[i];
  t.col.resize(a.col.size());
  t.val.resize(a.val.size());
  std::vector<size_t> at(t.ptr.begin(), t.ptr.end() - 1);
  for (int i = 0; i < a.rows; i++) {
    for (size_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
      const size_t q = at[a.col[p]]++;
      t.col[q] = i;
      for (int r = 0; r < R; r++) {
        for (int c = 0; c < C; c++) t.val[(q * C + c) * R + r] = a.val[(p * R + r) * C + c];
      }
    }
  }
  return t;
}

// P^T A P with the transpose of P at hand.
template <int B, int M>
BlockMatrix<M, M> Galerkin(const BlockMatrix<B, B>& a, const BlockMatrix<B, M>& p,
                           const BlockMatrix<M, B>& pt) {
  const BlockMatrix<B, M> ap =
      BuildRows<B, M>(a.rows, p.cols, [&](int i, RowAccumulator<B, M>& row) {
        for (size_t k = a.ptr[i]; k < a.ptr[i + 1]; k++) {
          const int j = a.col[k];
          for (size_t q = p.ptr[j]; q < p.ptr[j + 1]; q++)
            MultiplyAdd<B, B, M>(a.Block(k), p.Block(q), row.Touch(p.col[q]));
        }
      });
  return BuildRows<M, M>(pt.rows, p.cols, [&](int i, RowAccumulator<M, M>& row) {
    for (size_t k = pt.ptr[i]; k < pt.ptr[i + 1]; k++) {
      const int j = pt.col[k];
      for (size_t q = ap.ptr[j]; q < ap.ptr[j + 1]; q++)
        MultiplyAdd<M, B, M>(pt.Block(k), ap.Block(q), row.Touch(ap.col[q]));
    }
  });
}

}  // namespace atelier
