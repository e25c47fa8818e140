// A tree of boxes, for finding which of many overlap one.
#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace atelier {

using Point3 = std::array<double, 3>;

struct Box {
  Point3 low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  void Add(const Point3& x);
  void Grow(double by);
  bool Overlaps(const Box& other) const;
};

class BoxTree {
 public:
  explicit BoxTree(std::vector<Box> boxes);
  // The numbers of the boxes that overlap this one.
  std::vector<int> Overlapping(const Box& box) const;
  // Whether there are any.
  bool Meets(const Box& box) const;

 private:
  struct Node {
    Box box;
    int first = 0, count = 0;  // of a leaf, in order_
    int left = -1, right = -1;
  };
  int Build(int first, int count);

  std::vector<Box> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace atelier
