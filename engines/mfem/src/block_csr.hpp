// Sparse matrices over the nodes of a mesh with a small dense block per pair.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "nodal_space.hpp"

namespace atelier {

using Values = std::vector<double>;

// Which nodes share an element; columns of a row ascend.
struct NodeGraph {
  std::vector<size_t> ptr;
  std::vector<int> col;

  int Nodes() const { return static_cast<int>(ptr.size()) - 1; }
  int Length(int row) const { return static_cast<int>(ptr[row + 1] - ptr[row]); }
  // Place of column `col` in row `row`.
  int Find(int row, int column) const {
    const int* begin = &col[ptr[row]];
    return static_cast<int>(std::lower_bound(begin, begin + Length(row), column) - begin);
  }
};

std::shared_ptr<const NodeGraph> MakeGraph(const NodalSpace& space);

// Scalar row (node i, component r) lies contiguously: value of column (k-th
// neighbour, component c) at Row(i, r)[k * block + c].
struct BlockCsr {
  std::shared_ptr<const NodeGraph> graph;
  int block = 1;
  Values val;

  BlockCsr() = default;
  BlockCsr(std::shared_ptr<const NodeGraph> g, int b)
      : graph(std::move(g)), block(b), val(graph->col.size() * b * b, 0.0) {}

  size_t Size() const { return static_cast<size_t>(graph->Nodes()) * block; }
  double* Row(int node, int r) {
    return &val[(graph->ptr[node] * block + static_cast<size_t>(r) * graph->Length(node)) * block];
  }
  const double* Row(int node, int r) const { return const_cast<BlockCsr*>(this)->Row(node, r); }
  double Diagonal(int node, int r) const {
    return Row(node, r)[graph->Find(node, node) * block + r];
  }
  // (A x) of one scalar row.
  double RowProduct(int node, int r, const Values& x) const;
  void Multiply(const Values& x, Values& y) const;
  // y'(A x) with y = A x stored: the two products that CG needs in one sweep.
  double MultiplyDot(const Values& x, Values& y) const;
};

// A node that is held along directions which are not all axes.
struct Slanted {
  int node, block;
  std::vector<std::array<double, 3>> along;  // orthonormal

  // Takes what is held out of the vector of the node.
  template <class T>
  void Clear(T* v) const {
    for (const auto& d : along) {
      double size = 0;
      for (int c = 0; c < block; c++) size += d[c] * v[c];
      for (int c = 0; c < block; c++) v[c] -= static_cast<T>(size * d[c]);
    }
  }
  template <class T>
  void ClearIn(std::vector<T>& v) const {
    Clear(&v[static_cast<size_t>(node) * block]);
  }
};

// Unknowns with a prescribed value.
struct Constraints {
  std::vector<char> fixed;       // per unknown
  Values value;                  // per unknown, 0 where free
  std::vector<Slanted> slanted;  // nodes whose unknowns are not fixed, with values of their own
  explicit Constraints(size_t unknowns = 0) : fixed(unknowns, 0), value(unknowns, 0.0) {}
  void Set(size_t unknown, double v) {
    fixed[unknown] = 1;
    value[unknown] = v;
  }
  // Sets those of v that have a prescribed value to 0.
  void Clear(Values& v) const {
    for (size_t u = 0; u < v.size(); u++) {
      if (fixed[u]) v[u] = 0;
    }
    for (const Slanted& s : slanted) s.ClearIn(v);
  }
  // What of v the constraints hold; 0 elsewhere.
  Values Held(const Values& v) const {
    Values out = v;
    Clear(out);
    for (size_t u = 0; u < v.size(); u++) out[u] = v[u] - out[u];
    return out;
  }
  // How many unknowns, or motions of nodes, are free.
  int Free() const {
    size_t free = static_cast<size_t>(std::count(fixed.begin(), fixed.end(), 0));
    for (const Slanted& s : slanted) free -= s.along.size();
    return static_cast<int>(free);
  }
};

// The rows of a matrix that constraints took out; they give the reactions.
class ConstrainedRows {
 public:
  ConstrainedRows(const BlockCsr& a, const Constraints& constraints);
  // (A x - load) at every constrained unknown, 0 elsewhere.
  Values Reactions(const Values& x, const Values& load) const;
  // A x of values that only constrained unknowns have; A is symmetric.
  Values Product(const Values& x) const;

 private:
  std::shared_ptr<const NodeGraph> graph_;
  int block_;
  size_t unknowns_;
  std::vector<size_t> rows_;
  std::vector<size_t> start_;
  Values val_;
  Constraints constraints_;
};

// Moves prescribed values to the right-hand side: b -= A x_D, b = 0 there.
void Lift(const BlockCsr& a, const Constraints& constraints, Values& b);
// Clears rows and columns of the constrained unknowns; the mean diagonal stays.
void Clamp(BlockCsr& a, const Constraints& constraints);

}  // namespace atelier
