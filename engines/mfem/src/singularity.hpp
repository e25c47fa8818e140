// Where the exact stress of linear elasticity has no bound, from the geometry, the
// supports and the materials (Williams, J. Appl. Mech. 19, 1952).
#pragma once

#include <string>
#include <vector>

#include "elasticity.hpp"
#include "kinks.hpp"

namespace atelier {

// How each boundary face is held, and by which condition (-1 for none).
struct Holds {
  std::vector<Hold> hold;
  std::vector<int> condition;

  explicit Holds(const Elasticity& p);
};

// What a place near a cause does, as words behind it: lies within an element of it, where the exact
// stress has no bound.
std::string LiesAt(const std::string& cause);

class Singularities {
 public:
  Singularities(const Elasticity& p, const Holds& holds);
  // Why the stress at a node, or within an element of it, has no bound; "" if it has.
  std::string At(const NodalSpace& space, int node) const;
  // By node, whether it belongs to an element at a vertex where the stress has no bound.
  std::vector<char> Around(const NodalSpace& space) const;
  // The angle, in degrees, of an edge that was taken for that of a facet of a round
  // surface, within an element of a node; 0 where there is none.
  double FacetAt(const NodalSpace& space, int node) const;
  // The largest angle, in radians, of the edges within an element of a node at which a surface of
  // curved elements bends inward, be it that the true one is round; 0 of a straight mesh.
  double KinkAt(const NodalSpace& space, int node) const;
  // The vertex that would overtake the peak first among those where the stress has no
  // bound, but for what may be facets; -1 where there is none.
  // von_mises: by node, vertices first.
  int MostStressed(const Values& von_mises) const;
  const std::string& CauseAt(int vertex) const { return cause_[vertex]; }
  // The share of the peak that a vertex must bear to overtake it: of a corner, on any mesh that
  // is made; of the rim of a support, soon.
  double ShareAt(int vertex) const { return share_[vertex]; }

 private:
  std::vector<std::string> cause_;  // by mesh vertex
  std::vector<double> share_, facet_, kink_;
  std::vector<char> aside_;  // what may be a facet, and materials at the rim of a support
};

}  // namespace atelier
