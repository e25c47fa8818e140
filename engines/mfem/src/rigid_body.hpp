// Finds bodies that nothing holds before a singular system is solved.
#pragma once

#include "block_csr.hpp"
#include "domain.hpp"

namespace atelier {

// Throws ERR_SINGULAR_SYSTEM when some rigid motion of some body is free. A body
// is a set of elements joined through faces; bodies that touch only in points or
// edges hang together there (a hinge) and are checked as one mechanism.
void RequireHeld(const Domain& domain, const NodalSpace& space, const Constraints& constraints);

}  // namespace atelier
