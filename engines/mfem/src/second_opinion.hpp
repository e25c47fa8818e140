// The same linear problem by another program.
#pragma once

#include "elasticity.hpp"

namespace atelier {

// States how far CalculiX agrees with a solved static problem, on the same mesh.
void AskSecondOpinion(Elasticity& p);

}  // namespace atelier
