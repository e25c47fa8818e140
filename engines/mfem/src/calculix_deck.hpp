// What CalculiX is told: the model of an elasticity problem as a deck of keywords (Dhondt,
// CalculiX CrunchiX user's manual, ch. 7).
#pragma once

#include <iosfwd>
#include <set>
#include <utility>

#include "elasticity.hpp"

namespace atelier {

// The nodes and elements that CalculiX sees. Its elements of order 2 have no nodes in the
// middle of faces and volumes: those of ours are left out, and follow from the others by the
// serendipity shape functions. A plane problem becomes one layer of solid elements, whose
// nodes of both faces move as one in the plane.
class CalculixModel {
 public:
  explicit CalculixModel(const Elasticity& p);

  struct Element {
    const char* type;
    std::vector<int> nodes;  // numbers in the deck
    int corners;
  };
  const std::vector<Element>& Elements() const { return elements_; }
  // Of the layer, m; 1 for a solid, so that forces and energies are always this many times ours.
  double Thickness() const { return thickness_; }
  // The node that a number of the deck stands for.
  int Node(int number) const { return (number - 1) % nodes_; }
  bool LeftOut(int node) const { return !followed_[node].empty(); }
  // Whether a number of the deck is the node itself, and no copy on the layer's other face.
  bool Original(int number) const { return number <= nodes_; }

  // The numbers of a node and its copies that elements have.
  std::vector<std::set<int>> Numbers() const;

  // Moves the forces on nodes that are left out to those that they follow.
  void Condense(Values& nodal) const;
  // Gives nodes that are left out the values that follow.
  void Complete(Values& field) const;

  // Which face of CalculiX's element a boundary element is: element and face, from 1.
  std::pair<int, int> Face(int boundary) const;

  void WriteMesh(std::ostream& out) const;

 private:
  void AddSolid(int e);
  void AddLayer(int e);
  void Follow(const int* dofs, mfem::Geometry::Type geometry);
  int Copy(int node, int layer) const { return layer * nodes_ + node + 1; }

  const Elasticity& p_;
  int nodes_;
  double thickness_ = 1;
  std::vector<Element> elements_;
  std::vector<std::vector<std::pair<int, double>>> followed_;  // by node
};

// A number as the deck has it.
std::string Number(double x);

constexpr double kMostIncrement = 0.05;

struct CalculixStep {
  bool large = false;  // deflections; else linear theory
  Values dead;         // forces on nodes that keep their direction, condensed, N
  // Pressures on faces, which follow the surface as it moves.
  std::vector<const Region*> pressures;
  // Of the load, the most in an increment where plastic flow is integrated over them.
  double most = kMostIncrement;
};

void WriteDeck(const Elasticity& p, const CalculixModel& model, const CalculixStep& step,
               std::ostream& out);

// Whether any material has a yield stress.
bool IsPlastic(const Elasticity& p);

}  // namespace atelier
