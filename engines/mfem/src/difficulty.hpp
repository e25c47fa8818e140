// Why the iteration is slow on a part, in words.
#pragma once

#include <mfem.hpp>
#include <string>

#include "assembly.hpp"

namespace atelier {

// What the mesh and the materials have that slows the iteration, each with what to do about
// it. lame: of elastic parts.
std::string SlowReasons(mfem::Mesh& mesh, const Lame* lame);

}  // namespace atelier
