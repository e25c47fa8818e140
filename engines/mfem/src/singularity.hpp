// Where the exact stress of linear elasticity has no bound, from the geometry, the
// supports and the materials (Williams, J. Appl. Mech. 19, 1952).
#pragma once

#include <string>
#include <vector>

#include "elasticity.hpp"

namespace atelier {

class Singularities {
 public:
  explicit Singularities(const Elasticity& p);
  // Why the stress at a node, or within an element of it, has no bound; "" if it has.
  std::string At(const NodalSpace& space, int node) const;
  // The vertex of largest stress among those where the stress has no bound, but for the
  // rims of supports; -1 where there is none. von_mises: by node, vertices first.
  int MostStressed(const Values& von_mises) const;
  const std::string& CauseAt(int vertex) const { return cause_[vertex]; }

 private:
  std::vector<std::string> cause_;  // by mesh vertex
  std::vector<char> support_;       // whether it is the rim of a support
};

}  // namespace atelier
