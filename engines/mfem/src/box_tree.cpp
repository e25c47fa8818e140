#include "box_tree.hpp"

#include <algorithm>
#include <numeric>

namespace atelier {
namespace {

constexpr int kLeaf = 8;

}  // namespace

void Box::Add(const Point3& x) {
  for (int k = 0; k < 3; k++) {
    low[k] = std::min(low[k], x[k]);
    high[k] = std::max(high[k], x[k]);
  }
}

void Box::Grow(double by) {
  for (int k = 0; k < 3; k++) {
    low[k] -= by;
    high[k] += by;
  }
}

bool Box::Overlaps(const Box& other) const {
  for (int k = 0; k < 3; k++) {
    if (low[k] > other.high[k] || high[k] < other.low[k]) return false;
  }
  return true;
}

BoxTree::BoxTree(std::vector<Box> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (!order_.empty()) Build(0, static_cast<int>(order_.size()));
}

int BoxTree::Build(int first, int count) {
  const int at = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Box box, centres;
  auto centre = [&](int i, int k) { return 0.5 * (boxes_[i].low[k] + boxes_[i].high[k]); };
  for (int i = first; i < first + count; i++) {
    const int b = order_[i];
    box.Add(boxes_[b].low);
    box.Add(boxes_[b].high);
    centres.Add({centre(b, 0), centre(b, 1), centre(b, 2)});
  }
  nodes_[at].box = box;
  nodes_[at].first = first;
  nodes_[at].count = count;
  if (count <= kLeaf) return at;
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    if (centres.high[k] - centres.low[k] > centres.high[axis] - centres.low[axis]) axis = k;
  }
  const int half = count / 2;
  std::nth_element(order_.begin() + first, order_.begin() + first + half,
                   order_.begin() + first + count,
                   [&](int a, int b) { return centre(a, axis) < centre(b, axis); });
  const int left = Build(first, half), right = Build(first + half, count - half);
  nodes_[at].left = left;
  nodes_[at].right = right;
  return at;
}

bool BoxTree::Meets(const Box& box) const {
  int open[64], count = 0;  // halving the boxes, the tree is less deep
  if (!nodes_.empty()) open[count++] = 0;
  while (count > 0) {
    const Node& node = nodes_[open[--count]];
    if (!node.box.Overlaps(box)) continue;
    if (node.left >= 0) {
      open[count++] = node.left;
      open[count++] = node.right;
      continue;
    }
    for (int i = node.first; i < node.first + node.count; i++) {
      if (boxes_[order_[i]].Overlaps(box)) return true;
    }
  }
  return false;
}

std::vector<int> BoxTree::Overlapping(const Box& box) const {
  std::vector<int> out, open;
  if (!nodes_.empty()) open.push_back(0);
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (!node.box.Overlaps(box)) continue;
    if (node.left >= 0) {
      open.push_back(node.left);
      open.push_back(node.right);
      continue;
    }
    for (int i = node.first; i < node.first + node.count; i++) {
      if (boxes_[order_[i]].Overlaps(box)) out.push_back(order_[i]);
    }
  }
  return out;
}

}  // namespace atelier
