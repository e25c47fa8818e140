// Finds bodies that nothing holds before a singular system is solved.
#pragma once

#include "block_csr.hpp"
#include "box_tree.hpp"
#include "domain.hpp"

namespace atelier {

// Rigid motions that no support stops. A body is a set of elements joined through faces;
// bodies that touch only in points or edges hang together there (a hinge) and are looked at
// as one mechanism.
struct FreeMotions {
  int total = 0, bodies = 0;
  int each = 0;     // of a body that nothing holds
  int movable = 0;  // bodies that have any
  // {body, attributes, free_motions, motions} of the first ten that have any. Bodies that hang
  // together move together: each is told what it may do.
  Json loose = Json::array();
};
// A place of the body of a node that springs hold in a direction.
struct Spring {
  int node;
  Point3 place, direction;
  int other = -1;  // node of a body that the spring joins to it; -1 for the ground
};
FreeMotions FindFreeMotions(const Domain& domain, const NodalSpace& space,
                            const Constraints& constraints,
                            const std::vector<Spring>& springs = {});

// What is free, in words: "nothing holds the part", or by which motions it can move.
std::string InWords(const FreeMotions& motions);

// Throws ERR_SINGULAR_SYSTEM when there are any.
void RequireHeld(const FreeMotions& motions);

}  // namespace atelier
