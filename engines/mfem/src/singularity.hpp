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

 private:
  std::vector<std::string> cause_;  // by mesh vertex
};

}  // namespace atelier
