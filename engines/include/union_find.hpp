// Disjoint sets of numbers from 0 (Tarjan 1975, with path halving).
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace atelier {

class UnionFind {
 public:
  explicit UnionFind(size_t n = 0) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  // Add makes a set of one more number, which it returns.
  int Add() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }

  // Root is the smallest number of a set.
  int Root(int i) {
    while (At(i) != i) i = At(i) = At(At(i));
    return i;
  }

  void Join(int a, int b) {
    a = Root(a), b = Root(b);
    if (a != b) At(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& At(int i) { return parent_[static_cast<size_t>(i)]; }

  std::vector<int> parent_;
};

}  // namespace atelier
